// SPDX-License-Identifier: Apache-2.0
// What was seen of a window, step by step.
#ifndef CR_PREDICT_SIGHT_H
#define CR_PREDICT_SIGHT_H

#include "predict/predictor.h"

/// Of a step: a measurement this close to one is at it.
#define CRI_ON_STEP CR_R(1e-6)

/// The first row of a track that belongs to the window, and is seen within it whatever the delay.
int cri_sight_first(const cri_problem* problem, const cri_span* span, const cri_track* track);

/// True if something of a track is seen between the steps before and after k, or at it.
bool cri_sight_needed(const cri_predictor* work, const cri_problem* problem, const cri_span* span,
                      int track, int k);

/// The outputs of a track at step k, evaluated in work->d, and all its rows up to there.
/// Errors   those of cri_sensitivity_output
cr_status cri_sight_step(cri_predictor* work, const cri_problem* problem, const cri_span* span,
                         int track, int k, bool derive, cri_see* see, void* context);

#endif
