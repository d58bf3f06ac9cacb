// SPDX-License-Identifier: Apache-2.0
// With the acceleration held, a displacement changes the forces of few bodies and elements, and the
// stages' columns say how. What is left is linear algebra: H^-1 for all columns at once, damping's
// second solve, and the map of the integrator.
#include "integrate/step_jacobian.h"

#include <stdlib.h>

#include "contact/bond_columns.h"
#include "contact/contact_columns.h"
#include "contact/model.h"
#include "dynamics/activation.h"
#include "dynamics/body_columns.h"
#include "dynamics/inertia.h"
#include "dynamics/passive.h"
#include "dynamics/reflected.h"
#include "dynamics/slope_columns.h"
#include "integrate/euler.h"
#include "integrate/implicit.h"
#include "integrate/manifold.h"
#include "integrate/step.h"
#include "math/cholesky.h"
#include "math/lu.h"
#include "model/tableau.h"

enum { MOST_DOFS = 6 };  // of a joint

// Columns: q, v, outputs of actuators, their slopes (implicit integrators), applied forces.
struct cr_jacobian {
  cr_data *tan, *plain;  // twins: a tangent, and for Runge-Kutta a plain one
  const char* why;
  cr_real *X, *Z;            // nv x ld: d qacc, and the share of the damping
  cr_real* L;                // nC, a factor
  cr_real *move_q, *move_v;  // MOST_DOFS a dof: how coordinates after the step move with both
  cr_real *act_by_act, *act_by_rate;
  cri_actuator_slopes* slopes;
  cri_curvatures curvatures;
  cr_real *slope_by_act, *slope_by_ctrl;  // an actuator
  int ld;
  void* memory;
};

// ---- room

static cr_real* take(cr_real** at, size_t n) {
  cr_real* x = *at;
  *at += n;
  return x;
}

cr_status cr_jacobian_create(cr_jacobian** work, const cr_model* m, const cr_data* d,
                             cr_error* error) {
  size_t v = (size_t)m->nv, ld = 3 * v + 2 * (size_t)m->nout + 8;
  size_t slopes = (size_t)m->nactuator * sizeof(cri_actuator_slopes) / sizeof(cr_real);
  size_t curved = cri_curvatures_size(m), tendons = (size_t)m->ntendon;  // integers are no larger
  size_t n = 2 * v * ld + (size_t)m->nC + 2 * MOST_DOFS * v + 2 * (size_t)m->na + slopes;
  n += curved + tendons + 2 * (size_t)m->nactuator;
  cr_jacobian* x = calloc(1, sizeof *x);
  cr_real* at = calloc(n + 1, sizeof *at);
  *work = x;
  if (x == NULL || at == NULL) {
    free(at);
    free(x);
    *work = NULL;
    return cri_fail(error, CR_ERR_MEMORY, "Jacobian: no memory for %zu numbers", n);
  }
  x->memory = at;
  x->X = take(&at, v * ld);
  x->Z = take(&at, v * ld);
  x->L = take(&at, (size_t)m->nC);
  x->move_q = take(&at, MOST_DOFS * v);
  x->move_v = take(&at, MOST_DOFS * v);
  x->act_by_act = take(&at, (size_t)m->na);
  x->act_by_rate = take(&at, (size_t)m->na);
  x->slopes = (cri_actuator_slopes*)(void*)take(&at, slopes);
  x->slope_by_act = take(&at, (size_t)m->nactuator);
  x->slope_by_ctrl = take(&at, (size_t)m->nactuator);
  x->curvatures.numbers = take(&at, curved);
  x->curvatures.at = (int32_t*)(void*)take(&at, tendons);
  cr_status status = cri_data_twin(&x->tan, m, d, CR_DATA_TANGENT, cri_no_params, error);
  if (status == CR_OK && cri_tableau_of(m->integrator) != NULL) {
    cr_capacity capacity = {d->ncon_max, d->nefc_max, d->nJ_max};
    status = cri_data_create(&x->plain, m, &capacity, error);
  }
  if (status != CR_OK) {
    cr_jacobian_destroy(x);
    *work = NULL;
  }
  return status;
}

void cr_jacobian_destroy(cr_jacobian* work) {
  if (work != NULL) {
    cri_data_free(work->tan);
    cri_data_free(work->plain);
    free(work->memory);
    free(work);
  }
}

const char* cr_jacobian_columns(const cr_jacobian* work) { return work->why; }

const char* cr_jacobian_error(const cr_jacobian* work) { return work->tan->error.text; }

// ---- what has columns

