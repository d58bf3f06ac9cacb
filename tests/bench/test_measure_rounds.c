// SPDX-License-Identifier: Apache-2.0
// What is measured belongs to one model: nothing of another that the same record held before, and
// the numbers that are no times come out the same again.
#include "bench/measure_rounds.h"

#include "support/close.h"
#include "tools/clock.h"

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

// Whatever else the machine does, every time is above 0, and all of them together are within the time that the
// whole measurement took: a round that is missing, counted twice, or in another unit would not be.
TEST(every_round_has_a_time) {
  cr_measurement x = {.by_columns = 0};
  double start = cri_microseconds(), sum = 0;
  measure("chain:60", &x);
  double whole = cri_microseconds() - start;
  const cr_timing* times[] = {&x.mj_step, &x.step, &x.vjp, &x.jacobian};
  for (int i = 0; i < 4; i++) {
    assert_int_equal(times[i]->n, ROUNDS);
    for (int r = 0; r < ROUNDS; r++) {
      assert_true(times[i]->round[r] > 60e-3);  // a nanosecond for each body
      sum += times[i]->round[r] * STATES;
    }
    assert_true(times[i]->round[ROUNDS] == 0);  // the round that warms up left nothing
  }
  assert_true(sum <= whole);
  assert_int_equal(x.transition.n, 0);
  assert_int_equal(x.centred.n, 0);
  assert_int_equal(x.by_columns, 0);
}
