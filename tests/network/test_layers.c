// SPDX-License-Identifier: Apache-2.0
// Counts of layers against PyTorch's shapes, and where their weights stand.
#include "network/layers.h"

#include "support/test.h"

TEST(counts_are_those_of_the_shapes) {
  const cri_layer dense = {.kind = CR_LAYER_DENSE, .in = 5, .width = 3, .directions = 1};
  const cri_layer gru = {.kind = CR_LAYER_GRU, .in = 5, .width = 3, .directions = 2};
  const cri_layer lstm = {.kind = CR_LAYER_LSTM, .in = 5, .width = 3, .directions = 1};
  assert_int_equal(cri_layer_weights(&dense), 3 * 5 + 3);
  assert_int_equal(cri_layer_weights(&gru), 2 * (9 * 5 + 9 * 3 + 9 + 9));
  assert_int_equal(cri_layer_weights(&lstm), 12 * 5 + 12 * 3 + 12 + 12);
  assert_true(cri_layer_memory(&dense) == 0 && cri_layer_memory(&gru) == 6);
  assert_true(cri_layer_memory(&lstm) == 6 && cri_layer_output(&lstm) == 3);
  assert_true(cri_layer_output(&gru) == 6 && cri_layer_output(&dense) == 3);
  cr_real w[200];
  const cri_weights of_lstm = cri_weights_of(&lstm, w), of_dense = cri_weights_of(&dense, w);
  assert_true(of_lstm.Wh - w == 60 && of_lstm.bi - w == 96 && of_lstm.bh - w == 108);
  assert_true(of_dense.Wi == w && of_dense.bi - w == 15 && of_dense.Wh == NULL);
  (void)state;
}
