// SPDX-License-Identifier: Apache-2.0
// Inverse weights at qpos0. Every one is a sum of diagonal entries of A = J M^-1 J' with J either
// the Jacobian of a body's centre of mass or a unit vector of a dof:
//   [constants.k1] x = M^-1 J'       [constants.k2] A = J x
// and so dA = 2 dJ x - x' dM x: an operator pair for M, and the motion of x for J. The acceleration of a unit
// force of an actuator is |x| with J its moment [constants.k3], so d|x| = y (dJ' - dM x), y = M^-1 x / |x|.
#include "engine/constants.h"

#include "carom/model.h"
#include "engine/added_mass.h"
#include "engine/assembly.h"
#include "engine/data_create.h"
#include "engine/driver.h"
#include "inertia/inertia.h"
#include "kinematics/com.h"
#include "kinematics/kinematics.h"
#include "kinematics/tendon.h"
#include "math/spatial.h"
#include "model/build.h"
#include "model/misuse.h"
#include "transmission/transmission.h"

const cr_field_id cri_derived_fields[CR_N_DERIVED] = {
    CR_FIELD_body_invweight0, CR_FIELD_dof_invweight0, CR_FIELD_tendon_invweight0,
    CR_FIELD_tendon_length0,  CR_FIELD_actuator_acc0,  CR_FIELD_eq_data,
    CR_FIELD_geom_fluid};

bool cri_field_is_derived(cr_field_id id) {
  for (int k = 0; k < CR_N_DERIVED_WHOLE; k++) {
    if (cri_derived_fields[k] == id) {
      return true;
    }
  }
  return false;
}

bool cri_is_derived(const cr_model* m, cr_field_id id, int i) {
  switch (id) {
    case CR_FIELD_eq_data:
      return cri_assembly_derives(m, i);
    case CR_FIELD_geom_fluid:
      return cri_added_mass_derives(m, i);
    default:
      return cri_field_is_derived(id);
  }
}

// ---- the state at qpos0

static cr_status evaluate(const cr_model* m, cr_data* d) {
  cri_data_reset(m, d);
  d->ncon = d->nefc = d->nJ = 0;
  CR_TRY(cr_kinematics(m, d));
  CR_TRY(cr_com(m, d));
  CR_TRY(cr_tendon(m, d));
  CR_TRY(cr_transmission(m, d));
  return cr_inertia(m, d);
}

static bool moves(const cr_model* m, int b) { return m->body_weldid[b] != 0; }

// spatial unit force at the centre of mass: along axis k, or about axis k - 3
static void unit_force(cr_real F[6], const cr_model* m, const cr_data* d, int b, int k) {
  cr_real axis[3] = {0, 0, 0}, r[3];
  axis[k % 3] = 1;
  cr_sub3(r, d->xipos + 3 * b, d->subtree_com + 3 * m->body_rootid[b]);
  cr_zero6(F);
  if (k < 3) {
    cr_cross3(F, r, axis);
    cr_copy3(F + 3, axis);
  } else {
    cr_copy3(F, axis);
  }
}

// last dof that moves body b, -1 if none does
static int last_dof(const cr_model* m, int b) {
  while (b > 0 && m->body_dofnum[b] == 0) {
    b = m->body_parentid[b];
  }
  return b == 0 ? -1 : m->body_dofadr[b] + m->body_dofnum[b] - 1;
}

// [constants.k1] x = M^-1 J' for the force F on body b; returns [constants.k2] A = J x
static cr_real inverse_weight(const cr_model* m, cr_data* d, int b, const cr_real F[6],
                              cr_real* x) {
  cr_zero(x, m->nv);
  for (int j = last_dof(m, b); j >= 0; j = m->dof_parentid[j]) {
    x[j] = cr_dot6(d->cdof + 6 * j, F);
  }
  cri_inertia_solve(m, d, cri_factors_of_M(d), x, d);
  cr_real A = 0;
  for (int j = last_dof(m, b); j >= 0; j = m->dof_parentid[j]) {
    A += cr_dot6(d->cdof + 6 * j, F) * x[j];
  }
  return A;
}

// dofs that share one averaged weight: [first, first + n)
static void dof_group(const cr_model* m, int dof, int* first, int* n) {
  int j = m->dof_jntid[dof], type = m->jnt_type[j], adr = m->jnt_dofadr[j];
  bool triple = type == CR_JNT_FREE || type == CR_JNT_BALL;
  *n = triple ? 3 : 1;
  *first = triple ? adr + (dof - adr) / 3 * 3 : dof;
}

