// SPDX-License-Identifier: Apache-2.0
// Regularisation of rows, see regularisation.h. log R is a sum, so derivatives are those of its
// terms: of I, of A, and for contacts of powers of the friction coefficients.
#include "contact/regularisation.h"

#include "contact/rows.h"
#include "dynamics/articulated.h"
#include "math/cholesky.h"

static bool is_contact(int type) { return type >= CR_CNSTR_CONTACT_FRICTIONLESS; }

// ---- [s2] the diagonal from inverse weights

// the inverse weights of what a row moves: one or two numbers of one array
typedef struct {
  const cr_real* of;
  cr_real* twin;  // the same array in a twin, NULL where it has none
  int at[2];      // -1: none
} weights;

static int body_of(const cr_model* m, int i, int id) {
  return m->eq_objtype[i] == CR_OBJ_SITE ? m->site_bodyid[id] : id;
}

// of row k of equality constraint i
static weights equality_weights(const cr_model* m, const cr_model* twin, int i, int k) {
  int id[2] = {m->eq_obj1id[i], m->eq_obj2id[i]}, type = m->eq_type[i];
  weights w = {m->body_invweight0, twin->body_invweight0, {-1, -1}};
  if (type == CR_EQ_JOINT) {
    w = (weights){m->dof_invweight0, twin->dof_invweight0, {-1, -1}};
  } else if (type == CR_EQ_TENDON) {
    w = (weights){m->tendon_invweight0, twin->tendon_invweight0, {-1, -1}};
  }
  for (int side = 0; side < 2 && id[side] >= 0; side++) {
    if (cri_is_bond(type)) {
      w.at[side] = 2 * body_of(m, i, id[side]) + (k >= 3);
    } else {
      w.at[side] = type == CR_EQ_JOINT ? m->jnt_dofadr[id[side]] : id[side];
    }
  }
  return w;
}

// how many rows before row i belong to its equality constraint
static int place_of(const cr_data* d, int i) {
  int k = 0;
  while (k < i && d->efc_type[i - k - 1] == CR_CNSTR_EQUALITY &&
         d->efc_id[i - k - 1] == d->efc_id[i]) {
    k++;
  }
  return k;
}

static weights weights_of(const cr_model* m, const cr_model* twin, const cr_data* d, int i) {
  int id = d->efc_id[i];
  switch (d->efc_type[i]) {
    case CR_CNSTR_EQUALITY:
      return equality_weights(m, twin, id, place_of(d, i));
    case CR_CNSTR_FRICTION_DOF:
      return (weights){m->dof_invweight0, twin->dof_invweight0, {id, -1}};
    case CR_CNSTR_LIMIT_JOINT:
      return (weights){m->dof_invweight0, twin->dof_invweight0, {m->jnt_dofadr[id], -1}};
    case CR_CNSTR_FRICTION_TENDON:
    case CR_CNSTR_LIMIT_TENDON:
      return (weights){m->tendon_invweight0, twin->tendon_invweight0, {id, -1}};
    default: {
      const int32_t* geom = d->contact_geom + 2 * id;
      return (weights){m->body_invweight0,
                       twin->body_invweight0,
                       {2 * m->geom_bodyid[geom[0]], 2 * m->geom_bodyid[geom[1]]}};
    }
  }
}

static cr_real total(const weights* w, const cr_real* x) {
  return (w->at[0] < 0 ? 0 : x[w->at[0]]) + (w->at[1] < 0 ? 0 : x[w->at[1]]);
}

// the first row of a pyramid is the normal and mu_1 times a tangent
static cr_real pyramid_factor(const cr_data* d, int i) {
  cr_real mu = d->contact_friction[5 * d->efc_id[i]];
  return d->efc_type[i] == CR_CNSTR_CONTACT_PYRAMIDAL ? 1 + mu * mu : 1;
}

