// SPDX-License-Identifier: Apache-2.0
// Needs: io
// Positions against velocities: every usual wrong unit is named and sure, right data and noise raise nothing.
#include "base/random.h"
#include "scenes/io_arm.h"
#include "support/close.h"

enum { ROWS = 500 };

static cr_model* m;
static cr_real fast[ROWS], x[ROWS], v[ROWS], slow[ROWS / 5], vslow[ROWS / 5];

static void setup(void) { m = arm_open(); }
static void teardown(void) { cr_model_destroy(m); }
AROUND_FILE(setup, teardown)

// a motion of two frequencies, sampled at 200 Hz; velocities also at 40 Hz, off the beat
static void make(void) {
  for (int i = 0; i < ROWS; i++) {
    cr_real t = CR_R(0.005) * (cr_real)i;
    fast[i] = t;
    x[i] = CR_R(0.4) * cr_sin(7 * t) + CR_R(0.3) * cr_sin(3 * t);
    v[i] = CR_R(2.8) * cr_cos(7 * t) + CR_R(0.9) * cr_cos(3 * t);
  }
  for (int i = 0; i < ROWS / 5; i++) {
    cr_real t = CR_R(0.025) * (cr_real)i + CR_R(0.003);
    slow[i] = t;
    vslow[i] = CR_R(2.8) * cr_cos(7 * t) + CR_R(0.9) * cr_cos(3 * t);
  }
}

static void scale(cr_real* values, int n, cr_real by) {
  for (int i = 0; i < n; i++) {
    values[i] *= by;
  }
}

TEST(right_data_raise_nothing) {
  make();
  cr_measurements* s = arm_measurements(m);
  arm_add(s, "encoder", ROWS, fast, x);
  arm_add(s, "tacho", ROWS / 5, slow, vslow);  // at their own rate
  arm_add(s, "qvel[slide]", ROWS, fast, v);
  arm_add(s, "qpos[slide]", ROWS, fast, x);
  arm_is_fine(s);
  cr_measurements_destroy(s);
}

TEST(noise_raises_nothing) {
  make();
  cr_random r = cr_random_seed(3, 1);
  for (int i = 0; i < ROWS; i++) {
    x[i] = CR_R(0.01) * cr_random_normal(&r);
    v[i] = CR_R(0.01) * cr_random_normal(&r);
  }
  cr_measurements* s = arm_measurements(m);
  arm_add(s, "encoder", ROWS, fast, x);
  arm_add(s, "tacho", ROWS, fast, v);
  arm_is_fine(s);
  cr_measurements_destroy(s);
}

TEST(wrong_units_are_named) {
  static const struct {
    const char *position, *velocity;
    cr_real of_position, of_velocity, of_time;
    const char* cause;
  } table[] = {
      {"qpos[slide]", "qvel[slide]", 1000, 1, 1, "positions in mm?"},
      {"qpos[slide]", "qvel[slide]", 100, 1, 1, "positions in cm?"},
      {"qpos[slide]", "qvel[slide]", 1, 1000, 1, "velocities in mm/s, or time in ms?"},
      {"encoder", "tacho", CR_R(57.29577951308232), 1, 1, "positions in degrees?"},
      {"qpos[hinge]", "tacho", 1, CR_R(57.29577951308232), 1, "velocities in deg/s?"},
      {"encoder", "qvel[hinge]", 1, CR_R(9.549296585513721), 1, "velocities in rpm?"},
      {"encoder", "tacho", 1, 1, 1000, "time in ms?"},
      {"encoder", "tacho", 1, -1, 1, "is one of them reversed?"},
  };
  for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
    make();
    scale(x, ROWS, table[i].of_position);
    scale(v, ROWS, table[i].of_velocity);
    scale(fast, ROWS, table[i].of_time);
    cr_measurements* s = arm_measurements(m);
    arm_add(s, table[i].position, ROWS, fast, x);
    arm_add(s, table[i].velocity, ROWS, fast, v);
    if (!arm_doubts(s, table[i].cause)) {
      fail_msg("%s is not sure", table[i].cause);
    }
    cr_measurements_destroy(s);
  }
}

TEST(a_factor_that_is_no_unit_is_not_sure) {
  make();
  scale(x, ROWS, CR_R(50));
  cr_measurements* s = arm_measurements(m);
  arm_add(s, "encoder", ROWS, fast, x);
  arm_add(s, "tacho", ROWS, fast, v);
  assert_false(arm_doubts(s, "positions in degrees?"));  // 57 within a fifth only
  cr_measurements_destroy(s);
  scale(x, ROWS, CR_R(0.2));
  s = arm_measurements(m);
  arm_add(s, "encoder", ROWS, fast, x);
  arm_add(s, "tacho", ROWS, fast, v);
  assert_false(arm_doubts(s, "other units, another rate, a gear"));
  cr_measurements_destroy(s);
}

