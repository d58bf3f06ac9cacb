# SPDX-License-Identifier: Apache-2.0
"""Gradients over a few steps against differences of as many steps of MuJoCo."""
import mujoco
import numpy as np

import carom
import compare
import friction
import known
from reference import Difference

STEPS = 15
FIELDS = 8  # parameter fields a model is asked for
TOLERANCE = 1e-6


def check(p, state, where):
    """The gradient of a random linear function of the state after a few steps, by all inputs."""
    rng = np.random.default_rng([p.seed, 11])
    m = p.r.m
    w = np.zeros(p.r.n)
    w[rng.permutation(p.r.n)[:12]] = np.round(rng.uniform(-1, 1, min(12, p.r.n)), 3)
    ctrl = np.tile(state["ctrl"], (STEPS, 1))
    if not followed(p, state):
        return
    names = compare.parameters(p)
    names = [str(n) for n in rng.choice(names, min(FIELDS, len(names)), replace=False)] if names else []
    places = [f"{n}[{k}]" for n, size in (("qpos", m.nq), ("qvel", m.nv), ("act", m.na)) for k in range(size)]
    rollout = carom.Rollout(p.c, STEPS, names, "+".join(f"({x:.3f})*{n}" for x, n in zip(w, places) if x))
    try:
        g = rollout.gradient(state, ctrl)
    except carom.Error as error:
        compare.refused(p, state, where + " and on", str(error))
        return
    finally:
        rollout.close()
    p.by_step = g["ctrl"].reshape(STEPS, m.nu) if m.nu else None
    if m.nu:
        g["ctrl"] = p.by_step.sum(axis=0)
    base = np.array([w @ run(p, lambda: p.r.step(state), state)])
    noise = np.array([noise_of(p, state, w, base, rng)])
    for name, values in g.items():
        for k in numbers(p, rng, name, values.size):
            k = compare.together(p, state, name, k, values[None])
            entry(p, state, where, w, base, noise, name, k, np.sum(values[k]), np.abs(values).max())


def followed(p, state):
    """Whether the two make the same steps at all; where not, that is another finding."""
    s = dict(state)
    for _ in range(STEPS):
        p.c.set_state(s)
        try:
            ours = p.c.step()
        except carom.Error:
            return False
        x = p.r.step(s)
        scale = compare.step_scale(p, s, x)
        if compare.wild(p.r, x) or np.any(np.abs(p.r.between(x, ours)) > 1e-7 * scale):
            return False
        s.update(p.r.split(x))
    return True


def numbers(p, rng, name, size):
    """Which numbers of a field are looked at."""
    allowed = [k for k in range(size) if known.has_meaning(p.r.m, name, k) and name != "jnt_axis"]
    return sorted(int(k) for k in rng.permutation(allowed)[:3])


def run(p, first, state):
    """The state after all steps, the first of which is given."""
    s = dict(state)
    x = first()
    for _ in range(STEPS - 1):
        s.update(p.r.split(x))
        x = p.r.step(s)
    return x


def moved_run(p, state, name, k, h):
    """The state after all steps, an input or a parameter moved."""
    if name in compare.INPUTS:
        s = p.r.moved(state, name, k, h)
        return run(p, lambda: p.r.step(s), s)
    return p.r.changed(name, k, h, lambda: run(p, lambda: p.r.step(state), state))


def noise_of(p, state, w, base, rng):
    """How far round-off in the first state moves the loss."""
    worst = 1e-15 * np.abs(w).sum()
    for _ in range(3):
        s = p.r.moved(state, "qpos", int(rng.integers(p.nv)), 1e-15)
        s["qvel"] = s["qvel"] * (1 + 1e-15 * rng.standard_normal(p.nv))
        worst = max(worst, abs(w @ run(p, lambda: p.r.step(s), s) - base[0]))
    return worst


