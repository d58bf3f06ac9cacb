// SPDX-License-Identifier: Apache-2.0
// Regularisation of rows, see regularisation.h. log R is a sum, so derivatives are those of its
// terms: of I, of A, and for contacts of powers of the friction coefficients.
#include "solver/regularisation.h"

#include "constraint/rows.h"
#include "constraint/solref_impedance.h"
#include "force/fluid.h"
#include "inertia/implicit_inertia.h"
#include "inertia/inertia.h"
#include "math/cholesky.h"
#include "solver/discrete_row.h"

static bool is_contact(int type) { return type >= CR_CNSTR_CONTACT_FRICTIONLESS; }

// ---- [regularisation.s2] the diagonal from inverse weights

// the inverse weights of the bodies, joint or tendon that a row moves: one or two numbers of one array
typedef struct {
  const cr_real* of;
  cr_real* twin;  // the same array in a twin, NULL if it has none
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
    if (cri_is_connect_weld(type)) {
      w.at[side] = 2 * body_of(m, i, id[side]) + (k >= 3);
    } else {
      w.at[side] = type == CR_EQ_JOINT ? m->jnt_dofadr[id[side]] : id[side];
    }
  }
  return w;
}

// number of rows before row i in its equality constraint
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

// ---- diagonals of inertia and implicit inertia

// diagonals of M, of the implicit inertia H, and of the part W of H that is neither of bodies nor of
// their drag; in scratch of `owner`, NULL except with the integrator discrete
typedef struct {
  cr_real *M, *H, *W;
} diagonals;

static int diagonal_place(const cr_model* m, int j) { return m->M_rowadr[j] + m->M_rownnz[j] - 1; }

static diagonals diagonals_push(const cr_model* m, const cr_data* d, cr_data* owner) {
  if (!cri_is_discrete(m) || d->nefc == 0) {
    return (diagonals){NULL, NULL, NULL};
  }
  size_t v = (size_t)m->nv;
  return (diagonals){cri_push(owner, v), cri_push(owner, v), cri_push(owner, v)};
}

// H = M + W + drag, of values or of tangents
static void add_up(const cr_model* m, const cr_data* values, bool drag, const diagonals* g) {
  for (int j = 0; j < m->nv; j++) {
    int k = diagonal_place(m, j);
    g->M[j] = values->M[k];
    g->H[j] = g->M[j] + g->W[j] + (drag ? values->efm_fluid[k] : 0);
  }
}

// data made for another integrator have no room for it; inertia/implicit_inertia reports this
static bool has_drag(const cr_model* m, const cr_data* d) {
  return cri_fluid_acts(m) && d->nefmfluid > 0;
}

static diagonals diagonals_of(const cr_model* m, const cr_data* d, cr_data* owner) {
  diagonals g = diagonals_push(m, d, owner);
  if (g.H != NULL) {
    cri_implicit_inertia_diagonal(m, d, g.W);
    add_up(m, d, has_drag(m, d), &g);
  }
  return g;
}

// ---- [regularisation.s3] the exact diagonal

static bool exact(const cr_model* m) { return (m->enableflags & CR_ENBL_DIAGEXACT) != 0; }

// J_i x, J the values of efc_J or of its tangent
static cr_real row_dot(const cr_data* d, const cr_real* J, int i, const cr_real* x) {
  cr_real sum = 0;
  for (int k = d->efc_J_rowadr[i]; k < d->efc_J_rowadr[i] + d->efc_J_rownnz[i]; k++) {
    sum += J[k] * x[d->efc_J_colind[k]];
  }
  return sum;
}

// X, the inertia of the exact diagonal: M, with discrete M with the drag of bodies and
// the diagonal W; the factor of that X
static cr_pattern pattern_of(const cr_model* m) {
  return (cr_pattern){.n = m->nv, .nnz = m->M_rownnz, .adr = m->M_rowadr, .col = m->M_colind};
}

