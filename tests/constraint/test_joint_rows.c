// SPDX-License-Identifier: Apache-2.0
// Rows of joints against the state they are made of.
#include "constraint/joint_rows.h"

#include "constraint/constraint.h"
#include "scenes/contact_scene.h"
#include "support/close.h"

enum { N_SEED = 12 };

// row i is the limit of a slide or hinge: how far from the range, with the sign of its side
static void check_limit(const contact_scene* s, int i) {
  const cr_data* d = s->d;
  int j = d->efc_id[i], q = s->m.jnt_qposadr[j];
  cr_real J = d->efc_J[d->efc_J_rowadr[i]], x = d->qpos[q];
  assert_close(cr_abs(J), 1, 0);
  cr_real bound = s->m.jnt_range[2 * j + (J < 0)];
  assert_close(d->efc_pos[i], J * (x - bound), 4 * CR_EPS * (cr_abs(x) + cr_abs(bound)));
  assert_true(d->efc_pos[i] < s->m.jnt_margin[j]);
  assert_close(d->efc_margin[i], s->m.jnt_margin[j], 0);
}

TEST(rows_say_how_far) {
  int frictions = 0, limits = 0;
  for (int seed = 1; seed <= N_SEED; seed++) {
    contact_scene s;
    scene_open(&s, seed);
    scene_run(&s, "constraint");
    for (int i = 0; i < s.d->nefc; i++) {
      int id = s.d->efc_id[i];
      if (s.d->efc_type[i] == CR_CNSTR_FRICTION_DOF) {
        frictions++;
        assert_int_equal(s.d->efc_J_colind[s.d->efc_J_rowadr[i]], id);
        assert_close(s.d->efc_J[s.d->efc_J_rowadr[i]], 1, 0);
        assert_close(s.d->efc_frictionloss[i], s.m.dof_frictionloss[id], 0);
        assert_close(s.d->efc_KBIP[4 * i], 0, 0);
      } else if (s.d->efc_type[i] == CR_CNSTR_LIMIT_JOINT && s.m.jnt_type[id] != CR_JNT_BALL) {
        limits++;
        check_limit(&s, i);
      }
    }
    scene_close(&s);
  }
  assert_true(frictions > 0 && limits > 0);
}

// every third row from the limits of a ball joint: at no rotation there is no axis, and no NaN
TEST(ball_limit_at_rest_has_no_axis) {
  contact_scene s;
  for (int seed = 1;; seed++) {
    scene_open(&s, seed);
    int j = 0;
    while (j < s.m.njnt && s.m.jnt_type[j] != CR_JNT_BALL) {
      j++;
    }
    if (j == s.m.njnt) {
      scene_close(&s);
      continue;
    }
    const cr_real unit[4] = {1, 0, 0, 0};
    cr_copy(s.d->qpos + s.m.jnt_qposadr[j], unit, 4);
    s.m.jnt_limited[j] = 1;
    s.m.jnt_range[2 * j] = 0;
    s.m.jnt_range[2 * j + 1] = CR_R(0.1);
    s.m.jnt_margin[j] = CR_R(0.2);
    break;
  }
  scene_run(&s, "constraint");
  assert_true(s.d->nl > 0);
  cr_data* bar = test_twin(&s.m, s.d, CR_DATA_COTANGENT);
  cr_data* tan = test_twin(&s.m, s.d, CR_DATA_TANGENT);
  for (int i = 0; i < s.d->nefc; i++) {
    bar->efc_pos[i] = 1;
  }
  assert_int_equal(cr_constraint_vjp(&s.m, s.d, bar), CR_OK);
  assert_int_equal(cr_constraint_jvp(&s.m, s.d, tan), CR_OK);
  for (int i = 0; i < s.m.nv; i++) {
    assert_true(isfinite(bar->qpos[i]));
  }
  for (int i = 0; i < s.d->nJ; i++) {
    assert_true(isfinite(tan->efc_J[i]));
  }
  scene_close(&s);
}
