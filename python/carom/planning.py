# SPDX-License-Identifier: Apache-2.0
"""Planners: controls over a horizon that make the cost of a motion low, once or again and again while a plant moves."""
import time as clock
from typing import NamedTuple

import numpy as np

from carom import arrays, method as _method
from carom._c import NULL, ArgError, check, ffi, fail, lib, new_error, owned, struct, text, with_contract
from carom.costs import Cost, Term, _word
from carom.data import Data
from carom.rollouts import Inputs, Rollout

_CALM = 10  # iterations that tell whether the cost still falls
_SEEN = lib.CR_STATE_TIME | lib.CR_STATE_QPOS | lib.CR_STATE_QVEL | lib.CR_STATE_ACT | lib.CR_STATE_WARMSTART


class Iteration(NamedTuple):
    """What one iteration came to: the plan's cost, that before it from the same start, whether the plan changed, iterations
    since the planner was made, rollouts of this one and how many of them failed, the regularisation of ilqr, the length of
    the gradient."""

    cost: float
    before: float
    improved: bool
    iterations: int
    rollouts: int
    failed: int
    regularisation: float
    gradient: float


class Plan:
    """A plan that was made.

    cost       of its motion; `terms` is what each term adds
    costs      after every iteration
    reason     why the iterations ended, and `seconds` how long they took
    knots      n x nu, and ctrl, nstep x nu: the controls of every step
    motion     the motion of the plan, a Rollout: .time, .qpos, .qvel, .act after every step
    planner    goes on from here: planner.solve(), planner.improve(), planner.control()
    """

    def __init__(self, planner, costs, reason, seconds):
        self.planner, self.costs, self.reason, self.seconds = planner, np.array(costs), reason, seconds
        self.knots, self.ctrl = np.array(planner.knots), np.array(planner.ctrl)
        self.motion, self.cost, self.terms = planner.motion()

    def __str__(self):
        lines = [f"{len(self.costs)} iterations of {self.planner.method} over {self.planner.nstep} steps in {self.seconds:.3g} s: "
                 f"{self.reason}", f"{'term':20} {'cost':>14}"]
        lines += [f"{name:20} {part:14.6g}" for name, part in self.terms.items()]
        return "\n".join([*lines, f"{'all':20} {self.cost:14.6g}"])

    def __repr__(self):
        return f"<carom.Plan of cost {self.cost:.6g} after {len(self.costs)} iterations: {self.reason}>"


class Followed:
    """The motion of a plant that followed one plan after another.

    motion     a Rollout: .time, .qpos, .qvel, .act after every step; `ctrl` the controls that acted
    cost       of this motion; `terms` is what each term adds
    plans      how many there were; `planning` the seconds spent on them
    missed     in real time: steps that were not done when the next one was due; `report` is that of the LivePlan
    """

    def __init__(self, motion, ctrl, cost, terms, plans, planning, missed=None, report=None):
        self.motion, self.ctrl, self.cost, self.terms = motion, ctrl, cost, terms
        self.plans, self.planning, self.missed, self.report = plans, planning, missed, report

    def __repr__(self):
        return f"<carom.Followed: {len(self.ctrl)} steps at cost {self.cost:.6g}, {self.plans} plans>"


