#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures Carom and its peers on this machine, one after the other; prints Markdown.

Usage: run.py CAROM FOLDER PYTHON [--tds FOLDER] MODEL ...
FOLDER keeps the builds; PYTHON has bench/peers/requirements.txt; --tds names a copy of the repository
of Tiny Differentiable Simulator. Needs g++ and Eigen.
"""
import datetime
import json
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ENVIRONMENTS = [1, 64]
DEFINITIONS = ["BOOST_MPL_LIMIT_LIST_SIZE=30", "BOOST_MPL_LIMIT_VECTOR_SIZE=30",
               "BOOST_MPL_CFG_NO_PREPROCESSED_HEADERS", "BOOST_FUSION_INVOKE_MAX_ARITY=12"]


def output(*command):
    """What a command prints; its errors pass through."""
    return subprocess.run([str(c) for c in command], check=True, stdout=subprocess.PIPE,
                          text=True).stdout


def bench(carom, model, *more):
    return json.loads(output(carom, "bench", model, "--json", *more))


def build_pinocchio(folder, python):
    """Compiles pinocchio.cpp against the wheel's headers, some minutes, once."""
    program, source = folder / "pinocchio", HERE / "pinocchio.cpp"
    if program.exists() and program.stat().st_mtime > source.stat().st_mtime:
        return program
    prefix = output(python, "-c", "import cmeel, pathlib; "
                    "print(pathlib.Path(cmeel.__file__).parent.parent / 'cmeel.prefix')").strip()
    print("compiling pinocchio.cpp, some minutes", file=sys.stderr)
    subprocess.run(["g++", "-std=c++17", "-O3", "-march=native", "-DNDEBUG", "-w",
                    *(f"-D{d}" for d in DEFINITIONS), f"-I{prefix}/include",
                    "-I/usr/include/eigen3", str(source), "-o", str(program)], check=True)
    return program


def accelerations_differ(python, model, theirs, free):
    """Relative difference of MuJoCo's acceleration on the written model from a peer's."""
    script = """if True:
        import json, sys, mujoco, numpy as np
        model, theirs = mujoco.MjModel.from_xml_path(sys.argv[1]), json.loads(sys.argv[2])
        q, v, tau, a = (np.array(theirs[k]) for k in ("q", "v", "tau", "ddq"))
        d, R = mujoco.MjData(model), np.zeros(9)
        if sys.argv[3] == "free":
            q = np.concatenate([q[:3], [q[6]], q[3:6], q[7:]])   # quaternions begin with w
            mujoco.mju_quat2Mat(R, q[3:7])
            R = R.reshape(3, 3)
            # the free joint's linear velocity, force and acceleration in the world's axes
            a = np.concatenate([R @ (a[:3] + np.cross(v[3:6], v[:3])), a[3:]])
            v, tau = np.concatenate([R @ v[:3], v[3:]]), np.concatenate([R @ tau[:3], tau[3:]])
        d.qpos[:], d.qvel[:], d.qfrc_applied[:] = q, v, tau
        mujoco.mj_forward(model, d)
        print(np.abs(d.qacc - a).max() / np.abs(a).max())
    """
    differ = float(output(python, "-c", script, model, json.dumps(theirs), "free" if free else "fixed"))
    if not differ < 1e-9:
        sys.exit(f"{model} is another model than the peer's: accelerations differ by {differ:.1e}")
    return differ


def in_turn(carom, program, model):
    """Theirs and ours, three times in turn."""
    return [(json.loads(output(program, model)), bench(carom, model, "--no-differences")) for _ in range(3)]


def row(rounds, name, key, what, mine):
    """A row of a table: the pair with the middle ratio; what None: theirs alone."""
    pairs = sorted(((theirs[key], ours[mine] if what else 0) for theirs, ours in rounds),
                   key=lambda pair: pair[1] / pair[0] if what else pair[0])
    return name, pairs[1][0], what, pairs[1][1]


def print_rows(rows):
    print("| | microseconds | Carom | ratio |\n|---|---|---|---|")
    for name, other, what, mine in rows:
        print(f"| `{name}` | {other:.2f} | {what}: {mine:.2f} | {mine / other:.2f} |" if what else
              f"| `{name}` | {other:.2f} | | |")
    print(flush=True)


