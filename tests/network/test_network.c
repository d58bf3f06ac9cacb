// SPDX-License-Identifier: Apache-2.0
// Networks of dense and recurrent layers: derivatives against differences both ways, counts, first weights, refusals.
#include "carom/network.h"

#include <string.h>

#include "base/random.h"
#include "base/real.h"
#include "support/test.h"

enum { ROOM = 4096 };

static cr_error error;

static cr_layer layer_of(cr_layer_kind kind, int width, cr_activation activation) {
  return (cr_layer){
      .size = sizeof(cr_layer), .kind = kind, .width = width, .activation = activation};
}

static cr_network* create(int nin, const cr_layer* layers, int n) {
  cr_network* net = NULL;
  assert_int_equal(cr_network_create(&net, nin, layers, n, &error), CR_OK);
  assert_true(cr_network_nroom(net) <= ROOM && cr_network_nweight(net) <= ROOM);
  return net;
}

static void fill(cr_random* r, cr_real* x, int n) {
  for (int i = 0; i < n; i++) {
    x[i] = cr_random_range(r, -1, 1);
  }
}

static cr_real dot(const cr_real* a, const cr_real* b, int n) {
  cr_real s = 0;
  for (int i = 0; i < n; i++) {
    s += a[i] * b[i];
  }
  return s;
}

typedef struct {
  cr_real w[ROOM], x[64], h[64], y[64], next[64];
} point;

static void move(point* to, const point* at, const point* tan, cr_real t) {
  for (int i = 0; i < ROOM; i++) {
    to->w[i] = at->w[i] + t * tan->w[i];
  }
  for (int i = 0; i < 64; i++) {
    to->x[i] = at->x[i] + t * tan->x[i];
    to->h[i] = at->h[i] + t * tan->h[i];
  }
}

// smooth: the second derivative of the activations has no jump
static void check(const cr_network* net, bool smooth, uint64_t seed) {
  static point at, tan, bar, low, high;
  static cr_real room[ROOM];
  cr_random r = cr_random_seed(seed, 0);
  const int nin = cr_network_ninput(net), ny = cr_network_noutput(net);
  const int nw = cr_network_nweight(net), nh = cr_network_nmemory(net);
  memset(&tan, 0, sizeof tan);
  memset(&bar, 0, sizeof bar);
  assert_int_equal(cr_network_init(net, seed, false, at.w, &error), CR_OK);
  fill(&r, at.x, nin);
  fill(&r, at.h, nh);
  fill(&r, tan.w, nw);
  fill(&r, tan.x, nin);
  fill(&r, tan.h, nh);
  // differences of fourth order
  const cr_real e = smooth ? CR_R(3e-4) : CR_R(1e-5), part[2] = {CR_R(2) / (3 * e), -1 / (12 * e)};
  cr_real y[64] = {0}, next[64] = {0};
  for (int k = 0; k < 2; k++) {
    move(&high, &at, &tan, (cr_real)(k + 1) * e);
    move(&low, &at, &tan, -(cr_real)(k + 1) * e);
    cr_network_forward(net, high.w, high.x, high.h, high.y, high.next, room);
    cr_network_forward(net, low.w, low.x, low.h, low.y, low.next, room);
    for (int i = 0; i < 64; i++) {
      y[i] += part[k] * (high.y[i] - low.y[i]);
      next[i] += part[k] * (high.next[i] - low.next[i]);
    }
  }
  const cr_real tolerance = smooth ? cr_max(CR_R(1e-11), 1000 * CR_EPS / e) : CR_R(1e-7);
  cr_network_forward(net, at.w, at.x, at.h, at.y, at.next, room);
  cr_network_jvp(net, at.w, tan.w, tan.x, tan.h, tan.y, tan.next, room);
  for (int i = 0; i < ny; i++) {
    assert_true(cr_abs(tan.y[i] - y[i]) < tolerance);
  }
  for (int i = 0; i < nh; i++) {
    assert_true(cr_abs(tan.next[i] - next[i]) < tolerance);
  }
  fill(&r, bar.y, ny);
  fill(&r, bar.next, nh);
  cr_network_vjp(net, at.w, bar.y, nh > 0 ? bar.next : NULL, bar.w, bar.x, bar.h, room);
  const cr_real left = dot(bar.y, tan.y, ny) + dot(bar.next, tan.next, nh);
  const cr_real right = dot(bar.w, tan.w, nw) + dot(bar.x, tan.x, nin) + dot(bar.h, tan.h, nh);
  assert_true(cr_abs(left - right) < CR_R(1e-12) * (1 + cr_abs(left)));
  assert_true(cr_abs(left) > CR_R(1e-6));
}

