// SPDX-License-Identifier: Apache-2.0
// carom grad: gradient of a loss of a rollout with respect to the initial state, controls and
// parameters, with central differences beside it on request; or the Jacobian of one step.
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "carom/step.h"
#include "cli/commands.h"
#include "cli/jacobian.h"
#include "cli/setup.h"
#include "cli/wrt.h"
#include "engine/constants.h"
#include "learn/expression.h"
#include "learn/trust.h"
#include "model/check.h"
#include "model/fields.h"
#include "rollout/one_sided.h"
#include "rollout/switches.h"

typedef struct {
  cr_setup_options setup;
  const char *loss, *at;
  cr_text_list wrt;
  bool check, trust, jacobian;
  const char* csv;
  double eps, reach;
} grad_options;

enum { MOST_SIDES = 16 };

// one --wrt: a place, and its gradient
typedef struct {
  cr_wrt wrt;
  int n;
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
  char doubt[640];  // of the gradient, in words
  int uncounted;    // events that the gradient does not count, and when the first of them was
  cr_real uncounted_from;
  double seconds_forward, seconds_backward;
  int switches;  // of contacts and limits over the run, where --check asks
  cr_start start;
  cr_trust trust;
  cri_one_sided sides[MOST_SIDES];  // at the start
  int nside;
} grad;

static double now(void) {
  struct timespec t;
  (void)clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// ---- what is asked for

// the step of central differences
static cr_real probe_of(const grad_options* o) { return (cr_real)(o->eps > 0 ? o->eps : 1e-6); }

static cr_status prepare(grad* g, cr_error* error) {
  const grad_options* o = g->o;
  bool every = o->at != NULL && strcmp(o->at, "every") == 0;
  if (o->at != NULL && !every && strcmp(o->at, "end") != 0) {
    return cri_fail(error, CR_ERR_ARG, "--at %s: end or every expected", o->at);
  }
  if (o->loss == NULL || o->wrt.n == 0) {
    return cri_fail(error, CR_ERR_ARG, "--%s is missing; see carom grad --help",
                    o->loss == NULL ? "loss" : "wrt");
  }
  if (o->reach > 0 && !o->trust) {
    return cri_fail(error, CR_ERR_ARG, "--reach %.9g: only with --trust", o->reach);
  }
  if (o->eps > 0 && !o->check) {
    return cri_fail(error, CR_ERR_ARG, "--eps %.9g: only with --check", o->eps);
  }
  CR_TRY(cr_setup_load(&g->setup, &o->setup, error));
  CR_TRY(cr_expression_create(&g->expression, &g->setup.m, o->loss, error));
  for (int i = 0; i < o->wrt.n; i++) {
    CR_TRY(cr_wrt_find(&g->requests[i].wrt, &g->setup.m, o->wrt.text[i], g->wanted, error));
    g->nrequest++;
  }
  for (int k = 0; k < CR_N_DERIVED && o->setup.derive; k++) {
    g->wanted[cri_derived_fields[k]] = true;
  }
  CR_TRY(cr_method_backward(&o->setup.method, &g->setup.m, &g->variant, &g->backward, error));
  CR_TRY(cr_setup_rollout(&g->setup, &o->setup, g->wanted, error));
  g->loss = cr_expression_loss(g->expression, every);
  for (int i = 0; i < g->nrequest; i++) {
    request* q = &g->requests[i];
    q->n = cr_wrt_size(&q->wrt, &g->setup);
    q->gradient = calloc((size_t)q->n + 1, sizeof(cr_real));
    q->difference = calloc((size_t)q->n + 1, sizeof(cr_real));
    if (q->gradient == NULL || q->difference == NULL) {
      return cri_fail(error, CR_ERR_MEMORY, "gradient: no memory for %d numbers", q->n);
    }
  }
  return CR_OK;
}

// ---- the gradient

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
  g->uncounted = cr_rollout_uncounted(s->rollout);
  (void)snprintf(g->doubt, sizeof g->doubt, "%s", cr_rollout_doubt(s->rollout));
  g->uncounted_from = s->rollout->controller.first_missed;
  g->seconds_forward = middle - start;
  g->seconds_backward = now() - middle;
  for (int i = 0; i < g->nrequest; i++) {
    request* q = &g->requests[i];
    CR_TRY(cr_wrt_read(&q->wrt, s, s->rollout, q->gradient, error));
  }
  return CR_OK;
}

