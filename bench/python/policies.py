#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A policy for dm_control's cheetah by first-order gradients through Carom, and the same policy by PPO, at equal time.

    policies.py CHEETAH_XML OUT [--minutes 30] [--seeds 5] [--methods gradient ppo]

Needs carom, torch, gymnasium, stable-baselines3, matplotlib. Both methods simulate with Carom on one thread, have the same policy
(two layers of 64), starts, episodes and reward, min(max(speed / 10, 0), 1) a step. Where the reward has no slope, below speed
zero, the gradient is that of speed / 10. Time is processor time of the training alone.
OUT gets curve.csv (a row an evaluation), curve.png and the state of each training: the same command goes on from there.
"""
import argparse
import csv
import time
from collections import defaultdict
from pathlib import Path

import numpy as np
import torch
from torch import nn

import carom
import carom.gym
import carom.torch

EPISODE, NOISE, FULL_SPEED = 1000, 0.1, 10.0
EVERY = 30.0  # seconds of training between evaluations
COLUMNS = ("method", "seed", "seconds", "steps", "return")


def reward_of(speed):
    """What a step gives: dm_control's reward of the task run. Works for arrays and tensors."""
    return (speed / FULL_SPEED).clip(0, 1)


def layers(n_in, n_out):
    return nn.Sequential(nn.Linear(n_in, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, n_out))


def environments(model, n):
    return carom.gym.VectorEnv(model, n, reward="qvel[rootx]", noise=NOISE, max_steps=EPISODE, threads=1)


def evaluate(model, act, episodes=8):
    """Mean return of an episode, where act(observations without the place along the track) gives the controls."""
    env = environments(model, episodes)
    seen, _ = env.reset(seed=1234)
    total = np.zeros(episodes)
    for _ in range(EPISODE - 1):  # the last step would begin anew
        seen, speed, *_ = env.step(act(seen[:, 1:]))
        total += reward_of(speed)
    return float(total.mean())


# ---- first-order gradients: short stretches of the motion, a value function behind them [SHAC, Xu et al., 2022]

