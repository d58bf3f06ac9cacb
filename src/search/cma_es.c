// SPDX-License-Identifier: Apache-2.0
// CMA-ES (N. Hansen, The CMA evolution strategy: a tutorial, 2016; numbers of equations are his), with numbers scaled to
// [0, 1] between their bounds and mirrored there. An island that has converged goes down from its best and starts anew
// elsewhere. A place from another island is one of the next samples, its distance cut to a usual one (Hansen, Injecting
// external solutions into CMA-ES, 2011).
#include "math/symmetric_eigen.h"
#include "search/island.h"

// of numbers that are 1 for bounds' widths
#define SMALLEST CR_R(1e-9)
#define FLATTEST CR_R(1e-13)

// samples of a population, without the constants of the strategy; all in own
typedef struct {
  cr_real *runs, *sigma, *k;             // 1 each: k generations since the start anew
  cr_real *waits, *sent;                 // 1, n: a place from elsewhere
  cr_real *mean, *pc, *ps, *D, *yw, *z;  // n each
  cr_real *C, *B, *work;                 // n n each
  cr_real* y;                            // population n: samples about the mean, by sigma
  cr_real* order;                        // population
} parts;

static size_t own(int n, int population) {
  size_t size = (size_t)n, individuals = (size_t)population;
  return 4 + 7 * size + 3 * size * size + individuals * (size + 1);
}

static parts parts_of(const cr_island* s) {
  cr_real* at = s->own;
  int n = s->n, square = n * n;
  parts a = {.runs = at, .sigma = at + 1, .k = at + 2, .waits = at + 3, .sent = at + 4};
  a.mean = a.sent + n;
  a.pc = a.mean + n;
  a.ps = a.pc + n;
  a.D = a.ps + n;
  a.yw = a.D + n;
  a.z = a.yw + n;
  a.C = a.z + n;
  a.B = a.C + square;
  a.work = a.B + square;
  a.y = a.work + square;
  a.order = a.y + s->population * n;
  return a;
}

// ---- constants, by the number of numbers and of samples

typedef struct {
  int mu;  // parents
  cr_real mu_eff, cc, cs, c1, cmu, damps, chi;
  cr_real norm;  // of the weights
} strategy;

// (49): logarithmic, of parent i = 0, 1, ...
static cr_real weight(const strategy* c, int population, int i) {
  return (cr_log((cr_real)(population + 1) / 2) - cr_log((cr_real)(i + 1))) / c->norm;
}

static strategy strategy_of(int n_numbers, int population) {
  strategy c = {.mu = population / 2, .norm = 1};
  cr_real n = (cr_real)n_numbers, sum = 0, squares = 0;
  for (int i = 0; i < c.mu; i++) {
    cr_real w = weight(&c, population, i);
    sum += w;
    squares += w * w;
  }
  c.norm = sum;
  c.mu_eff = sum * sum / squares;              // (8)
  c.cs = (c.mu_eff + 2) / (n + c.mu_eff + 5);  // (55)
  c.damps = 1 + 2 * cr_max(0, cr_sqrt((c.mu_eff - 1) / (n + 1)) - 1) + c.cs;
  c.cc = (4 + c.mu_eff / n) / (n + 4 + 2 * c.mu_eff / n);     // (56)
  c.c1 = 2 / ((n + CR_R(1.3)) * (n + CR_R(1.3)) + c.mu_eff);  // (57)
  c.cmu =
      cr_min(1 - c.c1, 2 * (c.mu_eff - 2 + 1 / c.mu_eff) / ((n + 2) * (n + 2) + c.mu_eff));  // (58)
  c.chi = cr_sqrt(n) * (1 - 1 / (4 * n) + 1 / (21 * n * n));  // E|N(0, I)|
  return c;
}

// ---- samples

static void start_anew(cr_island* s, const parts* a) {
  int n = s->n;
  bool given = *a->runs == 0 && s->start != NULL;
  for (int i = 0; i < n; i++) {
    cr_real width = s->upper[i] - s->lower[i], u = cr_random_uniform(&s->random);
    a->mean[i] = given && width > 0 ? (s->start[i] - s->lower[i]) / width : u;
  }
  cr_zero(a->pc, n);
  cr_zero(a->ps, n);
  cr_zero(a->C, n * n);
  for (int i = 0; i < n; i++) {
    a->C[i * n + i] = 1;
  }
  *a->sigma = s->options->step;
  *a->k = 0;
  *a->runs += 1;
}

