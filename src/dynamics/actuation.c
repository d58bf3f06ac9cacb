// SPDX-License-Identifier: Apache-2.0
// Actuation, one actuator at a time: what forward knows of an actuator is one small struct, which
// both derivatives compute again and read backwards.
#include "dynamics/actuation.h"

#include "dynamics/activation.h"
#include "dynamics/controlled.h"
#include "dynamics/limits.h"
#include "dynamics/muscle.h"
#include "math/vec3.h"

#define LARGEST_CONTROL CR_R(1e10)

static bool switched_off(const cr_model* m) {
  return m->nactuator == 0 || (m->disableflags & CR_DSBL_ACTUATION) != 0;
}

// ---- one actuator

typedef struct {
  int adr, out, act;         // first control, output, activation (-1 none)
  bool off, early;           // its group is disabled; its force acts early
  cr_real u, force;          // [u2], [u6]
  int u_side, force_side;    // where they were clipped
  cr_real period;            // of the setpoint, 0 none
  cr_real tau, rate;         // time constant of a filter (0 none), act_dot
  bool tau_trusted;          // tau is dynprm[0], not the smallest allowed
  cr_real turns3, turns5;    // periods taken off in [u3], [u5]
  cr_real input, gain;       // x~ and what multiplies it; not where off
  cri_next_activation next;  // only where early
  cri_muscle_rate pace;      // only where the activation is a muscle's
  cr_real raw;               // [u5]
  cr_real scale;             // [u9] of the limit on its tendon
  int tendon, tendon_side;   // that tendon, -1 none, and the end of the range that holds
  bool controlled;   // a law of dynamics/controller: what is above is then that of its first
  cri_controlled c;  // output, without input and gain; only where controlled
} actuator;

// [u2], [u3]
static void evaluate_rate(const cr_model* m, const cr_data* d, int i, actuator* a) {
  a->u = cri_clip(d->ctrl[a->adr], cri_control_limited(m, a->adr),
                  m->actuator_ctrlrange + 2 * a->adr, &a->u_side);
  a->tau = a->turns3 = 0;
  a->tau_trusted = false;
  a->rate = m->actuator_dyntype[i] == CR_DYN_INTEGRATOR ? a->u : 0;
  if (m->actuator_dyntype[i] == CR_DYN_FILTER || m->actuator_dyntype[i] == CR_DYN_FILTEREXACT) {
    a->tau = cr_max(CR_MINVAL, m->actuator_dynprm[10 * i]);
    a->tau_trusted = m->actuator_dynprm[10 * i] > CR_MINVAL;
    a->turns3 = cri_servo_turns(a->u, d->act[a->act], a->period);
    a->rate = (a->u - a->period * a->turns3 - d->act[a->act]) / a->tau;
  }
  if (m->actuator_dyntype[i] == CR_DYN_MUSCLE) {
    a->pace = cri_muscle_rate_of(m, i, a->u, d->act[a->act]);
    a->rate = a->pace.value;
  }
}

static cr_real gain_of(const cr_model* m, int i, cr_real l, cr_real v) {
  const cr_real* g = m->actuator_gainprm + 10 * i;
  switch (m->actuator_gaintype[i]) {
    case CR_GAIN_AFFINE:
      return g[0] + g[1] * l + g[2] * v;
    case CR_GAIN_MUSCLE:
      return cri_muscle_gain(m, i, l, v, NULL);
    default:
      return g[0];
  }
}

static cr_real bias_of(const cr_model* m, int i, cr_real l, cr_real v) {
  const cr_real* b = m->actuator_biasprm + 10 * i;
  switch (m->actuator_biastype[i]) {
    case CR_BIAS_AFFINE:
      return b[0] + b[1] * l + b[2] * v;
    case CR_BIAS_MUSCLE:
      return cri_muscle_bias(m, i, l, NULL);
    default:
      return 0;
  }
}

// [u4], [u5]
static cr_real evaluate_force(const cr_model* m, const cr_data* d, int i, cr_real v, actuator* a) {
  cr_real x = a->act < 0 ? a->u : d->act[a->act], l = d->actuator_length[a->out];
  if (a->early) {
    a->next = cri_activation_next(m, 0, i, 0, d->act[a->act], a->rate);
    x = a->next.value;
  }
  a->turns5 = cri_servo_turns(x, l, a->period);
  a->input = x - a->period * a->turns5;
  a->gain = gain_of(m, i, l, v);
  return a->gain * a->input + bias_of(m, i, l, v);
}

// everything before limits; v: velocity of the actuator
static void evaluate_raw(const cr_model* m, const cr_data* d, int i, cr_real v, actuator* a) {
  a->adr = m->actuator_ctrladr[i];
  a->out = m->actuator_outadr[i];
  a->act = m->actuator_actadr[i];
  a->off = cri_actuator_disabled(m, i);
  a->early = a->act >= 0 && m->actuator_actearly[i] != 0;
  a->controlled = cri_is_controller(m, i);
  if (a->controlled) {
    cri_controlled_of(m, d, i, &a->c);
    a->raw = a->off ? 0 : a->c.law.value[CR_LAW_FORCE];
    return;
  }
  a->period = cri_servo_period(m, i);
  evaluate_rate(m, d, i, a);
  a->raw = a->off ? 0 : evaluate_force(m, d, i, v, a);
}

// ---- [u9] the limit on a tendon's total: all that pull on it are scaled alike

static bool pulls_limited(const cr_model* m, int i) {
  return m->actuator_trntype[i] == CR_TRN_TENDON &&
         m->tendon_actfrclimited[m->actuator_trnid[2 * i]] != 0;
}

static bool any_tendon_limited(const cr_model* m) {
  for (int i = 0; i < m->nactuator; i++) {
    if (pulls_limited(m, i)) {
      return true;
    }
  }
  return false;
}

// total force on each tendon, in scratch of `owner`; NULL where none is limited
static cr_real* tendon_totals(const cr_model* m, const cr_data* d, cr_data* owner) {
  if (!any_tendon_limited(m)) {
    return NULL;
  }
  cr_real* total = cri_push(owner, (size_t)m->ntendon);
  cr_zero(total, m->ntendon);
  for (int i = 0; i < m->nactuator; i++) {
    if (pulls_limited(m, i)) {
      actuator a;
      cr_real v = cri_moment_mul(d, d->actuator_moment, m->actuator_outadr[i], d->qvel);
      evaluate_raw(m, d, i, v, &a);
      total[m->actuator_trnid[2 * i]] += a.raw;
    }
  }
  return total;
}

