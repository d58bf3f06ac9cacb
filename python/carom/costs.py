# SPDX-License-Identifier: Apache-2.0
"""Costs of motions: sums of weighted norms of residuals, which are expressions, places, or functions in Python."""
import numpy as np

from carom import arrays
from carom._c import ArgError, check, choice, ffi, lib, new_error, owned, struct, text, with_contract
from carom.data import Data

_KINDS = ("expression", "place", "orientation")


class Term:
    """A term of a cost.

        carom.Term("1 - cos(qpos[hinge])", weight=4, terminal=20, norm="smooth_abs", p=0.1)
        carom.Term("qvel", kind="place", weight=0.02)
        carom.Term(reach, derivative=reach_by_state, weight=1, fields=True)

    of          the residual: an expression; with kind="place" a place; with kind="orientation" a place of one quaternion; or a
                function of a State that returns its numbers. Threads call a function one after the other
    weight      1/s: the cost is the integral of weight times norm over the motion
    terminal    weight of the norm of the last state
    norm, p, q  "quadratic", "l2", "smooth_abs" ... and its parameters (docs/derivations/cost.md)
    target      what is wanted, subtracted from the residual: its numbers, or rows of them with their `times`
    name        in tables
    derivative  of a function: a function of a State that returns {field: array}, one row for each number of the residual
                and one column for each number of the field's tangent, of qpos nv. Methods that only sample need none
    fields      the function reads more than qpos, qvel, act, ctrl and time
    """

    def __init__(self, of, *, weight=0.0, terminal=0.0, norm="quadratic", p=0.0, q=0.0, kind=None, target=None, times=None,
                 name=None, derivative=None, fields=False):
        if not isinstance(of, str) and not callable(of):
            raise ArgError(f"a term is of a text or a function, not of {of!r}")
        if isinstance(of, str) and derivative is not None or callable(of) and kind is not None:
            raise ArgError("derivative is for functions, kind for texts")
        if kind is not None and kind not in _KINDS:
            raise ArgError(f"kind='{kind}': there is {', '.join(_KINDS)}")
        self.of, self.weight, self.terminal, self.norm, self.p, self.q = of, weight, terminal, norm, p, q
        self.kind, self.target, self.times, self.derivative, self.fields = kind or "expression", target, times, derivative, fields
        self.name = name or (of if isinstance(of, str) else getattr(of, "__name__", "function"))

    def __repr__(self):
        return f"<carom.Term {self.name}>"


class State(Data):
    """What a residual in Python gets: the state after a step with its control and, where the term has fields=True, everything
    that is computed from them. It is for reading, and only until the function returns: copy what has to stay."""


class _Function:
    """A residual in Python, for C."""

    def __init__(self, model, term):
        self.model, self.term, self.failure = model, term, None
        probe = Data(model).forward()
        first = np.atleast_1d(np.asarray(term.of(probe), float))
        if first.ndim != 1:
            raise ArgError(f"{term.name}: it returned an array of shape {first.shape}; numbers in a row expected")
        self.n = first.size
        self.handle = ffi.new_handle(self)
        self.callback = ffi.new("cr_cost_callback*", {"context": self.handle, "n": self.n, "value": lib.carom_py_residual,
                                                      "bar": lib.carom_py_residual_bar, "needs_fields": bool(term.fields)})

    def value(self, d, r):
        values = np.atleast_1d(np.asarray(self.term.of(State.over(self.model, d)), float))
        if values.shape != (self.n,):
            raise ArgError(f"{self.term.name}: it returned {values.size} numbers, {self.n} before")
        _over(r, self.n)[:] = values

    def bar(self, d, r_bar, bar):
        if self.term.derivative is None:
            raise ArgError(f"{self.term.name}: this method needs derivatives, and the term has none; give derivative=, or "
                           "choose a method that samples: sampling, cem, mppi")
        weights = _over(r_bar, self.n)
        rows, width = ffi.new("int*"), ffi.new("int*")
        for name, jacobian in self.term.derivative(State.over(self.model, d)).items():
            to = lib.cr_data_view(self.model._ptr, bar, name.encode(), rows, width)
            size = rows[0] * width[0]
            jacobian = np.asarray(jacobian, float)
            if to == ffi.NULL and size > 0 or jacobian.size != self.n * size:
                raise ArgError(f"{self.term.name}: its derivative by '{name}' has shape {jacobian.shape}; "
                               f"({self.n}, {size}) expected")
            if size > 0:
                _over(to, size)[:] += weights @ jacobian.reshape(self.n, size)


