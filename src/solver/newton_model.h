// SPDX-License-Identifier: Apache-2.0
// What solves for the acceleration where a contact model was added to the model: Newton's method with a dense
// matrix, which need not be symmetric.
#ifndef CR_SOLVER_NEWTON_MODEL_H
#define CR_SOLVER_NEWTON_MODEL_H

#include "solver/contact_model.h"

/// The contact model whose law is that of solver/contact_law.h.
/// Equation [newton.n1] g(a) = M a - tau - J' f(J a - aref) = 0;  [newton.n2] H = M - J' F' J;
///          [newton.n3] a <- a - alpha s, s = H^-1 g, alpha where g along s is less than a tenth of what it was;
///          where that does not converge, [newton.n4] g(a) = t g(a_0), t from 1 to 0
/// Saves    tree_island; in H_factor the factors of H over all dofs in islands, in H_index their pivots; acc_qacc,
///          acc_jar, acc_force, efc_state
/// Errors   CR_ERR_SOLVER with the residual, or where H has no inverse; those of cri_contact_law_check
/// Smooth   where no row changes its zone
extern const cr_contact_model cri_newton;

#endif
