// SPDX-License-Identifier: Apache-2.0
// Tosses made by simulation and measured as a camera would measure them: for demonstrations and tests, where the
// truth is known.
#ifndef CR_FIT_THROW_H
#define CR_FIT_THROW_H

#include "carom/fit.h"

typedef struct {
  int tosses, rows;
  cr_real position_noise, rotation_noise;  // standard deviation of a coordinate, about an axis
  uint64_t seed;
  const cr_adaptive* adaptive;  // tolerances, NULL: steps of the model's length; a row a time step
} cr_throw;

/// Throws the model's one free body over a floor at z = 0, from random poses that do not touch it
/// with the speeds of a throw by hand, and simulates it. The recording has its poses with noise. Both
/// velocities are backward differences of these over a time step, then go through a median of three
/// rows. Row k of toss i depends on seed, i and k alone. The tosses are added to `to`, as 0000, 0001 ...
/// Errors   those of cr_rollout_run; CR_ERR_ARG where the model is not one free body
cr_status cri_throw(const cr_throw* options, const cr_model* m, cr_recordings* to, cr_error* error);

#endif
