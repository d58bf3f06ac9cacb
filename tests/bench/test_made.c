// SPDX-License-Identifier: Apache-2.0
// Made models: what they consist of, by hand.
#include "bench/made.h"

#include <string.h>

#include "support/close.h"
#include "support/scratch.h"

static cr_error error;

TEST(chain_hangs_from_the_world) {
  mjModel* mj = NULL;
  assert_int_equal(cr_made_chain(&mj, 7, &error), CR_OK);
  assert_int_equal(mj->nv, 7);
  assert_int_equal(mj->nbody, 8);
  for (int i = 1; i < 8; i++) {
    assert_int_equal(mj->body_parentid[i], i - 1);
    assert_true(mj->body_mass[i] == mj->body_mass[1] && mj->body_mass[i] > 0);
    assert_true(mj->body_pos[3 * i + 2] == (i == 1 ? 0 : -0.1));
    assert_true(mj->jnt_axis[3 * (i - 1)] == i % 2 && mj->jnt_axis[3 * (i - 1) + 1] == (i + 1) % 2);
  }
  mjData* d = mj_makeData(mj);
  mj_forward(mj, d);
  assert_int_equal(d->ncon, 0);
  mj_deleteData(d);
  mj_deleteModel(mj);
}

// towers of ten: boxes that touch, and none that overlap
TEST(stack_is_of_towers) {
  mjModel* mj = NULL;
  assert_int_equal(cr_made_stack(&mj, 23, &error), CR_OK);
  assert_int_equal(mj->nv, 6 * 23);
  mjData* d = mj_makeData(mj);
  mj_kinematics(mj, d);
  for (int i = 1; i < mj->nbody; i++) {
    double height = d->xpos[3 * i + 2];
    assert_close(height, 0.05 + 0.1 * ((i - 1) % 10), 1e-14);
    for (int k = 1; k < i; k++) {
      double apart = 0;
      for (int j = 0; j < 3; j++) {
        apart = fmax(apart, fabs(d->xpos[3 * i + j] - d->xpos[3 * k + j]));
      }
      assert_true(apart > 0.1 - 1e-12);
    }
  }
  mj_deleteData(d);
  mj_deleteModel(mj);
}

TEST(copies_share_the_rest) {
  mjModel *one = NULL, *four = NULL;
  const char* path = scratch_write(
      "two.xml",
      "<mujoco><option timestep='.003'/><worldbody><geom name='floor' type='plane' size='1 1 1'/>"
      "<body name='a'><freejoint/><geom size='.1' mass='2'/></body>"
      "<body name='b' pos='0 0 1'><joint name='j'/><geom size='.1' mass='3'/></body></worldbody>"
      "<actuator><motor name='m' joint='j'/></actuator></mujoco>");
  assert_int_equal(cr_made_copies(&one, path, 1, &error), CR_OK);
  assert_int_equal(cr_made_copies(&four, path, 4, &error), CR_OK);
  assert_int_equal(four->nv, 4 * one->nv);
  assert_int_equal(four->nu, 4 * one->nu);
  assert_int_equal(four->nbody - 1, 4 * (one->nbody - 1));
  assert_int_equal(four->ngeom - 1, 4 * (one->ngeom - 1));  // the floor once
  assert_close(mj_getTotalmass(four), 4 * mj_getTotalmass(one), 1e-12);
  assert_true(four->opt.timestep == 0.003);
  assert_int_not_equal(mj_name2id(four, mjOBJ_JOINT, "copy3-j"), -1);
  mj_deleteModel(one);
  mj_deleteModel(four);
  four = NULL;
  assert_int_equal(cr_made_copies(&four, scratch_path("none.xml"), 2, &error), CR_ERR_FORMAT);
  assert_non_null(strstr(error.text, "none.xml"));
  assert_null(four);
}
