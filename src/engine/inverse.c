// SPDX-License-Identifier: Apache-2.0
// The residual of forward dynamics with a given acceleration. The forces of the
// rows follow without a solve, and the derivative is a product, not an implicit one.
#include "engine/inverse.h"

#include "constraint/rows.h"
#include "engine/driver.h"
#include "engine/implicit_inertia_solve.h"
#include "engine/step_qderiv.h"
#include "inertia/implicit_inertia.h"
#include "inertia/inertia.h"
#include "math/cholesky.h"
#include "model/misuse.h"
#include "model/schedule.h"
#include "solver/contact_model.h"

// y = M x, M or its tangent
static void effective_mass_mul(const cr_model* m, const cr_real* M, cr_real* y, const cr_real* x) {
  cr_pattern p = {.n = m->nv, .nnz = m->M_rownnz, .adr = m->M_rowadr, .col = m->M_colind};
  cr_sparse_mul(y, M, &p, x);
}

// y += s x
static void add_scaled(cr_real* y, const cr_real* x, cr_real s, int n) {
  for (int i = 0; i < n; i++) {
    y[i] += s * x[i];
  }
}

// ---- [inverse.i0] continuous time from discrete time: M a = (M - hD) a2

static bool is_converted(const cr_model* m) {
  return (m->enableflags & CR_ENBL_INVDISCRETE) != 0 &&
         cri_step_qderiv_of(m) != CR_STEP_QDERIV_NONE;
}

static void solve_M(const cr_model* m, const cr_data* d, cr_real* x, cr_data* work) {
  cri_inertia_solve(m, d, cri_factors_of_M(d), x, work);
}

// a = a2 - h M^-1 D a2
static void convert(const cr_model* m, cr_data* d, cr_real* a) {
  size_t mark = cri_mark(d);
  cr_real* x = cri_push(d, (size_t)m->nv);
  cr_zero(x, m->nv);
  cri_step_qderiv_mul(m, d, cri_step_qderiv_of(m), -m->timestep, a, x, false, d);
  solve_M(m, d, x, d);
  add_scaled(a, x, 1, m->nv);
  cri_pop(d, mark);
}

// a_tan += M^-1 (-h D a2_tan - h D_tan a2 + M_tan (a2 - a)), with a_tan = a2_tan before
static void convert_jvp(const cr_model* m, const cr_data* d, cr_data* tan, cr_real* a_tan) {
  size_t mark = cri_mark(tan);
  cr_real *x = cri_push(tan, (size_t)m->nv), *away = cri_push(tan, (size_t)m->nv);
  cri_step_qderiv kind = cri_step_qderiv_of(m);
  cr_copy(away, d->qacc, m->nv);
  add_scaled(away, d->acc_qacc, -1, m->nv);
  effective_mass_mul(m, tan->M, x, away);
  cri_step_qderiv_mul(m, d, kind, -m->timestep, a_tan, x, false, tan);
  cri_step_qderiv_jvp(m, d, tan, kind, -m->timestep, d->qacc, x);
  solve_M(m, d, x, tan);
  add_scaled(a_tan, x, 1, m->nv);
  cri_pop(tan, mark);
}

// w = M^-1 a_bar, M_bar += w (x) (a2 - a), the gradient of -h w' D a2, a2_bar = a_bar - h D' w
static void convert_vjp(const cr_model* m, const cr_data* d, cr_data* bar, cr_real* a_bar) {
  cri_step_qderiv kind = cri_step_qderiv_of(m);
  int pair = cri_pairs_add(&bar->M_pairs);
  cr_real *w = cri_pair_left(&bar->M_pairs, pair), *away = cri_pair_right(&bar->M_pairs, pair);
  cr_copy(w, a_bar, m->nv);
  solve_M(m, d, w, bar);
  cr_copy(away, d->qacc, m->nv);
  add_scaled(away, d->acc_qacc, -1, m->nv);
  cri_step_qderiv_vjp(m, d, bar, kind, -m->timestep, w, d->qacc);
  cri_step_qderiv_mul(m, d, kind, -m->timestep, w, a_bar, true, bar);
}