TEST(mixed_columns_are_seen) {
  make();
  for (int i = 0; i < ROWS; i++) {
    v[i] = cr_cos(11 * fast[i]);
  }
  cr_measurements* s = arm_measurements(m);
  arm_add(s, "encoder", ROWS, fast, x);
  arm_add(s, "tacho", ROWS, fast, v);
  assert_false(arm_doubts(s, "columns mixed up?"));
  cr_measurements_destroy(s);
}

TEST(three_axes_are_one_thing) {
  static cr_real p[3 * ROWS], w[3 * ROWS];
  make();
  for (int i = 0; i < ROWS; i++) {
    p[3 * i] = 1000 * x[i];
    p[3 * i + 1] = 5;
    p[3 * i + 2] = 1000 * cr_sin(2 * fast[i]);
    w[3 * i] = v[i];
    w[3 * i + 1] = 0;
    w[3 * i + 2] = 2 * cr_cos(2 * fast[i]);
  }
  cr_measurements* s = arm_measurements(m);
  arm_add(s, "site_xpos[imu]", ROWS, fast, p);
  arm_add(s, "drone_vel", ROWS, fast, w);
  assert_true(arm_doubts(s, "site_xpos[imu] against drone_vel: positions change 1000 times"));
  cr_measurements_destroy(s);
}

// positions and velocities of hinge and slide, the slide slower
static void make_two(cr_real* y, cr_real* w) {
  make();
  for (int i = 0; i < ROWS; i++) {
    y[i] = CR_R(0.2) * cr_sin(5 * fast[i] + 1);
    w[i] = cr_cos(5 * fast[i] + 1);
  }
}

TEST(a_wrong_rate_of_rows_is_one_sentence) {
  static cr_real y[ROWS], w[ROWS];
  const struct {
    cr_real times;
    bool sure;
  } rates[] = {{CR_R(0.2), true}, {CR_R(1.25), false}};
  for (int i = 0; i < 2; i++) {
    make_two(y, w);
    scale(fast, ROWS, rates[i].times);
    cr_measurements* s = arm_measurements(m);
    arm_add(s, "encoder", ROWS, fast, x);
    arm_add(s, "tacho", ROWS, fast, v);
    arm_add(s, "qpos[slide]", ROWS, fast, y);
    arm_add(s, "qvel[slide]", ROWS, fast, w);
    int n = 0;
    assert_int_equal(arm_doubts(s, "another rate of rows?"), rates[i].sure);
    assert_int_equal(cr_measurements_doubt(s, 0, NULL, 0, NULL, &n, NULL), CR_OK);
    assert_int_equal(n, 1);
    cr_measurements_destroy(s);
  }
}

TEST(exchanged_columns_are_named_and_sure) {
  static cr_real y[ROWS], w[ROWS];
  make_two(y, w);
  cr_measurements* s = arm_measurements(m);
  arm_add(s, "encoder", ROWS, fast, y);
  arm_add(s, "qpos[slide]", ROWS, fast, x);
  arm_add(s, "tacho", ROWS, fast, v);
  arm_add(s, "qvel[slide]", ROWS, fast, w);
  assert_true(arm_doubts(s, "encoder against tacho: the first moves as qvel[slide] says"));
  assert_true(arm_doubts(s, "qpos[slide] against qvel[slide]: the first moves as tacho says"));
  cr_measurements_destroy(s);
  s = arm_measurements(m);
  arm_add(s, "encoder", ROWS, fast, v);
  arm_add(s, "tacho", ROWS, fast, x);
  assert_true(arm_doubts(s, "encoder against tacho: the second is the first integrated"));
  cr_measurements_destroy(s);
  s = arm_measurements(m);
  arm_add(s, "encoder", ROWS, fast, x);
  arm_add(s, "qpos[hinge]", ROWS, fast, v);
  assert_false(arm_doubts(s, "both measure one thing"));
  cr_measurements_destroy(s);
}

TEST(minutes_are_no_degrees) {
  make();
  scale(fast, ROWS, CR_R(1.0) / 60);
  cr_measurements* s = arm_measurements(m);
  arm_add(s, "encoder", ROWS, fast, x);
  arm_add(s, "tacho", ROWS, fast, v);
  assert_true(arm_doubts(s, "time in minutes?"));
  cr_measurements_destroy(s);
}
