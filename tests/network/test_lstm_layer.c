// SPDX-License-Identifier: Apache-2.0
// Long short-term memory by hand, with PyTorch's equations and order; test_network.c has its derivatives.
#include "network/layers.h"
#include "support/test.h"

static cr_real sigmoid(cr_real s) { return 1 / (1 + cr_exp(-s)); }

TEST(one_unit_by_hand) {
  const cri_layer l = {.kind = CR_LAYER_LSTM, .in = 1, .width = 1, .directions = 1};
  // Wi, Wh, bi, bh, each i, f, g, o
  const cr_real weight[16] = {1,         CR_R(-0.5), 2,          CR_R(0.3), CR_R(0.7),  -1,
                              CR_R(0.1), CR_R(0.2),  CR_R(-0.3), CR_R(0.4), CR_R(-0.1), CR_R(0.6),
                              CR_R(0.5), CR_R(-0.2), CR_R(0.8),  CR_R(-0.7)};
  const cr_real x = CR_R(0.8), memory[2] = {CR_R(-0.4), CR_R(1.3)};
  cr_real saved[7], scratch[10], next[2];
  const cri_layer_call c = {
      .weight = weight, .x = &x, .h = memory, .saved = saved, .scratch = scratch};
  assert_int_equal(cri_layer_weights(&l), 16);
  assert_int_equal(cri_layer_memory(&l), 2);
  assert_int_equal(cri_layer_scratch(&l), 10);
  cri_recurrent_forward(&l, &c, next);
  cr_real s[4];
  for (int k = 0; k < 4; k++) {
    s[k] = weight[k] * x + weight[8 + k] + weight[4 + k] * memory[0] + weight[12 + k];
  }
  const cr_real cell = sigmoid(s[1]) * memory[1] + sigmoid(s[0]) * cr_tanh(s[2]);
  assert_true(cr_abs(next[1] - cell) < CR_R(1e-15));
  assert_true(cr_abs(next[0] - sigmoid(s[3]) * cr_tanh(cell)) < CR_R(1e-15));
  // in place
  cr_real same[2] = {memory[0], memory[1]};
  const cri_layer_call in_place = {
      .weight = weight, .x = &x, .h = same, .saved = saved, .scratch = scratch};
  cri_recurrent_forward(&l, &in_place, same);
  assert_true(same[0] == next[0] && same[1] == next[1]);
  (void)state;
}
