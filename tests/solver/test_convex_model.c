// SPDX-License-Identifier: Apache-2.0
// The convex solver: stationarity with dense matrices, a dual solver that shares nothing with it,
// independence of the start, the factor it leaves, and how it fails.
#include "solver/convex_model.h"

#include <stdlib.h>

#include "base/random.h"
#include "constraint/row_name.h"
#include "engine/acceleration.h"
#include "scenes/contact_scene.h"
#include "scenes/mechanism.h"
#include "solver/friction_cone.h"
#include "solver/islands.h"
#include "support/close.h"

enum { N_SEED = 24, MAX_NV = 64 };

static void open_solved(contact_scene* s, int seed) {
  scene_open(s, seed);
  scene_run(s, "acceleration");
}

static cr_real* numbers(int n) {
  cr_real* x = calloc((size_t)n + 1, sizeof *x);
  assert_non_null(x);
  return x;
}

// M a = tau + J' f entry by entry, relative to the sum of the absolute terms
TEST(solution_is_stationary) {
  for (int seed = 1; seed <= N_SEED; seed++) {
    contact_scene s;
    open_solved(&s, seed);
    int nv = s.m.nv, nefc = s.d->nefc;
    cr_real *J = scene_dense_J(&s), *M = scene_dense_M(&s), largest = 0;
    for (int i = 0; i < nv; i++) {
      largest = cr_max(largest, cr_abs(s.d->qfrc_smooth[i]));
    }
    for (int i = 0; i < nv; i++) {
      cr_real g = -s.d->qfrc_smooth[i], size = largest;
      for (int j = 0; j < nv; j++) {
        g += M[i * nv + j] * s.d->qacc[j];
        size += cr_abs(M[i * nv + j] * s.d->qacc[j]);
      }
      for (int k = 0; k < nefc; k++) {
        g -= J[k * nv + i] * s.d->efc_force[k];
        size += cr_abs(J[k * nv + i] * s.d->efc_force[k]);
      }
      assert_close(g, 0, CR_R(1e-12) * size);
    }
    assert_true(s.d->solver_residual <= CR_R(1e-11));
    free(J);
    free(M);
    scene_close(&s);
  }
}

// Cost of the primal problem at a, from dense matrices.
static cr_real cost(const contact_scene* s, const cr_real* M, const cr_real* J, const cr_real* a) {
  int nv = s->m.nv;
  cr_real *e = numbers(s->d->nefc), sum = 0;
  for (int i = 0; i < nv; i++) {
    for (int j = 0; j < nv; j++) {
      sum += (a[i] - s->d->qacc_smooth[i]) * M[i * nv + j] * (a[j] - s->d->qacc_smooth[j]) / 2;
    }
  }
  for (int k = 0; k < s->d->nefc; k++) {
    e[k] = -s->d->efc_aref[k];
    for (int j = 0; j < nv; j++) {
      e[k] += J[k * nv + j] * a[j];
    }
  }
  sum += cri_constraint_cost(s->d, cri_all_rows(s->d), e);
  free(e);
  return sum;
}

TEST(solution_costs_least) {
  cr_random r = cr_random_seed(1, 6);
  for (int seed = 1; seed <= 8; seed++) {
    contact_scene s;
    open_solved(&s, seed);
    cr_real *J = scene_dense_J(&s), *M = scene_dense_M(&s), a[MAX_NV];
    cr_real least = cost(&s, M, J, s.d->qacc);
    for (int k = 0; k < 30; k++) {
      for (int i = 0; i < s.m.nv; i++) {
        a[i] = s.d->qacc[i] * (1 + CR_R(0.1) * cr_random_normal(&r));
      }
      assert_true(cost(&s, M, J, a) > least);
    }
    free(J);
    free(M);
    scene_close(&s);
  }
}

