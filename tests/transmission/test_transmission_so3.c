// SPDX-License-Identifier: Apache-2.0
// Rows of orientation transmissions: their velocities are the relative angular velocity.
#include "transmission/transmission_so3.h"

#include "engine/forward.h"
#include "math/vec3.h"
#include "scenes/random_model.h"
#include "support/close.h"

TEST(velocities_are_angular) {
  int joints = 0, sites = 0;
  for (uint64_t seed = 0; seed < 120; seed++) {
    cr_model m;
    cr_data* d = NULL;
    assert_int_equal(random_model(&m, seed, NULL), CR_OK);
    d = test_data(&m);
    random_state(&m, d, seed, STATE_FLIGHT);
    assert_int_equal(cr_forward(&m, d), CR_OK);
    for (int i = 0; i < m.nactuator; i++) {
      const cr_real* v = d->actuator_velocity + m.actuator_outadr[i];
      int a = m.actuator_trnid[2 * i], b = m.actuator_trnid[2 * i + 1];
      if (m.actuator_trntype[i] != CR_TRN_SO3) {
        continue;
      }
      if (b < 0) {
        for (int k = 0; k < 3; k++) {
          assert_close(v[k], d->qvel[m.jnt_dofadr[a] + k], CR_R(1e-14) * (1 + cr_abs(v[k])));
        }
        joints++;
        continue;
      }
      // what turns both sites is left out, and cancels here
      cr_real w[3], local[3];
      cr_sub3(w, d->cvel + 6 * m.site_bodyid[a], d->cvel + 6 * m.site_bodyid[b]);
      cr_multmat3(local, d->site_xmat + 9 * a, w);
      for (int k = 0; k < 3; k++) {
        assert_close(v[k], local[k], CR_R(1e-11) * (1 + cr_abs(v[k])));
      }
      sites++;
    }
    cri_model_free(&m);
  }
  assert_true(joints > 0 && sites > 0);
}
