# SPDX-License-Identifier: Apache-2.0
"""Contact surfaces of pressure fields against Drake's hydroelastic contact, on Drake's own tetrahedra and triangles.
Usage: surfaces.py --lib libcarom.so --poses N

Drake leaves out faces whose normal is more than 5/8 pi off the gradient of a compliant body's pressure, but not where a rigid half-space cuts the body; Carom counts
all of them (docs/derivations/pressure.md).
The comparison applies this rule to Carom's faces, and prints how many poses it changes."""
import argparse
import ctypes
import sys
import tempfile

import numpy as np
from pydrake.geometry import (AddCompliantHydroelasticProperties, AddCompliantHydroelasticPropertiesForHalfSpace,
                              AddRigidHydroelasticProperties, Box, Capsule, Cylinder, Ellipsoid, FramePoseVector, GeometryFrame,
                              GeometryInstance, HalfSpace, HydroelasticContactRepresentation, Mesh, ProximityProperties, SceneGraph, Sphere,
                              VolumeMesh)
from pydrake.math import RigidTransform, RotationMatrix
from pydrake.common.eigen_geometry import Quaternion

TOLERANCE = 1e-9
ANGLE = np.cos(5 * np.pi / 8)
MODULUS = (1e5, 3e5)
THICKNESS = 0.1
REAL, INDEX = ctypes.POINTER(ctypes.c_double), ctypes.POINTER(ctypes.c_int32)


# ---- Carom

class Sentence(ctypes.Structure):
    _fields_ = [("status", ctypes.c_int), ("text", ctypes.c_char * 512)]


class Solid(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("nvert", ctypes.c_int), ("vertex", REAL), ("level", REAL), ("ntet", ctypes.c_int), ("tet", INDEX),
                ("nface", ctypes.c_int), ("face", INDEX)]


class Options(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("kind", ctypes.c_char_p), ("modulus", ctypes.c_double), ("dissipation", ctypes.c_double),
                ("transition", ctypes.c_double), ("thickness", ctypes.c_double), ("around", ctypes.c_int), ("solid", ctypes.POINTER(Solid))]


FACE = np.dtype([("area", "f8"), ("pos", "f8", 3), ("normal", "f8", 3), ("pressure", "f8"), ("gradient", "f8", (2, 3))])
FREE = '<body pos="{x} 0 0"><freejoint/><geom type="sphere" size="0.1" mass="1"/></body>'
PLANE = '<geom type="plane" size="1 1 0.1"/>'


class Carom:
    """Two geoms with given elements, the second one free."""

    def __init__(self, lib, sides):
        self.lib, self.error = lib, Sentence()
        self.model, self.data = ctypes.c_void_p(), ctypes.c_void_p()
        with tempfile.NamedTemporaryFile("w", suffix=".xml") as file:
            bodies = "".join(PLANE if side["mesh"] is None else FREE.format(x=i) for i, side in enumerate(sides))
            file.write(f"<mujoco><worldbody>{bodies}</worldbody></mujoco>")
            file.flush()
            self.call("cr_model_open", ctypes.byref(self.model), file.name.encode())
        for geom, side in enumerate(sides):
            self.set_field(geom, side)
        self.call("cr_data_create", ctypes.byref(self.data), self.model)
        self.nq = 7 * sum(side["mesh"] is not None for side in sides)
        self.faces = np.zeros(200000, dtype=FACE)

    def call(self, name, *arguments):
        if getattr(self.lib, name)(*arguments, ctypes.byref(self.error)) != 0:
            raise RuntimeError(self.error.text.decode())

    def set_field(self, geom, side):
        options = Options(size=ctypes.sizeof(Options), kind=b"compliant" if side["modulus"] else b"rigid", modulus=side["modulus"] or 0,
                          thickness=THICKNESS)
        if side["mesh"] is not None:
            vertex, element = side["mesh"]
            solid = Solid(size=ctypes.sizeof(Solid), nvert=len(vertex), vertex=vertex.ctypes.data_as(REAL))
            if element.shape[1] == 4:
                solid.ntet, solid.tet = len(element), element.ctypes.data_as(INDEX)
            else:
                solid.nface, solid.face = len(element), element.ctypes.data_as(INDEX)
            options.solid = ctypes.pointer(solid)
        self.call("cr_model_set_pressure", self.model, geom, ctypes.byref(options))

    def surface(self, qpos):
        qpos = np.ascontiguousarray(qpos[-self.nq:])
        self.call("cr_data_set", self.model, self.data, b"qpos", qpos.ctypes.data_as(REAL), len(qpos))
        if self.lib.cr_forward(self.model, self.data) != 0:
            raise RuntimeError(self.lib.cr_data_error(self.data))
        n = ctypes.c_int()
        self.call("cr_pressure_faces", self.model, self.data, 0, 1, len(self.faces), self.faces.ctypes.data_as(ctypes.c_void_p), ctypes.byref(n))
        return self.faces[:n.value]