// ---- the stage

cr_status cri_inverse(const cr_model* m, cr_data* d) {
  cr_copy(d->acc_qacc, d->qacc, m->nv);
  if (is_converted(m)) {
    convert(m, d, d->acc_qacc);
  }
  // [inverse.i1] f = f(e), e = J a - aref
  cri_rows_mul(m, d, d->efc_J, d->acc_jar, d->acc_qacc);
  for (int i = 0; i < d->nefc; i++) {
    d->acc_jar[i] -= d->efc_aref[i];
  }
  CR_TRY(cri_contact_model(m)->force(m, d));
  cr_copy(d->efc_force, d->acc_force, d->nefc);
  cr_zero(d->qfrc_constraint, m->nv);
  cri_rows_mul_transposed(m, d, d->efc_J, d->qfrc_constraint, d->acc_force);
  // [inverse.i2] M a + c - passive - J' f
  effective_mass_mul(m, d->M, d->qfrc_inverse, d->acc_qacc);
  for (int i = 0; i < m->nv; i++) {
    d->qfrc_inverse[i] += d->qfrc_bias[i] - d->qfrc_passive[i] - d->qfrc_constraint[i];
  }
  // [inverse.i3] + (A - M) a - shift, A = Mhat, of free bodies that nothing touches Mhat + h dc/dv
  if (cri_is_discrete(m)) {
    cri_implicit_inertia_add(m, d, d->acc_qacc, d->qfrc_inverse);
    add_scaled(d->qfrc_inverse, d->qfrc_shift, -1, m->nv);
    if (cri_implicit_inertia_mark_free(m, d)) {
      cri_step_qderiv_mul(m, d, CR_STEP_QDERIV_GYRO, -m->timestep, d->acc_qacc, d->qfrc_inverse,
                          false, d);
    }
  }
  return CR_OK;
}

cr_status cri_inverse_jvp(const cr_model* m, const cr_data* d, cr_data* tan) {
  size_t mark = cri_mark(tan);
  cr_real* e_tan = cri_push(tan, (size_t)d->nefc);
  cr_real* part = cri_push(tan, (size_t)(m->nv > d->nefc ? m->nv : d->nefc));
  cr_real* a_tan = cri_push(tan, (size_t)m->nv);
  cr_copy(a_tan, tan->qacc, m->nv);
  if (is_converted(m)) {
    convert_jvp(m, d, tan, a_tan);
  }
  // [inverse.i1] F' (J' a + J a' - aref')
  cri_rows_mul(m, d, d->efc_J, e_tan, a_tan);
  cri_rows_mul(m, d, tan->efc_J, part, d->acc_qacc);
  for (int i = 0; i < d->nefc; i++) {
    e_tan[i] += part[i] - tan->efc_aref[i];
  }
  cri_contact_model(m)->force_jvp(m, d, tan, e_tan, tan->efc_force);
  cr_zero(tan->qfrc_constraint, m->nv);
  cri_rows_mul_transposed(m, d, tan->efc_J, tan->qfrc_constraint, d->acc_force);
  cri_rows_mul_transposed(m, d, d->efc_J, tan->qfrc_constraint, tan->efc_force);
  cri_contact_model(m)->latent_jvp(m, d, tan, tan->qfrc_constraint);
  // [inverse.i2]
  effective_mass_mul(m, d->M, tan->qfrc_inverse, a_tan);
  effective_mass_mul(m, tan->M, part, d->acc_qacc);
  for (int i = 0; i < m->nv; i++) {
    tan->qfrc_inverse[i] +=
        part[i] + tan->qfrc_bias[i] - tan->qfrc_passive[i] - tan->qfrc_constraint[i];
  }
  // [inverse.i3]
  if (cri_is_discrete(m)) {
    cri_implicit_inertia_add(m, d, a_tan, tan->qfrc_inverse);
    cri_implicit_inertia_jvp(m, d, tan, d->acc_qacc, tan->qfrc_inverse);
    add_scaled(tan->qfrc_inverse, tan->qfrc_shift, -1, m->nv);
    if (cri_implicit_inertia_any_free(m, d)) {
      cri_step_qderiv_mul(m, d, CR_STEP_QDERIV_GYRO, -m->timestep, a_tan, tan->qfrc_inverse, false,
                          tan);
      cri_step_qderiv_jvp(m, d, tan, CR_STEP_QDERIV_GYRO, -m->timestep, d->acc_qacc,
                          tan->qfrc_inverse);
    }
  }
  cri_pop(tan, mark);
  return CR_OK;
}

