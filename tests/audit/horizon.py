# SPDX-License-Identifier: Apache-2.0
"""Gradients over a few steps against differences of as many steps of MuJoCo."""
import numpy as np

import carom
import compare
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
    if m.nu:
        g["ctrl"] = g["ctrl"].reshape(STEPS, m.nu).sum(axis=0)
    base = np.array([w @ run(p, lambda: p.r.step(state), state)])
    noise = np.array([noise_of(p, state, w, base, rng)])
    for name, values in g.items():
        for k in numbers(p, rng, name, values.size):
            entry(p, state, where, w, base, noise, name, k, values[k], np.abs(values).max())


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
    """One number of the gradient against the ladder of differences."""
    p.count["horizon"] += 1
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
    told = False
    for value, error, fine, fine_error, _ in ladder.values():
        for v, e in ((value[0], error[0]), (fine[0], fine_error[0])):
            if abs(v - got) <= TOLERANCE * scale + 10 * e:
                return
            told |= e <= 1e-3 * scale and 50 * e <= abs(v - got)
    if told:
        p.find("horizon", where, field=name, number=k, entry="loss", got=float(got),
               expected={s: [float(v[0][0]), float(v[1][0])] for s, v in ladder.items()},
               state=compare.plain_state(state))
    else:
        p.count["untold"] += 1
