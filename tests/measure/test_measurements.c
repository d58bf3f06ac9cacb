// SPDX-License-Identifier: Apache-2.0
// Needs: io
// Runs and channels: copies of what was given, and a sentence for everything that is not a measurement.
#include "measure/measurements.h"

#include "scenes/io_arm.h"
#include "support/close.h"

enum { ROWS = 4 };

static cr_model* m;
static cr_real time_of[ROWS] = {0, 0.1, 0.2, 0.4};
static cr_real zeros[16 * ROWS];

static void setup(void) { m = arm_open(); }
static void teardown(void) { cr_model_destroy(m); }
AROUND_FILE(setup, teardown)

static cr_status add(cr_measurements* s, const char* place, const cr_real* values,
                     cr_error* error) {
  const cr_channel_info c = {
      .size = sizeof c, .place = place, .rows = ROWS, .time = time_of, .values = values};
  return cr_measurements_add(s, &c, error);
}

static void refused(cr_measurements* s, const char* place, const cr_real* values, cr_status status,
                    const char* part) {
  cr_error error = {.status = CR_OK};
  int before = cr_measurements_channels(s, 0);
  cr_status is = add(s, place, values, &error);
  if (is != status || strstr(error.text, part) == NULL) {
    fail_msg("%s: status %d, '%s' does not say '%s'", place, is, error.text, part);
  }
  assert_int_equal(cr_measurements_channels(s, 0), before);
}

TEST(channels_are_copied) {
  cr_measurements* s = arm_measurements(m);
  cr_real values[ROWS] = {1, 2, (cr_real)NAN, 4};
  cr_channel_info c = {.size = sizeof c,
                       .place = "qpos[hinge]",
                       .rows = ROWS,
                       .time = time_of,
                       .values = values,
                       .noise = CR_R(0.01),
                       .delay = CR_R(0.002)};
  assert_int_equal(cr_measurements_add(s, &c, NULL), CR_OK);
  values[0] = 9;
  c = (cr_channel_info){.size = sizeof c};
  assert_int_equal(cr_measurements_get(s, 0, 0, &c, NULL), CR_OK);
  assert_string_equal(c.place, "qpos[hinge]");
  assert_int_equal(c.rows, ROWS);
  assert_true(c.values[0] == 1 && isnan(c.values[2]) && c.values[3] == 4 &&
              c.time[3] == time_of[3]);
  assert_true(c.noise == CR_R(0.01) && c.delay == CR_R(0.002));
  assert_int_equal(cr_measurements_begin(s, "b", 7, NULL), CR_OK);
  arm_add(s, "ctrl[push]", ROWS, time_of, zeros);
  assert_int_equal(cr_measurements_count(s), 2);
  assert_int_equal(cr_measurements_channels(s, 1), 1);
  assert_int_equal(cr_measurements_group(s, 1), 7);
  assert_string_equal(cr_measurements_name(s, 1), "b");
  assert_int_equal(s->run[1].channel[0].control, 1);
  assert_int_equal(s->run[0].channel[0].control, -1);
  assert_int_equal(cr_measurements_get(s, 2, 0, &c, NULL), CR_ERR_ARG);
  assert_int_equal(cr_measurements_get(s, 1, 1, &c, NULL), CR_ERR_ARG);
  assert_null(cr_measurements_name(s, 2));
  cr_measurements_destroy(s);
}

TEST(quaternions_are_known_and_scaled) {
  cr_measurements* s = arm_measurements(m);
  cr_real values[7 * ROWS] = {0};
  for (int i = 0; i < ROWS; i++) {
    values[7 * i + 3] = CR_R(1.0005);
  }
  for (int k = 0; k < 4; k++) {
    values[7 * 2 + 3 + k] = (cr_real)NAN;
  }
  arm_add(s, "qpos[root]", ROWS, time_of, values);
  const cri_channel* c = &s->run[0].channel[0];
  assert_int_equal(c->width, 7);
  assert_int_equal(c->nquat, 1);
  assert_int_equal(c->quat[0], 3);
  assert_true(c->values[3] == 1 && isnan(c->values[7 * 2 + 4]));
  values[7 + 3] = CR_R(1.01);
  assert_int_equal(cr_measurements_begin(s, "b", 0, NULL), CR_OK);
  cr_error error;
  assert_int_equal(add(s, "qpos[root]", values, &error), CR_ERR_FORMAT);
  assert_string_equal(
      error.text, "run 'b', channel 'qpos[root]', row 1: the quaternion has length 1.01, not 1");
  values[7 + 3] = (cr_real)NAN;
  assert_int_equal(add(s, "qpos[root]", values, &error), CR_ERR_FORMAT);
  assert_non_null(strstr(error.text, "only 3 numbers of a quaternion were measured"));
  cr_measurements_destroy(s);
}

