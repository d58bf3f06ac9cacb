// SPDX-License-Identifier: Apache-2.0
// Carom and MuJoCo side by side over many steps, each on its own: the drift between the two states. For
// comparison, the effect of the model itself on small differences: the drift of MuJoCo from a MuJoCo
// moved by a rounding error.
#ifndef CR_PARITY_FOLLOW_MUJOCO_H
#define CR_PARITY_FOLLOW_MUJOCO_H

#include "base/random.h"
#include "carom/check.h"
#include "io/mujoco.h"
#include "model/data.h"

/// After one step. Differences are the largest of any coordinate, relative to the largest value so far
/// of that kind of number (coordinates, velocities, activations), and at least 1.
typedef struct {
  double carom;  // Carom against MuJoCo
  double twin;   // MuJoCo against MuJoCo moved by 1e-15 after ten steps
  int ncon, nefc;
} cr_follow_step;

/// nstep steps from the first keyframe, or the reference pose, under random controls that change every
/// ten steps. MuJoCo's solver goes to round-off as for parity (mj is changed), and takes contacts of
/// general convex pairs from Carom. *done: steps until the end or until a state diverges in MuJoCo.
/// Errors   those of cr_step, with the number of the step
cr_status cri_follow(mjModel* mj, const cr_model* m, int nstep, cr_random* random,
                     cr_follow_step* steps, int* done, cr_error* error);

#endif
