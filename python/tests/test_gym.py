# SPDX-License-Identifier: Apache-2.0
"""The vectorised environment."""
import numpy as np
import pytest

import carom

pytest.importorskip("gymnasium")
import carom.gym  # noqa: E402


@pytest.fixture
def env(leg):
    return carom.gym.VectorEnv(leg, 5, reward="qvel[root][0] - 0.1*sum(ctrl^2)", observation=["qpos", "qvel", "sensordata"],
                               frame_skip=4, start=carom.Data(leg, "bent"), noise=0.01, max_steps=10, gradient=True)


def test_spaces_and_steps(env, leg):
    observations, _ = env.reset(seed=1)
    assert observations.shape == (5, leg.nq + leg.nv + leg.nsensordata) and env.observation_space.contains(observations)
    again, _ = env.reset(seed=1)
    np.testing.assert_array_equal(observations, again)
    assert len(np.unique(observations[:, 0])) == 5
    actions = np.full((5, 2), 0.1)
    data = carom.Data(leg, "bent")
    data.qpos, data.qvel, data.ctrl = observations[2, :leg.nq], observations[2, leg.nq:leg.nq + leg.nv], actions[2]
    observations, rewards, terminated, truncated, info = env.step(actions)
    data.step(4)
    np.testing.assert_array_equal(observations[2, :leg.nq], data.qpos)
    assert rewards[2] == pytest.approx(data.qvel[0] - 0.1 * 0.02)
    np.testing.assert_allclose(observations[2, leg.nq + leg.nv:], data.forward().sensordata, atol=1e-12)
    assert not terminated.any() and not truncated.any()


def test_gradients_of_rewards(env):
    h, ctrl = 1e-6, np.array([0.2, -0.3])
    rewards = []
    for step in (0, -h, h):
        env.reset(seed=3)
        _, reward, _, _, info = env.step(np.tile(ctrl + [step, 0], (5, 1)))
        rewards.append((reward, info["gradient"]["ctrl"][:, 0]))
    np.testing.assert_allclose(rewards[0][1], (rewards[2][0] - rewards[1][0]) / (2 * h), rtol=1e-4, atol=1e-6)


def test_episodes_end_and_begin_anew(env, leg):
    env.reset(seed=0)
    for i in range(10):
        observations, _, terminated, truncated, info = env.step(np.zeros((5, 2)))
        assert truncated.all() == (i == 9) and not terminated.any()
    assert info["_final_obs"].all()
    assert abs(observations[:, 2] - 0.5).max() < 0.1 and not np.array_equal(info["final_obs"], observations)


def test_a_simulation_that_fails_ends_its_episode(leg):
    env = carom.gym.VectorEnv(leg, 3, reward="qpos[2]", terminated=lambda observations: observations[:, 2] < -1)
    env.reset(seed=0)
    env._state["qvel"][1] = 1e30
    _, _, terminated, _, info = env.step(np.zeros((3, 2)))
    assert list(terminated) == [False, True, False] and "qvel" in info["errors"][1]
    _, _, terminated, _, _ = env.step(np.zeros((3, 2)))
    assert not terminated.any()