// [constants.k1] x = M^-1 J' for tendon t
static void tendon_weight(const cr_model* m, cr_data* d, int t, cr_real* x) {
  cr_zero(x, m->nv);
  for (int k = m->ten_J_rowadr[t]; k < m->ten_J_rowadr[t] + m->ten_J_rownnz[t]; k++) {
    x[m->ten_J_colind[k]] = d->ten_J[k];
  }
  cri_inertia_solve(m, d, cri_factors_of_M(d), x, d);
}

// [constants.k3] x = M^-1 J' for the moment of output o; returns |x|
static cr_real actuator_weight(const cr_model* m, cr_data* d, int o, cr_real* x) {
  cr_real sum = 0;
  cr_zero(x, m->nv);
  for (int k = d->moment_rowadr[o]; k < d->moment_rowadr[o] + d->moment_rownnz[o]; k++) {
    x[d->moment_colind[k]] = d->actuator_moment[k];
  }
  cri_inertia_solve(m, d, cri_factors_of_M(d), x, d);
  for (int i = 0; i < m->nv; i++) {
    sum += x[i] * x[i];
  }
  return cr_sqrt(sum);
}

// ---- forward

static void derive_body(cr_model* m, cr_data* d, int b, cr_real* x) {
  cr_real* weight = m->body_invweight0 + 2 * b;
  weight[0] = weight[1] = 0;
  if (!moves(m, b)) {
    return;
  }
  if (m->body_simple[b] == 2) {
    weight[0] = 1 / cr_max(CR_MINVAL, m->body_mass[b]);
    return;
  }
  for (int k = 0; k < 6; k++) {
    cr_real F[6];
    unit_force(F, m, d, b, k);
    weight[k / 3] += inverse_weight(m, d, b, F, x) / 3;
  }
}

static void derive_dof(cr_model* m, cr_data* d, int dof, cr_real* x) {
  int first, n, b = m->dof_bodyid[dof];
  if (m->body_simple[b] == 2) {
    m->dof_invweight0[dof] = 1 / cr_max(CR_MINVAL, m->body_mass[b]);
    return;
  }
  dof_group(m, dof, &first, &n);
  m->dof_invweight0[dof] = 0;
  for (int j = first; j < first + n; j++) {
    cr_zero(x, m->nv);
    x[j] = 1;
    cri_inertia_solve(m, d, cri_factors_of_M(d), x, d);
    m->dof_invweight0[dof] += x[j] / (cr_real)n;
  }
}

static void derive_tendon(cr_model* m, cr_data* d, int t, cr_real* x) {
  tendon_weight(m, d, t, x);
  m->tendon_length0[t] = d->ten_length[t];
  m->tendon_invweight0[t] = 0;
  for (int k = m->ten_J_rowadr[t]; k < m->ten_J_rowadr[t] + m->ten_J_rownnz[t]; k++) {
    m->tendon_invweight0[t] += d->ten_J[k] * x[m->ten_J_colind[k]];
  }
}

cr_status cr_constants(cr_model* m, cr_data* work) {
  CR_TRY(evaluate(m, work));
  size_t mark = cri_mark(work);
  cr_real* x = cri_push(work, (size_t)m->nv);
  for (int b = 0; b < m->nbody; b++) {
    derive_body(m, work, b, x);
  }
  for (int i = 0; i < m->nv; i++) {
    derive_dof(m, work, i, x);
  }
  for (int t = 0; t < m->ntendon; t++) {
    derive_tendon(m, work, t, x);
  }
  for (int o = 0; o < m->nout; o++) {
    m->actuator_acc0[o] = actuator_weight(m, work, o, x);
  }
  for (int g = 0; g < m->ngeom; g++) {
    m->geom_rbound[g] = cri_geom_bound(m, g);
  }
  cri_assembly(m, work);
  cri_added_masses(m);
  cri_pop(work, mark);
  return CR_OK;
}

// ---- tangents

// y' dM x
static cr_real by_tangent_of_M(const cr_model* m, const cr_data* tan, const cr_real* y,
                               const cr_real* x) {
  cr_real sum = 0;
  for (int i = 0; i < m->nv; i++) {
    for (int k = m->M_rowadr[i]; k < m->M_rowadr[i] + m->M_rownnz[i]; k++) {
      int j = m->M_colind[k];
      sum += tan->M[k] * (i == j ? y[i] * x[i] : y[i] * x[j] + y[j] * x[i]);
    }
  }
  return sum;
}

