# SPDX-License-Identifier: Apache-2.0
"""Rollouts, batches, losses and gradients."""
import os
import threading

import numpy as np
import pytest

import carom
from conftest import DATA, in_fork

FALL = dict(wc=0.1, dc=0.0, d0=0.9, mc=0.5, pc=2.0)


@pytest.fixture
def controls(random):
    return random.normal(size=(3, 30, 2)) * 0.3


def last_speed(run):
    """|qvel|^2 of the last state, with its cotangents."""
    bar = np.zeros_like(run.qvel)
    bar[-1] = 2 * run.qvel[-1]
    return np.sum(run.qvel[-1] ** 2), {"qvel": bar}


def test_a_rollout_is_a_loop_of_steps(leg, controls):
    run = carom.rollout(leg, ctrl=controls[0], start=carom.Data(leg, "bent"), record=["sensordata", "site_xpos"])
    data = carom.Data(leg, "bent")
    for i, ctrl in enumerate(controls[0]):
        data.ctrl[:] = ctrl
        data.step()
        np.testing.assert_array_equal(run.qpos[i], data.qpos)
        np.testing.assert_array_equal(run.qvel[i], data.qvel)
    np.testing.assert_array_equal(run.final["qpos"], data.qpos)
    data.forward()
    np.testing.assert_array_equal(run.sensordata[-1], data.sensordata)
    assert run.site_xpos.shape == (30, 2, 3)


def test_a_batch_is_its_rollouts_for_any_number_of_threads(leg, controls):
    masses = np.stack([leg.body_mass * scale for scale in (0.9, 1.0, 1.1)])
    kept = dict(loss="sum(qvel^2) + site_xpos[foot].z", gradient=True, start=carom.Data(leg, "bent"))
    one = carom.rollout(leg, ctrl=controls, parameters={"body_mass": masses}, threads=1, **kept)
    many = carom.rollout(leg, ctrl=controls, parameters={"body_mass": masses}, threads=3, **kept)
    for i in range(3):
        single = carom.rollout(leg, ctrl=controls[i], parameters={"body_mass": masses[i]}, **kept)
        assert single.loss == one.loss[i] == many.loss[i]
        for name, values in single.gradient.items():
            np.testing.assert_array_equal(values, one.gradient[name][i])
            np.testing.assert_array_equal(values, many.gradient[name][i])
    assert one.gradient["ctrl"].shape == controls.shape and one.gradient["body_mass"].shape == masses.shape
    assert abs(one.gradient["ctrl"]).max() > 0 and abs(one.gradient["body_mass"]).max() > 0


def test_a_loss_in_python_is_the_expression(leg, controls):
    kept = dict(ctrl=controls, start=carom.Data(leg, "bent"), gradient=True, parameters={"dof_damping": leg.dof_damping})
    words = carom.rollout(leg, loss="sum(qvel^2)", **kept)
    python = carom.rollout(leg, loss=last_speed, **kept)
    np.testing.assert_allclose(python.loss, words.loss, rtol=1e-14)
    for name in words.gradient:
        np.testing.assert_allclose(python.gradient[name], words.gradient[name], rtol=1e-12, atol=1e-14)


def test_states_may_be_recorded_by_name(leg, controls):
    run = carom.rollout(leg, ctrl=controls[0], start=carom.Data(leg, "bent"), states=False, record=["qpos", "sensordata"])
    all_states = carom.rollout(leg, ctrl=controls[0], start=carom.Data(leg, "bent"), record=["sensordata"])
    np.testing.assert_array_equal(run.qpos, all_states.qpos)
    np.testing.assert_array_equal(run.sensordata, all_states.sensordata)