static cr_real pyramid_slope(const cr_data* d, int i) {
  return d->efc_type[i] == CR_CNSTR_CONTACT_PYRAMIDAL ? 2 * d->contact_friction[5 * d->efc_id[i]]
                                                      : 0;
}

// ---- [s3] the exact diagonal

static bool exact(const cr_model* m) { return (m->enableflags & CR_ENBL_DIAGEXACT) != 0; }

// J_i x, J the values of efc_J or of its tangent
static cr_real row_dot(const cr_data* d, const cr_real* J, int i, const cr_real* x) {
  cr_real sum = 0;
  for (int k = d->efc_J_rowadr[i]; k < d->efc_J_rowadr[i] + d->efc_J_rownnz[i]; k++) {
    sum += J[k] * x[d->efc_J_colind[k]];
  }
  return sum;
}

// y = M^-1 J_i'; returns J_i y
static cr_real exact_diagonal(const cr_model* m, const cr_data* d, int i, cr_real* y,
                              cr_data* work) {
  cr_zero(y, m->nv);
  for (int k = d->efc_J_rowadr[i]; k < d->efc_J_rowadr[i] + d->efc_J_rownnz[i]; k++) {
    y[d->efc_J_colind[k]] = d->efc_J[k];
  }
  cri_articulated_solve(m, d->cdof, d->art_U, d->art_Dinv, y, work);
  return row_dot(d, d->efc_J, i, y);
}

// ---- either

static cr_real diagonal(const cr_model* m, const cr_data* d, int i, cr_data* work) {
  if (!exact(m)) {
    weights w = weights_of(m, m, d, i);
    return total(&w, w.of) * pyramid_factor(d, i);
  }
  size_t mark = cri_mark(work);
  cr_real A = exact_diagonal(m, d, i, cri_push(work, (size_t)m->nv), work);
  cri_pop(work, mark);
  return A;
}

static cr_real diagonal_jvp(const cr_model* m, const cr_data* d, cr_data* tan, int i, cr_real* A) {
  if (!exact(m)) {
    weights w = weights_of(m, &tan->par, d, i);
    cr_real mu_tan = is_contact(d->efc_type[i]) ? tan->contact_friction[5 * d->efc_id[i]] : 0;
    *A = total(&w, w.of) * pyramid_factor(d, i);
    return (w.twin == NULL ? 0 : total(&w, w.twin)) * pyramid_factor(d, i) +
           (mu_tan == 0 ? 0 : total(&w, w.of) * pyramid_slope(d, i) * mu_tan);
  }
  // A_tan = 2 J_tan y - y' M_tan y
  size_t mark = cri_mark(tan);
  cr_real *y = cri_push(tan, (size_t)m->nv), *My = cri_push(tan, (size_t)m->nv);
  *A = exact_diagonal(m, d, i, y, tan);
  cr_pattern p = {.n = m->nv, .nnz = m->M_rownnz, .adr = m->M_rowadr, .col = m->M_colind};
  cr_sparse_mul(My, tan->M, &p, y);
  cr_real A_tan = 2 * row_dot(d, tan->efc_J, i, y);
  for (int j = 0; j < m->nv; j++) {
    A_tan -= y[j] * My[j];
  }
  cri_pop(tan, mark);
  return A_tan;
}