TEST(what_is_no_measurement_is_refused) {
  cr_measurements* s = NULL;
  assert_int_equal(cr_measurements_create(&s, m, NULL), CR_OK);
  assert_int_equal(add(s, "encoder", zeros, NULL), CR_ERR_ARG);  // before a run
  assert_int_equal(cr_measurements_begin(s, "a", 0, NULL), CR_OK);
  assert_int_equal(cr_measurements_begin(s, "a", 0, NULL), CR_ERR_ARG);
  assert_int_equal(cr_measurements_begin(s, "", 0, NULL), CR_ERR_ARG);
  refused(s, "qpos[hinje]", zeros, CR_ERR_NAME, "there is no 'hinje'; did you mean 'hinge'?");
  refused(s, "body_mass[drone]", zeros, CR_ERR_NAME, "is of the model, not a signal");
  refused(s, "contact[0:1].dist", zeros, CR_ERR_NAME, "contacts come and go");
  refused(s, "tangent[0]", zeros, CR_ERR_NAME, "is a direction");
  refused(s, "qfrc_applied", zeros, CR_ERR_NAME, "of inputs only ctrl");
  refused(s, "attitude.x", zeros, CR_ERR_NAME, "is a part of a quaternion");
  refused(s, "qpos[root][4]", zeros, CR_ERR_NAME, "is a part of a quaternion");
  arm_add(s, "gyro", ROWS, time_of, zeros);
  refused(s, "gyro", zeros, CR_ERR_ARG, "run 'a' has 'gyro' already");
  refused(s, "sensordata[gyro].y", zeros, CR_ERR_ARG, "has 'gyro' already");
  refused(s, "sensordata", zeros, CR_ERR_ARG, "has 'gyro' already");
  cr_real values[ROWS] = {0, 1, (cr_real)INFINITY, 0};
  refused(s, "encoder", values, CR_ERR_FORMAT, "row 2: a number is not finite");
  values[2] = (cr_real)NAN;
  refused(s, "ctrl[drive]", values, CR_ERR_FORMAT, "row 2: a control is not finite");
  time_of[3] = CR_R(0.2);
  refused(s, "encoder", zeros, CR_ERR_FORMAT,
          "row 3: time 0.2 comes after 0.2; it has to increase");
  time_of[3] = (cr_real)NAN;
  refused(s, "encoder", zeros, CR_ERR_FORMAT, "row 3: the time is not finite");
  time_of[3] = CR_R(0.4);
  cr_channel_info c = {
      .size = sizeof c, .place = "encoder", .rows = 0, .time = time_of, .values = zeros};
  assert_int_equal(cr_measurements_add(s, &c, NULL), CR_ERR_ARG);
  c.rows = ROWS;
  c.noise = -1;
  assert_int_equal(cr_measurements_add(s, &c, NULL), CR_ERR_ARG);
  c.noise = 1;
  c.place = "ctrl[drive]";
  assert_int_equal(cr_measurements_add(s, &c, NULL), CR_ERR_ARG);  // noise of a control
  c.size = 0;
  assert_int_equal(cr_measurements_add(s, &c, NULL), CR_ERR_ARG);
  cr_measurements_destroy(s);
}

TEST(noise_and_delay_are_set_in_all_runs) {
  cr_measurements* s = arm_measurements(m);
  arm_add(s, "gyro.x", ROWS, time_of, zeros);
  arm_add(s, "ctrl[drive]", ROWS, time_of, zeros);
  assert_int_equal(cr_measurements_begin(s, "b", 0, NULL), CR_OK);
  arm_add(s, "sensordata[gyro]", ROWS, time_of, zeros);
  assert_int_equal(cr_measurements_set_noise(s, "gyro", CR_R(0.5), NULL), CR_OK);
  assert_int_equal(cr_measurements_set_delay(s, "ctrl", CR_R(0.25), NULL), CR_OK);
  assert_true(s->run[0].channel[0].noise == CR_R(0.5) && s->run[1].channel[0].noise == CR_R(0.5));
  assert_true(s->run[0].channel[1].delay == CR_R(0.25) && s->run[0].channel[0].delay == 0);
  assert_int_equal(cr_measurements_set_noise(s, "ctrl[drive]", 1, NULL), CR_ERR_NAME);
  assert_int_equal(cr_measurements_set_noise(s, "encoder", 1, NULL), CR_ERR_NAME);
  assert_int_equal(cr_measurements_set_noise(s, "gyro", -1, NULL), CR_ERR_ARG);
  assert_int_equal(cr_measurements_set_delay(s, "gyro", (cr_real)NAN, NULL), CR_ERR_ARG);
  cr_measurements_destroy(s);
}

TEST(runs_can_be_dropped) {
  cr_measurements* s = arm_measurements(m);
  arm_add(s, "gyro", ROWS, time_of, zeros);
  assert_int_equal(cri_measurements_new_group(s), 1);
  assert_int_equal(cr_measurements_begin(s, "b", 4, NULL), CR_OK);
  arm_add(s, "gyro", ROWS, time_of, zeros);
  assert_int_equal(cri_measurements_new_group(s), 5);
  cri_measurements_keep(s, 1);
  assert_int_equal(cr_measurements_count(s), 1);
  assert_int_equal(cr_measurements_channels(s, 0), 1);
  cr_measurements_destroy(s);
}