def pinocchio_rows(carom, folder, python):
    program, model = build_pinocchio(folder, python), folder / "pinocchio_humanoid.xml"
    rounds = in_turn(carom, program, model)
    theirs = rounds[0][0]
    differ = accelerations_differ(python, model, theirs, True)
    print(f"## Pinocchio 4.1, its sample humanoid (nv {theirs['nv']}), without constraints\n\n"
          "C++, header only, `-O3 -march=native`; Carom's step is all that `cr_step` does, MuJoCo's\n"
          f"fields, checks and integrator included. Accelerations agree to {differ:.0e}.\n")
    print_rows([row(rounds, "aba", "aba_us", "a step", "step_us"),
                row(rounds, "computeABADerivatives", "aba_derivatives_us", "full Jacobian of a step",
                    "step_jacobian_us"),
                row(rounds, "computeABADerivatives", "aba_derivatives_us", "vjp of a step, all parameters",
                    "step_vjp_us"),
                row(rounds, "rnea", "rnea_us", None, None),
                row(rounds, "computeRNEADerivatives", "rnea_derivatives_us", None, None)])


def tds_rows(carom, folder, python, tds):
    program, model, source = folder / "tds", folder / "tds_tree.xml", HERE / "tds.cpp"
    headers = Path(tds) / "src"
    if not (headers / "dynamics/forward_dynamics.hpp").exists():
        sys.exit(f"{tds} is no copy of tiny-differentiable-simulator: there is no src/dynamics/forward_dynamics.hpp")
    subprocess.run(["g++", "-std=c++17", "-O3", "-march=native", "-DNDEBUG", "-w", f"-I{headers}", str(source),
                    "-o", str(program)], check=True)
    rounds = in_turn(carom, program, model)
    theirs = rounds[0][0]
    differ = accelerations_differ(python, model, theirs, False)
    print(f"## Tiny Differentiable Simulator, a tree of {theirs['nv']} hinges, without constraints\n\n"
          "C++, header only, `-O3 -march=native`, built from the user's copy; its forward dynamics alone, and "
          "its own\ndual numbers, a direction at a time (its reverse mode needs CppAD with code generation). "
          f"Accelerations\nagree to {differ:.0e}.\n")
    print_rows([row(rounds, "forward_dynamics", "forward_us", "a step", "step_us"),
                row(rounds, "forward_dynamics, dual numbers, one direction", "direction_us",
                    "vjp of a step, all parameters", "step_vjp_us"),
                row(rounds, "the same in all directions of q, qd, tau", "jacobian_us",
                    "full Jacobian of a step", "step_jacobian_us")])


GRADIENTS = {"network": "a network of 175 weights, by all",
             "double_pendulum": "500 steps of a double pendulum, by start and masses (6)",
             "five_links": "5000 steps of five links falling on the ground, by start and masses (15)"}


