# SPDX-License-Identifier: Apache-2.0
"""Data: a state, and everything that is computed from it."""
from typing import NamedTuple

import numpy as np

from carom import arrays
from carom._c import ArgError, check, fail, ffi, lib, new_error, owned, text, with_contract
from carom.model import get_place
from carom.named import HasObjects

_STATE_KINDS = {"time": lib.CR_STATE_TIME, "qpos": lib.CR_STATE_QPOS, "qvel": lib.CR_STATE_QVEL, "act": lib.CR_STATE_ACT,
                "warmstart": lib.CR_STATE_WARMSTART, "ctrl": lib.CR_STATE_CTRL, "physics": lib.CR_STATE_PHYSICS,
                "fullphysics": lib.CR_STATE_FULLPHYSICS, "user": lib.CR_STATE_USER,
                "integration": lib.CR_STATE_INTEGRATION}


class Contact(NamedTuple):
    """One contact: geoms, dimension, distance (negative in penetration), position and frame in the world (rows: normal
    from the first geom to the second, two tangents), friction, and force and torque on the second geom in that frame."""

    geom: tuple
    dim: int
    dist: float
    pos: np.ndarray
    frame: np.ndarray
    friction: np.ndarray
    force: np.ndarray
    torque: np.ndarray


class Data(HasObjects):
    """A state and everything computed from it. Fields are attributes, arrays without a copy: data.qpos[:] = 0,
    data.qpos["knee"], data.xpos["torso"]. Inputs of a step may be written; what is computed is read-only. Arrays stay
    valid after the data are gone. Data belong to one thread at a time."""

    def __init__(self, model, keyframe=None, *, contacts=0):
        """keyframe: where to begin; contacts: room for so many at once, where a step ends with CapacityError."""
        error, data = new_error(), ffi.new("cr_data**")
        check(lib.cr_data_create_room(data, model._ptr, int(contacts), error), error)
        self.model, self._contacts = model, int(contacts)
        self._ptr = owned(data[0], lib.cr_data_destroy, model._ptr)
        self._twins = {}
        if keyframe is not None:
            self.reset(keyframe)

    @classmethod
    def over(cls, model, pointer, owner=None):
        """Data over a block of C that somebody else owns: as long as `owner` lives, or with None as the caller says."""
        data = cls.__new__(cls)
        data.model, data._contacts, data._twins, data._owner = model, 0, {}, owner
        data._ptr = pointer
        return data

    # ---- fields

    def _named_model(self):
        return self.model

    def _has(self, field):
        return field.kind in ("state", "real", "index")

    def _fixed(self, field):
        return field.rows == "none" or lib.cr_model_count(self.model._ptr, field.rows.encode()) >= 0

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        entry = self.model._fields.get(name)
        if entry is None or not self._has(entry[1]):
            raise AttributeError(f"data have no field '{name}'; carom.fields() lists them")
        field = entry[1]
        rows, width = ffi.new("int*"), ffi.new("int*")
        code, read = (("<i4", lib.cr_data_integers) if field.kind == "index" else ("<f8", lib.cr_data_numbers))
        numbers = read(self.model._ptr, self._ptr, name.encode(), rows, width)
        if field.rows == "none":
            rows[0], width[0] = rows[0] * width[0], 1
        array = arrays.view(numbers, rows[0], width[0], self._ptr, self.model._finder(field), field.kind == "state", code)
        if self._fixed(field):
            self.__dict__[name] = array
        return array

    def __setattr__(self, name, value):
        if not name.startswith("_") and name not in ("model", "time"):
            getattr(self, name)[...] = value
        else:
            object.__setattr__(self, name, value)

    def __dir__(self):
        return sorted({*super().__dir__(), *(name for name, (_, field) in self.model._fields.items() if self._has(field))})

    def __getitem__(self, name):
        """The numbers of a named place, also of contacts: data["site_xpos[tip].z"], data["contact[floor:cube].dist"]."""
        return get_place(self.model, name, lambda values, n, error: lib.cr_data_get(
            self.model._ptr, self._ptr, name.encode(), values, n, error))

    def __setitem__(self, name, value):
        """Sets the numbers of an input: data["qpos[elbow]"] = 0.3."""
        n, error = self.model._place(name).count, new_error()
        values = arrays.real(np.broadcast_to(np.asarray(value, float), n) if np.ndim(value) == 0 else value)
        check(lib.cr_data_set(self.model._ptr, self._ptr, name.encode(), arrays.pointer(values), values.size, error), error)

    @property
    def time(self):
        """Time in seconds."""
        return lib.cr_data_time(self._ptr)

    @time.setter
    def time(self, value):
        self.set_state([value], "time")

    # ---- the state

    def _check(self, status, data=None):
        if status != lib.CR_OK:
            sentence = text(lib.cr_data_error(self._ptr if data is None else data))
            room = "; Data(model, contacts=...) makes more" if status == lib.CR_ERR_CAPACITY else ""
            fail(status, f"{sentence}{room}" if sentence else None)

    def reset(self, keyframe=None):
        """Reference pose, or a keyframe by name or number; zero velocity, controls, applied forces."""
        if keyframe is None:
            self._check(lib.cr_data_reset(self.model._ptr, self._ptr))
        else:
            key = self.model.id("keyframe", keyframe) if isinstance(keyframe, str) else int(keyframe)
            self._check(lib.cr_data_reset_keyframe(self.model._ptr, self._ptr, key))
        return self

    def _parts(self, parts):
        if isinstance(parts, str):
            if parts not in _STATE_KINDS:
                raise ArgError(f"'{parts}' is no part of a state; there is: {', '.join(_STATE_KINDS)}")
            return _STATE_KINDS[parts]
        return int(parts)

    @with_contract("cr_state_get")
    def state(self, parts="integration"):
        """Parts of the state as one vector: "qpos", "physics", "integration" (all on which the next step depends) ..."""
        parts = self._parts(parts)
        values = np.empty(max(0, lib.cr_state_size(self.model._ptr, parts)))
        self._check(lib.cr_state_get(self.model._ptr, self._ptr, arrays.pointer(values), parts))
        return values

    def set_state(self, values, parts="integration"):
        """The inverse of state()."""
        parts, values = self._parts(parts), arrays.real(values)
        if values.size != lib.cr_state_size(self.model._ptr, parts):
            raise ArgError(f"this state has {lib.cr_state_size(self.model._ptr, parts)} numbers, not {values.size}")
        self._check(lib.cr_state_set(self.model._ptr, self._ptr, arrays.pointer(values), parts))
        return self

    def copy(self):
        """Other data at the same state; computed fields are not copied."""
        other = Data(self.model, contacts=self._contacts)
        return other.set_state(self.state())

    __copy__ = copy

    def __deepcopy__(self, memo):
        return self.copy()

    def __reduce__(self):
        return _restore, (self.model, self.state(), self._contacts)

    # ---- dynamics

    @with_contract("cr_step", "cr_advance")
    def step(self, n=1):
        """Makes n time steps."""
        self._check(lib.carom_steps(self.model._ptr, self._ptr, n))
        return self

    @with_contract("cr_forward")
    def forward(self):
        """Computes everything from the state."""
        self._check(lib.cr_forward(self.model._ptr, self._ptr))
        return self

    @with_contract("cr_inverse")
    def inverse(self, qacc):
        """The force that makes an acceleration: qfrc_inverse, a new array."""
        pointer = lib.cr_data_view(self.model._ptr, self._ptr, b"qacc", ffi.NULL, ffi.NULL)
        qacc = arrays.real(qacc, (self.model.nv,), "qacc")
        ffi.memmove(pointer, arrays.pointer(qacc), qacc.nbytes)
        self._check(lib.cr_inverse(self.model._ptr, self._ptr))
        return np.array(self.qfrc_inverse)

    # ---- what MuJoCo's users call besides

    @property
    def contacts(self):
        """The contacts, as forward() found them."""
        return [self._contact(i) for i in range(lib.cr_contact_count(self._ptr))]

    def _contact(self, i):
        c = ffi.new("cr_contact*")
        self._check(lib.cr_contact_get(self.model._ptr, self._ptr, i, c))
        return Contact((c.geom[0], c.geom[1]), c.dim, c.dist, np.array(list(c.pos)), np.array(list(c.frame)).reshape(3, 3),
                       np.array(list(c.friction)), np.array(list(c.force)), np.array(list(c.torque)))

    def _jacobian(self, function, kind, key, *before):
        i = self.model.id(kind, key) if isinstance(key, str) else int(key)
        jacp, jacr = np.zeros((3, self.model.nv)), np.zeros((3, self.model.nv))
        self._check(function(self.model._ptr, self._ptr, arrays.pointer(jacp), arrays.pointer(jacr), *before, i))
        return jacp, jacr

    @with_contract("cr_jac")
    def jac(self, point, body):
        """Jacobian of a point that is fixed to a body: (jacp, jacr), 3 x nv each."""
        return self._jacobian(lib.cr_jac, "body", body, arrays.pointer(arrays.real(point, (3,), "point")))

    @with_contract("cr_jac_dot")
    def jac_dot(self, point, body):
        """Time derivative of jac()."""
        return self._jacobian(lib.cr_jac_dot, "body", body, arrays.pointer(arrays.real(point, (3,), "point")))

    def jac_body(self, body):
        """Jacobian of a body's frame: (jacp, jacr)."""
        return self._jacobian(lib.cr_jac_body, "body", body)

    def jac_body_com(self, body):
        """Jacobian of a body's centre of mass: (jacp, jacr)."""
        return self._jacobian(lib.cr_jac_body_com, "body", body)

    def jac_geom(self, geom):
        """Jacobian of a geom: (jacp, jacr)."""
        return self._jacobian(lib.cr_jac_geom, "geom", geom)

    def jac_site(self, site):
        """Jacobian of a site: (jacp, jacr)."""
        return self._jacobian(lib.cr_jac_site, "site", site)

    def jac_subtree_com(self, body):
        """Jacobian of the centre of mass of a subtree, 3 x nv."""
        i = self.model.id("body", body) if isinstance(body, str) else int(body)
        jacp = np.zeros((3, self.model.nv))
        self._check(lib.cr_jac_subtree_com(self.model._ptr, self._ptr, arrays.pointer(jacp), i))
        return jacp

    @with_contract("cr_full_m")
    def full_m(self):
        """The inertia matrix, nv x nv."""
        matrix = np.empty((self.model.nv, self.model.nv))
        self._check(lib.cr_full_m(self.model._ptr, self._ptr, arrays.pointer(matrix)))
        return matrix

    def _vector(self, function, *given):
        out = np.empty(self.model.nv)
        self._check(function(self.model._ptr, self._ptr, *(given[:0]), arrays.pointer(out), *given))
        return out

    def mul_m(self, x):
        """The inertia matrix times a vector."""
        return self._vector(lib.cr_mul_m, arrays.pointer(arrays.real(x, (self.model.nv,), "x")))

    def solve_m(self, y):
        """The inverse of the inertia matrix times a vector."""
        return self._vector(lib.cr_solve_m, arrays.pointer(arrays.real(y, (self.model.nv,), "y")))

    @with_contract("cr_rne")
    def rne(self, acceleration=False):
        """Newton-Euler forces of the bodies, with qacc or without."""
        out = np.empty(self.model.nv)
        self._check(lib.cr_rne(self.model._ptr, self._ptr, bool(acceleration), arrays.pointer(out)))
        return out

    @with_contract("cr_geom_distance")
    def geom_distance(self, geom1, geom2, distmax=1.0):
        """The signed distance of two geoms, and the segment between their nearest points: (dist, fromto[6])."""
        one, two = (self.model.id("geom", g) if isinstance(g, str) else int(g) for g in (geom1, geom2))
        dist, fromto = ffi.new("double*"), np.empty(6)
        self._check(lib.cr_geom_distance(self.model._ptr, self._ptr, one, two, distmax, dist, arrays.pointer(fromto)))
        return dist[0], fromto

    @with_contract("cr_pressure_faces", "cr_pressure_corners")
    def pressure_faces(self, geom1, geom2):
        """The faces between two geoms with pressure fields, as forward() placed them: a carom.PressureFaces."""
        from carom.pressure import pressure_faces
        return pressure_faces(self, geom1, geom2)

    # ---- derivatives

    def jvp(self, tangents=None, /, *, of="step", out=None, **named):
        """Tangents of the next state from those of inputs and parameters: see carom.jvp."""
        from carom.derivatives import jvp
        return jvp(self, {**(tangents or {}), **named}, of, out)

    def vjp(self, cotangents=None, /, *, of="step", wrt=None, backward=None, **named):
        """Cotangents of inputs and parameters from those of the next state: see carom.vjp."""
        from carom.derivatives import vjp
        return vjp(self, {**(cotangents or {}), **named}, of, wrt, backward)

    def jacobian(self, parameters=(), sensors=True, derive=False):
        """The Jacobians A, B, C, D of a step: see carom.jacobian."""
        from carom.derivatives import jacobian
        return jacobian(self, parameters, sensors, derive)

    def __repr__(self):
        return f"<carom.Data at {self.time:g} s of {self.model!r}>"


def _restore(model, state, contacts):
    return Data(model, contacts=contacts).set_state(state)