TEST(derivatives_of_every_activation) {
  for (int a = CR_ACTIVATION_IDENTITY; a <= CR_ACTIVATION_SINE; a++) {
    const cr_layer layers[] = {layer_of(CR_LAYER_DENSE, 7, (cr_activation)a),
                               layer_of(CR_LAYER_DENSE, 5, (cr_activation)a),
                               layer_of(CR_LAYER_DENSE, 3, CR_ACTIVATION_IDENTITY)};
    for (int n = 1; n <= 3; n++) {
      cr_network* net = create(4, layers, n);
      check(net, a != CR_ACTIVATION_ELU && a != CR_ACTIVATION_RELU, (uint64_t)(10 * a + n));
      cr_network_destroy(net);
    }
  }
  (void)state;
}

TEST(derivatives_of_recurrent_layers) {
  const cr_layer layers[] = {
      layer_of(CR_LAYER_GRU, 6, 0), layer_of(CR_LAYER_DENSE, 9, CR_ACTIVATION_TANH),
      layer_of(CR_LAYER_GRU, 4, 0), layer_of(CR_LAYER_DENSE, 2, CR_ACTIVATION_IDENTITY)};
  const cr_layer with_lstm[] = {layer_of(CR_LAYER_LSTM, 5, 0),
                                layer_of(CR_LAYER_DENSE, 9, CR_ACTIVATION_SILU),
                                layer_of(CR_LAYER_GRU, 3, 0), layer_of(CR_LAYER_LSTM, 4, 0)};
  for (int n = 1; n <= 4; n++) {
    for (uint64_t seed = 0; seed < 5; seed++) {
      cr_network* net = create(3, seed % 2 == 0 ? layers : with_lstm, n);
      check(net, true, seed);
      cr_network_destroy(net);
      net = create(3, seed % 2 == 0 ? with_lstm : layers, n);
      check(net, true, seed);
      cr_network_destroy(net);
    }
  }
  (void)state;
}

TEST(memory_and_layers_as_given) {
  const cr_layer layers[] = {layer_of(CR_LAYER_LSTM, 6, 0), layer_of(CR_LAYER_GRU, 5, 0),
                             layer_of(CR_LAYER_DENSE, 2, CR_ACTIVATION_SINE)};
  cr_network* net = create(3, layers, 3);
  cr_layer got = {.size = sizeof got};
  assert_int_equal(cr_network_nmemory(net), 2 * 6 + 5);
  assert_int_equal(cr_network_nlayer(net), 3);
  assert_int_equal(cr_network_get_layer(net, 2, &got, &error), CR_OK);
  assert_true(got.kind == CR_LAYER_DENSE && got.width == 2 && !got.both_directions);
  assert_true(got.activation == CR_ACTIVATION_SINE);
  assert_int_equal(cr_network_get_layer(net, 3, &got, &error), CR_ERR_ARG);
  cr_network_destroy(net);
  (void)state;
}

// both directions: counts as PyTorch's, and no value within a step
TEST(both_directions_have_no_step) {
  cr_layer layers[] = {layer_of(CR_LAYER_LSTM, 4, 0), layer_of(CR_LAYER_DENSE, 2, 0)};
  layers[0].both_directions = true;
  cr_network* net = NULL;
  assert_int_equal(cr_network_create_for_sequences(&net, 3, layers, 2, &error), CR_OK);
  assert_int_equal(cr_network_nweight(net), 2 * 16 * (3 + 4 + 2) + 2 * 9);
  assert_int_equal(cr_network_nmemory(net), 16);
  static cr_real w[ROOM], room[ROOM];
  cr_real x[3] = {1, 2, 3}, h[16] = {0}, next[16], y[2] = {0}, y_tan[2] = {0}, x_bar[3] = {0};
  assert_int_equal(cr_network_init(net, 1, false, w, &error), CR_OK);
  cr_network_forward(net, w, x, h, y, next, room);
  cr_network_jvp(net, w, NULL, x, NULL, y_tan, next, room);
  cr_network_vjp(net, w, x, NULL, NULL, x_bar, NULL, room);
  assert_true(isnan(y[0]) && isnan(y[1]) && isnan(y_tan[1]) && x_bar[0] == 0);
  cr_network_destroy(net);
  layers[1].both_directions = true;
  assert_int_equal(cr_network_create_for_sequences(&net, 3, layers, 2, &error), CR_ERR_ARG);
  (void)state;
}

