// SPDX-License-Identifier: Apache-2.0
// Activations: their rates, one of them one step later, and all of them.
#include "actuator/activation.h"

#include <string.h>

#include "actuator/lugre.h"
#include "actuator/muscle.h"
#include "actuator/setpoint.h"
#include "math/vec3.h"

bool cri_actuator_disabled(const cr_model* m, int i) {
  int group = m->actuator_group[i];
  return group >= 0 && group <= 30 && ((m->disableactuator >> group) & 1) != 0;
}

// ---- rates

static cri_activation_rate filter_rate(const cr_model* m, int i, cr_real u, cr_real act,
                                       cr_real period) {
  cr_real tau = cr_max(CR_MINVAL, m->actuator_dynprm[10 * i]);
  cr_real turns = cri_servo_turns(u, act, period);
  cri_activation_rate r = {.value = (u - period * turns - act) / tau};
  r.by_u = 1 / tau;
  r.by_act = -r.by_u;
  r.by_period = -turns / tau;
  r.by_prm[0] = m->actuator_dynprm[10 * i] > CR_MINVAL ? -r.value / tau : 0;
  return r;
}

cri_activation_rate cri_activation_rate_of(const cr_model* m, int i, cr_real u, cr_real act,
                                           cr_real period) {
  switch (m->actuator_dyntype[i]) {
    case CR_DYN_INTEGRATOR:
      return (cri_activation_rate){.value = u, .by_u = 1};
    case CR_DYN_FILTER:
    case CR_DYN_FILTEREXACT:
      return filter_rate(m, i, u, act, period);
    case CR_DYN_MUSCLE: {
      cri_muscle_rate pace = cri_muscle_rate_of(m, i, u, act);
      cri_activation_rate r = {.value = pace.value, .by_u = pace.by_u, .by_act = pace.by_act};
      cr_copy3(r.by_prm, pace.by_prm);
      return r;
    }
    default:
      return (cri_activation_rate){0};
  }
}

// ---- one activation

// kind of slot k of the states of actuator i
typedef enum {
  SLOT_PLAIN,     // integrated with its rate
  SLOT_INTEGRAL,  // of a motor: also kept within +-dynprm[8]
  SLOT_BRISTLE,   // of a motor: moves with the velocity
  SLOT_CURRENT    // of a motor: integrated exactly with the time constant dynprm[0]
} slot_kind;

static slot_kind slot_of(const cr_model* m, int i, int k) {
  const cr_real *dyn = m->actuator_dynprm + 10 * i, *gain = m->actuator_gainprm + 10 * i;
  if (m->actuator_dyntype[i] != CR_DYN_DCMOTOR) {
    return SLOT_PLAIN;
  }
  int last = m->actuator_actnum[i] - 1;
  if (dyn[0] > 0 && k == last) {
    return SLOT_CURRENT;
  }
  if (dyn[5] > 0 && k == last - (dyn[0] > 0)) {
    return SLOT_BRISTLE;
  }
  return gain[5] > 0 && k == (dyn[7] > 0) ? SLOT_INTEGRAL : SLOT_PLAIN;
}

static cri_next_activation bristle_next(const cr_model* m, int i, cr_real z, cr_real v) {
  cri_lugre b = cri_lugre_next(m, i, m->timestep, z, v);
  cri_next_activation next = {
      .value = b.value, .by_act = b.by_z, .by_velocity = b.by_v, .by_stiffness = b.by_stiffness};
  cr_copy3(next.by_friction, b.by_friction);
  return next;
}

