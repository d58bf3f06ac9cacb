# SPDX-License-Identifier: Apache-2.0
"""Tangents, cotangents and Jacobians of a step, of the dynamics at one state, and of inverse dynamics."""
from typing import NamedTuple

import numpy as np

from carom import arrays
from carom._c import (NULL, ArgError, ERRORS, check, fail, ffi, lib, new_error, owned, text, texts, with_contract)

_MAPS = {"step": lib.CAROM_STEP, "forward": lib.CAROM_FORWARD, "inverse": lib.CAROM_INVERSE}
_OUTPUTS = {"step": ("qpos", "qvel", "act"), "forward": ("qacc", "act_dot", "sensordata"), "inverse": ("qfrc_inverse",)}
_INPUTS = ("qpos", "qvel", "act", "ctrl", "qfrc_applied", "xfrc_applied")


class Jacobian(NamedTuple):
    """Jacobians of a step. x = (qpos, qvel, act) as tangents: 2 nv + na numbers. A, B, F: the next x by x, by ctrl and by
    qfrc_applied; C, D: sensordata of this state by x and by ctrl (None where not asked for); P: the next x by each
    parameter that was named; fallback: the feature that made the Jacobian go column by column, None if none did."""

    A: np.ndarray
    B: np.ndarray
    C: np.ndarray
    D: np.ndarray
    F: np.ndarray
    P: dict
    fallback: str


class _Twins:
    """What derivatives of one data block need besides: a work block, tangents, cotangents, memory of a Jacobian."""

    def __init__(self, data):
        m, d, error = data.model._ptr, data._ptr, new_error()
        self.work = self._data(lib.cr_data_create_room, error, m, data._contacts)
        self.tan = self._data(lib.cr_data_create_tangent, error, m, d)
        self.bar = self._data(lib.cr_data_create_cotangent, error, m, d)
        self.inputs = owned(lib.carom_inputs_create(m, self.bar), lib.carom_inputs_destroy, self.bar)
        work = ffi.new("cr_jacobian**")
        check(lib.cr_jacobian_create(work, m, d, error), error)
        self.jacobian = owned(work[0], lib.cr_jacobian_destroy, m)
        sensors = ffi.new("cr_sensor_jacobian**")
        check(lib.cr_sensor_jacobian_create(sensors, m, d, error), error)
        self.sensors = owned(sensors[0], lib.cr_sensor_jacobian_destroy, m)

    @staticmethod
    def _data(create, error, *arguments):
        block = ffi.new("cr_data**")
        check(create(block, *arguments, error), error)
        return owned(block[0], lib.cr_data_destroy, arguments[0])


def _twins(data):
    if "all" not in data._twins:
        data._twins["all"] = _Twins(data)
    return data._twins["all"]


def evaluate(data, of):
    """Evaluates a map at the state of the data, so that its derivatives can be asked for."""
    if of not in _MAPS:
        raise ArgError(f"of='{of}': there is {', '.join(_MAPS)}")
    function = {"step": lib.cr_step, "forward": lib.cr_forward, "inverse": lib.cr_inverse}[of]
    data._check(function(data.model._ptr, data._ptr))


def _c_name(of, name, output):
    return f"{name}_next" if output and of == "step" else name


class Parts:
    """Named numbers of k tangents or cotangents as an array of carom_part."""

    def __init__(self, twin_shapes, named):
        self.arrays, self.single = {}, True
        self.k = 1
        for name, values in named.items():
            shape = twin_shapes(name)
            array = np.asarray(values, dtype=np.float64)
            if array.ndim == len(shape) + 1 or (array.ndim == 2 and len(shape) == 2 and array.shape[-1] == int(np.prod(shape))
                                                and array.shape != shape):
                self.single, self.k = False, array.shape[0]
            self.arrays[name] = array
        for name, array in self.arrays.items():
            size = int(np.prod(twin_shapes(name)))
            if array.size != self.k * size:
                raise ArgError(f"'{name}': {array.size} numbers; expected {twin_shapes(name)}"
                               + ("" if self.single else f", {self.k} times"))
            self.arrays[name] = np.ascontiguousarray(array.reshape(self.k, size))


