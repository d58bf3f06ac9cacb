// SPDX-License-Identifier: Apache-2.0
// The acceleration, its jvp and vjp, see acceleration.h. Without rows H is M, whose articulated-body
// factor solves in time linear in the number of dofs; M itself is then not needed.
#include "engine/acceleration.h"

#include "constraint/rows.h"
#include "engine/implicit_inertia_solve.h"
#include "engine/rounding.h"
#include "solver/contact_model.h"
#include "solver/islands.h"

// right side of the effective mass matrix: all forces except constraint forces, and the shift of discrete
static void total_force(const cr_model* m, const cr_data* d, cr_real* tau) {
  for (int i = 0; i < m->nv; i++) {
    tau[i] = d->qfrc_smooth[i] + d->qfrc_shift[i];
  }
}

static cr_status check_finite(const cr_model* m, cr_data* d, const cr_real* a, const char* what) {
  for (int i = 0; i < m->nv; i++) {
    if (!isfinite(a[i])) {
      int joint = m->dof_jntid[i];
      return cri_fail(&d->error, CR_ERR_NONFINITE, "%s of joint %d \"%s\" (dof %d) is not finite",
                      what, joint, cri_name(m, m->name_jntadr, joint), i);
    }
  }
  return CR_OK;
}

// x = H^-1 x or H^-T x if there are rows; in trees that no row touches H is the effective mass matrix
static void solve_rows(const cr_model* m, const cr_data* d, cr_real* x, bool transposed,
                       cr_data* work) {
  size_t mark = cri_mark(work);
  cr_run* room = (cr_run*)(void*)cri_push_int(work, 2 * (size_t)m->ntree);
  cr_run all = {0, m->nv};
  cr_runs dofs = {1, &all};
  cr_runs in = cri_dofs_in_islands(m, d, dofs, true, room);
  const cri_right_sides one = {.n = 1, .ld = 1, .X = x, .transposed = transposed};
  cri_contact_model(m)->linear(m, d, in, &one, work);
  cri_implicit_inertia_solve_part(m, d, cri_dofs_in_islands(m, d, dofs, false, room), x, work);
  cri_pop(work, mark);
}

// x = H^-1 x, or with H transposed
static void solve_linear(const cr_model* m, const cr_data* d, cr_real* x, bool transposed,
                         cr_data* work) {
  size_t mark = cri_mark(work);
  cr_real* b = cri_push(work, (size_t)m->nv);
  cr_copy(b, x, m->nv);
  if (d->nefc == 0) {
    cri_implicit_inertia_solve(m, d, x, work);
  } else {
    solve_rows(m, d, x, transposed, work);
  }
  cri_implicit_inertia_free(m, d, b, x, transposed, work);
  cri_pop(work, mark);
}

void cri_acceleration_solve(const cr_model* m, const cr_data* d, cr_real* x, cr_data* work) {
  solve_linear(m, d, x, false, work);
}

void cri_acceleration_solve_transposed(const cr_model* m, const cr_data* d, cr_real* x,
                                       cr_data* work) {
  solve_linear(m, d, x, true, work);
}

// [acceleration.a2] the acceleration with constraints, in the effective mass matrix `value` with the force tau, and
// [acceleration.a3] qfrc_constraint = J' f
static cr_status constrained(const cr_model* m, cr_data* d, const cr_real* value,
                             const cr_real* tau) {
  d->solver_iterations = 0;
  d->solver_residual = 0;
  d->rounding = 0;
  d->rounding_dof = -1;
  cr_mass_view mass = cri_implicit_inertia_view_of(m, d, value, tau);
  if (d->nefc == 0) {
    cr_zero(d->qfrc_constraint, m->nv);
    cr_copy(d->acc_qacc, d->qacc_smooth, m->nv);
  } else {
    CR_TRY(cri_contact_model(m)->solve(m, d, &mass));
  }
  cri_implicit_inertia_free(m, d, tau, d->acc_qacc, false, d);
  CR_TRY(check_finite(m, d, d->acc_qacc, "qacc"));
  return d->M_formed
             ? cri_rounding(m, d, &mass, cri_acceleration_solve, cri_acceleration_solve_transposed)
             : CR_OK;
}

static cr_status accelerate(const cr_model* m, cr_data* d) {
  cr_real* tau = cri_push(d, (size_t)m->nv);
  cr_real* value = cri_push(d, (size_t)d->nefmL);
  CR_TRY(cri_implicit_inertia_prepare(m, d, value));
  // [acceleration.a1] qacc_smooth = Mhat^-1 tau
  total_force(m, d, tau);
  cr_copy(d->qacc_smooth, tau, m->nv);
  cri_implicit_inertia_solve(m, d, d->qacc_smooth, d);
  CR_TRY(check_finite(m, d, d->qacc_smooth, "qacc_smooth"));
  return constrained(m, d, value, tau);
}

