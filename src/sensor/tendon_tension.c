// SPDX-License-Identifier: Apache-2.0
// Fixed tendons act through joints, and the forces in their entries are dropped.
#include "sensor/tendon_tension.h"

#include "constraint/equality.h"
#include "force/damper.h"
#include "force/rank_one.h"
#include "force/tendon_spring.h"
#include "kinematics/tendon_path.h"

bool cri_has_spatial_tendon(const cr_model* m) {
  for (int i = 0; i < m->ntendon; i++) {
    if (!cri_tendon_is_fixed(m, i)) {
      return true;
    }
  }
  return false;
}

static bool is_on(const cr_model* m, int flag) { return (m->disableflags & flag) == 0; }

// ---- actuators

static bool pulls(const cr_model* m, int k) { return m->actuator_trntype[k] == CR_TRN_TENDON; }

// ---- rows

// the lower limit has its row before the upper one, so the row is the lower one if that is active and this is
// the tendon's first
static cr_real limit_sign(const cr_model* m, const cr_data* d, int row) {
  int t = d->efc_id[row];
  bool second = row > 0 && d->efc_type[row - 1] == CR_CNSTR_LIMIT_TENDON && d->efc_id[row - 1] == t;
  bool lower = d->ten_length[t] - m->tendon_range[2 * t] < m->tendon_margin[t];
  return lower && !second ? 1 : -1;
}

// [reaction.s2] tendons of a row, and its factors c of their Jacobians; returns their number
typedef struct {
  int n, id[2];
  cr_real c[2];
  bool coupled;  // c[1] is minus the slope of a coupling
} shares;

static shares shares_of(const cr_model* m, const cr_data* d, int row) {
  int type = d->efc_type[row], id = d->efc_id[row];
  if (type == CR_CNSTR_FRICTION_TENDON) {
    return (shares){.n = 1, .id = {id}, .c = {1}};
  }
  if (type == CR_CNSTR_LIMIT_TENDON) {
    return (shares){.n = 1, .id = {id}, .c = {limit_sign(m, d, row)}};
  }
  if (type != CR_CNSTR_EQUALITY || m->eq_type[id] != CR_EQ_TENDON) {
    return (shares){.n = 0};
  }
  cri_coupling c = cri_coupling_of(m, d, id);
  return (shares){.n = c.id[1] < 0 ? 1 : 2,
                  .id = {c.id[0], c.id[1]},
                  .c = {1, -c.slope},
                  .coupled = c.id[1] >= 0};
}

// tangent of the slope P' of a coupling; its transpose
static cr_real slope_tan(const cr_model* m, const cr_data* d, const cr_data* tan, int row) {
  int e = d->efc_id[row];
  cri_coupling c = cri_coupling_of(m, d, e);
  const cr_real* data_tan = cri_par_tan(tan->par.eq_data, e, CR_NEQDATA);
  cr_real sum =
      c.curvature * (tan->ten_length[c.id[1]] - *cri_par_tan(tan->par.tendon_length0, c.id[1], 1));
  for (int k = 1; k < 5; k++) {
    sum += (cr_real)k * data_tan[k] * c.power[k - 1];
  }
  return sum;
}

static void slope_bar_into(const cr_model* m, const cr_data* d, cr_data* bar, int row, cr_real s) {
  int e = d->efc_id[row];
  cri_coupling c = cri_coupling_of(m, d, e);
  bar->ten_length[c.id[1]] += c.curvature * s;
  cri_par_add1(bar->par.tendon_length0, c.id[1], -c.curvature * s);
  for (int k = 1; k < 5; k++) {
    cri_par_add1(bar->par.eq_data, CR_NEQDATA * e + k, (cr_real)k * c.power[k - 1] * s);
  }
}

// ---- springs and dampers

