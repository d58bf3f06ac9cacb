// SPDX-License-Identifier: Apache-2.0
// DC motors: a controller sets a voltage. Voltage, speed and the winding's resistance give a
// current, which gives the force; cogging and the friction of bristles are added.
#include "actuator/drive.h"
#include "actuator/lugre.h"

enum { R = 0, K = 1, ALPHA = 2, T0 = 3, KP = 4, KI = 5, KD = 6, VMAX = 7 };  // gainprm
enum { TE, DIMAX, RT, HEAT, TA, SIGMA0, SIGMA1, SLEW, IMAX };                // dynprm
enum { COGGING, POLES, PHASE, FRICTION };                                    // biasprm

// parts of the voltage, and where a limit holds it
typedef struct {
  cri_dual V;
  bool steered, full;
} terminal;

// [controller.c4]
static terminal voltage(const cri_drive* b, int integral) {
  const cr_real* g = b->gain;
  terminal t = {.V = cri_dual_constant(0)};
  int steering = CR_INPUT_POS | CR_INPUT_VEL | CR_INPUT_FF;
  t.steered = (b->m->actuator_ctrlspec[b->i] & steering) != 0;
  if (t.steered) {
    cri_dual e = b->pos, w = b->vel, torque = b->ff;
    cri_dual l = cri_dual_column(CR_LAW_L, b->l[0]), v = cri_dual_column(CR_LAW_V, b->v[0]);
    cri_dual_add(&e, -1, &l);
    cri_dual_add(&w, -1, &v);
    cri_dual_add_prm(&torque, CR_LAW_GAIN + KP, g[KP], &e);
    cri_dual_add_prm(&torque, CR_LAW_GAIN + KD, g[KD], &w);
    if (integral >= 0) {
      cri_dual z = cri_dual_column(CR_LAW_U + integral, b->act[integral]);
      cri_dual_add_prm(&torque, CR_LAW_GAIN + KI, g[KI], &z);
    }
    t.V = cri_dual_times(g[R] / g[K], &torque);
    t.V.by_prm[CR_LAW_GAIN + R] += torque.value / g[K];
    t.V.by_prm[CR_LAW_GAIN + K] -= torque.value * g[R] / (g[K] * g[K]);
    cri_dual_add_prm(&t.V, CR_LAW_GAIN + K, g[K], &v);
    t.full = cri_dual_limit(&t.V, CR_LAW_GAIN + VMAX, g[VMAX]);
  }
  cri_dual_add(&t.V, 1, &b->voltage);
  return t;
}

// R_T, heated by state `slot`; -1: cold
static cri_dual resistance(const cri_drive* b, int slot) {
  const cr_real *g = b->gain, *dyn = b->dyn;
  cri_dual r = cri_dual_prm(CR_LAW_GAIN + R, g[R]);
  if (slot >= 0) {
    cr_real above = b->act[slot] + dyn[TA] - g[T0];
    r.value = g[R] * (1 + g[ALPHA] * above);
    r.by_prm[CR_LAW_GAIN + R] = 1 + g[ALPHA] * above;
    r.by_prm[CR_LAW_GAIN + ALPHA] = g[R] * above;
    r.by_prm[CR_LAW_GAIN + T0] = -g[R] * g[ALPHA];
    r.by_prm[CR_LAW_DYN + TA] = g[R] * g[ALPHA];
    r.by[CR_LAW_U + slot] = g[R] * g[ALPHA];
  }
  return r;
}

// [controller.c5] the steady current for voltage and speed, (V - K v) / R_T
static cri_dual settled(const cri_drive* b, const cri_dual* V, const cri_dual* r) {
  cri_dual v = cri_dual_column(CR_LAW_V, b->v[0]), push = *V;
  cr_real ohm = cr_max(CR_MINVAL, r->value), k = b->gain[K];
  cri_dual_add(&push, -k, &v);
  push.by_prm[CR_LAW_GAIN + K] -= v.value;
  cri_dual i = cri_dual_times(1 / ohm, &push);
  cri_dual_add(&i, -push.value / (ohm * ohm), r);
  i.value = push.value / ohm;
  return i;
}

// [controller.c5] the rate of the temperature
static cri_dual heating(const cri_drive* b, int slot, const cri_dual* r, const cri_dual* i) {
  const cr_real* dyn = b->dyn;
  cr_real T = b->act[slot], power = r->value * i->value * i->value - T / dyn[RT];
  cri_dual rate = cri_dual_times(i->value * i->value / dyn[HEAT], r);
  cri_dual_add(&rate, 2 * r->value * i->value / dyn[HEAT], i);
  rate.value = power / dyn[HEAT];
  rate.by[CR_LAW_U + slot] -= 1 / (dyn[RT] * dyn[HEAT]);
  rate.by_prm[CR_LAW_DYN + RT] += T / (dyn[RT] * dyn[RT] * dyn[HEAT]);
  rate.by_prm[CR_LAW_DYN + HEAT] -= power / (dyn[HEAT] * dyn[HEAT]);
  return rate;
}

// [controller.c5] the rate of the current; whether a limit holds it
static bool build_up(const cri_drive* b, const cri_dual* settled, const cri_dual* i,
                     cri_dual* rate) {
  cr_real te = b->dyn[TE];
  cri_dual gap = *settled;
  cri_dual_add(&gap, -1, i);
  *rate = cri_dual_times(1 / te, &gap);
  rate->by_prm[CR_LAW_DYN + TE] -= rate->value / te;
  return cri_dual_limit(rate, CR_LAW_DYN + DIMAX, b->dyn[DIMAX]);
}

