# SPDX-License-Identifier: Apache-2.0
"""Steps and rollouts as JAX functions, with gradients: under jit, vmap, grad and lax.scan, on the CPU.

    import carom.jax
    qpos, qvel, act = carom.jax.step(model, qpos, qvel, ctrl=ctrl)
    run = carom.jax.rollout(model, 100, qpos=qpos, qvel=qvel, parameters={"body_mass": masses})

Carom computes in double precision; results have the type of the inputs (jax.config.update("jax_enable_x64", True) for
doubles). Axes that vmap adds become the batch of one call.
"""
import jax
import jax.numpy as jnp
import numpy as np

from carom import autodiff
from carom._c import ArgError

__all__ = ["cost", "loss", "rollout", "step"]


def _rows(steps, named):
    """Callback arguments with one axis of rollouts in place of all that vmap added, and these axes. JAX sorts names."""
    first = steps.inputs[0]
    axes = np.shape(named[first])[:np.ndim(named[first]) - len(steps.shape(first))]
    n = int(np.prod(axes))
    return [np.asarray(named[name]).reshape(n, *steps.shape(name)) for name in steps.inputs], axes


def _shapes(steps, kind):
    return [jax.ShapeDtypeStruct(steps.output_shapes[name], kind) for name in steps.outputs]


def _forward(steps, named, kind, keep=False):
    """The outputs, and with keep=True what the backward pass goes on from, as bytes: JAX may have no doubles."""
    def run(named):
        rows, axes = _rows(steps, named)
        outputs, kept = steps.forward(rows, keep=True) if keep else (steps.forward(rows), None)
        found = [np.asarray(out, kind).reshape(*axes, *out.shape[1:]) for out in outputs]
        size = 8 * steps.batch.kept_size
        kept = np.empty((len(rows[0]), 0), np.uint8) if kept is None else kept.view(np.uint8)
        return [*found, kept.reshape(*axes, size)] if keep else found
    shapes = _shapes(steps, kind) + ([jax.ShapeDtypeStruct((8 * steps.batch.kept_size,), np.uint8)] if keep else [])
    return jax.pure_callback(run, shapes, named, vmap_method="broadcast_all")


def _backward(steps, named, qpos, kept, bars, kind):
    def run(named, qpos, kept, bars):
        rows, axes = _rows(steps, named)
        n = len(rows[0])
        states = np.asarray(qpos).reshape(n, *steps.output_shapes["qpos"])
        flat = [np.asarray(bar).reshape(n, *steps.output_shapes[name]) for name, bar in zip(steps.outputs, bars)]
        kept = np.ascontiguousarray(kept).reshape(n, -1)
        kept = np.require(kept.view(np.float64), requirements="A") if kept.size else None
        return {name: np.asarray(g, kind).reshape(*axes, *steps.shape(name))
                for name, g in zip(steps.inputs, steps.backward(rows, states, flat, kept))}
    shapes = {name: jax.ShapeDtypeStruct(steps.shape(name), kind) for name in steps.inputs}
    return jax.pure_callback(run, shapes, named, qpos, kept, bars, vmap_method="broadcast_all")


def _differentiable(steps, kind):
    """The map as a function of a dict of arrays without batch axes; vmap adds them."""
    @jax.custom_vjp
    def run(named):
        return _forward(steps, named, kind)

    def forward(named):
        *outputs, kept = _forward(steps, named, kind, keep=True)
        return outputs, (named, outputs[0], kept)

    def backward(saved, bars):
        return (_backward(steps, *saved, bars, kind),)

    run.defvjp(forward, backward)
    return run