// totals NULL: no tendon is limited
static void evaluate(const cr_model* m, const cr_data* d, int i, cr_real v, const cr_real* totals,
                     actuator* a) {
  evaluate_raw(m, d, i, v, a);
  a->tendon = totals != NULL && pulls_limited(m, i) ? m->actuator_trnid[2 * i] : -1;
  a->tendon_side = 0;
  a->scale = 1;
  if (a->tendon >= 0 && totals[a->tendon] != 0) {
    // [u9] f range / total
    cr_real total = totals[a->tendon];
    cr_real held = cri_clip(total, true, m->tendon_actfrcrange + 2 * a->tendon, &a->tendon_side);
    a->scale = a->tendon_side == 0 ? 1 : held / total;
  }
  // [u6] a torque of three outputs is limited as a whole, see dynamics/controlled
  bool limited = m->actuator_forcelimited[i] != 0 && m->actuator_gaintype[i] != CR_GAIN_SO3;
  a->force = cri_clip(a->raw * a->scale, limited, m->actuator_forcerange + 2 * i, &a->force_side);
  if (a->controlled && !a->off) {
    a->force += a->c.law.value[CR_LAW_FREE];
  }
}

static int outputs_of(const actuator* a) { return a->controlled ? a->c.law.nout : 1; }

// the forces of an actuator, where f has those of all
static void store_forces(const actuator* a, cr_real* f) {
  f[a->out] = a->force;
  for (int k = 0; outputs_of(a) > 1 && k < outputs_of(a); k++) {
    f[a->out + k] = a->off ? 0 : a->c.share * a->c.law.value[CR_LAW_FORCE + k];
  }
}

// tangents of gain and bias
static cr_real gain_jvp(const cr_model* m, const cr_data* tan, int i, cr_real l, cr_real l_tan,
                        cr_real v, cr_real v_tan) {
  const cr_real* g = m->actuator_gainprm + 10 * i;
  const cr_real* g_tan = cri_par_tan(tan->par.actuator_gainprm, i, 10);
  cri_muscle_gradient grad;
  switch (m->actuator_gaintype[i]) {
    case CR_GAIN_AFFINE:
      return g_tan[0] + g_tan[1] * l + g[1] * l_tan + g_tan[2] * v + g[2] * v_tan;
    case CR_GAIN_MUSCLE:
      (void)cri_muscle_gain(m, i, l, v, &grad);
      return cri_muscle_tan(m, i, &grad, g_tan, tan, l_tan, v_tan);
    default:
      return g_tan[0];
  }
}

static cr_real bias_jvp(const cr_model* m, const cr_data* tan, int i, cr_real l, cr_real l_tan,
                        cr_real v, cr_real v_tan) {
  const cr_real* b = m->actuator_biasprm + 10 * i;
  const cr_real* b_tan = cri_par_tan(tan->par.actuator_biasprm, i, 10);
  cri_muscle_gradient grad;
  switch (m->actuator_biastype[i]) {
    case CR_BIAS_AFFINE:
      return b_tan[0] + b_tan[1] * l + b[1] * l_tan + b_tan[2] * v + b[2] * v_tan;
    case CR_BIAS_MUSCLE:
      (void)cri_muscle_bias(m, i, l, &grad);
      return cri_muscle_tan(m, i, &grad, b_tan, tan, l_tan, 0);
    default:
      return 0;
  }
}

// tangents of the rate and of the force before limits; v, v_tan velocity and its tangent
static void actuator_jvp(const cr_model* m, const cr_data* d, const cr_data* tan, int i,
                         const actuator* a, cr_real v, cr_real v_tan, cr_real* rate_tan,
                         cr_real* force_tan) {
  const cr_model* par = &tan->par;
  cr_real l = d->actuator_length[a->out], l_tan = tan->actuator_length[a->out];
  cr_real act_tan = a->act >= 0 ? tan->act[a->act] : 0;
  cr_real tau_tan = a->tau_trusted ? cri_par_tan(par->actuator_dynprm, i, 10)[0] : 0;
  cr_real period_tan = cri_servo_period_jvp(m, i, a->period, tan);
  // [u2]
  const cr_real* range_tan = cri_par_tan(par->actuator_ctrlrange, a->adr, 2);
  cr_real u_tan = cri_clip_jvp(a->u_side, tan->ctrl[a->adr], range_tan);
  // [u3]
  *rate_tan = m->actuator_dyntype[i] == CR_DYN_INTEGRATOR ? u_tan : 0;
  if (a->tau > 0) {
    *rate_tan = (u_tan - period_tan * a->turns3 - act_tan - a->rate * tau_tan) / a->tau;
  }
  if (m->actuator_dyntype[i] == CR_DYN_MUSCLE) {
    *rate_tan = a->pace.by_u * u_tan + a->pace.by_act * act_tan +
                cr_dot3(a->pace.by_prm, cri_par_tan(par->actuator_dynprm, i, 10));
  }
  // [u4]
  cr_real x_tan = a->act < 0 ? u_tan : act_tan;
  if (a->early) {
    x_tan = a->next.by_act * act_tan + a->next.by_rate * *rate_tan + a->next.by_tau * tau_tan;
    x_tan += a->next.side == 0 ? 0 : cri_par_tan(par->actuator_actrange, i, 2)[a->next.side > 0];
  }
  x_tan -= period_tan * a->turns5;
  // [u5]
  *force_tan = 0;
  if (!a->off) {
    *force_tan = gain_jvp(m, tan, i, l, l_tan, v, v_tan) * a->input + a->gain * x_tan +
                 bias_jvp(m, tan, i, l, l_tan, v, v_tan);
  }
}

