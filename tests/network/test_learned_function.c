// SPDX-License-Identifier: Apache-2.0
// Learned functions: scales, one row after the other against all at once, weights with scales folded in, refusals.
#include "network/learned_function.h"

#include <stdlib.h>

#include "base/random.h"
#include "support/close.h"

enum { IN = 3, OUT = 2, ROWS = 9, MOST = 4096 };

static cr_error error;

static cr_learned* create(cr_layer_kind kind, bool both, bool dense_end) {
  const cr_layer layers[] = {{.size = sizeof layers[0],
                              .kind = kind,
                              .width = dense_end ? 5 : OUT,
                              .activation = CR_ACTIVATION_SILU,
                              .both_directions = both},
                             {.size = sizeof layers[0], .width = OUT}};
  cr_network* net = NULL;
  cr_learned* l = NULL;
  must(cr_network_create_for_sequences(&net, IN, layers, dense_end ? 2 : 1, &error));
  must(cr_learned_create(&l, net, 4, &error));
  assert_int_equal(cr_network_nweight(cr_learned_network(l)), cr_network_nweight(net));
  cr_network_destroy(net);
  assert_true(cr_learned_nroom(l) <= MOST);
  return l;
}

static const cr_real mean[] = {1, -2, CR_R(0.5)}, scale[] = {2, CR_R(0.25), 3};
static const cr_real out_mean[] = {-1, 4}, out_scale[] = {10, CR_R(0.5)};

static void fill(cr_real* x, int n) {
  cr_random r = cr_random_seed(2, 0);
  for (int i = 0; i < n; i++) {
    x[i] = cr_random_range(&r, -3, 3);
  }
}

TEST(scales_steps_and_folded_weights) {
  static cr_real room[MOST], weight[MOST];
  for (int kind = CR_LAYER_DENSE; kind <= CR_LAYER_LSTM; kind++) {
    cr_learned* l = create((cr_layer_kind)kind, false, true);
    cr_real x[ROWS * IN], y[ROWS * OUT], memory[16] = {0}, folded[16] = {0}, got[IN], raw[OUT];
    const int32_t length = ROWS;
    fill(x, ROWS * IN);
    must(cr_learned_set_normalisation(l, mean, scale, out_mean, out_scale, &error));
    must(cr_learned_get_normalisation(l, NULL, got, NULL, NULL, &error));
    assert_true(got[1] == scale[1]);
    must(cri_learned_predict(l, &length, 1, x, y, cri_product_plain, &error));
    must(cr_learned_fold(l, weight, &error));
    for (int t = 0; t < ROWS; t++) {
      cr_real out[OUT], alone[OUT], units[IN], next[16] = {0};
      // by hand, from the network itself
      for (int k = 0; k < IN; k++) {
        units[k] = (x[t * IN + k] - mean[k]) / scale[k];
      }
      cr_network_forward(cr_learned_network(l), cr_learned_weights(l), units, memory, raw, next,
                         room);
      cr_learned_step(l, x + t * IN, memory, out, room);
      cr_network_forward(cr_learned_network(l), weight, x + t * IN, folded, alone, folded, room);
      for (int k = 0; k < OUT; k++) {
        assert_true(out[k] == raw[k] * out_scale[k] + out_mean[k]);
        assert_true(out[k] == y[t * OUT + k]);
        assert_close(alone[k], out[k], CR_R(1e-13));
      }
    }
    cr_learned_destroy(l);
  }
}

// also where the first layer goes in both directions
TEST(scales_of_inputs_fold_into_every_layer) {
  for (int kind = CR_LAYER_GRU; kind <= CR_LAYER_LSTM; kind++) {
    cr_learned* l = create((cr_layer_kind)kind, true, true);
    cr_real x[ROWS * IN], y[2][ROWS * OUT];
    const cr_real none[IN] = {0}, ones[IN] = {1, 1, 1};
    const int32_t lengths[2] = {4, ROWS - 4};
    fill(x, ROWS * IN);
    must(cr_learned_set_normalisation(l, mean, scale, out_mean, out_scale, &error));
    must(cri_learned_predict(l, lengths, 2, x, y[0], cri_product_plain, &error));
    must(cr_learned_fold(l, cr_learned_weights(l), &error));
    must(cr_learned_set_normalisation(l, none, ones, none, ones, &error));
    must(cri_learned_predict(l, lengths, 2, x, y[1], cri_product_plain, &error));
    for (int i = 0; i < ROWS * OUT; i++) {
      assert_close(y[1][i], y[0][i], CR_R(1e-12));
    }
    cr_learned_destroy(l);
  }
}

// more rows than are in memory at once
TEST(ends_of_sequences_that_overlap) {
  enum { N = 1500, LENGTH = 5 };
  static cr_real x[(N + LENGTH) * IN], y[(N + LENGTH) * OUT], ends[N * OUT];
  static int32_t first[N], length[N];
  for (int kind = CR_LAYER_DENSE; kind <= CR_LAYER_LSTM; kind++) {
    cr_learned* l = create((cr_layer_kind)kind, false, true);
    fill(x, (N + LENGTH) * IN);
    must(cr_learned_set_normalisation(l, mean, scale, out_mean, out_scale, &error));
    for (int i = 0; i < N; i++) {
      first[i] = N - 1 - i;
      length[i] = LENGTH - i % 2;
    }
    must(cri_learned_predict_ends(l, first, length, N, x, ends, cri_product_plain, &error));
    for (int i = 0; i < N; i++) {
      must(cri_learned_predict(l, length + i, 1, x + first[i] * IN, y, cri_product_plain, &error));
      const cr_real* last = y + (length[i] - 1) * OUT;
      assert_true(ends[i * OUT] == last[0] && ends[i * OUT + 1] == last[1]);
    }
    must(cri_learned_predict_ends(l, NULL, NULL, 20, x, ends, cri_product_plain, &error));
    must(cri_learned_predict(l, NULL, 20, x, y, cri_product_plain, &error));
    assert_memory_equal(ends, y, 20 * OUT * sizeof *y);
    first[1] = -1;
    assert_int_equal(
        cri_learned_predict_ends(l, first, length, N, x, ends, cri_product_plain, &error),
        CR_ERR_ARG);
    assert_non_null(strstr(error.text, "sequence 1 has 4 rows from row -1 on"));
    cr_learned_destroy(l);
  }
}

TEST(refusals) {
  cr_learned* l = create(CR_LAYER_GRU, false, false);
  static cr_real weight[MOST];
  const cr_real bad[] = {1, 0, 1}, worse[] = {1, (cr_real)NAN, 0};
  cr_real x[IN] = {0}, y[OUT];
  assert_int_equal(cr_learned_set_normalisation(l, NULL, bad, NULL, NULL, &error), CR_ERR_ARG);
  assert_non_null(strstr(error.text, "input_scale[1]"));
  assert_int_equal(cr_learned_set_normalisation(l, worse, NULL, NULL, NULL, &error), CR_ERR_ARG);
  must(cr_learned_set_normalisation(l, mean, scale, NULL, NULL, &error));
  must(cr_learned_fold(l, weight, &error));
  must(cr_learned_set_normalisation(l, NULL, NULL, out_mean, NULL, &error));
  assert_int_equal(cr_learned_fold(l, weight, &error), CR_ERR_UNSUPPORTED);
  assert_int_equal(cri_learned_predict(l, NULL, 0, x, y, cri_product_plain, &error), CR_ERR_ARG);
  assert_null(cr_learned_weights(NULL));
  assert_int_equal(cr_learned_nroom(NULL), 0);
  cr_learned_destroy(l);
  cr_learned_destroy(NULL);
}
