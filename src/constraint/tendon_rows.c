// SPDX-License-Identifier: Apache-2.0
// Rows of tendons, see tendon_rows.h. Each is a row of ten_J times a number.
#include "constraint/tendon_rows.h"

#include "constraint/solref_impedance.h"

// a row s ten_J of tendon t
static int add_row(const cr_model* m, cr_data* d, cri_rows_needed* need, int type, int t,
                   cr_real s) {
  cri_length_row row = cri_tendon_row(m, d->ten_J, t);
  int i = cri_rows_add(d, need, 1, type, t, row.n, row.col);
  for (int k = 0; k < row.n && i >= 0; k++) {
    d->efc_J[d->efc_J_rowadr[i] + k] = s * row.value[k];
  }
  return i;
}

// its tangent
static void row_tan_of(const cr_model* m, const cr_data* d, cr_data* tan, int i, int t, cr_real s) {
  cri_length_row row_tan = cri_tendon_row(m, tan->ten_J, t);
  for (int k = 0; k < row_tan.n; k++) {
    tan->efc_J[d->efc_J_rowadr[i] + k] = s * row_tan.value[k];
  }
}

cri_tendon_pairs cri_tendon_pairs_begin(const cr_model* m, cr_data* bar) {
  cri_tendon_pairs t = {bar->ten_J_pairs.n};
  for (int p = 0; p < bar->efc_J_pairs.n; p++) {
    int k = cri_pairs_add(&bar->ten_J_pairs);
    cr_copy(cri_pair_right(&bar->ten_J_pairs, k), cri_pair_right(&bar->efc_J_pairs, p), m->nv);
  }
  return t;
}

void cri_tendon_row_bar(cr_data* bar, const cri_tendon_pairs* pairs, int i, int t, cr_real s) {
  for (int p = 0; p < bar->efc_J_pairs.n; p++) {
    cri_pair_left(&bar->ten_J_pairs, pairs->first + p)[t] +=
        s * cri_pair_left(&bar->efc_J_pairs, p)[i];
  }
}

// ---- friction loss

static bool has_friction(const cr_model* m, int t) {
  return cri_rows_on(m, CR_DSBL_FRICTIONLOSS) && m->tendon_frictionloss[t] != 0 &&
         m->ten_J_rownnz[t] > 0;
}

static void add_friction(const cr_model* m, cr_data* d, cri_rows_needed* need, int t) {
  // [constraint.k9] J = ten_J
  int i = add_row(m, d, need, CR_CNSTR_FRICTION_TENDON, t, 1);
  if (i >= 0) {
    d->efc_frictionloss[i] = m->tendon_frictionloss[t];
    cri_make_impedance(m, d, i, m->tendon_solref_fri + 2 * t, m->tendon_solimp_fri + 5 * t, 0, 0,
                       false);
  }
}

void cri_tendon_friction(const cr_model* m, cr_data* d, cri_rows_needed* need) {
  for (int t = 0; t < m->ntendon; t++) {
    if (has_friction(m, t)) {
      add_friction(m, d, need, t);
    }
  }
}

static void friction_tan(const cr_model* m, const cr_data* d, cr_data* tan, int i, int t) {
  const cr_model* p = &tan->par;
  cri_impedance_derivative s = cri_impedance_derivative_of(m, m->tendon_solref_fri + 2 * t,
                                                           m->tendon_solimp_fri + 5 * t, 0, 0);
  row_tan_of(m, d, tan, i, t, 1);
  cri_make_impedance_jvp(&s, tan, i, 0, cri_par_tan(p->tendon_solref_fri, t, 2),
                         cri_par_tan(p->tendon_solimp_fri, t, 5), false);
  tan->efc_frictionloss[i] = *cri_par_tan(p->tendon_frictionloss, t, 1);
  tan->efc_pos[i] = tan->efc_margin[i] = 0;
}

int cri_tendon_friction_jvp(const cr_model* m, const cr_data* d, cr_data* tan, int i) {
  for (int t = 0; t < m->ntendon; t++) {
    if (has_friction(m, t)) {
      friction_tan(m, d, tan, i++, t);
    }
  }
  return i;
}

static void friction_bar(const cr_model* m, cr_data* bar, const cri_tendon_pairs* pairs, int i,
                         int t) {
  const cr_model* p = &bar->par;
  cri_impedance_derivative s = cri_impedance_derivative_of(m, m->tendon_solref_fri + 2 * t,
                                                           m->tendon_solimp_fri + 5 * t, 0, 0);
  cri_impedance_derivative_bar x = cri_make_impedance_vjp(&s, bar, i, false);
  cri_par_add(p->tendon_solref_fri, t, 2, x.solref);
  cri_par_add(p->tendon_solimp_fri, t, 5, x.solimp);
  cri_par_add1(p->tendon_frictionloss, t, bar->efc_frictionloss[i]);
  cri_tendon_row_bar(bar, pairs, i, t, 1);
}

