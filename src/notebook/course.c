// SPDX-License-Identifier: Apache-2.0
// Courses: a model, windows and a fit of its own for each stage.
#include "notebook/course.h"

#include <stdlib.h>

#include "base/real.h"
#include "base/status.h"

const cr_adam_options cr_course_adam = {.size = sizeof cr_course_adam,
                                        .rate = CR_R(0.1),
                                        .final_rate = CR_R(0.01),
                                        .b1 = CR_R(0.5),
                                        .b2 = CR_R(0.9),
                                        .eps = CR_R(1e-9),
                                        .keep_best = true};

// ---- a fit on windows of so many steps; 0: on whole recordings

typedef struct {
  cr_model* m;  // a copy, with a reach of its own
  cr_parameters* parameters;
  cr_fit* fit;
} problem;

static void problem_free(problem* q) {
  cr_fit_destroy(q->fit);
  cr_parameters_destroy(q->parameters);
  cr_model_destroy(q->m);
}

static cr_status bind(problem* q, const cr_course* c, const cr_real* p, cr_error* error) {
  const cr_parameter_info* list[CR_MAX_PARAMETERS];
  if (c->nitem < 1 || c->nitem > CR_MAX_PARAMETERS) {
    return cri_fail(error, CR_ERR_ARG, "a fit of %d parameters: 1 to %d are possible", c->nitem,
                    (int)CR_MAX_PARAMETERS);
  }
  cr_parameter_info* items = calloc((size_t)c->nitem, sizeof *items);
  if (items == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "a course: no memory");
  }
  for (int i = 0; i < c->nitem; i++) {
    items[i] = c->items[i];
    items[i].start = cr_clip(p[i], items[i].lower, items[i].upper);
    list[i] = &items[i];
  }
  cr_status status = cr_parameters_create(&q->parameters, q->m, list, c->nitem, error);
  free(items);
  return status;
}

static cr_status set_reach(cr_model* m, cr_real reach, cr_error* error) {
  CR_TRY(cr_model_set_option(m, "cfd_wc", reach, error));
  return cr_model_set_option(m, "cfd_scale", reach / 50, error);
}

static cr_status problem_make(problem* q, const cr_course* c, int steps, int stride, cr_real reach,
                              const cr_real* p, cr_error* error) {
  *q = (problem){.m = NULL};
  CR_TRY(cr_model_copy(&q->m, c->m, error));
  CR_TRY(reach > 0 ? set_reach(q->m, reach, error) : CR_OK);
  CR_TRY(bind(q, c, p, error));
  const cr_fit_options options = {.size = sizeof options,
                                  .first = c->first,
                                  .run = c->run,
                                  .steps = steps,
                                  .stride = stride,
                                  .norm = c->norm,
                                  .p = c->p,
                                  .cfd = reach > 0,
                                  .nthread = c->nthread,
                                  .stop = c->stop,
                                  .context = c->stop_context};
  return cr_fit_create(&q->fit, q->parameters, c->recordings, &options, error);
}

cr_status cr_course_score(const cr_course* c, const cr_real* p, cr_real* score, cr_error* error) {
  problem q;
  cr_fit_value e = {.size = sizeof e};
  cr_real x[CR_MAX_PARAMETERS];
  cr_status status = problem_make(&q, c, 0, 1, 0, p, error);
  status = status == CR_OK ? cr_parameters_get_start(q.parameters, x, error) : status;
  if (status == CR_OK) {
    status = cr_fit_evaluate(q.fit, CR_FIT_TRAIN, CR_ALL_DATA, x, &e, error);
  }
  *score = e.loss;
  problem_free(&q);
  return status;
}

// ---- a stage

typedef struct {
  const cr_course* course;
  const problem* q;
  int stage;
} watched;

static cr_status watch(void* context, int batch, const cr_real* x, cr_real* value,
                       cr_real* gradient, cr_error* error) {
  const watched* w = context;
  cr_real p[CR_MAX_PARAMETERS];
  CR_TRY(cr_fit_objective(w->q->fit, batch, x, value, gradient, error));
  if (w->course->watch != NULL) {
    CR_TRY(cr_parameters_get_values(w->q->parameters, x, p, error));
    w->course->watch(w->course->watch_context, w->stage, p, *value);
  }
  return CR_OK;
}

static cr_status minimise(const cr_course* c, int stage, const problem* q, cr_real* p,
                          cr_error* error) {
  cr_real x[CR_MAX_PARAMETERS], lower[CR_MAX_PARAMETERS], upper[CR_MAX_PARAMETERS];
  watched w = {c, q, stage};
  cr_adam_options adam = c->adam;
  adam.iterations = c->stages[stage].iterations;
  CR_TRY(cr_parameters_get_start(q->parameters, x, error));
  CR_TRY(cr_parameters_get_bounds(q->parameters, lower, upper, error));
  const cr_minimise_problem what = {.size = sizeof what,
                                    .n = c->nitem,
                                    .evaluate = watch,
                                    .context = &w,
                                    .lower = lower,
                                    .upper = upper};
  CR_TRY(cr_minimise_adam(&what, &adam, x, NULL, error));
  return cr_parameters_get_values(q->parameters, x, p, error);
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
