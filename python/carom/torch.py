# SPDX-License-Identifier: Apache-2.0
"""Steps and rollouts as PyTorch functions, with gradients.

    import carom.torch
    qpos, qvel, act = carom.torch.step(model, qpos, qvel, ctrl=ctrl)
    run = carom.torch.rollout(model, qpos=qpos, qvel=qvel, ctrl=ctrl, parameters={"body_mass": masses})
    run["qvel"].square().sum().backward()

Tensors of any floating type: Carom computes in double precision, results have the type of the inputs. With a batch axis in
front of some inputs, the others are the same for all rollouts.
"""
import numpy as np
import torch

from carom import autodiff
from carom._c import ArgError

__all__ = ["cost", "loss", "rollout", "step"]


def _numpy(tensor):
    return tensor.detach().to("cpu", torch.float64).contiguous().numpy()


def _tensor(array, like):
    """An array that nobody else has as a tensor, of the type and on the device of another."""
    return torch.from_numpy(np.ascontiguousarray(array)).to(like.device, like.dtype)


class _Rollout(torch.autograd.Function):
    """The outputs of an autodiff.Map. The backward pass goes on from the states that the forward pass has kept, with the
    cotangents as a loss; where they cannot be kept it runs the rollouts again."""

    @staticmethod
    def forward(ctx, steps, *tensors):
        ctx.steps = steps
        ctx.set_materialize_grads(False)
        outputs, ctx.kept = steps.forward([_numpy(t) for t in tensors], keep=True) if any(ctx.needs_input_grad) \
            else (steps.forward([_numpy(t) for t in tensors]), None)
        outputs = [_tensor(out, tensors[0]) for out in outputs]
        ctx.save_for_backward(outputs[0], *tensors)
        return tuple(outputs)

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx, *bars):
        qpos, *tensors = ctx.saved_tensors
        if all(bar is None for bar in bars):
            return (None, *(None for _ in tensors))
        bars = [None if bar is None else _numpy(bar) for bar in bars]
        gradients = ctx.steps.backward([_numpy(t) for t in tensors], _numpy(qpos), bars, ctx.kept, ctx.needs_input_grad[1:])
        return (None, *(None if g is None else _tensor(g, t) for t, g in zip(tensors, gradients)))


class _Cost(torch.autograd.Function):
    """Losses of an autodiff.Map, whose gradient is computed in the same run where it is wanted."""

    @staticmethod
    def forward(ctx, steps, *tensors):
        arrays = [_numpy(t) for t in tensors]
        wanted = any(ctx.needs_input_grad)
        values, gradients = steps.value_and_gradients(arrays) if wanted else (steps.value(arrays), [])
        ctx.save_for_backward(*(_tensor(g, t) for t, g in zip(tensors, gradients)))
        return _tensor(values, tensors[0])

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx, bar):
        return (None, *(g * bar.reshape(-1, *(1,) * (g.dim() - 1)) for g in ctx.saved_tensors))


def _batched(steps, named):
    """Tensors with a batch axis, all of one type; and whether there was one."""
    tensors = {name: torch.as_tensor(value) for name, value in named.items()}
    kinds = [t.dtype for t in tensors.values() if t.is_floating_point()]
    if not kinds:
        raise ArgError("tensors of a floating type expected")
    kind = max(kinds, key=lambda dtype: torch.finfo(dtype).bits)
    n = None
    for name, tensor in tensors.items():
        shape = steps.shape(name)
        if tensor.dim() == len(shape) + 1 and tuple(tensor.shape[1:]) == shape:
            if n not in (None, tensor.shape[0]):
                raise ArgError(f"{name} is of {tensor.shape[0]} rollouts, others of {n}")
            n = tensor.shape[0]
        elif tuple(tensor.shape) != shape:
            raise ArgError(f"{name} has shape {tuple(tensor.shape)}; {shape} expected, or one more axis in front")
    rows = [t.to(kind).expand(n or 1, *steps.shape(name)) for name, t in tensors.items()]
    return rows, n is not None


def _call(function, steps, named):
    tensors, batched = _batched(steps, named)
    outputs = function.apply(steps, *tensors)
    single = isinstance(outputs, torch.Tensor)
    outputs = (outputs,) if single else outputs
    outputs = outputs if batched else tuple(out[0] for out in outputs)
    return outputs[0] if single else dict(zip(steps.outputs, outputs))


def _steps(nstep, ctrl):
    if nstep is None and (ctrl is None or ctrl.dim() < 2):
        raise ArgError("nstep is needed where ctrl does not say how many steps there are")
    return ctrl.shape[-2] if nstep is None else int(nstep)


def rollout(model, nstep=None, *, qpos=None, qvel=None, act=None, ctrl=None, parameters=None, record=(), **options):
    """Rollouts: a dict of "qpos", "qvel", "act" after every step and of the fields of `record`, [n] x nstep x numbers.

    qpos, qvel, act  starts, [n] x numbers; ctrl: [n] x nstep x nu; parameters: model fields, [n] x their shape
    options          threads, derive, memory, cfd, adaptive steps and model options, as carom.rollout
    """
    named = autodiff.named_inputs(qpos, qvel, act, ctrl, parameters)
    return _call(_Rollout, autodiff.map_of(model, _steps(nstep, ctrl), named, record, **options), named)


def step(model, qpos, qvel, act=None, ctrl=None, parameters=None, *, n=1, **options):
    """The state after one step, or after n steps with the same control: (qpos, qvel, act), with or without a batch axis."""
    if ctrl is not None:
        ctrl = ctrl.unsqueeze(-2)
        ctrl = ctrl.expand(*ctrl.shape[:-2], n, ctrl.shape[-1])
    named = autodiff.named_inputs(qpos, qvel, act, ctrl, parameters)
    run = _call(_Rollout, autodiff.map_of(model, n, named, **options), named)
    return tuple(run[name][..., -1, :] for name in ("qpos", "qvel", "act"))


def cost(model, loss, nstep=None, *, qpos=None, qvel=None, act=None, ctrl=None, parameters=None, every=False, **options):
    """The loss of each rollout, an expression or a function as carom.rollout takes it: a tensor [n]. Its gradient is computed
    with the rollouts, so no step is made twice for it; the backward pass of rollout() makes each step again."""
    named = autodiff.named_inputs(qpos, qvel, act, ctrl, parameters)
    return _call(_Cost, autodiff.map_of(model, _steps(nstep, ctrl), named, loss=loss, every=every, **options), named)


def loss(function):
    """Makes a loss for carom.grad, carom.rollout and cost() of a function of tensors, which returns a number:

        @carom.torch.loss
        def reach(run):
            return (run.qpos[-1, :3] - target).square().sum()
    """
    def evaluate(trajectory):
        named = {name: torch.tensor(np.ascontiguousarray(value), requires_grad=name != "ctrl")
                 for name, value in vars(trajectory).items() if name != "item"}
        with torch.enable_grad():
            value = function(type(trajectory)(trajectory.item, **named))
            leaves = [name for name in named if name != "ctrl" and named[name].numel() > 0]
            bars = torch.autograd.grad(value, [named[name] for name in leaves], allow_unused=True)
        return value.item(), {name: bar.numpy() for name, bar in zip(leaves, bars) if bar is not None}
    return evaluate
