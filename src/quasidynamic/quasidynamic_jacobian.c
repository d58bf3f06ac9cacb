// SPDX-License-Identifier: Apache-2.0
// Derivatives of a quasi-dynamic step: tangents of the stages give the change of the problem, the cone program that of its
// solution. derivation: docs/derivations/quasidynamic.md
#include <stdlib.h>

#include "constraint/rows.h"
#include "engine/driver.h"
#include "kinematics/configuration.h"
#include "model/misuse.h"
#include "quasidynamic/quasidynamic_work.h"

static cr_status prepare(cr_quasidynamic* x, const cri_call* call) {
  if (!x->stepped) {
    return cri_fail(call->error, CR_ERR_ARG, "%s: cr_quasidynamic_step comes first", call->name);
  }
  if (!x->linear && !cri_cone_linearise(&x->cone)) {
    return cri_fail(call->error, CR_ERR_SINGULAR, "%s: the linearised step has no factor",
                    call->name);
  }
  if (!x->linear) {
    cri_rows_mul(&x->m, x->d, x->d->efc_J, x->rate, x->cone.x);
  }
  x->linear = true;
  return CR_OK;
}

// [quasidynamic.d1] rho = dQ x - dtau, of inertia, springs, gravity; servos beside it
static void add_energy(cr_quasidynamic* x, const cr_data* tan) {
  const cr_model* m = &x->m;
  const cr_real* d = x->cone.x;
  const bool springs = (m->disableflags & CR_DSBL_SPRING) == 0;
  cr_real factor_tan;
  const cr_real factor = cri_quasidynamic_inertia(x, tan, &factor_tan);
  for (int i = 0; i < m->nv; i++) {
    x->rho[i] = tan->qfrc_bias[i] - tan->qfrc_passive[i];
    if (springs) {
      x->rho[i] += *cri_par_tan(tan->par.jnt_stiffness, m->dof_jntid[i], 1) * d[i];
    }
  }
  for (int i = 0; i < m->nv; i++) {
    for (int k = m->M_rowadr[i]; k < m->M_rowadr[i] + m->M_rownnz[i]; k++) {
      const int j = m->M_colind[k];
      if (x->has_servo[i] || x->has_servo[j]) {
        continue;
      }
      const cr_real entry = factor * tan->M[k] + factor_tan * x->d->M[k];
      x->rho[i] += entry * d[j];
      x->rho[j] += i == j ? 0 : entry * d[i];
    }
  }
}

static void add_servos(cr_quasidynamic* x, const cr_data* tan, const cr_real* qpos_tan) {
  for (int i = 0; i < x->nservo; i++) {
    const cri_servo* s = &x->servo[i];
    x->rho[s->dof] += cri_servo_stiffness(&x->m, s) * qpos_tan[s->dof];
    x->rho[s->dof] += cri_servo_stiffness_tan(&x->m, s, &tan->par) * x->cone.x[s->dof];
    x->rho[s->dof] -= cri_servo_force_tan(&x->m, s, &tan->par, x->d->qpos, x->u);
  }
}

// next' of a tangent of qpos and of parameters, in `tan`
static cr_status tangent(cr_quasidynamic* x, cr_data* tan, const bool* stages, cr_real* next_tan) {
  const cri_rows rows = {.end = x->nstage, .only = stages};
  const cr_status status = cri_drive(x->schedule, CRI_JVP, &rows, &x->m, x->d, tan);
  if (status != CR_OK) {
    x->error = tan->error;
    return status;
  }
  const int n = x->m.nv;
  add_energy(x, tan);
  add_servos(x, tan, tan->qpos);
  cr_zero(x->column, n);
  cri_cones_tangent(&x->m, x->d, tan, &x->cone, x->row, x->force, x->rate, x->work, x->sigma,
                    x->column);
  for (int i = 0; i < n; i++) {
    x->rho[i] -= x->column[i];
  }
  cri_cone_tangent(&x->cone, x->rho, x->sigma, x->dx);
  cri_configuration_move_jvp(&x->m, x->cone.x, 1, tan->qpos, x->dx, next_tan);
  return CR_OK;
}

static void put(const cr_real* column, int n, cr_real* to, int ld) {
  for (int i = 0; i < n; i++) {
    to[(ptrdiff_t)i * ld] = column[i];
  }
}

