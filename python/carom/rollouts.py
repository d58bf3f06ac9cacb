# SPDX-License-Identifier: Apache-2.0
"""Many rollouts of one model at once, over threads, with their gradients."""
import os

import numpy as np

from carom import arrays, manifold, method
from carom._c import NULL, ArgError, check, ffi, lib, new_error, owned, struct, text, texts, with_contract
from carom.data import Data
from carom.losses import Losses


class Rollout:
    """Rollouts that were run. Without a batch axis in the inputs there is none in the results.

    time              after every step, s: nstep numbers
    qpos, qvel, act   after every step: [n] x nstep x numbers; None with states=False
    final             the last of them, a dict
    loss              [n]; None without a loss
    gradient          by "qpos" (nv numbers), "qvel", "act" at the start, "ctrl", and parameters; None where not asked for
    errors            of a batch with errors="return": None, or how each rollout ended
    and every field that was recorded, as an attribute
    """

    def __init__(self, single, source, time, **named):
        self._single, self._source, self.time = single, source, time  # source: the model, its inputs and the start
        for name, value in named.items():
            setattr(self, name, self._item(value))

    def _item(self, value):
        if isinstance(value, dict):
            return {name: self._item(item) for name, item in value.items()}
        if not self._single or value is None:
            return value
        item = value[0]
        return float(item) if np.ndim(item) == 0 and isinstance(item, np.floating) else item

    def __repr__(self):
        return f"<carom.Rollout: {', '.join(name for name in self.__dict__ if not name.startswith('_'))}>"


class Inputs:
    """The inputs of n rollouts as C-contiguous arrays of n rows, or None."""

    def __init__(self, model, nstep, qpos, qvel, act, ctrl, parameters):
        self.model, self.batched, self.n = model, False, 1
        shapes = {"qpos": (model.nq,), "qvel": (model.nv,), "act": (model.na,)}
        given = {"qpos": qpos, "qvel": qvel, "act": act}
        self.nstep = self._steps(nstep, ctrl)
        given = {name: (np.asarray(values, float), shapes[name]) for name, values in given.items() if values is not None}
        if ctrl is not None:
            given["ctrl"] = (np.asarray(ctrl, float), (self.nstep, model.nu))
        for name, values in (parameters or {}).items():
            given[name] = (np.asarray(values, float), self._parameter_shape(name))
        self.parameters = list(parameters or {})
        for name, (array, shape) in given.items():
            self._count(name, array, shape)
        self.arrays = {name: self._rows(name, array, shape) for name, (array, shape) in given.items()}
        if "qpos" in self.arrays:
            check_orientations(model, self.arrays["qpos"])

    def _steps(self, nstep, ctrl):
        if ctrl is None:
            if nstep is None:
                raise ArgError("nstep is needed where ctrl does not say how many steps there are")
            return int(nstep)
        shape = np.shape(ctrl)
        if len(shape) not in (2, 3) or shape[-1] != self.model.nu:
            raise ArgError(f"ctrl has shape {shape}; ([n,] nstep, {self.model.nu}) expected")
        if nstep is not None and shape[-2] != nstep:
            raise ArgError(f"ctrl has {shape[-2]} rows, nstep is {nstep}")
        return shape[-2]

    def _parameter_shape(self, name):
        entry = self.model._fields.get(name)
        if entry is None or entry[1].kind != "param":
            raise ArgError(f"parameters: '{name}' is no model field that may be a parameter")
        return getattr(self.model, name).shape

    def _count(self, name, array, shape):
        if array.ndim == len(shape) + 1:
            if self.batched and array.shape[0] not in (1, self.n) and self.n != 1:
                raise ArgError(f"{name} is of {array.shape[0]} rollouts, others of {self.n}")
            self.batched, self.n = True, max(self.n, array.shape[0])
        if array.shape[-len(shape):] != shape or array.ndim > len(shape) + 1:
            raise ArgError(f"{name} has shape {array.shape}; {shape} expected, or one more axis in front")

    def _rows(self, name, array, shape):
        if array.ndim == len(shape) + 1 and array.shape[0] not in (1, self.n):
            raise ArgError(f"{name} is of {array.shape[0]} rollouts, others of {self.n}")
        return np.ascontiguousarray(np.broadcast_to(array, (self.n, *shape)))


