// SPDX-License-Identifier: Apache-2.0
#include "cli/grad_estimate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/locale.h"
#include "base/status.h"
#include "command/interrupt.h"
#include "task/plan_task.h"

enum { SAMPLES = 256, MOST_THREADS = 1024 };

// one a thread: a model, a gradient and a loss of its own
typedef struct {
  cr_model *m, *backward;
  cr_gradient* gradient;
  cr_expression* expression;
  cr_cost* cost;
} worker;

typedef struct {
  const cr_estimate_case* c;
  int n;
  worker* workers;
  cr_gradient** gradients;
  cr_loss* losses;
  cr_real* sigma;
} estimate;

int cr_cli_grad_estimate_samples(const cr_estimate_options* o) {
  return o->samples > 0 ? (int)fmin(o->samples, 1e9) : SAMPLES;
}

cr_status cr_cli_grad_estimate_check(const cr_estimate_options* o, cr_error* error) {
  const struct {
    const char* name;
    bool given;
  } rows[] = {{"--samples", o->samples > 0},       {"--sigma", o->sigma.n > 0},
              {"--draws", o->draws != NULL},       {"--bias", o->bias > 0},
              {"--confidence", o->confidence > 0}, {"--threads", o->threads > 0}};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0] && o->kind == NULL; i++) {
    if (rows[i].given) {
      return cri_fail(error, CR_ERR_ARG, "%s: only with --estimator", rows[i].name);
    }
  }
  if (o->samples != floor(o->samples)) {
    return cri_fail(error, CR_ERR_ARG, "--samples %.9g: a whole number is expected", o->samples);
  }
  return o->bias == 0 || strcmp(o->kind, "alpha") == 0
             ? CR_OK
             : cri_fail(error, CR_ERR_ARG, "--bias %.9g: only with --estimator alpha", o->bias);
}

// ---- options

cr_status cr_cli_grad_estimate_sigma(const cr_text_list* given, const char* name, cr_real* sigma,
                                     bool* present, cr_error* error) {
  size_t length = strlen(name);
  *present = false;
  for (int i = 0; i < given->n && !*present; i++) {
    const char* text = given->text[i];
    if (strncmp(text, name, length) != 0 || text[length] != '=') {
      continue;
    }
    char* end;
    double value = cri_number(text + length + 1, &end);
    if (end == text + length + 1 || *end != 0 || !(value >= 0) || !isfinite(value)) {
      return cri_fail(error, CR_ERR_ARG, "--sigma %s: a number of 0 or more is expected", text);
    }
    *sigma = (cr_real)value;
    *present = true;
  }
  return CR_OK;
}

// the standard deviation of a name of --wrt
static cr_status find_sigma(const cr_estimate_case* c, const char* name, cr_real* sigma,
                            cr_error* error) {
  bool present;
  CR_TRY(cr_cli_grad_estimate_sigma(&c->o->sigma, name, sigma, &present, error));
  return present ? CR_OK
                 : cri_fail(error, CR_ERR_ARG, "--estimator: --sigma %s=S is missing", name);
}

static bool is_named(const cr_estimate_case* c, const char* text) {
  for (int i = 0; i < c->names->n; i++) {
    size_t length = strlen(c->names->text[i]);
    if (strncmp(text, c->names->text[i], length) == 0 && text[length] == '=') {
      return true;
    }
  }
  return false;
}

static cr_status take_sigma(estimate* e, cr_error* error) {
  const cr_estimate_case* c = e->c;
  for (int i = 0; i < c->o->sigma.n; i++) {
    if (!is_named(c, c->o->sigma.text[i])) {
      return cri_fail(error, CR_ERR_ARG, "--sigma %s: NAME=S with a NAME of --wrt is expected",
                      c->o->sigma.text[i]);
    }
  }
  int n = 0;
  for (int i = 0; i < c->names->n; i++) {
    n += cr_gradient_count(e->gradients[0], i);
  }
  cr_real* to = e->sigma = calloc((size_t)n + 1, sizeof *e->sigma);
  if (to == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "estimator: no memory for %d numbers", n);
  }
  for (int i = 0; i < c->names->n; i++) {
    cr_real sigma = 0;
    CR_TRY(find_sigma(c, c->names->text[i], &sigma, error));
    for (int k = 0; k < cr_gradient_count(e->gradients[0], i); k++) {
      *to++ = sigma;
    }
  }
  return CR_OK;
}