// The dual problem min f' (A + R) f / 2 + f' (J a_smooth - aref), f in its bounds, by projected
// Gauss-Seidel: for rows that are bounded one by one. False where it is slow.
static bool dual_forces(const contact_scene* s, cr_real* f) {
  int nv = s->m.nv, n = s->d->nefc;
  cr_real *J = scene_dense_J(s), *A = numbers(n * n), *b = numbers(n), *M = NULL;
  for (int i = 0; i < n; i++) {
    cr_real x[MAX_NV];
    M = scene_dense_M(s);
    cr_copy(x, J + i * nv, nv);
    mechanism_solve(nv, M, x);
    free(M);
    b[i] = -s->d->efc_aref[i];
    for (int j = 0; j < nv; j++) {
      b[i] += J[i * nv + j] * s->d->qacc_smooth[j];
    }
    for (int k = 0; k < n; k++) {
      for (int j = 0; j < nv; j++) {
        A[i * n + k] += x[j] * J[k * nv + j];
      }
    }
    A[i * n + i] += s->d->efc_R[i];
  }
  cr_zero(f, n);
  cr_real change = 1, largest = 1;
  for (int sweep = 0; sweep < 50000 && change > CR_R(1e-13) * largest; sweep++) {
    change = 0;
    for (int i = 0; i < n; i++) {
      cr_real residual = b[i], loss = s->d->efc_frictionloss[i], before = f[i];
      for (int k = 0; k < n; k++) {
        residual += A[i * n + k] * f[k];
      }
      f[i] -= residual / A[i * n + i];
      if (i >= s->d->ne) {
        f[i] = i < s->d->ne + s->d->nf ? cr_clip(f[i], -loss, loss) : cr_max(f[i], 0);
      }
      change = cr_max(change, cr_abs(f[i] - before));
      largest = cr_max(largest, cr_abs(f[i]));
    }
  }
  free(J);
  free(A);
  free(b);
  return change <= CR_R(1e-13) * largest;
}

TEST(forces_match_a_dual_solver) {
  int tried = 0;
  for (int seed = 1; seed <= 200 && tried < 6; seed++) {
    contact_scene s;
    scene_open(&s, seed);
    s.m.cone = CR_CONE_PYRAMIDAL;
    scene_run(&s, "acceleration");
    if (s.d->nefc > s.d->ne + s.d->nf + s.d->nl && s.d->nefc <= 30) {
      cr_real* f = numbers(s.d->nefc);
      if (dual_forces(&s, f)) {
        assert_all_close(s.d->efc_force, f, s.d->nefc, CR_R(1e-7));
        tried++;
      }
      free(f);
    }
    scene_close(&s);
  }
  assert_int_equal(tried, 6);
}

TEST(start_does_not_matter) {
  cr_random r = cr_random_seed(2, 6);
  for (int seed = 1; seed <= N_SEED; seed++) {
    contact_scene s;
    open_solved(&s, seed);
    cr_real a[MAX_NV];
    cr_copy(a, s.d->qacc, s.m.nv);

    // from the solution: nothing to do, or a few steps of rounding
    cr_copy(s.d->qacc_warmstart, a, s.m.nv);
    assert_int_equal(cr_acceleration(&s.m, s.d), CR_OK);
    assert_true(s.d->solver_iterations <= 3);
    assert_all_close(s.d->qacc, a, s.m.nv, CR_R(1e-11));

    // from anywhere, and with the flag
    for (int i = 0; i < s.m.nv; i++) {
      s.d->qacc_warmstart[i] = a[i] + cr_abs(a[i]) * cr_random_normal(&r);
    }
    assert_int_equal(cr_acceleration(&s.m, s.d), CR_OK);
    assert_all_close(s.d->qacc, a, s.m.nv, CR_R(1e-11));
    s.m.disableflags |= CR_DSBL_WARMSTART;
    s.d->qacc_warmstart[0] = (cr_real)NAN;
    assert_int_equal(cr_acceleration(&s.m, s.d), CR_OK);
    assert_all_close(s.d->qacc, a, s.m.nv, CR_R(1e-11));
    scene_close(&s);
  }
}

