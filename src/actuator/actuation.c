// SPDX-License-Identifier: Apache-2.0
// Actuation: the outputs of each actuator (actuator/actuator, actuator/controller), the limits on them
// (actuator/force_limit), and the joint forces. Forward saves the forces before limits and
// which joints are held. So the derivatives, which meet the joints first, also evaluate each actuator
// only once.
#include "actuator/actuation.h"

#include "actuator/actuation_parts.h"
#include "actuator/controller.h"
#include "actuator/force_limit.h"

#define LARGEST_CONTROL CR_R(1e10)

static bool switched_off(const cr_model* m) {
  return m->nactuator == 0 || (m->disableflags & CR_DSBL_ACTUATION) != 0;
}

static bool gravcomp_acts(const cr_model* m, int dof) {
  return m->jnt_actgravcomp[m->dof_jntid[dof]] != 0;
}

// ---- forward

static cr_status check_controls(const cr_model* m, cr_data* d, int i) {
  for (int k = m->actuator_ctrladr[i]; k < m->actuator_ctrladr[i] + m->actuator_ctrlnum[i]; k++) {
    int side = 0;
    cr_real u = d->ctrl[k];
    if (cr_abs(u) <= LARGEST_CONTROL) {
      continue;
    }
    // a range clips numbers that are only large
    (void)cri_clip(u, cri_control_limited(m, k), m->actuator_ctrlrange + 2 * k, &side);
    if (side == 0) {
      return cri_fail(&d->error, CR_ERR_NONFINITE, "ctrl[%d] (actuator '%s') is %g", k,
                      cri_name(m, m->name_actuatoradr, i), (double)u);
    }
  }
  return CR_OK;
}

static int32_t control_side(const cr_model* m, const cr_data* d, int k) {
  const cr_real *range = m->actuator_ctrlrange + 2 * k, u = d->ctrl[k];
  return cri_control_limited(m, k) ? (u >= range[1]) - (u <= range[0]) : 0;
}

// [actuation.u1] to [actuation.u5] of actuator i; the force that no limit holds goes to actuator_force
static void evaluate(const cr_model* m, cr_data* d, int i) {
  int out = m->actuator_outadr[i];
  cri_output o;
  if (cri_is_controller(m, i)) {
    cri_controlled c;
    cri_controlled_of(m, d, i, &c, &o);
  } else {
    cri_actuator a;
    cri_actuator_of(m, d, i, &a, &o);
  }
  for (int k = 0; k < o.nout; k++) {
    d->actuator_velocity[out + k] = o.v[k];
    d->actuator_raw[out + k] = o.raw[k];
    d->actuator_force[out + k] = k == 0 ? o.free : 0;
  }
  for (int k = 0; k < o.nact; k++) {
    d->act_dot[m->actuator_actadr[i] + k] = o.rate[k];
    d->act_rises[m->actuator_actadr[i] + k] =
        m->actuator_dyntype[i] == CR_DYN_MUSCLE && o.rate[k] > 0;
  }
}

// [actuation.u9], [actuation.u6]
static void add_limited(const cr_model* m, cr_data* d) {
  size_t mark = cri_mark(d);
  const cr_real* totals = cri_tendon_totals(m, d->actuator_raw, d);
  cr_real* pulls = cri_tendon_pulls(m, totals, d);
  for (int i = 0; i < m->nactuator; i++) {
    int out = m->actuator_outadr[i];
    cr_real limited[3];
    const cr_real* f = d->actuator_raw + out;
    d->actuator_held[i] = 0;
    if (!cri_force_is_free(m, i, totals)) {
      cri_force_limit limit = cri_force_limit_of(m, i, d->actuator_raw, totals, limited);
      d->actuator_held[i] = cri_force_held(m, i, &limit, d->actuator_raw) ? CR_HELD_FORCE : 0;
      cri_tendon_pull(m, i, &limit, d->actuator_raw, limited[0], pulls);
      f = limited;
    }
    for (int k = 0; k < m->actuator_outnum[i]; k++) {
      d->actuator_force[out + k] += f[k];
    }
  }
  for (int i = 0; pulls != NULL && i < m->nactuator; i++) {
    d->actuator_held[i] |= cri_pull_held(m, i, pulls) ? CR_HELD_FORCE : 0;
  }
  cri_pop(d, mark);
}

