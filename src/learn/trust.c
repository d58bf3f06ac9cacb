// SPDX-License-Identifier: Apache-2.0
// Runs with tighter tolerances, runs to both sides, the tangent's growth; then the verdict.
#include "learn/trust.h"

#include <stdio.h>
#include <stdlib.h>

#include "rollout/switches.h"
#include "rollout/tangent.h"

// docs/trust.md says why
#define SETTLED CR_R(0.01)
#define AGREES CR_R(0.05)
#define REACH CR_R(1e-3)
#define NEAR CR_R(0.125)
#define FINEST CR_R(1e-13)
enum { FEW_HALVINGS = 2, MOST_HALVINGS = 8, MANY_STEPS = 10000 };

// ---- one run, with tolerances a tenth, or a step half as large, `level` times

typedef struct {
  const cr_trust_problem* p;
  cr_trust* out;
  cr_real *gradient, *finer, *step, *direction;  // n each
  cr_adaptive steps;                             // as they were given
  cr_adjoint adjoint;
  cri_switches here, left, right;
  int level;  // that of `gradient`
} trust;

// the loss of a rollout whose steps are `every` to one of the loss's
typedef struct {
  const cr_loss* loss;
  int every;
} spread_loss;

static bool spread_looks_at(const void* context, int step, int nstep) {
  const spread_loss* s = context;
  if (step % s->every != 0) {
    return false;
  }
  return s->loss->looks_at == NULL
             ? step == nstep
             : s->loss->looks_at(s->loss->context, step / s->every, nstep / s->every);
}

static cr_status spread_value(void* context, const cr_model* m, const cr_data* d, int step,
                              cr_real* loss) {
  const spread_loss* s = context;
  return s->loss->value(s->loss->context, m, d, step / s->every, loss);
}

static cr_status spread_bar(void* context, const cr_model* m, const cr_data* d, int step,
                            cr_data* bar) {
  const spread_loss* s = context;
  return s->loss->bar(s->loss->context, m, d, step / s->every, bar);
}

// rows of controls: each `every` times, from the last; and their cotangents summed up again
static void spread_controls(cr_rollout* r, int nu, int nstep, int every) {
  for (int k = nstep * every - 1; k >= 0; k--) {
    for (int i = 0; i < nu; i++) {
      r->ctrl[(size_t)k * (size_t)nu + (size_t)i] =
          r->ctrl[(size_t)(k / every) * (size_t)nu + (size_t)i];
    }
  }
}

static void gather_controls(cr_rollout* r, int nu, int nstep, int every) {
  for (int k = 0; k < nstep; k++) {
    for (int i = 0; i < nu; i++) {
      cr_real sum = 0;
      for (int e = 0; e < every; e++) {
        sum += r->ctrl_bar[((size_t)k * (size_t)every + (size_t)e) * (size_t)nu + (size_t)i];
      }
      r->ctrl_bar[(size_t)k * (size_t)nu + (size_t)i] = sum;
    }
  }
}

// with tolerances: the same rollout
static cr_status run_adaptive(trust* t, const cr_real* step, cr_real* loss, cr_real* gradient,
                              cri_switches* switches, cr_error* error) {
  const cr_trust_problem* p = t->p;
  cr_rollout* r = p->rollout;
  cr_real tighter = cr_pow(10, -(cr_real)t->level);
  r->options.rtol = t->steps.rtol * tighter;
  r->options.atol = t->steps.atol * tighter;
  r->adjoint.options.rtol = t->adjoint.rtol * tighter;
  r->adjoint.options.atol = t->adjoint.atol * tighter;
  CR_TRY(p->start(p->context, r, step, error));
  CR_TRY(cr_rollout_run(r, p->m, p->nstep, p->loss, error));
  *loss = cr_rollout_loss(r);
  if (gradient != NULL) {
    CR_TRY(cr_rollout_gradient(r, p->m, p->m_backward, p->loss, error));
    CR_TRY(p->gradient(p->context, r, gradient, error));
  }
  return switches != NULL ? cri_switches_of(switches, r, p->m, error) : CR_OK;
}