// [u9], [u6] from the tangent of the raw force to that of the force
static cr_real limits_jvp(const cr_model* m, const cr_data* tan, int i, const actuator* a,
                          const cr_real* totals, const cr_real* totals_tan, cr_real raw_tan) {
  (void)m;
  cr_real f_tan = raw_tan * a->scale;
  if (a->tendon_side != 0) {
    cr_real total = totals[a->tendon];
    const cr_real* range_tan = cri_par_tan(tan->par.tendon_actfrcrange, a->tendon, 2);
    f_tan += a->raw / total * (range_tan[a->tendon_side > 0] - a->scale * totals_tan[a->tendon]);
  }
  return cri_clip_jvp(a->force_side, f_tan, cri_par_tan(tan->par.actuator_forcerange, i, 2));
}

// [u5]': adds to the cotangents of length, gain and bias; v_bar that of the velocity
static void force_law_vjp(const cr_model* m, const cr_data* d, cr_data* bar, int i,
                          const actuator* a, cr_real v, cr_real f_bar, cr_real* v_bar) {
  cr_real l = d->actuator_length[a->out], gain_bar = f_bar * a->input;
  cr_real* l_bar = bar->actuator_length + a->out;
  cr_real* g_bar = cri_par_bar(bar->par.actuator_gainprm, i, 10);
  cr_real* b_bar = cri_par_bar(bar->par.actuator_biasprm, i, 10);
  bool affine_gain = m->actuator_gaintype[i] == CR_GAIN_AFFINE;
  bool affine_bias = m->actuator_biastype[i] == CR_BIAS_AFFINE;
  cri_muscle_gradient grad;
  if (m->actuator_biastype[i] == CR_BIAS_MUSCLE) {
    (void)cri_muscle_bias(m, i, l, &grad);
    cri_muscle_bar(m, i, &grad, f_bar, b_bar, bar, l_bar, v_bar);
  }
  if (m->actuator_gaintype[i] == CR_GAIN_MUSCLE) {
    (void)cri_muscle_gain(m, i, l, v, &grad);
    cri_muscle_bar(m, i, &grad, gain_bar, g_bar, bar, l_bar, v_bar);
    g_bar = NULL;
  }
  if (affine_gain) {
    *l_bar += gain_bar * m->actuator_gainprm[10 * i + 1];
    *v_bar += gain_bar * m->actuator_gainprm[10 * i + 2];
  }
  if (affine_bias) {
    *l_bar += f_bar * m->actuator_biasprm[10 * i + 1];
    *v_bar += f_bar * m->actuator_biasprm[10 * i + 2];
  }
  if (g_bar != NULL) {
    g_bar[0] += gain_bar;
    g_bar[1] += affine_gain ? gain_bar * l : 0;
    g_bar[2] += affine_gain ? gain_bar * v : 0;
  }
  if (b_bar != NULL && affine_bias) {
    b_bar[0] += f_bar;
    b_bar[1] += f_bar * l;
    b_bar[2] += f_bar * v;
  }
}

// [u9]' for all: the cotangents of the totals, in scratch of bar; f_bar before [u6]'
static cr_real* totals_vjp(const cr_model* m, const cr_data* d, cr_data* bar, const cr_real* totals,
                           const cr_real* w) {
  cr_real* totals_bar = cri_push(bar, (size_t)m->ntendon);
  cr_zero(totals_bar, m->ntendon);
  for (int i = 0; i < m->nactuator; i++) {
    actuator a;
    int out = m->actuator_outadr[i];
    evaluate(m, d, i, cri_moment_mul(d, d->actuator_moment, out, d->qvel), totals, &a);
    if (a.tendon_side != 0) {
      cr_real f_bar = bar->actuator_force[out] + cri_moment_mul(d, d->actuator_moment, out, w);
      f_bar = cri_clip_vjp(a.force_side, f_bar, NULL);
      cr_real share_bar = f_bar * a.raw / totals[a.tendon];
      totals_bar[a.tendon] -= share_bar * a.scale;
      if (bar->par.tendon_actfrcrange != NULL) {
        bar->par.tendon_actfrcrange[2 * a.tendon + (a.tendon_side > 0)] += share_bar;
      }
    }
  }
  return totals_bar;
}

// from the cotangents of rate and force to those of everything they are made of; returns that of
// the velocity
static cr_real actuator_vjp(const cr_model* m, const cr_data* d, cr_data* bar, int i,
                            const actuator* a, cr_real v, cr_real rate_bar, cr_real force_bar,
                            const cr_real* totals_bar) {
  cr_real v_bar = 0, u_bar = 0, act_bar = 0, tau_bar = 0, period_bar = 0;
  // [u6]', [u9]'
  cr_real f_bar =
      cri_clip_vjp(a->force_side, force_bar, cri_par_bar(bar->par.actuator_forcerange, i, 2));
  f_bar = f_bar * a->scale + (a->tendon >= 0 ? totals_bar[a->tendon] : 0);
  if (!a->off) {
    // [u5]'
    force_law_vjp(m, d, bar, i, a, v, f_bar, &v_bar);
    cr_real x_bar = f_bar * a->gain;
    period_bar -= x_bar * a->turns5;
    // [u4]'
    if (a->early) {
      act_bar += x_bar * a->next.by_act;
      rate_bar += x_bar * a->next.by_rate;
      tau_bar += x_bar * a->next.by_tau;
      if (a->next.side != 0 && bar->par.actuator_actrange != NULL) {
        bar->par.actuator_actrange[2 * i + (a->next.side > 0)] += x_bar;
      }
    } else if (a->act >= 0) {
      act_bar += x_bar;
    } else {
      u_bar += x_bar;
    }
  }
  // [u3]'
  if (a->tau > 0) {
    u_bar += rate_bar / a->tau;
    act_bar -= rate_bar / a->tau;
    period_bar -= rate_bar * a->turns3 / a->tau;
    tau_bar -= rate_bar * a->rate / a->tau;
  } else if (m->actuator_dyntype[i] == CR_DYN_INTEGRATOR) {
    u_bar += rate_bar;
  } else if (m->actuator_dyntype[i] == CR_DYN_MUSCLE) {
    u_bar += rate_bar * a->pace.by_u;
    act_bar += rate_bar * a->pace.by_act;
    if (bar->par.actuator_dynprm != NULL) {
      cr_accscl3(bar->par.actuator_dynprm + 10 * i, a->pace.by_prm, rate_bar);
    }
  }
  // [u2]'
  bar->ctrl[a->adr] +=
      cri_clip_vjp(a->u_side, u_bar, cri_par_bar(bar->par.actuator_ctrlrange, a->adr, 2));
  if (a->act >= 0) {
    bar->act[a->act] += act_bar;
  }
  if (bar->par.actuator_dynprm != NULL && a->tau_trusted) {
    bar->par.actuator_dynprm[10 * i] += tau_bar;
  }
  cri_servo_period_vjp(m, i, a->period, period_bar, bar);
  return v_bar;
}

