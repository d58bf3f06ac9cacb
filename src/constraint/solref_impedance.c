// SPDX-License-Identifier: Apache-2.0
// Impedance, stiffness and damping of constraint rows, see solref_impedance.h.
#include "constraint/solref_impedance.h"

// the curve I(r) after clamping
typedef struct {
  cr_real d0, dw, width, mid, power;
} curve;

// position of a row on the curve: x = |r| / width in [0, 1], y(x) and dy/dx
typedef struct {
  cr_real x, y, y_x;
} place;

static bool from_distance(cr_real r, cr_real width) { return width > 0 && r > 0; }

static curve curve_of(const cr_real solimp[5]) {
  return (curve){
      .d0 = cr_clip(solimp[0], CR_MIN_IMPEDANCE, CR_MAX_IMPEDANCE),
      .dw = cr_clip(solimp[1], CR_MIN_IMPEDANCE, CR_MAX_IMPEDANCE),
      .width = cr_max(solimp[2], 0),
      .mid = cr_clip(solimp[3], CR_MIN_IMPEDANCE, CR_MAX_IMPEDANCE),
      .power = cr_max(solimp[4], 1),
  };
}

static curve curve_from_distance(const cr_model* m, cr_real width) {
  return (curve){
      .d0 = cr_clip(m->cfd_d0, CR_MINVAL, CR_MAX_IMPEDANCE),
      .dw = cr_clip(m->cfd_dc, CR_MINVAL, CR_MAX_IMPEDANCE),
      .width = width,
      .mid = cr_clip(m->cfd_mc, CR_MIN_IMPEDANCE, 1),
      .power = cr_max(m->cfd_pc, 1),
  };
}

// x^p; powers 1 and 2 are the usual ones
static cr_real power(cr_real x, cr_real p) { return p == 1 ? x : (p == 2 ? x * x : cr_pow(x, p)); }

static place place_on(const curve* c, cr_real r) {
  cr_real x = cr_abs(r) / c->width, p = c->power;
  if (x >= 1 || x <= 0) {
    return (place){.x = x >= 1 ? 1 : 0, .y = x >= 1 ? 1 : 0, .y_x = 0};
  }
  if (p == 1) {
    return (place){.x = x, .y = x, .y_x = 1};
  }
  if (x <= c->mid) {
    cr_real scale = 1 / power(c->mid, p - 1);
    return (place){.x = x, .y = scale * power(x, p), .y_x = p * scale * power(x, p - 1)};
  }
  cr_real scale = 1 / power(1 - c->mid, p - 1);
  return (place){.x = x, .y = 1 - scale * power(1 - x, p), .y_x = p * scale * power(1 - x, p - 1)};
}

cr_real cri_impedance(const cr_model* m, const cr_real solimp[5], cr_real r, cr_real width,
                      cr_real* slope) {
  curve c = from_distance(r, width) ? curve_from_distance(m, width) : curve_of(solimp);
  *slope = 0;
  if (c.width <= CR_MINVAL) {
    return (c.d0 + c.dw) / 2;
  }
  place at = place_on(&c, r);
  *slope = at.y_x * (r < 0 ? -1 : 1) * (c.dw - c.d0) / c.width;
  return c.d0 + at.y * (c.dw - c.d0);
}

void cri_impedance_bends(const cr_real solimp[5], cr_real r, cr_real bend[2]) {
  curve c = curve_of(solimp);
  bool flat = c.width <= CR_MINVAL || c.d0 == c.dw;
  cr_real x = flat ? 0 : cr_abs(r) / c.width;
  bend[0] = flat || c.power == 1 ? 1 : x - c.mid;
  bend[1] = flat ? 1 : x - 1;
}

// dy/dmid and dy/dpower inside the curve
static void place_gradient(const curve* c, const place* at, cr_real* y_mid, cr_real* y_power) {
  cr_real p = c->power;
  *y_mid = *y_power = 0;
  if (p == 1 || at->x <= 0 || at->x >= 1) {
    return;
  }
  if (at->x <= c->mid) {
    *y_mid = (1 - p) * at->y / c->mid;
    *y_power = at->y * cr_log(at->x / c->mid);
  } else {
    cr_real z = 1 - at->y;
    *y_mid = (1 - p) * z / (1 - c->mid);
    *y_power = -z * cr_log((1 - at->x) / (1 - c->mid));
  }
}

