# SPDX-License-Identifier: Apache-2.0
"""Rollouts as a differentiable map of arrays, for the frameworks in carom.torch and carom.jax."""
import os

import numpy as np

from carom import arrays, manifold
from carom._c import NULL, ArgError, check, ffi, lib, new_error, owned
from carom.losses import Losses
from carom.rollouts import Batch

_MOST_KEPT = 8  # batches of a model that are kept for the next call
STATES = ("qpos", "qvel", "act")


def key_of(options):
    """Keyword options as a key of a dict."""
    return tuple(sorted((name, repr(value)) for name, value in options.items()))


def kept(model, place, key, make):
    """What make() gives, kept with a model for the next call with this key. Threads do not survive a fork, so each process has
    its own; a changed model has none."""
    found = model.__dict__.setdefault(place, {})
    key = (os.getpid(), *key)
    value = found.pop(key, None)
    found[key] = make() if value is None else value
    while len(found) > _MOST_KEPT:
        found.pop(next(iter(found)))
    return found[key]


def batch(model, nstep, parameters, options):
    """A Batch for a model and options, with the lock of its runs."""
    def make():
        made = Batch(model, nstep, parameters=parameters, **options)
        made.lock = owned(lib.carom_lock_create(), lib.carom_lock_destroy)
        return made
    return kept(model, "_batches", (nstep, tuple(parameters), key_of(options)), make)


def _pointers(values, code="double*[]"):
    """An array of pointers to the numbers of arrays; NULL for None."""
    return ffi.new(code, [NULL if array is None else arrays.pointer(array) for array in values] or [NULL])