def test_losses_of_recorded_fields_and_of_quaternions(leg, controls):
    def tilt(run):
        bars = {"qpos": np.zeros_like(run.qpos), "sensordata": np.zeros_like(run.sensordata)}
        bars["qpos"][:, 4:6] = 2 * run.qpos[:, 4:6]
        bars["sensordata"][-1, 3] = 1
        return np.sum(run.qpos[:, 4:6] ** 2) + run.sensordata[-1, 3], bars
    push = np.zeros(leg.nv)
    push[3:6] = 0.5, -0.3, 0.2
    result = carom.grad(leg, tilt, ctrl=controls[0], wrt=["qpos", "qvel", "ctrl"], qvel=push, record=["sensordata"])
    for name in ("qpos", "qvel"):
        np.testing.assert_allclose(result[name], result.differences(name), atol=1e-6 * max(1, abs(result[name]).max()))


def test_gradients_agree_with_differences_and_can_be_trusted(arm):
    result = carom.grad(arm, "site_xpos[end].z", 40, wrt=["qpos", "qvel", "act", "ctrl[biceps]", "body_mass", "tendon_stiffness",
                                                         "body_mass[lower]"], act=[0.2], ctrl=[0.5])
    for name in result.keys():
        np.testing.assert_allclose(result[name], result.differences(name), atol=1e-7)
    assert result["body_mass"][2] == result["body_mass[lower]"][0]
    trust = carom.grad(arm, "site_xpos[end].z", 40, wrt="qvel", act=[0.2], ctrl=[0.5]).trust()
    assert trust and trust.verdict == "trust" and trust.text and trust.change < 0.01
    assert result.doubt == "" and result.two_slopes == []


def test_contacts_from_distance_give_a_gradient_before_they_touch():
    model = carom.load("""<mujoco><worldbody><geom type="plane" size="1 1 1"/><body pos="0 0 0.3"><freejoint/>
                          <geom size="0.1" mass="1"/></body></worldbody></mujoco>""")
    plain = carom.grad(model, "qvel[0]^2 + qpos[2]", 5, wrt="body_mass")
    distant = carom.grad(model, "qvel[0]^2 + qpos[2]", 5, wrt=["body_mass", "qpos"], cfd=dict(FALL, wc=0.5))
    assert plain["body_mass"][1] == 0 and abs(distant["qpos"][2] - 1) > 1e-3
    batch = carom.rollout(model, 5, loss="qvel[0]^2 + qpos[2]", gradient=True, cfd=dict(FALL, wc=0.5))
    np.testing.assert_allclose(batch.gradient["qpos"], distant["qpos"], rtol=1e-12)
    with pytest.raises(carom.ArgError, match="none of dc"):
        carom.grad(model, "qpos[2]", 5, cfd={"reach": 1})


def test_adaptive_steps_find_the_moment_of_a_bounce():
    model = carom.load(DATA / "ball.xml")
    options = dict(rtol=1e-8, events=True, integrator="tsit5")
    result = carom.grad(model, "sum(qpos)", 60, wrt="qvel", **options)
    accepted, rejected, events = result.steps
    assert accepted > 0 and result.uncounted == 0
    np.testing.assert_allclose(result["qvel"], result.differences("qvel", 1e-5), atol=1e-4 * abs(result["qvel"]).max())
    run = carom.rollout(model, 60, loss="sum(qpos)", gradient=True, **options)
    np.testing.assert_allclose(run.gradient["qvel"], result["qvel"], rtol=1e-12)
    with pytest.raises(carom.ArgError, match="only with rtol or atol"):
        carom.rollout(model, 10, events=True)


def test_collision_modes_and_adjoints_by_name(leg, arm):
    smooth = carom.rollout(leg, 20, collision="smooth", softness=0.05, start=None)
    assert np.all(np.isfinite(smooth.qpos))
    with pytest.raises(carom.ArgError, match="hard, soft or smooth"):
        carom.rollout(leg, 20, collision="round")
    steps = carom.grad(arm, "qvel[elbow]", 30, wrt="qpos", act=[0.3], integrator="tsit5", rtol=1e-9)
    adjoint = carom.grad(arm, "qvel[elbow]", 30, wrt="qpos", act=[0.3], integrator="tsit5", rtol=1e-9, adjoint="continuous")
    np.testing.assert_allclose(adjoint["qpos"], steps["qpos"], rtol=1e-5)
    with pytest.raises(carom.ArgError, match="none of rtol, atol"):
        carom.grad(arm, "qvel[elbow]", 5, adjoint={"steps": 3})


