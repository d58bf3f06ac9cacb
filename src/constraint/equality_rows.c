// SPDX-License-Identifier: Apache-2.0
// Rows of equality constraints, see equality_rows.h.
#include "constraint/equality_rows.h"

#include "constraint/solref_impedance.h"

// rows of equality constraint i at a state
static int equality_rows(const cr_model* m, const cr_data* d, int i) {
  bool on = cri_rows_on(m, CR_DSBL_EQUALITY) && d->eq_active[i] != 0;
  return on ? cri_equality_rows(m->eq_type[i]) : 0;
}

// ---- how soft

// length of the residual of a connect or weld, on which the impedance of all its rows depends
static cr_real length_of(const cr_real* r, int n) {
  cr_real sum = 0;
  for (int k = 0; k < n; k++) {
    sum += r[k] * r[k];
  }
  return cr_sqrt(sum);
}

// [constraint.k8] all fields of the rows of equality constraint e except J
static void set_equality_softness(const cr_model* m, cr_data* d, int e, int i, int nrow,
                                  const cr_real* pos) {
  cr_real r = nrow > 1 ? length_of(pos, nrow) : pos[0];
  for (int k = 0; k < nrow; k++) {
    d->efc_pos[i + k] = pos[k];
    cri_make_impedance(m, d, i + k, m->eq_solref + 2 * e, m->eq_solimp + 5 * e, r, 0, true);
  }
}

static void equality_softness_tan(const cr_model* m, cr_data* tan, int e, int i, int nrow,
                                  const cr_real* pos, const cr_real* pos_tan) {
  const cr_model* t = &tan->par;
  cr_real r = nrow > 1 ? length_of(pos, nrow) : pos[0], r_tan = nrow > 1 ? 0 : pos_tan[0];
  for (int k = 0; k < nrow && nrow > 1 && r > 0; k++) {
    r_tan += pos[k] / r * pos_tan[k];
  }
  cri_impedance_derivative s =
      cri_impedance_derivative_of(m, m->eq_solref + 2 * e, m->eq_solimp + 5 * e, r, 0);
  for (int k = 0; k < nrow; k++) {
    cri_make_impedance_jvp(&s, tan, i + k, r_tan, cri_par_tan(t->eq_solref, e, 2),
                           cri_par_tan(t->eq_solimp, e, 5), true);
    tan->efc_pos[i + k] = pos_tan[k];
    tan->efc_margin[i + k] = tan->efc_frictionloss[i + k] = 0;
  }
}

// adds to pos_bar the contribution of the softness of the rows of equality constraint e
static void equality_softness_bar(const cr_model* m, cr_data* bar, int e, int i, int nrow,
                                  const cr_real* pos, cr_real* pos_bar) {
  const cr_model* t = &bar->par;
  cr_real r = nrow > 1 ? length_of(pos, nrow) : pos[0], r_bar = 0;
  cri_impedance_derivative s =
      cri_impedance_derivative_of(m, m->eq_solref + 2 * e, m->eq_solimp + 5 * e, r, 0);
  for (int k = 0; k < nrow; k++) {
    cri_impedance_derivative_bar x = cri_make_impedance_vjp(&s, bar, i + k, true);
    cri_par_add(t->eq_solref, e, 2, x.solref);
    cri_par_add(t->eq_solimp, e, 5, x.solimp);
    pos_bar[k] += bar->efc_pos[i + k];
    r_bar += x.r;
  }
  for (int k = 0; k < nrow; k++) {
    pos_bar[k] += nrow == 1 ? r_bar : (r > 0 ? r_bar * pos[k] / r : 0);
  }
}

// ---- couplings

// col = the columns of either row, ascending; returns their number
static int merge(const cri_length_row* a, const cri_length_row* b, int32_t* col) {
  int n = 0;
  for (int i = 0, j = 0; i < a->n || j < b->n; n++) {
    bool first = j >= b->n || (i < a->n && a->col[i] <= b->col[j]);
    bool second = i >= a->n || (j < b->n && b->col[j] <= a->col[i]);
    col[n] = first ? a->col[i] : b->col[j];
    i += first;
    j += second;
  }
  return n;
}