def check_orientations(model, qpos):
    """Refuses quaternions that are not of length one, as a start from a file is."""
    for q, _ in manifold.layout(model)[1]:
        length = np.linalg.norm(qpos[..., q:q + 4], axis=-1)
        if not np.all(np.abs(length - 1) <= 1e-6):
            worst = np.unravel_index(np.argmax(np.abs(length - 1)), length.shape)
            raise ArgError(f"qpos[{q}] to qpos[{q + 3}] of rollout {worst[0]}: the quaternion has length {length[worst]:.6g}, "
                           "not 1")


def _destroyer(process):
    """Ends a batch in the process that made it: its threads are not in a fork."""
    def destroy(batch):
        if os.getpid() == process:
            lib.cr_batch_destroy(batch)
    return destroy


class Batch:
    """Workers for rollouts of one model, kept between runs: what rollout() makes for each of its calls.

        batch = carom.Batch(model, nstep=100, parameters=["body_mass"], threads=2)
        batch.run(qpos=..., loss="norm(qvel)", gradient=True)
    """

    @with_contract("cr_batch_create")
    def __init__(self, model, nstep, *, parameters=(), threads=0, derive=False, memory=0, cfd=None, **options):
        adaptive, options = method.split(options)
        self.model = method.variant(model, options)
        self.backward = method.backward_model(self.model, cfd) or self.model
        self.nstep, self.parameters, self._derive = int(nstep), list(parameters), bool(derive)
        self._adaptive = method.adaptive(adaptive)
        names, self._names = texts(self.parameters)
        c_options = struct("cr_batch_options", nstep=self.nstep, nthread=int(threads), parameters=names,
                           nparameter=len(self.parameters), derive=derive, adaptive=self._adaptive, memory=int(memory))
        error, batch = new_error(), ffi.new("cr_batch**")
        check(lib.cr_batch_create(batch, self.model._ptr, self.backward._ptr, c_options, error), error)
        self._process = os.getpid()
        self._batch = owned(batch[0], _destroyer(self._process), self.model._ptr, self.backward._ptr)
        self._probe = Data(self.model)

    @with_contract("cr_batch_run")
    def run(self, *, qpos=None, qvel=None, act=None, ctrl=None, parameters=None, start=None, loss=None, every=False,
            record=(), states=True, gradient=False, errors="raise"):
        """Runs rollouts: see carom.rollout."""
        if os.getpid() != self._process:
            raise ArgError("this Batch was made before a fork; make one in this process")
        if set(parameters or {}) != set(self.parameters):
            raise ArgError(f"parameters: this batch has {self.parameters or 'none'}")
        inputs = Inputs(self.model, self.nstep, qpos, qvel, act, ctrl,
                        {name: parameters[name] for name in self.parameters})
        losses = Losses(self.model, self._probe, inputs.n, self.nstep, loss=loss, every=every, record=record, states=states,
                        workers=lib.cr_batch_threads(self._batch), ctrl=inputs.arrays.get("ctrl"), gradient=gradient)
        return self._run(inputs, losses, start, gradient, errors, loss is not None)

    @property
    def kept_size(self):
        """Numbers that keep one run for a gradient in a later call; 0: none can be kept (cr_batch_kept_size)."""
        return lib.cr_batch_kept_size(self._batch)

    def _run(self, inputs, losses, start, gradient, errors, has_loss, keep=None, kept=None):
        """keep: an array, n x kept_size, where the runs go; kept: runs of an earlier call that are not made again."""
        model, n = self.model, inputs.n
        final = {"qpos": np.zeros((n, model.nq)), "qvel": np.zeros((n, model.nv)), "act": np.zeros((n, model.na))}
        bars = self._bars(n) if gradient else {}
        values = np.zeros(n)
        output = struct("cr_batch_output", loss=arrays.pointer(values))
        for name, array in final.items():
            setattr(output, name, arrays.pointer(array))
        pointers = self._gradient_output(output, bars)
        failures = ffi.new("cr_error[]", n) if errors == "return" else NULL
        output.error, output.kept = failures, arrays.pointer(keep)
        c_input, kept_too = self._input(inputs, start)
        c_input.kept = arrays.pointer(kept)
        error = new_error()
        status = lib.cr_batch_run(self._batch, n, c_input, lib.carom_batch_tracker_loss, losses.trackers, output, error)
        losses.check(status, error)
        del pointers, kept_too
        ended = None if failures == NULL else [text(e.text) if e.status != lib.CR_OK else None for e in failures]
        grid = (self._adaptive.grid if self._adaptive != NULL else 0) or model.timestep
        time = (0.0 if start is None else start.time) + grid * np.arange(1, self.nstep + 1)
        return Rollout(not inputs.batched, (model, inputs, start, self._derive), time,
                       qpos=losses.qpos, qvel=losses.qvel, act=losses.act, final=final,
                       loss=values if has_loss else None, gradient=bars if gradient else None, errors=ended, **losses.fields)

    def _bars(self, n):
        model = self.model
        bars = {"qpos": np.zeros((n, model.nv)), "qvel": np.zeros((n, model.nv)), "act": np.zeros((n, model.na)),
                "ctrl": np.zeros((n, self.nstep, model.nu))}
        for name in self.parameters:
            shape, field = getattr(model, name).shape, model._fields[name][1]
            bars[name] = np.zeros((n, *shape[:-1], 3) if field.tangent_width != field.width else (n, *shape))
        return bars

    def _gradient_output(self, output, bars):
        if not bars:
            return None
        for name in ("qpos", "qvel", "act", "ctrl"):
            setattr(output, f"{name}_bar", arrays.pointer(bars[name]))
        pointers = ffi.new("double*[]", [arrays.pointer(bars[name]) for name in self.parameters] or [NULL])
        if self.parameters:
            output.parameters_bar = pointers
        return pointers

    def _input(self, inputs, start):
        c_input = struct("cr_batch_input")
        for name in ("qpos", "qvel", "act", "ctrl"):
            if name in inputs.arrays:
                setattr(c_input, name, arrays.pointer(inputs.arrays[name]))
        pointers = ffi.new("const double*[]", [arrays.pointer(inputs.arrays[name]) for name in self.parameters] or [NULL])
        if self.parameters:
            c_input.parameters = pointers
        if start is not None:
            c_input.start = start._ptr
        return c_input, (pointers, start)