def test_a_limit_of_memory_gives_the_same_bits(leg, controls):
    kept = dict(ctrl=controls, loss="sum(qvel^2)", gradient=True)
    free, tight = carom.rollout(leg, **kept), carom.rollout(leg, memory=20000, **kept)
    for name in free.gradient:
        np.testing.assert_array_equal(free.gradient[name], tight.gradient[name])


def test_a_rollout_that_fails_is_raised_or_returned(leg):
    qvel = np.zeros((3, leg.nv))
    qvel[1, 0] = 1e30
    with pytest.raises(carom.DivergedError, match="rollout 1"):
        carom.rollout(leg, 5, qvel=qvel)
    run = carom.rollout(leg, 5, qvel=qvel, errors="return")
    assert run.errors[0] is None and "qvel" in run.errors[1] and run.errors[2] is None
    assert np.all(run.final["qpos"][2, :3] != 0) or run.final["qpos"][2, 2] > 0


def test_exceptions_of_a_loss_come_out_and_leave_everything_usable(leg, controls):
    class Own(Exception):
        pass

    def bad(run):
        if run.item == 1:
            raise Own("not this one")
        return 0.0
    batch = carom.Batch(leg, 30, threads=2)
    with pytest.raises(Own, match="not this one"):
        batch.run(ctrl=controls, loss=bad)
    assert len(batch.run(ctrl=controls, loss=lambda run: 1.5).loss) == 3
    with pytest.raises(carom.ArgError, match="returns .value"):
        batch.run(ctrl=controls, loss=lambda run: 1.0, gradient=True)
    with pytest.raises(carom.ArgError, match="cotangents of 'xpos'"):
        batch.run(ctrl=controls, loss=lambda run: (1.0, {"xpos": 0}), gradient=True)


