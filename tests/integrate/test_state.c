// SPDX-License-Identifier: Apache-2.0
// State vectors round trip part by part; keyframes; positions there and back.
#include "carom/state.h"

#include "carom/fields.h"
#include "checks/measured.h"
#include "engine/data_create.h"
#include "math/quat.h"
#include "model/fields.h"
#include "scenes/chain_model.h"
#include "support/close.h"

enum { MAX_STATE = 4096, N_BIT = 15 };

TEST(parts_round_trip) {
  measured s;
  cr_real x[MAX_STATE], y[MAX_STATE];
  measured_open(&s, 2, STATE_CONTACT);  // with a mocap body
  cr_data* other = test_data(&s.m);
  s.d->time = 3;
  int all = cr_state_size(&s.m, CR_STATE_INTEGRATION), sum = 0;
  for (int bit = 0; bit < N_BIT; bit++) {
    sum += cr_state_size(&s.m, 1 << bit);
  }
  assert_int_equal(all, sum);
  assert_in_range(all, s.m.nq + s.m.nv, MAX_STATE);
  assert_int_equal(cr_state_get(&s.m, s.d, x, CR_STATE_INTEGRATION), CR_OK);
  assert_int_equal(cr_state_set(&s.m, other, x, CR_STATE_INTEGRATION), CR_OK);
  assert_int_equal(cr_state_get(&s.m, other, y, CR_STATE_INTEGRATION), CR_OK);
  assert_all_close(x, y, all, 0);
  assert_all_close(other->qpos, s.d->qpos, s.m.nq, 0);
  assert_all_close(other->xfrc_applied, s.d->xfrc_applied, 6 * s.m.nbody, 0);
  assert_true(other->time == 3);
  measured_close(&s);
}

// by parts, as by a vector between
TEST(states_are_copied) {
  measured s;
  cr_real x[MAX_STATE], y[MAX_STATE];
  cr_data* other = NULL;
  measured_open(&s, 0, STATE_CONTACT);
  assert_int_equal(cri_data_create(&other, &s.m, NULL, NULL), CR_OK);
  int all = cr_state_size(&s.m, CR_STATE_INTEGRATION);
  s.d->time = 3;
  s.d->qvel[0] = 5;
  assert_int_equal(cr_state_copy(&s.m, s.d, other, CR_STATE_QVEL), CR_OK);
  assert_true(other->qvel[0] == 5 && other->time == 0);
  assert_int_equal(cr_state_copy(&s.m, s.d, other, CR_STATE_INTEGRATION), CR_OK);
  assert_int_equal(cr_state_get(&s.m, s.d, x, CR_STATE_INTEGRATION), CR_OK);
  assert_int_equal(cr_state_get(&s.m, other, y, CR_STATE_INTEGRATION), CR_OK);
  assert_all_close(x, y, all, 0);
  assert_int_equal(cr_state_copy(&s.m, s.d, other, 1 << N_BIT), CR_ERR_ARG);
  assert_int_equal(cr_state_copy(&s.m, s.d, s.d, CR_STATE_INTEGRATION), CR_OK);
  cri_data_free(other);
  measured_close(&s);
}

