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

from carom import autodiff, xla
from carom._c import ArgError

__all__ = ["cost", "loss", "rollout", "step"]


class _Host:
    """The calls of a map through Python, for the type of its arrays: where XLA cannot call C, and for losses in Python. Axes
    that vmap adds are in front of all arrays."""

    def __init__(self, steps, kind):
        self.steps, self.kind = steps, kind

    def _call(self, run, shapes, *arguments):
        return jax.pure_callback(run, shapes, *arguments, vmap_method="broadcast_all")

    def _rows(self, values):
        """Inputs with one axis of rollouts in place of all in front, and these axes."""
        first = self.steps.inputs[0]
        axes = np.shape(values[0])[:np.ndim(values[0]) - len(self.steps.shape(first))]
        n = int(np.prod(axes))
        return [np.asarray(x).reshape(n, *self.steps.shape(name)) for name, x in zip(self.steps.inputs, values)], axes

    def _back(self, arrays, axes):
        return [np.asarray(x, self.kind).reshape(*axes, *x.shape[1:]) for x in arrays]

    def forward(self, shapes, values, keep):
        def run(*values):
            rows, axes = self._rows(values)
            if not keep:
                return self._back(self.steps.forward(rows), axes)
            outputs, kept = self.steps.forward(rows, keep=True)
            kept = np.empty((len(rows[0]), 0), np.uint8) if kept is None else kept.view(np.uint8)
            return [*self._back(outputs, axes), kept.reshape(*axes, -1)]
        return self._call(run, shapes, *values)

    def backward(self, shapes, values, qpos, kept, bars):
        def run(values, qpos, kept, bars):
            rows, axes = self._rows(values)
            n = len(rows[0])
            kept = np.ascontiguousarray(kept).reshape(n, -1)
            kept = np.require(kept.view(np.float64), requirements="A") if kept.size else None
            flat = [np.asarray(bar).reshape(n, *self.steps.output_shapes[name]) for name, bar in zip(self.steps.outputs, bars)]
            qpos = np.asarray(qpos).reshape(n, *self.steps.output_shapes["qpos"])
            return self._back(self.steps.backward(rows, qpos, flat, kept), axes)
        return self._call(run, shapes, values, qpos, kept, bars)

    def cost(self, shapes, values):
        def run(*values):
            rows, axes = self._rows(values)
            value, gradients = (self.steps.value(rows), []) if len(shapes) == 1 else self.steps.value_and_gradients(rows)
            return self._back([value, *gradients], axes)
        return self._call(run, shapes, *values)


class _Xla:
    """The same calls by XLA itself, without Python."""

    def __init__(self, steps):
        self.number = xla.number(steps)

    def _call(self, target, shapes, *arguments):
        return jax.ffi.ffi_call(target, shapes, vmap_method="broadcast_all")(*arguments, map=self.number)

    def forward(self, shapes, values, keep):
        return self._call("carom_forward", shapes, *values)

    def backward(self, shapes, values, qpos, kept, bars):
        return self._call("carom_backward", shapes, *values, qpos, kept, *bars)

    def cost(self, shapes, values):
        return self._call("carom_cost", shapes, *values)


def _calls(steps, kind):
    supported = kind in (jnp.float32, jnp.float64) and not callable(steps.loss)
    return _Xla(steps) if supported and xla.ready(jax) else _Host(steps, kind)


def _input_shapes(steps, kind):
    return [jax.ShapeDtypeStruct(steps.shape(name), kind) for name in steps.inputs]


def _differentiable(steps, kind):
    """The map as a function of a list of arrays without batch axes; vmap adds them."""
    calls = _calls(steps, kind)
    outputs = [jax.ShapeDtypeStruct(steps.output_shapes[name], kind) for name in steps.outputs]
    # bytes: JAX may have no doubles
    kept_runs = jax.ShapeDtypeStruct((8 * steps.batch.kept_size,), np.uint8)

    @jax.custom_vjp
    def run(values):
        return calls.forward(outputs, values, False)

    def forward(values):
        *found, kept = calls.forward([*outputs, kept_runs], values, True)
        return found, (values, found[0], kept)

    def backward(saved, bars):
        return (list(calls.backward(_input_shapes(steps, kind), *saved, bars)),)

    run.defvjp(forward, backward)
    return run


def _cost(steps, kind):
    calls, value = _calls(steps, kind), jax.ShapeDtypeStruct((), kind)

    @jax.custom_vjp
    def run(values):
        return calls.cost([value], values)[0]

    def forward(values):
        value_found, *gradients = calls.cost([value, *_input_shapes(steps, kind)], values)
        return value_found, gradients

    def backward(gradients, bar):
        return ([bar * g for g in gradients],)

    run.defvjp(forward, backward)
    return run


def _call(make, steps, named):
    arrays = {name: jnp.asarray(value) for name, value in named.items()}
    kind = jnp.result_type(*arrays.values())
    if not jnp.issubdtype(kind, jnp.floating):
        raise ArgError("arrays of a floating type expected")
    batched = []
    for name, array in arrays.items():
        shape = steps.shape(name)
        extra = array.ndim - len(shape)
        if extra not in (0, 1) or array.shape[extra:] != shape:
            raise ArgError(f"{name} has shape {array.shape}; {shape} expected, or one more axis in front")
        batched.append(0 if extra else None)
    function = steps.functions.setdefault((make.__name__, kind.name), None) or make(steps, kind)
    steps.functions[make.__name__, kind.name] = function
    values = [array.astype(kind) for array in arrays.values()]
    return jax.vmap(function, in_axes=(batched,))(values) if 0 in batched else function(values)


def _steps(nstep, ctrl):
    if nstep is None and (ctrl is None or jnp.ndim(ctrl) < 2):
        raise ArgError("nstep is needed where ctrl does not say how many steps there are")
    return jnp.shape(ctrl)[-2] if nstep is None else int(nstep)


def rollout(model, nstep=None, *, qpos=None, qvel=None, act=None, ctrl=None, parameters=None, record=(), **options):
    """Rollouts: a dict of "qpos", "qvel", "act" after every step and of the fields of `record`: as carom.torch.rollout."""
    named = autodiff.named_inputs(qpos, qvel, act, ctrl, parameters)
    steps = autodiff.map_of(model, _steps(nstep, ctrl), named, record, **options)
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
    return _call(_cost, autodiff.map_of(model, _steps(nstep, ctrl), named, loss=loss, every=every, **options), named)


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
