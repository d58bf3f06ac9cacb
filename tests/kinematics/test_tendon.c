// SPDX-License-Identifier: Apache-2.0
// Tendons: rows against differences of the lengths, which do not use rows.
#include "kinematics/tendon.h"

#include "scenes/mechanism.h"
#include "scenes/random_model.h"
#include "support/close.h"

static void lengths(const cr_model* m, cr_data* d) {
  mechanism_pose(m, d);
  assert_int_equal(cr_tendon(m, d), CR_OK);
}

// ten_J v is the rate of the lengths along v, touching points and all
TEST(rows_are_gradients_of_lengths) {
  const cr_real h = CR_R(1e-4);
  int wrapped = 0;
  for (uint64_t seed = 0; seed < 24; seed++) {
    cr_model m;
    assert_int_equal(random_model(&m, seed, NULL), CR_OK);
    cr_data* d = test_data(&m);
    cr_data* moved = test_data(&m);
    random_state(&m, d, seed, STATE_CONTACT);
    cri_data_copy(&m, moved, d);
    lengths(&m, d);
    for (int i = 0; i < m.ntendon; i++) {
      static const cr_real weight[4] = {1, -8, 8, -1};
      cr_real rate = 0, expected = 0;
      bool same = true;
      for (int k = 0; k < 4; k++) {
        mechanism_move(&m, d, d->qvel, h * (cr_real)(k < 2 ? k - 2 : k - 1), moved);
        lengths(&m, moved);
        rate += weight[k] * moved->ten_length[i] / (12 * h);
        same = same && memcmp(moved->wrap_branch, d->wrap_branch,
                              (size_t)m.nwrap * sizeof *d->wrap_branch) == 0;
      }
      for (int k = m.ten_J_rowadr[i]; k < m.ten_J_rowadr[i] + m.ten_J_rownnz[i]; k++) {
        expected += d->ten_J[k] * d->qvel[m.ten_J_colind[k]];
      }
      if (same) {
        // a point that touches from inside is good to 1e-6
        assert_close(rate, expected, CR_R(2e-6) * cr_max(1, cr_abs(expected)));
        wrapped++;
      }
    }
    cri_model_free(&m);
  }
  assert_true(wrapped > 40);
}

// curvature: along v the rows' rate, symmetric between slides and hinges; its gradient is the row
TEST(curvatures_are_rates_of_rows) {
  static const cr_real weight[4] = {1, -8, 8, -1};
  const cr_real h = CR_R(1e-4);
  static cr_real H[64 * 64], gradient[64], rate[64];
  int compared = 0;
  for (uint64_t seed = 0; seed < 24; seed++) {
    cr_model m;
    assert_int_equal(random_model(&m, seed, NULL), CR_OK);
    cr_data* d = test_data(&m);
    cr_data* moved = test_data(&m);
    random_state(&m, d, seed, STATE_CONTACT);
    cri_data_copy(&m, moved, d);
    lengths(&m, d);
    for (int t = 0; t < m.ntendon; t++) {
      int n = m.ten_J_rownnz[t], adr = m.ten_J_rowadr[t];
      if (m.wrap_type[m.tendon_adr[t]] == CR_WRAP_JOINT) {
        continue;
      }
      cri_tendon_moment_derivative(&m, d, t, H, gradient, d);
      assert_int_equal(d->scratch_used, 0);
      bool same = true;
      cr_zero(rate, n);
      for (int k = 0; k < 4; k++) {
        mechanism_move(&m, d, d->qvel, h * (cr_real)(k < 2 ? k - 2 : k - 1), moved);
        lengths(&m, moved);
        for (int i = 0; i < n; i++) {
          rate[i] += weight[k] * moved->ten_J[adr + i] / (12 * h);
        }
        same = same && memcmp(moved->wrap_branch, d->wrap_branch,
                              (size_t)m.nwrap * sizeof *d->wrap_branch) == 0;
      }
      for (int i = 0; i < n && same; i++) {
        cr_real sum = 0, scale = 1;
        for (int j = 0; j < n; j++) {
          int a = m.ten_J_colind[adr + i], b = m.ten_J_colind[adr + j];
          bool scalar = m.jnt_type[m.dof_jntid[a]] >= CR_JNT_SLIDE &&
                        m.jnt_type[m.dof_jntid[b]] >= CR_JNT_SLIDE;
          sum += H[i * n + j] * d->qvel[b];
          scale += cr_abs(H[i * n + j]);
          assert_close(H[i * n + j], scalar ? H[j * n + i] : H[i * n + j], CR_R(1e-5) * scale);
        }
        assert_close(sum, rate[i], CR_R(1e-5) * scale);
        assert_close(gradient[i], d->ten_J[adr + i], CR_R(2e-6));
        compared++;
      }
    }
    cri_model_free(&m);
  }
  assert_true(compared > 40);
}

