// SPDX-License-Identifier: Apache-2.0
// carom grad: gradient of a loss of a rollout with respect to the initial state, controls and
// parameters, with central differences beside it on request; or the Jacobian of one step.
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "cli/commands.h"
#include "cli/jacobian.h"
#include "cli/setup.h"
#include "engine/constants.h"
#include "integrate/inputs.h"
#include "integrate/manifold.h"
#include "learn/expression.h"
#include "math/quat.h"
#include "model/check.h"
#include "model/fields.h"

typedef struct {
  cr_setup_options setup;
  const char *loss, *at;
  cr_text_list wrt;
  bool check, jacobian;
  const char* csv;
  double eps;
} grad_options;

// one --wrt: a place, and where its gradient lies
typedef struct {
  cr_place place;
  int n;
  bool each_step;  // all controls: steps x nu
  cr_real *gradient, *difference;
} request;

typedef struct {
  const grad_options* o;
  cr_setup setup;
  cr_model variant;
  const cr_model* backward;  // whose dynamics the backward pass differentiates
  cr_expression* expression;
  cr_loss loss;
  request requests[CR_MAX_LIST];
  int nrequest;
  bool wanted[CR_N_FIELD];
  int steps;
  double seconds_forward, seconds_backward;
} grad;

static double now(void) {
  struct timespec t;
  (void)clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// ---- what is asked for

static cr_status find_request(grad* g, const char* name, cr_error* error) {
  request* q = &g->requests[g->nrequest];
  CR_TRY(cri_place_find(&q->place, &g->setup.m, name, error));
  const cr_field* f = cri_field(q->place.field);
  cr_field_id id = q->place.field;
  bool state = id == CR_FIELD_qpos || id == CR_FIELD_qvel || id == CR_FIELD_act ||
               id == CR_FIELD_ctrl || id == CR_FIELD_qfrc_applied || id == CR_FIELD_xfrc_applied;
  if (!state && f->kind != CR_KIND_PARAM) {
    return cri_fail(error, CR_ERR_NAME, "--wrt %s: neither state, control nor parameter", name);
  }
  if (q->place.tan_count == 0 && q->place.count == 0) {
    return cri_fail(error, CR_ERR_NAME, "--wrt %s: the model has none of these", name);
  }
  if (q->place.tan_count == 0) {
    const char* instead = id == CR_FIELD_qpos          ? "for its directions use tangent[j]"
                          : id == CR_FIELD_qpos_spring ? "name the other coordinates one by one"
                                                       : "name the whole of it (3 numbers)";
    return cri_fail(error, CR_ERR_NAME, "--wrt %s: a quaternion, or part of one; %s", name,
                    instead);
  }
  if (f->kind == CR_KIND_PARAM) {
    g->wanted[id] = true;
  }
  q->each_step = id == CR_FIELD_ctrl && strcmp(name, "ctrl") == 0;
  g->nrequest++;
  return CR_OK;
}

static cr_status prepare(grad* g, cr_error* error) {
  const grad_options* o = g->o;
  bool every = o->at != NULL && strcmp(o->at, "every") == 0;
  if (o->at != NULL && !every && strcmp(o->at, "end") != 0) {
    return cri_fail(error, CR_ERR_ARG, "--at %s: end or every expected", o->at);
  }
  if (o->loss == NULL || o->wrt.n == 0) {
    return cri_fail(error, CR_ERR_ARG, "carom grad: --%s is missing; see carom grad --help",
                    o->loss == NULL ? "loss" : "wrt");
  }
  if (!(o->eps > 0)) {
    return cri_fail(error, CR_ERR_ARG, "--eps %.9g: a positive step expected", o->eps);
  }
  CR_TRY(cr_setup_load(&g->setup, &o->setup, error));
  CR_TRY(cr_expression_create(&g->expression, &g->setup.m, o->loss, error));
  for (int i = 0; i < o->wrt.n; i++) {
    CR_TRY(find_request(g, o->wrt.text[i], error));
  }
  for (int k = 0; k < CR_N_DERIVED && o->setup.derive; k++) {
    g->wanted[cri_derived_fields[k]] = true;
  }
  CR_TRY(cr_method_backward(&o->setup.method, &g->setup.m, &g->variant, &g->backward, error));
  CR_TRY(cr_setup_rollout(&g->setup, &o->setup, g->wanted, error));
  g->loss = cr_expression_loss(g->expression, every);
  for (int i = 0; i < g->nrequest; i++) {
    request* q = &g->requests[i];
    q->n = q->each_step ? g->setup.nstep * g->setup.m.nu : q->place.tan_count;
    q->gradient = calloc((size_t)q->n + 1, sizeof(cr_real));
    q->difference = calloc((size_t)q->n + 1, sizeof(cr_real));
    if (q->gradient == NULL || q->difference == NULL) {
      return cri_fail(error, CR_ERR_MEMORY, "gradient: no memory for %d numbers", q->n);
    }
  }
  return CR_OK;
}

// ---- the gradient

static cr_status collect(const grad* g, request* q, const char* name, cr_error* error) {
  const cr_rollout* r = g->setup.rollout;
  int nu = g->setup.m.nu;
  if (q->each_step) {
    cr_copy(q->gradient, r->ctrl_bar, q->n);
  } else if (q->place.field == CR_FIELD_ctrl) {  // a constant control acts in every step
    for (int k = 0; k < g->setup.nstep; k++) {
      for (int i = 0; i < q->n; i++) {
        q->gradient[i] += r->ctrl_bar[(size_t)k * (size_t)nu + (size_t)(q->place.tan_first + i)];
      }
    }
  } else {
    const cr_real* from = cri_place_tangent(&q->place, &g->setup.m, r->d, r->bar);
    cr_copy(q->gradient, from, q->n);
  }
  for (int i = 0; i < q->n; i++) {
    if (!isfinite(q->gradient[i])) {
      return cri_fail(error, CR_ERR_NONFINITE, "the gradient with respect to %s, number %d, is %g",
                      name, i, (double)q->gradient[i]);
    }
  }
  return CR_OK;
}

static cr_status differentiate(grad* g, cr_error* error) {
  cr_setup* s = &g->setup;
  double start = now();
  CR_TRY(cr_rollout_run(s->rollout, &s->m, s->nstep, &g->loss, error));
  double middle = now();
  CR_TRY(cr_rollout_gradient(s->rollout, &s->m, g->backward, &g->loss, error));
  if (g->o->setup.derive) {
    CR_TRY(cr_constants_vjp(&s->m, s->rollout->work, s->rollout->bar));
  }
  g->steps = cr_setup_steps(s);
  g->seconds_forward = middle - start;
  g->seconds_backward = now() - middle;
  for (int i = 0; i < g->nrequest; i++) {
    CR_TRY(collect(g, &g->requests[i], g->o->wrt.text[i], error));
  }
  return CR_OK;
}

// ---- central differences

// moves what element k of a request stands for by h
static void move(grad* g, const request* q, int k, cr_real h) {
  cr_setup* s = &g->setup;
  cr_rollout* r = s->rollout;
  cr_field_id id = q->place.field;
  int at = q->place.tan_first + k;
  if (q->each_step) {
    r->ctrl[k] += h;
  } else if (id == CR_FIELD_ctrl) {
    for (int step = 0; step < s->nstep; step++) {
      r->ctrl[(size_t)step * (size_t)s->m.nu + (size_t)at] += h;
    }
  } else if (id == CR_FIELD_qpos) {
    size_t mark = cri_mark(r->d);
    cr_real* direction = cri_push(r->d, (size_t)s->m.nv);
    cr_zero(direction, s->m.nv);
    direction[at] = 1;
    cri_manifold_move(&s->m, r->d->qpos, direction, h, r->d->qpos);
    cri_pop(r->d, mark);
  } else if (cri_field(id)->tangent == CR_TANGENT_QUAT) {
    cr_real axis[3] = {at % 3 == 0, at % 3 == 1, at % 3 == 2};
    cr_quat_integrate(cri_field_real(&s->m, r->d, id) + 4 * (at / 3), axis, h);
  } else {
    cri_field_real(&s->m, r->d, id)[at] += h;
  }
}

// loss with element k moved by h; initial state, controls and parameters are as before afterwards
static cr_status moved_loss(grad* g, const request* q, int k, cr_real h, cr_real* loss,
                            cr_error* error) {
  cr_setup* s = &g->setup;
  cr_rollout* r = s->rollout;
  cr_model kept;
  CR_TRY(cri_model_copy(&kept, &s->m, error));
  cr_real* ctrl = malloc(((size_t)s->nstep * (size_t)s->m.nu + 1) * sizeof *ctrl);
  if (ctrl == NULL) {
    cri_model_free(&kept);
    return cri_fail(error, CR_ERR_MEMORY, "differences: no memory");
  }
  cr_copy(ctrl, r->ctrl, s->nstep * s->m.nu);
  move(g, q, k, h);
  cr_status status = CR_OK;
  if (g->o->setup.derive) {
    status = cr_constants(&s->m, r->work);
  }
  if (status == CR_OK) {
    status = cr_rollout_run(r, &s->m, s->nstep, &g->loss, error);
  }
  *loss = r->loss;
  cr_copy(r->ctrl, ctrl, s->nstep * s->m.nu);
  free(ctrl);
  cri_model_free(&s->m);
  s->m = kept;
  return status;
}

// start: that of the unmoved run
static cr_status difference_all(grad* g, const cr_data* start, cr_error* error) {
  const cr_model* m = &g->setup.m;
  cr_data* d = g->setup.rollout->d;
  cr_real h = (cr_real)g->o->eps;
  for (int i = 0; i < g->nrequest; i++) {
    request* q = &g->requests[i];
    for (int k = 0; k < q->n; k++) {
      cr_real plus, minus;
      cri_inputs_copy(m, d, start);
      CR_TRY(moved_loss(g, q, k, h, &plus, error));
      cri_inputs_copy(m, d, start);
      CR_TRY(moved_loss(g, q, k, -h, &minus, error));
      q->difference[k] = (plus - minus) / (2 * h);
    }
  }
  cri_inputs_copy(m, d, start);
  return CR_OK;
}

static cr_status check(grad* g, cr_error* error) {
  cr_rollout* r = g->setup.rollout;
  cr_data* start = NULL;
  CR_TRY(cri_data_create(&start, &g->setup.m, NULL, error));
  cr_status status = cri_rollout_restore(r, &g->setup.m, 0, error);
  if (status == CR_OK) {
    cri_inputs_copy(&g->setup.m, start, r->d);
    status = difference_all(g, start, error);
  }
  cri_data_free(start);
  return status;
}

// ---- output

static void put_requests(const grad* g, cr_json* j, const char* key, bool differences) {
  cr_json_open(j, key, '{');
  for (int i = 0; i < g->nrequest; i++) {
    const request* q = &g->requests[i];
    const cr_real* v = differences ? q->difference : q->gradient;
    const char* name = g->o->wrt.text[i];
    if (!q->each_step) {
      cr_json_numbers(j, name, v, q->n);
      continue;
    }
    cr_json_open(j, name, '[');
    for (int k = 0; k < g->setup.nstep; k++) {
      cr_json_reals(j, NULL, v + (size_t)k * (size_t)g->setup.m.nu, g->setup.m.nu);
    }
    cr_json_close(j, ']');
  }
  cr_json_close(j, '}');
}

static void print_json(const grad* g, cr_real loss) {
  cr_json j = {0};
  cr_json_open(&j, NULL, '{');
  cr_json_real(&j, "loss", loss);
  put_requests(g, &j, "gradient", false);
  if (g->o->check) {
    put_requests(g, &j, "differences", true);
    cr_json_real(&j, "eps", (cr_real)g->o->eps);
  }
  cr_json_int(&j, "steps", g->steps);
  cr_json_open(&j, "seconds", '{');
  cr_json_real(&j, "forward", (cr_real)g->seconds_forward);
  cr_json_real(&j, "backward", (cr_real)g->seconds_backward);
  cr_json_close(&j, '}');
  cr_json_close(&j, '}');
  cr_json_finish(&j);
}

static void print_text(const grad* g, cr_real loss) {
  (void)printf("loss %.12g after %d steps (forward %.3g s, backward %.3g s)\n", (double)loss,
               g->steps, g->seconds_forward, g->seconds_backward);
  for (int i = 0; i < g->nrequest; i++) {
    const request* q = &g->requests[i];
    for (int k = 0; k < q->n; k++) {
      (void)printf("d loss / d %s", g->o->wrt.text[i]);
      if (q->n > 1) {
        (void)printf(" #%d", k);
      }
      (void)printf(" = %.12g", (double)q->gradient[k]);
      if (g->o->check) {
        (void)printf("   (central difference %.12g)", (double)q->difference[k]);
      }
      (void)printf("\n");
    }
  }
}

static cr_status run(grad* g, cr_error* error) {
  const grad_options* o = g->o;
  if (o->jacobian) {
    if (o->loss != NULL || o->wrt.n > 0 || o->at != NULL || o->check) {
      return cri_fail(error, CR_ERR_ARG,
                      "--jacobian: of the whole state, so not with --loss, --wrt, --at, --check");
    }
    return cr_cli_jacobian(&g->setup, o->setup, o->csv, error);
  }
  if (o->csv != NULL) {
    return cri_fail(error, CR_ERR_ARG, "--csv %s: only with --jacobian", o->csv);
  }
  CR_TRY(prepare(g, error));
  CR_TRY(differentiate(g, error));
  cr_real loss = g->setup.rollout->loss;
  if (g->o->check) {
    CR_TRY(check(g, error));
  }
  if (g->o->setup.json) {
    print_json(g, loss);
  } else {
    print_text(g, loss);
  }
  return CR_OK;
}

int cr_cli_grad(int argc, char** argv) {
  grad_options o = {.setup = CR_SETUP_DEFAULTS, .eps = 1e-6};
  o.setup.time = (double)NAN;
  const cr_option rows[] = {
      CR_SETUP_OPTIONS(o.setup),
      {"--loss", CR_OPT_TEXT, &o.loss, "EXPR", "as site_xpos[tip].z or norm(qpos)^2"},
      {"--at", CR_OPT_TEXT, &o.at, "end|every", "at the end (default), or summed over all steps"},
      {"--wrt", CR_OPT_LIST, &o.wrt, "NAME...", "qpos, qvel, act, ctrl, or a parameter"},
      {"--check", CR_OPT_FLAG, &o.check, "", "central differences beside the gradient"},
      {"--eps", CR_OPT_REAL, &o.eps, "H", "their step (default 1e-6)"},
      {"--jacobian", CR_OPT_FLAG, &o.jacobian, "",
       "instead: how the state after the last step (of --time; default one step) depends on the "
       "state before it, on controls and applied forces; CSV, or --json"},
      {"--csv", CR_OPT_TEXT, &o.csv, "FILE", "--jacobian: write the CSV to a file"},
  };
  const cr_command_line line = {"grad",
                                "Gradient of a loss of a rollout, or the Jacobian of a step.", rows,
                                (int)(sizeof rows / sizeof rows[0])};
  cr_error error = {0};
  bool help = false;
  grad* g = calloc(1, sizeof *g);
  if (g == NULL) {
    return 2;
  }
  g->o = &o;
  cr_status status = cr_options_parse(&line, argc, argv, &help, &error);
  if (help) {
    cr_options_print_help(&line);
  } else if (status == CR_OK) {
    o.setup.time = isnan(o.setup.time) && !o.jacobian ? 1 : o.setup.time;
    status = run(g, &error);
  }
  int code = status == CR_OK ? 0 : cr_cli_fail("grad", o.setup.json, &error, &g->setup.report);
  for (int i = 0; i < g->nrequest; i++) {
    free(g->requests[i].gradient);
    free(g->requests[i].difference);
  }
  cr_expression_free(g->expression);
  cr_setup_free(&g->setup);
  free(g);
  return code;
}
