// SPDX-License-Identifier: Apache-2.0
// Numbers of connects and welds that follow from qpos0: there the anchors meet and the relative rotation is zero. Given
// numbers stay. engine/constants tests the derivative.
#include "engine/assembly.h"

#include "kinematics/kinematics.h"
#include "math/quat.h"
#include "scenes/random_model.h"
#include "support/close.h"

static void anchor(const cr_data* d, int body, const cr_real* p, cr_real x[3]) {
  cr_copy3(x, d->xpos + 3 * body);
  cr_accmat3(x, d->xmat + 9 * body, p);
}

static void check(const cr_model* m, const cr_data* d, const cr_model* given, int i, int* seen) {
  const cr_real *data = m->eq_data + CR_NEQDATA * i, *before = given->eq_data + CR_NEQDATA * i;
  bool weld = m->eq_type[i] == CR_EQ_WELD;
  if (!cri_assembly_derives(m, CR_NEQDATA * i + 3)) {
    for (int k = 0; k < CR_NEQDATA; k++) {
      assert_true(data[k] == before[k]);
    }
    seen[2]++;
    return;
  }
  int first = m->eq_obj1id[i], second = m->eq_obj2id[i];
  cr_real x[3], y[3];
  anchor(d, first, data + (weld ? 3 : 0), x);
  anchor(d, second, data + (weld ? 0 : 3), y);
  assert_all_close(x, y, 3, 100 * CR_EPS);
  if (weld) {
    // q_1 q is q_2
    cr_real q[4], away[3];
    cr_quat_mul(q, d->xquat + 4 * first, data + 6);
    cr_quat_sub(away, q, d->xquat + 4 * second);
    assert_close(cr_norm3(away), 0, 100 * CR_EPS);
  }
  for (int k = 0; k < CR_NEQDATA; k++) {
    bool made = k >= 3 && k < (weld ? 10 : 6);
    assert_true(cri_assembly_derives(m, CR_NEQDATA * i + k) == made);
    assert_true(made || data[k] == before[k]);
  }
  seen[weld]++;
}

TEST(anchors_meet_in_qpos0) {
  int seen[3] = {0};
  for (uint64_t seed = 0; seed < 60; seed++) {
    cr_model m, given;
    assert_int_equal(random_model(&m, seed, NULL), CR_OK);
    assert_int_equal(cri_model_copy(&given, &m, NULL), CR_OK);
    cr_data* d = test_data(&m);
    cri_data_reset(&m, d);
    assert_int_equal(cr_kinematics(&m, d), CR_OK);
    cri_assembly(&m, d);
    for (int i = 0; i < m.neq; i++) {
      check(&m, d, &given, i, seen);
    }
    cri_model_free(&given);
    cri_model_free(&m);
  }
  assert_true(seen[0] > 3 && seen[1] > 3 && seen[2] > 3);
}