// J += s row, whose columns are some of col
static void accumulate(cr_real* J, const int32_t* col, const cri_length_row* row, cr_real s) {
  for (int i = 0, k = 0; i < row->n; i++, k++) {
    while (col[k] != row->col[i]) {
      k++;
    }
    J[k] += s * row->value[i];
  }
}

static cr_real dot(const cri_length_row* row, const cr_real* x) {
  cr_real sum = 0;
  for (int i = 0; i < row->n; i++) {
    sum += row->value[i] * x[row->col[i]];
  }
  return sum;
}

static void add_coupling(const cr_model* m, cr_data* d, cri_rows_needed* need, int e,
                         int32_t* col) {
  cri_coupling c = cri_coupling_of(m, d, e);
  cri_length_row first = cri_coupling_row(m, &c, d->ten_J, 0), second = {0};
  if (c.id[1] >= 0) {
    second = cri_coupling_row(m, &c, d->ten_J, 1);
  }
  int n = merge(&first, &second, col);
  int i = n == 0 ? -1 : cri_rows_add(d, need, 1, CR_CNSTR_EQUALITY, e, n, col);
  if (i < 0) {
    return;
  }
  // [constraint.k7] J = J_1 - P' J_2
  cr_real* J = d->efc_J + d->efc_J_rowadr[i];
  cr_zero(J, n);
  accumulate(J, col, &first, 1);
  accumulate(J, col, &second, -c.slope);
  set_equality_softness(m, d, e, i, 1, &c.pos);
}

// tangent of the length of a coupling's object beyond its reference
static cr_real beyond_tan(const cr_model* m, const cr_data* tan, const cri_coupling* c, int side) {
  int id = c->id[side];
  return c->tendons ? tan->ten_length[id] - *cri_par_tan(tan->par.tendon_length0, id, 1)
                    : tan->qpos[m->jnt_dofadr[id]];
}

static void coupling_tan(const cr_model* m, const cr_data* d, cr_data* tan, int e, int i) {
  cri_coupling c = cri_coupling_of(m, d, e);
  const cr_real* data_tan = cri_par_tan(tan->par.eq_data, e, CR_NEQDATA);
  const int32_t* col = d->efc_J_colind + d->efc_J_rowadr[i];
  cr_real* J_tan = tan->efc_J + d->efc_J_rowadr[i];
  cr_real pos_tan = beyond_tan(m, tan, &c, 0) - data_tan[0];
  cri_length_row first_tan = cri_coupling_row(m, &c, tan->ten_J, 0);
  accumulate(J_tan, col, &first_tan, c.tendons ? 1 : 0);
  if (c.id[1] >= 0) {
    cr_real x_tan = beyond_tan(m, tan, &c, 1), slope_tan = c.curvature * x_tan;
    cri_length_row second = cri_coupling_row(m, &c, d->ten_J, 1);
    cri_length_row second_tan = cri_coupling_row(m, &c, tan->ten_J, 1);
    pos_tan -= c.slope * x_tan;
    for (int k = 1; k < 5; k++) {
      pos_tan -= data_tan[k] * c.power[k];
      slope_tan += (cr_real)k * data_tan[k] * c.power[k - 1];
    }
    accumulate(J_tan, col, &second, -slope_tan);
    accumulate(J_tan, col, &second_tan, c.tendons ? -c.slope : 0);
  }
  equality_softness_tan(m, tan, e, i, 1, &c.pos, &pos_tan);
}

static void beyond_bar(const cr_model* m, cr_data* bar, const cri_coupling* c, int side,
                       cr_real s) {
  int id = c->id[side];
  if (c->tendons) {
    bar->ten_length[id] += s;
    cri_par_add1(bar->par.tendon_length0, id, -s);
  } else {
    bar->qpos[m->jnt_dofadr[id]] += s;
  }
}

