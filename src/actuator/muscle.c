// SPDX-License-Identifier: Apache-2.0
// A curve is made of parabolas whose second derivative jumps at seams: MuJoCo's pieces or,
// smoothed, one rounded ramp per seam. Both give value and derivatives to the same [muscle.m2] and [muscle.m3].
#include "actuator/muscle.h"

#include "actuator/range_ends.h"

// value of a curve, its derivative by the argument and by its own two parameters
typedef struct {
  cr_real value, by_x, by_low, by_high;
} curve;

// ---- smoothed: sum over seams of jump * ramp(x - seam)

// x^2 / 2 for x > 0, with the second derivative rising over [-w, w] as the integral of the kernel
// 15/16 (1 - t^2)^2 / w, t = x / w; *slope and *bend: its first and second derivative
static cr_real ramp(cr_real x, cr_real w, cr_real* slope, cr_real* bend) {
  if (x <= -w) {
    *slope = *bend = 0;
    return 0;
  }
  if (x >= w) {
    // the kernel's variance, w^2 / 7, remains
    *slope = x;
    *bend = 1;
    return x * x / 2 + w * w / 14;
  }
  cr_real t = x / w, t2 = t * t, t3 = t2 * t;
  cr_real s = t / 2 + CR_R(15.0) / 16 * (t2 / 2 - t2 * t2 / 6 + t2 * t2 * t2 / 30);
  cr_real s1 = CR_R(5.0) / 32;
  cr_real v = t2 / 4 + CR_R(15.0) / 16 * (t3 / 6 - t3 * t2 / 30 + t3 * t2 * t2 / 210);
  *slope = w * (s + s1);
  *bend = CR_R(0.5) + CR_R(15.0) / 16 * (t - 2 * t3 / 3 + t3 * t2 / 5);
  return w * w * (v + s1 * t + CR_R(1.0) / 28);
}

typedef struct {
  cr_real x, w;
  bool derived;  // sum the derivatives instead
  curve sum;
} ramps;

// adds a seam with its jump; the derivatives of both by the two parameters
static void add_seam(ramps* r, cr_real seam, cr_real seam_low, cr_real seam_high, cr_real jump,
                     cr_real jump_low, cr_real jump_high) {
  cr_real slope, bend, value = ramp(r->x - seam, r->w, &slope, &bend);
  if (r->derived) {
    value = slope;
    slope = bend;
  }
  r->sum.value += jump * value;
  r->sum.by_x += jump * slope;
  r->sum.by_low += jump_low * value - jump * slope * seam_low;
  r->sum.by_high += jump_high * value - jump * slope * seam_high;
}

// ---- the curves

static cr_real width(cr_real x) { return cr_max(CR_MINVAL, x); }

static curve length_curve_smooth(cr_real L, cr_real low, cr_real high, cr_real w, bool derived) {
  ramps r = {.x = L, .w = w, .derived = derived};
  cr_real h0 = width((1 - low) / 2), h1 = width((high - 1) / 2);
  cr_real j0 = 1 / (h0 * h0), j1 = 1 / (h1 * h1), d0 = j0 / h0, d1 = -j1 / h1;
  add_seam(&r, low, 1, 0, j0, d0, 0);
  add_seam(&r, (low + 1) / 2, CR_R(0.5), 0, -2 * j0, -2 * d0, 0);
  add_seam(&r, 1, 0, 0, j0 - j1, d0, -d1);
  add_seam(&r, (1 + high) / 2, 0, CR_R(0.5), 2 * j1, 0, 2 * d1);
  add_seam(&r, high, 0, 1, -j1, 0, -d1);
  return r.sum;
}

