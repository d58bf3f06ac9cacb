// SPDX-License-Identifier: Apache-2.0
// The algebra of a half line (n = 1) and of a second-order cone of dimension n, one block at a time.
// docs/derivations/quasidynamic.md
#ifndef CR_QUASIDYNAMIC_CONE_ALGEBRA_H
#define CR_QUASIDYNAMIC_CONE_ALGEBRA_H

#include "base/real.h"

/// Length of the part behind the first number.
static inline cr_real cri_cone_tail(const cr_real* v, int n) {
  cr_real sum = 0;
  for (int i = 1; i < n; i++) {
    sum += v[i] * v[i];
  }
  return n == 2 ? cr_abs(v[1]) : cr_sqrt(sum);
}

/// The least and the largest spectral value, v_0 -+ |v_1|; both v_0 if n is 1.
static inline cr_real cri_cone_least(const cr_real* v, int n) { return v[0] - cri_cone_tail(v, n); }
static inline cr_real cri_cone_most(const cr_real* v, int n) { return v[0] + cri_cone_tail(v, n); }

/// p with p o (p - v) = level e, p in K: for level 0 the projection of v on the cone.      [quasidynamic.c4]
/// Equation spectral values (l + sqrt(l^2 + 4 level)) / 2
void cri_cone_project(const cr_real* v, int n, cr_real level, cr_real* p);

/// r = u o v;  r = u \ v, the solution of u o r = v. r may be v.
void cri_cone_product(const cr_real* u, const cr_real* v, int n, cr_real* r);
void cri_cone_divide(const cr_real* u, const cr_real* v, int n, cr_real* r);

/// Largest alpha <= 1 with v + alpha d in the cone, v inside.
cr_real cri_cone_step(const cr_real* v, const cr_real* d, int n);

/// The Nesterov-Todd scaling W of s and z: W z = W^-1 s = lambda. w[n], and the factor beta.
cr_real cri_cone_scaling(const cr_real* s, const cr_real* z, int n, cr_real* w);

/// r = factor [w_0, +-w_1'; +-w_1, I + w_1 w_1' / (1 + w_0)] v, the signs those of `sign`. r may be v.
void cri_cone_turn(const cr_real* w, const cr_real* v, int n, cr_real sign, cr_real factor,
                   cr_real* r);

/// r = W v;  r = W^-1 v. r may be v. Of a half line they are products of two numbers.
static inline void cri_cone_scale(const cr_real* w, cr_real beta, const cr_real* v, int n,
                                  cr_real* r) {
  if (n == 1) {
    r[0] = beta * v[0];
  } else {
    cri_cone_turn(w, v, n, 1, beta, r);
  }
}

static inline void cri_cone_unscale(const cr_real* w, cr_real beta, const cr_real* v, int n,
                                    cr_real* r) {
  if (n == 1) {
    r[0] = 1 / beta * v[0];
  } else {
    cri_cone_turn(w, v, n, -1, 1 / beta, r);
  }
}

#endif
