// SPDX-License-Identifier: Apache-2.0
// Numbers and vectors that carry their tangents, for pairs whose value and tangent are computed
// together.
#ifndef CR_COLLISION_SOFT_VECTOR_H
#define CR_COLLISION_SOFT_VECTOR_H

#include "collision/soft.h"

typedef struct {
  cr_real v[3], tan[3];
} cr_soft3;

static inline cr_soft cri_held(cr_real x) { return (cr_soft){x, 0}; }
static inline cr_soft cri_sum(cr_soft a, cr_soft b) { return (cr_soft){a.v + b.v, a.tan + b.tan}; }
static inline cr_soft cri_dif(cr_soft a, cr_soft b) { return (cr_soft){a.v - b.v, a.tan - b.tan}; }
static inline cr_soft cri_times(cr_soft a, cr_soft b) {
  return (cr_soft){a.v * b.v, a.tan * b.v + a.v * b.tan};
}
static inline cr_soft cri_over(cr_soft a, cr_soft b) {
  cr_real q = a.v / b.v;
  return (cr_soft){q, (a.tan - q * b.tan) / b.v};
}
static inline cr_soft cri_scaled(cr_soft a, cr_real k) { return (cr_soft){k * a.v, k * a.tan}; }

/// w a + (1 - w) b
static inline cr_soft cri_mix(cr_soft w, cr_soft a, cr_soft b) {
  return cri_sum(b, cri_times(w, cri_dif(a, b)));
}

static inline cr_soft cri_dot(const cr_soft3* a, const cr_soft3* b) {
  return (cr_soft){cr_dot3(a->v, b->v), cr_dot3(a->tan, b->v) + cr_dot3(a->v, b->tan)};
}

/// a + k b
static inline cr_soft3 cri_plus(const cr_soft3* a, cr_soft k, const cr_soft3* b) {
  cr_soft3 r = *a;
  cr_accscl3(r.v, b->v, k.v);
  cr_accscl3(r.tan, b->v, k.tan);
  cr_accscl3(r.tan, b->tan, k.v);
  return r;
}

static inline cr_soft3 cri_scaled3(const cr_soft3* a, cr_soft k) {
  cr_soft3 zero = {{0, 0, 0}, {0, 0, 0}};
  return cri_plus(&zero, k, a);
}

static inline cr_soft3 cri_dif3(const cr_soft3* a, const cr_soft3* b) {
  return cri_plus(a, cri_held(-1), b);
}

static inline cr_soft3 cri_mix3(cr_soft w, const cr_soft3* a, const cr_soft3* b) {
  cr_soft3 dif = cri_dif3(a, b);
  return cri_plus(b, w, &dif);
}

static inline cr_soft3 cri_cross(const cr_soft3* a, const cr_soft3* b) {
  cr_soft3 r;
  cr_cross3(r.v, a->v, b->v);
  cr_cross3(r.tan, a->tan, b->v);
  cr_acccross3(r.tan, a->v, b->tan);
  return r;
}

/// a / |a|, and |a|; zero, and held, if there is no direction.
static inline cr_soft3 cri_unit(const cr_soft3* a, cr_soft* length) {
  cr_soft3 r = {{0, 0, 0}, {0, 0, 0}};
  cr_real size = cr_norm3(a->v);
  *length = cri_held(size);
  if (size > CR_MINVAL) {
    cr_scl3(r.v, a->v, 1 / size);
    length->tan = cr_dot3(r.v, a->tan);
    cr_normalize3_tan(r.tan, r.v, size, a->tan);
  }
  return r;
}

#endif