// [actuation.u7] tau = A' f + gravcomp
static void joint_forces(const cr_model* m, cr_data* d) {
  for (int i = 0; i < m->nv; i++) {
    d->qfrc_actuator[i] = gravcomp_acts(m, i) ? d->qfrc_gravcomp[i] : 0;
  }
  for (int o = 0; o < m->nout; o++) {
    cri_moment_add(d, d->actuator_moment, o, d->actuator_force[o], d->qfrc_actuator);
  }
}

// [actuation.u8]
static void clip_joints(const cr_model* m, cr_data* d) {
  for (int j = 0; j < m->njnt; j++) {
    const cr_real* range = m->jnt_actfrcrange + 2 * j;
    cr_real* tau = d->qfrc_actuator + m->jnt_dofadr[j];
    int side;
    *tau = cri_clip(*tau, m->jnt_actfrclimited[j] != 0, range, &side);
    d->jnt_actfrc_side[j] = side;
  }
}

// actuators of joints whose actuator force is at an end of its range
static void find_held_by_joints(const cr_model* m, cr_data* d) {
  for (int i = 0; i < m->nactuator; i++) {
    int j = m->actuator_trnid[2 * i];
    if (m->actuator_trntype[i] <= CR_TRN_JOINTINPARENT && m->jnt_actfrclimited[j] != 0) {
      cr_real tau = d->qfrc_actuator[m->jnt_dofadr[j]];
      const cr_real* range = m->jnt_actfrcrange + 2 * j;
      d->actuator_held[i] += tau <= range[0] || tau >= range[1] ? CR_HELD_JOINT : 0;
    }
  }
}

cr_status cr_actuation(const cr_model* m, cr_data* d) {
  if (switched_off(m)) {
    cr_zero(d->actuator_velocity, m->nout);
    cr_zero(d->act_dot, m->na);
    cr_zero(d->actuator_force, m->nout);
    cr_zero(d->qfrc_actuator, m->nv);
    memset(d->actuator_held, 0, (size_t)m->nactuator * sizeof *d->actuator_held);
    memset(d->jnt_actfrc_side, 0, (size_t)m->njnt * sizeof *d->jnt_actfrc_side);
    memset(d->act_rises, 0, (size_t)m->na * sizeof *d->act_rises);
    memset(d->ctrl_side, 0, (size_t)m->nu * sizeof *d->ctrl_side);
    return CR_OK;
  }
  for (int i = 0; i < m->nactuator; i++) {
    CR_TRY(check_controls(m, d, i));
    evaluate(m, d, i);
  }
  for (int k = 0; k < m->nu; k++) {
    d->ctrl_side[k] = control_side(m, d, k);
  }
  add_limited(m, d);
  joint_forces(m, d);
  clip_joints(m, d);
  find_held_by_joints(m, d);
  return CR_OK;
}

// ---- jvp

// tangents of [actuation.u1] to [actuation.u5]; f gets the free force, as do its tangents
static void evaluate_tan(const cr_model* m, const cr_data* d, cr_data* tan, int i, cr_real* f,
                         cr_real* raw_tan) {
  int out = m->actuator_outadr[i];
  cri_output o, o_tan;
  if (cri_is_controller(m, i)) {
    cri_controlled c;
    cri_controlled_of(m, d, i, &c, &o);
    cri_controlled_tan(m, d, tan, i, &c, &o_tan);
  } else {
    cri_actuator a;
    cri_actuator_of(m, d, i, &a, &o);
    cri_actuator_tan(m, tan, i, &a, cri_actuator_velocity_tan(d, tan, out), &o_tan);
  }
  tan->actuator_force[out] = o_tan.free;
  for (int k = 0; k < o.nout; k++) {
    f[out + k] = k == 0 ? o.free : 0;
    raw_tan[out + k] = o_tan.raw[k];
    tan->actuator_velocity[out + k] = o_tan.v[k];
  }
  for (int k = 0; k < o.nact; k++) {
    tan->act_dot[m->actuator_actadr[i] + k] = o_tan.rate[k];
  }
}

