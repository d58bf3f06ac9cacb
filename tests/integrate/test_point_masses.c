// SPDX-License-Identifier: Apache-2.0
// Needs: io
// Two point masses on a stick have next to no inertia about the stick; contacts alone hold it there. The gradient by
// this inertia was wrong, at nothing by its own size: Euler's derivative went through a solve with M, as for damping.
#include <stdio.h>

#include "carom/step.h"
#include "checks/io_bug.h"
#include "support/close.h"

// a step of a stick whose two bodies have `inertia` about each axis; beside it swings a ball, damped or not
static void open_stick(bug_scene* s, const char* integrator, bool damped, cr_real inertia) {
  char text[1000];
  (void)snprintf(
      text, sizeof text,
      "<mujoco><option integrator='%s'/><worldbody><geom type='plane' size='5 5 1'/>"
      "<body pos='0 0 .09' euler='5 3 0'><freejoint/>"
      "<geom type='box' size='.1 .1 .1' mass='1' pos='.012 .007 .003'/>"
      "<body pos='.31 .17 .05'><geom type='box' size='.1 .1 .1' mass='.4'/></body></body>"
      "<body pos='0 0 3'><joint axis='0 1 0' damping='%d'/>"
      "<geom size='.1' pos='.2 0 0'/></body></worldbody></mujoco>",
      integrator, damped);
  bug_open(s, text, CR_R(0.03));
  for (int i = 3; i < 9; i++) {
    s->m.body_inertia[i] = inertia;
  }
  assert_int_equal(cr_step(&s->m, s->d), CR_OK);
  assert_true(s->d->nefc > 0);
}

// d(next velocity)/d(inertia of the first body about its first axis)
static cr_real slope(bool damped, cr_real inertia) {
  bug_scene s;
  open_stick(&s, "Euler", damped, inertia);
  for (int i = 0; i < 7; i++) {
    s.bar->qvel_next[i] = 1;
  }
  assert_int_equal(cr_step_vjp(&s.m, &s.m, s.d, NULL, s.bar), CR_OK);
  cr_real g = s.bar->par.body_inertia[3];
  bug_close(&s);
  return g;
}

TEST(the_gradient_by_next_to_no_inertia) {
  for (int damped = 0; damped < 2; damped++) {
    cr_real limit = slope(damped, CR_R(1e-9));
    assert_true(cr_abs(limit) > CR_R(0.1));
    for (int power = 10; power <= 14; power++) {
      assert_close(slope(damped, pow(10, -power)), limit, CR_R(1e-6));
    }
  }
}

// No row holds what an implicit step solves for: its acceleration loses digits, and the step says how many.
TEST(an_implicit_step_tells_its_rounding) {
  bug_scene sound, s;
  open_stick(&sound, "implicitfast", false, CR_R(1e-9));
  assert_true(sound.d->rounding < CR_R(1e-5));
  for (int power = 12; power <= 14; power++) {
    open_stick(&s, "implicitfast", false, pow(10, -power));
    cr_real off = cr_abs(s.d->euler_qacc[3] - sound.d->euler_qacc[3]);
    assert_true(off > CR_R(1e-4));
    assert_true(off < s.d->rounding * cr_abs(sound.d->euler_qacc[3]));
    bug_close(&s);
  }
  bug_close(&sound);
}