// gradient of the impedance with respect to solimp
static void impedance_solimp(const cr_real solimp[5], cr_real r, cr_real width,
                             cr_real I_solimp[5]) {
  cr_zero(I_solimp, 5);
  if (from_distance(r, width)) {
    return;
  }
  curve c = curve_of(solimp);
  bool flat = c.width <= CR_MINVAL;
  place at = flat ? (place){.y = CR_R(0.5)} : place_on(&c, r);

  // I = (1 - y) d0 + y dw; a clamped parameter has no derivative
  I_solimp[0] = solimp[0] == c.d0 ? 1 - at.y : 0;
  I_solimp[1] = solimp[1] == c.dw ? at.y : 0;
  if (!flat) {
    cr_real y_mid, y_power;
    place_gradient(&c, &at, &y_mid, &y_power);
    I_solimp[2] = -at.y_x * at.x / c.width * (c.dw - c.d0);
    I_solimp[3] = solimp[3] == c.mid ? y_mid * (c.dw - c.d0) : 0;
    I_solimp[4] = solimp[4] == c.power ? y_power * (c.dw - c.d0) : 0;
  }
}

// solref after the rules for signs and for the time step; records which numbers are still the user's
static bool clean_solref(const cr_model* m, const cr_real solref[2], cr_real clean[2]) {
  clean[0] = solref[0];
  clean[1] = solref[1];
  bool mixed = (solref[0] > 0) != (solref[1] > 0);
  if (mixed) {
    clean[0] = CR_R(0.02);
    clean[1] = 1;
  }
  bool safe = (m->disableflags & CR_DSBL_REFSAFE) == 0 && m->integrator != CR_INT_DISCRETE;
  if (safe && clean[0] > 0) {
    clean[0] = cr_max(clean[0], 2 * m->timestep);
  }
  return !mixed;
}

void cri_stiffness(const cr_model* m, const cr_real solref[2], cr_real dw, cr_real* K, cr_real* B) {
  cr_real ref[2];
  clean_solref(m, solref, ref);
  cr_real dw2 = dw * dw;
  *K = ref[0] > 0 ? 1 / cr_max(CR_MINVAL, dw2 * ref[0] * ref[0] * ref[1] * ref[1]) : -ref[0] / dw2;
  *B = ref[1] > 0 ? 2 / cr_max(CR_MINVAL, dw * ref[0]) : -ref[1] / dw;
}

// gradients of K and B with respect to (solref[0], solref[1], dw)
static void stiffness_gradient(const cr_model* m, const cr_real solref[2], cr_real dw,
                               cr_real K_y[3], cr_real B_y[3]) {
  cr_real K, B, ref[2];
  cri_stiffness(m, solref, dw, &K, &B);
  bool own = clean_solref(m, solref, ref);
  bool own_time = own && ref[0] == solref[0];
  cr_zero(K_y, 3);
  cr_zero(B_y, 3);

  // K = 1 / (dw tc dr)^2, or k / dw^2
  if (ref[0] <= 0) {
    K_y[0] = -1 / (dw * dw);
    K_y[2] = -2 * K / dw;
  } else if (K < 1 / CR_MINVAL) {
    K_y[0] = own_time ? -2 * K / ref[0] : 0;
    K_y[1] = own ? -2 * K / ref[1] : 0;
    K_y[2] = -2 * K / dw;
  }

  // B = 2 / (dw tc), or b / dw
  if (ref[1] <= 0) {
    B_y[1] = -1 / dw;
    B_y[2] = -B / dw;
  } else if (B < 2 / CR_MINVAL) {
    B_y[0] = own_time ? -B / ref[0] : 0;
    B_y[2] = -B / dw;
  }
}

