// SPDX-License-Identifier: Apache-2.0
// Forces on contacts: a force in the contact's frame is the same force in joint space for both cones.
#include "augment/correction.h"
#include "base/random.h"
#include "carom/carom.h"
#include "constraint/rows.h"
#include "engine/driver.h"
#include "scenes/random_model.h"
#include "support/close.h"
#include "support/test.h"

// J' w of a force on contact i
static void push(const cr_model* m, cr_data* d, int i, const cr_real f[3], cr_real* qfrc) {
  cr_real w[4096] = {0};
  assert_true(d->nefc <= 4096);
  cri_row_forces(m, d, i, f, w);
  cr_zero(qfrc, m->nv);
  cri_rows_mul_transposed(m, d, d->efc_J, qfrc, w);
}

TEST(both_cones_give_one_force) {
  const cr_real f[3] = {CR_R(1.5), CR_R(-0.7), CR_R(0.4)};
  int compared = 0;
  for (uint64_t seed = 0; seed < 12; seed++) {
    cr_model m[2];
    cr_data* d[2];
    for (int k = 0; k < 2; k++) {
      assert_int_equal(random_model(&m[k], seed, NULL), CR_OK);
      m[k].cone = k == 0 ? CR_CONE_PYRAMIDAL : CR_CONE_ELLIPTIC;
      d[k] = test_data(&m[k]);
      random_state(&m[k], d[k], seed, STATE_CONTACT);
      assert_int_equal(cr_forward(&m[k], d[k]), CR_OK);
    }
    for (int i = 0; i < d[0]->ncon && d[0]->ncon == d[1]->ncon; i++) {
      if (d[0]->contact_efc_address[i] < 0 || d[0]->contact_dim[i] < 3 ||
          !(d[0]->contact_friction[5 * i] > 0 && d[0]->contact_friction[5 * i + 1] > 0)) {
        continue;
      }
      cr_real a[512], b[512];
      push(&m[0], d[0], i, f, a);
      push(&m[1], d[1], i, f, b);
      for (int k = 0; k < m[0].nv; k++) {
        assert_true(cr_abs(a[k] - b[k]) < CR_R(1e-10) * (1 + cr_abs(b[k])));
      }
      compared++;
    }
    cri_model_free(&m[0]);
    cri_model_free(&m[1]);
    test_release();
  }
  assert_true(compared > 10);
}
