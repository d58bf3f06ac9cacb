// SPDX-License-Identifier: Apache-2.0
// With the acceleration held, a displacement changes the forces of few bodies and elements; the
// columns of the stages give these changes. Then H^-1 for all columns at once, and the additional solves of
// integrators.
#include "integrate/acceleration_jac.h"

#include "engine/pipeline.h"
#include "engine/stage_jac.h"
#include "force/body_jac.h"
#include "force/passive.h"
#include "force/reflected.h"
#include "inertia/inertia.h"
#include "inertia/qderiv_jac.h"
#include "integrate/euler.h"
#include "integrate/implicit.h"
#include "math/cholesky.h"
#include "math/lu.h"
#include "model/state_vector.h"
#include "solver/contact_model.h"
#include "solver/islands.h"

// ---- features with columns

const char* cri_acceleration_why(const cr_model* m, const cr_data* d) {
  const cri_schedule* s = cri_schedule_of(m);
  const char* why = NULL;
  if (cri_is_implicit(m) && !cri_qderiv_has_jac(m, &why)) {
    return why;
  }
  for (int i = 0; i < s->ndynamics && why == NULL; i++) {
    const cr_stage* row = &s->row[i];
    why = row->added != NULL ? cri_added_runs(m, row->added) ? "a stage that was added" : NULL
          : row->jac == NULL ? row->name
                             : row->jac(m, d);
  }
  return why;
}

// ---- qacc by all inputs

static cri_columns columns_of(const cr_model* m, const cri_acceleration_jac* c, cr_real* X) {
  return (cri_columns){.ld = c->ld, .q = X, .v = X + m->nv, .out = X + 2 * m->nv};
}

static int slope_column(const cr_model* m) { return 2 * m->nv + m->nout; }

int cri_acceleration_applied(const cr_model* m) {
  return slope_column(m) + (cri_is_implicit(m) ? m->nout : 0);
}

void cri_acceleration_clear(const cr_model* m, cr_data* tan) {
  cri_state_zero(cri_state_twin(m, tan));
  cr_zero(tan->ctrl, m->nu);
  cr_zero(tan->qfrc_applied, m->nv);
  cr_zero(tan->actuator_length, m->nout);
}

void cri_acceleration_blocks(const cr_model* m, const cr_data* d, cri_acceleration_jac* c,
                             bool whole) {
  cri_sections s = {.n = 3, .at = {{0, false}, {m->nv, false}, {2 * m->nv, true}}};
  if (cri_is_implicit(m)) {
    s.at[s.n++] = (cri_section){slope_column(m), true};
  }
  if (c->with_forces) {
    s.at[s.n++] = (cri_section){cri_acceleration_applied(m), false};
  }
  c->blocks = cri_blocks_find(m, d, &s, whole, c->tan);
}

static void clear_blocks(const cri_acceleration_jac* c, cr_real* X) {
  for (int k = 0; k < c->blocks.n; k++) {
    cr_runs columns = cri_block_columns(&c->blocks, k);
    CR_EACH(i, cri_block_dofs(&c->blocks, k)) {
      for (int r = 0; r < columns.n; r++) {
        int first = columns.run[r].begin;
        cr_zero(X + (ptrdiff_t)i * c->ld + first, columns.run[r].end - first);
      }
    }
  }
}

// derivatives of all forces less M a, a held: what the rows of the schedule add
static void force_columns(const cr_model* m, const cr_data* d, cri_acceleration_jac* c) {
  cr_data* tan = c->tan;
  size_t mark = cri_mark(tan);
  clear_blocks(c, c->X);
  for (int i = 0; i < m->nv && c->with_forces; i++) {
    c->X[i * c->ld + cri_acceleration_applied(m) + i] = 1;
  }
  cri_acceleration_clear(m, tan);
  cri_force_columns x = {.columns = columns_of(m, c, c->X),
                         .carried = cri_rigid_transport_of(m, d, d->acc_qacc, tan),
                         .curvatures = &c->curvatures,
                         .slopes = c->slopes,
                         .tan = tan};
  cri_curvatures_set(m, d, &c->curvatures, tan);
  const cri_schedule* s = cri_schedule_of(m);
  for (int i = 0; i < s->ndynamics; i++) {
    if (s->row[i].columns != NULL) {
      s->row[i].columns(m, d, &x);
    }
  }
  cri_pop(tan, mark);
}

static cr_pattern pattern_of(const cr_model* m) {
  return (cr_pattern){.n = m->nv, .nnz = m->M_rownnz, .adr = m->M_rowadr, .col = m->M_colind};
}

// M in c->L
static void form(const cr_model* m, const cr_data* d, cri_acceleration_jac* c) {
  if (d->M_formed) {
    cr_copy(c->L, d->M, m->nC);
  } else {
    cri_inertia_form(m, d, c->L, c->tan);
  }
}

