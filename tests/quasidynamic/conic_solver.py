#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Exact quasi-dynamic steps against Clarabel on problems made by MuJoCo's Python bindings.

Usage: conic_solver.py CAROM HAND.xml. Mass matrix, gravity, contacts and their Jacobians come
from MuJoCo, the solution from Clarabel; the poses of `carom quasidynamic` have to agree to 1e-6.
"""
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import clarabel
import mujoco
import numpy as np
from scipy import sparse

STEP, REACH, TOLERANCE = 0.1, 0.1, 1e-6
BOX = """<mujoco><worldbody><geom name='floor' type='plane' size='5 5 .1'/><body pos='0 0 .1'><freejoint/>
<geom type='box' size='.1 .1 .1' mass='.5' friction='.8'/></body><body pos='-.16 0 .1'>
<joint name='x' type='slide' axis='1 0 0'/>
<joint name='y' type='slide' axis='0 1 0' range='-.05 .05' limited='true'/>
<geom size='.05' mass='.1' friction='.6'/></body></worldbody>
<actuator><position joint='x' kp='500'/><position joint='y' kp='400'/></actuator></mujoco>"""


def contact_rows(m, d):
    """(distance, normal row, tangent rows times friction) of each contact nearer than the reach."""
    for contact in d.contact[:d.ncon]:
        if contact.dist >= REACH:
            continue
        frame, rows = contact.frame.reshape(3, 3), np.zeros((3, m.nv))
        for sign, geom in ((-1, contact.geom[0]), (1, contact.geom[1])):
            jacobian = np.zeros((3, m.nv))
            mujoco.mj_jac(m, d, jacobian, None, contact.pos, m.geom_bodyid[geom])
            rows += sign * frame @ jacobian
        if np.abs(rows[0]).max() < 1e-9:  # no dof changes the distance: as in Carom no row
            continue
        yield contact.dist, rows[0], contact.friction[0] * rows[1:]


def problem(m, d, u, cone):
    """P, q, G, h and the cones of a step."""
    M = np.zeros((m.nv, m.nv))
    mujoco.mj_fullM(m, d, M)
    servo = [m.jnt_dofadr[m.actuator_trnid[i, 0]] for i in range(m.nu)]
    free = [i for i in range(m.nv) if i not in servo]
    P, b = np.zeros((m.nv, m.nv)), -d.qfrc_bias.copy()
    P[np.ix_(free, free)] = M[np.ix_(free, free)] / STEP ** 2
    for i, dof in enumerate(servo):
        Kp = m.actuator_gainprm[i, 0]
        P[dof, dof] += Kp
        b[dof] += Kp * (u[i] - d.qpos[m.jnt_qposadr[m.actuator_trnid[i, 0]]])
    G, h, cones = [], [], []
    for joint in np.flatnonzero(m.jnt_limited):
        row, q = np.eye(m.nv)[m.jnt_dofadr[joint]], d.qpos[m.jnt_qposadr[joint]]
        G += [row, -row]
        h += [q - m.jnt_range[joint, 0], m.jnt_range[joint, 1] - q]
        cones.append(clarabel.NonnegativeConeT(2))
    for distance, normal, tangents in contact_rows(m, d):
        if cone:
            G += [normal, *tangents]
            h += [distance, 0, 0]
            cones.append(clarabel.SecondOrderConeT(3))
        else:
            G += [normal + sign * t for t in tangents for sign in (1, -1)]
            h += 4 * [distance]
            cones.append(clarabel.NonnegativeConeT(4))
    return P, -b, np.array(G), np.array(h), cones


def solve(m, qpos, u, cone):
    """The next pose by Clarabel."""
    d = mujoco.MjData(m)
    d.qpos[:] = qpos
    mujoco.mj_forward(m, d)
    P, q, G, h, cones = problem(m, d, u, cone)
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-12
    objective, rows = sparse.csc_matrix(np.triu(P)), sparse.csc_matrix(-G)
    answer = clarabel.DefaultSolver(objective, q, rows, h, cones, settings).solve()
    moved = d.qpos.copy()
    mujoco.mj_integratePos(m, moved, np.array(answer.x), 1)
    return moved


def compare(carom, path, start, setpoints):
    """Largest difference of the poses of steps under setpoints, in both modes."""
    m = mujoco.MjModel.from_xml_path(str(path))
    m.geom_margin[:] = REACH
    worst = 0
    for cone in (False, True):
        qpos = np.array(start, float)
        for u in setpoints:
            pose = "qpos=" + ",".join(map(repr, qpos.tolist()))
            ctrl = "ctrl=" + ",".join(map(repr, u))
            command = [carom, "quasidynamic", str(path), "--set", pose, "--ctrl", ctrl,
                       "--mode", "cone" if cone else "pyramid", "--json"]
            printed = subprocess.run(command, check=True, capture_output=True, text=True)
            ours = np.array(json.loads(printed.stdout)["qpos"][1])
            worst = max(worst, np.abs(ours - solve(m, qpos, u, cone)).max())
            qpos = ours
    return worst


def main():
    carom, hand = sys.argv[1:]
    start = [-0.8757, -0.613, 0.8757, 0.613, 0, 0.35, 0]
    presses = [[-1.0, -0.7, 0.9, 0.7], [-1.2, -0.6, 1.0, 0.9], [-0.9, -0.9, 1.2, 0.6]]
    with tempfile.TemporaryDirectory() as folder:
        box = Path(folder) / "box.xml"
        box.write_text(BOX)
        pushes = [[0.05, 0.0], [0.12, 0.02], [0.2, 0.04], [0.2, -0.04]]
        errors = {"planar hand": compare(carom, hand, start, presses),
                  "box": compare(carom, box, [0, 0, 0.1, 1, 0, 0, 0, 0, 0], pushes)}
    for name, error in errors.items():
        print(f"{name}: poses agree with Clarabel to {error:.1e}")
    sys.exit(any(not error < TOLERANCE for error in errors.values()))


if __name__ == "__main__":
    main()
