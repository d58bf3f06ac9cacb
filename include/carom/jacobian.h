// SPDX-License-Identifier: Apache-2.0
// Jacobians of points and frames, and forces through them, at a state that cr_forward has evaluated.
#ifndef CAROM_JACOBIAN_H
#define CAROM_JACOBIAN_H

#include "carom/data.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Jacobian of a point that is fixed to a body (MuJoCo's mj_jac).
/// Map      (cdof, subtree_com; point) -> jacp, jacr
/// Equation column i of a dof that moves the body: jacr = w_i, jacp = v_i + w_i x r, (w_i, v_i) =
///          cdof_i, r = point - centre of mass of the tree; the velocity is jacp qvel  [jacobian.j1]
///          [MuJoCo manual, Computation, "Jacobians"]
/// Shapes   jacp[3 nv], jacr[3 nv], row by row; each may be NULL
/// Units    world axes; m|1 and 1|rad per unit of qvel
/// Needs    kinematics and com of this state: after cr_forward, cr_step or cr_inverse; after a step of
///          several stages (RK4, tsit5 ...) cr_forward
/// Errors   CR_ERR_ARG for a body that does not exist, or too early; the sentence is in cr_data_error(d)
/// Memory   no allocation
/// Smooth   everywhere
CR_API cr_status cr_jac(const cr_model* m, const cr_data* d, cr_real* jacp, cr_real* jacr,
                        const cr_real point[3], int body);

/// The same for the body's frame, its centre of mass, a geom, a site (mj_jacBody, mj_jacBodyCom,
/// mj_jacGeom, mj_jacSite).
CR_API cr_status cr_jac_body(const cr_model* m, const cr_data* d, cr_real* jacp, cr_real* jacr,
                             int body);
CR_API cr_status cr_jac_body_com(const cr_model* m, const cr_data* d, cr_real* jacp, cr_real* jacr,
                                 int body);
CR_API cr_status cr_jac_geom(const cr_model* m, const cr_data* d, cr_real* jacp, cr_real* jacr,
                             int geom);
CR_API cr_status cr_jac_site(const cr_model* m, const cr_data* d, cr_real* jacp, cr_real* jacr,
                             int site);

/// Jacobian of the centre of mass of a subtree (mj_jacSubtreeCom).
/// Equation sum of m_b jacp_b / sum of m_b over the bodies of the subtree     [jacobian.j2]
/// Shapes   jacp[3 nv]
/// Errors   CR_ERR_ARG for a body that does not exist, or whose subtree has no mass
CR_API cr_status cr_jac_subtree_com(const cr_model* m, const cr_data* d, cr_real* jacp, int body);

/// Time derivative of cr_jac, the point moving with the body (mj_jacDot).
/// Equation jacr = w'_i, jacp = v'_i + w'_i x r + w_i x v, (w'_i, v'_i) the rate of cdof_i; v the
///          velocity of the point                                              [jacobian.j3]
/// Needs    velocities of this state too
CR_API cr_status cr_jac_dot(const cr_model* m, const cr_data* d, cr_real* jacp, cr_real* jacr,
                            const cr_real point[3], int body);

/// Matrix A with A qvel = angular momentum of a subtree about its centre of mass (mj_angmomMat).
/// Equation sum of R diag(inertia) R' jacr_b + m_b (xipos_b - subtree_com) x jacp_b    [jacobian.j4]
/// Shapes   A[3 nv], row by row
/// Errors   CR_ERR_ARG for a body that does not exist
CR_API cr_status cr_angmom_mat(const cr_model* m, const cr_data* d, cr_real* A, int body);

/// Adds the joint-space force of a force and a torque at a point of a body (mj_applyFT).
/// Equation qfrc += jacp' force + jacr' torque                                [jacobian.j5]
/// Shapes   force[3], torque[3], each may be NULL; qfrc[nv]
/// Errors   CR_ERR_ARG for a body that does not exist
CR_API cr_status cr_apply_ft(const cr_model* m, const cr_data* d, const cr_real* force,
                             const cr_real* torque, const cr_real point[3], int body,
                             cr_real* qfrc);

#ifdef __cplusplus
}
#endif
#endif
