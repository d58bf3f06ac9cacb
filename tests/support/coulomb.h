// SPDX-License-Identifier: Apache-2.0
// A contact model of the tests' own, added by the public headers, that is not symmetric on purpose: contacts push
// by a spring and rub as Coulomb says, by their normal force, turned a little to one side.
#ifndef CR_TESTS_COULOMB_H
#define CR_TESTS_COULOMB_H

#include "carom/contact.h"

/// Equation N = D_0 max(0, -e_0), f_0 = N, f_j = -N mu_j g_j / w, w^2 = sum of e_k^2 + s^2, k from 1 on,
///          s = SLIP (1 + contact_mu), mu = SHARE contact_friction, g = e but for
///          g_1 = e_1 + TURN e_2, g_2 = e_2 - TURN e_1                              [coulomb.c1]
///          F' has a column of friction below the normal, and no row: neither F' nor H is symmetric
extern const cr_contact_options coulomb;

/// Gives it to a model, and chooses it; the cone has to be elliptic.
void coulomb_choose(cr_model* m);

#endif
