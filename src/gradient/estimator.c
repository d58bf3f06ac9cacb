// SPDX-License-Identifier: Apache-2.0
// Estimators of the gradient of a smoothed loss. carom/estimator.h documents the public function.
//   [estimator.e1] F = mean of L'(x + w_i)
//   [estimator.e2] Z = mean of (L(x + w_i) - L(x)) S^-1 w_i
//   [estimator.e3] variance of a mean: of the means of G independent groups, over G - 1
//   [estimator.e4] alpha* = (v_Z - c) / (v_F + v_Z - 2 c), v the traces of the variances of F and Z, c that of their covariance
//   [estimator.e5] eps = sqrt(2 v log((n + 1) / d)) + 2 K log((n + 1) / d) / (3 N), d = 1 - confidence, K the bound
//   [estimator.e6] alpha = 0 where eps > gamma, else the smaller of alpha* and (gamma - eps) / |F - Z|
#include "carom/estimator.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/pool.h"
#include "base/quantile.h"
#include "gradient/draws.h"
#include "gradient/gradient.h"
#include "model/misuse.h"
#include "model/model_check.h"

enum {
  CHUNK = 64
};  // samples between two sums; a constant, since the order of a sum decides its last digits

// sums over the groups so far, and those of the group that is being filled
typedef struct {
  int groups, filled;
  cr_real loss, loss_square;      // mean, sum of squares about it
  cr_real *F, *Z, *FF, *ZZ, *FZ;  // n each: means, sums of squares and products about them
  cr_real group_loss, *group_F, *group_Z;
  cr_real largest;  // norm of a summand of Z
} moments;

typedef struct {
  cr_gradient* const* workers;
  const cr_loss* losses;
  const cr_estimator_options* o;
  int n, first;  // first sample of the chunk
  bool by_gradient, by_loss;
  cri_draws draws;
  cri_start start;
  cr_real baseline;
  cr_real *loss, *rows, *w;  // CHUNK; CHUNK x n, of gradients; a row for each worker
  cr_real *score, *z;
  cr_error* errors;  // one a worker
  cr_real* memory;
  moments s;
} estimator;

// ---- memory

static cr_real* take(cr_real** at, size_t n) {
  cr_real* x = *at;
  *at += n;
  return x;
}

static cr_status make(estimator* e, int nworker, cr_error* error) {
  size_t n = (size_t)e->n, rows = e->by_gradient ? CHUNK * n : 0;
  cr_real* at = e->memory = calloc(CHUNK + rows + (size_t)nworker * n + 9 * n + 1, sizeof *at);
  e->errors = calloc((size_t)nworker, sizeof *e->errors);
  if (at == NULL || e->errors == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "estimator: no memory for %d numbers", e->n);
  }
  e->loss = take(&at, CHUNK);
  e->rows = take(&at, rows);
  e->w = take(&at, (size_t)nworker * n);
  e->score = take(&at, n);
  e->z = take(&at, n);
  e->s.F = take(&at, n);
  e->s.Z = take(&at, n);
  e->s.FF = take(&at, n);
  e->s.ZZ = take(&at, n);
  e->s.FZ = take(&at, n);
  e->s.group_F = take(&at, n);
  e->s.group_Z = take(&at, n);
  return cri_draws_make(&e->draws, e->o, e->n, error);
}

static void let_go(estimator* e) {
  cri_draws_free(&e->draws);
  cri_start_free(&e->start);
  free(e->errors);
  free(e->memory);
}

// ---- one sample, on one worker

static cr_status run_sample(estimator* e, int item, int worker, cr_error* error) {
  cr_gradient* g = e->workers[worker];
  const cr_loss* loss = &e->losses[worker];
  cr_real* w = e->w + (ptrdiff_t)worker * e->n;
  cri_draws_get(&e->draws, e->first + item, w, NULL);
  CR_TRY(cri_gradient_put(g, &e->start, w, error));
  CR_TRY(cri_gradient_moves_model(g) ? cri_model_check(g->m, error) : CR_OK);
  CR_TRY(cr_rollout_run(g->rollout, g->m, g->nstep, loss, error));
  e->loss[item] = g->rollout->loss;
  if (!isfinite(e->loss[item])) {
    return cri_fail(error, CR_ERR_NONFINITE, "the loss is %g", (double)e->loss[item]);
  }
  if (!e->by_gradient) {
    return CR_OK;
  }
  CR_TRY(cr_rollout_gradient(g->rollout, g->m, g->backward, loss, error));
  return cri_gradient_read_moved(g, w, e->rows + (ptrdiff_t)item * e->n, error);
}

