// SPDX-License-Identifier: Apache-2.0
// Planning by the gradient of the rollout, or that of its mean under noise (plan_noise.c).
//   [plan.g1] Adam: theta -= rate m / (sqrt s + eps), projected on the limits (learn/adam.h)
//   [plan.g2] L-BFGS: theta(a) = clip(theta - a B g), the lowest of a = 1, 1/2, ..., 1/128
// Of every iterate that was run the best is the plan.
#include <stdlib.h>

#include "control/planner.h"
#include "learn/adam.h"

enum { PAIRS = 8, TRIALS = 8 };

typedef struct {
  cr_real *x, *g;          // the iterate and its gradient
  cr_real *mean, *square;  // of Adam
  cr_real* trials;         // TRIALS x n
  cr_real costs[TRIALS];
  cr_real *s, *y;  // PAIRS x n, the last npair of a ring
  cr_real rho[PAIRS];
  cr_real* direction;
  cr_real* last_g;
  int npair, next;
  int k;         // of Adam
  int made;      // iterations since a restart
  cr_real rate;  // halved where it led to where nothing runs
  cr_real cost;  // L-BFGS: of x
  bool known;    // cost and g belong to x
  cr_real* memory;
} descent;

static cr_status create(cr_planner* p, cr_error* error) {
  descent* w = calloc(1, sizeof *w);
  size_t n = (size_t)p->n;
  cr_real* at = calloc((6 + TRIALS + 2 * PAIRS) * n + 1, sizeof *at);
  if (w == NULL || at == NULL) {
    free(at);
    free(w);
    return cri_fail(error, CR_ERR_MEMORY, "plan: no memory for %d numbers", p->n);
  }
  cr_real** const rows[] = {&w->x, &w->g, &w->mean, &w->square, &w->direction, &w->last_g};
  w->memory = at;
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++, at += n) {
    *rows[i] = at;
  }
  w->trials = at;
  w->s = at + TRIALS * n;
  w->y = w->s + PAIRS * n;
  p->memory = w;
  return CR_OK;
}

static void destroy(cr_planner* p) {
  descent* w = p->memory;
  free(w->memory);
  free(w);
}

static void restart(cr_planner* p) {
  descent* w = p->memory;
  cr_copy(w->x, p->knots, p->n);
  cr_zero(w->mean, p->n);
  cr_zero(w->square, p->n);
  w->k = w->npair = w->next = w->made = 0;
  w->rate = p->o.rate;
  w->known = false;
}

// moments and curvature belong to another problem
static void shift(cr_planner* p, int steps) {
  (void)steps;
  restart(p);
}

// shortens a long gradient; returns its length before
static cr_real clip(const cr_planner* p, cr_real* g) {
  cr_real sum = 0;
  for (int i = 0; i < p->n; i++) {
    sum += g[i] * g[i];
  }
  cr_real length = cr_sqrt(sum);
  for (int i = 0; i < p->n && p->o.clip > 0 && length > p->o.clip; i++) {
    g[i] *= p->o.clip / length;
  }
  return length;
}

static cr_status adam(cr_planner* p, descent* w) {
  cr_real cost;
  CR_TRY(cri_plan_slope(p, 0, w->x, &cost, w->g));
  p->rollouts++;
  if (!isfinite(cost)) {  // back to the plan, with shorter steps
    p->failed++;
    w->rate /= 2;
    cr_copy(w->x, p->knots, p->n);
    cr_zero(w->mean, p->n);
    cr_zero(w->square, p->n);
    w->k = 0;
    return CR_OK;
  }
  cri_plan_take(p, w->x, cost);
  p->gradient = clip(p, w->g);
  const cr_adam rule = {.b1 = CR_R(0.9), .b2 = CR_R(0.999), .eps = CR_R(1e-8)};
  cr_adam_step(&rule, w->rate, ++w->k, p->n, w->x, w->mean, w->square, w->g);  // [plan.g1]
  cri_controls_clip(&p->controls, w->x);
  return CR_OK;
}

// ---- L-BFGS (Nocedal, 1980; Liu and Nocedal, 1989) within limits

static cr_real dot(const cr_real* a, const cr_real* b, int n) {
  cr_real sum = 0;
  for (int i = 0; i < n; i++) {
    sum += a[i] * b[i];
  }
  return sum;
}

static void add(cr_real* y, cr_real s, const cr_real* x, int n) {
  for (int i = 0; i < n; i++) {
    y[i] += s * x[i];
  }
}

// leaves out what limits hold
static void hold(const cr_planner* p, const descent* w, cr_real* v) {
  const cri_controls* c = &p->controls;
  for (int i = 0; i < p->n; i++) {
    int u = i % c->nu;
    bool held = (w->x[i] <= c->lower[u] && w->g[i] > 0) || (w->x[i] >= c->upper[u] && w->g[i] < 0);
    v[i] = held ? 0 : v[i];
  }
}