static void coupling_bar(const cr_model* m, const cr_data* d, cr_data* bar,
                         const cri_tendon_pairs* tendons, int e, int i) {
  cri_coupling c = cri_coupling_of(m, d, e);
  const cr_pairs* pairs = &bar->efc_J_pairs;
  cr_real *data_bar = bar->par.eq_data, pos_bar = 0, slope_bar = 0;
  equality_softness_bar(m, bar, e, i, 1, &c.pos, &pos_bar);
  beyond_bar(m, bar, &c, 0, pos_bar);
  cri_par_add1(data_bar, CR_NEQDATA * e, -pos_bar);
  if (c.tendons) {
    cri_tendon_row_bar(bar, tendons, i, c.id[0], 1);
  }
  if (c.id[1] < 0) {
    return;
  }
  // [constraint.k7]'
  cri_length_row second = cri_coupling_row(m, &c, d->ten_J, 1);
  for (int p = 0; p < pairs->n; p++) {
    slope_bar -= cri_pair_left(pairs, p)[i] * dot(&second, cri_pair_right(pairs, p));
  }
  if (c.tendons) {
    cri_tendon_row_bar(bar, tendons, i, c.id[1], -c.slope);
  }
  beyond_bar(m, bar, &c, 1, c.curvature * slope_bar - c.slope * pos_bar);
  for (int k = 1; k < 5; k++) {
    cri_par_add1(data_bar, CR_NEQDATA * e + k,
                 (cr_real)k * c.power[k - 1] * slope_bar - c.power[k] * pos_bar);
  }
}

// ---- connects and welds

// the motion of a body under a dof, or none
static const cr_real* motion_of(const cr_real* cdof, int dof, bool moves) {
  static const cr_real none[6] = {0};
  return moves ? cdof + 6 * dof : none;
}

static void add_connect_weld(const cr_model* m, cr_data* d, cri_rows_needed* need, int e,
                             int32_t* work) {
  cri_connect_weld b = cri_connect_weld_of(m, d, e);
  int32_t *dof = work, *moves = work + m->nv;
  int n = cri_connect_weld_chain(m, &b, dof, moves);
  int i = n == 0 ? -1 : cri_rows_add(d, need, b.nrow, CR_CNSTR_EQUALITY, e, n, dof);
  if (i < 0) {
    return;
  }
  // [constraint.k7] a column is the rate under a unit velocity of its dof
  cr_real *J = d->efc_J + d->efc_J_rowadr[i], column[CR_MAX_CONNECT_WELD], pos[CR_MAX_CONNECT_WELD];
  for (int q = 0; q < n; q++) {
    cri_connect_weld_rate(&b, motion_of(d->cdof, dof[q], (moves[q] & 1) != 0),
                          motion_of(d->cdof, dof[q], (moves[q] & 2) != 0), column);
    for (int k = 0; k < b.nrow; k++) {
      J[k * n + q] = column[k];
    }
  }
  cri_connect_weld_residual(&b, pos);
  set_equality_softness(m, d, e, i, b.nrow, pos);
}

static void connect_weld_tan(const cr_model* m, const cr_data* d, cr_data* tan, int e, int i,
                             int32_t* work) {
  cri_connect_weld b = cri_connect_weld_of(m, d, e), b_tan = cri_connect_weld_tan(m, d, tan, e);
  int32_t *dof = work, *moves = work + m->nv;
  int n = cri_connect_weld_chain(m, &b, dof, moves);
  cr_real* J_tan = tan->efc_J + d->efc_J_rowadr[i];
  cr_real column[CR_MAX_CONNECT_WELD], pos[CR_MAX_CONNECT_WELD], pos_tan[CR_MAX_CONNECT_WELD];
  for (int q = 0; q < n; q++) {
    bool first = (moves[q] & 1) != 0, second = (moves[q] & 2) != 0;
    cri_connect_weld_rate_tan(
        &b, &b_tan, motion_of(d->cdof, dof[q], first), motion_of(d->cdof, dof[q], second),
        motion_of(tan->cdof, dof[q], first), motion_of(tan->cdof, dof[q], second), column);
    for (int k = 0; k < b.nrow; k++) {
      J_tan[k * n + q] = column[k];
    }
  }
  cri_connect_weld_residual(&b, pos);
  cri_connect_weld_residual_tan(&b, &b_tan, pos_tan);
  equality_softness_tan(m, tan, e, i, b.nrow, pos, pos_tan);
}

