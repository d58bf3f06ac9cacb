// SPDX-License-Identifier: Apache-2.0
// The algebra of cones [Vandenberghe, The CVXOPT linear and quadratic cone program solvers, 2010, sections 2 and 4].
#include "quasidynamic/cone_algebra.h"

// (l + sqrt(l^2 + 4 level)) / 2 without cancellation
static cr_real root(cr_real l, cr_real level) {
  if (level == 0) {
    return cr_max(l, 0);
  }
  cr_real r = cr_sqrt(l * l + 4 * level);
  return l >= 0 ? (l + r) / 2 : 2 * level / (r - l);
}

void cri_cone_project(const cr_real* v, int n, cr_real level, cr_real* p) {
  const cr_real tail = cri_cone_tail(v, n), low = root(v[0] - tail, level);
  if (n == 1) {
    p[0] = low;
    return;
  }
  const cr_real high = root(v[0] + tail, level);
  const cr_real along = tail > 0 ? (high - low) / (2 * tail) : 0;
  for (int i = 1; i < n; i++) {
    p[i] = along * v[i];
  }
  p[0] = (low + high) / 2;
}

void cri_cone_product(const cr_real* u, const cr_real* v, int n, cr_real* r) {
  const cr_real u0 = u[0], v0 = v[0];
  cr_real sum = u0 * v0;
  for (int i = 1; i < n; i++) {
    sum += u[i] * v[i];
    r[i] = u0 * v[i] + v0 * u[i];
  }
  r[0] = sum;
}

// (u_0 - |u_1|)(u_0 + |u_1|)
static cr_real determinant(const cr_real* u, int n) {
  cr_real tail = cri_cone_tail(u, n);
  return n == 1 ? u[0] * u[0] : (u[0] - tail) * (u[0] + tail);
}

void cri_cone_divide(const cr_real* u, const cr_real* v, int n, cr_real* r) {
  if (n == 1) {
    r[0] = v[0] / u[0];
    return;
  }
  cr_real first = u[0] * v[0];
  for (int i = 1; i < n; i++) {
    first -= u[i] * v[i];
  }
  first /= determinant(u, n);
  for (int i = 1; i < n; i++) {
    r[i] = (v[i] - first * u[i]) / u[0];
  }
  r[0] = first;
}

cr_real cri_cone_step(const cr_real* v, const cr_real* d, int n) {
  if (n == 1) {
    return d[0] < 0 && -v[0] > d[0] ? -v[0] / d[0] : 1;
  }
  // a alpha^2 + 2 b alpha + c = 0
  cr_real a = d[0] * d[0], b = v[0] * d[0];
  const cr_real c = determinant(v, n);
  for (int i = 1; i < n; i++) {
    a -= d[i] * d[i];
    b -= v[i] * d[i];
  }
  const cr_real disc = b * b - a * c;
  cr_real alpha = 1;
  if (disc >= 0) {
    const cr_real q = b >= 0 ? -(b + cr_sqrt(disc)) : cr_sqrt(disc) - b;
    const cr_real roots[2] = {a != 0 ? q / a : -1, q != 0 ? c / q : -1};
    for (int i = 0; i < 2; i++) {
      alpha = roots[i] > 0 ? cr_min(alpha, roots[i]) : alpha;
    }
  }
  return alpha;
}

cr_real cri_cone_scaling(const cr_real* s, const cr_real* z, int n, cr_real* w) {
  if (n == 1) {
    w[0] = 1;
    return cr_sqrt(s[0] / z[0]);
  }
  const cr_real of_s = cr_sqrt(determinant(s, n)), of_z = cr_sqrt(determinant(z, n));
  cr_real dot = 1;
  for (int i = 0; i < n; i++) {
    dot += s[i] / of_s * (z[i] / of_z);
  }
  const cr_real gamma = cr_sqrt(dot / 2);
  cr_real sum = 1;
  for (int i = 1; i < n; i++) {
    w[i] = (s[i] / of_s - z[i] / of_z) / (2 * gamma);
    sum += w[i] * w[i];
  }
  w[0] = cr_sqrt(sum);
  return cr_sqrt(of_s / of_z);
}

void cri_cone_turn(const cr_real* w, const cr_real* v, int n, cr_real sign, cr_real factor,
                   cr_real* r) {
  const cr_real v0 = v[0];
  cr_real dot = 0;
  for (int i = 1; i < n; i++) {
    dot += w[i] * v[i];
  }
  const cr_real along = sign * v0 + dot / (1 + w[0]);
  for (int i = 1; i < n; i++) {
    r[i] = factor * (v[i] + along * w[i]);
  }
  r[0] = factor * (w[0] * v0 + sign * dot);
}
