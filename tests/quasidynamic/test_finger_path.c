// SPDX-License-Identifier: Apache-2.0
// Ways of fingers: around a wall, off what they touch, one finger after another, and none where there is none.
// Needs: io
#include "quasidynamic/finger_path.h"

#include "quasidynamic/grasp.h"
#include "scenes/io_mjcf.h"
#include "support/close.h"

// a pusher on two slides beside a wall, an object, and a second pusher
static const char scene[] =
    "<mujoco><worldbody><geom type='box' size='.05 .4 .1'/>"
    "<body name='ball' pos='.5 0 0'><joint type='slide' axis='1 0 0'/><geom size='.1'/></body>"
    "<body pos='-.3 0 0'><joint name='a' type='slide' axis='1 0 0'/>"
    "<joint name='b' type='slide' axis='0 1 0'/><geom size='.05' mass='1'/></body>"
    "<body pos='-.3 .8 0'><joint name='c' type='slide' axis='1 0 0'/><geom size='.05'/></body>"
    "</worldbody><actuator>"
    "<position joint='a' kp='5' ctrllimited='true' ctrlrange='-1 1'/>"
    "<position joint='b' kp='5' ctrllimited='true' ctrlrange='-.6 .6'/>"
    "<position joint='c' kp='5' ctrllimited='true' ctrlrange='-1 1'/></actuator></mujoco>";

enum { NQ = 4, MOST = 100 };

static mjModel* mj;
static cr_model m;
static cr_quasidynamic* work;

static void open_scene(void) {
  const cr_quasidynamic_options options = {.size = sizeof options, .reach = CR_R(0.5)};
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

TEST(a_way_leads_around_the_wall) {
  const cr_real from[NQ] = {0}, to[NQ] = {0, CR_R(0.5), 0, 0}, gap = CR_R(0.004);
  cri_finger_path path;
  for (uint64_t seed = 1; seed <= 10; seed++) {
    cr_random random = cr_random_seed(seed, 0);
    assert_int_equal(cri_finger_path_find(work, &random, 1, from, to, gap, &path), CR_OK);
    assert_int_equal(path.k, 2);
    assert_true(path.n > 2);
    assert_close(path.at[0], 0, 0);
    assert_close(path.at[2 * (path.n - 1)], CR_R(0.5), 0);
    for (int i = 0; i + 1 < path.n; i++) {
      for (int k = 0; k <= 20; k++) {
        const cr_real t = CR_R(0.05) * (cr_real)k, *a = path.at + (ptrdiff_t)2 * i;
        const cr_real at[NQ] = {0, a[0] + t * (a[2] - a[0]), a[1] + t * (a[3] - a[1]), 0};
        cr_real distance;
        bool object;
        assert_int_equal(cri_grasp_clearance(work, at, 1, &distance, &object), CR_OK);
        assert_true(distance > -CR_R(0.01));  // checks are 0.05 m apart
      }
    }
  }
}

TEST(fingers_go_one_after_another) {
  const cr_real from[NQ] = {0}, to[NQ] = {CR_R(9), CR_R(0.5), 0, CR_R(0.4)};
  cr_real way[MOST * NQ];
  int n = 0;
  assert_int_equal(cr_quasidynamic_way(work, from, to, CR_R(0.002), 1, MOST, way, &n), CR_OK);
  assert_true(n > 3);
  assert_memory_equal(way, from, sizeof from);
  for (int i = 1; i < n; i++) {
    const cr_real *a = way + (ptrdiff_t)(i - 1) * NQ, *b = a + NQ;
    const bool first = b[1] != a[1] || b[2] != a[2], second = b[3] != a[3];
    assert_true(first != second);
    assert_close(b[0], 0, 0);  // the object stays
  }
  for (int k = 1; k < NQ; k++) {
    assert_close(way[(ptrdiff_t)(n - 1) * NQ + k], to[k], 0);
  }
}

TEST(a_finger_that_touches_moves_off_first) {
  // beside the ball at 0.5, in contact with it
  const cr_real from[NQ] = {0, CR_R(0.6499), 0, 0}, to[NQ] = {0, CR_R(0.4), CR_R(0.55), 0};
  cr_real way[MOST * NQ], distance;
  bool object;
  int n = 0;
  assert_int_equal(cri_grasp_clearance(work, from, 1, &distance, &object), CR_OK);
  assert_true(object && distance < CR_R(0.001));
  assert_int_equal(cr_quasidynamic_way(work, from, to, CR_R(0.002), 1, MOST, way, &n), CR_OK);
  assert_true(n > 1);
  assert_int_equal(cri_grasp_clearance(work, way + NQ, 1, &distance, &object), CR_OK);
  assert_true(distance > 0);
}

TEST(where_there_is_no_way_there_are_no_poses) {
  const cr_real from[NQ] = {0}, to[NQ] = {0, CR_R(0.3), 0, 0};  // into the wall
  cr_real way[MOST * NQ];
  int n = 7;
  assert_int_equal(cr_quasidynamic_way(work, from, to, CR_R(0.002), 1, MOST, way, &n), CR_OK);
  assert_int_equal(n, 0);
  assert_int_equal(cr_quasidynamic_way(work, from, to, 0, 1, MOST, way, &n), CR_ERR_ARG);
  assert_non_null(strstr(cr_quasidynamic_error(work), "gap 0"));
}
