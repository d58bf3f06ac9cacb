# SPDX-License-Identifier: Apache-2.0
"""States, views of them, and what is computed from them."""
import copy
import gc
import threading

import numpy as np
import pytest

import carom
from conftest import DATA, LEG


def test_arrays_are_the_memory_of_the_state(leg):
    data = carom.Data(leg)
    qpos = data.qpos
    qpos["hip"] = 0.25
    assert data["qpos[hip]"] == 0.25 and data.joint("hip").qpos[0] == 0.25
    data["qpos[hip]"] = 0.5
    assert qpos["hip"] == 0.5
    data.joint("hip").qpos = 0.75
    assert qpos["hip"] == 0.75
    data.qpos = leg.qpos0
    assert qpos["hip"] == 0
    data.step()
    assert qpos[2] < 0.52


def test_computed_fields_are_read_only(landed):
    for name in ("xpos", "qacc", "sensordata", "contact_dist"):
        with pytest.raises(ValueError, match="read-only"):
            getattr(landed, name)[...] = 1


def test_arrays_outlive_their_data(leg):
    qpos = carom.Data(leg, "bent").qpos
    gc.collect()
    assert qpos["hip"] == 0.3


def test_short_lived_blocks_free_their_memory(leg):
    resource = pytest.importorskip("resource")
    before = None
    for i in range(400):
        data = carom.Data(leg)
        data.qpos[0], data.step
        if i == 100:
            before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 20000


def test_named_objects_of_data(landed):
    np.testing.assert_array_equal(landed.body("shin").xpos, landed.xpos["shin"])
    np.testing.assert_array_equal(landed.site("foot").xpos, landed.sensor("foot").data)
    np.testing.assert_array_equal(landed.sensor("gyro").data, landed.sensordata["gyro"])
    assert landed.actuator("knee").ctrl[0] == -0.5
    assert landed.sensordata["hip_angle"] == landed.qpos["hip"]
    assert len(landed.joint("root").qvel) == 6
    assert landed["contact[floor:shin].dist"] == landed.contacts[0].dist


def test_steps_are_mujocos():
    mujoco = pytest.importorskip("mujoco")
    model, theirs = carom.load(LEG), mujoco.MjModel.from_xml_string(LEG)
    theirs.opt.tolerance, theirs.opt.iterations = 1e-14, 200
    data, state = carom.Data(model, "bent"), mujoco.MjData(theirs)
    mujoco.mj_resetDataKeyframe(theirs, state, 0)
    data.ctrl[:] = state.ctrl[:] = 0.1, -0.4
    for _ in range(60):
        mujoco.mj_step(theirs, state)
        data.step()
    np.testing.assert_allclose(data.qpos, state.qpos, atol=1e-8)
    assert data.time == pytest.approx(state.time)
    mujoco.mj_forward(theirs, state)
    data.forward()
    assert len(data.contacts) == state.ncon
    np.testing.assert_allclose(data.sensordata, state.sensordata, atol=1e-7)
    matrix = np.zeros((theirs.nv, theirs.nv))
    mujoco.mj_fullM(theirs, state, matrix)
    np.testing.assert_allclose(data.full_m(), matrix, atol=1e-9)
    jacp, jacr = np.zeros((3, theirs.nv)), np.zeros((3, theirs.nv))
    mujoco.mj_jacSite(theirs, state, jacp, jacr, 1)
    for ours, reference in zip(data.jac_site("foot"), (jacp, jacr)):
        np.testing.assert_allclose(ours, reference, atol=1e-7)


def test_contacts_have_forces_that_carry_the_leg(leg):
    data = carom.Data(leg, "bent")
    for _ in range(400):
        data.step()
    data.forward()
    vertical = sum((contact.frame.T @ contact.force)[2] for contact in data.contacts)
    assert vertical == pytest.approx(1.7 * 9.81, rel=0.3)


def test_inertia_matrix_and_its_inverse(landed, random):
    x = random.normal(size=landed.model.nv)
    np.testing.assert_allclose(landed.mul_m(x), landed.full_m() @ x, rtol=1e-12)
    np.testing.assert_allclose(landed.solve_m(landed.mul_m(x)), x, rtol=1e-9)
    np.testing.assert_allclose(landed.rne(), landed.qfrc_bias, atol=1e-10)


