# SPDX-License-Identifier: Apache-2.0
"""Carom against the reference: steps, rollouts, gradients of a step and of a few steps.

A finding is a dict; `kind` says which comparison it comes from and `class` what is thought of it:
"noise", "known: NAME" or "unexplained".
"""
import contextlib
import itertools

import mujoco
import numpy as np

import carom
import convex
import known
import reference
from reference import OPTIONS, QUATERNIONS, Difference

INPUTS = ("qpos", "qvel", "act", "ctrl", "qfrc_applied", "xfrc_applied", "mocap_pos")
STEP_TOLERANCE = 1e-9      # of the change of velocity in a step
GRADIENT_TOLERANCE = 1e-6  # of the largest number that an input moves
UNTOLD = 1e-3              # a difference that is not sure of more than this says nothing
LADDERS = 150              # columns of a model that are looked at closely
ROUNDING = 1e-14           # of entries of a Jacobian that cancel
PER_FIELD = 4              # numbers of a parameter field that are held against differences


class Pair:
    """The same model in both, and what has been counted."""

    def __init__(self, lib, path, seed, tags):
        self.path, self.seed, self.tags = path, seed, tags
        self.rng = np.random.default_rng([seed, 7])
        self.c = carom.Model(lib, path)
        self.plain, self.r = reference.Reference(path), reference.Reference(path, loose=True)
        m = self.r.m
        self.h, self.nv, self.na = m.opt.timestep, m.nv, m.na
        self.findings, self.count = [], {"steps": 0, "entries": 0, "untold": 0, "refused": 0, "noise": 0, "horizon": 0,
                                     "ladders": 0, "sensors": 0}

    def find(self, kind, where, **more):
        """Notes a finding, in its class."""
        f = {"seed": self.seed, "kind": kind, "where": where, "model": self.path, **more}
        f["class"] = known.name(self, f) or "unexplained"
        for g in (f, *f.get("links", {}).get("found", [])):
            for word in ("full_state", "row", "along"):
                g.pop(word, None)
        alike = ("kind", "field", "class", "shapes")
        for old in self.findings:
            if all(old.get(a) == f.get(a) for a in alike):
                old["times"] += 1
                return
        self.findings.append({**f, "times": 1})

    def own_difference(self, state, name, k, row, along=None, unit=None, h=2.0 ** -20):
        """own_difference, for known.py."""
        moves = None if along is not None and name in self.blocks() else name
        return own_difference(self, state, moves, k, row, h, along, unit)

    def same_differences(self, f, h=2.0 ** -20):
        """same_differences, for known.py."""
        return same_differences(self, f, h)

    def scale_of(self, name, k):
        """scale_of, for known.py."""
        return scale_of(self, name, k)

    def displaced(self, f, h, what):
        """displaced, for known.py."""
        return displaced(self, f, h, what)

    def slope_with_our_contacts(self, f):
        """slope_with_our_contacts, for known.py."""
        return slope_with_our_contacts(self, f)

    def can_inject(self):
        """can_inject, for known.py."""
        return can_inject(self)

    def slope_with_held_rims(self, f):
        """slope_with_held_rims, for known.py."""
        return slope_with_held_rims(self, f)

    def slope_beside(self, state, name, k, row, h, along=None):
        """slope_beside, for known.py."""
        return slope_beside(self, state, None if along is not None and name in self.blocks() else name, k, row, h, along)

    def their_slope(self, f, state, h):
        """their_slope, for known.py."""
        return their_slope(self, f, state, h)

    def wide_difference(self, state, name, k, row, h):
        """wide_difference, for known.py."""
        return wide_difference(self, state, name, k, row, h)

    def step_scale(self, state, base):
        """step_scale, for known.py."""
        return step_scale(self, state, base)

    def blocks(self):
        """Rows of a next state's tangent: qpos, qvel, act."""
        nv = self.nv
        return {"qpos": slice(0, nv), "qvel": slice(nv, 2 * nv), "act": slice(2 * nv, 2 * nv + self.na)}

    def scales(self, x):
        """For each row the largest number in its block."""
        out = np.zeros(len(x))
        for rows in self.blocks().values():
            out[rows] = np.abs(x[rows]).max(initial=0)
        return out


# ---- steps

def step_scale(p, state, base):
    """What a step changes, entry by entry; what round-off of a number itself is never counts."""
    change = np.zeros(2 * p.nv + p.na)
    v = state["qvel"]
    rows = p.blocks()
    change[rows["qvel"]] = np.abs(base[p.r.m.nq:p.r.m.nq + p.nv] - v).max(initial=0) + 1e-6 * np.abs(v) + 1e-7
    change[rows["qpos"]] = p.h * (change[rows["qvel"]] + np.abs(v).max(initial=0)) + 1e-7
    change[rows["act"]] = 1e-3
    return change