static void find_direction(const cr_planner* p, descent* w) {
  int n = p->n;
  cr_real a[PAIRS], *d = w->direction;
  cr_copy(d, w->g, n);
  hold(p, w, d);
  for (int i = 0; i < w->npair; i++) {
    int at = (w->next - 1 - i + 2 * PAIRS) % PAIRS;
    a[at] = w->rho[at] * dot(w->s + (ptrdiff_t)at * n, d, n);
    add(d, -a[at], w->y + (ptrdiff_t)at * n, n);
  }
  if (w->npair > 0) {
    int at = (w->next - 1 + PAIRS) % PAIRS;
    const cr_real* y = w->y + (ptrdiff_t)at * n;
    cr_real scale = 1 / (w->rho[at] * dot(y, y, n));
    for (int i = 0; i < n; i++) {
      d[i] *= scale;
    }
  } else {  // the first step moves no control by more than ten times Adam's
    cr_real largest = 0;
    for (int i = 0; i < n; i++) {
      largest = cr_max(largest, cr_abs(d[i]));
    }
    for (int i = 0; i < n && largest > 0; i++) {
      d[i] *= 10 * w->rate / largest;
    }
  }
  for (int i = w->npair - 1; i >= 0; i--) {
    int at = (w->next - 1 - i + 2 * PAIRS) % PAIRS;
    cr_real b = w->rho[at] * dot(w->y + (ptrdiff_t)at * n, d, n);
    add(d, a[at] - b, w->s + (ptrdiff_t)at * n, n);
  }
  hold(p, w, d);
}

static void note_pair(const cr_planner* p, descent* w, const cr_real* x) {
  int n = p->n;
  cr_real *s = w->s + (ptrdiff_t)w->next * n, *y = w->y + (ptrdiff_t)w->next * n;
  for (int i = 0; i < n; i++) {
    s[i] = x[i] - w->x[i];
    y[i] = w->g[i] - w->last_g[i];
  }
  cr_real sy = dot(s, y, n);
  if (sy > CR_R(1e-12) * dot(y, y, n)) {
    w->rho[w->next] = 1 / sy;
    w->next = (w->next + 1) % PAIRS;
    w->npair = w->npair < PAIRS ? w->npair + 1 : PAIRS;
  }
}

static cr_status lbfgs(cr_planner* p, descent* w) {
  int n = p->n;
  if (!w->known || !p->known) {
    CR_TRY(cri_plan_gradient(p, 0, w->x, &w->cost, w->g));
    p->rollouts++;
    w->known = isfinite(w->cost);
    cri_plan_take(p, w->x, w->cost);
    if (!w->known) {
      p->failed++;
      return CR_OK;
    }
    p->gradient = clip(p, w->g);
  }
  find_direction(p, w);
  cr_real step = 1;
  for (int t = 0; t < TRIALS; t++, step /= 2) {
    cr_real* trial = w->trials + (ptrdiff_t)t * n;
    for (int i = 0; i < n; i++) {
      trial[i] = w->x[i] - step * w->direction[i];  // [plan.g2]
    }
    cri_controls_clip(&p->controls, trial);
  }
  CR_TRY(cri_plan_costs(p, TRIALS, w->trials, w->costs));
  int best = cri_plan_lowest(w->costs, TRIALS);
  if (!(w->costs[best] < w->cost)) {  // curvature that does not help; then steps that are too long
    w->rate = w->npair == 0 ? w->rate / 100 : w->rate;
    w->npair = w->next = 0;
    return CR_OK;
  }
  const cr_real* x = w->trials + (ptrdiff_t)best * n;
  cri_plan_take(p, x, w->costs[best]);
  cr_copy(w->last_g, w->g, n);
  CR_TRY(cri_plan_gradient(p, 0, x, &w->cost, w->g));
  w->known = isfinite(w->cost);
  if (w->known) {
    p->gradient = clip(p, w->g);
    note_pair(p, w, x);
  }
  cr_copy(w->x, x, n);
  return CR_OK;
}

// which model has the derivatives of the next iteration, or of the one that was just made
static const cr_model* model_of(const cr_planner* p, const descent* w) {
  int last = p->o.backward_iterations;
  return p->o.backward == NULL || (last > 0 && w->made > last) ? p->m : p->o.backward;
}

static cr_status improve(cr_planner* p, cr_error* error) {
  (void)error;
  descent* w = p->memory;
  if (w->made > 0 && w->made == p->o.backward_iterations) {  // another slope, so other moments
    restart(p);
    w->made = p->o.backward_iterations;
  }
  w->made++;
  p->backward = model_of(p, w);
  return p->o.descent == CR_DESCENT_ADAM ? adam(p, p->memory) : lbfgs(p, p->memory);
}

static void numbers(cr_planner* p, cri_plan_numbers* v) {
  descent* w = p->memory;
  size_t n = (size_t)p->n;
  cr_real* const rows[] = {w->x, w->g, w->mean, w->square, w->last_g};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    cri_numbers_of(v, rows[i], n);
  }
  cri_numbers_of(v, w->s, PAIRS * n);
  cri_numbers_of(v, w->y, PAIRS * n);
  cri_numbers_of(v, w->rho, PAIRS);
  cri_numbers_int(v, &w->npair);
  cri_numbers_int(v, &w->next);
  cri_numbers_int(v, &w->k);
  cri_numbers_of(v, &w->rate, 1);
  cri_numbers_of(v, &w->cost, 1);
  cri_numbers_int(v, &w->made);
  cri_numbers_bool(v, &w->known);
}

const cri_plan_method cri_plan_by_gradient = {"gradient", true,  create,  destroy,
                                              improve,    shift, restart, numbers};