// factor of M + h diag(D) there, of these dofs
static cr_status factor(const cr_model* m, const cr_data* d, cri_acceleration_jac* c,
                        const cr_real* D, cr_runs dofs) {
  cr_pattern p = pattern_of(m);
  form(m, d, c);
  for (int i = 0; i < m->nv && D != NULL; i++) {
    c->L[p.adr[i] + p.nnz[i] - 1] += m->timestep * D[i];
  }
  int bad = cr_chol_factor_part(c->L, &p, dofs);
  if (bad < 0) {
    return CR_OK;
  }
  int joint = m->dof_jntid[bad];
  return cri_fail(&c->tan->error, CR_ERR_SINGULAR,
                  "joint %d \"%s\", dof %d: its inertia is not positive", joint,
                  cri_name(m, m->name_jntadr, joint), bad);
}

// X <- A^-1 X for these dofs and columns, A with that factor
static void solve(const cr_real* L, const cr_pattern* p, cr_runs dofs, cr_runs columns, int ld,
                  cr_real* X) {
  for (int r = 0; r < columns.n; r++) {
    int first = columns.run[r].begin;
    cr_chol_solve_many_part(L, p, dofs, columns.run[r].end - first, ld, X + first);
  }
}

// X <- H^-1 X for these dofs, of trees that rows move, and columns
static void solve_rows(const cr_model* m, const cr_data* d, cri_acceleration_jac* c, cr_runs dofs,
                       cr_runs columns) {
  for (int r = 0; r < columns.n; r++) {
    int first = columns.run[r].begin;
    const cri_right_sides x = {columns.run[r].end - first, c->ld, c->X + first, false};
    cri_contact_model(m)->linear(m, d, dofs, &x, c->tan);
  }
}

// X <- H^-1 X; H is M if there is no row
static cr_status accelerations(const cr_model* m, const cr_data* d, cri_acceleration_jac* c) {
  size_t mark = cri_mark(c->tan);
  cr_run* room = (cr_run*)(void*)cri_push_int(c->tan, 2 * (size_t)m->ntree);
  cr_run all = {0, m->nv};
  cr_runs free = {1, &all};
  if (d->nefc > 0) {
    for (int k = 0; k < c->blocks.n; k++) {
      cr_runs in = cri_dofs_in_islands(m, d, cri_block_dofs(&c->blocks, k), true, room);
      solve_rows(m, d, c, in, cri_block_columns(&c->blocks, k));
    }
    free = cri_dofs_in_islands(m, d, free, false, room);
  }
  cr_status status = free.n > 0 ? factor(m, d, c, NULL, free) : CR_OK;
  cr_pattern p = pattern_of(m);
  for (int k = 0; k < c->blocks.n && status == CR_OK && free.n > 0; k++) {
    cr_runs out = cri_block_dofs(&c->blocks, k);
    out = d->nefc > 0 ? cri_dofs_in_islands(m, d, out, false, room) : out;
    solve(c->L, &p, out, cri_block_columns(&c->blocks, k), c->ld, c->X);
  }
  cri_pop(c->tan, mark);
  return status;
}

// z = s x, z += s x over columns of a row
static void set_scaled(cr_runs columns, cr_real s, const cr_real* x, cr_real* z) {
  CR_EACH(k, columns) { z[k] = s * x[k]; }
}
static void add_scaled(cr_runs columns, cr_real s, const cr_real* x, cr_real* z) {
  CR_EACH(k, columns) { z[k] += s * x[k]; }
}

// Z = M X
static void effective_mass_columns(const cr_model* m, const cr_data* d, cri_acceleration_jac* c) {
  cr_pattern p = pattern_of(m);
  form(m, d, c);
  for (int k = 0; k < c->blocks.n; k++) {
    cr_runs dofs = cri_block_dofs(&c->blocks, k), of = cri_block_columns(&c->blocks, k);
    for (int r = 0; r < of.n; r++) {
      int first = of.run[r].begin, n = of.run[r].end - first;
      cr_sparse_mul_many_part(c->Z + first, c->L, &p, dofs, n, c->ld, c->X + first);
    }
  }
}

// Z = hD X + h D' a2 - M' (a - a2), or for strong damping M X - h D' a2 + M' (a - a2)
static void damping_columns(const cr_model* m, const cr_data* d, cri_acceleration_jac* c,
                            const cr_real* D, bool strong) {
  size_t mark = cri_mark(c->tan), v = (size_t)m->nv;
  cr_real* b = cri_push(c->tan, 3 * v);
  cr_real* away = cri_push(c->tan, v);
  cr_real h = strong ? -m->timestep : m->timestep;
  cri_reflected_damping(m, b);
  if (strong) {
    effective_mass_columns(m, d, c);
  }
  for (int i = 0; i < m->nv; i++) {
    cr_real* z = c->Z + (ptrdiff_t)i * c->ld;
    if (!strong) {
      set_scaled(cri_block_columns(&c->blocks, c->blocks.of_dof[i]), h * D[i],
                 c->X + (ptrdiff_t)i * c->ld, z);
    }
    z[m->nv + i] += h * cri_damping_bend(b + 3 * i, d->qvel[i]) * d->euler_qacc[i];
    away[i] = strong ? d->qacc[i] - d->euler_qacc[i] : d->euler_qacc[i] - d->qacc[i];
  }
  cri_inertia_jac(m, d, away, columns_of(m, c, c->Z), c->tan);
  cri_pop(c->tan, mark);
}

