// SPDX-License-Identifier: Apache-2.0
// Solves with the effective mass matrix: transposes, free bodies that spin, and those that something touches.
#include "engine/implicit_inertia_solve.h"

#include "base/random.h"
#include "engine/forward.h"
#include "integrate/step.h"
#include "scenes/random_model.h"
#include "support/close.h"

enum { N_SEED = 24, MAX_NV = 64 };

static cr_model m;
static cr_data* d;

static void begin(uint64_t seed, state_kind kind) {
  assert_int_equal(random_model(&m, seed, NULL), CR_OK);
  assert_true(m.nv <= MAX_NV);
  random_model_discrete(&m);
  random_model_loose(&m);
  d = test_data(&m);
  random_state(&m, d, seed, kind);
  assert_int_equal(cr_forward(&m, d), CR_OK);
}

static void end(void) { cri_model_free(&m); }

static void solve(cr_real* x, bool transposed) {
  cr_real b[MAX_NV];
  cr_copy(b, x, m.nv);
  cri_implicit_inertia_solve(&m, d, x, d);
  cri_implicit_inertia_free(&m, d, b, x, transposed, d);
}

TEST(transposed_solve_is_the_adjoint) {
  cr_random r = cr_random_seed(2, 2);
  int blocks = 0, unsymmetric = 0;
  for (uint64_t seed = 0; seed < N_SEED; seed++) {
    begin(seed, STATE_FLIGHT);
    cr_real x[MAX_NV], y[MAX_NV], Ax[MAX_NV], Ay[MAX_NV], plain[MAX_NV];
    cr_real forward = 0, backward = 0, scale = 0;
    for (int i = 0; i < m.nv; i++) {
      x[i] = cr_random_normal(&r);
      y[i] = cr_random_normal(&r);
    }
    cr_copy(Ax, x, m.nv);
    cr_copy(Ay, y, m.nv);
    cr_copy(plain, y, m.nv);
    solve(Ax, false);
    solve(Ay, true);
    solve(plain, false);
    for (int i = 0; i < m.nv; i++) {
      forward += y[i] * Ax[i];
      backward += x[i] * Ay[i];
      scale += cr_abs(y[i] * Ax[i]);
      unsymmetric += plain[i] != Ay[i];
    }
    assert_close(forward, backward, CR_R(1e-11) * scale);
    for (int t = 0; t < m.ntree; t++) {
      blocks += d->efm_free[t];
    }
    end();
  }
  assert_true(blocks > 0 && unsymmetric > 0);
}

TEST(a_touched_body_has_no_block) {
  int touched = 0;
  for (uint64_t seed = 0; seed < N_SEED; seed++) {
    begin(seed, STATE_CONTACT);
    for (int i = 0; i < d->nJ; i++) {
      int tree = m.dof_treeid[d->efc_J_colind[i]];
      assert_int_equal(d->efm_free[tree], 0);
      touched += m.tree_dofnum[tree] == 6;
    }
    end();
  }
  assert_true(touched > 0);
}

// torque-free tumbling does not gain energy
TEST(a_spinning_body_loses_little) {
  begin(1, STATE_FLIGHT);
  m.disableflags =
      CR_DSBL_CONSTRAINT | CR_DSBL_GRAVITY | CR_DSBL_SPRING | CR_DSBL_DAMPER | CR_DSBL_ACTUATION;
  m.timestep = CR_R(0.01);
  cr_zero(d->qvel, m.nv);
  cr_zero(d->qfrc_applied, m.nv);
  cr_zero(d->xfrc_applied, 6 * m.nbody);
  assert_int_equal(m.jnt_type[0], CR_JNT_FREE);
  d->qvel[3] = 20;
  d->qvel[4] = CR_R(0.5);
  cr_real energy[2] = {0, 0};
  for (int k = 0; k < 300; k++) {
    assert_int_equal(cr_step(&m, d), CR_OK);
    cr_pattern p = {.n = m.nv, .nnz = m.M_rownnz, .adr = m.M_rowadr, .col = m.M_colind};
    cr_real momentum[MAX_NV];
    cr_sparse_mul(momentum, d->M, &p, d->qvel);
    energy[k > 0] = 0;
    for (int i = 0; i < m.nv; i++) {
      energy[k > 0] += momentum[i] * d->qvel[i] / 2;
    }
    cr_advance(&m, d);
  }
  assert_true(energy[1] < energy[0] * (1 + CR_R(1e-6)) && energy[1] > energy[0] / 2);
  end();
}
