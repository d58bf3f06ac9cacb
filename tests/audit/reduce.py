#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the model of a gradient finding small: leaves out elements and attributes while Carom's gradient of a
step still differs from differences of Carom's own step.

    reduce.py LIB REPORT_FOLDER SEED FIELD [--out FILE]
"""
import argparse
import json
import xml.etree.ElementTree as Element

import mujoco
import numpy as np

import carom
import compare
import reference


def named_state(path, state):
    """qpos and qvel by joint name; act and ctrl by actuator name."""
    m = mujoco.MjModel.from_xml_path(path)
    full = {k: np.zeros(n) for k, n in (("qpos", m.nq), ("qvel", m.nv), ("act", m.na), ("ctrl", m.nu))}
    for k in full:
        full[k][:] = state.get(k, 0)
    return {(k, name): full[k][a:a + n] for k, name, a, n in slots(m)}


def slots(m):
    """(field, name of the joint or actuator, first number, how many)."""
    for j in range(m.njnt):
        name, kind = m.joint(j).name, int(m.jnt_type[j])
        yield "qpos", name, m.jnt_qposadr[j], (7, 4, 1, 1)[kind]
        yield "qvel", name, m.jnt_dofadr[j], (6, 3, 1, 1)[kind]
    for i in range(m.nactuator):
        name = m.actuator(i).name
        yield "ctrl", name, m.actuator_ctrladr[i], m.actuator_ctrlnum[i]
        if m.actuator_actadr[i] >= 0:
            yield "act", name, m.actuator_actadr[i], m.actuator_actnum[i]


def wrong(lib, path, named, field):
    """The entry of the gradient by a field that is farthest off its own differences, if it is far."""
    try:
        p = compare.Pair(lib, path, 0, set())
        m, state = p.r.m, p.r.start()
        for k, name, a, n in slots(m):
            if (k, name) in named and len(named[k, name]) == n:
                state[k][a:a + n] = named[k, name]
        p.c.set_state(state)
        p.c.step()
        J = p.c.vjp([field])[field]
        worst = None
        for k in range(J.shape[1]):
            worst = max(filter(None, (worst, column(p, state, field, k, J[:, k]))), default=None)
        p.c.close()
        return worst
    except (carom.Error, ValueError, KeyError, mujoco.FatalError, StopIteration):
        return None


def column(p, state, field, k, g):
    """(how far off, number, entry, got, right, left) where a column is that of neither side."""
    base, scale = compare.own_step(p, state, field, k, 0), compare.scale_of(p, field, k)
    sides = []
    for sign in (1, -1):
        one, two = (p.r.between(base, compare.own_step(p, state, field, k, sign * h)) / (sign * h * scale)
                    for h in (2.0 ** -20, 2.0 ** -17))
        if np.abs(one - two).max() > 1e-3 * np.abs(one).max():
            return None
        sides.append(one)
    size = max(np.abs(s).max() for s in sides)
    off = np.minimum(np.abs(g - sides[0]), np.abs(g - sides[1]))
    i = int(off.argmax())
    if off[i] > 1e-3 * size and off[i] > 1e-9:
        return float(off[i] / size), k, i, float(g[i]), float(sides[0][i]), float(sides[1][i])
    return None


def smaller(text):
    """The text with one element, or one attribute, less; largest parts first."""
    parts = [(p, c) for p in Element.fromstring(text).iter() for c in p]
    order = sorted(range(len(parts)), key=lambda i: -len(list(parts[i][1].iter())))
    for i in order:
        root = Element.fromstring(text)
        parent, child = [(p, c) for p in root.iter() for c in p][i]
        parent.remove(child)
        yield Element.tostring(root, encoding="unicode")
    for i, element in enumerate(Element.fromstring(text).iter()):
        for name in element.attrib:
            root = Element.fromstring(text)
            if name != "name":
                del list(root.iter())[i].attrib[name]
                yield Element.tostring(root, encoding="unicode")


def reduce(text, fails):
    """The smallest text that still fails, one part less at a time."""
    while True:
        for tried in smaller(text):
            if fails(tried):
                text = tried
                break
        else:
            return text


def main():
    """Finds the finding, reduces its model, prints what remains."""
    a = argparse.ArgumentParser(description=__doc__)
    for name in ("lib", "report", "seed", "field"):
        a.add_argument(name)
    a.add_argument("--out", default="reduced.xml")
    o = a.parse_args()
    reference.quiet()
    lib = carom.load(o.lib)
    with open(o.report + "/progress.jsonl", encoding="utf-8") as file:
        found = [f for r in map(json.loads, file) if r["seed"] == int(o.seed) for f in r.get("findings", [])]
    f = next(f for f in found if f.get("field") == o.field and f["kind"] == "gradient")
    named = named_state(f["model"], f["state"])

    def fails(text):
        with open(o.out, "w", encoding="utf-8") as out:
            out.write(text)
        return wrong(lib, o.out, named, o.field)

    with open(f["model"], encoding="utf-8") as file:
        text = file.read()
    if not fails(text):
        raise SystemExit("the gradient agrees with Carom's own differences")
    text = reduce(text, fails)
    print(fails(text))
    print(text)
    print({f"{k} {n}": v.tolist() for (k, n), v in named.items() if n in text and np.any(v)})


if __name__ == "__main__":
    main()
