# SPDX-License-Identifier: Apache-2.0
"""Quasi-dynamic steps, trees and smoothed predictive control: derivatives against differences, plans against the steps they are
made of, functions in Python as systems."""
import gc

import numpy as np
import pytest

import carom
from conftest import SOURCE

GRASP = np.array([-0.8757, -0.613, 0.8757, 0.613, 0, 0.35, 0])
CLOSED = np.array([-1.1, -0.613, 0.8757, 0.613])


@pytest.fixture(scope="module")
def model():
    return carom.load(SOURCE / "examples/tasks/planar_hand.xml")


@pytest.mark.parametrize("friction", ["pyramid", "cone"])
@pytest.mark.parametrize("weight", [0, 100])
def test_derivatives_are_those_of_differences(model, friction, weight):
    hand = carom.QuasiDynamic(model, friction=friction, weight=weight)
    following = hand.step(GRASP, CLOSED)
    A, B = hand.jacobian()
    mass = hand.parameter_jacobian(["body_mass[ball]", "geom_friction[ball][0]"])
    assert following.shape == (7,) and A.shape == (7, 7) and B.shape == (7, 4) and mass.shape == (7, 2)
    assert hand.residual < 1e-9
    assert np.abs(mass).max() > 0
    for J, at in ((A, 0), (B, 7)):
        for k in range(J.shape[1]):
            ends = []
            for h in (-1e-6, 1e-6):
                z = np.r_[GRASP, CLOSED]
                z[at + k] += h
                ends.append(hand.step(z[:7], z[7:]))
            assert np.allclose(J[:, k], (ends[1] - ends[0]) / 2e-6, atol=2e-5)


def test_contacts_have_names_and_forces(model):
    hand = carom.QuasiDynamic(model)
    hand.step(GRASP, CLOSED)
    pressed = [c for c in hand.contacts if c.force[0] > 0.1]
    assert len(pressed) >= 2 and all("ball" in c.geoms for c in pressed)
    assert all(np.allclose(c.frame @ c.frame.T, np.eye(3)) for c in pressed)


def test_batches_have_the_same_bits(model):
    hand = carom.QuasiDynamic(model, weight=100)
    u = CLOSED + 0.01 * np.random.default_rng(1).standard_normal((9, 4))
    qpos = np.tile(GRASP, (9, 1))
    one, A, B = hand.batch(qpos, u, jacobian=True, threads=1)
    assert np.array_equal(hand.batch(qpos, u, threads=3), one)
    assert np.array_equal(one[4], hand.step(qpos[4], u[4]))
    assert all(map(np.array_equal, (A[4], B[4]), hand.jacobian()))


def test_a_tree_turns_the_ball(model):
    goal = GRASP.copy()
    goal[6] = np.pi
    plan = carom.contact_tree(model, GRASP, goal)
    steps = carom.QuasiDynamic(model)
    assert plan.distance < 0.01 and plan.nodes < 1000 and not plan.grasp[0]
    assert np.linalg.norm(plan.qpos[-1, 4:] - goal[4:]) == pytest.approx(plan.distance)
    for i in range(1, len(plan.qpos)):
        if not plan.grasp[i]:
            assert np.array_equal(steps.step(plan.qpos[i - 1], plan.u[i]), plan.qpos[i])


def test_new_grasps_have_free_ways(model):
    goal = GRASP.copy()
    goal[6] = np.pi / 2
    plain = carom.contact_tree(model, GRASP, goal, nodes=200)
    ways = carom.contact_tree(model, GRASP, goal, nodes=200, ways=True, keep_share=0.5)
    lengths = carom.contact_tree(model, GRASP, goal, nodes=200, length=2)
    assert max(plan.distance for plan in (plain, ways, lengths)) < 0.05
    assert len(ways.qpos) != len(plain.qpos) or not np.array_equal(ways.qpos, plain.qpos)
    assert len(lengths.qpos) != len(plain.qpos) or not np.array_equal(lengths.qpos, plain.qpos)


@pytest.mark.parametrize("more", [{"weight": 100}, {"estimator": "first", "samples": 20}, {"estimator": "zeroth", "samples": 40}])
def test_predictive_control_moves_the_ball(model, more):
    goal = GRASP.copy()
    goal[4:6] = 0.1, 0.35
    mpc = carom.SmoothedMPC(model, GRASP, goal, nstep=20, Q=[0, 0, 0, 0, 10, 10, 0], R=1, change=0.1, seed=1, **more)
    assert np.isnan(mpc.cost)
    costs = mpc.improve(6)
    assert mpc.cost <= min(costs) + 1e-12 and mpc.cost < 0.3 * 10 * 0.01 * 21
    assert np.abs(np.diff(mpc.u, axis=0)).max() < 0.1001
    steps = carom.QuasiDynamic(model)
    assert np.array_equal(steps.step(mpc.qpos[3], mpc.u[3]), mpc.qpos[4])


def slide(x, u, derivative):
    """A mass on rails, steps of 0.1 s."""
    A, B = np.array([[1, 0.1], [0, 1]]), np.array([[0.0], [0.1]])
    following = A @ x + B @ u
    return (following, A, B) if derivative else following


def test_functions_in_python_are_systems():
    mpc = carom.SmoothedMPC(slide, [1, 0], [0, 0], nstep=30, Q=[1, 0.1], R=0.1, nu=1, u_lower=-2, u_upper=2)
    gc.collect()
    costs = mpc.improve(3)
    assert costs[1] == pytest.approx(costs[2], rel=1e-6)  # linear: one iteration is enough
    assert abs(mpc.qpos[-1, 0]) < 0.1 and np.abs(mpc.u).max() <= 2 and np.abs(mpc.u).max() > 1.99
    for k in range(30):
        assert np.allclose(slide(mpc.qpos[k], mpc.u[k], False), mpc.qpos[k + 1], atol=1e-12)


def test_mistakes_are_exceptions(model):
    with pytest.raises(carom.ArgError, match="outside its ctrlrange"):
        carom.QuasiDynamic(model).step(GRASP, [0, 1, 0, 0])
    with pytest.raises(carom.ArgError, match="round"):
        carom.QuasiDynamic(model, friction="round")
    with pytest.raises(carom.ArgError, match="comes first"):
        carom.QuasiDynamic(model).jacobian()
    with pytest.raises(carom.UnsupportedError, match="position servo"):
        carom.QuasiDynamic(carom.load(SOURCE / "examples/tasks/acrobot.xml"))
    with pytest.raises(TypeError, match="weigh"):
        carom.SmoothedMPC(model, GRASP, GRASP, nstep=3, Q=1, weigh=100)
    with pytest.raises(carom.ArgError, match="nu"):
        carom.SmoothedMPC(slide, [1, 0], [0, 0], nstep=3, Q=1)

    def broken(x, u, derivative):
        raise KeyError("broken")
    with pytest.raises(KeyError, match="broken"):
        carom.SmoothedMPC(broken, [1, 0], [0, 0], nstep=3, Q=1, nu=1).improve()

    def short(x, u, derivative):
        return [1.0]
    with pytest.raises(ValueError, match="next state"):
        carom.SmoothedMPC(short, [1, 0], [0, 0], nstep=3, Q=1, nu=1).improve()
