// SPDX-License-Identifier: Apache-2.0
// Three laws, one function each. A value that several rows need is kept as a line: the value with
// its row of derivatives, so that a limit can replace the whole of it.
#include "dynamics/controller.h"

#include "dynamics/activation.h"
#include "math/quat.h"
#include "math/vec3.h"

// ---- lines

typedef struct {
  cr_real value, by[CR_LAW_COLUMNS], by_prm[CR_LAW_PRMS], by_period;
} line;

static line constant(cr_real value) { return (line){.value = value}; }

static line column(int k, cr_real value) {
  line x = {.value = value};
  x.by[k] = 1;
  return x;
}

// x += s y, s a constant
static void add(line* x, cr_real s, const line* y) {
  x->value += s * y->value;
  for (int k = 0; k < CR_LAW_COLUMNS; k++) {
    x->by[k] += s * y->by[k];
  }
  for (int k = 0; k < CR_LAW_PRMS; k++) {
    x->by_prm[k] += s * y->by_prm[k];
  }
  x->by_period += s * y->by_period;
}

// x += p y, p the parameter number k
static void add_prm(line* x, int k, cr_real p, const line* y) {
  add(x, p, y);
  x->by_prm[k] += y->value;
}

// x times s
static void scale(line* x, cr_real s) {
  line y = *x;
  *x = constant(0);
  add(x, s, &y);
}

// x within +-p, p the parameter number k; 0 is no limit. Returns whether it holds
static bool limit(line* x, int k, cr_real p) {
  if (p > 0 && cr_abs(x->value) > p) {
    cr_real side = x->value > 0 ? 1 : -1;
    *x = constant(side * p);
    x->by_prm[k] = side;
    return true;
  }
  return false;
}

static void put(cri_law* law, int row, const line* x) {
  law->value[row] = x->value;
  cr_copy(law->by[row], x->by, CR_LAW_COLUMNS);
  cr_copy(law->by_prm[row], x->by_prm, CR_LAW_PRMS);
  law->by_period[row] = x->by_period;
}

// x moved by whole periods to where it is nearest to `about`
static void wrap(line* x, cr_real about, cr_real period) {
  cr_real turns = cri_servo_turns(x->value, about, period);
  x->value -= period * turns;
  x->by_period -= turns;
}

// ---- inputs, limited rate of the first, integral of an error

enum { POS = 1, VEL = 2, FF = 4, VOLTAGE = 8, QUAT = 2 };  // actuator_ctrlspec

typedef struct {
  const cr_model* m;
  int i, spec;
  const cr_real *u, *act, *l, *v, *dyn, *gain, *bias;
  cr_real h, period;
  line input[4];  // pos, vel, ff, voltage; 0 where absent
  int slot;       // states used so far
} bench;

static bench bench_of(const cr_model* m, int i, const cr_real* u, const cr_real* act,
                      const cr_real* l, const cr_real* v) {
  bench b = {.m = m, .i = i, .spec = m->actuator_ctrlspec[i], .u = u, .act = act, .l = l, .v = v};
  b.dyn = m->actuator_dynprm + 10 * i;
  b.gain = m->actuator_gainprm + 10 * i;
  b.bias = m->actuator_biasprm + 10 * i;
  b.h = m->timestep;
  b.period = cri_servo_period(m, i);
  return b;
}

// [c1] the first input follows what is asked for at a limited rate, state 0 where it stood
static line slewed(bench* b, cri_law* law, int prm) {
  line x = column(0, b->u[0]), most = constant(0), before = column(CR_LAW_U, b->act[0]);
  wrap(&x, b->act[0], b->period);
  cr_real reach = b->dyn[prm] * b->h, change = x.value - b->act[0];
  if (cr_abs(change) > reach) {
    cr_real side = change > 0 ? 1 : -1;
    most.value = side * reach;
    most.by_prm[CR_LAW_DYN + prm] = side * b->h;
    x = before;
    add(&x, 1, &most);
  }
  line rate = x;
  add(&rate, -1, &before);
  scale(&rate, 1 / b->h);
  put(law, CR_LAW_RATE + b->slot++, &rate);
  return x;
}