class Gradient:
    ENVS, STRETCH, GAMMA, LAMBDA = 64, 32, 0.99, 0.95

    def __init__(self, model, seed):
        torch.manual_seed(seed)
        self.model, self.env = model, environments(model, self.ENVS)
        n = model.nq - 1 + model.nv
        self.policy, self.value, self.target = layers(n, model.nu), layers(n, 1), layers(n, 1)
        self.log_std = nn.Parameter(torch.full((model.nu,), -1.0))
        self.target.load_state_dict(self.value.state_dict())
        self.by_policy = torch.optim.Adam([*self.policy.parameters(), self.log_std], lr=2e-3, betas=(0.7, 0.95))
        self.by_value = torch.optim.Adam(self.value.parameters(), lr=1e-3, betas=(0.7, 0.95))
        self.mean, self.square, self.count = torch.zeros(n), torch.ones(n), 1.0
        self.steps = 0
        # episodes end at different times
        self.state, self.age = self.start(self.ENVS, seed), torch.randint(EPISODE, (self.ENVS,))

    def start(self, n, seed=None):
        env = environments(self.model, n)
        seen, _ = env.reset(seed=int(torch.randint(2**31, ())) if seed is None else seed)
        seen = torch.from_numpy(seen)
        return [seen[:, :self.model.nq], seen[:, self.model.nq:]]

    def seen(self, state):
        """What the policy reads: scaled by the states so far."""
        x = torch.cat([state[0][:, 1:], state[1]], 1).float()
        return ((x - self.mean) / (self.square - self.mean ** 2).clamp(min=1e-4).sqrt()).clamp(-10, 10)

    def learn_scale(self, state):
        x = torch.cat([state[0][:, 1:], state[1]], 1).float()
        self.count += 1
        self.mean += (x.mean(0) - self.mean) / self.count
        self.square += ((x ** 2).mean(0) - self.square) / self.count

    def act(self, seen):
        x = torch.from_numpy(np.concatenate([np.zeros((len(seen), 1)), seen], 1))
        with torch.no_grad():
            return torch.tanh(self.policy(self.seen([x[:, :self.model.nq], x[:, self.model.nq:]]))).double().numpy()

    def stretch(self):
        """STRETCH steps of all environments: what the policy gains, and observations, rewards and values on the way."""
        state, way, gain, discount = self.state, [], 0.0, torch.ones(self.ENVS)
        for k in range(self.STRETCH):
            seen = self.seen(state)
            noise = torch.randn(self.ENVS, self.model.nu)
            ctrl = torch.tanh(self.policy(seen) + self.log_std.exp() * noise).double()
            *state, _ = carom.torch.step(self.model, *state, ctrl=ctrl, threads=1)
            reward = reward_of(state[1][:, 0]).float()
            # below speed zero the reward is flat: its gradient would not say where forward is
            gain = gain + discount * (reward + (state[1][:, 0] / FULL_SPEED).clip(max=0).float())
            self.age += 1
            ended = self.age >= EPISODE
            after = self.target(self.seen(state))[:, 0]
            cut = ended | (k == self.STRETCH - 1)
            gain = gain + self.GAMMA * discount * after * cut
            discount = torch.where(ended, torch.ones(()), discount * self.GAMMA)
            way.append((seen.detach(), reward.detach(), after.detach(), cut))
            if ended.any():
                fresh = self.start(int(ended.sum()))
                state = [x.clone() for x in state]
                for x, new in zip(state, fresh):
                    x[ended] = new
                self.age[ended] = 0
        self.state = [x.detach() for x in state]
        return gain.mean() / self.STRETCH, way

    def fit_value(self, way):
        """TD(lambda): what the states of the way were worth."""
        worth, wanted = None, []
        for _, reward, after, cut in reversed(way):
            later = after if worth is None else torch.where(cut, after, (1 - self.LAMBDA) * after + self.LAMBDA * worth)
            worth = reward + self.GAMMA * later
            wanted.append(worth)
        seen, wanted = torch.cat([w[0] for w in way]), torch.cat(wanted[::-1])
        for _ in range(4):
            for part in torch.randperm(len(seen)).split(512):
                self.by_value.zero_grad()
                (self.value(seen[part])[:, 0] - wanted[part]).square().mean().backward()
                nn.utils.clip_grad_norm_(self.value.parameters(), 1.0)
                self.by_value.step()
        with torch.no_grad():
            for old, new in zip(self.target.parameters(), self.value.parameters()):
                old.lerp_(new, 0.8)

    def train(self):
        gain, way = self.stretch()
        self.by_policy.zero_grad()
        (-gain).backward()
        nn.utils.clip_grad_norm_([*self.policy.parameters(), self.log_std], 1.0)
        self.by_policy.step()
        self.fit_value(way)
        self.learn_scale(self.state)
        self.steps += self.ENVS * self.STRETCH

    def save(self, file):
        learned = ("policy", "value", "target", "by_policy", "by_value")
        others = ("log_std", "mean", "square", "count", "steps", "state", "age")
        torch.save({name: getattr(self, name).state_dict() for name in learned}
                   | {name: getattr(self, name) for name in others}, file)

    def load(self, file):
        for name, kept in torch.load(file, weights_only=False).items():
            mine = getattr(self, name)
            if name == "log_std":
                mine.data.copy_(kept)
            elif hasattr(mine, "load_state_dict"):
                mine.load_state_dict(kept)
            else:
                setattr(self, name, kept)


# ---- PPO of stable-baselines3, its defaults, observations and rewards scaled as its authors advise

class Ppo:
    ENVS, STRETCH = 16, 128

    def __init__(self, model, seed):
        from stable_baselines3 import PPO
        from stable_baselines3.common.vec_env import VecNormalize
        self.env = VecNormalize(_vec_env(model, self.ENVS, seed), gamma=0.99)
        self.learner = PPO("MlpPolicy", self.env, n_steps=self.STRETCH, seed=seed, device="cpu",
                           policy_kwargs={"net_arch": [64, 64]})

    @property
    def steps(self):
        return self.learner.num_timesteps

    def train(self):
        self.learner.learn(self.ENVS * self.STRETCH, reset_num_timesteps=False)

    def act(self, seen):
        return self.learner.predict(self.env.normalize_obs(seen), deterministic=True)[0].astype(float)

    def save(self, file):
        self.learner.save(file)
        self.env.save(f"{file}.scale")

    def load(self, file):
        from stable_baselines3.common.vec_env import VecNormalize
        self.env = VecNormalize.load(f"{file}.scale", self.env.venv)
        self.learner = type(self.learner).load(file, env=self.env, device="cpu")


