// SPDX-License-Identifier: Apache-2.0
#include "bench/measure.h"

#include <math.h>
#include <stdlib.h>

#include "integrate/inputs.h"
#include "integrate/step.h"
#include "integrate/step_jacobian.h"
#include "io/clock.h"

enum { DIFFERENCE_STATES = 20, LARGE = 50, LARGEST_JACOBIAN = 2000 };
static const double PROBE = 1e-6;  // of the differences, MuJoCo's own choice

// Wall time: the clock of a thread is a system call, which slows the step of a small model behind it.
static double since(double start) { return cri_microseconds() - start; }

static void mujoco_round(cr_scene* s, int r, cr_measurement* out) {
  double total = 0;
  for (int k = 0; k < s->nstate; k++) {
    cr_scene_state(s, k);
    double start = cri_microseconds();
    mj_step(s->mj, s->d);
    total += since(start);
    out->residual_mujoco = fmax(out->residual_mujoco, cr_scene_residual(s));
  }
  out->mj_step.round[r] = total / s->nstate;
}

// where the Jacobian goes: by state, by controls; work NULL: it is not made
typedef struct {
  cr_jacobian* work;
  cr_real *x, *ctrl;
} room;

static cr_status room_make(room* j, const cr_scene* s, cr_error* error) {
  *j = (room){.work = NULL};
  if (s->m.nv > LARGEST_JACOBIAN) {
    return CR_OK;
  }
  size_t nx = (size_t)(2 * s->m.nv + s->m.na);
  *j = (room){.x = calloc(nx * nx + 1, sizeof *j->x),
              .ctrl = calloc(nx * (size_t)s->m.nu + 1, sizeof *j->ctrl)};
  if (j->x == NULL || j->ctrl == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "%s: no memory for the Jacobian", s->name);
  }
  return cr_jacobian_create(&j->work, &s->m, s->c, error);
}

static void room_free(room* j) {
  cr_jacobian_destroy(j->work);
  free(j->x);
  free(j->ctrl);
}

static cr_status carom_round(cr_scene* s, int r, room* j, cr_measurement* out, cr_error* error) {
  double step = 0, vjp = 0, jacobian = 0;
  out->by_columns = 0;
  for (int k = 0; k < s->nstate; k++) {
    cri_inputs_copy(&s->m, s->c, s->ours[k]);
    double start = cri_microseconds();
    cr_status status = cr_step(&s->m, s->c);
    step += since(start);
    for (int i = 0; i < s->m.nv; i++) {
      s->bar->qpos_next[i] = s->bar->qvel_next[i] = 1;
    }
    start = cri_microseconds();
    status = status != CR_OK ? status : cr_step_vjp(&s->m, &s->m, s->c, NULL, s->bar);
    vjp += since(start);
    start = cri_microseconds();
    if (status == CR_OK && j->work != NULL) {
      status = cr_step_jacobian(&s->m, s->c, j->work, j->x, j->ctrl, NULL);
      jacobian += since(start);
      out->by_columns += status == CR_OK && cr_jacobian_columns(j->work) != NULL;
    }
    if (status != CR_OK) {
      const cr_error* from = s->bar->error.status == status ? &s->bar->error : &s->c->error;
      return cri_fail(error, status, "%s: state %d: %s", s->name, k, from->text);
    }
    out->residual_carom = fmax(out->residual_carom, (double)s->c->solver_residual);
  }
  out->step.round[r] = step / s->nstate;
  out->vjp.round[r] = vjp / s->nstate;
  out->jacobian.round[r] = jacobian / s->nstate;
  return CR_OK;
}

// AB: room for both matrices, nx (nx + nu) numbers
static double differences_round(cr_scene* s, bool centred, mjtNum* AB) {
  size_t nx = (size_t)(2 * s->mj->nv + s->mj->na);
  int n = s->mj->nv < LARGE ? DIFFERENCE_STATES : 1;
  n = n < s->nstate ? n : s->nstate;
  double total = 0;
  for (int k = 0; k < n; k++) {
    cr_scene_state(s, k * (s->nstate / n));
    double start = cri_microseconds();
    mjd_transitionFD(s->mj, s->d, PROBE, centred, AB, AB + nx * nx, NULL, NULL);
    total += since(start);
  }
  return total / n;
}

cr_status cr_measure(cr_scene* s, int rounds, bool differences, cr_measurement* out,
                     cr_error* error) {
  size_t nx = (size_t)(2 * s->mj->nv + s->mj->na);
  mjtNum* AB = differences ? calloc(nx * (nx + (size_t)s->mj->nu) + 1, sizeof *AB) : NULL;
  if (differences && AB == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "%s: no memory for mjd_transitionFD", s->name);
  }
  *out = (cr_measurement){.residual_mujoco = 0};  // maxima grow from here
  out->mj_step.n = out->step.n = out->vjp.n = rounds;
  out->jacobian.n = s->m.nv > LARGEST_JACOBIAN ? 0 : rounds;
  out->transition.n = out->centred.n = differences ? rounds : 0;
  // round 0 twice: the first time warms up
  mujoco_round(s, 0, out);
  room j;
  cr_status status = room_make(&j, s, error);
  status = status == CR_OK ? carom_round(s, 0, &j, out, error) : status;
  for (int r = 0; r < rounds && status == CR_OK; r++) {
    mujoco_round(s, r, out);
    status = carom_round(s, r, &j, out, error);
    if (differences && status == CR_OK) {
      out->transition.round[r] = differences_round(s, false, AB);
      out->centred.round[r] = differences_round(s, true, AB);
    }
  }
  free(AB);
  room_free(&j);
  return status;
}
