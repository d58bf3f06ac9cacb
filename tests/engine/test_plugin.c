// SPDX-License-Identifier: Apache-2.0
// The state of added stages: nothing changes it unless a stage does. tests/rollout/test_added_state.c has
// stages that do.
#include "engine/plugin.h"

#include "engine/forward.h"
#include "engine/pipeline.h"
#include "integrate/step.h"
#include "scenes/random_model.h"
#include "support/close.h"

// cr_model_add_state puts it in front of a schedule
TEST(it_is_the_first_row) {
  assert_string_equal(cr_pipeline[0].name, "plugin");
  assert_ptr_equal(cr_pipeline[0].forward, cr_plugin);
  (void)state;
}

TEST(without_a_stage_it_stays) {
  cr_model m;
  assert_int_equal(random_model(&m, 2, NULL), CR_OK);
  m.npluginstate = 2;
  cr_data* d = test_data(&m);
  random_state(&m, d, 2, STATE_CONTACT);
  d->plugin_state[0] = 3;
  d->plugin_state[1] = -4;
  d->plugin_state_dot[0] = 7;
  assert_int_equal(cr_step(&m, d), CR_OK);
  assert_true(d->plugin_state_dot[0] == 0 && d->plugin_state_next[0] == 3);
  assert_int_equal(cr_advance(&m, d), CR_OK);
  assert_true(d->plugin_state[0] == 3 && d->plugin_state[1] == -4);
  cri_data_reset(&m, d);
  assert_true(d->plugin_state[0] == 0 && d->plugin_state[1] == 0);
  cri_model_free(&m);
  (void)state;
}

// a sweep back leaves no cotangent of the rate, which the next one would add to
TEST(its_cotangent_is_cleared) {
  cr_model m;
  cr_error error;
  assert_int_equal(random_model(&m, 2, NULL), CR_OK);
  assert_int_equal(cri_schedule_build(&m, &error), CR_OK);
  assert_int_equal(cr_model_add_state(&m, 2, NULL, &error), CR_OK);
  assert_string_equal(cri_schedule_of(&m)->row[0].name, "plugin");
  cr_data *d = test_data(&m), *bar = test_twin(&m, d, CR_DATA_COTANGENT);
  random_state(&m, d, 2, STATE_CONTACT);
  assert_int_equal(cr_forward(&m, d), CR_OK);
  bar->plugin_state_dot[0] = bar->plugin_state_dot[1] = 1;
  assert_int_equal(cr_forward_vjp(&m, d, bar), CR_OK);
  assert_true(bar->plugin_state_dot[0] == 0 && bar->plugin_state_dot[1] == 0);
  cri_model_free(&m);
  (void)state;
}
