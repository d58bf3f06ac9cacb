// SPDX-License-Identifier: Apache-2.0
// Needs: io
// A bug seen elsewhere: the reverse pass of a slide joint sent the gradient of a position into the
// body's quaternion. With x = p + R a q (axis a in the body) the derivatives are R a for q, and for a
// body perturbation delta of the quaternion R (delta x a) q.
#include "carom/step.h"
#include "checks/io_bug.h"
#include "math/vec3.h"
#include "support/close.h"

static const char* const scene =
    "<mujoco><worldbody><body pos='.1 .2 .3' quat='.8 .3 -.4 .2'><joint type='slide' axis='2 -1 "
    "2'/>"
    "<geom size='.1'/><body pos='.3 0 .1' quat='.5 .5 -.1 .7'><joint type='slide' axis='1 1 0'/>"
    "<geom size='.1'/></body></body></worldbody></mujoco>";

static void column(const cr_real R[9], const cr_real a[3], cr_real r[3]) { cr_mulmat3(r, R, a); }

TEST(bug_slide_position_is_no_rotation) {
  bug_scene s;
  bug_open(&s, scene, 0);
  s.d->qpos[0] = CR_R(0.7);
  s.d->qpos[1] = CR_R(-0.4);
  bug_forward(&s);
  for (int body = 1; body <= 2; body++) {
    const cr_real *R = s.d->xmat + 9 * body, *a = s.m.jnt_axis + 3 * (body - 1);
    cr_real axis[3];
    column(R, a, axis);
    for (int k = 0; k < 3; k++) {
      cri_model_twin_zero(&s.bar->par, &s.m);
      cr_zero(s.bar->qpos, 2);
      s.bar->xpos[3 * body + k] = 1;
      assert_int_equal(cr_forward_vjp(&s.m, s.d, s.bar), CR_OK);
      assert_close(s.bar->qpos[body - 1], axis[k], CR_R(1e-14));
      for (int i = 0; i < 3; i++) {
        cr_real delta[3] = {i == 0, i == 1, i == 2}, turned[3], moved[3];
        cr_cross3(turned, delta, a);
        column(R, turned, moved);
        assert_close(s.bar->par.body_quat[3 * body + i], s.d->qpos[body - 1] * moved[k],
                     CR_R(1e-14));
      }
    }
  }
  // the first joint carries the second body along
  cr_real axis[3];
  column(s.d->xmat + 9, s.m.jnt_axis, axis);
  cr_zero(s.bar->qpos, 2);
  s.bar->xpos[6] = 1;
  assert_int_equal(cr_forward_vjp(&s.m, s.d, s.bar), CR_OK);
  assert_close(s.bar->qpos[0], axis[0], CR_R(1e-14));
  bug_check_step(&s);
  bug_close(&s);
}
