// SPDX-License-Identifier: Apache-2.0
// Errors of a model on tosses, as the oracle's are told.
#ifndef CR_PHYSICS_PHYSICS_SCORE_H
#define CR_PHYSICS_PHYSICS_SCORE_H

#include "stiff/log_normal.h"
#include "stiff/sighted.h"
#include "stiff/stiff_oracle.h"

/// Log-normal means: the single-step loss, the mean of three squares of each kind of velocity; a roll-out's error of position in % of
/// the width, and of rotation in degrees.
typedef struct {
  cri_log_mean loss, position, rotation;
} cri_score;

/// more     what is added behind each step; NULL: nothing
/// Errors   CR_ERR_MEMORY, those of steps
cr_status cri_score_of(const cr_model* m, const cri_addition* more, const cri_sighted* tosses,
                       cri_score* score, cr_error* error);

#endif
