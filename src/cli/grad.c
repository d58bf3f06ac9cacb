// SPDX-License-Identifier: Apache-2.0
// carom grad: gradient of a loss of a rollout with respect to the initial state, controls and
// parameters, with central differences beside it on request; or the Jacobian of one step.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/commands.h"
#include "cli/grad_linear.h"
#include "command/jacobian.h"
#include "command/labels.h"
#include "command/ranks.h"
#include "command/setup.h"
#include "task/plan_task.h"
#include "tools/files.h"

typedef struct {
  cr_setup_options setup;
  const char *loss, *at, *cost;
  cr_text_list wrt;
  bool check, trust, jacobian, verbose;
  const char* csv;
  double eps, reach;
  cr_estimate_options estimate;
} grad_options;

enum { MOST_SIDES = 16 };

// one --wrt
typedef struct {
  const char* name;
  int n;
  const cr_real* gradient;
  cr_real *difference, *scale;
  const cr_real* error;  // of an estimate
} request;

typedef struct {
  const grad_options* o;
  cr_ranks ranks;  // that share the samples of an estimate
  cr_setup setup;
  cr_model* variant;  // model whose dynamics the backward pass differentiates; NULL: the setup's
  cr_expression* expression;
  cr_cost* cost;                // instead of it
  cr_real parts[CR_TASK_MOST];  // of its terms
  cr_loss loss;
  cr_gradient* gradient;
  request requests[CR_MAX_LIST];
  int nrequest;
  cr_real value;  // of the loss
  int steps;
  char doubt[640];  // of the gradient, in words
  int uncounted;    // events that the gradient does not count, and the time of the first
  cr_real uncounted_from;
  double seconds_forward, seconds_backward;
  int switches;  // of contacts and limits over the run, where --check asks
  cr_trust trust;
  cr_smoothed_gradient estimate;
  cr_real* numbers;             // its arrays
  char sides[MOST_SIDES][256];  // at the start
  int nside;
} grad;

