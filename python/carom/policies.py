# SPDX-License-Identifier: Apache-2.0
"""Policies: networks that read a state and give controls, in a loop with the model, and their training through the motion."""
import os
from typing import NamedTuple

import numpy as np

from carom import arrays, method as _method
from carom._c import NULL, ArgError, check, choice, ffi, lib, new_error, owned, struct, with_contract
from carom.costs import Cost, Term
from carom.data import Data
from carom.fitting import _stop  # noqa: F401  the callback of Ctrl-C
from carom.model import load


class Observation:
    """What a policy reads: (x - offset) scale of each number of a place or an expression.

        carom.Observation("qpos", kind="place", scale=4)
        carom.Observation("site_xpos[tip] - site_xpos[goal]")
    """

    def __init__(self, of, *, kind=None, offset=0.0, scale=1.0):
        if not isinstance(of, str):
            raise ArgError(f"an observation is of a text, not of {of!r}")
        self.of, self.kind, self.offset, self.scale = of, kind or "expression", float(offset), float(scale)
        choice("residual_kind", self.kind)

    def __repr__(self):
        return f"<carom.Observation {self.of}>"


class _Options:
    """The cr_policy_options of keywords, with what keeps its parts alive."""

    def __init__(self, observe, hidden=(), activation="tanh", sets=1, every=1, limited=False, nstep=0):
        observe = [observe] if isinstance(observe, (str, Observation)) else list(observe)
        self._texts, self._kept = [], []
        for one in observe:
            one = Observation(one) if isinstance(one, str) else one
            if not isinstance(one, Observation):
                raise ArgError(f"observe is a list of carom.Observation or of texts; {one!r} is none")
            self._texts.append(ffi.new("char[]", one.of.encode()))
            self._kept.append(struct("cr_observation", text=self._texts[-1], kind=choice("residual_kind", one.kind),
                                     offset=one.offset, scale=one.scale))
        hidden = [int(width) for width in np.atleast_1d(np.asarray(hidden, int))] if np.size(hidden) else []
        self._layers = ffi.new("cr_layer[]", max(1, len(hidden)))
        for layer, width in zip(self._layers, hidden):
            layer.size, layer.width = ffi.sizeof("cr_layer"), width
            layer.kind, layer.activation = choice("layer_kind", "dense"), choice("activation", activation)
        self._pointers = ffi.new("cr_observation*[]", self._kept or [NULL])
        self.c = struct("cr_policy_options", observations=ffi.cast("const cr_observation*const*", self._pointers),
                        nobservation=len(self._kept), layers=self._layers, nlayer=len(hidden), sets=int(sets), nstep=int(nstep),
                        every=int(every), limited=bool(limited))


class Policy:
    """A policy of a model: a linear one, or a network with hidden layers.

        policy = carom.Policy(model, [carom.Observation("qpos", kind="place")], hidden=(64, 64))
        policy.weights[...] = trained.policy.weights
        data.ctrl[:] = policy.control(data)

    observe            texts or Observations
    hidden, activation widths of hidden layers, and their activation
    sets, nstep        sets of weights, one after the other over a motion of nstep steps
    every              steps that a control is held
    limited            controls stay in their range by tanh
    """

    @with_contract("cr_policy_create")
    def __init__(self, model, observe, **options):
        self.model, self._options = model, _Options(observe, **options)
        error, pointer = new_error(), ffi.new("cr_policy**")
        check(lib.cr_policy_create(pointer, model._ptr, self._options.c, error), error)
        self._ptr = owned(pointer[0], lib.cr_policy_destroy, model._ptr)

    @classmethod
    def _over(cls, model, pointer, owner):
        policy = cls.__new__(cls)
        policy.model, policy._ptr, policy._options = model, pointer, owner
        return policy

    @property
    def ninput(self):
        """Numbers that it reads."""
        return lib.cr_policy_ninput(self._ptr)

    @property
    def weights(self):
        """All weights, set by set, in the policy's own memory."""
        n = lib.cr_policy_nweight(self._ptr)
        return np.asarray(arrays._Memory(lib.cr_policy_weights(self._ptr), (n,), "<f8", True, self))

    @with_contract("cr_policy_init")
    def init(self, seed=1):
        """First weights, from a seed; the policy still gives 0, or the middle of the ranges."""
        error = new_error()
        check(lib.cr_policy_init(self._ptr, int(seed), error), error)
        return self

    @with_contract("cr_policy_control")
    def control(self, data, step=0):
        """The control at a state."""
        ctrl, error = np.empty(self.model.nu), new_error()
        check(lib.cr_policy_control(self._ptr, self.model._ptr, data._ptr, int(step), arrays.pointer(ctrl), error), error)
        return ctrl

    @with_contract("cr_policy_attach")
    def run(self, nstep, start=None, cost=None):
        """The motion of the policy from a start, Data or the model's own: (Rollout, cost, {term: cost}); the last two None without
        a cost. The Rollout has .time, .qpos, .qvel, .act after every step, and `ctrl`."""
        m, n, error, pointer = self.model, int(nstep), new_error(), ffi.new("cr_rollout**")
        start = Data(m) if start is None else start
        cost = cost if cost is None or isinstance(cost, Cost) else Cost(m, cost)
        loss = NULL if cost is None else cost.loss(n, m.timestep)
        check(lib.cr_rollout_create(pointer, m._ptr, n, NULL, 0, error), error)
        rollout = owned(pointer[0], lib.cr_rollout_destroy, m._ptr, self)
        check(lib.cr_policy_attach(self._ptr, rollout, NULL, error), error)
        check(lib.cr_state_copy(m._ptr, start._ptr, lib.cr_rollout_data(rollout), lib.CR_STATE_INTEGRATION), error)
        status = lib.cr_rollout_run(rollout, m._ptr, n, loss, error)
        check(status, error) if cost is None else cost.check(status, error)
        rows = {"time": np.empty(n), "qpos": np.empty((n, m.nq)), "qvel": np.empty((n, m.nv)), "act": np.empty((n, m.na))}
        check(lib.cr_rollout_get_states(rollout, m._ptr, 1, n, *map(arrays.pointer, rows.values()), error), error)
        ctrl = np.frombuffer(ffi.buffer(lib.cr_rollout_ctrl(rollout), 8 * n * m.nu)).reshape(n, m.nu).copy()
        motion = _motion(m, rows, ctrl, start.copy())
        motion.ctrl = ctrl
        return (motion, None, None) if cost is None else (motion, lib.cr_rollout_loss(rollout), cost.parts())

    def __repr__(self):
        return f"<carom.Policy of {self.weights.size} weights>"


