// SPDX-License-Identifier: Apache-2.0
// The first steps of AdamW by hand; tests/learn/test_adam.c has searches with it.
#include "descent/adam_step.h"

#include "support/close.h"

TEST(two_steps_are_the_formula) {
  const cri_adam_rule rule = {CR_R(0.9), CR_R(0.99), CR_R(1e-8), CR_R(0.25)};
  const cr_real g[2] = {CR_R(-0.5), CR_R(0.3)}, rate = CR_R(0.1);
  cr_real x = 1, mean = 0, square = 0;
  cri_adam_step(&rule, rate, 1, 1, &x, &mean, &square, &g[0]);
  assert_close(x, 1 + rate * CR_R(0.5) / (CR_R(0.5) + rule.eps) - rate * rule.decay, 4 * CR_EPS);
  const cr_real before = x;
  cri_adam_step(&rule, rate, 2, 1, &x, &mean, &square, &g[1]);
  const cr_real m = (CR_R(0.09) * g[0] + CR_R(0.1) * g[1]) / (1 - CR_R(0.81));
  const cr_real s =
      (CR_R(0.0099) * g[0] * g[0] + CR_R(0.01) * g[1] * g[1]) / (1 - CR_R(0.99) * CR_R(0.99));
  assert_close(x, before - rate * m / (cr_sqrt(s) + rule.eps) - rate * rule.decay * before,
               CR_R(1e-14));
}