// without: in a rollout with more steps
static cr_status run_in(trust* t, cr_rollout* r, const cr_real* step, cr_real* loss,
                        cr_real* gradient, cri_switches* switches, cr_error* error) {
  const cr_trust_problem* p = t->p;
  int every = 1 << t->level;
  spread_loss spread = {p->loss, every};
  const cr_loss fine_loss = {.context = &spread,
                             .looks_at = spread_looks_at,
                             .value = spread_value,
                             .bar = spread_bar,
                             .needs_fields = p->loss->needs_fields};
  CR_TRY(p->start(p->context, r, step, error));
  spread_controls(r, p->m->nu, p->nstep, every);
  cr_model m = *p->m, backward = *p->m_backward;
  m.timestep = backward.timestep = p->m->timestep / (cr_real)every;
  const cr_model* m_backward = p->m_backward == p->m ? &m : &backward;
  CR_TRY(cr_rollout_run(r, &m, p->nstep * every, &fine_loss, error));
  *loss = cr_rollout_loss(r);
  if (gradient != NULL) {
    CR_TRY(cr_rollout_gradient(r, &m, m_backward, &fine_loss, error));
    gather_controls(r, m.nu, p->nstep, every);
    CR_TRY(p->gradient(p->context, r, gradient, error));
  }
  return switches != NULL ? cri_switches_of(switches, r, &m, error) : CR_OK;
}

// as the rollout that it stands for; what controls alone need grows with the number of steps
static cr_status set_up(const trust* t, cr_rollout* r, cr_error* error) {
  const cr_trust_problem* p = t->p;
  size_t bytes = p->rollout->budget, least = cri_rollout_least(r, p->m);
  if (bytes > 0) {
    CR_TRY(cr_rollout_memory(r, p->m, bytes > least ? bytes : least, error));
  }
  return p->rollout->adjoint.continuous ? cr_rollout_adjoint(r, p->m, &t->adjoint, error) : CR_OK;
}

static cr_status run_fixed(trust* t, const cr_real* step, cr_real* loss, cr_real* gradient,
                           cri_switches* switches, cr_error* error) {
  const cr_trust_problem* p = t->p;
  cr_rollout* r;
  if (t->level == 0) {
    return run_in(t, p->rollout, step, loss, gradient, switches, error);
  }
  CR_TRY(cri_rollout_create(&r, p->m, p->nstep << t->level, p->rollout->wanted, error));
  cr_status status = set_up(t, r, error);
  if (status == CR_OK) {
    status = run_in(t, r, step, loss, gradient, switches, error);
  }
  cr_rollout_free(r);
  return status;
}

static cr_status run(trust* t, const cr_real* step, cr_real* loss, cr_real* gradient,
                     cri_switches* switches, cr_error* error) {
  return t->p->rollout->adaptive ? run_adaptive(t, step, loss, gradient, switches, error)
                                 : run_fixed(t, step, loss, gradient, switches, error);
}

// ---- what the gradient rests on

static cr_real scaled_norm(const trust* t, const cr_real* a, const cr_real* b) {
  cr_real sum = 0;
  for (int i = 0; i < t->p->n; i++) {
    cr_real x = t->p->scale[i] * (a[i] - (b == NULL ? 0 : b[i]));
    sum += x * x;
  }
  return cr_sqrt(sum);
}

// true if the level is one that can be run at all
static bool can_be_run(const trust* t, int level) {
  if (t->p->rollout->adaptive) {
    return t->steps.rtol * cr_pow(10, -(cr_real)level) >= FINEST;
  }
  bool many = level > MOST_HALVINGS || t->p->nstep > MANY_STEPS >> level;
  return !many || (level <= FEW_HALVINGS && t->p->nstep < 1 << 24);
}

// tightens until the gradient changes no more; *settled: it does
static cr_status settle(trust* t, bool* settled, cr_error* error) {
  cr_real loss;
  *settled = false;
  t->level = 0;
  CR_TRY(run(t, NULL, &loss, t->gradient, &t->here, error));
  t->out->switches = t->here.n - 1;
  while (!*settled && can_be_run(t, t->level + 1)) {
    t->level++;
    cr_status status = run(t, NULL, &loss, t->finer, NULL, error);
    if (status == CR_ERR_BUDGET || status == CR_ERR_DIVERGED) {
      t->level--;  // as far as it goes
      return CR_OK;
    }
    CR_TRY(status);
    cr_real size = cr_max(scaled_norm(t, t->gradient, NULL), scaled_norm(t, t->finer, NULL));
    cr_real change = size > 0 ? scaled_norm(t, t->gradient, t->finer) / size : 0;
    t->out->change = t->level == 1 ? change : t->out->change;
    *settled = change < SETTLED;
    cr_copy(t->gradient, t->finer, t->p->n);
  }
  return CR_OK;
}