def entry(p, state, where, w, base, noise, name, k, got, size):
    """One number of the gradient; nothing where MuJoCo refuses a step with the number moved."""
    p.count["horizon"] += 1
    try:
        against(p, state, where, w, base, noise, name, k, got, size)
    except mujoco.FatalError:
        p.count["refused"] += 1


def against(p, state, where, w, base, noise, name, k, got, size):
    """One number of the gradient against the ladder of differences."""
    with known.told_to_mujoco(p.r.m, name, k):
        d = Difference(lambda a, b: b - a, base,
                       lambda h: np.array([w @ moved_run(p, state, name, k, h)]), noise,
                       compare.scale_of(p, name, k))
        scale = max(size, abs(got), 1e-6)
        if abs(d.quick()[0] - got) <= TOLERANCE * scale + 1e-9:
            return
        with p.r.tighter():
            d.base = np.array([w @ run(p, lambda: p.r.step(state), state)])
            ladder = d.ladder(*compare.legal(p, state, name, k))
    explained, told = said(ladder, got, scale)
    if told and not explained:
        p.find("horizon", where, field=name, number=k, entry="loss", got=float(got),
               expected={s: [float(v[0][0]), float(v[1][0])] for s, v in ladder.items()},
               size=float(scale), links=links(p, state, w, name, k), alone=name == "ctrl" and alone(p, state, w, base, noise, k),
               state=compare.plain_state(state))
    elif not explained:
        p.count["untold"] += 1


def said(ladder, got, scale):
    """Whether some side says the same as the gradient, and whether some side is sure that it is another."""
    explained = told = False
    for value, error, fine, fine_error, _ in ladder.values():
        for v, e in ((value[0], error[0]), (fine[0], fine_error[0])):
            explained |= abs(v - got) <= TOLERANCE * scale + 10 * e
            told |= e <= 1e-3 * scale and 50 * e <= abs(v - got)
    return bool(explained), bool(told)


