// SPDX-License-Identifier: Apache-2.0
// The acceleration of tendons at zero qacc: the change of ten_velocity along a path whose velocity
// coordinates do not change.
#include "force/tendon_bias.h"

#include "engine/forward.h"
#include "force/tendon_inertia.h"
#include "scenes/mechanism.h"
#include "scenes/random_model.h"
#include "support/close.h"

// ten_velocity after a time h with qvel held
static cr_real velocity_at(const cr_model* m, const cr_data* d, int t, cr_real h, cr_data* to) {
  mechanism_move(m, d, d->qvel, h, to);
  cr_copy(to->qvel, d->qvel, m->nv);
  assert_int_equal(cr_forward(m, to), CR_OK);
  return to->ten_velocity[t];
}

TEST(it_is_the_rate_of_the_velocity) {
  const cr_real h = CR_R(1e-3);
  int measured = 0;
  for (uint64_t seed = 0; seed < 40; seed++) {
    cr_model m;
    cr_data *d = NULL, *to = NULL;
    assert_int_equal(random_model(&m, seed, NULL), CR_OK);
    d = test_data(&m);
    to = test_data(&m);
    random_state(&m, d, seed, STATE_FLIGHT);
    assert_int_equal(cr_forward(&m, d), CR_OK);
    for (int t = 0; t < m.ntendon; t++) {
      bool fixed = m.wrap_type[m.tendon_adr[t]] == CR_WRAP_JOINT;
      if (fixed || m.tendon_inertial[t] == 0) {
        assert_close(d->ten_bias[t], 0, 0);
        continue;
      }
      cr_real near = velocity_at(&m, d, t, h, to) - velocity_at(&m, d, t, -h, to);
      cr_real far = velocity_at(&m, d, t, 2 * h, to) - velocity_at(&m, d, t, -2 * h, to);
      cr_real expected = (8 * near - far) / (12 * h);
      assert_close(d->ten_bias[t], expected, CR_R(1e-6) * (1 + cr_abs(expected)));
      measured++;
    }
    cri_model_free(&m);
  }
  assert_true(measured > 5);
}
