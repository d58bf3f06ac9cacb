// SPDX-License-Identifier: Apache-2.0
// Compares one model with MuJoCo, its gradient with differences, and measures times: the work of carom check.
// carom/check.h documents the public functions.
#ifndef CR_PARITY_CHECK_MODEL_H
#define CR_PARITY_CHECK_MODEL_H

#include "carom/check.h"
#include "io/mujoco.h"
#include "model/misuse.h"
#include "parity/parity.h"
#include "rollout/step_check.h"

// bounds that must hold
#define CR_PARITY_BOUND 1e-9
#define CR_GRADIENT_BOUND 1e-6
#define CR_EDGE_BOUND 1e-4  // differences of one side are worth less
#define CR_DOT_BOUND 1e-10
#define CR_KINK_BOUND 0.2

// share of forces or accelerations from which on rounding is reported
#define CR_ROUNDING_BOUND 1e-9

typedef struct {
  double mj_step, step, step_vjp, transition;  // microseconds, medians over the states
  double residual_mujoco, residual_carom;      // of the timed solves
} cr_check_times;

struct cr_check {
  char* path;
  const cr_urdf_options* urdf;
  const char* blueprint;
  int states, seed;
  mjModel* mj;  // NULL if libmujoco refused it
  cr_model m;
  cr_load_report report;
  cr_parity_bench* bench;
  cr_step_check* gradient_check;
  cr_data *d, *bar;
  cr_parity parity;
  cr_step_check_result gradient;
  cr_edge_result edges;  // the default start, keyframes, ends of ranges, parameters at their least
  cr_check_times times;
  char conflict
      [640];  // constraints that leave only rounding of their forces, first such state, else ""
  double rounding;  // largest share of the acceleration that rounding may be (engine/rounding.h)
  char rounding_at[100];  // the joint
  double* samples[4];
  bool passed;
  char why[1024];
};

/// Checks the sizes of options, and of what they refer to; NULL is right.
cr_status cri_check_options(const cri_call* call, const cr_check_options* options);

/// cr_check_run on a check whose path, urdf, states and seed are set.
cr_status cri_check_run(cr_check* c, cr_error* error);

#endif