int cri_tendon_friction_vjp(const cr_model* m, cr_data* bar, const cri_tendon_pairs* pairs, int i) {
  for (int t = 0; t < m->ntendon; t++) {
    if (has_friction(m, t)) {
      friction_bar(m, bar, pairs, i++, t);
    }
  }
  return i;
}

// ---- limits

// [constraint.k9] distance to a limit of tendon t, side -1 lower or 1 upper; false if it is not active
static bool limit_active(const cr_model* m, const cr_data* d, int t, int side, cr_real* pos) {
  *pos = (cr_real)side * (m->tendon_range[2 * t + (side > 0)] - d->ten_length[t]);
  return cri_rows_on(m, CR_DSBL_LIMIT) && m->tendon_limited[t] != 0 && m->ten_J_rownnz[t] > 0 &&
         *pos < m->tendon_margin[t];
}

static void add_limit(const cr_model* m, cr_data* d, cri_rows_needed* need, int t, int side,
                      cr_real pos) {
  // [constraint.k9] J = -side ten_J
  int i = add_row(m, d, need, CR_CNSTR_LIMIT_TENDON, t, (cr_real)-side);
  if (i >= 0) {
    d->efc_pos[i] = pos;
    d->efc_margin[i] = m->tendon_margin[t];
    cri_make_impedance(m, d, i, m->tendon_solref_lim + 2 * t, m->tendon_solimp_lim + 5 * t,
                       pos - m->tendon_margin[t], 0, true);
  }
}

void cri_tendon_limits(const cr_model* m, cr_data* d, cri_rows_needed* need) {
  for (int t = 0; t < m->ntendon; t++) {
    for (int side = -1; side <= 1; side += 2) {
      cr_real pos;
      if (limit_active(m, d, t, side, &pos)) {
        add_limit(m, d, need, t, side, pos);
      }
    }
  }
}

static void limit_tan(const cr_model* m, const cr_data* d, cr_data* tan, int i, int t, int side,
                      cr_real pos) {
  const cr_model* p = &tan->par;
  cri_impedance_derivative s = cri_impedance_derivative_of(
      m, m->tendon_solref_lim + 2 * t, m->tendon_solimp_lim + 5 * t, pos - m->tendon_margin[t], 0);
  tan->efc_pos[i] =
      (cr_real)side * (cri_par_tan(p->tendon_range, t, 2)[side > 0] - tan->ten_length[t]);
  tan->efc_margin[i] = *cri_par_tan(p->tendon_margin, t, 1);
  tan->efc_frictionloss[i] = 0;
  row_tan_of(m, d, tan, i, t, (cr_real)-side);
  cri_make_impedance_jvp(&s, tan, i, tan->efc_pos[i] - tan->efc_margin[i],
                         cri_par_tan(p->tendon_solref_lim, t, 2),
                         cri_par_tan(p->tendon_solimp_lim, t, 5), true);
}

int cri_tendon_limits_jvp(const cr_model* m, const cr_data* d, cr_data* tan, int i) {
  for (int t = 0; t < m->ntendon; t++) {
    for (int side = -1; side <= 1; side += 2) {
      cr_real pos;
      if (limit_active(m, d, t, side, &pos)) {
        limit_tan(m, d, tan, i++, t, side, pos);
      }
    }
  }
  return i;
}

static void limit_bar(const cr_model* m, cr_data* bar, const cri_tendon_pairs* pairs, int i, int t,
                      int side, cr_real pos) {
  const cr_model* p = &bar->par;
  cri_impedance_derivative s = cri_impedance_derivative_of(
      m, m->tendon_solref_lim + 2 * t, m->tendon_solimp_lim + 5 * t, pos - m->tendon_margin[t], 0);
  cri_impedance_derivative_bar x = cri_make_impedance_vjp(&s, bar, i, true);
  cri_par_add(p->tendon_solref_lim, t, 2, x.solref);
  cri_par_add(p->tendon_solimp_lim, t, 5, x.solimp);
  cri_par_add1(p->tendon_margin, t, bar->efc_margin[i] - x.r);
  cr_real pos_bar = (cr_real)side * (bar->efc_pos[i] + x.r);
  cri_par_add1(p->tendon_range, 2 * t + (side > 0), pos_bar);
  bar->ten_length[t] -= pos_bar;
  cri_tendon_row_bar(bar, pairs, i, t, (cr_real)-side);
}

int cri_tendon_limits_vjp(const cr_model* m, const cr_data* d, cr_data* bar,
                          const cri_tendon_pairs* pairs, int i) {
  for (int t = 0; t < m->ntendon; t++) {
    for (int side = -1; side <= 1; side += 2) {
      cr_real pos;
      if (limit_active(m, d, t, side, &pos)) {
        limit_bar(m, bar, pairs, i++, t, side, pos);
      }
    }
  }
  return i;
}