// the last time at which the tangent was shorter than the limit
typedef struct {
  cr_real limit, since;
  bool longer;
} passing;

static void look(void* context, const cr_model* m, const cr_data* tan, cr_real time) {
  passing* p = context;
  bool longer = cri_tangent_norm(m, tan) > p->limit;
  p->since = longer && !p->longer ? time : p->since;
  p->longer = longer;
}

static cr_status grow(trust* t, cr_error* error) {
  cr_real loss;
  passing p = {.limit = 1 / t->out->reach};
  t->level = 0;
  CR_TRY(run(t, NULL, &loss, NULL, NULL, error));
  CR_TRY(cri_rollout_growth(t->p->rollout, t->p->m, look, &p, &t->out->growth, error));
  t->out->beyond = p.longer ? p.since : (cr_real)INFINITY;
  return CR_OK;
}

// ---- a probe to both sides

// the loss with everything moved by h along the direction
static cr_status moved(trust* t, cr_real h, cr_real* loss, cri_switches* switches,
                       cr_error* error) {
  for (int i = 0; i < t->p->n; i++) {
    t->step[i] = h * t->direction[i];
  }
  return run(t, t->step, loss, NULL, switches, error);
}

// along the gradient, steepest in units of the scale; where that is zero, along all numbers
static void point(trust* t) {
  const cr_trust_problem* p = t->p;
  cr_real size = scaled_norm(t, t->gradient, NULL);
  t->out->slope = size;
  for (int i = 0; i < p->n; i++) {
    cr_real s = p->scale[i];
    t->direction[i] = size > 0 ? s * s * t->gradient[i] / size : s / cr_sqrt((cr_real)p->n);
  }
}

static cr_status probe(trust* t, cr_error* error) {
  cr_trust* o = t->out;
  cr_real middle, plus, minus, h = o->reach;
  point(t);
  CR_TRY(run(t, NULL, &middle, NULL, NULL, error));
  CR_TRY(moved(t, h, &plus, &t->right, error));
  CR_TRY(moved(t, -h, &minus, &t->left, error));
  o->apart = cri_switches_apart(&t->left, &t->right);
  o->quotient = (plus - minus) / (2 * h);
  o->right = (plus - middle) / h;
  o->left = (middle - minus) / h;
  CR_TRY(moved(t, NEAR * h, &plus, NULL, error));
  CR_TRY(moved(t, -NEAR * h, &minus, NULL, error));
  o->near_by = (plus - minus) / (2 * NEAR * h);
  return CR_OK;
}

// ---- the verdict

static bool agree(cr_real a, cr_real b) {
  return cr_abs(a - b) <= AGREES * cr_max(cr_abs(a), cr_abs(b));
}

static cr_trust_verdict judge(const trust* t, bool settled) {
  const cr_trust* o = t->out;
  const cr_rollout* r = t->p->rollout;
  bool right = agree(o->quotient, o->slope), right_near_by = agree(o->near_by, o->slope);
  bool fine = settled && (right || (right_near_by && o->apart == 0 && isinf(o->beyond)));
  if (fine) {
    return t->level <= 1 ? CR_TRUST_YES : CR_TRUST_REFINE;
  }
  if (right && right_near_by) {  // but not settled
    return CR_TRUST_REFINE;
  }
  if (!isinf(o->beyond)) {
    return CR_TRUST_CHAOTIC;
  }
  if (o->apart > 0 || right_near_by) {
    return CR_TRUST_KINK;
  }
  bool counts_events = r->adaptive && r->options.events;
  return o->switches > 0 && !counts_events ? CR_TRUST_EVENTS : CR_TRUST_UNSETTLED;
}

const char* cr_trust_word(cr_trust_verdict verdict) {
  static const char* const words[] = {"trust", "refine", "events", "chaotic", "kink", "unsettled"};
  return words[verdict];
}