// at the start of the run, which is what is given
static cr_status find_sides(grad* g, cr_error* error) {
  cr_rollout* r = g->setup.rollout;
  const cr_model* m = &g->setup.m;
  bool asked[CR_N_FIELD] = {false};
  for (int i = 0; i < g->nrequest; i++) {
    asked[g->requests[i].wrt.place.field] = true;
  }
  CR_TRY(cri_rollout_restore(r, m, 0, error));
  cr_status status = cr_forward(m, r->d);
  if (status != CR_OK) {
    return cri_fail(error, status, "dynamics at the start: %s", cr_data_error(r->d));
  }
  g->nside = cri_one_sided_find(m, r->d, asked, g->sides, MOST_SIDES);
  return CR_OK;
}

static int sides_told(const grad* g) { return g->nside < MOST_SIDES ? g->nside : MOST_SIDES; }

// ---- central differences

static cr_status moved_loss(grad* g, const request* q, int k, cr_real h, cr_real* loss,
                            cr_error* error) {
  cr_setup* s = &g->setup;
  cr_start_put(&g->start, s, s->rollout);
  cr_wrt_move(&q->wrt, s, s->rollout, k, h);
  if (g->o->setup.derive) {
    CR_TRY(cr_constants(&s->m, s->rollout->work));
  }
  CR_TRY(cr_rollout_run(s->rollout, &s->m, s->nstep, &g->loss, error));
  *loss = s->rollout->loss;
  return CR_OK;
}

// differences of steps that do not count when contacts come and go do not know it either
static bool of_steps(const grad* g) {
  const cr_rollout* r = g->setup.rollout;
  return g->switches > 0 && !(r->adaptive && r->options.events);
}

static cr_status count_switches(grad* g, cr_error* error) {
  cri_switches switches = {0};
  cr_status status = cri_switches_of(&switches, g->setup.rollout, &g->setup.m, error);
  g->switches = switches.n - 1;
  cri_switches_free(&switches);
  return status;
}

static cr_status check(grad* g, cr_error* error) {
  cr_real h = probe_of(g->o);
  CR_TRY(count_switches(g, error));
  for (int i = 0; i < g->nrequest; i++) {
    request* q = &g->requests[i];
    for (int k = 0; k < q->n; k++) {
      cr_real plus, minus;
      CR_TRY(moved_loss(g, q, k, h, &plus, error));
      CR_TRY(moved_loss(g, q, k, -h, &minus, error));
      q->difference[k] = (plus - minus) / (2 * h);
    }
  }
  cr_start_put(&g->start, &g->setup, g->setup.rollout);
  return CR_OK;
}

// ---- trust

static cr_status start_moved(void* context, cr_rollout* r, const cr_real* step, cr_error* error) {
  grad* g = context;
  cr_start_put(&g->start, &g->setup, r);
  for (int i = 0; i < g->nrequest && step != NULL; i++) {
    const request* q = &g->requests[i];
    for (int k = 0; k < q->n; k++) {
      cr_wrt_move(&q->wrt, &g->setup, r, k, *step++);
    }
  }
  cr_status status =
      step != NULL && g->o->setup.derive ? cr_constants(&g->setup.m, r->work) : CR_OK;
  return status == CR_OK ? CR_OK
                         : cri_fail(error, status, "derived constants: %s", r->work->error.text);
}

static cr_status read_gradient(void* context, cr_rollout* r, cr_real* gradient, cr_error* error) {
  const grad* g = context;
  if (g->o->setup.derive) {
    CR_TRY(cr_constants_vjp(&g->setup.m, r->work, r->bar));
  }
  for (int i = 0; i < g->nrequest; i++) {
    const request* q = &g->requests[i];
    CR_TRY(cr_wrt_read(&q->wrt, &g->setup, r, gradient, error));
    gradient += q->n;
  }
  return CR_OK;
}

// a state, control or turn counts as moved by one when it has; a parameter when it has doubled
static cr_real scale_of(const grad* g, const request* q, int k) {
  bool parameter = cri_field(q->wrt.place.field)->kind == CR_KIND_PARAM;
  cr_real x = cr_abs(cr_wrt_value(&q->wrt, &g->setup, g->setup.rollout, k));
  return parameter ? (x > 0 ? x : 1) : cr_max(x, 1);
}

