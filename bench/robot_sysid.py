#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The recordings of `carom study robot` identified by mujoco.sysid. Usage: robot_sysid.py FOLDER arm|quadruped [ITERATIONS]

FOLDER is that of the study: the model NAME.xml, its recording NAME_0.csv, and robot_NAME_numbers.csv with the truth. Same parameters
from the same start (ten numbers for each link, damping, friction loss and armature for each joint, friction of the feet), errors
over the same noises. mujoco.sysid is given the true first state and the true delay, which Carom finds. One thread. Only its optimisation is timed.
Needs `pip install mujoco[sysid]`.
"""
import csv
import logging
import sys
import time
from pathlib import Path

import mujoco
import numpy as np
from mujoco import rollout, sysid
from mujoco.sysid._src import model_modifier

NOISE = {"qpos": 3.2e-4, "actuator_force": 0.1, "sensordata[gyro]": 0.01,
         "sensordata[accelerometer]": 0.1, "xpos": 1e-3, "xquat": 2e-3}
DELAY = 0.005


def read(path):
    """Names of columns, the table (NaN: not measured), and the first state."""
    lines = path.read_text().splitlines()
    state = np.array([float(x) for x in lines[-1].split("qvel,")[1].split(",")])
    rows = list(csv.reader(lines[:-1]))
    values = [[float(x) if x else np.nan for x in row] for row in rows[1:]]
    return rows[0], np.array(values), state


def parameters(spec, model):
    """The parameters of the study, laws of joints by their logarithms."""
    params = sysid.ParameterDict()

    # as its own modifier does, without compiling the model once for each body
    def link(name):
        def modify(spec, param):
            body, pi = spec.body(name), model_modifier.pi_from_theta(param.value)
            body.mass, body.ipos = pi[0], pi[1:4] / pi[0]
            skew = model_modifier.skew(body.ipos)
            moments, axes = np.linalg.eigh(pi[4:].reshape(3, 3) + pi[0] * skew @ skew)
            axes[:, 2] *= np.linalg.det(axes)
            mujoco.mju_mat2Quat(quat := np.zeros(4), axes.ravel())
            body.inertia, body.iquat = moments, quat
        return modify

    for body in range(1, model.nbody):
        name = model.body(body).name
        params.add(sysid.body_inertia_param(spec, model, name, inertia_type=sysid.InertiaType.Pseudo,
                                            modifier=link(name)))

    def law(name, target, field, value, index=None):
        def modify(spec, param):
            item = getattr(spec, target[0])(target[1])
            if index is None:
                old = getattr(item, field)
                if np.ndim(old):
                    new = np.array(old)
                    new[0] = np.exp(param.value[0])
                    setattr(item, field, new)
                else:
                    setattr(item, field, float(np.exp(param.value[0])))
            else:
                for foot in target[1:]:
                    spec.geom(foot).friction[index] = np.exp(param.value[0])
        params.add(sysid.Parameter(name, np.log(value), np.log(value) - 3, np.log(value) + 3,
                                   modifier=modify))

    for field, numbers in (("damping", model.dof_damping), ("frictionloss", model.dof_frictionloss),
                           ("armature", model.dof_armature)):
        for j in range(model.njnt):
            if model.jnt_type[j] != mujoco.mjtJoint.mjJNT_FREE:
                name = model.joint(j).name
                law(f"{name}.{field}", ("joint", name), field, numbers[model.jnt_dofadr[j]])
    feet = [model.geom(g).name for g in range(model.ngeom) if model.geom(g).name.endswith("_foot")]
    if feet:
        law("foot friction", ("geom", *feet), "friction", 0.7, index=0)
    return params


def predictions(model, state, data):
    """qpos, forces of servos and sensors at every row, under the recorded controls."""
    d = mujoco.MjData(model)
    initial = np.concatenate([[0.0], state[:model.nq + model.nv]])[None]
    control = data[None, :, 1:1 + model.nu]
    states, sensors = rollout.rollout(model, d, initial, control)
    qpos = np.vstack([state[:model.nq], states[0, :-1, 1:1 + model.nq]])
    qvel = np.vstack([state[model.nq:], states[0, :-1, 1 + model.nq:1 + model.nq + model.nv]])
    q, v = qpos[:, -model.nu:], qvel[:, -model.nu:]
    kp, kv = model.actuator_gainprm[:, 0], -model.actuator_biasprm[:, 2]
    force = kp * (control[0] - q) - kv * v
    return qpos, force, sensors[0]


def residual_fn(spec, state, data, params):
    """Errors over noises, of every number that was recorded."""
    start = params.as_vector()

    def one(x, params):
        params.update_from_vector(x)
        for p in params.values():
            p.apply_modifier(spec)
        model = spec.compile()
        qpos, force, sensors = predictions(model, state, data)
        steps = DELAY / model.opt.timestep
        whole, share = int(steps), steps - int(steps)
        late = sensors.copy()
        late[whole + 1:] = (1 - share) * sensors[1:len(sensors) - whole] + share * sensors[:-whole - 1]
        n, at = model.nu, 1 + model.nu
        parts = [(qpos[:, -n:] - data[:, at:at + n]) / NOISE["qpos"],
                 (force - data[:, at + n:at + 2 * n]) / NOISE["actuator_force"]]
        at += 2 * n
        imu = (late - data[:, at:at + 6])
        imu[:, :3] /= NOISE["sensordata[gyro]"]
        imu[:, 3:] /= NOISE["sensordata[accelerometer]"]
        imu[:5] = np.nan
        parts.append(imu)
        if model.nq > model.nv:
            parts.append((qpos[:, :3] - data[:, at + 6:at + 9]) / NOISE["xpos"])
            turn = np.full((len(data), 3), np.nan)
            for k in range(len(data)):
                if np.isfinite(data[k, at + 9]):
                    mujoco.mju_subQuat(turn[k], qpos[k, 3:7], data[k, at + 9:at + 13])
            parts.append(turn / NOISE["xquat"])
        flat = np.concatenate([p.ravel() for p in parts])
        return flat[seen] if seen is not None else flat

    seen = None
    flat = one(start, params)
    seen = np.isfinite(flat)

    def residual(x, params):
        if x.ndim == 1:
            return [one(x, params)], None, None
        return [np.stack([one(x[:, i], params) for i in range(x.shape[1])], axis=1)], None, None
    return residual


def main():
    folder, name = Path(sys.argv[1]), sys.argv[2]
    iterations = int(sys.argv[3]) if len(sys.argv) > 3 else 200
    logging.disable(logging.INFO)
    spec = mujoco.MjSpec.from_file(str(folder / f"{name}.xml"))
    model = spec.compile()
    _, data, state = read(folder / f"{name}_0.csv")
    params = parameters(spec, model)
    residual = residual_fn(spec, state, data, params)
    x0 = params.as_vector()
    start = residual(x0, params)[0][0]
    clock, cpu = time.perf_counter(), time.process_time()
    found, result = sysid.optimize(params, residual, optimizer="mujoco", verbose=False,
                                   max_iters=iterations)
    seconds, cpu = time.perf_counter() - clock, time.process_time() - cpu
    end = residual(result.x, found)[0][0]
    print(f"{name}: {x0.size} parameters, {start.size} numbers seen; cost {start @ start / 2:.6g} to "
          f"{end @ end / 2:.6g}; {seconds:.1f} s, {cpu:.1f} s of processors")
    _, half = sysid.calculate_intervals([end], result.jac, alpha=0.1)
    rows = list(csv.DictReader(open(folder / f"robot_{name}_numbers.csv")))
    truth = {row["name"]: row for row in rows}
    inside = told = 0
    squares = np.zeros(2)
    laws = [p for p in found.values() if p.size == 1]
    for i, p in enumerate(laws, x0.size - len(laws)):
        row = truth[p.name]
        right, ours = float(row["truth"]), float(row["estimate"])
        value, low, high = np.exp(p.value[0] + np.array([0, -half[i], half[i]]))
        told += half[i] < 1
        inside += half[i] < 1 and low <= right <= high
        squares += np.log([value / right, abs(ours) / right]) ** 2
        print(f"  {p.name:24s} truth {right:9.5f}  mujoco.sysid {value:9.5f} ({low:9.3g} to {high:9.3g})"
              f"  carom {ours:9.5f} ({float(row['lower']):9.5f} to {float(row['upper']):9.5f})")
    error = np.sqrt(squares / len(laws))
    print(f"  {len(laws)} laws of joints and feet: error of logarithms (rms) {error[0]:.3f}, carom "
          f"{error[1]:.3f}; {told} told, truth within the interval of {inside}")


main()
