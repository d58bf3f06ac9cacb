// SPDX-License-Identifier: Apache-2.0
// A ball that floats towards a racket, and the linear policy that moves the racket so that the ball comes to a goal and stops there (alpha_gradient, tennis: Suh, Simchowitz,
// Zhang and Tedrake, ICML 2022; examples/tasks/tennis.yaml).
#ifndef CR_ESTIMATES_TENNIS_PLAY_H
#define CR_ESTIMATES_TENNIS_PLAY_H

#include "carom/carom.h"
#include "notebook/notebook.h"

enum { CR_TENNIS_STEPS = 1000, CR_TENNIS_EVERY = 5 };  // of 0.01 s; steps that a decision is held

typedef struct {
  cr_estimator_kind kind;
  int iterations, samples, starts;  // starts: among the samples of an iteration
  uint64_t seed;
  bool (*stop)(void);  // may be NULL
} cr_tennis_setting;

/// A policy in training, with what it is made of. Belongs to one thread.
typedef struct {
  cr_cost* cost;
  cr_data* start;
  cr_policy_training* training;
  bool (*stop)(void);
} cr_tennis;

/// Writes folder/tennis.xml and opens it. Owner: the caller, cr_model_destroy.
cr_status cri_tennis_open(const cr_notebook* book, cr_model** m, cr_error* error);

/// A policy of 24 weights, all 0. m has to outlive it, and the struct must stay where it is. Free with cri_tennis_close, also after an error.
/// Errors   those of cr_policy_training_create
cr_status cri_tennis_make(cr_tennis* tennis, const cr_model* m, const cr_tennis_setting* setting,
                          cr_error* error);
void cri_tennis_close(cr_tennis* tennis);

/// The mean cost without noise on decisions, over `starts` random starts, which are the same for all policies.
/// Shapes   weights[cr_policy_nweight]
/// Errors   those of cr_policy_training_estimate
cr_status cri_tennis_judge(const cr_model* m, const cr_real* weights, int starts,
                           bool (*stop)(void), cr_real* mean, cr_error* error);

/// The motion of a policy from start `start` of those that are judged.
/// Shapes   qpos[(CR_TENNIS_STEPS + 1) 5]: ball x, y, racket x, y, angle, row by row
/// Errors   those of cr_rollout_run
cr_status cri_tennis_run(const cr_model* m, const cr_real* weights, int start, cr_real* qpos,
                         cr_error* error);

#endif