static double now(void) {
  struct timespec t;
  (void)clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// ---- the options

// the step of central differences
static cr_real probe_of(const grad_options* o) { return (cr_real)(o->eps > 0 ? o->eps : 1e-6); }

// prefix of cr_gradient_create's sentences about a name
static cr_status find_names(const grad_options* o, const cr_model* m, cr_error* error) {
  for (int i = 0; i < o->wrt.n; i++) {
    cr_place_info place = {.size = sizeof place};
    CR_TRY(cr_model_place(m, o->wrt.text[i], &place, error));
  }
  return CR_OK;
}

static cr_status make_gradient(grad* g, cr_error* error) {
  const grad_options* o = g->o;
  cr_setup* s = &g->setup;
  const cr_gradient_options options = {
      .size = sizeof options, .backward = g->variant, .derive = o->setup.derive};
  cr_error inner = {0};
  cr_status status =
      cr_gradient_create(&g->gradient, s->m, s->nstep, o->wrt.text, o->wrt.n, &options, &inner);
  if (status != CR_OK) {
    return cri_fail(error, status, "%s%s", status == CR_ERR_NAME ? "--wrt " : "", inner.text);
  }
  for (int i = 0; i < o->wrt.n; i++) {
    request* q = &g->requests[g->nrequest++];
    *q = (request){.name = o->wrt.text[i], .n = cr_gradient_count(g->gradient, i)};
    q->difference = calloc((size_t)q->n + 1, sizeof(cr_real));
    q->scale = calloc((size_t)q->n + 1, sizeof(cr_real));
    if (q->scale == NULL || q->difference == NULL) {
      return cri_fail(error, CR_ERR_MEMORY, "gradient: no memory for %d numbers", q->n);
    }
  }
  return cr_setup_fill(s, &o->setup, cr_gradient_rollout(g->gradient), error);
}

static cr_status prepare(grad* g, cr_error* error) {
  const grad_options* o = g->o;
  bool every = o->at != NULL && strcmp(o->at, "every") == 0;
  if (o->at != NULL && !every && strcmp(o->at, "end") != 0) {
    return cri_fail(error, CR_ERR_ARG, "--at %s: end or every expected", o->at);
  }
  const bool any = o->loss != NULL || o->cost != NULL;
  if (!any || o->wrt.n == 0) {
    return cri_fail(error, CR_ERR_ARG, "--%s is missing; see carom grad --help",
                    any ? "wrt" : "loss");
  }
  if (o->cost != NULL && (o->loss != NULL || o->at != NULL)) {
    return cri_fail(error, CR_ERR_ARG, "--cost: not with --%s", o->loss != NULL ? "loss" : "at");
  }
  if (o->reach > 0 && !o->trust) {
    return cri_fail(error, CR_ERR_ARG, "--reach %.9g: only with --trust", o->reach);
  }
  if (o->verbose && !o->trust) {
    return cri_fail(error, CR_ERR_ARG, "--verbose: only with --trust");
  }
  if (o->eps > 0 && !o->check) {
    return cri_fail(error, CR_ERR_ARG, "--eps %.9g: only with --check", o->eps);
  }
  if (o->estimate.kind != NULL && (o->check || o->trust)) {
    return cri_fail(error, CR_ERR_ARG, "--estimator: not with --%s", o->check ? "check" : "trust");
  }
  CR_TRY(cr_cli_grad_estimate_check(&o->estimate, error));
  CR_TRY(cr_setup_load(&g->setup, &o->setup, error));
  CR_TRY(o->cost != NULL ? cr_plan_task_cost(&g->cost, g->setup.m, o->cost, error)
                         : cr_expression_create(&g->expression, g->setup.m, o->loss, error));
  CR_TRY(find_names(o, g->setup.m, error));
  CR_TRY(cr_method_backward(&o->setup.method, g->setup.m, &g->variant, error));
  CR_TRY(cr_setup_count(&g->setup, &o->setup, error));
  const cr_real interval = (cr_real)(o->setup.time / g->setup.nstep);
  g->loss = o->cost != NULL ? cr_cost_loss(g->cost, g->setup.nstep, interval)
                            : cr_expression_loss(g->expression, every);
  return make_gradient(g, error);
}

// ---- the gradient

static cr_status differentiate(grad* g, cr_error* error) {
  const cr_setup* s = &g->setup;
  double start = now();
  CR_TRY(cr_rollout_run(s->rollout, s->m, s->nstep, &g->loss, error));
  double middle = now();
  g->value = cr_rollout_loss(s->rollout);
  for (int i = 0; i < cr_cost_count(g->cost); i++) {
    g->parts[i] = cr_cost_part(g->cost, i);
  }
  CR_TRY(cr_gradient_compute(g->gradient, &g->loss, error));
  g->seconds_forward = middle - start;
  g->seconds_backward = now() - middle;
  g->steps = cr_setup_steps(s, &g->o->setup);
  g->uncounted = cr_rollout_uncounted(s->rollout);
  g->uncounted_from = cr_rollout_uncounted_time(s->rollout);
  (void)snprintf(g->doubt, sizeof g->doubt, "%s", cr_rollout_doubt(s->rollout));
  for (int i = 0; i < g->nrequest; i++) {
    g->requests[i].gradient = cr_gradient_get(g->gradient, i);
  }
  return CR_OK;
}

// under noise instead
static cr_status estimate(grad* g, cr_error* error) {
  const grad_options* o = g->o;
  const cr_estimate_case c = {.o = &o->estimate,
                              .ranks = &g->ranks,
                              .setup = &o->setup,
                              .made = &g->setup,
                              .names = &o->wrt,
                              .loss = o->loss,
                              .cost = o->cost,
                              .every = o->at != NULL && strcmp(o->at, "every") == 0};
  size_t n = 0;
  for (int i = 0; i < g->nrequest; i++) {
    n += (size_t)g->requests[i].n;
  }
  g->numbers = calloc(2 * n + 1, sizeof *g->numbers);
  if (g->numbers == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "gradient: no memory for %zu numbers", n);
  }
  g->estimate = (cr_smoothed_gradient){
      .size = sizeof g->estimate, .gradient = g->numbers, .error = g->numbers + n};
  double start = now();
  CR_TRY(cr_cli_grad_estimate(&c, &g->estimate, error));
  g->seconds_forward = now() - start;
  const cr_real* at = g->numbers;
  for (int i = 0; i < g->nrequest; at += g->requests[i++].n) {
    g->requests[i].gradient = at;
    g->requests[i].error = at + n;
  }
  return CR_OK;
}

