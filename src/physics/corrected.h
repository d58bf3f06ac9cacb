// SPDX-License-Identifier: Apache-2.0
// A correction in a model whose law of contact is wrong: a small network on a named quantity of each contact (Heiden et al., NeuralSim, 2021: neural
// scalars). It sees the depth of the contact and the velocities of the box, and its weights are found with all other unknown numbers.
#ifndef CR_PHYSICS_CORRECTED_H
#define CR_PHYSICS_CORRECTED_H

#include "physics/physics_box.h"

/// The model of `from` with a correction, and its weights behind the other unknown numbers. On ice the network has a factor on the friction of the
/// contact, on an elastic floor it adds to its damping; with the true law it has a factor on all forces of the contact. Untrained it changes no bit.
/// seed     of the first weights
/// Owner    the caller, cri_unknown_destroy
/// Errors   CR_ERR_MEMORY, those of cr_model_add_correction
cr_status cri_corrected_open(const cri_unknown* from, cri_law law, uint64_t seed, cri_unknown** u,
                             cr_error* error);

/// The first weights, behind the numbers of the model.
/// Shapes   p[u->n], of which those of the model are left as they are
void cri_corrected_start(const cri_unknown* u, cr_real* p);

#endif
