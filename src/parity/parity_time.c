// SPDX-License-Identifier: Apache-2.0
// Times of MuJoCo for a step and for its derivatives, and the residual of its solve there.
#include <stdlib.h>

#include "io/mujoco.h"
#include "parity/parity_bench.h"
#include "tools/clock.h"

typedef struct {
  cr_parity_bench* b;
  mjtNum* room;  // nx (nx + nu)
  double step_us, transition_us, residual;
} time_context;

enum { TIME_REPEATS = 9 };
static const double SLOW = 1e5;  // microseconds beyond which one run is enough

static cr_status time_step(void* context) {
  time_context* c = context;
  cr_parity_bench* b = c->b;
  c->step_us = 1e30;
  for (int k = 0; k < TIME_REPEATS; k++) {
    mj_copyData(b->scratch, b->mj, b->state);
    double start = cri_microseconds();
    mj_step(b->mj, b->scratch);
    c->step_us = fmin(c->step_us, cri_microseconds() - start);
  }
  c->residual = cri_parity_residual(b, b->scratch, c->room);
  return CR_OK;
}

static cr_status time_transition(void* context) {
  time_context* c = context;
  cr_parity_bench* b = c->b;
  size_t nx = (size_t)(2 * b->mj->nv + b->mj->na);
  b->mj->opt.integrator = mjINT_EULER;
  c->transition_us = b->slow_transition > 0 ? b->slow_transition : 1e30;
  for (int k = 0; k < 3 && b->slow_transition == 0; k++) {
    mj_copyData(b->scratch, b->mj, b->state);
    double start = cri_microseconds();
    mjd_transitionFD(b->mj, b->scratch, 1e-6, 0, c->room, c->room + nx * nx, NULL, NULL);
    c->transition_us = fmin(c->transition_us, cri_microseconds() - start);
    b->slow_transition = c->transition_us > SLOW ? c->transition_us : 0;
  }
  return CR_OK;
}

cr_status cr_parity_time(cr_parity_bench* b, double* step_us, double* transition_us,
                         double* residual, cr_error* error) {
  mjOption keep = b->mj->opt;
  size_t nx = (size_t)(2 * b->mj->nv + b->mj->na);
  time_context context = {.b = b, .transition_us = (double)NAN};
  context.room = calloc(nx * (nx + (size_t)b->mj->nu) + 1, sizeof *context.room);
  if (context.room == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "times: no memory");
  }
  b->mj->opt = b->file_options;
  b->mj->opt.noslip_iterations = 0;
  cr_status status = cri_mujoco_guard(time_step, &context, "MuJoCo", error);
  if (status == CR_OK && cri_mujoco_guard(time_transition, &context, "", NULL) != CR_OK) {
    context.transition_us = (double)NAN;  // it refuses some models
  }
  b->mj->opt = keep;
  free(context.room);
  *step_us = context.step_us;
  *transition_us = context.transition_us;
  *residual = context.residual;
  return status;
}