// at the start of the run, as given
static cr_status find_sides(grad* g, cr_error* error) {
  g->nside = 1;
  for (int i = 0; i < g->nside && i < MOST_SIDES; i++) {
    CR_TRY(cr_gradient_two_slopes(g->gradient, i, g->sides[i], (int)sizeof g->sides[i], &g->nside,
                                  error));
  }
  return CR_OK;
}

static int sides_told(const grad* g) { return g->nside < MOST_SIDES ? g->nside : MOST_SIDES; }

// ---- central differences

// true if the steps do not count when contacts come and go; then their differences do not either
static bool of_steps(const grad* g) {
  const cr_method_options* o = &g->o->setup.method;
  return g->switches > 0 && !(cr_method_is_adaptive(o) && o->events);
}

static cr_status check(grad* g, cr_error* error) {
  CR_TRY(cr_rollout_switches(g->setup.rollout, g->setup.m, &g->switches, error));
  for (int i = 0; i < g->nrequest; i++) {
    CR_TRY(
        cr_gradient_differences(g->gradient, i, probe_of(g->o), g->requests[i].difference, error));
  }
  return CR_OK;
}

// ---- output

// a change too small to make or measure
#define NOTHING ((cr_real)1e-12)

static cr_real greater(cr_real a, cr_real b) { return a > b ? a : b; }

// how far, by the gradient, such a change moves the loss; 0 if that is no more than the loss
static cr_real moved_by_nothing(const grad* g, cr_real loss) {
  cr_real most = 0;
  for (int i = 0; i < g->nrequest; i++) {
    const request* q = &g->requests[i];
    for (int k = 0; k < q->n; k++) {
      most = greater(most, NOTHING * q->scale[k] * (cr_real)fabs((double)q->gradient[k]));
    }
  }
  return most > greater((cr_real)fabs((double)loss), 1) ? most : 0;
}

typedef enum { GRADIENT, DIFFERENCE, ERROR } kind_of_number;

static void put_requests(const grad* g, cr_json* j, const char* key, kind_of_number kind) {
  cr_json_open(j, key, '{');
  for (int i = 0; i < g->nrequest; i++) {
    const request* q = &g->requests[i];
    const cr_real* v = kind == GRADIENT ? q->gradient : kind == ERROR ? q->error : q->difference;
    const char* name = q->name;
    if (strcmp(name, "ctrl") != 0) {
      cr_json_numbers(j, name, v, q->n);
      continue;
    }
    cr_json_open(j, name, '[');
    for (int k = 0; k < g->setup.nstep; k++) {
      cr_json_reals(j, NULL, v + (size_t)k * (size_t)g->setup.nu, g->setup.nu);
    }
    cr_json_close(j, ']');
  }
  cr_json_close(j, '}');
}