def alone(p, state, w, base, noise, k):
    """Whether the gradient by a control of every step is right for each step's control moved alone, some of them looked
    at: where a slope depends on what the other steps' controls do, their sum is not that of all moved together."""
    for step in (0, STEPS // 2, STEPS - 2):
        def moved(h):
            s = dict(state)
            for i in range(STEPS):
                x = p.r.step(p.r.moved(s, "ctrl", k, h) if i == step else s)
                s.update(p.r.split(x))
            return np.array([w @ x])
        with p.r.tighter():
            ladder = Difference(lambda a, b: b - a, base, moved, noise).ladder(*compare.legal(p, state, "ctrl", k))
        got = p.by_step[step, k]
        if not said(ladder, got, np.abs(p.by_step).max())[0]:
            return False
    return True


# ---- whose fault it is: every step on its own

def links(p, state, w, name, k):
    """The gradient as the product of the derivatives of Carom's steps, and as that of MuJoCo's differences; and of each
    step, in the direction in which the state moves there, what MuJoCo's own differences say otherwise, at how many
    it has two slopes, and at how many a friction loss of 0 holds as soon as there is one."""
    rows, s, found, kinks, untold, held = p.blocks(), dict(state), [], 0, 0, 0
    dx, moves = np.zeros(2 * p.nv + p.na), None if name in rows else name
    if name in rows:
        dx[rows[name]][k] = 1
    theirs = dx
    for i in range(STEPS):
        g, x = along_step(p, s, moves, k, dx)
        f, explained, kinked, moved = link(p, s, moves, k, dx, g)
        braked = None if explained else braked_link(p, s, moves, k, dx, g)
        if braked is not None:
            f, explained, moved, held = None, True, braked, held + 1
        theirs = moved + along_step(p, s, moves, k, theirs)[0] - g  # a step is linear
        kinks += kinked
        untold += not explained and not f
        if f:
            found.append({"step": i, "kind": "gradient", "field": name, "number": k, **f})
        dx = g
        s.update(p.r.split(x))
    return {"product": float(along_loss(p, w, x, dx)), "theirs": float(along_loss(p, w, x, theirs)), "found": found, "kinks": kinks, "untold": untold, "held": held}


def along_step(p, s, moves, k, dx):
    """Carom's derivative of a step along dx and a number of an input or parameter (or None), and MuJoCo's next state."""
    p.c.set_state(s)
    p.c.step()
    J = p.c.vjp([*p.blocks(), *([moves] if moves else [])])
    g = sum(J[n] @ dx[rows] for n, rows in p.blocks().items() if n in J)
    return g + (compare.column_of(J[moves], k) if moves else 0), p.r.step(s)


def link(p, s, moves, k, dx, g):
    """Where MuJoCo's differences along a direction say otherwise than g, or None; whether they say all of g, whether
    they have two sides, and what they say."""
    unit = compare.scale_of(p, moves, k) if moves else 1.0
    unit /= max(1.0, unit * np.abs(dx).max())
    with p.r.tighter():
        base = p.r.step(s)
        d = Difference(p.r.between, base, lambda h: step_aside(p, s, moves, k, dx, h), p.r.noise(s, p.rng, base), unit)
        ladder = d.ladder(*(compare.legal(p, s, moves, k) if moves else (True, True)))
    f, explained = compare.wrong_entry(p, g, ladder)
    if f:
        own = compare.own_difference(p, s, moves, k, f["row"], along=dx, unit=unit)
        f.update(own=own, along=dx, unit=unit, full_state={n: np.array(v) for n, v in s.items()})
    return f, explained, len(ladder) == 3 and two_sided(p, ladder), told(p, g, ladder)


def braked_link(p, s, moves, k, dx, g):
    """What MuJoCo's differences say by the force of a friction loss of 0 that holds over all displacements with digits, in the place
    of the loss, where they explain all of g; else None."""
    with p.r.tighter():
        forces = friction.braking(p, s, moves, k)
        if forces is None:
            return None
        base = p.r.step(s)
        ladder = Difference(p.r.between, base, lambda h: p.r.step(friction.pushed(p, compare.aside(p, s, dx, h), h * forces)),
                            p.r.noise(s, p.rng, base)).ladder()
    return told(p, g, ladder) if compare.wrong_entry(p, g, ladder)[1] else None


def told(p, g, ladder):
    """g, but for what the differences are sure of: there the side that is nearest."""
    size, best, out = p.scales(np.abs(g)), np.full(len(g), np.inf), g.copy()
    for value, error, fine, fine_error, (values, floor) in ladder.values():
        for v, e in ((value, error), (fine, fine_error), *zip(values, floor)):
            off, sure = np.abs(g - v), 10 * e + 1e-7 * size
            nearer = off < best
            out = np.where(nearer, np.where(off > sure, v, g), out)
            best = np.where(nearer, off, best)
    return out


def two_sided(p, ladder):
    """Whether right and left are apart by more than they are unsure of."""
    (right, r, *_), (left, l, *_) = ladder["right"], ladder["left"]
    return bool(np.any(np.abs(right - left) > 1e-6 * p.scales(np.maximum(np.abs(right), np.abs(left))) + 10 * (r + l)))


def step_aside(p, s, moves, k, dx, h):
    """MuJoCo's step, the state moved along dx and a number with it."""
    s = compare.aside(p, s, dx, h)
    if moves is None:
        return p.r.step(s)
    return compare.mover(p, s, moves, k)(h)


def along_loss(p, w, x, dx, h=1e-6):
    """The derivative of the loss by the last state along dx: a quaternion is linear in its turn to this order."""
    s = {"qpos": None, "qvel": None, "act": None, **p.r.split(x)}
    ends = [compare.aside(p, s, dx, t * h / max(1.0, np.abs(dx).max())) for t in (1, -1)]
    a, b = (np.concatenate([e[n] for n in ("qpos", "qvel", "act")]) for e in ends)
    return w @ (a - b) / (2 * h) * max(1.0, np.abs(dx).max())
