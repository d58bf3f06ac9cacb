// SPDX-License-Identifier: Apache-2.0
// The law of springs and dampers: a polynomial with three coefficients c of the distance of a spring from rest,
// or of the speed of a damper. Its orders follow from each other by differentiation. Each comes with
// its own derivative and with its gradient over the coefficients.
#ifndef CR_FORCE_POLYNOMIAL_H
#define CR_FORCE_POLYNOMIAL_H

#include "model/fields.h"

/// Equation energy    U = c0 y^2 / 2 + c1 y^3 / 3 + c2 y^4 / 4               [passive.p7]
///          pull      U' = s y = c0 y + c1 y^2 + c2 y^3                      [passive.p8]
///          chord     s = c0 + c1 y + c2 y^2                                 [passive.p9]
///          stiffness U'' = c0 + 2 c1 y + 3 c2 y^2                           [passive.p10]
typedef enum {
  CR_POLY_ENERGY,
  CR_POLY_PULL,
  CR_POLY_CHORD,
  CR_POLY_STIFFNESS
} cri_polynomial_order;

static inline cr_real cri_polynomial(cri_polynomial_order order, const cr_real c[3], cr_real y) {
  switch (order) {
    case CR_POLY_ENERGY:
      return y * y * (c[0] / 2 + y * (c[1] / 3 + y * c[2] / 4));
    case CR_POLY_PULL:
      return y * (c[0] + y * (c[1] + y * c[2]));
    case CR_POLY_CHORD:
      return c[0] + y * (c[1] + y * c[2]);
    default:
      return c[0] + y * (2 * c[1] + 3 * y * c[2]);
  }
}

/// Its derivative by y.
static inline cr_real cri_polynomial_slope(cri_polynomial_order order, const cr_real c[3],
                                           cr_real y) {
  switch (order) {
    case CR_POLY_ENERGY:
      return cri_polynomial(CR_POLY_PULL, c, y);
    case CR_POLY_PULL:
      return cri_polynomial(CR_POLY_STIFFNESS, c, y);
    case CR_POLY_CHORD:
      return c[1] + 2 * y * c[2];
    default:
      return 2 * c[1] + 6 * y * c[2];
  }
}

/// c_bar += s times its derivatives by the coefficients.
static inline void cri_polynomial_bar(cri_polynomial_order order, cr_real y, cr_real s,
                                      cr_real c_bar[3]) {
  const cr_real unit = order == CR_POLY_ENERGY ? y * y : (order == CR_POLY_PULL ? y : 1);
  for (int k = 0; k < 3; k++) {
    const cr_real share = order == CR_POLY_ENERGY      ? 1 / (cr_real)(k + 2)
                          : order == CR_POLY_STIFFNESS ? (cr_real)(k + 1)
                                                       : 1;
    c_bar[k] += s * unit * share;
    s *= y;
  }
}

/// Places of the coefficients of element i: one number of `first`, two of `rest`. Arrays of the model, or
/// of its twin, where one may be NULL.
typedef struct {
  cr_real *first, *rest;
} cri_coefficients;

static inline void cri_coefficients_of(cri_coefficients a, int i, cr_real c[3]) {
  c[0] = a.first[i];
  c[1] = a.rest[2 * i];
  c[2] = a.rest[2 * i + 1];
}

static inline void cri_coefficients_tan(cri_coefficients a, int i, cr_real c_tan[3]) {
  const cr_real* rest = cri_par_tan(a.rest, i, 2);
  c_tan[0] = cri_par_tan(a.first, i, 1)[0];
  c_tan[1] = rest[0];
  c_tan[2] = rest[1];
}

static inline void cri_coefficients_bar(cri_coefficients a, int i, const cr_real c_bar[3]) {
  cri_par_add(a.first, i, 1, c_bar);
  cri_par_add(a.rest, i, 2, c_bar + 1);
}

/// True if the twin has one of them.
static inline bool cri_coefficients_wanted(cri_coefficients a) {
  return a.first != NULL || a.rest != NULL;
}

static inline bool cri_coefficients_zero(const cr_real c[3]) {
  return c[0] == 0 && c[1] == 0 && c[2] == 0;
}

/// Fields of the model that hold the coefficients of one kind of element.
typedef struct {
  cr_field_id first, rest;
} cri_coefficient_fields;

#endif
