# SPDX-License-Identifier: Apache-2.0
"""A model beside MuJoCo, field by field, and the gradient of its step beside differences; jumps of contact forces."""
import builtins
import os
from typing import NamedTuple

from carom._c import NULL, check as check_status, ffi, lib, new_error, struct, text, with_contract


class Check:
    """Findings of a check: .passed, .why, and the figures of cr_check_result as attributes (docs/parity.md); .fields: of
    each field that was compared (absolute, scale, relative)."""

    def __init__(self, pointer):
        error, result = new_error(), struct("cr_check_result")
        check_status(lib.cr_check_get_result(pointer, result, error), error)
        for name, field in ffi.typeof("cr_check_result").fields:
            if name != "size":
                value = getattr(result, name)
                setattr(self, name, text(value) if field.type.kind == "pointer" else value)
        self.fields = dict(self._field(pointer, i) for i in range(lib.cr_check_field_count(pointer)))
        self.kinks = list(self._texts(lambda i: lib.cr_check_get_kink(pointer, i)))

    @staticmethod
    def _texts(get):
        i = 0
        while (sentence := text(get(i))) is not None:
            yield sentence
            i += 1

    @staticmethod
    def _field(pointer, i):
        error, field = new_error(), struct("cr_check_field")
        check_status(lib.cr_check_get_field(pointer, i, field, error), error)
        return text(field.name), (field.absolute, field.scale, field.relative)

    def __bool__(self):
        return bool(self.passed)

    def __repr__(self):
        verdict = "passed" if self.passed else f"failed: {self.why}"
        return (f"<carom.Check: {verdict}; parity {self.parity:.3g} ({self.worst_field}), gradient {self.gradient:.3g} "
                f"({self.worst_gradient})>")


@with_contract("cr_check_run")
def check(path, *, states=20, seed=0):
    """Compares the model of an MJCF or URDF file with MuJoCo, and the gradient of its step with differences: a Check."""
    error, pointer = new_error(), ffi.new("cr_check**")
    check_status(lib.cr_check_create(pointer, error), error)
    kept = ffi.gc(pointer[0], lib.cr_check_destroy)
    options = struct("cr_check_options", states=states, seed=seed, urdf=NULL)
    check_status(lib.cr_check_run(kept, os.fsencode(path), options, error), error)
    return Check(kept)


class Jump(NamedTuple):
    """A jump of contact forces: where, its size over the largest force or torque of the sweep, which number of the nv
    forces jumps most, that force before and behind, and contacts before and behind."""

    at: float
    relative: float
    value: int
    before: float
    behind: float
    contacts: tuple


class Jumps(NamedTuple):
    """Jumps along a coordinate, the largest first; the range, the largest force and torque, the most contacts at once."""

    jumps: list
    range: tuple
    largest: tuple
    contacts: int

    def __bool__(self):
        return bool(self.jumps)


def _jump(pointer, i):
    error, jump = new_error(), struct("cr_jump")
    check_status(lib.cr_jumps_get(pointer, i, jump, error), error)
    return Jump(jump.at, jump.relative, jump.value, jump.before, jump.behind, tuple(jump.contacts))


@with_contract("cr_jumps_of_model")
def jumps(data, coordinate, *, range=(0, 0), steps=0, tolerance=0):
    """Jumps of contact forces when a coordinate, as "qvel[ball][4]", is swept from the pose of the data: Jumps. The range
    is one that suits the joint, 500 steps, tolerance 1e-3, where they are not given."""
    error, pointer, name = new_error(), ffi.new("cr_jumps**"), ffi.new("char[]", os.fsencode(coordinate))
    options = struct("cr_jumps_options", coordinate=name, to=range[1], steps=steps, tolerance=tolerance,
                     **{"from": range[0]})
    check_status(lib.cr_jumps_of_model(pointer, data.model._ptr, data._ptr, options, error), error)
    kept, result = ffi.gc(pointer[0], lib.cr_jumps_destroy), struct("cr_jumps_result")
    check_status(lib.cr_jumps_get_result(kept, result, error), error)
    found = [_jump(kept, i) for i in builtins.range(result.count)]
    return Jumps(found, (getattr(result, "from"), result.to), tuple(result.largest), result.contacts)