cr_status cr_acceleration(const cr_model* m, cr_data* d) {
  size_t mark = cri_mark(d);
  cr_status status = accelerate(m, d);
  cri_pop(d, mark);
  CR_TRY(status);
  cr_copy(d->qacc, d->acc_qacc, m->nv);
  cr_copy(d->efc_force, d->acc_force, d->nefc);
  return CR_OK;
}

static void add(cr_real* y, const cr_real* x, int n) {
  for (int i = 0; i < n; i++) {
    y[i] += x[i];
  }
}

// y -= A x; true if only rounding is left
static bool subtract_effective_mass_mul(const cr_model* m, const cr_data* d, cr_real* y,
                                        const cr_real* x, cr_real* Mx) {
  cr_real left = 0, scale = 0;
  cri_implicit_inertia_mul_beside(m, d, Mx, x, y);
  for (int i = 0; i < m->nv; i++) {
    scale = cr_max(scale, cr_abs(Mx[i]));
    y[i] -= Mx[i];
    left = cr_max(left, cr_abs(y[i]));
  }
  return left <= 8 * CR_EPS * scale;
}

// Solves with H: one, or several, each for the residual of those before, if a row is so stiff that
// rounding in J w counts. J w is summed up beside w, since its own digits are lost in w's.
enum { MOST_ROUNDS = 12 };

static int rounds(const cr_model* m, const cr_data* d) {
  return d->nefc > 0 && cri_contact_model(m)->delicate(m, d) ? MOST_ROUNDS : 1;
}

cr_status cr_acceleration_jvp(const cr_model* m, const cr_data* d, cr_data* tan) {
  size_t mark = cri_mark(tan), v = (size_t)m->nv, n = (size_t)d->nefc;
  cr_real* Ma = cri_push(tan, v);
  cr_real* smooth = cri_push(tan, v);
  cr_real* tau = cri_push(tan, v);
  cr_real* latent = cri_push(tan, v);
  cr_real* e = cri_push(tan, n);
  cr_real* f = cri_push(tan, n);
  cr_real* step = cri_push(tan, v);
  const cr_contact_model* model = cri_contact_model(m);

  // [acceleration.a1] Mhat qacc_smooth_tan = tau_tan - Mhat_tan qacc_smooth
  total_force(m, d, smooth);
  cri_implicit_inertia_solve(m, d, smooth, tan);
  cri_implicit_inertia_solve_jvp(m, d, tan, false, Ma, smooth);
  total_force(m, tan, tau);
  for (int i = 0; i < m->nv; i++) {
    tan->qacc_smooth[i] = tau[i] - Ma[i];
  }
  cri_implicit_inertia_solve(m, d, tan->qacc_smooth, tan);

  // [acceleration.a2] the part that does not depend on a_tan
  cr_real *a_tan = tan->qacc, *fixed = smooth;
  cri_rows_mul(m, d, tan->efc_J, e, d->acc_qacc);
  for (int i = 0; i < d->nefc; i++) {
    e[i] -= tan->efc_aref[i];
  }
  cri_implicit_inertia_solve_jvp(m, d, tan, true, Ma, d->acc_qacc);
  cr_zero(latent, m->nv);
  model->latent_jvp(m, d, tan, latent);
  for (int i = 0; i < m->nv; i++) {
    fixed[i] = tau[i] - Ma[i] + latent[i];
  }
  cri_rows_mul_transposed(m, d, tan->efc_J, fixed, d->acc_force);

  // H step = residual, a_tan += step, e_tan += J step
  cr_zero(a_tan, m->nv);
  for (int k = 0, n_round = rounds(m, d); k < n_round; k++) {
    cr_copy(step, fixed, m->nv);
    model->force_jvp(m, d, tan, e, f);
    cri_rows_mul_transposed(m, d, d->efc_J, step, f);
    if (k > 0 && subtract_effective_mass_mul(m, d, step, a_tan, Ma)) {
      break;
    }
    solve_linear(m, d, step, false, tan);
    cri_rows_mul(m, d, d->efc_J, f, step);
    add(a_tan, step, m->nv);
    add(e, f, d->nefc);
  }
  model->force_jvp(m, d, tan, e, tan->efc_force);

  // [acceleration.a3]
  cr_copy(tan->qfrc_constraint, latent, m->nv);
  cri_rows_mul_transposed(m, d, tan->efc_J, tan->qfrc_constraint, d->acc_force);
  cri_rows_mul_transposed(m, d, d->efc_J, tan->qfrc_constraint, tan->efc_force);
  cri_pop(tan, mark);
  return CR_OK;
}

