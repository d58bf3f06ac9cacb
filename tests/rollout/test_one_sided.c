// SPDX-License-Identifier: Apache-2.0
// Numbers with two slopes are named where they stand on the edge, and nowhere beside it.
#include "rollout/one_sided.h"

#include <string.h>

#include "engine/forward.h"
#include "integrate/step.h"
#include "scenes/chain_model.h"
#include "support/close.h"

typedef struct {
  cr_model m;
  cr_data* d;
  bool asked[CR_N_FIELD];
} stand;

static void open_stand(stand* s) {
  static const int32_t slide[] = {CR_JNT_SLIDE};
  memset(s->asked, 0, sizeof s->asked);
  assert_int_equal(chain_model(&s->m, 1, slide, 1, NULL), CR_OK);
  s->m.jnt_limited[0] = 0;
  s->d = test_data(&s->m);
}

static void close_stand(stand* s) { cri_model_free(&s->m); }

// how many are told; the first says `what`
static int told(stand* s, const char* what) {
  cri_one_sided list[2];
  assert_int_equal(cr_forward(&s->m, s->d), CR_OK);
  int n = cri_one_sided_find(&s->m, s->d, s->asked, list, 2);
  if (n > 0 && strstr(list[0].text, what) == NULL) {
    fail_msg("\"%s\" does not say \"%s\"", list[0].text, what);
  }
  return n;
}

TEST(limits_are_told_at_their_end) {
  stand s;
  open_stand(&s);
  s.m.jnt_limited[0] = 1;
  s.m.jnt_range[0] = CR_R(-0.5);
  s.m.jnt_range[1] = 1;
  for (int end = 0; end < 2; end++) {
    s.d->qpos[0] = s.m.jnt_range[end];
    assert_int_equal(told(&s, "where its limit begins; the gradient is that of within"), 1);
    // beyond it by nothing but rounding
    s.d->qpos[0] += CR_EPS * (cr_real)(end == 0 ? -1 : 1);
    assert_int_equal(told(&s, "where its limit begins; the gradient is that of beyond"), 1);
    s.d->qpos[0] += CR_R(1e-9);
    assert_int_equal(told(&s, ""), 0);
  }
  s.d->qpos[0] = 1;
  s.m.integrator = CR_INT_RK4;
  assert_int_equal(told(&s, "limit begins; the gradient is that of the side on which each stage"),
                   1);
  s.m.integrator = CR_INT_EULER;
  s.m.disableflags |= CR_DSBL_LIMIT;
  assert_int_equal(told(&s, ""), 0);
  close_stand(&s);
}

TEST(inputs_of_zero_are_told_where_they_count_to_one_side) {
  stand s;
  open_stand(&s);
  s.asked[CR_FIELD_ctrl] = true;
  s.m.integrator = CR_INT_DISCRETE;
  s.m.actuator_gaintype[0] = CR_GAIN_AFFINE;
  s.m.actuator_gainprm[2] = -1;
  s.d = test_data(&s.m);
  assert_int_equal(told(&s, "ctrl[0]"), 1);
  s.d->ctrl[0] = CR_R(1e-9);
  assert_int_equal(told(&s, ""), 0);
  s.d->ctrl[0] = 0;
  // from the end of its range there is one way only
  s.m.actuator_ctrllimited[0] = 1;
  s.m.actuator_ctrlrange[1] = 1;
  assert_int_equal(told(&s, ""), 0);
  s.m.actuator_ctrlrange[0] = -1;
  assert_int_equal(told(&s, "ctrl[0]"), 1);
  s.asked[CR_FIELD_ctrl] = false;
  assert_int_equal(told(&s, ""), 0);
  close_stand(&s);
}

