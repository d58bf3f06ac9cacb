# SPDX-License-Identifier: Apache-2.0
"""Opening, reading and changing models."""
import copy
import gc
import pickle

import numpy as np
import pytest

import carom
from conftest import ARM, DATA, LEG


def test_counts_and_fields_have_mujocos_numbers(leg):
    mujoco = pytest.importorskip("mujoco")
    theirs = mujoco.MjModel.from_xml_string(LEG)
    for name in ("nq", "nv", "nu", "na", "nbody", "ngeom", "nsensordata"):
        assert getattr(leg, name) == getattr(theirs, name)
    for name in ("body_mass", "body_inertia", "body_pos", "geom_size", "geom_friction", "dof_damping", "jnt_range", "qpos0",
                 "jnt_type", "actuator_gainprm"):
        np.testing.assert_allclose(getattr(leg, name).reshape(-1), getattr(theirs, name).reshape(-1), rtol=1e-14, atol=1e-14)


def test_names_reach_the_numbers(leg):
    assert leg.body_mass["thigh"] == leg.body_mass[leg.id("body", "thigh")]
    assert leg.body("thigh").mass[0] == leg.body_mass["thigh"]
    np.testing.assert_array_equal(leg.joint("hip").range, [-1, 1])
    np.testing.assert_array_equal(leg.joint("hip").damping, leg.dof_damping["hip"])
    np.testing.assert_array_equal(leg.geom_size["shin"], leg.geom("shin").size)
    assert leg.geom_size["shin", 0] == 0.03
    assert leg.sensor("gyro").dim == 3
    np.testing.assert_array_equal(leg.keyframe("bent").qpos, leg.key_qpos[0])
    assert leg.names("actuator") == ["hip", "knee"] == leg.control_names
    assert leg["geom_friction[floor][0]"] == leg.geom_friction["floor", 0]
    assert len(leg.joint("root").qpos0) == 7
    assert "mass" in dir(leg.body("trunk"))


def test_unknown_names_are_refused_with_a_sentence(leg):
    with pytest.raises(carom.NameError, match="there is no body 'leg'; there is: .*thigh"):
        leg.body("leg")
    with pytest.raises(carom.NameError, match="body_mass"):
        leg["body_mas[thigh]"]
    with pytest.raises(AttributeError, match="no field, count or option 'foo'"):
        leg.foo
    with pytest.raises(AttributeError, match="body has no 'foo'"):
        leg.body("thigh").foo
    with pytest.raises(IndexError, match="there is no body 17"):
        leg.body(17)


def test_fields_of_a_model_are_read_only(leg):
    with pytest.raises(ValueError, match="read-only"):
        leg.body_mass[0] = 1


def test_a_copy_changes_and_the_model_does_not(leg):
    other = leg.copy({"body_mass[thigh]": 2.0}, timestep=0.001, integrator="rk4", gravity=[0, 0, -1.6], flags={"contact": False})
    assert other.body_mass["thigh"] == 2 and other.timestep == 0.001 and other.integrator == "rk4"
    assert other.gravity[2] == -1.6 and not other.flag("contact")
    assert leg.body_mass["thigh"] == 0.4 and leg.timestep == 0.004 and leg.integrator == "euler" and leg.flag("contact")
    many = leg.copy(body_mass={"thigh": 2.0, "shin": 1.0})
    assert (many.body_mass["thigh"], many.body_mass["shin"]) == (2, 1)
    derived = leg.copy({"body_mass[thigh]": 2.0}, derive=True)
    assert derived.body_invweight0["thigh", 0] != leg.body_invweight0["thigh", 0]
    assert many.body_invweight0["thigh", 0] == leg.body_invweight0["thigh", 0]


def test_item_assignment_changes_the_model_and_its_arrays(leg):
    model = leg.copy()
    mass = model.body_mass
    model["body_mass[thigh]"] = 3
    assert mass["thigh"] == 3


def test_wrong_changes_are_refused_and_change_nothing(leg):
    model = leg.copy()
    before = model.fingerprint()
    with pytest.raises(carom.ModelError, match="timestep"):
        model.set(timestep=-1)
    with pytest.raises(carom.ArgError, match="euler, rk4"):
        model.set(integrator="fast")
    with pytest.raises(carom.ModelError):
        model.set({"body_mass[thigh]": -1})
    with pytest.raises(carom.ArgError, match="3 numbers"):
        model.set(gravity=[0, 0])
    with pytest.raises(carom.NameError, match="no option 'speed'"):
        model.set(speed=1)
    assert model.fingerprint() == before


