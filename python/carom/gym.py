# SPDX-License-Identifier: Apache-2.0
"""A vectorised Gymnasium environment over a batch, which also gives the gradient of the reward.

    import carom.gym
    env = carom.gym.VectorEnv(model, 64, reward="qvel[root][0]", observation=["qpos", "qvel"], frame_skip=5, gradient=True)
    observations, info = env.reset(seed=0)
    observations, rewards, terminated, truncated, info = env.step(actions)
    info["gradient"]["ctrl"]          d reward / d action of each environment
"""
import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space

from carom import manifold
from carom._c import ArgError
from carom.data import Data
from carom.derivatives import integrate_pos
from carom.rollouts import Batch

_STATES = ("qpos", "qvel", "act")


class VectorEnv(gymnasium.vector.VectorEnv):
    """num_envs environments of one model. Actions are controls, held for frame_skip steps.

    reward       an expression of the state after a step of the environment, as losses are; or a function of a Trajectory
    observation  fields, one after the other: "qpos", "qvel", "sensordata", "site_xpos" ...
    start        Data that an episode begins with: its state, applied forces, mocap bodies; None: the reference pose
    noise        standard deviation of the start, of every number of the tangent of qpos and of qvel
    terminated   a function of the observations [num_envs, n] that says which episodes end; None: none
    max_steps    steps of the environment until an episode is truncated
    gradient     info["gradient"]: of the reward by "qpos" (nv numbers), "qvel", "act" before the step, and by "ctrl"
    options      threads, cfd, adaptive steps and model options, as carom.rollout
    A step whose simulation fails ends its episode; info["errors"] says why. Episodes that end begin anew in the same step; the
    last observation is in info["final_obs"].
    """

    metadata = {"autoreset_mode": AutoresetMode.SAME_STEP, "render_modes": []}

    def __init__(self, model, num_envs, *, reward, observation=("qpos", "qvel"), frame_skip=1, start=None, noise=0.0,
                 terminated=None, max_steps=1000, gradient=False, **options):
        self.model, self.num_envs = model, int(num_envs)
        self._reward, self._observation, self._frame_skip = reward, list(observation), int(frame_skip)
        self._start, self._noise, self._terminated = start or Data(model), float(noise), terminated
        self._max_steps, self._gradient = int(max_steps), gradient
        self._batch = Batch(model, self._frame_skip, **options)
        self._probe = Data(self._batch.model)
        self._recorded = [name for name in self._observation if name not in _STATES]
        n = len(self._observe_start())
        self.single_observation_space = spaces.Box(-np.inf, np.inf, (n,), np.float64)
        limited = np.asarray(model.actuator_ctrllimited, bool)
        low, high = (np.where(limited, model.actuator_ctrlrange[:, i], side) for i, side in ((0, -np.inf), (1, np.inf)))
        self.single_action_space = spaces.Box(low, high, dtype=np.float64)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self._state = {name: np.tile(getattr(self._start, name), (self.num_envs, 1)) for name in _STATES}
        self._steps = np.zeros(self.num_envs, int)
        self._began = False

    # ---- starts and observations

    def _observe_start(self, state=None):
        """The observation of a state, by a data block."""
        data = self._probe
        data.set_state(self._start.state())
        for name, values in (state or {}).items():
            setattr(data, name, values)
        data.forward()
        return np.concatenate([np.ravel(getattr(data, name)) for name in self._observation])

    def _begin(self, i):
        state = {name: np.array(getattr(self._start, name)) for name in _STATES}
        if self._noise:
            push = self._noise * self.np_random.normal(size=self.model.nv)
            state["qpos"] = manifold.normalised(self.model, integrate_pos(self.model, state["qpos"], push))
            state["qvel"] += self._noise * self.np_random.normal(size=self.model.nv)
        for name, values in state.items():
            self._state[name][i] = values
        self._steps[i] = 0
        return self._observe_start(state)

    def reset(self, *, seed=None, options=None):
        """Begins all episodes."""
        super().reset(seed=seed)
        self._began = True
        return np.stack([self._begin(i) for i in range(self.num_envs)]), {}

    # ---- steps

    def step(self, actions):
        """Takes a step in every environment: (observations, rewards, terminated, truncated, info)."""
        if not self._began:
            raise ArgError("reset() before step()")
        actions = np.asarray(actions, float).reshape(self.num_envs, 1, self.model.nu)
        ctrl = np.repeat(actions, self._frame_skip, axis=1)
        run = self._batch.run(**self._state, ctrl=ctrl, start=self._start, loss=self._reward, record=self._recorded,
                              states=False, gradient=self._gradient, errors="return")
        seen = {**run.final, **{name: getattr(run, name)[:, -1].reshape(self.num_envs, -1) for name in self._recorded}}
        observations = np.concatenate([seen[name] for name in self._observation], axis=1)
        failed = np.array([error is not None for error in run.errors])
        self._state = run.final
        self._steps += 1
        terminated = failed if self._terminated is None else failed | np.asarray(self._terminated(observations), bool)
        truncated = (self._steps >= self._max_steps) & ~terminated
        info = {"gradient": {**run.gradient, "ctrl": run.gradient["ctrl"].sum(axis=1)}} if self._gradient else {}
        if failed.any():
            info["errors"] = run.errors
        return self._end(observations, run.loss, terminated, truncated, info)

    def _end(self, observations, rewards, terminated, truncated, info):
        """Begins the episodes anew that have ended."""
        ended = terminated | truncated
        if ended.any():
            info["final_obs"], info["_final_obs"] = observations.copy(), ended
            for i in np.flatnonzero(ended):
                observations[i] = self._begin(i)
        return observations, rewards, terminated, truncated, info
