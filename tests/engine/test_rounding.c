// SPDX-License-Identifier: Apache-2.0
// Needs: io
// What rounding leaves of the acceleration: the estimate against a solve in extended precision, on an
// arm whose first link is as light as one likes, about the axis of its heavy second.
#include "engine/rounding.h"

#include <stdio.h>

#include "carom/step.h"
#include "checks/io_bug.h"
#include "checks/wide_solve.h"
#include "support/close.h"
#include "support/scratch.h"

static void open_arm(bug_scene* s, double light) {
  char text[1000];
  (void)snprintf(text, sizeof text,
                 "<mujoco><option><flag contact='disable'/></option><worldbody><body>"
                 "<joint name='light' axis='0 1 0'/>"
                 "<inertial pos='0 0 0' mass='%g' diaginertia='%g %g %g'/>"
                 "<body><joint name='heavy' axis='0 1 0'/>"
                 "<inertial pos='.3 0 .1' mass='30' diaginertia='1 1 1'/></body></body>"
                 "<body pos='0 0 1'><joint axis='0 1 0'/><geom size='.1' pos='.2 0 0'/></body>"
                 "</worldbody></mujoco>",
                 light, light, light, light);
  bug_open(s, text, 0.3);
  s->d->want_M = true;
}

TEST(ordinary_inertia_is_not_looked_at) {
  bug_scene s;
  open_arm(&s, 0.1);
  bug_forward(&s);
  assert_close(s.d->rounding, 0, 0);
  bug_close(&s);
}

TEST(the_estimate_covers_the_error) {
  for (int power = 5; power <= 9; power++) {
    bug_scene s;
    open_arm(&s, pow(10, -power));
    assert_int_equal(cr_step(&s.m, s.d), CR_OK);
    wide_report w = wide_check(&s.m, s.d, false);
    assert_true(w.solved && s.d->rounding > 0);
    assert_true(s.m.dof_treeid[s.d->rounding_dof] == 0);
    assert_true(w.acceleration <= (double)s.d->rounding);
    assert_true((double)s.d->rounding <= CR_EPS * 1e3 * 4 * pow(10, power));
    bug_close(&s);
  }
}

TEST(what_has_no_digits_left_is_refused_by_name) {
  bug_scene s;
  open_arm(&s, 2e-14);
  assert_int_equal(cr_step(&s.m, s.d), CR_ERR_SINGULAR);
  assert_non_null(strstr(s.d->error.text, "\"light\""));
  assert_int_equal(s.d->scratch_used, 0);
  bug_close(&s);
}
