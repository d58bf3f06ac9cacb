// SPDX-License-Identifier: Apache-2.0
// Constraint rows of a state, see constraint.h. Forward, jvp and vjp walk the same four lists:
// active equality constraints, dofs and tendons with friction loss, active limits of joints and
// tendons, contacts that make a force.
#include "contact/constraint.h"

#include "contact/equality.h"
#include "contact/impedance.h"
#include "contact/jacobian.h"
#include "contact/rows.h"
#include "math/quat.h"

// ---- which rows there are

static bool has(const cr_model* m, int disable) {
  return (m->disableflags & (disable | CR_DSBL_CONSTRAINT)) == 0;
}

// rows of equality constraint i at a state
static int equality_rows(const cr_model* m, const cr_data* d, int i) {
  bool on = has(m, CR_DSBL_EQUALITY) && d->eq_active[i] != 0;
  return on ? cri_equality_rows(m->eq_type[i]) : 0;
}

static bool has_friction(const cr_model* m, int dof) {
  return has(m, CR_DSBL_FRICTIONLOSS) && m->dof_frictionloss[dof] != 0;
}

static bool tendon_has_friction(const cr_model* m, int t) {
  return has(m, CR_DSBL_FRICTIONLOSS) && m->tendon_frictionloss[t] != 0 && m->ten_J_rownnz[t] > 0;
}

// [k9] distance to a limit of tendon t, side -1 lower or 1 upper; false where it is not active
static bool tendon_limit_active(const cr_model* m, const cr_data* d, int t, int side,
                                cr_real* pos) {
  *pos = (cr_real)side * (m->tendon_range[2 * t + (side > 0)] - d->ten_length[t]);
  return has(m, CR_DSBL_LIMIT) && m->tendon_limited[t] != 0 && m->ten_J_rownnz[t] > 0 &&
         *pos < m->tendon_margin[t];
}

// an active limit; of a ball joint its rotation vector in length and direction
typedef struct {
  cr_real pos;
  cr_real log[3], axis[3], angle;
} limit;

// [k2] distance to a limit of joint j, side -1 lower or 1 upper (a ball joint has the lower only);
// false where the limit is not active
static bool limit_active(const cr_model* m, const cr_real* qpos, int j, int side, limit* l) {
  if (m->jnt_limited[j] == 0 || !has(m, CR_DSBL_LIMIT) || m->jnt_type[j] == CR_JNT_FREE) {
    return false;
  }
  const cr_real *range = m->jnt_range + 2 * j, *q = qpos + m->jnt_qposadr[j];
  if (m->jnt_type[j] != CR_JNT_BALL) {
    l->pos = (cr_real)side * (range[side > 0] - q[0]);
    return l->pos < m->jnt_margin[j];
  }
  if (side > 0) {
    return false;
  }
  cr_real unit[4];
  cr_copy(unit, q, 4);
  cr_quat_normalize(unit);
  cr_quat_log(l->log, unit);
  cr_copy3(l->axis, l->log);
  l->angle = cr_normalize3(l->axis);
  l->pos = cr_max(range[0], range[1]) - l->angle;
  return l->pos < m->jnt_margin[j];
}

// how far beyond its margin a contact still makes rows
static cr_real reach(const cr_model* m) { return m->cfd != 0 ? m->cfd_wc : 0; }

// ---- how soft a row is

// [k5] R of impedance I and diagonal A
static cr_real regularisation(cr_real I, cr_real A) { return cr_max(CR_MINVAL, (1 - I) * A / I); }

// derivatives of log D = log I - log (1 - I) - log A; zero where R is at its least
static void log_D_gradient(cr_real I, cr_real A, cr_real* by_I, cr_real* by_A) {
  bool free = (1 - I) * A / I > CR_MINVAL;
  *by_I = free ? 1 / (I * (1 - I)) : 0;
  *by_A = free ? -1 / A : 0;
}

static void set_impedance(const cr_model* m, cr_data* d, int i, const cr_real solref[2],
                          const cr_real solimp[5], cr_real r, bool contact, bool stiff) {
  cr_real* KBIP = d->efc_KBIP + 4 * i;
  KBIP[2] = cri_impedance(m, solimp, r, contact, &KBIP[3]);
  cri_stiffness(m, solref, cri_impedance_width(solimp), &KBIP[0], &KBIP[1]);
  KBIP[0] = stiff ? KBIP[0] : 0;
}

static void set_regularisation(cr_data* d, int i, cr_real R) {
  cr_real I = d->efc_KBIP[4 * i + 2];
  d->efc_R[i] = R;
  d->efc_D[i] = 1 / R;
  d->efc_diagA[i] = R * I / (1 - I);
}

// ---- adding rows

// rows and non-zeros needed so far, whether or not there is room for them
typedef struct {
  int nefc, nJ;
} rows_needed;

// Enters nrow rows over the dofs col[n]; -1 where there is no room.
static int add_rows(cr_data* d, rows_needed* need, int nrow, int type, int id, int n,
                    const int32_t* col) {
  int first = need->nefc, adr = need->nJ;
  need->nefc += nrow;
  need->nJ += nrow * n;
  if (need->nefc > d->nefc_max || need->nJ > d->nJ_max) {
    return -1;
  }
  for (int i = 0; i < nrow; i++, adr += n) {
    d->efc_J_rownnz[first + i] = n;
    d->efc_J_rowadr[first + i] = adr;
    memcpy(d->efc_J_colind + adr, col, (size_t)n * sizeof *col);
    d->efc_type[first + i] = type;
    d->efc_id[first + i] = id;
    d->efc_pos[first + i] = d->efc_margin[first + i] = d->efc_frictionloss[first + i] = 0;
  }
  return first;
}

// the inverse weights of what a row of an equality constraint moves: two numbers of one array
typedef struct {
  const cr_real* of;
  cr_real* twin;  // the same array in a twin, NULL where it has none
  int at[2];      // -1: none
} weight_pair;

// of row k of equality constraint i
static weight_pair equality_weights(const cr_model* m, const cr_model* twin, int i, int k) {
  int id[2] = {m->eq_obj1id[i], m->eq_obj2id[i]}, type = m->eq_type[i];
  weight_pair w = {m->body_invweight0, twin->body_invweight0, {-1, -1}};
  if (type == CR_EQ_JOINT) {
    w = (weight_pair){m->dof_invweight0, twin->dof_invweight0, {-1, -1}};
  } else if (type == CR_EQ_TENDON) {
    w = (weight_pair){m->tendon_invweight0, twin->tendon_invweight0, {-1, -1}};
  }
  for (int side = 0; side < 2 && id[side] >= 0; side++) {
    int body =
        type <= CR_EQ_WELD && m->eq_objtype[i] == CR_OBJ_SITE ? m->site_bodyid[id[side]] : id[side];
    int joint = type == CR_EQ_JOINT ? m->jnt_dofadr[id[side]] : id[side];
    w.at[side] = type <= CR_EQ_WELD ? 2 * body + (k >= 3) : joint;
  }
  return w;
}

static cr_real equality_A(const cr_model* m, int i, int k) {
  weight_pair w = equality_weights(m, m, i, k);
  return (w.at[0] < 0 ? 0 : w.of[w.at[0]]) + (w.at[1] < 0 ? 0 : w.of[w.at[1]]);
}

