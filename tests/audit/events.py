# SPDX-License-Identifier: Apache-2.0
"""Gradients through contacts that enter and leave: `carom grad --events` against differences of the motion.

The reference is a difference of Carom's own converged motion, at two displacements that must agree.
"""
import json
import signal
import subprocess

import numpy as np

import generator

TIGHT = ("dopri8", "1e-11")
OTHERS = (("tsit5", "1e-9"), ("bosh3", "1e-9"), ("dopri5", "1e-10"))
DISPLACEMENTS = ("1e-5", "2e-6")
LIMIT = 40  # seconds of a processor, and ten times that by the clock
COMPONENTS = 4  # of the velocity, which differences are taken by
TOLERANCE = 3e-3  # of the largest component
FINER, FINEST = "1e-4", "2e-5"  # s, of a time step of 2e-3
STEPS, MORE_STEPS = 30000, 300000  # that a run may take; that one may that says it needs more


def toss(seed):
    """One or two bodies thrown at a floor, or a leg that hops: model, initial velocity, time, collision."""
    s = generator.Scene([seed, 5])
    r = s.r
    contact = {"solref": s.pick((".02 1", ".05 .5", "-400 -10", ".02 .2")),
               "solimp": s.pick((".9 .95 .001", ".9 .95 .001", "0 .95 .01"))}
    text = [f'<geom type="plane" size="5 5 .1"{generator.attributes(**contact)}/>']
    shapes = ("sphere", "capsule", "cylinder", "cylinder", "box", "box", "ellipsoid", "mesh")
    bodies = 1 + s.chance(0.25)
    for i in range(bodies):
        tilt = s.vector(35) if s.chance(0.6) else f"0 {s.real(5, 40)} 0"
        shape = s.pick(shapes)
        size = {"mesh": generator.mesh(s)} if shape == "mesh" else {"size": generator.size_of(s, shape)}
        options = {**size, **contact, "mass": s.real(0.5, 2), "friction": s.real(0.2, 1), "condim": s.pick((1, 3, 3, 4))}
        text.append(f'<body pos="{s.real(-0.02, 0.02)} 0 {0.14 + 0.2 * i}" euler="{tilt}"><freejoint/>'
                    f'<geom type="{shape}"{generator.attributes(**options)}/></body>')
    option = f'<option timestep="0.002" cone="{s.pick(("pyramidal", "elliptic"))}"/>'
    asset = "".join(s.text["asset"])
    xml = f'<mujoco>{option}<asset>{asset}</asset><worldbody>{"".join(text)}</worldbody></mujoco>\n'
    velocity = np.round(r.uniform(-1, 1, 6 * bodies) * np.tile((0.5, 0.5, 1, 2, 2, 2), bodies), 3)
    velocity[2::6] -= 0.8
    planar = "0 " in text[1].split('euler="')[1][:3] and bodies == 1
    if planar:
        velocity[[1, 3, 5]] = 0
    soft = s.pick((None, None, None, "smooth", "soft")) if bodies == 1 and "ellipsoid" not in xml else None
    return xml, velocity, s.pick((0.15, 0.2, 0.3)), soft


def run(carom, path, scene, method, *more, steps=STEPS):
    """carom grad: its JSON, or the sentence why not; and the command."""
    velocity, time, soft, numbers = scene
    command = [carom, "grad", path, "--time", str(time), "--set", "qvel=" + ",".join(map(str, velocity)),
               "--loss", "qpos[0]+0.5*qpos[1]+0.25*qpos[2]", "--wrt", *(f"qvel[{k}]" for k in numbers), "--integrator", method[0],
               "--rtol", method[1], "--atol", method[1], "--events", "--max-steps", str(steps), "--json", *more]
    command += ["--collision", soft] if soft else []
    try:
        done = subprocess.run(["prlimit", f"--cpu={LIMIT}", *command], capture_output=True, text=True, timeout=10 * LIMIT, check=False)
        if -done.returncode == signal.SIGKILL:
            raise subprocess.TimeoutExpired(command, LIMIT)
    except subprocess.TimeoutExpired:
        return {"error": f"no end after {LIMIT} s"}, " ".join(command)
    try:
        return json.loads(done.stdout), " ".join(command)
    except ValueError:
        return {"error": done.stderr.strip() or f"status {done.returncode}"}, " ".join(command)