class Planner:
    """Finds controls of a model that make a cost low, iteration after iteration. It keeps its plan: set a new start, shift it,
    and it goes on from there. One thread may use it; it has others of its own, which run without the GIL.

        planner = carom.Planner(model, [carom.Term("qpos[hinge]", weight=1)], nstep=250, start=data)
        for _ in range(100):
            print(planner.improve().cost)
    """

    @with_contract("cr_planner_create")
    def __init__(self, model, cost, nstep=None, *, horizon=None, start=None, method="ilqr", controls="step", knots=0,
                 warm=None, threads=0, seed=1, cfd=None, lower=None, upper=None, descent="adam", rate=0.0, clip=0.0, samples=0,
                 elite=0, colour="white", noise=0.0, wide_noise=0.0, temperature=0.0, polish=0, regularisation=0.0,
                 estimator=None, sigma=None, estimator_samples=32, draws="antithetic", bias=None, cfd_iterations=0, **options):
        adaptive, options = _method.split(options)
        self.model = _method.variant(model, options)
        self.interval = adaptive.get("grid") or self.model.timestep
        if (nstep is None) == (horizon is None):
            raise ArgError("give the length of a plan as nstep or as horizon, in seconds")
        self.nstep = int(nstep) if nstep is not None else int(round(horizon / self.interval))
        self.method, self.cost = method, cost if isinstance(cost, Cost) else Cost(self.model, cost)
        self._backward = _method.backward_model(self.model, cfd)
        self._adaptive = _method.adaptive(adaptive)
        limits = [None if x is None else arrays.real(np.broadcast_to(np.asarray(x, float), self.model.nu)) for x in (lower, upper)]
        c_options = struct("cr_plan_options", method=_word("plan_method", method), nstep=self.nstep,
                           shape=_word("control_shape", controls), knots=int(knots), nthread=int(threads), seed=int(seed),
                           backward=NULL if self._backward is None else self._backward._ptr, adaptive=self._adaptive,
                           lower=arrays.pointer(limits[0]), upper=arrays.pointer(limits[1]),
                           descent=_word("descent", descent), rate=rate, clip=clip, samples=int(samples), elite=int(elite),
                           colour=_word("noise_colour", colour), noise=noise, wide_noise=wide_noise, temperature=temperature,
                           polish=int(polish), regularisation=regularisation, backward_iterations=int(cfd_iterations))
        if (estimator is None) != (sigma is None):
            raise ArgError("estimator and sigma go together")
        if estimator is not None:
            noise = arrays.real(np.broadcast_to(np.asarray(sigma, float), self.model.nu))
            kept = struct("cr_estimator_options", kind=_word("estimator_kind", estimator), sigma=arrays.pointer(noise),
                          samples=int(estimator_samples), draws=_word("draws", draws), bias=bias or 0.0)
            c_options.estimator = kept
        error, pointer = new_error(), ffi.new("cr_planner**")
        self.cost.check(lib.cr_planner_create(pointer, self.model._ptr, self.cost._ptr, c_options, error), error)
        self._ptr = owned(pointer[0], lib.cr_planner_destroy, self.model._ptr, self.cost, self._backward)
        self._busy = None
        self._start = Data(self.model)
        if start is not None:
            self.set_start(start)
        if warm is not None:
            self.knots[...] = warm
            self.restart()

    def _free(self):
        if self._busy is not None:
            raise ArgError("a LivePlan uses this planner; close it first")
        return self._ptr

    # ---- the start and the plan

    @property
    def start(self):
        """The state from which it plans, a copy."""
        return self._start.copy()

    @with_contract("cr_planner_set_start")
    def set_start(self, start):
        """The state from which to plan: Data of this model, or of one with the same coordinates. The plan stays."""
        pointer, error = self._free(), new_error()
        if start.model is self.model or start.model.fingerprint() == self.model.fingerprint():
            self._start.set_state(start.state())
        else:
            self._start.set_state(start.state(_SEEN), _SEEN)
        check(lib.cr_planner_set_start(pointer, self._start._ptr, error), error)
        return self

    @property
    def knots(self):
        """The plan's knots, n x nu, in the planner's own memory. After writing to them call restart()."""
        n = ffi.new("int*")
        numbers = lib.cr_planner_knots(self._ptr, n)
        return np.asarray(arrays._Memory(numbers, (n[0], self.model.nu), "<f8", True, self._ptr))

    def restart(self):
        """Forgets what is known of the plan but the knots."""
        lib.cr_planner_restart(self._free())
        return self

    @property
    def ctrl(self):
        """The plan's controls, nstep x nu, a copy."""
        return np.array(np.frombuffer(ffi.buffer(lib.cr_planner_ctrl(self._ptr), 8 * self.nstep * self.model.nu))
                        ).reshape(self.nstep, self.model.nu)

    @with_contract("cr_planner_gain")
    def gain(self, step):
        """ilqr: the gain of a step, nu x nx; None before the first iteration and for other methods."""
        nx = 2 * self.model.nv + self.model.na + self.model.npluginstate
        numbers = lib.cr_planner_gain(self._ptr, int(step))
        return None if numbers == NULL else np.frombuffer(ffi.buffer(numbers, 8 * self.model.nu * nx)).reshape(-1, nx).copy()

    @property
    def memory(self):
        """What further iterations depend on beside options, cost and start, as numbers: a planner made in the same way that
        gets them goes on to the same digits."""
        numbers, error = np.empty(lib.cr_planner_memory_size(self._ptr)), new_error()
        check(lib.cr_planner_get_memory(self._free(), arrays.pointer(numbers), error), error)
        return numbers

    @memory.setter
    def memory(self, numbers):
        numbers, error = arrays.real(numbers).reshape(-1), new_error()
        status = lib.cr_planner_set_memory(self._free(), arrays.pointer(numbers), numbers.size, error)
        self.cost.check(status, error)

    # ---- planning

    @with_contract("cr_planner_improve")
    def improve(self):
        """One iteration: an Iteration. From one start a plan never gets worse."""
        result, error = struct("cr_plan_result"), new_error()
        self.cost.check(lib.cr_planner_improve(self._free(), result, error), error)
        return Iteration(result.cost, result.before, bool(result.improved), result.iterations, result.rollouts, result.failed,
                         result.regularisation, result.gradient)

    def solve(self, iterations=100, tolerance=1e-9, progress=None):
        """At most so many iterations: a Plan. It ends when ten of them lower the cost by this part of it or less; tolerance 0:
        never. progress(iteration) is called after each. Ctrl-C raises; the planner keeps what it has."""
        begun = clock.monotonic()
        costs, reason = self._iterate(iterations, tolerance, progress)
        return Plan(self, costs, reason, clock.monotonic() - begun)

    def _iterate(self, iterations, tolerance=1e-9, progress=None):
        costs = []
        for _ in range(int(iterations)):
            made = self.improve()
            costs.append(made.cost)
            if progress is not None:
                progress(made)
            if len(costs) > _CALM and tolerance > 0 and costs[-1 - _CALM] - costs[-1] <= tolerance * abs(costs[-1 - _CALM]):
                return costs, "the cost no longer falls"
        return costs, "all iterations were made"

    @with_contract("cr_planner_shift")
    def shift(self, steps):
        """Moves the plan so many steps towards its start; the last controls are held. Call set_start() too."""
        error = new_error()
        check(lib.cr_planner_shift(self._free(), int(steps), error), error)
        return self

    @with_contract("cr_planner_control")
    def control(self, step, data=None):
        """The control of a step; with Data, at that state: ilqr then has its feedback, u + K (x - x of the plan)."""
        ctrl, error = np.empty(self.model.nu), new_error()
        check(lib.cr_planner_control(self._free(), int(step), NULL if data is None else data._ptr, arrays.pointer(ctrl), error),
              error)
        return ctrl

    def motion(self):
        """The motion of the plan from the start: (Rollout, cost, {term: cost})."""
        error, pointer = new_error(), ffi.new("cr_rollout**")
        m, n = self.model, self.nstep
        check(lib.cr_rollout_create(pointer, m._ptr, n, NULL, 0, error), error)
        rollout = owned(pointer[0], lib.cr_rollout_destroy, m._ptr)
        if self._adaptive != NULL:
            check(lib.cr_rollout_set_adaptive(rollout, m._ptr, self._adaptive, error), error)
        status = lib.cr_state_copy(m._ptr, self._start._ptr, lib.cr_rollout_data(rollout), lib.CR_STATE_INTEGRATION)
        check(status, error)
        ctrl = self.ctrl
        ffi.memmove(lib.cr_rollout_ctrl(rollout), arrays.pointer(ctrl), ctrl.nbytes)
        self.cost.check(lib.cr_rollout_run(rollout, m._ptr, n, self.cost.loss(n, self.interval), error), error)
        rows = {"time": np.empty(n), "qpos": np.empty((n, m.nq)), "qvel": np.empty((n, m.nv)), "act": np.empty((n, m.na))}
        check(lib.cr_rollout_get_states(rollout, m._ptr, 1, n, *map(arrays.pointer, rows.values()), error), error)
        return _motion(m, rows, ctrl, self.start), lib.cr_rollout_loss(rollout), self.cost.parts()

    # ---- while a plant moves

    def follow(self, time, plant=None, *, every=1, iterations=1, first=100, noise=0.0, delay=0, seed=1, real_time=False,
               look=None):
        """Plans, moves a plant, shifts the plan and plans again, for so many seconds: a Followed.

        plant       a model that moves, with the coordinates and controls of this one; None: the model itself
        every       steps between two plans, and `iterations` of each; `first` of the first one
        noise       added to the plant's controls, in halves of the limits' range, drawn from `seed`
        delay       steps until a control acts
        real_time   the plant moves by the clock, and the planner works beside it, always from the newest state
        look        a function that is called with the plant's Data after every step
        """
        loop = _Loop(self, plant or self.model, time, noise, int(delay), seed, look)
        return loop.live(iterations, first) if real_time else loop.run(int(every), iterations, first)


