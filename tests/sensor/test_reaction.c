// SPDX-License-Identifier: Apache-2.0
// What joints transmit: along their axes the forces in joint space, in a hanging chain its weight.
#include "sensor/reaction.h"

#include "checks/measured.h"
#include "engine/forward.h"
#include "math/spatial.h"
#include "scenes/chain_model.h"
#include "scenes/mechanism.h"
#include "sensor/external_force.h"
#include "support/close.h"

enum { N_SEED = 12, MAX_NV = 64 };

// along the axis of a dof the joint transmits the force that moves the bodies behind it, M a + c with
// the M of bodies alone, less the share of what acts on them
TEST(along_its_axis_a_joint_transmits_its_own_force) {
  for (int seed = 0; seed < N_SEED; seed++) {
    measured s;
    cr_real M[MAX_NV * MAX_NV], Ma[MAX_NV], size = 1;
    measured_open(&s, seed, STATE_CONTACT);
    cr_data* d = s.d;
    mechanism_inertia(&s.m, d, NULL, M);
    mechanism_mul(s.m.nv, M, d->qacc, Ma);
    cr_real* F = cri_push(d, 6 * (size_t)s.m.nbody);
    cri_external(&s.m, d, F, d);
    for (int b = s.m.nbody - 1; b > 0; b--) {
      cr_acc6(F + 6 * s.m.body_parentid[b], F + 6 * b);
      size = cr_max(size, cr_norm3(F + 6 * b + 3));
    }
    for (int i = 0; i < s.m.nv; i++) {
      int b = s.m.dof_bodyid[i];
      cr_real bias = cr_dot6(d->cdof + 6 * i, d->bias_frc + 6 * b);
      cr_real own = Ma[i] + bias - cr_dot6(d->cdof + 6 * i, F + 6 * b);
      assert_close(cr_dot6(d->cdof + 6 * i, d->cfrc_int + 6 * b), own, 1e4 * ROUND_OFF * size);
    }
    cri_pop(d, 0);
    measured_close(&s);
  }
}

// a chain at rest whose joints are held: every body carries the weight below it
TEST(a_chain_that_is_held_carries_its_weight) {
  cr_model m;
  const int32_t types[] = {CR_JNT_HINGE, CR_JNT_BALL, CR_JNT_SLIDE};
  assert_int_equal(chain_model(&m, 3, types, 0, NULL), CR_OK);
  cr_data* d = test_data(&m);
  assert_int_equal(cr_forward(&m, d), CR_OK);
  cr_copy(d->qfrc_applied, d->qfrc_bias, m.nv);
  assert_int_equal(cr_forward(&m, d), CR_OK);
  cr_real mass = 0;
  for (int b = 3; b > 0; b--) {
    const cr_real* f = d->cfrc_int + 6 * b;
    mass += m.body_mass[b];
    assert_close(f[3], 0, 100 * ROUND_OFF);
    assert_close(f[4], 0, 100 * ROUND_OFF);
    assert_close(f[5], mass * CR_R(9.81), 1000 * ROUND_OFF);
    // the torque about the tree's point is that of the weight at its centre of mass
    cr_real r[3], weight[3] = {0, 0, mass * CR_R(9.81)}, n[3];
    cr_sub3(r, d->subtree_com + 3 * b, d->subtree_com + 3);
    cr_cross3(n, r, weight);
    for (int k = 0; k < 3; k++) {
      assert_close(f[k], n[k], 1000 * ROUND_OFF);
    }
    assert_close(d->cacc[6 * b + 5], CR_R(9.81), 1000 * ROUND_OFF);
  }
  cri_model_free(&m);
}
