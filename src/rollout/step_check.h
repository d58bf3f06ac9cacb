// SPDX-License-Identifier: Apache-2.0
// Is the gradient of a step right at a state? Every entry of its vjp against differences of the
// step itself, extrapolated to zero step size; and the dot-product identity of jvp and vjp.
#ifndef CR_ROLLOUT_STEP_CHECK_H
#define CR_ROLLOUT_STEP_CHECK_H

#include "base/random.h"
#include "model/fields.h"

/// What a check found; sums over several states if called again with the same result.
typedef struct {
  cr_real max_error;   // worst of |g - fd| / max(|g|, |fd|, 1e-3 of the largest entry of the block)
  char worst[128];     // where: field[entry]
  int samples, kinks;  // entries compared, entries at a kink (not compared)
  int lost;            // entries in which rows that move nothing leave nothing but round-off
  cr_real dot_error;   // worst |<bar, jvp tan> - <vjp bar, tan>| over the sum of absolute terms
} cr_step_check_result;

/// Work space: a copy of the model whose parameters are moved, and data blocks.
typedef struct cr_step_check cr_step_check;

/// `entries` bounds the entries that are sampled of every parameter field, and 64 times as many of state
/// and controls; 0 for all.
cr_status cr_step_check_create(cr_step_check** check, const cr_model* m, int entries,
                               cr_error* error);
void cr_step_check_free(cr_step_check* check);

/// Checks at the state, controls and applied forces in d. An entry is at a kink when contacts,
/// rows or their active set, or which limits an actuator sits at, differ between the two sides at
/// every step size that could tell, or when the slopes of the two sides do.
/// An entry is lost where it differs by no more than what the round-off of the rows' Jacobian makes of
/// their forces, sum over rows of |f| times EPS times the answer of the next state, a length and an angle
/// taken for 1. With forces that move what they act on that is far below what is compared. It is not
/// where rows without any lever share what is in their way, as of spheres in one point on the axis of the
/// joint between them: MuJoCo's forces there are 1e17 N, and the Jacobian that they act on is round-off.
/// Errors   those of the step at the unmoved state
cr_status cr_step_check_run(cr_step_check* check, const cr_data* d, cr_random* random,
                            cr_step_check_result* result, cr_error* error);

#endif
