// SPDX-License-Identifier: Apache-2.0
// Differences of states undo steps on the manifold.
#include "kinematics/state_minus.h"

#include "kinematics/configuration.h"
#include "scenes/random_model.h"
#include "support/close.h"

TEST(differences_undo_steps) {
  cr_real d[512], q[512];
  for (uint64_t seed = 0; seed < 8; seed++) {
    cr_model m;
    assert_int_equal(random_model(&m, seed, NULL), CR_OK);
    cr_data *a = test_data(&m), *b = test_data(&m);
    random_state(&m, a, seed, STATE_FLIGHT);
    random_state(&m, b, seed + 100, STATE_FLIGHT);
    assert_true(m.nq < 512 && cri_state_tangent_size(&m) < 512);
    cri_state_minus(&m, cri_state_of(&m, a), cri_state_of(&m, b), d);
    cri_configuration_move(&m, b->qpos, d, 1, q);
    for (int i = 0; i < m.nq; i++) {  // or the same turn by the other quaternion
      assert_close(cr_abs(q[i]), cr_abs(a->qpos[i]), CR_R(1e-12) * (1 + cr_abs(a->qpos[i])));
    }
    for (int i = 0; i < m.nv; i++) {
      assert_true(d[m.nv + i] == a->qvel[i] - b->qvel[i]);
    }
    for (int i = 0; i < m.na; i++) {
      assert_true(d[2 * m.nv + i] == a->act[i] - b->act[i]);
    }
    test_release();
    cri_model_free(&m);
  }
}
