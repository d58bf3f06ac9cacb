// SPDX-License-Identifier: Apache-2.0
#include "scenes/io_arm.h"

#include <stdio.h>
#include <string.h>

#include "support/scratch.h"
#include "support/test.h"

static const char arm[] =
    "<mujoco><option timestep='.002'/><compiler angle='radian'/><worldbody>"
    "<body name='upper'><joint name='hinge' range='-2 2' limited='true'/><geom size='.1' mass='1'/>"
    "<body name='lower' pos='0 0 1'><joint name='slide' type='slide' range='-1 1' limited='true'/>"
    "<geom size='.1' mass='1'/><site name='tip' pos='0 0 .5'/>"
    "<body name='wrist' pos='0 0 1'><joint name='ball' type='ball'/><geom size='.1' mass='1'/>"
    "</body></body></body>"
    "<body name='drone' pos='3 0 0'><freejoint name='root'/><geom size='.1' mass='1'/>"
    "<site name='imu' pos='.1 0 0' quat='.8 0 .6 0'/></body></worldbody>"
    "<actuator><motor name='drive' joint='hinge' ctrlrange='-1 1' ctrllimited='true'/>"
    "<motor name='push' joint='slide'/></actuator>"
    "<sensor><jointpos name='encoder' joint='hinge'/><jointvel name='tacho' joint='hinge'/>"
    "<gyro name='gyro' site='imu'/><accelerometer name='acc' site='imu'/>"
    "<framequat name='attitude' objtype='site' objname='imu'/>"
    "<framepos name='drone_pos' objtype='site' objname='imu'/>"
    "<framelinvel name='drone_vel' objtype='site' objname='imu'/>"
    "<actuatorfrc name='pull' actuator='push'/></sensor></mujoco>";

cr_model* arm_open(void) {
  cr_model* m = NULL;
  cr_error error = {.status = CR_OK};
  if (cr_model_open(&m, scratch_write("arm.xml", arm), &error) != CR_OK) {
    fail_msg("%s", error.text);
  }
  return m;
}

cr_measurements* arm_measurements(const cr_model* m) {
  cr_measurements* s = NULL;
  assert_int_equal(cr_measurements_create(&s, m, NULL), CR_OK);
  assert_int_equal(cr_measurements_begin(s, "a", 0, NULL), CR_OK);
  return s;
}

void arm_add(cr_measurements* s, const char* place, int rows, const cr_real* time,
             const cr_real* values) {
  const cr_channel_info c = {
      .size = sizeof c, .place = place, .rows = rows, .time = time, .values = values};
  cr_error error = {.status = CR_OK};
  if (cr_measurements_add(s, &c, &error) != CR_OK) {
    fail_msg("%s", error.text);
  }
}

bool arm_doubts(const cr_measurements* s, const char* text) {
  char all[2048] = "", one[512];
  int n = 0;
  assert_int_equal(cr_measurements_doubt(s, 0, NULL, 0, NULL, &n, NULL), CR_OK);
  for (int i = 0; i < n; i++) {
    bool sure = false;
    assert_int_equal(cr_measurements_doubt(s, i, one, sizeof one, &sure, &n, NULL), CR_OK);
    if (strstr(one, text) != NULL) {
      return sure;
    }
    (void)snprintf(all + strlen(all), sizeof all - strlen(all), "%s\n", one);
  }
  fail_msg("none of %d doubts says '%s':\n%s", n, text, all);
  return false;
}

void arm_is_fine(const cr_measurements* s) {
  char text[512] = "";
  int n = 0;
  assert_int_equal(cr_measurements_doubt(s, 0, NULL, 0, NULL, &n, NULL), CR_OK);
  if (n > 0) {
    (void)cr_measurements_doubt(s, 0, text, sizeof text, NULL, &n, NULL);
    fail_msg("%d doubts: %s", n, text);
  }
}

cr_measurements* arm_read(const cr_model* m, const char* path,
                          const cr_measurements_file* options) {
  cr_measurements* s = NULL;
  cr_error error = {.status = CR_OK};
  assert_int_equal(cr_measurements_create(&s, m, NULL), CR_OK);
  if (cr_measurements_read(s, path, options, &error) != CR_OK) {
    fail_msg("%s", error.text);
  }
  return s;
}

void arm_refuses(const cr_model* m, const char* path, const cr_measurements_file* options,
                 const char* part) {
  cr_measurements* s = arm_measurements(m);
  cr_error error = {.status = CR_OK};
  cr_status status = cr_measurements_read(s, path, options, &error);
  const char* slash = strrchr(path, '/');
  if (status == CR_OK || strstr(error.text, part) == NULL ||
      strstr(error.text, slash != NULL ? slash + 1 : path) == NULL) {
    fail_msg("status %d, '%s' does not name the file or say '%s'", (int)status, error.text, part);
  }
  assert_int_equal(cr_measurements_count(s), 1);
  assert_int_equal(cr_measurements_channels(s, 0), 0);
  cr_measurements_destroy(s);
}

cr_channel_info arm_channel(const cr_measurements* s, int run, const char* place) {
  cr_channel_info c = {.size = sizeof c};
  for (int i = 0; i < cr_measurements_channels(s, run); i++) {
    assert_int_equal(cr_measurements_get(s, run, i, &c, NULL), CR_OK);
    if (strcmp(c.place, place) == 0) {
      return c;
    }
  }
  fail_msg("run %d has no channel '%s'", run, place);
  return c;
}