// what nobody asks for is NULL
TEST(parts_of_a_cotangent) {
  const cr_layer layers[] = {layer_of(CR_LAYER_GRU, 4, 0),
                             layer_of(CR_LAYER_DENSE, 2, CR_ACTIVATION_ELU)};
  cr_network* net = create(3, layers, 2);
  static cr_real w[ROOM], room[ROOM], w_bar[ROOM];
  cr_real x[3] = {1, 2, 3}, h[4] = {0}, y[2], next[4], x_bar[2][3] = {{0}}, y_bar[2] = {1, -1};
  cr_real t[2], s[2], next_tan[4], zero[ROOM] = {0};
  assert_int_equal(cr_network_init(net, 1, false, w, &error), CR_OK);
  cr_network_forward(net, w, x, h, y, next, room);
  cr_network_vjp(net, w, y_bar, NULL, NULL, x_bar[0], NULL, room);
  cr_network_vjp(net, w, y_bar, NULL, w_bar, x_bar[1], h, room);
  assert_memory_equal(x_bar[0], x_bar[1], sizeof x_bar[0]);
  cr_network_vjp(net, w, y_bar, NULL, w_bar, NULL, NULL, room);
  cr_network_jvp(net, w, NULL, x, NULL, t, next_tan, room);
  cr_network_jvp(net, w, zero, x, zero, s, next_tan, room);
  assert_memory_equal(t, s, sizeof t);
  cr_network_destroy(net);
  (void)state;
}

TEST(counts_and_first_weights) {
  const cr_layer layers[] = {layer_of(CR_LAYER_GRU, 5, 0),
                             layer_of(CR_LAYER_DENSE, 3, CR_ACTIVATION_TANH)};
  cr_network* net = create(2, layers, 2);
  static cr_real w[ROOM], v[ROOM], room[ROOM];
  assert_int_equal(cr_network_nweight(net), 3 * 5 * (2 + 5 + 2) + 3 * 6);
  assert_true(cr_network_ninput(net) == 2 && cr_network_noutput(net) == 3);
  assert_int_equal(cr_network_nmemory(net), 5);
  int first, rows, columns;
  assert_int_equal(cr_network_weight_range(net, 0, &first, &rows, &columns, &error), CR_OK);
  assert_true(first == 0 && rows == 15 && columns == 2);
  assert_int_equal(cr_network_weight_range(net, 1, &first, &rows, &columns, &error), CR_OK);
  assert_true(first == 135 && rows == 3 && columns == 5);
  assert_int_equal(cr_network_weight_range(net, 2, &first, &rows, &columns, &error), CR_ERR_ARG);
  assert_int_equal(cr_network_init(net, 8, true, w, &error), CR_OK);
  assert_int_equal(cr_network_init(net, 8, true, v, &error), CR_OK);
  assert_memory_equal(w, v, sizeof w);
  cr_real x[2] = {1, -2}, h[5] = {0}, y[3] = {1, 1, 1}, next[5];
  cr_network_forward(net, w, x, h, y, next, room);
  assert_true(y[0] == 0 && y[1] == 0 && y[2] == 0 && w[0] != 0 && next[0] != 0);
  assert_int_equal(cr_network_init(net, 9, true, v, &error), CR_OK);
  assert_true(v[0] != w[0]);
  assert_int_equal(cr_network_init(NULL, 9, true, v, &error), CR_ERR_ARG);
  assert_int_equal(cr_network_nroom(NULL) + cr_network_nweight(NULL), 0);
  cr_network_destroy(net);
  cr_network_destroy(NULL);
  (void)state;
}

TEST(refusals) {
  cr_network* net = NULL;
  const cr_layer good = layer_of(CR_LAYER_DENSE, 4, CR_ACTIVATION_TANH);
  cr_layer bad = good;
  assert_int_equal(cr_network_create(NULL, 2, &good, 1, &error), CR_ERR_ARG);
  assert_int_equal(cr_network_create(&net, 2, NULL, 1, &error), CR_ERR_ARG);
  assert_int_equal(cr_network_create(&net, 0, &good, 1, &error), CR_ERR_ARG);
  assert_int_equal(cr_network_create(&net, 2, &good, 0, &error), CR_ERR_ARG);
  assert_int_equal(cr_network_create(&net, CR_MAX_NETWORK_WEIGHTS, &good, 1, &error), CR_ERR_ARG);
#define BAD(field, value, status)                                        \
  bad = good;                                                            \
  bad.field = value;                                                     \
  assert_int_equal(cr_network_create(&net, 2, &bad, 1, &error), status); \
  assert_null(net);                                                      \
  assert_non_null(strstr(error.text, "layer 0"))
  BAD(size, 0, CR_ERR_ARG);
  BAD(width, 0, CR_ERR_ARG);
  BAD(width, INT32_MAX, CR_ERR_ARG);
  BAD(kind, (cr_layer_kind)9, CR_ERR_ARG);
  BAD(activation, (cr_activation)99, CR_ERR_ARG);
  BAD(both_directions, true, CR_ERR_ARG);
  bad = layer_of(CR_LAYER_GRU, 4, 0);
  bad.both_directions = true;
  assert_int_equal(cr_network_create(&net, 2, &bad, 1, &error), CR_ERR_UNSUPPORTED);
#undef BAD
  (void)state;
}
