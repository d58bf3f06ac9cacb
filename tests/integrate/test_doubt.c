// SPDX-License-Identifier: Apache-2.0
// Needs: io
// A pole on its joint with the integrator discrete: a row that moves nothing, whose derivative is told to
// depend on the direction; with Euler nothing is said.
#include <stdio.h>

#include "carom/carom.h"
#include "support/close.h"
#include "support/scratch.h"

static void said(const char* integrator, bool something) {
  char text[600], sentence[512] = "";
  cr_error error;
  cr_model* m;
  cr_data* d;
  (void)snprintf(text, sizeof text,
                 "<mujoco><option integrator='%s'/><worldbody><geom name='floor' type='plane' "
                 "size='1 1 1'/><body pos='0 0 .45'><joint type='hinge' axis='0 1 0'/>"
                 "<joint type='slide' axis='1 0 0' damping='3'/><geom type='sphere' size='.05' "
                 "pos='0 0 -.401' condim='1'/></body></worldbody></mujoco>",
                 integrator);
  assert_int_equal(cr_model_open(&m, scratch_write("pole.xml", text), &error), CR_OK);
  assert_int_equal(cr_data_create(&d, m, &error), CR_OK);
  assert_int_equal(cr_step_doubt(m, d, sentence, (int)sizeof sentence), CR_ERR_ARG);
  assert_int_equal(cr_step(m, d), CR_OK);
  assert_int_equal(cr_step_doubt(m, d, sentence, (int)sizeof sentence), CR_OK);
  assert_int_equal(sentence[0] != 0, something);
  char little[8];
  assert_int_equal(cr_step_doubt(m, d, little, (int)sizeof little), CR_OK);
  assert_true(strlen(little) < sizeof little);
  assert_int_equal(cr_step_doubt(m, d, little, 0), CR_ERR_ARG);
  cr_data_destroy(d);
  cr_model_destroy(m);
}

TEST(rows_that_move_nothing) {
  said("discrete", true);
  said("Euler", false);
}