// x^2 / 2 in the outer quarters, 1 - x^2 / 2 in the inner ones
static curve length_curve(cr_real L, cr_real low, cr_real high, cr_real w) {
  curve c = {0};
  if (w > 0) {
    return length_curve_smooth(L, low, high, w, false);
  }
  if (L < low || L > high) {
    return c;
  }
  bool rising = L <= 1;
  cr_real edge = rising ? low : high, middle = (edge + 1) / 2, sign = rising ? 1 : -1;
  cr_real per_h = sign / width(rising ? (1 - low) / 2 : (high - 1) / 2);
  bool outer = rising ? L <= middle : L > middle;
  // distance from the edge or from 1, in units of h
  cr_real x = (outer ? L - edge : 1 - L) * per_h, by_x = outer ? x : -x;
  c.value = outer ? x * x / 2 : 1 - x * x / 2;
  c.by_x = x * per_h;
  *(rising ? &c.by_low : &c.by_high) = by_x * (x / 2 - (outer ? 1 : 0)) * per_h;
  return c;
}

// its derivative, as a curve
static curve length_slope(cr_real L, cr_real low, cr_real high, cr_real w) {
  curve c = {0};
  if (w > 0) {
    return length_curve_smooth(L, low, high, w, true);
  }
  if (L < low || L > high) {
    return c;
  }
  bool rising = L <= 1;
  cr_real edge = rising ? low : high, middle = (edge + 1) / 2, sign = rising ? 1 : -1;
  cr_real h = width(rising ? (1 - low) / 2 : (high - 1) / 2), h_edge = -sign / 2;
  bool outer = rising ? L <= middle : L > middle;
  // of x^2 / 2 or 1 - x^2 / 2, x as above
  cr_real x = sign * (outer ? L - edge : 1 - L) / h, x_edge = sign * (x / 2 - (outer ? 1 : 0)) / h;
  c.value = sign * x / h;
  c.by_x = (outer ? 1 : -1) / (h * h);
  *(rising ? &c.by_low : &c.by_high) = sign * (x_edge - x * h_edge / h) / h;
  return c;
}

// the smoothed curve, or its derivative
static curve velocity_curve_smooth(cr_real V, cr_real y, cr_real w, bool derived) {
  ramps r = {.x = V, .w = w, .derived = derived};
  cr_real bend = 2 / width(y), bend_most = -bend / width(y);
  add_seam(&r, -1, 0, 0, 2, 0, 0);
  add_seam(&r, 0, 0, 0, -2 - bend, 0, -bend_most);
  add_seam(&r, y, 0, 1, bend, 0, bend_most);
  return r.sum;
}

// by_high: by fvmax
static curve velocity_curve(cr_real V, cr_real most, cr_real w) {
  cr_real y = most - 1;
  if (w > 0) {
    return velocity_curve_smooth(V, y, w, false);
  }
  if (V <= -1) {
    return (curve){0};
  }
  if (V <= 0) {
    return (curve){.value = (V + 1) * (V + 1), .by_x = 2 * (V + 1)};
  }
  if (V <= y) {
    cr_real x = (y - V) / width(y);
    return (curve){.value = most - (y - V) * x, .by_x = 2 * x, .by_high = 1 - 2 * x + x * x};
  }
  return (curve){.value = most, .by_high = 1};
}

// its derivative, as a curve
static curve velocity_slope(cr_real V, cr_real most, cr_real w) {
  cr_real y = most - 1;
  if (w > 0) {
    return velocity_curve_smooth(V, y, w, true);
  }
  if (V <= -1 || V > y) {
    return (curve){0};
  }
  if (V <= 0) {
    return (curve){.value = 2 * (V + 1), .by_x = 2};
  }
  cr_real x = (y - V) / width(y);
  return (curve){.value = 2 * x, .by_x = -2 / width(y), .by_high = 2 * (1 - x) / width(y)};
}

