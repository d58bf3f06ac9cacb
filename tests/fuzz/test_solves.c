// SPDX-License-Identifier: Apache-2.0
// Batches of tests/fuzz/solves.c in which steps were off without a report, or were refused needlessly; and solves
// that need no iteration.
#include <stdio.h>

#include "carom/step.h"
#include "checks/io_solves.h"
#include "scenes/io_mjcf.h"
#include "support/close.h"
#include "support/scratch.h"

static void hold(const char* path, int seed, int states) {
  solves_tally t = {0};
  char why[SOLVES_SENTENCE];
  assert_true(solves_run(path, (uint64_t)seed, states, 1e9, &t, why));
  assert_true(2 * t.stepped > t.states && t.states > 0);
  assert_int_equal(t.unknown, 0);
  if (t.silent > 0 || t.needless > 0) {
    fail_msg("%s, seed %d: %d silent: %s; %d needless: %s", path, seed, t.silent, t.silent_at,
             t.needless, t.needless_at);
  }
}

// strong damping takes nearly all of an acceleration whose forces cancel
TEST(forces_that_cancel) {
  hold(mjcf_path("sticky.xml"), 163, 40);
  hold(mjcf_path("override.xml"), 163, 40);
}

// rows that oppose each other, at which every step is long
TEST(rows_that_oppose_each_other) { hold(mjcf_path("equality.xml"), 109, 20); }

// a wheel on the floor without weight: opposite rows push with 1e17 N, and what is left of them is near their rounding
TEST(forces_without_a_moment) {
  const char* path =
      scratch_write("wheel.xml",
                    "<mujoco><worldbody><geom type='plane' size='9 9 1'/><body>"
                    "<joint axis='1 0 0'/><geom size='.1'/></body></worldbody></mujoco>");
  hold(path, 8, 20);
  hold(path, 17, 20);
  hold(path, 1768, 20);
  hold(path, 2319, 20);
}

#define LEG                                                                                    \
  "<body pos='0 0 -.2'><joint/><geom type='capsule' fromto='0 0 0 0 0 -.45'/>"                 \
  "<body pos='0 0 -.7'><joint pos='0 0 .25'/><geom type='capsule' fromto='0 0 .25 0 0 -.25'/>" \
  "<body pos='.06 0 -.35'><joint pos='-.06 0 .1'/>"                                            \
  "<geom type='capsule' fromto='-.06 0 0 .15 0 0'/></body></body></body>"

// a walker in a plane, light bodies between heavy ones: which formula of an implicitly damped step keeps digits
TEST(light_bodies_between_heavy_ones) {
  static const char walker[] =
      "<mujoco><option timestep='.002'/><default><geom size='.05' density='1000'/>"
      "<joint axis='0 -1 0' damping='.1' armature='.01' range='-2 1' limited='true'/></default>"
      "<worldbody><geom type='plane' size='9 9 1'/><body pos='0 0 1.3'>"
      "<joint type='slide' axis='1 0 0' limited='false' damping='0' armature='0'/>"
      "<joint type='slide' axis='0 0 1' limited='false' damping='0' armature='0'/>"
      "<joint axis='0 1 0' limited='false' damping='0' armature='0'/>"
      "<geom type='capsule' fromto='0 0 -.2 0 0 .2'/>" LEG LEG "</body></worldbody></mujoco>";
  const char* path = scratch_write("walker.xml", walker);
  hold(path, 267, 40);
  hold(path, 861, 40);
  hold(path, 991, 40);
}

#define CUBE(z)                                                             \
  "<body pos='0 0 " z                                                       \
  "'><joint type='slide' axis='1 0 0'/><joint type='slide' axis='0 1 0'/>"  \
  "<joint type='slide'/><joint axis='1 0 0'/><joint axis='0 1 0'/><joint/>" \
  "<geom type='box' size='.025 .025 .025' mass='.1'/></body>"

