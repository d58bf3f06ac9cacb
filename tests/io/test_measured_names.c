// SPDX-License-Identifier: Apache-2.0
// What a name stands for.
#include "io/measured_names.h"

#include "scenes/io_arm.h"
#include "support/close.h"

static cr_model* m;

static void setup(void) { m = arm_open(); }
static void teardown(void) { cr_model_destroy(m); }
AROUND_FILE(setup, teardown)

TEST(names_stand_for_places_times_and_rates) {
  static const cr_measurements_file none = {.size = sizeof none};
  static const struct {
    const char *name, *text, *unit;
    cri_name_kind kind;
  } table[] = {{"time", "", "", CRI_NAME_TIME},
               {" time [ms] ", "", "ms", CRI_NAME_TIME},
               {"gyro.time", "gyro", "", CRI_NAME_TIME},
               {"rate", "rate", "", CRI_NAME_RATE},
               {"qpos[hinge]", "qpos[hinge]", "", CRI_NAME_PLACE},
               {"qpos[hinge] [deg]", "qpos[hinge]", "deg", CRI_NAME_PLACE},
               {"site_xpos[tip].z (mm)", "site_xpos[tip].z", "mm", CRI_NAME_PLACE},
               {"push", "ctrl[1]", "", CRI_NAME_PLACE},
               {"ctrl[push]", "ctrl[push]", "", CRI_NAME_PLACE}};
  cr_measurements* s = arm_measurements(m);
  cr_error error = {.status = CR_OK};
  const cri_measured_file f = {.to = s, .options = &none, .path = "a.csv", .error = &error};
  for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
    cri_measured_name c;
    if (cri_measured_name_find(&c, &f, "a.csv", table[i].name) != CR_OK) {
      fail_msg("%s", error.text);
    }
    assert_int_equal(c.kind, table[i].kind);
    assert_string_equal(c.text, table[i].text);
    assert_string_equal(c.unit, table[i].unit);
  }
  cr_measurements_destroy(s);
}

TEST(long_names_are_refused) {
  static const cr_measurements_file none = {.size = sizeof none};
  char name[300];
  cri_measured_name c;
  cr_measurements* s = arm_measurements(m);
  cr_error error = {.status = CR_OK};
  const cri_measured_file f = {.to = s, .options = &none, .path = "a.csv", .error = &error};
  for (size_t n = 100; n < sizeof name; n++) {
    memset(name, 'x', n);
    name[n] = 0;
    assert_true(cri_measured_name_find(&c, &f, "a.csv", name) != CR_OK);
    name[n - 1] = ']';
    name[3] = '[';
    assert_true(cri_measured_name_find(&c, &f, "a.csv", name) != CR_OK);
  }
  cr_measurements_destroy(s);
}