def rollout(model, nstep=None, *, qpos=None, qvel=None, act=None, ctrl=None, parameters=None, start=None, loss=None,
            every=False, record=(), states=True, gradient=False, errors="raise", threads=0, derive=False, memory=0, cfd=None,
            **options):
    """Runs one rollout or many at once, without the GIL, over threads.

        carom.rollout(model, 100)                                     from the reference pose: a Rollout
        carom.rollout(model, qpos=starts, ctrl=controls, loss="norm(qvel)", gradient=True, parameters={"body_mass": masses})

    nstep       steps; may be left out where ctrl says it
    qpos, qvel, act, ctrl, parameters
                starts, controls of every step and model fields; with one more axis in front one for each rollout
    start       Data with everything else: applied forces, mocap poses, time; and the start where it is not given above
    loss        an expression ("site_xpos[tip].z", docs/commands.md), of the end or, with every=True, summed over all steps;
                or a function of a Trajectory that returns its value, or (value, {name: cotangents})
    record      fields to keep after every step, as "sensordata"
    states      keep qpos, qvel and act of every step
    gradient    of the loss: a dict, by starts, controls and parameters
    errors      "raise", or "return": all rollouts run, and .errors says how each ended
    threads     0: one a processor. Results have the same bits for any number
    derive      constants that follow from parameters follow them
    memory      limit for stored states of each worker in bytes; 0: none
    cfd         contacts from distance in the backward pass: see carom.backward_model
    options     of adaptive steps: rtol, atol, events, grid, first_step, largest_step, linear, quaternions, max_steps; and of
                the model, by name: integrator="tsit5", timestep=0.001, collision="smooth", softness=0.1 ...
    """
    inputs_steps = nstep if ctrl is None else np.shape(ctrl)[-2] if np.ndim(ctrl) in (2, 3) else nstep
    if inputs_steps is None:
        raise ArgError("nstep is needed where ctrl does not say how many steps there are")
    if nstep is not None and inputs_steps != nstep:
        raise ArgError(f"ctrl has {inputs_steps} rows, nstep is {nstep}")
    if threads == 0 and all(np.ndim(x) < 2 for x in (qpos, qvel, act)) and np.ndim(ctrl) < 3 and not parameters:
        threads = 1
    batch = Batch(model, inputs_steps, parameters=parameters or (), threads=threads, derive=derive, memory=memory, cfd=cfd,
                  **options)
    return batch.run(qpos=qpos, qvel=qvel, act=act, ctrl=ctrl, parameters=parameters, start=start, loss=loss, every=every,
                     record=record, states=states, gradient=gradient, errors=errors)
