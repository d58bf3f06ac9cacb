#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares ilqr with sampling on four tasks at equal times: the same task, the same start, two threads each.

Usage: planners.py CAROM SUITE [SECONDS [TASK ...]]
SUITE is the folder with dm_control's walker.xml and humanoid.xml. A method has SECONDS (default 16) of all
processors; ilqr ends earlier where its cost no longer falls. Writes bench/planners/TASK_METHOD.csv (the
cost after each iteration), the table bench/planners/README.md, and docs/images/tasks_TASK_cost.svg by
gnuplot. Other tasks keep their files where some are named.
"""

import csv
import datetime
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "bench/planners"
SAMPLING = {  # the best that were tried: knots and noise
    "cartpole": ("12", "0.3"),
    "acrobot": ("25", "0.3"),
    "walker_stand": ("8", "0.3"),
    "humanoid_stand": ("6", "0.03"),
}
METHODS = ("ilqr", "sampling")
MOST_ROWS = 200  # of a kept history


def settings(task, method, suite):
    own = [] if task in ("cartpole", "acrobot") else [f"model={suite / task.split('_')[0]}.xml"]
    if method == "ilqr":
        return own + ["planner.method=ilqr"]
    knots, noise = SAMPLING[task]
    return own + [
        f"planner.{key}"
        for key in ("method=sampling", "controls=linear", "tolerance=0", f"knots={knots}", f"noise={noise}")
    ]


def history(path):
    """Whole rows of a file that may be written just now."""
    if not path.exists():
        return []
    whole = path.read_text().rpartition("\n")[0]
    return list(csv.DictReader(whole.splitlines()))


def run(carom, task, method, suite, seconds):
    """The history of a plan within so many seconds of all processors."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "plan/cost.csv"
        command = [
            carom,
            "plan",
            ROOT / f"examples/tasks/{task}.yaml",
            "--threads",
            "2",
            "--out",
            path.parent,
            "--set",
            *settings(task, method, suite),
            "planner.iterations=100000000",
        ]
        plan = subprocess.Popen([str(c) for c in command], stdout=subprocess.DEVNULL)
        while plan.poll() is None:
            time.sleep(0.5)
            rows = history(path)
            if rows and float(rows[-1]["processor_seconds"]) > seconds:
                plan.kill()
                plan.wait()
        rows = [r for r in history(path) if float(r["processor_seconds"]) <= seconds]
        return rows or sys.exit(f"planners: {task} by {method}: nothing within {seconds} s")


def thinned(rows):
    """The first rows, then fewer and fewer, evenly on a logarithmic axis."""
    kept = sorted({round(len(rows) ** (k / MOST_ROWS)) - 1 for k in range(MOST_ROWS + 1)})
    return [rows[k] for k in kept]


def write(path, rows):
    with path.open("w", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(["iteration", "cost", "processor_seconds"])
        table.writerows([r["iteration"], f"{float(r['cost']):.6g}", r["processor_seconds"]] for r in rows)


def read(task, method):
    with (FOLDER / f"{task}_{method}.csv").open() as file:
        return [(float(r["processor_seconds"]), float(r["cost"])) for r in csv.DictReader(file)]


def cost_at(history, seconds):
    done = [cost for at, cost in history if at <= seconds]
    return f"{done[-1]:.4g}" if done else "none yet"


def draw(task):
    plots = [
        f"'{FOLDER / f'{task}_{method}.csv'}' using 3:2 with steps linewidth 2 title '{method}'"
        for method in METHODS
    ]
    lines = [
        "set terminal svg size 640,300 font 'sans,12' noenhanced background '#ffffff'",
        "set logscale xy",
        f"set output '{ROOT / f'docs/images/tasks_{task}_cost.svg'}'",
        "set datafile separator ','",
        "set grid",
        "set format x '%g'",
        "set format y '%g'",
        "set xlabel 'seconds of all processors'",
        "set ylabel 'cost'",
        f"plot {', '.join(plots)}",
    ]
    subprocess.run(["gnuplot"], input="\n".join(lines) + "\n", text=True, check=True)


def say(file, seconds):
    times = [seconds / 16, seconds / 4, seconds]
    heads = [f"{method}, {t:g} s" for t in times for method in METHODS]
    print("# Planners at equal times\n", file=file)
    print(f"Made by `bench/planners.py` (last on {datetime.date.today()}).", file=file)
    print("Costs of the best plan after so many seconds of all processors, two threads.", file=file)
    print(f"Lower is better. {os.cpu_count()} processors, which other programs used too.\n", file=file)
    print(f"| task | {' | '.join(heads)} |\n|{'---|' * (len(heads) + 1)}", file=file)
    for task in SAMPLING:
        histories = [read(task, method) for method in METHODS]
        print(f"| {task} | {' | '.join(cost_at(h, t) for t in times for h in histories)} |", file=file)


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    carom, suite, seconds = (
        sys.argv[1],
        Path(sys.argv[2]).resolve(),
        int(sys.argv[3]) if len(sys.argv) > 3 else 16,
    )
    FOLDER.mkdir(exist_ok=True)
    for task in sys.argv[4:] or SAMPLING:
        if task not in SAMPLING:
            sys.exit(f"planners: no task {task}; there are {', '.join(SAMPLING)}")
        for method in METHODS:
            print(f"planners: {task} by {method}", file=sys.stderr, flush=True)
            write(FOLDER / f"{task}_{method}.csv", thinned(run(carom, task, method, suite, seconds)))
        draw(task)
    with (FOLDER / "README.md").open("w") as file:
        say(file, seconds)


if __name__ == "__main__":
    main()
