# SPDX-License-Identifier: Apache-2.0
"""Quasi-dynamic steps of servos in contact, plans through contact by a tree and by smoothed predictive control."""
from dataclasses import dataclass

import numpy as np

from carom import arrays
from carom._c import NULL, ArgError, check, choice, fail, ffi, lib, new_error, owned, struct, text, texts, with_contract


@dataclass
class QuasiContact:
    """A contact of a quasi-dynamic step: names of the geoms, distance before the step (m), position, frame (normal and two
    tangents, in rows) and force (normal, tangents, spin, rolls) on the second geom, in the world."""

    geoms: tuple
    distance: float
    position: np.ndarray
    frame: np.ndarray
    force: np.ndarray


def _step_options(model, friction, inertia, step, weight, reach, scale, stiffness):
    """Options of the steps, and what keeps their numbers alive."""
    kept = None if stiffness is None else arrays.real(stiffness, (model.count("nactuator"),), "stiffness")
    options = struct("cr_quasidynamic_options", friction=choice("friction", friction), inertia=choice("inertia_use", inertia),
                     step=step, weight=weight, reach=reach, scale=scale, stiffness=NULL if kept is None else arrays.pointer(kept))
    return options, kept


class QuasiDynamic:
    """Steps from rest to rest: where position servos and what they touch come to rest a short time after the setpoints have
    changed (docs/quasidynamic.md).

        hand = carom.QuasiDynamic(model, weight=100)
        qpos = hand.step(qpos, u)
        A, B = hand.jacobian()

    friction   "pyramid" or "cone"
    inertia    of what has no servo: "whole", "scaled" (with scale) or "none"
    step       s, from rest to rest
    weight     1/J of the log barrier; 0: exact
    reach      m, contacts nearer than this count
    stiffness  of the servos, in the place of their own
    """

    @with_contract("cr_quasidynamic_create", "cr_quasidynamic_step")
    def __init__(self, model, *, friction="pyramid", inertia="whole", step=0.1, weight=0.0, reach=0.1, scale=10.0,
                 stiffness=None):
        error, pointer = new_error(), ffi.new("cr_quasidynamic**")
        self.model = model
        self._options, self._kept = _step_options(model, friction, inertia, step, weight, reach, scale, stiffness)
        check(lib.cr_quasidynamic_create(pointer, model._ptr, self._options, error), error)
        self._ptr = owned(pointer[0], lib.cr_quasidynamic_destroy, model._ptr)
        self._columns = 0

    def _check(self, status):
        if status != lib.CR_OK:
            fail(status, text(lib.cr_quasidynamic_error(self._ptr)))

    def step(self, qpos, u):
        """The pose after a step from qpos with setpoints u."""
        qpos, u = arrays.real(qpos, (self.model.nq,), "qpos"), arrays.real(u, (self.model.nu,), "u")
        following = np.empty(self.model.nq)
        self._check(lib.cr_quasidynamic_step(self._ptr, *map(arrays.pointer, (qpos, u, following))))
        return following

    @with_contract("cr_quasidynamic_jacobian")
    def jacobian(self):
        """(A, B) of the last step: d next / d qpos [nv, nv] in tangents, d next / d u [nv, nu]."""
        A, B = np.empty((self.model.nv, self.model.nv)), np.empty((self.model.nv, self.model.nu))
        self._check(lib.cr_quasidynamic_jacobian(self._ptr, arrays.pointer(A), arrays.pointer(B)))
        return A, B

    @with_contract("cr_quasidynamic_set_parameters", "cr_quasidynamic_parameter_jacobian")
    def parameter_jacobian(self, names):
        """d next / d parameters of the last step, [nv, numbers of all names]: ["geom_friction[box][0]", "body_mass[box]"]."""
        list_of_texts, _kept = texts(names)
        self._check(lib.cr_quasidynamic_set_parameters(self._ptr, list_of_texts, len(names)))
        found = np.empty((self.model.nv, lib.cr_quasidynamic_columns(self._ptr)))
        self._check(lib.cr_quasidynamic_parameter_jacobian(self._ptr, arrays.pointer(found)))
        return found

    @property
    def residual(self):
        """How well the last step solves its problem: below 1e-9."""
        return lib.cr_quasidynamic_residual(self._ptr)

    @property
    def contacts(self):
        """Contacts of the last step: QuasiContacts."""
        found, error = [], new_error()
        for i in range(lib.cr_quasidynamic_contacts(self._ptr)):
            c = struct("cr_quasidynamic_contact")
            check(lib.cr_quasidynamic_get_contact(self._ptr, i, c, error), error)
            geoms = tuple(self.model.name("geom", geom) or geom for geom in c.geom)
            found.append(QuasiContact(geoms, c.distance, np.array(list(c.position)), np.array(list(c.frame)).reshape(3, 3),
                                      np.array(list(c.force))))
        return found

    @with_contract("cr_quasidynamic_batch_run")
    def batch(self, qpos, u, *, jacobian=False, threads=0):
        """Steps side by side, qpos[n, nq], u[n, nu], over threads (0: one a processor): next[n, nq], with jacobian=True
        (next, A[n, nv, nv], B[n, nv, nu])."""
        m = self.model
        n = len(qpos)
        qpos, u = arrays.real(qpos, (n, m.nq), "qpos"), arrays.real(u, (n, m.nu), "u")
        following = np.empty((n, m.nq))
        A, B = (np.empty((n, m.nv, k)) if jacobian else None for k in (m.nv, m.nu))
        error, pointer = new_error(), ffi.new("cr_quasidynamic_batch**")
        check(lib.cr_quasidynamic_batch_create(pointer, m._ptr, self._options, int(threads), error), error)
        batch = owned(pointer[0], lib.cr_quasidynamic_batch_destroy, m._ptr)
        check(lib.cr_quasidynamic_batch_run(batch, n, *map(arrays.pointer, (qpos, u, following, A, B)), error), error)
        return (following, A, B) if jacobian else following


