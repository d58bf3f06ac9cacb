// SPDX-License-Identifier: Apache-2.0
// A correction in a model whose law of contact is wrong: a small network on a named quantity of each contact (Heiden et al., NeuralSim, 2021: neural
// scalars). It sees the depth of the contact and the velocities of the box, and its weights are found with all other unknown numbers.
#ifndef CR_PHYSICS_CORRECTED_H
#define CR_PHYSICS_CORRECTED_H

#include "physics/physics_box.h"

/// The model of `from` with a correction, and its weights behind the other unknown numbers. On ice the network has a factor on the friction of the
/// contact, on an elastic floor it adds to its damping; with the true law it has a factor on all forces of the contact. Untrained it changes no bit.
/// Owner    the caller, cri_unknown_destroy
/// Errors   CR_ERR_MEMORY, those of cr_model_add_correction
cr_status cri_corrected_open(const cri_unknown* from, cri_law law, cri_unknown** u,
                             cr_error* error);

#endif