// the same for a controller, with the cotangents of its forces in f_bar; v_bar of its velocities
static void controlled_vjp(const cr_model* m, const cr_data* d, cr_data* bar, int i,
                           const actuator* a, cr_real f_bar[CR_LAW_OUT], const cr_real* totals_bar,
                           cr_real v_bar[CR_LAW_OUT]) {
  const cri_law* law = &a->c.law;
  cr_real row[CR_LAW_ROWS] = {0}, *range_bar = cri_par_bar(bar->par.actuator_forcerange, i, 2);
  if (law->nact > 0) {
    cr_copy(row + CR_LAW_RATE, bar->act_dot + a->act, law->nact);
  }
  if (!a->off && law->nout > 1) {
    cri_torque_bar(&a->c, f_bar, range_bar);
    cr_copy(row + CR_LAW_FORCE, f_bar, law->nout);
  } else if (!a->off) {
    // [u6]', [u9]'
    row[CR_LAW_FREE] = f_bar[0];
    row[CR_LAW_FORCE] = cri_clip_vjp(a->force_side, f_bar[0], range_bar) * a->scale +
                        (a->tendon >= 0 ? totals_bar[a->tendon] : 0);
  }
  cri_controlled_bar(m, d, bar, i, &a->c, row, v_bar);
}

// ---- joint forces

static bool gravcomp_acts(const cr_model* m, int dof) {
  return m->jnt_actgravcomp[m->dof_jntid[dof]] != 0;
}

// forces of all actuators and their joint forces before [u8]; v: velocities
static void joint_forces(const cr_model* m, const cr_data* d, const cr_real* f, cr_real* tau) {
  // [u7] tau = A' f + gravcomp
  for (int i = 0; i < m->nv; i++) {
    tau[i] = gravcomp_acts(m, i) ? d->qfrc_gravcomp[i] : 0;
  }
  for (int o = 0; o < m->nout; o++) {
    cri_moment_add(d, d->actuator_moment, o, f[o], tau);
  }
}

static cr_real clip_joint(const cr_model* m, int j, const cr_real* tau, int* side) {
  bool limited = m->jnt_actfrclimited[j] != 0;
  return cri_clip(tau[m->jnt_dofadr[j]], limited, m->jnt_actfrcrange + 2 * j, side);
}

static cr_status check_controls(const cr_model* m, cr_data* d, int i, const actuator* a) {
  for (int k = 0; k < m->actuator_ctrlnum[i]; k++) {
    int side = a->controlled ? a->c.side[k] : a->u_side;
    cr_real u = d->ctrl[a->adr + k];
    if (side == 0 && !(cr_abs(u) <= LARGEST_CONTROL)) {
      return cri_fail(&d->error, CR_ERR_NONFINITE, "ctrl[%d] (actuator '%s') is %g", a->adr + k,
                      cri_name(m, m->name_actuatoradr, i), (double)u);
    }
  }
  return CR_OK;
}

// ---- the stage

cr_status cr_actuation(const cr_model* m, cr_data* d) {
  if (switched_off(m)) {
    cr_zero(d->actuator_velocity, m->nout);
    cr_zero(d->act_dot, m->na);
    cr_zero(d->actuator_force, m->nout);
    cr_zero(d->qfrc_actuator, m->nv);
    return CR_OK;
  }
  size_t mark = cri_mark(d);
  const cr_real* totals = tendon_totals(m, d, d);
  for (int i = 0; i < m->nactuator; i++) {
    int out = m->actuator_outadr[i];
    // [u1] v = A qvel
    cr_real v = cri_moment_mul(d, d->actuator_moment, out, d->qvel);
    // [u2] to [u6]
    actuator a;
    evaluate(m, d, i, v, totals, &a);
    cr_status status = check_controls(m, d, i, &a);
    if (status != CR_OK) {
      cri_pop(d, mark);
      return status;
    }
    store_forces(&a, d->actuator_force);
    if (a.controlled) {
      cr_copy(d->actuator_velocity + out, a.c.v, a.c.law.nout);
      if (a.c.law.nact > 0) {
        cr_copy(d->act_dot + a.act, a.c.law.value + CR_LAW_RATE, a.c.law.nact);
      }
      continue;
    }
    d->actuator_velocity[out] = v;
    if (a.act >= 0) {
      d->act_dot[a.act] = a.rate;
    }
  }
  cri_pop(d, mark);
  joint_forces(m, d, d->actuator_force, d->qfrc_actuator);
  // [u8]
  for (int j = 0; j < m->njnt; j++) {
    int side;
    d->qfrc_actuator[m->jnt_dofadr[j]] = clip_joint(m, j, d->qfrc_actuator, &side);
  }
  return CR_OK;
}

// tangents of velocities, rates, forces before limits, and the force that no limit holds
typedef struct {
  cr_real v[CR_LAW_OUT], rate[CR_LAW_ACT], raw[CR_LAW_OUT], free;
} moved;

static void controlled_jvp(const cr_model* m, const cr_data* d, const cr_data* tan, int i,
                           const actuator* a, moved* t) {
  cr_real row[CR_LAW_ROWS];
  cri_controlled_tan(m, d, tan, i, &a->c, row, t->v);
  cr_copy(t->rate, row + CR_LAW_RATE, CR_LAW_ACT);
  cr_zero(t->raw, CR_LAW_OUT);
  t->free = 0;
  if (!a->off) {
    cr_copy(t->raw, row + CR_LAW_FORCE, CR_LAW_OUT);
    t->free = row[CR_LAW_FREE];
  }
}

