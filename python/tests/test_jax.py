# SPDX-License-Identifier: Apache-2.0
"""JAX: steps and rollouts under jit, vmap, grad and scan."""
import numpy as np
import pytest

import carom

jax = pytest.importorskip("jax")
jax.config.update("jax_enable_x64", True)
import carom.jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
from jax.test_util import check_grads  # noqa: E402


def test_gradients_of_a_step_in_contact(leg, landed):
    qvel, ctrl = jnp.array(landed.qvel), jnp.array(landed.ctrl)

    def step(qpos, qvel, ctrl):
        return carom.jax.step(leg, qpos, qvel, ctrl=ctrl)[:2]
    check_grads(step, (jnp.array(landed.qpos), qvel + 0.01, ctrl), order=1, modes=["rev"], eps=1e-7, atol=1e-3, rtol=1e-3)


def test_gradients_of_muscles_and_tendons(arm):
    def step(qpos, qvel, act, ctrl, stiffness):
        return carom.jax.step(arm, qpos, qvel, act, ctrl, {"tendon_stiffness": stiffness}, n=4)
    inputs = tuple(jnp.array(x) for x in ([0.3, 0.4], [0.1, -0.2], [0.3], [0.6], np.asarray(arm.tendon_stiffness)))
    check_grads(step, inputs, order=1, modes=["rev"], eps=1e-6, atol=1e-5, rtol=1e-5)


def test_jit_grad_is_the_gradient_of_carom(leg, random):
    controls = jnp.array(random.normal(size=(20, 2)) * 0.3)
    start = jnp.array(leg.key_qpos[0])

    @jax.jit
    @jax.grad
    def gradient(controls):
        return jnp.sum(carom.jax.rollout(leg, ctrl=controls, qpos=start)["qvel"][-1] ** 2)
    reference = carom.grad(leg, "sum(qvel^2)", ctrl=np.array(controls), wrt="ctrl", qpos=leg.key_qpos[0])
    np.testing.assert_allclose(gradient(controls), reference["ctrl"], rtol=1e-10, atol=1e-12)

    @jax.jit
    def cost(controls):
        return carom.jax.cost(leg, "sum(qvel^2)", ctrl=controls, qpos=start)
    value, bars = jax.value_and_grad(cost)(controls)
    assert value == reference.loss
    np.testing.assert_allclose(bars, reference["ctrl"], rtol=1e-12)


def test_vmap_is_one_batch(leg, random):
    controls = jnp.array(random.normal(size=(2, 3, 10, 2)) * 0.3)

    def speed(controls):
        return jnp.sum(carom.jax.rollout(leg, ctrl=controls)["qvel"] ** 2)
    many = jax.jit(jax.vmap(jax.vmap(jax.value_and_grad(speed))))(controls)
    for i in range(2):
        for k in range(3):
            one = jax.value_and_grad(speed)(controls[i, k])
            np.testing.assert_allclose(many[0][i, k], one[0], rtol=1e-13)
            np.testing.assert_allclose(many[1][i, k], one[1], rtol=1e-10, atol=1e-13)
    masses = jnp.array(leg.body_mass)
    shared = jax.grad(lambda m: jnp.sum(carom.jax.rollout(leg, ctrl=controls[0], parameters={"body_mass": m})["qvel"]))(masses)
    assert shared.shape == masses.shape and jnp.any(shared != 0)


def test_scan_over_steps(leg):
    start = jnp.array(leg.key_qpos[0]), jnp.zeros(leg.nv)

    @jax.jit
    def end(gain):
        def body(state, _):
            qpos, qvel, _ = carom.jax.step(leg, *state, ctrl=-gain * state[0][7:] - 0.1 * state[1][6:])
            return (qpos, qvel), qpos[7]
        (qpos, _), path = jax.lax.scan(body, start, None, length=15)
        return qpos[8] + path[-1]
    gain, h = 0.7, 1e-5
    difference = (end(gain + h) - end(gain - h)) / (2 * h)
    assert float(jax.grad(end)(gain)) == pytest.approx(float(difference), rel=1e-5)


def test_single_precision(leg):
    qpos, qvel, _ = carom.jax.step(leg, jnp.array(leg.qpos0, jnp.float32), jnp.zeros(leg.nv, jnp.float32))
    assert qpos.dtype == qvel.dtype == jnp.float32


def test_losses_written_in_jax(leg, random):
    @carom.jax.loss
    def speed(run):
        return jnp.sum(run.qvel[-1] ** 2)
    controls = random.normal(size=(2, 10, 2))
    ours = carom.rollout(leg, ctrl=controls, loss=speed, gradient=True, threads=1)
    reference = carom.rollout(leg, ctrl=controls, loss="sum(qvel^2)", gradient=True)
    np.testing.assert_allclose(ours.gradient["ctrl"], reference.gradient["ctrl"], rtol=1e-10, atol=1e-13)