static void passive(const cr_model* m, const cr_data* d, cr_real* T, cr_data* work) {
  cr_zero(T, m->ntendon);
  if (is_on(m, CR_DSBL_DAMPER)) {
    cri_damper_forces(m, d, CR_DAMPED_TENDONS, T, work);
  }
  for (int t = 0; t < m->ntendon && is_on(m, CR_DSBL_SPRING); t++) {
    cri_tendon_spring s = cri_tendon_spring_of(m, d, t);
    T[t] -= cri_tendon_spring_number(&s, CR_POLY_PULL);
  }
}

static void passive_jvp(const cr_model* m, const cr_data* d, cr_data* tan, cr_real* T_tan) {
  cr_zero(T_tan, m->ntendon);
  if (is_on(m, CR_DSBL_DAMPER)) {
    cri_damper_forces_jvp(m, d, tan, CR_DAMPED_TENDONS, T_tan);
  }
  for (int t = 0; t < m->ntendon && is_on(m, CR_DSBL_SPRING); t++) {
    cri_tendon_spring s = cri_tendon_spring_of(m, d, t);
    T_tan[t] -= cri_tendon_spring_tan(tan, &s, CR_POLY_PULL);
  }
}

static void passive_vjp(const cr_model* m, const cr_data* d, cr_data* bar, const cr_real* T_bar) {
  if (is_on(m, CR_DSBL_DAMPER)) {
    cri_damper_forces_vjp(m, d, bar, CR_DAMPED_TENDONS, T_bar);
  }
  for (int t = 0; t < m->ntendon && is_on(m, CR_DSBL_SPRING); t++) {
    cri_tendon_spring s = cri_tendon_spring_of(m, d, t);
    cri_tendon_spring_bar(bar, &s, CR_POLY_PULL, -T_bar[t]);
  }
}

// ---- all of it

static void drop_fixed(const cr_model* m, cr_real* T) {
  for (int t = 0; t < m->ntendon; t++) {
    T[t] = cri_tendon_is_fixed(m, t) ? 0 : T[t];
  }
}

void cri_tendon_tension(const cr_model* m, const cr_data* d, cr_real* T, cr_data* work) {
  size_t mark = cri_mark(work);
  cr_real* a = cri_push(work, (size_t)m->ntendon);
  cri_tendon_armature(m, a);
  passive(m, d, T, work);
  for (int t = 0; t < m->ntendon; t++) {
    // [reaction.s3]
    T[t] -= a[t] * (cri_tendon_dot(m, d->ten_J, t, d->qacc) + d->ten_bias[t]);
  }
  for (int k = 0; k < m->nactuator; k++) {
    // [reaction.s1]
    if (pulls(m, k)) {
      int out = m->actuator_outadr[k];
      T[m->actuator_trnid[2 * k]] += m->actuator_gear[6 * out] * d->actuator_force[out];
    }
  }
  for (int i = 0; i < d->nefc; i++) {
    shares s = shares_of(m, d, i);
    for (int k = 0; k < s.n; k++) {
      T[s.id[k]] += s.c[k] * d->efc_force[i];
    }
  }
  drop_fixed(m, T);
  cri_pop(work, mark);
}