def _c_parts(arrays_by_name):
    parts = ffi.new("carom_part[]", max(1, len(arrays_by_name)))
    kept = []
    for part, (name, array) in zip(parts, arrays_by_name.items()):
        kept.append(ffi.new("char[]", name.encode()))
        part.field, part.size, part.values = kept[-1], array.shape[-1], arrays.pointer(array)
    return parts, kept


def _shape(data, name):
    """Shape of a field's tangent: (numbers,) or (rows, width)."""
    entry = data.model._fields.get(name)
    if entry is None:
        raise ERRORS[lib.CR_ERR_NAME](f"there is no field '{name}'; carom.fields() lists them")
    field = entry[1]
    if field.tangent_width == 0:
        raise ArgError(f"'{name}' has no derivative")
    rows, width = ffi.new("int*"), ffi.new("int*")
    if lib.cr_data_view(data.model._ptr, _twins(data).bar, name.encode(), rows, width) == NULL and rows[0] * width[0] > 0:
        fail(lib.CR_ERR_NAME, text(lib.cr_data_error(_twins(data).bar)))
    if field.rows == "none":
        return (width[0],)
    return (rows[0],) if width[0] == 1 else (rows[0], width[0])


def _shaped(array, shape, single):
    return array.reshape(shape) if single else array.reshape(array.shape[0], *shape)


@with_contract("cr_step_jvp", "cr_forward_jvp", "cr_inverse_jvp")
def jvp(data, tangents, of="step", out=None):
    """Tangents of what a map computes, from tangents of inputs and parameters.

        carom.jvp(data, {"qpos": dq, "body_mass": dm})      tangents of the next state: {"qpos", "qvel", "act"}
        carom.jvp(data, {"ctrl": du}, of="forward", out=["sensordata", "site_xpos"])

    tangents  of qpos nv numbers, of other fields their shape; with one more axis in front several at once
    of        "step", "forward" or "inverse"; it is evaluated at the state of the data, which stays
    out       fields that are wanted: of a step "qpos", "qvel", "act" of the next state; of forward any computed field
    """
    evaluate(data, of)
    twins = _twins(data)
    parts = Parts(lambda name: _shape(data, name), tangents)
    wanted = {name: _shape(data, _c_name(of, name, True)) for name in (out or _OUTPUTS[of])}
    results = {_c_name(of, name, True): np.zeros((parts.k, int(np.prod(shape)))) for name, shape in wanted.items()}
    into, kept = _c_parts(parts.arrays)
    outof, kept_too = _c_parts(results)
    status = lib.carom_jvps(_MAPS[of], data.model._ptr, data._ptr, twins.work, twins.tan, parts.k, into,
                            len(parts.arrays), outof, len(results))
    data._check(status, twins.tan)
    del kept, kept_too
    return {name: _shaped(array, shape, parts.single)
            for (name, shape), array in zip(wanted.items(), results.values())}


@with_contract("cr_step_vjp", "cr_forward_vjp", "cr_inverse_vjp")
def vjp(data, cotangents, of="step", wrt=None, backward=None):
    """Cotangents of inputs and parameters, from cotangents of what a map computes.

        carom.vjp(data, {"qpos": g}, wrt=["qpos", "ctrl", "body_mass"])

    cotangents  of qpos nv numbers, of other fields their shape; with one more axis in front several at once
    of          "step", "forward" or "inverse"; it is evaluated at the state of the data, which stays
    wrt         inputs and model fields; by default all inputs
    backward    a model whose dynamics the backward pass of a step differentiates, see backward_model()
    """
    evaluate(data, of)
    twins = _twins(data)
    parts = Parts(lambda name: _shape(data, _c_name(of, name, True)), cotangents)
    inputs = ("qpos", "qvel", "qacc") if of == "inverse" else _INPUTS
    wanted = {name: _shape(data, name) for name in (inputs if wrt is None else wrt)}
    results = {name: np.zeros((parts.k, int(np.prod(shape)))) for name, shape in wanted.items()}
    into, kept = _c_parts({_c_name(of, name, True): array for name, array in parts.arrays.items()})
    outof, kept_too = _c_parts(results)
    status = lib.carom_vjps(_MAPS[of], data.model._ptr, (backward or data.model)._ptr, data._ptr, twins.work, twins.bar,
                            twins.inputs, parts.k, into, len(parts.arrays), outof, len(results))
    data._check(status, twins.bar)
    del kept, kept_too
    return {name: _shaped(array, wanted[name], parts.single) for name, array in results.items()}


