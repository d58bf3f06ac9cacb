// SPDX-License-Identifier: Apache-2.0
// Grasps: fingers end near the object and through nothing; distances are those of the geoms.
// Needs: io
#include "quasidynamic/grasp.h"

#include "scenes/io_mjcf.h"
#include "support/close.h"

// a ball that slides, and a finger on either side
static const char scene[] =
    "<mujoco><worldbody><body name='ball'><joint type='slide' axis='1 0 0'/><geom "
    "size='.2'/></body>"
    "<body pos='-.6 0 0'><joint name='a' type='slide' axis='1 0 0'/><geom size='.1'/></body>"
    "<body pos='.6 0 0'><joint name='b' type='slide' axis='1 0 0'/><geom "
    "size='.1'/></body></worldbody>"
    "<actuator><position joint='a' kp='5' ctrllimited='true' ctrlrange='-.4 .4'/>"
    "<position joint='b' kp='5' gear='2' ctrllimited='true' ctrlrange='-.8 "
    ".8'/></actuator></mujoco>";

static mjModel* mj;
static cr_model m;
static cr_quasidynamic* work;

static void open_scene(void) {
  const cr_quasidynamic_options options = {.size = sizeof options, .reach = 1};
  mj = mjcf_compile(scene);
  m = mjcf_model(mj);
  assert_int_equal(cr_quasidynamic_create(&work, &m, &options, NULL), CR_OK);
}

static void close_scene(void) {
  cr_quasidynamic_destroy(work);
  cri_model_free(&m);
  mj_deleteModel(mj);
}
AROUND_EACH(open_scene, close_scene)

TEST(a_servo_holds_and_has_a_range) {
  cr_real range[2];
  assert_close(cri_servo_hold(&m, &work->servo[0], CR_R(0.3)), CR_R(0.3), CR_R(1e-15));
  assert_close(cri_servo_hold(&m, &work->servo[1], CR_R(0.3)), CR_R(0.6), CR_R(1e-15));
  cri_servo_range(&m, &work->servo[1], range);
  assert_close(range[0], CR_R(-0.4), CR_R(1e-15));
  assert_close(range[1], CR_R(0.4), CR_R(1e-15));
}

TEST(the_clearance_is_that_of_the_nearest_pair) {
  const cr_real qpos[3] = {CR_R(0.1), 0, 0};
  cr_real distance;
  bool object;
  assert_int_equal(cri_grasp_clearance(work, qpos, -1, &distance, &object), CR_OK);
  assert_close(distance, CR_R(0.2), CR_R(1e-12));
  assert_true(object);
  assert_int_equal(cri_grasp_clearance(work, qpos, 1, &distance, &object), CR_OK);
  assert_close(distance, CR_R(0.4), CR_R(1e-12));
}

TEST(fingers_close_on_the_object) {
  cr_random random = cr_random_seed(1, 0);
  for (int k = 0; k < 10; k++) {
    cr_real qpos[3] = {CR_R(0.01) * (cr_real)k, 0, 0}, distance;
    bool object;
    int touches;
    assert_int_equal(cri_grasp_draw(work, &random, CR_R(0.002), 0, 200, qpos, &touches), CR_OK);
    assert_int_equal(touches, 2);
    assert_close(qpos[0], CR_R(0.01) * (cr_real)k, 0);
    for (int tree = 1; tree <= 2; tree++) {
      assert_int_equal(cri_grasp_clearance(work, qpos, tree, &distance, &object), CR_OK);
      assert_true(object && distance > CR_R(0.002) && distance < CR_R(0.004));
    }
  }
}

TEST(some_fingers_stay) {
  cr_random random = cr_random_seed(1, 0);
  int stayed = 0, moved = 0;
  for (int k = 0; k < 40; k++) {
    cr_real qpos[3] = {0};
    int touches;
    assert_int_equal(cri_grasp_draw(work, &random, CR_R(0.002), CR_R(0.5), 50, qpos, &touches),
                     CR_OK);
    stayed += (qpos[1] == 0) != (qpos[2] == 0);
    moved += qpos[1] != 0 || qpos[2] != 0;
  }
  assert_true(stayed > 10 && stayed < 36);
  assert_int_equal(moved, 40);  // at least one finger
}
