// SPDX-License-Identifier: Apache-2.0
// The one interface of all planners.
#include "control/planner.h"

#include <stdlib.h>

#include "engine/data_create.h"
#include "integrate/inputs.h"

static const cri_plan_method* const methods[] = {&cri_plan_by_gradient, &cri_plan_by_ilqr,
                                                 &cri_plan_by_sampling, &cri_plan_by_cem,
                                                 &cri_plan_by_mppi,     &cri_plan_mixed};
enum { N_METHOD = (int)(sizeof methods / sizeof methods[0]) };

// ---- options

static void set_defaults(cr_plan_options* o) {
  o->knots = o->shape == CR_CONTROLS_STEP ? o->nstep : o->knots;
  o->rate = o->rate > 0 ? o->rate : CR_R(0.01);
  o->samples = o->samples > 0 ? o->samples : 64;
  o->elite = o->elite > 0 ? o->elite : (o->samples < 8 ? o->samples : 8);
  o->noise = o->noise > 0 ? o->noise : CR_R(0.3);
  o->wide_noise = o->wide_noise > 0 ? o->wide_noise : o->noise;
  o->polish = o->polish > 0 ? o->polish : 4;
  o->regularisation = o->regularisation > 0 ? o->regularisation : CR_R(1e-6);
}

static cr_status check_numbers(const cr_plan_options* o, cr_error* error) {
  const struct {
    const char* name;
    cr_real value;
  } rows[] = {{"rate", o->rate},
              {"clip", o->clip},
              {"noise", o->noise},
              {"wide_noise", o->wide_noise},
              {"temperature", o->temperature},
              {"regularisation", o->regularisation},
              {"samples", (cr_real)o->samples},
              {"elite", (cr_real)o->elite},
              {"polish", (cr_real)o->polish},
              {"backward_iterations", (cr_real)o->backward_iterations},
              {"nthread", (cr_real)o->nthread}};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    if (!(rows[i].value >= 0) || !isfinite(rows[i].value)) {
      return cri_fail(error, CR_ERR_ARG, "plan: %s is %.9g; 0 or more is expected", rows[i].name,
                      (double)rows[i].value);
    }
  }
  return o->elite <= o->samples || o->samples == 0
             ? CR_OK
             : cri_fail(error, CR_ERR_ARG, "plan: the best %d of %d samples are not that many",
                        o->elite, o->samples);
}

static cr_status check_options(const cr_model* m, const cr_plan_options* o, cr_error* error) {
  if (o->nstep < 1) {
    return cri_fail(error, CR_ERR_ARG, "plan: a horizon of %d steps is none", o->nstep);
  }
  if (m->nu == 0) {
    return cri_fail(error, CR_ERR_ARG, "plan: the model has no controls");
  }
  if (o->backward_iterations > 0 && (o->method != CR_PLAN_GRADIENT || o->backward == NULL)) {
    return cri_fail(error, CR_ERR_ARG,
                    "plan: backward_iterations: only of gradient, with a backward model");
  }
  if ((int)o->method < 0 || (int)o->method >= N_METHOD) {
    return cri_fail(error, CR_ERR_ARG, "plan: there is no method %d", (int)o->method);
  }
  if (o->adaptive != NULL && !methods[o->method]->adaptive) {
    return cri_fail(
        error, CR_ERR_ARG,
        "plan: %s needs steps of one length; gradient, mixed and the samplers know adaptive ones",
        methods[o->method]->word);
  }
  if (o->adaptive != NULL && o->adaptive->linear) {
    return cri_fail(error, CR_ERR_ARG, "plan: controls are held over a step; not linear ones");
  }
  return check_numbers(o, error);
}

