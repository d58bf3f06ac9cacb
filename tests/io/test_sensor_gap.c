// SPDX-License-Identifier: Apache-2.0
// Every reason why a sensor is not computed.
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
                 "<site name='s' type='%s' size='.1 .1 .1'/></body><geom name='far' size='.1' "
                 "pos='0 0 2'/><site name='w' pos='0 0 1'/>"
                 "</worldbody>%s<sensor>%s</sensor></mujoco>",
                 shape, tendon, sensors);
  return mjcf_compile(text);
}

static void gap(const char* shape, const char* tendon, const char* sensors, const char* why) {
  mjModel* mj = model_with(shape, tendon, sensors);
  const char* found = cri_mujoco_sensor_gap(mj, 0);
  if ((why == NULL) != (found == NULL) || (why != NULL && strcmp(why, found) != 0)) {
    fail_msg("%s: '%s', not '%s'", sensors, found == NULL ? "computed" : found,
             why == NULL ? "computed" : why);
  }
  // the model says the same
  cr_model m = mjcf_model(mj);
  assert_int_equal(m.sensor_skip[0], why != NULL);
  cri_model_free(&m);
  mj_deleteModel(mj);
}

TEST(every_reason) {
  static const char* const spatial =
      "<tendon><spatial><site site='s'/><site site='w'/></spatial></tendon>";
  static const char* const fixed = "<tendon><fixed><joint joint='j' coef='1'/></fixed></tendon>";
  gap("box", "", "<rangefinder site='s'/>", "its type");
  gap("box", "", "<user name='u' dim='3'/>", "its type");
  gap("box", "", "<jointpos joint='j' nsample='3'/>", "history");
  gap("box", "", "<framepos objtype='camera' objname='eye'/>", "a camera");
  gap("box", "", "<framepos objtype='site' objname='s' reftype='camera' refname='eye'/>",
      "a camera");
  gap("box", "", "<insidesite objtype='body' objname='b' site='s' enclosed='true'/>", "enclosed");
  gap("box", "", "<insidesite objtype='body' objname='b' site='s'/>", NULL);
  gap("ellipsoid", "", "<touch site='s'/>", NULL);
  gap("box", "", "<distance geom1='g' geom2='far'/>", NULL);
  gap("box", "", "<force site='s'/>", NULL);
  gap("box", fixed, "<torque site='s'/>", NULL);
  gap("box", spatial, "<torque site='s'/>", NULL);
  gap("box", spatial, "<gyro site='s'/>", NULL);
}