def _vec_env(model, n, seed):
    """The environments as stable-baselines3 wants them."""
    from gymnasium import spaces
    from stable_baselines3.common.vec_env import VecEnv

    class Envs(VecEnv):
        def __init__(self):
            self.inner = environments(model, n)
            whole = self.inner.single_observation_space
            seen = spaces.Box(-np.inf, np.inf, (whole.shape[0] - 1,), np.float64)
            super().__init__(n, seen, spaces.Box(-1, 1, (model.nu,), np.float32))

        def reset(self):
            return self.inner.reset(seed=seed)[0][:, 1:]

        def step_async(self, actions):
            self.actions = actions

        def step_wait(self):
            seen, speed, ended, cut, info = self.inner.step(self.actions)
            done = ended | cut
            infos = [{"terminal_observation": info["final_obs"][i, 1:], "TimeLimit.truncated": bool(cut[i])} if done[i] else {}
                     for i in range(n)]
            return seen[:, 1:], reward_of(speed), done, infos

        def close(self):
            pass

        def get_attr(self, name, indices=None):
            return [None] * n

        def set_attr(self, name, value, indices=None):
            raise NotImplementedError("environments of a batch have no attributes of their own")

        def env_method(self, name, *arguments, indices=None, **options):
            raise NotImplementedError("environments of a batch have no methods of their own")

        def env_is_wrapped(self, wrapper, indices=None):
            return [False] * n
    return Envs()


# ---- learning curves

METHODS = {"gradient": Gradient, "ppo": Ppo}


def read(out):
    file = out / "curve.csv"
    if not file.exists():
        return []
    with open(file, newline="") as rows:
        return [{**row, "seed": int(row["seed"]), **{name: float(row[name]) for name in COLUMNS[2:]}}
                for row in csv.DictReader(rows)]


def note(out, row):
    file = out / "curve.csv"
    new = not file.exists()
    with open(file, "a", newline="") as rows:
        writer = csv.writer(rows)
        if new:
            writer.writerow(COLUMNS)
        writer.writerow(row)


def train(model, out, method, seed, limit):
    """Trains until `limit` seconds of processor time, from where an earlier call ended."""
    mine = [row for row in read(out) if row["method"] == method and row["seed"] == seed]
    spent = max((row["seconds"] for row in mine), default=0.0)
    learner, kept = METHODS[method](model, seed), out / f"{method}_{seed}.zip"
    if mine:
        learner.load(kept)
    while spent < limit:
        start, until = time.process_time(), min(limit, spent + EVERY)
        while spent + time.process_time() - start < until:
            learner.train()
        spent += time.process_time() - start
        learner.save(kept)
        value = evaluate(model, learner.act)
        note(out, (method, seed, f"{spent:.1f}", learner.steps, f"{value:.1f}"))
        print(f"{method:8} seed {seed}  {spent / 60:6.1f} min  {learner.steps:9d} steps  return {value:6.1f}", flush=True)


def report(out):
    """The table of the last returns, and the curves."""
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    curves = defaultdict(list)
    for row in read(out):
        curves[row["method"], row["seed"]].append((row["seconds"] / 60, row["return"]))
    figure, axes = plt.subplots(figsize=(6, 3.5))
    for method, colour in zip(METHODS, ("#0072b2", "#d55e00")):
        found = {seed: curve for (name, seed), curve in sorted(curves.items()) if name == method}
        for seed, curve in found.items():
            axes.plot(*zip(*curve), color=colour, alpha=0.7, label=method if seed == min(found) else None)
        if found:
            last = [curve[-1][1] for curve in found.values()]
            print(f"{method:8} returns {', '.join(f'{x:.0f}' for x in last)}; mean {np.mean(last):.0f}")
    axes.set(xlabel="processor time of training, min", ylabel="return of an episode", title="cheetah, a line each seed")
    axes.legend()
    figure.tight_layout()
    figure.savefig(out / "curve.png", dpi=150)
    print(f"results in {out}: curve.csv, curve.png")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("out", type=Path)
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--methods", nargs="+", choices=METHODS, default=list(METHODS))
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    torch.set_num_threads(1)
    model = carom.load(given.model)
    for seed in range(1, given.seeds + 1):
        for method in given.methods:
            train(model, given.out, method, seed, 60 * given.minutes)
    report(given.out)


if __name__ == "__main__":
    main()
