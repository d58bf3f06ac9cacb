# SPDX-License-Identifier: Apache-2.0
"""Tangents, cotangents and Jacobians."""
import numpy as np
import pytest

import carom
from conftest import ARM, LEG


def next_state(data):
    other = data.copy().step()
    return other.qpos, other.qvel


def test_jacobian_agrees_with_tangents_and_cotangents(landed, random):
    model = landed.model
    jacobian = carom.jacobian(landed)
    x = carom.jvp(landed, {"qpos": np.eye(model.nv)})
    columns = np.concatenate([x["qpos"], x["qvel"], x["act"]], axis=1).T
    np.testing.assert_allclose(columns, jacobian.A[:, :model.nv], atol=1e-9)
    x = carom.vjp(landed, {"qvel": np.eye(model.nv)}, wrt=["qvel", "ctrl", "qfrc_applied"])
    np.testing.assert_allclose(x["qvel"], jacobian.A[model.nv:, model.nv:2 * model.nv], atol=1e-9)
    np.testing.assert_allclose(x["ctrl"], jacobian.B[model.nv:], atol=1e-9)
    np.testing.assert_allclose(x["qfrc_applied"], jacobian.F[model.nv:], atol=1e-9)


def test_dot_product_of_jvp_and_vjp(landed, random):
    model = landed.model
    inputs = {"qpos": model.nv, "qvel": model.nv, "ctrl": model.nu, "body_mass": model.nbody, "geom_friction": (model.ngeom, 3)}
    tangents = {name: random.normal(size=size) for name, size in inputs.items()}
    cotangents = {"qpos": random.normal(size=model.nv), "qvel": random.normal(size=model.nv)}
    forward = carom.jvp(landed, tangents)
    backward = carom.vjp(landed, cotangents, wrt=list(inputs))
    left = sum(np.sum(cotangents[name] * forward[name]) for name in cotangents)
    right = sum(np.sum(backward[name] * tangents[name]) for name in inputs)
    assert left == pytest.approx(right, rel=1e-9)


def test_jacobian_agrees_with_differences(landed):
    model, h = landed.model, 1e-6
    jacobian = carom.jacobian(landed, parameters=["body_mass[shin]", "dof_damping"])

    def moved(i, step):
        other = landed.copy()
        tangent = np.eye(model.nv)[i] * step
        other.qpos = carom.integrate_pos(model, landed.qpos, tangent)
        return other
    for i in range(model.nv):
        (q1, v1), (q2, v2) = next_state(moved(i, -h)), next_state(moved(i, h))
        column = np.concatenate([carom.differentiate_pos(model, q1, q2), v2 - v1]) / (2 * h)
        np.testing.assert_allclose(jacobian.A[:, i], column, atol=2e-6 * (1 + abs(column).max()))
    speeds = []
    for mass in (0.3 - h, 0.3 + h):
        other = carom.Data(model.copy({"body_mass[shin]": mass})).set_state(landed.state())
        speeds.append(np.array(other.step().qvel))
    np.testing.assert_allclose(jacobian.P["body_mass[shin]"][model.nv:, 0], (speeds[1] - speeds[0]) / (2 * h), atol=1e-6)
    assert jacobian.P["dof_damping"].shape == (2 * model.nv, model.nv)


def test_sensor_jacobians_agree_with_differences(landed):
    model, h = landed.model, 1e-6
    jacobian = carom.jacobian(landed)
    assert jacobian.C.shape == (model.nsensordata, 2 * model.nv) and jacobian.D.shape == (model.nsensordata, model.nu)
    for i in range(model.nv):
        seen = []
        for step in (-h, h):
            other = landed.copy()
            other.qpos = carom.integrate_pos(model, landed.qpos, np.eye(model.nv)[i] * step)
            seen.append(np.array(other.forward().sensordata))
        np.testing.assert_allclose(jacobian.C[:, i], (seen[1] - seen[0]) / (2 * h), atol=1e-6)