class LivePlan:
    """A planner beside a control loop that never waits for it: it improves its plan in a thread of its own.

        with carom.LivePlan(planner) as live:
            for step in range(1000):
                live.observe(data, step)
                data.ctrl[:] = live.control(step, data)
                data.step()

    first, iterations   of the first plan, made here from the planner's start; of every other one
    """

    @with_contract("cr_live_plan_create", "cr_live_plan_observe", "cr_live_plan_control")
    def __init__(self, planner, first=1, iterations=1):
        error, pointer = new_error(), ffi.new("cr_live_plan**")
        options = struct("cr_live_options", first=int(first), iterations=int(iterations))
        planner.cost.check(lib.cr_live_plan_create(pointer, planner._free(), options, error), error)
        self.planner, self._ptr = planner, owned(pointer[0], lib.cr_live_plan_destroy, planner._ptr)
        planner._busy = self

    def _open(self):
        if self._ptr is None:
            raise ArgError("this LivePlan is closed")
        return self._ptr

    def observe(self, data, step):
        """Tells the state at the begin of a step, counted from 0."""
        error = new_error()
        self.planner.cost.check(lib.cr_live_plan_observe(self._open(), data._ptr, int(step), error), error)

    def control(self, step, data):
        """The control of a step at a state by the newest plan."""
        ctrl, error = np.empty(self.planner.model.nu), new_error()
        check(lib.cr_live_plan_control(self._open(), int(step), data._ptr, arrays.pointer(ctrl), error), error)
        return ctrl

    @property
    def report(self):
        """What happened so far: a dict of plans, failed, age, oldest, stale, reason (cr_live_report)."""
        report, error = struct("cr_live_report"), new_error()
        check(lib.cr_live_plan_get_report(self._open(), report, error), error)
        numbers = {name: getattr(report, name) for name in ("plans", "failed", "age", "oldest", "stale")}
        return {**numbers, "reason": text(report.reason.text)}

    def close(self):
        """Ends the thread, and leaves the planner to its owner."""
        if self._ptr is not None:
            ffi.release(self._ptr)
            self._ptr, self.planner._busy = None, None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


