// SPDX-License-Identifier: Apache-2.0
// A launch: one rollout from a given start, the loss of its end, the derivative of that along one
// direction of the start, and whether this derivative can be trusted.
#ifndef CR_STUDY_LAUNCH_H
#define CR_STUDY_LAUNCH_H

#include "base/real.h"
#include "carom/carom.h"

enum { CR_LAUNCH_NQ = 14, CR_LAUNCH_NV = 12 };  // no model of a study has more

typedef struct {
  const cr_model* m;
  const cr_model* m_backward;   // whose dynamics the backward pass differentiates; NULL: m
  const char* loss;             // an expression of the state at the end
  cr_real time;                 // s
  const cr_adaptive* adaptive;  // NULL: steps of the model's length
  const cr_adjoint* adjoint;    // NULL: the gradient of the steps
  cr_real qpos[CR_LAUNCH_NQ], qvel[CR_LAUNCH_NV];                      // the start
  cr_real qpos_direction[CR_LAUNCH_NV], qvel_direction[CR_LAUNCH_NV];  // in tangent coordinates
} cr_launch;

typedef struct {
  cr_real loss, gradient;
  cr_real qpos[CR_LAUNCH_NQ];  // at the end
  double forward, backward;    // seconds of this thread's processor time
  int steps;                   // accepted ones
} cr_landing;

/// Seconds of processor time that this thread has used: the cost of a run on a machine of its own.
double cri_thread_seconds(void);

/// Runs it; with the gradient if `gradient` is true.
/// Errors   those of cr_rollout_run and cr_rollout_gradient, of the loss's expression
cr_status cri_launch(const cr_launch* launch, bool gradient, cr_landing* landing, cr_error* error);

/// The central difference of the loss along the direction, over 2 h.
cr_status cri_launch_difference(const cr_launch* launch, cr_real h, cr_real* slope,
                                cr_error* error);

/// Whether the gradient can be trusted, for changes by 1e-3 along the direction. Adaptive launches only.
/// Errors   those of cr_trust_measure
cr_status cri_launch_trust(const cr_launch* launch, cr_trust* trust, cr_error* error);

#endif