// each number of a field along its tangent: sums, and turns where there are orientations
TEST(fields_move_along_tangents) {
  measured s;
  cr_real x[256], y[256], t[256];
  measured_open(&s, 0, STATE_FLIGHT);
  for (int i = 0; i < 256; i++) {
    t[i] = CR_R(0.1) * (cr_real)(i % 7) - CR_R(0.2);
  }
  cr_copy(x, s.d->qpos, s.m.nq);
  cr_copy(y, s.d->qpos, s.m.nq);
  assert_int_equal(cr_field_move(&s.m, CR_FIELD_qpos, x, t, CR_R(0.5), NULL), CR_OK);
  assert_int_equal(cr_integrate_pos(&s.m, y, t, CR_R(0.5), NULL), CR_OK);
  assert_all_close(x, y, s.m.nq, 0);
  cr_copy(x, s.m.body_quat, 4 * s.m.nbody);
  assert_int_equal(cr_field_move(&s.m, CR_FIELD_body_quat, x, t, 2, NULL), CR_OK);
  for (int b = 0; b < s.m.nbody; b++) {
    cr_real turn[3];
    cr_quat_sub(turn, x + 4 * b, s.m.body_quat + 4 * b);
    for (int k = 0; k < 3; k++) {
      assert_close(turn[k], 2 * t[3 * b + k], 100 * ROUND_OFF);
    }
  }
  cr_copy(x, s.m.body_mass, s.m.nbody);
  assert_int_equal(cr_field_move(&s.m, CR_FIELD_body_mass, x, t, 2, NULL), CR_OK);
  assert_true(x[1] == s.m.body_mass[1] + 2 * t[1]);
  const int none[] = {-1, CR_N_FIELD, CR_FIELD_xpos, CR_FIELD_jnt_type, CR_FIELD_efc_J};
  for (int i = 0; i < 5; i++) {
    assert_int_equal(cr_field_move(&s.m, none[i], x, t, 1, NULL), CR_ERR_ARG);
  }
  assert_int_equal(cr_field_move(&s.m, CR_FIELD_qpos, x, t, (cr_real)NAN, NULL), CR_ERR_ARG);
  measured_close(&s);
}

TEST(one_part_changes_nothing_else) {
  measured s;
  cr_real x[MAX_STATE] = {0}, before, *qpos;
  measured_open(&s, 0, STATE_CONTACT);
  before = s.d->qpos[0];
  qpos = s.d->qpos;
  assert_int_equal(cr_state_size(&s.m, CR_STATE_QVEL), s.m.nv);
  assert_int_equal(cr_state_set(&s.m, s.d, x, CR_STATE_QVEL), CR_OK);
  assert_true(s.d->qvel[0] == 0 && qpos[0] == before);
  x[1] = (cr_real)NAN;
  s.d->qvel[0] = 5;
  assert_int_equal(cr_state_set(&s.m, s.d, x, CR_STATE_QVEL), CR_ERR_NONFINITE);
  assert_true(s.d->qvel[0] == 5);
  assert_int_equal(cr_state_size(&s.m, 1 << N_BIT), -1);
  assert_int_equal(cr_state_size(&s.m, -1), -1);
  assert_int_equal(cr_state_get(&s.m, s.d, x, 1 << N_BIT), CR_ERR_ARG);
  assert_int_equal(cr_state_set(&s.m, s.d, x, -1), CR_ERR_ARG);
  measured_close(&s);
}

TEST(keyframes_reset) {
  measured s;
  measured_open(&s, 0, STATE_CONTACT);
  assert_int_equal(s.m.nkey, 1);
  s.m.key_time[0] = 7;
  for (int i = 0; i < s.m.nv; i++) {
    s.m.key_qvel[i] = i;
  }
  assert_int_equal(cr_data_reset_keyframe(&s.m, s.d, 0), CR_OK);
  assert_true(s.d->time == 7);
  assert_all_close(s.d->qvel, s.m.key_qvel, s.m.nv, 0);
  assert_all_close(s.d->qpos, s.m.key_qpos, s.m.nq, 0);
  assert_true(s.d->qfrc_applied[0] == 0);
  assert_int_equal(cr_data_reset_keyframe(&s.m, s.d, 1), CR_ERR_ARG);
  assert_true(s.d->time == 0);
  measured_close(&s);
}

TEST(positions_there_and_back) {
  for (int seed = 0; seed < 8; seed++) {
    measured s;
    cr_real q[128], v[64];
    measured_open(&s, seed, STATE_FLIGHT);
    cr_copy(q, s.d->qpos, s.m.nq);
    cr_integrate_pos(&s.m, q, s.d->qvel, CR_R(0.3), NULL);
    cr_differentiate_pos(&s.m, v, CR_R(0.3), s.d->qpos, q, NULL);
    assert_all_close(v, s.d->qvel, s.m.nv, 100 * ROUND_OFF);
    measured_close(&s);
  }
}
