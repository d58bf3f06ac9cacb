// SPDX-License-Identifier: Apache-2.0
// Actuators of one input. Forward fills a small struct for each; both derivatives compute it
// again and read it backwards.
#include "actuator/actuator.h"

#include "actuator/actuation_parts.h"
#include "actuator/muscle.h"
#include "actuator/range_ends.h"
#include "actuator/setpoint.h"
#include "math/vec3.h"

// ---- forward

// True for a muscle's control at an end of its range that is below 0 or above 1, where excitation is clipped. Also
// for a control at an end from which it can only push an activation without a rate beyond the opposite end of the
// activation's range: a step of one stage, and a force that acts early, stay at that end.
static bool stuck(const cr_model* m, int i, const cri_actuator* a, cr_real w) {
  bool muscle = m->actuator_dyntype[i] == CR_DYN_MUSCLE;
  const cr_real* range = m->actuator_ctrlrange + 2 * a->ctrl;
  if (muscle && a->u_side == 0 && cri_control_limited(m, a->ctrl) &&
      ((a->u == range[1] && range[1] <= 0) || (a->u == range[0] && range[0] >= 1))) {
    return true;
  }
  if (a->rate.value != 0 || m->actuator_actlimited[i] == 0 || a->u_side != 0 ||
      (cri_tableau_of(m->integrator) != NULL && !a->early)) {
    return false;
  }
  const cr_real* end = m->actuator_actrange + 2 * i;
  return cri_control_end_of(m, a->ctrl, muscle, a->u) * ((w == end[0]) - (w == end[1])) < 0;
}

static void excite(const cr_model* m, const cr_data* d, int i, cri_actuator* a) {
  // [actuation.u2]
  a->u = cri_clip(d->ctrl[a->ctrl], cri_control_limited(m, a->ctrl),
                  m->actuator_ctrlrange + 2 * a->ctrl, &a->u_side);
  a->x = a->u;
  a->stuck = false;
  if (a->act < 0) {
    return;
  }
  // [actuation.u3]
  cr_real w = d->act[a->act];
  a->rate = cri_activation_rate_of(m, i, a->u, w, a->period);
  if (d->stage > 0 && a->rate.value == 0 && m->actuator_dyntype[i] == CR_DYN_MUSCLE) {
    cri_muscle_rate_at_stage(d, &a->rate.by_u, &a->rate.by_act);
  }
  a->stuck = stuck(m, i, a, w);
  // [actuation.u4]
  a->x = w;
  if (a->early) {
    a->next = cri_activation_next(m, 0, i, 0, w, a->rate.value, a->v);
    a->x = a->next.value;
  }
}

// x less the periods that bring it nearest to the length
static cr_real near_length(const cri_actuator* a) { return a->x - a->period * a->turns; }

void cri_actuator_of(const cr_model* m, const cr_data* d, int i, cri_actuator* a, cri_output* o) {
  a->ctrl = m->actuator_ctrladr[i];
  a->out = m->actuator_outadr[i];
  a->act = m->actuator_actnum[i] > 0 ? m->actuator_actadr[i] : -1;
  a->off = cri_actuator_disabled(m, i);
  a->early = a->act >= 0 && m->actuator_actearly[i] != 0;
  a->l = d->actuator_length[a->out];
  // [actuation.u1]
  a->v = cri_moment_mul(d, d->actuator_moment, a->out, d->qvel);
  a->period = cri_servo_period(m, i);
  excite(m, d, i, a);
  a->turns = a->period > 0 ? cri_servo_turns(a->x, a->l, a->period) : 0;
  o->nout = 1;
  o->nact = a->act >= 0;
  o->v[0] = a->v;
  o->rate[0] = a->act >= 0 ? a->rate.value : 0;
  o->free = 0;
  // [actuation.u5]
  o->raw[0] = a->off ? 0 : cri_force_of(m, i, CR_AS_IT_IS, a->l, a->v, near_length(a));
}

// ---- jvp