static bool any(const int32_t* x, int n) {
  for (int i = 0; i < n; i++) {
    if (x[i] != 0) {
      return true;
    }
  }
  return false;
}

// a fixed tendon adds a constant to M, and no bias force
static bool any_inertial_path(const cr_model* m) {
  for (int t = 0; t < m->ntendon; t++) {
    if (m->tendon_inertial[t] != 0 && m->wrap_type[m->tendon_adr[t]] != CR_WRAP_JOINT) {
      return true;
    }
  }
  return false;
}

const char* cri_step_jacobian_why(const cr_model* m, const cr_data* d) {
  const char* why = NULL;
  if (m->integrator != CR_INT_EULER && !cri_is_implicit(m)) {
    return "integrators other than Euler, implicit and implicitfast";
  }
  if (cri_is_implicit(m) && !cri_slope_has_columns(m, &why)) {
    return why;
  }
  if (!cri_forces_along_lengths(m, &why)) {
    return why;
  }
  if (any_inertial_path(m)) {
    return "armature of spatial tendons";
  }
  if (cri_gravcomp_acts(m) && any(m->jnt_actgravcomp, m->njnt)) {
    return "gravity compensation that counts as actuation";
  }
  if (d->nefc == 0) {
    return NULL;
  }
  if ((m->enableflags & CR_ENBL_DIAGEXACT) != 0) {
    return "the exact diagonal of A";
  }
  if (m->collision == CR_COLLISION_SMOOTH) {
    return "smooth collision detection";
  }
  if (!cr_is_zero(d->contact_adhesion, d->ncon) ||
      !cr_is_zero(d->contact_surfacevel, 3 * d->ncon)) {
    return "adhesion and moving surfaces of contacts";
  }
  return cri_contact_model(m)->delicate(m, d) ? "rows so stiff that one solve loses digits" : NULL;
}

// ---- qacc by everything

static cri_columns columns_of(const cr_model* m, const cr_jacobian* work, cr_real* X) {
  return (cri_columns){.ld = work->ld, .q = X, .v = X + m->nv, .out = X + 2 * m->nv};
}

static int slope_column(const cr_model* m) { return 2 * m->nv + m->nout; }

static int applied_column(const cr_model* m) {
  return slope_column(m) + (cri_is_implicit(m) ? m->nout : 0);
}

static void clear_seeds(const cr_model* m, cr_data* tan) {
  cr_zero(tan->qpos, m->nv);
  cr_zero(tan->qvel, m->nv);
  cr_zero(tan->act, m->na);
  cr_zero(tan->ctrl, m->nu);
  cr_zero(tan->qfrc_applied, m->nv);
  cr_zero(tan->actuator_length, m->nout);
}

// derivatives of all forces less M a, a held
static void force_columns(const cr_model* m, const cr_data* d, cr_jacobian* work,
                          bool with_forces) {
  cr_data* tan = work->tan;
  size_t mark = cri_mark(tan);
  cri_columns columns = columns_of(m, work, work->X);
  cr_zero(work->X, m->nv * work->ld);
  for (int i = 0; i < m->nv && with_forces; i++) {
    work->X[i * work->ld + applied_column(m) + i] = 1;
  }
  clear_seeds(m, tan);
  cri_carried carried = cri_carried_of(m, d, d->acc_qacc, tan);
  cri_curvatures_set(m, d, &work->curvatures, tan);
  cri_body_columns(m, d, &carried, 1, columns, tan);
  cri_force_columns(m, d, &work->curvatures, work->slopes, columns, tan);
  if (d->nefc > 0) {
    cri_row_slopes slopes = cri_row_slopes_of(m, d, tan);
    cri_row_columns(m, d, &slopes, &work->curvatures, d->acc_qacc, columns, tan);
    cri_bond_columns(m, d, &slopes, &carried, columns, tan);
    cri_contact_columns(m, d, &slopes, &carried, columns, tan);
  }
  cri_pop(tan, mark);
}

static cr_pattern pattern_of(const cr_model* m) {
  return (cr_pattern){.n = m->nv, .nnz = m->M_rownnz, .adr = m->M_rowadr, .col = m->M_colind};
}

// M in work->L
static void form(const cr_model* m, const cr_data* d, cr_jacobian* work) {
  if (d->M_formed) {
    cr_copy(work->L, d->M, m->nC);
  } else {
    cri_inertia_form(m, d, work->L, work->tan);
  }
}

