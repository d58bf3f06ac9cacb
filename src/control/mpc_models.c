// SPDX-License-Identifier: Apache-2.0
// Linear models of steps along a motion, w normal with the sigma of the iteration.
//   [smoothed_mpc.e1] first order: (A, B) = mean of the Jacobians at (x, u) + w
//   [smoothed_mpc.e2] zeroth order: (A, B) and c least squares of f((x, u) + w) - f(x, u) = c + (A, B) w; numbers without noise keep their columns of the
//                     Jacobian at (x, u)
#include <stdlib.h>

#include "control/mpc_system.h"
#include "gradient/draws.h"
#include "gradient/linear_fit.h"
#include "gradient/moments.h"

typedef struct {
  cri_draws draws;
  cri_linear_fit fit;
  cr_real *w, *x, *next, *A, *B, *X, *sums;  // n, n, nx, nx nx, nx nu, nx n, of the fit
  cr_real* memory;
  int failed;
  cr_error error;
} worker;

struct cri_mpc_models {
  const cri_mpc_system* system;
  cr_estimator_kind kind;
  int nx, nu, n, samples, nstep;
  uint64_t seed;
  bool *use, all;  // n: numbers with noise; all: none without
  cr_pool* pool;
  worker* workers;
  int nworker;
  // the motion at hand
  int iteration;
  cr_real spread;
  const cr_real *x, *u;
  cr_real *A, *B;
};

// ---- memory

static cr_status make_worker(cri_mpc_models* s, worker* k, const cr_mpc_options* o,
                             cr_error* error) {
  const size_t x = (size_t)s->nx, n = (size_t)s->n;
  k->memory = calloc(2 * n + x + 2 * x * n + cri_linear_fit_room(s->n, s->nx), sizeof *k->memory);
  if (k->memory == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "smoothed MPC: no memory for %d states", s->nx);
  }
  k->w = k->memory;
  k->x = k->w + n;
  k->next = k->x + n;
  k->A = k->next + x;
  k->B = k->A + x * x;
  k->X = k->A + x * n;
  k->sums = k->X + x * n;
  const cr_estimator_options draws = {.size = sizeof draws,
                                      .kind = CR_ESTIMATOR_FIRST,  // some may have no noise
                                      .samples = o->samples,
                                      .sigma = o->sigma,
                                      .draws = o->draws,
                                      .seed = o->seed};
  return o->samples > 0 ? cri_draws_make(&k->draws, &draws, s->n, error) : CR_OK;
}

static cr_status check(const cr_mpc_options* o, cr_error* error) {
  if (o->samples < 0) {
    return cri_fail(error, CR_ERR_ARG, "smoothed MPC: %d samples", o->samples);
  }
  if (o->samples > 0 && o->kind != CR_ESTIMATOR_FIRST && o->kind != CR_ESTIMATOR_ZEROTH) {
    return cri_fail(error, CR_ERR_ARG, "smoothed MPC: linear models are of first or zeroth order");
  }
  return o->samples == 0 || o->sigma != NULL
             ? CR_OK
             : cri_fail(error, CR_ERR_ARG,
                        "smoothed MPC: %d samples need standard deviations, sigma", o->samples);
}

cr_status cri_mpc_models_make(cri_mpc_models** models, const cri_mpc_system* system,
                              const cr_mpc_options* o, cr_pool* pool, cr_error* error) {
  CR_TRY(check(o, error));
  cri_mpc_models* s = *models = calloc(1, sizeof *s);
  if (s == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "smoothed MPC: no memory");
  }
  *s = (cri_mpc_models){.system = system,
                        .kind = o->kind,
                        .nx = system->system.nx,
                        .nu = system->system.nu,
                        .n = system->system.nx + system->system.nu,
                        .samples = o->samples,
                        .nstep = o->nstep,
                        .seed = o->seed,
                        .all = true,
                        .pool = pool,
                        .nworker = cr_pool_size(pool)};
  s->workers = calloc((size_t)s->nworker, sizeof *s->workers);
  s->use = calloc((size_t)s->n, sizeof *s->use);
  if (s->workers == NULL || s->use == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "smoothed MPC: no memory");
  }
  for (int i = 0; i < s->nworker; i++) {
    CR_TRY(make_worker(s, &s->workers[i], o, error));
  }
  for (int i = 0; i < s->n && o->samples > 0; i++) {
    s->use[i] = o->sigma[i] > 0;
    s->all = s->all && s->use[i];
  }
  return CR_OK;
}

void cri_mpc_models_free(cri_mpc_models* s) {
  if (s != NULL) {
    for (int i = 0; s->workers != NULL && i < s->nworker; i++) {
      cri_draws_free(&s->workers[i].draws);
      free(s->workers[i].memory);
    }
    free(s->workers);
    free(s->use);
    free(s);
  }
}

// ---- models

// the Jacobian at a point, smoothed where the system knows how
static cr_status derive(const cri_mpc_models* s, worker* k, int index, const cr_real* x,
                        const cr_real* u, cr_real* A, cr_real* B) {
  const cr_mpc_system* f = &s->system->system;
  return s->system->derive != NULL ? s->system->derive(f->context, index, x, u, A, B, &k->error)
                                   : f->step(f->context, index, x, u, k->next, A, B, &k->error);
}