def parity(p, state, where, d=None):
    """One step from the same state in both. True where they agree."""
    p.count["steps"] += 1
    d = d or p.plain
    base = d.step(state)
    if wild(d, base):
        return False
    p.c.set_state(state)
    try:
        ours = p.c.step()
    except carom.Error as error:
        refused(p, state, where, str(error))
        return False
    off = np.abs(d.between(base, ours))
    scale = step_scale(p, state, base)
    if np.all(off <= STEP_TOLERANCE * scale):
        return True
    with d.tighter():
        return looked_at_twice(p, state, where, d, ours, scale)


def looked_at_twice(p, state, where, d, ours, scale):
    """The step again, with all iterations of MuJoCo's solver, and with its noise."""
    base = d.step(state)
    off = np.abs(d.between(base, ours))
    noise = d.noise(state, p.rng, base, 6)
    if np.any(off > STEP_TOLERANCE * scale + 20 * noise):
        noise = np.maximum(noise, d.noise(state, p.rng, base, 30))  # rounding may switch a row, now and then
    k = int((off / (STEP_TOLERANCE * scale + 20 * noise)).argmax())
    if np.all(off <= STEP_TOLERANCE * scale + 20 * noise):
        p.count["noise"] += 1
        return True
    report_step(p, state, where, base, off, scale, noise, k)
    return False


def wild(d, x):
    """A state that is flying apart: nothing is compared there."""
    return not np.all(np.isfinite(x)) or np.abs(x[d.m.nq:]).max(initial=0) > 1e3 or \
        np.abs(d.d.qacc).max(initial=0) > 1e6


def refused(p, state, where, sentence):
    """Carom says why it has no step: that is an answer, but one to look at."""
    p.find("refused", where, note=sentence, state=plain_state(state))


def plain_state(state):
    """As lists, for the report."""
    return {k: np.array(v).ravel().tolist() for k, v in state.items() if np.any(v)}


def report_step(p, state, where, base, off, scale, noise, k):
    """A step that differs: whose solution of MuJoCo's own equation is better, and which contacts differ."""
    qacc = p.c.view("qacc")
    residual = p.plain.residuals(state, qacc)
    block = next(n for n, s in p.blocks().items() if s.start <= k < s.stop)
    contacts = p.c.contacts(state)
    pairs = differing(p, contacts)
    if int(p.plain.m.opt.integrator) == 1:
        pairs = [q for s in reference.stages(p.plain, state) for q in differing(p, p.c.contacts(s))]
    p.c.set_state(state)
    p.c.step()
    p.find("step", where, entry=f"{block}[{k - p.blocks()[block].start}]", off=float(off[k]),
           relative=float(off[k] / scale[k]), residual_mujoco=residual[0], residual_carom=residual[1],
           pairs=pairs, shapes=sorted(tuple(q["types"]) for q in pairs), rest=without_collision(p, state, contacts, scale, noise),
           row=k, full_state=state, state=plain_state(state))


def by_pair(rows):
    """Contacts grouped by their geoms."""
    out = {}
    for geoms, *rest in rows:
        out.setdefault(geoms, []).append(rest)
    return out


def matched(a, b):
    """Pairs of contacts of one pair of geoms, each with the nearest that is left: depths may be equal."""
    b = list(b)
    for x in a:
        if b:
            yield x, b.pop(int(np.argmin([np.abs(x[1] - y[1]).max() + abs(x[0] - y[0]) for y in b])))


def differing(p, contacts):
    """Pairs of geoms whose contacts differ, with what convex.py says of them; the reference is at the state."""
    d, m = p.plain.d, p.plain.m
    theirs = by_pair([(tuple(int(g) for g in c.geom), c.dist, c.pos.copy(), c.frame.copy()) for c in d.contact])
    ours, out = by_pair(contacts), []
    for geoms in sorted(set(ours) | set(theirs)):
        a, b = ours.get(geoms, []), theirs.get(geoms, [])
        off = [max(abs(x[0] - y[0]), 0.01 * np.abs(x[1] - y[1]).max(), 0.01 * np.abs(x[2][:3] - y[2][:3]).max())
               for x, y in matched(a, b)]
        if len(a) != len(b) or max(off, default=0) > 1e-13:
            judged = convex.judge(m, d, geoms, a)
            if judged is False:
                judged = convex.is_native(m, d, geoms, a)
            out.append({"types": [int(m.geom_type[g]) for g in geoms], "ours": len(a), "theirs": len(b),
                        "off": float(max(off, default=0)), "judged": judged,
                        "faces": len(a) == len(b) and convex.between_faces(m, d, geoms, a)})
    return out