// H^-1 H x = x with H x = M x - J' F' (J x), at the solution
TEST(factor_is_that_of_the_solution) {
  cr_random r = cr_random_seed(3, 6);
  for (int seed = 1; seed <= N_SEED; seed++) {
    contact_scene s;
    open_solved(&s, seed);
    int nv = s.m.nv, n = s.d->nefc;
    cr_real *J = scene_dense_J(&s), *M = scene_dense_M(&s), *u = numbers(n), *v = numbers(n);
    cr_real x[MAX_NV], y[MAX_NV], H_scale = 0;
    for (int i = 0; i < nv; i++) {
      x[i] = cr_random_normal(&r);
    }
    mechanism_mul(nv, M, x, y);
    for (int k = 0; k < n; k++) {
      for (int j = 0; j < nv; j++) {
        u[k] += J[k * nv + j] * x[j];
        H_scale = cr_max(H_scale, s.d->efc_D[k] * J[k * nv + j] * J[k * nv + j]);
      }
    }
    cri_convex.force_vjp(&s.m, s.d, NULL, u, v);
    for (int k = 0; k < n; k++) {
      for (int j = 0; j < nv; j++) {
        y[j] -= J[k * nv + j] * v[k];
      }
    }
    cr_run all = {0, nv}, room[MAX_NV];
    cr_runs in = cri_dofs_in_islands(&s.m, s.d, (cr_runs){1, &all}, true, room);
    for (int i = 0; i < nv; i++) {
      y[i] = s.d->tree_island[s.m.dof_treeid[i]] < 0 ? x[i] : y[i];
    }
    const cri_right_sides one = {.n = 1, .ld = 1, .X = y};
    cri_convex.linear(&s.m, s.d, in, &one, s.d);
    cr_real smallest = CR_MAX;
    for (int i = 0; i < nv; i++) {
      smallest = cr_min(smallest, M[i * nv + i]);
    }
    // in units of what the condition of H allows
    assert_all_close(y, x, nv, 1000 * CR_EPS * (1 + H_scale / smallest));
    free(J);
    free(M);
    free(u);
    free(v);
    scene_close(&s);
  }
}

// an effective mass matrix of its own: the same as a model whose armature has it
TEST(effective_mass_may_differ_from_inertia) {
  contact_scene s;
  open_solved(&s, 2);
  cr_real a[MAX_NV], *mass = numbers(s.m.nC);
  cr_copy(mass, s.d->M, s.m.nC);
  for (int i = 0; i < s.m.nv; i++) {
    mass[s.m.M_rowadr[i] + s.m.M_rownnz[i] - 1] += CR_R(0.3);
    s.m.dof_armature[i] += CR_R(0.3);
  }
  scene_run(&s, "acceleration");
  cr_copy(a, s.d->qacc, s.m.nv);
  for (int i = 0; i < s.m.nv; i++) {
    s.m.dof_armature[i] -= CR_R(0.3);
  }
  cr_real smooth[MAX_NV];
  cr_copy(smooth, s.d->qacc_smooth, s.m.nv);
  scene_run(&s, "acceleration");
  cr_copy(s.d->qacc_smooth, smooth, s.m.nv);
  cr_pattern M = {.n = s.m.nv, .nnz = s.m.M_rownnz, .adr = s.m.M_rowadr, .col = s.m.M_colind};
  cr_mass_view view = {.value = mass, .pattern = M, .tree = true, .tau = s.d->qfrc_smooth};
  assert_int_equal(cri_convex.solve(&s.m, s.d, &view), CR_OK);
  assert_all_close(s.d->acc_qacc, a, s.m.nv, CR_R(1e-10));
  free(mass);
  scene_close(&s);
}

