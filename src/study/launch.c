// SPDX-License-Identifier: Apache-2.0
// Launches.
#include "study/launch.h"

#include <time.h>

#include "base/status.h"

double cri_thread_seconds(void) {
  struct timespec t;
  (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int steps_of(const cr_launch* l) {
  return l->adaptive != NULL ? 1 : (int)cr_floor(l->time / cr_model_timestep(l->m) + CR_R(1e-9));
}

static cr_real* view(const cr_launch* l, cr_data* d, const char* name) {
  return cr_data_view(l->m, d, name, NULL, NULL);
}

// the start, moved by h along the direction
static void place(const cr_launch* l, cr_data* d, cr_real h) {
  cr_data_reset(l->m, d);
  cr_real *qpos = view(l, d, "qpos"), *qvel = view(l, d, "qvel");
  cr_copy(qpos, l->qpos, cr_model_count(l->m, "nq"));
  (void)cr_integrate_pos(l->m, qpos, l->qpos_direction, h, NULL);
  for (int i = 0; i < cr_model_count(l->m, "nv"); i++) {
    qvel[i] = l->qvel[i] + h * l->qvel_direction[i];
  }
}

static cr_real along(const cr_launch* l, cr_rollout* r) {
  cr_data* bar = cr_rollout_bar(r);
  const cr_real *qpos_bar = view(l, bar, "qpos"), *qvel_bar = view(l, bar, "qvel");
  cr_real sum = 0;
  for (int i = 0; i < cr_model_count(l->m, "nv"); i++) {
    sum += l->qpos_direction[i] * qpos_bar[i] + l->qvel_direction[i] * qvel_bar[i];
  }
  return sum;
}

static const cr_model* backward_of(const cr_launch* l) {
  return l->m_backward != NULL ? l->m_backward : l->m;
}

// ---- a rollout with its loss

typedef struct {
  cr_rollout* r;
  cr_expression* expression;
  cr_loss loss;
} flight;

static void flight_free(flight* f) {
  cr_rollout_destroy(f->r);
  cr_expression_destroy(f->expression);
}

static cr_status flight_make(flight* f, const cr_launch* l, cr_error* error) {
  *f = (flight){0};
  int nq = cr_model_count(l->m, "nq"), nv = cr_model_count(l->m, "nv");
  if (nq > CR_LAUNCH_NQ || nv > CR_LAUNCH_NV) {
    return cri_fail(error, CR_ERR_ARG, "launch: the model has %d coordinates, %d are possible", nq,
                    CR_LAUNCH_NQ);
  }
  CR_TRY(cr_expression_create(&f->expression, l->m, l->loss, error));
  f->loss = cr_expression_loss(f->expression, false);
  CR_TRY(cr_rollout_create(&f->r, l->m, steps_of(l), NULL, 0, error));
  if (l->adaptive != NULL) {
    cr_adaptive options = *l->adaptive;
    options.grid = l->time;
    CR_TRY(cr_rollout_set_adaptive(f->r, l->m, &options, error));
  }
  return l->adjoint != NULL ? cr_rollout_set_adjoint(f->r, l->m, l->adjoint, error) : CR_OK;
}

// ---- forward and backward

static cr_status differentiate(const cr_launch* l, flight* f, cr_landing* landing,
                               cr_error* error) {
  double start = cri_thread_seconds();
  CR_TRY(cr_rollout_gradient(f->r, l->m, backward_of(l), &f->loss, error));
  landing->backward = cri_thread_seconds() - start;
  landing->gradient = along(l, f->r);
  return CR_OK;
}

static cr_status run(const cr_launch* l, flight* f, cr_real h, bool gradient, cr_landing* landing,
                     cr_error* error) {
  place(l, cr_rollout_data(f->r), h);
  double start = cri_thread_seconds();
  CR_TRY(cr_rollout_run(f->r, l->m, steps_of(l), &f->loss, error));
  landing->forward = cri_thread_seconds() - start;
  landing->loss = cr_rollout_loss(f->r);
  landing->steps = steps_of(l);
  if (l->adaptive != NULL) {
    int rejected, events;
    cr_rollout_steps(f->r, &landing->steps, &rejected, &events);
  }
  cr_copy(landing->qpos, view(l, cr_rollout_data(f->r), "qpos"), cr_model_count(l->m, "nq"));
  return gradient ? differentiate(l, f, landing, error) : CR_OK;
}

cr_status cri_launch(const cr_launch* l, bool gradient, cr_landing* landing, cr_error* error) {
  flight f;
  *landing = (cr_landing){0};
  cr_status status = flight_make(&f, l, error);
  status = status == CR_OK ? run(l, &f, 0, gradient, landing, error) : status;
  flight_free(&f);
  return status;
}

cr_status cri_launch_difference(const cr_launch* l, cr_real h, cr_real* slope, cr_error* error) {
  flight f;
  cr_landing left = {0}, right = {0};
  cr_status status = flight_make(&f, l, error);
  status = status == CR_OK ? run(l, &f, -h, false, &left, error) : status;
  status = status == CR_OK ? run(l, &f, h, false, &right, error) : status;
  flight_free(&f);
  *slope = (right.loss - left.loss) / (2 * h);
  return status;
}

// ---- trust

static cr_status start_moved(void* context, cr_rollout* r, const cr_real* step, cr_error* error) {
  (void)error;
  place(context, cr_rollout_data(r), step != NULL ? *step : 0);
  return CR_OK;
}

static cr_status read_gradient(void* context, cr_rollout* r, cr_real* gradient, cr_error* error) {
  (void)error;
  *gradient = along(context, r);
  return CR_OK;
}

cr_status cri_launch_trust(const cr_launch* l, cr_trust* trust, cr_error* error) {
  flight f;
  cr_launch start = *l;
  const cr_real scale = 1;
  cr_status status = flight_make(&f, l, error);
  if (status == CR_OK) {
    *trust = (cr_trust){.size = sizeof *trust};
    const cr_trust_problem problem = {.size = sizeof problem,
                                      .rollout = f.r,
                                      .m = l->m,
                                      .m_backward = backward_of(l),
                                      .loss = &f.loss,
                                      .nstep = steps_of(l),
                                      .n = 1,
                                      .scale = &scale,
                                      .quick = true,
                                      .context = &start,
                                      .start = start_moved,
                                      .gradient = read_gradient};
    status = cr_trust_measure(trust, &problem, error);
  }
  flight_free(&f);
  return status;
}
