// SPDX-License-Identifier: Apache-2.0
// MuJoCo's convex contact model: the acceleration is the unique minimum of
//   |a - a_smooth|^2_M / 2 + s(J a - aref),
// s the sum of the row costs of solver/friction_cone.h. Solved by Newton's method, down to round-off.
#ifndef CR_SOLVER_CONVEX_MODEL_H
#define CR_SOLVER_CONVEX_MODEL_H

#include "solver/contact_model.h"

/// The convex model.
/// Equation [convex.c1] g(a) = M a - qfrc_smooth - J' f(J a - aref) = 0;  [convex.c2] H = M - J' F' J;
///   [convex.c3] a <- a - alpha H^-1 g, alpha along the line where its slope changes sign
/// Saves    tree_island, H_factor, H_index at the solution, acc_qacc, acc_jar, acc_force, efc_state
/// Errors   CR_ERR_SOLVER with the residual and the constraints that push against each other, or the joint
///          whose inertia is lost beside stiff rows;
///          CR_ERR_NONFINITE names the row
/// Smooth   where no row changes its zone; there the derivative is that of the zones at hand
/// The start (qacc_warmstart or qacc_smooth, whichever costs less; the latter with the warmstart flag
/// off) and m->iterations never change the answer beyond round-off.
extern const cr_contact_model cri_convex;

#endif
