#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A long rollout from Python and its gradient, beside C, MuJoCo XLA and differences of mujoco.rollout; prints Markdown.

    humanoid.py LIBCAROM_SO MODEL [STEPS]        needs the packages mujoco and mujoco-mjx, and carom built against this library

Times are of the processor, one thread, the least of ROUNDS runs in turn: MuJoCo XLA's the median of its own rounds.
"""
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import mujoco
import mujoco.rollout
import numpy as np

import carom
from overhead import STEPS, build, seconds

HERE = Path(__file__).resolve().parent
ROUNDS, SETTLE, LOSS = 5, 100, "sum(qpos) + sum(qvel)"


class Differences:
    """One-sided differences of mujoco.rollout by the tangent of the start, 2 nv numbers."""

    def __init__(self, path, data, steps):
        self.model = mujoco.MjModel.from_xml_path(path)
        self.model.opt.noslip_iterations = 0
        self.qpos, self.qvel, self.steps = np.array(data.qpos), np.array(data.qvel), steps
        self.work = mujoco.MjData(self.model)

    def starts(self, h):
        """Full states: the start, then one for each number of its tangent."""
        nv, states = self.model.nv, []
        for i in range(-1, 2 * nv):
            step = np.zeros(2 * nv)
            step[i] = h if i >= 0 else 0
            self.work.qpos[:] = self.qpos
            mujoco.mj_integratePos(self.model, self.work.qpos, step[:nv], 1)
            self.work.qvel[:] = self.qvel + step[nv:]
            states.append(np.concatenate([[0], self.work.qpos, self.work.qvel, self.work.act]))
        return np.array(states)

    def run(self, states):
        ends, _ = mujoco.rollout.rollout(self.model, [self.work], states, np.zeros((len(states), self.steps, self.model.nu)))
        return ends[:, -1, 1:1 + self.model.nq + self.model.nv].sum(axis=1)

    def gradient(self, h=1e-6):
        losses = self.run(self.starts(h))
        return (losses[1:] - losses[0]) / h


def least(cases):
    """Least processor time of each case, the cases in turn."""
    best = {name: 9e9 for name in cases}
    for _ in range(ROUNDS):
        for name, case in cases.items():
            best[name] = min(best[name], case())
    return best


def mjx(path, steps):
    """Seconds of a rollout and of one with its gradient, and seconds to compile them."""
    said = subprocess.run([sys.executable, str(HERE.parent / "peers/mjx.py"), "--steps", str(steps), path], check=True,
                          capture_output=True, text=True).stdout
    found = json.loads(said.splitlines()[-1])["batches"][0]  # the package may say more before
    return (1e-6 * steps * found["forward_us"], 1e-6 * steps * found["gradient_us"],
            found["compile_forward_s"] + found["compile_gradient_s"])


def main(library, path, steps=STEPS):
    steps = int(steps)
    model = carom.load(path)
    start = carom.Data(model).step(SETTLE)
    given = dict(qpos=np.array(start.qpos), qvel=np.array(start.qvel), ctrl=np.zeros((steps, model.nu)))
    peer = Differences(path, start, steps)
    with tempfile.TemporaryDirectory() as folder:
        program = build(Path(library).resolve(), folder)

        def in_c():
            return float(subprocess.run([str(program), path, "1"], check=True, capture_output=True, text=True).stdout.split()[0])
        best = least({
            "C": in_c,
            "Python": lambda: seconds(lambda: carom.rollout(model, STEPS, loss="sum(qvel^2)", states=False)),
            "rollout": lambda: seconds(lambda: carom.rollout(model, loss=LOSS, states=False, **given)),
            "gradient": lambda: seconds(lambda: carom.grad(model, LOSS, wrt=["qpos", "qvel", "ctrl"], **given)),
            "mj rollout": lambda: seconds(lambda: peer.run(peer.starts(0)[:1])),
            "mj differences": lambda: seconds(peer.gradient)})
    mjx_rollout, mjx_gradient, compiling = mjx(path, steps)
    print(f"`carom.rollout` with a loss in C, {STEPS} steps: {1e3 * best['Python']:.2f} ms, in C {1e3 * best['C']:.2f} ms: "
          f"{best['Python'] / best['C']:.3f} of it.\n")
    print(f"| {Path(path).stem}, {steps} steps | a rollout, ms | with its gradient, ms | by how many numbers | over Carom |\n|---|---|---|---|---|")
    numbers = 2 * model.nv + steps * model.nu
    for name, rollout, gradient, by in (
            ("`carom.rollout`, `carom.grad`", best["rollout"], best["gradient"], numbers),
            (f"MJX, one solver iteration (compiles for {compiling:.0f} s)", mjx_rollout, mjx_gradient, numbers),
            ("`mujoco.rollout`, one-sided differences", best["mj rollout"], best["mj differences"], 2 * model.nv)):
        print(f"| {name} | {1e3 * rollout:.1f} | {1e3 * gradient:.1f} | {by} | {gradient / best['gradient']:.1f} |")


if __name__ == "__main__":
    main(*sys.argv[1:])