void cri_tendon_tension_jvp(const cr_model* m, const cr_data* d, cr_data* tan, cr_real* T_tan) {
  size_t mark = cri_mark(tan);
  cr_real* a = cri_push(tan, (size_t)m->ntendon);
  cr_real* a_tan = cri_push(tan, (size_t)m->ntendon);
  cri_tendon_armature(m, a);
  cri_tendon_armature_jvp(m, tan, a_tan);
  passive_jvp(m, d, tan, T_tan);
  for (int t = 0; t < m->ntendon; t++) {
    // [reaction.s3]
    T_tan[t] -= a_tan[t] * (cri_tendon_dot(m, d->ten_J, t, d->qacc) + d->ten_bias[t]);
    T_tan[t] -= a[t] * (cri_tendon_dot(m, tan->ten_J, t, d->qacc) +
                        cri_tendon_dot(m, d->ten_J, t, tan->qacc) + tan->ten_bias[t]);
  }
  for (int k = 0; k < m->nactuator; k++) {
    // [reaction.s1]
    if (pulls(m, k)) {
      int out = m->actuator_outadr[k];
      T_tan[m->actuator_trnid[2 * k]] +=
          m->actuator_gear[6 * out] * tan->actuator_force[out] +
          cri_par_tan(tan->par.actuator_gear, out, 6)[0] * d->actuator_force[out];
    }
  }
  for (int i = 0; i < d->nefc; i++) {
    shares s = shares_of(m, d, i);
    for (int k = 0; k < s.n; k++) {
      // [reaction.s2]
      T_tan[s.id[k]] += s.c[k] * tan->efc_force[i];
    }
    if (s.coupled) {
      T_tan[s.id[1]] -= slope_tan(m, d, tan, i) * d->efc_force[i];
    }
  }
  drop_fixed(m, T_tan);
  cri_pop(tan, mark);
}

// [reaction.s1]', [reaction.s2]'
static void forces_vjp(const cr_model* m, const cr_data* d, cr_data* bar, const cr_real* T_bar) {
  for (int k = 0; k < m->nactuator; k++) {
    if (pulls(m, k)) {
      int out = m->actuator_outadr[k];
      cr_real g = T_bar[m->actuator_trnid[2 * k]];
      bar->actuator_force[out] += m->actuator_gear[6 * out] * g;
      cri_par_add1(bar->par.actuator_gear, 6 * out, d->actuator_force[out] * g);
    }
  }
  for (int i = 0; i < d->nefc; i++) {
    shares s = shares_of(m, d, i);
    for (int k = 0; k < s.n; k++) {
      bar->efc_force[i] += s.c[k] * T_bar[s.id[k]];
    }
    if (s.coupled) {
      slope_bar_into(m, d, bar, i, -d->efc_force[i] * T_bar[s.id[1]]);
    }
  }
}

// [reaction.s3]'
static void armature_vjp(const cr_model* m, const cr_data* d, cr_data* bar, const cr_real* T_bar) {
  size_t mark = cri_mark(bar);
  cr_real* a = cri_push(bar, (size_t)m->ntendon);
  cr_real* a_bar = cri_push(bar, (size_t)m->ntendon);
  cri_tendon_armature(m, a);
  if (!cr_is_zero(a, m->ntendon)) {
    int pair = cri_pairs_add(&bar->ten_J_pairs);
    cr_real* left = cri_pair_left(&bar->ten_J_pairs, pair);
    cr_copy(cri_pair_right(&bar->ten_J_pairs, pair), d->qacc, m->nv);
    for (int t = 0; t < m->ntendon; t++) {
      left[t] = -a[t] * T_bar[t];
      bar->ten_bias[t] += left[t];
      for (int k = m->ten_J_rowadr[t]; k < m->ten_J_rowadr[t] + m->ten_J_rownnz[t]; k++) {
        bar->qacc[m->ten_J_colind[k]] += left[t] * d->ten_J[k];
      }
    }
  }
  for (int t = 0; t < m->ntendon; t++) {
    a_bar[t] = -T_bar[t] * (cri_tendon_dot(m, d->ten_J, t, d->qacc) + d->ten_bias[t]);
  }
  cri_tendon_armature_vjp(m, bar, a_bar);
  cri_pop(bar, mark);
}

void cri_tendon_tension_vjp(const cr_model* m, const cr_data* d, cr_data* bar,
                            const cr_real* T_in_bar) {
  size_t mark = cri_mark(bar);
  cr_real* T_bar = cri_push(bar, (size_t)m->ntendon);
  cr_copy(T_bar, T_in_bar, m->ntendon);
  drop_fixed(m, T_bar);
  forces_vjp(m, d, bar, T_bar);
  armature_vjp(m, d, bar, T_bar);
  passive_vjp(m, d, bar, T_bar);
  cri_pop(bar, mark);
}