def without_collision(p, state, contacts, scale, noise):
    """How far the steps are apart, relative and beyond noise, where MuJoCo goes on with Carom's contacts; None: cannot be told."""
    d = p.plain
    exact = d.m.opt.enableflags & int(mujoco.mjtEnableBit.mjENBL_DIAGEXACT)
    if len(contacts) != d.d.ncon or int(d.m.opt.integrator) not in (0, 2, 3) or exact:
        return None
    slip = p.c.view("contact_surfacevel").reshape(-1, 3) if contacts else []
    rows = [(*c, s) for c, s in zip(contacts, slip)]
    if any(tuple(c.geom) != ours[0] for c, ours in zip(d.d.contact, contacts)):
        return None
    with_ours = convex.injected(d.m, d.d, lambda: d.put(state), rows)
    parts = (p.c.view(n) for n in ("qpos_next", "qvel_next", "act_next"))
    ours = np.concatenate([x for x in parts if x is not None])
    theirs, own = (d.residual(a) for a in (d.d.qacc.copy(), p.c.view("qacc")))
    if own <= theirs:
        return 0.0  # MuJoCo has solved its own problem no better
    return float((np.maximum(0, np.abs(d.between(with_ours, ours)) - 20 * noise) / scale).max())


def visit(p, steps, controls, keep):
    """MuJoCo's own rollout; a step of Carom from each of its states. The states to keep."""
    state, out, bad = p.plain.start(), [], 0
    for i in range(steps):
        state["ctrl"] = controls(i)
        if i in keep:
            out.append((f"step {i}", {k: np.array(v) for k, v in state.items()}))
        if bad < 3:
            bad += not parity(p, state, f"step {i}")
        x = p.plain.step(state)
        if wild(p.plain, x):
            break
        state.update(p.plain.split(x))
    return out


def free(p, steps, controls):
    """Carom on its own against MuJoCo, and MuJoCo's twin, which is moved by round-off at every step."""
    a, path = p.plain.start(), []
    twin, ours, apart = dict(a), dict(a), 1e-14
    for i in range(steps):
        for s in (a, twin, ours):
            s["ctrl"] = controls(i)
        twin = nudged(p, twin)
        x, y = p.plain.step(a), p.plain.step(twin)
        if wild(p.plain, x):
            return
        p.c.set_state(ours)
        try:
            z = p.c.step()
        except carom.Error as error:
            refused(p, ours, f"free step {i}", str(error))
            return
        apart = max(apart, np.abs(p.plain.between(x, y)).max(initial=0))
        off = np.abs(p.plain.between(x, z)).max(initial=0)
        path.append({k: np.array(v) for k, v in ours.items()})
        if off > 1e-8 * max(1, np.abs(x).max()) + 1e3 * apart:
            explain_divergence(p, path, i, float(off), float(apart))
            return
        for s, v in ((a, x), (twin, y), (ours, z)):
            s.update(p.plain.split(v))


def explain_divergence(p, path, i, off, apart):
    """Two that part: by a step that differs, which is the finding then, or by the growth of small differences."""
    largest = 0.0
    for k, state in enumerate(path):
        if not parity(p, state, f"free step {k}"):
            return
        base = p.plain.step(state)
        p.c.set_state(state)
        largest = max(largest, np.abs(p.plain.between(base, p.c.step())).max())
    if off > 10 * apart * max(1, largest / 1e-15):
        p.find("rollout", f"free step {i}", off=off, twin=apart, largest=float(largest))


def nudged(p, state):
    """The state, moved by a few units of its last place."""
    out = {k: np.array(v) for k, v in state.items()}
    mujoco.mj_integratePos(p.plain.m, out["qpos"], 1e-15 * p.rng.standard_normal(p.nv), 1)
    out["qvel"] = out["qvel"] * (1 + 1e-15 * p.rng.standard_normal(p.nv)) + 1e-16
    return out


# ---- sensors