static void diagonal_vjp(const cr_model* m, const cr_data* d, cr_data* bar, int i, cr_real A_bar) {
  if (A_bar == 0) {
    return;
  }
  if (!exact(m)) {
    weights w = weights_of(m, &bar->par, d, i);
    for (int side = 0; side < 2; side++) {
      if (w.at[side] >= 0) {
        cri_par_add1(w.twin, w.at[side], A_bar * pyramid_factor(d, i));
      }
    }
    if (d->efc_type[i] == CR_CNSTR_CONTACT_PYRAMIDAL) {
      bar->contact_friction[5 * d->efc_id[i]] += A_bar * total(&w, w.of) * pyramid_slope(d, i);
    }
    return;
  }
  // [s3]' J_bar += 2 A_bar e_i (x) y, M_bar -= A_bar y (x) y
  int J = cri_pairs_add(&bar->efc_J_pairs), M = cri_pairs_add(&bar->M_pairs);
  cr_real* y = cri_pair_right(&bar->M_pairs, M);
  exact_diagonal(m, d, i, y, bar);
  cr_copy(cri_pair_right(&bar->efc_J_pairs, J), y, m->nv);
  cri_pair_left(&bar->efc_J_pairs, J)[i] = 2 * A_bar;
  for (int j = 0; j < m->nv; j++) {
    cri_pair_left(&bar->M_pairs, M)[j] = -A_bar * y[j];
  }
}

// ---- [s1] R of one row

static cr_real least(cr_real I, cr_real A) { return cr_max(CR_MINVAL, (1 - I) * A / I); }

// derivatives of log R = log (1 - I) - log I + log A; zero where R is at its least
static void log_R_gradient(cr_real I, cr_real A, cr_real* by_I, cr_real* by_A) {
  bool free = (1 - I) * A / I > CR_MINVAL;
  *by_I = free ? -1 / (I * (1 - I)) : 0;
  *by_A = free ? 1 / A : 0;
}

static void set(cr_data* d, int i, cr_real R) {
  cr_real I = d->efc_KBIP[4 * i + 2];
  d->efc_R[i] = R;
  d->efc_D[i] = 1 / R;
  d->efc_diagA[i] = R * I / (1 - I);
}

// ---- [s4] rows of a contact, as multiples of R of the first

static cr_real ratio(const cr_model* m) { return cr_max(CR_MINVAL, m->impratio); }

// mu of the regularised cone over the sliding friction: sqrt(R_2 / R_1)
static cr_real mu_scale(const cr_model* m) { return 1 / cr_sqrt(ratio(m)); }

// row k of contact c
static cr_real multiple(const cr_model* m, const cr_data* d, int c, int k) {
  const cr_real* mu = d->contact_friction + 5 * c;
  int type = d->efc_type[d->contact_efc_address[c]];
  if (type == CR_CNSTR_CONTACT_PYRAMIDAL) {
    return 2 * mu[0] * mu[0] / ratio(m);
  }
  return k == 0 ? 1 : mu[0] * mu[0] / (mu[k - 1] * mu[k - 1]) / ratio(m);
}

// tangent of its logarithm, as the weight of mu_1 and of mu_k
static void log_multiple(const cr_data* d, int c, int k, cr_real* by_first, cr_real* by_own) {
  const cr_real* mu = d->contact_friction + 5 * c;
  bool pyramid = d->efc_type[d->contact_efc_address[c]] == CR_CNSTR_CONTACT_PYRAMIDAL;
  *by_first = pyramid || k > 0 ? 2 / mu[0] : 0;
  *by_own = !pyramid && k > 0 ? -2 / mu[k - 1] : 0;
}

// how many rows from row i on take R from that one
static int rows_led(const cr_model* m, const cr_data* d, int i) {
  return is_contact(d->efc_type[i]) ? cri_rows_block(m, d, i) : 1;
}

// ---- the stage

cr_status cr_regularisation(const cr_model* m, cr_data* d) {
  for (int c = 0; c < d->ncon; c++) {
    bool cone = d->contact_efc_address[c] >= 0 && d->contact_dim[c] > 1;
    d->contact_mu[c] = cone ? d->contact_friction[5 * c] * mu_scale(m) : 0;
  }
  for (int i = 0, n; i < d->nefc; i += n) {
    n = rows_led(m, d, i);
    cr_real R = least(d->efc_KBIP[4 * i + 2], diagonal(m, d, i, d));
    for (int k = 0; k < n; k++) {
      set(d, i + k, is_contact(d->efc_type[i]) ? R * multiple(m, d, d->efc_id[i], k) : R);
    }
  }
  return CR_OK;
}