// 2 dJ x - x' dM x, x = M^-1 J' of the unit force k on body b
static cr_real inverse_weight_tan(const cr_model* m, cr_data* d, const cr_data* tan, int b, int k,
                                  cr_real* x) {
  cr_real F[6], F_tan[6] = {0}, r_tan[3], sum = 0;
  unit_force(F, m, d, b, k);
  (void)inverse_weight(m, d, b, F, x);
  if (k < 3) {
    cr_sub3(r_tan, tan->xipos + 3 * b, tan->subtree_com + 3 * m->body_rootid[b]);
    cr_cross3(F_tan, r_tan, F + 3);
  }
  for (int j = last_dof(m, b); j >= 0; j = m->dof_parentid[j]) {
    sum += 2 * x[j] * (cr_dot6(tan->cdof + 6 * j, F) + cr_dot6(d->cdof + 6 * j, F_tan));
  }
  return sum - by_tangent_of_M(m, tan, x, x);
}

static cr_real slides_tan(const cr_model* m, const cr_data* tan, int b) {
  cr_real mass = cr_max(CR_MINVAL, m->body_mass[b]);
  return -cri_par_tan(tan->par.body_mass, b, 1)[0] / (mass * mass);
}

static void body_tan(const cr_model* m, cr_data* d, cr_data* tan, int b, cr_real* x) {
  cr_real* weight = tan->par.body_invweight0 + 2 * b;
  weight[0] = weight[1] = 0;
  if (moves(m, b) && m->body_simple[b] == 2) {
    weight[0] = slides_tan(m, tan, b);
  } else if (moves(m, b)) {
    for (int k = 0; k < 6; k++) {
      weight[k / 3] += inverse_weight_tan(m, d, tan, b, k, x) / 3;
    }
  }
}

static void dof_tan(const cr_model* m, cr_data* d, cr_data* tan, int dof, cr_real* x) {
  int first, n, b = m->dof_bodyid[dof];
  cr_real* weight = tan->par.dof_invweight0 + dof;
  *weight = m->body_simple[b] == 2 ? slides_tan(m, tan, b) : 0;
  dof_group(m, dof, &first, &n);
  for (int j = first; j < first + n && m->body_simple[b] != 2; j++) {
    cr_zero(x, m->nv);
    x[j] = 1;
    cri_inertia_solve(m, d, cri_factors_of_M(d), x, d);
    *weight -= by_tangent_of_M(m, tan, x, x) / (cr_real)n;
  }
}

static void tendon_tan(const cr_model* m, cr_data* d, cr_data* tan, int t, cr_real* x) {
  if (tan->par.tendon_length0 != NULL) {
    tan->par.tendon_length0[t] = tan->ten_length[t];
  }
  if (tan->par.tendon_invweight0 == NULL) {
    return;
  }
  tendon_weight(m, d, t, x);
  cr_real sum = -by_tangent_of_M(m, tan, x, x);
  for (int k = m->ten_J_rowadr[t]; k < m->ten_J_rowadr[t] + m->ten_J_rownnz[t]; k++) {
    sum += 2 * tan->ten_J[k] * x[m->ten_J_colind[k]];
  }
  tan->par.tendon_invweight0[t] = sum;
}

// [constants.k3] y (dJ' - dM x), y = M^-1 x / |x|
static void actuator_tan(const cr_model* m, cr_data* d, cr_data* tan, int o, cr_real* x) {
  cr_real weight = actuator_weight(m, d, o, x), sum = 0;
  tan->par.actuator_acc0[o] = 0;
  if (weight == 0) {
    return;
  }
  size_t mark = cri_mark(d);
  cr_real* y = cri_push(d, (size_t)m->nv);
  for (int i = 0; i < m->nv; i++) {
    y[i] = x[i] / weight;
  }
  cri_inertia_solve(m, d, cri_factors_of_M(d), y, d);
  for (int k = d->moment_rowadr[o]; k < d->moment_rowadr[o] + d->moment_rownnz[o]; k++) {
    sum += y[d->moment_colind[k]] * tan->actuator_moment[k];
  }
  tan->par.actuator_acc0[o] = sum - by_tangent_of_M(m, tan, y, x);
  cri_pop(d, mark);
}

