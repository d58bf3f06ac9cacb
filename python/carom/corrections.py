# SPDX-License-Identifier: Apache-2.0
"""Corrections: small networks in a model that change fields of the dynamics (docs/corrections.md)."""
import os
from typing import NamedTuple

from carom import arrays
from carom._c import NULL, ArgError, check, choice, ffi, lib, new_error, struct, text, word

_KEYS = ("name", "target", "act", "inputs", "layers", "output_scale", "tau", "seed", "random_output", "weights", "l2", "lasso",
         "group_lasso")


class Correction(NamedTuple):
    """A correction of a model: its name, what it changes and how, the stage that it runs behind; members of its target (0: as
    many as there are contacts); numbers of inputs and outputs of its network; where its weights are in plugin_param, and its
    memory in plugin_state."""

    name: str
    target: str
    act: str
    after: str
    members: int
    inputs: int
    outputs: int
    weights: slice
    memory: slice


class Input(NamedTuple):
    """How much the first layer weighs one input number: its place, its number in it, the norm of its weights as a share of all,
    whether they are exactly 0."""

    place: str
    number: int
    share: float
    used: bool


def _known(given, keys, what):
    unknown = set(given) - set(keys)
    if unknown:
        raise ArgError(f"{what}: '{sorted(unknown)[0]}' is none of {', '.join(keys)}")


def _texts(name):
    return ffi.new("char[]", str(name).encode())


def add(model, given):
    """Adds one correction, given as a blueprint has it."""
    _known(given, _KEYS, "a correction")
    kept = [_texts(given.get("name", "")), _texts(given.get("target", ""))]
    inputs = []
    for one in given.get("inputs", ()):
        one = {"place": one} if isinstance(one, str) else one
        _known(one, ("place", "offset", "scale"), "an input")
        kept.append(_texts(one.get("place")))
        place = NULL if one.get("place") in (None, "constant") else kept[-1]
        inputs.append(struct("cr_correction_input", place=place, offset=one.get("offset", 0.0), scale=one.get("scale", 0.0)))
    layers = ffi.new("cr_layer[]", max(1, len(given.get("layers", ()))))
    for layer, one in zip(layers, given.get("layers", ())):
        one = {"width": one} if isinstance(one, int) else one
        _known(one, ("kind", "width", "activation"), "a layer")
        layer.size, layer.width = ffi.sizeof("cr_layer"), int(one.get("width", 0))
        layer.kind = choice("layer_kind", one.get("kind", "dense"))
        layer.activation = choice("activation", one.get("activation", "tanh"))
    pointers = ffi.new("cr_correction_input*[]", inputs or [NULL])
    weights = None if given.get("weights") is None else arrays.real(given["weights"]).reshape(-1)
    options = struct("cr_correction_options", name=kept[0], target=kept[1], act=choice("correction_act", given.get("act", "add")),
                     inputs=ffi.cast("const cr_correction_input*const*", pointers), ninput=len(inputs), layers=layers,
                     nlayer=len(given.get("layers", ())), weights=arrays.pointer(weights),
                     nweight=0 if weights is None else weights.size)
    for key in ("output_scale", "tau", "seed", "random_output", "l2", "lasso", "group_lasso"):
        if key in given:
            setattr(options, key, given[key])
    error = new_error()
    check(lib.cr_model_add_correction(model._ptr, options, error), error)


def corrected(model, blueprints):
    """A copy of a model with corrections: paths of blueprints or of saved corrections, or dicts."""
    copy = model.copy()
    for one in [blueprints] if isinstance(blueprints, (str, os.PathLike, dict)) else blueprints:
        if isinstance(one, dict):
            add(copy, one)
        else:
            error = new_error()
            check(lib.cr_model_read_blueprint(copy._ptr, os.fsencode(one), error), error)
    return copy


def of(model):
    """The corrections of a model."""
    found = []
    for i in range(lib.cr_model_correction_count(model._ptr)):
        info, error = struct("cr_correction_info"), new_error()
        check(lib.cr_model_get_correction(model._ptr, i, info, error), error)
        found.append(Correction(text(info.name), text(info.target), word("correction_act", info.act), text(info.after),
                                info.nmember, info.ninput, info.noutput, slice(info.weight_first, info.weight_first + info.nweight),
                                slice(info.state_first, info.state_first + info.nstate)))
    return found


def usage(model, name):
    """What the correction of a name reads: an Input for each input number."""
    names = [one.name for one in of(model)]
    if name not in names:
        raise ArgError(f"there is no correction '{name}'; there is: {', '.join(names) or 'none'}")
    found = []
    for k in range(of(model)[names.index(name)].inputs):
        use, error = struct("cr_correction_usage"), new_error()
        check(lib.cr_correction_get_usage(model._ptr, names.index(name), k, use, error), error)
        found.append(Input(text(use.place) or "constant", use.number, use.share, bool(use.used)))
    return found


def save(model, path):
    """Writes all corrections with their weights."""
    error = new_error()
    check(lib.cr_model_save_blueprint(model._ptr, os.fsencode(path), error), error)