// length of the residual of a bond: what the impedance of all its rows is a function of
static cr_real length_of(const cr_real* r, int n) {
  cr_real sum = 0;
  for (int k = 0; k < n; k++) {
    sum += r[k] * r[k];
  }
  return cr_sqrt(sum);
}

// [k8] everything of the rows of equality constraint e but J
static void set_equality_softness(const cr_model* m, cr_data* d, int e, int i, int nrow,
                                  const cr_real* pos) {
  cr_real r = nrow > 1 ? length_of(pos, nrow) : pos[0];
  for (int k = 0; k < nrow; k++) {
    d->efc_pos[i + k] = pos[k];
    set_impedance(m, d, i + k, m->eq_solref + 2 * e, m->eq_solimp + 5 * e, r, false, true);
    set_regularisation(d, i + k, regularisation(d->efc_KBIP[4 * (i + k) + 2], equality_A(m, e, k)));
  }
}

// col = the columns of either row, ascending; returns how many
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

static void add_coupling(const cr_model* m, cr_data* d, rows_needed* need, int e, int32_t* col) {
  cri_coupling c = cri_coupling_of(m, d, e);
  cri_length_row first = cri_coupling_row(m, &c, d->ten_J, 0), second = {0};
  if (c.id[1] >= 0) {
    second = cri_coupling_row(m, &c, d->ten_J, 1);
  }
  int n = merge(&first, &second, col);
  int i = n == 0 ? -1 : add_rows(d, need, 1, CR_CNSTR_EQUALITY, e, n, col);
  if (i < 0) {
    return;
  }
  // [k7] J = J_1 - P' J_2
  cr_real* J = d->efc_J + d->efc_J_rowadr[i];
  cr_zero(J, n);
  accumulate(J, col, &first, 1);
  accumulate(J, col, &second, -c.slope);
  set_equality_softness(m, d, e, i, 1, &c.pos);
}

// the motion of a body under a dof, or none
static const cr_real* motion_of(const cr_real* cdof, int dof, bool moves) {
  static const cr_real none[6] = {0};
  return moves ? cdof + 6 * dof : none;
}

static void add_bond(const cr_model* m, cr_data* d, rows_needed* need, int e, int32_t* work) {
  cri_bond b = cri_bond_of(m, d, e);
  int32_t *dof = work, *moves = work + m->nv;
  int n = cri_bond_chain(m, &b, dof, moves);
  int i = n == 0 ? -1 : add_rows(d, need, b.nrow, CR_CNSTR_EQUALITY, e, n, dof);
  if (i < 0) {
    return;
  }
  // [k7] a column is the rate under a unit velocity of its dof
  cr_real *J = d->efc_J + d->efc_J_rowadr[i], column[CR_MAX_BOND], pos[CR_MAX_BOND];
  for (int q = 0; q < n; q++) {
    cri_bond_rate(&b, motion_of(d->cdof, dof[q], (moves[q] & 1) != 0),
                  motion_of(d->cdof, dof[q], (moves[q] & 2) != 0), column);
    for (int k = 0; k < b.nrow; k++) {
      J[k * n + q] = column[k];
    }
  }
  cri_bond_residual(&b, pos);
  set_equality_softness(m, d, e, i, b.nrow, pos);
}

static void add_equalities(const cr_model* m, cr_data* d, rows_needed* need) {
  size_t mark = cri_mark(d);
  int32_t* work = cri_push_int(d, 2 * (size_t)m->nv);
  for (int e = 0; e < m->neq; e++) {
    int nrow = equality_rows(m, d, e);
    if (nrow == 1) {
      add_coupling(m, d, need, e, work);
    } else if (nrow > 1) {
      add_bond(m, d, need, e, work);
    }
  }
  cri_pop(d, mark);
}

static void add_friction(const cr_model* m, cr_data* d, rows_needed* need, int dof) {
  int32_t col = dof;
  int i = add_rows(d, need, 1, CR_CNSTR_FRICTION_DOF, dof, 1, &col);
  if (i < 0) {
    return;
  }
  // [k1] J = 1
  d->efc_J[d->efc_J_rowadr[i]] = 1;
  d->efc_frictionloss[i] = m->dof_frictionloss[dof];
  set_impedance(m, d, i, m->dof_solref + 2 * dof, m->dof_solimp + 5 * dof, 0, false, false);
  set_regularisation(d, i, regularisation(d->efc_KBIP[4 * i + 2], m->dof_invweight0[dof]));
}

static void add_limit(const cr_model* m, cr_data* d, rows_needed* need, int j, int side,
                      const limit* l) {
  bool ball = m->jnt_type[j] == CR_JNT_BALL;
  int dof = m->jnt_dofadr[j];
  const int32_t col[3] = {dof, dof + 1, dof + 2};
  int i = add_rows(d, need, 1, CR_CNSTR_LIMIT_JOINT, j, ball ? 3 : 1, col);
  if (i < 0) {
    return;
  }
  // [k2] J = -side, or minus the axis of rotation
  cr_real* J = d->efc_J + d->efc_J_rowadr[i];
  if (ball) {
    cr_scl3(J, l->axis, -1);
  } else {
    J[0] = (cr_real)-side;
  }
  d->efc_pos[i] = l->pos;
  d->efc_margin[i] = m->jnt_margin[j];
  set_impedance(m, d, i, m->jnt_solref + 2 * j, m->jnt_solimp + 5 * j, l->pos - m->jnt_margin[j],
                false, true);
  set_regularisation(d, i, regularisation(d->efc_KBIP[4 * i + 2], m->dof_invweight0[dof]));
}

// ---- tendons

// a row s ten_J of tendon t
static int add_tendon_row(const cr_model* m, cr_data* d, rows_needed* need, int type, int t,
                          cr_real s) {
  cri_length_row row = cri_tendon_row(m, d->ten_J, t);
  int i = add_rows(d, need, 1, type, t, row.n, row.col);
  for (int k = 0; k < row.n && i >= 0; k++) {
    d->efc_J[d->efc_J_rowadr[i] + k] = s * row.value[k];
  }
  return i;
}

static void add_tendon_friction(const cr_model* m, cr_data* d, rows_needed* need, int t) {
  // [k9] J = ten_J
  int i = add_tendon_row(m, d, need, CR_CNSTR_FRICTION_TENDON, t, 1);
  if (i >= 0) {
    d->efc_frictionloss[i] = m->tendon_frictionloss[t];
    set_impedance(m, d, i, m->tendon_solref_fri + 2 * t, m->tendon_solimp_fri + 5 * t, 0, false,
                  false);
    set_regularisation(d, i, regularisation(d->efc_KBIP[4 * i + 2], m->tendon_invweight0[t]));
  }
}

static void add_tendon_limit(const cr_model* m, cr_data* d, rows_needed* need, int t, int side,
                             cr_real pos) {
  // [k9] J = -side ten_J
  int i = add_tendon_row(m, d, need, CR_CNSTR_LIMIT_TENDON, t, (cr_real)-side);
  if (i >= 0) {
    d->efc_pos[i] = pos;
    d->efc_margin[i] = m->tendon_margin[t];
    set_impedance(m, d, i, m->tendon_solref_lim + 2 * t, m->tendon_solimp_lim + 5 * t,
                  pos - m->tendon_margin[t], false, true);
    set_regularisation(d, i, regularisation(d->efc_KBIP[4 * i + 2], m->tendon_invweight0[t]));
  }
}

