// SPDX-License-Identifier: Apache-2.0
// Existing levels, and the cost of a step. test_trust.c tests the runs.
#include "gradient/trust_state.h"
#include "rollout/trajectory.h"
#include "support/close.h"

TEST(tolerances_go_down_to_round_off) {
  const cr_model m = {.timestep = CR_R(0.01)};
  cr_rollout r = {.adaptive = true};
  const cr_trust_problem p = {.rollout = &r, .m = &m, .nstep = 1};
  const cri_trust t = {.p = &p, .steps = {.rtol = CR_R(1e-11)}};
  assert_close(cri_trust_size_at(&t, 1), 1e-12, 1e-17);
  assert_true(cri_trust_can_run(&t, 1));
  assert_false(cri_trust_can_run(&t, 3));
  assert_false(cri_trust_counts(&t));
}

TEST(steps_are_halved_within_reason) {
  const cr_model m = {.timestep = CR_R(0.01)};
  cr_rollout r = {.adaptive = false};
  const cr_trust_problem p = {.rollout = &r, .m = &m, .nstep = 100};
  const cri_trust t = {.p = &p};
  assert_close(cri_trust_size_at(&t, 3), 0.00125, 1e-17);
  assert_true(cri_trust_can_run(&t, 6));   // 6,400 steps
  assert_false(cri_trust_can_run(&t, 7));  // 12,800
  const cr_trust_problem one = {.rollout = &r, .m = &m, .nstep = 1};
  const cri_trust few = {.p = &one};
  assert_true(cri_trust_can_run(&few, 8));
  assert_false(cri_trust_can_run(&few, 9));
}

// a last stage that is the next step's first costs nothing
TEST(a_step_costs_its_stages) {
  const cr_model euler = {.integrator = CR_INT_EULER}, rk4 = {.integrator = CR_INT_RK4};
  const cr_model bosh3 = {.integrator = CR_INT_BOSH3}, tsit5 = {.integrator = CR_INT_TSIT5};
  assert_int_equal(cri_trust_stages(&euler), 1);
  assert_int_equal(cri_trust_stages(&rk4), 4);
  assert_int_equal(cri_trust_stages(&bosh3), 3);
  assert_int_equal(cri_trust_stages(&tsit5), 6);
}

// also where what is left is just below nothing
TEST(counting_without_evaluations_is_given_up) {
  const cr_model m = {.timestep = CR_R(0.01), .integrator = CR_INT_BOSH3};
  cr_rollout r = {.adaptive = true};
  const cr_trust_problem p = {.rollout = &r, .m = &m, .nstep = 1};
  cri_trust t = {.p = &p, .steps = {.rtol = CR_R(1e-6), .atol = CR_R(1e-6)}};
  for (int left = -100; left < 9; left += left < -20 ? 40 : 1) {
    cr_error error;
    cr_real gradient;
    assert_int_equal(cri_trust_count(&t, (cr_real)left, &gradient, &error), CR_ERR_BUDGET);
  }
}