static cr_status stages_tan(const cr_model* m, const cr_data* d, cr_data* tan) {
  CR_TRY(cr_kinematics_jvp(m, d, tan));
  CR_TRY(cr_com_jvp(m, d, tan));
  CR_TRY(cr_tendon_jvp(m, d, tan));
  CR_TRY(cr_transmission_jvp(m, d, tan));
  return cr_inertia_jvp(m, d, tan);
}

static void clear_stages_tan(const cr_model* m, const cr_data* d, cr_data* tan) {
  static const cr_field_id written[] = {CR_FIELD_M,
                                        CR_FIELD_subtree_com,
                                        CR_FIELD_cinert,
                                        CR_FIELD_cdof,
                                        CR_FIELD_xpos,
                                        CR_FIELD_xmat,
                                        CR_FIELD_xipos,
                                        CR_FIELD_ximat,
                                        CR_FIELD_xaxis,
                                        CR_FIELD_xanchor,
                                        CR_FIELD_geom_xpos,
                                        CR_FIELD_geom_xmat,
                                        CR_FIELD_site_xpos,
                                        CR_FIELD_site_xmat,
                                        CR_FIELD_ten_length,
                                        CR_FIELD_ten_J,
                                        CR_FIELD_actuator_length,
                                        CR_FIELD_actuator_moment};
  cri_fields_clear(m, d, tan, written, (int)(sizeof written / sizeof written[0]));
}

cr_status cr_constants_jvp(const cr_model* m, cr_data* work, cr_data* tan) {
  CR_TRY(evaluate(m, work));
  size_t mark = cri_mark(work), keep = cri_mark(tan);
  cr_real* x = cri_push(work, (size_t)m->nv);
  cr_real* qpos_tan = cri_push(tan, (size_t)m->nv);
  cr_copy(qpos_tan, tan->qpos, m->nv);
  cr_zero(tan->qpos, m->nv);  // qpos0 is a constant, not the state
  CR_TRY(stages_tan(m, work, tan));
  for (int b = 0; b < m->nbody && tan->par.body_invweight0 != NULL; b++) {
    body_tan(m, work, tan, b, x);
  }
  for (int i = 0; i < m->nv && tan->par.dof_invweight0 != NULL; i++) {
    dof_tan(m, work, tan, i, x);
  }
  for (int t = 0; t < m->ntendon; t++) {
    tendon_tan(m, work, tan, t, x);
  }
  for (int o = 0; o < m->nout && tan->par.actuator_acc0 != NULL; o++) {
    actuator_tan(m, work, tan, o, x);
  }
  cri_assembly_jvp(m, work, tan);
  cri_added_masses_jvp(m, &tan->par);
  clear_stages_tan(m, work, tan);
  cr_copy(tan->qpos, qpos_tan, m->nv);
  cri_pop(work, mark);
  cri_pop(tan, keep);
  return CR_OK;
}

// ---- backward

// consumes the pairs of ten_J; there may be more than room for them
static cr_status flush_tendons(const cr_model* m, const cr_data* d, cr_data* bar) {
  CR_TRY(cr_tendon_vjp(m, d, bar));
  cr_zero(bar->ten_length, m->ntendon);
  bar->ten_J_pairs.n = 0;
  return CR_OK;
}

// -s y' dM x, which the stage that makes M consumes at once: there may be more pairs than room
static cr_status add_product_bar(const cr_model* m, const cr_data* d, cr_data* bar,
                                 const cr_real* y, const cr_real* x, cr_real s) {
  int k = cri_pairs_add(&bar->M_pairs);
  for (int i = 0; i < m->nv; i++) {
    cri_pair_left(&bar->M_pairs, k)[i] = -s * y[i];
  }
  cr_copy(cri_pair_right(&bar->M_pairs, k), x, m->nv);
  if (bar->M_pairs.n == CRI_CONSTANTS_PAIRS) {
    CR_TRY(cr_inertia_vjp(m, d, bar));
    bar->M_pairs.n = 0;
    // the armature of tendons has left pairs of ten_J
    return flush_tendons(m, d, bar);
  }
  return CR_OK;
}

static cr_status add_inertia_bar(const cr_model* m, const cr_data* d, cr_data* bar,
                                 const cr_real* x, cr_real s) {
  return add_product_bar(m, d, bar, x, x, s);
}