def sensors(p, state, where):
    """The sensors of a state, where the steps agree: to 1e-9 of the largest number of the sensor, or noise."""
    m, d = p.plain.m, p.plain.d
    if not m.nsensordata or not parity(p, state, where):
        return
    p.c.set_state(state)
    if p.c.lib.cr_forward(p.c.m, p.c.d) != 0:
        return
    ours, noise = p.c.view("sensordata").copy(), np.zeros(m.nsensordata)
    with p.plain.tighter():
        theirs = read_sensors(p, state)
        for _ in range(6):
            noise = np.maximum(noise, np.abs(read_sensors(p, nudged(p, state)) - theirs))
    for i in range(m.nsensor):
        rows = slice(m.sensor_adr[i], m.sensor_adr[i] + m.sensor_dim[i])
        p.count["sensors"] += 1
        off = np.abs(ours[rows] - theirs[rows])
        if np.any(off > 1e-9 * np.abs(theirs[rows]).max(initial=1e-3) + 20 * noise[rows]):
            k = int(off.argmax())
            p.find("sensor", where, field=mujoco.mjtSensor(int(m.sensor_type[i])).name, number=i, entry=str(k), got=float(ours[rows][k]),
                   expected=float(theirs[rows][k]), off=float(off.max()), noise=float(noise[rows].max()), pairs=sensor_pairs(p, state),
                   full_state=state, state=plain_state(state))


def read_sensors(p, state):
    """MuJoCo's."""
    p.plain.put(state)
    mujoco.mj_forward(p.plain.m, p.plain.d)
    return p.plain.d.sensordata.copy()


def sensor_pairs(p, state):
    """Contacts that differ at the state."""
    contacts = p.c.contacts(state)
    read_sensors(p, state)
    return differing(p, contacts)


# ---- gradients of a step

def parameters(p):
    """Fields that are parameters in Carom and arrays of numbers in MuJoCo."""
    p.c._twins()
    found = []
    for name in list(OPTIONS) + sorted(n for n in dir(p.r.m) if not n.startswith("_")):
        if name in INPUTS or name in known.NO_PARAMETER:
            continue
        here = p.c.view(name, p.c.bar)
        there = p.r.m.opt if name in OPTIONS else p.r.parameter(name)
        if here is not None and there is not None:
            found.append(name)
    return found


def chosen(p, name, n):
    """Numbers of a parameter that are looked at: a few of each field."""
    allowed = [k for k in range(n) if known.has_meaning(p.r.m, name, k)]
    if len(allowed) <= PER_FIELD:
        return allowed
    return sorted(int(k) for k in p.rng.choice(allowed, PER_FIELD, replace=False))


def legal(p, state, name, k):
    """Which sides of a value are allowed: (right, left)."""
    m = p.r.m
    if name == "ctrl" and m.actuator_ctrllimited[k]:
        low, high = m.actuator_ctrlrange[k]
        return state["ctrl"][k] != high, state["ctrl"][k] != low
    if name == "act":
        return sides_of_activation(m, state["act"][k], k)
    if name in INPUTS or name in QUATERNIONS:
        return True, True
    return tuple(can_put(p, name, k, h) for h in (1e-6, -1e-6))


def sides_of_activation(m, x, k):
    """An activation at an end of its range moves inwards only."""
    for i in range(m.nactuator):
        first, n = m.actuator_actadr[i], m.actuator_actnum[i]
        if first <= k < first + n and (m.actuator_actlimited[i] or
                                       m.actuator_dyntype[i] == int(mujoco.mjtDyn.mjDYN_MUSCLE)):
            low, high = m.actuator_actrange[i] if m.actuator_actlimited[i] else (0, 1)
            return x != high, x != low
    return True, True


def can_put(p, name, k, h):
    """Whether Carom takes the model with a number moved."""
    size = p.c.view(name, p.c.bar).size
    old = p.c.get(name, size)
    new = old.copy()
    new[k] += h * max(1, np.max(np.abs(old[k])))
    try:
        p.c.put(name, new)
    except carom.Error:
        return False
    p.c.put(name, old)
    return True


def together(p, state, name, k, J):
    """Numbers that are moved as one: both ends of a tendon spring at rest, of which Carom says that their sum is the slope."""
    if name != "tendon_lengthspring":
        return k
    said = [s for s in p.c.two_slopes(state, name) if known.is_about(p, s, name, k)]
    return [k & ~1, k | 1] if any("both ends equal its length" in s for s in said) else k


def column_of(J, k):
    """Column k, or the sum of several."""
    return J[:, k] if np.isscalar(k) else J[:, k].sum(axis=1)


