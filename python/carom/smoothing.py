# SPDX-License-Identifier: Apache-2.0
"""The gradient of the mean loss under noise, estimated from samples."""
import os

import numpy as np

from carom import arrays
from carom._c import ArgError, check, choice, ffi, lib, new_error, struct, text, with_contract, word
from carom.fitting import _stop  # noqa: F401  the callback of Ctrl-C
from carom.gradient import Run, steps_of

_FIGURES = ("loss", "mean", "mean_error", "first_variance", "zeroth_variance", "alpha", "distance",
            "certainty")


class SmoothedGradient:
    """The gradient of E[L(x + w)], gradient["ctrl"] by each name. error, first and zeroth are dicts by name.

    error                            half the width of each number's interval
    first, zeroth                    the estimates of first and zeroth order; NaN where the estimator has none
    loss, mean, mean_error           L(x); the mean of L(x + w), and half the width of its interval
    first_variance, zeroth_variance  of one sample: trace of the covariance of its summand
    alpha                            weight of the first order
    distance, certainty              |first - zeroth|; within which the zeroth order is from the truth
    verdict                          where alpha comes from: "free", "bounded" or "zero"
    text                             a sentence about bias and variance
    """

    @with_contract("cr_gradient_estimate")
    def __init__(self, runs, sigma, covariance, options):
        self._runs, run = runs, runs[0]
        self._sizes = [lib.cr_gradient_count(run._gradient, i) for i in range(len(run.names))]
        n = sum(self._sizes)
        noise = self._noise(sigma, covariance, n)
        numbers = {name: np.zeros(n) for name in ("gradient", "error", "first", "zeroth")}
        found = struct("cr_smoothed_gradient", **{name: arrays.pointer(x) for name, x in numbers.items()})
        c_options = struct("cr_estimator_options", stop=lib.carom_py_stop, **options,
                           **{name: arrays.pointer(x) for name, x in noise.items()})
        self._estimate(c_options, found)
        self._values, self.error, self.first, self.zeroth = (self._named(x) for x in numbers.values())
        for name in _FIGURES:
            setattr(self, name, getattr(found, name))
        self.verdict, self.text = word("alpha_verdict", found.verdict), text(found.text)

    def _noise(self, sigma, covariance, n):
        names = self._runs[0].names
        if covariance is not None:
            return {"covariance": arrays.real(covariance, (n, n), "covariance")}
        unknown = [name for name in sigma if name not in names]
        missing = [name for name in names if name not in sigma]
        if unknown or missing:
            raise ArgError(f"sigma: '{unknown[0]}' is none of {', '.join(names)}" if unknown else
                           f"sigma: '{missing[0]}' has no standard deviation")
        parts = []
        for name, size in zip(names, self._sizes):
            given = np.asarray(sigma[name], float)
            if given.size not in (1, size):
                raise ArgError(f"sigma: '{name}' has {given.size} numbers; 1 or {size} expected")
            parts.append(np.broadcast_to(given.reshape(-1), size))
        return {"sigma": np.concatenate(parts)}

    def _estimate(self, c_options, found):
        n, error = len(self._runs), new_error()
        workers = ffi.new("cr_gradient*[]", [run._gradient for run in self._runs])
        losses = ffi.new("cr_loss[]", [run._losses.loss()[0] for run in self._runs])
        status = lib.cr_gradient_estimate(workers, losses, n, c_options, found, error)
        for run in self._runs:
            run._losses.check(lib.CR_OK if run._losses.failure is None else status, error)
        check(status, error)

    def _named(self, numbers):
        run = self._runs[0]
        parts = np.split(numbers, np.cumsum(self._sizes)[:-1])
        return {name: run._shaped(name, part) for name, part in zip(run.names, parts)}

    def __getitem__(self, name):
        return self._values[name]

    def keys(self):
        """The names."""
        return self._values.keys()

    def items(self):
        """Names and gradients."""
        return self._values.items()

    def __repr__(self):
        mean = f"{self.mean:.6g} +- {self.mean_error:.2g}"
        return f"<carom.SmoothedGradient of {mean} by {', '.join(self.keys())}>"


def smoothed_gradient(model, loss, nstep=None, *, sigma=None, covariance=None, wrt=None, estimator="alpha",
                      samples=256, draws="random", bias=None, bound=0.0, confidence=0.95, seed=0, threads=0,
                      ctrl=None, **options):
    """The gradient of the mean loss under noise on named numbers: a SmoothedGradient (docs/estimators.md).

        result = carom.smoothed_gradient(model, "site_xpos[tip].z", 100, sigma={"qvel": 0.1, "ctrl": 0.2})
        result.mean, result["ctrl"], result.error["ctrl"], result.text

    loss        an expression, or a function of a Trajectory that returns (value, {name: cotangents}); for
                "zeroth" the value alone is enough
    sigma       a standard deviation for each name: a number, or one for each of its numbers
    covariance  instead of sigma: n x n, of all numbers in the order of wrt
    wrt         names as in carom.grad; may be left out where sigma has them
    estimator   "first": mean of gradients, lacks what jumps add; "zeroth": from losses alone, never biased;
                "alpha": both
    samples     2 or more; "antithetic" even, "quasi" a multiple of 8
    draws       "random", "antithetic" (pairs w and -w) or "quasi" (points that fill the space evenly)
    bias        of "alpha": how far the estimate may be from the truth; math.inf: any; None: twice what chance
                explains
    bound       the largest norm that a summand of the zeroth order can have; 0: the largest that was seen
    confidence  of intervals, and of the bound on the bias
    threads     0: one a processor. Results have the same bits for any number
    qpos, qvel, act, ctrl, start, every, record, cfd, derive, memory, and options by keyword: as carom.grad
    """
    if (sigma is None) == (covariance is None):
        raise ArgError("either sigma or covariance is needed")
    if wrt is None and sigma is None:
        raise ArgError("wrt is needed beside a covariance: it has the names")
    if bias is not None and (estimator != "alpha" or not bias > 0):
        raise ArgError(f"bias={bias!r}: a number above 0, with estimator='alpha', is expected")
    kind = choice("estimator_kind", estimator)
    c_options = {"kind": kind, "samples": int(samples), "draws": choice("draws", draws), "seed": int(seed),
                 "bias": bias or 0.0, "bound": bound, "confidence": confidence}
    nstep, names = steps_of(nstep, ctrl), list(sigma) if wrt is None else wrt
    count = min(int(threads) or len(os.sched_getaffinity(0)), int(samples))
    differentiates = kind != lib.CR_ESTIMATOR_ZEROTH
    runs = [Run(model, loss, nstep, names, ctrl=ctrl, differentiates=differentiates, **options)
            for _ in range(max(count, 1))]
    return SmoothedGradient(runs, sigma, covariance, c_options)
