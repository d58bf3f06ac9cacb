// SPDX-License-Identifier: Apache-2.0
// The residual of forward dynamics read the other way: the acceleration is given, so the forces of the
// rows follow without a solve, and the derivative is a product, not an implicit one.
#include "engine/inverse.h"

#include "contact/law.h"
#include "contact/model.h"
#include "contact/rows.h"
#include "dynamics/effective.h"
#include "engine/pipeline.h"
#include "math/cholesky.h"

// y = M x, M or its tangent
static void metric_mul(const cr_model* m, const cr_real* M, cr_real* y, const cr_real* x) {
  cr_pattern p = {.n = m->nv, .nnz = m->M_rownnz, .adr = m->M_rowadr, .col = m->M_colind};
  cr_sparse_mul(y, M, &p, x);
}

// y += s x
static void add_scaled(cr_real* y, const cr_real* x, cr_real s, int n) {
  for (int i = 0; i < n; i++) {
    y[i] += s * x[i];
  }
}

// ---- the stage

cr_status cri_inverse(const cr_model* m, cr_data* d) {
  cr_copy(d->acc_qacc, d->qacc, m->nv);
  // [i1] f = f(e), e = J a - aref
  cri_rows_mul(m, d, d->efc_J, d->acc_jar, d->acc_qacc);
  for (int i = 0; i < d->nefc; i++) {
    d->acc_jar[i] -= d->efc_aref[i];
  }
  cri_law_force(d, d->acc_jar, d->acc_force, d->efc_state);
  cr_copy(d->efc_force, d->acc_force, d->nefc);
  cr_zero(d->qfrc_constraint, m->nv);
  cri_rows_mul_transposed(m, d, d->efc_J, d->qfrc_constraint, d->acc_force);
  // [i2] M a + c - passive - J' f
  metric_mul(m, d->M, d->qfrc_inverse, d->acc_qacc);
  for (int i = 0; i < m->nv; i++) {
    d->qfrc_inverse[i] += d->qfrc_bias[i] - d->qfrc_passive[i] - d->qfrc_constraint[i];
  }
  // [i3] + (Mhat - M) a - shift
  if (cri_is_discrete(m)) {
    cri_effective_add(m, d, d->acc_qacc, d->qfrc_inverse);
    add_scaled(d->qfrc_inverse, d->qfrc_shift, -1, m->nv);
  }
  return CR_OK;
}

cr_status cri_inverse_jvp(const cr_model* m, const cr_data* d, cr_data* tan) {
  size_t mark = cri_mark(tan);
  cr_real* e_tan = cri_push(tan, (size_t)d->nefc);
  cr_real* part = cri_push(tan, (size_t)(m->nv > d->nefc ? m->nv : d->nefc));
  // [i1] F' (J' a + J a' - aref')
  cri_rows_mul(m, d, d->efc_J, e_tan, tan->qacc);
  cri_rows_mul(m, d, tan->efc_J, part, d->acc_qacc);
  for (int i = 0; i < d->nefc; i++) {
    e_tan[i] += part[i] - tan->efc_aref[i];
  }
  cri_contact_model(m)->force_jvp(m, d, tan, e_tan, tan->efc_force);
  cr_zero(tan->qfrc_constraint, m->nv);
  cri_rows_mul_transposed(m, d, tan->efc_J, tan->qfrc_constraint, d->acc_force);
  cri_rows_mul_transposed(m, d, d->efc_J, tan->qfrc_constraint, tan->efc_force);
  // [i2]
  metric_mul(m, d->M, tan->qfrc_inverse, tan->qacc);
  metric_mul(m, tan->M, part, d->acc_qacc);
  for (int i = 0; i < m->nv; i++) {
    tan->qfrc_inverse[i] +=
        part[i] + tan->qfrc_bias[i] - tan->qfrc_passive[i] - tan->qfrc_constraint[i];
  }
  // [i3]
  if (cri_is_discrete(m)) {
    cri_effective_add(m, d, tan->qacc, tan->qfrc_inverse);
    cri_effective_jvp(m, d, tan, d->acc_qacc, tan->qfrc_inverse);
    add_scaled(tan->qfrc_inverse, tan->qfrc_shift, -1, m->nv);
  }
  cri_pop(tan, mark);
  return CR_OK;
}