def _motion(model, rows, ctrl, start):
    from carom.planning import _motion as make
    return make(model, rows, ctrl, start)


class Training(NamedTuple):
    """What one iteration came to: expected cost before its step and half the width of its interval, cost without noise (NaN for
    "first"), weight of the first order, variances of a sample, length of the gradient, step size, number of the iteration."""

    mean: float
    mean_error: float
    loss: float
    alpha: float
    first_variance: float
    zeroth_variance: float
    gradient: float
    rate: float
    iteration: int


class PolicyTraining:
    """A policy in training: descent along estimates of the gradient of the expected cost (docs/policies.md).

        training = carom.PolicyTraining(model, cost, observe, nstep=50, noise=0.05, samples=64, starts=16)
        for _ in range(100):
            print(training.step().mean)
        training.policy.control(data)

    cost               Terms, or a Cost; functions in Python slow it down
    observe, hidden, activation, sets, every, limited   the policy, see Policy
    nstep, or horizon  of a motion, in steps or seconds
    start              Data; None: the model's own
    estimator          "first", "zeroth" or "alpha"
    samples, starts    motions of an iteration, and random starts among them
    antithetic         samples come in pairs of opposite noise
    noise, noise_end   standard deviations on every decision, one number or one a control; their factor in the last iteration
    spread             {place: standard deviation} of the start, as {"qpos[hinge]": 0.1}
    vary               {parameter: standard deviation of its logarithm}
    iterations         over which noise and step size change
    descent, rate, final_rate, rate_power, clip         "adam" or "plain", and its step sizes
    confidence, bias, bound   of "alpha", as in carom.smoothed_gradient
    cfd                contacts from distance in derivatives, as carom.grad has them
    threads            0: one a processor. Results have the same bits for any number
    and options of the model by keyword: timestep, integrator ...
    """

    @with_contract("cr_policy_training_create", "cr_policy_training_estimate")
    def __init__(self, model, cost, observe, nstep=None, *, horizon=None, start=None, hidden=(), activation="tanh", sets=1, every=1,
                 limited=False, estimator="first", samples=64, starts=1, antithetic=False, noise=0.1, noise_end=1.0, spread=None,
                 vary=None, iterations=100, descent="adam", rate=0.01, final_rate=0.0, rate_power=0.0, clip=0.0, confidence=0.95,
                 bias=None, bound=0.0, seed=1, threads=0, cfd=None, **options):
        self.model = _method.variant(model, options)
        if (nstep is None) == (horizon is None):
            raise ArgError("give the length of a motion as nstep or as horizon, in seconds")
        self.nstep = int(nstep) if nstep is not None else int(round(horizon / self.model.timestep))
        self.cost = cost if isinstance(cost, Cost) and cost.model is self.model else Cost(self.model, _terms(cost))
        self.start = Data(self.model)
        if start is not None:
            self.start.set_state(start.state())
        self._backward = _method.backward_model(self.model, cfd)
        self._policy_options = _Options(observe, hidden, activation, sets, every, limited, self.nstep)
        noise = arrays.real(np.broadcast_to(np.asarray(noise, float), self.model.nu))
        spread = None if not spread else self._spread(spread)
        c_options = struct(
            "cr_policy_training_options", nstep=self.nstep, backward=NULL if self._backward is None else self._backward._ptr,
            estimator=choice("estimator_kind", estimator), samples=int(samples), starts=int(starts), antithetic=bool(antithetic),
            noise=arrays.pointer(noise), noise_end=noise_end, spread=arrays.pointer(spread), confidence=confidence, bias=bias or 0.0,
            bound=bound, iterations=int(iterations), descent=choice("policy_descent", descent), rate=rate, final_rate=final_rate,
            rate_power=rate_power, clip=clip, seed=int(seed), nthread=int(threads), stop=lib.carom_py_stop)
        names = [ffi.new("char[]", name.encode()) for name in vary or {}]
        varied = [struct("cr_varied", name=name, sigma=float(sigma)) for name, sigma in zip(names, (vary or {}).values())]
        pointers = ffi.new("cr_varied*[]", varied or [NULL])
        c_options.varied, c_options.nvaried = ffi.cast("const cr_varied*const*", pointers), len(varied)
        error, pointer = new_error(), ffi.new("cr_policy_training**")
        self.cost.check(lib.cr_policy_training_create(pointer, self.model._ptr, self.start._ptr, self.cost._ptr,
                                                      self._policy_options.c, c_options, error), error)
        self._ptr = owned(pointer[0], lib.cr_policy_training_destroy, self.model._ptr, self.cost, self._backward)
        self.policy = Policy._over(self.model, lib.cr_policy_training_policy(self._ptr), self)
        self.policy.init(seed)

    def _spread(self, spread):
        m, sizes = self.model, {}
        for name, count in (("qpos", "nv"), ("qvel", "nv"), ("act", "na"), ("plugin_state", "npluginstate")):
            sizes[name] = (sum(size for _, size in sizes.values()), getattr(m, count))
        numbers = np.zeros(sum(size for _, size in sizes.values()))
        for name, sigma in spread.items():
            place, field = m._place(name), name.split("[")[0]
            if field not in sizes:
                raise ArgError(f"spread: {name} is no place of the state")
            first = sizes[field][0] + place.tangent_first
            numbers[first:first + place.tangent_count] = sigma
        return arrays.real(numbers)

    @with_contract("cr_policy_training_step")
    def step(self):
        """One iteration: a Training. Ctrl-C raises, and the weights are as before."""
        result, error = struct("cr_policy_training_result"), new_error()
        self.cost.check(lib.cr_policy_training_step(self._ptr, result, error), error)
        return Training(*(getattr(result, name) for name in Training._fields))

    def restart(self):
        """Forgets the moments of the descent and begins with iteration 0; the weights stay."""
        lib.cr_policy_training_restart(self._ptr)
        return self

    @property
    def iterations(self):
        """Iterations made."""
        return lib.cr_policy_training_iterations(self._ptr)

    @property
    def memory(self):
        """Weights, moments and the number of the next iteration, as numbers: a training made in the same way that gets them goes
        on to the same digits. `carom train` keeps them in policy.h5."""
        numbers, error = np.empty(lib.cr_policy_training_memory_size(self._ptr)), new_error()
        check(lib.cr_policy_training_get_memory(self._ptr, arrays.pointer(numbers), error), error)
        return numbers

    @memory.setter
    def memory(self, numbers):
        numbers, error = arrays.real(numbers).reshape(-1), new_error()
        check(lib.cr_policy_training_set_memory(self._ptr, arrays.pointer(numbers), numbers.size, error), error)

    def evaluate(self, start=None):
        """The motion of the policy without noise from a start, or from that of the training: (Rollout, cost, {term: cost})."""
        return self.policy.run(self.nstep, self.start if start is None else start, self.cost)