// the inputs that there are, in their order
static void unpack(bench* b, cri_law* law, int slew_prm) {
  bool slew = b->dyn[slew_prm] > 0 && law->nu > 0;
  line first = slew ? slewed(b, law, slew_prm) : constant(0);
  for (int k = 0, n = 0; k < 4; k++) {
    b->input[k] = constant(0);
    if ((b->spec & (1 << k)) != 0 && n < law->nu) {
      b->input[k] = n == 0 && slew ? first : column(n, b->u[n]);
      n++;
    }
  }
}

// [c2] the integral gathers the error of the position, not beyond its limit
static void integrate(bench* b, cri_law* law, int limit_prm) {
  int slot = b->slot++;
  cr_real z = b->act[slot], most = b->dyn[limit_prm];
  line e = b->input[0], l = column(CR_LAW_L, b->l[0]);
  add(&e, -1, &l);
  wrap(&e, 0, b->period);
  bool full = most > 0 && ((z >= most && e.value > 0) || (z <= -most && e.value < 0));
  line none = constant(0);
  put(law, CR_LAW_RATE + slot, full ? &none : &e);
}

static line law_row(const cri_law* law, int row) {
  line x = {.value = law->value[row], .by_period = law->by_period[row]};
  cr_copy(x.by, law->by[row], CR_LAW_COLUMNS);
  cr_copy(x.by_prm, law->by_prm[row], CR_LAW_PRMS);
  return x;
}

// state `slot`, or where the force acts early what it will be after the step
static line state(const bench* b, const cri_law* law, int slot) {
  line x = column(CR_LAW_U + slot, b->act[slot]);
  if (b->m->actuator_actearly[b->i] != 0) {
    line rate = law_row(law, CR_LAW_RATE + slot);
    cri_next_activation next = cri_activation_next(b->m, 0, b->i, slot, b->act[slot], rate.value);
    line early = constant(0);
    add(&early, next.by_act, &x);
    add(&early, next.by_rate, &rate);
    early.value = next.value;
    early.by_prm[CR_LAW_DYN] += next.by_tau;
    early.by_prm[CR_LAW_DYN + 8] += next.by_limit;
    if (next.side != 0) {
      early.by_prm[CR_LAW_RANGE + (next.side > 0)] += next.by_limit == 0 ? 1 : 0;
    }
    x = early;
  }
  return x;
}

// ---- PID controllers

static void pid(bench* b, cri_law* law) {
  unpack(b, law, 1);
  int integral = -1;
  if (b->gain[0] > 0) {
    integral = b->slot;
    integrate(b, law, 0);
  }
  // [c3]
  line q = b->input[0], l = column(CR_LAW_L, b->l[0]), v = column(CR_LAW_V, b->v[0]);
  wrap(&q, b->l[0], b->period);
  line f = constant(b->bias[0]);
  f.by_prm[CR_LAW_BIAS] = 1;
  add(&l, -1, &q);
  add(&v, -1, &b->input[1]);
  add_prm(&f, CR_LAW_BIAS + 1, b->bias[1], &l);
  add_prm(&f, CR_LAW_BIAS + 2, b->bias[2], &v);
  add(&f, 1, &b->input[2]);
  if (integral >= 0) {
    line z = state(b, law, integral);
    add_prm(&f, CR_LAW_GAIN, b->gain[0], &z);
  }
  put(law, CR_LAW_FORCE, &f);
}

// ---- DC motors

enum { R = 0, K = 1, ALPHA = 2, T0 = 3, KP = 4, KI = 5, KD = 6, VMAX = 7 };            // gainprm
enum { TE = 0, DIMAX = 1, RT = 2, HEAT = 3, TA = 4, SIGMA0 = 5, SLEW = 7, IMAX = 8 };  // dynprm

