// SPDX-License-Identifier: Apache-2.0
// One model held against MuJoCo, its gradient against differences, and times: what carom check finds.
#ifndef CR_CLI_MODEL_CHECK_H
#define CR_CLI_MODEL_CHECK_H

#include "carom/model.h"
#include "io/mujoco.h"
#include "io/parity.h"
#include "rollout/step_check.h"

// what must hold
#define CR_PARITY_BOUND 1e-9
#define CR_GRADIENT_BOUND 1e-6
#define CR_EDGE_BOUND 1e-4  // differences of one side are worth less
#define CR_DOT_BOUND 1e-10
#define CR_KINK_BOUND 0.2

// share of forces or accelerations from which on rounding is worth a word
#define CR_ROUNDING_BOUND 1e-9

typedef struct {
  double mj_step, step, step_vjp, transition;  // microseconds, medians over the states
  double residual_mujoco, residual_carom;      // of the timed solves
} cr_check_times;

typedef struct {
  const char* path;
  cr_urdf_options urdf;
  int states, seed;
  mjModel* mj;  // NULL where libmujoco refused it
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
      [640];  // constraints whose forces leave rounding alone, at the first such state, else ""
  double rounding;  // largest share of the acceleration that rounding may be (engine/rounding.h)
  char rounding_at[100];  // the joint
  double* samples[4];
  bool passed;
} cr_check;

/// Checks the model at `path`, at `states` states; begin with all else zero. Whatever comes back, what
/// was found so far is in c.
cr_status cr_check_run(cr_check* c, cr_error* error);
void cr_check_free(cr_check* c);

/// Why a check that ran to its end did not pass: what is beyond which bound. "" where it passed.
void cr_check_explain(const cr_check* c, char* text, size_t n);

#endif
