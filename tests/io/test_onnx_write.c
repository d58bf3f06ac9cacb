// SPDX-License-Identifier: Apache-2.0
// Learned functions to ONNX and back: the same weights, scales and outputs. tests/network/pytorch.long.sh has other programs read these
// files.
#include <stdio.h>
#include <stdlib.h>

#include "base/random.h"
#include "carom/carom.h"
#include "support/scratch.h"
#include "support/test.h"

enum { IN = 3, ROWS = 8, MOST = 4096 };

static cr_error error;

static cr_layer layer_of(cr_layer_kind kind, int width, cr_activation activation, bool both) {
  return (cr_layer){.size = sizeof(cr_layer),
                    .kind = kind,
                    .width = width,
                    .activation = activation,
                    .both_directions = both};
}

static cr_learned* create(const cr_layer* layers, int n, bool scales, bool output_scales) {
  static const cr_real mean[] = {1, -2, 0.1}, scale[] = {2, 0.3, 7};
  cr_network* net = NULL;
  cr_learned* l = NULL;
  must(cr_network_create_for_sequences(&net, IN, layers, n, &error));
  must(cr_learned_create(&l, net, 11, &error));
  cr_network_destroy(net);
  must(cr_learned_set_normalisation(l, scales ? mean : NULL, scales ? scale : NULL,
                                    output_scales ? mean : NULL, output_scales ? scale : NULL,
                                    &error));
  return l;
}

static void check(const cr_layer* layers, int n, bool scales, bool output_scales, bool single) {
  cr_learned *l = create(layers, n, scales, output_scales), *m = NULL;
  char path[1024];
  (void)snprintf(path, sizeof path, "%s", scratch_path("net.onnx"));
  must(cr_learned_save_onnx(l, path, single, &error));
  must(cr_learned_open_onnx(&m, path, &error));
  const cr_network *a = cr_learned_network(l), *b = cr_learned_network(m);
  const int nweight = cr_network_nweight(a), nout = cr_network_noutput(a);
  assert_int_equal(cr_network_nweight(b), nweight);
  assert_int_equal(cr_network_nlayer(b), n);
  for (int k = 0; k < n; k++) {
    cr_layer got = {.size = sizeof got};
    must(cr_network_get_layer(b, k, &got, &error));
    assert_true(got.kind == layers[k].kind && got.width == layers[k].width);
    assert_int_equal(got.both_directions, layers[k].both_directions);
    assert_true(got.kind != CR_LAYER_DENSE || got.activation == layers[k].activation);
  }
  for (int i = 0; i < nweight; i++) {
    const cr_real x = cr_learned_weights(l)[i];
    assert_true(cr_learned_weights(m)[i] == (single ? (cr_real)(float)x : x));
  }
  cr_real x[ROWS * IN], y[2][ROWS * 8];
  cr_random r = cr_random_seed(1, 0);
  for (int i = 0; i < ROWS * IN; i++) {
    x[i] = cr_random_range(&r, -2, 2);
  }
  const int32_t length[] = {5, 3};
  must(cr_learned_predict(l, length, 2, x, y[0], &error));
  must(cr_learned_predict(m, length, 2, x, y[1], &error));
  for (int i = 0; i < ROWS * nout; i++) {
    assert_true(single ? fabs(y[0][i] - y[1][i]) < 1e-5 : y[0][i] == y[1][i]);
  }
  cr_learned_destroy(l);
  cr_learned_destroy(m);
}

TEST(dense_networks_with_every_activation) {
  for (int a = CR_ACTIVATION_IDENTITY; a <= CR_ACTIVATION_SINE; a++) {
    const cr_layer layers[] = {layer_of(CR_LAYER_DENSE, 5, (cr_activation)a, false),
                               layer_of(CR_LAYER_DENSE, 4, CR_ACTIVATION_IDENTITY, false),
                               layer_of(CR_LAYER_DENSE, 3, (cr_activation)a, false)};
    for (int n = 1; n <= 3; n++) {
      check(layers, n, a % 2 == 0, a % 3 == 0 && n == 3, a % 4 == 1);
    }
  }
  (void)state;
}

TEST(recurrent_networks_in_one_or_both_directions) {
  for (int kind = CR_LAYER_GRU; kind <= CR_LAYER_LSTM; kind++) {
    for (int both = 0; both < 2; both++) {
      const cr_layer layers[] = {layer_of((cr_layer_kind)kind, 4, 0, both != 0),
                                 layer_of(CR_LAYER_DENSE, 5, CR_ACTIVATION_SILU, false),
                                 layer_of((cr_layer_kind)(3 - kind), 2, 0, both == 0),
                                 layer_of(CR_LAYER_DENSE, 3, CR_ACTIVATION_IDENTITY, false)};
      for (int n = 1; n <= 4; n++) {
        check(layers, n, n > 1, n == 4, n == 2);
      }
    }
  }
  (void)state;
}