def test_batches_in_threads_and_after_a_fork(leg, controls):
    reference = carom.rollout(leg, ctrl=controls, threads=2).final["qpos"]
    results = []
    threads = [threading.Thread(target=lambda: results.append(carom.rollout(leg, ctrl=controls, threads=2).final["qpos"]))
               for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 4
    for result in results:
        np.testing.assert_array_equal(result, reference)
    batch = carom.Batch(leg, 30, threads=2)
    batch.run(ctrl=controls)

    def works_in_fork():
        with pytest.raises(carom.ArgError, match="before a fork"):
            batch.run(ctrl=controls)
        return np.array_equal(carom.rollout(leg, ctrl=controls, threads=2).final["qpos"], reference)
    assert in_fork(works_in_fork)


def test_maps_of_frameworks_after_a_fork_in_the_middle_of_a_run(leg, random):
    from carom.autodiff import map_of
    qvel = random.normal(size=(200, leg.nv))
    inputs, done = ("qvel",), threading.Event()
    expected = map_of(leg, 40, inputs, threads=2).forward([qvel])[1]

    def work():
        while not done.is_set():
            map_of(leg, 40, inputs, threads=2).forward([qvel])
    thread = threading.Thread(target=work)
    thread.start()
    try:
        for _ in range(5):
            assert in_fork(lambda: np.array_equal(map_of(leg, 40, inputs, threads=2).forward([qvel])[1], expected))
    finally:
        done.set()
        thread.join()


@pytest.mark.parametrize("kind", [KeyError, KeyboardInterrupt, SystemExit])
def test_every_exception_of_a_loss_ends_the_run_in_all_threads(leg, controls, kind):
    from carom.autodiff import map_of
    seen = []

    def bad(run):
        seen.append(run.item)
        raise kind("here")
    many = np.tile(controls, (20, 1, 1))
    with pytest.raises(kind, match="here"):
        carom.rollout(leg, ctrl=many, loss=bad, threads=2)
    assert 1 <= len(seen) < 60
    with pytest.raises(kind, match="here"):
        carom.grad(leg, bad, ctrl=controls[0])
    costs = map_of(leg, 30, ("ctrl",), loss=bad, threads=2)
    for call in (costs.value, costs.value_and_gradients):
        with pytest.raises(kind, match="here"):
            call([many])
    # the lock of the batch is free again
    assert np.isfinite(map_of(leg, 30, ("ctrl",), loss="sum(qvel^2)", threads=2).value([many])).all()


@pytest.mark.parametrize("wrong, sentence", [
    (dict(), "nstep is needed"),
    (dict(ctrl=np.zeros((5, 3))), "shape"),
    (dict(nstep=4, ctrl=np.zeros((5, 2))), "5 rows, nstep is 4"),
    (dict(nstep=3, qvel=np.zeros(3)), "qvel has shape"),
    (dict(nstep=3, qpos=np.zeros(9)), "quaternion has length 0"),
    (dict(nstep=3, qvel=np.zeros((2, 8)), qpos=np.zeros((3, 9))), "rollouts"),
    (dict(nstep=3, parameters={"foo": 1}), "'foo'"),
    (dict(nstep=3, record=["contact_dist"]), "their number changes"),
    (dict(nstep=3, record=["foo"]), "no field of data"),
    (dict(nstep=3, loss="foo + 1"), "there is no field 'foo'"),
    (dict(nstep=3, loss=3), "expression or a function"),
    (dict(nstep=3, foo=3), "no option 'foo'"),
])
def test_wrong_inputs_are_refused(leg, wrong, sentence):
    with pytest.raises(carom.CaromError, match=sentence):
        carom.rollout(leg, **wrong)


def test_what_a_forward_pass_keeps_saves_the_second_run(leg, landed, random):
    """The backward pass of the frameworks, with the states that the forward pass kept, to the same bits as with a second run."""
    from carom.autodiff import Map
    inputs = [np.tile(landed.qpos, (3, 1)), landed.qvel + 0.1 * random.normal(size=(3, leg.nv)),
              0.3 * random.normal(size=(3, 25, leg.nu)), leg.body_mass * np.array([0.9, 1.0, 1.1])[:, None]]
    steps = Map(leg, 25, ("qpos", "qvel", "ctrl", "body_mass"), record=["sensordata"], threads=2)
    outputs, kept = steps.forward(inputs, keep=True)
    assert kept.shape == (3, steps.batch.kept_size) and kept.size > 3 * 25 * (leg.nq + leg.nv)
    assert all((a == b).all() for a, b in zip(outputs, steps.forward(inputs)))
    bars = [random.normal(size=np.shape(out)) for out in outputs]
    steps.forward([x[::-1] for x in inputs])  # another run between
    again = steps.backward(inputs, outputs[0], bars, kept)
    for a, b in zip(again, steps.backward(inputs, outputs[0], bars)):
        assert (a == b).all() and np.abs(a).max() > 0
    only = steps.backward(inputs, outputs[0], [None, None, None, bars[3]], kept)
    for a, b in zip(only, steps.backward(inputs, outputs[0], [None, None, None, bars[3]])):
        assert (a == b).all() and np.abs(a).max() > 0
    adaptive = Map(leg, 5, ("qvel",), integrator="tsit5", rtol=1e-4)
    outputs, kept = adaptive.forward([inputs[1]], keep=True)
    assert kept is None and adaptive.batch.kept_size == 0
    assert np.isfinite(adaptive.backward([inputs[1]], outputs[0], [None, np.ones_like(outputs[1]), None], kept)[0]).all()
