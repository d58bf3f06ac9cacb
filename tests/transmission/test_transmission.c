// SPDX-License-Identifier: Apache-2.0
// Lengths and moments of joint transmissions against MuJoCo 4.0.0 and closed forms.
#include "transmission/transmission.h"

#include "engine/forward.h"
#include "math/quat.h"
#include "scenes/chain_model.h"
#include "scenes/random_model.h"
#include "support/close.h"

static const int32_t joints[] = {CR_JNT_FREE, CR_JNT_BALL, CR_JNT_HINGE, CR_JNT_SLIDE};

enum { N = 5 };

typedef struct {
  cr_model m;
  cr_data* d;
} fixture;

static fixture f;

static void begin(void) {
  static const int joint_of[N] = {2, 1, 0, 3, 2};
  assert_int_equal(chain_model(&f.m, 4, joints, N, NULL), CR_OK);
  for (int i = 0; i < N; i++) {
    f.m.actuator_trnid[2 * i] = joint_of[i];
    for (int k = 0; k < 6; k++) {
      f.m.actuator_gear[6 * i + k] = CR_R(0.1) * (cr_real)(i + 1) * (cr_real)(k + 1);
    }
  }
  f.d = test_data(&f.m);
  f.d->qpos[11] = CR_R(0.4);
  f.d->qpos[12] = CR_R(-0.3);
}

static void end(void) { cri_model_free(&f.m); }

TEST(transmission_rows_are_the_gear) {
  static const int nnz[N] = {1, 3, 6, 1, 1}, adr[N] = {0, 1, 4, 10, 11}, dof[N] = {9, 6, 0, 10, 9};
  begin();
  assert_int_equal(cr_transmission(&f.m, f.d), CR_OK);
  for (int i = 0; i < N; i++) {
    assert_int_equal(f.d->moment_rownnz[i], nnz[i]);
    assert_int_equal(f.d->moment_rowadr[i], adr[i]);
    for (int k = 0; k < nnz[i]; k++) {
      assert_int_equal(f.d->moment_colind[adr[i] + k], dof[i] + k);
      assert_close(f.d->actuator_moment[adr[i] + k], f.m.actuator_gear[6 * i + k], 0);
    }
  }
  end();
}

TEST(transmission_lengths_are_those_of_the_joints) {
  begin();
  cr_real axis[3] = {0, CR_R(0.6), CR_R(0.8)};
  cr_quat_axis_angle(f.d->qpos + 7, axis, 2);
  assert_int_equal(cr_transmission(&f.m, f.d), CR_OK);
  assert_close(f.d->actuator_length[0], CR_R(0.1) * CR_R(0.4), ROUND_OFF);
  assert_close(f.d->actuator_length[1], 2 * (CR_R(0.6) * CR_R(0.4) + CR_R(0.8) * CR_R(0.6)),
               10 * ROUND_OFF);
  assert_close(f.d->actuator_length[2], 0, 0);
  assert_close(f.d->actuator_length[3], CR_R(0.4) * CR_R(-0.3), ROUND_OFF);
  // beyond half a turn the length continues on the other side
  cr_quat_axis_angle(f.d->qpos + 7, axis, 4);
  assert_int_equal(cr_transmission(&f.m, f.d), CR_OK);
  assert_close(f.d->actuator_length[1],
               (4 - 2 * CR_PI) * (CR_R(0.6) * CR_R(0.4) + CR_R(0.8) * CR_R(0.6)), 10 * ROUND_OFF);
  end();
}

// the number MuJoCo gives for a ball joint with a quaternion that is not of unit length
TEST(transmission_of_a_ball_matches_mujoco) {
  begin();
  const cr_real q[] = {CR_R(0.5), CR_R(0.5), CR_R(-0.3), CR_R(0.6)};
  const cr_real gear[] = {CR_R(0.6), 0, CR_R(0.8)};
  cr_copy(f.d->qpos + 7, q, 4);
  cr_copy(f.m.actuator_gear + 6, gear, 3);
  assert_int_equal(cr_transmission(&f.m, f.d), CR_OK);
  assert_close(f.d->actuator_length[1], CR_R(1.9244701690650605), CR_R(1e-14));
  end();
}

// near no rotation the length of a ball joint changes with its moment
TEST(transmission_moment_is_the_rate_near_rest) {
  begin();
  cr_data* tan;
  assert_int_equal(cri_data_twin(&tan, &f.m, f.d, CR_DATA_TANGENT, cri_no_params, NULL), CR_OK);
  for (int i = 0; i < f.m.nv; i++) {
    tan->qpos[i] = CR_R(0.3) * (cr_real)(i - 4);
  }
  assert_int_equal(cr_transmission(&f.m, f.d), CR_OK);
  assert_int_equal(cr_transmission_jvp(&f.m, f.d, tan), CR_OK);
  for (int i = 0; i < N; i++) {
    cr_real rate = 0;
    for (int k = 0; i != 2 && k < f.d->moment_rownnz[i]; k++) {
      int at = f.d->moment_rowadr[i] + k;
      rate += f.d->actuator_moment[at] * tan->qpos[f.d->moment_colind[at]];
    }
    assert_close(tan->actuator_length[i], rate, 10 * ROUND_OFF);
  }
  cri_data_free(tan);
  end();
}

TEST(transmission_of_a_tendon_is_its_multiple) {
  int seen = 0;
  for (uint64_t seed = 0; seed < 12; seed++) {
    cr_model m;
    assert_int_equal(random_model(&m, seed, NULL), CR_OK);
    cr_data* d = test_data(&m);
    random_state(&m, d, seed, STATE_CONTACT);
    assert_int_equal(cr_forward(&m, d), CR_OK);
    for (int i = 0; i < m.nactuator; i++) {
      int t = m.actuator_trnid[2 * i];
      if (m.actuator_trntype[i] != CR_TRN_TENDON) {
        continue;
      }
      cr_real gear = m.actuator_gear[6 * i];
      assert_close(d->actuator_length[i], gear * d->ten_length[t], 0);
      assert_close(d->actuator_velocity[i], gear * d->ten_velocity[t],
                   1000 * ROUND_OFF * (1 + cr_abs(d->ten_velocity[t])));
      assert_int_equal(d->moment_rownnz[i], m.ten_J_rownnz[t]);
      seen++;
    }
    cri_model_free(&m);
  }
  assert_true(seen > 5);
}