class ContactPlan:
    """A motion of servos that a tree has found.

    qpos      poses, the start first: [n, nq]
    u         the setpoints that led to each: [n, nu]
    grasp     whether a pose is a new grasp of the pose before: [n]
    nodes     of the tree
    distance  left to the goal, m|rad
    """

    def __init__(self, model, pointer):
        n = lib.cr_contact_plan_poses(pointer)
        self.qpos, self.u, self.grasp = np.empty((n, model.nq)), np.empty((n, model.nu)), np.empty(n, bool)
        for i in range(n):
            grasp = ffi.new("bool*")
            lib.cr_contact_plan_get(pointer, i, arrays.pointer(self.qpos[i]), arrays.pointer(self.u[i]), grasp)
            self.grasp[i] = grasp[0]
        self.nodes, self.distance = lib.cr_contact_plan_nodes(pointer), lib.cr_contact_plan_distance(pointer)

    def __repr__(self):
        return f"<carom.ContactPlan of {len(self.qpos)} poses, {self.distance:.4g} from the goal>"


@with_contract("cr_contact_tree_grow")
def contact_tree(model, qpos, goal, *, nodes=1000, trees=1, seed=1, goal_share=0.8, grasp_share=0.2, regularisation=1e-4, stepsize=0.35,
                 tolerance=0.01, around=0.1, gap=0.001, length=1.0, ways=False, keep_share=0.0, friction="pyramid",
                 inertia="whole", step=0.1, weight=100.0, reach=0.1, scale=10.0, stiffness=None):
    """A plan of servos that brings objects from qpos to goal through contact: a ContactPlan. Of goal[nq] the coordinates of
    objects count. trees: so many trees of `nodes` nodes, one after the other until one reaches the goal. length: metres that
    count as much as 1 rad; ways: new grasps only where fingers find a free way to them; keep_share: share of fingers that stay in a new grasp. weight is that of the smoothed steps; see QuasiDynamic for the
    options of steps."""
    options = struct("cr_contact_tree_options", nodes=int(nodes), trees=int(trees), seed=int(seed), goal_share=goal_share, grasp_share=grasp_share,
                     regularisation=regularisation, stepsize=stepsize, tolerance=tolerance, around=around, gap=gap,
                     length=length, ways=bool(ways), keep_share=keep_share)
    steps, _kept = _step_options(model, friction, inertia, step, weight, reach, scale, stiffness)
    qpos, goal = arrays.real(qpos, (model.nq,), "qpos"), arrays.real(goal, (model.nq,), "goal")
    error, pointer = new_error(), ffi.new("cr_contact_plan**")
    status = lib.cr_contact_tree_grow(pointer, model._ptr, steps, arrays.pointer(qpos), arrays.pointer(goal), options, error)
    check(status, error)
    return ContactPlan(model, owned(pointer[0], lib.cr_contact_plan_destroy))


