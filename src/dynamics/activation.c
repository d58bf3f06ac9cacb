// SPDX-License-Identifier: Apache-2.0
// Activations one step later, and setpoints on a circle.
#include "dynamics/activation.h"

#include "math/vec3.h"

bool cri_actuator_disabled(const cr_model* m, int i) {
  int group = m->actuator_group[i];
  return group >= 0 && group <= 30 && ((m->disableactuator >> group) & 1) != 0;
}

// ---- setpoints on a circle

// first of the three numbers of the gear that turn: a rotation is all that actuator i measures; -1
static int turning_gear(const cr_model* m, int i) {
  int type = m->actuator_trntype[i], out = m->actuator_outadr[i];
  const cr_real* gear = m->actuator_gear + 6 * out;
  if (type == CR_TRN_JOINT || type == CR_TRN_JOINTINPARENT) {
    return m->jnt_type[m->actuator_trnid[2 * i]] == CR_JNT_BALL ? 6 * out : -1;
  }
  bool turns = type == CR_TRN_SITE && m->actuator_trnid[2 * i + 1] >= 0 && gear[0] == 0 &&
               gear[1] == 0 && gear[2] == 0;
  return turns ? 6 * out + 3 : -1;
}

cr_real cri_servo_period(const cr_model* m, int i) {
  int gear = turning_gear(m, i);
  bool servo = m->actuator_gaintype[i] == CR_GAIN_FIXED &&
               m->actuator_biastype[i] == CR_BIAS_AFFINE &&
               m->actuator_gainprm[10 * i] == -m->actuator_biasprm[10 * i + 1];
  bool on_circle = gear >= 0 && (servo || m->actuator_gaintype[i] == CR_GAIN_PID);
  return on_circle ? 2 * CR_PI * cr_norm3(m->actuator_gear + gear) : 0;
}

cr_real cri_servo_turns(cr_real x, cr_real about, cr_real period) {
  return period > 0 ? CR_FN(round)((x - about) / period) : 0;
}

// the period is 2 pi |g|: its gradient is 2 pi g / |g| = (2 pi)^2 g / period
cr_real cri_servo_period_jvp(const cr_model* m, int i, cr_real period, const cr_data* tan) {
  if (period == 0) {
    return 0;
  }
  int gear = turning_gear(m, i);
  const cr_real* gear_tan = cri_par_tan(tan->par.actuator_gear, gear / 3, 3);
  return 4 * CR_PI * CR_PI / period * cr_dot3(m->actuator_gear + gear, gear_tan);
}

void cri_servo_period_vjp(const cr_model* m, int i, cr_real period, cr_real period_bar,
                          cr_data* bar) {
  if (period == 0 || bar->par.actuator_gear == NULL) {
    return;
  }
  int adr = turning_gear(m, i);
  cr_real scale = 4 * CR_PI * CR_PI / period * period_bar;
  cr_accscl3(bar->par.actuator_gear + adr, m->actuator_gear + adr, scale);
}

// ---- one activation

// what slot k of the states of actuator i is
typedef enum {
  SLOT_PLAIN,     // integrated as its rate says
  SLOT_INTEGRAL,  // of a motor: also kept within +-dynprm[8]
  SLOT_CURRENT    // of a motor: integrated exactly with the time constant dynprm[0]
} slot_kind;

static slot_kind slot_of(const cr_model* m, int i, int k) {
  const cr_real *dyn = m->actuator_dynprm + 10 * i, *gain = m->actuator_gainprm + 10 * i;
  if (m->actuator_dyntype[i] != CR_DYN_DCMOTOR) {
    return SLOT_PLAIN;
  }
  if (dyn[0] > 0 && k == m->actuator_actnum[i] - 1) {
    return SLOT_CURRENT;
  }
  return gain[5] > 0 && k == (dyn[7] > 0) ? SLOT_INTEGRAL : SLOT_PLAIN;
}

// [n1] w+ = w + r s, s = h or tau (1 - exp(-h / tau))
static cri_next_activation unlimited(const cr_model* m, cr_real plain, int i, slot_kind slot,
                                     cr_real act, cr_real rate) {
  cr_real h = plain > 0 ? plain : m->timestep;
  cr_real tau = m->actuator_dynprm[10 * i], span = h, span_by_tau = 0;
  bool exact = m->actuator_dyntype[i] == CR_DYN_FILTEREXACT || slot == SLOT_CURRENT;
  if (exact && plain == 0) {
    bool trusted = tau > CR_MINVAL;
    tau = cr_max(tau, CR_MINVAL);
    cr_real decay = cr_exp(-h / tau);
    span = tau * (1 - decay);
    span_by_tau = trusted ? 1 - decay - h / tau * decay : 0;
  }
  return (cri_next_activation){
      .value = act + rate * span, .by_act = 1, .by_rate = span, .by_tau = rate * span_by_tau};
}

