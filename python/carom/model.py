# SPDX-License-Identifier: Apache-2.0
"""Models: everything that is constant during a simulation."""
import contextlib
import os

import numpy as np

from carom import arrays
from carom._c import (NULL, ArgError, check, ERRORS, ffi, lib, new_error, struct, text, texts, with_contract, words)
from carom.field_table import table
from carom.named import KINDS, HasObjects

NameError_ = ERRORS[lib.CR_ERR_NAME]
_FINDINGS = words("load_finding")


@with_contract("cr_model_open_report", "cr_model_from_mujoco")
def load(source, *, assets=None, package_path=None, floating=False, ground=False, self_collision=True, servo=None):
    """Opens a model.

    source   the path of an MJCF, URDF or Carom model file; the text of an MJCF or URDF file, which begins with "<"; or a
             mujoco.MjModel. A str that holds a "<" first is text, every other one a path
    assets   for a text: contents of the files that it names, {"mesh.stl": bytes}
    package_path, floating, ground, self_collision, servo
             for URDF: the folder of package://, whether the root moves freely, whether there is a floor, whether links
             of the robot touch each other, and (kp, kv) of a position servo on each joint
    """
    if hasattr(source, "_address"):
        return _from_mujoco(source)
    urdf = {"package_path": package_path, "floating": floating, "ground": ground, "self_collision": self_collision,
            "servo": servo}
    if isinstance(source, str) and source.lstrip().startswith("<"):
        return _opened(Origin(None, urdf, source, assets))
    if assets:
        raise ArgError("assets are for models that are given as text; a file has its own beside it")
    return _opened(Origin(os.path.abspath(os.fspath(source)), urdf), os.fspath(source))


def _scratch():
    """A folder for files that go through the disk; its modules are loaded when they are needed."""
    import tempfile
    return tempfile.TemporaryDirectory(prefix="carom-")


def _write_text(folder, source, assets):
    """Writes the text of a model and the files that it names; returns its path."""
    from pathlib import Path
    for name, content in assets.items():
        path = Path(folder, name)
        if not path.resolve().is_relative_to(Path(folder).resolve()):
            raise ArgError(f"assets: '{name}' is not below the model's folder")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else bytes(content))
    path = Path(folder, "model.urdf" if "<robot" in source else "model.xml")
    path.write_text(source)
    return str(path)


class Origin:
    """What a model was opened from: a file, or a text with its assets. It has what a model has not, as textures and lights."""

    def __init__(self, path, urdf, text=None, assets=None):
        self.path, self.urdf, self.text, self.assets = path, urdf, text, assets or {}

    @contextlib.contextmanager
    def source(self):
        """A path and the cr_urdf_options, for calls in C; both last as long as the block."""
        package, servo = self.urdf.get("package_path"), self.urdf.get("servo")
        folder = NULL if package is None else ffi.new("char[]", os.fsencode(package))
        options = struct("cr_urdf_options", floating=self.urdf.get("floating", False), ground=self.urdf.get("ground", False),
                         no_self_collision=not self.urdf.get("self_collision", True), package_path=folder)
        options.servo_kp, options.servo_kv = servo or (0, 0)
        if self.text is None:
            yield ffi.new("char[]", os.fsencode(self.path)), options
            return
        with _scratch() as scratch:
            yield ffi.new("char[]", os.fsencode(_write_text(scratch, self.text, self.assets))), options

    def is_there(self):
        """Whether the file is still there."""
        return self.text is not None or os.path.exists(self.path)


def _opened(origin, name=None):
    """The model; errors speak of the file by the name that the user gave it."""
    with origin.source() as (path, options):
        return _open(path if name is None else os.fsencode(name), options, origin)


def _open(path, options, origin):
    error, model, report = new_error(), ffi.new("cr_model**"), ffi.new("cr_load_report**")
    check(lib.cr_load_report_create(report, error), error)
    kept = ffi.gc(report[0], lib.cr_load_report_destroy)
    check(lib.cr_model_open_report(model, path, options, kept, error), error)
    return Model(model[0], _findings(kept), origin)