static void add_tendon_limits(const cr_model* m, cr_data* d, rows_needed* need) {
  for (int t = 0; t < m->ntendon; t++) {
    for (int side = -1; side <= 1; side += 2) {
      cr_real pos;
      if (tendon_limit_active(m, d, t, side, &pos)) {
        add_tendon_limit(m, d, need, t, side, pos);
      }
    }
  }
}

// ---- contacts

static int contact_type(const cr_model* m, int dim) {
  return dim == 1 ? CR_CNSTR_CONTACT_FRICTIONLESS
                  : (m->cone == CR_CONE_PYRAMIDAL ? CR_CNSTR_CONTACT_PYRAMIDAL
                                                  : CR_CNSTR_CONTACT_ELLIPTIC);
}

// sum of the two bodies' translational inverse weights
static cr_real contact_invweight(const cr_model* m, const cr_data* d, int c) {
  return m->body_invweight0[2 * m->geom_bodyid[d->contact_geom[2 * c]]] +
         m->body_invweight0[2 * m->geom_bodyid[d->contact_geom[2 * c + 1]]];
}

// the friction rows of an elliptic contact may have a solref of their own
static const cr_real* friction_solref(const cr_data* d, int c) {
  const cr_real* ref = d->contact_solreffriction + 2 * c;
  bool mixed = (ref[0] > 0) != (ref[1] > 0), zero = ref[0] == 0 && ref[1] == 0;
  return mixed || zero ? d->contact_solref + 2 * c : ref;
}

// mu of the regularised cone over the sliding friction: sqrt(R_1 / R_0)
static cr_real mu_scale(const cr_model* m) { return 1 / cr_sqrt(cr_max(CR_MINVAL, m->impratio)); }

// [k4] rows J_0 + mu_k J_k, J_0 - mu_k J_k, k = 1 .. dim - 1, from the dim rows of `base`
static void pyramid(cr_real* J, const cr_real* base, int dim, int n, const cr_real* mu) {
  for (int k = 1; k < dim; k++) {
    const cr_real* friction = base + k * n;
    cr_real *plus = J + 2 * (k - 1) * n, *minus = plus + n;
    for (int q = 0; q < n; q++) {
      plus[q] = base[q] + mu[k - 1] * friction[q];
      minus[q] = base[q] - mu[k - 1] * friction[q];
    }
  }
}

static void set_contact_jacobian(const cr_model* m, cr_data* d, int c, int i,
                                 const cri_contact_chain* chain, cr_real* base) {
  int dim = d->contact_dim[c];
  cr_real* J = d->efc_J + d->efc_J_rowadr[i];
  if (d->efc_type[i] != CR_CNSTR_CONTACT_PYRAMIDAL) {
    cri_contact_jacobian(m, d, c, chain, dim, J);
    return;
  }
  cri_contact_jacobian(m, d, c, chain, dim, base);
  pyramid(J, base, dim, chain->n, d->contact_friction + 5 * c);
}

// [k5], [k6] everything of a contact's rows but J
static void set_contact_softness(const cr_model* m, cr_data* d, int c, int i) {
  int dim = d->contact_dim[c], nrow = cri_contact_rows(m, dim), type = d->efc_type[i];
  const cr_real *mu = d->contact_friction + 5 * c, *solimp = d->contact_solimp + 5 * c;
  cr_real dist = d->contact_dist[c], margin = d->contact_includemargin[c];
  cr_real A = contact_invweight(m, d, c), ratio = cr_max(CR_MINVAL, m->impratio);

  set_impedance(m, d, i, d->contact_solref + 2 * c, solimp, dist - margin, true, true);
  d->efc_pos[i] = dist;
  d->efc_margin[i] = margin;
  for (int k = 1; k < nrow; k++) {
    cr_real* KBIP = d->efc_KBIP + 4 * (i + k);
    cr_copy(KBIP, d->efc_KBIP + 4 * i, 4);
    if (type == CR_CNSTR_CONTACT_ELLIPTIC) {
      cri_stiffness(m, friction_solref(d, c), cri_impedance_width(solimp), &KBIP[0], &KBIP[1]);
      KBIP[0] = 0;
    } else {
      d->efc_pos[i + k] = dist;
      d->efc_margin[i + k] = margin;
    }
  }

  cr_real I = d->efc_KBIP[4 * i + 2];
  d->contact_mu[c] = dim > 1 ? mu[0] * mu_scale(m) : 0;
  if (type == CR_CNSTR_CONTACT_PYRAMIDAL) {
    // the same R in all rows: it makes the pyramid as soft as the elliptic cone
    cr_real first = regularisation(I, A + mu[0] * mu[0] * A);
    for (int k = 0; k < nrow; k++) {
      set_regularisation(d, i + k, 2 * d->contact_mu[c] * d->contact_mu[c] * first);
    }
    return;
  }
  cr_real R = regularisation(I, A);
  for (int k = 0; k < nrow; k++) {
    set_regularisation(d, i + k, k == 0 ? R : R / ratio * mu[0] * mu[0] / (mu[k - 1] * mu[k - 1]));
  }
}

static void add_contact(const cr_model* m, cr_data* d, rows_needed* need, int c, int32_t* work,
                        cr_real* base) {
  d->contact_efc_address[c] = -1;
  d->contact_mu[c] = 0;
  d->contact_exclude[c] =
      !has(m, CR_DSBL_CONTACT) ||
      (d->contact_dist[c] >= d->contact_includemargin[c] + reach(m) && d->contact_adhesion[c] == 0);
  if (d->contact_exclude[c] != 0) {
    return;
  }
  cri_contact_chain chain = cri_contact_chain_of(m, d, c, work);
  if (chain.n == 0) {
    d->contact_exclude[c] = 3;
    return;
  }
  int dim = d->contact_dim[c];
  int i = add_rows(d, need, cri_contact_rows(m, dim), contact_type(m, dim), c, chain.n, chain.dof);
  if (i >= 0) {
    d->contact_efc_address[c] = i;
    set_contact_jacobian(m, d, c, i, &chain, base);
    set_contact_softness(m, d, c, i);
  }
}

cr_status cr_constraint(const cr_model* m, cr_data* d) {
  rows_needed need = {0, 0};
  d->nefc = d->nJ = d->ne = d->nf = d->nl = 0;
  add_equalities(m, d, &need);
  int ne = need.nefc;
  for (int i = 0; i < m->nv; i++) {
    if (has_friction(m, i)) {
      add_friction(m, d, &need, i);
    }
  }
  for (int t = 0; t < m->ntendon; t++) {
    if (tendon_has_friction(m, t)) {
      add_tendon_friction(m, d, &need, t);
    }
  }
  int nf = need.nefc - ne;

  for (int j = 0; j < m->njnt; j++) {
    for (int side = -1; side <= 1; side += 2) {
      limit l;
      if (limit_active(m, d->qpos, j, side, &l)) {
        add_limit(m, d, &need, j, side, &l);
      }
    }
  }
  add_tendon_limits(m, d, &need);
  int nl = need.nefc - ne - nf;

  size_t mark = cri_mark(d), v = (size_t)m->nv;
  int32_t* work = cri_push_int(d, 2 * v);
  cr_real* base = cri_push(d, 6 * v);
  for (int c = 0; c < d->ncon; c++) {
    add_contact(m, d, &need, c, work, base);
  }
  cri_pop(d, mark);

  if (need.nefc > d->nefc_max || need.nJ > d->nJ_max) {
    return cri_fail(&d->error, CR_ERR_CAPACITY,
                    "constraint rows: %d rows with %d non-zeros needed, room for %d with %d",
                    need.nefc, need.nJ, d->nefc_max, d->nJ_max);
  }
  d->ne = ne;
  d->nf = nf;
  d->nl = nl;
  d->nefc = need.nefc;
  d->nJ = need.nJ;
  return CR_OK;
}