static bool is_zero(const cr_real* x, int n) {
  for (int i = 0; i < n; i++) {
    if (x[i] != 0) {
      return false;
    }
  }
  return true;
}

static void force_bar(const cr_model* m, cr_data* bar, const cr_real* w) {
  for (int i = 0; i < m->nv; i++) {
    bar->qfrc_smooth[i] += w[i];
    bar->qfrc_shift[i] += w[i];
  }
}

// [acceleration.a1]' Mhat w = qacc_smooth_bar
static void smooth_bar(const cr_model* m, const cr_data* d, cr_data* bar) {
  if (is_zero(bar->qacc_smooth, m->nv)) {
    return;
  }
  size_t mark = cri_mark(bar);
  cr_real* w = cri_push(bar, (size_t)m->nv);
  cr_real* a = cri_push(bar, (size_t)m->nv);
  cr_copy(w, bar->qacc_smooth, m->nv);
  cri_implicit_inertia_solve(m, d, w, bar);
  total_force(m, d, a);
  cri_implicit_inertia_solve(m, d, a, bar);
  force_bar(m, bar, w);
  cri_implicit_inertia_solve_vjp(m, d, bar, false, w, a);
  cri_pop(bar, mark);
}

// [acceleration.a2]', [acceleration.a3]' where there are rows: w is qacc_bar, and becomes H^-T (qacc_bar + J' F'^T phi)
static void implicit_function_bar(const cr_model* m, const cr_data* d, cr_data* bar, cr_real* w) {
  size_t mark = cri_mark(bar);
  cr_real* psi = cri_push(bar, (size_t)d->nefc);
  cr_real* a_bar = cri_push(bar, (size_t)m->nv);
  cr_real* step = cri_push(bar, (size_t)m->nv);
  cr_real* Mw = cri_push(bar, (size_t)m->nv);
  const cr_contact_model* model = cri_contact_model(m);
  cr_pairs* J_bar = &bar->efc_J_pairs;
  int of_f = cri_pairs_add(J_bar), of_e = cri_pairs_add(J_bar);
  cr_real *e_bar = cri_pair_left(J_bar, of_e), *q_bar = cri_pair_right(J_bar, of_f);

  // [acceleration.a3]' phi = f_bar + J q_bar
  cri_rows_mul(m, d, d->efc_J, psi, bar->qfrc_constraint);
  for (int i = 0; i < d->nefc; i++) {
    psi[i] += bar->efc_force[i];
  }

  // [acceleration.a2]' H^T w = a_bar + J' F'^T phi, psi = phi + J w
  cr_copy(a_bar, w, m->nv);
  cr_zero(w, m->nv);
  for (int k = 0, n_round = rounds(m, d); k < n_round; k++) {
    cr_copy(step, a_bar, m->nv);
    model->force_vjp(m, d, NULL, psi, e_bar);
    cri_rows_mul_transposed(m, d, d->efc_J, step, e_bar);
    if (k > 0 && subtract_effective_mass_mul(m, d, step, w, Mw)) {
      break;
    }
    solve_linear(m, d, step, true, bar);
    cri_rows_mul(m, d, d->efc_J, e_bar, step);
    add(w, step, m->nv);
    add(psi, e_bar, d->nefc);
  }
  model->force_vjp(m, d, bar, psi, e_bar);
  for (int i = 0; i < d->nefc; i++) {
    bar->efc_aref[i] -= e_bar[i];
  }

  // J_bar += f (x) (q_bar + w) + e_bar (x) a
  cr_copy(cri_pair_left(J_bar, of_f), d->acc_force, d->nefc);
  for (int i = 0; i < m->nv; i++) {
    q_bar[i] = bar->qfrc_constraint[i] + w[i];
  }
  cr_copy(cri_pair_right(J_bar, of_e), d->acc_qacc, m->nv);
  cri_pop(bar, mark);
}

cr_status cr_acceleration_vjp(const cr_model* m, const cr_data* d, cr_data* bar) {
  smooth_bar(m, d, bar);
  size_t mark = cri_mark(bar);
  cr_real* w = cri_push(bar, (size_t)m->nv);
  cr_copy(w, bar->qacc, m->nv);
  if (d->nefc > 0) {
    implicit_function_bar(m, d, bar, w);
  } else {
    solve_linear(m, d, w, true, bar);
  }
  force_bar(m, bar, w);
  cri_implicit_inertia_solve_vjp(m, d, bar, true, w, d->acc_qacc);
  add(w, bar->qfrc_constraint, m->nv);
  cri_contact_model(m)->latent_vjp(m, d, bar, w);
  cri_pop(bar, mark);
  return CR_OK;
}