// [controller.c8] slopes of K i over velocity and length. The slope of the current over voltage is share / R_T
static void current_slopes(const cri_drive* b, const terminal* t, const cri_dual* r, bool state) {
  const cr_real *g = b->gain, te = b->dyn[TE], h = b->m->timestep;
  cr_real decay = state ? cr_exp(-h / te) : 0, share = 1 - decay, ohm = cr_max(CR_MINVAL, r->value);
  cri_dual ease = cri_dual_times(-share / (ohm * ohm), r);
  ease.value = share / ohm;
  ease.by_prm[CR_LAW_DYN + TE] -= state ? decay * h / (te * te * ohm) : 0;
  cri_dual* slope = b->law->row + CR_LAW_FORCE_SLOPE;
  for (int over = 0; over < 2; over++) {
    int gain = over == 0 ? KD : KP;
    if (t->steered && !t->full) {
      // -k R, k the gain: the back-EMF is compensated
      slope[over] = cri_dual_times(-g[gain] * g[R], &ease);
      slope[over].by_prm[CR_LAW_GAIN + gain] -= g[R] * ease.value;
      slope[over].by_prm[CR_LAW_GAIN + R] -= g[gain] * ease.value;
    } else if (over == 0) {
      slope[over] = cri_dual_times(-g[K] * g[K], &ease);
      slope[over].by_prm[CR_LAW_GAIN + K] -= 2 * g[K] * ease.value;
    }
  }
}

// [controller.c6] A sin(N l + phi)
static void cog(const cri_drive* b) {
  const cr_real* bias = b->bias;
  cr_real A = bias[COGGING], N = bias[POLES], l = b->l[0], phase = N * l + bias[PHASE];
  cr_real s = cr_sin(phase), c = cr_cos(phase);
  cri_dual *f = b->law->row + CR_LAW_FREE, *slope = b->law->row + CR_LAW_FREE_SLOPE + 1;
  f->value = A * s;
  f->by[CR_LAW_L] = slope->value = A * N * c;
  f->by_prm[CR_LAW_BIAS + COGGING] = s;
  f->by_prm[CR_LAW_BIAS + POLES] = A * l * c;
  f->by_prm[CR_LAW_BIAS + PHASE] = A * c;
  slope->by[CR_LAW_L] = -A * N * N * s;
  slope->by_prm[CR_LAW_BIAS + COGGING] = N * c;
  slope->by_prm[CR_LAW_BIAS + POLES] = A * (c - N * l * s);
  slope->by_prm[CR_LAW_BIAS + PHASE] = -A * N * s;
}

// [controller.c7] -sigma0 z - sigma1 z_dot, z state `slot`
static void rub(const cri_drive* b, int slot) {
  cri_lugre x = cri_lugre_rate(b->m, b->i, b->act[slot], b->v[0]);
  cri_dual z = cri_dual_column(CR_LAW_U + slot, b->act[slot]), rate = {.value = x.value};
  rate.by[CR_LAW_U + slot] = x.by_z;
  rate.by[CR_LAW_V] = x.by_v;
  rate.by_prm[CR_LAW_DYN + SIGMA0] = x.by_stiffness;
  cr_copy(rate.by_prm + CR_LAW_BIAS + FRICTION, x.by_friction, 3);
  b->law->row[CR_LAW_RATE + slot] = rate;
  cri_dual drag = cri_dual_constant(0);
  cri_dual_add_prm(&drag, CR_LAW_DYN + SIGMA0, b->dyn[SIGMA0], &z);
  cri_dual_add_prm(&drag, CR_LAW_DYN + SIGMA1, b->dyn[SIGMA1], &rate);
  cri_dual_add(&b->law->row[CR_LAW_FREE], -1, &drag);
}

void cri_motor(cri_drive* b) {
  const cr_real *g = b->gain, *dyn = b->dyn;
  cri_drive_inputs(b, SLEW);
  int integral = -1;
  if (g[KI] > 0) {
    integral = b->slot;
    cri_drive_integrate(b, IMAX);
  }
  int warm = dyn[RT] > 0 ? b->slot++ : -1, bristle = dyn[SIGMA0] > 0 ? b->slot++ : -1;
  int current = dyn[TE] > 0 ? b->slot++ : -1;
  terminal t = voltage(b, integral);
  cri_dual r = resistance(b, warm), at_rest = settled(b, &t.V, &r);
  cri_dual i = current >= 0 ? cri_dual_column(CR_LAW_U + current, b->act[current]) : at_rest;
  if (warm >= 0) {
    b->law->row[CR_LAW_RATE + warm] = heating(b, warm, &r, &i);
  }
  bool reacts = true;
  if (current >= 0) {
    bool held = build_up(b, &at_rest, &i, &b->law->row[CR_LAW_RATE + current]);
    reacts = !held && b->m->actuator_actearly[b->i] != 0;
    i = cri_drive_state(b, current);
  }
  // [controller.c6]
  cri_dual_add_prm(&b->law->row[CR_LAW_FORCE], CR_LAW_GAIN + K, g[K], &i);
  if (reacts) {
    current_slopes(b, &t, &r, current >= 0);
  }
  cog(b);
  if (bristle >= 0) {
    rub(b, bristle);
  }
  // [controller.c8] the bending of bristles over the velocity is left out, as in MuJoCo
  cri_dual damping = cri_dual_prm(CR_LAW_DYN + SIGMA1, dyn[SIGMA1]);
  b->law->row[CR_LAW_FREE_SLOPE] = cri_dual_times(-1, &damping);
}