@pytest.mark.parametrize("text", [LEG, ARM])
def test_jacobians_are_mujocos(text):
    mujoco = pytest.importorskip("mujoco")
    theirs = mujoco.MjModel.from_xml_string(text)
    theirs.opt.tolerance, theirs.opt.iterations = 1e-14, 200
    model, state = carom.load(text), mujoco.MjData(theirs)
    data = carom.Data(model)
    if model.nkey:
        data.reset(0)
        mujoco.mj_resetDataKeyframe(theirs, state, 0)
    data.ctrl[:] = state.ctrl[:] = 0.3
    data.act[:] = state.act[:] = 0.2  # at 0 an activation has two slopes
    nx = 2 * theirs.nv + theirs.na
    A, B = np.zeros((nx, nx)), np.zeros((nx, theirs.nu))
    C, D = np.zeros((theirs.nsensordata, nx)), np.zeros((theirs.nsensordata, theirs.nu))
    mujoco.mjd_transitionFD(theirs, state, 1e-6, True, A, B, C if C.size else None, D if D.size else None)
    ours = data.jacobian()
    np.testing.assert_allclose(ours.A, A, atol=1e-6 * abs(A).max())
    np.testing.assert_allclose(ours.B, B, atol=1e-6 * max(1, abs(B).max()))
    np.testing.assert_allclose(ours.C, C, atol=1e-6)
    np.testing.assert_allclose(ours.D, D, atol=1e-6)


def test_forward_and_inverse_have_derivatives(landed, random):
    model = landed.model
    dv = random.normal(size=model.nv)
    out = carom.jvp(landed, {"qvel": dv}, of="forward", out=["qacc", "site_xpos"])
    assert out["site_xpos"].shape == (model.nsite, 3) and not out["site_xpos"].any()
    h = 1e-6
    accelerations = []
    for step in (-h, h):
        other = landed.copy()
        other.qvel[:] += step * dv
        accelerations.append(np.array(other.forward().qacc))
    expected = (accelerations[1] - accelerations[0]) / (2 * h)
    np.testing.assert_allclose(out["qacc"], expected, atol=1e-5 * abs(expected).max())
    qacc = np.array(landed.qacc)
    landed.inverse(qacc)
    da = random.normal(size=model.nv)
    force = carom.jvp(landed, {"qacc": da}, of="inverse")["qfrc_inverse"]
    bar = carom.vjp(landed, {"qfrc_inverse": da}, of="inverse", wrt=["qacc"])["qacc"]
    assert force @ da == pytest.approx(bar @ da, rel=1e-10)


def test_calls_leave_nothing_behind(landed, random):
    seed = {"qvel": random.normal(size=landed.model.nv)}
    first = carom.vjp(landed, seed, wrt=["qpos", "body_mass"])
    carom.vjp(landed, {"qpos": random.normal(size=(3, landed.model.nv))})
    carom.jvp(landed, {"body_mass": np.ones(landed.model.nbody)})
    carom.jvp(landed, {"ctrl": np.ones(2)}, of="forward")
    second = carom.vjp(landed, seed, wrt=["qpos", "body_mass"])
    for name in first:
        np.testing.assert_array_equal(first[name], second[name])


@pytest.mark.parametrize("integrator", ["rk4", "implicit", "implicitfast", "discrete", "tsit5"])
def test_every_integrator_has_them(integrator, random):
    data = carom.Data(carom.load(ARM).copy(integrator=integrator))
    data.ctrl[:], data.act[:] = 0.4, 0.2
    model = data.model
    jacobian = carom.jacobian(data, sensors=False)
    x = carom.jvp(data, {"act": np.ones(1)})
    np.testing.assert_allclose(np.concatenate([x["qpos"], x["qvel"], x["act"]]), jacobian.A[:, 2 * model.nv], atol=1e-9)


def test_wrong_requests_are_refused(landed):
    with pytest.raises(carom.NameError, match="no field 'foo'"):
        carom.jvp(landed, {"foo": [1]})
    with pytest.raises(carom.ArgError, match="numbers; expected"):
        carom.jvp(landed, {"qvel": [1, 2]})
    with pytest.raises(carom.ArgError, match="has no derivative"):
        carom.vjp(landed, {"qvel": np.zeros(landed.model.nv)}, wrt=["eq_active"])
    with pytest.raises(carom.ArgError, match="there is step, forward, inverse"):
        carom.jvp(landed, {"qvel": np.zeros(landed.model.nv)}, of="backward")