class _System:
    """A step in Python, for C."""

    def __init__(self, call, nx, nu):
        self.call, self.nx, self.nu, self.failure = call, nx, nu, None

    def step(self, x, u, following, A, B):
        """Calls the function, and copies what it returns."""
        found = self.call(_numbers(x, self.nx).copy(), _numbers(u, self.nu).copy(), A != NULL)
        parts = [(found, following, (self.nx,), "the next state")] if A == NULL else [
            (found[0], following, (self.nx,), "the next state"), (found[1], A, (self.nx, self.nx), "A"),
            (found[2], B, (self.nx, self.nu), "B")]
        for values, pointer, shape, name in parts:
            _numbers(pointer, int(np.prod(shape)))[:] = arrays.real(values, shape, name).reshape(-1)


def _numbers(pointer, n):
    return np.frombuffer(ffi.buffer(pointer, 8 * n), dtype=np.float64)


@ffi.def_extern(name="carom_py_mpc_step", error=lib.CR_ERR_INTERRUPTED)
def _mpc_step(context, worker, x, u, following, A, B, error):
    system = ffi.from_handle(context)
    try:
        system.step(x, u, following, A, B)
        return lib.CR_OK
    except BaseException as failure:  # goes through C, see SmoothedMPC.improve
        system.failure = failure
        return lib.CR_ERR_INTERRUPTED


