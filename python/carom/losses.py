# SPDX-License-Identifier: Apache-2.0
"""Losses of rollouts: expressions, and Python functions of the arrays of a rollout."""
import numpy as np

from carom import arrays, manifold
from carom._c import ArgError, ERRORS, check, ffi, lib, new_error, owned


class Trajectory:
    """What a loss in Python gets: one rollout. qpos, qvel, act after every step (nstep rows), ctrl, and the fields that
    were asked for by `record`, as attributes."""

    def __init__(self, item, **named):
        #: number of the rollout in its batch
        self.item = item
        self.__dict__.update(named)

    def __repr__(self):
        return f"<carom.Trajectory of {', '.join(name for name in self.__dict__ if name != 'item')}>"


#: fields that all rollouts keep, unless states=False
_STATES = ("qpos", "qvel", "act")


@ffi.def_extern(name="carom_py_loss", error=lib.CR_ERR_INTERRUPTED)
def _call(handle, item, worker, loss):
    return ffi.from_handle(handle).evaluate(item, loss)


class Losses:
    """The loss of n rollouts of nstep steps: keeps the arrays that are asked for, evaluates an expression or a function,
    and holds the cotangents until the backward pass takes them."""

    def __init__(self, model, data, n, nstep, *, loss=None, every=False, record=(), states=True, workers=1, ctrl=None,
                 gradient=False):
        self.model, self.n, self.nstep, self.ctrl, self.gradient = model, n, nstep, ctrl, gradient
        self.function = loss if callable(loss) else None
        self.failure = None
        keep = states or self.function is not None or not set(record).isdisjoint(_STATES)
        widths = (model.nq, model.nv, model.na)
        self.qpos, self.qvel, self.act = (np.zeros((n, nstep, width)) if keep else None for width in widths)
        self.fields = {name: self._field(data, name) for name in record if name not in _STATES}
        self.bars = {}
        self._kept = []
        if self.function is not None and gradient:
            for name in (*_STATES, *self.fields):
                self._add_bar(data, name)
        self.expressions = [self._expression(loss, every) for _ in range(workers)] if isinstance(loss, str) else []
        if loss is not None and not self.expressions and self.function is None:
            raise ArgError(f"loss={loss!r}: an expression or a function of a trajectory expected")
        self.trackers = ffi.new("carom_tracker[]", workers)
        for i, tracker in enumerate(self.trackers):
            tracker.worker = i
            if self.expressions:
                tracker.inner = lib.cr_expression_loss(self.expressions[i], every)
        self._fill()

    # ---- what is kept

    def _shape(self, data, name):
        entry = self.model._fields.get(name)
        if entry is None or entry[1].kind not in ("state", "real"):
            raise ERRORS[lib.CR_ERR_NAME](f"record: '{name}' is no field of data with numbers")
        field = entry[1]
        if not data._fixed(field):
            raise ArgError(f"record: '{name}' has a row for each contact or constraint, and their number changes")
        return getattr(data, name).shape, field

    def _field(self, data, name):
        return np.zeros((self.n, self.nstep, *self._shape(data, name)[0]))

    def _add_bar(self, data, name):
        if name == "qpos":
            shape = (self.model.nv,)
        else:
            shape, field = self._shape(data, name)
            if field.tangent_width == 0:
                return
        self.bars[name] = np.zeros((self.n, self.nstep, *shape))

    def _fill(self):
        """The C side: a track for each field that is kept or has cotangents."""
        names = [*self.fields, *(name for name in self.bars if name not in self.fields)]
        self.tracks = ffi.new("carom_track[]", max(1, len(names)))
        for track, name in zip(self.tracks, names):
            self._kept.append(ffi.new("char[]", name.encode()))
            track.field = self._kept[-1]
            for kept, size, numbers in ((self.fields, "width", "values"), (self.bars, "tangent", "bar")):
                if name in kept:
                    setattr(track, size, int(np.prod(kept[name].shape[2:])))
                    setattr(track, numbers, arrays.pointer(kept[name]))
        shared = ffi.new("carom_tracking*")
        shared.tracks, shared.ntrack, shared.nstep = self.tracks, len(names), self.nstep
        shared.qpos, shared.qvel, shared.act = (arrays.pointer(kept) for kept in (self.qpos, self.qvel, self.act))
        shared.needs_fields = any(self.model._fields[name][1].kind == "real" for name in names)
        if self.function is not None:
            self._handle = ffi.new_handle(self)
            shared.call, shared.handle = lib.carom_py_loss, self._handle
        self.shared = shared
        for tracker in self.trackers:
            tracker.shared = shared

    def _expression(self, loss, every):
        error, expression = new_error(), ffi.new("cr_expression**")
        check(lib.cr_expression_create(expression, self.model._ptr, loss.encode(), error), error)
        return owned(expression[0], lib.cr_expression_destroy, self.model._ptr)

    def set_cotangents(self, data, cotangents):
        """Cotangents of all rollouts at once, for a backward pass: qpos with nq or nv numbers."""
        for name, values in cotangents.items():
            if name not in self.bars:
                self._add_bar(data, name)
            values = np.asarray(values)
            if name == "qpos" and values.shape[-1] == self.model.nq != self.model.nv:
                values = manifold.to_tangent(self.model, self.qpos, values)
            self.bars[name][...] = values
        self._fill()

    # ---- the loss

    def loss(self, worker=0, item=0):
        """The cr_loss of a worker, or NULL where there is nothing to do."""
        if self.qpos is None and not self.fields and not self.bars and not self.expressions and self.function is None:
            return None
        tracker = self.trackers[worker]
        tracker.item = item
        self._loss = ffi.new("cr_loss*", lib.carom_tracker_loss(ffi.addressof(tracker)))
        return self._loss

    def trajectory(self, item):
        """The rollout of an item as a loss gets it."""
        named = {"qpos": self.qpos[item], "qvel": self.qvel[item], "act": self.act[item],
                 **{name: values[item] for name, values in self.fields.items()}}
        if self.ctrl is not None:
            named["ctrl"] = self.ctrl[item if self.ctrl.shape[0] > 1 else 0]
        return Trajectory(item, **named)

    def _tangent(self, name, values, qpos):
        if name == "qpos" and values.shape[-1] == self.model.nq != self.model.nv:
            return manifold.to_tangent(self.model, qpos, values)
        return values

    def evaluate(self, item, loss):
        """Called by C when the last step of a rollout is kept. An exception ends the rollout and is raised at its end."""
        try:
            trajectory = self.trajectory(item)
            result = self.function(trajectory)
            value, cotangents = result if isinstance(result, tuple) else (result, None)
            loss[0] = float(value)
            if self.gradient:
                if cotangents is None:
                    raise ArgError("a loss whose gradient is wanted returns (value, {name: cotangents}); "
                                   "carom.torch.loss and carom.jax.loss make one of a function of tensors")
                for name, bar in self.bars.items():
                    values = cotangents.get(name)
                    bar[item] = 0 if values is None else self._tangent(name, np.asarray(values), trajectory.qpos)
                unknown = set(cotangents) - set(self.bars)
                if unknown:
                    raise ArgError(f"cotangents of '{sorted(unknown)[0]}', which is not recorded or has no derivative")
            return lib.CR_OK
        except BaseException as failure:  # goes through C, see check()
            self.failure = failure
            return lib.CR_ERR_INTERRUPTED

    def check(self, status, error):
        """Raises what the loss raised, or what a status says."""
        if status != lib.CR_OK and self.failure is not None:
            failure, self.failure = self.failure, None
            raise failure
        check(status, error)