static cr_status prepare_exact(const cr_model* m, cr_data* d) {
  if (!exact(m) || !cri_is_discrete(m) || d->nefc == 0) {
    return CR_OK;
  }
  cr_pattern p = pattern_of(m);
  size_t mark = cri_mark(d);
  cr_real* W = cri_push(d, (size_t)m->nv);
  cri_implicit_inertia_diagonal(m, d, W);
  for (int k = 0; k < m->nC; k++) {
    d->euler_L[k] = d->M[k] + (has_drag(m, d) ? d->efm_fluid[k] : 0);
  }
  for (int j = 0; j < m->nv; j++) {
    d->euler_L[diagonal_place(m, j)] += W[j];
  }
  cri_pop(d, mark);
  int bad = cr_chol_factor(d->euler_L, &p);
  if (bad >= 0) {
    int joint = m->dof_jntid[bad];
    return cri_fail(&d->error, CR_ERR_SINGULAR,
                    "joint %d \"%s\", dof %d: the inertia that diagexact is taken against is not "
                    "positive",
                    joint, cri_name(m, m->name_jntadr, joint), bad);
  }
  return CR_OK;
}

// y = X^-1 J_i'; returns J_i y
static cr_real exact_diagonal(const cr_model* m, const cr_data* d, int i, cr_real* y,
                              cr_data* work) {
  cr_zero(y, m->nv);
  for (int k = d->efc_J_rowadr[i]; k < d->efc_J_rowadr[i] + d->efc_J_rownnz[i]; k++) {
    y[d->efc_J_colind[k]] = d->efc_J[k];
  }
  if (cri_is_discrete(m)) {
    cr_pattern p = pattern_of(m);
    cr_chol_solve(d->euler_L, &p, y);
  } else {
    cri_inertia_solve(m, d, cri_factors_of_M(d), y, work);
  }
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

static cr_real diagonal_jvp(const cr_model* m, const cr_data* d, cr_data* tan, int i,
                            const diagonals* g_tan, cr_real* A) {
  if (!exact(m)) {
    weights w = weights_of(m, &tan->par, d, i);
    cr_real mu_tan = is_contact(d->efc_type[i]) ? tan->contact_friction[5 * d->efc_id[i]] : 0;
    *A = total(&w, w.of) * pyramid_factor(d, i);
    return (w.twin == NULL ? 0 : total(&w, w.twin)) * pyramid_factor(d, i) +
           (mu_tan == 0 ? 0 : total(&w, w.of) * pyramid_slope(d, i) * mu_tan);
  }
  // A_tan = 2 J_tan y - y' X_tan y
  size_t mark = cri_mark(tan);
  cr_real *y = cri_push(tan, (size_t)m->nv), *Xy = cri_push(tan, (size_t)m->nv);
  *A = exact_diagonal(m, d, i, y, tan);
  cr_pattern p = pattern_of(m);
  cr_real A_tan = 2 * row_dot(d, tan->efc_J, i, y);
  cr_sparse_mul(Xy, tan->M, &p, y);
  for (int j = 0; j < m->nv; j++) {
    A_tan -= y[j] * (Xy[j] + (g_tan->W == NULL ? 0 : g_tan->W[j] * y[j]));
  }
  if (g_tan->W != NULL && cri_fluid_on(m)) {
    cr_sparse_mul(Xy, tan->efm_fluid, &p, y);
    for (int j = 0; j < m->nv; j++) {
      A_tan -= y[j] * Xy[j];
    }
  }
  cri_pop(tan, mark);
  return A_tan;
}

static void diagonal_vjp(const cr_model* m, const cr_data* d, cr_data* bar, int i, cr_real A_bar,
                         diagonals* g_bar) {
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
  // [regularisation.s3]' J_bar += 2 A_bar e_i (x) y, X_bar -= A_bar y (x) y
  int J = cri_pairs_add(&bar->efc_J_pairs), M = cri_pairs_add(&bar->M_pairs);
  cr_real* y = cri_pair_right(&bar->M_pairs, M);
  exact_diagonal(m, d, i, y, bar);
  cr_copy(cri_pair_right(&bar->efc_J_pairs, J), y, m->nv);
  cri_pair_left(&bar->efc_J_pairs, J)[i] = 2 * A_bar;
  for (int j = 0; j < m->nv; j++) {
    cri_pair_left(&bar->M_pairs, M)[j] = -A_bar * y[j];
  }
  for (int j = 0; j < m->nv && g_bar->W != NULL; j++) {
    g_bar->W[j] -= A_bar * y[j] * y[j];
  }
  if (g_bar->W != NULL && cri_fluid_on(m)) {
    int F = cri_pairs_add(&bar->efm_fluid_pairs);
    cr_copy(cri_pair_left(&bar->efm_fluid_pairs, F), cri_pair_left(&bar->M_pairs, M), m->nv);
    cr_copy(cri_pair_right(&bar->efm_fluid_pairs, F), y, m->nv);
  }
}

// ---- [regularisation.s6] A relative to the implicit inertia

// sum of J_ij^2 / X_j
static cr_real spread(const cr_data* d, int i, const cr_real* X) {
  cr_real sum = 0;
  for (int k = d->efc_J_rowadr[i]; k < d->efc_J_rowadr[i] + d->efc_J_rownnz[i]; k++) {
    sum += d->efc_J[k] * d->efc_J[k] / X[d->efc_J_colind[k]];
  }
  return sum;
}

// sum of J_ij^2 / M_jj; 0 if A keeps its value: a row that moves almost nothing has no ratio
static cr_real whole_spread(const cr_model* m, const cr_data* d, int i, const diagonals* g) {
  cr_real sum = g->H == NULL || exact(m) ? 0 : spread(d, i, g->M);
  return sum >= CR_MINVAL ? sum : 0;
}

// factor of A
static cr_real effect(const cr_model* m, const cr_data* d, int i, const diagonals* g) {
  cr_real whole = whole_spread(m, d, i, g);
  return whole > 0 ? spread(d, i, g->H) / whole : 1;
}

// tangent of its logarithm, given those of the diagonals
static cr_real effect_jvp(const cr_model* m, const cr_data* d, const cr_data* tan, int i,
                          const diagonals* g, const diagonals* g_tan) {
  cr_real whole = whole_spread(m, d, i, g), sum = 0;
  cr_real part = whole > 0 ? spread(d, i, g->H) : 0;
  for (int k = d->efc_J_rowadr[i]; whole > 0 && k < d->efc_J_rowadr[i] + d->efc_J_rownnz[i]; k++) {
    int j = d->efc_J_colind[k];
    cr_real J = d->efc_J[k], H = g->H[j], M = g->M[j];
    sum += 2 * J * tan->efc_J[k] * (1 / (H * part) - 1 / (M * whole)) -
           J * J * (g_tan->H[j] / (H * H * part) - g_tan->M[j] / (M * M * whole));
  }
  return sum;
}

// [regularisation.s6]' adds to the cotangents of the diagonals, and a pair to that of J
static void effect_vjp(const cr_model* m, const cr_data* d, cr_data* bar, int i, const diagonals* g,
                       cr_real log_bar, diagonals* g_bar) {
  cr_real whole = whole_spread(m, d, i, g);
  if (whole == 0 || log_bar == 0) {
    return;
  }
  cr_real part = spread(d, i, g->H);
  int own = cri_pairs_add(&bar->efc_J_pairs);
  cri_pair_left(&bar->efc_J_pairs, own)[i] = 2 * log_bar;
  for (int k = d->efc_J_rowadr[i]; k < d->efc_J_rowadr[i] + d->efc_J_rownnz[i]; k++) {
    int j = d->efc_J_colind[k];
    cr_real J = d->efc_J[k], H = g->H[j], M = g->M[j];
    cri_pair_right(&bar->efc_J_pairs, own)[j] = J * (1 / (H * part) - 1 / (M * whole));
    g_bar->H[j] -= log_bar * J * J / (H * H * part);
    g_bar->M[j] += log_bar * J * J / (M * M * whole);
  }
}

// ---- [regularisation.s7] smooth collision: the weight of a contact

static cr_real whole(const cr_data* d, int i) {
  return is_contact(d->efc_type[i]) ? d->contact_weight[d->efc_id[i]] : 1;
}

// ---- [regularisation.s1] R of one row

// R and the derivatives of its logarithm by I, log A and, with discrete, f
typedef struct {
  cr_real R, by_I, by_log_A, by_f;
} softness;

static softness softness_of(const cr_model* m, cr_real I, cr_real A, cr_real f) {
  cr_real R = (1 - I) * A / (I * f);
  bool free = R > CR_MINVAL;
  softness s = {.R = cr_max(CR_MINVAL, R)};
  s.by_I = free ? -1 / (I * (1 - I)) : 0;
  s.by_log_A = free ? 1 : 0;
  s.by_f = free ? -1 / f : 0;
  cr_real least = (1 - CR_MAX_IMPEDANCE) / CR_MAX_IMPEDANCE * A;
  if (cri_is_discrete(m) && s.R < least) {
    s = (softness){.R = least, .by_log_A = 1};
  }
  return s;
}

// [regularisation.s8] contacts of the model ncp: R = cfm / h
static cr_real mixing_of(const cr_model* m) { return m->ncp_cfm[0] / m->timestep; }

static void set(cr_data* d, int i, cr_real R) {
  cr_real I = d->efc_KBIP[4 * i + 2];
  d->efc_R[i] = R;
  d->efc_D[i] = 1 / R;
  d->efc_diagA[i] = R * I / (1 - I);
}

// ---- [regularisation.s4] rows of a contact, as multiples of R of the first

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

// number of rows from row i on that take R from that one
static int rows_led(const cr_model* m, const cr_data* d, int i) {
  return is_contact(d->efc_type[i]) ? cri_rows_block(m, d, i) : 1;
}

// ---- the stage

cr_status cr_regularisation(const cr_model* m, cr_data* d) {
  for (int c = 0; c < d->ncon; c++) {
    bool cone = d->contact_efc_address[c] >= 0 && d->contact_dim[c] > 1;
    d->contact_mu[c] = cone ? d->contact_friction[5 * c] * mu_scale(m) : 0;
  }
  CR_TRY(prepare_exact(m, d));
  size_t mark = cri_mark(d);
  diagonals g = diagonals_of(m, d, d);
  for (int i = 0, n; i < d->nefc; i += n) {
    n = rows_led(m, d, i);
    cr_real A = diagonal(m, d, i, d) * effect(m, d, i, &g);
    softness s = softness_of(m, d->efc_KBIP[4 * i + 2], A, cri_step_row_of(m, d, i).f);
    s.R = (cri_row_is_ncp(m, d, i) ? mixing_of(m) : s.R) / whole(d, i);
    for (int k = 0; k < n; k++) {
      set(d, i + k, is_contact(d->efc_type[i]) ? s.R * multiple(m, d, d->efc_id[i], k) : s.R);
    }
  }
  cri_pop(d, mark);
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

static diagonals diagonals_jvp(const cr_model* m, const cr_data* d, cr_data* tan) {
  diagonals g = diagonals_push(m, d, tan);
  if (g.H != NULL) {
    cri_implicit_inertia_diagonal_jvp(m, d, tan, g.W);
    add_up(m, tan, cri_fluid_on(m), &g);
  }
  return g;
}

cr_status cr_regularisation_jvp(const cr_model* m, const cr_data* d, cr_data* tan) {
  for (int c = 0; c < d->ncon; c++) {
    bool cone = d->contact_efc_address[c] >= 0 && d->contact_dim[c] > 1;
    tan->contact_mu[c] = cone ? tan->contact_friction[5 * c] * mu_scale(m) : 0;
  }
  size_t mark = cri_mark(tan);
  diagonals g = diagonals_of(m, d, tan), g_tan = diagonals_jvp(m, d, tan);
  for (int i = 0, n; i < d->nefc; i += n) {
    n = rows_led(m, d, i);
    const cr_real* KBIP_tan = tan->efc_KBIP + 4 * i;
    cri_step_row row = cri_step_row_of(m, d, i);
    cr_real A, A_tan = diagonal_jvp(m, d, tan, i, &g_tan, &A);
    softness s = softness_of(m, d->efc_KBIP[4 * i + 2], A * effect(m, d, i, &g), row.f);
    cr_real log_A = (A == 0 ? 0 : A_tan / A) + effect_jvp(m, d, tan, i, &g, &g_tan);
    cr_real log_tan =
        s.by_I * KBIP_tan[2] + s.by_log_A * log_A + s.by_f * cri_step_row_tan(row.f_y, KBIP_tan);
    if (cri_row_is_ncp(m, d, i)) {
      s.R = mixing_of(m);
      log_tan = cri_par_tan(tan->par.ncp_cfm, 0, 1)[0] / m->ncp_cfm[0];
    }
    if (is_contact(d->efc_type[i])) {
      s.R /= whole(d, i);
      log_tan -= tan->contact_weight[d->efc_id[i]] / whole(d, i);
      led_jvp(m, d, tan, i, n, s.R, log_tan);
    } else {
      tan->efc_D[i] = -log_tan / s.R;
    }
  }
  cri_pop(tan, mark);
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

static void row_vjp(const cr_model* m, const cr_data* d, cr_data* bar, int i, int n,
                    const diagonals* g, diagonals* g_bar) {
  cr_real* KBIP_bar = bar->efc_KBIP + 4 * i;
  cri_step_row row = cri_step_row_of(m, d, i);
  cr_real A = diagonal(m, d, i, bar);
  softness s = softness_of(m, d->efc_KBIP[4 * i + 2], A * effect(m, d, i, g), row.f);
  bool contact = is_contact(d->efc_type[i]), ncp = cri_row_is_ncp(m, d, i);
  s.R = (ncp ? mixing_of(m) : s.R) / whole(d, i);
  cr_real log_bar = contact ? led_vjp(m, d, bar, i, n, s.R) : -bar->efc_D[i] / s.R;
  if (contact) {
    bar->contact_weight[d->efc_id[i]] -= log_bar / whole(d, i);
  }
  if (ncp) {
    cri_par_add1(bar->par.ncp_cfm, 0, log_bar / m->ncp_cfm[0]);
    return;
  }
  KBIP_bar[2] += s.by_I * log_bar;
  cri_step_row_bar(row.f_y, s.by_f * log_bar, KBIP_bar);
  effect_vjp(m, d, bar, i, g, s.by_log_A * log_bar, g_bar);
  diagonal_vjp(m, d, bar, i, A == 0 ? 0 : s.by_log_A * log_bar / A, g_bar);
}

// x_j e_j (x) e_j
static void add_entry(cr_pairs* pairs, int j, cr_real x) {
  if (x != 0) {
    int own = cri_pairs_add(pairs);
    cri_pair_left(pairs, own)[j] = x;
    cri_pair_right(pairs, own)[j] = 1;
  }
}

static void diagonals_vjp(const cr_model* m, const cr_data* d, cr_data* bar, diagonals* g_bar) {
  bool fluid = cri_fluid_on(m);
  for (int j = 0; j < m->nv; j++) {
    add_entry(&bar->M_pairs, j, g_bar->H[j] + g_bar->M[j]);
    add_entry(&bar->efm_fluid_pairs, j, fluid ? g_bar->H[j] : 0);
    g_bar->W[j] += g_bar->H[j];
  }
  cri_implicit_inertia_diagonal_vjp(m, d, bar, g_bar->W);
}

cr_status cr_regularisation_vjp(const cr_model* m, const cr_data* d, cr_data* bar) {
  for (int c = 0; c < d->ncon; c++) {
    bool cone = d->contact_efc_address[c] >= 0 && d->contact_dim[c] > 1;
    bar->contact_friction[5 * c] += cone ? bar->contact_mu[c] * mu_scale(m) : 0;
  }
  size_t mark = cri_mark(bar);
  diagonals g = diagonals_of(m, d, bar), g_bar = diagonals_push(m, d, bar);
  if (g_bar.H != NULL) {
    cr_zero(g_bar.M, m->nv);
    cr_zero(g_bar.H, m->nv);
    cr_zero(g_bar.W, m->nv);
  }
  for (int i = 0, n; i < d->nefc; i += n) {
    n = rows_led(m, d, i);
    if (!is_free(bar, i, n)) {
      row_vjp(m, d, bar, i, n, &g, &g_bar);
    }
  }
  if (g.H != NULL) {
    diagonals_vjp(m, d, bar, &g_bar);
  }
  cri_pop(bar, mark);
  return CR_OK;
}