static void put_trust(const cr_trust* t, cr_json* j) {
  cr_json_open(j, "trust", '{');
  cr_json_string(j, "verdict", cr_trust_word(t->verdict));
  cr_json_string(j, "text", t->text);
  cr_json_real(j, "change", t->change);
  cr_json_real(j, "off", t->off);
  cr_json_real(j, "refined", t->refined);
  cr_json_int(j, "switches", t->switches);
  cr_json_int(j, "switches_apart", t->apart);
  cr_json_int(j, "switches_uncounted", t->uncounted);
  cr_json_real(j, "lacking", t->lacking);
  cr_json_real(j, "lacking_part", t->lacking_part);
  cr_json_real(j, "growth", t->growth);
  cr_json_real(j, "chaotic_beyond", t->beyond);
  cr_json_real(j, "reach", t->reach);
  cr_json_real(j, "slope", t->slope);
  cr_json_real(j, "quotient", t->quotient);
  cr_json_real(j, "quotient_near_by", t->near_by);
  cr_json_real(j, "left", t->left);
  cr_json_real(j, "right", t->right);
  cr_json_real(j, "left_near_by", t->near_left);
  cr_json_real(j, "right_near_by", t->near_right);
  cr_json_int(j, "across", t->across);
  cr_json_real(j, "across_slope", t->across_slope);
  cr_json_real(j, "across_quotient", t->across_quotient);
  cr_json_real(j, "across_error", t->across_error);
  cr_json_real(j, "cost", t->cost);
  cr_json_real(j, "cost_more", t->cost_more);
  cr_json_string(j, "estimator", cr_enum_word("estimator_kind", (int)cr_estimator_for(t)));
  cr_json_close(j, '}');
}

static void print_uncounted(const cr_trust* t) {
  (void)printf("  moments of contacts: %d not counted", t->uncounted);
  if (isinf(t->lacking)) {
    (void)printf("; counting them costs more than all the rest, and was given up");
  } else if (!isnan(t->lacking)) {
    (void)printf("; counting them changes the gradient by %.3g %%", 100 * (double)t->lacking);
  }
  (void)printf("\n");
}

// what to use where the gradient will not do
static void print_instead(const cr_trust* t) {
  cr_estimator_kind kind = cr_estimator_for(t);
  if (kind != CR_ESTIMATOR_FIRST) {
    (void)printf("instead: the gradient of the mean under noise, --estimator %s --sigma NAME=S\n",
                 cr_enum_word("estimator_kind", (int)kind));
  }
}

static void print_trust(const cr_trust* t) {
  (void)printf("what --trust has measured\n");
  (void)printf("  finer: the gradient changes by %.3g %%\n", 100 * (double)t->change);
  (void)printf("  contacts: %d changes; %d states of contact differ within %.2g\n", t->switches,
               t->apart, (double)t->reach);
  if (t->uncounted > 0) {
    print_uncounted(t);
  }
  (void)printf("  growth of the tangent: %.4g\n", (double)t->growth);
  (void)printf(
      "  along the gradient: slope %.6g; differences %.6g over %.2g, %.6g over an eighth\n",
      (double)t->slope, (double)t->quotient, (double)t->reach, (double)t->near_by);
  if (t->across > 0) {
    (void)printf(
        "  across it: %d probes; at worst slope %.3g, differences %.3g: an error of about "
        "%.2g %%\n",
        t->across, (double)t->across_slope, (double)t->across_quotient,
        100 * (double)t->across_error);
  }
  (void)printf("  cost: %.3g runs with their gradients\n", (double)t->cost);
}

static void print_json(const grad* g, cr_real loss) {
  cr_json j = {0};
  cr_json_open(&j, NULL, '{');
  cr_json_real(&j, "loss", loss);
  if (g->cost != NULL) {
    cr_json_open(&j, "terms", '{');
    for (int i = 0; i < cr_cost_count(g->cost); i++) {
      cr_json_real(&j, cr_cost_name(g->cost, i), g->parts[i]);
    }
    cr_json_close(&j, '}');
  }
  put_requests(g, &j, "gradient", GRADIENT);
  if (g->o->check) {
    put_requests(g, &j, "differences", DIFFERENCE);
    cr_json_real(&j, "eps", probe_of(g->o));
    cr_json_string(&j, "differences_of", of_steps(g) ? "these steps" : "the motion");
  }
  if (g->o->trust) {
    put_trust(&g->trust, &j);
  }
  cr_json_int(&j, "steps", g->steps);
  if (sides_told(g) > 0) {
    cr_json_open(&j, "two_slopes", '[');
    for (int i = 0; i < sides_told(g); i++) {
      cr_json_string(&j, NULL, g->sides[i]);
    }
    cr_json_close(&j, ']');
  }
  if (g->o->setup.method.events) {
    cr_json_int(&j, "uncounted_events", g->uncounted);
  }
  if (g->doubt[0] != 0) {
    cr_json_string(&j, "doubt", g->doubt);
  }
  if (moved_by_nothing(g, loss) > 0) {
    cr_json_bool(&j, "beyond_use", true);
  }
  cr_json_open(&j, "seconds", '{');
  cr_json_real(&j, "forward", (cr_real)g->seconds_forward);
  cr_json_real(&j, "backward", (cr_real)g->seconds_backward);
  cr_json_close(&j, '}');
  cr_json_close(&j, '}');
  cr_json_finish(&j);
}

