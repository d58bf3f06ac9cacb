// SPDX-License-Identifier: Apache-2.0
// A gated recurrent unit by hand, with PyTorch's equations and order; test_network.c has its derivatives.
#include "network/layers.h"
#include "support/test.h"

static cr_real sigmoid(cr_real s) { return 1 / (1 + cr_exp(-s)); }

TEST(one_unit_by_hand) {
  const cri_layer l = {.kind = CR_LAYER_GRU, .in = 1, .width = 1, .directions = 1};
  // Wi, Wh, bi, bh, each r, z, n
  const cr_real weight[12] = {1,         CR_R(-0.5), 2,          CR_R(0.3), CR_R(0.7),  -1,
                              CR_R(0.1), CR_R(0.2),  CR_R(-0.3), CR_R(0.4), CR_R(-0.1), CR_R(0.6)};
  const cr_real x = CR_R(0.8), h = CR_R(-0.4);
  cr_real saved[6], scratch[7], y;
  const cri_layer_call c = {.weight = weight, .x = &x, .h = &h, .saved = saved, .scratch = scratch};
  cri_recurrent_forward(&l, &c, &y);
  const cr_real r = sigmoid(x + CR_R(0.1) + CR_R(0.3) * h + CR_R(0.4));
  const cr_real z = sigmoid(CR_R(-0.5) * x + CR_R(0.2) + CR_R(0.7) * h - CR_R(0.1));
  const cr_real n = cr_tanh(2 * x - CR_R(0.3) + r * (-h + CR_R(0.6)));
  assert_true(cr_abs(y - ((1 - z) * n + z * h)) < CR_R(1e-15));
  assert_int_equal(cri_layer_weights(&l), 12);
  (void)state;
}