TEST(row_that_is_not_finite_is_named) {
  contact_scene s;
  open_solved(&s, 1);
  int last = s.d->nefc - 1;
  s.d->efc_aref[last] = (cr_real)NAN;
  assert_int_equal(cr_acceleration(&s.m, s.d), CR_ERR_NONFINITE);
  char row[300];
  (void)snprintf(row, sizeof row, "row %d of %s is not finite", last,
                 cri_row_name(&s.m, s.d, last).text);
  assert_non_null(strstr(s.d->error.text, row));
  assert_int_equal(s.d->scratch_used, 0);
  scene_close(&s);
}

// Two rows that pull one dof apart, so stiff that the difference of their forces is rounding: what they
// agree on is the acceleration, and that has a closed form.
TEST(stiff_rows_hold_the_acceleration) {
  contact_scene s;
  open_solved(&s, 1);
  cr_data* d = s.d;
  int nv = s.m.nv, dof = 0;
  cr_real stiffness = CR_R(1e-3) / CR_EPS, aref[2] = {700, 500}, column[MAX_NV] = {0}, a[MAX_NV];
  d->nefc = d->nl = 2;
  d->ne = d->nf = 0;
  for (int i = 0; i < 2; i++) {
    d->efc_type[i] = CR_CNSTR_LIMIT_JOINT;
    d->efc_J_rownnz[i] = 1;
    d->efc_J_rowadr[i] = i;
    d->efc_J_colind[i] = dof;
    d->efc_J[i] = i == 0 ? 1 : -1;
    d->efc_D[i] = stiffness;
    d->efc_aref[i] = aref[i];
  }
  assert_int_equal(cr_acceleration(&s.m, d), CR_OK);

  // a = a_smooth + M^-1 u (f_0 - f_1), u the dof, f_0 - f_1 = D (aref_0 - aref_1 - 2 a_dof)
  cr_real* M = scene_dense_M(&s);
  column[dof] = 1;
  mechanism_solve(nv, M, column);
  cr_real weight = column[dof] * stiffness;
  cr_real held = (d->qacc_smooth[dof] + weight * (aref[0] - aref[1])) / (1 + 2 * weight);
  for (int i = 0; i < nv; i++) {
    a[i] = d->qacc_smooth[i] + column[i] / column[dof] * (held - d->qacc_smooth[dof]);
  }
  assert_all_close(d->qacc, a, nv, 1000 * CR_EPS);
  assert_true(d->solver_residual > CR_R(1e-6));
  free(M);
  scene_close(&s);
}

// rows of one number each on dof 0, and no others
static void set_rows(cr_data* d, int n, const cr_real* J, cr_real D, cr_real aref) {
  d->nefc = d->nl = n;
  d->ne = d->nf = 0;
  for (int i = 0; i < n; i++) {
    d->efc_type[i] = CR_CNSTR_LIMIT_JOINT;
    d->efc_id[i] = i / 2;
    d->efc_J_rownnz[i] = 1;
    d->efc_J_rowadr[i] = i;
    d->efc_J_colind[i] = 0;
    d->efc_J[i] = J[i];
    d->efc_D[i] = D;
    d->efc_aref[i] = aref;
  }
}

// Forces that cancel leave a dof that nothing else moves with rounding alone, which is no lack of
// convergence: a = tau / (M + J' D J), as near to it as rounding of the forces lets it be.
TEST(forces_that_cancel_are_no_failure) {
  static const cr_real J[] = {CR_R(0.37), CR_R(0.11), CR_R(-0.29), CR_R(-0.19),
                              CR_R(0.23), CR_R(0.41), CR_R(-0.43), CR_R(-0.21)};
  contact_scene s;
  open_solved(&s, 1);
  cr_data* d = s.d;
  cr_zero(d->qfrc_smooth, s.m.nv);
  cr_zero(d->qacc_warmstart, s.m.nv);
  d->qfrc_smooth[0] = CR_R(3e3) * CR_EPS;
  set_rows(d, 8, J, 60, CR_R(376.11346004270388));
  cr_status status = cr_acceleration(&s.m, d);
  if (status != CR_OK) {
    fail_msg("%s", d->error.text);
  }
  cr_real sum = 0;
  for (int i = 0; i < 8; i++) {
    assert_close(d->efc_force[i], 60 * d->efc_aref[i], CR_R(1e-9));
    sum += cr_abs(J[i] * d->efc_force[i]);
  }
  cr_real* M = scene_dense_M(&s);
  cr_real column[MAX_NV] = {1};
  mechanism_solve(s.m.nv, M, column);
  assert_true(cr_abs(d->qacc[0]) <= 100 * CR_EPS * column[0] * (sum + d->qfrc_smooth[0]));
  free(M);
  scene_close(&s);
}