static void print_estimate_json(const grad* g) {
  const cr_smoothed_gradient* e = &g->estimate;
  const cr_estimate_options* o = &g->o->estimate;
  cr_json j = {0};
  cr_json_open(&j, NULL, '{');
  cr_json_string(&j, "estimator", o->kind);
  cr_json_string(&j, "draws", o->draws != NULL ? o->draws : "random");
  cr_json_int(&j, "samples", cr_cli_grad_estimate_samples(o));
  cr_json_real(&j, "loss", e->loss);
  cr_json_real(&j, "mean", e->mean);
  cr_json_real(&j, "mean_error", e->mean_error);
  put_requests(g, &j, "gradient", GRADIENT);
  put_requests(g, &j, "error", ERROR);
  cr_json_real(&j, "first_variance", e->first_variance);
  cr_json_real(&j, "zeroth_variance", e->zeroth_variance);
  if (e->text[0] != 0) {
    cr_json_real(&j, "alpha", e->alpha);
    cr_json_real(&j, "distance", e->distance);
    cr_json_real(&j, "certainty", e->certainty);
    cr_json_string(&j, "verdict", cr_enum_word("alpha_verdict", (int)e->verdict));
    cr_json_string(&j, "text", e->text);
  }
  cr_json_real(&j, "seconds", (cr_real)g->seconds_forward);
  cr_json_close(&j, '}');
  cr_json_finish(&j);
}

// the name of number k of a request; of controls also their step, else -1
static int name_of(const grad* g, const request* q, int k, char name[CR_NUMBER_NAME]) {
  const cr_model* m = g->setup.m;
  if (strcmp(q->name, "ctrl") != 0) {
    cr_label_of_place(m, q->name, k, true, name);
    return -1;
  }
  cr_label(m, "ctrl", k % g->setup.nu, false, name);
  return k / g->setup.nu;
}

// a row for each number
static cr_status write_csv(const grad* g, cr_error* error) {
  const char* path = g->o->csv;
  char *text = NULL, name[CR_NUMBER_NAME];
  size_t n = 0;
  FILE* file = open_memstream(&text, &n);
  if (file == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "%s: no memory", path);
  }
  bool estimated = g->o->estimate.kind != NULL;
  (void)fprintf(file, "by,step,gradient%s\n",
                g->o->check ? ",difference"
                : estimated ? ",error"
                            : "");
  for (int i = 0; i < g->nrequest; i++) {
    const request* q = &g->requests[i];
    for (int k = 0; k < q->n; k++) {
      int step = name_of(g, q, k, name);
      (void)fprintf(file, "%s,", name);
      (void)(step >= 0 ? fprintf(file, "%d", step) : 0);
      (void)fprintf(file, ",%.17g", (double)q->gradient[k]);
      (void)(g->o->check ? fprintf(file, ",%.17g", (double)q->difference[k]) : 0);
      (void)(estimated ? fprintf(file, ",%.17g", (double)q->error[k]) : 0);
      (void)fprintf(file, "\n");
    }
  }
  cr_status status = fclose(file) == 0 ? cri_file_write(path, text, n, error)
                                       : cri_fail(error, CR_ERR_MEMORY, "%s: no memory", path);
  free(text);
  return status;
}