// a pulley's divisor scales what comes behind it
TEST(pulleys_divide) {
  cr_model m;
  cr_data* d;
  int found = 0;
  for (uint64_t seed = 0; seed < 24; seed++) {
    assert_int_equal(random_model(&m, seed, NULL), CR_OK);
    d = test_data(&m);
    random_state(&m, d, seed, STATE_CONTACT);
    for (int i = 0; i < m.ntendon; i++) {
      int first = m.tendon_adr[i], last = first + m.tendon_num[i] - 1;
      if (m.wrap_type[first] != CR_WRAP_PULLEY) {
        continue;
      }
      // all of it behind the first pulley
      lengths(&m, d);
      cr_real before = d->ten_length[i];
      for (int k = first; k <= last; k++) {
        m.wrap_prm[k] *= m.wrap_type[k] == CR_WRAP_PULLEY ? 2 : 1;
      }
      lengths(&m, d);
      assert_close(d->ten_length[i], before / 2, 10 * CR_EPS * cr_abs(before));
      found++;
    }
    cri_model_free(&m);
  }
  assert_true(found > 0);
}

// moving everything that is loose together changes no tendon between loose bodies
TEST(common_motion_does_not_stretch) {
  cr_model m;
  assert_int_equal(random_model(&m, 4, NULL), CR_OK);
  cr_data* d = test_data(&m);
  random_state(&m, d, 4, STATE_CONTACT);
  lengths(&m, d);
  for (int i = 0; i < m.ntendon; i++) {
    int first = m.tendon_adr[i], root = -1;
    bool one_tree = m.wrap_type[first] != CR_WRAP_JOINT;
    for (int k = first; one_tree && k < first + m.tendon_num[i]; k++) {
      int type = m.wrap_type[k], id = m.wrap_objid[k];
      if (type == CR_WRAP_PULLEY) {
        continue;
      }
      int body = type == CR_WRAP_SITE ? m.site_bodyid[id] : m.geom_bodyid[id];
      one_tree = root < 0 || root == m.body_rootid[body];
      root = m.body_rootid[body];
    }
    for (int j = 0; one_tree && j < m.body_dofnum[root]; j++) {
      assert_close(d->ten_J[m.ten_J_rowadr[i] + m.body_dofadr[root] + j], 0, 0);
    }
  }
  cri_model_free(&m);
}

TEST(no_tendons_no_rows) {
  cr_model m;
  cr_data* bar;
  assert_int_equal(random_model(&m, 0, NULL), CR_OK);
  m.ntendon = m.nwrap = m.nJten = 0;
  for (int i = 0; i < m.nactuator; i++) {
    m.actuator_trntype[i] = CR_TRN_JOINT;
    m.actuator_trnid[2 * i] = 0;
  }
  cr_data* d = test_data(&m);
  assert_int_equal(cri_data_twin(&bar, &m, d, CR_DATA_COTANGENT, cri_no_params, NULL), CR_OK);
  random_state(&m, d, 0, STATE_FLIGHT);
  lengths(&m, d);
  assert_int_equal(cr_tendon_vjp(&m, d, bar), CR_OK);
  cri_data_free(bar);
  cri_model_free(&m);
}
