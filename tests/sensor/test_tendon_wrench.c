// SPDX-License-Identifier: Apache-2.0
// The pull of tendons on bodies: joints feel J' T, and it pulls both ways.
#include "sensor/tendon_wrench.h"

#include "checks/measured.h"
#include "kinematics/tree.h"
#include "math/spatial.h"
#include "scenes/chain_model.h"
#include "sensor/tendon_tension.h"
#include "support/close.h"

enum { N_SEED = 16, MAX_BODY = 32, MAX_NV = 64 };

// s_i . sum of F behind dof i = (J' T)_i: the rows of ten_J are found in another way
TEST(joints_feel_the_tension) {
  int felt = 0;
  for (int seed = 0; seed < N_SEED; seed++) {
    measured s;
    cr_real F[6 * MAX_BODY] = {0}, q[MAX_NV] = {0}, size = 1;
    measured_open(&s, seed, STATE_CONTACT);
    cr_real* T = cri_push(s.d, (size_t)s.m.ntendon);
    cri_tendon_tension(&s.m, s.d, T, s.d);
    cri_tendon_wrench(&s.m, s.d, F, s.d);
    cri_tree_gather(&s.m, F, 6);
    for (int t = 0; t < s.m.ntendon; t++) {
      size = cr_max(size, cr_abs(T[t]));
      for (int k = s.m.ten_J_rowadr[t]; k < s.m.ten_J_rowadr[t] + s.m.ten_J_rownnz[t]; k++) {
        q[s.m.ten_J_colind[k]] += T[t] * s.d->ten_J[k];
      }
    }
    for (int i = 0; i < s.m.nv; i++) {
      cr_real joint = cr_dot6(s.d->cdof + 6 * i, F + 6 * s.m.dof_bodyid[i]);
      assert_close(joint, q[i], 1000 * ROUND_OFF * size);
      felt += q[i] != 0;
    }
    cri_pop(s.d, 0);
    measured_close(&s);
  }
  assert_true(felt > 20);
}

// nothing is put on the world, and nothing anywhere without tension
TEST(the_world_takes_none) {
  for (int seed = 0; seed < N_SEED; seed++) {
    measured s;
    cr_real F[6 * MAX_BODY] = {0};
    measured_open(&s, seed, STATE_FLIGHT);
    cri_tendon_wrench(&s.m, s.d, F, s.d);
    assert_true(cr_is_zero(F, 6));
    // without tension nothing pulls
    cr_zero(s.m.tendon_stiffness, s.m.ntendon);
    cr_zero(s.m.tendon_stiffnesspoly, 2 * s.m.ntendon);
    cr_zero(s.m.tendon_armature, s.m.ntendon);
    cr_zero(s.m.actuator_armature, s.m.nactuator);
    s.m.disableflags |= CR_DSBL_DAMPER;
    cr_zero(s.d->actuator_force, s.m.nout);
    cr_zero(s.d->efc_force, s.d->nefc);
    cr_zero(F, 6 * s.m.nbody);
    cri_tendon_wrench(&s.m, s.d, F, s.d);
    assert_true(cr_is_zero(F, 6 * s.m.nbody));
    measured_close(&s);
  }
}
