// SPDX-License-Identifier: Apache-2.0
// Names of columns: what controls are called. Reading is held by test_controls.c.
#include "io/columns.h"

#include <stdlib.h>

#include "scenes/io_mjcf.h"
#include "support/test.h"

static cr_error error;

// without a name, with a comma in it, and of every control its own
TEST(every_control_has_a_name) {
  mjModel* mj = mjcf_compile(
      "<mujoco><worldbody><body><joint name='a'/><geom size='.1'/></body></worldbody><actuator>"
      "<motor joint='a'/><motor name='x,y' joint='a'/><motor name='z' joint='a'/></actuator>"
      "</mujoco>");
  cr_model m = mjcf_model(mj);
  char* names = cri_control_names(&m);
  assert_string_equal(names, "ctrl[0],ctrl[1],z");
  cri_columns c;
  int to[3];
  assert_int_equal(cri_columns_cut(&c, names, &error), CR_OK);
  assert_int_equal(cri_columns_known(&c, &m), 3);
  assert_int_equal(cri_columns_place(&c, &m, "here", to, &error), CR_OK);
  assert_true(to[0] == 0 && to[1] == 1 && to[2] == 2);
  cri_columns_free(&c);
  free(names);
  cri_model_free(&m);
  mj_deleteModel(mj);
}
