// SPDX-License-Identifier: Apache-2.0
// Needs: io
// Doubts that need one channel: times, values that stand still or are cut off, limits of the model.
#include "base/real.h"
#include "scenes/io_arm.h"
#include "support/close.h"

enum { ROWS = 300 };

static cr_model* m;
static cr_real time_of[ROWS], x[ROWS], still[3 * ROWS];

static void make(void) {
  for (int i = 0; i < ROWS; i++) {
    time_of[i] = CR_R(0.01) * (cr_real)i;
    x[i] = cr_sin(5 * time_of[i]) + CR_R(0.3) * cr_sin(17 * time_of[i]);
    still[3 * i] = CR_R(0.1);
  }
}

static void setup(void) { m = arm_open(); }
static void teardown(void) { cr_model_destroy(m); }
AROUND_FILE(setup, teardown)
AROUND_EACH(make, NULL)

static void one(const char* place, const char* text, bool sure) {
  cr_measurements* s = arm_measurements(m);
  arm_add(s, place, ROWS, time_of, x);
  if (text == NULL) {
    arm_is_fine(s);
  } else if (arm_doubts(s, text) != sure) {
    fail_msg("'%s' is %ssure", text, sure ? "not " : "");
  }
  cr_measurements_destroy(s);
}

TEST(right_data_raise_nothing) {
  one("encoder", NULL, false);
  for (int i = 0; i < ROWS; i++) {
    x[i] = cr_floor(x[i] * 20) / 20;  // a coarse encoder
  }
  one("encoder", NULL, false);
}

TEST(times_are_looked_at) {
  for (int i = 0; i < ROWS; i++) {
    time_of[i] *= 1000;
  }
  one("encoder", "time in ms?", true);
  make();
  for (int i = 0; i < ROWS; i++) {
    time_of[i] *= 60;
  }
  one("encoder", "time in ms?", false);
  make();
  for (int i = 100; i < ROWS; i++) {
    time_of[i] += CR_R(0.5);
  }
  one("encoder", "1 gap, the longest of 0.51 s at 0.99 s", false);
  make();
  for (int i = 1; i < ROWS; i += 3) {
    time_of[i] += CR_R(0.006);
  }
  one("encoder", "uneven times", false);
  make();
  for (int i = 0; i < ROWS; i++) {
    time_of[i] *= CR_R(0.05);
  }
  one("encoder", "motion within a step is not compared", false);
}

TEST(times_that_signals_share_are_one_doubt) {
  int n = 0;
  cr_measurements* s = arm_measurements(m);
  for (int i = 0; i < ROWS; i++) {
    time_of[i] *= 1000;
  }
  arm_add(s, "encoder", ROWS, time_of, x);
  arm_add(s, "qpos[slide]", ROWS, time_of, x);
  assert_int_equal(cr_measurements_doubt(s, 0, NULL, 0, NULL, &n, NULL), CR_OK);
  assert_int_equal(n, 1);
  cr_measurements_destroy(s);
}

TEST(values_that_are_cut_off_are_seen) {
  for (int i = 0; i < ROWS; i++) {
    x[i] = cr_min(x[i], CR_R(0.8));
  }
  one("tacho", "cut off at its largest value?", false);
  make();
  for (int i = 0; i < ROWS; i++) {
    x[i] = cr_max(x[i], CR_R(-0.8));
  }
  one("tacho", "cut off at its least value?", false);
}

TEST(a_few_rows_and_numbers_far_off_are_seen) {
  x[7] = 100;
  one("encoder", "1 of 300 rows are far off, by 98.", false);
  make();
  cr_measurements* s = arm_measurements(m);
  arm_add(s, "encoder", 3, time_of, x);
  assert_false(arm_doubts(s, "encoder: 3 rows: is the file cut off?"));
  cr_measurements_destroy(s);
}

TEST(a_signal_that_stands_still_is_seen) {
  cr_measurements* s = arm_measurements(m);
  arm_add(s, "gyro", ROWS, time_of, still);
  assert_false(arm_doubts(s, "run 'a': gyro never changes, not even by noise"));
  arm_add(s, "tacho", ROWS, time_of, x);
  assert_false(arm_doubts(s, "run 'a': gyro never changes, while others do"));
  cr_measurements_destroy(s);
}

TEST(limits_of_the_model_are_compared) {
  one("ctrl[drive]", "the model cuts them off at its ctrlrange", false);
  one("ctrl[push]", NULL, false);  // without limits
  for (int i = 0; i < ROWS; i++) {
    x[i] *= 80;
  }
  one("encoder", "degrees?", true);
  one("tacho", NULL, false);
  for (int i = 0; i < ROWS; i++) {
    x[i] *= CR_R(0.03);
  }
  one("encoder", NULL, false);  // 3 rad, not half a range beyond
  for (int i = 0; i < ROWS; i++) {
    x[i] = x[i] / 4 + 5;
  }
  one("encoder", "another zero", false);
  make();
  for (int i = 0; i < ROWS; i++) {
    x[i] *= 500;
  }
  one("qpos[slide]", "mm?", true);
}

TEST(accelerations_in_g_are_seen) {
  cr_measurements* s = arm_measurements(m);
  for (int i = 0; i < ROWS; i++) {
    still[3 * i + 2] = 1 + CR_R(0.05) * x[i];
  }
  arm_add(s, "acc", ROWS, time_of, still);
  assert_false(arm_doubts(s, "acc: its mean length is 1.01, gravity is 9.81: in g?"));
  cr_measurements_destroy(s);
}

TEST(runs_with_the_same_doubt_are_counted) {
  cr_measurements* s = arm_measurements(m);
  for (int k = 0; k < 3; k++) {
    char name[8] = {(char)('b' + k), 0};
    arm_add(s, "ctrl[drive]", ROWS, time_of, x);
    assert_int_equal(cr_measurements_begin(s, name, 0, NULL), CR_OK);
  }
  assert_false(arm_doubts(s, "its ctrlrange (and 2 more runs)"));
  char text[64];
  int n = 0;
  assert_int_equal(cr_measurements_doubt(s, 1, text, sizeof text, NULL, &n, NULL), CR_ERR_ARG);
  assert_int_equal(n, 1);
  assert_int_equal(cr_measurements_doubt(s, 0, text, 0, NULL, &n, NULL), CR_ERR_ARG);
  cr_measurements_destroy(s);
}