// full steps go round in circles there, since light bodies weigh nothing in the residual of heavy ones
TEST(light_bodies_on_heavy_ones) {
  const char* path = scratch_write(
      "cubes.xml",
      "<mujoco><option timestep='.002'/><default><joint damping='1e-3' limited='true' range='-.1 "
      ".1'"
      " frictionloss='1e-3'/></default><worldbody><geom type='plane' size='9 9 1'/>" CUBE(".03")
          CUBE(".08") "</worldbody></mujoco>");
  hold(path, 12, 40);
  hold(path, 103, 40);
  hold(path, 598, 40);
}

// what a large acceleration hides of a small one counts once damping has taken the large one away
TEST(small_accelerations_beside_large_ones) {
  const char* path = scratch_write(
      "cube.xml",
      "<mujoco><option timestep='.002'/><default><joint damping='1e-4'/></default><worldbody>"
      "<geom type='plane' size='9 9 1'/><body pos='0 0 .03'>"
      "<joint type='slide' axis='1 0 0'/><joint type='slide' axis='0 1 0'/><joint type='slide'/>"
      "<joint axis='1 0 0'/><joint axis='0 1 0'/><joint/>"
      "<geom type='box' size='.025 .025 .025' mass='.1'/></body><body pos='0 0 .2'>"
      "<joint type='slide' axis='1 0 0'/><joint type='slide' axis='0 1 0'/><joint type='slide'/>"
      "<geom size='.04' mass='.1'/></body></worldbody></mujoco>");
  hold(path, 1424, 40);
}

enum { STEPS = 2000, AT_REST = 300 };

// Iterations of the last steps, of bodies that come to rest before.
static int iterations_at_rest(const char* xml) {
  mjModel* mj = mjcf_compile(xml);
  cr_model m = mjcf_model(mj);
  cr_data* d = test_data(&m);
  int iterations = 0;
  for (int k = 0; k < STEPS; k++) {
    assert_int_equal(cr_step(&m, d), CR_OK);
    assert_true(k < STEPS - AT_REST || d->nefc > 0);
    iterations += k < STEPS - AT_REST ? 0 : d->solver_iterations;
    assert_int_equal(cr_advance(&m, d), CR_OK);
  }
  cri_model_free(&m);
  mj_deleteModel(mj);
  return iterations;
}

#define RESTING(cone, solref, bodies)                       \
  "<mujoco><option cone='" cone "'/><default><geom " solref \
  "/></default>"                                            \
  "<worldbody><geom type='plane' size='9 9 1'/>" bodies "</worldbody></mujoco>"
#define TOSSED "solref='.02 1' solimp='.05 .95 .01 .5 2'"
#define BODY(pos, geom) "<body pos='" pos "' euler='0 0 33'><freejoint/><geom " geom "/></body>"
#define BOX "type='box' size='.05 .05 .05'"

// Forces cancel there, and what rounding leaves of them is no reason to go on from the warm start.
TEST(bodies_at_rest_take_no_iterations) {
  static const struct {
    const char* xml;
    int most;
  } scenes[] = {
      {RESTING("pyramidal", "", BODY("0 0 .06", BOX)), 60},
      {RESTING("elliptic", "", BODY("0 0 .06", BOX)), 60},
      {RESTING("pyramidal", TOSSED, BODY("0 0 .2", BOX)), 60},
      {RESTING("elliptic", TOSSED, BODY("0 0 .2", BOX)), 60},
      {RESTING("pyramidal", TOSSED, BODY("0 0 .06", "type='sphere' size='.05'")), 60},
      {RESTING("elliptic", TOSSED, BODY("0 0 .05", BOX) BODY(".01 0 .15", BOX " density='100'")),
       AT_REST + 10}};
  for (size_t k = 0; k < sizeof scenes / sizeof *scenes; k++) {
    int iterations = iterations_at_rest(scenes[k].xml);
    if (iterations > scenes[k].most) {
      fail_msg("%d iterations in %d steps at rest of %s", iterations, AT_REST, scenes[k].xml);
    }
  }
}