// factor of M + h diag(D) there
static cr_status factor(const cr_model* m, const cr_data* d, cr_jacobian* work, const cr_real* D) {
  cr_pattern p = pattern_of(m);
  form(m, d, work);
  for (int i = 0; i < m->nv && D != NULL; i++) {
    work->L[p.adr[i] + p.nnz[i] - 1] += m->timestep * D[i];
  }
  int bad = cr_chol_factor(work->L, &p);
  if (bad < 0) {
    return CR_OK;
  }
  int joint = m->dof_jntid[bad];
  return cri_fail(&work->tan->error, CR_ERR_SINGULAR,
                  "joint %d \"%s\", dof %d: its inertia is not positive", joint,
                  cri_name(m, m->name_jntadr, joint), bad);
}

// X <- H^-1 X
static cr_status accelerations(const cr_model* m, const cr_data* d, cr_jacobian* work) {
  if (d->nefc > 0) {
    cr_pattern H = cr_chol_pattern_view(m->nv, d->H_index);
    cr_chol_solve_many(d->H_factor, &H, work->ld, work->ld, work->X);
    return CR_OK;
  }
  CR_TRY(factor(m, d, work, NULL));
  cr_pattern p = pattern_of(m);
  cr_chol_solve_many(work->L, &p, work->ld, work->ld, work->X);
  return CR_OK;
}

// X <- X - (M + hD)^-1 (hD X + h D' a2 - M' (a - a2)), [e1] of integrate/euler.h
static cr_status damp(const cr_model* m, const cr_data* d, cr_jacobian* work) {
  size_t mark = cri_mark(work->tan), v = (size_t)m->nv;
  int ld = work->ld;
  const cr_real* D = cri_euler_damping(m, d, work->tan);
  cr_real* b = cri_push(work->tan, 3 * v);
  cr_real* back = cri_push(work->tan, v);
  cri_reflected_damping(m, b);
  for (int i = 0; i < m->nv; i++) {
    cr_real* z = work->Z + (ptrdiff_t)i * ld;
    for (int k = 0; k < ld; k++) {
      z[k] = m->timestep * D[i] * work->X[i * ld + k];
    }
    z[m->nv + i] += m->timestep * cri_damping_bend(b + 3 * i, d->qvel[i]) * d->euler_qacc[i];
    back[i] = d->euler_qacc[i] - d->qacc[i];
  }
  cri_inertia_columns(m, d, back, columns_of(m, work, work->Z), work->tan);
  cr_status status = factor(m, d, work, D);
  cri_pop(work->tan, mark);
  CR_TRY(status);
  cr_pattern p = pattern_of(m);
  cr_chol_solve_many(work->L, &p, ld, ld, work->Z);
  for (int k = 0; k < m->nv * ld; k++) {
    work->X[k] -= work->Z[k];
  }
  return CR_OK;
}

// X <- (M - hD)^-1 (M X + M' (a - a2) + h D' a2), [m1] of integrate/implicit.h
static cr_status implicit(const cr_model* m, const cr_data* d, cr_jacobian* work) {
  size_t mark = cri_mark(work->tan);
  cr_pattern p = pattern_of(m);
  cri_columns columns = columns_of(m, work, work->Z);
  cr_real* away = cri_push(work->tan, (size_t)m->nv);
  form(m, d, work);
  cr_sparse_mul_many(work->Z, work->L, &p, work->ld, work->ld, work->X);
  for (int i = 0; i < m->nv; i++) {
    away[i] = d->qacc[i] - d->euler_qacc[i];
  }
  cri_inertia_columns(m, d, away, columns, work->tan);
  columns.out = work->Z + slope_column(m);
  cri_slope_columns to = {columns, m->timestep, work->slope_by_act, work->slope_by_ctrl};
  cri_slope_columns_add(m, d, m->integrator == CR_INT_IMPLICIT ? CR_SLOPE_ALL : CR_SLOPE_FAST,
                        d->euler_qacc, &work->curvatures, &to, work->tan);
  cr_lu_solve_many(d->implicit_L, d->implicit_U, &p, work->ld, work->ld, work->Z);
  cr_copy(work->X, work->Z, m->nv * work->ld);
  cri_pop(work->tan, mark);
  return CR_OK;
}

// ---- the integrator's map

// one tangent for the k-th dof of every joint
static void seed_dofs(const cr_model* m, int k, cr_real* x) {
  for (int i = 0; i < m->nv; i++) {
    x[i] = i - m->jnt_dofadr[m->dof_jntid[i]] == k;
  }
}

