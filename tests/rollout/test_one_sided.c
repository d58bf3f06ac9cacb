// SPDX-License-Identifier: Apache-2.0
// Numbers with two slopes are named where they stand on the edge, and nowhere beside it.
#include "rollout/one_sided.h"

#include <string.h>

#include "engine/forward.h"
#include "support/chain_model.h"
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
    assert_int_equal(told(&s, "exactly where its limit begins"), 1);
    s.d->qpos[0] += CR_R(1e-9);
    assert_int_equal(told(&s, ""), 0);
  }
  s.d->qpos[0] = 1;
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
