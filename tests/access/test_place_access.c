// SPDX-License-Identifier: Apache-2.0
// Needs: io
// Numbers by name in a model and a data block: several at once or none, and only what may be set.
#include "carom/carom.h"
#include "support/close.h"
#include "support/scratch.h"

static cr_model* m;
static cr_data* d;
static cr_error error;

static void setup(void) {
  const char* path = scratch_write(
      "arm.xml",
      "<mujoco><worldbody><geom name='floor' type='plane' size='1 1 1'/>"
      "<body name='ball' pos='0 0 .09'><freejoint name='root'/><geom name='ball' size='.1'/></body>"
      "<body name='hand' mocap='true'/>"
      "<body name='arm' pos='1 0 1'><joint name='elbow' range='-1 1' limited='true' ref='0'/>"
      "<geom size='.1'/></body></worldbody></mujoco>");
  assert_int_equal(cr_model_open(&m, path, &error), CR_OK);
  assert_int_equal(cr_data_create(&d, m, &error), CR_OK);
}

static void teardown(void) {
  cr_data_destroy(d);
  cr_model_destroy(m);
}

AROUND_FILE(setup, teardown)

TEST(several_are_checked_together) {
  const char* const names[] = {"jnt_range[elbow][0]", "jnt_range[elbow][1]"};
  const cr_real low = 2, high = 3;
  const cr_real* const values[] = {&low, &high};
  // the first alone would leave a range that ends before it begins
  assert_int_equal(cr_model_set(m, names[0], &low, 1, &error), CR_ERR_MODEL);
  assert_int_equal(cr_model_set_many(m, names, values, 2, &error), CR_OK);
  cr_real range[2];
  assert_int_equal(cr_model_get(m, "jnt_range[elbow]", range, 2, &error), CR_OK);
  assert_true(range[0] == 2 && range[1] == 3);
  const cr_real before[] = {-1, 1};
  assert_int_equal(cr_model_set(m, "jnt_range[elbow]", before, 2, &error), CR_OK);
}

TEST(all_are_put_back) {
  cr_real mass[2] = {0};
  const cr_real one = 1, negative = -1;
  assert_int_equal(cr_model_get(m, "body_mass[ball]", &mass[0], 1, &error), CR_OK);
  const cr_real* const values[] = {&one, &negative, &one};
  // the same place twice, then one that is not valid, then one that is none
  const char* const twice[] = {"body_mass[ball]", "body_mass[ball]"};
  const char* const unknown[] = {"body_mass[ball]", "body_mass[arm]", "no_such"};
  assert_int_equal(cr_model_set_many(m, twice, values, 2, &error), CR_ERR_MODEL);
  assert_int_equal(cr_model_set_many(m, unknown, values, 3, &error), CR_ERR_NAME);
  assert_int_equal(cr_model_get(m, "body_mass[ball]", &mass[1], 1, &error), CR_OK);
  assert_true(mass[0] == mass[1]);
}

TEST(data_by_name) {
  cr_real x = 0.25, y = 0, numbers[7];
  assert_int_equal(cr_data_set(m, d, "qpos[elbow]", &x, 1, &error), CR_OK);
  assert_int_equal(cr_data_get(m, d, "qpos[elbow]", &y, 1, &error), CR_OK);
  assert_true(x == y);
  assert_int_equal(cr_data_get(m, d, "qpos[root]", numbers, 7, &error), CR_OK);
  assert_close(numbers[2], 0.09, 1e-15);
  assert_int_equal(cr_data_get(m, d, "body_mass[ball]", &y, 1, &error), CR_OK);
  assert_true(y > 0);
  assert_int_equal(cr_data_get(m, d, "qpos[root]", numbers, 3, &error), CR_ERR_ARG);
  assert_int_equal(cr_data_get(m, d, "tangent[0]", &y, 1, &error), CR_ERR_ARG);
}

TEST(contacts_come_and_go) {
  cr_place_info place = {.size = sizeof place};
  cr_real dist = 0, height = 2;
  assert_int_equal(cr_model_place(m, "contact[floor:ball].dist", &place, &error), CR_OK);
  assert_true(place.contact && place.count == 1 && place.first == -1);
  assert_int_equal(cr_data_reset(m, d), CR_OK);
  assert_int_equal(cr_forward(m, d), CR_OK);
  assert_int_equal(cr_data_get(m, d, "contact[floor:ball].dist", &dist, 1, &error), CR_OK);
  assert_close(dist, -0.01, 1e-12);
  assert_int_equal(cr_data_set(m, d, "qpos[root].z", &height, 1, &error), CR_OK);
  assert_int_equal(cr_forward(m, d), CR_OK);
  assert_int_equal(cr_data_get(m, d, "contact[floor:ball].dist", &dist, 1, &error), CR_OK);
  assert_true(isnan(dist));
}

TEST(only_inputs_can_be_set) {
  const cr_real x = 1, nan = (cr_real)NAN;
  const char* const names[] = {"xpos[ball].z", "body_mass[ball]", "contact[floor:ball].dist"};
  for (int i = 0; i < 3; i++) {
    assert_int_equal(cr_data_set(m, d, names[i], &x, 1, &error), CR_ERR_ARG);
    assert_non_null(strstr(error.text, "no input"));
  }
  assert_int_equal(cr_data_set(m, d, "qpos[elbow]", &nan, 1, &error), CR_ERR_NONFINITE);
}

// what was computed is of the state before
TEST(setting_asks_for_a_new_step) {
  const cr_real x = 0.5;
  assert_int_equal(cr_data_reset(m, d), CR_OK);
  assert_int_equal(cr_step(m, d), CR_OK);
  assert_int_equal(cr_data_set(m, d, "qpos[elbow]", &x, 1, &error), CR_OK);
  assert_int_equal(cr_advance(m, d), CR_ERR_ARG);
}

TEST(states_that_cannot_start) {
  assert_int_equal(cr_data_reset(m, d), CR_OK);
  assert_int_equal(cr_data_check(m, d, &error), CR_OK);
  cr_data_view(m, d, "mocap_quat", NULL, NULL)[0] = 2;
  assert_int_equal(cr_data_check(m, d, &error), CR_ERR_ARG);
  assert_non_null(strstr(error.text, "mocap_quat[0] has length 2"));
  assert_int_equal(cr_data_reset(m, d), CR_OK);
  cr_data_view(m, d, "qpos", NULL, NULL)[3] = (cr_real)NAN;
  assert_int_equal(cr_data_check(m, d, &error), CR_ERR_NONFINITE);
  assert_int_equal(cr_data_reset(m, d), CR_OK);
}
