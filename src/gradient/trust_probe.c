// SPDX-License-Identifier: Apache-2.0
// Differences of the loss beside the gradient's predictions: along it, and along random directions
// across it.
#include "base/random.h"
#include "gradient/trust_state.h"

cr_real cri_trust_length(const cri_trust* t, const cr_real* a, const cr_real* b) {
  cr_real sum = 0;
  for (int i = 0; i < t->p->n; i++) {
    cr_real x = t->p->scale[i] * (a[i] - (b == NULL ? 0 : b[i]));
    sum += x * x;
  }
  return cr_sqrt(sum);
}

cr_real cri_trust_apart(const cri_trust* t, const cr_real* a, const cr_real* b) {
  cr_real size = cr_max(cri_trust_length(t, a, NULL), cri_trust_length(t, b, NULL));
  return size > 0 ? cri_trust_length(t, a, b) / size : 0;
}

cr_real cri_trust_apart_part(const cri_trust* t, const cr_real* a, const cr_real* b) {
  cr_real size = cr_max(cri_trust_length(t, a, NULL), cri_trust_length(t, b, NULL)), worst = 0;
  for (int i = 0; i < t->p->n; i++) {
    cr_real larger = cr_max(cr_abs(a[i]), cr_abs(b[i]));
    if (larger > 0 && 5 * t->p->scale[i] * larger >= size) {
      worst = cr_max(worst, cr_abs(a[i] - b[i]) / larger);
    }
  }
  return worst;
}

// ---- directions

static cr_real dot(const cr_real* a, const cr_real* b, int n) {
  cr_real sum = 0;
  for (int i = 0; i < n; i++) {
    sum += a[i] * b[i];
  }
  return sum;
}

// the part of u that is across unit vectors 0 ... k - 1, as a unit vector; zero if there is none
static void make_across(const cri_trust* t, int k, cr_real* u) {
  int n = t->p->n;
  for (int j = 0; j < k; j++) {
    const cr_real* other = t->direction + (size_t)j * (size_t)n;
    cr_real part = dot(u, other, n);
    for (int i = 0; i < n; i++) {
      u[i] -= part * other[i];
    }
  }
  cr_real size = cr_sqrt(dot(u, u, n));
  for (int i = 0; i < n; i++) {
    u[i] = size > 0 ? u[i] / size : 0;
  }
}

// 0: along the gradient, steepest in units of the scale; if that is zero, along all numbers;
// then random directions across all before
static const cr_real* point(cri_trust* t, int k) {
  const cr_trust_problem* p = t->p;
  cr_real* u = t->direction + (size_t)k * (size_t)p->n;
  cr_random random = cr_random_seed(1, (uint64_t)k);
  bool flat = !(cri_trust_length(t, t->gradient, NULL) > 0);
  for (int i = 0; i < p->n; i++) {
    u[i] = k > 0 ? cr_random_normal(&random) : flat ? 1 : p->scale[i] * t->gradient[i];
  }
  make_across(t, k, u);
  return u;
}

// ---- a run to each side

// the predicted slopes, and those from differences, to the right and to the left
typedef struct {
  cr_real predicted[2], is[2];
} sides;

static cr_real central(const cr_real side[2]) { return (side[0] + side[1]) / 2; }

static cr_real jump(const sides* s) {
  return s->is[0] - s->predicted[0] - (s->is[1] - s->predicted[1]);
}

// the loss with everything moved by h along the direction, numbers at a bound only upwards
static cr_status moved(cri_trust* t, const cr_real* u, cr_real h, cr_real* predicted, cr_real* is,
                       cri_switches* switches, cr_error* error) {
  const cr_trust_problem* p = t->p;
  cr_real loss, sum = 0;
  for (int i = 0; i < p->n; i++) {
    cr_real step = h * p->scale[i] * u[i];
    t->step[i] = p->only_up != NULL && p->only_up[i] ? cr_max(step, 0) : step;
    sum += t->gradient[i] * t->step[i];
  }
  CR_TRY(cri_trust_run(t, t->step, &loss, NULL, switches, error));
  *predicted = sum / h;
  *is = (loss - t->middle) / h;
  return CR_OK;
}

static cr_status look(cri_trust* t, const cr_real* u, cr_real h, bool switches, sides* s,
                      cr_error* error) {
  CR_TRY(moved(t, u, h, &s->predicted[0], &s->is[0], switches ? &t->right : NULL, error));
  return moved(t, u, -h, &s->predicted[1], &s->is[1], switches ? &t->left : NULL, error);
}

// ---- the probes