static void add_limited_tan(const cr_model* m, const cr_data* d, cr_data* tan,
                            const cr_real* raw_tan, cr_real* f) {
  const cr_real* totals = cri_tendon_totals(m, d->actuator_raw, tan);
  const cr_real* totals_tan = cri_tendon_totals(m, raw_tan, tan);
  for (int i = 0; i < m->nactuator; i++) {
    cr_real limited[3], limited_tan[3];
    cri_force_limit limit = cri_force_limit_of(m, i, d->actuator_raw, totals, limited);
    cri_force_limit_tan(m, tan, i, &limit, d->actuator_raw, raw_tan, totals_tan, limited_tan);
    for (int k = 0, out = m->actuator_outadr[i]; k < m->actuator_outnum[i]; k++, out++) {
      f[out] += limited[k];
      tan->actuator_force[out] += limited_tan[k];
    }
  }
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
  cr_real* raw_tan = cri_push(tan, (size_t)m->nout);
  // [actuation.u1] to [actuation.u5]
  for (int i = 0; i < m->nactuator; i++) {
    evaluate_tan(m, d, tan, i, f, raw_tan);
  }
  // [actuation.u9], [actuation.u6]
  add_limited_tan(m, d, tan, raw_tan, f);
  // [actuation.u7] A' f' + (A')' f
  for (int o = 0; o < m->nout; o++) {
    cri_moment_add(d, d->actuator_moment, o, tan->actuator_force[o], tan->qfrc_actuator);
    cri_moment_add(d, tan->actuator_moment, o, f[o], tan->qfrc_actuator);
  }
  for (int i = 0; i < m->nv; i++) {
    tan->qfrc_actuator[i] += gravcomp_acts(m, i) ? tan->qfrc_gravcomp[i] : 0;
  }
  // [actuation.u8]
  for (int j = 0; j < m->njnt; j++) {
    cr_real* tau_tan = tan->qfrc_actuator + m->jnt_dofadr[j];
    const cr_real* range_tan = cri_par_tan(tan->par.jnt_actfrcrange, j, 2);
    *tau_tan = cri_clip_jvp(d->jnt_actfrc_side[j], *tau_tan, range_tan);
  }
  cri_pop(tan, mark);
  return CR_OK;
}

// ---- vjp

// [actuation.u8]', [actuation.u7]' to the cotangents w of the joint forces before their limits, and of gravcomp
static void joint_forces_vjp(const cr_model* m, const cr_data* d, cr_data* bar, cr_real* w) {
  cr_copy(w, bar->qfrc_actuator, m->nv);
  for (int j = 0; j < m->njnt; j++) {
    cr_real* w_j = w + m->jnt_dofadr[j];
    cr_real* range_bar = cri_par_bar(bar->par.jnt_actfrcrange, j, 2);
    *w_j = cri_clip_vjp(d->jnt_actfrc_side[j], *w_j, range_bar);
  }
  for (int i = 0; i < m->nv; i++) {
    bar->qfrc_gravcomp[i] += gravcomp_acts(m, i) ? w[i] : 0;
  }
}