// [actuation.u2] to [actuation.u4]: the tangent of x, and of the rate
static cr_real excite_tan(const cr_model* m, const cr_data* tan, int i, const cri_actuator* a,
                          cr_real v_tan, cr_real* rate_tan) {
  const cr_real* range_tan = cri_par_tan(tan->par.actuator_ctrlrange, a->ctrl, 2);
  cr_real u_tan = a->stuck ? 0 : cri_clip_jvp(a->u_side, tan->ctrl[a->ctrl], range_tan);
  *rate_tan = 0;
  if (a->act < 0) {
    return u_tan;
  }
  cr_real w_tan = tan->act[a->act];
  *rate_tan = a->rate.by_u * u_tan + a->rate.by_act * w_tan +
              a->rate.by_period * cri_servo_period_jvp(m, i, a->period, tan) +
              cr_dot3(a->rate.by_prm, cri_par_tan(tan->par.actuator_dynprm, i, 10));
  return a->early ? cri_next_activation_tan(tan, i, &a->next, w_tan, *rate_tan, v_tan) : w_tan;
}

cr_real cri_actuator_velocity_tan(const cr_data* d, const cr_data* tan, int out) {
  // [actuation.u1] A' qvel + A qvel'
  return cri_moment_mul(d, tan->actuator_moment, out, d->qvel) +
         cri_moment_mul(d, d->actuator_moment, out, tan->qvel);
}

void cri_actuator_tan(const cr_model* m, const cr_data* tan, int i, const cri_actuator* a,
                      cr_real v_tan, cri_output* o_tan) {
  cr_real l_tan = tan->actuator_length[a->out];
  o_tan->v[0] = v_tan;
  o_tan->free = o_tan->raw[0] = 0;
  cr_real x_tan = excite_tan(m, tan, i, a, v_tan, &o_tan->rate[0]);
  if (!a->off) {
    // [actuation.u5]
    x_tan -= a->turns == 0 ? 0 : a->turns * cri_servo_period_jvp(m, i, a->period, tan);
    cri_force_line f;
    cri_force_line_of(m, i, CR_AS_IT_IS, a->l, a->v, near_length(a), &f);
    o_tan->raw[0] = cri_force_line_tan(m, tan, &f, l_tan, v_tan, x_tan);
  }
}

cr_real cri_actuator_input_tan(const cr_model* m, const cr_data* tan, int i, const cri_actuator* a,
                               cr_real v_tan) {
  cr_real rate_tan;
  return excite_tan(m, tan, i, a, v_tan, &rate_tan);
}

// ---- vjp

// [actuation.u4]' to [actuation.u2]' from the cotangents of x, of the rate and of the period
static void excite_bar(const cr_model* m, cr_data* bar, int i, const cri_actuator* a, cr_real x_bar,
                       cr_real rate_bar, cr_real period_bar, cr_real* v_bar) {
  cr_real u_bar = a->act < 0 ? x_bar : 0;
  if (a->act >= 0) {
    cr_real* w_bar = bar->act + a->act;
    if (a->early) {
      cri_next_activation_bar(bar, i, &a->next, x_bar, w_bar, &rate_bar, v_bar);
    } else {
      *w_bar += x_bar;
    }
    // [actuation.u3]'
    u_bar += rate_bar * a->rate.by_u;
    *w_bar += rate_bar * a->rate.by_act;
    period_bar += rate_bar * a->rate.by_period;
    if (bar->par.actuator_dynprm != NULL) {
      cr_accscl3(bar->par.actuator_dynprm + 10 * i, a->rate.by_prm, rate_bar);
    }
  }
  // [actuation.u2]'
  cr_real* range_bar = cri_par_bar(bar->par.actuator_ctrlrange, a->ctrl, 2);
  bar->ctrl[a->ctrl] += a->stuck ? 0 : cri_clip_vjp(a->u_side, u_bar, range_bar);
  if (a->period > 0) {
    cri_servo_period_vjp(m, i, a->period, period_bar, bar);
  }
}

void cri_actuator_bar(const cr_model* m, cr_data* bar, int i, const cri_actuator* a,
                      cri_output* o_bar) {
  cr_real x_bar = 0, rate_bar = a->act >= 0 ? o_bar->rate[0] : 0, f_bar = o_bar->raw[0];
  if (!a->off) {
    // [actuation.u5]'
    cri_force_line f;
    cri_force_line_of(m, i, CR_AS_IT_IS, a->l, a->v, near_length(a), &f);
    cri_force_line_bar(m, bar, &f, f_bar, bar->actuator_length + a->out, o_bar->v);
    x_bar = f_bar * f.gain;
  }
  excite_bar(m, bar, i, a, x_bar, rate_bar, -x_bar * a->turns, o_bar->v);
}

void cri_actuator_input_bar(const cr_model* m, cr_data* bar, int i, const cri_actuator* a,
                            cr_real x_bar, cr_real* v_bar) {
  excite_bar(m, bar, i, a, x_bar, 0, 0, v_bar);
}