def test_exceptions_are_also_pythons_own():
    with pytest.raises(OSError) as caught:
        carom.load("nothing.xml")
    assert isinstance(caught.value, carom.CaromError) and caught.value.status == "file"
    assert str(caught.value) == "nothing.xml: cannot be opened: No such file or directory"
    for name in ("ArgError", "ModelError", "FormatError", "NameError", "CapacityError", "NonfiniteError", "SolverError",
                 "DivergedError", "SingularError", "UnsupportedError"):
        assert issubclass(getattr(carom, name), carom.CaromError)


def test_broken_xml_names_the_fault():
    with pytest.raises(carom.CaromError, match="mass and inertia"):
        carom.load("<mujoco><worldbody><body><joint/></body></worldbody></mujoco>")


def test_paths_texts_and_assets(tmp_path):
    cube = carom.load(DATA / "cube.xml")
    assert carom.load(str(DATA / "cube.xml")).fingerprint() == cube.fingerprint()
    assert carom.load((DATA / "cube.xml").read_text()).fingerprint() == cube.fingerprint()
    mesh = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n"
    text = ('<mujoco><asset><mesh name="m" file="m.obj"/></asset><worldbody><body><freejoint/>'
            '<geom type="mesh" mesh="m"/></body></worldbody></mujoco>')
    assert carom.load(text, assets={"m.obj": mesh}).body_mass[1] > 0
    with pytest.raises(carom.CaromError):
        carom.load(text)
    with pytest.raises(carom.ArgError, match="not below"):
        carom.load(text, assets={"../m.obj": mesh})


def test_urdf_options():
    standing = carom.load(DATA / "quadruped.urdf", floating=True, ground=True)
    fixed = carom.load(DATA / "quadruped.urdf")
    assert standing.nq == fixed.nq + 7
    assert carom.load(DATA / "quadruped.urdf", servo=(10, 1)).nu == fixed.njnt


def test_findings_say_what_was_ignored():
    model = carom.load("<mujoco><worldbody><light/><camera/></worldbody></mujoco>")
    assert any("camera" in sentence for sentence in model.findings["ignored"])


def test_pickles_and_copies_have_the_same_bits(leg):
    changed = leg.copy({"body_mass[thigh]": 2.0}, integrator="implicit")
    for other in (pickle.loads(pickle.dumps(changed)), copy.copy(changed), copy.deepcopy(changed)):
        assert other.fingerprint() == changed.fingerprint()
    data = carom.Data(leg, "bent")
    data.step(5)
    again = pickle.loads(pickle.dumps(data))
    np.testing.assert_array_equal(again.state(), data.state())


def test_saved_models_open_again(leg, tmp_path):
    leg.save(tmp_path / "leg.crm")
    assert carom.load(tmp_path / "leg.crm").fingerprint() == leg.fingerprint()
    (tmp_path / "leg.xml").write_text(LEG)
    model = carom.load(tmp_path / "leg.xml")
    model.set({"body_mass[thigh]": 1.5}, derive=True)
    model.save(tmp_path / "found.xml")
    assert carom.load(tmp_path / "found.xml").body_mass["thigh"] == 1.5
    with pytest.raises(carom.ArgError, match="opened from a file"):
        leg.save(tmp_path / "other.xml")


def test_models_of_mujoco():
    mujoco = pytest.importorskip("mujoco")
    theirs = mujoco.MjModel.from_xml_string(ARM)
    ours = carom.load(theirs)
    np.testing.assert_array_equal(ours.body_mass, theirs.body_mass)
    np.testing.assert_array_equal(carom.load(ARM).body_mass, theirs.body_mass)
    state = mujoco.MjData(theirs)
    data = carom.Data(ours)
    state.ctrl[:] = data.ctrl[:] = 0.7
    mujoco.mj_step(theirs, state, 100)
    data.step(100)
    np.testing.assert_allclose(data.qpos, state.qpos, rtol=1e-9, atol=1e-11)
    np.testing.assert_allclose(data.act, state.act, rtol=1e-9, atol=1e-11)


def test_fields_are_enumerable_with_units(leg):
    fields = carom.fields()
    assert fields["qpos"].kind == "state" and fields["qpos"].unit == "m|rad"
    assert fields["body_mass"].kind == "param" and fields["body_mass"].unit == "kg" and fields["body_mass"].of_model
    assert fields["site_xpos"].frame == "world" and fields["site_xpos"].width == 3
    assert set(carom.fields(leg)) == set(fields) and len(fields) > 300
    assert all(field.meaning for field in fields.values())


def test_arrays_outlive_their_model():
    mass = carom.load(LEG).body_mass
    gc.collect()
    assert mass["thigh"] == 0.4 and mass.sum() == pytest.approx(1.7)


def test_what_is_computed_from_a_field_is_a_plain_array(leg):
    assert type(leg.body_mass + 1) is np.ndarray
    assert type(leg.body_mass.sum()) is np.float64
    with pytest.raises(TypeError, match="only a whole field has names"):
        leg.body_mass[1:]["thigh"]
