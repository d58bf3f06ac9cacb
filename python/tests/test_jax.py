# SPDX-License-Identifier: Apache-2.0
"""JAX: steps and rollouts under jit, vmap, grad and scan."""
import gc
import threading

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


def test_gradients_of_a_correction(oiled):
    def run(qpos, qvel, weights):
        out = carom.jax.rollout(oiled, 5, qpos=qpos, qvel=qvel, parameters={"plugin_param": weights})
        return out["qpos"], out["qvel"]
    inputs = tuple(jnp.array(x) for x in ([0.3], [2.0], np.asarray(oiled.plugin_param)))
    check_grads(run, inputs, order=1, modes=["rev"], eps=1e-6, atol=1e-5, rtol=1e-5)
    assert jnp.abs(jax.grad(lambda w: run(*inputs[:2], w)[1].sum())(inputs[2])).max() > 1e-4


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


# ---- through XLA's foreign function interface, without Python


def speeds(model, qvel, **options):
    return jnp.sum(carom.jax.rollout(model, 10, qvel=qvel, **options)["qvel"] ** 2)


def test_xla_calls_c(leg):
    for function in (lambda v: speeds(leg, v), jax.grad(lambda v: speeds(leg, v)),
                     jax.vmap(jax.grad(lambda v: carom.jax.cost(leg, "sum(qvel^2)", 5, qvel=v)))):
        text = str(jax.make_jaxpr(function)(jnp.zeros((3, leg.nv))))
        assert "carom_" in text and "pure_callback" not in text


@pytest.mark.parametrize("kind", [jnp.float64, jnp.float32])
def test_it_is_the_call_through_python(leg, random, monkeypatch, kind):
    start = jnp.array(leg.key_qpos[0]) + 0.1 * random.normal(size=(2, leg.nq))
    inputs = [jnp.array(x, kind) for x in (start, random.normal(size=(2, leg.nv)), random.normal(size=(2, 6, leg.nu)),
                                           leg.body_quat + 0.05, leg.body_mass)]

    def loss(qpos, qvel, ctrl, quaternion, mass):
        run = carom.jax.rollout(leg, qpos=qpos, qvel=qvel, ctrl=ctrl, record=["site_xpos", "xquat"],
                                parameters={"body_quat": quaternion, "body_mass": mass})
        costs = carom.jax.cost(leg, "sum(qvel^2)", qpos=qpos, qvel=qvel, ctrl=ctrl)
        return sum(jnp.sum(jnp.sin(x)) for x in run.values()) + costs.sum()
    both = []
    for ready in (True, False):
        monkeypatch.setattr(carom.xla, "ready", lambda jax: ready)
        leg.__dict__.pop("_maps", None)
        both.append(jax.jit(jax.value_and_grad(loss, argnums=range(5)))(*inputs))
        assert [x.dtype for x in both[-1][1]] == [kind] * 5
    for ours, theirs in zip(jax.tree.leaves(both[0]), jax.tree.leaves(both[1])):
        np.testing.assert_allclose(ours, theirs, rtol=1e-13 if kind == jnp.float64 else 1e-6)
        assert np.any(ours != 0)


def test_errors_are_sentences(leg):
    qvel = np.zeros((3, leg.nv))
    qvel[1, 0] = 1e30
    with pytest.raises(Exception, match="rollout 1: .*qvel"):
        jax.jit(lambda v: carom.jax.rollout(leg, 5, qvel=v))(qvel)["qvel"].block_until_ready()
    qpos = np.zeros((2, leg.nq))
    with pytest.raises(Exception, match="quaternion has length 0"):
        carom.jax.rollout(leg, 5, qpos=jnp.array(qpos))["qvel"].block_until_ready()


def test_a_map_lives_as_long_as_what_jax_has_traced(leg):
    @jax.jit
    @jax.grad
    def gradient(qvel):
        return speeds(leg.copy(timestep=0.001), qvel)
    qvel = jnp.ones(leg.nv)
    first = gradient(qvel)
    for _ in range(3):
        gc.collect()
    np.testing.assert_array_equal(gradient(qvel), first)


def test_a_map_that_is_gone_is_an_error(leg):
    steps = carom.autodiff.Map(leg, 5, ("qvel",))
    number = np.int64(carom.xla.number(steps))
    call = jax.ffi.ffi_call("carom_forward", [jax.ShapeDtypeStruct(steps.output_shapes[name], jnp.float64) for name in steps.outputs])
    assert call(jnp.zeros(leg.nv), map=number)[0].shape == (5, leg.nq)
    with pytest.raises(Exception, match="qvel has 7 numbers; 8 expected|no array of rollouts"):
        call(jnp.zeros(7), map=number)[0].block_until_ready()
    del steps
    gc.collect()
    with pytest.raises(Exception, match="is gone"):
        call(jnp.zeros(leg.nv), map=number)[0].block_until_ready()


def test_another_interface_is_refused_and_calls_go_through_python(leg, monkeypatch):
    expected = speeds(leg, jnp.ones(leg.nv))
    monkeypatch.setattr(carom.xla, "_ready", [])
    monkeypatch.setattr(carom.xla, "_version", lambda jax: (1, 0))
    leg.__dict__.pop("_maps", None)
    with pytest.warns(UserWarning, match=r"through Python.*version 1\.0"):
        assert "pure_callback" in str(jax.make_jaxpr(lambda v: speeds(leg, v))(jnp.ones(leg.nv)))
    assert speeds(leg, jnp.ones(leg.nv)) == expected
    leg.__dict__.pop("_maps", None)


def test_threads(leg, random):
    qvel = jnp.array(random.normal(size=(4, leg.nv)))
    gradient = jax.jit(jax.grad(lambda v: speeds(leg, v, threads=2)))
    expected, found = gradient(qvel), []
    threads = [threading.Thread(target=lambda: found.extend(np.array(gradient(qvel)) for _ in range(5))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 20
    for one in found:
        np.testing.assert_array_equal(one, expected)
