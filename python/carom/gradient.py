# SPDX-License-Identifier: Apache-2.0
"""The gradient of a loss of one rollout by named numbers, differences beside it, and whether to trust it."""
import numpy as np

from carom import arrays, method
from carom._c import NULL, ArgError, call_text, check, ffi, lib, new_error, owned, struct, text, texts, with_contract, word
from carom.data import Data
from carom.losses import Losses


class Trust:
    """Whether a gradient can be trusted: `verdict` ("trust", "refine", "events", "chaotic", "kink", "unsettled"), `text`,
    one sentence, and the figures of cr_trust as attributes (docs/trust.md). True if it can."""

    def __init__(self, trust):
        for name, _ in ffi.typeof("cr_trust").fields:
            if name not in ("size", "verdict", "text"):
                setattr(self, name, getattr(trust, name))
        self.verdict, self.text = text(lib.cr_trust_word(trust.verdict)), text(trust.text)

    def __bool__(self):
        return self.verdict == word("trust_verdict", lib.CR_TRUST_YES)

    def __repr__(self):
        return f"<carom.Trust: {self.verdict}: {self.text}>"


class Run:
    """A model, a rollout with its start and method, a gradient by names and a loss: what one thread has."""

    def __init__(self, model, loss, nstep, wrt, *, qpos=None, qvel=None, act=None, ctrl=None, start=None, every=False,
                 record=(), cfd=None, derive=False, adjoint=None, memory=0, differentiates=True, **options):
        adaptive, options = method.split(options)
        # differences, trust and samples move parameters in the model, so it is a copy
        self.model = method.variant(model, options)
        self.model = model.copy() if self.model is model else self.model
        self.names = [wrt] if isinstance(wrt, str) else list(wrt)
        self.nstep = int(nstep)
        self._backward = method.backward_model(self.model, cfd)
        c_options = struct("cr_gradient_options", backward=NULL if self._backward is None else self._backward._ptr,
                           derive=derive)
        names, self._kept = texts(self.names)
        error, gradient = new_error(), ffi.new("cr_gradient**")
        check(lib.cr_gradient_create(gradient, self.model._ptr, self.nstep, names, len(self.names), c_options, error), error)
        self._gradient = owned(gradient[0], lib.cr_gradient_destroy, self.model._ptr, names, self._kept, self._backward)
        self._rollout = lib.cr_gradient_rollout(self._gradient)
        self._set_method(adaptive, adjoint, memory, error)
        self._grid = adaptive.get("grid") or self.model.timestep
        self._set_start(start, {"qpos": qpos, "qvel": qvel, "act": act}, ctrl)
        self._losses = Losses(self.model, Data(self.model), 1, self.nstep, loss=loss, every=every, record=record,
                              gradient=differentiates, ctrl=self._ctrl[None])

    def _set_method(self, adaptive, adjoint, memory, error):
        steps = method.adaptive(adaptive)
        if steps != NULL:
            check(lib.cr_rollout_set_adaptive(self._rollout, self.model._ptr, steps, error), error)
        c_adjoint = method.adjoint(adjoint, steps)
        if c_adjoint != NULL:
            check(lib.cr_rollout_set_adjoint(self._rollout, self.model._ptr, c_adjoint, error), error)
        if memory:
            check(lib.cr_rollout_set_memory(self._rollout, self.model._ptr, int(memory), error), error)

    def _set_start(self, start, given, ctrl):
        data = lib.cr_rollout_data(self._rollout)
        if start is not None:
            status = lib.cr_state_copy(self.model._ptr, start._ptr, data, lib.CR_STATE_INTEGRATION)
            if status != lib.CR_OK:
                raise ArgError(text(lib.cr_data_error(data)))
        error = new_error()
        for name, values in given.items():
            if values is not None:
                array = arrays.real(values).reshape(-1)
                check(lib.cr_data_set(self.model._ptr, data, name.encode(), arrays.pointer(array), array.size, error), error)
        nu = self.model.nu
        held = arrays.real(np.zeros(nu) if start is None else start.ctrl)
        self._first = Data(self.model)
        lib.cr_state_copy(self.model._ptr, data, self._first._ptr, lib.CR_STATE_INTEGRATION)
        # the memory of the rollout, so that losses in Python see the controls of the run that they are called for
        memory = arrays.view(lib.cr_rollout_ctrl(self._rollout), self.nstep, nu, self._gradient, writable=True)
        self._ctrl = np.asarray(memory).reshape(self.nstep, nu)
        self._ctrl[...] = held if ctrl is None else np.asarray(ctrl, float)

    def _shaped(self, name, numbers):
        """Controls as nstep x nu, whole fields as their tangent."""
        if name == "ctrl":
            return numbers.reshape(self.nstep, self.model.nu)
        field = self.model._fields.get(name)
        if field is not None and field[1].tangent_width > 1 and field[1].rows != "none":
            return numbers.reshape(-1, field[1].tangent_width)
        return numbers


