// SPDX-License-Identifier: Apache-2.0
// Draws: independent ones, pairs w and -w, or points that fill the space evenly.
//   [estimator.d1] random      z of the sample's own stream; w = sigma z, or w = L z
//   [estimator.d2] antithetic  z and -z
//   [estimator.d3] quasi       z_j = Phi^-1(u_j), u_j the radical inverse of the sample in base b_j, the j-th prime, its digits
//                              scrambled at random (Halton points, random linear scrambling); each replicate has its own
#include "gradient/draws.h"

#include <stdlib.h>

#include "base/quantile.h"

// ---- making

static cr_status refuse(cr_error* error, const char* what, int k, cr_real value) {
  return cri_fail(error, CR_ERR_ARG, "estimator: %s of number %d is %.9g", what, k, (double)value);
}

static cr_status take_sigma(cri_draws* w, const cr_real* sigma, bool zero, cr_error* error) {
  for (int k = 0; k < w->n; k++) {
    if (!(sigma[k] >= 0) || !isfinite(sigma[k]) || (sigma[k] == 0 && !zero)) {
      return refuse(error,
                    zero ? "the standard deviation"
                         : "without its noise only the first-order estimator has a derivative; the "
                           "standard deviation",
                    k, sigma[k]);
    }
    w->sigma[k] = sigma[k];
  }
  return CR_OK;
}

// L L' = covariance, by Cholesky's method
static cr_status take_covariance(cri_draws* w, const cr_real* C, cr_error* error) {
  ptrdiff_t n = w->n;
  for (ptrdiff_t i = 0; i < n; i++) {
    for (ptrdiff_t j = 0; j <= i; j++) {
      cr_real sum = C[i * n + j];
      if (!isfinite(sum) || cr_abs(sum - C[j * n + i]) > CR_R(1e-9) * cr_abs(sum)) {
        return cri_fail(error, CR_ERR_ARG,
                        "estimator: the covariance of numbers %d and %d is %.9g and %.9g", (int)i,
                        (int)j, (double)sum, (double)C[j * n + i]);
      }
      for (ptrdiff_t k = 0; k < j; k++) {
        sum -= w->L[i * n + k] * w->L[j * n + k];
      }
      if (i == j && !(sum > CR_R(1e-14) * C[i * n + i])) {
        return cri_fail(error, CR_ERR_ARG,
                        "estimator: the covariance is not positive definite: pivot %d is %.9g",
                        (int)i, (double)sum);
      }
      w->L[i * n + j] = i == j ? cr_sqrt(sum) : sum / w->L[j * n + j];
    }
  }
  return CR_OK;
}

static bool is_prime(int32_t x, const int32_t* primes) {
  for (int i = 0; primes[i] * primes[i] <= x; i++) {
    if (x % primes[i] == 0) {
      return false;
    }
  }
  return true;
}

static void find_bases(cri_draws* w) {
  cr_random random = cr_random_seed(w->seed, 0);
  for (int k = 0; k < w->n; k++) {
    int32_t x = k == 0 ? 2 : w->base[k - 1] + 1;
    w->base[k] = 0;  // ends the list that is_prime looks at
    while (k > 0 && !is_prime(x, w->base)) {
      x++;
    }
    w->base[k] = x;
    w->digits[k] = cr_random_bits(&random);
  }
}

void cri_draws_renew(cri_draws* w, uint64_t seed) {
  w->seed = seed;
  if (w->kind == CR_DRAWS_QUASI) {
    find_bases(w);
  }
}

static cr_status check(const cri_draws* w, const cr_estimator_options* o, cr_error* error) {
  int group = w->kind == CR_DRAWS_QUASI        ? CRI_DRAWS_REPLICATES
              : w->kind == CR_DRAWS_ANTITHETIC ? 2
                                               : 1;
  if ((int)w->kind < 0 || w->kind > CR_DRAWS_QUASI) {
    return cri_fail(error, CR_ERR_ARG, "estimator: there are no draws %d", (int)w->kind);
  }
  if (w->samples < 2 * group || w->samples % group != 0) {
    return cri_fail(error, CR_ERR_ARG, "estimator: %d samples; %d or more%s are expected",
                    w->samples, 2 * group,
                    group == 1   ? ""
                    : group == 2 ? ", an even number,"
                                 : ", a multiple of 8,");
  }
  return (o->sigma != NULL) != (o->covariance != NULL)
             ? CR_OK
             : cri_fail(error, CR_ERR_ARG,
                        "estimator: either standard deviations or a covariance are needed");
}

