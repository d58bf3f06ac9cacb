# SPDX-License-Identifier: Apache-2.0
"""Carom's public C functions, by ctypes: one model, its data, a step, and the derivatives of a step."""
import ctypes

import numpy as np

POINTER = ctypes.c_void_p
REALS = ctypes.POINTER(ctypes.c_double)


class Error(Exception):
    """What Carom said instead of an answer: its status and its sentence."""


class _Sentence(ctypes.Structure):
    _fields_ = [("status", ctypes.c_int), ("text", ctypes.c_char * 512)]


class _Contact(ctypes.Structure):
    _fields_ = [("geom", ctypes.c_int * 2), ("dim", ctypes.c_int), ("dist", ctypes.c_double),
                ("pos", ctypes.c_double * 3), ("frame", ctypes.c_double * 9), ("friction", ctypes.c_double * 5),
                ("force", ctypes.c_double * 3), ("torque", ctypes.c_double * 3)]


def load(path):
    """The library, with the types of the functions used here."""
    lib = ctypes.CDLL(path)
    for name in ("cr_data_view", "cr_rollout_bar", "cr_rollout_data", "cr_rollout_ctrl"):
        getattr(lib, name).restype = POINTER
    for name in ("cr_data_error", "cr_status_text", "cr_jacobian_error", "cr_parameter_jacobian_error", "cr_version"):
        getattr(lib, name).restype = ctypes.c_char_p
    lib.cr_data_error.argtypes = [POINTER]
    lib.cr_jacobian_error.argtypes = [POINTER]
    lib.cr_step.argtypes = [POINTER, POINTER]
    lib.cr_step_vjp.argtypes = [POINTER] * 5
    lib.cr_data_view.argtypes = [POINTER, POINTER, ctypes.c_char_p, POINTER, POINTER]
    return lib


