// SPDX-License-Identifier: Apache-2.0
// The articulated-body factor against a dense solve, closed forms, and inertias that are singular.
#include "inertia/articulated.h"

#include "math/spatial.h"
#include "scenes/mechanism.h"
#include "scenes/random_model.h"
#include "support/close.h"

enum { N_SEED = 12, MAX_NV = 64 };

typedef struct {
  cr_model m;
  cr_data* d;
  cr_real A[MAX_NV * MAX_NV], diag[MAX_NV], x[MAX_NV], y[MAX_NV];
} fixture;

static fixture f;

// a random model in a random pose; diag is the armature and `extra` more
static void begin(uint64_t seed, cr_real extra) {
  assert_int_equal(random_model(&f.m, seed, NULL), CR_OK);
  f.d = test_data(&f.m);
  assert_true(f.m.nv <= MAX_NV);
  random_state(&f.m, f.d, seed, STATE_FLIGHT);
  mechanism_pose(&f.m, f.d);
  for (int i = 0; i < f.m.nv; i++) {
    f.diag[i] = f.m.dof_armature[i] + extra * (cr_real)(1 + i % 3);
  }
}

static void end(void) {
  assert_int_equal(f.d->scratch_used, 0);
  cri_model_free(&f.m);
}

TEST(articulated_solve_matches_a_dense_solve) {
  for (uint64_t seed = 0; seed < N_SEED; seed++) {
    begin(seed, seed % 2 == 0 ? 0 : CR_R(0.05));
    cr_random r = cr_random_seed(seed, 12);
    for (int i = 0; i < f.m.nv; i++) {
      f.x[i] = f.y[i] = cr_random_normal(&r);
    }
    mechanism_inertia(&f.m, f.d, f.diag, f.A);
    mechanism_solve(f.m.nv, f.A, f.y);
    cr_real *U = f.d->art_U, *Dinv = f.d->art_Dinv;
    assert_int_equal(cri_articulated_factor(&f.m, f.d, f.diag, U, Dinv, f.d), CR_OK);
    cri_articulated_solve(&f.m, f.d->cdof, U, Dinv, f.x, f.d);
    assert_all_close(f.x, f.y, f.m.nv, CR_R(1e-10));
    end();
  }
}

TEST(articulated_solve_is_symmetric) {
  begin(3, 0);
  cr_real *U = f.d->art_U, *Dinv = f.d->art_Dinv;
  int n = f.m.nv;
  assert_int_equal(cri_articulated_factor(&f.m, f.d, f.diag, U, Dinv, f.d), CR_OK);
  for (int i = 0; i < n; i++) {
    cr_real* column = f.A + n * i;
    cr_zero(column, n);
    column[i] = 1;
    cri_articulated_solve(&f.m, f.d->cdof, U, Dinv, column, f.d);
  }
  for (int i = 0; i < n; i++) {
    assert_true(f.A[n * i + i] > 0);
    for (int j = 0; j < i; j++) {
      cr_real scale = cr_sqrt(f.A[n * i + i] * f.A[n * j + j]);
      assert_close(f.A[n * i + j], f.A[n * j + i], CR_R(1e-11) * scale);
    }
  }
  end();
}

// two hinges about z, point masses m1 and m2 at the ends of unit links, the arm stretched:
// M = [m1 + 4 m2, 2 m2; 2 m2, m2], so M^-1 (0, 1) = (-2, (m1 + 4 m2) / m2) / m1
TEST(articulated_double_pendulum_has_its_closed_form) {
  int32_t parent[3] = {0, 0, 1}, tree[3] = {-1, 0, 0}, jntadr[3] = {-1, 0, 1};
  int32_t dofadr[3] = {-1, 0, 1}, dofnum[3] = {0, 1, 1}, dofparent[2] = {-1, 0};
  cr_model m = {.nbody = 3, .nv = 2, .body_parentid = parent, .body_treeid = tree};
  m.body_jntadr = jntadr;
  m.body_dofadr = dofadr;
  m.body_dofnum = dofnum;
  m.dof_parentid = dofparent;
  const cr_real m1 = CR_R(0.7), m2 = CR_R(0.3), zero[2] = {0, 0};
  // about the first hinge: masses at x = 1 and 2, the second axis passes x = 1
  cr_real cinert[30] = {[11] = m1, [12] = m1, [16] = m1, [19] = m1};
  cinert[21] = cinert[22] = 4 * m2;
  cinert[26] = 2 * m2;
  cinert[29] = m2;
  cr_real cdof[12] = {0, 0, 1, 0, 0, 0, 0, 0, 1, 0, -1, 0};
  cr_real scratch[256], U[12], Dinv[2], x[2] = {0, 1};
  cr_data d = {.cinert = cinert, .cdof = cdof, .scratch = scratch, .scratch_size = 256};
  assert_int_equal(cri_articulated_factor(&m, &d, zero, U, Dinv, &d), CR_OK);
  assert_close(1 / Dinv[1], m2, CR_R(1e-15));
  assert_close(1 / Dinv[0], m1, CR_R(1e-15));
  cri_articulated_solve(&m, cdof, U, Dinv, x, &d);
  assert_close(x[0], -2 / m1, CR_R(1e-13));
  assert_close(x[1], (m1 + 4 * m2) / (m1 * m2), CR_R(1e-13));
}

TEST(articulated_names_the_joint_without_inertia) {
  begin(3, 0);
  int dof = f.m.nv - 1, body = f.m.dof_bodyid[dof];
  cr_zero(f.d->cinert + 10 * body, 10);
  cr_zero(f.diag, f.m.nv);
  cr_status status = cri_articulated_factor(&f.m, f.d, f.diag, f.d->art_U, f.d->art_Dinv, f.d);
  assert_int_equal(status, CR_ERR_SINGULAR);
  assert_int_equal(f.d->error.status, CR_ERR_SINGULAR);
  const char* name = cri_name(&f.m, f.m.name_jntadr, f.m.dof_jntid[dof]);
  char expected[64];
  (void)snprintf(expected, sizeof expected, "joint %d \"%s\", dof %d", f.m.dof_jntid[dof], name,
                 dof);
  assert_non_null(strstr(f.d->error.text, expected));
  // armature in place of mass is enough
  for (int i = 0; i < f.m.nv; i++) {
    f.diag[i] = CR_R(0.01);
  }
  status = cri_articulated_factor(&f.m, f.d, f.diag, f.d->art_U, f.d->art_Dinv, f.d);
  assert_int_equal(status, CR_OK);
  end();
}

TEST(articulated_tells_nonfinite_from_singular) {
  begin(3, 0);
  f.d->cinert[10 * f.m.dof_bodyid[0]] = (cr_real)NAN;
  f.d->cinert[10 * f.m.dof_bodyid[0] + 9] = (cr_real)NAN;
  cr_status status = cri_articulated_factor(&f.m, f.d, f.diag, f.d->art_U, f.d->art_Dinv, f.d);
  assert_int_equal(status, CR_ERR_NONFINITE);
  end();
}
