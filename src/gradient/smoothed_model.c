// SPDX-License-Identifier: Apache-2.0
// Linear models of steps under noise. carom/estimator.h documents the public function.
//   [smoothed_model.e1] y(w) = f(x + w) (-) f(x), w of the state's tangent and of the controls
//   [smoothed_model.e2] dy/dw = Jr^-1(y) Df Jr(w), Jr of turns, Df the Jacobian of the steps in the tangents at x + w and f(x + w)
//   [smoothed_model.e3] of k steps Df = (A_k ... A_1, sum of A_k ... A_(i+1) B_i)
//   [smoothed_model.e4] each row of (A B) is the estimate of the gradient of a number of y: estimator.e1 ... e6; c = mean of y
//   [smoothed_model.e5] least squares: the sum over samples of |y - c - (A B) w|^2 is least
#include "carom/estimator.h"

#include <stdlib.h>

#include "base/pool.h"
#include "base/quantile.h"
#include "carom/step.h"
#include "carom/step_jacobian.h"
#include "engine/data_create.h"
#include "gradient/draws.h"
#include "gradient/linear_fit.h"
#include "gradient/moments.h"
#include "gradient/shared_samples.h"
#include "integrate/inputs.h"
#include "kinematics/configuration.h"
#include "kinematics/joint.h"
#include "kinematics/state_minus.h"
#include "math/quat.h"
#include "model/misuse.h"

typedef struct {
  cr_data *d, *side;  // side: of the backward model
  cr_jacobian* jacobian;
  cr_real *w, *A, *B, *product;  // n; nx nx, nx nu, nx n
  cr_error error;
  cr_real* memory;
} worker;

typedef struct {
  const cr_model *m, *backward;
  const cr_data* d;
  cr_smoothed_model_options o;
  int nx, n, chunk, first, part;  // first sample of a chunk; first one in it of this process
  bool by_gradient;
  worker* workers;
  cr_pool* pool;
  int nworker;
  cr_data* end;                          // f(x)
  cr_real *y, *rows;                     // chunk x nx; chunk x nx x n
  cr_real *w, *score, *gradient, *half;  // n each
  cr_real* memory;
  cri_draws draws;
  cri_moments* sums;  // nx
  cri_linear_fit fit;
  cr_real *fitted, *shift;  // nx n, nx; of the fit
} smoothed;

// ---- memory

static cr_status make_worker(smoothed* s, worker* k, cr_error* error) {
  size_t x = (size_t)s->nx, n = (size_t)s->n;
  CR_TRY(cri_data_create(&k->d, s->m, NULL, error));
  CR_TRY(cri_data_create(&k->side, s->backward, NULL, error));
  CR_TRY(cr_jacobian_create(&k->jacobian, s->backward, k->side, error));
  k->memory = calloc(n + x * n + 2 * x * n + 1, sizeof *k->memory);
  if (k->memory == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "smoothed model: no memory for %d states", s->nx);
  }
  k->w = k->memory;
  k->A = k->w + n;
  k->B = k->A + x * x;
  k->product = k->A + x * n;
  return CR_OK;
}

static cr_status make_sums(smoothed* s, cr_error* error) {
  const cr_estimator_options o = {.size = sizeof o,
                                  .kind = s->o.kind,
                                  .samples = s->o.samples,
                                  .sigma = s->o.sigma,
                                  .draws = s->o.draws,
                                  .seed = s->o.seed,
                                  .confidence = s->o.confidence};
  CR_TRY(cri_estimator_check(&o, error));
  CR_TRY(cri_draws_make(&s->draws, &o, s->n, error));
  s->sums = calloc((size_t)s->nx + 1, sizeof *s->sums);
  if (s->sums == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "smoothed model: no memory for %d states", s->nx);
  }
  for (int i = 0; i < s->nx; i++) {
    CR_TRY(cri_moments_make(&s->sums[i], s->n, cri_draws_group(&s->draws), o.kind, error));
    cri_moments_begin(&s->sums[i], 0);
  }
  return CR_OK;
}