// [actuation.n1] w+ = w + r s, s = h or tau (1 - exp(-h / tau))
static cri_next_activation unlimited(const cr_model* m, cr_real plain, int i, slot_kind slot,
                                     cr_real act, cr_real rate, cr_real v) {
  if (slot == SLOT_BRISTLE && plain == 0) {
    return bristle_next(m, i, act, v);
  }
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
                                        cr_real rate, cr_real v) {
  slot_kind slot = slot_of(m, i, k);
  cri_next_activation next = unlimited(m, plain, i, slot, act, rate, v);
  const cr_real* range = m->actuator_actrange + 2 * i;
  // [actuation.n2] w+ = clip(w+, actrange), the integral of a motor within +-dynprm[8]
  cr_real most = slot == SLOT_INTEGRAL ? m->actuator_dynprm[10 * i + 8] : 0;
  bool limited = m->actuator_actlimited[i] != 0 && m->actuator_dyntype[i] != CR_DYN_DCMOTOR;
  if (limited && (next.value < range[0] || next.value > range[1])) {
    int side = next.value < range[0] ? -1 : 1;
    next = (cri_next_activation){.value = range[side > 0], .side = side};
  } else if (most > 0 && cr_abs(next.value) >= most) {
    // a saturated activation stays at its limit; its derivative is zero
    cr_real side = next.value < 0 ? -1 : 1;
    next = (cri_next_activation){.value = side * most, .by_limit = side};
  }
  return next;
}

cr_real cri_next_activation_tan(const cr_data* tan, int i, const cri_next_activation* next,
                                cr_real act_tan, cr_real rate_tan, cr_real v_tan) {
  const cr_real* dyn_tan = cri_par_tan(tan->par.actuator_dynprm, i, 10);
  const cr_real* bias_tan = cri_par_tan(tan->par.actuator_biasprm, i, 10);
  cr_real w_tan = next->by_act * act_tan + next->by_rate * rate_tan + next->by_velocity * v_tan;
  w_tan += next->by_tau * dyn_tan[0] + next->by_limit * dyn_tan[8];
  w_tan += next->by_stiffness * dyn_tan[5] + cr_dot3(next->by_friction, bias_tan + 3);
  if (next->side != 0) {
    w_tan += cri_par_tan(tan->par.actuator_actrange, i, 2)[next->side > 0];
  }
  return w_tan;
}

void cri_next_activation_bar(cr_data* bar, int i, const cri_next_activation* next, cr_real s,
                             cr_real* act_bar, cr_real* rate_bar, cr_real* v_bar) {
  *act_bar += next->by_act * s;
  *rate_bar += next->by_rate * s;
  *v_bar += next->by_velocity * s;
  cri_par_add1(bar->par.actuator_dynprm, 10 * i, next->by_tau * s);
  cri_par_add1(bar->par.actuator_dynprm, 10 * i + 5, next->by_stiffness * s);
  cri_par_add1(bar->par.actuator_dynprm, 10 * i + 8, next->by_limit * s);
  for (int k = 0; k < 3; k++) {
    cri_par_add1(bar->par.actuator_biasprm, 10 * i + 3 + k, next->by_friction[k] * s);
  }
  if (next->side != 0) {
    cri_par_add1(bar->par.actuator_actrange, 2 * i + (next->side > 0), s);
  }
}

// ---- all of them

// setpoints on a circle are kept near the length; a PID controller keeps them as they are
static cr_real stored_period(const cr_model* m, int i) {
  return m->actuator_gaintype[i] == CR_GAIN_PID ? 0 : cri_servo_period(m, i);
}

static bool is_orientation(const cr_model* m, int i) {
  return m->actuator_gaintype[i] == CR_GAIN_SO3 && m->actuator_actnum[i] == 3;
}

// [actuation.n1], [actuation.n2] of activation a, number k of actuator i
static cri_next_activation next_of(const cr_model* m, cr_real plain, const cri_activity* x, int i,
                                   int k) {
  int a = m->actuator_actadr[i] + k;
  cr_real rate = cri_actuator_disabled(m, i) ? 0 : x->rate[a];
  return cri_activation_next(m, plain, i, k, x->act[a], rate, x->velocity[m->actuator_outadr[i]]);
}

static int32_t side_of(const cri_next_activation* next) {
  return next->side != 0 ? next->side : (next->by_limit > 0) - (next->by_limit < 0);
}

