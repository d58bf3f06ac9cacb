#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What Python costs beside C, with one libcarom: least processor time of ROUNDS runs each, one after the other.

    overhead.py LIBCAROM_SO MODEL [ROUNDS [ROLLOUTS]]        carom has to be importable, built against this library (build_here.py)
"""
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import carom

HERE = Path(__file__).resolve().parent
STEPS, SHORT = 1000, 100


def build(library, folder):
    """The program in C."""
    program = Path(folder, "rollout")
    subprocess.run(["gcc", "-O2", "-std=c17", "-D_POSIX_C_SOURCE=199309L", f"-I{HERE.parent.parent / 'include'}",
                    str(HERE / "rollout.c"), "-o", str(program), str(library), f"-Wl,-rpath,{library.parent}"], check=True)
    return program


def cases(model, rollouts):
    """Name -> (column of the C program, function)."""
    ctrl = np.zeros((rollouts, SHORT, model.nu))

    def loop():
        data = carom.Data(model)
        for _ in range(STEPS):
            data.step()
    found = {
        "rollout with a loss": (0, lambda: carom.rollout(model, STEPS, loss="sum(qvel^2)", states=False)),
        "the same, states kept": (0, lambda: carom.rollout(model, STEPS, loss="sum(qvel^2)")),
        "a loop of data.step()": (0, loop),
        "batch with gradients": (1, lambda: carom.rollout(model, ctrl=ctrl, loss="sum(qvel^2)", gradient=True, states=False,
                                                          threads=1)),
    }
    return {**found, **torch_cases(model, rollouts), **jax_cases(model, rollouts)}


def torch_cases(model, rollouts):
    try:
        import torch
        import carom.torch
    except ImportError:
        return {}
    leaf = torch.zeros(rollouts, model.nv, dtype=torch.float64, requires_grad=True)

    def cost():
        carom.torch.cost(model, "sum(qvel^2)", SHORT, qvel=leaf, threads=1).sum().backward()

    def rollout():
        carom.torch.rollout(model, SHORT, qvel=leaf, threads=1)["qvel"][:, -1].square().sum().backward()
    return {"carom.torch.cost": (1, cost), "carom.torch.rollout, loss in PyTorch": (1, rollout), "the same, beside two calls": (2, rollout)}


def jax_cases(model, rollouts):
    try:
        import jax
        import carom.jax
    except ImportError:
        return {}
    jax.config.update("jax_enable_x64", True)
    leaf = jax.numpy.zeros((rollouts, model.nv))

    @jax.jit
    @jax.grad
    def cost(qvel):
        return carom.jax.cost(model, "sum(qvel^2)", SHORT, qvel=qvel, threads=1).sum()

    @jax.jit
    @jax.grad
    def rollout(qvel):
        return (carom.jax.rollout(model, SHORT, qvel=qvel, threads=1)["qvel"][:, -1] ** 2).sum()
    return {"carom.jax.cost, under jit": (1, lambda: cost(leaf).block_until_ready()),
            "carom.jax.rollout, loss in JAX, under jit": (1, lambda: rollout(leaf).block_until_ready()),
            "the same in JAX, beside two calls": (2, lambda: rollout(leaf).block_until_ready())}


def seconds(function):
    start = time.process_time()
    function()
    return time.process_time() - start


def main(library, path, rounds=8, rollouts=64):
    rollouts = int(rollouts)
    model = carom.load(path)
    found = cases(model, rollouts)
    with tempfile.TemporaryDirectory() as folder:
        program = build(Path(library).resolve(), folder)
        best = {}
        for _ in range(int(rounds)):
            said = subprocess.run([str(program), path, str(rollouts)], check=True, capture_output=True, text=True).stdout.split()
            best["C"] = [min(pair) for pair in zip(best.get("C", [9e9] * 3), map(float, said))]
            for name, (_, function) in found.items():
                best[name] = min(best.get(name, 9e9), seconds(function))
    print(f"C: {1e3 * best['C'][0]:.2f} ms for {STEPS} steps, {1e3 * best['C'][1]:.1f} ms for {rollouts} gradients over {SHORT} steps, "
          f"{1e3 * best['C'][2]:.1f} ms in two calls")
    for name, (column, _) in found.items():
        print(f"{name:42} {best[name] / best['C'][column]:.3f} of C")


if __name__ == "__main__":
    main(*sys.argv[1:])