// 2 s dJ x: J_j = cdof_j . F over the chain, F = (r x e, e) or (e, 0)
static void add_jacobian_bar(const cr_model* m, const cr_data* d, cr_data* bar, int b, int k,
                             const cr_real F[6], const cr_real* x, cr_real s) {
  cr_real F_bar[6] = {0};
  for (int j = last_dof(m, b); j >= 0; j = m->dof_parentid[j]) {
    cr_accscl6(bar->cdof + 6 * j, F, 2 * s * x[j]);
    cr_accscl6(F_bar, d->cdof + 6 * j, 2 * s * x[j]);
  }
  if (k < 3) {
    cr_real r_bar[3];
    cr_cross3(r_bar, F + 3, F_bar);
    cr_acc3(bar->xipos + 3 * b, r_bar);
    cr_accscl3(bar->subtree_com + 3 * m->body_rootid[b], r_bar, -1);
  }
}

static cr_status body_bar(const cr_model* m, cr_data* d, cr_data* bar, int b, cr_real* x) {
  const cr_real* weight_bar = bar->par.body_invweight0 + 2 * b;
  if (!moves(m, b) || (weight_bar[0] == 0 && weight_bar[1] == 0)) {
    return CR_OK;
  }
  if (m->body_simple[b] == 2) {
    if (bar->par.body_mass != NULL) {
      bar->par.body_mass[b] -= weight_bar[0] / (m->body_mass[b] * m->body_mass[b]);
    }
    return CR_OK;
  }
  for (int k = 0; k < 6; k++) {
    cr_real F[6], s = weight_bar[k / 3] / 3;
    unit_force(F, m, d, b, k);
    (void)inverse_weight(m, d, b, F, x);
    add_jacobian_bar(m, d, bar, b, k, F, x, s);
    CR_TRY(add_inertia_bar(m, d, bar, x, s));
  }
  return CR_OK;
}

static cr_status dof_bar(const cr_model* m, cr_data* d, cr_data* bar, int dof, cr_real* x) {
  int first, n, b = m->dof_bodyid[dof];
  cr_real weight_bar = bar->par.dof_invweight0[dof];
  if (weight_bar == 0) {
    return CR_OK;
  }
  if (m->body_simple[b] == 2) {
    if (bar->par.body_mass != NULL) {
      bar->par.body_mass[b] -= weight_bar / (m->body_mass[b] * m->body_mass[b]);
    }
    return CR_OK;
  }
  dof_group(m, dof, &first, &n);
  for (int j = first; j < first + n; j++) {
    cr_zero(x, m->nv);
    x[j] = 1;
    cri_inertia_solve(m, d, cri_factors_of_M(d), x, d);
    CR_TRY(add_inertia_bar(m, d, bar, x, weight_bar / (cr_real)n));
  }
  return CR_OK;
}

static cr_status tendon_bar(const cr_model* m, cr_data* d, cr_data* bar, int t, cr_real* x) {
  const cr_model* p = &bar->par;
  cr_real weight_bar = p->tendon_invweight0 == NULL ? 0 : p->tendon_invweight0[t];
  bar->ten_length[t] += p->tendon_length0 == NULL ? 0 : p->tendon_length0[t];
  if (weight_bar == 0) {
    return CR_OK;
  }
  tendon_weight(m, d, t, x);
  int k = cri_pairs_add(&bar->ten_J_pairs);
  cri_pair_left(&bar->ten_J_pairs, k)[t] = 2 * weight_bar;
  cr_copy(cri_pair_right(&bar->ten_J_pairs, k), x, m->nv);
  CR_TRY(add_inertia_bar(m, d, bar, x, weight_bar));
  return bar->ten_J_pairs.n == CRI_CONSTANTS_PAIRS ? flush_tendons(m, d, bar) : CR_OK;
}

// consumes the pairs of the moment
static cr_status flush_actuators(const cr_model* m, const cr_data* d, cr_data* bar) {
  CR_TRY(cr_transmission_vjp(m, d, bar));
  cri_fields_clear(m, d, bar, (const cr_field_id[]){CR_FIELD_actuator_moment}, 1);
  // tendons have pairs of their own
  return flush_tendons(m, d, bar);
}