// [i1]' from q = the cotangent of J' f
static void rows_vjp(const cr_model* m, const cr_data* d, cr_data* bar, const cr_real* q) {
  size_t mark = cri_mark(bar);
  cr_real* f_bar = cri_push(bar, (size_t)d->nefc);
  cr_pairs* J_bar = &bar->efc_J_pairs;
  int of_f = cri_pairs_add(J_bar), of_e = cri_pairs_add(J_bar);
  cr_real* e_bar = cri_pair_left(J_bar, of_e);
  // f_bar += J q, e_bar = F'^T f_bar
  cri_rows_mul(m, d, d->efc_J, f_bar, q);
  for (int i = 0; i < d->nefc; i++) {
    f_bar[i] += bar->efc_force[i];
  }
  cri_contact_model(m)->force_vjp(m, d, bar, f_bar, e_bar);
  for (int i = 0; i < d->nefc; i++) {
    bar->efc_aref[i] -= e_bar[i];
  }
  cri_rows_mul_transposed(m, d, d->efc_J, bar->qacc, e_bar);
  // J_bar += f (x) q + e_bar (x) a
  cr_copy(cri_pair_left(J_bar, of_f), d->acc_force, d->nefc);
  cr_copy(cri_pair_right(J_bar, of_f), q, m->nv);
  cr_copy(cri_pair_right(J_bar, of_e), d->acc_qacc, m->nv);
  cri_pop(bar, mark);
}

cr_status cri_inverse_vjp(const cr_model* m, const cr_data* d, cr_data* bar) {
  size_t mark = cri_mark(bar);
  const cr_real* w = bar->qfrc_inverse;
  cr_real* q = cri_push(bar, (size_t)m->nv);
  // [i3]' a_bar += (Mhat - M) w, (Mhat - M)_bar += w (x) a, shift_bar -= w
  if (cri_is_discrete(m)) {
    cri_effective_add(m, d, w, bar->qacc);
    cri_effective_vjp(m, d, bar, w, d->acc_qacc);
    add_scaled(bar->qfrc_shift, w, -1, m->nv);
  }
  // [i2]' a_bar += M w, M_bar += w (x) a, and J' f has - w besides its own
  metric_mul(m, d->M, q, w);
  for (int i = 0; i < m->nv; i++) {
    bar->qacc[i] += q[i];
    bar->qfrc_bias[i] += w[i];
    bar->qfrc_passive[i] -= w[i];
    q[i] = bar->qfrc_constraint[i] - w[i];
  }
  int pair = cri_pairs_add(&bar->M_pairs);
  cr_copy(cri_pair_left(&bar->M_pairs, pair), w, m->nv);
  cr_copy(cri_pair_right(&bar->M_pairs, pair), d->acc_qacc, m->nv);
  if (d->nefc > 0) {
    rows_vjp(m, d, bar, q);
  }
  cri_pop(bar, mark);
  return CR_OK;
}

// ---- with all that comes before: the dynamics without their last row

enum { LAST = 1 };  // the acceleration

// with the integrator discrete the metric of a free body alone has the derivative of its bias force,
// where nothing touches it
static cr_status check_free_bodies(const cr_model* m, cr_data* d) {
  for (int t = 0; t < m->ntree && cri_is_discrete(m); t++) {
    int joint = m->tree_dofnum[t] == 6 ? m->dof_jntid[m->tree_dofadr[t]] : -1;
    if (joint >= 0 && m->jnt_type[joint] == CR_JNT_FREE) {
      return cri_fail(&d->error, CR_ERR_UNSUPPORTED,
                      "joint %d \"%s\": inverse dynamics of a free body alone with the integrator "
                      "discrete is not supported yet",
                      joint, cri_name(m, m->name_jntadr, joint));
    }
  }
  return CR_OK;
}

cr_status cr_inverse(const cr_model* m, cr_data* d) {
  bool want_M = d->want_M;
  cr_status status = CR_OK;
  CR_TRY(check_free_bodies(m, d));
  for (int i = 0; i < m->nv; i++) {
    if (!isfinite(d->qacc[i])) {
      return cri_fail(&d->error, CR_ERR_NONFINITE, "qacc[%d] is not finite", i);
    }
  }
  d->measured = false;
  d->want_M = true;
  for (int i = 0; i < cr_ndynamics - LAST && status == CR_OK; i++) {
    status = cr_pipeline[i].forward(m, d);
  }
  d->want_M = want_M;
  return status == CR_OK ? cri_inverse(m, d) : status;
}

cr_status cr_inverse_jvp(const cr_model* m, const cr_data* d, cr_data* tan) {
  for (int i = 0; i < cr_ndynamics - LAST; i++) {
    CR_TRY(cr_pipeline[i].jvp(m, d, tan));
  }
  return cri_inverse_jvp(m, d, tan);
}

cr_status cr_inverse_vjp(const cr_model* m, const cr_data* d, cr_data* bar) {
  static const cr_field_id own[] = {CR_FIELD_qfrc_inverse, CR_FIELD_efc_force,
                                    CR_FIELD_qfrc_constraint};
  CR_TRY(cri_inverse_vjp(m, d, bar));
  for (int k = 0; k < 3; k++) {
    cri_clear_field(m, d, bar, own[k]);
  }
  for (int i = cr_ndynamics - LAST - 1; i >= 0; i--) {
    const cr_stage* stage = &cr_pipeline[i];
    CR_TRY(stage->vjp(m, d, bar));
    for (int k = 0; k < stage->nwrite; k++) {
      cri_clear_field(m, d, bar, stage->writes[k]);
    }
  }
  return CR_OK;
}
