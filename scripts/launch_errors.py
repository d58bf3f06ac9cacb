#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How far off gradients of a tossed cube are, by method and tolerance: the tables of docs/integrators.md.

81 launch speeds vz between -3 and -1, vy = -0.1, one second; the derivative of the final y by vz, compared with
that of dopri8 at 1e-12 with events. This in turn is compared with central differences over 2e-4. Prints for each
method the median of the errors, the 90th percentile, and the median number of steps. Needs `make`. Errors have one
digit, since they depend on round-off: both lower corners of the cube touch at the same moment, and the last bit
decides which one a step finds first.

    scripts/launch_errors.py                                            # all methods, hard contacts
    scripts/launch_errors.py --collision soft --methods tsit5:1e-5      # one of them, softened
"""
import argparse
import json
import subprocess
import sys
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parent.parent
SPEEDS = [-1 - i / 40 for i in range(81)]
METHODS = ["tsit5:1e-5", "tsit5:1e-7", "bosh3:1e-5", "bosh3:1e-7", "dopri8:1e-5", "dopri8:1e-7"]

options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
options.add_argument("--methods", nargs="+", default=METHODS, help="each as NAME:TOLERANCE")
options.add_argument("--collision", default="hard", help="hard, soft or smooth (softness 0.1)")
options.add_argument("--carom", default=str(ROOT / "build/carom"))
o = options.parse_args()


def launch(method, speed, *more):
    """Gradient, differences if asked for, and number of steps of one launch."""
    name, tolerance = method.split(":")
    done = subprocess.run(
        [o.carom, "grad", str(ROOT / "tests/data/toss_cube.xml"), "--time", "1", "--collision", o.collision,
         "--set", f"qvel=0,-0.1,{speed},0,0,0", "--loss", "qpos[1]", "--wrt", "qvel[2]", "--integrator", name,
         "--rtol", tolerance, "--atol", tolerance, "--json", *more], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(done.stderr)
    said = json.loads(done.stdout)
    return said["gradient"]["qvel[2]"], said.get("differences", {}).get("qvel[2]"), said["steps"]


def errors(pairs):
    """Relative errors, smallest first, of (number, right one)."""
    return sorted(abs(number - right) / abs(right) for number, right in pairs)


def share(number):
    """A relative error as a person says it."""
    rounded = float(f"{number:.0e}")
    return f"{rounded:g} x" if number >= 1.5 else f"{100 * rounded:.3g} %"


def columns(method, truth, *more):
    """Median error, what nine in ten lie below, and median number of steps."""
    runs = [launch(method, speed, *more) for speed in SPEEDS]
    off = errors((run[0], right) for run, right in zip(runs, truth))
    return f"{share(median(off))} | {share(off[round(0.9 * (len(off) - 1))])} | {median(run[2] for run in runs)}"


converged = [launch("dopri8:1e-12", speed, "--events", "--check", "--eps", "2e-4") for speed in SPEEDS]
truth = [run[0] for run in converged]
print(f"{o.collision} contacts; differences confirm the gradient at dopri8, 1e-12, with events to "
      f"{share(median(errors((run[1], run[0]) for run in converged)))} (median)\n")
print("| method, tolerance | plain: median error | 90 % below | steps "
      "| `--events`: median error | 90 % below | steps |")
print("|---" * 7 + "|")
for method in o.methods:
    print(f"| {method.replace(':', ', ')} | {columns(method, truth)} | {columns(method, truth, '--events')} |",
          flush=True)