def _terms(cost):
    if isinstance(cost, Cost):
        raise ArgError("a Cost of another model; give the terms themselves")
    return cost


class TrainedPolicy:
    """A policy that was trained.

    policy    .control(data), .run(nstep, start), .weights
    costs     expected cost before each iteration; `history` is a Training for each
    motion    of the policy without noise, a Rollout; `cost` and `terms` are its cost
    training  goes on from here: training.step()
    """

    def __init__(self, training, history):
        self.training, self.policy, self.history = training, training.policy, history
        self.costs = np.array([made.mean for made in history])
        self.motion, self.cost, self.terms = training.evaluate()

    def __repr__(self):
        return f"<carom.TrainedPolicy of cost {self.cost:.6g} after {self.training.iterations} iterations>"


def train_policy(model, cost=None, observe=None, nstep=None, *, iterations=None, progress=None, **options):
    """Trains a policy: a TrainedPolicy (docs/policies.md). Options are those of carom.PolicyTraining.

        trained = carom.train_policy(model, cost, [carom.Observation("qpos", kind="place")], 50, noise=0.05, samples=64, starts=16)
        trained = carom.train_policy("examples/tasks/cartpole_policy.yaml", iterations=50)

    model      a Model, or the path of a task of `carom train` (see carom.policy_task)
    progress   a function that is called with the Training of every iteration
    """
    if isinstance(model, (str, os.PathLike)):
        if cost is not None or observe is not None or nstep is not None:
            raise ArgError("a task has its own cost, observations and length")
        options = {**policy_task(model), **options}
        model, cost, observe = options.pop("model"), options.pop("cost"), options.pop("observe")
        iterations = iterations if iterations is not None else options.pop("iterations", None)
        options.pop("iterations", None)
    elif cost is None or observe is None:
        raise ArgError("cost and observe are needed beside a model")
    iterations = 100 if iterations is None else int(iterations)
    training = PolicyTraining(model, cost, observe, nstep, iterations=iterations, **options)
    history = []
    for _ in range(iterations):
        history.append(training.step())
        if progress is not None:
            progress(history[-1])
    return TrainedPolicy(training, history)