// by_high: by lmax
static curve passive_curve(cr_real L, cr_real high, cr_real w) {
  cr_real h = width((high - 1) / 2), middle = (1 + high) / 2;
  if (w > 0) {
    ramps r = {.x = L, .w = w};
    cr_real bend = 1 / (h * h), bend_high = -bend / h;
    add_seam(&r, 1, 0, 0, bend, 0, bend_high);
    add_seam(&r, middle, 0, CR_R(0.5), -bend, 0, -bend_high);
    return r.sum;
  }
  if (L <= 1) {
    return (curve){0};
  }
  cr_real per_h = 1 / h;
  if (L <= middle) {
    cr_real x = (L - 1) * per_h;
    return (curve){.value = x * x / 2, .by_x = x * per_h, .by_high = -x * x / 2 * per_h};
  }
  cr_real x = (L - middle) * per_h;
  return (curve){.value = CR_R(0.5) + x, .by_x = per_h, .by_high = -(1 + x) / 2 * per_h};
}

// its derivative, as a curve
static curve passive_slope(cr_real L, cr_real high, cr_real w) {
  cr_real h = width((high - 1) / 2), middle = (1 + high) / 2;
  if (w > 0) {
    ramps r = {.x = L, .w = w, .derived = true};
    cr_real bend = 1 / (h * h), bend_high = -bend / h;
    add_seam(&r, 1, 0, 0, bend, 0, bend_high);
    add_seam(&r, middle, 0, CR_R(0.5), -bend, 0, -bend_high);
    return r.sum;
  }
  if (L <= 1) {
    return (curve){0};
  }
  cr_real x = L <= middle ? (L - 1) / h : 1;
  return (curve){.value = x / h,
                 .by_x = L <= middle ? 1 / (h * h) : 0,
                 .by_high = L <= middle ? -x / (h * h) : -1 / (2 * h * h)};
}

// ---- [muscle.m1] normalization

typedef struct {
  cr_real L0, L, V, F;
  cr_real span, unit, speed;  // the denominators r1 - r0, L0, L0 vmax
} normal;

static normal normalize(const cr_model* m, int i, const cr_real* prm, cr_real l, cr_real v) {
  int out = m->actuator_outadr[i];
  const cr_real* R = m->actuator_lengthrange + 2 * out;
  normal n = {.span = width(prm[1] - prm[0])};
  n.L0 = (R[1] - R[0]) / n.span;
  n.unit = width(n.L0);
  n.speed = width(n.L0 * prm[6]);
  n.L = prm[0] + (l - R[0]) / n.unit;
  n.V = v == 0 ? 0 : v / n.speed;
  n.F = prm[2] < 0 ? prm[3] / width(m->actuator_acc0[out]) : prm[2];
  return n;
}

// converts derivatives by L, V, F, L0 and L0 vmax to derivatives by their inputs
static void spread(const cr_model* m, int i, const cr_real* prm, const normal* n, cr_real by_L,
                   cr_real by_V, cr_real by_F, cr_real by_unit, cr_real by_speed,
                   cri_curve_gradient* g) {
  cr_real acc0 = m->actuator_acc0[m->actuator_outadr[i]];
  // a denominator held at its least value does not move
  by_unit = n->L0 > CR_MINVAL ? by_unit - by_L * (n->L - prm[0]) / n->unit : 0;
  by_speed = n->L0 * prm[6] > CR_MINVAL ? by_speed - by_V * n->V / n->speed : 0;
  cr_real by_L0 = by_unit + by_speed * prm[6];
  cr_real by_span = prm[1] - prm[0] > CR_MINVAL ? -by_L0 * n->L0 / n->span : 0;
  g->length = by_L / n->unit;
  g->velocity = by_V / n->speed;
  g->range[0] = -by_L / n->unit - by_L0 / n->span;
  g->range[1] = by_L0 / n->span;
  g->prm[0] = by_L - by_span;
  g->prm[1] = by_span;
  g->prm[2] = prm[2] < 0 ? 0 : by_F;
  g->prm[3] = prm[2] < 0 ? by_F / width(acc0) : 0;
  g->prm[6] = by_speed * n->L0;
  g->acc0 = prm[2] < 0 && acc0 > CR_MINVAL ? -by_F * n->F / acc0 : 0;
}