// C = B D^2 B', (38)
static void decompose(const cr_island* s, const parts* a) {
  cr_copy(a->work, a->C, s->n * s->n);
  cr_symmetric_eigen(a->work, s->n, a->D, a->B);
  for (int i = 0; i < s->n; i++) {
    a->D[i] = cr_sqrt(cr_max(a->D[i], CR_MINVAL));
  }
}

// z = D^-1 B' y, then C^(-1/2) y = B z
static void whiten(const cr_island* s, const parts* a, const cr_real* y, cr_real* z) {
  int n = s->n;
  for (int j = 0; j < n; j++) {
    z[j] = 0;
    for (int i = 0; i < n; i++) {
      z[j] += a->B[i * n + j] * y[i];
    }
    z[j] /= a->D[j];
  }
}

// y = B D z, z normal, (39) and (40)
static void sample(cr_island* s, const parts* a, cr_real* y) {
  int n = s->n;
  for (int j = 0; j < n; j++) {
    a->z[j] = a->D[j] * cr_random_normal(&s->random);
  }
  for (int i = 0; i < n; i++) {
    y[i] = 0;
    for (int j = 0; j < n; j++) {
      y[i] += a->B[i * n + j] * a->z[j];
    }
  }
}

// y towards the place from elsewhere, no longer than samples usually are
static void inject(const cr_island* s, const parts* a, cr_real* y) {
  cr_real n = (cr_real)s->n, most = cr_sqrt(n) + 2 * n / (n + 2), square = 0;
  for (int i = 0; i < s->n; i++) {
    cr_real width = s->upper[i] - s->lower[i];
    cr_real u = width > 0 ? (a->sent[i] - s->lower[i]) / width : 0;
    cr_real at = cri_mirror(a->mean[i], 0, 1);
    // the mean may be in a mirrored copy, where steps have the other sign
    cr_real side = cri_mirror(a->mean[i] + SMALLEST, 0, 1) < at ? -1 : 1;
    y[i] = side * (u - at) / *a->sigma;
  }
  whiten(s, a, y, a->z);
  for (int i = 0; i < s->n; i++) {
    square += a->z[i] * a->z[i];
  }
  cr_real shorter = square > most * most ? most / cr_sqrt(square) : 1;
  for (int i = 0; i < s->n; i++) {
    y[i] *= shorter;
  }
  *a->waits = 0;
}

static cr_status evaluate(cr_island* s, cr_global_worker* worker, const parts* a, cr_error* error) {
  for (int k = 0; k < s->population; k++) {
    cr_real *y = a->y + k * s->n, *x = cri_island_at(s, k);
    if (*a->runs == 1 && *a->k == 0 && k == 0 && s->start != NULL) {
      cr_zero(y, s->n);
    } else if (*a->waits != 0 && k == s->population - 1) {
      inject(s, a, y);
    } else {
      sample(s, a, y);
    }
    for (int i = 0; i < s->n; i++) {
      cr_real u = cri_mirror(a->mean[i] + *a->sigma * y[i], 0, 1);
      x[i] = cr_clip(s->lower[i] + u * (s->upper[i] - s->lower[i]), s->lower[i], s->upper[i]);
    }
    CR_TRY(cri_worker_value(worker, x, &s->values[k], error));
    cri_island_note(s, s->values[k], x);
  }
  return CR_OK;
}

// ---- what the samples teach

static const cr_real* parent(const cr_island* s, const parts* a, int i) {
  return a->y + (int)a->order[i] * s->n;
}

// (41), (42)
static void move_mean(const cr_island* s, const parts* a, const strategy* c) {
  cr_zero(a->yw, s->n);
  for (int i = 0; i < c->mu; i++) {
    const cr_real* y = parent(s, a, i);
    cr_real w = weight(c, s->population, i);
    for (int j = 0; j < s->n; j++) {
      a->yw[j] += w * y[j];
    }
  }
  for (int j = 0; j < s->n; j++) {
    a->mean[j] += *a->sigma * a->yw[j];
  }
}