static cr_status make(smoothed* s, cr_error* error) {
  size_t x = (size_t)s->nx, n = (size_t)s->n, chunk = (size_t)s->chunk, rows = chunk * x * n;
  CR_TRY(cr_pool_create(&s->pool, s->o.nthread, error));
  s->nworker = cr_pool_size(s->pool);
  s->workers = calloc((size_t)s->nworker, sizeof *s->workers);
  const size_t fit = s->o.least_squares ? cri_linear_fit_room(s->n, s->nx) + x * n + x : 0;
  s->memory = calloc(chunk * x + rows + 4 * n + fit + 1, sizeof *s->memory);
  if (s->workers == NULL || s->memory == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "smoothed model: no memory for %d states", s->nx);
  }
  s->y = s->memory;
  s->rows = s->y + chunk * x;
  s->w = s->rows + rows;
  s->score = s->w + n;
  s->gradient = s->score + n;
  s->half = s->gradient + n;
  s->fitted = s->half + n;
  s->shift = s->fitted + x * n;
  if (s->o.least_squares) {
    cri_linear_fit_begin(&s->fit, s->n, s->nx, NULL, s->shift + x);
  }
  CR_TRY(cri_data_create(&s->end, s->m, NULL, error));
  for (int i = 0; i < s->nworker; i++) {
    CR_TRY(make_worker(s, &s->workers[i], error));
  }
  return s->o.samples > 0 ? make_sums(s, error) : CR_OK;
}

static void let_go(smoothed* s) {
  for (int i = 0; i < s->nworker && s->workers != NULL; i++) {
    cri_data_free(s->workers[i].d);
    cri_data_free(s->workers[i].side);
    cr_jacobian_destroy(s->workers[i].jacobian);
    free(s->workers[i].memory);
  }
  for (int i = 0; i < s->nx && s->sums != NULL; i++) {
    cri_moments_free(&s->sums[i]);
  }
  cri_draws_free(&s->draws);
  cri_data_free(s->end);
  cr_pool_free(s->pool);
  free(s->workers);
  free(s->sums);
  free(s->memory);
}

// ---- the steps and their Jacobian

// C[p r] = A[p q] B[q r]; C is neither
static void multiply(cr_real* C, const cr_real* A, const cr_real* B, int p, int q, int r) {
  cr_zero(C, p * r);
  for (ptrdiff_t i = 0; i < p; i++) {
    for (ptrdiff_t k = 0; k < q; k++) {
      for (ptrdiff_t j = 0; j < r; j++) {
        C[i * r + j] += A[i * q + k] * B[k * r + j];
      }
    }
  }
}

// rows = (A_k ... A_1, sum of A_k ... A_(i+1) B_i), nx x n  [smoothed_model.e3]
static cr_status add_jacobian(const smoothed* s, worker* k, int step, cr_real* rows) {
  int nx = s->nx, nu = s->m->nu;
  cri_inputs_copy(s->backward, k->side, k->d);
  cr_status status = cr_step(s->backward, k->side);
  if (status != CR_OK) {
    return cri_fail(&k->error, status, "%s", k->side->error.text);
  }
  status = cr_step_jacobian(s->backward, k->side, k->jacobian, k->A, k->B, NULL);
  if (status != CR_OK) {
    return cri_fail(&k->error, status, "%s", cr_jacobian_error(k->jacobian));
  }
  if (step > 0) {
    multiply(k->product, k->A, rows, nx, nx, s->n);
    cr_copy(rows, k->product, nx * s->n);
  }
  for (ptrdiff_t i = 0; i < nx; i++) {
    for (ptrdiff_t j = 0; j < nx && step == 0; j++) {
      rows[i * s->n + j] = k->A[i * nx + j];
    }
    for (ptrdiff_t j = 0; j < nu; j++) {
      rows[i * s->n + nx + j] = (step > 0 ? rows[i * s->n + nx + j] : 0) + k->B[i * nu + j];
    }
  }
  return CR_OK;
}