// [c4]
static line voltage(const bench* b, int integral) {
  const cr_real* g = b->gain;
  line V = constant(0);
  if ((b->spec & (POS | VEL | FF)) != 0) {
    line e = b->input[0], w = b->input[1], l = column(CR_LAW_L, b->l[0]);
    line v = column(CR_LAW_V, b->v[0]), torque = b->input[2];
    add(&e, -1, &l);
    add(&w, -1, &v);
    add_prm(&torque, CR_LAW_GAIN + KP, g[KP], &e);
    add_prm(&torque, CR_LAW_GAIN + KD, g[KD], &w);
    if (integral >= 0) {
      line z = column(CR_LAW_U + integral, b->act[integral]);
      add_prm(&torque, CR_LAW_GAIN + KI, g[KI], &z);
    }
    add(&V, g[R] / g[K], &torque);
    V.by_prm[CR_LAW_GAIN + R] += torque.value / g[K];
    V.by_prm[CR_LAW_GAIN + K] -= torque.value * g[R] / (g[K] * g[K]);
    add_prm(&V, CR_LAW_GAIN + K, g[K], &v);
    (void)limit(&V, CR_LAW_GAIN + VMAX, g[VMAX]);
  }
  add(&V, 1, &b->input[3]);
  return V;
}

// R_T, heated by state `slot`; -1: cold
static line resistance(const bench* b, int slot) {
  const cr_real *g = b->gain, *dyn = b->dyn;
  line r = constant(g[R]);
  r.by_prm[CR_LAW_GAIN + R] = 1;
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

// [c5] the rate of the temperature
static void heat(const bench* b, cri_law* law, int slot, const line* r, const line* i) {
  const cr_real* dyn = b->dyn;
  cr_real T = b->act[slot], power = r->value * i->value * i->value - T / dyn[RT];
  line rate = constant(0);
  add(&rate, i->value * i->value / dyn[HEAT], r);
  add(&rate, 2 * r->value * i->value / dyn[HEAT], i);
  rate.value = power / dyn[HEAT];
  rate.by[CR_LAW_U + slot] -= 1 / (dyn[RT] * dyn[HEAT]);
  rate.by_prm[CR_LAW_DYN + RT] += T / (dyn[RT] * dyn[RT] * dyn[HEAT]);
  rate.by_prm[CR_LAW_DYN + HEAT] -= power / (dyn[HEAT] * dyn[HEAT]);
  put(law, CR_LAW_RATE + slot, &rate);
}

static void motor(bench* b, cri_law* law) {
  const cr_real *g = b->gain, *dyn = b->dyn, *bias = b->bias;
  unpack(b, law, SLEW);
  int integral = -1, warm = -1, current = -1;
  if (g[KI] > 0) {
    integral = b->slot;
    integrate(b, law, IMAX);
  }
  warm = dyn[RT] > 0 ? b->slot++ : -1;
  current = dyn[TE] > 0 ? b->slot++ : -1;
  // the current that voltage and speed settle at: (V - K v) / R_T
  line V = voltage(b, integral), r = resistance(b, warm), v = column(CR_LAW_V, b->v[0]);
  line push = V, settled = constant(0);
  add(&push, -g[K], &v);
  push.by_prm[CR_LAW_GAIN + K] -= v.value;
  cr_real ohm = cr_max(CR_MINVAL, r.value);
  add(&settled, 1 / ohm, &push);
  add(&settled, -push.value / (ohm * ohm), &r);
  settled.value = push.value / ohm;
  line i = current >= 0 ? column(CR_LAW_U + current, b->act[current]) : settled;
  if (warm >= 0) {
    heat(b, law, warm, &r, &i);
  }
  if (current >= 0) {
    // [c5]
    line rate = settled;
    add(&rate, -1, &i);
    scale(&rate, 1 / dyn[TE]);
    rate.by_prm[CR_LAW_DYN + TE] -= rate.value / dyn[TE];
    (void)limit(&rate, CR_LAW_DYN + DIMAX, dyn[DIMAX]);
    put(law, CR_LAW_RATE + current, &rate);
    i = state(b, law, current);
  }
  // [c6]
  line f = constant(0), cogging = constant(0);
  add_prm(&f, CR_LAW_GAIN + K, g[K], &i);
  put(law, CR_LAW_FORCE, &f);
  cr_real phase = bias[1] * b->l[0] + bias[2], s = cr_sin(phase), c = cr_cos(phase);
  cogging.value = bias[0] * s;
  cogging.by[CR_LAW_L] = bias[0] * bias[1] * c;
  cogging.by_prm[CR_LAW_BIAS] = s;
  cogging.by_prm[CR_LAW_BIAS + 1] = bias[0] * b->l[0] * c;
  cogging.by_prm[CR_LAW_BIAS + 2] = bias[0] * c;
  put(law, CR_LAW_FREE, &cogging);
}

// ---- orientation servos

static void exponential(cr_real q[4], const cr_real w[3]) {
  cr_real angle = cr_norm3(w), axis[3] = {1, 0, 0};
  if (angle >= CR_MINVAL) {
    cr_scl3(axis, w, 1 / angle);
  }
  cr_quat_axis_angle(q, axis, angle);
}

// Q of the inputs, and the turn of its body frame by each of them: turn[3][nu]
static void target(const bench* b, const cri_law* law, cr_real q[4], cr_real turn[3][CR_LAW_U]) {
  memset(turn, 0, 3 * sizeof turn[0]);
  if (b->spec != QUAT) {
    cr_real J[9];
    exponential(q, b->u);
    cr_so3_jr(J, b->u);
    for (int r = 0; r < 3; r++) {
      cr_copy3(turn[r], J + 3 * r);
    }
    return;
  }
  cr_copy(q, b->u, law->nu);
  cr_real length = cr_quat_normalize(q), back[4] = {q[0], -q[1], -q[2], -q[3]};
  for (int k = 0; k < 4 && length >= CR_MINVAL; k++) {
    cr_real unit[4] = {0}, w[4];
    unit[k] = 2 / length;
    cr_quat_mul(w, back, unit);
    for (int r = 0; r < 3; r++) {
      turn[r][k] = w[1 + r];
    }
  }
}

static void orientation(const bench* b, cri_law* law) {
  cr_real q[4], at[4], e[3], J[9], Jl[9], turn[3][CR_LAW_U];
  target(b, law, q, turn);
  exponential(at, b->l);
  cr_quat_sub(e, q, at);
  cr_so3_jr_inv(J, e);
  cr_so3_jr(Jl, b->l);
  for (int r = 0; r < 3; r++) {
    // [c7] e' = Jr^-1(e) turn u' - Jl^-1(e) Jr(l) l'
    cr_real kp = b->gain[0], *by = law->by[CR_LAW_FORCE + r];
    for (int k = 0; k < law->nu; k++) {
      by[k] = kp * (J[3 * r] * turn[0][k] + J[3 * r + 1] * turn[1][k] + J[3 * r + 2] * turn[2][k]);
    }
    for (int k = 0; k < 3; k++) {
      by[CR_LAW_L + k] = -kp * (J[r] * Jl[k] + J[3 + r] * Jl[3 + k] + J[6 + r] * Jl[6 + k]);
    }
    by[CR_LAW_V + r] = b->bias[2];
    law->value[CR_LAW_FORCE + r] = kp * e[r] + b->bias[0] + b->bias[2] * b->v[r];
    law->by_prm[CR_LAW_FORCE + r][CR_LAW_GAIN] = e[r];
    law->by_prm[CR_LAW_FORCE + r][CR_LAW_BIAS] = 1;
    law->by_prm[CR_LAW_FORCE + r][CR_LAW_BIAS + 2] = b->v[r];
  }
}

// ---- all of them

void cri_law_of(const cr_model* m, int i, const cr_real* u, const cr_real* act, const cr_real* l,
                const cr_real* v, cri_law* law) {
  bench b = bench_of(m, i, u, act, l, v);
  memset(law, 0, sizeof *law);
  law->nu = m->actuator_ctrlnum[i];
  law->nact = m->actuator_actnum[i];
  law->nout = m->actuator_outnum[i];
  switch (m->actuator_gaintype[i]) {
    case CR_GAIN_PID:
      pid(&b, law);
      break;
    case CR_GAIN_DCMOTOR:
      motor(&b, law);
      break;
    default:
      orientation(&b, law);
      break;
  }
}
