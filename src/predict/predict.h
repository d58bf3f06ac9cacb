// SPDX-License-Identifier: Apache-2.0
// A window of a run: the model from its start on, its outputs where something was seen, and, where asked, how they depend on the
// parameters and on the start.
#ifndef CR_PREDICT_PREDICT_H
#define CR_PREDICT_PREDICT_H

#include "predict/problem.h"

/// Work memory of one worker.
typedef struct cri_predictor cri_predictor;

/// One output that was seen.
typedef struct {
  const cri_track* track;
  const cri_output* output;
  int row;
  cr_real value[4], error[3];  // predicted at its time, without and with the offset of its place
  cr_real* rows;  // errors x cri_columns_of: derivative of the errors; NULL where not asked for
  // error = share[0] part[0] + share[1] part[1] + offset: of step `step`, and of the one before
  int step;
  cr_real share[2], part[2][3];
} cri_sight;

/// What is done with each, in the order of time.
typedef void cri_see(void* context, const cri_sight* sight);

cr_status cri_predictor_create(cri_predictor** work, const cri_problem* problem, cr_error* error);
void cri_predictor_free(cri_predictor* work);

/// Events of the last window whose moments its derivative does not count: 0 with steps of one length.
int cri_predictor_uncounted(const cri_predictor* work);

/// More room for contacts and rows, after CR_ERR_CAPACITY.
cr_status cri_predictor_grow(cri_predictor* work, const cri_problem* problem, cr_error* error);

/// Puts the state at the start of a window into work->d.
void cri_predict_start(cri_predictor* work, const cri_problem* problem, int span);

/// Controls at a time. Quick where it is near that of the last call.
/// Shapes   ctrl[nu]
void cri_predict_controls(cri_predictor* work, const cri_problem* problem, const cri_track_run* run,
                          cr_real time, cr_real* ctrl);

/// True if something of a track needs more than the state.
bool cri_track_computes(const cri_track* track);

/// Runs a window.
/// Equation S_k+1 = A_k S_k + B_k, S_0 = dx_0/d(start); e' = C_k S_k + D_k; between two steps e is linear in time
///          [identification.m2]-[identification.m3]
/// jump     of a window with a next one and continuity: x_end (-) its start, nx numbers; jump_rows[nx columns]. May be NULL
/// Errors   those of steps, with the time in the sentence; CR_ERR_CAPACITY: grow, and run it again
/// Smooth   as the step; delays not at measurements on a step, where the slope is that of the interval before
cr_status cri_predict(cri_predictor* work, const cri_problem* problem, int span, bool derive,
                      cri_see* see, void* context, cr_real* jump, cr_real* jump_rows,
                      cr_error* error);

#endif
