// SPDX-License-Identifier: Apache-2.0
// Needs: io
// Two point masses on a stick have next to no inertia about the stick; contacts alone hold it there. The gradient by
// this inertia was wrong, at nothing by its own size: Euler's derivative went through a solve with M, as for damping.
#include <stdio.h>

#include "carom/step.h"
#include "carom/step_jacobian.h"
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

static cr_real speed(const char* integrator, bool damped, cr_real inertia, cr_real more) {
  bug_scene s;
  open_stick(&s, integrator, damped, inertia);
  s.m.body_inertia[3] += more;
  assert_int_equal(cr_step(&s.m, s.d), CR_OK);
  cr_real sum = 0;
  for (int i = 0; i < 7; i++) {
    sum += s.d->qvel_next[i];
  }
  bug_close(&s);
  return sum;
}

// d(next velocity)/d(inertia of the first body about its first axis)
static cr_real slope(const char* integrator, bool damped, cr_real inertia) {
  bug_scene s;
  open_stick(&s, integrator, damped, inertia);
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
    cr_real limit = slope("Euler", damped, CR_R(1e-9));
    assert_true(cr_abs(limit) > CR_R(0.1));
    for (int power = 10; power <= 14; power++) {
      assert_close(slope("Euler", damped, pow(10, -power)), limit, CR_R(1e-6));
    }
  }
}

// Their matrix M - hD has no contacts to hold the stick: what turns it beside them changes like 1 / inertia.
TEST(the_gradient_of_implicit_steps_by_next_to_no_inertia) {
  static const char* const integrators[] = {"implicitfast", "implicit"};
  for (int k = 0; k < 4; k++) {
    const char* integrator = integrators[k / 2];
    bool damped = k % 2 == 1;
    for (int power = 7; power <= 9; power++) {
      cr_real inertia = pow(10, -power), by = inertia / 64;
      cr_real change =
          speed(integrator, damped, inertia, by) - speed(integrator, damped, inertia, -by);
      assert_close(slope(integrator, damped, inertia) * 2 * by / change, 1, CR_R(1e-3));
    }
    cr_real limit = CR_R(1e-9) * slope(integrator, damped, CR_R(1e-9));
    for (int power = 10; power <= 12; power++) {
      cr_real inertia = pow(10, -power);
      assert_close(slope(integrator, damped, inertia) * inertia / limit, 1, CR_R(1e-3));
    }
  }
}

// No row holds what an implicit step solves for. The step says how many digits that costs, and loses as few as it can.
TEST(an_implicit_step_tells_its_rounding) {
  bug_scene sound, s;
  open_stick(&sound, "implicitfast", false, CR_R(1e-9));
  assert_true(sound.d->rounding < CR_R(1e-8));
  for (int power = 12; power <= 14; power++) {
    open_stick(&s, "implicitfast", false, pow(10, -power));
    cr_real off = cr_abs(s.d->euler_qacc[3] - sound.d->euler_qacc[3]);
    assert_true(off > CR_R(1e-6));
    assert_true(off < CR_R(2e-3));
    assert_true(off < s.d->rounding * cr_abs(sound.d->euler_qacc[3]));
    bug_close(&s);
  }
  bug_close(&sound);
}

// The derivatives take the form of the step: tangents, cotangents and the columns of the Jacobian agree.
TEST(derivatives_of_a_lossy_implicit_step_agree) {
  static const char* const integrators[] = {"implicitfast", "implicit"};
  for (int k = 0; k < 2; k++) {
    bug_scene s;
    open_stick(&s, integrators[k], true, CR_R(1e-11));
    assert_true(s.d->euler_weak);
    cr_real A[14 * 14], row[14];
    cr_jacobian* work;
    assert_int_equal(cr_jacobian_create(&work, &s.m, s.d, NULL), CR_OK);
    assert_int_equal(cr_step_jacobian(&s.m, s.d, work, A, NULL, NULL), CR_OK);
    assert_null(cr_jacobian_fallback(work));
    cr_jacobian_destroy(work);
    for (int out = 0; out < 7; out++) {
      cri_twin_clear(s.bar);
      s.bar->qvel_next[out] = 1;
      assert_int_equal(cr_step_vjp(&s.m, &s.m, s.d, NULL, s.bar), CR_OK);
      for (int i = 0; i < 7; i++) {
        row[i] = s.bar->qpos[i];
        row[7 + i] = s.bar->qvel[i];
      }
      assert_all_close(A + (7 + out) * 14, row, 14, CR_R(1e-6));
    }
    bug_close(&s);
  }
}
