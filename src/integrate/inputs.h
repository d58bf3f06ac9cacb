// SPDX-License-Identifier: Apache-2.0
// The inputs of a step as one: copied from one data block to another, and checked.
#ifndef CR_INTEGRATE_INPUTS_H
#define CR_INTEGRATE_INPUTS_H

#include "model/state_vector.h"

/// Largest coordinate, velocity or acceleration that is accepted (MuJoCo's mjMAXVAL).
#define CR_LARGEST CR_R(1e10)

/// Copies state, controls, applied forces, mocap poses, warm start and time.
void cri_inputs_copy(const cr_model* m, cr_data* to, const cr_data* from);

/// CR_ERR_DIVERGED, with a sentence in d->error that names the first bad one and its joint, if one
/// of qpos[nq] or qvel[nv] is not finite or beyond CR_LARGEST. `what` names the state, as in
/// "the next state".
cr_status cri_coordinates_check(const cr_model* m, cr_data* d, const cr_real* qpos,
                                const cr_real* qvel, const char* what);

/// The same for all quantities that evolve, `what` being "the state" or "the next state".
cr_status cri_state_check(const cr_model* m, cr_data* d, cri_state s, const char* what);

/// The same for an array of n numbers called `name`; `jnt` gives the joint of each, NULL for none.
cr_status cri_values_check(const cr_model* m, cr_data* d, const cr_real* x, int n,
                           const int32_t* jnt, const char* name, const char* what);

#endif