def _from_mujoco(source):
    import mujoco
    if mujoco.__version__.split(".")[0] != "4":
        raise ArgError(f"mujoco {mujoco.__version__} is loaded; Carom reads the models of MuJoCo 4")
    error, model, report = new_error(), ffi.new("cr_model**"), ffi.new("cr_load_report**")
    check(lib.cr_load_report_create(report, error), error)
    kept = ffi.gc(report[0], lib.cr_load_report_destroy)
    check(lib.cr_model_from_mujoco(model, ffi.cast("mjModel*", source._address), kept, error), error)
    return Model(model[0], _findings(kept), None)


def _findings(report):
    return {kind: [text(lib.cr_load_report_get(report, i, k)) for k in range(lib.cr_load_report_count(report, i))]
            for i, kind in enumerate(_FINDINGS)}


def _from_bytes(content, origin):
    with _scratch() as folder:
        path = os.path.join(folder, "model.crm")
        with open(path, "wb") as file:
            file.write(content)
        return _open(os.fsencode(path), struct("cr_urdf_options"), origin)


class Model(HasObjects):
    """A model. Its fields are attributes with MuJoCo's names, read-only arrays: model.body_mass["torso"]. Its counts
    (model.nq) and options (model.timestep, model.integrator) are attributes too. set() and copy() change numbers and
    options. Threads may share a model while nobody changes it."""

    def __init__(self, pointer, findings=None, origin=None):
        self._ptr = ffi.gc(pointer, lib.cr_model_destroy)
        self._fields = table(pointer)
        self._origin = origin
        #: what opening found: sentences by kind, "ignored" and "warning"
        self.findings = findings or {}

    # ---- names

    def _named_model(self):
        return self

    def _has(self, field):
        return field.of_model and field.kind != "char"

    def count(self, name):
        """A count by MuJoCo's name, as "nq"."""
        n = lib.cr_model_count(self._ptr, name.encode())
        if n < 0:
            raise NameError_(f"'{name}' is no count of a model")
        return n

    def id(self, kind, name):
        """Number of a named object; kinds are "body", "joint", "geom", "site", "tendon", "actuator", "sensor",
        "equality", "pair" and "keyframe"."""
        i = lib.cr_model_id(self._ptr, kind.encode(), name.encode())
        if i < 0:
            there = ", ".join(self.names(kind)) or "none that have a name"
            raise NameError_(f"there is no {kind} '{name}'; there is: {there}")
        return i

    def name(self, kind, i):
        """Name of an object, "" if it has none; None for a number out of range."""
        return text(lib.cr_model_name(self._ptr, kind.encode(), i))

    def names(self, kind):
        """Names of all objects of a kind that have one."""
        return [name for i in range(self.count(KINDS[kind][0])) if (name := self.name(kind, i))]

    @property
    def control_names(self):
        """Names of the controls, as columns of tables have them."""
        return [self._control_name(i) for i in range(self.nu)]

    def _control_name(self, i):
        error, buffer = new_error(), ffi.new("char[]", lib.CR_CONTROL_NAME)
        check(lib.cr_control_name(self._ptr, i, buffer, lib.CR_CONTROL_NAME, error), error)
        return text(buffer)

    # ---- numbers

    def _place(self, name):
        """Where the numbers of a name are: the cr_place_info."""
        error, place = new_error(), struct("cr_place_info")
        check(lib.cr_model_place(self._ptr, name.encode(), place, error), error)
        return place

    def _finder(self, field):
        def find(name):
            if field.kind in ("param", "const", "state", "real"):
                try:
                    place = self._place(f"{field.name}[{name}]")
                    return place.first, place.count
                except NameError_:
                    if field.kind != "const":
                        raise
            kind = next((k for k, (rows, _) in KINDS.items() if rows == field.rows), None)
            if kind is None:
                raise NameError_(f"the rows of '{field.name}' have no names")
            return self.id(kind, name) * field.width, field.width
        return find

    def _view(self, name):
        _, field = self._fields[name]
        rows, width = ffi.new("int*"), ffi.new("int*")
        code, read = ("<i4", lib.cr_model_integers) if field.kind == "int" else ("<f8", lib.cr_model_numbers)
        numbers = read(self._ptr, name.encode(), rows, width)
        if field.rows == "none":
            rows[0], width[0] = rows[0] * width[0], 1
        return arrays.view(numbers, rows[0], width[0], self._ptr, self._finder(field), code=code)

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        entry = self._fields.get(name)
        if entry is not None and self._has(entry[1]):
            array = self._view(name)
            self.__dict__[name] = array
            return array
        n = lib.cr_model_count(self._ptr, name.encode())
        if n >= 0:
            self.__dict__[name] = n
            return n
        try:
            return self.option(name)
        except NameError_:
            raise AttributeError(f"a model has no field, count or option '{name}'; carom.fields() lists the fields") from None

    def __dir__(self):
        return sorted({*super().__dir__(), *(name for name, (_, field) in self._fields.items() if self._has(field))})

    def __getitem__(self, name):
        """The numbers of a named place: model["geom_size[cube][0]"], model["body_mass[torso]"]."""
        return get_place(self, name, lambda values, n, error: lib.cr_model_get(self._ptr, name.encode(), values, n, error))

    def __setitem__(self, name, value):
        self.set({name: value})

    def option(self, name):
        """An option: a number, or the word of a choice."""
        chosen = text(lib.cr_model_get_choice(self._ptr, name.encode()))
        if chosen is not None:
            return chosen
        error, value = new_error(), ffi.new("double*")
        check(lib.cr_model_get_option(self._ptr, name.encode(), value, error), error)
        return value[0]

    def flag(self, name):
        """A flag by its name in MJCF's <flag>, as "gravity": whether it is on."""
        value = lib.cr_model_get_flag(self._ptr, name.encode())
        if value < 0:
            raise NameError_(f"there is no flag '{name}'")
        return bool(value)

    # ---- changes

    @with_contract("cr_model_set_many", "cr_model_set_option", "cr_model_set_choice", "cr_model_set_flag", "cr_model_derive")
    def set(self, changes=None, /, *, derive=False, flags=None, **named):
        """Changes numbers, options and flags of this model, which no simulation may use meanwhile.

            model.set({"body_mass[torso]": 8.0}, gravity=[0, 0, -1.6])
            model.set(timestep=0.001, integrator="rk4", flags={"contact": False})
            model.set(body_mass={"torso": 8.0, "head": 2.0}, derive=True)

        derive   derive constants that follow (body_invweight0 ...) again
        """
        for kept in ("_batches", "_maps"):
            self.__dict__.pop(kept, None)
        places, options = {}, {}
        for name, value in {**(changes or {}), **named}.items():
            if name.split("[")[0] in self._fields:
                items = value.items() if isinstance(value, dict) else ((None, value),)
                places.update({name if key is None else f"{name}[{key}]": item for key, item in items})
            else:
                options[name] = value
        for name, value in options.items():
            self._set_option(name, value)
        if places:
            self._set_places(places)
        for name, on in (flags or {}).items():
            error = new_error()
            check(lib.cr_model_set_flag(self._ptr, name.encode(), bool(on), error), error)
        if derive:
            error = new_error()
            check(lib.cr_model_derive(self._ptr, error), error)
        return self

    def _set_option(self, name, value):
        error = new_error()
        if isinstance(value, str):
            check(lib.cr_model_set_choice(self._ptr, name.encode(), value.encode(), error), error)
        else:
            check(lib.cr_model_set_option(self._ptr, name.encode(), float(value), error), error)

    def _set_places(self, places):
        error = new_error()
        names, kept = texts(list(places))
        values = [arrays.real(np.broadcast_to(np.asarray(value, float).reshape(-1), self._place(name).count))
                  if np.ndim(value) == 0 else arrays.real(value).reshape(-1) for name, value in places.items()]
        for name, value in zip(places, values):
            if value.size != self._place(name).count:
                raise ArgError(f"{name} has {self._place(name).count} numbers, not {value.size}")
        pointers = ffi.new("const double*[]", [arrays.pointer(value) for value in values])
        check(lib.cr_model_set_many(self._ptr, names, pointers, len(places), error), error)
        del kept

    @with_contract("cr_model_copy")
    def copy(self, changes=None, /, **named):
        """A copy with its own numbers and options, changed as set() does: model.copy(timestep=0.001)."""
        error, copy = new_error(), ffi.new("cr_model**")
        check(lib.cr_model_copy(copy, self._ptr, error), error)
        model = Model(copy[0], self.findings, self._origin)
        return model.set(changes, **named) if changes or named else model

    __copy__ = copy

    def __deepcopy__(self, memo):
        return self.copy()

    # ---- corrections

    @with_contract("cr_model_read_blueprint", "cr_model_add_correction")
    def corrected(self, blueprints):
        """A copy with corrections, small networks whose weights are the parameter plugin_param (docs/corrections.md):

            model.corrected("friction.yaml"); model.corrected("found.crb")
            model.corrected({"name": "oil", "target": "dof_damping[gear]", "act": "scale",
                             "inputs": [{"place": "qvel[gear]", "scale": 0.2}], "layers": [4]})
        """
        from carom.corrections import corrected
        return corrected(self, blueprints)

    @property
    def corrections(self):
        """The corrections of the model: a list of carom.Correction."""
        from carom.corrections import of
        return of(self)

    def correction_inputs(self, name):
        """What a correction reads: a list of carom.corrections.Input, with the share of each input number."""
        from carom.corrections import usage
        return usage(self, name)

    @with_contract("cr_model_save_blueprint")
    def save_corrections(self, path):
        """Writes all corrections with their weights, for corrected() and for --blueprint of the command."""
        from carom.corrections import save
        save(self, path)

    # ---- pressure fields

    @with_contract("cr_model_set_pressure")
    def with_pressure(self, geom, kind, *, modulus=0, dissipation=0, transition=0, thickness=0, around=0, vertices=None,
                      tets=None, triangles=None, level=None):
        """A copy in which a geom has a pressure field (docs/pressure.md), of tetrahedra made of its shape or given:

            model.with_pressure("floor", "rigid").with_pressure("ball", "compliant", modulus=1e5)
            model.with_pressure("toe", "compliant", modulus=1e6, vertices=points, tets=cells)

        vertices  n x 3, in the frame of the geom; with tets, k x 4 numbers of vertices, or triangles, k x 3, that close
        level     n: pressure at the vertices over the modulus; None: by the distance from the boundary
        """
        from carom.pressure import with_pressure
        return with_pressure(self, geom, kind, modulus=modulus, dissipation=dissipation, transition=transition,
                             thickness=thickness, around=around, vertices=vertices, tets=tets, triangles=triangles, level=level)

    # ---- files

    @with_contract("cr_model_save", "cr_mujoco_save")
    def save(self, path):
        """Writes the model: .crm Carom's own file; .xml and .mjb, of a model that was opened from MJCF or URDF, what MuJoCo
        loads, with the values that it has now."""
        error, path = new_error(), os.fspath(path)
        if path.endswith((".xml", ".mjb")):
            if self._origin is None or self._origin.path is None:
                raise ArgError("only a model that was opened from a file can be saved for MuJoCo")
            with self._origin.source() as (source, options):
                check(lib.cr_mujoco_save(self._ptr, source, options, os.fsencode(path), error), error)
        else:
            check(lib.cr_model_save(self._ptr, os.fsencode(path), error), error)

    def __reduce__(self):
        with _scratch() as folder:
            path = os.path.join(folder, "model.crm")
            self.save(path)
            with open(path, "rb") as file:
                return _from_bytes, (file.read(), self._origin)

    def fingerprint(self):
        """A number that two models share if all their numbers and options are the same bits."""
        return lib.cr_model_fingerprint(self._ptr, 0)

    def __repr__(self):
        return (f"<carom.Model: {self.nq} coordinates, {self.nv} dofs, {self.nu} controls, {self.nbody} bodies, "
                f"{self.integrator}, {self.timestep:g} s>")


def get_place(model, name, read):
    """The numbers of a place: one number, or an array."""
    place = model._place(name)
    values, error = np.empty(place.count), new_error()
    check(read(arrays.pointer(values), place.count, error), error)
    return float(values[0]) if place.count == 1 else values


