// SPDX-License-Identifier: Apache-2.0
// The law of a face: limits by hand, derivatives against differences and against each other.
#include "pressure/traction.h"

#include "base/random.h"
#include "support/close.h"

enum { NUMBERS = sizeof(cri_traction) / sizeof(cr_real) };

static cri_traction drawn(cr_random* r) {
  cri_traction x;
  cr_real* number = (cr_real*)(void*)&x;
  for (int i = 0; i < NUMBERS; i++) {
    number[i] = cr_random_normal(r);
  }
  return x;
}

TEST(limits_of_the_law) {
  cri_traction x = {.normal = {0, 0, 1},
                    .load = 10,
                    .dissipation = 2,
                    .friction = CR_R(0.5),
                    .transition = CR_R(0.001)};
  cri_traction_parts parts;
  cr_real F[3];
  assert_true(cri_traction_force(&x, &parts, F));
  assert_close(F[2], 10, 0);
  x.velocity[0] = 1;  // slides: friction at its limit
  assert_true(cri_traction_force(&x, &parts, F));
  assert_close(F[0], -5, CR_R(1e-5));
  x.velocity[0] = CR_R(0.001);  // at the transition velocity
  cri_traction_force(&x, &parts, F);
  assert_close(F[0], -5 / cr_sqrt(2), CR_R(1e-14));
  x.velocity[2] = CR_R(-0.25);  // approaches: 1 + 2/4 of the load
  cri_traction_force(&x, &parts, F);
  assert_close(F[2], 15, 0);
  x.velocity[2] = CR_R(0.6);  // separates faster than 1/d
  assert_false(cri_traction_force(&x, &parts, F));
  assert_close(cr_norm3(F), 0, 0);
}

TEST(derivatives_agree_with_differences_and_with_each_other) {
  const cr_real h = cr_pow(CR_EPS, CR_R(0.2)) / 20, at[4] = {-2, -1, 1, 2},
                weight[4] = {1, -8, 8, -1};
  cr_random r = cr_random_seed(1, 0);
  int pushing = 0;
  for (int k = 0; k < 200; k++) {
    cri_traction x = drawn(&r), x_tan = drawn(&r), x_bar = {.load = 0};
    cri_traction_parts parts, moved;
    x.transition = CR_R(0.3) + cr_abs(x.transition);
    cr_normalize3(x.normal);
    cr_real F[3], F_tan[3], F_bar[3], slope[3] = {0}, in = 0;
    if (cr_abs(1 - x.dissipation * cr_dot3(x.normal, x.velocity)) < CR_R(0.02)) {
      continue;  // beside the bend
    }
    pushing += cri_traction_force(&x, &parts, F);
    cri_traction_tan(&x, &parts, &x_tan, F_tan);
    for (int i = 0; i < 4; i++) {
      cri_traction y = x;
      for (int j = 0; j < NUMBERS; j++) {
        ((cr_real*)(void*)&y)[j] += h * at[i] * ((const cr_real*)(const void*)&x_tan)[j];
      }
      cri_traction_force(&y, &moved, F);
      cr_accscl3(slope, F, weight[i] / (12 * h));
    }
    for (int i = 0; i < 3; i++) {
      assert_close(F_tan[i], slope[i], 100 * CR_EPS / h * (1 + cr_norm3(F_tan) + 10 * cr_norm3(F)));
      F_bar[i] = cr_random_normal(&r);
    }
    cri_traction_bar(&x, &parts, F_bar, &x_bar);
    for (int j = 0; j < NUMBERS; j++) {
      in += ((const cr_real*)(const void*)&x_bar)[j] * ((const cr_real*)(const void*)&x_tan)[j];
    }
    assert_close(in, cr_dot3(F_bar, F_tan), 100 * CR_EPS * (1 + cr_norm3(F_tan) * 10));
  }
  assert_true(pushing > 50 && pushing < 200);
}