cr_status cri_draws_make(cri_draws* w, const cr_estimator_options* o, int n, cr_error* error) {
  *w = (cri_draws){.kind = o->draws, .n = n, .samples = o->samples, .seed = o->seed};
  CR_TRY(check(w, o, error));
  size_t room = (size_t)n + 1;
  bool square = o->covariance != NULL, quasi = o->draws == CR_DRAWS_QUASI;
  w->sigma = square ? NULL : calloc(room, sizeof *w->sigma);
  w->L = square ? calloc(room * room, sizeof *w->L) : NULL;
  w->base = quasi ? calloc(room, sizeof *w->base) : NULL;
  w->digits = quasi ? calloc(room, sizeof *w->digits) : NULL;
  if ((square ? w->L : w->sigma) == NULL || (quasi && (w->base == NULL || w->digits == NULL))) {
    return cri_fail(error, CR_ERR_MEMORY, "estimator: no memory for a distribution of %d numbers",
                    n);
  }
  if (quasi) {
    find_bases(w);
  }
  return square ? take_covariance(w, o->covariance, error)
                : take_sigma(w, o->sigma, o->kind == CR_ESTIMATOR_FIRST, error);
}

void cri_draws_free(cri_draws* w) {
  free(w->sigma);
  free(w->L);
  free(w->base);
  free(w->digits);
}

int cri_draws_group(const cri_draws* w) {
  return w->kind == CR_DRAWS_QUASI        ? w->samples / CRI_DRAWS_REPLICATES
         : w->kind == CR_DRAWS_ANTITHETIC ? 2
                                          : 1;
}

// ---- drawing

// a digit becomes a digit + c modulo the base, a and c random for each place
static int scrambled(uint64_t seed, uint64_t place, int digit, int base) {
  cr_random random = cr_random_seed(seed, place);
  int64_t a = 1 + cr_random_int(&random, base - 1), c = cr_random_int(&random, base);
  return (int)((a * digit + c) % base);
}

// [estimator.d3] digits until they no longer count
static cr_real radical_inverse(uint64_t seed, int index, int base) {
  cr_real u = 0, weight = 1 / (cr_real)base;
  for (uint64_t place = 0; weight > CR_R(1e-17); place++, index /= base) {
    u += weight * (cr_real)scrambled(seed, place, index % base, base);
    weight /= (cr_real)base;
  }
  return cr_clip(u, CR_R(1e-16), 1 - CR_R(1e-16));
}

static cr_real normal_at(cr_real u) {
  cr_real confidence = cr_abs(2 * u - 1);
  return confidence == 0 ? 0 : (u < CR_R(0.5) ? -1 : 1) * cri_normal_quantile(confidence);
}

static void standard(const cri_draws* w, int sample, cr_real* z) {
  if (w->kind == CR_DRAWS_QUASI) {
    int group = cri_draws_group(w), index = sample % group;
    uint64_t replicate = (uint64_t)(sample / group);
    for (int k = 0; k < w->n; k++) {
      z[k] = normal_at(
          radical_inverse(w->digits[k] + 0x9e3779b97f4a7c15u * replicate, index, w->base[k]));
    }
    return;
  }
  bool pairs = w->kind == CR_DRAWS_ANTITHETIC;
  cr_random random = cr_random_seed(w->seed, (uint64_t)(pairs ? sample / 2 : sample) + 1);
  for (int k = 0; k < w->n; k++) {
    z[k] = (pairs && sample % 2 == 1 ? -1 : 1) * cr_random_normal(&random);
  }
}

void cri_draws_get(const cri_draws* w, int sample, cr_real* x, cr_real* score) {
  ptrdiff_t n = w->n;
  standard(w, sample, x);
  if (w->L == NULL) {
    for (int k = 0; k < n; k++) {
      if (score != NULL) {
        score[k] = w->sigma[k] > 0 ? x[k] / w->sigma[k] : 0;
      }
      x[k] *= w->sigma[k];
    }
    return;
  }
  for (ptrdiff_t i = n - 1; i >= 0 && score != NULL; i--) {  // L' score = z
    cr_real sum = x[i];
    for (ptrdiff_t j = i + 1; j < n; j++) {
      sum -= w->L[j * n + i] * score[j];
    }
    score[i] = sum / w->L[i * n + i];
  }
  for (ptrdiff_t i = n - 1; i >= 0; i--) {  // x = L z, from the last on in its place
    cr_real sum = 0;
    for (ptrdiff_t j = 0; j <= i; j++) {
      sum += w->L[i * n + j] * x[j];
    }
    x[i] = sum;
  }
}