// (43); the length of the path
static cr_real step_path(const cr_island* s, const parts* a, const strategy* c) {
  int n = s->n;
  cr_real square = 0;
  whiten(s, a, a->yw, a->z);
  for (int i = 0; i < n; i++) {
    cr_real sum = 0;
    for (int j = 0; j < n; j++) {
      sum += a->B[i * n + j] * a->z[j];
    }
    a->ps[i] = (1 - c->cs) * a->ps[i] + cr_sqrt(c->cs * (2 - c->cs) * c->mu_eff) * sum;
    square += a->ps[i] * a->ps[i];
  }
  return cr_sqrt(square);
}

// (45), (47)
static void learn_shape(const cr_island* s, const parts* a, const strategy* c, bool grows) {
  int n = s->n;
  for (int i = 0; i < n; i++) {
    a->pc[i] =
        (1 - c->cc) * a->pc[i] + (grows ? cr_sqrt(c->cc * (2 - c->cc) * c->mu_eff) * a->yw[i] : 0);
  }
  cr_real keep = 1 - c->c1 - c->cmu + (grows ? 0 : c->c1 * c->cc * (2 - c->cc));
  for (int i = 0; i < n; i++) {
    for (int j = 0; j <= i; j++) {
      cr_real sum = 0;
      for (int k = 0; k < c->mu; k++) {
        const cr_real* y = parent(s, a, k);
        sum += weight(c, s->population, k) * y[i] * y[j];
      }
      cr_real new = keep * a->C[i * n + j] + c->c1 * a->pc[i] * a->pc[j] + c->cmu* sum;
      a->C[i * n + j] = a->C[j * n + i] = new;
    }
  }
}

static void learn(const cr_island* s, const parts* a) {
  const strategy c = strategy_of(s->n, s->population);
  *a->k += 1;
  move_mean(s, a, &c);
  cr_real length = step_path(s, a, &c);
  cr_real settled = cr_sqrt(1 - cr_pow(1 - c.cs, 2 * *a->k));
  bool grows = length / settled / c.chi < CR_R(1.4) + 2 / (cr_real)(s->n + 1);
  learn_shape(s, a, &c, grows);
  *a->sigma *= cr_exp(cr_min(1, c.cs / c.damps * (length / c.chi - 1)));  // (44)
}

// no place left to go to from here
static bool has_converged(const cr_island* s, const parts* a) {
  cr_real largest = 0, smallest = CR_MAX;
  for (int i = 0; i < s->n; i++) {
    largest = cr_max(largest, a->D[i]);
    smallest = cr_min(smallest, a->D[i]);
  }
  cr_real low = s->values[(int)a->order[0]], high = s->values[(int)a->order[s->population - 1]];
  bool flat = !isfinite(low) || high - low <= FLATTEST * cr_abs(low);
  return flat || *a->sigma * largest < SMALLEST || largest > CR_R(1e7) * smallest;
}

static cr_status generation(cr_island* s, cr_global_worker* worker, int number, cr_error* error) {
  const parts a = parts_of(s);
  if (number == 0) {
    start_anew(s, &a);
  }
  decompose(s, &a);
  CR_TRY(evaluate(s, worker, &a, error));
  cri_island_sort(s, a.order);
  learn(s, &a);
  if (!has_converged(s, &a)) {
    return CR_OK;
  }
  cr_real value, *x = a.z;
  cr_copy(x, cri_island_at(s, (int)a.order[0]), s->n);
  if (s->options->local != CR_LOCAL_NONE) {
    CR_TRY(cri_worker_descend(worker, x, &value, error));
    cri_island_note(s, value, x);
  }
  start_anew(s, &a);
  return CR_OK;
}

static void receive(cr_island* s, cr_real value, const cr_real* x) {
  const parts a = parts_of(s);
  *a.waits = isfinite(value);
  cr_copy(a.sent, x, s->n);
}

const cr_island_method cr_cma_es = {own, generation, receive};
