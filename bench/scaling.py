#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures how time and memory grow: bodies, contacts, models side by side, horizon, parameters, threads, ranks.

Usage: scaling.py CAROM HUMANOID.xml CUBE.xml [SECTION ...]
Writes bench/scaling/SECTION.csv, the slopes of all as bench/scaling/README.md, and docs/images/scaling.png
by gnuplot. Sections already measured keep their files when others are named.
"""
import csv
import datetime
import json
import math
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
FOLDER, IMAGE = HERE / "scaling", HERE.parent / "docs/images/scaling.png"


def run(*command):
    """(what a command prints, the most MiB it had resident)"""
    with tempfile.TemporaryFile("w+") as out:
        child = subprocess.Popen([str(c) for c in command], stdout=out)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode != 0:
            sys.exit(f"scaling: {' '.join(str(c) for c in command)} failed")
        out.seek(0)
        return out.read(), usage.ru_maxrss / 1024


def bench(carom, *arguments):
    text, mib = run(carom, "bench", *arguments, "--json")
    return json.loads(text), mib


# ---- sections: each gives rows of a table, its first column the size

def family(carom, sizes, scene, rounds=7):
    """Sizes of one family of models."""
    rows = []
    for n in sizes:
        x, mib = bench(carom, scene(n), "--states", 10, "--rounds", rounds, "--no-differences")
        rows.append({"n": n, "nv": x["nv"], "contacts": x["contacts"], "mj_step_us": x["mj_step_us"],
                     "step_us": x["step_us"], "vjp_us": x["step_vjp_us"],
                     "jacobian_us": x["step_jacobian_us"] or 0.0, "resident_mib": mib})
    return rows


def bodies(carom, humanoid, cube):
    return family(carom, [2, 5, 10, 20, 50, 100, 200, 500], lambda n: f"chain:{n}")


def contacts(carom, humanoid, cube):
    return family(carom, [1, 3, 10, 30, 100, 300, 1000], lambda n: f"stack:{n}", rounds=3)


def copies(carom, humanoid, cube):
    return family(carom, [1, 2, 5, 10, 22], lambda n: f"{n}*{humanoid}")


def gradient(carom, *arguments):
    """The least disturbed of five runs."""
    best, mib = None, 0
    for _ in range(5):
        text, mib = run(carom, "grad", *arguments, "--json")
        x = json.loads(text)
        if best is not None:
            x["seconds"] = {k: min(v, best["seconds"][k]) for k, v in x["seconds"].items()}
        best = x
    return best, mib


def horizon(carom, humanoid, cube):
    rows = []
    for steps in (100, 300, 1000, 3000, 10000):
        row = {"n": steps}
        for name, more in (("all", []), ("8M", ["--memory", "8M"])):
            x, mib = gradient(carom, humanoid, "--time", steps * 0.005, "--loss", "norm(qvel)",
                              "--wrt", "qpos", "qvel", *more)
            row |= {f"forward_{name}_s": x["seconds"]["forward"],
                    f"backward_{name}_s": x["seconds"]["backward"], f"resident_{name}_mib": mib}
        rows.append(row)
    return rows


def parameters(carom, humanoid, cube):
    names = ["gravity", "body_mass", "dof_damping", "dof_armature", "body_pos", "body_inertia",
             "geom_size", "geom_friction", "actuator_gear", "geom_solimp", "actuator_gainprm"]
    rows = []
    for n in (1, 3, 6, 9, len(names)):
        x, mib = gradient(carom, humanoid, "--time", 2.5, "--loss", "norm(qvel)", "--wrt", *names[:n])
        numbers = sum(len(v) if isinstance(v, list) else 1 for v in x["gradient"].values())
        rows.append({"n": numbers, "forward_s": x["seconds"]["forward"],
                     "backward_s": x["seconds"]["backward"], "resident_mib": mib})
    return rows


def threads(carom, humanoid, cube):
    most = os.cpu_count()
    counts = sorted({1, 2, most} | {2 ** k for k in range(1, 7) if 2 ** k < most})
    rows = []
    x, _ = bench(carom, humanoid, "--batch", 100, "--steps", 100, "--rounds", 5, "--threads",
                 ",".join(str(c) for c in counts))
    for t in x["threads"]:
        rows.append({"n": t["threads"], "seconds": t["seconds"], "times_faster": t["times_faster"],
                     "forward_s": t["forward_seconds"], "mjb_rollout_s": t["mjb_rollout_seconds"],
                     "resident_mib": t["resident_mib"]})
    return rows


def ranks(carom, humanoid, cube):
    if shutil.which("mpirun") is None:
        print("scaling: no mpirun, ranks are not measured", file=sys.stderr)
        return []
    version = subprocess.run(["mpirun", "--version"], capture_output=True, text=True).stdout
    flags = ["--oversubscribe"] if "Open MPI" in version else []
    flags += ["--allow-run-as-root"] if flags and os.geteuid() == 0 else []
    rows, first = [], None
    with tempfile.TemporaryDirectory() as folder:
        for n in (1, 2, 4):
            out = Path(folder) / f"{n}.h5"
            text, _ = run("mpirun", *flags, "-n", n, carom, "batch", humanoid, "--time", 0.5, "--count",
                          120, "--random", "qvel=0.1", "body_mass=0.05", "--loss", "norm(qvel)", "--wrt",
                          "qpos", "qvel", "body_mass", "--threads", 1, "--chunk", 60, "--out", out, "--json")
            first = out.read_bytes() if first is None else first
            rows.append({"n": n, "seconds": json.loads(text)["seconds"],
                         "same_bytes": int(out.read_bytes() == first)})
    return rows


SECTIONS = {f.__name__: f for f in (bodies, contacts, copies, horizon, parameters, threads, ranks)}

# ---- what is drawn: section, words of its size, columns with their names

CHARTS = [
    ("bodies", "links of a chain", "microseconds",
     [("mj_step_us", "mj_step"), ("step_us", "step"), ("vjp_us", "vjp"), ("jacobian_us", "Jacobian")]),
    ("contacts", "boxes in stacks of ten", "microseconds",
     [("mj_step_us", "mj_step"), ("step_us", "step"), ("vjp_us", "vjp")]),
    ("copies", "humanoids side by side", "microseconds",
     [("mj_step_us", "mj_step"), ("step_us", "step"), ("vjp_us", "vjp")]),
    ("horizon", "steps of a rollout (humanoid)", "seconds",
     [("forward_all_s", "forward"), ("backward_all_s", "backward"), ("backward_8M_s", "within 8M")]),
    ("horizon", "steps of a rollout (humanoid)", "MiB resident",
     [("resident_all_mib", "all states"), ("resident_8M_mib", "within 8M")]),
    ("parameters", "numbers differentiated by", "seconds",
     [("forward_s", "forward"), ("backward_s", "backward")]),
    ("threads", "threads", "times as fast", [("times_faster", "100 rollouts with gradients")]),
    ("ranks", "ranks on one machine", "seconds", [("seconds", "120 rollouts with gradients")]),
]


def read(section):
    path = FOLDER / f"{section}.csv"
    return list(csv.DictReader(path.open())) if path.exists() else []


def write(section, rows):
    if rows:
        with (FOLDER / f"{section}.csv").open("w", newline="") as file:
            table = csv.DictWriter(file, rows[0].keys(), lineterminator="\n")
            table.writeheader()
            table.writerows({k: f"{v:.6g}" if isinstance(v, float) else v for k, v in row.items()}
                            for row in rows)


def draw():
    charts = [c for c in CHARTS if read(c[0])]
    lines = [f"set terminal pngcairo size 1200,{320 * ((len(charts) + 1) // 2)} font 'sans,10' noenhanced",
             f"set output '{IMAGE}'", "set datafile separator ','", "set key left top", "set grid",
             f"set multiplot layout {(len(charts) + 1) // 2},2"]
    for section, size, unit, columns in charts:
        linear = section in ("threads", "ranks")
        lines += ["unset logscale" if linear else "set logscale xy", f"set xlabel '{size}'",
                  f"set ylabel '{unit}'", "set yrange [0:*]" if linear else "set yrange [*:*]",
                  "plot " + ", ".join(f"'{FOLDER / section}.csv' using 'n':'{c}' with linespoints "
                                      f"pointtype 7 title '{name}'" for c, name in columns)]
    subprocess.run(["gnuplot"], input="\n".join(lines) + "\n", text=True, check=True)


def slope(rows, column):
    """Of the last two sizes: 1 is linear."""
    (a, b) = rows[-2:]
    return math.log(float(b[column]) / float(a[column])) / math.log(float(b["n"]) / float(a["n"]))


def say(file):
    print(f"# Scaling\n\nMade by `make scaling` (last on {datetime.date.today()}, {os.cpu_count()} processors). "
          "Slopes between the last two sizes, on\nlogarithmic axes: 1 is linear. Why: "
          "[docs/performance.md](../../docs/performance.md).\n", file=file)
    for section in SECTIONS:
        rows = read(section)
        if len(rows) < 2:
            continue
        columns = list(rows[0])
        print(f"## {section}\n\n| {' | '.join(columns)} |\n|{'---|' * len(columns)}", file=file)
        for row in rows:
            print(f"| {' | '.join(row[c] for c in columns)} |", file=file)
        grown = [c for c in columns[1:] if c != "same_bytes" and min(float(r[c]) for r in rows[-2:]) > 0]
        words = " | ".join(f"{slope(rows, c):.2f}" if c in grown else "" for c in columns[1:])
        print(f"| slope | {words} |\n", file=file)


def main():
    carom, humanoid, cube, *wanted = sys.argv[1:]
    FOLDER.mkdir(exist_ok=True)
    for section in wanted or SECTIONS:
        if section not in SECTIONS:
            sys.exit(f"scaling: no section {section}; there are {', '.join(SECTIONS)}")
        print(f"scaling: {section}", file=sys.stderr, flush=True)
        write(section, SECTIONS[section](carom, humanoid, cube))
    with (FOLDER / "README.md").open("w") as file:
        say(file)
    draw()


if __name__ == "__main__":
    main()
