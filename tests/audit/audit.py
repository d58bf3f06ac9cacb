#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random models against MuJoCo: steps, rollouts, gradients of a step and of a few steps, events, verdicts.

Findings are noise, known by name (known.py), or unexplained; exit 1 when one is unexplained. The output
folder holds report.md, report.json and the models; a run that was interrupted goes on where it stopped.
"""
import argparse
import json
import os
import resource
import select
import signal
import sys
import time
import traceback
from pathlib import Path

import mujoco
import numpy as np

import carom
import compare
import events
import generator
import horizon
import reference

KEEP = (5, 40, 90)  # steps of the rollout whose states get gradients
LIMIT = 300         # seconds of a processor a model may take, and ten times that by the clock


# ---- one model

def controls(p, rng):
    """Controls by step: inside their range, on its ends, outside, zero; ten steps each."""
    m = p.r.m
    low, high = m.actuator_ctrlrange[:, 0].copy(), m.actuator_ctrlrange[:, 1].copy()
    low[m.actuator_ctrllimited == 0], high[m.actuator_ctrllimited == 0] = -1, 1
    rows = []
    for _ in range(20):
        inside = rng.uniform(low, high)
        outside = np.where(rng.random(m.nu) < 0.5, low - 0.5, high + 0.5)
        choice = rng.integers(0, 6, m.nu)
        rows.append(np.choose(choice, (inside, inside, low, high, outside, 0 * low)))
    return lambda i: rows[i // 10 % 20]


def edges(p, upper):
    """The start, but every limited joint, control and activation on an end of its range."""
    m, state = p.r.m, p.r.start()
    for j in range(m.njnt):
        if m.jnt_limited[j] and m.jnt_type[j] >= 2:
            state["qpos"][m.jnt_qposadr[j]] = m.jnt_range[j, int(upper)]
    limited = m.actuator_ctrllimited > 0
    state["ctrl"][limited] = m.actuator_ctrlrange[limited, int(upper)]
    for i in range(m.nactuator):
        if m.actuator_actlimited[i]:
            first = m.actuator_actadr[i]
            state["act"][first:first + m.actuator_actnum[i]] = m.actuator_actrange[i, int(upper)]
    return state


def anywhere(p, rng):
    """A random state, with applied forces."""
    m, state = p.r.m, p.r.start()
    mujoco.mj_integratePos(m, state["qpos"], 0.3 * rng.standard_normal(m.nv), 1)
    state["qvel"] = rng.standard_normal(m.nv)
    state["ctrl"] = controls(p, rng)(0)
    state["act"] = rng.uniform(0.05, 0.6, m.na)
    state["qfrc_applied"] = 0.1 * rng.standard_normal(m.nv)
    state["xfrc_applied"][1] = 0.1 * rng.standard_normal(6)
    for k in range(m.nmocap):
        state["mocap_pos"][k] += 0.1 * rng.standard_normal(3)
        mujoco.mju_quatIntegrate(state["mocap_quat"][k], rng.standard_normal(3), 0.3)
    return state


def states(p, kept, rng):
    """Where gradients are looked at."""
    out = [("start", p.r.start()), ("on lower ends", edges(p, False)), ("on upper ends", edges(p, True)),
           ("anywhere", anywhere(p, rng))]
    out += [(f"keyframe {k}", p.r.start(k)) for k in range(p.r.m.nkey)]
    return out + kept


def model(lib, options, seed, path):
    """Everything about one model: findings and counts."""
    text, tags = generator.compose(seed)
    Path(path).write_text(text)
    if seed >= generator.MORE:
        try:
            Path(path).write_text(generator.keyframes(text, mujoco.MjModel.from_xml_path(path), seed))
        except ValueError:
            pass  # told below
    try:
        p = compare.Pair(lib, path, seed, tags)
    except (ValueError, carom.Error) as error:
        return {"tags": sorted(tags), "skipped": str(error).splitlines()[0]}
    if p.nv and options.only != "events":
        try:
            motion(p, seed)
        except mujoco.FatalError as error:
            p.findings.append({"seed": seed, "kind": "ended", "where": "-", "class": "MuJoCo ends with an error of its own",
                               "note": str(error), "times": 1})
    if options.carom and options.only != "models" and (options.only or seed % options.events_every == 0):
        events.check(p, options.carom, seed, str(Path(path).with_suffix(".toss.xml")))
    p.c.close()
    return {"tags": sorted(tags), "nv": p.nv, "count": p.count, "findings": p.findings}


def motion(p, seed):
    """Steps, rollouts and gradients of one model."""
    rng = np.random.default_rng([seed, 3])
    chosen = controls(p, rng)
    kept = compare.visit(p, 100, chosen, KEEP)
    compare.free(p, 200, chosen)
    for where, state in states(p, kept, rng):
        compare.gradient(p, state, where)
        compare.sensors(p, state, where)
    for where, state in kept:
        if where == "step 40":
            horizon.check(p, state, where)


# ---- a process for each

def apart(lib, options, seed, path):
    """model() in a process of its own: a crash or a hang is a finding too."""
    start = time.time()
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read)
        resource.setrlimit(resource.RLIMIT_CPU, (LIMIT, LIMIT))
        with os.fdopen(write, "w") as pipe:
            try:
                json.dump(model(lib, options, seed, path), pipe, default=float)
            except Exception:  # told on the terminal, and found as a crash
                traceback.print_exc()
        os._exit(0)
    os.close(write)
    text, killed = collect(read, child, start + 10 * LIMIT)
    status = os.waitpid(child, 0)[1]
    try:
        result = json.loads(text)
    except ValueError:
        killed = killed or os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL
        note = f"no end after {LIMIT} s" if killed else f"the process ended with status {status}"
        result = {"tags": [], "findings": [{"seed": seed, "kind": "hang" if killed else "crash", "where": "-",
                                            "class": "unexplained", "note": note, "times": 1}]}
    return {"seed": seed, "seconds": round(time.time() - start, 2), **result}


def collect(read, child, end):
    """What the child writes, until it ends or its time does."""
    parts, killed = [], False
    with os.fdopen(read, "rb") as pipe:
        while True:
            if not killed and not select.select([pipe], [], [], max(0, end - time.time()))[0]:
                os.kill(child, signal.SIGKILL)
                killed = True
            part = pipe.read1(65536)
            if not part:
                return b"".join(parts).decode(), killed
            parts.append(part)


# ---- the report

def line(f, command):
    """A finding in one line of the table."""
    what = " ".join(str(x) for x in (f.get("field"), f.get("number"), f.get("entry")) if x is not None)
    got = f"{f['got']:.8g}" if "got" in f else f"off {f.get('off', float('nan')):.3g}"
    expected = f.get("expected", "")
    if isinstance(expected, dict):
        expected = ", ".join(f"{s} {v[0]:.8g}" for s, v in expected.items())
    note = f.get("note", "")
    return f"| {f['seed']} | {f['class']} | {f['kind']} | {f['where']} | {what} | {got} | {expected} | {f['times']} | {note} | `{command}` |"


def write_report(out, results, options):
    """report.json with everything, report.md with a line a finding."""
    (out / "report.json").write_text(json.dumps(results, indent=1))
    findings = [f for r in results for f in r.get("findings", [])]
    total = {}
    for r in results:
        for k, v in r.get("count", {}).items():
            total[k] = total.get(k, 0) + v
    classes = {}
    for f in findings:
        classes[f["class"]] = classes.get(f["class"], 0) + 1
    rows = ["# Audit", "", f"{len(results)} models; " + ", ".join(f"{v} {k}" for k, v in total.items()) + ".",
            "Findings: " + (", ".join(f"{v} {k}" for k, v in sorted(classes.items())) or "none") + ".", "",
            "| seed | class | kind | where | what | got | expected | times | note | again |",
            "|---|---|---|---|---|---|---|---|---|---|"]
    for f in sorted(findings, key=lambda f: (f["class"] != "unexplained", f["class"], f["seed"])):
        rows.append(line(f, f"audit.py --lib {options.lib} --seed {f['seed']} --count 1"))
    (out / "report.md").write_text("\n".join(rows) + "\n")
    return classes.get("unexplained", 0)


def done_before(path):
    """Results of an interrupted run, by seed."""
    if not path.exists():
        return {}
    rows = [json.loads(text) for text in path.read_text().splitlines() if text.endswith("}")]
    return {r["seed"]: r for r in rows}


def arguments():
    """The command line."""
    root = Path(__file__).resolve().parents[2]
    a = argparse.ArgumentParser(description=__doc__)
    a.add_argument("--lib", default=str(root / "build/libcarom.so"), help="Carom's library")
    a.add_argument("--carom", default=str(root / "build/carom"), help="Carom's command, for events; '' for none")
    a.add_argument("--seed", type=int, default=1, help="of the first model")
    a.add_argument("--count", type=int, default=100, help="models")
    a.add_argument("--minutes", type=float, default=1e9, help="stop after so long")
    a.add_argument("--events-every", type=int, default=4, help="an event scene with every so many models")
    a.add_argument("--only", choices=("models", "events"), help="one of the two parts, of every seed")
    a.add_argument("--out", default=str(root / "build/audit"), help="folder of the report and the models")
    return a.parse_args()


def main():
    """Runs the models one after the other."""
    options = arguments()
    out = Path(options.out)
    (out / "models").mkdir(parents=True, exist_ok=True)
    reference.quiet()
    lib, progress = carom.load(options.lib), out / "progress.jsonl"
    done, end = done_before(progress), time.time() + 60 * options.minutes
    results = []
    for i in range(options.count):
        seed = options.seed + i
        if seed not in done:
            if time.time() > end:
                break
            done[seed] = apart(lib, options, seed, str(out / "models" / f"{seed}.xml"))
            with open(progress, "a") as log:
                log.write(json.dumps(done[seed]) + "\n")
        results.append(done[seed])
        bad = sum(f["class"] == "unexplained" for r in results for f in r.get("findings", []))
        print(f"\rmodel {seed}: {i + 1} of {options.count}, {bad} unexplained ", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    bad = write_report(out, results, options)
    print(f"{len(results)} models, {bad} unexplained findings; {out / 'report.md'}")
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