class Model:
    """A model, a block of data and a twin for cotangents. Views are numpy arrays of Carom's own memory."""

    def __init__(self, lib, path):
        self.lib, self.error = lib, _Sentence()
        self.m, self.d = POINTER(), POINTER()
        self.work, self.bar, self.jacobian = POINTER(), POINTER(), POINTER()
        self._try(lib.cr_model_open(ctypes.byref(self.m), path.encode(), ctypes.byref(self.error)))
        self._try(lib.cr_data_create(ctypes.byref(self.d), self.m, ctypes.byref(self.error)))
        self.nq, self.nv, self.nu, self.na = (self.count(n) for n in ("nq", "nv", "nu", "na"))

    def _try(self, status):
        if status != 0:
            raise Error(self.error.text.decode(errors="replace"))

    def count(self, name):
        """A count by MuJoCo's name."""
        return self.lib.cr_model_count(self.m, name.encode())

    def get(self, name, n):
        """The numbers of a place in the model."""
        values = np.zeros(n)
        self._try(self.lib.cr_model_get(self.m, name.encode(), values.ctypes.data_as(REALS), n,
                                        ctypes.byref(self.error)))
        return values

    def put(self, name, values):
        """Sets them; an Error where the model would not be valid."""
        values = np.ascontiguousarray(values, dtype=float)
        self._try(self.lib.cr_model_set(self.m, name.encode(), values.ctypes.data_as(REALS), values.size,
                                        ctypes.byref(self.error)))

    def view(self, name, block=None):
        """A field of the data, or of a twin; None where it has no numbers."""
        rows, width = ctypes.c_int(), ctypes.c_int()
        at = self.lib.cr_data_view(self.m, block or self.d, name.encode(), ctypes.byref(rows),
                                   ctypes.byref(width))
        n = rows.value * width.value
        if not at or n == 0:
            return None
        return np.ctypeslib.as_array(ctypes.cast(at, REALS), (n,))

    def set_state(self, state):
        """state: a dict of qpos, qvel, act, ctrl, qfrc_applied, xfrc_applied."""
        for name, value in state.items():
            view = self.view(name)
            if view is not None:
                view[:] = np.ravel(value)
        warm = self.view("qacc_warmstart")
        if warm is not None:
            warm[:] = 0

    def step(self):
        """A step; the next state in one vector. Grows nothing: too many rows is an Error."""
        status = self.lib.cr_step(self.m, self.d)
        if status != 0:
            raise Error(self.lib.cr_data_error(self.d).decode(errors="replace"))
        parts = (self.view(n) for n in ("qpos_next", "qvel_next", "act_next"))
        return np.concatenate([p for p in parts if p is not None])

    def contacts(self, state):
        """(geoms, dist, pos, frame) of each contact at a state."""
        self.set_state(state)
        self.lib.cr_forward(self.m, self.d)
        out, c = [], _Contact()
        for i in range(self.lib.cr_contact_count(self.d)):
            if self.lib.cr_contact_get(self.m, self.d, i, ctypes.byref(c)) == 0:
                out.append((tuple(c.geom), c.dist, np.array(c.pos), np.array(c.frame)))
        return out

    def distance(self, state, a, b, reach):
        """The distance of two geoms at a state, and the two points."""
        self.set_state(state)
        self.lib.cr_forward(self.m, self.d)
        dist, points = ctypes.c_double(), np.zeros(6)
        self.lib.cr_geom_distance(self.m, self.d, a, b, ctypes.c_double(reach), ctypes.byref(dist), points.ctypes.data_as(REALS))
        return dist.value, points[:3], points[3:]

    def _twins(self):
        error = ctypes.byref(self.error)
        if not self.bar:
            self._try(self.lib.cr_data_create_cotangent(ctypes.byref(self.bar), self.m, self.d, error))
            self._try(self.lib.cr_data_create(ctypes.byref(self.work), self.m, error))

    def vjp(self, names, rows=None):
        """The Jacobian of the step just made, by reverse sweeps: {input: array (2 nv + na, numbers)}."""
        self._twins()
        seeds = [s for s in (self.view(n, self.bar) for n in ("qpos_next", "qvel_next", "act_next"))
                 if s is not None]
        views = {n: self.view(n, self.bar) for n in names}
        views = {n: v for n, v in views.items() if v is not None}
        total = sum(s.size for s in seeds)
        result = {n: np.zeros((total, v.size)) for n, v in views.items()}
        row = 0
        for seed in seeds:
            for k in range(seed.size):
                if rows is None or row in rows:
                    self._sweep(seed, k, views, result, row)
                row += 1
        return result

    def _sweep(self, seed, k, views, result, row):
        for name in ("qpos", "qvel", "act", "ctrl", "qfrc_applied", "xfrc_applied"):
            old = self.view(name, self.bar)
            if old is not None:
                old[:] = 0
        for view in views.values():
            view[:] = 0
        seed[k] = 1
        status = self.lib.cr_step_vjp(self.m, self.m, self.d, self.work, self.bar)
        seed[k] = 0
        if status != 0:
            raise Error(self.lib.cr_data_error(self.bar).decode(errors="replace"))
        for name, view in views.items():
            result[name][row] = view

    def parameter_jacobian(self, names):
        """cr_step_parameter_jacobian of the step just made, by parameters."""
        lib, work, error = self.lib, POINTER(), ctypes.byref(self.error)
        list_ = (ctypes.c_char_p * max(1, len(names)))(*[n.encode() for n in names])
        self._try(lib.cr_parameter_jacobian_create(ctypes.byref(work), self.m, self.d, list_, len(names), False, error))
        try:
            out = np.zeros((2 * self.nv + self.na, lib.cr_parameter_jacobian_columns(work)))
            if lib.cr_step_parameter_jacobian(self.m, self.d, work, out.ctypes.data_as(REALS)) != 0:
                raise Error(lib.cr_parameter_jacobian_error(work).decode(errors="replace"))
            return out
        finally:
            lib.cr_parameter_jacobian_destroy(work)

    def two_slopes(self, state, field):
        """What Carom says of numbers of a field that have two slopes at a state: its sentences."""
        self.set_state(state)
        if self.lib.cr_forward(self.m, self.d) != 0:
            return []
        text = ctypes.create_string_buffer(256)
        n, out = ctypes.c_int(1), []
        while len(out) < n.value:
            if self.lib.cr_two_slopes(self.m, self.d, field.encode(), len(out), text, 256, ctypes.byref(n)) != 0:
                return []
            out.append(text.value.decode())
        return out[:n.value]

    def step_jacobian(self):
        """cr_step_jacobian: by state, controls and applied forces."""
        if not self.jacobian:
            self._try(self.lib.cr_jacobian_create(ctypes.byref(self.jacobian), self.m, self.d,
                                                  ctypes.byref(self.error)))
        nx = 2 * self.nv + self.na
        by = [np.zeros((nx, n)) for n in (nx, self.nu, self.nv)]
        at = [b.ctypes.data_as(REALS) if b.size else None for b in by]
        if self.lib.cr_step_jacobian(self.m, self.d, self.jacobian, *at) != 0:
            raise Error(self.lib.cr_jacobian_error(self.jacobian).decode(errors="replace"))
        return {"x": by[0], "ctrl": by[1], "qfrc_applied": by[2]}

    def close(self):
        """Frees everything."""
        if self.jacobian:
            self.lib.cr_jacobian_destroy(self.jacobian)
        for block in (self.bar, self.work, self.d):
            if block:
                self.lib.cr_data_destroy(block)
        if self.m:
            self.lib.cr_model_destroy(self.m)