static void set_scale(const grad* g, cr_real* scale) {
  for (int i = 0; i < g->nrequest; i++) {
    for (int k = 0; k < g->requests[i].n; k++) {
      *scale++ = scale_of(g, &g->requests[i], k);
    }
  }
}

// parameters at zero that the model refuses below
static void set_bounds(grad* g, bool* only_up) {
  cr_setup* s = &g->setup;
  for (int i = 0; i < g->nrequest; i++) {
    const request* q = &g->requests[i];
    bool parameter = cri_field(q->wrt.place.field)->kind == CR_KIND_PARAM;
    for (int k = 0; k < q->n; k++, only_up++) {
      cr_error ignored;
      if (!parameter || cr_wrt_value(&q->wrt, s, s->rollout, k) != 0) {
        continue;
      }
      cr_wrt_move(&q->wrt, s, s->rollout, k, CR_R(-1e-6));
      *only_up = cri_model_check(&s->m, &ignored) != CR_OK;
      cr_start_put(&g->start, s, s->rollout);
    }
  }
}

static cr_status trust(grad* g, cr_error* error) {
  cr_trust_problem p = {.rollout = g->setup.rollout,
                        .m = &g->setup.m,
                        .m_backward = g->backward,
                        .loss = &g->loss,
                        .nstep = g->setup.nstep,
                        .reach = (cr_real)g->o->reach,
                        .context = g,
                        .start = start_moved,
                        .gradient = read_gradient};
  for (int i = 0; i < g->nrequest; i++) {
    p.n += g->requests[i].n;
  }
  cr_real* scale = calloc((size_t)p.n + 1, sizeof *scale);
  bool* only_up = calloc((size_t)p.n + 1, sizeof *only_up);
  cr_status status = CR_ERR_MEMORY;
  if (scale != NULL && only_up != NULL) {
    set_scale(g, scale);
    set_bounds(g, only_up);
    p.scale = scale;
    p.only_up = only_up;
    status = cr_trust_measure(&g->trust, &p, error);
  } else {
    (void)cri_fail(error, status, "trust: no memory for %d numbers", p.n);
  }
  free(scale);
  free(only_up);
  return status;
}

// ---- output

// a change that no one can make or measure
#define NOTHING CR_R(1e-12)

// by how much the gradient says that such a change moves the loss; 0 where that is no more than the loss
static cr_real moved_by_nothing(const grad* g, cr_real loss) {
  cr_real most = 0;
  for (int i = 0; i < g->nrequest; i++) {
    const request* q = &g->requests[i];
    for (int k = 0; k < q->n; k++) {
      most = cr_max(most, NOTHING * scale_of(g, q, k) * cr_abs(q->gradient[k]));
    }
  }
  return most > cr_max(cr_abs(loss), 1) ? most : 0;
}