static void connect_weld_bar(const cr_model* m, const cr_data* d, cr_data* bar,
                             const cri_operator_sweep* sweep, int e, int i) {
  cri_connect_weld b = cri_connect_weld_of(m, d, e), b_bar = {.nrow = b.nrow};
  cr_real pos[CR_MAX_CONNECT_WELD], pos_bar[CR_MAX_CONNECT_WELD] = {0};
  // Bodies that do not move against each other have no rows of rotation. With diagexact their forces
  // are 1e15 times the reference, and would cancel in the sum over both bodies only up to its rounding.
  bool apart = m->body_weldid[b.body[0]] != m->body_weldid[b.body[1]];

  // [constraint.k7]' with the motions under the right vector of each pair
  for (int p = 0; p < sweep->n; p++) {
    int at[2] = {6 * (sweep->n * b.body[0] + p), 6 * (sweep->n * b.body[1] + p)};
    cr_real left[CR_MAX_CONNECT_WELD] = {0};
    cr_copy(left, cri_pair_left(&bar->efc_J_pairs, p) + i, apart ? b.nrow : 3);
    cri_connect_weld_rate_bar(&b, sweep->V + at[0], sweep->V + at[1], left, &b_bar,
                              sweep->F + at[0], sweep->F + at[1]);
  }
  cri_connect_weld_residual(&b, pos);
  equality_softness_bar(m, bar, e, i, b.nrow, pos, pos_bar);
  cri_connect_weld_residual_bar(&b, pos_bar, &b_bar);
  cri_connect_weld_bar(m, d, bar, e, &b_bar);
}

// ---- all of them

void cri_equality_add(const cr_model* m, cr_data* d, cri_rows_needed* need) {
  size_t mark = cri_mark(d);
  int32_t* work = cri_push_int(d, 2 * (size_t)m->nv);
  for (int e = 0; e < m->neq; e++) {
    int nrow = equality_rows(m, d, e);
    if (nrow == 1) {
      add_coupling(m, d, need, e, work);
    } else if (nrow > 1) {
      add_connect_weld(m, d, need, e, work);
    }
  }
  cri_pop(d, mark);
}

void cri_equality_jvp(const cr_model* m, const cr_data* d, cr_data* tan) {
  size_t mark = cri_mark(tan);
  int32_t* work = cri_push_int(tan, 2 * (size_t)m->nv);
  for (int i = 0; i < d->ne; i += cri_rows_block(m, d, i)) {
    int e = d->efc_id[i];
    if (cri_is_connect_weld(m->eq_type[e])) {
      connect_weld_tan(m, d, tan, e, i, work);
    } else {
      coupling_tan(m, d, tan, e, i);
    }
  }
  cri_pop(tan, mark);
}

void cri_equality_couplings_vjp(const cr_model* m, const cr_data* d, cr_data* bar,
                                const cri_tendon_pairs* pairs) {
  for (int i = 0; i < d->ne; i += cri_rows_block(m, d, i)) {
    int e = d->efc_id[i];
    if (!cri_is_connect_weld(m->eq_type[e])) {
      coupling_bar(m, d, bar, pairs, e, i);
    }
  }
}

void cri_equality_connect_weld_vjp(const cr_model* m, const cr_data* d, cr_data* bar,
                                   const cri_operator_sweep* sweep) {
  for (int i = 0; i < d->ne; i += cri_rows_block(m, d, i)) {
    int e = d->efc_id[i];
    if (cri_is_connect_weld(m->eq_type[e])) {
      connect_weld_bar(m, d, bar, sweep, e, i);
    }
  }
}
