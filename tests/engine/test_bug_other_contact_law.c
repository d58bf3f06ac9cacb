// SPDX-License-Identifier: Apache-2.0
// Needs: io
// A bug seen elsewhere: the backward pass differentiated another contact law than the one that made
// the forces. A ball slides, rolls and is pressed down, with every cone and dimension. The
// gradient is that of this step, and is far from that of a ball without contact.
#include <stdlib.h>

#include "carom/step.h"
#include "checks/io_bug.h"
#include "support/close.h"

static const char* scene_text(const char* cone, int condim, bool contact) {
  static char text[1024];
  (void)snprintf(text, sizeof text,
                 "<mujoco><option cone='%s' timestep='.004'/><worldbody>"
                 "<geom type='plane' size='1 1 1'/><body pos='0 0 .097'><freejoint/>"
                 "<geom size='.1' condim='%d' friction='.6 .03 .01' solref='.03 .8' contype='%d'"
                 " conaffinity='%d'/></body></worldbody></mujoco>",
                 cone, condim, contact, contact);
  return text;
}

static void open_ball(bug_scene* s, const char* text, bool slides) {
  cr_real v = slides ? 2 : CR_R(0.01);
  const cr_real velocity[] = {v, v / 3, CR_R(-0.3), 1, CR_R(-0.5), CR_R(0.8)};
  bug_open(s, text, 0);
  cr_copy(s->d->qvel, velocity, 6);
}

// d(next velocity upwards)/d(height)
static cr_real stiffness(bug_scene* s) {
  assert_int_equal(cr_step(&s->m, s->d), CR_OK);
  s->bar->qvel_next[2] = 1;
  assert_int_equal(cr_step_vjp(&s->m, &s->m, s->d, NULL, s->bar), CR_OK);
  return s->bar->qpos[2];
}

TEST(bug_other_contact_law_gradient_is_that_of_the_step) {
  static const char* const cones[] = {"pyramidal", "elliptic"};
  static const int dims[] = {1, 3, 4, 6};
  for (int c = 0; c < 2; c++) {
    for (int k = 0; k < 8; k++) {
      bug_scene s, free_ball;
      open_ball(&s, scene_text(cones[c], dims[k / 2], true), k % 2);
      bug_check_step(&s);
      cr_real with = stiffness(&s);
      assert_int_equal(s.d->ncon, 1);
      open_ball(&free_ball, scene_text(cones[c], dims[k / 2], false), k % 2);
      assert_close(stiffness(&free_ball), 0, CR_R(1e-14));
      assert_true(cr_abs(with) > CR_R(0.1));
      bug_close(&s);
      bug_close(&free_ball);
    }
  }
}
