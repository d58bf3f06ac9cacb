// SPDX-License-Identifier: Apache-2.0
// Needs: io
// A part of test_event_pairs_long.c: the gradient with events is that of the motion, or a jump is reported as not
// counted, for shapes on a plane and on each other. A search for moments ends if there are none to find.
#include "carom/carom.h"
#include "checks/io_event_pairs.h"
#include "model/model.h"
#include "support/test.h"

static const pairs_method METHODS[] = {{"tsit5", 1e-7, 2e-3}, {"dopri8", 1e-10, 1e-3}};

static void check(const int scene[][4], int n) {
  pairs_tally tally = {.runs = 0};
  for (int i = 0; i < n; i++) {
    pairs_check(scene[i][0], scene[i][1], scene[i][2], scene[i][3], METHODS, 2, 1, &tally);
  }
  assert_int_equal(tally.wrong, 0);
  assert_true(4 * tally.kinks < tally.scenes && 4 * tally.uncounted < tally.runs);
}

// shape, what it falls on, collision, launch
TEST(gradients_on_a_plane_are_those_of_the_motion) {
  static const int scenes[][4] = {{4, 0, CR_COLLISION_HARD, 1},   {5, 0, CR_COLLISION_HARD, 2},
                                  {6, 0, CR_COLLISION_HARD, 0},   {4, 0, CR_COLLISION_SMOOTH, 0},
                                  {5, 0, CR_COLLISION_SMOOTH, 1}, {5, 0, CR_COLLISION_SOFT, 0},
                                  {3, 0, CR_COLLISION_HARD, 0}};
  check(scenes, sizeof scenes / sizeof scenes[0]);
}

TEST(gradients_on_each_other_are_those_of_the_motion) {
  static const int scenes[][4] = {{1, 6, CR_COLLISION_HARD, 1},   {2, 2, CR_COLLISION_HARD, 0},
                                  {2, 6, CR_COLLISION_HARD, 0},   {3, 1, CR_COLLISION_HARD, 2},
                                  {5, 1, CR_COLLISION_SMOOTH, 0}, {5, 4, CR_COLLISION_SMOOTH, 1}};
  check(scenes, sizeof scenes / sizeof scenes[0]);
}

// an ellipsoid whose contact goes from a face of a box onto its edge; the edge of a box, then the side of a capsule,
// that become parallel to the disk of a cylinder, where their contacts go from end to end in many small leaps
TEST(kinks_and_leaps_are_found_at_loose_tolerances) {
  static const pairs_method loose[] = {{"tsit5", 1e-5, 2e-3}, {"dopri8", 1e-8, 1e-3}};
  static const int scenes[][3] = {{3, 5, 0}, {5, 4, 1}, {2, 4, 1}};
  pairs_tally tally = {.runs = 0};
  for (int i = 0; i < 3; i++) {
    pairs_check(scenes[i][0], scenes[i][1], CR_COLLISION_HARD, scenes[i][2], loose, 2, 1, &tally);
  }
  assert_int_equal(tally.wrong, 0);
  assert_int_equal(tally.uncounted, 0);
  assert_true(tally.kinks <= 1);
}

// a soft cylinder: a row leaves while it pushes, a bend of another one shortly before; its secant creeps, and each length
// asked for at the leave was wasted
TEST(leaves_behind_a_bend_are_found) {
  static const pairs_method loose[] = {{"tsit5", 1e-5, 1e-3}, {"dopri5", 1e-6, 1e-3}};
  pairs_tally tally = {.runs = 0};
  pairs_check(4, 0, CR_COLLISION_SOFT, 1, loose, 2, 1, &tally);
  assert_int_equal(tally.runs, 2);
  assert_int_equal(tally.wrong, 0);
  assert_int_equal(tally.uncounted, 0);
}

// a cylinder that comes down all but in a plane: where it stands upright but for 1e-10, the lowest point of its
// rim runs around it, faster than a step can be short
static const char upright[] =
    "<mujoco><option timestep='.002' cone='elliptic'/><worldbody>"
    "<geom type='plane' size='5 5 .1' solref='.02 1' solimp='0 .95 .01'/>"
    "<body pos='.0025536 0 .14' euler='0 12.308 0'><freejoint/><geom type='cylinder' size='.031904 "
    ".060182' "
    "solref='.02 1' solimp='0 .95 .01' mass='1.1337' friction='.3994' "
    "condim='3'/></body></worldbody></mujoco>";

static const cr_real near_planar[][TOSS_MOST] = {
    {0.096, -6.295463085265917e-11, -0.519, 0, 0.4690071248636474, 3.67806607013075e-09},
    {0.096, 0, -0.519, -1.2309087003099533e-09, 0.46898703266362307, -3.858951143652948e-09},
    {0.09599801619242898, 0, -0.519, 0, 0.4689849946086339, -2.515430421089772e-09},
    {0.09599675487035146, -3.064461632093748e-11, -0.519, 4.1579950626729105e-12, 0.468998363658126,
     -7.900303000693373e-11},
    {0.09599697872098592, -1.4780317819939204e-11, -0.519025829128552, -7.601539653708801e-11,
     0.4690008989319525, 0}};

TEST(contacts_that_run_around_a_rim_are_passed) {
  for (size_t i = 0; i < sizeof near_planar / sizeof near_planar[0]; i++) {
    const toss t = {.text = upright,
                    .loss = "qpos[0]",
                    .integrator = "dopri8",
                    .time = 0.3,
                    .tolerance = 1e-11,
                    .events = true,
                    .qvel = near_planar[i],
                    .max_steps = 4000};
    toss_result x = toss_differentiate(&t);
    print_message("%d steps, %d uncounted %s\n", x.steps, x.uncounted, x.error);
    assert_int_equal(x.status, CR_OK);
  }
}
