#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""MuJoCo XLA's side: a rollout and its reverse gradient on the CPU, in double, on one core.

Usage: mjx.py [--steps N] MODEL.xml [ENVIRONMENTS ...]; prints JSON, times in microseconds a step and environment.
One solver iteration, since reverse mode does not go through more; Euler; no no-slip.
"""
import argparse
import importlib.metadata
import json
import os
import statistics
import time

os.environ.setdefault("JAX_PLATFORMS", "cpu")
os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1")
if hasattr(os, "sched_setaffinity"):
    os.sched_setaffinity(0, {sorted(os.sched_getaffinity(0))[0]})

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import mujoco  # noqa: E402
from mujoco import mjx  # noqa: E402

ROUNDS = 9
jax.config.update("jax_enable_x64", True)


def timed(function, *arguments):
    """(seconds to compile and run once, median seconds of the processor for a run)"""
    start = time.perf_counter()
    jax.block_until_ready(function(*arguments))
    first = time.perf_counter() - start
    rounds = []
    for _ in range(ROUNDS):
        start = time.process_time()
        jax.block_until_ready(function(*arguments))
        rounds.append(time.process_time() - start)
    return first, statistics.median(rounds)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("model")
    parser.add_argument("environments", type=int, nargs="*", default=[1])
    given = parser.parse_args()
    model = mujoco.MjModel.from_xml_path(given.model)
    model.opt.iterations, model.opt.ls_iterations = 1, 4
    model.opt.solver = mujoco.mjtSolver.mjSOL_NEWTON
    model.opt.integrator = mujoco.mjtIntegrator.mjINT_EULER
    model.opt.noslip_iterations = 0
    data = mujoco.MjData(model)
    if model.nkey > 0:
        mujoco.mj_resetDataKeyframe(model, data, 0)
    for _ in range(100):
        mujoco.mj_step(model, data)
    mx, dx = mjx.put_model(model), mjx.put_data(model, data)

    def loss(qpos, qvel, ctrl):
        def step(state, u):
            after = mjx.step(mx, state.replace(ctrl=u))
            # in double some of its indices come back wider than they were
            return jax.tree.map(lambda new, old: new.astype(old.dtype), after, state), None
        end, _ = jax.lax.scan(step, dx.replace(qpos=qpos, qvel=qvel), ctrl)
        return jnp.sum(end.qpos) + jnp.sum(end.qvel)

    result = {"model": given.model, "mjx": importlib.metadata.version("mujoco-mjx"),
              "jax": jax.__version__, "steps": given.steps, "batches": []}
    for n in given.environments:
        qpos, qvel, ctrl = dx.qpos, dx.qvel, jnp.zeros((given.steps, model.nu))
        forward, reverse = loss, jax.value_and_grad(loss, argnums=(0, 1, 2))
        if n > 1:
            qpos, qvel = jnp.tile(qpos, (n, 1)), jnp.tile(qvel, (n, 1))
            ctrl = jnp.tile(ctrl, (n, 1, 1))
            forward, reverse = jax.vmap(forward), jax.vmap(reverse)
        compile_forward, run_forward = timed(jax.jit(forward), qpos, qvel, ctrl)
        compile_reverse, run_reverse = timed(jax.jit(reverse), qpos, qvel, ctrl)
        scale = 1e6 / (given.steps * n)
        result["batches"].append({
            "environments": n, "forward_us": run_forward * scale, "gradient_us": run_reverse * scale,
            "compile_forward_s": compile_forward, "compile_gradient_s": compile_reverse})
    print(json.dumps(result))


if __name__ == "__main__":
    main()