cr_status cri_trust_probe_along(cri_trust* t, cr_error* error) {
  cr_trust* o = t->out;
  sides far, near_by;
  const cr_real* u = point(t, 0);
  CR_TRY(look(t, u, o->reach, true, &far, error));
  CR_TRY(look(t, u, CRI_TRUST_NEAR * o->reach, false, &near_by, error));
  o->apart = cri_switches_apart(&t->left, &t->right);
  o->slope = central(far.predicted);
  o->quotient = central(far.is);
  o->right = far.is[0];
  o->left = far.is[1];
  o->near_by = central(near_by.is);
  o->near_right = near_by.is[0];
  o->near_left = near_by.is[1];
  t->jump = jump(&far);
  t->near_jump = jump(&near_by);
  return CR_OK;
}

// a run farther away may take more steps
#define MARGIN CR_R(1.5)

// result of a direction across, over one distance
typedef struct {
  cr_real slope, quotient, square;  // square: of their difference
} miss;

static cr_status measure(cri_trust* t, int k, cr_real h, miss* x, cr_error* error) {
  sides s;
  CR_TRY(look(t, t->direction + (size_t)k * (size_t)t->p->n, h, false, &s, error));
  *x = (miss){.slope = central(s.predicted), .quotient = central(s.is)};
  x->square = (x->quotient - x->slope) * (x->quotient - x->slope);
  return CR_OK;
}

static int worst_of(const miss* x, int n) {
  int worst = 0;
  for (int k = 1; k < n; k++) {
    worst = x[k].square >= x[worst].square ? k : worst;
  }
  return worst;
}

// [identification.t1] |e|^2 = (n - 1) / k sum_j (difference_j - slope_j)^2 is the mean square of the part of the
// gradient's error across it, for k random directions
static cr_real error_of(const cri_trust* t, const miss* x, cr_real h) {
  const cr_trust* o = t->out;
  cr_real sum = 0;
  for (int k = 0; k < o->across; k++) {
    sum += x[k].square;
  }
  cr_real all = (cr_real)(t->p->n - 1) / (cr_real)o->across;
  cr_real size = cr_max(cri_trust_length(t, t->gradient, NULL), cr_abs(o->quotient));
  bool silent = cr_sqrt(sum) <= CR_R(1e-12) * cr_abs(t->middle) / h;
  return silent || !(sum > 0) ? 0 : cr_sqrt(all * sum) / size;
}

static void report(cri_trust* t, const miss* x, cr_real error) {
  cr_trust* o = t->out;
  const miss* worst = &x[worst_of(x, o->across)];
  o->across_slope = cr_abs(worst->slope) > CR_R(1e-12) * o->slope ? worst->slope : 0;
  o->across_quotient = worst->quotient;
  o->across_error = error;
}

// noise is smaller over the whole reach: tries again, the worst first, while there are evaluations for one
// more, `each`; directions that are not tried again stay as they are
static cr_status look_farther(cri_trust* t, miss* x, cr_real each, cr_real end, cr_error* error) {
  miss near_by[CRI_TRUST_ACROSS];
  memcpy(near_by, x, sizeof near_by);
  for (int i = 0; i < t->out->across && t->evaluations + each <= end; i++) {
    int k = worst_of(near_by, t->out->across);
    near_by[k].square = -1;
    CR_TRY(measure(t, k + 1, t->out->reach, &x[k], error));
  }
  return CR_OK;
}

cr_status cri_trust_probe_across(cri_trust* t, cr_real evaluations, cr_error* error) {
  cr_trust* o = t->out;
  miss x[CRI_TRUST_ACROSS] = {{0}};
  cr_real h = CRI_TRUST_NEAR * o->reach, end = t->evaluations + evaluations;
  // steps that count contacts depend on all directions, and so do differences of fixed steps
  bool all = o->uncounted == 0 || cri_trust_counts(t);
  int most = all ? CRI_TRUST_ACROSS : t->p->rollout->adaptive ? 2 : 1;
  cr_real before = t->evaluations, each = 0;
  for (int k = 1; k <= most && k < t->p->n; k++) {
    (void)point(t, k);
    CR_TRY(measure(t, k, h, &x[k - 1], error));
    each = MARGIN * (t->evaluations - before) / (cr_real)k;
    o->across = k;
  }
  if (o->across == 0) {
    return CR_OK;
  }
  report(t, x, error_of(t, x, h));
  if (o->across_error <= CRI_TRUST_MISSES) {
    return CR_OK;
  }
  CR_TRY(look_farther(t, x, each, end, error));
  cr_real far = error_of(t, x, o->reach);
  if (far < o->across_error) {
    report(t, x, far);
  }
  return CR_OK;
}