def counted_by_drake(face):
    """Which faces Drake's rule keeps: the normal goes into the first body, the second one sees it from behind."""
    keep = np.ones(len(face), dtype=bool)
    for k, sign in ((0, -1), (1, 1)):
        gradient = face["gradient"][:, k]
        size = np.linalg.norm(gradient, axis=1)
        along = sign * np.einsum("ij,ij->i", face["normal"], gradient)
        keep &= (size == 0) | (along > ANGLE * size)
    return keep


# ---- Drake

def properties(shape, modulus, hint):
    p = ProximityProperties()
    if modulus is None:
        AddRigidHydroelasticProperties(resolution_hint=hint, properties=p)
    elif isinstance(shape, HalfSpace):
        AddCompliantHydroelasticPropertiesForHalfSpace(slab_thickness=THICKNESS, hydroelastic_modulus=modulus, properties=p)
    else:
        AddCompliantHydroelasticProperties(resolution_hint=hint, hydroelastic_modulus=modulus, properties=p)
    return p


def elements_of(mesh):
    """Vertices and elements of Drake's mesh."""
    if isinstance(mesh, VolumeMesh):
        element = [[t.vertex(k) for k in range(4)] for t in mesh.tetrahedra()]
    else:
        element = [[t.vertex(k) for k in range(3)] for t in mesh.triangles()]
    vertex = np.array([np.asarray(v).ravel() for v in mesh.vertices()])
    return np.ascontiguousarray(vertex), np.ascontiguousarray(element, dtype=np.int32)


class Drake:
    """Two shapes in a scene graph, each with a frame; one without tetrahedra is the ground."""

    def __init__(self, shapes, moduli, hint):
        self.scene = SceneGraph()
        self.source = self.scene.RegisterSource("poses")
        self.frame, self.geometry = [], []
        for i, (shape, modulus) in enumerate(zip(shapes, moduli)):
            frame = self.scene.RegisterFrame(self.source, GeometryFrame(f"frame{i}"))
            instance = GeometryInstance(RigidTransform(), shape, f"geometry{i}")
            instance.set_proximity_properties(properties(shape, modulus, hint))
            self.frame.append(frame)
            self.geometry.append(self.scene.RegisterGeometry(self.source, frame, instance))
        self.context = self.scene.CreateDefaultContext()
        inspector = self.scene.model_inspector()
        self.mesh = [None if isinstance(shape, HalfSpace) else elements_of(inspector.maybe_get_hydroelastic_mesh(geometry))
                     for shape, geometry in zip(shapes, self.geometry)]

    def surfaces(self, qpos):
        poses = FramePoseVector()
        for i, frame in enumerate(self.frame):
            q = qpos[7 * i:7 * i + 7]
            poses.set_value(frame, RigidTransform(RotationMatrix(Quaternion(q[3:] / np.linalg.norm(q[3:]))), q[:3]))
        self.scene.get_source_pose_port(self.source).FixValue(self.context, poses)
        query = self.scene.get_query_output_port().Eval(self.context)
        found = query.ComputeContactSurfaces(HydroelasticContactRepresentation.kPolygon)
        if not found:
            return 0.0, np.zeros(3)
        surface = found[0]
        force = np.zeros(3)
        field = surface.poly_e_MN()
        for i in range(surface.num_faces()):
            force += surface.area(i) * field.EvaluateCartesian(i, surface.centroid(i)) * np.asarray(surface.face_normal(i)).ravel()
        # the normal goes out of N into M: the force on M
        return surface.total_area(), force if surface.id_M() == self.geometry[1] else -force