class Map:
    """n rollouts of nstep steps as a function of arrays with n rows. python/src/array_map.h is the same in C.

    inputs   names: "qpos", "qvel", "act", "ctrl", and parameters, model fields
    outputs  "qpos", "qvel", "act" after every step, then the fields of `record`
    Quaternions may have any length: the function is that of the orientations that they stand for. The gradient by qpos has nq
    numbers; so have cotangents of it.
    """

    def __init__(self, model, nstep, inputs, record=(), every=False, loss=None, **options):
        self.nstep, self.inputs, self.loss, self.every = nstep, tuple(inputs), loss, every
        self.parameters = [name for name in self.inputs if name not in (*STATES, "ctrl")]
        for name in self.parameters:
            if name not in model._fields or model._fields[name][1].kind != "param":
                raise ArgError(f"parameters: '{name}' is no model field that may be a parameter")
        self.batch = batch(model, nstep, self.parameters, options)
        self.model = self.batch.model
        sample = self._losses(1, record=record)
        self.outputs = (*STATES, *record)
        self.output_shapes = {name: getattr(sample, name).shape[1:] if name in STATES else sample.fields[name].shape[1:]
                              for name in self.outputs}
        self._names = {name: ffi.new("char[]", name.encode()) for name in (*self.inputs, *self.outputs)}
        self._declare(sample)
        self.functions = {}  # of a framework, by its names

    def shape(self, name):
        """Shape of an input of one rollout."""
        model = self.model
        known = {"qpos": (model.nq,), "qvel": (model.nv,), "act": (model.na,), "ctrl": (self.nstep, model.nu)}
        return known[name] if name in known else np.shape(getattr(model, name))

    def _losses(self, n, record=(), gradient=False, ctrl=None):
        return Losses(self.batch.model, self.batch._probe, n, self.nstep, record=record, loss=self.loss, every=self.every,
                      workers=lib.cr_batch_threads(self.batch._batch), gradient=gradient, states=self.loss is None or n == 1,
                      ctrl=ctrl)

    # ---- for C

    def _array(self, name, shape, tangent):
        field = self.model._fields[name][1]
        return {"name": self._names[name], "rank": len(shape), "size": int(np.prod(shape)), "tangent": tangent,
                "quaternions": field.kind == "param" and field.width == 4 and field.tangent_width == 3,
                "computed": field.kind == "real"}

    def _tangent(self, name):
        """Numbers of the cotangent of an output."""
        if name == "qpos":
            return self.nstep * self.model.nv
        return int(np.prod(self.output_shapes[name])) if self.model._fields[name][1].tangent_width else 0

    def _declare(self, sample):
        model = self.model
        plain, quaternions = manifold.layout(model)
        self._inputs = ffi.new("carom_array[]", [self._array(name, self.shape(name), 0) for name in self.inputs])
        self._outputs = ffi.new("carom_array[]", [self._array(name, self.output_shapes[name], self._tangent(name))
                                                  for name in self.outputs])
        self._plain = ffi.new("int[]", [int(i) for i in np.ravel(plain)] or [0])
        self._quaternion = ffi.new("int[]", [int(i) for i in np.ravel(quaternions)] or [0])
        self._expressions = sample.expressions
        losses = [lib.cr_expression_loss(expression, self.every) for expression in self._expressions]
        self._c_losses = ffi.new("cr_loss[]", losses) if losses else NULL
        self.c_map = ffi.new("carom_array_map*", {
            "model": model._ptr, "batch": self.batch._batch, "lock": self.batch.lock, "nstep": self.nstep, "nq": model.nq,
            "nv": model.nv, "nparameter": len(self.parameters), "ninput": len(self.inputs), "inputs": self._inputs,
            "noutput": len(self.outputs), "outputs": self._outputs, "nplain": len(plain), "plain": self._plain,
            "nquaternion": len(quaternions), "quaternion": self._quaternion, "losses": self._c_losses})

    def _rows(self, values):
        """Inputs as doubles, and how many rows they have."""
        rows = [arrays.real(array) for array in values]
        return rows, len(rows[0]), _pointers(rows, "const double*[]")

    # ---- the calls

    def forward(self, values, keep=False):
        """Outputs of n rollouts, each n x nstep x numbers; and with keep=True what backward() goes on from, or None where
        it cannot be kept."""
        rows, n, c_rows = self._rows(values)
        outputs = [np.empty((n, *self.output_shapes[name])) for name in self.outputs]
        size = self.batch.kept_size if keep else 0
        kept_runs = np.empty((n, size)) if size > 0 else None
        error = new_error()
        check(lib.carom_map_forward(self.c_map, n, c_rows, _pointers(outputs), arrays.pointer(kept_runs), error), error)
        return (outputs, kept_runs) if keep else outputs

    def backward(self, values, qpos, cotangents, kept_runs=None, wanted=None):
        """Gradients by the inputs, from the output qpos and cotangents of the outputs (None: zero). Without what forward()
        has kept the rollouts are run once more. wanted: which inputs; gradients by others are None."""
        rows, n, c_rows = self._rows(values)
        bars = [None if bar is None else arrays.real(bar) for bar in cotangents]
        gradients = [np.empty((n, *self.shape(name))) if wanted is None or wanted[i] else None
                     for i, name in enumerate(self.inputs)]
        qpos, error = arrays.real(qpos), new_error()
        check(lib.carom_map_backward(self.c_map, n, c_rows, arrays.pointer(qpos), _pointers(bars, "const double*[]"),
                                     arrays.pointer(kept_runs), _pointers(gradients), error), error)
        return gradients

    def _cost(self, values, gradients):
        rows, n, c_rows = self._rows(values)
        found = [np.empty((n, *self.shape(name))) for name in self.inputs] if gradients else None
        losses = self._losses(n, gradient=gradients, ctrl=dict(zip(self.inputs, rows)).get("ctrl"))
        out, error = np.empty(n), new_error()
        losses.check(lib.carom_map_cost(self.c_map, n, c_rows, losses.trackers, arrays.pointer(out),
                                        _pointers(found) if gradients else NULL, error), error)
        return out, found

    def value_and_gradients(self, values):
        """Losses of n rollouts, and their gradients by the inputs."""
        return self._cost(values, True)

    def value(self, values):
        """Losses of n rollouts."""
        return self._cost(values, False)[0]


def map_of(model, nstep, inputs, record=(), every=False, loss=None, **options):
    """The Map of these arguments, kept with the model; without a name for its loss, a function, it is made each time."""
    def make():
        return Map(model, nstep, inputs, record, every, loss, **options)
    if callable(loss):
        return make()
    return kept(model, "_maps", (nstep, tuple(inputs), tuple(record), every, loss, key_of(options)), make)


def named_inputs(qpos, qvel, act, ctrl, parameters):
    """The inputs that are given, by name."""
    given = {name: value for name, value in (("qpos", qpos), ("qvel", qvel), ("act", act), ("ctrl", ctrl))
             if value is not None}
    given.update(parameters or {})
    if not given:
        raise ArgError("no input: give one of qpos, qvel, act, ctrl or parameters")
    return given