class SmoothedMPC:
    """Iterative smoothed predictive control: controls that lead a system along a goal, from linear models that noise or a log
    barrier has smoothed (docs/smoothed_mpc.md).

        mpc = carom.SmoothedMPC(model, start, goal, nstep=30, Q=[0, 0, 0, 0, 10, 10, 1], R=1, change=0.1, weight=100)
        mpc.improve(20)
        mpc.qpos, mpc.u, mpc.cost

    system     a Model, for quasi-dynamic steps: x is qpos, u are setpoints; or a function f(x, u, derivative) that returns the
               next state, with derivative=True (next, A[nx, nx], B[nx, nu])
    start      x[nx]
    goal       x[nx], or [nstep + 1, nx]
    Q, Q_end   weights of (x - goal)^2, of all steps and of the last (None: Q): a number or nx of them
    R          weights of u^2, of a Model of the change of u: a number or nu of them
    u          first controls [nstep, nu]; a function needs them, or nu
    limits     x_lower, x_upper, u_lower, u_upper, change (largest change of u), trust (largest distance of u from the x that it
               follows): a number or one for each
    estimator  None: the Jacobian, of a Model with weight that of a smoothed step; "first", "zeroth" with samples and sigma, a
               number for all controls or nx + nu of them, which shrinks by decay^(i - 1) / i^power
    decoupled  linear models without what x does to x
    options    of a Model by keyword, as of QuasiDynamic; growth of the weight from iteration to iteration
    """

    @with_contract("cr_smoothed_mpc_improve")
    def __init__(self, system, start, goal, *, nstep, Q, R=1.0, Q_end=None, u=None, nu=None, x_lower=None, x_upper=None,
                 u_lower=None, u_upper=None, change=None, trust=None, estimator=None, samples=100, sigma=0.1, decay=1.0,
                 power=0.0, draws="random", seed=0, growth=1.0, decoupled=False, threads=0, **steps):
        of_model = not callable(system)
        x = np.atleast_1d(np.asarray(start, float))
        if not of_model and u is None and nu is None:
            raise ArgError("SmoothedMPC: of a function the first controls u, or nu, are needed")
        self.nx, self.nu, self.nstep = len(x), system.nu if of_model else nu or np.shape(u)[1], int(nstep)
        self._kept, self._system = {}, system
        options = struct("cr_mpc_options", nstep=self.nstep, changes=of_model, samples=int(samples) if estimator else 0,
                         decay=decay, power=power, kind=choice("estimator_kind", estimator or "first"),
                         draws=choice("draws", draws), seed=int(seed), growth=growth, decoupled=bool(decoupled),
                         nthread=int(threads) if of_model else 1)
        goal = np.asarray(goal, float)
        goal = goal if goal.ndim == 2 else np.tile(goal, (self.nstep + 1, 1))
        sigma = np.r_[np.zeros(self.nx), np.full(self.nu, sigma)] if np.ndim(sigma) == 0 else sigma
        numbers = {"goal": (goal, (self.nstep + 1, self.nx)), "sigma": (sigma, (self.nx + self.nu,))}
        for name, values, n in (("Q", Q, self.nx), ("Q_end", Q_end, self.nx), ("R", R, self.nu), ("x_lower", x_lower, self.nx),
                                ("x_upper", x_upper, self.nx), ("u_lower", u_lower, self.nu), ("u_upper", u_upper, self.nu),
                                ("change", change, self.nu), ("trust", trust, self.nu)):
            if values is not None:
                numbers[name] = (np.full(n, values) if np.ndim(values) == 0 else values, (n,))
        for name, (values, shape) in numbers.items():
            self._kept[name] = arrays.real(values, shape, name)
            setattr(options, name, arrays.pointer(self._kept[name]))
        self._open(system, of_model, options, steps)
        error = new_error()
        check(lib.cr_smoothed_mpc_set_start(self._ptr, arrays.pointer(arrays.real(x)), error), error)
        if u is not None:
            first = arrays.real(u, (self.nstep, self.nu), "u").reshape(-1)
            _numbers(lib.cr_smoothed_mpc_ctrl(self._ptr), self.nstep * self.nu)[:] = first

    def _open(self, system, of_model, options, steps):
        error, pointer = new_error(), ffi.new("cr_smoothed_mpc**")
        if of_model:
            names = {"friction": "pyramid", "inertia": "whole", "step": 0.1, "weight": 0.0, "reach": 0.1, "scale": 10.0,
                     "stiffness": None}
            unknown = [name for name in steps if name not in names]
            if unknown:
                raise TypeError(f"SmoothedMPC: there is no option '{unknown[0]}'")
            c_steps, kept = _step_options(system, **{**names, **steps})
            check(lib.cr_smoothed_mpc_create_quasidynamic(pointer, system._ptr, c_steps, options, error), error)
            self._python, needed = None, (system._ptr, kept)
        else:
            if steps:
                raise TypeError(f"SmoothedMPC: '{next(iter(steps))}' is an option of models")
            self._python = _System(system, self.nx, self.nu)
            handle = ffi.new_handle(self._python)
            c_system = struct("cr_mpc_system", nx=self.nx, nu=self.nu, step=lib.carom_py_mpc_step, context=handle)
            check(lib.cr_smoothed_mpc_create(pointer, c_system, options, error), error)
            needed = (handle, self._python)
        self._ptr = owned(pointer[0], lib.cr_smoothed_mpc_destroy, *needed)

    def improve(self, iterations=1):
        """Makes iterations; returns the costs after each."""
        costs = []
        for _ in range(iterations):
            result, error = struct("cr_mpc_result"), new_error()
            status = lib.cr_smoothed_mpc_improve(self._ptr, result, error)
            if self._python is not None and self._python.failure is not None:
                failure, self._python.failure = self._python.failure, None
                if status != lib.CR_OK:
                    raise failure
            check(status, error)
            costs.append(result.cost)
        return costs

    def _best(self):
        states, controls = ffi.new("cr_real const **"), ffi.new("cr_real const **")
        cost = lib.cr_smoothed_mpc_best(self._ptr, states, controls)
        return cost, (_numbers(states[0], (self.nstep + 1) * self.nx).reshape(-1, self.nx).copy(),
                      _numbers(controls[0], self.nstep * self.nu).reshape(-1, self.nu).copy())

    @property
    def cost(self):
        """Cost of the best motion so far; NaN before the first iteration."""
        return self._best()[0]

    @property
    def qpos(self):
        """States of the best motion: [nstep + 1, nx]."""
        return self._best()[1][0]

    @property
    def u(self):
        """Controls of the best motion: [nstep, nu]."""
        return self._best()[1][1]
