// SPDX-License-Identifier: Apache-2.0
// What words of --estimate become: targets, kinds, starts, bounds and transforms; and words that are none.
#include "fit/estimates.h"

#include <math.h>
#include <string.h>

#include "carom/carom.h"
#include "support/scratch.h"
#include "support/test.h"

static const char text_of_arm[] =
    "<mujoco><worldbody><body name='arm'><joint name='hip' axis='0 1 0' damping='.2'/><geom "
    "name='rod' size='.1' mass='2'/><body name='hand' pos='0 0 1'><joint name='wrist' axis='0 1 "
    "0'/><geom name='palm' type='box' size='.2 .2 .2'/></body></body></worldbody></mujoco>";

static cr_error error;
static cr_model* m;

static void setup(void) {
  if (cr_model_open(&m, scratch_write("arm.xml", text_of_arm), &error) != CR_OK) {
    fail_msg("%s", error.text);
  }
}
static void teardown(void) { cr_model_destroy(m); }
AROUND_FILE(setup, teardown)

TEST(words_become_parameters) {
  const struct {
    const char *words, *target;
    int n;
    cr_fit_kind kind;
    cr_transform transform;
    double start, lower, upper;
  } rows[] = {
      {"dof_damping[hip]", "dof_damping[hip]", 1, CR_FIT_FIELD, CR_TRANSFORM_LOG, .2, 0, HUGE_VAL},
      {"dof_damping[*]", "dof_damping[hip]", 2, CR_FIT_FIELD, CR_TRANSFORM_LOG, .2, 0, HUGE_VAL},
      {"dof_damping[wrist]", "dof_damping[wrist]", 1, CR_FIT_FIELD, CR_TRANSFORM_NONE, 0, 0,
       HUGE_VAL},
      {"dof_damping[hip]=1", "dof_damping[hip]", 1, CR_FIT_FIELD, CR_TRANSFORM_LOG, 1, 0, HUGE_VAL},
      {"dof_damping[hip]=1:.5:3", "dof_damping[hip]", 1, CR_FIT_FIELD, CR_TRANSFORM_LOG, 1, .5, 3},
      {"body_ipos[arm][0]", "body_ipos[arm][0]", 1, CR_FIT_FIELD, CR_TRANSFORM_NONE, 0, -HUGE_VAL,
       HUGE_VAL},
      {"tied:dof_damping[*]", "dof_damping[*]", 1, CR_FIT_TIED, CR_TRANSFORM_LOG, .2, 0, HUGE_VAL},
      {"density:arm", "arm", 1, CR_FIT_DENSITY, CR_TRANSFORM_LOG, 1, 0, HUGE_VAL},
      {"scale:body_mass[arm]=2", "body_mass[arm]", 1, CR_FIT_SCALE, CR_TRANSFORM_LOG, 2, 0,
       HUGE_VAL},
      {"box_side:palm", "palm", 1, CR_FIT_BOX_SIDE, CR_TRANSFORM_LOG, .4, 0, HUGE_VAL},
      {"inertia:arm", "arm", 1, CR_FIT_INERTIA, CR_TRANSFORM_NONE, 0, -HUGE_VAL, HUGE_VAL},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    cr_estimates e = {0};
    if (cr_estimates_add(&e, m, rows[i].words, &error) != CR_OK) {
      fail_msg("%s", error.text);
    }
    const cr_parameter_info* p = &e.items[0];
    assert_int_equal(e.n, rows[i].n);
    assert_string_equal(p->target, rows[i].target);
    assert_null(strchr(p->name, '='));  // a result is named without its start
    assert_int_equal(p->kind, rows[i].kind);
    assert_int_equal(p->transform, rows[i].transform);
    assert_true(fabs(p->start - rows[i].start) < 1e-12);
    assert_true(p->lower == rows[i].lower && p->upper == rows[i].upper);
    cr_estimates_free(&e);
  }
}

TEST(words_that_are_none) {
  const char* const rows[][2] = {{"mass:arm", "no kind 'mass'; there is: field box_side"},
                                 {"dof_damping[hip]=", "a number expected behind '='"},
                                 {"dof_damping[hip]=1:2", "START or START:LOW:HIGH"},
                                 {"dof_damping[hip]=1:2:3", "not between its bounds"},
                                 {"dof_damping[hip]=2:3:1", "LOW has to be below HIGH"},
                                 {"dof_damping[hip]=1:1:1", "LOW has to be below HIGH"},
                                 {"dof_damping[hip]=1:-1:2", "LOW of 0 or more"},
                                 {"tied:dof_damping[*]=-1", "may not be negative"},
                                 {"density:arm=-1", "may not be negative"},
                                 {"jnt_axis[hip]", "write direction:jnt_axis[hip]"},
                                 {"body_quat[hand][0]", "write direction:body_quat[hand]"},
                                 {"dof_damping[hip]=nan", "a number expected"},
                                 {"", "the target is missing"},
                                 {"tied:", "the target is missing"},
                                 {"dof_damping[knee]", "knee"},
                                 {"box_side:fist", "fist"}};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    cr_estimates e = {0};
    assert_true(cr_estimates_add(&e, m, rows[i][0], &error) != CR_OK);
    if (strstr(error.text, rows[i][1]) == NULL || strstr(error.text, "--estimate") == NULL) {
      fail_msg("%s: %s", rows[i][0], error.text);
    }
    cr_estimates_free(&e);
  }
}