def gradient_rows(carom, folder, tds):
    """The gradients of the NeuralSim paper: one sweep back, dual numbers, differences, in turn."""
    libraries, include = Path(carom).resolve().parent, HERE.parents[1] / "include"
    ours, theirs = folder / "gradients", folder / "gradients_tds"
    subprocess.run(["gcc", "-std=c17", "-D_POSIX_C_SOURCE=200809L", "-O3", f"-I{include}", str(HERE / "gradients.c"),
                    f"-L{libraries}", "-lcarom", f"-Wl,-rpath,{libraries}", "-lm", "-o", str(ours)], check=True)
    subprocess.run(["g++", "-std=c++17", "-O3", "-march=native", "-DNDEBUG", "-w", f"-I{Path(tds) / 'src'}",
                    str(HERE / "gradients_tds.cpp"), "-o", str(theirs)], check=True)
    rounds = [(json.loads(output(theirs)), json.loads(output(ours, folder / "gradients.xml"))) for _ in range(3)]
    print("## Gradients of rollouts, Tiny Differentiable Simulator\n\n"
          "Milliseconds a gradient. Contacts: complementarity in both (`ncp`; 50 sweeps of Gauss-Seidel there, solved to\n"
          "round-off here). `error`: of the gradient, to differences of the same program's rollouts, of its largest number.\n\n"
          "| | Carom, a sweep back | error | Carom, differences | dual numbers | error | their differences | sweep over dual |\n"
          "|---|---|---|---|---|---|---|---|")
    for name, what in GRADIENTS.items():
        pairs = sorted(((t[name], c[name]) for t, c in rounds), key=lambda x: x[1]["gradient_s"] / x[0]["gradient_s"])
        t, c = pairs[1]
        print(f"| {what} | {1e3 * c['gradient_s']:.3g} | {error_of(c):.0e} | {1e3 * c['differences_s']:.3g} | "
              f"{1e3 * t['gradient_s']:.3g} | {error_of(t):.0e} | {1e3 * t['differences_s']:.3g} | "
              f"1/{t['gradient_s'] / c['gradient_s']:.0f} |")
    same = {name: abs(rounds[0][0][name]["value"] / rounds[0][1][name]["value"] - 1) for name in GRADIENTS}
    print(f"\nWith contacts, fixed steps do not count that impacts move, and differences do. Without contacts the two simulate the same: the values differ by {max(same['network'], same['double_pendulum']):.0e}.\n",
          flush=True)


def error_of(result):
    """The largest difference of a gradient from differences, over the largest number of the latter."""
    pairs = list(zip(result["gradient"], result["by_differences"]))
    return max(abs(g - d) for g, d in pairs) / max(abs(d) for _, d in pairs)


def rollouts(carom, model):
    """Microseconds a step of Carom's rollouts: forward, with gradients."""
    x = bench(carom, model, "--batch", 50, "--steps", 20, "--rounds", 9, "--threads", 1, "--no-peer")
    t, steps = x["threads"][0], x["rollouts"] * x["steps"]
    return 1e6 * t["forward_processor_seconds"] / steps, 1e6 * t["processor_seconds"] / steps


def mjx_rows(carom, python, models):
    print("## MuJoCo XLA, on the CPU, one core, in double\n\n"
          "Rollouts of 20 steps and their reverse gradients by initial state and controls, microseconds a step\n"
          "and environment; one solver iteration there, a solve to round-off here. Carom: rollouts one after the\n"
          "other, `carom bench MODEL --batch 50 --steps 20 --threads 1`, gradients also by all masses.\n\n"
          "| model | environments | MJX forward | Carom | ratio | MJX with gradient | Carom | ratio | "
          "MJX compiles for |\n|---|---|---|---|---|---|---|---|---|")
    for model in models:
        before = rollouts(carom, model)
        theirs = json.loads(output(python, HERE / "mjx.py", model, *ENVIRONMENTS).splitlines()[-1])
        after = rollouts(carom, model)
        step, gradient = ((a + b) / 2 for a, b in zip(before, after))
        for b in theirs["batches"]:
            print(f"| {Path(model).name} | {b['environments']} | {b['forward_us']:.1f} | {step:.2f} | "
                  f"1/{b['forward_us'] / step:.1f} | {b['gradient_us']:.1f} | {gradient:.2f} | "
                  f"1/{b['gradient_us'] / gradient:.0f} | {b['compile_gradient_s']:.0f} s |", flush=True)
    print()


def main():
    carom, folder, python, *models = sys.argv[1:]
    folder, tds = Path(folder), None
    if models[:1] == ["--tds"]:
        tds, models = models[1], models[2:]
    folder.mkdir(parents=True, exist_ok=True)
    made_by = f"make bench-peers{' TDS=...' if tds else ''}"
    print(f"# Peers\n\nMade by `{made_by}` ({datetime.date.today()}), for a machine at rest. Times are processor times,\n"
          "except the wall times of Carom's single steps.\n")
    pinocchio_rows(carom, folder, python)
    if tds:
        tds_rows(carom, folder, python, tds)
        gradient_rows(carom, folder, tds)
    mjx_rows(carom, python, models)


if __name__ == "__main__":
    main()