cr_real cri_muscle_gain(const cr_model* m, int i, const cr_real* p, cri_slope_over over, cr_real l,
                        cr_real v, cri_curve_gradient* g) {
  cr_real w = m->muscle_smooth;
  bool by_l = over == CR_OVER_LENGTH, by_v = over == CR_OVER_VELOCITY;
  normal n = normalize(m, i, p, l, v);
  curve FL = by_l ? length_slope(n.L, p[4], p[5], w) : length_curve(n.L, p[4], p[5], w);
  curve FV = by_v ? velocity_slope(n.V, p[8], w) : velocity_curve(n.V, p[8], w);
  // [muscle.m2] gain = -F FL FV, [muscle.m6] gain_v = -F FL FV' / (L0 vmax), [muscle.m7] gain_l = -F FL' FV / L0
  cr_real under = by_l ? n.unit : (by_v ? n.speed : 1), scale = -n.F / under;
  if (g != NULL) {
    cr_real by_under = -scale / under * FL.value * FV.value;
    *g = (cri_curve_gradient){0};
    spread(m, i, p, &n, scale * FL.by_x * FV.value, scale * FL.value * FV.by_x,
           -FL.value * FV.value / under, by_l ? by_under : 0, by_v ? by_under : 0, g);
    g->prm[4] = scale * FL.by_low * FV.value;
    g->prm[5] = scale * FL.by_high * FV.value;
    g->prm[8] = scale * FL.value * FV.by_high;
  }
  return scale * FL.value * FV.value;
}

cr_real cri_muscle_bias(const cr_model* m, int i, const cr_real* p, cri_slope_over over, cr_real l,
                        cr_real v, cri_curve_gradient* g) {
  (void)v;
  if (g != NULL) {
    *g = (cri_curve_gradient){0};
  }
  if (over == CR_OVER_VELOCITY) {
    return 0;
  }
  bool by_l = over == CR_OVER_LENGTH;
  cr_real w = m->muscle_smooth;
  normal n = normalize(m, i, p, l, 0);
  curve FP = by_l ? passive_slope(n.L, p[5], w) : passive_curve(n.L, p[5], w);
  // [muscle.m3] bias = -F fpmax FP, [muscle.m8] bias_l = -F fpmax FP' / L0
  cr_real under = by_l ? n.unit : 1, scale = -n.F * p[7] / under;
  if (g != NULL) {
    spread(m, i, p, &n, scale * FP.by_x, 0, -p[7] * FP.value / under,
           by_l ? -scale / under * FP.value : 0, 0, g);
    g->prm[5] = scale * FP.by_high;
    g->prm[7] = -n.F / under * FP.value;
  }
  return scale * FP.value;
}

// how many of n ascending seams lie below x
static int seams_below(cr_real x, const cr_real* seams, int n) {
  int below = 0;
  for (int k = 0; k < n; k++) {
    below += seams[k] < x;
  }
  return below;
}

int cri_muscle_gain_piece(const cr_model* m, int i, cr_real l, cr_real v) {
  const cr_real* p = m->actuator_gainprm + 10 * i;
  const cr_real length[] = {p[4], (p[4] + 1) / 2, 1, (1 + p[5]) / 2, p[5]};
  const cr_real velocity[] = {-1, 0, p[8] - 1};
  normal n = normalize(m, i, p, l, v);
  return seams_below(n.L, length, 5) + 6 * seams_below(n.V, velocity, 3);
}

int cri_muscle_bias_piece(const cr_model* m, int i, cr_real l, cr_real v) {
  const cr_real* p = m->actuator_biasprm + 10 * i;
  const cr_real passive[] = {1, (1 + p[5]) / 2};
  return seams_below(normalize(m, i, p, l, v).L, passive, 2);
}

