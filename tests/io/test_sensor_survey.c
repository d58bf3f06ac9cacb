// SPDX-License-Identifier: Apache-2.0
// What is said of sensors that are not computed.
#include <stdio.h>
#include <string.h>

#include "io/mujoco.h"
#include "scenes/io_mjcf.h"
#include "support/test.h"

// a model with a hinge, a site of a shape, a camera and perhaps a tendon, and these sensors
static mjModel* model_with(const char* shape, const char* tendon, const char* sensors) {
  char text[2000];
  (void)snprintf(text, sizeof text,
                 "<mujoco><worldbody><camera name='eye'/><body name='b'>"
                 "<joint name='j' axis='0 1 0'/><geom name='g' size='.1'/>"
                 "<site name='s' type='%s' size='.1 .1 .1'/></body><site name='w' pos='0 0 1'/>"
                 "</worldbody>%s<sensor>%s</sensor></mujoco>",
                 shape, tendon, sensors);
  return mjcf_compile(text);
}

// one sentence a kind, the first by name
TEST(kinds_are_counted) {
  mjModel* mj =
      model_with("box", "",
                 "<rangefinder name='r1' site='s'/><gyro site='s'/>"
                 "<rangefinder site='s'/><rangefinder site='s'/><user name='u' dim='1'/>");
  cr_load_report report = {0};
  cri_mujoco_survey_sensors(mj, &report);
  assert_int_equal(report.ignored.n, 2);
  assert_string_equal(report.ignored.text[0],
                      "sensor 'r1' (rangefinder) and 2 more are not computed: its type");
  assert_string_equal(report.ignored.text[1], "sensor 'u' (user) is not computed: its type");
  cri_load_report_free(&report);
  mj_deleteModel(mj);
}