// actuator i with them
static void force_jvp(const cr_model* m, const cr_data* d, const cr_data* tan, int i,
                      const cr_real* totals, actuator* a, moved* t) {
  int out = m->actuator_outadr[i];
  // [u1] A' qvel + A qvel'
  cr_real v = cri_moment_mul(d, d->actuator_moment, out, d->qvel);
  evaluate(m, d, i, v, totals, a);
  if (a->controlled) {
    controlled_jvp(m, d, tan, i, a, t);
    return;
  }
  t->v[0] = cri_moment_mul(d, tan->actuator_moment, out, d->qvel) +
            cri_moment_mul(d, d->actuator_moment, out, tan->qvel);
  t->free = 0;
  actuator_jvp(m, d, tan, i, a, v, t->v[0], t->rate, t->raw);
}

static cr_real* tendon_totals_jvp(const cr_model* m, const cr_data* d, cr_data* tan,
                                  const cr_real* totals) {
  cr_real* totals_tan = cri_push(tan, (size_t)m->ntendon);
  cr_zero(totals_tan, m->ntendon);
  for (int i = 0; i < m->nactuator; i++) {
    if (pulls_limited(m, i)) {
      actuator a;
      moved t;
      force_jvp(m, d, tan, i, totals, &a, &t);
      totals_tan[a.tendon] += t.raw[0];
    }
  }
  return totals_tan;
}

cr_status cr_actuation_jvp(const cr_model* m, const cr_data* d, cr_data* tan) {
  cr_zero(tan->actuator_velocity, m->nout);
  cr_zero(tan->act_dot, m->na);
  cr_zero(tan->actuator_force, m->nout);
  cr_zero(tan->qfrc_actuator, m->nv);
  if (switched_off(m)) {
    return CR_OK;
  }
  size_t mark = cri_mark(tan);
  cr_real* f = cri_push(tan, (size_t)m->nout);
  cr_real* tau = cri_push(tan, (size_t)m->nv);
  const cr_real* totals = tendon_totals(m, d, tan);
  const cr_real* totals_tan = totals == NULL ? NULL : tendon_totals_jvp(m, d, tan, totals);
  for (int i = 0; i < m->nactuator; i++) {
    // [u1] to [u6]
    actuator a;
    moved t;
    force_jvp(m, d, tan, i, totals, &a, &t);
    cr_real f_tan[CR_LAW_OUT];
    if (outputs_of(&a) > 1) {
      cri_torque_tan(m, tan, i, &a.c, t.raw, f_tan);
    } else {
      f_tan[0] = limits_jvp(m, tan, i, &a, totals, totals_tan, t.raw[0]) + t.free;
    }
    store_forces(&a, f);
    if (a.act >= 0) {
      cr_copy(tan->act_dot + a.act, t.rate, m->actuator_actnum[i]);
    }
    for (int k = 0; k < outputs_of(&a); k++) {
      int out = a.out + k;
      tan->actuator_velocity[out] = t.v[k];
      tan->actuator_force[out] = f_tan[k];
      // [u7] A' f' + (A')' f
      cri_moment_add(d, d->actuator_moment, out, f_tan[k], tan->qfrc_actuator);
      cri_moment_add(d, tan->actuator_moment, out, f[out], tan->qfrc_actuator);
    }
  }
  for (int i = 0; i < m->nv; i++) {
    tan->qfrc_actuator[i] += gravcomp_acts(m, i) ? tan->qfrc_gravcomp[i] : 0;
  }
  // [u8]
  joint_forces(m, d, f, tau);
  for (int j = 0; j < m->njnt; j++) {
    int side;
    cr_real* tau_tan = tan->qfrc_actuator + m->jnt_dofadr[j];
    (void)clip_joint(m, j, tau, &side);
    *tau_tan = cri_clip_jvp(side, *tau_tan, cri_par_tan(tan->par.jnt_actfrcrange, j, 2));
  }
  cri_pop(tan, mark);
  return CR_OK;
}

static bool any_joint_limited(const cr_model* m) {
  for (int j = 0; j < m->njnt; j++) {
    if (m->jnt_actfrclimited[j] != 0) {
      return true;
    }
  }
  return false;
}

// [u8]' on w; which joints are held is found out again
static void clip_joints_vjp(const cr_model* m, const cr_data* d, cr_data* bar, cr_real* w) {
  size_t mark = cri_mark(bar);
  cr_real* f = cri_push(bar, (size_t)m->nout);
  cr_real* tau = cri_push(bar, (size_t)m->nv);
  const cr_real* totals = tendon_totals(m, d, bar);
  for (int i = 0; i < m->nactuator; i++) {
    int out = m->actuator_outadr[i];
    actuator a;
    evaluate(m, d, i, cri_moment_mul(d, d->actuator_moment, out, d->qvel), totals, &a);
    store_forces(&a, f);
  }
  joint_forces(m, d, f, tau);
  for (int j = 0; j < m->njnt; j++) {
    int side, i = m->jnt_dofadr[j];
    (void)clip_joint(m, j, tau, &side);
    w[i] = cri_clip_vjp(side, w[i], cri_par_bar(bar->par.jnt_actfrcrange, j, 2));
  }
  cri_pop(bar, mark);
}

static void add_pair(const cr_model* m, cr_pairs* pairs, const cr_real* left,
                     const cr_real* right) {
  int k = cri_pairs_add(pairs);
  cr_copy(cri_pair_left(pairs, k), left, m->nout);
  cr_copy(cri_pair_right(pairs, k), right, m->nv);
}

