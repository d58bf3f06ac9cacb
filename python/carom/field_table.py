# SPDX-License-Identifier: Apache-2.0
"""The fields of models and data: shape, unit, frame, kind and meaning of each."""
from typing import NamedTuple

from carom._c import check, lib, new_error, struct, text, words

KINDS = words("field_kind")
#: kinds that belong to a model
OF_MODEL = ("int", "char", "const", "param")
#: kinds whose numbers can be read: integers and reals of a model, inputs, computed reals and integers of data
READABLE = ("int", "const", "param", "state", "real", "index")


class Field(NamedTuple):
    """A field of a model or of data."""

    name: str
    kind: str           # "int", "const", "param" (model); "state", "real", "op", "save", "index" (data)
    rows: str           # name of the count of rows, as "nbody"; "none": one row
    width: int          # numbers in a row
    tangent_width: int  # numbers in a row of its tangent; 0: it has none
    unit: str
    frame: str
    meaning: str

    @property
    def of_model(self):
        """True for a field of a model, False for one of data."""
        return self.kind in OF_MODEL


def _field(model, i):
    error, info = new_error(), struct("cr_field_info")
    check(lib.cr_field_get(model, i, info, error), error)
    return Field(text(info.name), KINDS[info.kind], text(info.rows), info.width, info.tangent_width, text(info.unit),
                 text(info.frame), text(info.meaning))


def table(model):
    """All fields as they are in a model (a C pointer), by name, with their numbers."""
    return {field.name: (i, field) for i in range(lib.cr_field_count()) for field in (_field(model, i),)}


_empty: list = []


def fields(model=None):
    """Every field of models and data by name, with kind, shape, unit, frame and meaning. Without a model: as they are in an
    empty one.

        for name, field in carom.fields().items():
            print(name, field.unit)
    """
    if model is not None:
        return {name: field for name, (_, field) in model._fields.items()}
    if not _empty:
        from carom.model import load
        _empty.append({name: field for name, (_, field) in load("<mujoco/>")._fields.items()})
    return dict(_empty[0])


