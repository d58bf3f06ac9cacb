// SPDX-License-Identifier: Apache-2.0
#include "identify/inference.h"

#include <stdlib.h>

#include "base/quantile.h"
#include "math/symmetric_eigen.h"

// ---- inference

static const cr_real TRACE =
    CR_R(1e-3);  // of a gradient, in directions of which the data say nothing

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

cr_real cri_inference_deviation(const cri_inference* f, const cr_real* gradient) {
  int n = f->n;
  cr_real square = 0, nothing = 0, variance = 0;
  for (int i = 0; i < n; i++) {
    square += gradient[i] * f->scale[i] * (gradient[i] * f->scale[i]);
  }
  for (int k = 0; k < n; k++) {
    const cr_real *v = f->direction + (ptrdiff_t)k * n, spread = f->spread[k];
    cr_real along = 0;
    for (int i = 0; i < n; i++) {
      along += gradient[i] * f->scale[i] * v[i];
    }
    *(isfinite(spread) ? &variance : &nothing) +=
        along * along * (isfinite(spread) ? spread * spread : 1);
  }
  bool told = nothing <= TRACE * TRACE * square && variance <= f->limit * f->limit * square;
  return told ? cr_sqrt(variance) : (cr_real)INFINITY;
}

void cri_inference_step(const cri_inference* f, const cr_real* gradient, cr_real* step) {
  int n = f->n;
  cr_zero(step, n);
  for (int k = 0; k < n; k++) {
    const cr_real *v = f->direction + (ptrdiff_t)k * n, spread = f->spread[k];
    cr_real along = 0;
    for (int i = 0; i < n; i++) {
      along += gradient[i] * f->scale[i] * v[i];
    }
    for (int i = 0; i < n && isfinite(spread); i++) {
      step[i] -= f->scale[i] * v[i] * along * spread * spread;
    }
  }
}

static void fill(cri_inference* f, const cr_real* values, cr_real* unit) {
  int n = f->n;
  cr_real floor = n > 0 ? 64 * (cr_real)n * CR_EPS * cr_max(values[n - 1], 0) : 0;
  for (int k = 0; k < n; k++) {
    f->spread[k] = values[k] > floor ? 1 / cr_sqrt(values[k]) : (cr_real)INFINITY;
  }
  cr_zero(unit, n);
  for (int i = 0; i < n; i++) {
    unit[i] = 1;
    f->told[i] = isfinite(cri_inference_deviation(f, unit));
    unit[i] = 0;
  }
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) {
      cr_real sum = f->told[i] && f->told[j] ? 0 : (cr_real)NAN;
      for (int k = 0; k < n; k++) {
        const cr_real* v = f->direction + (ptrdiff_t)k * n;
        sum += isfinite(f->spread[k]) ? v[i] * v[j] * f->spread[k] * f->spread[k] : 0;
      }
      f->covariance[(ptrdiff_t)i * n + j] = sum * f->scale[i] * f->scale[j];
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
                       .scale = calloc((size_t)n + 1, sizeof(cr_real)),
                       .limit = limit,
                       .told = calloc((size_t)n + 1, sizeof(bool))};
  cr_real* room = calloc(2 * all + (size_t)n + 1, sizeof *room);
  if (f->covariance == NULL || f->direction == NULL || f->spread == NULL || f->told == NULL ||
      f->scale == NULL || room == NULL) {
    free(room);
    cri_inference_free(f);
    return cri_fail(error, CR_ERR_MEMORY, "identification: no memory");
  }
  cr_real *scaled = room, *vectors = room + all, *values = vectors + all;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) {
      scaled[(ptrdiff_t)i * n + j] = H[(ptrdiff_t)i * n + j] * scale[i] * scale[j];
    }
  }
  cr_symmetric_eigen(scaled, n, values, vectors);
  take_directions(f, values, vectors);
  cr_copy(f->scale, scale, n);
  fill(f, values, scaled);
  free(room);
  return CR_OK;
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

cr_real cri_student(cr_real confidence, cr_real freedom) {
  cr_real q = cri_normal_quantile(confidence), q2 = q * q, f = 1 / freedom;
  cr_real g1 = (q2 + 1) * q / 4;
  cr_real g2 = ((5 * q2 + 16) * q2 + 3) * q / 96;
  cr_real g3 = (((3 * q2 + 19) * q2 + 17) * q2 - 15) * q / 384;
  cr_real g4 = ((((79 * q2 + 776) * q2 + 1482) * q2 - 1920) * q2 - 945) * q / 92160;
  return q + f * (g1 + f * (g2 + f * (g3 + f * g4)));
}