cri_next_activation cri_activation_next(const cr_model* m, cr_real plain, int i, int k, cr_real act,
                                        cr_real rate) {
  slot_kind slot = slot_of(m, i, k);
  cri_next_activation next = unlimited(m, plain, i, slot, act, rate);
  const cr_real* range = m->actuator_actrange + 2 * i;
  // [n2] w+ = clip(w+, actrange), the integral of a motor within +-dynprm[8]
  cr_real most = slot == SLOT_INTEGRAL ? m->actuator_dynprm[10 * i + 8] : 0;
  bool limited = m->actuator_actlimited[i] != 0 && m->actuator_dyntype[i] != CR_DYN_DCMOTOR;
  if (limited && (next.value < range[0] || next.value > range[1])) {
    int side = next.value < range[0] ? -1 : 1;
    next = (cri_next_activation){.value = range[side > 0], .side = side};
  } else if (most > 0 && cr_abs(next.value) > most) {
    cr_real side = next.value < 0 ? -1 : 1;
    next = (cri_next_activation){.value = side * most, .by_limit = side};
  }
  return next;
}

// setpoints on a circle are kept near the length; a PID controller keeps them as they are
static cr_real stored_period(const cr_model* m, int i) {
  return m->actuator_gaintype[i] == CR_GAIN_PID ? 0 : cri_servo_period(m, i);
}

// ---- all of them

void cri_activation_advance(const cr_model* m, cr_real plain, const cr_real* act,
                            const cr_real* rate, const cr_real* length, cr_real* next) {
  cr_copy(next, act, m->na);
  if ((m->disableflags & CR_DSBL_ACTUATION) != 0) {
    return;
  }
  for (int i = 0; i < m->nactuator; i++) {
    bool off = cri_actuator_disabled(m, i);
    for (int k = 0; k < m->actuator_actnum[i]; k++) {
      int a = m->actuator_actadr[i] + k;
      cr_real w = cri_activation_next(m, plain, i, k, act[a], off ? 0 : rate[a]).value;
      // [n3] w+ -= P turns
      cr_real period = stored_period(m, i);
      next[a] = w - period * cri_servo_turns(w, length[m->actuator_outadr[i]], period);
    }
  }
}

void cri_activation_advance_jvp(const cr_model* m, cr_real plain, const cr_real* act,
                                const cr_real* rate, const cr_real* length, const cr_data* tan,
                                const cr_real* act_tan, const cr_real* rate_tan,
                                cr_real* next_tan) {
  cr_copy(next_tan, act_tan, m->na);
  if ((m->disableflags & CR_DSBL_ACTUATION) != 0) {
    return;
  }
  for (int i = 0; i < m->nactuator; i++) {
    bool off = cri_actuator_disabled(m, i);
    const cr_real* dyn_tan = cri_par_tan(tan->par.actuator_dynprm, i, 10);
    for (int k = 0; k < m->actuator_actnum[i]; k++) {
      int a = m->actuator_actadr[i] + k;
      cri_next_activation next = cri_activation_next(m, plain, i, k, act[a], off ? 0 : rate[a]);
      // [n1], [n2]
      cr_real w_tan = next.by_act * act_tan[a] + next.by_tau * dyn_tan[0];
      w_tan += (off ? 0 : next.by_rate * rate_tan[a]) + next.by_limit * dyn_tan[8];
      if (next.side != 0) {
        w_tan += cri_par_tan(tan->par.actuator_actrange, i, 2)[next.side > 0];
      }
      // [n3]
      cr_real period = stored_period(m, i);
      cr_real turns = cri_servo_turns(next.value, length[m->actuator_outadr[i]], period);
      next_tan[a] = w_tan - cri_servo_period_jvp(m, i, period, tan) * turns;
    }
  }
}

void cri_activation_advance_vjp(const cr_model* m, cr_real plain, const cr_real* act,
                                const cr_real* rate, const cr_real* length, const cr_real* next_bar,
                                cr_real* act_bar, cr_real* rate_bar, cr_data* bar) {
  if ((m->disableflags & CR_DSBL_ACTUATION) != 0) {
    for (int a = 0; a < m->na; a++) {
      act_bar[a] += next_bar[a];
    }
    return;
  }
  for (int i = 0; i < m->nactuator; i++) {
    bool off = cri_actuator_disabled(m, i);
    for (int k = 0; k < m->actuator_actnum[i]; k++) {
      int a = m->actuator_actadr[i] + k;
      cri_next_activation next = cri_activation_next(m, plain, i, k, act[a], off ? 0 : rate[a]);
      // [n3]'
      cr_real period = stored_period(m, i);
      cr_real turns = cri_servo_turns(next.value, length[m->actuator_outadr[i]], period);
      cri_servo_period_vjp(m, i, period, -turns * next_bar[a], bar);
      // [n2]'
      if (next.side != 0 && bar->par.actuator_actrange != NULL) {
        bar->par.actuator_actrange[2 * i + (next.side > 0)] += next_bar[a];
      }
      // [n1]'
      act_bar[a] += next.by_act * next_bar[a];
      rate_bar[a] += off ? 0 : next.by_rate * next_bar[a];
      if (bar->par.actuator_dynprm != NULL) {
        bar->par.actuator_dynprm[10 * i] += next.by_tau * next_bar[a];
        bar->par.actuator_dynprm[10 * i + 8] += next.by_limit * next_bar[a];
      }
    }
  }
}