// ---- activation

// 6 x^5 - 15 x^4 + 10 x^3 between 0 and 1
static cr_real sigmoid(cr_real x, cr_real* slope) {
  if (x <= 0 || x >= 1) {
    *slope = 0;
    return x <= 0 ? 0 : 1;
  }
  *slope = 30 * x * x * (1 - x) * (1 - x);
  return x * x * x * (6 * x * x - 15 * x + 10);
}

cri_muscle_rate cri_muscle_rate_of(const cr_model* m, int i, cr_real u, cr_real act) {
  const cr_real* prm = m->actuator_dynprm + 10 * i;
  cr_real smooth = cr_max(prm[2], m->muscle_smooth);
  // [muscle.m4]
  cr_real a = cr_clip(act, 0, 1), a_act = act >= 0 && act <= 1 ? 1 : 0;
  cr_real e = cr_clip(u, 0, 1) - act, e_u = u >= 0 && u <= 1 ? 1 : 0;
  cr_real pace = CR_R(0.5) + CR_R(1.5) * a, pace_act = CR_R(1.5) * a_act;
  cr_real per_pace = 1 / pace, tau1 = prm[0] * pace, tau0 = prm[1] * per_pace;
  cr_real S = e > 0 ? 1 : 0, S_e = 0, S_width = 0;
  if (smooth >= CR_MINVAL) {
    cr_real slope;
    S = sigmoid(e / smooth + CR_R(0.5), &slope);
    S_e = slope / smooth;
    S_width = prm[2] >= m->muscle_smooth ? -slope * e / (smooth * smooth) : 0;
  }
  // [muscle.m5] act_dot = e / tau
  cr_real gap = tau1 - tau0, tau = tau0 + gap * S, per_tau = 1 / width(tau), value = e * per_tau;
  cr_real by_e = per_tau, by_tau = tau > CR_MINVAL ? -value * per_tau : 0;
  cr_real tau_act = pace_act * ((1 - S) * -tau0 * per_pace + S * prm[0]);
  by_e += by_tau * gap * S_e;
  cr_real by_u = by_e * e_u, by_act = by_tau * tau_act - by_e;
  if (e == 0 && smooth < CR_MINVAL) {
    // Excitation equals activation. From an end of its range excitation can only go one way, and
    // activation follows: every change has one time constant, the way back the other.
    // A range that ends below 0 leaves excitation at 0, from where it can only grow with the range.
    int end = cri_control_end_of(m, m->actuator_ctrladr[i], true, cr_clip(u, 0, 1));
    bool grows = end > 0 || (end == 0 && u == 0);
    by_u = e_u / width(grows ? tau1 : tau0);
    by_act = -1 / width(end < 0 ? tau1 : tau0);
  }
  return (cri_muscle_rate){
      .value = value,
      .by_u = by_u,
      .by_act = by_act,
      .by_prm = {by_tau * S * pace, by_tau * (1 - S) * per_pace, by_tau * gap * S_width}};
}

void cri_muscle_rate_at_stage(const cr_data* d, cr_real* by_u, cr_real* by_act) {
  const cri_tableau* t = d->stage_method;
  cr_real charge = *by_u, decay = -*by_act, p[CR_RK_STAGES], q[CR_RK_STAGES];
  if (charge == decay || charge == 0) {
    return;
  }
  for (int i = 0; i <= d->stage; i++) {
    cr_real P = 1, Q = 0;
    for (int k = 0; k < i; k++) {
      P += d->stage_step * t->a[i * t->n + k] * p[k];
      Q += d->stage_step * t->a[i * t->n + k] * q[k];
    }
    *by_act = -(P >= 0 ? decay : charge);
    p[i] = P * *by_act;
    q[i] = (1 - Q) * (Q <= 1 ? charge : decay);
    *by_u = q[i] - *by_act * Q;
  }
}