cr_status cr_actuation_vjp(const cr_model* m, const cr_data* d, cr_data* bar) {
  if (switched_off(m)) {
    return CR_OK;
  }
  size_t mark = cri_mark(bar);
  cr_real* f = cri_push(bar, (size_t)m->nout);
  cr_real* v_bar = cri_push(bar, (size_t)m->nout);
  cr_real* w = cri_push(bar, (size_t)m->nv);
  // [u8]'
  cr_copy(w, bar->qfrc_actuator, m->nv);
  if (any_joint_limited(m)) {
    clip_joints_vjp(m, d, bar, w);
  }
  // [u7]' gravcomp_bar += tau_bar
  for (int i = 0; i < m->nv; i++) {
    bar->qfrc_gravcomp[i] += gravcomp_acts(m, i) ? w[i] : 0;
  }
  // [u9]'
  const cr_real* totals = tendon_totals(m, d, bar);
  const cr_real* totals_bar = totals == NULL ? NULL : totals_vjp(m, d, bar, totals, w);
  for (int i = 0; i < m->nactuator; i++) {
    cr_real f_bar[CR_LAW_OUT], by_law[CR_LAW_OUT];
    cr_real v = cri_moment_mul(d, d->actuator_moment, m->actuator_outadr[i], d->qvel);
    actuator a;
    evaluate(m, d, i, v, totals, &a);
    store_forces(&a, f);
    // [u7]' f_bar += A tau_bar
    for (int k = 0; k < outputs_of(&a); k++) {
      int out = a.out + k;
      f_bar[k] = bar->actuator_force[out] + cri_moment_mul(d, d->actuator_moment, out, w);
    }
    // [u6]' to [u2]'
    if (a.controlled) {
      controlled_vjp(m, d, bar, i, &a, f_bar, totals_bar, by_law);
    } else {
      cr_real rate_bar = a.act >= 0 ? bar->act_dot[a.act] : 0;
      by_law[0] = actuator_vjp(m, d, bar, i, &a, v, rate_bar, f_bar[0], totals_bar);
    }
    // [u1]' qvel_bar += A' v_bar
    for (int k = 0; k < outputs_of(&a); k++) {
      int out = a.out + k;
      v_bar[out] = bar->actuator_velocity[out] + by_law[k];
      cri_moment_add(d, d->actuator_moment, out, v_bar[out], bar->qvel);
    }
  }
  // [u7]', [u1]' A_bar += f (x) tau_bar + v_bar (x) qvel
  add_pair(m, &bar->actuator_moment_pairs, f, w);
  add_pair(m, &bar->actuator_moment_pairs, v_bar, d->qvel);
  cri_pop(bar, mark);
  return CR_OK;
}

// ---- [u10] the slope over velocity

// as MuJoCo has it, a force at an end of its range is held too
static bool at_end(cr_real x, const cr_real range[2]) { return x <= range[0] || x >= range[1]; }

// which joints hold the force of their actuators; held[njnt]
static void held_joints(const cr_model* m, const cr_data* d, int32_t* held, cr_data* work) {
  size_t mark = cri_mark(work);
  cr_real* f = cri_push(work, (size_t)m->nout);
  cr_real* tau = cri_push(work, (size_t)m->nv);
  const cr_real* totals = tendon_totals(m, d, work);
  for (int i = 0; i < m->nactuator; i++) {
    int out = m->actuator_outadr[i];
    actuator a;
    evaluate(m, d, i, cri_moment_mul(d, d->actuator_moment, out, d->qvel), totals, &a);
    store_forces(&a, f);
  }
  joint_forces(m, d, f, tau);
  for (int j = 0; j < m->njnt; j++) {
    held[j] =
        m->jnt_actfrclimited[j] != 0 && at_end(tau[m->jnt_dofadr[j]], m->jnt_actfrcrange + 2 * j);
  }
  cri_pop(work, mark);
}

// an actuator's force over its velocity or length: by its gain's slope g, times x, and its bias' slope
typedef struct {
  bool acts;
  cri_slope_over over;
  actuator a;
  cr_real l, v, g, x, bias;
} sloped;

static int coefficient(cri_slope_over over) { return over == CR_OVER_LENGTH ? 1 : 2; }

// slope of the gain, and its gradient where it is a muscle's
static cr_real gain_slope(const cr_model* m, int i, const sloped* s, cri_muscle_gradient* grad) {
  switch (m->actuator_gaintype[i]) {
    case CR_GAIN_AFFINE:
      return m->actuator_gainprm[10 * i + coefficient(s->over)];
    case CR_GAIN_MUSCLE:
      return s->over == CR_OVER_LENGTH ? cri_muscle_gain_stiffness(m, i, s->l, s->v, grad)
                                       : cri_muscle_gain_slope(m, i, s->l, s->v, grad);
    default:
      return 0;
  }
}

// the bias of a muscle does not depend on velocity
static bool is_stiff_muscle(const cr_model* m, int i, cri_slope_over over) {
  return m->actuator_biastype[i] == CR_BIAS_MUSCLE && over == CR_OVER_LENGTH;
}

static cr_real bias_slope(const cr_model* m, int i, const sloped* s, cri_muscle_gradient* grad) {
  if (is_stiff_muscle(m, i, s->over)) {
    return cri_muscle_bias_stiffness(m, i, s->l, grad);
  }
  bool affine = m->actuator_biastype[i] == CR_BIAS_AFFINE;
  return affine ? m->actuator_biasprm[10 * i + coefficient(s->over)] : 0;
}

// a joint, a tendon or the actuator's own range holds the force
static bool is_held(const cr_model* m, int i, const actuator* a, const int32_t* held,
                    const cr_real* totals) {
  int id = m->actuator_trnid[2 * i];
  bool own = m->actuator_forcelimited[i] != 0 && at_end(a->force, m->actuator_forcerange + 2 * i);
  bool joint = held != NULL && m->actuator_trntype[i] <= CR_TRN_JOINTINPARENT && held[id] != 0;
  bool tendon = a->tendon >= 0 && at_end(totals[id], m->tendon_actfrcrange + 2 * id);
  return own || joint || tendon;
}

// the integrator discrete clips the control, the implicit ones take it as given
static cr_real slope_input(const cr_model* m, const cr_data* d, const actuator* a) {
  if (a->act >= 0) {
    return a->early ? a->next.value : d->act[a->act];
  }
  return m->integrator == CR_INT_DISCRETE ? a->u : d->ctrl[a->adr];
}

static sloped slope_of(const cr_model* m, const cr_data* d, int i, cri_slope_over over,
                       const int32_t* held, const cr_real* totals) {
  int out = m->actuator_outadr[i];
  sloped s = {.over = over,
              .l = d->actuator_length[out],
              .v = cri_moment_mul(d, d->actuator_moment, out, d->qvel)};
  evaluate(m, d, i, s.v, totals, &s.a);
  s.acts = !s.a.controlled && !s.a.off && !is_held(m, i, &s.a, held, totals);
  s.x = slope_input(m, d, &s.a);
  s.g = gain_slope(m, i, &s, NULL);
  s.bias = bias_slope(m, i, &s, NULL);
  return s;
}