// all steps from what is in k->d
static cr_status run(const smoothed* s, worker* k, cr_real* rows) {
  for (int step = 0; step < s->o.steps; step++) {
    CR_TRY(rows != NULL ? add_jacobian(s, k, step, rows) : CR_OK);
    cr_status status = cr_step(s->m, k->d);
    status = status == CR_OK ? cr_advance(s->m, k->d) : status;
    if (status != CR_OK) {
      return cri_fail(&k->error, status, "%s", k->d->error.text);
    }
  }
  return CR_OK;
}

// three columns of rows by J, or three rows by it  [smoothed_model.e2]
static void turn_columns(cr_real* rows, int nx, int n, int at, const cr_real J[9]) {
  for (ptrdiff_t i = 0; i < nx; i++) {
    cr_real* r = rows + i * n + at;
    const cr_real x[3] = {r[0], r[1], r[2]};
    for (int j = 0; j < 3; j++) {
      r[j] = x[0] * J[j] + x[1] * J[3 + j] + x[2] * J[6 + j];
    }
  }
}

static void turn_rows(cr_real* rows, int n, int at, const cr_real J[9]) {
  for (ptrdiff_t j = 0; j < n; j++) {
    cr_real* r = rows + (ptrdiff_t)at * n + j;
    const cr_real x[3] = {r[0], r[n], r[2 * (ptrdiff_t)n]};
    for (int i = 0; i < 3; i++) {
      r[(ptrdiff_t)i * n] = J[3 * i] * x[0] + J[3 * i + 1] * x[1] + J[3 * i + 2] * x[2];
    }
  }
}

static void pull_turns(const smoothed* s, const cr_real* w, const cr_real* y, cr_real* rows) {
  for (int j = 0; j < s->m->njnt; j++) {
    cri_joint_space space = cri_joint_space_of(s->m, j);
    int at = space.v + space.nflat;
    cr_real J[9];
    if (space.rotates) {
      cr_so3_jr(J, w + at);
      turn_columns(rows, s->nx, s->n, at, J);
      cr_so3_jr_inv(J, y + at);
      turn_rows(rows, s->n, at, J);
    }
  }
}

// x (+) w of everything that evolves, in place
static void move_state(const cr_model* m, cr_data* d, const cr_real* w) {
  cri_state x = cri_state_of(m, d);
  cri_configuration_move(m, x.qpos.x, w, 1, x.qpos.x);
  w += m->nv;
  for (int k = CRI_STATE_FLAT; k < CRI_N_STATE; k++) {
    for (int i = 0; i < x.part[k].n; i++) {
      x.part[k].x[i] += *w++;
    }
  }
}

static cr_status sample(void* context, int of_part, int index) {
  smoothed* s = context;
  worker* k = &s->workers[index];
  const cr_model* m = s->m;
  const int item = s->part + of_part;
  cr_real* y = s->y + (ptrdiff_t)item * s->nx;
  cr_real* rows = s->by_gradient ? s->rows + (ptrdiff_t)item * s->nx * s->n : NULL;
  cri_draws_get(&s->draws, s->first + item, k->w, NULL);
  cri_inputs_copy(m, k->d, s->d);
  move_state(m, k->d, k->w);
  for (int i = 0; i < m->nu; i++) {
    k->d->ctrl[i] += k->w[s->nx + i];
  }
  CR_TRY(run(s, k, rows));
  cri_state_minus(m, cri_state_of(m, k->d), cri_state_of(m, s->end), y);  // [smoothed_model.e1]
  if (rows != NULL) {
    pull_turns(s, k->w, y, rows);
  }
  return CR_OK;
}

// ---- the model

static void put_row(const smoothed* s, int i, const cr_real* row, cr_real* A, cr_real* B) {
  if (A != NULL) {
    cr_copy(A + (ptrdiff_t)i * s->nx, row, s->nx);
  }
  if (B != NULL) {
    cr_copy(B + (ptrdiff_t)i * s->m->nu, row + s->nx, s->m->nu);
  }
}