def scale_of(p, name, k):
    """How far a number moves: a unit for states, its own size for parameters."""
    if name in INPUTS or name in QUATERNIONS:
        return 1.0
    x = np.abs(np.ravel(getattr(p.r.m.opt, name) if name in OPTIONS else p.r.parameter(name)))
    if name == "hfield_data":
        return 1.0
    return float(np.max(x[k]) or x.max() or 1.0)


def gradient(p, state, where):
    """Every entry of the Jacobian of a step, by all inputs and parameters, against differences."""
    if not parity(p, state, where, p.r):
        return
    names = list(INPUTS) + parameters(p)
    p.c.set_state(state)
    p.c.step()
    try:
        J = p.c.vjp(names)
        own_jacobian(p, J, where, state)
        own_parameter_jacobian(p, J, names, where, state)
    except carom.Error as error:
        refused(p, state, where, str(error))
        return
    base = p.r.step(state)
    noise = p.r.noise(state, p.rng, base)
    for name in names:
        if name not in J:
            continue
        numbers = range(J[name].shape[1]) if name in INPUTS[:4] else chosen(p, name, J[name].shape[1])
        for k in numbers:
            if sum(f["times"] for f in p.findings if f.get("field") == name) >= 3:
                break  # enough of this
            try_column(p, state, where, base, noise, name, together(p, state, name, k, J[name]), J[name])


def try_column(*arguments):
    """A column; nothing where MuJoCo refuses the model with the number moved."""
    try:
        column(*arguments)
    except mujoco.FatalError:
        arguments[0].count["refused"] += 1


def own_jacobian(p, J, where, state):
    """cr_step_jacobian against the reverse sweeps."""
    own = p.c.step_jacobian()
    both = {"ctrl": own["ctrl"], "qfrc_applied": own["qfrc_applied"], "qpos": own["x"][:, :p.nv],
            "qvel": own["x"][:, p.nv:2 * p.nv], "act": own["x"][:, 2 * p.nv:]}
    for name, matrix in both.items():
        if name in J and matrix.size:
            off = np.abs(matrix - J[name])
            if off.max() > 1e-8 * np.abs(J[name]).max() + ROUNDING:
                at = np.unravel_index(off.argmax(), off.shape)
                p.find("jacobian", where, field=name, entry=str([int(a) for a in at]), got=float(matrix[at]),
                       expected=float(J[name][at]), note="cr_step_jacobian against cr_step_vjp",
                       state=plain_state(state))


def own_parameter_jacobian(p, J, names, where, state):
    """cr_step_parameter_jacobian of a few fields, few columns and many, against the reverse sweeps."""
    fields = [n for n in names if n in J and n not in INPUTS and n != "qpos_spring"]
    some = [str(n) for n in p.rng.choice(fields, min(3, len(fields)), replace=False)] if fields else []
    if not some or where not in ("start", "step 40"):
        return
    both = np.hstack([J[n] for n in some])
    matrix = p.c.parameter_jacobian(some)
    if matrix.shape != both.shape:
        p.find("jacobian", where, field=some[0], note=f"{matrix.shape[1]} columns of {both.shape[1]}", got=0.0)
        return
    first = 0
    for name in some:
        a, b = (x[:, first:first + J[name].shape[1]] for x in (matrix, both))
        first += J[name].shape[1]
        if a.size and np.abs(a - b).max() > 1e-8 * np.abs(b).max() + ROUNDING:
            at = np.unravel_index(np.abs(a - b).argmax(), a.shape)
            p.find("jacobian", where, field=name, entry=str([int(x) for x in at]), got=float(a[at]), expected=float(b[at]),
                   note="cr_step_parameter_jacobian against cr_step_vjp", state=plain_state(state))


def mover(p, state, name, k):
    """f(h): the next state with the input or parameter moved."""
    if name in INPUTS:
        return lambda h: p.r.step(p.r.moved(state, name, k, h))
    return lambda h: p.r.with_parameter(state, name, k, h)


def column(p, state, where, base, noise, name, k, J):
    """One column: passes at once where a difference says the same; otherwise the whole ladder."""
    g = along_sphere(p, J, k) if name == "jnt_axis" else column_of(J, k)
    p.count["entries"] += len(g)
    with known.told_to_mujoco(p.r.m, name, k):
        d = Difference(p.r.between, base, mover(p, state, name, k), noise, scale_of(p, name, k))
        fd = d.quick()
        size = p.scales(np.maximum(np.abs(g), np.abs(fd)))
        if np.all(np.abs(g - fd) <= GRADIENT_TOLERANCE * size + 1e-13):
            return
        p.count["ladders"] += 1
        if p.count["ladders"] > LADDERS:
            p.count["untold"] += len(g)
            return
        with p.r.tighter():
            d.base = p.r.step(state)
            ladder = d.ladder(*legal(p, state, name, k))
    verdict(p, where, name, k, g, ladder, state)


