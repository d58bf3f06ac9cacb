#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Which seeds find which of the mistakes that have been mended, in a report made with an older build.

    audit.py --lib OLD/libcarom.so --carom OLD/carom --count 100 --out old
    finds.py old
"""
import json
import sys

import mujoco

MUSCLE, DISCRETE, IMPLICIT, IMPLICITFAST = 4, 4, 2, 3
DAMPING = ("dof_damping", "tendon_damping", "jnt_stiffness", "tendon_stiffness", "actuator_damping",
           "actuator_biasprm")


def spring_at_rest(m, f):
    """A tendon spring exactly at its rest: its stiffness was missing."""
    return f["kind"] == "gradient" and f["field"] in ("qpos", "site_pos", "body_pos", "wrap_prm") and \
        f["where"] in ("start", "on lower ends", "on upper ends") and (m.tendon_stiffness > 0).any()


def clipped_control(m, f):
    """implicit, implicitfast: the slope of a gain took the control as given, not as clipped."""
    return f["kind"] == "step" and not f["pairs"] and m.opt.integrator in (IMPLICIT, IMPLICITFAST) and \
        (m.actuator_gaintype == 1).any()


def simple_body(m, f):
    """implicitfast: damping between dofs of a body whose inertia is diagonal."""
    return f["kind"] == "step" and not f["pairs"] and m.opt.integrator == IMPLICITFAST and \
        (m.body_simple > 0).any() and not clipped_control(m, f)


def muscle_at_zero(m, f):
    """A muscle at excitation = activation = 0: the branch that cannot be reached."""
    return f["kind"] == "gradient" and f["field"] == "ctrl" and f["where"] in ("start", "on lower ends") and \
        (m.actuator_dyntype == MUSCLE).any()


def friction_loss_zero(m, f):
    """The derivative by a friction loss of 0 was 0."""
    return f["kind"] == "gradient" and f["field"] in ("dof_frictionloss", "tendon_frictionloss") and \
        f["got"] == 0


def discrete_zero(m, f):
    """The integrator discrete: the derivative by a damping, stiffness or gain of 0."""
    return f["kind"] == "gradient" and f["field"] in DAMPING and m.opt.integrator == DISCRETE


def near_flat(m, f):
    """A cylinder that lies nearly flat: digits of its distance were lost."""
    return f["kind"] == "step" and "near flat" in f["tags"] and not clipped_control(m, f) and \
        any(q["types"] == [0, 5] for q in f["pairs"])


def events(m, f):
    """--events: contacts whose place is not a material point, that enter or leave together, or swap."""
    return f["kind"] == "events"


MENDED = (spring_at_rest, clipped_control, simple_body, muscle_at_zero, friction_loss_zero, discrete_zero,
          near_flat, events)


def main():
    """Prints a line for each mistake with its seeds."""
    with open(sys.argv[1] + "/progress.jsonl", encoding="utf-8") as file:
        results = [json.loads(line) for line in file]
    seeds = {mistake: [] for mistake in MENDED}
    for r in results:
        for f in r.get("findings", []):
            if f["class"] != "unexplained" or "model" not in f:
                continue
            m = mujoco.MjModel.from_xml_path(f["model"])
            for mistake in MENDED:
                if mistake(m, {**f, "tags": r["tags"]}) and r["seed"] not in seeds[mistake]:
                    seeds[mistake].append(r["seed"])
    for mistake, found in seeds.items():
        print(f"| {mistake.__doc__.split(chr(10))[0]} | {', '.join(map(str, sorted(found)[:8])) or 'none'} |")
    print(f"{len(results)} models")


if __name__ == "__main__":
    main()
