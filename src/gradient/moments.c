// SPDX-License-Identifier: Apache-2.0
// Estimates of gradients from sums over samples.
//   [estimator.e1] F = mean of L'(x + w_i)
//   [estimator.e2] Z = mean of (L(x + w_i) - L(x)) S^-1 w_i
//   [estimator.e3] variance of a mean: of the means of G independent groups, over G - 1
//   [estimator.e4] alpha* = (v_Z - c) / (v_F + v_Z - 2 c), v the traces of the variances of F and Z, c that of their covariance
//   [estimator.e5] eps = sqrt(2 v log((n + 1) / d)) + 2 K log((n + 1) / d) / (3 N), d = 1 - confidence, K the bound
//   [estimator.e6] alpha = 0 where eps > gamma, else the smaller of alpha* and (gamma - eps) / |F - Z|
#include "gradient/moments.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/quantile.h"

// ---- sums

cr_status cri_moments_make(cri_moments* s, int n, int group, cr_estimator_kind kind,
                           cr_error* error) {
  *s = (cri_moments){.n = n,
                     .group = group,
                     .by_gradient = kind != CR_ESTIMATOR_ZEROTH,
                     .by_loss = kind != CR_ESTIMATOR_FIRST};
  cr_real* at = s->memory = calloc(7 * (size_t)n + 1, sizeof *at);
  if (at == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "estimator: no memory for %d numbers", n);
  }
  cr_real** const rows[] = {&s->F, &s->Z, &s->FF, &s->ZZ, &s->FZ, &s->group_F, &s->group_Z};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++, at += n) {
    *rows[i] = at;
  }
  return CR_OK;
}

void cri_moments_free(cri_moments* s) { free(s->memory); }

void cri_moments_begin(cri_moments* s, cr_real baseline) {
  cr_zero(s->memory, 7 * s->n);
  s->baseline = baseline;
  s->groups = s->filled = 0;
  s->loss = s->loss_square = s->group_loss = s->largest = 0;
}

// the group's mean joins those of the groups before, by Welford's method
static void end_group(cri_moments* s) {
  cr_real share = 1 / (cr_real)s->filled, part = 1 / (cr_real)++s->groups;
  cr_real off = s->group_loss * share - s->loss;
  s->loss += part * off;
  s->loss_square += (1 - part) * off * off;
  for (int k = 0; k < s->n; k++) {
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

void cri_moments_add(cri_moments* s, cr_real loss, const cr_real* gradient, const cr_real* score) {
  cr_real size = 0;
  s->group_loss += loss;
  for (int k = 0; k < s->n; k++) {
    s->group_F[k] += s->by_gradient ? gradient[k] : 0;             // [estimator.e1]
    cr_real z = s->by_loss ? (loss - s->baseline) * score[k] : 0;  // [estimator.e2]
    s->group_Z[k] += z;
    size += z * z;
  }
  s->largest = cr_max(s->largest, cr_sqrt(size));
  if (++s->filled == s->group) {
    end_group(s);
  }
}

// ---- the estimate

static int samples_of(const cri_moments* s) { return s->groups * s->group; }

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
static cr_real find_alpha(const cri_moments* s, const cr_estimator_options* o, cr_real share,
                          cr_smoothed_gradient* to) {
  cr_real vF = share * total(s->FF, s->n), vZ = share * total(s->ZZ, s->n);
  cr_real c = share * total(s->FZ, s->n), both = vF + vZ - 2 * c;
  cr_real best = both > 0 ? cr_clip((vZ - c) / both, 0, 1) : 1;  // [estimator.e4]
  cr_real gamma = o->bias > 0 ? o->bias : 2 * to->certainty;
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

static void compare(const cri_moments* s, const cr_estimator_options* o, cr_real share,
                    cr_real confidence, cr_smoothed_gradient* to) {
  cr_real N = (cr_real)samples_of(s), bound = o->bound > 0 ? o->bound : s->largest;
  cr_real log_n = cr_log((cr_real)(s->n + 1) / (1 - confidence));
  cr_real v = share * total(s->ZZ, s->n);
  to->certainty = cr_sqrt(2 * v * log_n) + 2 * bound * log_n / (3 * N);  // [estimator.e5]
  to->distance = norm_of_difference(s->F, s->Z, s->n);
  to->alpha = find_alpha(s, o, share, to);
}

static void put_text(cr_estimator_kind kind, cr_smoothed_gradient* to) {
  static const char* const words[] = {
      [CR_ALPHA_FREE] = "the weight of the first order, %.3g, makes the variance least",
      [CR_ALPHA_BOUNDED] =
          "the weight of the first order, %.3g, is as large as the bound on its bias allows",
      [CR_ALPHA_ZERO] =
          "the first order has no weight (%.3g): the samples are too few to tell its bias",
  };
  if (kind != CR_ESTIMATOR_ALPHA) {
    return;
  }
  int used = snprintf(
      to->text, sizeof to->text, "the first order differs from the zeroth by %.3g, %s; ",
      (double)to->distance,
      to->distance > to->certainty ? "more than chance: it is biased" : "which may be chance");
  (void)snprintf(to->text + used, sizeof to->text - (size_t)used, words[to->verdict],
                 (double)to->alpha);
}

void cri_moments_estimate(const cri_moments* s, const cr_estimator_options* o,
                          cr_smoothed_gradient* to) {
  cr_real confidence = o->confidence > 0 ? o->confidence : CR_R(0.95), nan = (cr_real)NAN;
  cr_real share = 1 / ((cr_real)s->groups * (cr_real)(s->groups - 1));
  cr_real q = cri_normal_quantile(confidence), N = (cr_real)samples_of(s);
  to->loss = s->baseline;
  to->mean = s->loss;
  to->mean_error = q * cr_sqrt(share * s->loss_square);
  to->first_variance = s->by_gradient ? N * share * total(s->FF, s->n) : nan;
  to->zeroth_variance = s->by_loss ? N * share * total(s->ZZ, s->n) : nan;
  to->alpha = s->by_gradient ? 1 : 0;
  to->distance = to->certainty = nan;
  to->verdict = CR_ALPHA_FREE;
  to->text[0] = 0;
  if (o->kind == CR_ESTIMATOR_ALPHA) {
    compare(s, o, share, confidence, to);
  }
  put_text(o->kind, to);
  cr_real a = to->alpha, b = 1 - a;
  for (int k = 0; k < s->n; k++) {
    cr_real v = a * a * s->FF[k] + b * b * s->ZZ[k] + 2 * a * b * s->FZ[k];
    if (to->gradient != NULL) {
      to->gradient[k] = a * s->F[k] + b * s->Z[k];
    }
    if (to->error != NULL) {
      to->error[k] = q * cr_sqrt(share * cr_max(v, 0));
    }
    if (to->first != NULL) {
      to->first[k] = s->by_gradient ? s->F[k] : nan;
    }
    if (to->zeroth != NULL) {
      to->zeroth[k] = s->by_loss ? s->Z[k] : nan;
    }
  }
}

cr_status cri_estimator_check(const cr_estimator_options* o, cr_error* error) {
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