// A start far away and rows so stiff that all their forces are rounding: the first step counts, however
// little it is of what it came from.
TEST(a_far_start_beside_stiff_rows_is_left) {
  static const cr_real J[] = {1, -1, CR_R(0.7), CR_R(-0.7)}, aref[] = {700, 500, 600, 450};
  contact_scene s;
  open_solved(&s, 1);
  cr_data* d = s.d;
  cr_zero(d->qfrc_smooth, s.m.nv);
  set_rows(d, 4, J, 10 / CR_EPS, 0);
  for (int i = 0; i < 4; i++) {
    d->efc_aref[i] = aref[i];
  }
  cr_status status = cr_acceleration(&s.m, d);
  if (status != CR_OK) {
    fail_msg("%s", d->error.text);
  }
  // J' (J a - aref) = 0
  assert_close(d->qacc[0], CR_R(305.) / CR_R(2.98), CR_R(1e-9));
  scene_close(&s);
}

// Rows that oppose each other along one direction of two dofs, and leave rounding across it: refused, with
// the names of what they are of.
TEST(rows_that_oppose_each_other_are_named) {
  static const cr_real J[] = {1, CR_R(0.7), CR_R(-0.9), CR_R(-0.8)};
  contact_scene s;
  open_solved(&s, 1);
  cr_data* d = s.d;
  set_rows(d, 4, J, CR_R(0.1) / CR_EPS, 50);
  for (int i = 0; i < 4; i++) {
    d->efc_J_rownnz[i] = 2;
    d->efc_J_rowadr[i] = 2 * i;
    for (int k = 0; k < 2; k++) {
      d->efc_J_colind[2 * i + k] = k;
      d->efc_J[2 * i + k] = k == 0 ? J[i] : J[i] * CR_R(0.3);
    }
  }
  assert_int_equal(cr_acceleration(&s.m, d), CR_ERR_SOLVER);
  char both[600], other[600];
  cr_row_name one = cri_row_name(&s.m, d, 0), two = cri_row_name(&s.m, d, 2);
  (void)snprintf(both, sizeof both, "since %s and %s push joint", one.text, two.text);
  (void)snprintf(other, sizeof other, "since %s and %s push joint", two.text, one.text);
  bool named = strstr(d->error.text, both) != NULL || strstr(d->error.text, other) != NULL;
  if (!named || strstr(d->error.text, "against each other") == NULL) {
    fail_msg("%s", d->error.text);
  }
  assert_int_equal(d->scratch_used, 0);
  scene_close(&s);
}

// Two rows that contradict each other with forces whose difference is lost in rounding: there is no
// trustworthy answer, and the solver says so.
TEST(hopeless_problem_is_refused) {
  contact_scene s;
  open_solved(&s, 1);
  int first = s.d->nf + s.d->nl;
  assert_true(s.d->nefc > first + 8);
  for (int i = first; i < s.d->nefc; i++) {
    s.d->efc_D[i] = 1 / (CR_EPS * CR_EPS);
    s.d->efc_aref[i] = CR_R(1e9) * (1 + CR_R(0.37) * (cr_real)(i % 5));
  }
  assert_int_equal(cr_acceleration(&s.m, s.d), CR_ERR_SOLVER);
  assert_non_null(strstr(s.d->error.text, "constraint solver"));
  assert_int_equal(s.d->scratch_used, 0);
  scene_close(&s);
}
