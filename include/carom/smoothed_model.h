// SPDX-License-Identifier: Apache-2.0
// Linear models of a step that noise has smoothed: of E[f(x + w)]. Where contacts begin or jump, the Jacobian at one point describes
// a side of the jump; that of the mean describes the neighbourhood. docs/smoothed_models.md
#ifndef CAROM_SMOOTHED_MODEL_H
#define CAROM_SMOOTHED_MODEL_H

#include "carom/estimator.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What a zero stands for is in brackets.
typedef struct {
  size_t size;             // sizeof(cr_smoothed_model_options), set by the caller
  cr_estimator_kind kind;  // ALPHA: each row of A and B has a weight of its own
  int samples;             // N, as in cr_estimator_options; 0: [no noise, the Jacobian itself]
  const cr_real* sigma;  // nx + nu: standard deviations of the state's tangent and of the controls
  cr_draws draws;
  uint64_t seed;       // one seed, one set of samples
  cr_real confidence;  // of intervals [0.95]
  int steps;           // of the model; controls are held [1]
  const cr_model*
      backward;  // model whose Jacobians are taken, as one with contacts from distance; NULL: [the model]
  int nthread;  // [one a processor]
} cr_smoothed_model_options;

/// x' (-) f(x, u) = c + A dx + B du, row by row, nx = 2 nv + na: tangents of qpos, then qvel, act. Each pointer is set by the caller; NULL: not
/// asked. Errors are halves of the widths of intervals; 0 without noise.
typedef struct {
  size_t size;         // sizeof(cr_linear_model), set by the caller
  cr_real *A, *B, *c;  // nx nx, nx nu, nx
  cr_real *A_error, *B_error, *c_error;
} cr_linear_model;

/// The linear model of the mean of some steps from the state and the controls in d, which stays as it is.
/// Map      d, options -> A, B, c
/// Equation [smoothed_model.e1 ... e4], docs/derivations/smoothed_model.md
/// Threads  the same bits for any number of them
/// Smooth   the mean is, where sigma is above 0
/// Errors   CR_ERR_ARG for options that are none; CR_ERR_UNSUPPORTED for models with states of their own (cr_model_add_state);
///          those of cr_step and cr_step_jacobian, with the number of the sample; CR_ERR_MEMORY
CR_API cr_status cr_smoothed_model(const cr_model* m, const cr_data* d,
                                   const cr_smoothed_model_options* options,
                                   cr_linear_model* linear, cr_error* error);

#ifdef __cplusplus
}
#endif
#endif
