// SPDX-License-Identifier: Apache-2.0
// A contact model of the tests' own, added by the public headers, that is not symmetric on purpose: contacts push
// by a spring and rub as Coulomb says, by their normal force, turned a little to one side.
#ifndef CR_TESTS_COULOMB_H
#define CR_TESTS_COULOMB_H

#include "carom/contact.h"

/// Equation N = W max(0, -y_0), W = D_0 (1 + area / AREA + weight / 2) + TIME^2 stiffness,
///          y = e + RATE velocity, y_0 also + PULL gap,
///          f_0 = N, f_j = -N mu_j g_j / w, w^2 = sum of y_k^2 + s^2, k from 1 on,
///          s = SLIP (1 + contact_mu), mu = SHARE contact_friction, g = y but for
///          g_1 = y_1 + TURN y_2, g_2 = y_2 - TURN y_1                              [coulomb.c1]
///          F' has a column of friction below the normal, and no row: neither F' nor H is symmetric
extern const cr_contact_options coulomb;

/// Gives it to a model, and chooses it; the cone has to be elliptic. `motion`: gap, velocity and weight count.
void coulomb_choose(cr_model* m, bool motion);

#endif
