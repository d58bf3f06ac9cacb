// SPDX-License-Identifier: Apache-2.0
// What is measured belongs to one model: nothing of another that the same record held before, and
// the numbers that are no times come out the same again.
#include "bench/measure_rounds.h"

#include "support/close.h"

enum { STATES = 5, ROUNDS = 3 };

static void measure(const char* text, cr_measurement* out) {
  cr_scene s;
  cr_error error = {.text = ""};
  assert_int_equal(cr_scene_open(&s, text, STATES, 3, &error), CR_OK);
  cr_status status = cr_measure(&s, ROUNDS, false, out, &error);
  cr_scene_close(&s);
  assert_string_equal(error.text, "");
  assert_int_equal(status, CR_OK);
}

// a stack has contacts, whose solves end at a larger residual than those of a chain, which has none
TEST(residuals_are_those_of_one_model) {
  cr_measurement chain = {.by_columns = 0}, one_after_the_other = {.by_columns = 0};
  measure("chain:2", &chain);
  measure("stack:7", &one_after_the_other);
  assert_true(one_after_the_other.residual_carom > chain.residual_carom);
  assert_true(one_after_the_other.residual_mujoco < 1e-3);
  one_after_the_other.residual_mujoco = one_after_the_other.residual_carom = 1;
  measure("chain:2", &one_after_the_other);
  assert_true(one_after_the_other.residual_mujoco == chain.residual_mujoco);
  assert_true(one_after_the_other.residual_carom == chain.residual_carom);
}

// a chain of 60 bodies takes longer than one of 2
TEST(every_round_has_a_time) {
  cr_measurement small = {.by_columns = 0}, large = {.by_columns = 0};
  measure("chain:2", &small);
  measure("chain:60", &large);
  const cr_timing* times[4][2] = {{&small.mj_step, &large.mj_step},
                                  {&small.step, &large.step},
                                  {&small.vjp, &large.vjp},
                                  {&small.jacobian, &large.jacobian}};
  for (int i = 0; i < 4; i++) {
    assert_int_equal(times[i][0]->n, ROUNDS);
    assert_int_equal(times[i][1]->n, ROUNDS);
    assert_true(cr_timing_median(times[i][1]) > cr_timing_median(times[i][0]));
  }
  assert_int_equal(large.transition.n, 0);
  assert_int_equal(large.centred.n, 0);
  assert_int_equal(large.by_columns, 0);
}
