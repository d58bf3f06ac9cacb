// SPDX-License-Identifier: Apache-2.0
// Needs: io
// Products of OpenBLAS against plain ones, and sequences computed with both.
#include "network/cblas_products.h"

#include <stdlib.h>

#include "base/random.h"
#include "support/test.h"

enum { MOST = 40, WIDE = MOST + 3 };

TEST(both_products_agree) {
  cr_random r = cr_random_seed(1, 0);
  cr_real A[MOST * WIDE], B[MOST * WIDE], C[2][MOST * WIDE];
  for (int round = 0; round < 90; round++) {
    const int m = 1 + cr_random_int(&r, MOST), n = 1 + cr_random_int(&r, MOST),
              k = 1 + cr_random_int(&r, MOST);
    for (int i = 0; i < MOST * WIDE; i++) {
      A[i] = cr_random_range(&r, -1, 1);
      B[i] = cr_random_range(&r, -1, 1);
      C[0][i] = C[1][i] = cr_random_range(&r, -1, 1);
    }
    cri_product_plain((cri_product_kind)(round % 3), m, n, k, A, WIDE, B, WIDE, round % 2 == 0,
                      C[0], WIDE);
    cri_product_cblas((cri_product_kind)(round % 3), m, n, k, A, WIDE, B, WIDE, round % 2 == 0,
                      C[1], WIDE);
    for (int i = 0; i < MOST * WIDE; i++) {
      assert_true(cr_abs(C[0][i] - C[1][i]) < 100 * CR_EPS);
    }
  }
  (void)state;
}

// one layer, two uses: steps one after the other, and sequences with OpenBLAS
TEST(sequences_agree_with_steps) {
  enum { IN = 6, N = 12, WEIGHTS = 20000, ROWS = N * (N + 1) / 2 };
  static const int kinds[] = {CR_LAYER_DENSE, CR_LAYER_GRU, CR_LAYER_LSTM};
  static cr_real w[WEIGHTS], room[WEIGHTS], x[ROWS * IN], y[ROWS * 8];
  cr_error error = {0};
  cr_random r = cr_random_seed(7, 0);
  for (int i = 0; i < ROWS * IN; i++) {
    x[i] = cr_random_range(&r, -2, 2);
  }
  for (int kind = 0; kind < 3; kind++) {
    const cr_layer layers[] = {{.size = sizeof layers[0],
                                .kind = (cr_layer_kind)kinds[kind],
                                .width = 20,
                                .activation = CR_ACTIVATION_ELU},
                               {.size = sizeof layers[0], .width = 8}};
    cr_network* net = NULL;
    cr_sequences* s = NULL;
    int32_t length[N];
    for (int i = 0; i < N; i++) {
      length[i] = 1 + i * 5 % N;
    }
    assert_int_equal(cr_network_create(&net, IN, layers, 2, &error), CR_OK);
    assert_true(cr_network_nweight(net) <= WEIGHTS && cr_network_nroom(net) <= WEIGHTS);
    assert_int_equal(cr_network_init(net, 2, false, w, &error), CR_OK);
    assert_int_equal(cr_sequences_create(&s, net, &error), CR_OK);
    assert_int_equal(cr_sequences_set_lengths(s, length, N, &error), CR_OK);
    assert_int_equal(cr_sequences_forward(s, w, x, NULL, y, NULL, &error), CR_OK);
    for (int i = 0, row = 0; i < N; i++) {
      cr_real h[40] = {0}, out[8];
      for (int t = 0; t < length[i]; t++, row++) {
        cr_network_forward(net, w, x + row * IN, h, out, h, room);
        for (int k = 0; k < 8; k++) {
          assert_true(cr_abs(out[k] - y[row * 8 + k]) < 50 * CR_EPS);
        }
      }
    }
    cr_sequences_destroy(s);
    cr_network_destroy(net);
  }
  (void)state;
}

// the same bits for any number of threads, with products that OpenBLAS would divide among its own
TEST(training_with_threads_changes_no_bit) {
  enum { IN = 64, WIDTH = 96, N = 1200 };
  static cr_real x[N * IN], y[N];
  cr_error error = {0};
  cr_random r = cr_random_seed(3, 0);
  for (int i = 0; i < N; i++) {
    for (int k = 0; k < IN; k++) {
      x[i * IN + k] = cr_random_range(&r, -1, 1);
    }
    y[i] = x[i * IN] * x[i * IN + 1];
  }
  const cr_layer layers[] = {
      {.size = sizeof layers[0], .width = WIDTH, .activation = CR_ACTIVATION_TANH},
      {.size = sizeof layers[0], .width = WIDTH, .activation = CR_ACTIVATION_SILU},
      {.size = sizeof layers[0], .width = 1}};
  const cr_learning_data data = {.size = sizeof data, .nsequence = N, .input = x, .target = y};
  cr_network* net = NULL;
  cr_learned* l[2];
  assert_int_equal(cr_network_create(&net, IN, layers, 3, &error), CR_OK);
  for (int k = 0; k < 2; k++) {
    const cr_learning_options o = {
        .size = sizeof o, .epochs = 3, .batch = 800, .rate = 0.001, .threads = 1 + 2 * k};
    cr_learning_end end = {.size = sizeof end};
    assert_int_equal(cr_learned_create(&l[k], net, 1, &error), CR_OK);
    assert_int_equal(cr_learned_train(l[k], &data, &o, &end, &error), CR_OK);
    assert_true(end.loss < end.start_loss);
  }
  assert_memory_equal(l[0]->weight, l[1]->weight,
                      (size_t)cr_network_nweight(net) * sizeof(cr_real));
  cr_learned_destroy(l[0]);
  cr_learned_destroy(l[1]);
  cr_network_destroy(net);
  (void)state;
}
