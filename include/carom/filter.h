// SPDX-License-Identifier: Apache-2.0
// An extended Kalman filter: the state of a model from its sensors, row after row, with what is not known of it.
// docs/estimation.md shows how.
#ifndef CAROM_FILTER_H
#define CAROM_FILTER_H

#include "carom/data.h"

#ifdef __cplusplus
extern "C" {
#endif

/// An estimate of a state, and its covariance. Belongs to one thread.
typedef struct cr_filter cr_filter;

/// What is not known, as standard deviations. nx = 2 nv + na numbers of a state's tangent (docs/conventions.md), plus npluginstate:
/// qpos in tangent coordinates (m, rad), qvel, act. Arrays are copied.
typedef struct {
  size_t size;                  // sizeof(cr_filter_options), set by the caller
  const cr_real* sensor_noise;  // [nsensordata], > 0: of each number, white from row to row
  const cr_real* start;         // [nx], of the state at the start; NULL: it is known
  const cr_real*
      force;  // [nv], N or N m: of forces that the model does not have, constant over a step; NULL: none
  const cr_real* state;  // [nx]: of what else a step adds to the state; NULL: nothing
} cr_filter_options;

/// A filter that begins at the state of `start` (qpos, qvel, act, time, ctrl, applied forces). The model has to outlive it.
/// Owner    the caller, cr_filter_destroy
/// Errors   CR_ERR_ARG: options that are not sane, naming the number; CR_ERR_UNSUPPORTED without sensors; CR_ERR_MEMORY
CR_API cr_status cr_filter_create(cr_filter** filter, const cr_model* m, const cr_data* start,
                                  const cr_filter_options* options, cr_error* error);
CR_API void cr_filter_destroy(cr_filter* filter);

/// The estimate: qpos, qvel, act and time of the data block belong to the caller to read, and its applied forces to set. NULL for NULL.
CR_API cr_data* cr_filter_data(cr_filter* filter);

/// Covariance of the estimate in tangent coordinates, nx x nx. It may be written to. NULL for NULL.
CR_API cr_real* cr_filter_covariance(cr_filter* filter);

/// Takes the sensors of the present time in.
/// Equation S = C P C' + R, K = P C' S^-1, x+ = x (+) K (y - h(x, u)), P+ = P - K S K'; number after number, which is the same as
///          R is diagonal                                                        [kalman.k2], [kalman.k3]
/// Shapes   sensordata[nsensordata]; NaN: not seen. ctrl[nu], held from now on; NULL: as before
/// surprise (y - h)' S^-1 (y - h): of a filter that fits about as large as the count of numbers seen, *seen. Both may be NULL
/// Smooth   a quaternion counts with the sign that is nearer; a covariance is not turned with its frame, an effect of second order
/// Errors   CR_ERR_NONFINITE naming the sensor for infinite numbers; those of cr_forward. The estimate is then as before
/// Memory   no allocation
CR_API cr_status cr_filter_correct(cr_filter* filter, const cr_real* sensordata,
                                   const cr_real* ctrl, cr_real* surprise, int* seen,
                                   cr_error* error);

/// Goes on by a time step.
/// Equation x+ = step(x, u), P+ = A P A' + F diag(force^2) F' + diag(state^2), A and F of cr_step_jacobian      [kalman.k1]
/// Shapes   ctrl[nu]; NULL: as before
/// Errors   those of cr_step and cr_step_jacobian. The estimate is then as before
/// Memory   no allocation
CR_API cr_status cr_filter_predict(cr_filter* filter, const cr_real* ctrl, cr_error* error);

#ifdef __cplusplus
}
#endif
#endif
