// SPDX-License-Identifier: Apache-2.0
// MuJoCo's convex contact model: the acceleration is the unique minimum of
//   |a - a_smooth|^2_M / 2 + s(J a - aref),
// s the sum of the row costs of contact/law.h. Solved by Newton's method, down to round-off.
#ifndef CR_CONTACT_CONVEX_H
#define CR_CONTACT_CONVEX_H

#include "contact/model.h"

/// The convex model.
/// Equation [c1] g(a) = M a - qfrc_smooth - J' f(J a - aref) = 0;  [c2] H = M - J' F' J;
///          [c3] a <- a - alpha H^-1 g, alpha along the line where its slope changes sign
/// Saves    tree_island, H_factor, H_index at the solution, acc_qacc, acc_jar, acc_force, efc_state
/// Errors   CR_ERR_SOLVER with the residual and the constraints that push against each other, or the joint
///          whose inertia is lost beside stiff rows;
///          CR_ERR_NONFINITE names the row
/// Smooth   where no row changes its zone; there the derivative is that of the zones at hand
/// The start (qacc_warmstart or qacc_smooth, whichever costs less; the latter with the warmstart flag
/// off) and m->iterations never change the answer beyond round-off.
extern const cr_contact_model cri_convex;

#endif
