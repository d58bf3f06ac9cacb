// SPDX-License-Identifier: Apache-2.0
// Joints as pieces of the manifold: together they hold every coordinate and every dof once.
#include "kinematics/joint.h"

#include "scenes/chain_model.h"
#include "support/close.h"

TEST(joints_cover_all_coordinates) {
  static const int32_t types[] = {CR_JNT_FREE, CR_JNT_BALL, CR_JNT_HINGE, CR_JNT_SLIDE};
  static const int flat[] = {3, 0, 1, 1};
  cr_model m;
  int q = 0, v = 0;
  assert_int_equal(chain_model(&m, 4, types, 0, NULL), CR_OK);
  for (int j = 0; j < m.njnt; j++) {
    cri_joint_space s = cri_joint_space_of(&m, j);
    assert_int_equal(s.nflat, flat[j]);
    assert_int_equal(s.rotates, j < 2);
    assert_int_equal(s.q, q);
    assert_int_equal(s.v, v);
    q += s.nflat + (s.rotates ? 4 : 0);
    v += s.nflat + (s.rotates ? 3 : 0);
  }
  assert_int_equal(q, m.nq);
  assert_int_equal(v, m.nv);
  cri_model_free(&m);
}