def wide_difference(p, state, name, k, i, h):
    """A central difference of MuJoCo's step over a displacement beside which its rounding is small."""
    move, unit = mover(p, state, name, k), scale_of(p, name, k)
    return float(p.r.between(move(-h * unit), move(h * unit))[i] / (2 * h * unit))


def their_slope(p, f, state, h):
    """A central difference of MuJoCo's step at another state than that of a finding."""
    name, k, along = f["field"], f["number"], f.get("along")
    moves = None if along is not None and name in p.blocks() else name
    h *= f.get("unit") or (scale_of(p, name, k) if moves else 1.0)
    at = [aside(p, state, along, s * h) for s in (1, -1)]
    right, left = (p.r.step(x) if moves is None else mover(p, x, moves, k)(s * h) for x, s in zip(at, (1, -1)))
    return float(p.r.between(left, right)[f["row"]] / (2 * h))


def own_difference(p, state, name, k, i, h=2.0 ** -20, along=None, unit=None):
    """What differences of Carom's own step say of an entry: right and left. None for what cannot be moved.

    `along`: how the state moves with the number, for a step on the way; `unit`: how far the number does.
    """
    values, h = [], h * (unit or scale_of(p, name, k))
    for sign in (1, -1):
        try:
            values.append(own_step(p, aside(p, state, along, sign * h), name, k, sign * h))
        except carom.Error:
            values.append(None)
    base, scale = own_step(p, state, name, k, 0), h
    return [None if x is None else float(s * p.r.between(base, x)[i] / scale) for x, s in zip(values, (1, -1))]


def displaced(p, f, h, what):
    """what() of the reference's data at the state of a finding, what it is about moved by h."""
    name, k, along, state = f["field"], f["number"], f.get("along"), f["full_state"]

    def put(s):
        p.r.put(s)
        return what()

    if along is not None:
        state = aside(p, state, along, h / max(1.0, np.abs(along).max()))
        return put(state) if name in INPUTS else p.r.changed(name, k, 0.0, lambda: put(state))
    if name in INPUTS:
        return put(p.r.moved(state, name, k, h))
    return p.r.changed(name, k, h * scale_of(p, name, k), lambda: put(state))


# ---- MuJoCo's step with contacts of another's

def can_inject(p):
    """Whether MuJoCo's step can be made with other contacts than its own."""
    m = p.r.m
    return int(m.opt.integrator) in (0, 1, 2, 3) and not (p.na and int(m.opt.integrator) == 1) and \
        not m.opt.enableflags & int(mujoco.mjtEnableBit.mjENBL_DIAGEXACT)


def step_with(p, state, contacts_of):
    """MuJoCo's step with the contacts of contacts_of(state, stage) in the place of its own, in each stage of a Runge-Kutta step;
    None where these are."""
    m, d, count = p.r.m, p.r.d, itertools.count()

    def forward(at):
        rows = contacts_of(at, next(count))
        p.r.put(at)
        if rows is not None:
            convex.forward_with(m, d, rows)
        return rows is not None

    if int(m.opt.integrator) == 1:
        return reference.runge_kutta(p.r, state, forward)
    rows = contacts_of(state, 0)
    return None if rows is None else convex.injected(m, d, lambda: p.r.put(state), rows)


def right_contacts(p, state):
    """Carom's contacts, with their surface velocities, where they are right and of the pairs that touch in MuJoCo; else None. How
    many a pair has may differ where MuJoCo searches for it. The reference is left at the state."""
    m, d = p.r.m, p.r.d
    contacts = p.c.contacts(state)
    slip = p.c.view("contact_surfacevel").reshape(-1, 3) if contacts else []
    p.r.put(state)
    mujoco.mj_forward(m, d)
    ours, theirs = by_pair(contacts), by_pair([(tuple(int(g) for g in c.geom), c.dist) for c in d.contact])
    if set(ours) != set(theirs):
        return None
    for geoms, rows in ours.items():
        judged = convex.judge(m, d, geoms, rows)
        alike = len(rows) == len(theirs[geoms])
        if not (judged or alike and (judged is None or convex.between_faces(m, d, geoms, rows))):
            return None
        if not alike and not known.searched(sorted(int(m.geom_type[g]) for g in geoms)):
            return None
    return [(*c, s.copy()) for c, s in zip(contacts, slip)]