static cr_status sample(void* context, int item, int worker) {
  estimator* e = context;
  const cr_estimator_options* o = e->o;
  cr_error* error = &e->errors[worker];
  if (o->stop != NULL && o->stop(o->context)) {
    return cri_fail(error, CR_ERR_INTERRUPTED, "estimator: interrupted at sample %d",
                    e->first + item);
  }
  cr_error inner = {0};
  cr_status status = run_sample(e, item, worker, &inner);
  return status == CR_OK ? CR_OK
                         : cri_fail(error, status, "sample %d: %s", e->first + item, inner.text);
}

// ---- sums

// the group's mean joins those of the groups before, by Welford's method
static void end_group(estimator* e) {
  moments* s = &e->s;
  cr_real share = 1 / (cr_real)s->filled, part = 1 / (cr_real)++s->groups;
  cr_real off = s->group_loss * share - s->loss;
  s->loss += part * off;
  s->loss_square += (1 - part) * off * off;
  for (int k = 0; k < e->n; k++) {
    cr_real f = s->group_F[k] * share - s->F[k], z = s->group_Z[k] * share - s->Z[k];
    s->F[k] += part * f;
    s->Z[k] += part * z;
    s->FF[k] += (1 - part) * f * f;
    s->ZZ[k] += (1 - part) * z * z;
    s->FZ[k] += (1 - part) * f * z;
    s->group_F[k] = s->group_Z[k] = 0;
  }
  s->group_loss = 0;
  s->filled = 0;
}

static void add_sample(estimator* e, int item) {
  moments* s = &e->s;
  cr_real size = 0;
  s->group_loss += e->loss[item];
  if (e->by_loss) {
    cri_draws_get(&e->draws, e->first + item, e->z, e->score);
  }
  for (int k = 0; k < e->n; k++) {
    s->group_F[k] += e->by_gradient ? e->rows[(ptrdiff_t)item * e->n + k] : 0;  // [estimator.e1]
    cr_real z = e->by_loss ? (e->loss[item] - e->baseline) * e->score[k] : 0;   // [estimator.e2]
    s->group_Z[k] += z;
    size += z * z;
  }
  s->largest = cr_max(s->largest, cr_sqrt(size));
  if (++s->filled == cri_draws_group(&e->draws)) {
    end_group(e);
  }
}

// of the workers that failed, the one with the lowest sample is that of the pool's status
static cr_status find_samples(estimator* e, cr_pool* pool, cr_error* error) {
  int nworker = cr_pool_size(pool);
  for (e->first = 0; e->first < e->o->samples; e->first += CHUNK) {
    int n = e->o->samples - e->first < CHUNK ? e->o->samples - e->first : CHUNK;
    cr_status status = cr_pool_run(pool, n, sample, e);
    for (int i = 0; i < nworker && status != CR_OK; i++) {
      if (e->errors[i].status == status) {
        return cri_fail(error, status, "%s", e->errors[i].text);
      }
    }
    for (int i = 0; i < n; i++) {
      add_sample(e, i);
    }
  }
  return CR_OK;
}

// ---- the estimate

static cr_real norm_of_difference(const cr_real* a, const cr_real* b, int n) {
  cr_real sum = 0;
  for (int k = 0; k < n; k++) {
    sum += (a[k] - b[k]) * (a[k] - b[k]);
  }
  return cr_sqrt(sum);
}

static cr_real total(const cr_real* x, int n) {
  cr_real sum = 0;
  for (int k = 0; k < n; k++) {
    sum += x[k];
  }
  return sum;
}