static int32_t* find_held(const cr_model* m, const cr_data* d, cr_data* work) {
  if (!any_joint_limited(m)) {
    return NULL;
  }
  int32_t* held = cri_push_int(work, (size_t)m->njnt);
  held_joints(m, d, held, work);
  return held;
}

void cri_actuation_slope(const cr_model* m, const cr_data* d, cri_slope_over over, cr_real* c,
                         cr_data* work) {
  cr_zero(c, m->nout);
  if (switched_off(m)) {
    return;
  }
  size_t mark = cri_mark(work);
  const int32_t* held = find_held(m, d, work);
  const cr_real* totals = tendon_totals(m, d, work);
  for (int i = 0; i < m->nactuator; i++) {
    sloped s = slope_of(m, d, i, over, held, totals);
    // [u10]
    c[s.a.out] = s.acts ? s.bias + s.g * s.x : 0;
  }
  cri_pop(work, mark);
}

// tangent of x
static cr_real slope_input_jvp(const cr_model* m, const cr_data* d, const cr_data* tan, int i,
                               const sloped* s) {
  const actuator* a = &s->a;
  if (a->act < 0 && m->integrator == CR_INT_DISCRETE) {
    const cr_real* range_tan = cri_par_tan(tan->par.actuator_ctrlrange, a->adr, 2);
    return cri_clip_jvp(a->u_side, tan->ctrl[a->adr], range_tan);
  }
  if (a->act < 0) {
    return tan->ctrl[a->adr];
  }
  if (!a->early) {
    return tan->act[a->act];
  }
  cr_real rate_tan, force_tan, v = cri_moment_mul(d, d->actuator_moment, a->out, d->qvel);
  actuator_jvp(m, d, tan, i, a, v, 0, &rate_tan, &force_tan);
  cr_real x_tan = a->next.by_act * tan->act[a->act] + a->next.by_rate * rate_tan;
  if (a->tau_trusted) {
    x_tan += a->next.by_tau * cri_par_tan(tan->par.actuator_dynprm, i, 10)[0];
  }
  if (a->next.side != 0) {
    x_tan += cri_par_tan(tan->par.actuator_actrange, i, 2)[a->next.side > 0];
  }
  return x_tan;
}

// tangents of the slopes of gain and bias
static cr_real gain_slope_jvp(const cr_model* m, const cr_data* tan, int i, const sloped* s,
                              cr_real v_tan) {
  const cr_real* g_tan = cri_par_tan(tan->par.actuator_gainprm, i, 10);
  if (m->actuator_gaintype[i] != CR_GAIN_MUSCLE) {
    return g_tan[coefficient(s->over)];
  }
  cri_muscle_gradient grad;
  (void)gain_slope(m, i, s, &grad);
  return cri_muscle_tan(m, i, &grad, g_tan, tan, tan->actuator_length[s->a.out], v_tan);
}

static cr_real bias_slope_jvp(const cr_model* m, const cr_data* tan, int i, const sloped* s) {
  const cr_real* b_tan = cri_par_tan(tan->par.actuator_biasprm, i, 10);
  if (!is_stiff_muscle(m, i, s->over)) {
    return m->actuator_biastype[i] == CR_BIAS_AFFINE ? b_tan[coefficient(s->over)] : 0;
  }
  cri_muscle_gradient grad;
  (void)bias_slope(m, i, s, &grad);
  return cri_muscle_tan(m, i, &grad, b_tan, tan, tan->actuator_length[s->a.out], 0);
}

void cri_actuation_slope_jvp(const cr_model* m, const cr_data* d, cr_data* tan, cri_slope_over over,
                             cr_real* c_tan) {
  cr_zero(c_tan, m->nout);
  if (switched_off(m)) {
    return;
  }
  size_t mark = cri_mark(tan);
  const int32_t* held = find_held(m, d, tan);
  const cr_real* totals = tendon_totals(m, d, tan);
  for (int i = 0; i < m->nactuator; i++) {
    sloped s = slope_of(m, d, i, over, held, totals);
    if (!s.acts) {
      continue;
    }
    int out = s.a.out;
    cr_real v_tan = cri_moment_mul(d, tan->actuator_moment, out, d->qvel) +
                    cri_moment_mul(d, d->actuator_moment, out, tan->qvel);
    c_tan[out] += bias_slope_jvp(m, tan, i, &s);
    if (m->actuator_gaintype[i] != CR_GAIN_FIXED) {
      c_tan[out] +=
          gain_slope_jvp(m, tan, i, &s, v_tan) * s.x + s.g * slope_input_jvp(m, d, tan, i, &s);
    }
  }
  cri_pop(tan, mark);
}

// adds the cotangent of x to that of what x is: for an early force by the way of a force with gain 1
static void slope_input_vjp(const cr_model* m, const cr_data* d, cr_data* bar, int i,
                            const sloped* s, cr_real x_bar) {
  const actuator* a = &s->a;
  if (a->act < 0) {
    bool clipped = m->integrator == CR_INT_DISCRETE;
    cr_real* range_bar = cri_par_bar(bar->par.actuator_ctrlrange, a->adr, 2);
    bar->ctrl[a->adr] += clipped ? cri_clip_vjp(a->u_side, x_bar, range_bar) : x_bar;
    return;
  }
  bar->act[a->act] += a->early ? x_bar * a->next.by_act : x_bar;
  if (!a->early) {
    return;
  }
  if (bar->par.actuator_dynprm != NULL && a->tau_trusted) {
    bar->par.actuator_dynprm[10 * i] += x_bar * a->next.by_tau;
  }
  if (a->next.side != 0 && bar->par.actuator_actrange != NULL) {
    bar->par.actuator_actrange[2 * i + (a->next.side > 0)] += x_bar;
  }
  cr_real v = cri_moment_mul(d, d->actuator_moment, a->out, d->qvel);
  size_t mark = cri_mark(bar);
  cr_real* totals_bar = cri_push(bar, (size_t)m->ntendon);
  cr_zero(totals_bar, m->ntendon);
  (void)actuator_vjp(m, d, bar, i, a, v, x_bar * a->next.by_rate, 0, totals_bar);
  cri_pop(bar, mark);
}

