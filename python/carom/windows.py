# SPDX-License-Identifier: Apache-2.0
"""Parameters from recorded states, by windows of them: for bodies that are thrown, dropped or pushed."""
import os

import numpy as np

from carom import arrays, method
from carom._c import ArgError, call_text, check, choice, ffi, lib, new_error, owned, struct, text, with_contract
from carom.costs import Cost
from carom.fitting import _stop  # noqa: F401  the callback of Ctrl-C
from carom.parameters import Parameters


class Recordings:
    """Recorded motion of a model: runs of whole states at equal times.

        data = carom.Recordings(model, 0.002)
        data.add("toss1", qpos, qvel)                     rows x nq, rows x nv
        data = carom.Recordings.read(model, "tosses.h5")
    """

    def __init__(self, model, interval, *, _pointer=None):
        error, pointer = new_error(), ffi.new("cr_recordings**")
        if _pointer is None:
            check(lib.cr_recordings_create(pointer, model._ptr, interval, error), error)
        self._ptr = owned(pointer[0] if _pointer is None else _pointer, lib.cr_recordings_destroy)
        self.model = model

    @classmethod
    @with_contract("cr_recordings_read")
    def read(cls, model, path):
        """The runs of an HDF5 file."""
        error, pointer = new_error(), ffi.new("cr_recordings**")
        check(lib.cr_recordings_read(pointer, model._ptr, os.fsencode(path), error), error)
        return cls(model, 0, _pointer=pointer[0])

    @with_contract("cr_recordings_add")
    def add(self, name, qpos, qvel, act=None, ctrl=None, *, group=None):
        """Adds a run: a row a state, with the controls that are held until the next row."""
        model, rows, error = self.model, len(qpos), new_error()
        parts = [arrays.real(values if values is not None else np.zeros((rows, n)), (rows, n), label)
                 for label, values, n in (("qpos", qpos, model.nq), ("qvel", qvel, model.nv), ("act", act, model.na),
                                          ("plugin_state", None, model.npluginstate), ("ctrl", ctrl, model.nu))]
        values, word = np.ascontiguousarray(np.concatenate(parts, axis=1)), ffi.new("char[]", name.encode())
        info = struct("cr_recording_info", name=word, rows=rows, values=arrays.pointer(values),
                      group=len(self) if group is None else group)
        check(lib.cr_recordings_add(self._ptr, info, error), error)
        return self

    @with_contract("cr_recordings_write")
    def write(self, path, title=""):
        """Writes an HDF5 file."""
        error = new_error()
        check(lib.cr_recordings_write(self._ptr, os.fsencode(path), title.encode(), error), error)

    def __len__(self):
        return lib.cr_recordings_count(self._ptr)

    @property
    def doubt(self):
        """A sentence where velocities contradict positions; "" otherwise."""
        error = new_error()
        return call_text(lambda buffer, size: check(lib.cr_recordings_doubt(self._ptr, buffer, size, error), error))


@ffi.def_extern(name="carom_py_more")
def _more(context, worker, nstep, interval):
    return ffi.from_handle(context)[worker].loss(nstep, interval)[0]