cri_impedance_derivative cri_impedance_derivative_of(const cr_model* m, const cr_real solref[2],
                                                     const cr_real solimp[5], cr_real r,
                                                     cr_real width) {
  cri_impedance_derivative s;
  cr_real dw = cri_impedance_width(solimp);
  s.I = cri_impedance(m, solimp, r, width, &s.I_r);
  impedance_solimp(solimp, r, width, s.I_solimp);
  stiffness_gradient(m, solref, dw, s.K_y, s.B_y);
  if (dw != solimp[1]) {
    s.K_y[2] = s.B_y[2] = 0;
  }
  return s;
}

cr_real cri_impedance_tan(const cri_impedance_derivative* s, cr_real r_tan,
                          const cr_real solimp_tan[5]) {
  cr_real sum = s->I_r * r_tan;
  for (int i = 0; i < 5; i++) {
    sum += s->I_solimp[i] * solimp_tan[i];
  }
  return sum;
}

void cri_impedance_bar(const cri_impedance_derivative* s, cr_real I_bar, cr_real* r_bar,
                       cr_real solimp_bar[5]) {
  *r_bar += s->I_r * I_bar;
  for (int i = 0; i < 5; i++) {
    solimp_bar[i] += s->I_solimp[i] * I_bar;
  }
}

cr_real cri_stiffness_tan(const cr_real y[3], const cr_real solref_tan[2],
                          const cr_real solimp_tan[5]) {
  return y[0] * solref_tan[0] + y[1] * solref_tan[1] + y[2] * solimp_tan[1];
}

void cri_stiffness_bar(const cr_real y[3], cr_real bar, cr_real solref_bar[2],
                       cr_real solimp_bar[5]) {
  solref_bar[0] += y[0] * bar;
  solref_bar[1] += y[1] * bar;
  solimp_bar[1] += y[2] * bar;
}

// ---- of one row

void cri_make_impedance(const cr_model* m, cr_data* d, int i, const cr_real solref[2],
                        const cr_real solimp[5], cr_real r, cr_real width, bool stiff) {
  cr_real* KBIP = d->efc_KBIP + 4 * i;
  KBIP[2] = cri_impedance(m, solimp, r, width, &KBIP[3]);
  cri_stiffness(m, solref, cri_impedance_width(solimp), &KBIP[0], &KBIP[1]);
  KBIP[0] = stiff ? KBIP[0] : 0;
}

void cri_make_impedance_jvp(const cri_impedance_derivative* s, cr_data* tan, int i, cr_real r_tan,
                            const cr_real solref_tan[2], const cr_real solimp_tan[5], bool stiff) {
  cr_real* KBIP_tan = tan->efc_KBIP + 4 * i;
  KBIP_tan[0] = stiff ? cri_stiffness_tan(s->K_y, solref_tan, solimp_tan) : 0;
  KBIP_tan[1] = cri_stiffness_tan(s->B_y, solref_tan, solimp_tan);
  KBIP_tan[2] = cri_impedance_tan(s, r_tan, solimp_tan);
  KBIP_tan[3] = 0;
}

cri_impedance_derivative_bar cri_make_impedance_vjp(const cri_impedance_derivative* s,
                                                    const cr_data* bar, int i, bool stiff) {
  cri_impedance_derivative_bar x = {0};
  const cr_real* KBIP_bar = bar->efc_KBIP + 4 * i;
  cri_impedance_bar(s, KBIP_bar[2], &x.r, x.solimp);
  cri_stiffness_bar(s->B_y, KBIP_bar[1], x.solref, x.solimp);
  cri_stiffness_bar(s->K_y, stiff ? KBIP_bar[0] : 0, x.solref, x.solimp);
  return x;
}

cr_real cri_penetration(const cr_model* m, cr_real r, cr_real width, cr_real* slope) {
  *slope = 1;
  if (width <= 0) {
    return r;
  }
  cr_real s = m->cfd_scale * (width == m->cfd_wc ? 1 : width / m->cfd_wc);
  if (s <= CR_MINVAL) {
    *slope = r < 0 ? 1 : 0;
    return cr_min(r, 0);
  }
  // log(1 + exp(-r/s)) without overflow on either side
  cr_real z = r / s, t = cr_exp(-cr_abs(z));
  *slope = z > 0 ? t / (1 + t) : 1 / (1 + t);
  return -s * (cr_max(-z, 0) + cr_log1p(t));
}
