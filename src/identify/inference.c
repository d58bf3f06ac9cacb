// SPDX-License-Identifier: Apache-2.0
#include "identify/inference.h"

#include <math.h>
#include <stdlib.h>

#include "math/symmetric_eigen.h"

// ---- inference

static const cr_real PART = CR_R(0.1);  // of a direction: its square is 1 %

// directions in rows, values increasing
static void take_directions(cri_inference* f, cr_real* values, cr_real* vectors) {
  int n = f->n;
  for (int k = 0; k < n; k++) {
    int least = k;
    for (int i = k + 1; i < n; i++) {
      least = values[i] < values[least] ? i : least;
    }
    cr_real value = values[least];
    values[least] = values[k];
    values[k] = value;
    for (int i = 0; i < n; i++) {
      cr_real* row = vectors + (ptrdiff_t)i * n;
      cr_real x = row[least];
      row[least] = row[k];
      row[k] = x;
      f->direction[(ptrdiff_t)k * n + i] = x;
    }
  }
}

static void fill(cri_inference* f, const cr_real* scale, const cr_real* values, cr_real limit) {
  int n = f->n;
  cr_real floor = n > 0 ? 64 * (cr_real)n * CR_EPS * cr_max(values[n - 1], 0) : 0;
  f->widest = floor > 0 ? 1 / cr_sqrt(floor) : (cr_real)INFINITY;
  for (int i = 0; i < n; i++) {
    f->told[i] = true;
  }
  for (int k = 0; k < n; k++) {
    const cr_real* v = f->direction + (ptrdiff_t)k * n;
    f->spread[k] = values[k] > floor ? 1 / cr_sqrt(values[k]) : (cr_real)INFINITY;
    for (int i = 0; i < n && !(f->spread[k] < limit); i++) {
      f->told[i] = f->told[i] && cr_abs(v[i]) <= PART;
    }
  }
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) {
      cr_real sum = f->told[i] && f->told[j] ? 0 : (cr_real)NAN;
      for (int k = 0; k < n; k++) {
        const cr_real* v = f->direction + (ptrdiff_t)k * n;
        sum += f->spread[k] < limit ? v[i] * v[j] * f->spread[k] * f->spread[k] : 0;
      }
      f->covariance[(ptrdiff_t)i * n + j] = sum * scale[i] * scale[j];
    }
  }
}

cr_status cri_inference_of(cri_inference* f, int n, const cr_real* H, const cr_real* scale,
                           cr_real limit, cr_error* error) {
  size_t all = (size_t)n * (size_t)n;
  *f = (cri_inference){.n = n,
                       .covariance = calloc(all + 1, sizeof(cr_real)),
                       .direction = calloc(all + 1, sizeof(cr_real)),
                       .spread = calloc((size_t)n + 1, sizeof(cr_real)),
                       .told = calloc((size_t)n + 1, sizeof(bool)),
                       .scale = calloc((size_t)n + 1, sizeof(cr_real))};
  cr_real* room = calloc(2 * all + (size_t)n + 1, sizeof *room);
  if (f->covariance == NULL || f->direction == NULL || f->spread == NULL || f->told == NULL ||
      f->scale == NULL || room == NULL) {
    free(room);
    cri_inference_free(f);
    return cri_fail(error, CR_ERR_MEMORY, "identification: no memory");
  }
  cr_copy(f->scale, scale, n);
  cr_real *scaled = room, *vectors = room + all, *values = vectors + all;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) {
      scaled[(ptrdiff_t)i * n + j] = H[(ptrdiff_t)i * n + j] * scale[i] * scale[j];
    }
  }
  cr_symmetric_eigen(scaled, n, values, vectors);
  take_directions(f, values, vectors);
  fill(f, scale, values, limit);
  free(room);
  return CR_OK;
}

bool cri_inference_combine(const cri_inference* f, const cr_real* g, cr_real limit,
                           cr_real* variance) {
  const cr_real none = CR_R(0.01);
  cr_real length = 0, untold = 0;
  *variance = 0;
  for (int i = 0; i < f->n; i++) {
    length += g[i] * f->scale[i] * g[i] * f->scale[i];
  }
  for (int k = 0; k < f->n; k++) {
    cr_real part = 0;
    for (int i = 0; i < f->n; i++) {
      part += f->direction[(ptrdiff_t)k * f->n + i] * f->scale[i] * g[i];
    }
    bool known = isfinite(f->spread[k]);
    cr_real spread = known ? f->spread[k] : f->widest;
    *variance += part != 0 ? part * part * spread * spread : 0;
    untold += known ? 0 : part * part;
  }
  return cr_sqrt(*variance) < limit * cr_sqrt(length) && untold <= none * none * length;
}

void cri_inference_free(cri_inference* f) {
  free(f->covariance);
  free(f->direction);
  free(f->spread);
  free(f->told);
  free(f->scale);
  *f = (cri_inference){0};
}

// ---- quantiles

// P(|z| < q) = confidence: Newton's method on erf
static cr_real normal_quantile(cr_real confidence) {
  const double root = 0.70710678118654752440, density = 0.79788456080286535588;
  double q = 1;
  for (int i = 0; i < 50; i++) {
    double miss = erf(q * root) - (double)confidence;
    double step = miss / (density * exp(-q * q / 2));
    q -= step > 1 ? 1 : step < -1 ? -1 : step;
  }
  return (cr_real)q;
}

cr_real cri_student(cr_real confidence, cr_real freedom) {
  cr_real q = normal_quantile(confidence), q2 = q * q, f = 1 / freedom;
  cr_real g1 = (q2 + 1) * q / 4;
  cr_real g2 = ((5 * q2 + 16) * q2 + 3) * q / 96;
  cr_real g3 = (((3 * q2 + 19) * q2 + 17) * q2 - 15) * q / 384;
  cr_real g4 = ((((79 * q2 + 776) * q2 + 1482) * q2 - 1920) * q2 - 945) * q / 92160;
  return q + f * (g1 + f * (g2 + f * (g3 + f * g4)));
}
