// SPDX-License-Identifier: Apache-2.0
// A loss of a motion as a function of n numbers, its estimates under noise, and descent by these.
#ifndef CR_ESTIMATES_MOTION_H
#define CR_ESTIMATES_MOTION_H

#include "base/real.h"
#include "carom/carom.h"

typedef struct cr_motion cr_motion;

/// Puts the start of the motion with the numbers x into the rollout of the motion's gradient.
typedef cr_status cr_motion_begin(const void* context, const cr_motion* motion, const cr_real* x,
                                  cr_error* error);

typedef struct {
  const char* name;  // of the numbers, as cr_gradient_create has it
  int steps;
  const char* loss;  // an expression; NULL: `own`
  bool every;        // summed over the ends of all steps; false: of the last
  cr_loss own;       // its context belongs to this motion
  cr_motion_begin* begin;
  const void* context;  // of begin; borrowed
} cr_motion_options;

/// Belongs to one thread.
struct cr_motion {
  cr_model* m;  // a copy
  cr_gradient* gradient;
  cr_expression* expression;
  cr_loss loss;
  int steps, n;
  cr_motion_begin* begin;
  const void* context;
};

/// The texts are borrowed. Free with cri_motion_close, also after an error.
/// Errors   those of cr_gradient_create, of the loss's expression
cr_status cri_motion_open(cr_motion* motion, const cr_model* m, const cr_motion_options* options,
                          cr_error* error);
void cri_motion_close(cr_motion* motion);

/// The estimate at x under noise of one standard deviation for all numbers. Of `options` kind, samples, seed, confidence, bias and bound
/// count, of `estimate` the arrays; sizes are set.
/// Errors   those of cr_gradient_estimate
cr_status cri_motion_estimate(const cr_motion* motion, const cr_real* x, cr_real sigma,
                              const cr_estimator_options* options, cr_smoothed_gradient* estimate,
                              cr_error* error);

typedef struct {
  cr_estimator_options options;  // the seed of step k is that of the options plus k
  cr_real sigma, rate;  // standard deviation of the noise; x changes by -rate times the gradient
  int steps;
  bool (*stop)(void);  // asked before every step, may be NULL
} cr_motion_descent;

/// Descends from x, and leaves the last x there. Loss without noise and weight of the first order before each step; the loss after
/// the last is losses[steps]. Where a motion or its loss is not finite the descent has failed: losses from there on are infinite.
/// Shapes   losses[steps + 1], alphas[steps]; may be NULL
/// Errors   CR_ERR_INTERRUPTED; those of the estimates
cr_status cri_motion_descend(const cr_motion* motion, const cr_motion_descent* descent, cr_real* x,
                             cr_real* losses, cr_real* alphas, cr_error* error);

#endif
