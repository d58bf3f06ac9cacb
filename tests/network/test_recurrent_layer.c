// SPDX-License-Identifier: Apache-2.0
// A recurrent layer within a step: what is NULL is not wanted, or zero. test_network.c has the derivatives.
#include "network/layers.h"

#include "base/random.h"
#include "support/test.h"

enum { IN = 3, WIDTH = 4, MOST = 4 * WIDTH * (IN + WIDTH + 2) };

static void fill(cr_random* r, cr_real* x, int n) {
  for (int i = 0; i < n; i++) {
    x[i] = cr_random_range(r, -1, 1);
  }
}

TEST(parts_of_derivatives) {
  for (int kind = CR_LAYER_GRU; kind <= CR_LAYER_LSTM; kind++) {
    const cri_layer l = {.kind = (cr_layer_kind)kind, .in = IN, .width = WIDTH, .directions = 1};
    cr_random r = cr_random_seed(3, (uint64_t)kind);
    cr_real w[MOST], x[IN], h[2 * WIDTH], saved[7 * WIDTH], scratch[10 * WIDTH], y_bar[WIDTH];
    cr_real next[2 * WIDTH], w_bar[MOST] = {0}, x_bar[2][IN] = {{0}}, h_bar[2 * WIDTH] = {0};
    const int n = cri_layer_memory(&l);
    fill(&r, w, cri_layer_weights(&l));
    fill(&r, x, IN);
    fill(&r, h, n);
    fill(&r, y_bar, WIDTH);
    const cri_layer_call c = {.weight = w, .x = x, .h = h, .saved = saved, .scratch = scratch};
    cri_recurrent_forward(&l, &c, next);
    const cr_real zero[2 * WIDTH] = {0};
    cri_recurrent_vjp(&l, &c, y_bar, NULL, NULL, x_bar[0], NULL);
    cri_recurrent_vjp(&l, &c, y_bar, zero, w_bar, x_bar[1], h_bar);
    for (int i = 0; i < IN; i++) {
      assert_true(x_bar[0][i] == x_bar[1][i]);
    }
    assert_true(w_bar[0] != 0 && h_bar[0] != 0 && h_bar[n - 1] != 0);
    // no tangent of weights and memory, and ones that are zero
    cr_real tan[2][2 * WIDTH], zeros[MOST] = {0};
    cri_recurrent_jvp(&l, &c, NULL, x, NULL, tan[0]);
    cri_recurrent_jvp(&l, &c, zeros, x, zero, tan[1]);
    for (int i = 0; i < n; i++) {
      assert_true(cr_abs(tan[0][i] - tan[1][i]) <= 4 * CR_EPS);
    }
  }
  (void)state;
}