// X <- X - (M + hD)^-1 (hD X + h D' a2 - M' (a - a2)), [euler.e1] of integrate/euler.h; for strong damping
// X <- (M + hD)^-1 (M X - h D' a2 + M' (a - a2))
static cr_status damp(const cr_model* m, const cr_data* d, cri_acceleration_jac* c) {
  size_t mark = cri_mark(c->tan);
  const cr_real* D = cri_euler_damping(m, d, c->tan);
  bool strong = cri_euler_is_strong(m, d, D);
  damping_columns(m, d, c, D, strong);
  cr_run all = {0, m->nv};
  cr_status status = factor(m, d, c, D, (cr_runs){1, &all});
  cri_pop(c->tan, mark);
  CR_TRY(status);
  cr_pattern p = pattern_of(m);
  for (int k = 0; k < c->blocks.n; k++) {
    cr_runs dofs = cri_block_dofs(&c->blocks, k), columns = cri_block_columns(&c->blocks, k);
    solve(c->L, &p, dofs, columns, c->ld, c->Z);
    CR_EACH(i, dofs) {
      cr_real *x = c->X + (ptrdiff_t)i * c->ld, *z = c->Z + (ptrdiff_t)i * c->ld;
      strong ? set_scaled(columns, 1, z, x) : add_scaled(columns, -1, z, x);
    }
  }
  return CR_OK;
}

static cri_qderiv_kind qderiv_kind(const cr_model* m) {
  return m->integrator == CR_INT_IMPLICIT ? CR_QDERIV_ALL : CR_QDERIV_FAST;
}

// Z = hD X
static void qderiv_columns(const cr_model* m, const cr_data* d, cri_acceleration_jac* c) {
  size_t mark = cri_mark(c->tan), n = (size_t)m->nC;
  cr_real *lower = cri_push(c->tan, n), *upper = cri_push(c->tan, n);
  cr_pattern p = pattern_of(m);
  cri_qderiv(m, d, qderiv_kind(m), lower, upper, c->tan);
  for (int k = 0; k < c->blocks.n; k++) {
    cr_runs dofs = cri_block_dofs(&c->blocks, k), of = cri_block_columns(&c->blocks, k);
    CR_EACH(i, dofs) { set_scaled(of, 0, c->X, c->Z + (ptrdiff_t)i * c->ld); }
    for (int r = 0; r < of.n; r++) {
      int first = of.run[r].begin, width = of.run[r].end - first;
      cr_lu_mul_many_part(lower, upper, &p, dofs, false, m->timestep, width, c->ld, c->X + first,
                          c->Z + first);
    }
  }
  cri_pop(c->tan, mark);
}

// X <- (M - hD)^-1 (M X + M' (a - a2) + h D' a2), [implicit.m1] of integrate/implicit.h; with [implicit.m2]
// X <- X + (M - hD)^-1 (hD X + M' (a - a2) + h D' a2)
static void implicit(const cr_model* m, const cr_data* d, cri_acceleration_jac* c) {
  size_t mark = cri_mark(c->tan);
  cr_pattern p = pattern_of(m);
  cri_columns columns = columns_of(m, c, c->Z);
  cr_real* away = cri_push(c->tan, (size_t)m->nv);
  d->euler_weak ? qderiv_columns(m, d, c) : effective_mass_columns(m, d, c);
  cri_implicit_taken_away(m, d, c->tan, away);
  cri_inertia_jac(m, d, away, columns, c->tan);
  columns.out = c->Z + slope_column(m);
  cri_qderiv_jac to = {columns, m->timestep, c->slope_by_act, c->slope_by_ctrl};
  cri_qderiv_jac_add(m, d, qderiv_kind(m), d->euler_qacc, &c->curvatures, &to, c->tan);
  for (int k = 0; k < c->blocks.n; k++) {
    cr_runs dofs = cri_block_dofs(&c->blocks, k), of = cri_block_columns(&c->blocks, k);
    for (int r = 0; r < of.n; r++) {
      int first = of.run[r].begin, n = of.run[r].end - first;
      cr_lu_solve_many_part(d->implicit_L, d->implicit_U, &p, dofs, n, c->ld, c->Z + first);
    }
    CR_EACH(i, dofs) {
      cr_real *x = c->X + (ptrdiff_t)i * c->ld, *z = c->Z + (ptrdiff_t)i * c->ld;
      d->euler_weak ? add_scaled(of, 1, z, x) : set_scaled(of, 1, z, x);
    }
  }
  cri_pop(c->tan, mark);
}

// ---- all of it

cr_status cri_acceleration_jac_set(const cr_model* m, const cr_data* d, cri_acceleration_jac* c) {
  force_columns(m, d, c);
  return accelerations(m, d, c);
}

cr_status cri_acceleration_jac_implicit(const cr_model* m, const cr_data* d,
                                        cri_acceleration_jac* c) {
  if (cri_is_implicit(m)) {
    implicit(m, d, c);
    return CR_OK;
  }
  return cri_euler_damps(m) ? damp(m, d, c) : CR_OK;
}