// ---- tangent

// D, K, B, I of row i, one that stands alone
static void single_tan(const cri_softness* s, cr_data* tan, int i, cr_real A, cr_real r_tan,
                       const cr_real* solref_tan, const cr_real* solimp_tan, cr_real A_tan,
                       bool stiff) {
  cr_real *KBIP_tan = tan->efc_KBIP + 4 * i, by_I, by_A;
  KBIP_tan[0] = stiff ? cri_stiffness_tan(s->K_y, solref_tan, solimp_tan) : 0;
  KBIP_tan[1] = cri_stiffness_tan(s->B_y, solref_tan, solimp_tan);
  KBIP_tan[2] = cri_impedance_tan(s, r_tan, solimp_tan);
  KBIP_tan[3] = 0;
  log_D_gradient(s->I, A, &by_I, &by_A);
  tan->efc_D[i] = (by_I * KBIP_tan[2] + by_A * A_tan) / regularisation(s->I, A);
}

static void equality_softness_tan(const cr_model* m, cr_data* tan, int e, int i, int nrow,
                                  const cr_real* pos, const cr_real* pos_tan) {
  const cr_model* t = &tan->par;
  cr_real r = nrow > 1 ? length_of(pos, nrow) : pos[0], r_tan = nrow > 1 ? 0 : pos_tan[0];
  for (int k = 0; k < nrow && nrow > 1 && r > 0; k++) {
    r_tan += pos[k] / r * pos_tan[k];
  }
  cri_softness s = cri_softness_of(m, m->eq_solref + 2 * e, m->eq_solimp + 5 * e, r, false);
  for (int k = 0; k < nrow; k++) {
    weight_pair w = equality_weights(m, t, e, k);
    cr_real A_tan = 0;
    for (int side = 0; side < 2 && w.twin != NULL; side++) {
      A_tan += w.at[side] < 0 ? 0 : w.twin[w.at[side]];
    }
    single_tan(&s, tan, i + k, equality_A(m, e, k), r_tan, cri_par_tan(t->eq_solref, e, 2),
               cri_par_tan(t->eq_solimp, e, 5), A_tan, true);
    tan->efc_pos[i + k] = pos_tan[k];
    tan->efc_margin[i + k] = tan->efc_frictionloss[i + k] = 0;
  }
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

static void bond_tan(const cr_model* m, const cr_data* d, cr_data* tan, int e, int i,
                     int32_t* work) {
  cri_bond b = cri_bond_of(m, d, e), b_tan = cri_bond_tan(m, d, tan, e);
  int32_t *dof = work, *moves = work + m->nv;
  int n = cri_bond_chain(m, &b, dof, moves);
  cr_real* J_tan = tan->efc_J + d->efc_J_rowadr[i];
  cr_real column[CR_MAX_BOND], pos[CR_MAX_BOND], pos_tan[CR_MAX_BOND];
  for (int q = 0; q < n; q++) {
    bool first = (moves[q] & 1) != 0, second = (moves[q] & 2) != 0;
    cri_bond_rate_tan(&b, &b_tan, motion_of(d->cdof, dof[q], first),
                      motion_of(d->cdof, dof[q], second), motion_of(tan->cdof, dof[q], first),
                      motion_of(tan->cdof, dof[q], second), column);
    for (int k = 0; k < b.nrow; k++) {
      J_tan[k * n + q] = column[k];
    }
  }
  cri_bond_residual(&b, pos);
  cri_bond_residual_tan(&b, &b_tan, pos_tan);
  equality_softness_tan(m, tan, e, i, b.nrow, pos, pos_tan);
}

static void equalities_tan(const cr_model* m, const cr_data* d, cr_data* tan) {
  size_t mark = cri_mark(tan);
  int32_t* work = cri_push_int(tan, 2 * (size_t)m->nv);
  for (int i = 0; i < d->ne; i += cri_rows_block(m, d, i)) {
    int e = d->efc_id[i];
    if (cri_is_bond(m->eq_type[e])) {
      bond_tan(m, d, tan, e, i, work);
    } else {
      coupling_tan(m, d, tan, e, i);
    }
  }
  cri_pop(tan, mark);
}

static void friction_tan(const cr_model* m, cr_data* tan, int i, int dof) {
  const cr_model* t = &tan->par;
  cri_softness s = cri_softness_of(m, m->dof_solref + 2 * dof, m->dof_solimp + 5 * dof, 0, false);
  single_tan(&s, tan, i, m->dof_invweight0[dof], 0, cri_par_tan(t->dof_solref, dof, 2),
             cri_par_tan(t->dof_solimp, dof, 5), *cri_par_tan(t->dof_invweight0, dof, 1), false);
  tan->efc_frictionloss[i] = *cri_par_tan(t->dof_frictionloss, dof, 1);
  tan->efc_pos[i] = tan->efc_margin[i] = 0;
}

static void limit_tan(const cr_model* m, const cr_data* d, cr_data* tan, int i, int j, int side,
                      const limit* l) {
  const cr_model* t = &tan->par;
  int dof = m->jnt_dofadr[j];
  const cr_real *q_tan = tan->qpos + dof, *range = m->jnt_range + 2 * j;
  const cr_real* range_tan = cri_par_tan(t->jnt_range, j, 2);

  // [k2]
  cr_real pos_tan;
  if (m->jnt_type[j] != CR_JNT_BALL) {
    pos_tan = (cr_real)side * (range_tan[side > 0] - q_tan[0]);
  } else {
    pos_tan = range_tan[range[1] >= range[0]];
    if (l->angle > 0) {
      cr_real jr_inv[9], log_tan[3], axis_tan[3];
      cr_so3_jr_inv(jr_inv, l->log);
      cr_mulmat3(log_tan, jr_inv, q_tan);
      cr_normalize3_tan(axis_tan, l->axis, l->angle, log_tan);
      pos_tan -= cr_dot3(l->axis, log_tan);
      cr_scl3(tan->efc_J + d->efc_J_rowadr[i], axis_tan, -1);
    }
  }
  cr_real margin_tan = *cri_par_tan(t->jnt_margin, j, 1);
  tan->efc_pos[i] = pos_tan;
  tan->efc_margin[i] = margin_tan;
  tan->efc_frictionloss[i] = 0;
  cri_softness s = cri_softness_of(m, m->jnt_solref + 2 * j, m->jnt_solimp + 5 * j,
                                   l->pos - m->jnt_margin[j], false);
  single_tan(&s, tan, i, m->dof_invweight0[dof], pos_tan - margin_tan,
             cri_par_tan(t->jnt_solref, j, 2), cri_par_tan(t->jnt_solimp, j, 5),
             *cri_par_tan(t->dof_invweight0, dof, 1), true);
}

// tangent of a row s ten_J
static void tendon_row_tan(const cr_model* m, const cr_data* d, cr_data* tan, int i, int t,
                           cr_real s) {
  cri_length_row row_tan = cri_tendon_row(m, tan->ten_J, t);
  for (int k = 0; k < row_tan.n; k++) {
    tan->efc_J[d->efc_J_rowadr[i] + k] = s * row_tan.value[k];
  }
}

static void tendon_friction_tan(const cr_model* m, const cr_data* d, cr_data* tan, int i, int t) {
  const cr_model* p = &tan->par;
  cri_softness s =
      cri_softness_of(m, m->tendon_solref_fri + 2 * t, m->tendon_solimp_fri + 5 * t, 0, false);
  tendon_row_tan(m, d, tan, i, t, 1);
  single_tan(&s, tan, i, m->tendon_invweight0[t], 0, cri_par_tan(p->tendon_solref_fri, t, 2),
             cri_par_tan(p->tendon_solimp_fri, t, 5), *cri_par_tan(p->tendon_invweight0, t, 1),
             false);
  tan->efc_frictionloss[i] = *cri_par_tan(p->tendon_frictionloss, t, 1);
  tan->efc_pos[i] = tan->efc_margin[i] = 0;
}

static void tendon_limit_tan(const cr_model* m, const cr_data* d, cr_data* tan, int i, int t,
                             int side, cr_real pos) {
  const cr_model* p = &tan->par;
  cri_softness s = cri_softness_of(m, m->tendon_solref_lim + 2 * t, m->tendon_solimp_lim + 5 * t,
                                   pos - m->tendon_margin[t], false);
  tan->efc_pos[i] =
      (cr_real)side * (cri_par_tan(p->tendon_range, t, 2)[side > 0] - tan->ten_length[t]);
  tan->efc_margin[i] = *cri_par_tan(p->tendon_margin, t, 1);
  tan->efc_frictionloss[i] = 0;
  tendon_row_tan(m, d, tan, i, t, (cr_real)-side);
  single_tan(&s, tan, i, m->tendon_invweight0[t], tan->efc_pos[i] - tan->efc_margin[i],
             cri_par_tan(p->tendon_solref_lim, t, 2), cri_par_tan(p->tendon_solimp_lim, t, 5),
             *cri_par_tan(p->tendon_invweight0, t, 1), true);
}

// row i on: the limits of tendons
static void tendon_limits_tan(const cr_model* m, const cr_data* d, cr_data* tan, int i) {
  for (int t = 0; t < m->ntendon; t++) {
    for (int side = -1; side <= 1; side += 2) {
      cr_real pos;
      if (tendon_limit_active(m, d, t, side, &pos)) {
        tendon_limit_tan(m, d, tan, i++, t, side, pos);
      }
    }
  }
}

static void contact_jacobian_tan(const cr_model* m, const cr_data* d, cr_data* tan, int c, int i,
                                 int32_t* work, cr_real* base) {
  cri_contact_chain chain = cri_contact_chain_of(m, d, c, work);
  int dim = d->contact_dim[c], n = chain.n;
  cr_real* J_tan = tan->efc_J + d->efc_J_rowadr[i];
  if (d->efc_type[i] != CR_CNSTR_CONTACT_PYRAMIDAL) {
    cri_contact_jacobian_tan(m, d, tan, c, &chain, dim, J_tan);
    return;
  }
  // [k4]
  cri_contact_jacobian_tan(m, d, tan, c, &chain, dim, base);
  pyramid(J_tan, base, dim, n, d->contact_friction + 5 * c);
  cri_contact_jacobian(m, d, c, &chain, dim, base);
  for (int k = 1; k < dim; k++) {
    cr_real mu_tan = tan->contact_friction[5 * c + k - 1];
    for (int q = 0; q < n; q++) {
      J_tan[2 * (k - 1) * n + q] += mu_tan * base[k * n + q];
      J_tan[(2 * k - 1) * n + q] -= mu_tan * base[k * n + q];
    }
  }
}

// tangent of log D of row k of a contact, beside what comes through I and A
static cr_real log_D_friction_tan(int type, int k, const cr_real* mu, const cr_real* mu_tan) {
  if (type == CR_CNSTR_CONTACT_PYRAMIDAL) {
    return -(2 / mu[0] + 2 * mu[0] / (1 + mu[0] * mu[0])) * mu_tan[0];
  }
  return k == 0 ? 0 : 2 * mu_tan[k - 1] / mu[k - 1] - 2 * mu_tan[0] / mu[0];
}

// D of row k of a contact of impedance I, diagonal A (of the first row)
static cr_real contact_D(const cr_model* m, int type, int k, cr_real I, cr_real A,
                         const cr_real* mu) {
  cr_real R = regularisation(I, A), ratio = cr_max(CR_MINVAL, m->impratio);
  if (type == CR_CNSTR_CONTACT_PYRAMIDAL) {
    return ratio / (2 * mu[0] * mu[0] * R);
  }
  return k == 0 ? 1 / R : ratio * mu[k - 1] * mu[k - 1] / (mu[0] * mu[0] * R);
}

// diagonal A of a contact's first row
static cr_real contact_A(const cr_model* m, const cr_data* d, int c, int type) {
  cr_real mu = d->contact_friction[5 * c], A = contact_invweight(m, d, c);
  return type == CR_CNSTR_CONTACT_PYRAMIDAL ? A + mu * mu * A : A;
}

static void contact_softness_tan(const cr_model* m, const cr_data* d, cr_data* tan, int c, int i) {
  int dim = d->contact_dim[c], nrow = cri_contact_rows(m, dim), type = d->efc_type[i];
  const cr_real *mu = d->contact_friction + 5 * c, *mu_tan = tan->contact_friction + 5 * c;
  const cr_real *solimp = d->contact_solimp + 5 * c, *solimp_tan = tan->contact_solimp + 5 * c;
  const cr_real *ref = d->contact_solref + 2 * c, *ref_tan = tan->contact_solref + 2 * c;
  cr_real dist_tan = tan->contact_dist[c], margin_tan = tan->contact_includemargin[c];

  cri_softness s =
      cri_softness_of(m, ref, solimp, d->contact_dist[c] - d->contact_includemargin[c], true);
  cr_real I_tan = cri_impedance_tan(&s, dist_tan - margin_tan, solimp_tan);
  cr_real A = contact_A(m, d, c, type), a_tan = 0, by_I, by_A;
  for (int side = 0; side < 2; side++) {
    int body = m->geom_bodyid[d->contact_geom[2 * c + side]];
    a_tan += cri_par_tan(tan->par.body_invweight0, body, 2)[0];
  }
  // A is the inverse weight times a factor of mu, which log_D_friction_tan has
  log_D_gradient(s.I, A, &by_I, &by_A);
  cr_real log_tan = by_I * I_tan + (by_A != 0 ? -a_tan / contact_invweight(m, d, c) : 0);

  for (int k = 0; k < nrow; k++) {
    bool tangent = type == CR_CNSTR_CONTACT_ELLIPTIC && k > 0;
    cr_real* KBIP_tan = tan->efc_KBIP + 4 * (i + k);
    tan->efc_pos[i + k] = tangent ? 0 : dist_tan;
    tan->efc_margin[i + k] = tangent ? 0 : margin_tan;
    tan->efc_frictionloss[i + k] = 0;
    KBIP_tan[0] = tangent ? 0 : cri_stiffness_tan(s.K_y, ref_tan, solimp_tan);
    KBIP_tan[1] = cri_stiffness_tan(s.B_y, ref_tan, solimp_tan);
    if (tangent && friction_solref(d, c) != ref) {
      cri_softness f = cri_softness_of(m, friction_solref(d, c), solimp, 0, true);
      KBIP_tan[1] = cri_stiffness_tan(f.B_y, tan->contact_solreffriction + 2 * c, solimp_tan);
    }
    KBIP_tan[2] = I_tan;
    KBIP_tan[3] = 0;
    tan->efc_D[i + k] =
        contact_D(m, type, k, s.I, A, mu) * (log_tan + log_D_friction_tan(type, k, mu, mu_tan));
  }
  tan->contact_mu[c] = dim > 1 ? mu_tan[0] * mu_scale(m) : 0;
}

cr_status cr_constraint_jvp(const cr_model* m, const cr_data* d, cr_data* tan) {
  int i = d->ne;
  cr_zero(tan->efc_J, d->nJ);
  equalities_tan(m, d, tan);
  for (int dof = 0; dof < m->nv; dof++) {
    if (has_friction(m, dof)) {
      friction_tan(m, tan, i++, dof);
    }
  }
  for (int t = 0; t < m->ntendon; t++) {
    if (tendon_has_friction(m, t)) {
      tendon_friction_tan(m, d, tan, i++, t);
    }
  }
  for (int j = 0; j < m->njnt; j++) {
    for (int side = -1; side <= 1; side += 2) {
      limit l;
      if (limit_active(m, d->qpos, j, side, &l)) {
        limit_tan(m, d, tan, i++, j, side, &l);
      }
    }
  }
  tendon_limits_tan(m, d, tan, i);

  size_t mark = cri_mark(tan), v = (size_t)m->nv;
  int32_t* work = cri_push_int(tan, 2 * v);
  cr_real* base = cri_push(tan, 6 * v);
  for (int c = 0; c < d->ncon; c++) {
    tan->contact_mu[c] = 0;
    if (d->contact_efc_address[c] >= 0) {
      contact_jacobian_tan(m, d, tan, c, d->contact_efc_address[c], work, base);
      contact_softness_tan(m, d, tan, c, d->contact_efc_address[c]);
    }
  }
  cri_pop(tan, mark);
  return CR_OK;
}

// ---- cotangent

static void add(cr_real* array, int i, cr_real s) {
  if (array != NULL) {
    array[i] += s;
  }
}

static void add_row(cr_real* array, int row, int width, const cr_real* x) {
  for (int i = 0; i < width && array != NULL; i++) {
    array[row * width + i] += x[i];
  }
}

// what the softness of row i, one that stands alone, implies
typedef struct {
  cr_real r, A, solref[2], solimp[5];
} single;

static single single_bar(const cri_softness* s, const cr_data* bar, int i, cr_real A, bool stiff) {
  single x = {0};
  const cr_real* KBIP_bar = bar->efc_KBIP + 4 * i;
  cr_real by_I, by_A, log_D_bar = bar->efc_D[i] / regularisation(s->I, A);
  log_D_gradient(s->I, A, &by_I, &by_A);
  x.A = by_A * log_D_bar;
  cri_impedance_bar(s, KBIP_bar[2] + by_I * log_D_bar, &x.r, x.solimp);
  cri_stiffness_bar(s->B_y, KBIP_bar[1], x.solref, x.solimp);
  cri_stiffness_bar(s->K_y, stiff ? KBIP_bar[0] : 0, x.solref, x.solimp);
  return x;
}

// adds to pos_bar what the softness of the rows of equality constraint e implies
static void equality_softness_bar(const cr_model* m, cr_data* bar, int e, int i, int nrow,
                                  const cr_real* pos, cr_real* pos_bar) {
  const cr_model* t = &bar->par;
  cr_real r = nrow > 1 ? length_of(pos, nrow) : pos[0], r_bar = 0;
  cri_softness s = cri_softness_of(m, m->eq_solref + 2 * e, m->eq_solimp + 5 * e, r, false);
  for (int k = 0; k < nrow; k++) {
    single x = single_bar(&s, bar, i + k, equality_A(m, e, k), true);
    weight_pair w = equality_weights(m, t, e, k);
    add_row(t->eq_solref, e, 2, x.solref);
    add_row(t->eq_solimp, e, 5, x.solimp);
    for (int side = 0; side < 2; side++) {
      if (w.at[side] >= 0) {
        add(w.twin, w.at[side], x.A);
      }
    }
    pos_bar[k] += bar->efc_pos[i + k];
    r_bar += x.r;
  }
  for (int k = 0; k < nrow; k++) {
    pos_bar[k] += nrow == 1 ? r_bar : (r > 0 ? r_bar * pos[k] / r : 0);
  }
}

// ten_J_bar gets one pair for each pair of efc_J, and a row s ten_J passes its left entries on
typedef struct {
  int first;  // pair of ten_J for the first of efc_J
} tendon_pairs;

static tendon_pairs tendon_pairs_begin(const cr_model* m, cr_data* bar) {
  tendon_pairs t = {bar->ten_J_pairs.n};
  for (int p = 0; p < bar->efc_J_pairs.n; p++) {
    int k = cri_pairs_add(&bar->ten_J_pairs);
    cr_copy(cri_pair_right(&bar->ten_J_pairs, k), cri_pair_right(&bar->efc_J_pairs, p), m->nv);
  }
  return t;
}

static void tendon_row_bar(cr_data* bar, const tendon_pairs* pairs, int i, int t, cr_real s) {
  for (int p = 0; p < bar->efc_J_pairs.n; p++) {
    cri_pair_left(&bar->ten_J_pairs, pairs->first + p)[t] +=
        s * cri_pair_left(&bar->efc_J_pairs, p)[i];
  }
}

static void beyond_bar(const cr_model* m, cr_data* bar, const cri_coupling* c, int side,
                       cr_real s) {
  int id = c->id[side];
  if (c->tendons) {
    bar->ten_length[id] += s;
    add(bar->par.tendon_length0, id, -s);
  } else {
    bar->qpos[m->jnt_dofadr[id]] += s;
  }
}

static void coupling_bar(const cr_model* m, const cr_data* d, cr_data* bar,
                         const tendon_pairs* tendons, int e, int i) {
  cri_coupling c = cri_coupling_of(m, d, e);
  const cr_pairs* pairs = &bar->efc_J_pairs;
  cr_real *data_bar = bar->par.eq_data, pos_bar = 0, slope_bar = 0;
  equality_softness_bar(m, bar, e, i, 1, &c.pos, &pos_bar);
  beyond_bar(m, bar, &c, 0, pos_bar);
  add(data_bar, CR_NEQDATA * e, -pos_bar);
  if (c.tendons) {
    tendon_row_bar(bar, tendons, i, c.id[0], 1);
  }
  if (c.id[1] < 0) {
    return;
  }
  // [k7]'
  cri_length_row second = cri_coupling_row(m, &c, d->ten_J, 1);
  for (int p = 0; p < pairs->n; p++) {
    slope_bar -= cri_pair_left(pairs, p)[i] * dot(&second, cri_pair_right(pairs, p));
  }
  if (c.tendons) {
    tendon_row_bar(bar, tendons, i, c.id[1], -c.slope);
  }
  beyond_bar(m, bar, &c, 1, c.curvature * slope_bar - c.slope * pos_bar);
  for (int k = 1; k < 5; k++) {
    add(data_bar, CR_NEQDATA * e + k,
        (cr_real)k * c.power[k - 1] * slope_bar - c.power[k] * pos_bar);
  }
}

static void bond_bar(const cr_model* m, const cr_data* d, cr_data* bar,
                     const cri_contact_sweep* sweep, int e, int i) {
  cri_bond b = cri_bond_of(m, d, e), b_bar = {.nrow = b.nrow};
  cr_real pos[CR_MAX_BOND], pos_bar[CR_MAX_BOND] = {0};

  // [k7]' with the motions under the right vector of each pair
  for (int p = 0; p < sweep->n; p++) {
    int at[2] = {6 * (sweep->n * b.body[0] + p), 6 * (sweep->n * b.body[1] + p)};
    const cr_real* left = cri_pair_left(&bar->efc_J_pairs, p) + i;
    cri_bond_rate_bar(&b, sweep->V + at[0], sweep->V + at[1], left, &b_bar, sweep->F + at[0],
                      sweep->F + at[1]);
  }
  cri_bond_residual(&b, pos);
  equality_softness_bar(m, bar, e, i, b.nrow, pos, pos_bar);
  cri_bond_residual_bar(&b, pos_bar, &b_bar);
  cri_bond_bar(m, d, bar, e, &b_bar);
}

static void friction_bar(const cr_model* m, cr_data* bar, int i, int dof) {
  const cr_model* t = &bar->par;
  cri_softness s = cri_softness_of(m, m->dof_solref + 2 * dof, m->dof_solimp + 5 * dof, 0, false);
  single x = single_bar(&s, bar, i, m->dof_invweight0[dof], false);
  add_row(t->dof_solref, dof, 2, x.solref);
  add_row(t->dof_solimp, dof, 5, x.solimp);
  add(t->dof_invweight0, dof, x.A);
  add(t->dof_frictionloss, dof, bar->efc_frictionloss[i]);
}

// cotangent of the axis that is minus the row's J: from all pairs
static void ball_axis_bar(const cr_model* m, const cr_pairs* pairs, int i, int j,
                          cr_real axis_bar[3]) {
  cr_zero3(axis_bar);
  for (int k = 0; k < pairs->n; k++) {
    cr_accscl3(axis_bar, cri_pair_right(pairs, k) + m->jnt_dofadr[j], -cri_pair_left(pairs, k)[i]);
  }
}

static void limit_bar(const cr_model* m, cr_data* bar, int i, int j, int side, const limit* l) {
  const cr_model* t = &bar->par;
  int dof = m->jnt_dofadr[j];
  cri_softness s = cri_softness_of(m, m->jnt_solref + 2 * j, m->jnt_solimp + 5 * j,
                                   l->pos - m->jnt_margin[j], false);
  single x = single_bar(&s, bar, i, m->dof_invweight0[dof], true);
  add_row(t->jnt_solref, j, 2, x.solref);
  add_row(t->jnt_solimp, j, 5, x.solimp);
  add(t->dof_invweight0, dof, x.A);
  add(t->jnt_margin, j, bar->efc_margin[i] - x.r);

  // [k2]'
  cr_real pos_bar = bar->efc_pos[i] + x.r;
  if (m->jnt_type[j] != CR_JNT_BALL) {
    add(t->jnt_range, 2 * j + (side > 0), (cr_real)side * pos_bar);
    bar->qpos[dof] -= (cr_real)side * pos_bar;
    return;
  }
  const cr_real* range = m->jnt_range + 2 * j;
  add(t->jnt_range, 2 * j + (range[1] >= range[0]), pos_bar);
  if (l->angle > 0) {
    cr_real axis_bar[3], log_bar[3], jr_inv[9];
    ball_axis_bar(m, &bar->efc_J_pairs, i, j, axis_bar);
    cr_normalize3_tan(log_bar, l->axis, l->angle, axis_bar);
    cr_accscl3(log_bar, l->axis, -pos_bar);
    cr_so3_jr_inv(jr_inv, l->log);
    cr_acctmat3(bar->qpos + dof, jr_inv, log_bar);
  }
}

static void tendon_friction_bar(const cr_model* m, cr_data* bar, const tendon_pairs* pairs, int i,
                                int t) {
  const cr_model* p = &bar->par;
  cri_softness s =
      cri_softness_of(m, m->tendon_solref_fri + 2 * t, m->tendon_solimp_fri + 5 * t, 0, false);
  single x = single_bar(&s, bar, i, m->tendon_invweight0[t], false);
  add_row(p->tendon_solref_fri, t, 2, x.solref);
  add_row(p->tendon_solimp_fri, t, 5, x.solimp);
  add(p->tendon_invweight0, t, x.A);
  add(p->tendon_frictionloss, t, bar->efc_frictionloss[i]);
  tendon_row_bar(bar, pairs, i, t, 1);
}

static void tendon_limit_bar(const cr_model* m, cr_data* bar, const tendon_pairs* pairs, int i,
                             int t, int side, cr_real pos) {
  const cr_model* p = &bar->par;
  cri_softness s = cri_softness_of(m, m->tendon_solref_lim + 2 * t, m->tendon_solimp_lim + 5 * t,
                                   pos - m->tendon_margin[t], false);
  single x = single_bar(&s, bar, i, m->tendon_invweight0[t], true);
  add_row(p->tendon_solref_lim, t, 2, x.solref);
  add_row(p->tendon_solimp_lim, t, 5, x.solimp);
  add(p->tendon_invweight0, t, x.A);
  add(p->tendon_margin, t, bar->efc_margin[i] - x.r);
  cr_real pos_bar = (cr_real)side * (bar->efc_pos[i] + x.r);
  add(p->tendon_range, 2 * t + (side > 0), pos_bar);
  bar->ten_length[t] -= pos_bar;
  tendon_row_bar(bar, pairs, i, t, (cr_real)-side);
}

// whether everything but J of some rows has a zero cotangent, as that of an open contact has
static bool softness_is_free(const cr_data* bar, int first, int nrow) {
  bool zero = true;
  for (int i = first; i < first + nrow; i++) {
    const cr_real* KBIP_bar = bar->efc_KBIP + 4 * i;
    zero = zero && bar->efc_pos[i] == 0 && bar->efc_margin[i] == 0 && bar->efc_D[i] == 0 &&
           KBIP_bar[0] == 0 && KBIP_bar[1] == 0 && KBIP_bar[2] == 0;
  }
  return zero;
}

static void contact_softness_bar(const cr_model* m, const cr_data* d, cr_data* bar, int c, int i) {
  int dim = d->contact_dim[c], nrow = cri_contact_rows(m, dim), type = d->efc_type[i];
  const cr_real *mu = d->contact_friction + 5 * c, *solimp = d->contact_solimp + 5 * c;
  const cr_real *ref = d->contact_solref + 2 * c, *friction_ref = friction_solref(d, c);
  cr_real *mu_bar = bar->contact_friction + 5 * c, *solimp_bar = bar->contact_solimp + 5 * c;
  cr_real* ref_bar = bar->contact_solref + 2 * c;
  mu_bar[0] += dim > 1 ? bar->contact_mu[c] * mu_scale(m) : 0;
  if (softness_is_free(bar, i, nrow)) {
    return;
  }
  cri_softness s =
      cri_softness_of(m, ref, solimp, d->contact_dist[c] - d->contact_includemargin[c], true);
  cr_real A = contact_A(m, d, c, type);

  // sums over rows; the friction rows of an elliptic contact have a B of their own, and no K
  cr_real K_bar = 0, B_bar = 0, B_friction_bar = 0, I_bar = 0, log_D_bar = 0;
  for (int k = 0; k < nrow; k++) {
    const cr_real* KBIP_bar = bar->efc_KBIP + 4 * (i + k);
    if (type == CR_CNSTR_CONTACT_ELLIPTIC && k > 0) {
      B_friction_bar += KBIP_bar[1];
    } else {
      K_bar += KBIP_bar[0];
      B_bar += KBIP_bar[1];
      bar->contact_dist[c] += bar->efc_pos[i + k];
      bar->contact_includemargin[c] += bar->efc_margin[i + k];
    }
    I_bar += KBIP_bar[2];
    cr_real row = bar->efc_D[i + k] * contact_D(m, type, k, s.I, A, mu);
    log_D_bar += row;
    if (type == CR_CNSTR_CONTACT_PYRAMIDAL) {
      mu_bar[0] -= (2 / mu[0] + 2 * mu[0] / (1 + mu[0] * mu[0])) * row;
    } else if (k > 0) {
      mu_bar[k - 1] += 2 / mu[k - 1] * row;
      mu_bar[0] -= 2 / mu[0] * row;
    }
  }

  // [k5]', [k6]'
  cr_real by_I, by_A, r_bar = 0;
  log_D_gradient(s.I, A, &by_I, &by_A);
  for (int side = 0; side < 2 && by_A != 0; side++) {
    int body = m->geom_bodyid[d->contact_geom[2 * c + side]];
    add(bar->par.body_invweight0, 2 * body, -log_D_bar / contact_invweight(m, d, c));
  }
  cri_impedance_bar(&s, I_bar + by_I * log_D_bar, &r_bar, solimp_bar);
  cri_stiffness_bar(s.K_y, K_bar, ref_bar, solimp_bar);
  cri_stiffness_bar(s.B_y, B_bar, ref_bar, solimp_bar);
  if (friction_ref == ref) {
    cri_stiffness_bar(s.B_y, B_friction_bar, ref_bar, solimp_bar);
  } else {
    cri_softness f = cri_softness_of(m, friction_ref, solimp, 0, true);
    cri_stiffness_bar(f.B_y, B_friction_bar, bar->contact_solreffriction + 2 * c, solimp_bar);
  }
  bar->contact_dist[c] += r_bar;
  bar->contact_includemargin[c] -= r_bar;
}

// [k4]', [k3]' cotangent of the rows' Jacobian, pair by pair
static void contact_jacobian_bar(const cr_model* m, const cr_data* d, cr_data* bar,
                                 const cri_contact_sweep* sweep, int c, int i) {
  int dim = d->contact_dim[c], nrow = cri_contact_rows(m, dim);
  const cr_real* mu = d->contact_friction + 5 * c;
  cr_real* mu_bar = bar->contact_friction + 5 * c;
  for (int p = 0; p < sweep->n; p++) {
    const cr_real* left = cri_pair_left(&bar->efc_J_pairs, p) + i;
    bool zero = true;
    for (int k = 0; k < nrow; k++) {
      zero = zero && left[k] == 0;
    }
    if (zero) {
      continue;
    }
    cr_real u[6], lambda[6] = {0};
    cri_contact_sweep_velocity(m, d, sweep, c, p, u);
    if (d->efc_type[i] != CR_CNSTR_CONTACT_PYRAMIDAL) {
      cr_copy(lambda, left, dim);
    }
    for (int k = 1; k < dim && d->efc_type[i] == CR_CNSTR_CONTACT_PYRAMIDAL; k++) {
      cr_real plus = left[2 * k - 2], minus = left[2 * k - 1];
      const cr_real* axis = d->contact_frame + 9 * c + 3 * (k % 3);
      lambda[0] += plus + minus;
      lambda[k] = mu[k - 1] * (plus - minus);
      mu_bar[k - 1] += (plus - minus) * cr_dot3(axis, u + (k < 3 ? 0 : 3));
    }
    cri_contact_sweep_add(m, d, bar, sweep, c, p, dim, lambda, u);
  }
}

cr_status cr_constraint_vjp(const cr_model* m, const cr_data* d, cr_data* bar) {
  int i = d->ne, contacts = d->ne + d->nf + d->nl;
  bool bonds = false;
  tendon_pairs pairs = {0};
  if (m->ntendon > 0 && contacts > 0) {
    pairs = tendon_pairs_begin(m, bar);
  }
  for (int k = 0; k < d->ne; k += cri_rows_block(m, d, k)) {
    int e = d->efc_id[k];
    bonds = bonds || cri_is_bond(m->eq_type[e]);
    if (!cri_is_bond(m->eq_type[e])) {
      coupling_bar(m, d, bar, &pairs, e, k);
    }
  }
  for (int dof = 0; dof < m->nv && i < d->ne + d->nf; dof++) {
    if (has_friction(m, dof)) {
      friction_bar(m, bar, i++, dof);
    }
  }
  for (int t = 0; t < m->ntendon && i < d->ne + d->nf; t++) {
    if (tendon_has_friction(m, t)) {
      tendon_friction_bar(m, bar, &pairs, i++, t);
    }
  }
  for (int j = 0; j < m->njnt && i < contacts; j++) {
    for (int side = -1; side <= 1; side += 2) {
      limit l;
      if (limit_active(m, d->qpos, j, side, &l)) {
        limit_bar(m, bar, i++, j, side, &l);
      }
    }
  }
  for (int t = 0; t < m->ntendon && i < contacts; t++) {
    for (int side = -1; side <= 1; side += 2) {
      cr_real pos;
      if (tendon_limit_active(m, d, t, side, &pos)) {
        tendon_limit_bar(m, bar, &pairs, i++, t, side, pos);
      }
    }
  }
  if (contacts == d->nefc && !bonds) {
    return CR_OK;
  }

  size_t mark = cri_mark(bar);
  cri_contact_sweep sweep = cri_contact_sweep_begin(m, d, bar);
  for (int k = 0; k < d->ne; k += cri_rows_block(m, d, k)) {
    if (cri_is_bond(m->eq_type[d->efc_id[k]])) {
      bond_bar(m, d, bar, &sweep, d->efc_id[k], k);
    }
  }
  for (int c = 0; c < d->ncon; c++) {
    if (d->contact_efc_address[c] >= 0) {
      contact_jacobian_bar(m, d, bar, &sweep, c, d->contact_efc_address[c]);
      contact_softness_bar(m, d, bar, c, d->contact_efc_address[c]);
    }
  }
  cri_contact_sweep_end(m, bar, &sweep);
  cri_pop(bar, mark);
  return CR_OK;
}
