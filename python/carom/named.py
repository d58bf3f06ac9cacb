# SPDX-License-Identifier: Apache-2.0
"""Named objects of a model: model.body("torso").mass, data.joint("knee").qpos."""
import numpy as np

#: kinds of objects: the count of their rows, and the beginnings of names of their fields
KINDS = {
    "body": ("nbody", ("body_",)),
    "joint": ("njnt", ("jnt_", "dof_")),
    "geom": ("ngeom", ("geom_",)),
    "site": ("nsite", ("site_",)),
    "tendon": ("ntendon", ("tendon_", "ten_")),
    "actuator": ("nactuator", ("actuator_",)),
    "sensor": ("nsensor", ("sensor_", "sensor")),
    "equality": ("neq", ("eq_",)),
    "pair": ("npair", ("pair_",)),
    "keyframe": ("nkey", ("key_",)),
}

# rows that belong to an object of another kind: (kind, rows) -> (first row, number of rows) of object i
_OTHER_ROWS = {
    ("joint", "nq"): lambda m, i: (m.jnt_qposadr[i], (7, 4, 1, 1)[m.jnt_type[i]]),
    ("joint", "nv"): lambda m, i: (m.jnt_dofadr[i], (6, 3, 1, 1)[m.jnt_type[i]]),
    ("sensor", "nsensordata"): lambda m, i: (m.sensor_adr[i], m.sensor_dim[i]),
    ("actuator", "nu"): lambda m, i: (m.actuator_ctrladr[i], m.actuator_ctrlnum[i]),
    ("actuator", "nout"): lambda m, i: (m.actuator_outadr[i], m.actuator_outnum[i]),
    ("actuator", "na"): lambda m, i: (m.actuator_actadr[i], m.actuator_actnum[i]),
    ("body", "nv"): lambda m, i: (m.body_dofadr[i], m.body_dofnum[i]),
    ("body", "njnt"): lambda m, i: (m.body_jntadr[i], m.body_jntnum[i]),
    ("body", "ngeom"): lambda m, i: (m.body_geomadr[i], m.body_geomnum[i]),
    ("body", "nmocap"): lambda m, i: (m.body_mocapid[i], 0 if m.body_mocapid[i] < 0 else 1),
}


class Named:
    """One object: its id, its name, and as attributes the numbers that fields have for it. They are views: writing to
    those of a state changes the state."""

    __slots__ = ("_owner", "_model", "kind", "id", "name")

    def __init__(self, owner, model, kind, key):
        for slot, value in (("_owner", owner), ("_model", model), ("kind", kind)):
            object.__setattr__(self, slot, value)
        i = model.id(kind, key) if isinstance(key, str) else int(key)
        name = model.name(kind, i)
        if name is None:
            raise IndexError(f"there is no {kind} {key}: the model has {model.count(KINDS[kind][0])}")
        object.__setattr__(self, "id", i)
        object.__setattr__(self, "name", name)

    def _rows(self, field):
        """First row and number of rows of the object in a field; None where the field has none of its."""
        if field.rows == KINDS[self.kind][0]:
            return self.id, 1
        other = _OTHER_ROWS.get((self.kind, field.rows))
        return None if other is None else other(self._model, self.id)

    def _find(self, attribute):
        for prefix in (*KINDS[self.kind][1], ""):
            entry = self._model._fields.get(prefix + attribute)
            rows = entry and self._owner._has(entry[1]) and self._rows(entry[1])
            if rows:
                return getattr(self._owner, entry[1].name), rows
        raise AttributeError(f"{self.kind} has no '{attribute}'; there is: {', '.join(dir(self))}")

    def __getattr__(self, attribute):
        if attribute.startswith("__"):
            raise AttributeError(attribute)
        array, (first, n) = self._find(attribute)
        plain = array.view(np.ndarray)
        return plain[first] if array.ndim > 1 and n == 1 else plain[first:first + n]

    def __setattr__(self, attribute, value):
        self.__getattr__(attribute)[...] = value

    def __dir__(self):
        found = {"id", "name"}
        for name, (_, field) in self._model._fields.items():
            if self._owner._has(field) and self._rows(field):
                prefix = next((p for p in KINDS[self.kind][1] if name.startswith(p)), "")
                found.add(name[len(prefix):])
        return sorted(found)

    def __repr__(self):
        return f"<{self.kind} {self.id} '{self.name}'>"


class HasObjects:
    """The methods body(), joint() ... of models and data."""

    def _object(self, kind, key):
        return Named(self, self._named_model(), kind, key)

    def body(self, key):
        """A body by name or number: model.body("torso").mass, data.body("torso").xpos."""
        return self._object("body", key)

    def joint(self, key):
        """A joint by name or number: model.joint("knee").range, data.joint("knee").qpos."""
        return self._object("joint", key)

    def geom(self, key):
        """A geom by name or number."""
        return self._object("geom", key)

    def site(self, key):
        """A site by name or number."""
        return self._object("site", key)

    def tendon(self, key):
        """A tendon by name or number."""
        return self._object("tendon", key)

    def actuator(self, key):
        """An actuator by name or number: data.actuator("motor").ctrl."""
        return self._object("actuator", key)

    def sensor(self, key):
        """A sensor by name or number: data.sensor("gyro").data."""
        return self._object("sensor", key)

    def equality(self, key):
        """An equality constraint by name or number."""
        return self._object("equality", key)

    def pair(self, key):
        """A pair of geoms of <contact> by name or number."""
        return self._object("pair", key)

    def keyframe(self, key):
        """A keyframe by name or number: model.keyframe("home").qpos."""
        return self._object("keyframe", key)
