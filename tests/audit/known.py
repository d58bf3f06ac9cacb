# SPDX-License-Identifier: Apache-2.0
"""Differences that are known, by name, each with its reason; and numbers that mean nothing."""
import contextlib
import re

import mujoco
import numpy as np

import convex
import events
import reference

ROUNDING = 16 * np.finfo(float).eps  # of a sum of forces, over the sum of their sizes
NEAR_FLAT = 1e-5  # rad
IDLE = 1e-12      # of a reference acceleration that is rounding, over what is sensed

# fields that both have and that are no parameter of a step in MuJoCo's arrays
NO_PARAMETER = ("magnetic",)


def has_meaning(m, name, k):
    """Whether a number of a parameter field is one that MuJoCo's step reads, now and when it moves."""
    if name == "wrap_prm":
        return int(m.wrap_type[k]) in (int(mujoco.mjtWrap.mjWRAP_JOINT), int(mujoco.mjtWrap.mjWRAP_PULLEY))
    if name == "qpos_spring":
        return not any(m.jnt_type[j] <= 1 and 0 <= k - m.jnt_qposadr[j] < (7, 4)[m.jnt_type[j]] for j in range(m.njnt))
    if name == "geom_fluid":
        return k % 12 != 0
    if name == "tendon_armature":
        return m.tendon_armature[k] > 0  # without any, MuJoCo has no entries of M for it
    if name in REFLECTED:
        return reflects(m, name, k // REFLECTED[name])
    if name in ("body_ipos", "body_iquat", "jnt_axis", "jnt_pos"):
        body = k // 3 if name.startswith("body") else m.jnt_bodyid[k // 3]
        return not m.body_simple[body]  # MuJoCo keeps only the diagonal of M there, moved or not
    return True


REFLECTED = {"actuator_armature": 1, "actuator_damping": 1, "actuator_dampingpoly": 2}


def reflects(m, name, i):
    """Whether the armature and damping of an actuator can count: of a tendon's only where there is some."""
    if m.actuator_trntype[i] == int(mujoco.mjtTrn.mjTRN_TENDON):
        return name != "actuator_armature" or m.actuator_armature[i] > 0
    return True


@contextlib.contextmanager
def told_to_mujoco(m, name, k):
    """While a number moves from zero, MuJoCo's lists say that it may be another; -2 has it look at all."""
    if name not in REFLECTED:
        yield
        return
    keep = m.jnt_actuatorid.copy(), m.tendon_actuatorid.copy()
    m.jnt_actuatorid[:], m.tendon_actuatorid[:] = -2, -2
    try:
        yield
    finally:
        m.jnt_actuatorid[:], m.tendon_actuatorid[:] = keep


def name(p, f):
    """The name of the known difference that explains a finding, or None."""
    if f["kind"] == "horizon":
        return on_the_way(p, f)
    for title, fits in TABLE:
        if fits(p, f):
            return title
    return None


def on_the_way(p, f):
    """A gradient over some steps is the product of those of the steps, and of each of them that differs from MuJoCo's
    differences the reason is known; or none differs and some have two slopes, which longer differences mix."""
    g, links = f["got"], f["links"]
    if f["alone"]:
        return "on the way: the control of each step alone is right"
    names = {name(p, x) for x in links["found"]}
    if abs(g - links["product"]) > 1e-6 * (abs(g) + f["size"]) and not (names == {"Carom: two slopes"} and inside(f)):
        return None
    if None in names or links["untold"]:
        return None
    if names:
        return "on the way: " + ", ".join(sorted(names))
    if abs(g - links["theirs"]) > 0.1 * min(abs(g - v[0]) for v in f["expected"].values()):
        return None  # small differences of the steps add up
    if links["held"]:
        return "on the way: a friction loss that holds"
    return "on the way: a kink" if links["kinks"] else "on the way: every step is MuJoCo's"


def inside(f):
    """Whether the gradient lies between those to the right and left: rounding decides on which side of a kink a step stands,
    and other states of the same motion give another product."""
    sides = [v[0] for v in f["expected"].values()]
    return min(sides) <= f["got"] <= max(sides)


SEARCHED = {(2, 7), (3, 7), (2, 4), (3, 4), (3, 5), (4, 4), (4, 5), (4, 6), (4, 7), (5, 5), (5, 6), (5, 7), (6, 7), (7, 7)}


def searched(types):
    """Pairs of shapes that MuJoCo searches for, to a tolerance; types ascending, 1 a height field."""
    return tuple(types) in SEARCHED or types[0] == 1


def convex_search(p, f):
    """MuJoCo's search ended at a contact that is not that of least overlap; Carom's are."""
    return only_contacts(f) and all(searched(q["types"]) and q["judged"] is not False for q in f["pairs"])


def only_contacts(f):
    """Contacts of some pairs differ, and where the rest of the step can be told apart, it agrees."""
    return f["kind"] == "step" and bool(f["pairs"]) and (f["rest"] is None or f["rest"] <= 1e-9)


def manifold(p, f):
    """Several points of one face or line, which MuJoCo draws from where its search stopped: same normal, a little
    elsewhere. docs/derivations/collision_convex.md [h]."""
    return only_contacts(f) and all(of_search(q) for q in f["pairs"])


def of_search(q):
    """Whether contacts of a pair are those of least overlap, or points of one face, or some of those of one overlap."""
    nearly = q["ours"] == q["theirs"] > 1 and q["off"] < 1e-4
    return searched(q["types"]) and (q["judged"] is not False or nearly or q["faces"])


def flat_cylinder(p, f):
    """A cylinder that lies nearly flat, whose distance MuJoCo's step has to few digits (docs/parity.md), and beside it
    pairs that it searches for: the steps differ by contacts alone, or Carom's gradient is that of its own step."""
    if f["kind"] == "step":
        return only_contacts(f) and any(list(q["types"]) == [0, 5] for q in f["pairs"]) and \
            all((list(q["types"]) == [0, 5] and q["ours"] == q["theirs"] and q["off"] < 1e-3 and q["judged"]) or
                of_search(q) for q in f["pairs"])
    if f["kind"] != "gradient" or not f["own"] or None in f["own"] or \
            not has_contact(p, f["full_state"], lambda types: types == [0, 5]):
        return False
    if min(abs(x - f["got"]) for x in f["own"]) > 1e-4 * f["size"] and not (is_near_flat(p, f["full_state"]) and fine_scale(p, f)):
        return False
    near = min(abs(v[0] - f["got"]) for v in f["expected"].values()) <= 0.05 * f["size"]
    far = (2.0 ** -9, 2.0 ** -6, 2.0 ** -3) + ((2.0 ** -20,) if is_near_flat(p, f["full_state"]) else ())
    return near or (f.get("along") is None and f["field"] != "jnt_axis" and
                    any(abs(p.wide_difference(f["full_state"], f["field"], f["number"], f["row"], h) - f["got"]) <= 1e-3 * f["size"] for h in far))


def is_near_flat(p, state):
    """Whether a cylinder lies on a plane, tilted by so little that its step bends within a ten-millionth."""
    return any(0 < tilt < NEAR_FLAT for _, tilt in axes_on_planes(p.r, lambda: p.r.put(state)).values())


def sensed_search(p, f):
    """A sensor of two shapes that MuJoCo searches for, whose nearest points Carom has; or one of forces, where contacts
    that MuJoCo searches for differ, and Carom's are right."""
    m, d = p.plain.m, p.plain.d
    if f["kind"] != "sensor":
        return False
    if not f["field"].startswith("mjSENS_GEOM"):
        return bool(f["pairs"]) and all(searched(q["types"]) and q["judged"] is not False for q in f["pairs"])
    i = f["number"]
    objects = (m.sensor_objtype[i], m.sensor_objid[i]), (m.sensor_reftype[i], m.sensor_refid[i])
    if any(kind != int(mujoco.mjtObj.mjOBJ_GEOM) for kind, _ in objects):
        return False
    geoms = [int(g) for _, g in objects]
    p.plain.put(f["full_state"])
    mujoco.mj_forward(m, d)
    return searched(sorted(int(m.geom_type[g]) for g in geoms)) and \
        convex.nearest(m, d, geoms, *p.c.distance(f["full_state"], *geoms, float(m.sensor_cutoff[i])))


def same_contacts(p, f):
    """Contacts agree to 1e-13, and with Carom's in the place of its own MuJoCo makes the same step: stiff rows."""
    return f["kind"] == "step" and not f["pairs"] and f["rest"] is not None and f["rest"] <= 1e-9 and f["relative"] < 1e-7


def without_inertia(p, f):
    """Carom refuses a dof that moves no inertia, where MuJoCo divides by what rounding left of it."""
    said = re.search(r"dof (\d+): inertia \S+ is not positive", f.get("note", ""))
    if f["kind"] != "refused" or not said:
        return False
    d, m = p.plain.d, p.plain.m
    mujoco.mj_resetData(m, d)
    mujoco.mj_forward(m, d)
    inertia = np.zeros((m.nv, m.nv))
    mujoco.mj_fullM(m, d, inertia)
    pivots = np.linalg.eigvalsh(inertia)
    return pivots[0] < 1e-13 * pivots[-1]


def gradient_of_search(p, f):
    """Carom's gradient is that of its own step, and there is a contact that MuJoCo searches for, whose place and
    normal move with where its search stops: up to a twentieth of what the input moves; or any amount, where MuJoCo's step
    with Carom's contacts in the place of its own has Carom's gradient, and these are right."""
    if f["kind"] != "gradient" or not f["own"] or None in legal_sides(f, f["own"]):
        return False
    near = min(abs(v[0] - f["got"]) for v in f["expected"].values()) <= 0.05 * f["size"]
    return any_searched(p, f["full_state"]) and (near or p.slope_with_our_contacts(f)) and \
        (min(abs(x - f["got"]) for x in legal_sides(f, f["own"])) <= 1e-4 * f["size"] or fine_scale(p, f))


def any_searched(p, state):
    """Whether there is a contact of shapes that MuJoCo searches for."""
    return has_contact(p, state, searched)


def has_contact(p, state, of):
    """Whether there is a contact of such shapes, at the state or in a stage of its step."""
    m, states = p.r.m, [state]
    if int(m.opt.integrator) == 1:
        states = list(reference.stages(p.r, state))
    return any(of(sorted(int(m.geom_type[x]) for x in c[0])) for s in states for c in p.c.contacts(s))


def moves_nothing(p, f):
    """With the integrator discrete a row whose Jacobian is zero, of a contact or of an equality: its softness depends on
    the direction in which that changes, and there is no gradient. docs/trust.md; carom grad says it."""
    m, d = p.r.m, p.r.d
    if f["kind"] != "gradient" or int(m.opt.integrator) != int(mujoco.mjtIntegrator.mjINT_DISCRETE):
        return False
    p.r.put(f["full_state"])
    mujoco.mj_forward(m, d)
    M = np.asarray(d.M)[m.M_rowadr + m.M_rownnz - 1]
    first = [d.contact.efc_address[c] for c in range(d.ncon)]
    rows = [r for r in range(d.nefc) if d.efc_type[r] < int(mujoco.mjtConstraint.mjCNSTR_CONTACT_FRICTIONLESS) or r in first]
    return any(d.efc_force[r] != 0 and np.sum(dense_J(m, d)[r] ** 2 / M) < 1e-15 for r in rows)


def least_softness(p, f):
    """With diagexact a contact whose normal moves no dof has the least softness there is, 1e-15, and a force that nothing
    bears. Then a change of the number by 1e-11 moves the step by more than the step moves: Carom's gradient is that of
    within 1e-17, where friction still holds, and no difference comes there. carom grad says "beyond use"."""
    m, d = p.r.m, p.r.d
    if f["kind"] != "gradient" or not int(m.opt.enableflags) & int(mujoco.mjtEnableBit.mjENBL_DIAGEXACT):
        return False
    p.r.put(f["full_state"])
    mujoco.mj_forward(m, d)
    M = np.asarray(d.M)[m.M_rowadr + m.M_rownnz - 1]
    first = [r for r in (d.contact.efc_address[c] for c in range(d.ncon)) if r >= 0]
    idle = any(d.efc_force[r] != 0 and d.efc_D[r] >= 0.99e15 and np.sum(dense_J(m, d)[r] ** 2 / M) < 1e-15 for r in first)
    step = p.r.step(f["full_state"])
    return idle and 1e-11 * f["size"] > np.max(p.step_scale(f["full_state"], step)[p.nv:2 * p.nv])


def sensed_softness(p, f):
    """The same of a sensor of forces: rows whose Jacobian is zero carry what rounding leaves of their residual, times 1e15.
    MuJoCo's sensor with Carom's forces of these rows is Carom's."""
    m, d = p.plain.m, p.plain.d
    if f["kind"] != "sensor" or f["field"] not in ("mjSENS_FORCE", "mjSENS_TORQUE"):
        return False
    p.plain.put(f["full_state"])
    mujoco.mj_forward(m, d)
    p.c.set_state(f["full_state"])
    if p.c.lib.cr_forward(p.c.m, p.c.d) != 0 or p.c.view("efc_force").size != d.nefc:
        return False
    ours, J = p.c.view("efc_force"), dense_J(m, d)
    idle = [r for r in range(d.nefc) if d.efc_D[r] >= 0.99e15 and not np.any(J[r])]
    if not idle or any(abs(ours[r] - d.efc_force[r]) > IDLE * d.efc_D[r] for r in idle):
        return False
    d.efc_force[idle] = ours[idle]
    mujoco.mj_rnePostConstraint(m, d)
    mujoco.mj_sensorAcc(m, d)
    at = m.sensor_adr[f["number"]] + np.arange(m.sensor_dim[f["number"]])
    sensed = p.c.view("sensordata")[at]
    return bool(np.abs(d.sensordata[at] - sensed).max() <= 1e-9 * np.abs(sensed).max())


def sensed_zeros(p, f):
    """The force of a tendon or joint that moves nothing, whose row is zeros. MuJoCo has such a row with sparse matrices and not
    with dense ones; with sparse ones its sensor is Carom's."""
    m, d = p.plain.m, p.plain.d
    if f["kind"] != "sensor" or not f["field"].endswith("LIMITFRC") or mujoco.mj_isSparse(m):
        return False
    keep = int(m.opt.jacobian)
    m.opt.jacobian = mujoco.mjtJacobian.mjJAC_SPARSE
    try:
        p.plain.put(f["full_state"])
        mujoco.mj_forward(m, d)
        theirs = float(d.sensordata[m.sensor_adr[f["number"]]])
    finally:
        m.opt.jacobian = keep
    return abs(theirs - f["got"]) <= 1e-9 * abs(f["got"])


def dense_J(m, d):
    if not mujoco.mj_isSparse(m):
        return d.efc_J.reshape(-1, m.nv)
    J = np.zeros((d.nefc, m.nv))
    mujoco.mju_sparse2dense(J, d.efc_J, d.efc_J_rownnz, d.efc_J_rowadr, d.efc_J_colind)
    return J


def cancelling(p, f):
    """MuJoCo's step adds forces of rows that are so large that they cancel: what rounding leaves of their sum is as much
    as the steps are apart. Carom's step takes M a in their place."""
    if f["kind"] != "step" or int(p.plain.m.opt.integrator) not in (0, 2, 3):
        return False
    moved = lost_of_forces(p.plain, f["full_state"])
    return f["off"] <= (moved if f["row"] >= p.nv else p.h * moved)[f["row"] % p.nv]


def cancelling_slope(p, f):
    """The same of a gradient: Carom's is that of its own step, and MuJoCo's step has lost a millionth of its change."""
    if f["kind"] != "gradient" or not f["own"] or int(p.r.m.opt.integrator) not in (0, 2, 3):
        return False
    own = min(abs(x - f["got"]) for x in f["own"] if x is not None)
    base = p.r.step(f["full_state"])
    return own <= 1e-4 * f["size"] and bool(np.any(lost_of_forces(p.r, f["full_state"]) > 1e-6 * p.step_scale(f["full_state"], base)[p.nv:2 * p.nv]))


def lost_of_forces(r, state):
    """What rounding of the sum of all rows' forces does to the velocities after a step."""
    r.put(state)
    mujoco.mj_forward(r.m, r.d)
    if not r.d.nefc:
        return np.zeros(r.m.nv)
    terms = np.abs(dense_J(r.m, r.d)).T @ np.abs(r.d.efc_force)
    return r.m.opt.timestep * np.abs(r.inverse_inertia()) @ terms * ROUNDING


def rounding_moves(p, f):
    """The friction loss of a dof that moves by no more than rounding says, or than two steps may be apart: there is no
    direction to brake."""
    if f["kind"] != "gradient" or f["field"] != "dof_frictionloss" or p.r.m.dof_frictionloss[f["number"]] != 0:
        return False
    base = p.r.step(f["full_state"])
    i = p.nv + f["number"]
    change = abs(base[p.r.m.nq + f["number"]] - f["full_state"]["qvel"][f["number"]])
    return change <= max(20 * p.r.noise(f["full_state"], p.rng, base, 10)[i], 1e-9 * p.step_scale(f["full_state"], base)[i])


def unconverged(p, f):
    """MuJoCo's own solver ended farther from the solution than Carom did."""
    return f["kind"] == "step" and not f["pairs"] and f["residual_carom"] <= 0.1 * f["residual_mujoco"] and \
        int(p.plain.m.opt.integrator) in (0, 2, 3) and f["relative"] < 1e-6


# what Carom says of a gradient that is none of the slopes
BETWEEN = ("lies between", "of a place between", "where rounding has it", "half for each", "its direction is arbitrary", "whose axis is arbitrary")


def two_slopes(p, f):
    """Carom says that there are two slopes, of this number, or since a joint or tendon stands exactly at its limit;
    those of its own step are MuJoCo's, and the gradient is one of them, or one within the limits of joints and activations,
    or lies between where Carom says that it does."""
    if f["kind"] != "gradient" or not f["own"] or None in f["own"]:
        return False
    said = [s for s in p.c.two_slopes(f["full_state"], f["field"]) if is_about(p, s, f["field"], f["number"]) and
            "stands flat" not in s]
    if f["row"] >= 2 * p.nv:  # an activation: follows from controls and activations alone
        said = [s for s in said if "ctrl[" in s or "act[" in s]
    if not said or not p.same_differences(f):
        return False
    sides = legal_sides(f, f["own"])
    beside = [off_limits] if any(("joint" in s and "limit begins" in s) or "beside it" in s for s in said) else []
    beside += [off_ends] if any("opposite ends" in s for s in said) else []
    for moved in beside:
        inside = p.own_difference(moved(p, f["full_state"]), f["field"], f["number"], f["row"], f.get("along"), f.get("unit"))
        sides += [x for x in legal_sides(f, inside) if x is not None]
    room = 1e-3 * f["size"]
    if any(abs(f["got"] - x) <= room for x in sides):
        return True
    room += 0.05 * (max(sides) - min(sides))
    return any(b in s for s in said for b in BETWEEN) and min(sides) - room <= f["got"] <= max(sides) + room


def legal_sides(f, own):
    """Of a difference to the right and one to the left those that there are."""
    return [x for x, side in zip(own, ("right", "left")) if side in f["expected"]]


def kink_within_rounding(p, f):
    """Right and left of the state, by what it takes to be told from rounding, Carom's gradient is the slope of MuJoCo's
    step on that side; at the state itself it is one of them, or rounding has it between, there and a few digits beside."""
    if f["kind"] != "gradient" or not f["own"] or None in f["own"] or len(f["expected"]) != 3 or f["field"] == "jnt_axis":
        return False
    right, left = (f["expected"][s][0] for s in ("right", "left"))
    slope = lambda h: p.slope_beside(f["full_state"], f["field"], f["number"], f["row"], h, f.get("along"))
    apart = abs(right - left)
    near = 0.02 * apart
    if apart <= 1e-5 * f["size"] or not all(abs(slope(h) - x) <= near for h, x in ((1e-9, right), (-1e-9, left))):
        return False
    if min(abs(f["got"] - right), abs(f["got"] - left)) <= near:
        return True
    between = lambda x: min(right, left) + near < x < max(right, left) - near
    return between(f["got"]) and any(between(slope(h)) for h in (-1e-14, -1e-15, 1e-15, 1e-14))


def small_scale(p, f):
    """What bends within a ten-millionth: Carom's gradient is what three neighbouring displacements of its own step say, and
    over a longer one its step is MuJoCo's, or over five of them it changes as MuJoCo's does.
    A friction loss of zero holds its dof as soon as it is larger than what moves it."""
    if f["kind"] != "gradient" or not f["own"] or f["field"] == "jnt_axis":
        return False
    far = [abs(o - v[0]) for o in legal_sides(f, f["own"]) if o is not None for v in f["expected"].values()]
    off = min(abs(f["got"] - v[0]) for v in f["expected"].values())
    if min(far) <= 0.05 * off:
        return fine_scale(p, f)
    return all(p.same_differences(f, 2.0 ** -k) for k in (10, 14, 18, 22, 26)) and fine_scale(p, f, 0.1 * off)


def fine_scale(p, f, most=np.inf):
    """Whether three neighbouring displacements say the gradient, up to `most`, of those that can tell it from the long
    one's difference."""
    if f["field"] == "jnt_axis":
        return False
    row = f["row"] + (p.nv if f["row"] < p.nv else 0)  # velocities have digits that positions have not
    got = p.slope_beside(f["full_state"], f["field"], f["number"], row, 0.0, f.get("along"))
    ladder = [(2.0 ** -k, p.own_difference(f["full_state"], f["field"], f["number"], row, f.get("along"), f.get("unit"), 2.0 ** -k))
              for k in range(20, 46)]
    unit = f.get("unit") or p.scale_of(f["field"], f["number"])
    rounding = 4e-16 * abs(p.r.step(f["full_state"])[p.r.m.nq - p.nv + row])
    for side in (i for i, s in enumerate(("right", "left")) if s in f["expected"]):
        gap = abs((ladder[0][1][side] or 0.0) - got)
        said = [x[side] is not None and abs(x[side] - got) <= min(1e-3 * max(abs(x[side]), abs(got)), 0.1 * gap, most) and
                rounding <= 0.1 * gap * h * unit for h, x in ladder]
        if any(all(said[i:i + 3]) for i in range(len(said) - 2)):
            return True
    return False


def limit_within_rounding(p, f):
    """A slide or hinge stands at its limit but for rounding, which has its row push: the gradient is that of MuJoCo's step and
    of Carom's where the joint is a little beyond the limit."""
    if f["kind"] != "gradient" or f["field"] == "jnt_axis":
        return False
    m, d, state = p.r.m, p.r.d, {**f["full_state"], "qpos": f["full_state"]["qpos"].copy()}
    p.r.put(f["full_state"])
    mujoco.mj_forward(m, d)
    limits = [r for r in range(d.nefc) if d.efc_type[r] == int(mujoco.mjtConstraint.mjCNSTR_LIMIT_JOINT) and
              m.jnt_type[d.efc_id[r]] >= 2 and 0 < abs(d.efc_pos[r] - d.efc_margin[r]) < 1e-15]
    for r in limits:
        j = d.efc_id[r]
        k, (low, high) = m.jnt_qposadr[j], m.jnt_range[j]
        state["qpos"][k] += 1e-7 if high - state["qpos"][k] < state["qpos"][k] - low else -1e-7
    room = 1e-4 * f["size"]
    own = p.slope_beside(state, f["field"], f["number"], f["row"], 0.0, f.get("along"))
    return bool(limits) and abs(own - f["got"]) <= room and abs(p.their_slope(f, state, 2.0 ** -30) - f["got"]) <= room


def idle_actuator(p, f):
    """An actuator whose length nothing changes: its moment is rounding, of which a muscle that is scaled by what the moment
    accelerates makes forces without end. Without the actuators MuJoCo's step has Carom's gradient."""
    if f["kind"] != "gradient" or f["field"] in ("actuator_forcerange", "jnt_axis"):
        return False
    m, d = p.r.m, p.r.d
    p.r.put(f["full_state"])
    mujoco.mj_forward(m, d)
    moment = np.zeros((d.moment_rownnz.size, m.nv))
    mujoco.mju_sparse2dense(moment, d.actuator_moment, d.moment_rownnz, d.moment_rowadr, d.moment_colind)
    first = m.actuator_outadr
    idle = [i for i in range(m.nactuator) if 0 < np.abs(moment[first[i]]).max(initial=0) <= ROUNDING * max(1.0, abs(d.actuator_length[first[i]]))]
    if not idle:
        return False
    keep = m.actuator_forcelimited.copy(), m.actuator_forcerange.copy()
    m.actuator_forcelimited[idle], m.actuator_forcerange[idle] = True, 0
    try:
        return abs(p.their_slope(f, f["full_state"], 2.0 ** -20) - f["got"]) <= 1e-6 * f["size"]
    finally:
        m.actuator_forcelimited[:], m.actuator_forcerange[:] = keep


def no_weight(p, f):
    """An inverse weight of 0 whose row moves nothing else that has one: up to 1e-15 the row has the least softness there is and
    no slope, beyond it Carom's slope is MuJoCo's. docs/trust.md."""
    if f["kind"] != "gradient" or not f["field"].endswith("invweight0") or f["got"] != 0 or set(f["expected"]) != {"right"} or \
            p.r.parameter(f["field"]).flat[f["number"]] != 0:
        return False
    beyond = p.slope_beside(f["full_state"], f["field"], f["number"], f["row"], 1e-13, f.get("along"))
    return abs(beyond - f["expected"]["right"][0]) <= 1e-4 * f["size"]


def stepped_over(p, f):
    """A contact that comes and goes within one step: this method's motion is another one, and with steps a twentieth as long
    at most, or a hundredth, it is that of the reference, and its gradient right. docs/derivations/event.md, What it does not cover."""
    return f["kind"] == "events" and f["apart"] > 1e-4 and \
        any(x is not None and x["apart"] < 1e-2 * f["apart"] and x["off"] <= events.TOLERANCE for x in f["finer"] or [])


def uncounted(p, f):
    """Carom says that its gradient lacks the part of some events, and with `--trust` that it is not to be trusted."""
    return f["kind"] == "events" and f["uncounted"] > 0 and f["trusted"] is False


def flat_to_rounding(p, f):
    """A cylinder that stands on a plane, tilted by less than 1e-8: Carom says that the points of its rim stay in the gradient,
    docs/trust.md; in the step they run along the rim, farther by one over the tilt. MuJoCo's step with the points held has
    Carom's gradient; where contacts cannot be put into it, what moves has to tilt the cylinder, or its stages do."""
    if f["kind"] != "gradient" or not any("stands flat" in s for s in p.c.two_slopes(f["full_state"], "qpos")):
        return False
    before = axes_on_planes(p.r, lambda: p.r.put(f["full_state"]))
    flat = [(pair, axis) for pair, (axis, tilt) in before.items() if tilt < convex.STANDS_FLAT]
    if p.can_inject():
        return bool(flat) and p.slope_with_held_rims(f)
    after, stages = p.displaced(f, 1e-4, lambda: axes_on_planes(p.r)), int(p.r.m.opt.integrator) == 1
    return any(stages or pair in after and np.linalg.norm(np.cross(axis, after[pair][0])) > 1e-3 * 1e-4 for pair, axis in flat)


def leaping_tangents(p, f):
    """A contact along the axis that its first tangent follows. Carom says that its tangents leap, and that they stay in the
    gradient; where they stay in MuJoCo's step too, that has Carom's gradient."""
    if f["kind"] != "gradient" or "central" not in f["expected"] or f["field"] == "jnt_axis":
        return False
    stages = list(reference.stages(p.r, f["full_state"])) if int(p.r.m.opt.integrator) == 1 else [f["full_state"]]
    held = [upright_tangents(p, s) for s in stages]
    if not any(held):
        return False
    with p.r.holding(held):
        slopes = [p.their_slope(f, f["full_state"], 2.0 ** -k) for k in (16, 20, 24, 28)]
    return min(abs(x - f["got"]) for x in slopes) <= 1e-4 * f["size"]


def upright_tangents(p, state):
    """The first tangents of contacts that Carom names for this, by their geoms."""
    said = [re.search(r"contact of geoms (\d+) and (\d+) is along the axis", s) for s in p.c.two_slopes(state, "qpos")]
    pairs = {tuple(int(g) for g in s.groups()) for s in said if s}
    if not pairs:
        return {}
    p.r.put(state)
    mujoco.mj_forward(p.r.m, p.r.d)
    geoms = [(tuple(int(g) for g in c.geom), c.frame[3:6].copy()) for c in p.r.d.contact]
    return {pair: tangent for pair, tangent in geoms if pair in pairs}


def axes_on_planes(r, put=None):
    """Of each cylinder over a plane that it is in contact with: its axis as the plane sees it, and how far it is tilted."""
    if put:
        put()
    m, d, out = r.m, r.d, {}
    mujoco.mj_forward(m, d)
    for c in d.contact:
        a, b = sorted((int(g) for g in c.geom), key=lambda g: m.geom_type[g])
        if (m.geom_type[a], m.geom_type[b]) == (0, 5):
            axis = d.geom_xmat[b].reshape(3, 3)[:, 2] @ d.geom_xmat[a].reshape(3, 3)
            out[a, b] = axis, float(np.hypot(axis[0], axis[1]))
    return out


def off_limits(p, state):
    """The state, but slides and hinges that stand exactly at a limit a little inside it, and others a little turned."""
    m, out = p.r.m, dict(state)
    out["qpos"] = state["qpos"].copy()
    for j in range(m.njnt):
        k = m.jnt_qposadr[j]
        if m.jnt_type[j] >= 2 and not (m.jnt_limited[j] and state["qpos"][k] in m.jnt_range[j]):
            out["qpos"][k] += 1e-9
        elif m.jnt_type[j] >= 2:
            out["qpos"][k] += 1e-5 * (float(m.jnt_range[j, 0] == state["qpos"][k]) - float(m.jnt_range[j, 1] == state["qpos"][k]))
    return out


def off_ends(p, state):
    """The state, but activations that stand exactly at an end of their range a little inside it."""
    m, out = p.r.m, {**state, "act": state["act"].copy()}
    for i in np.flatnonzero(m.actuator_actlimited):
        low, high = m.actuator_actrange[i]
        for k in range(m.actuator_actadr[i], m.actuator_actadr[i] + m.actuator_actnum[i]):
            out["act"][k] += 1e-5 * (high - low) * (float(low == state["act"][k]) - float(high == state["act"][k]))
    return out


def is_about(p, sentence, field, number):
    """Whether what Carom says is about this number, or about all."""
    if field in ("ctrl", "act") and f"{field}[" in sentence:
        return f"{field}[{number}]" in sentence
    owners = {"tendon_lengthspring": ("tendon", 2), "actuator_gear": ("actuator", 6)}
    if field in owners and field in sentence:
        kind, width = owners[field]
        return f"{field} of {kind} '{getattr(p.r.m, kind)(np.min(number) // width).name}'" in sentence
    return True


TABLE = (("Carom: two slopes", two_slopes), ("Carom: tangents leap", leaping_tangents), ("a kink within rounding of the state", kink_within_rounding),
         ("bends on a small scale", small_scale), ("MuJoCo's convex search", convex_search), ("MuJoCo's convex search", sensed_search), ("MuJoCo's contact manifold", manifold),
         ("MuJoCo's nearly flat cylinder", flat_cylinder), ("round-off of contacts", same_contacts),
         ("Carom: a dof without inertia", without_inertia), ("MuJoCo's convex search", gradient_of_search),
         ("a row that moves nothing", moves_nothing), ("a row that moves nothing", least_softness), ("a row that moves nothing", sensed_softness), ("a row that moves nothing", sensed_zeros), ("Carom: a cylinder flat to rounding", flat_to_rounding),
         ("a limit within rounding", limit_within_rounding), ("an actuator that moves nothing", idle_actuator),
         ("an inverse weight of nothing", no_weight), ("a contact within one step", stepped_over), ("Carom: uncounted events", uncounted), ("MuJoCo's solver", unconverged), ("MuJoCo: forces that cancel", cancelling),
         ("MuJoCo: forces that cancel", cancelling_slope), ("a friction loss of what only rounding moves", rounding_moves))
