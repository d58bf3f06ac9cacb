// SPDX-License-Identifier: Apache-2.0
// Words of the command to a planner, its iterations, its best motion as a plan.
#include "cli/quasidynamic_mpc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/progress.h"

enum { BARRIER_WEIGHT = 100 };  // 1/J, as that of the tree

typedef struct {
  const cr_mpc_words* words;
  const cr_setup* setup;
  cr_quasidynamic_options steps;
  cr_mpc_options options;
  cr_real *goal, *Q, *end, *R, *change, *trust, *sigma;  // as in cr_mpc_options
  cr_real* hold;                                         // nu: setpoints that hold the start
  cr_smoothed_mpc* mpc;
} planner;

static cr_status make_room(planner* p, cr_error* error) {
  const size_t x = (size_t)p->setup->nq, u = (size_t)p->setup->nu, n = (size_t)p->setup->nstep;
  p->goal = calloc((n + 1) * x + 3 * x + 5 * u + 1, sizeof *p->goal);
  if (p->goal == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "quasidynamic: no memory for %d steps", p->setup->nstep);
  }
  p->Q = p->goal + (n + 1) * x;
  p->end = p->Q + x;
  p->R = p->end + x;
  p->change = p->R + u;
  p->trust = p->change + u;
  p->sigma = p->trust + u;
  p->hold = p->sigma + x + u;
  return CR_OK;
}

static cr_status weigh(planner* p, bool* counts, cr_error* error) {
  const int nq = p->setup->nq;
  for (int i = 0; i < nq; i++) {
    p->Q[i] = counts[i];
  }
  for (int i = 0; i < p->words->weigh.n; i++) {
    int first, count;
    cr_real value;
    CR_TRY(cr_coordinate_read(p->setup->m, "--weigh", p->words->weigh.text[i], &first, &count,
                              &value, error));
    for (int k = first; k < first + count; k++) {
      p->Q[k] = value;
    }
  }
  for (int i = 0; i < nq; i++) {
    p->end[i] = (cr_real)p->words->end * p->Q[i];
    counts[i] = p->Q[i] > 0;
  }
  return CR_OK;
}

static cr_status choose_models(planner* p, cr_error* error) {
  const cr_mpc_words* w = p->words;
  const bool barrier = strcmp(w->estimator, "barrier") == 0,
             exact = strcmp(w->estimator, "exact") == 0;
  const int kind = cr_enum_value("estimator_kind", w->estimator);
  if (!barrier && !exact && kind != CR_ESTIMATOR_FIRST && kind != CR_ESTIMATOR_ZEROTH) {
    return cri_fail(error, CR_ERR_ARG,
                    "--estimator %s: barrier, exact, first or zeroth is expected", w->estimator);
  }
  if (!barrier && p->steps.weight > 0) {
    return cri_fail(error, CR_ERR_ARG, "--smooth goes with --estimator barrier, not with %s",
                    w->estimator);
  }
  if (barrier && p->steps.weight == 0) {
    p->steps.weight = BARRIER_WEIGHT;
  }
  if (!barrier && !exact) {
    p->options.kind = (cr_estimator_kind)kind;
    p->options.samples = w->samples;
  }
  return CR_OK;
}

static void set_options(planner* p, const cr_real* goal, int seed) {
  const cr_mpc_words* w = p->words;
  const int nq = p->setup->nq, nu = p->setup->nu;
  for (ptrdiff_t k = 0; k <= p->setup->nstep; k++) {
    memcpy(p->goal + k * nq, goal, (size_t)nq * sizeof *goal);
  }
  for (int i = 0; i < nu; i++) {
    p->R[i] = (cr_real)w->effort;
    p->change[i] = (cr_real)w->change;
    p->trust[i] = (cr_real)w->trust;
    p->sigma[nq + i] = (cr_real)w->sigma;
  }
  cr_mpc_options* o = &p->options;
  o->size = sizeof *o;
  o->nstep = p->setup->nstep;
  o->goal = p->goal;
  o->Q = p->Q;
  o->Q_end = p->end;
  o->R = p->R;
  o->changes = true;
  o->change = w->change > 0 ? p->change : NULL;
  o->trust = w->trust > 0 ? p->trust : NULL;
  o->sigma = p->sigma;
  o->decay = (cr_real)w->decay;
  o->growth = (cr_real)w->growth;
  o->decoupled = w->decoupled;
  o->seed = (uint64_t)seed;
}

static void show(cr_progress* progress, const cr_mpc_result* result, int of, double spent) {
  if (cri_progress_due(progress)) {
    char text[96];
    (void)snprintf(text, sizeof text, "iteration %d of %d: cost %.6g", result->iteration, of,
                   (double)result->best);
    cri_progress_left(progress, text, spent, (double)result->iteration / of, "");
  }
}

static cr_status improve(planner* p, cr_mpc_found* found, cr_error* error) {
  cr_progress progress = cri_progress_begin();
  cr_status status = CR_OK;
  for (int i = 0; i < p->words->iterations && status == CR_OK; i++) {
    cr_mpc_result result = {.size = sizeof result};
    status = cr_smoothed_mpc_improve(p->mpc, &result, error);
    found->begin = i == 0 ? (double)result.before : found->begin;
    found->best = (double)result.best;
    found->failed += result.failed;
    show(&progress, &result, p->words->iterations, cri_seconds() - progress.start);
  }
  cri_progress_end(&progress);
  return status;
}

static void take(const planner* p, cr_servo_plan* plan) {
  const cr_real *x, *u;
  const size_t nq = (size_t)p->setup->nq, nu = (size_t)p->setup->nu, n = (size_t)p->setup->nstep;
  (void)cr_smoothed_mpc_best(p->mpc, &x, &u);
  memcpy(plan->qpos, x, (n + 1) * nq * sizeof *x);
  memcpy(plan->u, p->hold, nu * sizeof *u);
  memcpy(plan->u + nu, u, n * nu * sizeof *u);
}

static cr_status run(planner* p, int seed, const cr_real* start, const cr_real* goal,
                     const cr_real* guess, bool* counts, cr_servo_plan* plan, cr_mpc_found* found,
                     cr_error* error) {
  const size_t nu = (size_t)p->setup->nu, n = (size_t)p->setup->nstep;
  CR_TRY(make_room(p, error));
  CR_TRY(choose_models(p, error));
  CR_TRY(weigh(p, counts, error));
  set_options(p, goal, seed);
  CR_TRY(cr_servo_plan_create(plan, p->setup, p->setup->nstep + 1, error));
  CR_TRY(cr_smoothed_mpc_create_quasidynamic(&p->mpc, p->setup->m, &p->steps, &p->options, error));
  CR_TRY(cr_smoothed_mpc_set_start(p->mpc, start, error));
  cr_real* u = cr_smoothed_mpc_ctrl(p->mpc);
  memcpy(p->hold, u, nu * sizeof *u);
  if (guess != NULL) {
    memcpy(u, guess, n * nu * sizeof *u);
  }
  CR_TRY(improve(p, found, error));
  take(p, plan);
  return CR_OK;
}

cr_status cr_cli_mpc(const cr_mpc_words* words, const cr_setup* setup,
                     const cr_quasidynamic_options* steps, int seed, const cr_real* start,
                     const cr_real* goal, const cr_real* guess, bool* counts, cr_servo_plan* plan,
                     cr_mpc_found* found, cr_error* error) {
  planner p = {.words = words, .setup = setup, .steps = *steps};
  const cr_status status = run(&p, seed, start, goal, guess, counts, plan, found, error);
  cr_smoothed_mpc_destroy(p.mpc);
  free(p.goal);
  return status;
}