def _cost(steps, kind):
    shapes = {name: jax.ShapeDtypeStruct(steps.shape(name), kind) for name in steps.inputs}

    def values(named):
        rows, axes = _rows(steps, named)
        return np.asarray(steps.value(rows), kind).reshape(axes)

    def both(named):
        rows, axes = _rows(steps, named)
        value, gradients = steps.value_and_gradients(rows)
        return np.asarray(value, kind).reshape(axes), {name: np.asarray(g, kind).reshape(*axes, *steps.shape(name))
                                                       for name, g in zip(steps.inputs, gradients)}

    @jax.custom_vjp
    def run(named):
        return jax.pure_callback(values, jax.ShapeDtypeStruct((), kind), named, vmap_method="broadcast_all")

    def forward(named):
        return jax.pure_callback(both, (jax.ShapeDtypeStruct((), kind), shapes), named, vmap_method="broadcast_all")

    def backward(gradients, bar):
        return ({name: bar * g for name, g in gradients.items()},)

    run.defvjp(forward, backward)
    return run


def _call(make, steps, named):
    arrays = {name: jnp.asarray(value) for name, value in named.items()}
    kind = jnp.result_type(*arrays.values())
    if not jnp.issubdtype(kind, jnp.floating):
        raise ArgError("arrays of a floating type expected")
    batched = {}
    for name, array in arrays.items():
        shape = steps.shape(name)
        extra = array.ndim - len(shape)
        if extra not in (0, 1) or array.shape[extra:] != shape:
            raise ArgError(f"{name} has shape {array.shape}; {shape} expected, or one more axis in front")
        batched[name] = 0 if extra else None
    function = make(steps, kind)
    named = {name: array.astype(kind) for name, array in arrays.items()}
    return jax.vmap(function, in_axes=(batched,))(named) if 0 in batched.values() else function(named)


def _steps(nstep, ctrl):
    if nstep is None and (ctrl is None or jnp.ndim(ctrl) < 2):
        raise ArgError("nstep is needed where ctrl does not say how many steps there are")
    return jnp.shape(ctrl)[-2] if nstep is None else int(nstep)


def rollout(model, nstep=None, *, qpos=None, qvel=None, act=None, ctrl=None, parameters=None, record=(), **options):
    """Rollouts: a dict of "qpos", "qvel", "act" after every step and of the fields of `record`: as carom.torch.rollout."""
    named = autodiff.named_inputs(qpos, qvel, act, ctrl, parameters)
    steps = autodiff.Map(model, _steps(nstep, ctrl), named, record, **options)
    return dict(zip(steps.outputs, _call(_differentiable, steps, named)))


def step(model, qpos, qvel, act=None, ctrl=None, parameters=None, *, n=1, **options):
    """The state after one step, or after n steps with the same control: (qpos, qvel, act)."""
    if ctrl is not None:
        ctrl = jnp.repeat(jnp.expand_dims(jnp.asarray(ctrl), -2), n, axis=-2)
    run = rollout(model, n, qpos=qpos, qvel=qvel, act=act, ctrl=ctrl, parameters=parameters, **options)
    return tuple(run[name][..., -1, :] for name in ("qpos", "qvel", "act"))


def cost(model, loss, nstep=None, *, qpos=None, qvel=None, act=None, ctrl=None, parameters=None, every=False, **options):
    """The loss of each rollout, an expression or a function as carom.rollout takes it. Its gradient is computed with the
    rollouts, so no step is made twice for it; the backward pass of rollout() makes each step again."""
    named = autodiff.named_inputs(qpos, qvel, act, ctrl, parameters)
    return _call(_cost, autodiff.Map(model, _steps(nstep, ctrl), named, loss=loss, every=every, **options), named)


def loss(function):
    """Makes a loss for carom.grad and carom.rollout of a function of arrays of JAX, which returns a number: as
    carom.torch.loss."""
    def evaluate(trajectory):
        named = {name: jnp.asarray(value) for name, value in vars(trajectory).items() if name != "item"}
        leaves = {name: array for name, array in named.items() if name != "ctrl"}

        def of(leaves):
            return function(type(trajectory)(trajectory.item, **{**named, **leaves}))
        value, bars = jax.value_and_grad(of)(leaves)
        return float(value), {name: np.asarray(bar, np.float64) for name, bar in bars.items() if bar.size > 0}
    return evaluate
