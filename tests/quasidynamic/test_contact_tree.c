// SPDX-License-Identifier: Apache-2.0
// The tree: a pusher finds its way, every step of a plan is the exact step that it says, the same seed gives the same plan; the planar hand
// turns its ball by half a turn.
// Needs: io
#include "carom/quasidynamic.h"
#include "scenes/io_mjcf.h"
#include "support/close.h"

static const char pusher[] =
    "<mujoco><option gravity='0 0 0'/><worldbody><body name='box'><joint name='x' type='slide' "
    "axis='1 0 0'/>"
    "<joint name='y' type='slide' axis='0 1 0'/><geom size='.1' mass='1'/></body><body pos='-.3 0 "
    "0'>"
    "<joint name='a' type='slide' axis='1 0 0'/><joint name='b' type='slide' axis='0 1 0'/><geom "
    "size='.05' mass='1'/>"
    "</body></worldbody><actuator><position joint='a' kp='500' ctrllimited='true' ctrlrange='-1 "
    "2'/>"
    "<position joint='b' kp='500' ctrllimited='true' ctrlrange='-1 1'/></actuator></mujoco>";

static mjModel* mj;
static cr_model m;

static void open_model(mjModel* compiled) {
  mj = compiled;
  m = mjcf_model(mj);
}

static void close_model(void) {
  cri_model_free(&m);
  mj_deleteModel(mj);
}

static cr_contact_plan* grow(const cr_real* qpos, const cr_real* goal, uint64_t seed) {
  const cr_contact_tree_options options = {.size = sizeof options, .seed = seed};
  cr_contact_plan* plan = NULL;
  cr_error error = {0};
  if (cr_contact_tree_grow(&plan, &m, NULL, qpos, goal, &options, &error) != CR_OK) {
    fail_msg("%s", error.text);
  }
  return plan;
}

// a plan is made of exact steps, and of grasps that leave objects where they are; true if it ends at the goal
static bool check(const cr_contact_plan* plan, const bool* object, const cr_real* goal) {
  cr_real qpos[16], before[16], u[8], next[16], off = 0;
  cr_quasidynamic* step = NULL;
  bool grasp;
  assert_int_equal(cr_quasidynamic_create(&step, &m, NULL, NULL), CR_OK);
  assert_true(cr_contact_plan_get(plan, 0, before, NULL, &grasp));
  assert_false(grasp);
  for (int i = 1; i < cr_contact_plan_poses(plan); i++) {
    assert_true(cr_contact_plan_get(plan, i, qpos, u, &grasp));
    if (!grasp) {
      assert_int_equal(cr_quasidynamic_step(step, before, u, next), CR_OK);
      assert_memory_equal(next, qpos, (size_t)m.nq * sizeof *qpos);
    }
    for (int k = 0; k < m.nq; k++) {
      assert_true(!grasp || !object[k] || qpos[k] == before[k]);
    }
    cr_copy(before, qpos, m.nq);
  }
  for (int k = 0; k < m.nq; k++) {
    off += object[k] ? (before[k] - goal[k]) * (before[k] - goal[k]) : 0;
  }
  assert_false(cr_contact_plan_get(plan, cr_contact_plan_poses(plan), qpos, u, &grasp));
  assert_close(cr_sqrt(off), cr_contact_plan_distance(plan), CR_R(1e-12));
  cr_quasidynamic_destroy(step);
  return cr_sqrt(off) <= CR_R(0.01);
}

TEST(a_pusher_brings_a_ball_to_its_goal) {
  const cr_real start[4] = {0}, goal[4] = {CR_R(0.4), CR_R(0.2)};
  const bool object[4] = {true, true};
  open_model(mjcf_compile(pusher));
  cr_contact_plan *one = grow(start, goal, 1), *two = grow(start, goal, 1);
  assert_true(check(one, object, goal));
  assert_true(cr_contact_plan_nodes(one) < 1000);
  assert_int_equal(cr_contact_plan_nodes(one), cr_contact_plan_nodes(two));
  for (int i = 0; i < cr_contact_plan_poses(one); i++) {
    cr_real a[4], b[4];
    assert_true(cr_contact_plan_get(one, i, a, NULL, NULL));
    assert_true(cr_contact_plan_get(two, i, b, NULL, NULL));
    assert_memory_equal(a, b, sizeof a);
  }
  cr_contact_plan_destroy(one);
  cr_contact_plan_destroy(two);
  close_model();
}

