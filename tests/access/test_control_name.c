// SPDX-License-Identifier: Apache-2.0
// Needs: io
// Names of controls, as columns of tables have them.
#include <string.h>

#include "carom/carom.h"
#include "support/scratch.h"
#include "support/test.h"

static const char text[] =
    "<mujoco><worldbody><body><joint name='a'/><geom size='.1'/></body></worldbody><actuator>"
    "<motor joint='a'/><motor name='x,y' joint='a'/><motor name='z' "
    "joint='a'/></actuator></mujoco>";

TEST(every_control_has_a_name) {
  static const char* const names[] = {"ctrl[0]", "ctrl[1]", "z"};
  cr_model* m = NULL;
  cr_error error = {0};
  char name[CR_CONTROL_NAME];
  assert_int_equal(cr_model_open(&m, scratch_write("controls.xml", text), &error), CR_OK);
  for (int i = 0; i < 3; i++) {
    assert_int_equal(cr_control_name(m, i, name, sizeof name, &error), CR_OK);
    assert_string_equal(name, names[i]);
  }
  assert_int_equal(cr_control_name(m, 3, name, sizeof name, &error), CR_ERR_ARG);
  assert_non_null(strstr(error.text, "control 3 of 3"));
  assert_int_equal(cr_control_name(m, -1, name, sizeof name, &error), CR_ERR_ARG);
  assert_int_equal(cr_control_name(m, 2, name, 1, &error), CR_ERR_ARG);
  assert_non_null(strstr(error.text, "'z' needs 2 characters"));
  assert_int_equal(cr_control_name(m, 2, name, 0, &error), CR_ERR_ARG);
  cr_model_destroy(m);
}