static cr_status by_qpos(cr_quasidynamic* x, cr_real* A) {
  const int n = x->m.nv;
  cr_zero(x->tan->qpos, n);
  for (int j = 0; j < n; j++) {
    x->tan->qpos[j] = 1;
    const cr_status status = tangent(x, x->tan, x->moved, x->column);
    x->tan->qpos[j] = 0;
    CR_TRY(status);
    put(x->column, n, A + j, n);
  }
  return CR_OK;
}

static void by_u(cr_quasidynamic* x, cr_real* B) {
  const int n = x->m.nv;
  cr_zero(B, n * x->m.nu);
  cr_zero(x->sigma, x->cone.nrow);
  for (int i = 0; i < x->nservo; i++) {
    const cri_servo* s = &x->servo[i];
    cr_zero(x->rho, n);
    x->rho[s->dof] = -cri_servo_gain(&x->m, s);
    cri_cone_tangent(&x->cone, x->rho, x->sigma, x->dx);
    cr_zero(x->rho, n);
    cri_configuration_move_jvp(&x->m, x->cone.x, 1, x->rho, x->dx, x->column);
    put(x->column, n, B + s->ctrl, x->m.nu);
  }
}

cr_status cr_quasidynamic_jacobian(cr_quasidynamic* work, cr_real* A, cr_real* B) {
  const cri_call call = {"cr_quasidynamic_jacobian", work != NULL ? &work->error : NULL};
  CR_TRY(cri_given(&call, work, "work"));
  CR_TRY(prepare(work, &call));
  if (B != NULL) {
    by_u(work, B);
  }
  return A != NULL ? by_qpos(work, A) : CR_OK;
}

// ---- by parameters

static cr_status find(cr_quasidynamic* x, const char* const* names, int n, bool* wanted) {
  x->nplace = x->ncolumn = 0;
  free(x->place);
  x->place = calloc((size_t)n + 1, sizeof *x->place);
  if (x->place == NULL) {
    return cri_fail(&x->error, CR_ERR_MEMORY, "quasi-dynamic Jacobian: no memory");
  }
  for (int i = 0; i < n; i++) {
    cr_place* place = &x->place[i];
    CR_TRY(cri_place_find(place, &x->m, names[i], &x->error));
    if (cri_field(place->field)->kind != CR_KIND_PARAM || place->tan_count == 0) {
      return cri_fail(&x->error, CR_ERR_NAME, "quasi-dynamic Jacobian by %s: not a parameter",
                      names[i]);
    }
    wanted[place->field] = true;
  }
  return CR_OK;
}

cr_status cr_quasidynamic_set_parameters(cr_quasidynamic* work, const char* const* names, int n) {
  const cri_call call = {"cr_quasidynamic_set_parameters", work != NULL ? &work->error : NULL};
  CR_TRY(cri_given(&call, work, "work"));
  CR_TRY(n > 0 ? cri_given(&call, names, "names") : CR_OK);
  for (int i = 0; i < n; i++) {
    CR_TRY(cri_given(&call, names[i], "a name"));
  }
  bool wanted[CR_N_FIELD] = {false};
  CR_TRY(find(work, names, n, wanted));
  cri_data_free(work->par_tan);
  work->par_tan = NULL;
  CR_TRY(cri_data_twin(&work->par_tan, &work->m, work->d, CR_DATA_TANGENT, wanted, &work->error));
  work->nplace = n;
  for (int i = 0; i < n; i++) {
    work->ncolumn += work->place[i].tan_count;
  }
  return CR_OK;
}

int cr_quasidynamic_columns(const cr_quasidynamic* work) {
  return work != NULL ? work->ncolumn : 0;
}

cr_status cr_quasidynamic_parameter_jacobian(cr_quasidynamic* work, cr_real* by_parameters) {
  const cri_call call = {"cr_quasidynamic_parameter_jacobian", work != NULL ? &work->error : NULL};
  CR_TRY(cri_given(&call, work, "work"));
  CR_TRY(cri_given(&call, by_parameters, "by_parameters"));
  CR_TRY(prepare(work, &call));
  cr_real* to = by_parameters;
  for (int i = 0; i < work->nplace; i++) {
    const cr_place* place = &work->place[i];
    cr_real* seed = cri_place_tangent(place, &work->m, work->d, work->par_tan);
    for (int k = 0; k < place->tan_count; k++) {
      seed[k] = 1;
      const cr_status status = tangent(work, work->par_tan, work->stages, work->column);
      seed[k] = 0;
      CR_TRY(status);
      put(work->column, work->m.nv, to++, work->ncolumn);
    }
  }
  return CR_OK;
}