class _Loop:
    """A plant under the controls of a planner, which come late and with noise."""

    def __init__(self, planner, plant, time, noise, delay, seed, look):
        self.planner, self.plant, self.look, self.noise = planner, plant, look, float(noise)
        if plant.nu != planner.model.nu:
            raise ArgError(f"the plant has {plant.nu} controls, the model {planner.model.nu}")
        if planner._adaptive != NULL or abs(plant.timestep - planner.model.timestep) > 1e-12 * plant.timestep:
            raise ArgError("a plant moves in steps of the model's length: no adaptive steps, and the same timestep")
        self.steps = int(round(time / plant.timestep))
        if self.steps < 1:
            raise ArgError(f"time={time} is less than a step of {plant.timestep} s")
        self.data, self.seen = Data(plant), planner.start
        self.data.set_state(planner._start.state(_SEEN), _SEEN)
        self.first = self.data.copy()
        self.late = np.zeros((delay, plant.nu))
        self.random = np.random.default_rng(seed)
        limits = np.asarray(plant.actuator_ctrlrange)
        self.half = np.where(np.asarray(plant.actuator_ctrllimited, bool), (limits[:, 1] - limits[:, 0]) / 2, 1.0)
        self.rows = {name: np.empty((self.steps, size)) for name, size in
                     (("qpos", plant.nq), ("qvel", plant.nv), ("act", plant.na), ("ctrl", plant.nu))}
        self.time = np.empty(self.steps)
        self.loss, self.value = planner.cost.loss(self.steps, plant.timestep), ffi.new("double*")

    def watch(self):
        """The plant's state as the planner's model has it."""
        return self.seen.set_state(self.data.state(_SEEN), _SEEN)

    def move(self, k, ctrl):
        """One step of the plant under a control that was chosen now."""
        queue = np.concatenate([self.late, ctrl[None]])
        now, self.late = queue[0], queue[1:]
        if self.noise:
            now = now + self.noise * self.half * self.random.normal(size=now.shape)
        data = self.data
        data.ctrl[:] = now
        self.rows["ctrl"][k] = now
        data.step()
        self.time[k] = data.time
        for name in ("qpos", "qvel", "act"):
            self.rows[name][k] = getattr(data, name)
        data.forward()
        status = self.loss.value(self.loss.context, self.plant._ptr, data._ptr, k + 1, self.value)
        self.planner.cost.check(status, struct_error(data))
        if self.look is not None:
            self.look(data)

    def result(self, plans, planning, *more):
        rows = {name: values for name, values in self.rows.items() if name != "ctrl"}
        motion = _motion(self.plant, {"time": self.time, **rows}, self.rows["ctrl"], self.first)
        return Followed(motion, self.rows["ctrl"], self.value[0], self.planner.cost.parts(), plans, planning, *more)

    def run(self, every, iterations, first):
        planner, plans, planning = self.planner, 0, 0.0
        if every < 1:
            raise ArgError(f"every={every}: at least one step is made with a plan")
        for k in range(self.steps):
            if k % every == 0:
                if k > 0:
                    planner.shift(every)
                planner.set_start(self.watch())
                begun = clock.monotonic()
                planner._iterate(first if k == 0 else iterations)
                plans, planning = plans + 1, planning + clock.monotonic() - begun
            self.move(k, planner.control(min(k % every, planner.nstep - 1), self.watch()))
        return self.result(plans, planning)

    def live(self, iterations, first):
        step, missed = self.plant.timestep, 0
        self.planner.set_start(self.watch())
        with LivePlan(self.planner, first, iterations) as live:
            due = begun = clock.monotonic()
            for k in range(self.steps):
                clock.sleep(max(0.0, due - clock.monotonic()))
                live.observe(self.watch(), k)
                self.move(k, live.control(k, self.seen))
                now, due = clock.monotonic(), due + step
                missed += now > due
                due = max(now, due)
            report = live.report
        return self.result(report["plans"], clock.monotonic() - begun, missed, report)


