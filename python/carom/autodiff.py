# SPDX-License-Identifier: Apache-2.0
"""Rollouts as a differentiable map of arrays, for the frameworks in carom.torch and carom.jax."""
import os
import threading

import numpy as np

from carom import manifold
from carom._c import ArgError
from carom.losses import Losses
from carom.rollouts import Batch, Inputs

_MOST_KEPT = 8  # batches of a model that are kept for the next call


def _key(options):
    return tuple(sorted((name, repr(value)) for name, value in options.items()))


def batch(model, nstep, parameters, options):
    """A Batch for a model and options, kept with the model. Threads do not survive a fork, so a process has its own."""
    kept = model.__dict__.setdefault("_batches", {})
    key = (os.getpid(), nstep, tuple(parameters), _key(options))
    found = kept.pop(key, None)
    if found is None:
        found = Batch(model, nstep, parameters=parameters, **options)
        found.lock = threading.Lock()
    kept[key] = found
    while len(kept) > _MOST_KEPT:
        kept.pop(next(iter(kept)))
    return found


class Map:
    """n rollouts of nstep steps as a function of arrays with n rows.

    inputs   names: "qpos", "qvel", "act", "ctrl", and parameters, model fields
    outputs  "qpos", "qvel", "act" after every step, then the fields of `record`
    Quaternions of qpos may have any length: the function is that of the orientations that they stand for. The gradient by
    qpos has nq numbers; so have cotangents of it.
    """

    def __init__(self, model, nstep, inputs, record=(), every=False, loss=None, **options):
        self.model, self.nstep, self.inputs, self.record = model, nstep, tuple(inputs), tuple(record)
        self.loss, self.every, self.options = loss, every, options
        self.parameters = [name for name in self.inputs if name not in ("qpos", "qvel", "act", "ctrl")]
        # shapes, and names that are none, before anything runs
        self.batch = batch(model, nstep, self.parameters, options)
        self._inputs({name: np.zeros((1, *self.shape(name))) for name in self.inputs if name != "qpos"})
        probe = Losses(self.batch.model, self.batch._probe, 1, 1, record=self.record)
        self.outputs = ("qpos", "qvel", "act", *self.record)
        widths = {"qpos": (model.nq,), "qvel": (model.nv,), "act": (model.na,)}
        self.output_shapes = {name: (nstep, *(widths.get(name) or probe.fields[name].shape[2:])) for name in self.outputs}

    def shape(self, name):
        """Shape of an input of one rollout."""
        model = self.model
        known = {"qpos": (model.nq,), "qvel": (model.nv,), "act": (model.na,), "ctrl": (self.nstep, model.nu)}
        return known[name] if name in known else np.shape(getattr(model, name))

    def _inputs(self, arrays):
        given = {name: arrays.get(name) for name in ("qpos", "qvel", "act", "ctrl")}
        return Inputs(self.batch.model, self.nstep, *given.values(), {name: arrays[name] for name in self.parameters})

    def _clean(self, arrays):
        """Inputs in double precision, with quaternions of length one."""
        clean = {}
        for name, array in zip(self.inputs, arrays):
            array = np.asarray(array, dtype=np.float64)
            if name == "qpos":
                array = manifold.normalised(self.model, array)
            elif self._is_quaternion(name):
                array = array / np.linalg.norm(array, axis=-1, keepdims=True)
            clean[name] = array
        return clean

    def _is_quaternion(self, name):
        field = self.model._fields[name][1]
        return field.kind == "param" and field.width == 4 and field.tangent_width == 3

    def _run(self, losses, gradient, inputs, keep=None, kept=None):
        with self.batch.lock:
            return self.batch._run(inputs, losses, None, gradient, "raise", self.loss is not None, keep, kept)

    def _losses(self, inputs, gradient=False, record=None, states=None):
        from carom._c import lib
        return Losses(self.batch.model, self.batch._probe, inputs.n, self.nstep, record=self.record if record is None else record,
                      loss=self.loss, every=self.every, workers=lib.cr_batch_threads(self.batch._batch), gradient=gradient,
                      states=self.loss is None if states is None else states, ctrl=inputs.arrays.get("ctrl"))

    def forward(self, arrays, keep=False):
        """Outputs of n rollouts, each n x nstep x numbers; and with keep=True what backward() goes on from, or None where
        it cannot be kept."""
        inputs = self._inputs(self._clean(arrays))
        losses, size = self._losses(inputs), self.batch.kept_size if keep else 0
        kept = np.empty((inputs.n, size)) if size > 0 else None
        self._run(losses, False, inputs, keep=kept)
        outputs = [losses.qpos, losses.qvel, losses.act, *losses.fields.values()]
        return (outputs, kept) if keep else outputs

    def backward(self, arrays, qpos, cotangents, kept=None):
        """Gradients by the inputs, from the output qpos and cotangents of the outputs (None: zero). Without what forward()
        has kept the rollouts are run once more."""
        inputs = self._inputs(self._clean(arrays))
        losses = self._losses(inputs, record=(), states=False)
        given = {name: np.asarray(values, dtype=np.float64) for name, values in zip(self.outputs, cotangents)
                 if values is not None and np.size(values) > 0}
        if "qpos" in given:
            given["qpos"] = manifold.to_tangent(self.model, np.asarray(qpos, dtype=np.float64), given["qpos"])
        losses.set_cotangents(self.batch._probe, given)
        return self._gradients(arrays, self._run(losses, True, inputs, kept=kept))

    def value_and_gradients(self, arrays):
        """Losses of n rollouts, and their gradients by the inputs."""
        inputs = self._inputs(self._clean(arrays))
        losses = self._losses(inputs, True)
        result = self._run(losses, True, inputs)
        return np.atleast_1d(result.loss), self._gradients(arrays, result)

    def value(self, arrays):
        """Losses of n rollouts."""
        inputs = self._inputs(self._clean(arrays))
        return np.atleast_1d(self._run(self._losses(inputs), False, inputs).loss)

    def _gradients(self, arrays, result):
        out = []
        for name, array in zip(self.inputs, arrays):
            gradient = result.gradient[name]
            if result._single:
                gradient = gradient[None]
            array = np.asarray(array, dtype=np.float64)
            if name == "qpos":
                gradient = manifold.from_tangent(self.model, array, gradient)
            elif self._is_quaternion(name):
                gradient = manifold.quaternion_gradient(array, gradient)
            out.append(gradient)
        return out


def named_inputs(qpos, qvel, act, ctrl, parameters):
    """The inputs that are given, by name."""
    given = {name: value for name, value in (("qpos", qpos), ("qvel", qvel), ("act", act), ("ctrl", ctrl))
             if value is not None}
    given.update(parameters or {})
    if not given:
        raise ArgError("no input: give one of qpos, qvel, act, ctrl or parameters")
    return given
