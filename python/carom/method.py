# SPDX-License-Identifier: Apache-2.0
"""How a motion is computed: options of the model, adaptive steps, contacts from distance, the continuous adjoint."""
from carom._c import NULL, ArgError, choice, struct

_ADAPTIVE = ("rtol", "atol", "first_step", "largest_step", "grid", "linear", "quaternions", "events", "max_steps")
_CFD = ("dc", "d0", "wc", "mc", "pc", "scale")


def variant(model, options):
    """The model with other options, or the model itself where there are none. A contact model that is not convex needs
    elliptic cones, as the command has it."""
    options = {name: value for name, value in options.items() if value is not None}
    if options.get("contact_model", "convex") != "convex":
        options.setdefault("cone", "elliptic")
    return model.copy(options) if options else model


def backward_model(model, cfd):
    """The model whose dynamics a backward pass differentiates with contacts from distance; None where cfd is None.

    cfd   True: with the options cfd_... of the model; a dict of dc, d0, wc, mc, pc and scale (docs/collision.md); or these
          numbers in this order
    """
    if cfd is None or cfd is False:
        return None
    if cfd is True:
        return model.copy(cfd="on")
    values = dict(cfd) if isinstance(cfd, dict) else dict(zip(_CFD, cfd))
    unknown = set(values) - set(_CFD)
    if unknown:
        raise ArgError(f"cfd: '{sorted(unknown)[0]}' is none of {', '.join(_CFD)}")
    if not values.get("scale") and "wc" in values:
        values["scale"] = values["wc"] / 10
    changed = model.copy({f"cfd_{name}": value for name, value in values.items()})
    return changed.set(cfd="on")


def split(options):
    """Parts keyword options: those of adaptive steps, and those of the model."""
    adaptive = {name: options.pop(name) for name in _ADAPTIVE if name in options}
    return adaptive, options


def adaptive(options):
    """The cr_adaptive of keyword options; NULL without any."""
    options = {name: value for name, value in options.items() if value}
    if not options:
        return NULL
    rtol, atol = options.pop("rtol", 0), options.pop("atol", 0)
    if not rtol and not atol:
        raise ArgError(f"{', '.join(options)}: only with rtol or atol")
    result = struct("cr_adaptive", rtol=rtol or 1e-3, atol=atol or rtol / 1000)
    for name, value in options.items():
        setattr(result, name, value)
    return result


def adjoint(options, steps):
    """The cr_adjoint of adjoint="continuous", or of a dict of rtol, atol and states; NULL for None and "discrete"."""
    if options in (None, "discrete"):
        return NULL
    if options == "continuous":
        options = {}
    if not isinstance(options, dict):
        raise ArgError(f"adjoint={options!r}: 'discrete', 'continuous' or a dict of rtol, atol and states expected")
    unknown = set(options) - {"rtol", "atol", "states", "max_steps"}
    if unknown:
        raise ArgError(f"adjoint: '{sorted(unknown)[0]}' is none of rtol, atol, states, max_steps")
    of_steps = steps if steps != NULL else None
    rtol = options.get("rtol") or (of_steps.rtol if of_steps else 1e-6)
    atol = options.get("atol") or (of_steps.atol if of_steps and "rtol" not in options else rtol / 1000)
    return struct("cr_adjoint", rtol=rtol, atol=atol, max_steps=options.get("max_steps", 0),
                  states=choice("adjoint_states", options.get("states", "interpolated")))