static cr_status set_limits(cr_planner* p, cr_error* error) {
  for (int i = 0; i < p->m->nu; i++) {
    bool limited = p->m->actuator_ctrllimited[i] != 0;
    const cr_real* range = p->m->actuator_ctrlrange + 2 * (ptrdiff_t)i;
    cr_real low = p->o.lower != NULL ? p->o.lower[i] : limited ? range[0] : -(cr_real)INFINITY;
    cr_real high = p->o.upper != NULL ? p->o.upper[i] : limited ? range[1] : (cr_real)INFINITY;
    if (!(low <= high)) {
      char name[CR_CONTROL_NAME];
      CR_TRY(cr_control_name(p->m, i, name, (int)sizeof name, error));
      return cri_fail(error, CR_ERR_ARG, "plan: limits of control '%s' are %.9g and %.9g", name,
                      (double)low, (double)high);
    }
    p->controls.lower[i] = low;
    p->controls.upper[i] = high;
  }
  p->o.lower = p->o.upper = NULL;
  return CR_OK;
}

// ---- making

static cr_status make_worker(cr_planner* p, cri_plan_worker* w, const cr_cost* cost,
                             cr_error* error) {
  CR_TRY(cr_rollout_create(&w->rollout, p->m, p->o.nstep, NULL, 0, error));
  CR_TRY(cri_cost_copy(&w->cost, cost, error));
  cr_real interval = p->m->timestep;
  if (p->o.adaptive != NULL) {
    CR_TRY(cr_rollout_set_adaptive(w->rollout, p->m, p->o.adaptive, error));
    interval = p->o.adaptive->grid > 0 ? p->o.adaptive->grid : interval;
  }
  w->loss = cr_cost_loss(w->cost, p->o.nstep, interval);
  cri_cost_narrow(w->cost, w->rollout, p->backward);
  return CR_OK;
}

static cr_status make(cr_planner* p, const cr_cost* cost, cr_error* error) {
  CR_TRY(cri_controls_make(&p->controls, p->o.shape, p->o.nstep, p->o.knots, p->m->nu, error));
  CR_TRY(set_limits(p, error));
  p->n = p->o.knots * p->m->nu;
  p->knots = calloc((size_t)p->n + 1, sizeof *p->knots);
  p->ctrl = calloc((size_t)p->o.nstep * (size_t)p->m->nu + 1, sizeof *p->ctrl);
  if (p->knots == NULL || p->ctrl == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "plan: no memory for %d steps", p->o.nstep);
  }
  cri_controls_clip(&p->controls, p->knots);
  cri_controls_spread(&p->controls, p->knots, p->ctrl);
  CR_TRY(cri_data_create(&p->start, p->m, NULL, error));
  CR_TRY(cr_pool_create(&p->pool, p->o.nthread, error));
  p->nworker = cr_pool_size(p->pool);
  p->workers = calloc((size_t)p->nworker, sizeof *p->workers);
  if (p->workers == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "plan: no memory for %d threads", p->nworker);
  }
  for (int i = 0; i < p->nworker; i++) {
    CR_TRY(make_worker(p, &p->workers[i], cost, error));
  }
  CR_TRY(cri_plan_noise_make(p, error));
  return p->method->create(p, error);
}

cr_status cr_planner_create(cr_planner** out, const cr_model* m, const cr_cost* cost,
                            const cr_plan_options* options, cr_error* error) {
  const cri_call call = {"cr_planner_create", error};
  CR_TRY(cri_given(&call, out, "where the planner goes"));
  CR_TRY(cri_cost_check(&call, cost, m));
  CR_TRY(cri_given(&call, options, "the options"));
  CR_TRY(cri_check_size(&call, options->size, sizeof *options, "cr_plan_options"));
  CR_TRY(check_options(m, options, error));
  const cri_shape shape = cri_shape_of(m);
  if (options->backward != NULL && !cri_has_shape(options->backward, &shape)) {
    return cri_fail(error, CR_ERR_ARG, "cr_planner_create: backward is another model");
  }
  cr_planner* p = calloc(1, sizeof *p);
  if (p == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "plan: no memory");
  }
  p->m = m;
  p->backward = options->backward != NULL ? options->backward : m;
  p->o = *options;
  set_defaults(&p->o);
  p->method = methods[options->method];
  cr_status status = make(p, cost, error);
  p->o.adaptive = NULL;  // their targets need not outlive this call
  p->o.estimator = NULL;
  if (status != CR_OK) {
    cr_planner_destroy(p);
    return status;
  }
  cr_planner_restart(p);
  *out = p;
  return CR_OK;
}