// a friction loss of zero, of a slide that moves by what may be rounding; of one at rest there is one slope
TEST(friction_of_what_creeps_is_told) {
  stand s;
  open_stand(&s);
  s.m.disableflags |= CR_DSBL_GRAVITY | CR_DSBL_ACTUATION | CR_DSBL_SPRING | CR_DSBL_DAMPER;
  s.m.dof_frictionloss[0] = 0;
  s.d = test_data(&s.m);
  for (int asked = 1; asked >= 0; asked--) {
    s.asked[CR_FIELD_dof_frictionloss] = asked == 1;
    s.d->qvel[0] = 0;
    assert_int_equal(told(&s, ""), 0);
    s.d->qvel[0] = 512 * CR_EPS;
    assert_int_equal(
        told(&s,
             "dof_frictionloss is 0 for 1 that may move by nothing but rounding, the first joint"),
        asked);
    s.d->qvel[0] = CR_R(1e-6);
    assert_int_equal(told(&s, ""), 0);
  }
  s.asked[CR_FIELD_dof_frictionloss] = true;
  s.d->qvel[0] = 512 * CR_EPS;
  s.m.disableflags |= CR_DSBL_FRICTIONLOSS;
  assert_int_equal(told(&s, ""), 0);
  close_stand(&s);
}

// without an inertia the box of a body in a medium has no sides
TEST(flat_boxes_in_a_medium_are_told) {
  stand s;
  open_stand(&s);
  s.asked[CR_FIELD_body_inertia] = true;
  cr_zero(s.m.body_inertia + 3, 3);
  assert_int_equal(told(&s, ""), 0);
  s.m.density[0] = 1000;
  assert_int_equal(told(&s, "body_inertia of body"), 1);
  s.m.body_inertia[3] = s.m.body_inertia[4] = s.m.body_inertia[5] = 1;
  assert_int_equal(told(&s, ""), 0);
  close_stand(&s);
}

// a free body that tumbles, with the integrator discrete
static void open_tumbling(stand* s) {
  static const int32_t free_joint[] = {CR_JNT_FREE};
  memset(s->asked, 0, sizeof s->asked);
  assert_int_equal(chain_model(&s->m, 1, free_joint, 1, NULL), CR_OK);
  s->m.integrator = CR_INT_DISCRETE;
  s->d = test_data(&s->m);
  for (int i = 0; i < 6; i++) {
    s->d->qvel[i] = (cr_real)(i - 2);
  }
}

TEST(what_would_touch_a_free_body_is_told) {
  stand s;
  open_tumbling(&s);
  assert_int_equal(told(&s, ""), 0);
  s.asked[CR_FIELD_dof_frictionloss] = true;
  assert_int_equal(told(&s, "dof_frictionloss of joint"), 1);
  s.asked[CR_FIELD_actuator_biasprm] = true;
  assert_int_equal(told(&s, "dof_frictionloss of joint"), 2);
  s.m.disableflags |= CR_DSBL_FRICTIONLOSS;
  assert_int_equal(told(&s, "actuator_biasprm of actuator"), 1);
  s.m.disableflags = 0;
  s.m.integrator = CR_INT_EULER;
  assert_int_equal(told(&s, ""), 0);
  s.m.integrator = CR_INT_DISCRETE;
  s.m.dof_frictionloss[4] = CR_R(0.1);  // touched already
  s.d = test_data(&s.m);
  for (int i = 0; i < 6; i++) {
    s.d->qvel[i] = (cr_real)(i - 2);
  }
  assert_int_equal(told(&s, ""), 0);
  close_stand(&s);
}

// a friction loss of zero then pulls as a force would
TEST(friction_on_a_free_body_has_the_gradient_of_a_force) {
  stand s;
  open_tumbling(&s);
  s.d->want_M = true;
  assert_int_equal(cri_step(&s.m, s.d), CR_OK);
  cr_data* bar = test_twin(&s.m, s.d, CR_DATA_COTANGENT);
  cr_data* work = test_data(&s.m);
  cr_real* loss_bar = bar->par.dof_frictionloss;
  for (int i = 0; i < 6; i++) {
    bar->qvel_next[i] = (cr_real)(1 + i);
  }
  assert_int_equal(cri_step_vjp(&s.m, &s.m, s.d, work, bar), CR_OK);
  for (int i = 0; i < 6; i++) {
    assert_close(cr_abs(loss_bar[i]), cr_abs(bar->qfrc_applied[i]), ROUND_OFF);
    assert_true(loss_bar[i] * bar->qfrc_applied[i] * s.d->qvel[i] <= 0);
  }
  close_stand(&s);
}