static void put_number(cr_real* to, int i, cr_real value) {
  if (to != NULL) {
    to[i] = value;
  }
}

static cr_status find_exact(smoothed* s, cr_linear_model* to, cr_error* error) {
  cri_inputs_copy(s->m, s->workers[0].d, s->d);
  cr_status status = run(s, &s->workers[0], s->rows);
  if (status != CR_OK) {
    return cri_fail(error, status, "smoothed model: %s", s->workers[0].error.text);
  }
  for (int i = 0; i < s->nx; i++) {
    put_row(s, i, s->rows + (ptrdiff_t)i * s->n, to->A, to->B);
    put_row(s, i, s->half, to->A_error, to->B_error);
    put_number(to->c, i, 0);
    put_number(to->c_error, i, 0);
  }
  return CR_OK;
}

static void add_samples(smoothed* s, int n) {
  for (int item = 0; item < n; item++) {
    cri_draws_get(&s->draws, s->first + item, s->w,
                  s->o.kind != CR_ESTIMATOR_FIRST ? s->score : NULL);
    if (s->o.least_squares) {
      cri_linear_fit_add(&s->fit, s->w, s->y + (ptrdiff_t)item * s->nx);
      continue;
    }
    for (int i = 0; i < s->nx; i++) {
      ptrdiff_t at = (ptrdiff_t)item * s->nx + i;
      cri_moments_add(&s->sums[i], s->y[at], s->rows + at * s->n, s->score);
    }
  }
}

static cr_status run_part(smoothed* s, int n, cr_error* error) {
  cr_status status = cr_pool_run(s->pool, n, sample, s);
  for (int i = 0; i < s->nworker && status != CR_OK; i++) {
    if (s->workers[i].error.status == status) {
      return cri_fail(error, status, "smoothed model: a sample of %d to %d: %s", s->first + s->part,
                      s->first + s->part + n - 1, s->workers[i].error.text);
    }
  }
  return status;
}

static cr_status find_samples(smoothed* s, cr_error* error) {
  const cr_processes* p = s->o.processes;
  const size_t size = (size_t)s->nx * sizeof *s->y;
  for (s->first = 0; s->first < s->o.samples; s->first += s->chunk) {
    int n = s->o.samples - s->first < s->chunk ? s->o.samples - s->first : s->chunk, end;
    cri_processes_part(p, n, &s->part, &end);
    cr_status status = run_part(s, end - s->part, error);
    CR_TRY(cri_processes_share(p, status, s->y, n, size, error));
    if (s->by_gradient) {
      CR_TRY(cri_processes_share(p, CR_OK, s->rows, n, size * (size_t)s->n, error));
    }
    add_samples(s, n);
  }
  return CR_OK;
}

// [smoothed_model.e5]
static cr_status put_fit(smoothed* s, cr_linear_model* to, cr_error* error) {
  const cr_real confidence = s->o.confidence > 0 ? s->o.confidence : CR_R(0.95),
                width = cri_normal_quantile(confidence);
  if (!cri_linear_fit_solve(&s->fit, s->fitted, s->shift)) {
    return cri_fail(error, CR_ERR_SINGULAR,
                    "smoothed model: %d samples do not determine %d numbers a row", s->o.samples,
                    s->n + 1);
  }
  for (int i = 0; i < s->nx; i++) {
    for (int j = 0; j < s->n; j++) {
      s->half[j] = width * cri_linear_fit_error(&s->fit, i, j);
    }
    put_row(s, i, s->fitted + (ptrdiff_t)i * s->n, to->A, to->B);
    put_row(s, i, s->half, to->A_error, to->B_error);
    put_number(to->c, i, s->shift[i]);
    put_number(to->c_error, i, width * cri_linear_fit_error(&s->fit, i, -1));
  }
  return CR_OK;
}