// [inverse.i1]' from q = the cotangent of J' f
static void rows_vjp(const cr_model* m, const cr_data* d, cr_data* bar, const cr_real* q,
                     cr_real* a_bar) {
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
  cri_rows_mul_transposed(m, d, d->efc_J, a_bar, e_bar);
  // J_bar += f (x) q + e_bar (x) a
  cr_copy(cri_pair_left(J_bar, of_f), d->acc_force, d->nefc);
  cr_copy(cri_pair_right(J_bar, of_f), q, m->nv);
  cr_copy(cri_pair_right(J_bar, of_e), d->acc_qacc, m->nv);
  cri_pop(bar, mark);
}

cr_status cri_inverse_vjp(const cr_model* m, const cr_data* d, cr_data* bar) {
  size_t mark = cri_mark(bar);
  const cr_real* w = bar->qfrc_inverse;
  cr_real *q = cri_push(bar, (size_t)m->nv), *a_bar = cri_push(bar, (size_t)m->nv);
  cr_zero(a_bar, m->nv);
  // [inverse.i3]' a_bar += (A - M)' w, (A - M)_bar += w (x) a, shift_bar -= w
  if (cri_is_discrete(m)) {
    cri_implicit_inertia_add(m, d, w, a_bar);
    cri_implicit_inertia_vjp(m, d, bar, w, d->acc_qacc);
    add_scaled(bar->qfrc_shift, w, -1, m->nv);
    if (cri_implicit_inertia_any_free(m, d)) {
      cri_step_qderiv_mul(m, d, CR_STEP_QDERIV_GYRO, -m->timestep, w, a_bar, true, bar);
      cri_step_qderiv_vjp(m, d, bar, CR_STEP_QDERIV_GYRO, -m->timestep, w, d->acc_qacc);
    }
  }
  // [inverse.i2]' a_bar += M w, M_bar += w (x) a; J' f gets -w in addition to its own
  effective_mass_mul(m, d->M, q, w);
  for (int i = 0; i < m->nv; i++) {
    a_bar[i] += q[i];
    bar->qfrc_bias[i] += w[i];
    bar->qfrc_passive[i] -= w[i];
    q[i] = bar->qfrc_constraint[i] - w[i];
  }
  int pair = cri_pairs_add(&bar->M_pairs);
  cr_copy(cri_pair_left(&bar->M_pairs, pair), w, m->nv);
  cr_copy(cri_pair_right(&bar->M_pairs, pair), d->acc_qacc, m->nv);
  cri_contact_model(m)->latent_vjp(m, d, bar, q);
  if (d->nefc > 0) {
    rows_vjp(m, d, bar, q, a_bar);
  }
  // [inverse.i0]'
  if (is_converted(m)) {
    convert_vjp(m, d, bar, a_bar);
  }
  add_scaled(bar->qacc, a_bar, 1, m->nv);
  cri_pop(bar, mark);
  return CR_OK;
}

// ---- with everything before: the dynamics without their last row

// no single matrix relates the acceleration of a step of several stages to another one
static cr_status check_flag(const cr_model* m, cr_data* d) {
  bool staged = cri_is_explicit(m->integrator);
  if ((m->enableflags & CR_ENBL_INVDISCRETE) != 0 && staged) {
    return cri_fail(
        &d->error, CR_ERR_UNSUPPORTED,
        "option flag invdiscrete: inverse dynamics in discrete time has no meaning with "
        "an integrator of several stages");
  }
  return CR_OK;
}

