// SPDX-License-Identifier: Apache-2.0
// A dense layer by hand; test_network.c has its derivatives against differences.
#include "network/layers.h"
#include "support/test.h"

static bool close_to(cr_real a, cr_real b) { return cr_abs(a - b) < CR_R(1e-15); }

TEST(one_unit_by_hand) {
  const cri_layer l = {
      .kind = CR_LAYER_DENSE, .activation = CR_ACTIVATION_TANH, .in = 2, .width = 1};
  const cr_real weight[3] = {2, -1, CR_R(0.5)}, x[2] = {1, 3};  // s = -0.5
  cr_real saved[2], scratch[1], y, y_tan, w_bar[3] = {0}, x_bar[2] = {0};
  const cri_layer_call c = {.weight = weight, .x = x, .saved = saved, .scratch = scratch};
  cri_dense_forward(&l, &c, &y);
  const cr_real t = cr_tanh(CR_R(-0.5)), slope = 1 - t * t;
  assert_true(close_to(y, t) && close_to(saved[0], slope));
  const cr_real w_tan[3] = {1, 0, 2}, x_tan[2] = {1, 1};
  cri_dense_jvp(&l, &c, w_tan, x_tan, &y_tan);
  assert_true(cr_abs(y_tan - slope * (2 - 1 + 1 + 2)) < CR_R(1e-15));
  const cr_real one = 1;
  cri_dense_vjp(&l, &c, &one, w_bar, x_bar);
  assert_true(close_to(w_bar[0], slope) && close_to(w_bar[1], 3 * slope) &&
              close_to(w_bar[2], slope));
  assert_true(close_to(x_bar[0], 2 * slope) && close_to(x_bar[1], -slope));
  (void)state;
}