static void integrator_map(const cr_model* m, const cr_data* d, cr_jacobian* work) {
  cr_data* tan = work->tan;
  size_t mark = cri_mark(tan), v = (size_t)m->nv, a = (size_t)m->na;
  cr_real *seed = cri_push(tan, v), *none = cri_push(tan, v), *v_next = cri_push(tan, v);
  cr_real* moved = cri_push(tan, v);
  cr_zero(none, m->nv);
  for (int i = 0; i < m->nv; i++) {
    v_next[i] = d->qvel[i] + m->timestep * d->euler_qacc[i];
  }
  for (int k = 0; k < MOST_DOFS; k++) {
    seed_dofs(m, k, seed);
    cri_manifold_move_jvp(m, v_next, m->timestep, seed, none, moved);
    for (int i = 0; i < m->nv; i++) {
      work->move_q[MOST_DOFS * i + k] = moved[i];
    }
    cri_manifold_move_jvp(m, v_next, m->timestep, none, seed, moved);
    for (int i = 0; i < m->nv; i++) {
      work->move_v[MOST_DOFS * i + k] = moved[i];
    }
  }
  cr_real *one = cri_push(tan, a), *zero = cri_push(tan, a);
  cr_zero(zero, m->na);
  for (int i = 0; i < m->na; i++) {
    one[i] = 1;
  }
  cr_real* at_rest = cri_push(tan, (size_t)m->nout);
  cr_zero(at_rest, m->nout);
  cri_activity x = {d->act, d->act_dot, d->actuator_length, d->actuator_velocity};
  cri_activity by_act = {one, zero, NULL, at_rest}, by_rate = {zero, one, NULL, at_rest};
  cri_activation_advance_jvp(m, 0, &x, tan, &by_act, work->act_by_act);
  cri_activation_advance_jvp(m, 0, &x, tan, &by_rate, work->act_by_rate);
  cri_pop(tan, mark);
}

// y += s times row i of the columns first[n] of qvel_next
static void add_velocity(const cr_model* m, const cr_jacobian* work, int i, int first, int n,
                         cr_real s, cr_real* y) {
  const cr_real* x = work->X + (ptrdiff_t)i * work->ld + first;
  for (int k = 0; k < n; k++) {
    y[k] += s * m->timestep * x[k];
  }
}

// the same by activations, or controls
static void add_actuators(const cr_model* m, const cr_jacobian* work, int i, bool of_act, cr_real s,
                          cr_real* y) {
  const cr_real* x = work->X + (ptrdiff_t)i * work->ld + 2 * m->nv;
  for (int k = 0; k < m->nactuator; k++) {
    const cri_actuator_slopes* by = &work->slopes[k];
    int at = of_act ? m->actuator_actadr[k] : m->actuator_ctrladr[k];
    if (at >= 0) {
      int out = m->actuator_outadr[k];
      y[at] += s * m->timestep * (of_act ? by->by_act : by->by_ctrl) * x[out];
      if (cri_is_implicit(m)) {
        cr_real slope = (of_act ? work->slope_by_act : work->slope_by_ctrl)[k];
        y[at] += s * m->timestep * slope * x[m->nout + out];
      }
    }
  }
}

// where a row of the results goes, cleared; NULL where it is not wanted
typedef struct {
  cr_real *x, *ctrl, *force;
} rows;

static rows row_of(const cr_model* m, cr_real* by_x, cr_real* by_ctrl, cr_real* by_force, int i) {
  int nx = 2 * m->nv + m->na;
  rows r = {by_x == NULL ? NULL : by_x + (ptrdiff_t)i * nx,
            by_ctrl == NULL ? NULL : by_ctrl + (ptrdiff_t)i * m->nu,
            by_force == NULL ? NULL : by_force + (ptrdiff_t)i * m->nv};
  cr_zero(r.x, r.x == NULL ? 0 : nx);
  cr_zero(r.ctrl, r.ctrl == NULL ? 0 : m->nu);
  cr_zero(r.force, r.force == NULL ? 0 : m->nv);
  return r;
}

// s times d qvel_next of dof i
static void add_row(const cr_model* m, const cr_jacobian* work, int i, cr_real s, rows r) {
  if (r.x != NULL) {
    add_velocity(m, work, i, 0, 2 * m->nv, s, r.x);
    add_actuators(m, work, i, true, s, r.x + 2 * m->nv);
    r.x[m->nv + i] += s;
  }
  if (r.ctrl != NULL) {
    add_actuators(m, work, i, false, s, r.ctrl);
  }
  if (r.force != NULL) {
    add_velocity(m, work, i, applied_column(m), m->nv, s, r.force);
  }
}