// tolerance or time step at a level
static cr_real size_at(const trust* t, int level) {
  return t->p->rollout->adaptive ? t->steps.rtol * cr_pow(10, -(cr_real)level)
                                 : t->p->m->timestep / (cr_real)(1 << level);
}

// what a refined method is called
static void name_refined(const trust* t, char text[128]) {
  double to = (double)(t->out->refined > 0 ? t->out->refined : size_at(t, t->level));
  if (t->p->rollout->adaptive) {
    (void)snprintf(text, 128, "tolerance %.3g", to);
  } else {
    (void)snprintf(text, 128, "time step %.3g", to);
  }
}

static void say(const trust* t) {
  cr_trust* o = t->out;
  char refined[128];
  name_refined(t, refined);
  if (o->verdict == CR_TRUST_REFINE && o->refined == 0) {
    (void)snprintf(o->text, sizeof o->text,
                   "refine: it still changes by more than 1 %% at %s, the finest that was tried",
                   refined);
    return;
  }
  switch (o->verdict) {
    case CR_TRUST_YES:
      (void)snprintf(o->text, sizeof o->text,
                     "trust: a finer run changes it by %.2g %%, and differences agree",
                     100 * (double)o->change);
      break;
    case CR_TRUST_REFINE:
      (void)snprintf(
          o->text, sizeof o->text,
          "refine to %s: a finer run changes it by %.2g %%, from there on by less than 1 %%",
          refined, 100 * (double)o->change);
      break;
    case CR_TRUST_EVENTS:
      (void)snprintf(
          o->text, sizeof o->text,
          "events: it tends to %.4g along the probe where differences give %.4g; contacts move in "
          "time, which only steps that end on them count (tolerances and --events)",
          (double)o->slope, (double)o->quotient);
      break;
    case CR_TRUST_CHAOTIC:
      (void)snprintf(o->text, sizeof o->text,
                     "chaotic beyond time %.3g: there a change of %.2g has grown to order one",
                     (double)o->beyond, (double)o->reach);
      break;
    case CR_TRUST_KINK:
      (void)snprintf(
          o->text, sizeof o->text,
          "kink: within %.2g contacts come in another order or not at all, and the slope "
          "is %.4g on one side and %.4g on the other, not %.4g",
          (double)o->reach, (double)o->left, (double)o->right, (double)o->slope);
      break;
    case CR_TRUST_UNSETTLED:
      (void)snprintf(
          o->text, sizeof o->text,
          "unsettled: no tolerance makes it agree with differences, %.4g and %.4g along the "
          "probe",
          (double)o->slope, (double)o->quotient);
      break;
  }
}

static cr_status measure(trust* t, cr_error* error) {
  bool settled;
  cr_trust* o = t->out;
  CR_TRY(settle(t, &settled, error));
  CR_TRY(probe(t, error));
  int level = t->level;
  if (!t->p->quick || !settled || !agree(o->quotient, o->slope)) {
    CR_TRY(grow(t, error));
    t->level = level;
  }
  if (settled) {
    o->refined = size_at(t, level - 1);
  }
  o->verdict = judge(t, settled);
  say(t);
  return CR_OK;
}

cr_status cr_trust_measure(cr_trust* out, const cr_trust_problem* p, cr_error* error) {
  cr_rollout* r = p->rollout;
  size_t n = (size_t)p->n;
  cr_real* memory = calloc(4 * n + 1, sizeof *memory);
  if (memory == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "trust: no memory for %d numbers", p->n);
  }
  *out = (cr_trust){.reach = p->reach > 0 ? p->reach : REACH, .beyond = (cr_real)INFINITY};
  trust t = {.p = p,
             .out = out,
             .gradient = memory,
             .finer = memory + n,
             .step = memory + 2 * n,
             .direction = memory + 3 * n,
             .steps = r->options,
             .adjoint = r->adjoint.options};
  cr_status status = measure(&t, error);
  r->options = t.steps;
  r->adjoint.options = t.adjoint;
  cri_switches_free(&t.here);
  cri_switches_free(&t.left);
  cri_switches_free(&t.right);
  free(memory);
  return status == CR_OK ? p->start(p->context, r, NULL, error) : status;
}