static cr_status find_end(smoothed* s, cr_error* error) {
  cri_inputs_copy(s->m, s->workers[0].d, s->d);
  cr_status status = run(s, &s->workers[0], NULL);
  if (status != CR_OK) {
    return cri_fail(error, status, "smoothed model: %s", s->workers[0].error.text);
  }
  cri_inputs_copy(s->m, s->end, s->workers[0].d);
  return CR_OK;
}

static cr_status find_mean(smoothed* s, cr_linear_model* to, cr_error* error) {
  CR_TRY(find_samples(s, error));
  if (s->o.least_squares) {
    return put_fit(s, to, error);
  }
  const cr_estimator_options o = {
      .size = sizeof o, .kind = s->o.kind, .confidence = s->o.confidence};
  for (int i = 0; i < s->nx; i++) {  // [smoothed_model.e4]
    cr_smoothed_gradient g = {.size = sizeof g, .gradient = s->gradient, .error = s->half};
    cri_moments_estimate(&s->sums[i], &o, &g);
    put_row(s, i, s->gradient, to->A, to->B);
    put_row(s, i, s->half, to->A_error, to->B_error);
    put_number(to->c, i, g.mean);
    put_number(to->c_error, i, g.mean_error);
  }
  return CR_OK;
}

static cr_status check(const cri_call* call, const cr_model* m, const cr_data* d,
                       const cr_smoothed_model_options* o) {
  CR_TRY(cri_given(call, m, "the model"));
  CR_TRY(cri_check_data(call, m, d, CR_DATA_PLAIN, "the data"));
  CR_TRY(cri_given(call, o, "the options"));
  CR_TRY(cri_check_size(call, o->size, sizeof *o, "cr_smoothed_model_options"));
  const cri_shape shape = cri_shape_of(m);
  if (o->backward != NULL && !cri_has_shape(o->backward, &shape)) {
    return cri_fail(call->error, CR_ERR_ARG, "%s: backward is another model", call->name);
  }
  if (o->samples < 0 || o->steps < 0 || o->nthread < 0) {
    return cri_fail(call->error, CR_ERR_ARG,
                    "%s: %d samples, %d steps, %d threads; 0 or more are expected", call->name,
                    o->samples, o->steps, o->nthread);
  }
  if (o->least_squares && (o->kind != CR_ESTIMATOR_ZEROTH || o->samples == 0)) {
    return cri_fail(call->error, CR_ERR_ARG, "%s: least squares are of zeroth order, with samples",
                    call->name);
  }
  return m->npluginstate == 0 ? CR_OK
                              : cri_fail(call->error, CR_ERR_UNSUPPORTED,
                                         "%s: the model has states of its own", call->name);
}

cr_status cr_smoothed_model(const cr_model* m, const cr_data* d,
                            const cr_smoothed_model_options* options, cr_linear_model* linear,
                            cr_error* error) {
  const cri_call call = {"cr_smoothed_model", error};
  CR_TRY(check(&call, m, d, options));
  CR_TRY(cri_processes_check(&call, options->processes));
  CR_TRY(cri_given(&call, linear, "where the linear model goes"));
  CR_TRY(cri_check_size(&call, linear->size, sizeof *linear, "cr_linear_model"));
  smoothed s = {.m = m,
                .backward = options->backward != NULL ? options->backward : m,
                .d = d,
                .o = *options,
                .nx = 2 * m->nv + m->na,
                .n = 2 * m->nv + m->na + m->nu,
                .chunk = cri_processes_chunk(options->processes),
                .by_gradient = options->kind != CR_ESTIMATOR_ZEROTH};
  s.o.steps = options->steps > 0 ? options->steps : 1;
  const bool noisy = options->samples > 0;
  cr_status status = make(&s, error);
  status = status == CR_OK && noisy ? find_end(&s, error) : status;
  status = cri_processes_share(options->processes, status, NULL, 0, 0, error);
  status = status == CR_OK ? (noisy ? find_mean : find_exact)(&s, linear, error) : status;
  let_go(&s);
  return status;
}