def _over(pointer, n):
    return np.frombuffer(ffi.buffer(pointer, 8 * n), dtype=np.float64)


def _guarded(context, call):
    function = ffi.from_handle(context)
    try:
        call(function)
        return lib.CR_OK
    except BaseException as failure:  # goes through C, see Cost.check
        function.failure = failure
        return lib.CR_ERR_INTERRUPTED


@ffi.def_extern(name="carom_py_residual", error=lib.CR_ERR_INTERRUPTED)
def _residual(context, m, d, r):
    return _guarded(context, lambda function: function.value(d, r))


@ffi.def_extern(name="carom_py_residual_bar", error=lib.CR_ERR_INTERRUPTED)
def _residual_bar(context, m, d, r_bar, bar):
    return _guarded(context, lambda function: function.bar(d, r_bar, bar))


class Cost:
    """The terms of a cost, for a model."""

    @with_contract("cr_cost_create", "cr_cost_add")
    def __init__(self, model, terms):
        error, pointer = new_error(), ffi.new("cr_cost**")
        check(lib.cr_cost_create(pointer, model._ptr, error), error)
        self.model, self.functions = model, []
        self._ptr = owned(pointer[0], lib.cr_cost_destroy, model._ptr, self.functions)
        for term in [terms] if isinstance(terms, Term) else terms:
            self._add(term)

    def _add(self, term):
        if not isinstance(term, Term):
            raise ArgError(f"a cost is a list of carom.Term; {term!r} is none")
        name, error = ffi.new("char[]", term.name.encode()), new_error()
        c_term = struct("cr_cost_term", name=name, norm=_word("norm", term.norm), p=term.p, q=term.q,
                        weight=term.weight, terminal=term.terminal)
        if callable(term.of):
            function = _Function(self.model, term)
            self.functions.append(function)
            c_term.kind, c_term.residual = lib.CR_RESIDUAL_CALLBACK, function.callback
        else:
            word = ffi.new("char[]", term.of.encode())
            c_term.kind, c_term.text = choice("residual_kind", term.kind), word
        if term.target is not None:
            target = arrays.real(term.target)
            times = None if term.times is None else arrays.real(term.times).reshape(-1)
            if times is not None and (target.ndim < 1 or target.shape[0] != times.size):
                raise ArgError(f"{term.name}: target has shape {target.shape}, times {times.size} numbers: a row for each")
            c_term.rows = 1 if times is None else times.size
            self._check_target(term, target, c_term.rows)
            c_term.target, c_term.times = arrays.pointer(target), arrays.pointer(times)
        check(lib.cr_cost_add(self._ptr, c_term, error), error)

    def _check_target(self, term, target, rows):
        """C reads as many numbers as the residual has."""
        if callable(term.of):
            n = self.functions[-1].n
        elif term.kind == "expression":
            n = self._check_single(term)
        else:
            n = self.model._place(term.of).count
        if target.size != rows * n:
            raise ArgError(f"{term.name}: target has {target.size / max(rows, 1):g} numbers a row, its residual {n}")

    def _check_single(self, term):
        """An expression with a target is one number."""
        error, expression = new_error(), ffi.new("cr_expression**")
        if lib.cr_expression_create(expression, self.model._ptr, term.of.encode(), error) != lib.CR_OK:
            raise ArgError(f"{term.name}: only an expression of one number has a target; use kind='place' ({text(error.text)})")
        lib.cr_expression_destroy(expression[0])
        return 1

    @property
    def names(self):
        """Names of the terms."""
        return [text(lib.cr_cost_name(self._ptr, i)) for i in range(lib.cr_cost_count(self._ptr))]

    def parts(self):
        """What each term added to the cost of the last motion."""
        return {name: lib.cr_cost_part(self._ptr, i) for i, name in enumerate(self.names)}

    def loss(self, nstep, interval):
        """The cost of a motion as a cr_loss."""
        return ffi.new("cr_loss*", lib.cr_cost_loss(self._ptr, nstep, interval))

    def check(self, status, error):
        """Raises what a function of a term raised, or what a status says."""
        for function in self.functions:
            if function.failure is not None:
                failure, function.failure = function.failure, None
                raise failure
        check(status, error)


def _word(kind, name):
    value = choice(kind, name)
    if value < 0:
        raise ArgError(f"{kind}: there is no '{name}'")
    return value
