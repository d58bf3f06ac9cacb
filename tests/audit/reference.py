# SPDX-License-Identifier: Apache-2.0
"""The other side: MuJoCo's step, solved as tightly as it can, its noise, and differences of it."""
import contextlib

import mujoco
import numpy as np

STATE = ("qpos", "qvel", "act", "ctrl", "qfrc_applied", "xfrc_applied", "mocap_pos", "mocap_quat")
# displacements of a difference, powers of two so that parameters held in single precision move exactly
LEVELS = tuple(2.0 ** -k for k in (10, 13, 16, 19, 22, 25, 28, 31, 34))
QUICK = 2.0 ** -20
QUATERNIONS = ("body_quat", "body_iquat", "geom_quat", "site_quat")
# forces below which MuJoCo's solve with the effective mass matrix of the integrator discrete does nothing, N
EFFECTIVE_MASS_SOLVE = 2e-8
OPTIONS = ("gravity", "density", "viscosity", "wind", "o_margin", "o_solref", "o_solimp", "o_friction")


def quiet():
    """Nothing of MuJoCo's warnings on the terminal and in MUJOCO_LOG.TXT: divergence is looked for."""
    mujoco.set_mju_user_warning(lambda text: None)


class Reference:
    """A model of MuJoCo and room to step it from any state."""

    def __init__(self, path, loose=False):
        self.held = None
        self.m = mujoco.MjModel.from_xml_path(path)
        o = self.m.opt
        o.solver, o.tolerance, o.iterations = mujoco.mjtSolver.mjSOL_NEWTON, 1e-17, 200
        o.ls_iterations, o.ls_tolerance = 100, 1e-12
        o.ccd_tolerance, o.ccd_iterations = 1e-12, 500
        o.disableflags |= mujoco.mjtDisableBit.mjDSBL_AUTORESET
        if loose:
            self._free_frames()
        self.d = mujoco.MjData(self.m)
        self.n = self.m.nq + self.m.nv + self.m.na

    def _free_frames(self):
        """Lets frames and sizes move: no shortcuts for frames that coincide, wider bounds."""
        m = self.m
        for kind, at, turn in (("body", "body_ipos", "body_iquat"), ("geom", "geom_pos", "geom_quat"), ("site", "site_pos", "site_quat")):
            same = getattr(m, kind + "_sameframe")
            for i in np.flatnonzero(same):
                self._make_same(int(same[i]), getattr(m, at)[i], getattr(m, turn)[i], m.body_ipos, m.body_iquat,
                                i if kind == "body" else getattr(m, kind + "_bodyid")[i])
            same[:] = 0
        m.flg_adhesion = m.flg_gravcomp = m.flg_surfacevel = True
        m.geom_rbound[m.geom_rbound > 0] += 0.02
        m.geom_aabb[:, 3:] += 0.02
        m.bvh_aabb[:, 3:] += 0.02

    @staticmethod
    def _make_same(kind, pos, quat, ipos, iquat, body):
        """A frame that the step takes for that of its body, or its inertia's, to rounding in the model: exactly."""
        inertia = kind in (int(mujoco.mjtSameFrame.mjSAMEFRAME_INERTIA), int(mujoco.mjtSameFrame.mjSAMEFRAME_INERTIAROT))
        quat[:] = iquat[body] if inertia else (1, 0, 0, 0)
        if kind <= int(mujoco.mjtSameFrame.mjSAMEFRAME_INERTIA):
            pos[:] = ipos[body] if inertia else 0

    @contextlib.contextmanager
    def tighter(self):
        """All iterations of the solver, for what has to be looked at twice."""
        o = self.m.opt
        keep = o.tolerance, o.iterations
        o.tolerance, o.iterations = 0, 50
        try:
            yield
        finally:
            o.tolerance, o.iterations = keep

    def start(self, key=-1):
        """The default start, or a keyframe."""
        if key < 0:
            mujoco.mj_resetData(self.m, self.d)
        else:
            mujoco.mj_resetDataKeyframe(self.m, self.d, key)
        return {k: np.array(getattr(self.d, k)) for k in STATE}

    def put(self, state):
        """Makes it the state of the data, with nothing left over from before."""
        d = self.d
        for name in STATE:
            if name in state:
                getattr(d, name)[:] = state[name]
        d.qacc_warmstart[:] = 0
        d.time = 0

    @contextlib.contextmanager
    def holding(self, tangents):
        """Steps in which contacts of some pairs of geoms keep a first tangent: for each stage of a step {pair: tangent}."""
        self.held = tangents
        try:
            yield
        finally:
            self.held = None

    def _held_rows(self, state, tangents):
        """The first half of a step, up to the rows and what they read."""
        m, d = self.m, self.d
        self.put(state)
        mujoco.mj_step1(m, d)
        for c in d.contact:
            t = tangents.get(tuple(int(g) for g in c.geom))
            if t is not None:
                n = c.frame[:3].copy()
                t = t - n * (n @ t)
                t /= np.linalg.norm(t)
                c.frame[3:6], c.frame[6:9] = t, np.cross(n, t)
        mujoco.mj_makeConstraint(m, d)
        mujoco.mj_fwdVelocity(m, d)

    def _held_step(self, state):
        m, d = self.m, self.d
        if int(m.opt.integrator) != int(mujoco.mjtIntegrator.mjINT_RK4):
            self._held_rows(state, self.held[0])
            mujoco.mj_step2(m, d)
            return np.concatenate([d.qpos, d.qvel, d.act])
        rates, at = [], state
        for tangents, fraction in zip(self.held, (0.5, 0.5, 1.0, 0.0)):
            self._held_rows(at, tangents)
            mujoco.mj_fwdActuation(m, d)
            mujoco.mj_fwdAcceleration(m, d)
            mujoco.mj_fwdConstraint(m, d)
            rates.append((at["qvel"].copy(), d.qacc.copy(), d.act_dot.copy()))
            at = self._ahead(state, rates[-1], fraction * m.opt.timestep)
        mean = [sum(w * r[i] for w, r in zip((1 / 6, 1 / 3, 1 / 3, 1 / 6), rates)) for i in range(3)]
        end = self._ahead(state, mean, m.opt.timestep)
        return np.concatenate([end["qpos"], end["qvel"], end["act"]])

    def _ahead(self, state, rate, h):
        out = {**state, "qpos": state["qpos"].copy(), "qvel": state["qvel"] + h * rate[1], "act": state["act"] + h * rate[2]}
        mujoco.mj_integratePos(self.m, out["qpos"], rate[0], h)
        return out

    def step(self, state):
        """The next state in one vector."""
        if self.held is not None:
            return self._held_step(state)
        self.put(state)
        mujoco.mj_step(self.m, self.d)
        return np.concatenate([self.d.qpos, self.d.qvel, self.d.act])

    def split(self, x):
        """That vector as qpos, qvel, act."""
        nq, nv = self.m.nq, self.m.nv
        return {"qpos": x[:nq], "qvel": x[nq:nq + nv], "act": x[nq + nv:]}

    def between(self, x, y):
        """y - x in tangent space: 2 nv + na numbers."""
        m, out = self.m, np.zeros(self.m.nv)
        mujoco.mj_differentiatePos(m, out, 1, x[:m.nq], y[:m.nq])
        return np.concatenate([out, y[m.nq:] - x[m.nq:]])

    def moved(self, state, name, k, h):
        """The state with number k of an input moved, on the manifold."""
        out = dict(state)
        if name == "qpos":
            v = np.zeros(self.m.nv)
            v[k] = h
            out["qpos"] = state["qpos"].copy()
            mujoco.mj_integratePos(self.m, out["qpos"], v, 1)
        else:
            out[name] = state[name].copy()
            out[name].flat[k] += h
        return out

    def parameter(self, name):
        """An array of the model's parameters, to be changed in place; None where there is none."""
        if name in OPTIONS:
            value = getattr(self.m.opt, name)
            return value if isinstance(value, np.ndarray) else None
        value = getattr(self.m, name, None)
        return value if isinstance(value, np.ndarray) and value.dtype.kind == "f" else None

    def with_parameter(self, state, name, k, h):
        """The next state with number k of a parameter moved by h; quaternions turn in the body."""
        return self.changed(name, k, h, lambda: self.step(state))

    def changed(self, name, k, h, what):
        """what() while number k of a parameter is moved by h."""
        if name in OPTIONS:
            return self._with_option(name, k, h, what)
        array = self.parameter(name)
        keep, inertia, mass = array.copy(), self.m.dof_M0.copy(), self.m.body_subtreemass.copy()
        if name in QUATERNIONS:
            turn = np.zeros(3)
            turn[k % 3] = h
            mujoco.mju_quatIntegrate(array[k // 3], turn, 1)
        elif name == "jnt_axis":
            array[k // 3, k % 3] += h
            array[k // 3] /= np.linalg.norm(array[k // 3])
        else:
            array.reshape(-1)[k] += h
        if name in ("body_mass", "body_inertia", "dof_armature", "actuator_armature", "actuator_gear"):
            self._masses()
        try:
            return what()
        finally:
            array[...], self.m.dof_M0[:], self.m.body_subtreemass[:] = keep, inertia, mass

    def _masses(self):
        """What MuJoCo compiled of masses, made again: of subtrees, and the inertia of simple bodies."""
        m = self.m
        m.body_subtreemass[:] = m.body_mass
        for b in range(m.nbody - 1, 0, -1):
            m.body_subtreemass[m.body_parentid[b]] += m.body_subtreemass[b]
        axes = np.eye(3)
        for i in np.flatnonzero(m.dof_simplenum):
            b, j = m.dof_bodyid[i], m.dof_jntid[i]
            first, kind = m.jnt_dofadr[j], m.jnt_type[j]
            turn = np.zeros(9)
            mujoco.mju_quat2Mat(turn, m.body_iquat[b])
            axis = m.jnt_axis[j] if kind == 3 else axes[(i - first) % 3]
            slides = kind == 2 or (kind == 0 and i - first < 3)
            own = m.body_mass[b] if slides else m.body_inertia[b] @ (turn.reshape(3, 3).T @ axis) ** 2
            on = np.flatnonzero((m.actuator_trntype <= 1) & (m.actuator_trnid[:, 0] == j))
            gear = m.actuator_gear[m.actuator_outadr[on], 0]
            m.dof_M0[i] = own + m.dof_armature[i] + m.actuator_armature[on] @ gear ** 2

    def _with_option(self, name, k, h, what):
        value = getattr(self.m.opt, name)
        keep = np.array(value, dtype=float)
        new = keep.copy()
        new.reshape(-1)[k] += h
        try:
            setattr(self.m.opt, name, new if new.ndim else float(new))
            return what()
        finally:
            setattr(self.m.opt, name, keep if keep.ndim else float(keep))

    def noise(self, state, rng, base, trials=4):
        """How far round-off in the state moves the next one, entry by entry."""
        worst = np.zeros(2 * self.m.nv + self.m.na)
        for _ in range(trials):
            near = {k: np.array(v) * (1 + 1e-15 * rng.standard_normal(np.shape(v))) for k, v in state.items()}
            v = 1e-15 * rng.standard_normal(self.m.nv)
            mujoco.mj_integratePos(self.m, near["qpos"], v, 1)
            worst = np.maximum(worst, np.abs(self.between(base, self.step(near))))
        if int(self.m.opt.integrator) == 4:
            unsolved = EFFECTIVE_MASS_SOLVE * self.m.opt.timestep * self._mobility()
            worst[:2 * self.m.nv] += np.concatenate([self.m.opt.timestep * unsolved, unsolved])
        return worst + 3e-16 * np.abs(np.concatenate([np.ones(self.m.nv), base[self.m.nq:]]))

    def inverse_inertia(self):
        """Of M at the state of the data."""
        inertia = np.zeros((self.m.nv, self.m.nv))
        mujoco.mj_fullM(self.m, self.d, inertia)
        return np.linalg.inv(inertia)

    def _mobility(self):
        """How far forces of one on all dofs, of whatever sign, accelerate each."""
        return np.abs(self.inverse_inertia()).sum(axis=1)

    def residuals(self, state, qacc):
        """Size of the equation of motion's residual at MuJoCo's own acceleration and at another one."""
        m, d = self.m, self.d
        self.put(state)
        mujoco.mj_forward(m, d)
        out = []
        for a in (d.qacc.copy(), np.array(qacc)):
            out.append(self.residual(a))
        return out

    def residual(self, a):
        m, d = self.m, self.d
        force, inertial = np.zeros(m.nv), np.zeros(m.nv)
        if d.nefc:
            jar = np.zeros(d.nefc)
            mujoco.mj_mulJacVec(m, d, jar, a)
            mujoco.mj_constraintUpdate(m, d, jar - d.efc_aref, None, 0)
            mujoco.mj_mulJacTVec(m, d, force, d.efc_force)
        mujoco.mj_mulM(m, d, inertial, a)
        return float(np.abs(inertial - d.qfrc_smooth - force).max()) if m.nv else 0.0


def stages(d, state):
    """The four states at which a Runge-Kutta step looks, near enough; the reference is left at each."""
    m, at = d.m, {k: np.array(v) for k, v in state.items()}
    for fraction in (0.5, 0.5, 1.0, 0.0):
        d.put(at)
        mujoco.mj_forward(m, d.d)
        yield at
        velocity, h = at["qvel"].copy(), fraction * m.opt.timestep
        at = {k: np.array(v) for k, v in state.items()}
        mujoco.mj_integratePos(m, at["qpos"], velocity, h)
        at["qvel"] = state["qvel"] + h * d.d.qacc
        at["act"] = state["act"] + h * d.d.act_dot


def runge_kutta(d, state, forward):
    """MuJoCo's Runge-Kutta step of a state, with forward(state) in the place of mj_forward, which says whether it could; None
    where it could not."""
    m, h, rates, at = d.m, d.m.opt.timestep, [], state
    for fraction in (0.5, 0.5, 1.0, 0.0):
        if not forward(at):
            return None
        rates.append([x.copy() for x in (at["qvel"], d.d.qacc, d.d.act_dot)])
        at = {**state, "qpos": state["qpos"].copy(), "qvel": state["qvel"] + fraction * h * rates[-1][1],
              "act": state["act"] + fraction * h * rates[-1][2]}
        mujoco.mj_integratePos(m, at["qpos"], rates[-1][0], fraction * h)
    way, qacc, act_dot = (sum(w * r[k] for w, r in zip((1 / 6, 1 / 3, 1 / 3, 1 / 6), rates)) for k in range(3))
    qpos, act = state["qpos"].copy(), state["act"] + h * act_dot
    mujoco.mj_integratePos(m, qpos, way, h)
    return np.concatenate([qpos, state["qvel"] + h * qacc, act])


class Difference:
    """Differences of f(h) at h = 0 over a ladder of displacements: central, right, left."""

    def __init__(self, between, base, f, noise, scale=1.0):
        self.between, self.base, self.f, self.noise, self.scale = between, base, f, noise, scale

    def _move(self, h):
        x = self.f(h * self.scale)
        return self.between(self.base, x)

    def quick(self):
        """One central difference of fourth order."""
        h = QUICK
        return self._central(h, self._move(h), self._move(h / 2), self._move(-h), self._move(-h / 2))

    def _central(self, h, p1, p2, m1, m2):
        coarse, fine = (p1 - m1) / (2 * h), (p2 - m2) / h
        return (4 * fine - coarse) / (3 * self.scale)

    def ladder(self, right=True, left=True, levels=LEVELS):
        """{side: (value, error, finest value, its error, values and
        round-off of all levels)} of each side that is legal."""
        rows = {"central": [], "right": [], "left": []}
        for h in levels:
            p = [self._move(h), self._move(h / 2)] if right else None
            m = [self._move(-h), self._move(-h / 2)] if left else None
            if right and left:
                rows["central"].append(self._central(h, *p, *m))
            if right:
                rows["right"].append((4 * p[1] - p[0]) / (h * self.scale))
            if left:
                rows["left"].append((m[0] - 4 * m[1]) / (h * self.scale))
        return {side: self._choose(np.array(v), levels) for side, v in rows.items() if v}

    def _choose(self, values, levels):
        """The two neighbours that agree best, and the finest that agree to a ten-thousandth.

        An error is how far neighbours are apart, and how far all that is finer is, beyond round-off.
        """
        floor = 8 * self.noise / (np.array(levels)[:, None] * self.scale)
        error = np.abs(np.diff(values, axis=0)) + floor[1:]
        error = np.where(np.isfinite(error), error, np.inf)
        for row in range(len(error) - 1):
            drift = np.abs(values[row + 2:] - values[row + 1]) - 4 * floor[row + 2:]
            error[row] = np.maximum(error[row], drift.max(axis=0))
        best = error.argmin(axis=0)
        k = np.arange(values.shape[1])
        small = error <= 1e-4 * np.abs(values[1:])
        fine = np.where(small, np.arange(len(error))[:, None], -1).max(axis=0)
        fine = np.where(fine < 0, best, fine)
        return values[best + 1, k], error[best, k], values[fine + 1, k], error[fine, k], (values, floor)