def slope_is(p, f, step, h=2.0 ** -20):
    """Whether a central difference of step(state), with what a finding is about moved in both, is Carom's gradient."""
    name, k, along = f["field"], f["number"], f.get("along")
    moves = None if along is not None and name in p.blocks() else name
    if moves == "jnt_axis":
        return False
    h *= f.get("unit") or (scale_of(p, name, k) if moves else 1.0)
    right, left = (both_moved(p, f["full_state"], moves, k, along, s * h, step) for s in (1, -1))
    return right is not None and left is not None and \
        abs(p.r.between(left, right)[f["row"]] / (2 * h) - f["got"]) <= 1e-3 * f["size"]


def both_moved(p, state, name, k, along, h, step):
    """step(state), the state along a direction and a number moved by h in both; None where Carom does not take it."""
    at = aside(p, state, along, h)
    if name is None or name in INPUTS:
        return step(p.r.moved(at, name, k, h) if name else at)
    try:
        with own_parameter(p, name, k, h):
            return p.r.changed(name, k, h, lambda: step(at))
    except carom.Error:
        return None


def slope_with_our_contacts(p, f):
    """Whether MuJoCo's step, with Carom's contacts, has Carom's gradient."""
    return can_inject(p) and slope_is(p, f, lambda state: step_with(p, state, lambda at, _: right_contacts(p, at)))


def slope_with_held_rims(p, f):
    """Whether MuJoCo's step has Carom's gradient where cylinders that stand flat on planes keep the points that they touch with:
    these turn with the disk, but do not run round its rim. All other contacts are Carom's."""
    rims = {}

    def first(at, stage):
        rows = right_contacts(p, at)
        rims[stage] = convex.rims(p.r.m, p.r.d, rows or [])
        return rows

    def held(at, stage):
        rows = right_contacts(p, at)
        return rows and convex.with_rims(p.r.m, p.r.d, rows, rims[stage])

    return can_inject(p) and step_with(p, f["full_state"], first) is not None and \
        slope_is(p, f, lambda state: step_with(p, state, held))


def same_differences(p, f, h=2.0 ** -20):
    """Whether the two steps change alike over the displacements that `own` of a finding was taken by."""
    name, k, along = f["field"], f["number"], f.get("along")
    moves = None if along is not None and name in p.blocks() else name
    h *= f.get("unit") or scale_of(p, name, k)
    base, own_base = p.r.step(f["full_state"]), own_step(p, f["full_state"], moves, k, 0)
    noise = 20 * p.r.noise(f["full_state"], p.rng, base)[f["row"]]
    for sign, side in ((1, "right"), (-1, "left")):
        at = aside(p, f["full_state"], along, sign * h)
        if side in f["expected"]:
            with known.told_to_mujoco(p.r.m, name, k):
                theirs = p.r.step(at) if moves is None else mover(p, at, moves, k)(sign * h)
            ours = own_step(p, at, moves, k, sign * h)
            off = p.r.between(base, theirs)[f["row"]] - p.r.between(own_base, ours)[f["row"]]
            if abs(off) > 1e-3 * f["size"] * h + noise:
                return False
    return True


def aside(p, state, along, h):
    """The state, moved by h along a tangent of qpos, qvel and act; None is no move."""
    if along is None:
        return state
    out, rows = dict(state), p.blocks()
    out["qpos"] = state["qpos"].copy()
    mujoco.mj_integratePos(p.r.m, out["qpos"], np.ascontiguousarray(along[rows["qpos"]]), h)
    out["qvel"] = state["qvel"] + h * along[rows["qvel"]]
    out["act"] = state["act"] + h * along[rows["act"]]
    return out


def slope_beside(p, state, name, k, i, h, along=None):
    """Carom's derivative of entry i, the state moved by h along a direction, and the input or parameter with it."""
    at = aside(p, state, along, h)
    if name in INPUTS:
        return slope_here(p, p.r.moved(at, name, k, h), name, k, i, along)
    if name is None or name in QUATERNIONS or h == 0:
        return slope_here(p, at, name, k, i, along)
    old = p.c.get(name, p.c.view(name, p.c.bar).size)
    new = old.copy()
    new[k] += h
    try:
        p.c.put(name, new)
        return slope_here(p, at, name, k, i, along)
    except carom.Error:
        return float("nan")
    finally:
        p.c.put(name, old)