static void write_results(const cr_model* m, const cr_jacobian* work, cr_real* by_x,
                          cr_real* by_ctrl, cr_real* by_force) {
  for (int i = 0; i < m->nv; i++) {
    add_row(m, work, i, 1, row_of(m, by_x, by_ctrl, by_force, m->nv + i));
    rows r = row_of(m, by_x, by_ctrl, by_force, i);
    for (int k = 0; k < MOST_DOFS; k++) {
      cr_real by_q = work->move_q[MOST_DOFS * i + k], by_v = work->move_v[MOST_DOFS * i + k];
      int dof = m->jnt_dofadr[m->dof_jntid[i]] + k;
      if (by_v != 0) {
        add_row(m, work, dof, by_v, r);
      }
      if (by_q != 0 && r.x != NULL) {
        r.x[dof] += by_q;
      }
    }
  }
  for (int i = 0; i < m->na; i++) {
    rows r = row_of(m, by_x, by_ctrl, by_force, 2 * m->nv + i);
    if (r.x != NULL) {
      r.x[2 * m->nv + i] = work->act_by_act[i];
    }
  }
  for (int k = 0; k < m->nactuator; k++) {
    int a = m->actuator_actadr[k], u = m->actuator_ctrladr[k], row = 2 * m->nv + a;
    if (a >= 0 && by_x != NULL) {
      by_x[row * (2 * m->nv + m->na) + row] += work->act_by_rate[a] * work->slopes[k].rate_by_act;
    }
    if (a >= 0 && by_ctrl != NULL) {
      by_ctrl[row * m->nu + u] = work->act_by_rate[a] * work->slopes[k].rate_by_ctrl;
    }
  }
}

// ---- column by column

// one column of all rows of `to`, which has n columns, from the tangents of the next state
static void store_column(const cr_model* m, const cr_data* tan, cr_real* to, int n, int column) {
  const cr_real* from[3] = {tan->qpos_next, tan->qvel_next, tan->act_next};
  const int length[3] = {m->nv, m->nv, m->na};
  for (int part = 0, row = 0; part < 3; part++) {
    for (int i = 0; i < length[part]; i++, row++) {
      to[row * n + column] = from[part][i];
    }
  }
}

// columns first, first + 1, ... under unit tangents of seed[n]
static cr_status columns_under(const cr_model* m, const cr_data* d, cr_jacobian* work,
                               cr_real* seed, int n, cr_real* to, int width, int first) {
  for (int k = 0; k < n && to != NULL; k++) {
    seed[k] = 1;
    cr_status status = cr_step_jvp(m, d, work->plain, work->tan);
    seed[k] = 0;
    CR_TRY(status);
    store_column(m, work->tan, to, width, first + k);
  }
  return CR_OK;
}

cr_status cri_step_jacobian_columns(const cr_model* m, const cr_data* d, cr_jacobian* work,
                                    cr_real* by_x, cr_real* by_ctrl, cr_real* by_force) {
  cr_data* tan = work->tan;
  int nv = m->nv, nx = 2 * nv + m->na;
  clear_seeds(m, tan);
  CR_TRY(columns_under(m, d, work, tan->qpos, nv, by_x, nx, 0));
  CR_TRY(columns_under(m, d, work, tan->qvel, nv, by_x, nx, nv));
  CR_TRY(columns_under(m, d, work, tan->act, m->na, by_x, nx, 2 * nv));
  CR_TRY(columns_under(m, d, work, tan->ctrl, m->nu, by_ctrl, m->nu, 0));
  return columns_under(m, d, work, tan->qfrc_applied, nv, by_force, nv, 0);
}

// ---- the Jacobian

cr_status cr_step_jacobian(const cr_model* m, const cr_data* d, cr_jacobian* work, cr_real* by_x,
                           cr_real* by_ctrl, cr_real* by_force) {
  work->why = cri_step_jacobian_why(m, d);
  if (work->why != NULL) {
    return cri_step_jacobian_columns(m, d, work, by_x, by_ctrl, by_force);
  }
  int n = applied_column(m) + (by_force == NULL ? 0 : m->nv);
  work->ld = (n + 7) / 8 * 8;  // the solves take eight columns at a time
  force_columns(m, d, work, by_force != NULL);
  CR_TRY(accelerations(m, d, work));
  if (cri_is_implicit(m)) {
    CR_TRY(implicit(m, d, work));
  } else if (cri_euler_damps(m)) {
    CR_TRY(damp(m, d, work));
  }
  integrator_map(m, d, work);
  write_results(m, work, by_x, by_ctrl, by_force);
  return CR_OK;
}
