// SPDX-License-Identifier: Apache-2.0
// Base parameters: as many as the literature counts, the same forces for all robots that share them, and their derivative.
#include "study/robot_bases.h"

#include <math.h>
#include <string.h>

#include "carom/mujoco.h"
#include "support/scratch.h"
#include "support/test.h"

typedef struct {
  cr_model* m;
  mjModel* mj;
  cr_parameters* parameters;
  cr_robot_parameters list;
  cr_robot_bases bases;
} opened;

static opened robot;

static void open_robot(cr_robot_kind kind) {
  char path[CR_MAX_PATH];
  assert_int_equal(cri_robot_write(scratch_path(""), kind, path, NULL), CR_OK);
  assert_int_equal(cr_model_open(&robot.m, path, NULL), CR_OK);
  assert_int_equal(cr_mujoco_compile(&robot.mj, path, NULL, NULL, NULL), CR_OK);
  assert_int_equal(cri_robot_parameters(&robot.list, robot.m, NULL), CR_OK);
  assert_int_equal(
      cr_parameters_create(&robot.parameters, robot.m, robot.list.list, robot.list.n, NULL), CR_OK);
  assert_int_equal(cri_robot_bases(&robot.bases, robot.mj, &robot.list, NULL), CR_OK);
}

static void close_robot(void) {
  cri_robot_bases_free(&robot.bases);
  cr_parameters_destroy(robot.parameters);
  mj_deleteModel(robot.mj);
  cr_model_destroy(robot.m);
}

// a revolute joint after another tells seven numbers of its link; the first, upright one tells one moment, which the armature joins,
// and the second, whose axis crosses it, six and a share of its armature; 12 joints of a robot that floats tell 7 each beside ten of the trunk
TEST(as_many_as_are_known) {
  open_robot(CR_ROBOT_ARM);
  assert_int_equal(robot.bases.nbase, 62);
  close_robot();
  open_robot(CR_ROBOT_QUADRUPED);
  assert_int_equal(robot.bases.nbase, 10 + 7 * 12 + 3 * 12 + 1);
  close_robot();
}

TEST(derivative_matches_differences) {
  const cr_real h = CR_R(1e-5);
  static cr_real J[CR_ROBOT_NUMBERS * CR_ROBOT_NUMBERS];
  cr_real x[CR_ROBOT_NUMBERS], value[CR_ROBOT_NUMBERS], up[CR_ROBOT_NUMBERS],
      down[CR_ROBOT_NUMBERS];
  open_robot(CR_ROBOT_ARM);
  int n = robot.bases.n;
  assert_int_equal(cr_parameters_get_start(robot.parameters, x, NULL), CR_OK);
  assert_int_equal(
      cri_robot_bases_at(&robot.bases, &robot.list, robot.parameters, x, value, J, NULL), CR_OK);
  for (int j = 0; j < n; j++) {
    cr_real at = x[j];
    x[j] = at + h;
    assert_int_equal(
        cri_robot_bases_at(&robot.bases, &robot.list, robot.parameters, x, up, NULL, NULL), CR_OK);
    x[j] = at - h;
    assert_int_equal(
        cri_robot_bases_at(&robot.bases, &robot.list, robot.parameters, x, down, NULL, NULL),
        CR_OK);
    x[j] = at;
    for (int k = 0; k < robot.bases.nbase; k++) {
      cr_real difference = (up[k] - down[k]) / (2 * h);
      assert_true(cr_abs(difference - J[k * n + j]) < CR_R(1e-6) * (1 + cr_abs(difference)));
    }
  }
  close_robot();
}
