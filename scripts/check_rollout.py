#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The gradient of a rollout of your own model against differences in extended precision.

The command computes the gradient of a loss after some steps under random controls, in double. The core in
long double, which the preset `tests` builds, repeats the rollout from the same model file, moves one number
at a time, and compares. Needs `make release tests`.

Activations start at 0.2, not at 0, where most models reset them to: 0 is a corner of a muscle's activation
dynamics, whose time constants do not change below. The gradient is the slope to the right there; central
differences see the mean of both, and such numbers are counted as kinks.

    scripts/check_rollout.py model.xml --steps 64
"""
import argparse
import json
import math
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FIELDS = ["qpos", "qvel", "act", "ctrl", "body_mass", "actuator_gainprm", "actuator_dynprm", "site_pos",
          "tendon_stiffness", "geom_size", "geom_friction", "dof_damping"]

options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
options.add_argument("model")
options.add_argument("--steps", type=int, default=64)
options.add_argument("--timestep", type=float, default=0.002)
options.add_argument("--keyframe", type=int, default=-1, help="start from this keyframe, by number")
options.add_argument("--range", type=float, nargs=2, default=[0, 1], help="of the random controls")
options.add_argument("--act", type=float, default=0.2, help="activations at the start; nan: as they are")
options.add_argument("--hold", type=int, default=8, help="steps from one control to the next")
options.add_argument("--entries", type=int, default=12, help="numbers of each field")
options.add_argument("--loss", default="sum(qpos^2) + 0.01*sum(qvel^2)")
options.add_argument("--seed", type=int, default=1)
options.add_argument("--carom", default=str(ROOT / "build/carom"))
options.add_argument("--extended", default=str(ROOT / "build/tests/tests/test_rollout.long_double"))
o = options.parse_args()


def carom(*arguments, allowed=()):
    """The object that a command prints; None where it refuses with one of the `allowed` words."""
    done = subprocess.run([o.carom, *arguments, "--json"], capture_output=True, text=True)
    if done.returncode != 0:
        if any(word in done.stderr for word in allowed):
            return None
        sys.exit(done.stderr)
    return json.loads(done.stdout)


with tempfile.TemporaryDirectory() as folder:
    chance = random.Random(o.seed)
    time = ["--time", repr(o.steps * o.timestep), "--timestep", repr(o.timestep)]
    start = ["--keyframe", str(o.keyframe)] if o.keyframe >= 0 else []
    if not math.isnan(o.act) and carom("rollout", o.model, *time, *start, "--print", "act", allowed=["act"]):
        start += ["--set", f"act={o.act!r}"]
    crm, controls, problem = (str(Path(folder) / name) for name in ("model.crm", "ctrl.csv", "problem"))

    # the model as it runs, in the file that needs no libmujoco
    shape = carom("rollout", o.model, *time, *start, "--save-model", crm, "--force", "--print", "ctrl",
                  allowed=["ctrl"])
    if shape is None:
        carom("rollout", o.model, *time, *start, "--save-model", crm, "--force")
    nu = 0 if shape is None else len(shape["print"]["ctrl"])
    rows = []
    for k in range(o.steps):
        fresh = k % o.hold == 0
        rows.append([chance.uniform(*o.range) for _ in range(nu)] if fresh else rows[-1])
    Path(controls).write_text("".join(",".join(map(repr, row)) + "\n" for row in rows))

    # its gradient; fields that the model lacks are left out
    given = [*start, *(["--ctrl", controls] if nu > 0 else []), "--loss", o.loss]
    gradient = {}
    for field in FIELDS:
        answer = carom("grad", o.model, *time, *given, "--wrt", field, allowed=["has none", "quaternion"])
        flat = lambda x: [z for y in x for z in flat(y)] if isinstance(x, list) else [x]
        if answer is not None:
            gradient[field] = flat(answer["gradient"][field])

    lines = [crm, o.loss, str(o.keyframe), str(o.steps), repr(o.act)] + [repr(x) for row in rows for x in row]
    for field, g in gradient.items():
        largest = max(map(abs, g), default=0)
        picked = chance.sample(range(len(g)), min(o.entries, len(g)))
        lines += [f"{field} {k} {g[k]!r} {largest!r}" for k in sorted(picked)]
    Path(problem).write_text("\n".join(lines) + "\n")
    done = subprocess.run([o.extended, "extended_long"], capture_output=True, text=True,
                          env={**os.environ, "CAROM_ROLLOUT": problem})
    output = done.stdout + done.stderr
    found = [line for line in output.splitlines() if line.startswith("loss ") or "gainst" in line]
    print("\n".join(found) if found else output)
    sys.exit(0 if "FAILED" not in output and done.returncode == 0 else 1)