static void print_numbers(const grad* g, const char* what) {
  for (int i = 0; i < g->nrequest; i++) {
    const request* q = &g->requests[i];
    for (int k = 0; k < q->n; k++) {
      char name[CR_NUMBER_NAME];
      int step = name_of(g, q, k, name);
      (void)printf("d %s / d %s", what, name);
      if (step >= 0) {
        (void)printf(" in step %d", step);
      }
      (void)printf(" = %.12g", (double)q->gradient[k]);
      if (g->o->check) {
        (void)printf("   (central difference %.12g)", (double)q->difference[k]);
      }
      if (q->error != NULL) {
        (void)printf(" +- %.3g", (double)q->error[k]);
      }
      (void)printf("\n");
    }
  }
}

static void print_estimate(const grad* g) {
  const cr_smoothed_gradient* e = &g->estimate;
  if (e->text[0] != 0) {
    (void)printf("%s\n", e->text);
  }
  (void)printf("mean loss %.9g +- %.3g of %d samples, without noise %.9g (%.3g s)\n",
               (double)e->mean, (double)e->mean_error,
               cr_cli_grad_estimate_samples(&g->o->estimate), (double)e->loss, g->seconds_forward);
  if (!isnan(e->first_variance)) {
    (void)printf("variance of a sample, first order   %.4g\n", (double)e->first_variance);
  }
  if (!isnan(e->zeroth_variance)) {
    (void)printf("variance of a sample, zeroth order  %.4g\n", (double)e->zeroth_variance);
  }
  print_numbers(g, "mean");
}

static void print_text(const grad* g, cr_real loss) {
  (void)printf("loss %.12g after %d steps (forward %.3g s, backward %.3g s)\n", (double)loss,
               g->steps, g->seconds_forward, g->seconds_backward);
  for (int i = 0; i < cr_cost_count(g->cost); i++) {
    (void)printf("  %-28s %.12g\n", cr_cost_name(g->cost, i), (double)g->parts[i]);
  }
  if (g->uncounted > 0) {
    (void)printf(
        "uncounted events: %d, the first at time %.9g; the gradient lacks their part "
        "and may be wrong in every digit: --trust says whether it is\n",
        g->uncounted, (double)g->uncounted_from);
  }
  if (g->doubt[0] != 0) {
    (void)printf("%s\n", g->doubt);
  }
  if (moved_by_nothing(g, loss) > 0) {
    (void)printf(
        "beyond use: the gradient says that a change by %.2g of its scale moves the loss by %.3g; "
        "the motion is chaotic or not stable, or jumps at contacts have multiplied: --trust says "
        "from which time on\n",
        (double)NOTHING, (double)moved_by_nothing(g, loss));
  }
  print_numbers(g, "loss");
  for (int i = 0; i < sides_told(g); i++) {
    (void)printf("two slopes at the start: %s\n", g->sides[i]);
  }
  if (g->nside > MOST_SIDES) {
    (void)printf("two slopes at the start: %d more\n", g->nside - MOST_SIDES);
  }
  if (g->o->check && of_steps(g)) {
    (void)printf(
        "central differences of these steps: contacts or limits change %d times, and neither the "
        "gradient nor these differences count that the moments move; --events counts it, --trust "
        "says how much it is\n",
        g->switches);
  }
}

// a Jacobian is of the whole state after one step: options for losses and rollouts have no effect
static cr_status check_jacobian(const grad_options* o, cr_error* error) {
  const struct {
    const char* name;
    bool given;
  } others[] = {{"--loss", o->loss != NULL},
                {"--cost", o->cost != NULL},
                {"--at", o->at != NULL},
                {"--check", o->check},
                {"--eps", o->eps > 0},
                {"--trust", o->trust},
                {"--reach", o->reach > 0},
                {"--verbose", o->verbose},
                {"--adjoint", o->setup.method.adjoint != NULL}};
  for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
    if (others[i].given) {
      return cri_fail(error, CR_ERR_ARG,
                      "%s: not with --jacobian, which is of the whole state after one step",
                      others[i].name);
    }
  }
  return CR_OK;
}

