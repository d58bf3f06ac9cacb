// SPDX-License-Identifier: Apache-2.0
#include "bench/measure_rounds.h"

#include <math.h>
#include <stdlib.h>

#include "base/status.h"
#include "carom/step.h"
#include "carom/step_jacobian.h"
#include "tools/clock.h"

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
  }
  out->mj_step.round[r] = total / s->nstate;
}

// the same steps untimed: what MuJoCo leaves of the balance, which is long to compute
static double mujoco_residual(cr_scene* s) {
  double largest = 0;
  for (int k = 0; k < s->nstate; k++) {
    cr_scene_state(s, k);
    mj_step(s->mj, s->d);
    largest = fmax(largest, cr_scene_residual(s));
  }
  return largest;
}

// where the Jacobian goes: by state, by controls; work NULL: it is not made
typedef struct {
  cr_jacobian* work;
  cr_real *x, *ctrl;
} room;

static cr_status room_make(room* j, const cr_scene* s, cr_error* error) {
  *j = (room){.work = NULL};
  if (s->nv > LARGEST_JACOBIAN) {
    return CR_OK;
  }
  size_t nx = (size_t)(2 * s->nv + s->na);
  *j = (room){.x = calloc(nx * nx + 1, sizeof *j->x),
              .ctrl = calloc(nx * (size_t)s->nu + 1, sizeof *j->ctrl)};
  if (j->x == NULL || j->ctrl == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "%s: no memory for the Jacobian", s->name);
  }
  return cr_jacobian_create(&j->work, s->m, s->c, error);
}

static void room_free(room* j) {
  cr_jacobian_destroy(j->work);
  free(j->x);
  free(j->ctrl);
}

// What a round of Carom's measures at one state, whose inputs are in s->c: each adds its time.
typedef cr_status measured(cr_scene* s, const room* j, double* time, cr_measurement* out);

static cr_status step_here(cr_scene* s, const room* j, double* time, cr_measurement* out) {
  (void)j;
  double start = cri_microseconds();
  cr_status status = cr_step(s->m, s->c);
  *time += since(start);
  out->residual_carom = fmax(out->residual_carom, (double)cr_solver_residual(s->c));
  return status;
}

// this and the next: on data that a step has just filled
static cr_status vjp_here(cr_scene* s, const room* j, double* time, cr_measurement* out) {
  (void)j;
  (void)out;
  CR_TRY(cr_step(s->m, s->c));
  cr_real* qpos_bar = cr_data_view(s->m, s->bar, "qpos_next", NULL, NULL);
  cr_real* qvel_bar = cr_data_view(s->m, s->bar, "qvel_next", NULL, NULL);
  for (int i = 0; i < s->nv; i++) {
    qpos_bar[i] = qvel_bar[i] = 1;
  }
  double start = cri_microseconds();
  cr_status status = cr_step_vjp(s->m, s->m, s->c, NULL, s->bar);
  *time += since(start);
  return status;
}

static cr_status jacobian_here(cr_scene* s, const room* j, double* time, cr_measurement* out) {
  CR_TRY(cr_step(s->m, s->c));
  double start = cri_microseconds();
  cr_status status = cr_step_jacobian(s->m, s->c, j->work, j->x, j->ctrl, NULL);
  *time += since(start);
  out->by_columns += status == CR_OK && cr_jacobian_fallback(j->work) != NULL;
  return status;
}

// A loop of its own for each, as mj_step has: none finds its caches filled by another.
static cr_status loop(cr_scene* s, measured* here, const room* j, double* mean, cr_measurement* out,
                      cr_error* error) {
  double total = 0;
  for (int k = 0; k < s->nstate; k++) {
    cr_status status = cr_scene_ours(s, k);
    status = status == CR_OK ? here(s, j, &total, out) : status;
    if (status != CR_OK) {
      bool back = here == vjp_here && cr_data_error(s->bar)[0] != 0;
      return cri_fail(error, status, "%s: state %d: %s", s->name, k,
                      cr_data_error(back ? s->bar : s->c));
    }
  }
  *mean = total / s->nstate;
  return CR_OK;
}

static cr_status carom_round(cr_scene* s, int r, const room* j, cr_measurement* out,
                             cr_error* error) {
  out->by_columns = 0;
  CR_TRY(loop(s, step_here, j, out->step.round + r, out, error));
  CR_TRY(loop(s, vjp_here, j, out->vjp.round + r, out, error));
  return j->work == NULL ? CR_OK : loop(s, jacobian_here, j, out->jacobian.round + r, out, error);
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
  *out = (cr_measurement){.residual_mujoco = mujoco_residual(s)};
  out->mj_step.n = out->step.n = out->vjp.n = rounds;
  out->jacobian.n = s->nv > LARGEST_JACOBIAN ? 0 : rounds;
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