# ---- pairs

SHAPES = {"sphere": Sphere(0.1), "capsule": Capsule(0.06, 0.15), "ellipsoid": Ellipsoid(0.08, 0.1, 0.13), "cylinder": Cylinder(0.08, 0.16),
          "box": Box(0.16, 0.2, 0.12), "ground": HalfSpace()}
REACH = {"sphere": 0.1, "capsule": 0.09, "ellipsoid": 0.1, "cylinder": 0.1, "box": 0.1, "ground": 0.0}
HINT = 0.06
PAIRS = {
    "compliant-rigid": [("sphere", "box"), ("box", "sphere"), ("ellipsoid", "cylinder"), ("cylinder", "box"), ("capsule", "capsule"),
                        ("sphere", "ground"), ("box", "ground"), ("capsule", "ground")],
    "compliant-compliant": [("sphere", "sphere"), ("box", "box"), ("ellipsoid", "box"), ("cylinder", "sphere"), ("capsule", "cylinder"),
                            ("box", "capsule")],
    "rigid-compliant ground": [("box", "ground"), ("sphere", "ground"), ("cylinder", "ground")],
}


def turned(rng):
    q = rng.normal(size=4)
    return q / np.linalg.norm(q)


def drawn_pose(rng, names):
    """The first geom at any pose over the ground, or the second one against the first."""
    direction = rng.normal(size=3)
    direction /= np.linalg.norm(direction)
    if "ground" in names:
        low = rng.uniform(0.3, 1.2) * REACH[names[0]]
        return np.concatenate([[*rng.normal(size=2), low], turned(rng)]), np.array([0, 0, 0, 1.0, 0, 0, 0])
    away = rng.uniform(0.4, 1.1) * (REACH[names[0]] + REACH[names[1]])
    at = rng.normal(size=3)
    return np.concatenate([at, turned(rng)]), np.concatenate([at + away * direction, turned(rng)])


def compare_pair(lib, kind, names, poses, rng):
    moduli = {"compliant-rigid": (MODULUS[0], None), "compliant-compliant": MODULUS, "rigid-compliant ground": (None, MODULUS[0])}[kind]
    theirs = Drake([SHAPES[name] for name in names], moduli, HINT)
    sides = [{"mesh": mesh, "modulus": modulus} for mesh, modulus in zip(theirs.mesh, moduli)]
    ground = "ground" in names
    ours = Carom(lib, sides[::-1] if ground else sides)  # a plane is fixed to the world: geom 0
    worst, met, cut = np.zeros(2), 0, 0
    while met < poses:
        first, second = drawn_pose(rng, names)
        area, force = theirs.surfaces(np.concatenate([first, second]))
        face = ours.surface(first if ground else np.concatenate([first, second]))
        keep = np.ones(len(face), dtype=bool) if kind == "compliant-rigid" and ground else counted_by_drake(face)
        load = (face["area"] * face["pressure"])[:, None] * face["normal"]
        our_area, our_force = face["area"][keep].sum(), load[keep].sum(axis=0) * (-1 if ground else 1)
        if area == 0 and our_area == 0:
            continue
        met += 1
        cut += not keep.all()
        errors = abs(our_area - area) / max(area, 1e-300), np.linalg.norm(our_force - force) / max(np.linalg.norm(force), 1e-300)
        worst = np.maximum(worst, errors)
    print(f"{kind:24}{'-'.join(names):20}{met:6} poses, area {worst[0]:.1e}, force {worst[1]:.1e}; Drake leaves faces out in {cut}", flush=True)
    return worst.max()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lib", required=True)
    parser.add_argument("--poses", type=int, default=1000, help="of each kind of pair")
    arguments = parser.parse_args()
    lib = ctypes.CDLL(arguments.lib)
    lib.cr_data_error.restype = ctypes.c_char_p
    rng = np.random.default_rng(1)
    worst = 0
    for kind, pairs in PAIRS.items():
        for names in pairs:
            worst = max(worst, compare_pair(lib, kind, names, -(-arguments.poses // len(pairs)), rng))
    print(f"largest relative difference {worst:.1e}, {TOLERANCE:.0e} allowed")
    return 0 if worst <= TOLERANCE else 1


if __name__ == "__main__":
    sys.exit(main())