def slope_here(p, state, name, k, i, along):
    """Carom's derivative of entry i by a number and along a direction."""
    p.c.set_state(state)
    p.c.step()
    J = p.c.vjp([*p.blocks(), *([name] if name else [])], [i])
    g = sum(J[n][i] @ along[rows] for n, rows in p.blocks().items() if n in J) if along is not None else 0.0
    return float(g + (column_of(J[name], k)[i] if name else 0.0))


def own_step(p, state, name, k, h):
    """Carom's step with an input or a parameter moved by h, or None."""
    if name is None or name in INPUTS:
        p.c.set_state(p.r.moved(state, name, k, h) if name else state)
        return p.c.step()
    p.c.set_state(state)
    with own_parameter(p, name, k, h):
        return p.c.step()


@contextlib.contextmanager
def own_parameter(p, name, k, h):
    """While a number of a parameter is moved by h in Carom: quaternions turn, axes stay of length 1."""
    size = p.c.view(name, p.c.bar).size
    old = p.c.get(name, size * 4 // 3 if name in QUATERNIONS else size)
    new = old.copy()
    if name in QUATERNIONS:
        mujoco.mju_quatIntegrate(new.reshape(-1, 4)[k // 3], h * np.eye(3)[k % 3], 1)
    else:
        new[k] += h
    if name == "jnt_axis":
        new.reshape(-1, 3)[k // 3] /= np.linalg.norm(new.reshape(-1, 3)[k // 3])
    try:
        p.c.put(name, new)
        yield
    finally:
        p.c.put(name, old)


def scale_explains(p, g, levels):
    """Entries that a difference over some displacement says: of what bends on two scales either is right.

    Where nothing at all moves, that is no answer: MuJoCo leaves out what is very small.
    """
    out = np.zeros(len(g), bool)
    for v, floor in zip(*levels):
        size = p.scales(np.abs(v))
        if np.any(v):
            out |= (np.abs(g - v) <= 2e-4 * size + floor) & (floor < 1e-2 * size)
    return out


def along_sphere(p, J, k):
    """Of an axis only what turns it is compared: Carom's three columns along the part that does."""
    first = 3 * (k // 3)
    axis = p.r.m.jnt_axis[k // 3]
    return J[:, first:first + 3] @ (np.eye(3)[k % 3] - axis * axis[k % 3])


def verdict(p, where, name, k, g, ladder, state):
    """Entries that no legal side explains. A kink needs two sides that differ."""
    unit = scale_of(p, name, k) if name not in INPUTS and name not in QUATERNIONS else 0
    f, _ = wrong_entry(p, g, ladder, STEP_TOLERANCE * step_scale(p, state, p.r.step(state)) / unit if unit else 0)
    if f:
        p.find("gradient", where, field=name, number=k, own=own_difference(p, state, name, k, f["row"]),
               full_state=state, state=plain_state(state), **f)


def judged(p, g, ladder):
    """Which entries of a column the differences are sure of, which they explain, how far off and how large all are."""
    sides = [ladder[s] for s in ("central", "right", "left") if s in ladder]
    told, explained, off = np.zeros(len(g), bool), np.zeros(len(g), bool), np.full(len(g), np.inf)
    size = p.scales(np.maximum(np.abs(g), np.abs(sides[0][0])) if sides else np.abs(g))
    for value, error, fine, fine_error, levels in sides:
        explained |= scale_explains(p, g, levels)
        for v, e in ((value, error), (fine, fine_error)):
            told |= (e <= UNTOLD * size) & (50 * e <= np.abs(g - v))
            explained |= np.abs(g - v) <= GRADIENT_TOLERANCE * size + 10 * e
            off = np.minimum(off, np.abs(g - v))
    return told, explained, off, size


def wrong_entry(p, g, ladder, least=0.0):
    """The entry of a column that is farthest off what the differences say, or None; and whether all are explained.

    `least`: what an entry has to be off; that of a parameter counts if all of the parameter would change the step.
    """
    told, explained, off, size = judged(p, g, ladder)
    if ladder:
        p.count["untold"] += int(np.sum(~told & ~explained))
    wrong = told & ~explained & (off > np.maximum(1e-12, least)) & np.isfinite(off)
    if not wrong.any():
        return None, bool(np.all(explained | (off <= 1e-12)))
    i = int(np.where(wrong, off / (size + 1e-300), -1).argmax())
    block = next(n for n, s in p.blocks().items() if s.start <= i < s.stop)
    return {"entry": f"{block}[{i - p.blocks()[block].start}]", "got": float(g[i]), "size": float(size[i]), "row": i,
            "expected": {s: [float(ladder[s][0][i]), float(ladder[s][1][i])] for s in ladder}}, False