// forces are summed up differently here: without actuation and applied forces
static cr_status check_stages(const cr_model* m, cr_data* d) {
  const cri_schedule* s = cri_schedule_of(m);
  for (int i = 0; i < s->nprepare && s->nadded > 0; i++) {
    bool runs = s->row[i].added != NULL && cri_added_runs(m, s->row[i].added);
    for (int k = 0; k < s->row[i].nwrite && runs; k++) {
      if (s->row[i].writes[k] == CR_FIELD_qfrc_smooth) {
        return cri_fail(
            &d->error, CR_ERR_UNSUPPORTED,
            "stage '%s' changes qfrc_smooth, which inverse dynamics does not use: let it "
            "change qfrc_passive or qfrc_actuator",
            s->row[i].name);
      }
    }
  }
  return CR_OK;
}

cr_status cr_inverse(const cr_model* m, cr_data* d) {
  const cri_call call = {"cr_inverse", cri_error_of(d)};
  CR_TRY(cri_check_data(&call, m, d, CR_DATA_PLAIN, "the data"));
  bool want_M = d->want_M;
  CR_TRY(check_flag(m, d));
  CR_TRY(check_stages(m, d));
  for (int i = 0; i < m->nv; i++) {
    if (!isfinite(d->qacc[i])) {
      return cri_fail(&d->error, CR_ERR_NONFINITE, "qacc[%d] is not finite", i);
    }
  }
  d->measured = false;
  d->done = 0;
  d->want_M = true;
  const cri_schedule* s = cri_schedule_of(m);
  const cri_rows rows = {.end = s->nprepare};
  cr_status status = cri_drive(s, CRI_FORWARD, &rows, m, d, d);
  d->want_M = want_M;
  status = status == CR_OK ? cri_inverse(cri_model_at(m, d), d) : status;
  status = status == CR_OK ? cri_room_check(d, "inverse") : status;
  d->done = status == CR_OK ? CRI_DONE_FRAMES | CRI_DONE_INVERSE : 0;
  return status;
}

static cr_status check_sweep(const char* name, const cr_model* m, const cr_data* d,
                             const cr_data* twin, cr_data_role role) {
  const cri_call call = {name, cri_error_of(twin != NULL ? twin : d)};
  const char* what = role == CR_DATA_TANGENT ? "tan" : "bar";
  CR_TRY(cri_check_done(&call, m, d, CRI_DONE_INVERSE));
  return cri_check_twin(&call, m, d, twin, role, what);
}

cr_status cr_inverse_jvp(const cr_model* m, const cr_data* d, cr_data* tan) {
  CR_TRY(check_sweep("cr_inverse_jvp", m, d, tan, CR_DATA_TANGENT));
  const cri_schedule* s = cri_schedule_of(m);
  const cri_rows rows = {.end = s->nprepare};
  CR_TRY(cri_drive(s, CRI_JVP, &rows, m, d, tan));
  cr_status status = cri_inverse_jvp(cri_twin_open(m, d, tan, false), d, tan);
  cri_twin_close(tan);
  return status == CR_OK ? cri_room_check(tan, "inverse") : status;
}

cr_status cr_inverse_vjp(const cr_model* m, const cr_data* d, cr_data* bar) {
  static const cr_field_id own[] = {CR_FIELD_qfrc_inverse, CR_FIELD_efc_force,
                                    CR_FIELD_qfrc_constraint};
  CR_TRY(check_sweep("cr_inverse_vjp", m, d, bar, CR_DATA_COTANGENT));
  cr_status status = cri_inverse_vjp(cri_twin_open(m, d, bar, false), d, bar);
  cri_twin_close(bar);
  CR_TRY(status);
  CR_TRY(cri_room_check(bar, "inverse"));
  cri_fields_clear(m, d, bar, own, 3);
  const cri_schedule* s = cri_schedule_of(m);
  const cri_rows rows = {.end = s->nprepare};
  return cri_drive(s, CRI_VJP, &rows, m, d, bar);
}
