# SPDX-License-Identifier: Apache-2.0
"""Equilibria, the linear-quadratic regulator, and the Kalman filter."""
import numpy as np
import pytest

import carom
from conftest import SOURCE


@pytest.fixture(scope="module")
def acrobot():
    return carom.load(SOURCE / "examples/tasks/acrobot.xml")


def test_riccati_solves_its_equation(random):
    A, B = random.normal(size=(5, 5)), random.normal(size=(5, 2))
    Q, R = np.array([1.0, 2, 3, 4, 5]), np.array([[2, 0.3], [0.3, 1]])
    K, P = carom.riccati(A, B, Q, R)
    expected = np.linalg.solve(R + B.T @ P @ B, B.T @ P @ A)
    assert np.allclose(K, expected, rtol=1e-9, atol=1e-9)
    assert np.allclose(A.T @ P @ A - A.T @ P @ B @ K + np.diag(Q), P, rtol=1e-9, atol=1e-9)
    assert carom.spectral_radius(A - B @ K) == pytest.approx(np.abs(np.linalg.eigvals(A - B @ K)).max(), rel=1e-9)
    with pytest.raises(carom.ArgError, match="nx x nx and nx x nu"):
        carom.riccati(A, B[:3], Q, R)
    with pytest.raises(carom.ArgError, match="R has shape"):
        carom.riccati(A, B, Q, np.ones(3))
    with pytest.raises(carom.SingularError):
        carom.riccati(2 * np.eye(2), np.zeros((2, 1)), 1.0, 1.0)


def test_a_regulator_holds_what_would_fall(acrobot):
    hold = carom.lqr(acrobot)
    assert hold.open > 1 > hold.closed and hold.K.shape == (1, 4)
    data = hold.data.copy()
    data.qpos[:] += [1e-3, -1e-3]
    for _ in range(1000):
        data.ctrl[:] = hold.control(data)
        data.step()
    assert np.abs(hold.deviation(data)).max() < 1e-3
    free = hold.data.copy()
    free.qpos[:] += [1e-3, -1e-3]
    assert np.abs(hold.deviation(free.step(1000))).max() > 0.1, "without it the acrobot falls"


def test_an_equilibrium_of_contacts_and_servos(leg):
    landed = carom.Data(leg, "bent")
    landed.ctrl[:] = 0.2, -0.5
    still = carom.equilibrium(carom.Data(carom.load(SOURCE / "examples/arm.xml")), hold_pose=True)
    assert np.abs(still.forward().qacc).max() < 1e-7 and (still.qvel == 0).all()
    with pytest.raises(carom.DivergedError):
        carom.equilibrium(landed, hold_pose=True, iterations=3)


def test_a_filter_finds_the_state(acrobot, random):
    model = carom.load((SOURCE / "examples/tasks/acrobot.xml").read_text().replace(
        "</mujoco>", '<sensor><jointpos joint="shoulder"/><jointpos joint="elbow"/></sensor></mujoco>'))
    truth = carom.Data(model)
    truth.qpos[:], truth.qvel[:] = [0.4, -0.3], [0.5, 0.2]
    guess = carom.Data(model)
    noise = 1e-3
    kalman = carom.Filter(guess, sensor_noise=noise, start=[0.5, 0.5, 1, 1], force=1e-3)
    first = kalman.covariance.copy()
    assert np.allclose(np.diag(first), [0.25, 0.25, 1, 1])
    surprises = []
    for k in range(400):
        truth.forward()
        measured = truth.sensordata + noise * random.normal(size=2)
        if k % 7 == 3:
            measured[1] = np.nan
        surprise, seen = kalman.correct(measured, truth.ctrl)
        assert seen == (1 if k % 7 == 3 else 2)
        surprises.append(surprise / seen)
        truth.step()
        kalman.predict(truth.ctrl)
    assert np.abs(kalman.data.qpos - truth.qpos).max() < 3e-3 and np.abs(kalman.data.qvel - truth.qvel).max() < 0.03
    assert 0.5 < np.mean(surprises[100:]) < 2, "a filter that fits is as surprised as its noise says"
    deviation = np.sqrt(np.diag(kalman.covariance))
    assert (np.abs(kalman.data.qpos - truth.qpos) < 5 * deviation[:2]).all() and kalman.data.time == pytest.approx(truth.time)
    estimate = kalman.data
    del kalman
    assert np.isfinite(estimate.qpos).all(), "the estimate keeps its filter alive"
    with pytest.raises(carom.ArgError, match="sensor_noise has shape"):
        carom.Filter(guess, sensor_noise=[1, 2, 3])
    with pytest.raises(carom.ArgError):
        carom.Filter(guess, sensor_noise=-1)


def test_sensors_of_a_linear_system(landed):
    """C and D are what differences of sensordata say."""
    jacobian, h = landed.jacobian(), 1e-6
    model = landed.model
    for k in range(model.nu):
        moved = []
        for sign in (1, -1):
            data = landed.copy()
            data.ctrl[k] += sign * h
            moved.append(np.array(data.forward().sensordata))
        assert np.allclose(jacobian.D[:, k], (moved[0] - moved[1]) / (2 * h), atol=1e-6)
    assert jacobian.C.shape == (model.nsensordata, 2 * model.nv + model.na)