def struct_error(data):
    """The sentence of data as a cr_error, for a check."""
    error = new_error()
    error.text = (text(lib.cr_data_error(data._ptr)) or "").encode()[:ffi.sizeof(error.text) - 1]
    return error


def _motion(model, rows, ctrl, start):
    """States of a motion as a Rollout."""
    inputs = Inputs(model, len(ctrl), None, None, None, ctrl, {})
    final = {name: rows[name][-1:] for name in ("qpos", "qvel", "act")}
    states = {name: rows[name][None] for name in ("qpos", "qvel", "act")}
    return Rollout(True, (model, inputs, start, False), rows["time"], **states, final=final, loss=None, gradient=None, errors=None)


def plan(model, cost, nstep=None, *, horizon=None, iterations=100, tolerance=1e-9, progress=None, **options):
    """Finds controls that make the cost of a motion low: a Plan.

        swing = carom.plan(model, [carom.Term("1 - cos(qpos[hinge])", weight=4, terminal=20),
                                   carom.Term("ctrl", kind="place", weight=0.1)], horizon=2.5, start=data)
        print(swing); swing.ctrl; carom.view(model, swing)

    cost        a list of Term, or a Cost
    nstep       steps of the plan; or horizon, seconds
    start       Data to begin from: everything that a step reads; None: the reference pose
    iterations, tolerance
                at most so many; it ends when ten of them lower the cost by this part or less
    progress    a function that gets each Iteration
    method      "ilqr", "gradient", "sampling", "cem", "mppi", "mixed" (docs/planning.md says which one when)
    controls    how they follow from knots: "step", "zero", "linear", "cubic"; `knots` is their number
    warm        knots to begin with, as .knots of another plan
    lower, upper
                limits of the controls; None: those of the actuators
    descent, rate, clip                      of gradient and mixed
    samples, elite, colour, noise, wide_noise, temperature, polish, seed
                                             of methods that sample
    regularisation                           of ilqr
    estimator, sigma, estimator_samples, draws, bias
                of gradient and mixed: follow the gradient of the mean cost under noise on the knots: "first", "zeroth" or
                "alpha"; sigma is its standard deviation, one number or one a control (docs/planning.md)
    cfd, threads, and options by keyword     as carom.rollout; rtol and events are not for ilqr
    cfd_iterations                           of gradient: cfd in so many iterations, then the gradient itself; 0: in all
    """
    return Planner(model, cost, nstep, horizon=horizon, **options).solve(iterations, tolerance, progress)
