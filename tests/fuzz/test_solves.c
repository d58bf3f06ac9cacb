// SPDX-License-Identifier: Apache-2.0
// Batches of tests/fuzz/solves.c in which steps were off and did not say so, or were refused needlessly.
#include <stdio.h>

#include "support/close.h"
#include "support/io_mjcf.h"
#include "support/io_solves.h"
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