TEST(a_hand_turns_its_ball_half_around_with_every_seed) {
  const bool object[7] = {false, false, false, false, true, true, true};
  cr_real goal[7];
  open_model(mjcf_data("../../examples/tasks/planar_hand.xml"));
  cr_copy(goal, m.key_qpos, 7);
  goal[6] = CR_PI;
  for (uint64_t seed = 1; seed <= 10; seed++) {
    cr_contact_plan* plan = grow(m.key_qpos, goal, seed);
    assert_true(check(plan, object, goal));
    assert_true(cr_contact_plan_nodes(plan) < 1000);
    cr_contact_plan_destroy(plan);
  }
  close_model();
}

// more trees: the first one is that of one tree alone, and the best of all is kept where none reaches the goal
TEST(trees_are_grown_until_one_is_at_the_goal) {
  cr_contact_tree_options o = {.size = sizeof o, .nodes = 60, .seed = 3};
  cr_real goal[7], least = CR_MAX;
  int reached = 0;
  open_model(mjcf_data("../../examples/tasks/planar_hand.xml"));
  cr_copy(goal, m.key_qpos, 7);
  goal[6] = CR_PI;
  for (o.trees = 1; o.trees <= 16; o.trees *= 2) {
    cr_contact_plan* plan = NULL;
    assert_int_equal(cr_contact_tree_grow(&plan, &m, NULL, m.key_qpos, goal, &o, NULL), CR_OK);
    const cr_real distance = cr_contact_plan_distance(plan);
    assert_true(distance <= least);
    assert_true(distance <= CR_R(0.01) || cr_contact_plan_nodes(plan) >= o.nodes * o.trees);
    assert_true(reached == 0 || distance == least);
    reached += distance <= CR_R(0.01);
    least = distance;
    cr_contact_plan_destroy(plan);
  }
  assert_true(reached > 0 && reached < 5);
  close_model();
}

// objects with a free joint: the goal is a turn of the cube in the palm of a hand with four fingers
TEST(a_hand_with_four_fingers_turns_a_cube) {
  const cr_quasidynamic_options steps = {
      .size = sizeof steps, .weight = 3000, .reach = CR_R(0.025)};
  const cr_contact_tree_options options = {.size = sizeof options,
                                           .seed = 1,
                                           .stepsize = CR_R(0.2),
                                           .length = CR_R(0.1),
                                           .tolerance = CR_R(0.1)};
  enum { NQ = 23, CUBE = 16 };
  cr_contact_plan* plan = NULL;
  cr_error error = {0};
  cr_real goal[NQ], qpos[NQ];
  open_model(mjcf_data("../../examples/tasks/allegro_cube.xml"));
  cr_copy(goal, m.key_qpos, NQ);
  goal[CUBE + 3] = cr_cos(CR_R(0.15));
  goal[CUBE + 6] = cr_sin(CR_R(0.15));
  if (cr_contact_tree_grow(&plan, &m, &steps, m.key_qpos, goal, &options, &error) != CR_OK) {
    fail_msg("%s", error.text);
  }
  const int last = cr_contact_plan_poses(plan) - 1;
  assert_true(last > 0 && cr_contact_plan_distance(plan) <= options.tolerance);
  assert_true(cr_contact_plan_get(plan, last, qpos, NULL, NULL));
  assert_close(2 * CR_FN(asin)(qpos[CUBE + 6]), CR_R(0.3), options.tolerance);
  for (int k = 0; k < 2; k++) {
    assert_close(qpos[CUBE + k], goal[CUBE + k], options.tolerance * options.length);
  }
  cr_contact_plan_destroy(plan);
  close_model();
}

static void refused(const cr_contact_tree_options* options, cr_status status,
                    const char* sentence) {
  const cr_real start[16] = {0};
  cr_contact_plan* plan = NULL;
  cr_error error = {0};
  assert_int_equal(cr_contact_tree_grow(&plan, &m, NULL, start, start, options, &error), status);
  assert_null(plan);
  if (strstr(error.text, sentence) == NULL) {
    fail_msg("%s", error.text);
  }
}

TEST(what_cannot_be_planned_is_named) {
  cr_contact_tree_options o = {.size = sizeof o, .goal_share = 2};
  open_model(mjcf_compile(pusher));
  refused(&o, CR_ERR_ARG, "goal_share 2: between 0 and 1 is expected");
  o = (cr_contact_tree_options){.size = sizeof o, .nodes = -1};
  refused(&o, CR_ERR_ARG, "-1 nodes");
  o = (cr_contact_tree_options){.size = sizeof o, .trees = -2};
  refused(&o, CR_ERR_ARG, "0 nodes in each of -2 trees");
  close_model();
  open_model(
      mjcf_compile("<mujoco><worldbody><body><joint name='a'/><geom size='.1'/></body></worldbody>"
                   "<actuator><position joint='a' kp='1'/></actuator></mujoco>"));
  refused(NULL, CR_ERR_ARG, "there is no object");
  close_model();
}