void cri_activation_advance(const cr_model* m, cr_real plain, const cri_activity* x, cr_real* next,
                            int32_t* side) {
  cr_copy(next, x->act, m->na);
  memset(side, 0, (size_t)m->na * sizeof *side);
  if ((m->disableflags & CR_DSBL_ACTUATION) != 0) {
    return;
  }
  for (int i = 0; i < m->nactuator; i++) {
    if (m->actuator_actnum[i] == 0) {
      continue;
    }
    cr_real* w = next + m->actuator_actadr[i];
    for (int k = 0; k < m->actuator_actnum[i]; k++) {
      const cri_next_activation reached = next_of(m, plain, x, i, k);
      w[k] = reached.value;
      side[m->actuator_actadr[i] + k] = side_of(&reached);
      // [actuation.n3] w+ -= P turns
      cr_real period = stored_period(m, i);
      w[k] -= period * cri_servo_turns(w[k], x->length[m->actuator_outadr[i]], period);
    }
    if (is_orientation(m, i)) {
      cr_real J[9];
      cri_setpoint_anchor(w, w, J);
    }
  }
}

void cri_activation_advance_jvp(const cr_model* m, cr_real plain, const cri_activity* x,
                                const cr_data* tan, const cri_activity* x_tan, cr_real* next_tan) {
  cr_copy(next_tan, x_tan->act, m->na);
  if ((m->disableflags & CR_DSBL_ACTUATION) != 0) {
    return;
  }
  for (int i = 0; i < m->nactuator; i++) {
    if (m->actuator_actnum[i] == 0) {
      continue;
    }
    bool off = cri_actuator_disabled(m, i);
    int out = m->actuator_outadr[i], a = m->actuator_actadr[i];
    cr_real w[3];
    for (int k = 0; k < m->actuator_actnum[i]; k++) {
      // [actuation.n1], [actuation.n2]
      cri_next_activation next = next_of(m, plain, x, i, k);
      cr_real w_tan = cri_next_activation_tan(tan, i, &next, x_tan->act[a + k],
                                              off ? 0 : x_tan->rate[a + k], x_tan->velocity[out]);
      // [actuation.n3]
      cr_real period = stored_period(m, i);
      cr_real turns = cri_servo_turns(next.value, x->length[out], period);
      next_tan[a + k] = w_tan - cri_servo_period_jvp(m, i, period, tan) * turns;
      w[k % 3] = next.value;
    }
    if (is_orientation(m, i)) {
      cr_real J[9], w_tan[3];
      cri_setpoint_anchor(w, w, J);
      cr_mulmat3(w_tan, J, next_tan + a);
      cr_copy3(next_tan + a, w_tan);
    }
  }
}

// cotangents of the states of an orientation before [actuation.n3]
static void anchor_vjp(const cr_model* m, cr_real plain, const cri_activity* x, int i,
                       const cr_real next_bar[3], cr_real w_bar[3]) {
  cr_real w[3], J[9];
  for (int k = 0; k < 3; k++) {
    w[k] = next_of(m, plain, x, i, k).value;
  }
  cri_setpoint_anchor(w, w, J);
  cr_multmat3(w_bar, J, next_bar);
}

void cri_activation_advance_vjp(const cr_model* m, cr_real plain, const cri_activity* x,
                                const cr_real* next_bar, const cri_activity* x_bar, cr_data* bar) {
  if ((m->disableflags & CR_DSBL_ACTUATION) != 0) {
    for (int a = 0; a < m->na; a++) {
      x_bar->act[a] += next_bar[a];
    }
    return;
  }
  for (int i = 0; i < m->nactuator; i++) {
    if (m->actuator_actnum[i] == 0) {
      continue;
    }
    bool off = cri_actuator_disabled(m, i);
    int out = m->actuator_outadr[i], a = m->actuator_actadr[i];
    cr_real anchored[3], unused = 0;
    const cr_real* w_bar = next_bar + a;
    if (is_orientation(m, i)) {
      anchor_vjp(m, plain, x, i, next_bar + a, anchored);
      w_bar = anchored;
    }
    for (int k = 0; k < m->actuator_actnum[i]; k++) {
      cri_next_activation next = next_of(m, plain, x, i, k);
      // [actuation.n3]'
      cr_real period = stored_period(m, i);
      cr_real turns = cri_servo_turns(next.value, x->length[out], period);
      cri_servo_period_vjp(m, i, period, -turns * w_bar[k], bar);
      // [actuation.n2]', [actuation.n1]'
      cri_next_activation_bar(bar, i, &next, w_bar[k], x_bar->act + a + k,
                              off ? &unused : x_bar->rate + a + k, x_bar->velocity + out);
    }
  }
}