// share [estimator.e3] makes a variance of a mean of a sum of squares
static cr_real find_alpha(const estimator* e, cr_real share, cr_smoothed_gradient* to) {
  const moments* s = &e->s;
  cr_real vF = share * total(s->FF, e->n), vZ = share * total(s->ZZ, e->n);
  cr_real c = share * total(s->FZ, e->n), both = vF + vZ - 2 * c;
  cr_real best = both > 0 ? cr_clip((vZ - c) / both, 0, 1) : 1;  // [estimator.e4]
  cr_real gamma = e->o->bias > 0 ? e->o->bias : 2 * to->certainty;
  to->verdict = CR_ALPHA_FREE;
  if (to->certainty > gamma) {  // [estimator.e6]
    to->verdict = CR_ALPHA_ZERO;
    return 0;
  }
  cr_real most = (gamma - to->certainty) / to->distance;
  if (best > most) {
    to->verdict = CR_ALPHA_BOUNDED;
    return most;
  }
  return best;
}

static void compare(const estimator* e, cr_real share, cr_real confidence,
                    cr_smoothed_gradient* to) {
  const moments* s = &e->s;
  cr_real N = (cr_real)e->o->samples, bound = e->o->bound > 0 ? e->o->bound : s->largest;
  cr_real log_n = cr_log((cr_real)(e->n + 1) / (1 - confidence));
  cr_real v = share * total(s->ZZ, e->n);
  to->certainty = cr_sqrt(2 * v * log_n) + 2 * bound * log_n / (3 * N);  // [estimator.e5]
  to->distance = norm_of_difference(s->F, s->Z, e->n);
  to->alpha = find_alpha(e, share, to);
}

static void put_text(const estimator* e, cr_smoothed_gradient* to) {
  static const char* const words[] = {
      [CR_ALPHA_FREE] = "the weight of the first order, %.3g, makes the variance least",
      [CR_ALPHA_BOUNDED] =
          "the weight of the first order, %.3g, is as large as the bound on its bias allows",
      [CR_ALPHA_ZERO] =
          "the first order has no weight (%.3g): the samples are too few to tell its bias",
  };
  if (e->o->kind != CR_ESTIMATOR_ALPHA) {
    return;
  }
  int used = snprintf(
      to->text, sizeof to->text, "the first order differs from the zeroth by %.3g, %s; ",
      (double)to->distance,
      to->distance > to->certainty ? "more than chance: it is biased" : "which may be chance");
  (void)snprintf(to->text + used, sizeof to->text - (size_t)used, words[to->verdict],
                 (double)to->alpha);
}

static void finish(const estimator* e, cr_smoothed_gradient* to) {
  const moments* s = &e->s;
  cr_real confidence = e->o->confidence > 0 ? e->o->confidence : CR_R(0.95), nan = (cr_real)NAN;
  cr_real share = 1 / ((cr_real)s->groups * (cr_real)(s->groups - 1));
  cr_real q = cri_normal_quantile(confidence), N = (cr_real)e->o->samples;
  to->loss = e->baseline;
  to->mean = s->loss;
  to->mean_error = q * cr_sqrt(share * s->loss_square);
  to->first_variance = e->by_gradient ? N * share * total(s->FF, e->n) : nan;
  to->zeroth_variance = e->by_loss ? N * share * total(s->ZZ, e->n) : nan;
  to->alpha = e->by_gradient ? 1 : 0;
  to->distance = to->certainty = nan;
  to->verdict = CR_ALPHA_FREE;
  to->text[0] = 0;
  if (e->o->kind == CR_ESTIMATOR_ALPHA) {
    compare(e, share, confidence, to);
  }
  put_text(e, to);
  cr_real a = to->alpha, b = 1 - a;
  for (int k = 0; k < e->n; k++) {
    cr_real v = a * a * s->FF[k] + b * b * s->ZZ[k] + 2 * a * b * s->FZ[k];
    if (to->gradient != NULL) {
      to->gradient[k] = a * s->F[k] + b * s->Z[k];
    }
    if (to->error != NULL) {
      to->error[k] = q * cr_sqrt(share * cr_max(v, 0));
    }
    if (to->first != NULL) {
      to->first[k] = e->by_gradient ? s->F[k] : nan;
    }
    if (to->zeroth != NULL) {
      to->zeroth[k] = e->by_loss ? s->Z[k] : nan;
    }
  }
}

// ---- the call

static cr_status check_options(const cr_estimator_options* o, cr_error* error) {
  if ((int)o->kind < 0 || o->kind > CR_ESTIMATOR_ALPHA) {
    return cri_fail(error, CR_ERR_ARG, "estimator: there is no kind %d", (int)o->kind);
  }
  if (!(o->confidence >= 0 && o->confidence < 1)) {
    return cri_fail(error, CR_ERR_ARG,
                    "estimator: a confidence of %.9g; a number between 0 and 1 is expected",
                    (double)o->confidence);
  }
  return o->bias >= 0 && o->bound >= 0
             ? CR_OK
             : cri_fail(error, CR_ERR_ARG,
                        "estimator: bias %.9g and bound %.9g; 0 or more is expected",
                        (double)o->bias, (double)o->bound);
}

