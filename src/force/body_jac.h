// SPDX-License-Identifier: Apache-2.0
// Derivatives of the inverse dynamics of bodies by coordinates and velocities, the acceleration held:
// every dof against every other of its chain, in one sweep. For the Jacobian of a step.
#ifndef CR_FORCE_BODY_JAC_H
#define CR_FORCE_BODY_JAC_H

#include "kinematics/rigid_transport.h"

/// Adds -scale times the derivatives of M a + qfrc_bias - qfrc_fluid - J' x, a and x held, x the forces of
/// xfrc_applied and of gravity compensation; without tendons with armature.
/// Map      (a, in `carried`; cdof, cdof_dot, cinert, cvel, xipos, subtree_com; xfrc_applied; what
///          force/fluid reads) -> columns
/// Equation behind dof j all bodies have  V' = nu,  A' = pi - V x nu  in addition to being carried along:
///            by q:  nu = V_j x s_j,  pi = A_j x s_j + V_j x nu
///            by v:  nu = s_j,        pi = (V_j + V+_j) x s_j       [step_jacobian.y1]
///          F' = I pi + Q nu,  Q nu = V x* I nu + nu x* I V - I (V x nu)           [step_jacobian.y2]
///          dof i behind j:  s_i . (I pi_j + Q nu_j), sums over the subtree of i   [step_jacobian.y3]
///          j behind i:      s_i . (I pi_j + Q nu_j + s_j x* F), those of j        [step_jacobian.y4]
///          forces x are not carried along: they turn back, F' += w_j turned x    [step_jacobian.y5]
///          a medium: F -= F_fluid, Q -= K, F' -= K (0, w_j x wind), K its slopes  [step_jacobian.y7]
///          [Singh, Russell, Wensing, Efficient Analytical Derivatives of Rigid-Body Dynamics Using
///          Spatial Vector Algebra, 2022]; derivation: docs/derivations/step_jacobian.md
/// Shapes   columns q and v
/// Memory   no allocation; scratch of `work`: 125 nbody + 36 nv
/// Smooth   everywhere, except where the forces of a medium are not
void cri_body_jac(const cr_model* m, const cr_data* d, const cri_rigid_transport* carried,
                  cr_real scale, cri_columns columns, cr_data* work);

/// Adds the derivative of M y over q, y held, of bodies: [step_jacobian.y3], [step_jacobian.y4] at rest without outer forces.
void cri_inertia_jac(const cr_model* m, const cr_data* d, const cr_real* y, cri_columns columns,
                     cr_data* work);

#endif
