// SPDX-License-Identifier: Apache-2.0
// Needs: io
// A bug seen elsewhere: the rows of a weld's rotation were taken for plain relative angular velocity,
// without the derivative of the quaternion that the residual is. Far from alignment the two differ.
#include <stdlib.h>

#include "carom/step.h"
#include "checks/io_bug.h"
#include "kinematics/configuration.h"
#include "support/close.h"

static const char* const scene =
    "<mujoco><default><geom size='.1 .2 .3' type='box' contype='0' conaffinity='0'/></default>"
    "<worldbody><body name='a'><freejoint/><geom/><body name='c' pos='0 0 .5'><joint axis='1 2 3'/>"
    "<geom/></body></body><body name='b' pos='1 0 0'><joint type='ball'/><geom/></body></worldbody>"
    "<equality><weld body1='c' body2='b'/></equality></mujoco>";

enum { ROWS = 6, FIRST_OF_ROTATION = 3 };

static void residual(const bug_scene* s, cr_data* moved, const cr_real* way, cr_real h,
                     cr_real pos[ROWS]) {
  cri_configuration_move(&s->m, s->d->qpos, way, h, moved->qpos);
  assert_int_equal(cr_forward(&s->m, moved), CR_OK);
  cr_copy(pos, moved->efc_pos, ROWS);
}

// the rows of J, and both derivatives of the residual, against differences of the residual
TEST(bug_weld_rotation_rows_are_the_residuals_slope) {
  bug_scene s;
  bug_open(&s, scene, CR_R(0.8));
  bug_forward(&s);
  assert_int_equal(s.d->nefc, ROWS);
  cr_real *J = bug_dense_J(&s), *way = calloc((size_t)s.m.nv, sizeof *way), h = CR_R(1e-3);
  cr_data* moved = test_data(&s.m);
  cr_real angular = 0;
  for (int dof = 0; dof < s.m.nv; dof++) {
    cr_real p1[ROWS], m1[ROWS], p2[ROWS], m2[ROWS];
    cr_zero(way, s.m.nv);
    way[dof] = 1;
    residual(&s, moved, way, h, p1);
    residual(&s, moved, way, -h, m1);
    residual(&s, moved, way, 2 * h, p2);
    residual(&s, moved, way, -2 * h, m2);
    cr_copy(s.tan->qpos, way, s.m.nv);
    bug_forward_jvp(&s);
    for (int i = 0; i < ROWS; i++) {
      cr_real slope = (8 * (p1[i] - m1[i]) - (p2[i] - m2[i])) / (12 * h);
      assert_close(J[i * s.m.nv + dof], slope, CR_R(1e-9));
      assert_close(s.tan->efc_pos[i], slope, CR_R(1e-9));
    }
    // the ball joint's own axes: without the quaternion's part a column would have length 1
    if (s.m.dof_bodyid[dof] == s.m.nbody - 1) {
      cr_real* c = J + FIRST_OF_ROTATION * s.m.nv + dof;
      cr_real length = cr_sqrt(c[0] * c[0] + c[s.m.nv] * c[s.m.nv] + c[2 * s.m.nv] * c[2 * s.m.nv]);
      angular = cr_max(angular, cr_abs(length - 1));
    }
  }
  assert_true(angular > CR_R(0.05));
  for (int i = 0; i < ROWS; i++) {
    s.bar->efc_pos[i] = 1;
    assert_int_equal(cr_forward_vjp(&s.m, s.d, s.bar), CR_OK);
    assert_all_close(s.bar->qpos, J + i * s.m.nv, s.m.nv, CR_R(1e-12));
    cr_zero(s.bar->qpos, s.m.nv);
  }
  free(way);
  free(J);
  bug_close(&s);
}

TEST(bug_weld_rotation_step_gradient) {
  bug_scene s;
  bug_open(&s, scene, CR_R(0.8));
  bug_check_step(&s);
  bug_close(&s);
}