static cr_status check_workers(const cri_call* call, cr_gradient* const* workers,
                               const cr_loss* losses, int nworker) {
  CR_TRY(cri_given(call, workers, "the workers"));
  CR_TRY(cri_given(call, losses, "the losses"));
  if (nworker < 1) {
    return cri_fail(call->error, CR_ERR_ARG, "%s: %d workers", call->name, nworker);
  }
  for (int i = 0; i < nworker; i++) {
    CR_TRY(cri_given(call, workers[i], "a worker"));
    const cri_shape shape = cri_shape_of(workers[0]->m);
    if (!cri_has_shape(workers[i]->m, &shape) || workers[i]->nstep != workers[0]->nstep ||
        cri_gradient_size(workers[i]) != cri_gradient_size(workers[0]) ||
        (i > 0 && workers[i]->m == workers[0]->m)) {
      return cri_fail(call->error, CR_ERR_ARG,
                      "%s: worker %d is not like worker 0, with a model of its own", call->name, i);
    }
    if (workers[i]->backward != workers[i]->m && cri_gradient_moves_model(workers[i])) {
      return cri_fail(call->error, CR_ERR_ARG,
                      "%s: samples move parameters, and the backward pass has a model of its own",
                      call->name);
    }
    if (losses[i].value == NULL) {
      return cri_fail(call->error, CR_ERR_ARG, "%s: loss %d has no value", call->name, i);
    }
  }
  return CR_OK;
}

static cr_status run(estimator* e, int nworker, cr_smoothed_gradient* to, cr_error* error) {
  cr_gradient* g = e->workers[0];
  cr_pool* pool = NULL;
  CR_TRY(make(e, nworker, error));
  CR_TRY(cr_rollout_run(g->rollout, g->m, g->nstep, &e->losses[0], error));
  e->baseline = g->rollout->loss;
  CR_TRY(cri_start_keep(&e->start, g->m, g->rollout, error));
  CR_TRY(cr_pool_create(&pool, nworker, error));
  cr_status status = find_samples(e, pool, error);
  cr_pool_free(pool);
  if (status == CR_OK) {
    finish(e, to);
  }
  return status;
}

cr_status cr_gradient_estimate(cr_gradient* const* workers, const cr_loss* losses, int nworker,
                               const cr_estimator_options* options, cr_smoothed_gradient* estimate,
                               cr_error* error) {
  const cri_call call = {"cr_gradient_estimate", error};
  CR_TRY(check_workers(&call, workers, losses, nworker));
  CR_TRY(cri_given(&call, options, "the options"));
  CR_TRY(cri_check_size(&call, options->size, sizeof *options, "cr_estimator_options"));
  CR_TRY(cri_given(&call, estimate, "where the estimate goes"));
  CR_TRY(cri_check_size(&call, estimate->size, sizeof *estimate, "cr_smoothed_gradient"));
  CR_TRY(check_options(options, error));
  estimator e = {.workers = workers,
                 .losses = losses,
                 .o = options,
                 .n = cri_gradient_size(workers[0]),
                 .by_gradient = options->kind != CR_ESTIMATOR_ZEROTH,
                 .by_loss = options->kind != CR_ESTIMATOR_FIRST};
  cr_status status = run(&e, nworker, estimate, error);
  if (e.start.d != NULL) {
    cri_start_put(&e.start, workers[0]->m, workers[0]->rollout);
  }
  let_go(&e);
  return status;
}

cr_estimator_kind cr_estimator_for(const cr_trust* trust) {
  switch (trust != NULL ? trust->verdict : CR_TRUST_YES) {
    case CR_TRUST_EVENTS:
    case CR_TRUST_KINK:
      return CR_ESTIMATOR_ALPHA;
    case CR_TRUST_CHAOTIC:
    case CR_TRUST_UNSETTLED:
      return CR_ESTIMATOR_ZEROTH;
    default:
      return CR_ESTIMATOR_FIRST;
  }
}