static cr_status actuator_bar(const cr_model* m, cr_data* d, cr_data* bar, int o, cr_real* x) {
  cr_real weight_bar = bar->par.actuator_acc0[o], weight;
  if (weight_bar == 0 || (weight = actuator_weight(m, d, o, x)) == 0) {
    return CR_OK;
  }
  // [constants.k3]' y = M^-1 x / |x|, J_bar += y, M_bar -= y (x) x
  size_t mark = cri_mark(d);
  cr_real* y = cri_push(d, (size_t)m->nv);
  for (int i = 0; i < m->nv; i++) {
    y[i] = x[i] / weight;
  }
  cri_inertia_solve(m, d, cri_factors_of_M(d), y, d);
  int k = cri_pairs_add(&bar->actuator_moment_pairs);
  cri_pair_left(&bar->actuator_moment_pairs, k)[o] = weight_bar;
  cr_copy(cri_pair_right(&bar->actuator_moment_pairs, k), y, m->nv);
  cr_status status = add_product_bar(m, d, bar, y, x, weight_bar);
  cri_pop(d, mark);
  CR_TRY(status);
  return bar->actuator_moment_pairs.n == CRI_CONSTANTS_PAIRS ? flush_actuators(m, d, bar) : CR_OK;
}

// the stages that made the state at qpos0, backwards; clears the cotangents of their outputs
static cr_status stages_bar(const cr_model* m, const cr_data* d, cr_data* bar) {
  static const cr_field_id written[] = {
      CR_FIELD_M,         CR_FIELD_subtree_com, CR_FIELD_cinert,    CR_FIELD_cdof,
      CR_FIELD_xpos,      CR_FIELD_xmat,        CR_FIELD_xipos,     CR_FIELD_ximat,
      CR_FIELD_xaxis,     CR_FIELD_xanchor,     CR_FIELD_geom_xpos, CR_FIELD_geom_xmat,
      CR_FIELD_site_xpos, CR_FIELD_site_xmat};
  CR_TRY(cr_inertia_vjp(m, d, bar));
  CR_TRY(flush_actuators(m, d, bar));
  CR_TRY(cr_com_vjp(m, d, bar));
  CR_TRY(cr_kinematics_vjp(m, d, bar));
  cri_fields_clear(m, d, bar, written, (int)(sizeof written / sizeof written[0]));
  return CR_OK;
}

static void clear_derived(const cr_model* m, cr_data* bar) {
  for (int k = 0; k < CR_N_DERIVED; k++) {
    cr_field_id id = cri_derived_fields[k];
    cr_real* derived = cri_field_real(&bar->par, NULL, id);
    int n = derived == NULL ? 0 : cri_field_tangent_size(m, NULL, id);
    for (int i = 0; i < n; i++) {
      derived[i] = cri_is_derived(m, id, i) ? 0 : derived[i];
    }
  }
}

cr_status cr_constants_vjp(const cr_model* m, cr_data* work, cr_data* bar) {
  CR_TRY(evaluate(m, work));
  size_t mark = cri_mark(work), keep = cri_mark(bar);
  cr_real* x = cri_push(work, (size_t)m->nv);
  cr_real* qpos_bar = cri_push(bar, (size_t)m->nv);
  cr_copy(qpos_bar, bar->qpos, m->nv);
  for (int b = 0; b < m->nbody && bar->par.body_invweight0 != NULL; b++) {
    CR_TRY(body_bar(m, work, bar, b, x));
  }
  for (int i = 0; i < m->nv && bar->par.dof_invweight0 != NULL; i++) {
    CR_TRY(dof_bar(m, work, bar, i, x));
  }
  for (int t = 0; t < m->ntendon; t++) {
    CR_TRY(tendon_bar(m, work, bar, t, x));
  }
  for (int o = 0; o < m->nout && bar->par.actuator_acc0 != NULL; o++) {
    CR_TRY(actuator_bar(m, work, bar, o, x));
  }
  cri_assembly_vjp(m, work, bar);
  cri_added_masses_vjp(m, &bar->par);
  CR_TRY(stages_bar(m, work, bar));
  cr_copy(bar->qpos, qpos_bar, m->nv);  // qpos0 is a constant, not the state
  cri_pop(work, mark);
  cri_pop(bar, keep);
  clear_derived(m, bar);
  return CR_OK;
}

cr_status cr_model_derive(cr_model* m, cr_error* error) {
  const cri_call call = {"cr_model_derive", error};
  CR_TRY(cri_given(&call, m, "the model"));
  cr_data* work = NULL;
  CR_TRY(cri_data_create(&work, m, NULL, error));
  cr_status status = cr_constants(m, work);
  if (status != CR_OK) {
    (void)cri_fail(error, status, "%s", work->error.text);
  }
  cri_data_free(work);
  return status;
}