// add the cotangents of the slopes to those of what they are; gain_slope_vjp gives that of the velocity
static cr_real gain_slope_vjp(const cr_model* m, cr_data* bar, int i, const sloped* s,
                              cr_real g_bar) {
  cr_real* prm_bar = cri_par_bar(bar->par.actuator_gainprm, i, 10);
  cr_real v_bar = 0;
  if (m->actuator_gaintype[i] == CR_GAIN_MUSCLE) {
    cri_muscle_gradient grad;
    (void)gain_slope(m, i, s, &grad);
    cri_muscle_bar(m, i, &grad, g_bar, prm_bar, bar, bar->actuator_length + s->a.out, &v_bar);
  } else if (prm_bar != NULL) {
    prm_bar[coefficient(s->over)] += g_bar;
  }
  return v_bar;
}

static void bias_slope_vjp(const cr_model* m, cr_data* bar, int i, const sloped* s, cr_real b_bar) {
  cr_real* prm_bar = cri_par_bar(bar->par.actuator_biasprm, i, 10);
  if (is_stiff_muscle(m, i, s->over)) {
    cr_real v_bar = 0;
    cri_muscle_gradient grad;
    (void)bias_slope(m, i, s, &grad);
    cri_muscle_bar(m, i, &grad, b_bar, prm_bar, bar, bar->actuator_length + s->a.out, &v_bar);
  } else if (m->actuator_biastype[i] == CR_BIAS_AFFINE && prm_bar != NULL) {
    prm_bar[coefficient(s->over)] += b_bar;
  }
}

void cri_actuation_slope_vjp(const cr_model* m, const cr_data* d, cr_data* bar, cri_slope_over over,
                             const cr_real* c_bar) {
  if (switched_off(m)) {
    return;
  }
  size_t mark = cri_mark(bar);
  cr_real* v_bar = cri_push(bar, (size_t)m->nout);
  bool moves = false;
  cr_zero(v_bar, m->nout);
  const int32_t* held = find_held(m, d, bar);
  const cr_real* totals = tendon_totals(m, d, bar);
  for (int i = 0; i < m->nactuator; i++) {
    sloped s = slope_of(m, d, i, over, held, totals);
    cr_real out_bar = c_bar[s.a.out];
    if (!s.acts || out_bar == 0) {
      continue;
    }
    // [u10]'
    bias_slope_vjp(m, bar, i, &s, out_bar);
    if (m->actuator_gaintype[i] != CR_GAIN_FIXED) {
      v_bar[s.a.out] = gain_slope_vjp(m, bar, i, &s, out_bar * s.x);
      moves = moves || v_bar[s.a.out] != 0;
      cri_moment_add(d, d->actuator_moment, s.a.out, v_bar[s.a.out], bar->qvel);
      slope_input_vjp(m, d, bar, i, &s, out_bar * s.g);
    }
  }
  if (moves) {
    // [u1]' A_bar += v_bar (x) qvel
    add_pair(m, &bar->actuator_moment_pairs, v_bar, d->qvel);
  }
  cri_pop(bar, mark);
}

// ---- for the Jacobian of a step

bool cri_actuator_alone(const cr_model* m, int i) {
  int dyn = m->actuator_dyntype[i], gain = m->actuator_gaintype[i], bias = m->actuator_biastype[i];
  bool known = dyn == CR_DYN_NONE || dyn == CR_DYN_INTEGRATOR || dyn == CR_DYN_FILTER ||
               dyn == CR_DYN_FILTEREXACT || dyn == CR_DYN_MUSCLE;
  known = known && (gain == CR_GAIN_FIXED || gain == CR_GAIN_AFFINE || gain == CR_GAIN_MUSCLE);
  known = known && (bias == CR_BIAS_NONE || bias == CR_BIAS_AFFINE || bias == CR_BIAS_MUSCLE);
  return known && !cri_is_controller(m, i) && !pulls_limited(m, i);
}

// force_tan and rate_tan with one seed set
static cr_real force_by(const cr_model* m, const cr_data* d, const cr_data* tan, int i,
                        const actuator* a, cr_real v, cr_real v_tan, cr_real* rate_tan) {
  cr_real force_tan;
  actuator_jvp(m, d, tan, i, a, v, v_tan, rate_tan, &force_tan);
  return limits_jvp(m, tan, i, a, NULL, NULL, force_tan);
}

cri_actuator_slopes cri_actuator_slopes_of(const cr_model* m, const cr_data* d, cr_data* tan,
                                           int i) {
  cri_actuator_slopes s = {0};
  if (switched_off(m)) {
    return s;
  }
  actuator a;
  int out = m->actuator_outadr[i];
  cr_real v = cri_moment_mul(d, d->actuator_moment, out, d->qvel), rate_tan;
  evaluate(m, d, i, v, NULL, &a);
  s.force = a.force;
  s.by_velocity = force_by(m, d, tan, i, &a, v, 1, &rate_tan);
  tan->actuator_length[out] = 1;
  s.by_length = force_by(m, d, tan, i, &a, v, 0, &rate_tan);
  tan->actuator_length[out] = 0;
  tan->ctrl[a.adr] = 1;
  s.by_ctrl = force_by(m, d, tan, i, &a, v, 0, &s.rate_by_ctrl);
  tan->ctrl[a.adr] = 0;
  if (a.act >= 0) {
    tan->act[a.act] = 1;
    s.by_act = force_by(m, d, tan, i, &a, v, 0, &s.rate_by_act);
    tan->act[a.act] = 0;
  }
  return s;
}

void cri_actuation_held(const cr_model* m, const cr_data* d, int32_t* held, cr_data* work) {
  size_t mark = cri_mark(work);
  cr_real* tau = cri_push(work, (size_t)m->nv);
  memset(held, 0, (size_t)m->nv * sizeof *held);
  joint_forces(m, d, d->actuator_force, tau);
  for (int j = 0; j < m->njnt && !switched_off(m); j++) {
    int side;
    (void)clip_joint(m, j, tau, &side);
    held[m->jnt_dofadr[j]] = side != 0;
  }
  cri_pop(work, mark);
}
