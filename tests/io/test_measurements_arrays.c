// SPDX-License-Identifier: Apache-2.0
// Arrays and their times: every mismatch of names, rows and units is refused.
#include "io/measurements_file.h"

#include "scenes/io_arm.h"
#include "support/close.h"

static cr_model* m;
static const double numbers[26] = {0, 1, 2, 3, 4, 5};

static void setup(void) { m = arm_open(); }
static void teardown(void) { cr_model_destroy(m); }
AROUND_FILE(setup, teardown)

static cri_measured_array array(const char* name, const char* unit, int rows, int cols) {
  return (cri_measured_array){
      .name = name, .unit = unit, .rows = rows, .cols = cols, .values = numbers};
}

static cr_status add(const cri_measured_array* list, int n, double rate, cr_error* error) {
  static const cr_measurements_file none = {.size = sizeof none};
  cr_measurements* s = arm_measurements(m);
  const cri_measured_file f = {.to = s, .options = &none, .path = "a.h5", .error = error};
  cr_status status = cri_measured_arrays_add(&f, "one", 3, list, n, rate);
  if (status == CR_OK) {
    assert_int_equal(cr_measurements_group(s, 1), 3);
  }
  cr_measurements_destroy(s);
  return status;
}

static void refused(const cri_measured_array* list, int n, double rate, const char* part) {
  cr_error error = {.status = CR_OK};
  if (add(list, n, rate, &error) == CR_OK || strstr(error.text, part) == NULL ||
      strncmp(error.text, "a.h5: ", 6) != 0) {
    fail_msg("'%s' does not say '%s'", error.text, part);
  }
}

TEST(arrays_that_fit_are_added) {
  const cri_measured_array list[] = {array("time", "ms", 2, 1), array("gyro", "deg/s", 2, 3),
                                     array("qpos[slide]", NULL, 6, 1),
                                     array("qpos[slide].time", NULL, 6, 1)};
  assert_int_equal(add(list, 4, 0, NULL), CR_OK);
  assert_int_equal(add(list + 1, 1, 100, NULL), CR_OK);
}

// as rollout records them: the last state has no control of its own
TEST(controls_may_end_one_row_before_the_times) {
  cri_measured_array list[] = {array("time", NULL, 4, 1), array("ctrl[drive]", NULL, 3, 1)};
  assert_int_equal(add(list, 2, 0, NULL), CR_OK);
  list[1].rows = 2;
  refused(list, 2, 0, "'ctrl[drive]' has 2 rows, 'time' has 4 x 1");
  list[1] = array("encoder", NULL, 3, 1);
  refused(list, 2, 0, "'encoder' has 3 rows, 'time' has 4 x 1");
}

TEST(arrays_that_do_not_fit_are_refused) {
  const cri_measured_array time = array("time", NULL, 2, 1);
  const struct {
    cri_measured_array a, b;
    double rate;
    const char* part;
  } table[] = {
      {time, array("gyro", NULL, 3, 2), 0, "'gyro' has 2 numbers in a row, its place 3"},
      {time, array("gyro", NULL, 1, 3), 0, "'gyro' has 1 rows, 'time' has 2 x 1"},
      {time, array("encoder", NULL, 0, 1), 0, "'encoder' has no rows"},
      {time, array("encoder", "kg", 2, 1), 0, "it has the unit 'kg', the model's unit is rad"},
      {time, array("encoder [rad]", "deg", 2, 1), 0, "its attribute says 'deg'"},
      {time, array("qpos", "rad", 2, 13), 0, "it has the unit 'rad', the model's unit is m"},
      {time, array("encodr", NULL, 2, 1), 0, "did you mean encoder"},
      {time, array("tacho.time", NULL, 2, 1), 0, "has the times of 'tacho', which is not there"},
      {time, array("time", NULL, 2, 1), 0, "'time' and 'time' are the same times"},
      {time, array("rate", NULL, 2, 1), 0, "'rate' is not one number"},
      {time, array("encoder", NULL, 2, 1), 5, "the times have 1 rows a second, the rate is 5"},
      {array("rate", "s", 1, 1), array("encoder", NULL, 2, 1), 0, "'s' is no unit of a rate"},
      {array("tacho", NULL, 2, 1), array("encoder", NULL, 2, 1), 0,
       "'tacho' has no times: neither 'time', 'tacho.time' nor 'rate'"},
      {time, time, 0, "the same times"},
  };
  for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
    const cri_measured_array list[] = {table[i].a, table[i].b};
    refused(list, 2, table[i].rate, table[i].part);
  }
  refused(&time, 1, 0, "run one has no signal but the time");
  static const double back[] = {0, 2, 1};
  cri_measured_array list[] = {array("time", NULL, 3, 1), array("encoder", NULL, 3, 1)};
  list[0].values = back;
  refused(list, 2, 0, "'time', row 2: time 1 s comes after 2 s; it has to increase");
  static const double nan[] = {0, (double)NAN, 1};
  list[0].values = numbers;
  list[1] = array("ctrl[drive]", NULL, 3, 1);
  list[1].values = nan;
  refused(list, 2, 0, "'ctrl[drive]', row 1: a control is not finite");
  list[1].name = "encoder";
  assert_int_equal(add(list, 2, 0, NULL), CR_OK);  // not measured there
}
