# SPDX-License-Identifier: Apache-2.0
"""Pressure fields of geoms, and the faces between two of them."""
from typing import NamedTuple

import numpy as np

from carom import arrays
from carom._c import NULL, ArgError, check, ffi, lib, new_error, struct, with_contract


class PressureFaces(NamedTuple):
    """The faces between two geoms, n of them, in the world: area (n), centre of pressure (n x 3), normal from the first geom to
    the second (n x 3), mean pressure (n), gradients of the pressures of both geoms (n x 2 x 3; 0 of a rigid one), and the
    corners of each face, counter-clockwise around the normal (a list of k x 3)."""

    area: np.ndarray
    pos: np.ndarray
    normal: np.ndarray
    pressure: np.ndarray
    gradient: np.ndarray
    corners: list

    def force(self):
        """The force on the second geom, at rest and without friction: the sum of area times pressure along the normals."""
        return (self.area * self.pressure) @ self.normal


def _geom(model, geom):
    return model.id("geom", geom) if isinstance(geom, str) else int(geom)


def _elements(values, width, nvert, name):
    """Rows of vertex numbers for C, and how many there are."""
    array = np.ascontiguousarray(values, dtype=np.int32)
    if array.ndim != 2 or array.shape[1] != width:
        raise ArgError(f"{name} has shape {array.shape}; rows of {width} vertex numbers expected")
    if array.size and not 0 <= array.min() <= array.max() < nvert:
        raise ArgError(f"{name} names vertex {array.min() if array.min() < 0 else array.max()}; there are {nvert}")
    return array, len(array)


def _solid(vertices, tets, triangles, level):
    """A cr_pressure_solid, and the arrays that it points to."""
    if (tets is None) == (triangles is None):
        raise ArgError("vertices come with tets or with triangles")
    vertex = arrays.real(vertices)
    if vertex.ndim != 2 or vertex.shape[1] != 3:
        raise ArgError(f"vertices has shape {vertex.shape}; rows of 3 numbers expected")
    level = None if level is None else arrays.real(level, (len(vertex),), "level")
    tet, ntet = (None, 0) if tets is None else _elements(tets, 4, len(vertex), "tets")
    face, nface = (None, 0) if triangles is None else _elements(triangles, 3, len(vertex), "triangles")
    solid = struct("cr_pressure_solid", nvert=len(vertex), vertex=arrays.pointer(vertex), level=arrays.pointer(level), ntet=ntet,
                   tet=arrays.pointer(tet, "int32_t*"), nface=nface, face=arrays.pointer(face, "int32_t*"))
    return solid, (vertex, level, tet, face)


@with_contract("cr_model_set_pressure")
def with_pressure(model, geom, kind, *, modulus=0, dissipation=0, transition=0, thickness=0, around=0, vertices=None, tets=None,
                  triangles=None, level=None):
    """A copy of a model in which a geom has a pressure field: model.with_pressure()."""
    solid, kept = (NULL, ()) if vertices is None else _solid(vertices, tets, triangles, level)
    if vertices is None and not (tets is None and triangles is None and level is None):
        raise ArgError("tets, triangles and level come with vertices")
    word, copy, error = ffi.new("char[]", str(kind).encode()), model.copy(), new_error()
    options = struct("cr_pressure_options", kind=word, modulus=modulus, dissipation=dissipation, transition=transition,
                     thickness=thickness, around=around, solid=solid)
    check(lib.cr_model_set_pressure(copy._ptr, _geom(model, geom), options, error), error)
    del kept
    return copy


@with_contract("cr_pressure_faces", "cr_pressure_corners")
def pressure_faces(data, geom1, geom2):
    """The faces between two geoms, after forward(): data.pressure_faces()."""
    model, count, error = data.model, ffi.new("int*"), new_error()
    pair = model._ptr, data._ptr, _geom(model, geom1), _geom(model, geom2)
    check(lib.cr_pressure_faces(*pair, 0, NULL, count, error), error)
    n, faces = count[0], ffi.new("cr_pressure_face[]", max(count[0], 1))
    check(lib.cr_pressure_faces(*pair, n, faces, count, error), error)
    rows = np.frombuffer(ffi.buffer(faces), dtype=np.float64).reshape(-1, ffi.sizeof("cr_pressure_face") // 8)[:n].copy()
    check(lib.cr_pressure_corners(*pair, 0, NULL, NULL, count, error), error)
    corner, ncorner = np.empty((count[0], 3)), np.zeros(n, dtype=np.int32)
    check(lib.cr_pressure_corners(*pair, len(corner), arrays.pointer(corner), arrays.pointer(ncorner, "int32_t*"), count, error),
          error)
    corners = np.split(corner, np.cumsum(ncorner)[:-1]) if n else []
    return PressureFaces(rows[:, 0], rows[:, 1:4], rows[:, 4:7], rows[:, 7], rows[:, 8:14].reshape(n, 2, 3), corners)