static void put_columns(const cri_mpc_models* s, const cr_real* X, cr_real* A, cr_real* B) {
  for (ptrdiff_t i = 0; i < s->nx; i++) {
    for (ptrdiff_t j = 0; j < s->n; j++) {
      if (s->use[j]) {
        *(j < s->nx ? A + i * s->nx + j : B + i * s->nu + j - s->nx) = X[i * s->n + j];
      }
    }
  }
}

static void draw(const cri_mpc_models* s, worker* k, int sample, const cr_real* x,
                 const cr_real* u) {
  cri_draws_get(&k->draws, sample, k->w, NULL);
  for (int i = 0; i < s->n; i++) {
    k->w[i] *= s->spread;
    k->x[i] = (i < s->nx ? x[i] : u[i - s->nx]) + k->w[i];
  }
}

// one sample into the sums; false if it has no step
static bool add_sample(const cri_mpc_models* s, worker* k, int index, const cr_real* end,
                       cr_real* A, cr_real* B) {
  const cr_mpc_system* f = &s->system->system;
  if (s->kind == CR_ESTIMATOR_FIRST) {
    if (derive(s, k, index, k->x, k->x + s->nx, k->A, k->B) != CR_OK) {
      return false;
    }
    for (int i = 0; i < s->nx * s->nx; i++) {
      A[i] += k->A[i];
    }
    for (int i = 0; i < s->nx * s->nu; i++) {
      B[i] += k->B[i];
    }
    return true;
  }
  if (f->step(f->context, index, k->x, k->x + s->nx, k->next, NULL, NULL, &k->error) != CR_OK) {
    return false;
  }
  for (int i = 0; i < s->nx; i++) {
    k->next[i] -= end[i];
  }
  cri_linear_fit_add(&k->fit, k->w, k->next);
  return true;
}

static cr_status find_mean(cri_mpc_models* s, worker* k, int index, const cr_real* x,
                           const cr_real* u, cr_real* A, cr_real* B) {
  const bool first = s->kind == CR_ESTIMATOR_FIRST;
  if (first) {
    cr_zero(A, s->nx * s->nx);
    cr_zero(B, s->nx * s->nu);
  } else {
    CR_TRY(s->all ? CR_OK : derive(s, k, index, x, u, A, B));
    cri_linear_fit_begin(&k->fit, s->n, s->nx, s->use, k->sums);
  }
  int good = 0;
  for (int i = 0; i < s->samples; i++) {
    draw(s, k, i, x, u);
    good += add_sample(s, k, index, x + s->nx, A, B);
  }
  k->failed += s->samples - good;
  if (2 * good < s->samples) {
    return k->error.status;
  }
  for (int i = 0; first && i < s->nx * s->nx; i++) {
    A[i] /= (cr_real)good;
  }
  for (int i = 0; first && i < s->nx * s->nu; i++) {
    B[i] /= (cr_real)good;
  }
  if (!first) {
    if (!cri_linear_fit_solve(&k->fit, k->X, NULL)) {
      return cri_fail(&k->error, CR_ERR_SINGULAR, "%d samples do not determine a linear model",
                      good);
    }
    put_columns(s, k->X, A, B);
  }
  return CR_OK;
}

static cr_status find(void* context, int item, int index) {
  cri_mpc_models* s = context;
  worker* k = &s->workers[index];
  const ptrdiff_t nx = s->nx, nu = s->nu, step = item;
  const cr_real *x = s->x + step * nx, *u = s->u + step * nu;
  cr_real *A = s->A + step * nx * nx, *B = s->B + step * nx * nu;
  k->error.text[0] = 0;
  k->error.status = CR_OK;
  cr_status status;
  if (s->samples == 0) {
    status = derive(s, k, index, x, u, A, B);
  } else {
    const uint64_t own = (uint64_t)s->iteration * (uint64_t)s->nstep + (uint64_t)item;
    cri_draws_renew(&k->draws, s->seed + 0x9e3779b97f4a7c15u * own);
    status = find_mean(s, k, index, x, u, A, B);
  }
  if (status != CR_OK) {
    const cr_error why = k->error;
    return cri_fail(&k->error, status, "smoothed MPC: linear model of step %d: %s", item, why.text);
  }
  k->error.status = CR_OK;  // of a sample that failed
  return CR_OK;
}

cr_status cri_mpc_models_find(cri_mpc_models* s, int iteration, cr_real spread, const cr_real* x,
                              const cr_real* u, cr_real* A, cr_real* B, int* failed,
                              cr_error* error) {
  s->iteration = iteration;
  s->spread = spread;
  s->x = x;
  s->u = u;
  s->A = A;
  s->B = B;
  for (int i = 0; i < s->nworker; i++) {
    s->workers[i].failed = 0;
  }
  const cr_status status = cr_pool_run(s->pool, s->nstep, find, s);
  *failed = 0;
  for (int i = 0; i < s->nworker; i++) {
    *failed += s->workers[i].failed;
  }
  for (int i = 0; i < s->nworker && status != CR_OK; i++) {
    if (s->workers[i].error.status == status) {
      return cri_fail(error, status, "%s", s->workers[i].error.text);
    }
  }
  return status;
}