static cr_status prepare_estimate(grad* g, cr_error* error) {
  CR_TRY(cr_setup_output(&g->o->setup, "--csv", g->o->csv, "csv", error));
  return prepare(g, error);
}

// every rank has the estimate; the first one tells it
static cr_status tell_estimate(const grad* g, cr_error* error) {
  const grad_options* o = g->o;
  CR_TRY(o->csv != NULL ? write_csv(g, error) : CR_OK);
  (o->setup.json ? print_estimate_json : print_estimate)(g);
  cr_output_tell(o->setup.json ? NULL : o->csv);
  return CR_OK;
}

static cr_status run_estimate(grad* g, cr_error* error) {
  CR_TRY(cr_ranks_open(&g->ranks, error));
  CR_TRY(cr_ranks_agree(&g->ranks, prepare_estimate(g, error), error));
  CR_TRY(estimate(g, error));
  cr_status status = g->ranks.rank == 0 ? tell_estimate(g, error) : CR_OK;
  return cr_ranks_agree(&g->ranks, status, error);
}

static cr_status prepare_jacobian(const grad_options* o, cr_error* error) {
  CR_TRY(check_jacobian(o, error));
  CR_TRY(cr_setup_output(&o->setup, "--csv", o->csv, "csv", error));
  CR_TRY(cr_cli_grad_estimate_check(&o->estimate, error));
  return o->estimate.kind == NULL || o->wrt.n == 0
             ? CR_OK
             : cri_fail(
                   error, CR_ERR_ARG,
                   "--wrt: not with --jacobian --estimator, whose model is of state and controls");
}

static cr_status run_jacobian(grad* g, cr_error* error) {
  const grad_options* o = g->o;
  if (o->estimate.kind == NULL) {
    CR_TRY(prepare_jacobian(o, error));
    return cr_cli_jacobian(&g->setup, o->setup, &o->wrt, o->csv, error);
  }
  CR_TRY(cr_ranks_open(&g->ranks, error));
  CR_TRY(cr_ranks_agree(&g->ranks, prepare_jacobian(o, error), error));
  return cr_cli_grad_linear(&g->setup, o->setup, &o->estimate, o->csv, &g->ranks, error);
}

static cr_status run(grad* g, cr_error* error) {
  const grad_options* o = g->o;
  if (o->jacobian) {
    return run_jacobian(g, error);
  }
  if (o->estimate.kind != NULL) {
    return run_estimate(g, error);
  }
  CR_TRY(cr_setup_output(&o->setup, "--csv", o->csv, "csv", error));
  CR_TRY(prepare(g, error));
  CR_TRY(differentiate(g, error));
  CR_TRY(find_sides(g, error));
  if (g->o->check) {
    CR_TRY(check(g, error));
  }
  for (int i = 0; i < g->nrequest; i++) {
    CR_TRY(cr_gradient_scale(g->gradient, i, g->requests[i].scale, error));
  }
  if (g->o->trust) {
    g->trust.size = sizeof g->trust;
    CR_TRY(cr_gradient_trust(g->gradient, (cr_real)g->o->reach, &g->trust, error));
  }
  CR_TRY(g->o->csv != NULL ? write_csv(g, error) : CR_OK);
  if (g->o->setup.json) {
    print_json(g, g->value);
  } else {
    if (g->o->trust) {
      (void)printf("%s\n", g->trust.text);
      print_instead(&g->trust);
    }
    print_text(g, g->value);
    if (g->o->trust && g->o->verbose) {
      print_trust(&g->trust);
    }
    cr_output_tell(g->o->csv);
  }
  return CR_OK;
}