// [actuation.u6]', [actuation.u9]' from the cotangents of the forces to those before limits; f: the limited forces
static void limits_vjp(const cr_model* m, const cr_data* d, cr_data* bar, const cr_real* f_bar,
                       cr_real* raw_bar, cr_real* f) {
  const cr_real* totals = cri_tendon_totals(m, d->actuator_raw, bar);
  cr_real* totals_bar = totals == NULL ? NULL : cri_push(bar, (size_t)m->ntendon);
  cr_zero(totals_bar, totals == NULL ? 0 : m->ntendon);
  for (int i = 0; i < m->nactuator; i++) {
    int out = m->actuator_outadr[i];
    if (cri_force_is_free(m, i, totals)) {
      for (int o = out; o < out + m->actuator_outnum[i]; o++) {
        f[o] = d->actuator_raw[o];
        raw_bar[o] = f_bar[o];
      }
      continue;
    }
    cri_force_limit limit = cri_force_limit_of(m, i, d->actuator_raw, totals, f + out);
    cri_force_limit_bar(m, bar, i, &limit, d->actuator_raw, f_bar + out, raw_bar + out, totals_bar);
  }
  for (int i = 0; i < m->nactuator && totals != NULL; i++) {
    if (cri_pulls_limited(m, i)) {
      raw_bar[m->actuator_outadr[i]] += totals_bar[m->actuator_trnid[2 * i]];
    }
  }
}

// [actuation.u5]' to [actuation.u2]'; the free force is added to f, the cotangents of the velocities go to v_bar
static void evaluate_vjp(const cr_model* m, const cr_data* d, cr_data* bar, int i,
                         const cr_real* f_bar, const cr_real* raw_bar, cr_real* f, cr_real* v_bar) {
  int out = m->actuator_outadr[i], nout = m->actuator_outnum[i], nact = m->actuator_actnum[i];
  cri_output o, o_bar;
  o_bar.free = f_bar[out];
  for (int k = 0; k < nout; k++) {
    o_bar.raw[k] = raw_bar[out + k];
    o_bar.v[k] = bar->actuator_velocity[out + k];
  }
  for (int k = 0; k < nact; k++) {
    o_bar.rate[k] = bar->act_dot[m->actuator_actadr[i] + k];
  }
  if (cri_is_controller(m, i)) {
    cri_controlled c;
    cri_controlled_of(m, d, i, &c, &o);
    cri_controlled_bar(m, bar, i, &c, &o_bar);
  } else {
    cri_actuator a;
    cri_actuator_of(m, d, i, &a, &o);
    cri_actuator_bar(m, bar, i, &a, &o_bar);
  }
  f[out] += o.free;
  for (int k = 0; k < nout; k++) {
    v_bar[out + k] = o_bar.v[k];
  }
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
  size_t mark = cri_mark(bar), nout = (size_t)m->nout;
  cr_real *f = cri_push(bar, nout), *f_bar = cri_push(bar, nout);
  cr_real *raw_bar = cri_push(bar, nout), *v_bar = cri_push(bar, nout);
  cr_real* w = cri_push(bar, (size_t)m->nv);
  joint_forces_vjp(m, d, bar, w);
  // [actuation.u7]' f_bar += A tau_bar
  for (int o = 0; o < m->nout; o++) {
    f_bar[o] = bar->actuator_force[o] + cri_moment_mul(d, d->actuator_moment, o, w);
  }
  limits_vjp(m, d, bar, f_bar, raw_bar, f);
  for (int i = 0; i < m->nactuator; i++) {
    evaluate_vjp(m, d, bar, i, f_bar, raw_bar, f, v_bar);
  }
  // [actuation.u1]' qvel_bar += A' v_bar
  for (int o = 0; o < m->nout; o++) {
    cri_moment_add(d, d->actuator_moment, o, v_bar[o], bar->qvel);
  }
  // [actuation.u7]', [actuation.u1]' A_bar += f (x) tau_bar + v_bar (x) qvel
  add_pair(m, &bar->actuator_moment_pairs, f, w);
  add_pair(m, &bar->actuator_moment_pairs, v_bar, d->qvel);
  cri_pop(bar, mark);
  return CR_OK;
}