// rows i .. i + n of a contact
static void led_jvp(const cr_model* m, const cr_data* d, cr_data* tan, int i, int n, cr_real R,
                    cr_real log_tan) {
  int c = d->efc_id[i];
  const cr_real* mu_tan = tan->contact_friction + 5 * c;
  for (int k = 0; k < n; k++) {
    cr_real by_first, by_own;
    log_multiple(d, c, k, &by_first, &by_own);
    cr_real more = by_first * mu_tan[0] + (by_own == 0 ? 0 : by_own * mu_tan[k - 1]);
    tan->efc_D[i + k] = -(log_tan + more) / (R * multiple(m, d, c, k));
  }
}

cr_status cr_regularisation_jvp(const cr_model* m, const cr_data* d, cr_data* tan) {
  for (int c = 0; c < d->ncon; c++) {
    bool cone = d->contact_efc_address[c] >= 0 && d->contact_dim[c] > 1;
    tan->contact_mu[c] = cone ? tan->contact_friction[5 * c] * mu_scale(m) : 0;
  }
  for (int i = 0, n; i < d->nefc; i += n) {
    n = rows_led(m, d, i);
    cr_real I = d->efc_KBIP[4 * i + 2], A, by_I, by_A;
    cr_real A_tan = diagonal_jvp(m, d, tan, i, &A), R = least(I, A);
    log_R_gradient(I, A, &by_I, &by_A);
    cr_real log_tan = by_I * tan->efc_KBIP[4 * i + 2] + by_A * A_tan;
    if (is_contact(d->efc_type[i])) {
      led_jvp(m, d, tan, i, n, R, log_tan);
    } else {
      tan->efc_D[i] = -log_tan / R;
    }
  }
  return CR_OK;
}

// cotangent of log R of the first of a contact's rows
static cr_real led_vjp(const cr_model* m, const cr_data* d, cr_data* bar, int i, int n, cr_real R) {
  int c = d->efc_id[i];
  cr_real sum = 0, *mu_bar = bar->contact_friction + 5 * c;
  for (int k = 0; k < n; k++) {
    cr_real by_first, by_own, log_bar = -bar->efc_D[i + k] / (R * multiple(m, d, c, k));
    log_multiple(d, c, k, &by_first, &by_own);
    mu_bar[0] += by_first * log_bar;
    if (by_own != 0) {
      mu_bar[k - 1] += by_own * log_bar;
    }
    sum += log_bar;
  }
  return sum;
}

static bool is_free(const cr_data* bar, int i, int n) {
  for (int k = i; k < i + n; k++) {
    if (bar->efc_D[k] != 0) {
      return false;
    }
  }
  return true;
}

cr_status cr_regularisation_vjp(const cr_model* m, const cr_data* d, cr_data* bar) {
  for (int c = 0; c < d->ncon; c++) {
    bool cone = d->contact_efc_address[c] >= 0 && d->contact_dim[c] > 1;
    bar->contact_friction[5 * c] += cone ? bar->contact_mu[c] * mu_scale(m) : 0;
  }
  for (int i = 0, n; i < d->nefc; i += n) {
    n = rows_led(m, d, i);
    if (is_free(bar, i, n)) {
      continue;
    }
    cr_real I = d->efc_KBIP[4 * i + 2], by_I, by_A;
    cr_real A = diagonal(m, d, i, bar), R = least(I, A);
    log_R_gradient(I, A, &by_I, &by_A);
    cr_real log_bar = is_contact(d->efc_type[i]) ? led_vjp(m, d, bar, i, n, R) : -bar->efc_D[i] / R;
    bar->efc_KBIP[4 * i + 2] += by_I * log_bar;
    diagonal_vjp(m, d, bar, i, by_A * log_bar);
  }
  return CR_OK;
}
