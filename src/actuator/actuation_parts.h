// SPDX-License-Identifier: Apache-2.0
// Shared by the files of actuation: clipping that reports where it held, rows of cotangents of
// parameters, and products with rows of the moment.
#ifndef CR_ACTUATOR_ACTUATION_PARTS_H
#define CR_ACTUATOR_ACTUATION_PARTS_H

#include "model/data.h"

/// x within a range; side -1, +1 if the lower, upper end holds it, 0 if it is free.
static inline cr_real cri_clip(cr_real x, bool limited, const cr_real range[2], int* side) {
  *side = !limited ? 0 : (x < range[0] ? -1 : x > range[1]);
  return *side == 0 ? x : range[*side > 0];
}

static inline cr_real cri_clip_jvp(int side, cr_real x_tan, const cr_real range_tan[2]) {
  return side == 0 ? x_tan : range_tan[side > 0];
}

/// Gives the cotangent of x; adds to that of the range, which may be NULL.
static inline cr_real cri_clip_vjp(int side, cr_real bar, cr_real* range_bar) {
  if (side != 0 && range_bar != NULL) {
    range_bar[side > 0] += bar;
  }
  return side == 0 ? bar : 0;
}

/// Row `row` of a parameter's cotangent, NULL if the twin does not hold it.
static inline cr_real* cri_par_bar(cr_real* array, int row, int width) {
  return array == NULL ? NULL : array + (size_t)row * (size_t)width;
}

/// Row `out` of the moment, its values or their tangents, times x.
static inline cr_real cri_moment_mul(const cr_data* d, const cr_real* moment, int out,
                                     const cr_real* x) {
  cr_real sum = 0;
  int first = d->moment_rowadr[out];
  for (int k = first; k < first + d->moment_rownnz[out]; k++) {
    sum += moment[k] * x[d->moment_colind[k]];
  }
  return sum;
}

/// x += s times row `out`.
static inline void cri_moment_add(const cr_data* d, const cr_real* moment, int out, cr_real s,
                                  cr_real* x) {
  int first = d->moment_rowadr[out];
  for (int k = first; k < first + d->moment_rownnz[out]; k++) {
    x[d->moment_colind[k]] += s * moment[k];
  }
}

/// The limit that holds the force of an actuator (actuator_held): its own or that on its tendon's total; or the
/// joint's.
enum { CR_HELD_FORCE = 1, CR_HELD_JOINT = 2 };

/// True if control k is clipped to its range.
static inline bool cri_control_limited(const cr_model* m, int k) {
  return m->actuator_ctrllimited[k] != 0 && (m->disableflags & CR_DSBL_CLAMPCTRL) == 0;
}

#endif
