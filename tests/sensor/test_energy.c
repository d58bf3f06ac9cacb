// SPDX-License-Identifier: Apache-2.0
// Energies against the inertia matrix, the spring forces and closed forms.
#include "sensor/energy.h"

#include "checks/measured.h"
#include "inertia/inertia.h"
#include "math/cholesky.h"
#include "scenes/chain_model.h"
#include "scenes/mechanism.h"
#include "support/close.h"

enum { N_SEED = 8, MAX_NV = 64 };

TEST(kinetic_energy_is_half_v_M_v) {
  for (int seed = 0; seed < N_SEED; seed++) {
    measured s;
    cr_real Mv[MAX_NV], K = 0;
    measured_open(&s, seed, STATE_CONTACT);
    assert_true(s.m.nv <= MAX_NV);
    // the matrix of composite bodies; the stage sweeps the tree
    s.d->want_M = true;
    assert_int_equal(cr_inertia(&s.m, s.d), CR_OK);
    cr_pattern p = {.n = s.m.nv, .nnz = s.m.M_rownnz, .adr = s.m.M_rowadr, .col = s.m.M_colind};
    cr_sparse_mul(Mv, s.d->M, &p, s.d->qvel);
    for (int i = 0; i < s.m.nv; i++) {
      K += s.d->qvel[i] * Mv[i] / 2;
    }
    assert_close(s.d->energy[1], K, 10 * ROUND_OFF * K);
    measured_close(&s);
  }
}

// what springs lose is what their forces do: dU along a direction is -qfrc_spring . direction, and
// gravity's part that of m g h
TEST(forces_are_minus_the_gradient) {
  for (int seed = 0; seed < N_SEED; seed++) {
    measured s;
    cr_random r = cr_random_seed((uint64_t)seed, 5);
    measured_open(&s, seed, STATE_FLIGHT);
    cr_real work = 0, size = 1;
    for (int i = 0; i < s.m.nv; i++) {
      s.tan->qpos[i] = cr_random_normal(&r);
      work -= s.d->qfrc_spring[i] * s.tan->qpos[i];
      size += cr_abs(s.d->qfrc_spring[i] * s.tan->qpos[i]);
    }
    // gravity apart
    s.m.disableflags |= CR_DSBL_GRAVITY;
    for (int i = 0; i < s.m.ntendon; i++) {
      for (int k = 0; k < s.m.ten_J_rownnz[i]; k++) {
        int at = s.m.ten_J_rowadr[i] + k;
        s.tan->ten_length[i] += s.d->ten_J[at] * s.tan->qpos[s.m.ten_J_colind[at]];
      }
    }
    assert_int_equal(cr_energy_jvp(&s.m, s.d, s.tan), CR_OK);
    assert_close(s.tan->energy[0], work, 100 * ROUND_OFF * size);
    measured_close(&s);
  }
}

TEST(gravity_is_m_g_h) {
  for (int seed = 0; seed < N_SEED; seed++) {
    measured s;
    measured_open(&s, seed, STATE_FLIGHT);
    s.m.disableflags |= CR_DSBL_SPRING;
    assert_int_equal(cr_energy(&s.m, s.d), CR_OK);
    cr_real U = mechanism_potential(&s.m, s.d);
    assert_close(s.d->energy[0], U, 10 * ROUND_OFF * (1 + cr_abs(U)));
    measured_close(&s);
  }
}

// one hinge with k x^2 / 2 + p_0 x^3 / 3 + p_1 x^4 / 4
TEST(a_polynomial_spring) {
  cr_model m;
  const int32_t hinge = CR_JNT_HINGE;
  assert_int_equal(chain_model(&m, 1, &hinge, 0, NULL), CR_OK);
  cr_data* d = test_data(&m);
  m.disableflags |= CR_DSBL_GRAVITY;
  m.jnt_stiffness[0] = 3;
  m.jnt_stiffnesspoly[0] = 5;
  m.jnt_stiffnesspoly[1] = 7;
  m.qpos_spring[0] = 1;
  d->qpos[0] = -1;  // x = -2
  assert_int_equal(cr_energy(&m, d), CR_OK);
  assert_close(d->energy[0], 6 - CR_R(40.0) / 3 + 28, 100 * ROUND_OFF);
  cri_model_free(&m);
}
