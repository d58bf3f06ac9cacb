// SPDX-License-Identifier: Apache-2.0
// Robots from URDF files: motors, floor, steps; sources that are wrong.
#include "walk/robots.h"

#include "support/close.h"
#include "walk/robot.h"

TEST(a_urdf_file_becomes_a_model_with_motors_that_finds_its_legs) {
  cr_model* m = NULL;
  cr_legged r;
  char path[CR_MAX_PATH];
  must(cri_robot_open(scratch_path(""), CAROM_SOURCE_DIR "/tests/data/quadruped.urdf", &m, path,
                      &error));
  assert_true(scratch_has("robot.xml"));
  assert_int_equal(cr_model_count(m, "nu"), 12);
  assert_close(cr_model_timestep(m), 0.001, 1e-15);
  must(cri_legged_find(&r, m, 0.3, &error));
  for (int k = 0; k < CR_LEGGED_JOINTS; k++) {
    const char* joint = cr_model_name(m, "actuator", r.motor[k]);
    assert_non_null(strstr(joint, k < 6 ? "front" : "rear"));
    assert_non_null(strstr(joint, k / 3 % 2 == 0 ? "right" : "left"));
  }
  cr_model_destroy(m);
}

static void refused(const char* source, cr_status status, const char* why) {
  cr_model* m = NULL;
  char path[CR_MAX_PATH];
  assert_int_equal(cri_robot_open(scratch_path(""), source, &m, path, &error), status);
  assert_null(m);
  if (strstr(error.text, why) == NULL) {
    fail_msg("'%s' does not say '%s'", error.text, why);
  }
}

TEST(sources_that_are_no_robot_are_refused_by_name) {
  refused(scratch_path(""), CR_ERR_FORMAT, "there is no URDF file in this folder");
  refused(scratch_path("none.urdf"), CR_ERR_FILE, "none.urdf");
  refused(scratch_write("torn.urdf", "<robot name='a'><link name='b'>"), CR_ERR_FORMAT,
          "torn.urdf");
  (void)scratch_write("other.urdf", "<robot name='a'/>");
  refused(scratch_path(""), CR_ERR_FORMAT, "there is more than one URDF file in this folder");
}