def test_jacobians_of_points(landed):
    jacp, _ = landed.jac(landed.site_xpos["foot"], "shin")
    np.testing.assert_allclose(jacp, landed.jac_site("foot")[0], atol=1e-14)
    total = sum(m * landed.jac_body_com(i)[0] for i, m in enumerate(landed.model.body_mass)) / landed.model.body_mass.sum()
    np.testing.assert_allclose(landed.jac_subtree_com("trunk"), total, atol=1e-13)
    assert landed.geom_distance("floor", "trunk", 5)[0] == pytest.approx(landed.geom_xpos["trunk", 2] - 0.1)


def test_inverse_dynamics_undo_forward_dynamics(landed):
    applied = landed.inverse(np.array(landed.qacc))
    landed.forward()
    np.testing.assert_allclose(applied, landed.qfrc_actuator + landed.qfrc_applied, atol=1e-6)


def test_states_as_vectors(leg, random):
    data = carom.Data(leg, "bent").step(3)
    data.time = 2
    other = carom.Data(leg).set_state(data.state())
    np.testing.assert_array_equal(other.step(5).qpos, data.step(5).qpos)
    assert other.time == data.time == pytest.approx(2.02)
    assert len(data.state("qpos")) == leg.nq
    np.testing.assert_array_equal(copy.copy(data).state(), data.state())
    with pytest.raises(carom.ArgError, match="numbers, not 3"):
        data.set_state([1, 2, 3])
    with pytest.raises(carom.ArgError, match="no part of a state"):
        data.state("speed")


def test_reset(leg):
    data = carom.Data(leg, "bent").step(10)
    data.reset()
    np.testing.assert_array_equal(data.qpos, leg.qpos0)
    data.reset(0)
    assert data.qpos["knee"] == -0.6
    with pytest.raises(carom.NameError, match="no keyframe 'high'; there is: bent"):
        data.reset("high")


def test_a_step_that_diverges_says_where(leg):
    data = carom.Data(leg)
    data.qvel[0] = 1e300
    with pytest.raises(carom.DivergedError, match=r"qvel\[0\] \(joint 'root'\)"):
        data.step(10)


def test_wrong_values_are_refused(leg):
    data = carom.Data(leg)
    with pytest.raises(carom.CaromError):
        data["ctrl[hip]"] = np.nan
    with pytest.raises(carom.CaromError):
        data["xpos[trunk]"] = [0, 0, 0]
    with pytest.raises(ValueError):
        data.qpos = [1, 2]
    with pytest.raises(AttributeError, match="no field 'foo'"):
        data.foo


def test_a_pile_needs_room_and_gets_it():
    boxes = "".join(f"<body pos='{i % 4 * .19} {i // 4 % 2 * .19} {0.1 + 0.19 * (i // 8)}'><freejoint/>"
                    "<geom type='box' size='.1 .1 .1'/></body>" for i in range(40))
    model = carom.load(f"<mujoco><worldbody><geom type='plane' size='5 5 1'/>{boxes}</worldbody></mujoco>")
    with pytest.raises(carom.CapacityError, match=r"room for 392; Data\(model, contacts=...\) makes more"):
        carom.Data(model).step()
    data = carom.Data(model, contacts=1500).step(2).forward()
    assert len(data.contacts) > 392
    run = carom.rollout(model, 2)
    np.testing.assert_array_equal(data.qpos, run.qpos[-1])
    bar = carom.vjp(data, {"qvel": np.ones(model.nv)}, wrt=["qvel"])
    assert np.all(np.isfinite(bar["qvel"]))


def test_threads_step_at_the_same_time(leg):
    reference = carom.Data(leg, "bent").step(500).state()
    results = [None] * 4

    def work(i):
        results[i] = carom.Data(leg, "bent").step(500).state()
    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for result in results:
        np.testing.assert_array_equal(result, reference)


def test_models_of_the_repository_step():
    for path in sorted(DATA.glob("*.xml")):
        data = carom.Data(carom.load(path))
        data.step(5)
        assert np.all(np.isfinite(data.qpos)), path
