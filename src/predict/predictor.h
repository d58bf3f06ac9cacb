// SPDX-License-Identifier: Apache-2.0
// Work memory of a worker, as the files that run its windows share it.
#ifndef CR_PREDICT_PREDICTOR_H
#define CR_PREDICT_PREDICTOR_H

#include "carom/step_jacobian.h"
#include "integrate/adaptive.h"
#include "integrate/parameter_sweep.h"
#include "model/data.h"
#include "predict/predict.h"

struct cri_predictor {
  cr_data *d, *work, *bar;
  cr_data* before;            // of steps with events: the state at their start
  cri_controller controller;  // of steps as long as the error allows
  cr_jacobian* jacobian;      // of steps whose rows go by `sweep`; or NULL
  cri_parameter_sweep sweep;
  cr_real *S, *S_next;  // nx columns
  cr_real *A, *B;  // nx nx, nx np: rows of coordinates only with an integrator of several stages
  cr_real *one, *move;  // nx each
  cr_real *p_bar, *derived;
  // outputs of the step before and of this one: values, rows of the errors' tangents
  cr_real *value[2], *rows[2];
  cr_real* row;   // 3 columns: of a sight
  int* next_row;  // of each track: the first that was not passed
  int* next_control;
  void* memory;
};

#endif
