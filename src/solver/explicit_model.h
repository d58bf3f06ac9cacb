// SPDX-License-Identifier: Apache-2.0
// Where all contacts have a law of gap and gap velocity their forces are known before the acceleration is. They join
// tau; limits, friction loss and equality are solved for as in the convex model, over their rows alone.
#ifndef CR_SOLVER_EXPLICIT_MODEL_H
#define CR_SOLVER_EXPLICIT_MODEL_H

#include "solver/contact_model.h"

/// The explicit model.
/// Equation [hunt_crossley.h4] M a = tau + J_c' f_c(gap, v) + J_r' f_r(J_r a - aref_r): c contacts, r other rows
/// Saves    as the convex model; trees that contacts alone touch are in no island, and H is M there
/// Errors   those of the convex model; CR_ERR_UNSUPPORTED for pyramids
extern const cr_contact_model cri_explicit;

#endif