static cr_status word_of(const char* option, const char* kind, const char* word, int* value,
                         const char* known, cr_error* error) {
  *value = word != NULL ? cr_enum_value(kind, word) : 0;
  return *value >= 0 ? CR_OK
                     : cri_fail(error, CR_ERR_ARG, "%s %s: %s expected", option, word, known);
}

// ---- workers

static cr_status make_worker(estimate* e, int i, cr_error* error) {
  const cr_estimate_case* c = e->c;
  worker* w = &e->workers[i];
  CR_TRY(cr_model_copy(&w->m, c->made->m, error));
  CR_TRY(cr_method_backward(&c->setup->method, w->m, &w->backward, error));
  const cr_gradient_options options = {
      .size = sizeof options, .backward = w->backward, .derive = c->setup->derive};
  CR_TRY(cr_gradient_create(&w->gradient, w->m, c->made->nstep, c->names->text, c->names->n,
                            &options, error));
  cr_setup setup = *c->made;
  setup.m = w->m;
  CR_TRY(cr_setup_fill(&setup, c->setup, cr_gradient_rollout(w->gradient), error));
  CR_TRY(c->cost != NULL ? cr_plan_task_cost(&w->cost, w->m, c->cost, error)
                         : cr_expression_create(&w->expression, w->m, c->loss, error));
  e->gradients[i] = w->gradient;
  e->losses[i] = c->cost != NULL ? cr_cost_loss(w->cost, c->made->nstep,
                                                (cr_real)(c->setup->time / c->made->nstep))
                                 : cr_expression_loss(w->expression, c->every);
  return CR_OK;
}

static cr_status make(estimate* e, cr_error* error) {
  long processors = e->c->ranks->size > 1 ? 1 : sysconf(_SC_NPROCESSORS_ONLN);
  int threads = e->c->o->threads > 0 ? e->c->o->threads : processors > 0 ? (int)processors : 1;
  if (threads > MOST_THREADS) {
    return cri_fail(error, CR_ERR_ARG, "--threads %d: 1 to %d expected", threads, MOST_THREADS);
  }
  size_t n = (size_t)threads;
  e->workers = calloc(n + 1, sizeof *e->workers);
  e->gradients = calloc(n, sizeof *e->gradients);
  e->losses = calloc(n, sizeof *e->losses);
  if (e->workers == NULL || e->gradients == NULL || e->losses == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "estimator: no memory for %d threads", threads);
  }
  for (; e->n < threads; e->n++) {
    CR_TRY(make_worker(e, e->n, error));
  }
  return take_sigma(e, error);
}

static void let_go(estimate* e) {
  for (int i = 0; i <= e->n && e->workers != NULL; i++) {  // the last one may be half made
    worker* w = &e->workers[i];
    cr_gradient_destroy(w->gradient);
    cr_expression_destroy(w->expression);
    cr_cost_destroy(w->cost);
    cr_model_destroy(w->backward);
    cr_model_destroy(w->m);
  }
  free(e->workers);
  free(e->gradients);
  free(e->losses);
  free(e->sigma);
}

// ---- the call

static cr_status prepare(estimate* e, int* kind, int* draws, cr_error* error) {
  const cr_estimate_options* o = e->c->o;
  CR_TRY(word_of("--estimator", "estimator_kind", o->kind, kind, "first, zeroth or alpha", error));
  CR_TRY(word_of("--draws", "draws", o->draws, draws, "random, antithetic or quasi", error));
  return make(e, error);
}

static cr_status run(estimate* e, cr_smoothed_gradient* found, cr_error* error) {
  const cr_estimate_options* o = e->c->o;
  const cr_processes processes = cr_ranks_processes(e->c->ranks);
  int kind = 0, draws = 0;
  CR_TRY(cr_ranks_agree(e->c->ranks, prepare(e, &kind, &draws, error), error));
  const cr_estimator_options options = {.size = sizeof options,
                                        .kind = (cr_estimator_kind)kind,
                                        .samples = cr_cli_grad_estimate_samples(o),
                                        .sigma = e->sigma,
                                        .draws = (cr_draws)draws,
                                        .seed = (uint64_t)o->seed,
                                        .confidence = (cr_real)o->confidence,
                                        .bias = (cr_real)o->bias,
                                        .stop = cr_interrupted,
                                        .processes = &processes};
  return cr_gradient_estimate(e->gradients, e->losses, e->n, &options, found, error);
}

cr_status cr_cli_grad_estimate(const cr_estimate_case* c, cr_smoothed_gradient* found,
                               cr_error* error) {
  estimate e = {.c = c};
  cr_status status = run(&e, found, error);
  let_go(&e);
  return status;
}