void cr_planner_destroy(cr_planner* p) {
  if (p == NULL) {
    return;
  }
  if (p->memory != NULL) {
    p->method->destroy(p);
  }
  for (int i = 0; p->workers != NULL && i < p->nworker; i++) {
    cr_rollout_destroy(p->workers[i].rollout);
    cr_cost_destroy(p->workers[i].cost);
  }
  free(p->workers);
  cr_pool_free(p->pool);
  cri_data_free(p->start);
  cri_plan_noise_free(p->noise);
  cri_controls_free(&p->controls);
  free(p->knots);
  free(p->ctrl);
  free(p);
}

// ---- use

cr_status cr_planner_set_start(cr_planner* p, const cr_data* d, cr_error* error) {
  const cri_call call = {"cr_planner_set_start", error};
  CR_TRY(cri_given(&call, p, "the planner"));
  CR_TRY(cri_check_data(&call, p->m, d, CR_DATA_PLAIN, "the data"));
  cri_inputs_copy(p->m, p->start, d);
  p->known = false;
  return CR_OK;
}

cr_real* cr_planner_knots(cr_planner* p, int* n) {
  cri_count(n, p != NULL ? p->o.knots : 0);
  return p != NULL ? p->knots : NULL;
}

void cr_planner_restart(cr_planner* p) {
  if (p != NULL) {
    p->known = false;
    p->regularisation = p->o.regularisation;
    cri_controls_clip(&p->controls, p->knots);
    cri_controls_spread(&p->controls, p->knots, p->ctrl);
    p->method->restart(p);
  }
}

// the sentence of the worker that met one
static cr_status nothing_runs(const cr_planner* p, cr_error* error) {
  cr_real cost;
  CR_TRY(cri_plan_cost((cr_planner*)(uintptr_t)p, 0, p->knots, &cost));
  return cri_fail(error, CR_ERR_DIVERGED,
                  "plan: nothing that was tried has a cost; the plan itself: %s",
                  isfinite(cost) ? "its derivatives are not finite" : p->workers[0].error.text);
}

cr_status cr_planner_improve(cr_planner* p, cr_plan_result* result, cr_error* error) {
  const cri_call call = {"cr_planner_improve", error};
  CR_TRY(cri_given(&call, p, "the planner"));
  p->rollouts = p->failed = 0;
  bool known = p->known;
  cr_real before = p->cost;
  cr_error inner = {0};
  cr_status status = p->method->improve(p, &inner);
  if (status != CR_OK) {
    const char* why = inner.text[0] != 0 ? inner.text : p->workers[0].error.text;
    return cri_fail(error, status, "%s", why[0] != 0 ? why : cr_status_text(status));
  }
  if (!p->known) {
    return nothing_runs(p, error);
  }
  p->iterations++;
  cri_controls_spread(&p->controls, p->knots, p->ctrl);
  if (result == NULL) {
    return CR_OK;
  }
  const cr_plan_result made = {.size = sizeof made,
                               .cost = p->cost,
                               .before = known ? before : (cr_real)NAN,
                               .improved = !known || p->cost < before,
                               .iterations = p->iterations,
                               .rollouts = p->rollouts,
                               .failed = p->failed,
                               .regularisation = p->regularisation,
                               .gradient = p->gradient};
  return cri_give(&call, result, &made, sizeof made, "cr_plan_result");
}

cr_status cr_planner_shift(cr_planner* p, int steps, cr_error* error) {
  const cri_call call = {"cr_planner_shift", error};
  CR_TRY(cri_given(&call, p, "the planner"));
  if (steps < 0) {
    return cri_fail(error, CR_ERR_ARG, "plan: it cannot move by %d steps", steps);
  }
  cri_controls_shift(&p->controls, steps, p->knots);
  cri_controls_spread(&p->controls, p->knots, p->ctrl);
  p->known = false;
  p->method->shift(p, steps);
  return CR_OK;
}

const cr_real* cr_planner_ctrl(const cr_planner* p) { return p != NULL ? p->ctrl : NULL; }