# ---- tasks

_TASK = {"model", "output", "keyframe", "integrator", "timestep", "horizon", "set", "start", "cost", "goal", "observe", "spread", "vary",
         "policy", "train", "planner", "mpc"}
_TERM = {"name", "of", "residual", "target", "norm", "p", "q", "weight", "terminal"}


def _numbers(value):
    return np.array(str(value).replace(",", " ").split() if isinstance(value, str) else np.atleast_1d(value), float)


def _known(given, keys, what):
    unknown = sorted(set(given) - set(keys))
    if unknown:
        raise ArgError(f"{what}: '{unknown[0]}' is none of {', '.join(sorted(keys))}")


def policy_task(path):
    """Reads a task of `carom train`: the arguments of carom.PolicyTraining as a dict, model, cost and observe among them. Needs the
    package PyYAML. Goals, planner and mpc of a task are not used.

        task = carom.policy_task("examples/tasks/cartpole_policy.yaml")
        training = carom.PolicyTraining(**{**task, "samples": 128})
    """
    try:
        import yaml
    except ImportError as error:
        raise ImportError("tasks need PyYAML: pip install pyyaml") from error
    with open(path, encoding="utf-8") as file:
        task = yaml.safe_load(file)
    if not isinstance(task, dict) or "observe" not in task:
        raise ArgError(f"{path}: this is no task of a policy; it has no section observe")
    _known(task, _TASK, os.fspath(path))
    model = load(os.path.join(os.path.dirname(os.fspath(path)), task["model"]))
    if "integrator" in task:
        model.set(integrator=task["integrator"])
    for one in task.get("set", ()):
        model.set({one["field"]: _numbers(one["value"])})
    if task.get("timestep", 0) > 0:
        model.set(timestep=task["timestep"])
    start = Data(model, task["keyframe"]) if "keyframe" in task else Data(model)
    for one in task.get("start", ()):
        start[one["place"]] = _numbers(one["value"])
    return {"model": model, "cost": [_term(path, one) for one in task["cost"]], "start": start, "horizon": float(task["horizon"]),
            "observe": [_observation(path, one) for one in task["observe"]],
            "spread": {one["place"]: float(one["sigma"]) for one in task.get("spread", ())},
            "vary": {one["field"]: float(one["sigma"]) for one in task.get("vary", ())},
            **_policy(path, task.get("policy", {})), **_train(path, task.get("train", {}))}


def _term(path, given):
    _known(given, _TERM, f"{path}: cost")
    target = _numbers(given["target"]) if "target" in given else None
    return Term(given["of"], kind=given.get("residual"), name=given["name"], target=target, norm=given.get("norm", "quadratic"),
                **{key: float(given[key]) for key in ("p", "q", "weight", "terminal") if key in given})


def _observation(path, given):
    _known(given, ("of", "residual", "offset", "scale"), f"{path}: observe")
    return Observation(given["of"], kind=given.get("residual"), offset=given.get("offset", 0.0), scale=given.get("scale", 1.0))


def _policy(path, given):
    _known(given, ("hidden", "activation", "sets", "every", "limited"), f"{path}: policy")
    return {key: _numbers(value).astype(int) if key == "hidden" else value for key, value in given.items()}


def _train(path, given):
    _known(given, ("estimator", "iterations", "samples", "starts", "antithetic", "noise", "noise_end", "bias", "confidence", "descent",
                   "rate", "final_rate", "rate_power", "clip", "seed"), f"{path}: train")
    return {key: _numbers(value) if key == "noise" else value for key, value in given.items()}
