// SPDX-License-Identifier: Apache-2.0
// Launches.
#include "study/launch.h"

#include <time.h>

#include "integrate/manifold.h"
#include "rollout/trajectory.h"

double cri_thread_seconds(void) {
  struct timespec t;
  (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int steps_of(const cr_launch* l) {
  return l->adaptive != NULL ? 1 : (int)cr_floor(l->time / l->m->timestep + CR_R(1e-9));
}

static cr_status differentiate(const cr_launch* l, cr_rollout* r, const cr_loss* loss,
                               cr_landing* landing, cr_error* error) {
  double start = cri_thread_seconds();
  const cr_model* m_backward = l->m_backward != NULL ? l->m_backward : l->m;
  CR_TRY(cr_rollout_gradient(r, l->m, m_backward, loss, error));
  landing->backward = cri_thread_seconds() - start;
  landing->gradient = 0;
  for (int i = 0; i < l->m->nv; i++) {
    landing->gradient +=
        l->qpos_direction[i] * r->bar->qpos[i] + l->qvel_direction[i] * r->bar->qvel[i];
  }
  return CR_OK;
}

static cr_status run(const cr_launch* l, cr_rollout* r, const cr_loss* loss, bool gradient,
                     cr_landing* landing, cr_error* error) {
  if (l->adaptive != NULL) {
    cr_adaptive options = *l->adaptive;
    options.grid = l->time;
    CR_TRY(cr_rollout_adaptive(r, l->m, &options, error));
  }
  cr_copy(r->d->qpos, l->qpos, l->m->nq);
  cr_copy(r->d->qvel, l->qvel, l->m->nv);
  double start = cri_thread_seconds();
  CR_TRY(cr_rollout_run(r, l->m, steps_of(l), loss, error));
  landing->forward = cri_thread_seconds() - start;
  landing->loss = cr_rollout_loss(r);
  landing->steps = steps_of(l);
  if (l->adaptive != NULL) {
    int rejected, events;
    cr_rollout_steps(r, &landing->steps, &rejected, &events);
  }
  cr_copy(landing->qpos, r->d->qpos, l->m->nq);
  return gradient ? differentiate(l, r, loss, landing, error) : CR_OK;
}

cr_status cri_launch(const cr_launch* l, bool gradient, cr_landing* landing, cr_error* error) {
  cr_rollout* r = NULL;
  cr_expression* expression = NULL;
  *landing = (cr_landing){0};
  if (l->m->nq > CR_LAUNCH_NQ || l->m->nv > CR_LAUNCH_NV) {
    return cri_fail(error, CR_ERR_ARG, "launch: %d coordinates, %d at most", l->m->nq,
                    CR_LAUNCH_NQ);
  }
  cr_status status = cr_expression_create(&expression, l->m, l->loss, error);
  if (status == CR_OK) {
    status = cr_rollout_create(&r, l->m, steps_of(l), NULL, 0, error);
  }
  if (status == CR_OK) {
    cr_loss loss = cr_expression_loss(expression, false);
    status = run(l, r, &loss, gradient, landing, error);
  }
  cr_rollout_free(r);
  cr_expression_free(expression);
  return status;
}

cr_status cri_launch_difference(const cr_launch* l, cr_real h, cr_real* slope, cr_error* error) {
  cr_real loss[2];
  for (int side = 0; side < 2; side++) {
    cr_launch moved = *l;
    cr_landing landing;
    cr_real step = side == 0 ? -h : h;
    cri_manifold_move(l->m, l->qpos, l->qpos_direction, step, moved.qpos);
    for (int i = 0; i < l->m->nv; i++) {
      moved.qvel[i] += step * l->qvel_direction[i];
    }
    CR_TRY(cri_launch(&moved, false, &landing, error));
    loss[side] = landing.loss;
  }
  *slope = (loss[1] - loss[0]) / (2 * h);
  return CR_OK;
}