def vector(answer, numbers):
    """The numbers of a gradient or of its differences."""
    return np.array([np.ravel(answer[f"qvel[{k}]"])[0] for k in numbers])


def check(p, carom, seed, path):
    """One scene: the tight gradient and those of other methods, against differences that agree."""
    xml, velocity, time, soft = toss(seed)
    with open(path, "w", encoding="utf-8") as file:
        file.write(xml)
    p.count["tosses"] = 1
    moves = np.flatnonzero(velocity)
    numbers = sorted(int(k) for k in np.random.default_rng([seed, 6]).permutation(moves)[:COMPONENTS])
    scene = (velocity, time, soft, numbers)
    first = run(carom, path, scene, TIGHT, "--check", "--eps", DISPLACEMENTS[0])
    if "error" in first[0]:
        p.find("events refused", "toss", note=str(first[0]["error"]), command=first[1])
        return
    differences = vector(first[0]["differences"], numbers)
    size = np.abs(differences).max()
    if np.abs(differences - vector(first[0]["gradient"], numbers)).max() > TOLERANCE * size:
        again = run(carom, path, scene, TIGHT, "--check", "--eps", DISPLACEMENTS[1])
        if "error" in again[0] or \
                np.abs(vector(again[0]["differences"], numbers) - differences).max() > 0.1 * TOLERANCE * size:
            p.count["untold tosses"] = 1
            return
    judge(p, first, numbers, differences, TIGHT, 0, None)
    size = np.abs(differences).max()
    for method in OTHERS:
        result = enough_steps(p, lambda steps=STEPS, method=method: run(carom, path, scene, method, steps=steps))
        finer = lambda method=method: [finer_steps(run(carom, path, scene, method, "--largest-step", h, steps=MORE_STEPS), numbers,
                                                   differences, first[0]["loss"]) for h in (FINER, FINEST)]
        judge(p, result, numbers, differences, method, abs(result[0].get("loss", 0) - first[0]["loss"]) / size, finer)


def enough_steps(p, tried):
    """What tried() says. A sentence that the steps it may take are not enough is counted as told; with more it must end."""
    result = tried()
    if f"{STEPS} steps end at time" not in str(result[0].get("error", "")):
        return result
    p.count["told tosses"] = p.count.get("told tosses", 0) + 1
    return tried(steps=MORE_STEPS)


def finer_steps(result, numbers, reference, loss):
    """How far loss and gradient with shorter steps are off, in units of the gradient's largest component; None: it says why not."""
    answer, size = result[0], np.abs(reference).max()
    if "error" in answer:
        return None
    return {"apart": abs(answer["loss"] - loss) / size, "off": float(np.abs(vector(answer["gradient"], numbers) - reference).max() / size)}


def trusted(command):
    """Whether `--trust` of the same command says that the gradient can be trusted; None: it does not end."""
    try:
        done = subprocess.run([*command.split(), "--trust"], capture_output=True, text=True, timeout=20 * LIMIT, check=False)
        return json.loads(done.stdout)["trust"]["verdict"] == "trust"
    except (subprocess.TimeoutExpired, ValueError, KeyError):
        return None


def judge(p, result, numbers, reference, method, apart, finer):
    """A gradient against the differences; apart: how far the loss is from that of the reference, finer: with shorter steps."""
    answer, command = result
    if "error" in answer:
        p.find("events refused", "toss", note=str(answer["error"]), command=command)
        return
    g, size = vector(answer["gradient"], numbers), np.abs(reference).max()
    off = np.abs(g - reference)
    k = int(off.argmax())
    if off[k] > TOLERANCE * size:
        p.find("events", " ".join(method), field="qvel", number=numbers[k], got=float(g[k]),
               off=float(off[k] / size), expected=float(reference[k]), apart=apart, finer=finer and finer(), command=command,
               uncounted=int(answer.get("uncounted_events", 0)), trusted=trusted(command) if answer.get("uncounted_events", 0) else None)