class Gradient(Run):
    """A rollout with its loss and gradient: .loss, gradient["ctrl"] by each name, .time, .qpos, .qvel, .act and recorded
    fields of every step. differences() and trust() run it again."""

    @with_contract("cr_gradient_create", "cr_gradient_compute")
    def __init__(self, model, loss, nstep, wrt, **options):
        super().__init__(model, loss, nstep, wrt, **options)
        self._run()
        self.__dict__.update({name: values[0] for name, values in self._losses.fields.items()})

    def _run(self):
        error, c_loss = new_error(), self._losses.loss()
        status = lib.cr_rollout_run(self._rollout, self.model._ptr, self.nstep, c_loss, error)
        self._losses.check(status, error)
        self.qpos, self.qvel, self.act = (np.array(x[0]) for x in (self._losses.qpos, self._losses.qvel, self._losses.act))
        #: seconds after every step
        self.time = self._first.time + self._grid * np.arange(1, self.nstep + 1)
        #: the loss
        self.loss = lib.cr_rollout_loss(self._rollout)
        status = lib.cr_gradient_compute(self._gradient, c_loss, error)
        self._losses.check(status, error)
        self._values = {name: self._numbers(i) for i, name in enumerate(self.names)}
        #: a sentence where steps have a derivative that depends on the direction
        self.doubt = text(lib.cr_rollout_doubt(self._rollout))
        #: contacts and limits of a run with events that the gradient does not count
        self.uncounted = lib.cr_rollout_uncounted(self._rollout)

    def _numbers(self, i):
        n = lib.cr_gradient_count(self._gradient, i)
        numbers = np.frombuffer(ffi.buffer(lib.cr_gradient_get(self._gradient, i), n * 8)).copy() if n else np.zeros(0)
        return self._shaped(self.names[i], numbers)

    def __getitem__(self, name):
        return self._values[name]

    def keys(self):
        """The names."""
        return self._values.keys()

    def items(self):
        """Names and gradients."""
        return self._values.items()

    def _index(self, name):
        if name not in self.names:
            raise KeyError(f"'{name}' is none of {', '.join(self.names)}")
        return self.names.index(name)

    @with_contract("cr_gradient_scale")
    def scale(self, name):
        """The change of each number that counts as one."""
        values, error = np.empty(lib.cr_gradient_count(self._gradient, self._index(name))), new_error()
        check(lib.cr_gradient_scale(self._gradient, self._index(name), arrays.pointer(values), error), error)
        return self._shaped(name, values)

    @with_contract("cr_gradient_differences")
    def differences(self, name, eps=1e-6):
        """Central differences of the loss by the numbers of a name: two runs each."""
        values, error = np.empty(lib.cr_gradient_count(self._gradient, self._index(name))), new_error()
        status = lib.cr_gradient_differences(self._gradient, self._index(name), eps, arrays.pointer(values), error)
        self._losses.check(status, error)
        return self._shaped(name, values)

    @with_contract("cr_gradient_trust", "cr_trust_measure")
    def trust(self, reach=0.0):
        """Whether the gradient can be trusted over probes of this reach (0: 1e-3 of the scale): a Trust."""
        trust, error = struct("cr_trust"), new_error()
        self._losses.check(lib.cr_gradient_trust(self._gradient, reach, trust, error), error)
        return Trust(trust)

    @property
    def two_slopes(self):
        """Sentences: numbers by which the first step has two slopes (docs/trust.md)."""
        n, error = ffi.new("int*"), new_error()
        status = lib.cr_rollout_run(self._rollout, self.model._ptr, self.nstep, self._losses.loss(), error)
        self._losses.check(status, error)
        check(lib.cr_gradient_two_slopes(self._gradient, 0, NULL, 0, n, error), error)

        def sentence(i):
            return call_text(lambda buffer, size: lib.cr_gradient_two_slopes(self._gradient, i, buffer, size, n, error))
        return [sentence(i) for i in range(n[0])]

    @property
    def steps(self):
        """Of adaptive steps: accepted, rejected, ended in events."""
        numbers = [ffi.new("int*") for _ in range(3)]
        lib.cr_rollout_steps(self._rollout, *numbers)
        return tuple(number[0] for number in numbers)

    def __repr__(self):
        return f"<carom.Gradient of {self.loss:.12g} by {', '.join(self.names)}>"


def steps_of(nstep, ctrl):
    """The number of steps: as given, or that of the controls."""
    if nstep is None and np.ndim(ctrl) != 2:
        raise ArgError("nstep is needed where ctrl does not say how many steps there are")
    return np.shape(ctrl)[0] if nstep is None else nstep


def grad(model, loss, nstep=None, *, wrt="qpos", ctrl=None, **options):
    """The gradient of a loss of one rollout by named numbers: a Gradient.

        result = carom.grad(model, "site_xpos[tip].z", 100, wrt=["ctrl", "body_mass[box]"])
        result.loss, result["ctrl"], result.trust()

    loss     an expression, or a function of a Trajectory that returns (value, {name: cotangents})
    wrt      "qpos" (nv numbers), "qvel", "act", "qfrc_applied", "xfrc_applied" of the start, or numbers of them; "ctrl" of
             every step, "ctrl[elbow]" the same in all steps; model fields, or numbers of them
    qpos, qvel, act, ctrl, start, every, record, cfd, memory, and options by keyword: as carom.rollout
    derive   constants that follow from parameters follow them
    adjoint  "continuous", or a dict of rtol, atol and states: of the differential equation, not of the steps
    """
    return Gradient(model, loss, steps_of(nstep, ctrl), wrt, ctrl=ctrl, **options)
