// SPDX-License-Identifier: Apache-2.0
// Activation functions: known values, slopes against differences, no overflow far out.
#include "network/layers.h"
#include "support/test.h"

TEST(values_and_slopes) {
  static const cr_real at[] = {-40, -2, CR_R(-0.3), CR_R(0.7), 3, 40};
  for (int a = CR_ACTIVATION_IDENTITY; a <= CR_ACTIVATION_SINE; a++) {
    for (int i = 0; i < 6; i++) {
      const cr_real h = CR_R(1e-5), x = at[i];
      const cr_real slope = cri_activation_slope((cr_activation)a, x);
      const cr_real up = cri_activation((cr_activation)a, x + h),
                    down = cri_activation((cr_activation)a, x - h);
      assert_true(cr_abs(slope - (up - down) / (2 * h)) < CR_R(1e-8));
    }
    assert_true(isfinite(cri_activation((cr_activation)a, 800)));
    assert_true(isfinite(cri_activation_slope((cr_activation)a, -800)));
  }
  assert_true(cri_activation(CR_ACTIVATION_RELU, -1) == 0);
  assert_true(cri_activation(CR_ACTIVATION_SIGMOID, 0) == CR_R(0.5));
  assert_true(cr_abs(cri_activation(CR_ACTIVATION_SOFTPLUS, 0) - cr_log(2)) < CR_R(1e-15));
  assert_true(cri_activation(CR_ACTIVATION_SILU, 0) == 0);
  assert_true(cri_activation(CR_ACTIVATION_ELU, -800) == -1);
  (void)state;
}
