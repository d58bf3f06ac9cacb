# SPDX-License-Identifier: Apache-2.0
"""What is estimated: numbers of a model, factors, offsets, inertias, directions, with bounds and transforms."""
import math
import re
from typing import NamedTuple

import numpy as np

from carom import arrays
from carom._c import ArgError, CaromError, call_text, check, choice, ffi, lib, new_error, struct, text, with_contract, words

_FACTORS = ("scale", "density", "shape", "box_side")
_WORDS = re.compile(r"(?:(?P<kind>[a-z_]+):)?(?P<target>[^=]+)(?:=(?P<start>[^:]+)(?::(?P<low>[^:]+):(?P<high>[^:]+))?)?$")


class Parameter(NamedTuple):
    """A parameter as cr_parameter_info has it. parse() makes one or several of words."""

    target: str
    kind: str = "field"
    name: str = None
    start: float = None          # None: of the model
    lower: float = -math.inf
    upper: float = math.inf
    transform: str = None        # None: "log" for what may not be negative, else "none"
    prior: float = 0.0
    prior_sd: float = 0.0        # 0: no prior


def _may_be_negative(model, target, value):
    try:
        model.copy({target: -value if value > 0 else -1.0})
    except CaromError:
        return False
    return True


def expand(model, target):
    """The numbers that a target with patterns stands for: "dof_damping[*]" gives a name for each."""
    n, error = ffi.new("int*"), new_error()
    check(lib.cr_parameter_expand(model._ptr, target.encode(), ffi.NULL, 0, n, error), error)
    names = ffi.new("cr_parameter_target[]", max(1, n[0]))
    check(lib.cr_parameter_expand(model._ptr, target.encode(), names, n[0], n, error), error)
    return [text(names[i].text) for i in range(n[0])]


def parse(model, wish):
    """Parameters of words as `carom fit --estimate` has them: "[KIND:]TARGET[=START[:LOW:HIGH]]"; of a Parameter itself.
    A target of several numbers is a parameter for each."""
    if not isinstance(wish, Parameter):
        match = _WORDS.match(wish)
        if match is None:
            raise ArgError(f"'{wish}': [KIND:]TARGET[=START[:LOW:HIGH]] expected")
        kind = match["kind"] or "field"
        if kind not in words("fit_kind"):
            raise ArgError(f"'{wish}': no kind '{kind}'; there is: {', '.join(words('fit_kind'))}")
        numbers = {key: float(match[word]) for key, word in (("start", "start"), ("lower", "low"), ("upper", "high"))
                   if match[word] is not None}
        wish = Parameter(match["target"], kind, None if kind == "field" else f"{kind}:{match['target']}", **numbers)
    if wish.kind == "field":
        return [_complete(model, wish._replace(target=name, name=wish.name or name), model[name])
                for name in expand(model, wish.target)]
    return [_complete(model, wish._replace(name=wish.name or f"{wish.kind}:{wish.target}"), _first(model, wish))]


def _first(model, wish):
    """What the model has for a parameter."""
    if wish.kind == "tied":
        return model[expand(model, wish.target)[0]]
    if wish.kind == "shape":
        return model[wish.target]
    if wish.kind == "box_side":
        return 2 * model[f"geom_size[{wish.target}][0]"]
    return 1.0 if wish.kind in ("scale", "density") else 0.0


def _complete(model, wish, value):
    """Start, lower bound and transform where they were not given."""
    if wish.kind == "field" and np.ndim(value) > 0:
        raise ArgError(f"{wish.target}: its numbers together have unit length; write direction:{wish.target}")
    start = value if wish.start is None else wish.start
    positive = wish.kind in _FACTORS
    if wish.kind in ("field", "tied"):
        name = wish.target if wish.kind == "field" else expand(model, wish.target)[0]
        positive = not _may_be_negative(model, name, value)
    lower = max(wish.lower, 0.0) if positive else wish.lower
    transform = wish.transform
    if transform is None:
        transform = "log" if (positive or wish.lower > 0) and start > 0 else "none"
    return wish._replace(start=start, lower=lower, transform=transform)


class Parameters:
    """Parameters bound to a model: numbers x that an optimiser moves, the variant of the model that they give, and
    gradients by x. What carom.fit uses; here for optimisers and losses of one's own."""

    @with_contract("cr_parameters_create")
    def __init__(self, model, estimate):
        wishes = [estimate] if isinstance(estimate, (str, Parameter)) else list(estimate)
        #: the list, with starts, bounds and transforms filled in
        self.items = [item for wish in wishes for item in parse(model, wish)]
        self._base, self._kept = model, []
        infos = [self._info(item) for item in self.items]
        error, parameters = new_error(), ffi.new("cr_parameters**")
        check(lib.cr_parameters_create(parameters, model._ptr, ffi.new("cr_parameter_info*[]", infos), len(infos), error),
              error)
        self._ptr = ffi.gc(parameters[0], lib.cr_parameters_destroy)

    def _info(self, item):
        info = struct("cr_parameter_info", kind=choice("fit_kind", item.kind), transform=choice("transform", item.transform),
                      start=item.start, lower=item.lower, upper=item.upper, prior=item.prior, prior_sd=item.prior_sd)
        name, target = (ffi.new("char[]", word.encode()) for word in (item.name[:63], item.target))
        info.name, info.target = name, target
        self._kept += [info, name, target]
        return info

    def __len__(self):
        return lib.cr_parameters_count(self._ptr)

    @property
    def names(self):
        """Name of each number."""
        error = new_error()
        return [call_text(lambda buffer, size, i=i: check(
            lib.cr_parameters_number_name(self._ptr, i, buffer, size, error), error), size=256) for i in range(len(self))]

    def _numbers(self, function, *given, n=1):
        outs, error = [np.empty(len(self)) for _ in range(n)], new_error()
        check(function(self._ptr, *given, *(arrays.pointer(out) for out in outs), error), error)
        return outs[0] if n == 1 else outs

    @property
    def start(self):
        """x of the starts."""
        return self._numbers(lib.cr_parameters_get_start)

    @property
    def bounds(self):
        """(lower, upper) of x."""
        return tuple(self._numbers(lib.cr_parameters_get_bounds, n=2))

    def values(self, x):
        """The parameters p of x."""
        return self._numbers(lib.cr_parameters_get_values, arrays.pointer(arrays.real(x, (len(self),), "x")))

    def model(self, x):
        """A copy of the model with the parameters of x, derived constants included."""
        from carom.model import Model
        error, copy = new_error(), ffi.new("cr_model**")
        x = arrays.real(x, (len(self),), "x")
        check(lib.cr_parameters_set(self._ptr, arrays.pointer(x), error), error)
        check(lib.cr_model_copy(copy, lib.cr_parameters_model(self._ptr), error), error)
        return Model(copy[0], self._base.findings, self._base._origin)
