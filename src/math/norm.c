// SPDX-License-Identifier: Apache-2.0
// Norms: each a function of |r|, or a sum of functions of one number.
#include "math/norm.h"

// a function of one number with its derivatives
typedef struct {
  cr_real f, d, dd;
} curve;

static bool is_radial(cr_norm kind) { return kind == CR_NORM_L22 || kind == CR_NORM_L2; }

static cr_status wrong(const cri_norm* norm, const char* name, const char* what, cr_error* error) {
  return cri_fail(error, CR_ERR_ARG, "%s: norm with p = %.9g, q = %.9g: %s", name, (double)norm->p,
                  (double)norm->q, what);
}

cr_status cri_norm_check(const cri_norm* norm, const char* name, cr_error* error) {
  const cr_real p = norm->p, q = norm->q;
  switch (norm->kind) {
    case CR_NORM_NULL:
    case CR_NORM_QUADRATIC:
      return CR_OK;
    case CR_NORM_L22:
    case CR_NORM_SMOOTH_ABS2:
      return p > 0 && q >= 1 && isfinite(p) && isfinite(q)
                 ? CR_OK
                 : wrong(norm, name, "p above 0 and q of 1 or more are needed", error);
    case CR_NORM_POWER:
      return p >= 1 && isfinite(p) ? CR_OK : wrong(norm, name, "p of 1 or more is needed", error);
    case CR_NORM_L2:
    case CR_NORM_COSH:
    case CR_NORM_SMOOTH_ABS:
    case CR_NORM_RECTIFY:
      return p > 0 && isfinite(p) ? CR_OK : wrong(norm, name, "p above 0 is needed", error);
  }
  return cri_fail(error, CR_ERR_ARG, "%s: there is no norm %d", name, (int)norm->kind);
}

// x^q for x >= 0, and the same where a negative power of 0 would be infinite
static cr_real power(cr_real x, cr_real q) {
  return q == 0 ? 1 : q == 1 ? x : q == 2 ? x * x : cr_pow(x, q);
}
static cr_real power_near(cr_real x, cr_real q) {
  return power(q < 0 ? cr_max(x, CRI_NORM_NEAR) : x, q);
}

// (x^q + p^q)^(1/q) - p of x >= 0                        [cost.n3] [cost.n8]
static curve smooth_power(cr_real x, cr_real p, cr_real q) {
  cr_real e = power(x, q) + power(p, q), s = power(e, 1 / q);
  cr_real d = s / e * power(x, q - 1);
  cr_real dd = s / e * power_near(x, q - 2) * (q - 1) * power(p, q) / e;
  return (curve){s - p, d, dd};
}

// sqrt(x^2 + p^2) - p                                    [cost.n4] [cost.n7]
static curve smooth_root(cr_real x, cr_real p) {
  cr_real s = cr_sqrt(x * x + p * p);
  return (curve){x * x / (s + p), x / s, p * p / (s * s * s)};
}

// p log(1 + exp(x / p))                                  [cost.n9]
static curve softplus(cr_real x, cr_real p) {
  cr_real y = x / p, small = cr_exp(-cr_abs(y)), share = (y > 0 ? 1 : small) / (1 + small);
  return (curve){p * (cr_max(y, 0) + cr_log1p(small)), share, share * (1 - share) / p};
}

static curve of_number(const cri_norm* norm, cr_real x) {
  cr_real size = cr_abs(x), sign = x < 0 ? -1 : 1;
  curve c = {x, 1, 0};  // [cost.n1]
  switch (norm->kind) {
    case CR_NORM_QUADRATIC:  // [cost.n2]
      return (curve){x * x / 2, x, 1};
    case CR_NORM_COSH: {  // [cost.n5]
      cr_real up = cr_exp(x / norm->p), down = 1 / up, half = norm->p / 2;
      cr_real s = cr_exp(x / norm->p / 2) - cr_exp(-x / norm->p / 2);  // 2 (cosh y - 1) = s^2
      return (curve){norm->p * half * s * s, half * (up - down), (up + down) / 2};
    }
    case CR_NORM_POWER:  // [cost.n6]
      c = (curve){power(size, norm->p), norm->p * power(size, norm->p - 1),
                  norm->p * (norm->p - 1) * power_near(size, norm->p - 2)};
      break;
    case CR_NORM_SMOOTH_ABS:
      return smooth_root(x, norm->p);
    case CR_NORM_SMOOTH_ABS2:
      c = smooth_power(size, norm->p, norm->q);
      break;
    case CR_NORM_RECTIFY:
      return softplus(x, norm->p);
    default:
      return c;
  }
  c.d *= x == 0 ? 0 : sign;
  return c;
}

static curve of_length(const cri_norm* norm, const cr_real* r, int n, cr_real* length) {
  cr_real sum = 0;
  for (int i = 0; i < n; i++) {
    sum += r[i] * r[i];
  }
  *length = cr_sqrt(sum);
  return norm->kind == CR_NORM_L2 ? smooth_root(*length, norm->p)
                                  : smooth_power(*length, norm->p, norm->q);
}

cr_real cri_norm_value(const cri_norm* norm, const cr_real* r, int n) {
  cr_real sum = 0, length;
  if (is_radial(norm->kind)) {
    return of_length(norm, r, n, &length).f;
  }
  for (int i = 0; i < n; i++) {
    sum += of_number(norm, r[i]).f;
  }
  return sum;
}

// f(|r|): gradient f' r / |r|, Hessian f'/|r| (I - u u') + f'' u u', u = r / |r|     [cost.n10]
static void radial(const cri_norm* norm, const cr_real* r, int n, cr_real* g, cr_real* h,
                   cr_real* outer) {
  cr_real length;
  curve c = of_length(norm, r, n, &length);
  cr_real slope = length > 0 ? c.d / length : c.dd;
  *outer = length > CRI_NORM_NEAR ? (c.dd - slope) / (length * length) : 0;
  for (int i = 0; i < n; i++) {
    g[i] = slope * r[i];
    h[i] = slope;
  }
}

void cri_norm_derivatives(const cri_norm* norm, const cr_real* r, int n, cr_real* g, cr_real* h,
                          cr_real* outer) {
  *outer = 0;
  if (is_radial(norm->kind)) {
    radial(norm, r, n, g, h, outer);
    return;
  }
  for (int i = 0; i < n; i++) {
    curve c = of_number(norm, r[i]);
    g[i] = c.d;
    h[i] = c.dd;
  }
}