int cr_cli_grad(int argc, char** argv) {
  grad_options o = {.setup = CR_SETUP_DEFAULTS};
  o.setup.time = (double)NAN;
  const cr_option rows[] = {
      CR_SETUP_OPTIONS(o.setup),
      {"--loss", CR_OPT_TEXT, &o.loss, "EXPR", "as site_xpos[tip].z or norm(qpos)^2"},
      {"--cost", CR_OPT_TEXT, &o.cost, "FILE",
       "instead: the sum of the terms of cost in a task of carom plan (YAML)"},
      {"--at", CR_OPT_TEXT, &o.at, "end|every", "at the end (default), or summed over all steps"},
      {"--wrt", CR_OPT_LIST, &o.wrt, "NAME...", "qpos, qvel, act, ctrl, or a parameter"},
      {"--check", CR_OPT_FLAG, &o.check, "", "central differences beside the gradient"},
      {"--eps", CR_OPT_POSITIVE, &o.eps, "H", "their step (default 1e-6)"},
      {"--trust", CR_OPT_FLAG, &o.trust, "",
       "check whether the gradient can be trusted, and say why: exit code 1 if not"},
      {"--reach", CR_OPT_POSITIVE, &o.reach, "H",
       "distance within which --trust looks (default 1e-3)"},
      {"--jacobian", CR_OPT_FLAG, &o.jacobian, "",
       "instead: derivative of the state after the last step (of --time; default one step) by the "
       "state before it, by controls, applied forces and the parameters that --wrt names; CSV, or "
       "--json"},
      {"--csv", CR_OPT_TEXT, &o.csv, "FILE.csv",
       "write the gradient, or the Jacobian, as a table with names"},
      {"--verbose", CR_OPT_FLAG, &o.verbose, "", "--trust: print what was measured too"},
      CR_ESTIMATE_OPTIONS(o.estimate),
  };
  const cr_command_line line = {
      "grad",
      "Gradient of a loss of a rollout, or the Jacobian of a step.",
      rows,
      (int)(sizeof rows / sizeof rows[0]),
      "--loss --wrt --time --set --ctrl --trust --check --integrator --rtol "
      "--atol --events --jacobian --estimator --samples --sigma --csv --verbose --json",
      {"grad examples/arm.xml --time 0.5 --loss 'site_xpos[tip].z' --wrt qpos "
       "body_mass --ctrl shoulder=0.5",
       "grad examples/cube_toss.xml --time 0.5 --set 'qvel[4]=-6' --loss "
       "'qpos[0]' --wrt qvel --integrator tsit5 --rtol 1e-7 --atol 1e-7 "
       "--events --trust"}};
  cr_error error = {0};
  cr_help help = CR_HELP_NONE;
  grad* g = calloc(1, sizeof *g);
  if (g == NULL) {
    return cr_cli_no_memory("grad");
  }
  g->o = &o;
  cr_status status = cr_options_parse(&line, argc, argv, &help, &error);
  if (help != CR_HELP_NONE) {
    cr_options_print_help(&line, help);
  } else if (status == CR_OK) {
    o.setup.time = isnan(o.setup.time) && !o.jacobian ? 1 : o.setup.time;
    status = run(g, &error);
  }
  int code = cr_status_exit_code(status);
  if (status != CR_OK && g->ranks.rank == 0) {
    code = cr_cli_fail("grad", o.setup.json, &error, g->setup.report);
  }
  if (status == CR_OK && o.trust && help == CR_HELP_NONE && g->trust.verdict != CR_TRUST_YES) {
    code = 1;
  }
  for (int i = 0; i < g->nrequest; i++) {
    free(g->requests[i].difference);
    free(g->requests[i].scale);
  }
  bool owned = g->setup.rollout != NULL && g->setup.rollout == cr_gradient_rollout(g->gradient);
  g->setup.rollout = owned ? NULL : g->setup.rollout;
  free(g->numbers);
  cr_gradient_destroy(g->gradient);
  cr_model_destroy(g->variant);
  cr_expression_destroy(g->expression);
  cr_cost_destroy(g->cost);
  cr_setup_free(&g->setup);
  cr_ranks_close(&g->ranks);
  free(g);
  return code;
}