class WindowFit:
    """How well a model with given parameters predicts windows of recordings, with the gradient; and a search.

        fit = carom.WindowFit(model, recordings, ["box_side:cube"], steps=10)
        loss, gradient = fit.evaluate(fit.parameters.start)
        x = fit.minimise(); fit.parameters.values(x)

    steps, stride      rows that a window predicts (0: the whole run), from the start of one window to the next
    held_out, seed     share of the groups that is held aside
    weights            of errors: dict of position, rotation, velocity, spin
    norm, p, q         of errors, as of a carom.Term; "power" with p=2 is their squares, with p=1 their sizes
    cost               carom.Term, or a list of them, whose cost is added to the loss of every window
    cfd                contacts from distance in the backward pass, as carom.backward_model
    threads, memory, adjoint and options    as carom.grad
    """

    @with_contract("cr_fit_create", "cr_fit_evaluate")
    def __init__(self, model, recordings, estimate, *, steps=0, stride=0, held_out=0.0, seed=0, weights=None, norm="power",
                 p=0.0, q=0.0, cost=None, cfd=None, threads=0, memory=0, adjoint=None, **options):
        adaptive, options = method.split(options)
        model = method.variant(model, options)
        # a fit takes the options cfd_... of its model, and switches contacts from distance on by itself
        backward = method.backward_model(model, cfd)
        self._model = model if backward is None else backward.copy(cfd="off")
        self.recordings = recordings
        self.parameters = Parameters(self._model, estimate)
        c_adaptive = method.adaptive(adaptive)
        c_options = struct("cr_fit_options", steps=steps, stride=stride, held_out=held_out, seed=seed,
                           norm=choice("norm", norm), p=p, q=q,
                           adaptive=c_adaptive, adjoint=method.adjoint(adjoint, c_adaptive), memory=memory,
                           cfd=backward is not None, nthread=threads, stop=lib.carom_py_stop, **(weights or {}))
        self._costs = []  # one a thread
        handle = ffi.new_handle(self._costs)
        if cost is not None:
            c_options.more = {"context": handle, "loss": lib.carom_py_more}
        error, fit = new_error(), ffi.new("cr_fit**")
        check(lib.cr_fit_create(fit, self.parameters._ptr, recordings._ptr, c_options, error), error)
        self._ptr = owned(fit[0], lib.cr_fit_destroy, self.parameters._ptr, recordings._ptr, c_options, handle)
        if cost is not None:
            self._costs.extend(Cost(self._model, cost) for _ in range(lib.cr_fit_threads(self._ptr)))

    def _check(self, status, error):
        for cost in self._costs:
            cost.check(status, error)
        check(status, error)

    def _part(self, part):
        parts = {"train": lib.CR_FIT_TRAIN, "held": lib.CR_FIT_HELD}
        if part not in parts:
            raise ArgError(f"part='{part}': train or held expected")
        return parts[part]

    def info(self, part="train"):
        """windows, groups, rows of the longest window, and the loss where nothing moves."""
        error, info = new_error(), struct("cr_fit_info")
        check(lib.cr_fit_get_info(self._ptr, self._part(part), info, error), error)
        return {name: getattr(info, name) for name, _ in ffi.typeof("cr_fit_info").fields if name != "size"}

    def evaluate(self, x, part="train", gradient=True):
        """The mean loss at x, and its gradient: (loss, gradient), or the loss alone."""
        x, error = arrays.real(x, (len(self.parameters),), "x"), new_error()
        bar = np.empty_like(x) if gradient else None
        value = struct("cr_fit_value", gradient=arrays.pointer(bar))
        self._check(lib.cr_fit_evaluate(self._ptr, self._part(part), lib.CR_ALL_DATA, arrays.pointer(x), value, error), error)
        return (value.loss, bar) if gradient else value.loss

    @with_contract("cr_minimise_lbfgs", "cr_minimise_adam")
    def minimise(self, x=None, *, method="lbfgs", iterations=100, tolerance=1e-9, rate=0.01, final_rate=0.0,
                 estimator=None, sigma=None, samples=16, draws="antithetic", seed=0):
        """Minimises the loss from x (None: the starts): x at the end. `reason` says why it ended.

        estimator  "first", "zeroth" or "alpha": the mean loss under noise on x, whose standard deviation is sigma, one
                   number or one for each of x (docs/estimators.md)
        """
        n, error, reason = len(self.parameters), new_error(), ffi.new("const char**")
        x = np.array(self.parameters.start if x is None else x, dtype=float)
        lower, upper = self.parameters.bounds
        problem = struct("cr_minimise_problem", n=n, evaluate=lib.cr_fit_objective, context=self._ptr,
                         lower=arrays.pointer(lower), upper=arrays.pointer(upper))
        if (estimator is None) != (sigma is None):
            raise ArgError("estimator and sigma go together")
        if estimator is not None:
            noise = arrays.real(np.broadcast_to(np.asarray(sigma, float), n))
            how = struct("cr_estimator_options", kind=choice("estimator_kind", estimator), samples=int(samples),
                         sigma=arrays.pointer(noise), draws=choice("draws", draws), seed=seed)
            pointer = ffi.new("cr_smoothed_objective**")
            check(lib.cr_smoothed_objective_create(pointer, problem, how, error), error)
            smoothed = owned(pointer[0], lib.cr_smoothed_objective_destroy, self._ptr)
            problem.evaluate, problem.context = lib.cr_smoothed_objective_evaluate, smoothed
        if method == "lbfgs":
            options = struct("cr_lbfgs_options", iterations=iterations, tolerance=tolerance)
            status = lib.cr_minimise_lbfgs(problem, options, arrays.pointer(x), reason, error)
        elif method == "adam":
            options = struct("cr_adam_options", iterations=iterations, rate=rate, final_rate=final_rate, tolerance=tolerance,
                             keep_best=True)
            status = lib.cr_minimise_adam(problem, options, arrays.pointer(x), reason, error)
        else:
            raise ArgError(f"method='{method}': lbfgs or adam expected")
        self._check(status, error)
        self.reason = text(reason[0])
        return x

    def model(self, x):
        """The model with the parameters of x."""
        return self.parameters.model(x)


