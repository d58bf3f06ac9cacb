// SPDX-License-Identifier: Apache-2.0
// Sums in front of dofs against the velocities that the stages leave.
#include "kinematics/rigid_transport.h"

#include "engine/forward.h"
#include "scenes/chain_model.h"
#include "scenes/random_model.h"
#include "support/close.h"

// cdof_dot = V x cdof, V what is in front of the axes; and bodies move with cvel
TEST(velocities_are_those_of_the_stages) {
  for (uint64_t seed = 0; seed < 12; seed++) {
    cr_model m;
    assert_int_equal(random_model(&m, seed, NULL), CR_OK);
    cr_data* d = test_data(&m);
    cr_data* work = test_data(&m);
    random_state(&m, d, seed, STATE_FLIGHT);
    assert_int_equal(cr_forward(&m, d), CR_OK);
    cri_rigid_transport c = cri_rigid_transport_of(&m, d, d->qvel, work);
    for (int i = 0; i < m.nv; i++) {
      cr_real turned[6];
      cr_cross_motion(turned, c.V + 6 * i, d->cdof + 6 * i);
      for (int k = 0; k < 6; k++) {
        assert_close(turned[k], d->cdof_dot[6 * i + k], 100 * ROUND_OFF);
      }
    }
    assert_all_close(c.body_V, d->cvel, 6 * m.nbody, 100 * ROUND_OFF);
    assert_all_close(c.body_B, d->cvel, 6 * m.nbody, 100 * ROUND_OFF);  // a = v here
    assert_all_close(c.B, c.V, 6 * m.nv, 100 * ROUND_OFF);
    cri_model_free(&m);
  }
}

TEST(axes_of_a_rotation_move_together) {
  static const int32_t types[] = {CR_JNT_FREE, CR_JNT_HINGE, CR_JNT_BALL};
  cr_model m;
  assert_int_equal(chain_model(&m, 3, types, 0, NULL), CR_OK);
  const int first[] = {0, 1, 2, 3, 3, 3, 6, 7, 7, 7};
  for (int i = 0; i < 10; i++) {
    assert_int_equal(cri_rigid_transport_first(&m, i), first[i]);
  }
  assert_true(cri_carries(&m, 1, 4));   // a translation carries the turns
  assert_false(cri_carries(&m, 4, 1));  // and they do not carry it
  assert_true(cri_carries(&m, 5, 3) && cri_carries(&m, 3, 5));
  assert_true(cri_carries(&m, 6, 8));
  assert_false(cri_carries(&m, 8, 6));
  cri_model_free(&m);
}
