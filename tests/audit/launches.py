#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random launches: what `carom grad --trust` says of a gradient, and whether that gradient is right.

    tests/audit/launches.py CAROM SEED COUNT [--out FILE] [--references FILE] [--seconds N] [--only K]

Right is what differences of the converged motion say (dopri8 at 1e-11, steps that end on events), in every
number or, of more than 8, along the gradient and four random directions, relative to the whole gradient, 5 %. What the differences say must not depend on their step, or
the launch is not judged. Records go to FILE, a line each; what is in it already is not run again (launches of
another FILE, --references, are not differenced again). --only K runs launch K and prints its commands. --seconds
ends early. Prints a table; exit code 1 where a gradient that is wrong is trusted, or of those that are right more
than 5 % are not.
"""
import argparse
import json
import math
import os
import random
import resource
import subprocess
import sys
import tempfile
import time

from launch_scenes import launch

WRONG = 0.05
FALSE_ALARMS = 0.05
COLUMNS = ("right", "wrong along", "wrong across", "bends", "no reference", "zero")
MANY = 8  # numbers; of more, differences are taken along a few directions
ACROSS = 4
PROCESSOR_SECONDS = 20


def limit():
    resource.setrlimit(resource.RLIMIT_CPU, (PROCESSOR_SECONDS, PROCESSOR_SECONDS))


def call(carom, arguments):
    """The JSON object that carom prints, its exit code; None where there is none."""
    done = subprocess.run([carom] + arguments, capture_output=True, text=True, check=False, preexec_fn=limit)
    try:
        j = json.loads(done.stdout)
    except json.JSONDecodeError:
        j = {"error": done.stderr.strip()[-200:]}
    return (None, done.returncode, str(j["error"])) if "error" in j else (j, done.returncode, "")


class Case:
    """A launch, its model in a file, and the commands about it."""

    def __init__(self, carom, seed, index, folder):
        self.carom, self.index = carom, index
        self.what = launch(random.Random(f"{seed}.{index}"))
        self.path = os.path.join(folder, f"{index}.xml")
        with open(self.path, "w", encoding="ascii") as file:
            file.write(self.what["xml"])
        self.by = self.names()

    def names(self):
        """What the gradient is taken by."""
        count = len(self.what[self.what["by"]])
        return ["qvel"] if self.what["by"] == "qvel" else [f"ctrl[{k}]" for k in range(count)]

    def start(self, moved=None):
        """The options of the start, with the numbers of --wrt as given."""
        w = dict(self.what)
        if moved is not None:
            w[w["by"]] = moved
        out = ["--time", repr(w["time"]), "--set", "qvel=" + ",".join(map(repr, w["qvel"]))]
        for k, value in enumerate(w["ctrl"]):
            out += ["--ctrl", f"{k}={value!r}"]
        return out

    def grad(self, method, tolerance, events, *more):
        out = ["grad", self.path] + self.start() + ["--loss", self.what["loss"], "--wrt"] + self.by
        if tolerance:
            out += ["--integrator", method, "--rtol", repr(tolerance), "--atol", repr(tolerance)]
        if events:
            out += ["--events"]
        return out + ["--json"] + list(more)

    def asked(self):
        w = self.what
        return self.grad(w["method"], w["tolerance"], w["events"], "--trust")

    def numbers(self, values):
        """One list of the numbers of --wrt."""
        out = []
        for name in self.by:
            out += values[name] if isinstance(values[name], list) else [values[name]]
        return out

    def scale(self):
        """By which a number counts as moved by one, as --trust has it."""
        return [max(1.0, abs(x)) for x in self.what[self.what["by"]]]

    def verdict(self):
        began = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        j, code, why = call(self.carom, self.asked())
        out = {"code": code, "seconds": round(resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - began, 3)}
        if j is None or "trust" not in j:
            return dict(out, verdict="refused", why=why)
        return dict(out, verdict=j["trust"]["verdict"], trust=j["trust"], gradient=self.numbers(j["gradient"]))

    def converged(self, tolerance, step, directions):
        """Slopes along the directions (None: by every number) by differences of the
        converged motion, and the gradient of it."""
        exact = ["--max-steps", "20000"]
        if directions is None:
            j, _, why = call(self.carom, self.grad("dopri8", tolerance, True, "--check", "--eps", repr(step), *exact))
            return (self.numbers(j["differences"]), self.numbers(j["gradient"])) if j else (None, why)
        slopes = []
        for direction in directions:
            plus, minus = (self.loss(tolerance, h, direction) for h in (step, -step))
            if plus is None or minus is None:
                return None, "a moved run fails"
            slopes.append((plus - minus) / (2 * step))
        return slopes, None

    def loss(self, tolerance, h, direction):
        """The loss of the converged motion with the numbers of --wrt moved."""
        w = self.what
        moved = [x + h * s * u for x, s, u in zip(w[w["by"]], self.scale(), direction)]
        line = ["rollout", self.path] + self.start(moved) + ["--integrator", "dopri8", "--rtol", repr(tolerance), "--atol",
                repr(tolerance), "--events", "--max-steps", "20000", "--print", w["loss"], "--json"]
        j, _, _ = call(self.carom, line)
        return j["print"][w["loss"]] if j else None

    def directions(self, gradient):
        """Along a gradient, and random ones across it and each other; None: those of every number."""
        if len(gradient) <= MANY:
            return None
        chosen, source = [], random.Random(self.index)
        for k in range(1 + ACROSS):
            new = scaled(gradient, self.scale()) if k == 0 else [source.gauss(0, 1) for _ in gradient]
            for old in chosen:
                part = dot(old, new)
                new = [x - part * y for x, y in zip(new, old)]
            size = norm(new)
            chosen.append([x / size for x in new] if size > 0 else new)
        return chosen

    def slopes(self, gradient, directions):
        g = scaled(gradient, self.scale())
        return g if directions is None else [dot(g, u) for u in directions]

    def reference(self):
        """Differences of the converged motion. They are taken for true where the gradient of that motion says
        the same, or where another step does."""
        j, _, why = call(self.carom, self.grad("dopri8", 1e-11, True, "--max-steps", "20000"))
        if j is None:
            return {"why": why}
        own = self.numbers(j["gradient"])
        out = {"own": own, "directions": self.directions(own)}
        out["fine"], _ = self.measured(1e-11, 1e-5, out["directions"])
        if out["fine"] is None:
            return dict(out, why="a moved run fails")
        if apart(out["fine"], self.slopes(own, out["directions"])) < 0.005:
            return dict(out, converged=True)
        for tolerance, step in ((1e-11, 1.25e-4), (1e-12, 1e-6)):
            other, _ = self.measured(tolerance, step, out["directions"])
            if other is not None and apart(out["fine"], other) < 0.02:
                return dict(out, converged=True)
        return dict(out, why="differences do not converge")

    def measured(self, tolerance, step, directions):
        """converged, in units of the scale"""
        slopes, more = self.converged(tolerance, step, directions)
        return (scaled(slopes, self.scale()) if slopes and directions is None else slopes), more

    def bends(self, reference):
        """True if over 1e-3 differences are others, of the numbers or along the gradient."""
        wide, _ = self.measured(1e-9, 1e-3, reference["directions"])
        if wide is None or apart(wide, reference["fine"]) > WRONG:
            return True
        own = scaled(reference["own"], self.scale())
        slope = norm(own)
        along, _ = self.converged(1e-9, 1e-3, [[x / slope for x in own]])
        return along is None or abs(along[0] - slope) > WRONG * slope


def norm(a):
    return math.sqrt(sum(x * x for x in a))


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def scaled(a, scale):
    return [s * x for s, x in zip(scale, a)]


def apart(a, b):
    """Relative to the larger."""
    size = max(norm(a), norm(b))
    return norm([x - y for x, y in zip(a, b)]) / size if size > 0 else 0


def judge(case, gradient, reference):
    """right, wrong along the gradient or only across it; and by how much altogether"""
    fine, directions = reference["fine"], reference["directions"]
    g = case.slopes(gradient, directions)
    size = max(norm(g), norm(fine))
    if size < 1e-9:
        return "zero", 0
    error = [x - y for x, y in zip(g, fine)]
    if directions is not None:  # the random ones stand for all that are across
        few = math.sqrt((len(gradient) - 1) / ACROSS)
        error = error[:1] + [few * x for x in error[1:]]
        along = abs(error[0]) / size
    else:
        along = abs(dot(g, error)) / norm(g) / size if norm(g) > 0 else 1
    if norm(error) <= WRONG * size:
        return "right", norm(error) / size
    return ("wrong along" if along > WRONG else "wrong across"), norm(error) / size


def run(case, known):
    """The record of a launch."""
    w = case.what
    record = {"index": case.index, "scene": w["scene"], "by": w["by"], "method": w["method"],
              "tolerance": w["tolerance"], "events": w["events"], "time": w["time"]}
    record.update(case.verdict())
    if record["verdict"] == "refused":
        return dict(record, judged="refused")
    record["reference"] = known if known is not None else case.reference()
    if not record["reference"].get("converged"):
        return dict(record, judged="no reference")
    record["judged"], record["error"] = judge(case, record["gradient"], record["reference"])
    if record["judged"] == "right" and record["verdict"] != "trust" and case.bends(record["reference"]):
        record["judged"] = "bends"
    return record


def read(path):
    if path is None or not os.path.exists(path):
        return {}
    with open(path, encoding="ascii") as file:
        return {r["index"]: r for r in map(json.loads, file)}


def table(records):
    """The table, and what is wrong with it."""
    words = sorted({r["verdict"] for r in records}, key=lambda word: (word != "trust", word))
    print(f"{'':10}" + "".join(f"{c:>14}" for c in COLUMNS))
    for word in words:
        counts = [sum(r["verdict"] == word and r["judged"] == c for r in records) for c in COLUMNS]
        if word != "refused":
            print(f"{word:10}" + "".join(f"{n:14}" for n in counts))
    refused = sum(r["verdict"] == "refused" for r in records)
    right = [r for r in records if r["judged"] == "right"]
    alarms = [r for r in right if r["verdict"] != "trust"]
    trusted_wrong = [r for r in records if r["verdict"] == "trust" and r["judged"].startswith("wrong")]
    share = len(alarms) / len(right) if right else 0
    print(f"{len(records)} launches, {refused} refused by carom; trusted and wrong: {len(trusted_wrong)}; "
          f"right and not trusted: {len(alarms)} of {len(right)} ({100 * share:.1f} %)")
    for r in trusted_wrong:
        print(f"trusted and wrong: {r['index']} ({r['scene']}, {r['method']} {r['tolerance']:g}"
              f"{', events' if r['events'] else ''}): {r['judged']} by {100 * r['error']:.1f} %")
    # a few launches say nothing about shares
    return bool(trusted_wrong) or (share > FALSE_ALARMS and len(alarms) > 3)


def main():
    parser = argparse.ArgumentParser(description="Verdicts of --trust on random launches.")
    parser.add_argument("carom")
    parser.add_argument("seed", type=int)
    parser.add_argument("count", type=int)
    parser.add_argument("--out", help="records, a line each; continued where it exists")
    parser.add_argument("--references", help="records of an earlier run with the same seed")
    parser.add_argument("--seconds", type=float, default=math.inf, help="begins no launch after so long")
    parser.add_argument("--only", type=int, help="one launch: its commands and its record")
    o = parser.parse_args()
    began, done, known = time.time(), read(o.out), read(o.references)
    with tempfile.TemporaryDirectory() as folder:
        if o.only is not None:
            folder = tempfile.mkdtemp()
            case = Case(o.carom, o.seed, o.only, folder)
            print(" ".join([o.carom] + case.asked()))
            print(json.dumps(run(case, None), indent=1))
            return 0
        for index in range(o.count):
            if index in done or time.time() - began > o.seconds:
                continue
            case = Case(o.carom, o.seed, index, folder)
            done[index] = run(case, known.get(index, {}).get("reference"))
            os.remove(case.path)
            if o.out:
                with open(o.out, "a", encoding="ascii") as file:
                    file.write(json.dumps(done[index]) + "\n")
            if len(done) % 20 == 0:
                print(f"{len(done)} of {o.count} after {time.time() - began:.0f} s", file=sys.stderr, flush=True)
    return table([done[k] for k in sorted(done) if k < o.count])


if __name__ == "__main__":
    sys.exit(main())
