# SPDX-License-Identifier: Apache-2.0
"""A friction loss of 0, of what hardly moves: the force that MuJoCo's row has as soon as there is a loss."""
import mujoco
import numpy as np

import compare

ROWS = {"dof_frictionloss": mujoco.mjtConstraint.mjCNSTR_FRICTION_DOF, "tendon_frictionloss": mujoco.mjtConstraint.mjCNSTR_FRICTION_TENDON}
NO_LOSS = 1e-30    # N: MuJoCo has the row, and it moves nothing
HELD = 2.0 ** -22  # a loss for which differences have digits


def braking(p, state, name, k):
    """The forces on all dofs by a loss, over the loss, before it holds what it brakes; None where the row does not hold at
    HELD, where its direction is rounding, and for other numbers. MuJoCo's solver has to be tight."""
    if name not in ROWS or p.r.parameter(name).flat[k] != 0 or p.r.m.opt.integrator == mujoco.mjtIntegrator.mjINT_RK4:
        return None
    e, J, _ = row(p, state, name, k, NO_LOSS)
    if e is None or row(p, state, name, k, HELD)[2] >= HELD:
        return None
    beside = [row(p, compare.nudged(p, state), name, k, NO_LOSS)[0] for _ in range(6)]
    return None if any(abs(x - e) > 0.1 * abs(e) for x in beside) else -np.sign(e) * J


def row(p, state, name, k, loss):
    """J a - aref, J and the size of the force of MuJoCo's row with a loss; None where it has no row."""
    m, d = p.r.m, p.r.d

    def look():
        p.r.put(state)
        mujoco.mj_forward(m, d)
        at = np.flatnonzero((d.efc_type == int(ROWS[name])) & (d.efc_id == k))
        if not at.size:
            return None, None, 0.0
        J = dense_row(m, d, at[0])
        return float(J @ d.qacc - d.efc_aref[at[0]]), J, float(abs(d.efc_force[at[0]]))

    return p.r.changed(name, k, loss, look)


def dense_row(m, d, i):
    """Row i of the Jacobian of constraints."""
    if not mujoco.mj_isSparse(m):
        return d.efc_J.reshape(-1, m.nv)[i].copy()
    J, at = np.zeros(m.nv), d.efc_J_rowadr[i] + np.arange(d.efc_J_rownnz[i])
    J[d.efc_J_colind[at]] = d.efc_J[at]
    return J


def pushed(p, state, forces):
    """The state with forces on its dofs."""
    return {**state, "qfrc_applied": state.get("qfrc_applied", 0) + forces}