class _Loss(ctypes.Structure):
    _fields_ = [("context", POINTER), ("looks_at", POINTER), ("value", POINTER), ("bar", POINTER),
                ("needs_fields", ctypes.c_bool)]


class Rollout:
    """A rollout of a model from a state, and the gradient of an expression of its last state."""

    def __init__(self, model, steps, names, expression):
        lib, self.model, self.steps, self.names = model.lib, model, steps, names
        lib.cr_expression_loss.restype = _Loss
        lib.cr_expression_loss.argtypes = [POINTER, ctypes.c_bool]
        for name in ("cr_rollout_ctrl_bar", "cr_rollout_ctrl"):
            getattr(lib, name).restype = REALS
        self.r, self.e, self.error = POINTER(), POINTER(), ctypes.byref(model.error)
        list_ = (ctypes.c_char_p * max(1, len(names)))(*[n.encode() for n in names])
        model._try(lib.cr_rollout_create(ctypes.byref(self.r), model.m, steps, list_, len(names), self.error))
        model._try(lib.cr_expression_create(ctypes.byref(self.e), model.m, expression.encode(), self.error))
        self.loss = lib.cr_expression_loss(self.e, False)

    def gradient(self, state, ctrl):
        """{input or parameter: gradient}; ctrl is an array with a row a step."""
        lib, m = self.model.lib, self.model
        data = POINTER(lib.cr_rollout_data(self.r))
        lib.cr_data_reset(m.m, data)
        for name, value in state.items():
            view = m.view(name, data)
            if view is not None:
                view[:] = np.ravel(value)
        if m.nu:
            np.ctypeslib.as_array(lib.cr_rollout_ctrl(self.r), (self.steps * m.nu,))[:] = ctrl.ravel()
        loss = ctypes.byref(self.loss)
        m._try(lib.cr_rollout_run(self.r, m.m, self.steps, loss, self.error))
        m._try(lib.cr_rollout_gradient(self.r, m.m, m.m, loss, self.error))
        bar = POINTER(lib.cr_rollout_bar(self.r))
        out = {n: m.view(n, bar) for n in ["qpos", "qvel", "act"] + self.names}
        out = {n: v.copy() for n, v in out.items() if v is not None}
        if m.nu:
            out["ctrl"] = np.ctypeslib.as_array(lib.cr_rollout_ctrl_bar(self.r), (self.steps * m.nu,)).copy()
        return out

    def close(self):
        """Frees everything."""
        self.model.lib.cr_expression_destroy(self.e)
        self.model.lib.cr_rollout_destroy(self.r)
