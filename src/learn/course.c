// SPDX-License-Identifier: Apache-2.0
// Courses: a model, windows and an identification of its own for each stage.
#include "learn/course.h"

#include <stdlib.h>

const cr_adam cr_course_adam = {.rate = CR_R(0.1),
                                .final_rate = CR_R(0.01),
                                .b1 = CR_R(0.5),
                                .b2 = CR_R(0.9),
                                .eps = CR_R(1e-9),
                                .keep_best = true};

// ---- an identification on windows of so many steps; 0: on whole tosses

typedef struct {
  cr_model m;  // a shallow copy, with a reach of its own
  cr_parameters* parameters;
  cr_windows windows;
  cr_identify* identify;
} problem;

static void problem_free(problem* q) {
  cr_identify_free(q->identify);
  cr_windows_free(&q->windows);
  cri_parameters_free(q->parameters);
}

static cr_status bind(problem* q, const cr_course* c, const cr_real* p, cr_error* error) {
  cr_parameter items[CR_MAX_PARAMETERS];
  if (c->nitem < 1 || c->nitem > CR_MAX_PARAMETERS) {
    return cri_fail(error, CR_ERR_ARG, "a course of %d parameters: 1 to %d expected", c->nitem,
                    CR_MAX_PARAMETERS);
  }
  for (int i = 0; i < c->nitem; i++) {
    items[i] = c->items[i];
    items[i].start = cr_clip(p[i], items[i].lower, items[i].upper);
  }
  return cri_parameters_create(&q->parameters, items, c->nitem, &q->m, error);
}

static cr_status problem_make(problem* q, const cr_course* c, int steps, int stride, cr_real reach,
                              const cr_real* p, cr_error* error) {
  *q = (problem){.m = *c->m};
  q->m.memory = NULL;
  if (reach > 0) {
    q->m.cfd_wc = reach;
    q->m.cfd_scale = reach / 50;
  }
  CR_TRY(bind(q, c, p, error));
  CR_TRY(cr_windows_cut(&q->windows, c->tosses, c->ntoss, steps > 0 ? steps + 1 : 0, stride, 0, 0,
                        error));
  const cr_identify_def def = {.parameters = q->parameters,
                               .tosses = c->tosses,
                               .windows = q->windows.train,
                               .nwindow = q->windows.ntrain,
                               .nstep = q->windows.longest,
                               .weights = c->weights,
                               .norm = c->norm,
                               .cfd = reach > 0,
                               .pool = c->pool,
                               .stop = c->stop,
                               .stop_context = c->stop_context};
  return cr_identify_create(&q->identify, &def, error);
}

cr_status cr_course_score(const cr_course* c, const cr_real* p, cr_real* score, cr_error* error) {
  problem q;
  cr_evaluation e = {0};
  cr_real x[CR_MAX_PARAMETERS];
  cr_status status = problem_make(&q, c, 0, 1, 0, p, error);
  if (status == CR_OK) {
    cri_parameters_start(q.parameters, x);
    status = cr_identify_evaluate(q.identify, x, NULL, 0, &e, error);
  }
  *score = e.value;
  problem_free(&q);
  return status;
}

// ---- a stage

typedef struct {
  const cr_course* course;
  const problem* q;
  cr_objective inner;
  int stage;
} watched;

static cr_status watch(void* context, int batch, const cr_real* x, cr_evaluation* result,
                       cr_error* error) {
  const watched* w = context;
  cr_real p[CR_MAX_PARAMETERS];
  CR_TRY(w->inner.evaluate(w->inner.context, batch, x, result, error));
  if (w->course->watch != NULL) {
    cri_parameters_values(w->q->parameters, x, p);
    w->course->watch(w->course->watch_context, w->stage, p, result->value);
  }
  return CR_OK;
}

static cr_status minimise(const cr_course* c, int stage, const problem* q, cr_real* p,
                          cr_error* error) {
  cr_real x[CR_MAX_PARAMETERS], lower[CR_MAX_PARAMETERS], upper[CR_MAX_PARAMETERS];
  const char* reason;
  watched w = {c, q, cr_identify_objective(q->identify, 0, 0), stage};
  const cr_objective objective = {.context = &w, .n = c->nitem, .evaluate = watch};
  cr_adam adam = c->adam;
  adam.iterations = c->stages[stage].iterations;
  cri_parameters_start(q->parameters, x);
  cri_parameters_bounds(q->parameters, lower, upper);
  CR_TRY(cri_adam_minimise(&adam, &objective, lower, upper, x, &reason, error));
  cri_parameters_values(q->parameters, x, p);
  return CR_OK;
}

cr_status cr_course_run(const cr_course* c, cr_real* p, cr_error* error) {
  cr_status status = CR_OK;
  for (int k = 0; k < c->nstage && status == CR_OK; k++) {
    const cr_course_stage* s = &c->stages[k];
    problem q;
    status = problem_make(&q, c, s->steps, s->stride, s->reach, p, error);
    status = status == CR_OK ? minimise(c, k, &q, p, error) : status;
    problem_free(&q);
  }
  return status;
}