static void put_requests(const grad* g, cr_json* j, const char* key, bool differences) {
  cr_json_open(j, key, '{');
  for (int i = 0; i < g->nrequest; i++) {
    const request* q = &g->requests[i];
    const cr_real* v = differences ? q->difference : q->gradient;
    const char* name = q->wrt.name;
    if (!q->wrt.each_step) {
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

static void print_trust(const cr_trust* t) {
  (void)printf("%s\n", t->text);
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
  put_requests(g, &j, "gradient", false);
  if (g->o->check) {
    put_requests(g, &j, "differences", true);
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
      cr_json_string(&j, NULL, g->sides[i].text);
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

static void print_text(const grad* g, cr_real loss) {
  (void)printf("loss %.12g after %d steps (forward %.3g s, backward %.3g s)\n", (double)loss,
               g->steps, g->seconds_forward, g->seconds_backward);
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
  for (int i = 0; i < g->nrequest; i++) {
    const request* q = &g->requests[i];
    for (int k = 0; k < q->n; k++) {
      (void)printf("d loss / d %s", g->requests[i].wrt.name);
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
  for (int i = 0; i < sides_told(g); i++) {
    (void)printf("two slopes at the start: %s\n", g->sides[i].text);
  }
  if (g->nside > MOST_SIDES) {
    (void)printf("two slopes at the start: %d more\n", g->nside - MOST_SIDES);
  }
  if (g->o->check && of_steps(g)) {
    (void)printf(
        "central differences of these steps: contacts or limits change %d times, and neither the "
        "gradient nor they count that those moments move; --events counts it, --trust says how "
        "much "
        "it is\n",
        g->switches);
  }
}

// a Jacobian is of the whole state after one step: what is said of losses and of rollouts does nothing
static cr_status check_jacobian(const grad_options* o, cr_error* error) {
  const struct {
    const char* name;
    bool given;
  } others[] = {{"--loss", o->loss != NULL},
                {"--at", o->at != NULL},
                {"--check", o->check},
                {"--eps", o->eps > 0},
                {"--trust", o->trust},
                {"--reach", o->reach > 0},
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

static cr_status run(grad* g, cr_error* error) {
  const grad_options* o = g->o;
  if (o->jacobian) {
    CR_TRY(check_jacobian(o, error));
    CR_TRY(cr_setup_output(&o->setup, "--csv", o->csv, error));
    return cr_cli_jacobian(&g->setup, o->setup, &o->wrt, o->csv, error);
  }
  if (o->csv != NULL) {
    return cri_fail(error, CR_ERR_ARG, "--csv %s: only with --jacobian", o->csv);
  }
  CR_TRY(prepare(g, error));
  CR_TRY(differentiate(g, error));
  cr_real loss = g->setup.rollout->loss;
  CR_TRY(find_sides(g, error));
  if (g->o->check || g->o->trust) {
    CR_TRY(cr_start_keep(&g->start, &g->setup, error));
  }
  if (g->o->check) {
    CR_TRY(check(g, error));
  }
  if (g->o->trust) {
    CR_TRY(trust(g, error));
  }
  if (g->o->setup.json) {
    print_json(g, loss);
  } else {
    print_text(g, loss);
    if (g->o->trust) {
      print_trust(&g->trust);
    }
  }
  return CR_OK;
}

int cr_cli_grad(int argc, char** argv) {
  grad_options o = {.setup = CR_SETUP_DEFAULTS};
  o.setup.time = (double)NAN;
  const cr_option rows[] = {
      CR_SETUP_OPTIONS(o.setup),
      {"--loss", CR_OPT_TEXT, &o.loss, "EXPR", "as site_xpos[tip].z or norm(qpos)^2"},
      {"--at", CR_OPT_TEXT, &o.at, "end|every", "at the end (default), or summed over all steps"},
      {"--wrt", CR_OPT_LIST, &o.wrt, "NAME...", "qpos, qvel, act, ctrl, or a parameter"},
      {"--check", CR_OPT_FLAG, &o.check, "", "central differences beside the gradient"},
      {"--eps", CR_OPT_POSITIVE, &o.eps, "H", "their step (default 1e-6)"},
      {"--trust", CR_OPT_FLAG, &o.trust, "",
       "what the gradient rests on, and whether to trust it: exit code 1 if not"},
      {"--reach", CR_OPT_POSITIVE, &o.reach, "H", "how far --trust looks around (default 1e-3)"},
      {"--jacobian", CR_OPT_FLAG, &o.jacobian, "",
       "instead: how the state after the last step (of --time; default one step) depends on the "
       "state before it, on controls and applied forces, and on parameters that --wrt names; CSV, "
       "or --json"},
      {"--csv", CR_OPT_TEXT, &o.csv, "FILE", "--jacobian: write the CSV to a file"},
  };
  const cr_command_line line = {"grad",
                                "Gradient of a loss of a rollout, or the Jacobian of a step.", rows,
                                (int)(sizeof rows / sizeof rows[0])};
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
  int code = status == CR_OK ? 0 : cr_cli_fail("grad", o.setup.json, &error, &g->setup.report);
  if (status == CR_OK && o.trust && help == CR_HELP_NONE && g->trust.verdict != CR_TRUST_YES) {
    code = 1;
  }
  for (int i = 0; i < g->nrequest; i++) {
    free(g->requests[i].gradient);
    free(g->requests[i].difference);
  }
  cr_start_free(&g->start);
  cr_expression_free(g->expression);
  cr_setup_free(&g->setup);
  free(g);
  return code;
}