@with_contract("cr_step_jacobian", "cr_sensordata_jacobian", "cr_step_parameter_jacobian")
def jacobian(data, parameters=(), sensors=True, derive=False):
    """Jacobians of the step from the state of the data, which stays: a Jacobian with A, B, C, D as MuJoCo's
    mjd_transitionFD has them, by differentiation.

    parameters  model fields, or numbers of them, as "body_mass[torso]", by which the next state is wanted too
    derive      constants that follow from parameters follow them
    """
    m, d, twins = data.model._ptr, data._ptr, _twins(data)
    C, D = _sensor_jacobian(data) if sensors else (None, None)
    evaluate(data, "step")
    nv, nu = data.model.nv, data.model.nu
    nx = 2 * nv + data.model.na + data.model.npluginstate
    A, B, F = np.empty((nx, nx)), np.empty((nx, nu)), np.empty((nx, nv))
    status = lib.cr_step_jacobian(m, d, twins.jacobian, arrays.pointer(A), arrays.pointer(B), arrays.pointer(F))
    if status != lib.CR_OK:
        fail(status, text(lib.cr_jacobian_error(twins.jacobian)))
    fallback = text(lib.cr_jacobian_fallback(twins.jacobian))
    return Jacobian(A, B, C, D, F, _parameter_jacobian(data, nx, list(parameters), derive), fallback)


def _sensor_jacobian(data):
    """d sensordata by x and by ctrl."""
    evaluate(data, "forward")
    m, n, twins = data.model._ptr, data.model.nsensordata, _twins(data)
    C, D = np.zeros((n, 2 * data.model.nv + data.model.na + data.model.npluginstate)), np.zeros((n, data.model.nu))
    status = lib.cr_sensordata_jacobian(m, data._ptr, twins.sensors, arrays.pointer(C), arrays.pointer(D))
    if status != lib.CR_OK:
        fail(status, text(lib.cr_sensor_jacobian_error(twins.sensors)))
    return C, D


def _parameter_jacobian(data, nx, names, derive):
    if not names:
        return {}
    error, work = new_error(), ffi.new("cr_parameter_jacobian**")
    c_names, kept = texts(names)
    check(lib.cr_parameter_jacobian_create(work, data.model._ptr, data._ptr, c_names, len(names), derive, error), error)
    work = owned(work[0], lib.cr_parameter_jacobian_destroy, data.model._ptr)
    columns = np.empty((nx, lib.cr_parameter_jacobian_columns(work)))
    status = lib.cr_step_parameter_jacobian(data.model._ptr, data._ptr, work, arrays.pointer(columns))
    if status != lib.CR_OK:
        fail(status, text(lib.cr_parameter_jacobian_error(work)))
    del kept
    ends = np.cumsum([lib.cr_parameter_jacobian_width(work, i) for i in range(len(names))])
    return dict(zip(names, np.split(columns, ends[:-1], axis=1)))


@with_contract("cr_integrate_pos")
def integrate_pos(model, qpos, qvel, dt=1.0):
    """qpos moved by a velocity for a time, a new array."""
    error, moved = new_error(), np.array(qpos, dtype=np.float64).reshape(model.nq)
    velocity = arrays.real(qvel, (model.nv,), "qvel")
    check(lib.cr_integrate_pos(model._ptr, arrays.pointer(moved), arrays.pointer(velocity), dt, error), error)
    return moved


@with_contract("cr_differentiate_pos")
def differentiate_pos(model, qpos1, qpos2, dt=1.0):
    """The velocity that moves qpos1 to qpos2 in a time."""
    error, velocity = new_error(), np.empty(model.nv)
    one, two = arrays.real(qpos1, (model.nq,), "qpos1"), arrays.real(qpos2, (model.nq,), "qpos2")
    check(lib.cr_differentiate_pos(model._ptr, arrays.pointer(velocity), dt, arrays.pointer(one), arrays.pointer(two),
                                   error), error)
    return velocity
