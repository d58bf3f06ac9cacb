// SPDX-License-Identifier: Apache-2.0
// Sequences: against a network that takes one step after the other, derivatives against differences of fourth order and against
// each other, both directions, and sequences of several lengths that do not touch each other.
#include "network/sequences.h"

#include <stdlib.h>

#include "base/random.h"
#include "support/test.h"

enum { MOST = 8192, IN = 3, N_SEQUENCE = 5, N_ROW = 21 };

static const int32_t lengths[N_SEQUENCE] = {3, 7, 1, 6, 4};
static cr_error error;

static cr_layer layer_of(cr_layer_kind kind, int width, bool both) {
  return (cr_layer){.size = sizeof(cr_layer),
                    .kind = kind,
                    .width = width,
                    .activation = CR_ACTIVATION_TANH,
                    .both_directions = both};
}

// networks of all kinds of layers; number 3 and on go in both directions
enum { N_NETWORK = 7 };
static cr_network* network_of(int which) {
  const cr_layer dense = layer_of(CR_LAYER_DENSE, 4, false);
  const cr_layer layers[N_NETWORK][3] = {
      {dense, layer_of(CR_LAYER_GRU, 3, false), dense},
      {layer_of(CR_LAYER_LSTM, 5, false), dense, layer_of(CR_LAYER_LSTM, 2, false)},
      {dense, layer_of(CR_LAYER_DENSE, 6, false), dense},
      {layer_of(CR_LAYER_GRU, 3, true), dense, layer_of(CR_LAYER_GRU, 2, true)},
      {layer_of(CR_LAYER_LSTM, 3, true), layer_of(CR_LAYER_LSTM, 2, true), dense},
      {layer_of(CR_LAYER_GRU, 3, true), layer_of(CR_LAYER_LSTM, 4, false),
       layer_of(CR_LAYER_LSTM, 1, true)},
      {layer_of(CR_LAYER_LSTM, 3, false), layer_of(CR_LAYER_GRU, 4, true), dense}};
  cr_network* net = NULL;
  must(cr_network_create_for_sequences(&net, IN, layers[which], 3, &error));
  assert_true(cr_network_nweight(net) <= MOST);
  return net;
}

static void fill(cr_random* r, cr_real* x, int n) {
  for (int i = 0; i < n; i++) {
    x[i] = cr_random_range(r, -1, 1);
  }
}

static cr_sequences* sequences_of(const cr_network* net) {
  cr_sequences* s = NULL;
  must(cri_sequences_create(&s, net, cri_product_plain, &error));
  must(cr_sequences_set_lengths(s, lengths, N_SEQUENCE, &error));
  assert_int_equal(cr_sequences_nrow(s), N_ROW);
  return s;
}

typedef struct {
  cr_real w[MOST], x[N_ROW * IN], h[N_SEQUENCE * 32], y[N_ROW * 8], end[N_SEQUENCE * 32];
} point;

static void draw(const cr_network* net, uint64_t seed, bool all, point* p) {
  cr_random r = cr_random_seed(seed, 0);
  memset(p, 0, sizeof *p);
  fill(&r, p->w, cr_network_nweight(net));
  fill(&r, p->x, N_ROW * IN);
  fill(&r, p->h, N_SEQUENCE * cr_network_nmemory(net));
  if (all) {
    fill(&r, p->y, N_ROW * cr_network_noutput(net));
    fill(&r, p->end, N_SEQUENCE * cr_network_nmemory(net));
  }
}

// a network without layers in both directions: the bits of one step after the other
TEST(a_sequence_is_its_steps) {
  static point p;
  static cr_real room[MOST];
  for (int which = 0; which < 3; which++) {
    cr_network* net = network_of(which);
    cr_sequences* s = sequences_of(net);
    const int nh = cr_network_nmemory(net), ny = cr_network_noutput(net);
    draw(net, (uint64_t)which, false, &p);
    must(cr_sequences_forward(s, p.w, p.x, p.h, p.y, p.end, &error));
    for (int i = 0, row = 0; i < N_SEQUENCE; i++) {
      cr_real h[32], y[8];
      cr_copy(h, p.h + i * nh, nh);
      for (int t = 0; t < lengths[i]; t++, row++) {
        cr_network_forward(net, p.w, p.x + row * IN, h, y, h, room);
        for (int k = 0; k < ny; k++) {
          assert_true(y[k] == p.y[row * ny + k]);
        }
      }
      for (int k = 0; k < nh; k++) {
        assert_true(h[k] == p.end[i * nh + k]);
      }
    }
    cr_sequences_destroy(s);
    cr_network_destroy(net);
  }
  (void)state;
}

static void move(point* to, const point* at, const point* tan, cr_real t) {
  for (int i = 0; i < MOST; i++) {
    to->w[i] = at->w[i] + t * tan->w[i];
  }
  for (int i = 0; i < N_ROW * IN; i++) {
    to->x[i] = at->x[i] + t * tan->x[i];
  }
  for (int i = 0; i < N_SEQUENCE * 32; i++) {
    to->h[i] = at->h[i] + t * tan->h[i];
  }
}

static cr_real dot(const cr_real* a, const cr_real* b, int n) {
  cr_real s = 0;
  for (int i = 0; i < n; i++) {
    s += a[i] * b[i];
  }
  return s;
}

// of all rows, then of ends alone
TEST(derivatives_of_every_layer) {
  static point at, tan, bar, moved;
  for (int turn = 0; turn < 2 * N_NETWORK; turn++) {
    const int which = turn / 2;
    cr_network* net = network_of(which);
    cr_sequences* s = sequences_of(net);
    if (turn % 2 == 1) {
      cri_sequences_end(s);
    }
    const int ny = (turn % 2 == 1 ? N_SEQUENCE : N_ROW) * cr_network_noutput(net),
              nh = N_SEQUENCE * cr_network_nmemory(net);
    const int nw = cr_network_nweight(net);
    const cr_real e = CR_R(3e-4), share[2] = {CR_R(2) / (3 * e), -1 / (12 * e)};
    cr_real y[N_ROW * 8] = {0}, end[N_SEQUENCE * 32] = {0};
    assert_true(ny <= N_ROW * 8 && nh <= N_SEQUENCE * 32);
    draw(net, (uint64_t)which, false, &at);
    draw(net, (uint64_t)which + 50, false, &tan);
    for (int k = -2; k <= 2; k++) {
      if (k != 0) {
        move(&moved, &at, &tan, (cr_real)k * e);
        must(cr_sequences_forward(s, moved.w, moved.x, moved.h, moved.y, moved.end, &error));
        for (int i = 0; i < ny; i++) {
          y[i] += (k > 0 ? 1 : -1) * share[abs(k) - 1] * moved.y[i];
        }
        for (int i = 0; i < nh; i++) {
          end[i] += (k > 0 ? 1 : -1) * share[abs(k) - 1] * moved.end[i];
        }
      }
    }
    must(cr_sequences_forward(s, at.w, at.x, at.h, at.y, at.end, &error));
    must(cr_sequences_jvp(s, at.w, tan.w, tan.x, tan.h, tan.y, tan.end, &error));
    const cr_real tolerance = cr_max(CR_R(1e-10), 2000 * CR_EPS / e);
    for (int i = 0; i < ny; i++) {
      assert_true(cr_abs(tan.y[i] - y[i]) < tolerance);
    }
    for (int i = 0; i < nh; i++) {
      assert_true(cr_abs(tan.end[i] - end[i]) < tolerance);
    }
    draw(net, (uint64_t)which + 70, true, &bar);
    memset(bar.w, 0, sizeof bar.w);
    memset(bar.x, 0, sizeof bar.x);
    memset(bar.h, 0, sizeof bar.h);
    must(cr_sequences_vjp(s, at.w, bar.y, bar.end, bar.w, bar.x, bar.h, &error));
    const cr_real left = dot(bar.y, tan.y, ny) + dot(bar.end, tan.end, nh);
    const cr_real right =
        dot(bar.w, tan.w, nw) + dot(bar.x, tan.x, N_ROW * IN) + dot(bar.h, tan.h, nh);
    assert_true(cr_abs(left - right) < 2000 * CR_EPS * (1 + cr_abs(left)));
    assert_true(cr_abs(left) > CR_R(1e-3));
    cr_sequences_destroy(s);
    cr_network_destroy(net);
  }
  (void)state;
}

// an end is the last row, but of a direction backward, whose end is the first row
TEST(ends_are_the_last_that_each_direction_computes) {
  static point p, ends;
  static const int backward[N_NETWORK] = {0, 0, 0, 2,
                                          0, 1, 0};  // outputs of the last layer in this direction
  for (int which = 0; which < N_NETWORK; which++) {
    cr_network* net = network_of(which);
    cr_sequences* s = sequences_of(net);
    const int ny = cr_network_noutput(net), forward = ny - backward[which];
    draw(net, (uint64_t)which, false, &p);
    ends = p;
    must(cr_sequences_forward(s, p.w, p.x, p.h, p.y, p.end, &error));
    cri_sequences_end(s);
    must(cr_sequences_forward(s, p.w, p.x, p.h, ends.y, ends.end, &error));
    for (int i = 0, row = 0; i < N_SEQUENCE; row += lengths[i], i++) {
      const cr_real *end = ends.y + i * ny, *last = p.y + (row + lengths[i] - 1) * ny;
      for (int k = 0; k < ny && which != 4 && which != 6; k++) {
        assert_true(end[k] == (k < forward ? last[k] : p.y[row * ny + k]));
      }
    }
    for (int i = 0; i < N_SEQUENCE * cr_network_nmemory(net); i++) {
      assert_true(p.end[i] == ends.end[i]);
    }
    cr_sequences_destroy(s);
    cr_network_destroy(net);
  }
  (void)state;
}

// a dense layer behind both directions sees what both remember at their ends
TEST(a_dense_layer_sees_both_ends) {
  static point p;
  cr_network* net = network_of(6);  // LSTM 3, GRU 4 in both directions, dense 4
  cr_sequences* s = sequences_of(net);
  draw(net, 6, false, &p);
  cri_sequences_end(s);
  must(cr_sequences_forward(s, p.w, p.x, p.h, p.y, p.end, &error));
  const int nh = cr_network_nmemory(net);
  assert_int_equal(nh, 6 + 8);
  int first, rows, columns;
  must(cr_network_weight_range(net, 2, &first, &rows, &columns, &error));
  assert_true(rows == 4 && columns == 8);
  for (int i = 0; i < N_SEQUENCE; i++) {
    for (int k = 0; k < rows; k++) {
      cr_real sum = p.w[first + rows * columns + k];
      for (int c = 0; c < columns; c++) {
        sum += p.w[first + k * columns + c] * p.end[i * nh + 6 + c];
      }
      assert_true(cr_abs(p.y[i * rows + k] - cr_tanh(sum)) < 64 * CR_EPS);
    }
  }
  cr_sequences_destroy(s);
  cr_network_destroy(net);
  (void)state;
}

// each sequence alone has the bits that it has among others; without memory it starts at 0
TEST(sequences_do_not_touch_each_other) {
  static point p;
  for (int which = 0; which < N_NETWORK; which++) {
    cr_network* net = network_of(which);
    cr_sequences* s = sequences_of(net);
    const int ny = cr_network_noutput(net);
    draw(net, (uint64_t)which, false, &p);
    must(cr_sequences_forward(s, p.w, p.x, NULL, p.y, NULL, &error));
    for (int i = 0, row = 0; i < N_SEQUENCE; row += lengths[i++]) {
      cr_real y[N_ROW * 8];
      must(cr_sequences_set_lengths(s, &lengths[i], 1, &error));
      must(cr_sequences_forward(s, p.w, p.x + row * IN, NULL, y, NULL, &error));
      for (int k = 0; k < lengths[i] * ny; k++) {
        assert_true(y[k] == p.y[row * ny + k]);
      }
    }
    cr_sequences_destroy(s);
    cr_network_destroy(net);
  }
  (void)state;
}

// the second direction is the first over rows in the opposite order
TEST(both_directions_mirror_each_other) {
  static const int kinds[] = {CR_LAYER_GRU, CR_LAYER_LSTM};
  enum { LONG = 6, WIDTH = 4 };
  for (int i = 0; i < 2; i++) {
    const cr_layer layer = layer_of((cr_layer_kind)kinds[i], WIDTH, true);
    cr_network* net = NULL;
    cr_sequences* s = NULL;
    cr_real w[2][MOST], x[2][LONG * IN], y[2][LONG * 2 * WIDTH], end[2][4 * WIDTH];
    const int32_t length = LONG;
    must(cr_network_create_for_sequences(&net, IN, &layer, 1, &error));
    must(cri_sequences_create(&s, net, cri_product_plain, &error));
    must(cr_sequences_set_lengths(s, &length, 1, &error));
    const int half = cr_network_nweight(net) / 2, memory = cr_network_nmemory(net) / 2;
    must(cr_network_init(net, 3, false, w[0], &error));
    cr_copy(w[1], w[0] + half, half);
    cr_copy(w[1] + half, w[0], half);
    cr_random r = cr_random_seed(5, 0);
    fill(&r, x[0], LONG * IN);
    for (int t = 0; t < LONG; t++) {
      cr_copy(x[1] + t * IN, x[0] + (LONG - 1 - t) * IN, IN);
    }
    for (int k = 0; k < 2; k++) {
      must(cr_sequences_forward(s, w[k], x[k], NULL, y[k], end[k], &error));
    }
    for (int t = 0; t < LONG; t++) {
      for (int k = 0; k < WIDTH; k++) {
        const cr_real* mirror = y[1] + (LONG - 1 - t) * 2 * WIDTH;
        assert_true(y[0][t * 2 * WIDTH + k] == mirror[WIDTH + k]);
        assert_true(y[0][t * 2 * WIDTH + WIDTH + k] == mirror[k]);
      }
    }
    for (int k = 0; k < memory; k++) {
      assert_true(end[0][k] == end[1][memory + k] && end[0][memory + k] == end[1][k]);
    }
    cr_sequences_destroy(s);
    cr_network_destroy(net);
  }
  (void)state;
}

TEST(refusals) {
  cr_network* net = network_of(0);
  cr_sequences* s = NULL;
  cr_real x[64] = {0}, y[64];
  static cr_real w[MOST];
  const int32_t wrong[2] = {3, 0}, huge[2] = {INT32_MAX, INT32_MAX};
  must(cri_sequences_create(&s, net, cri_product_plain, &error));
  assert_int_equal(cr_sequences_forward(s, w, x, NULL, y, NULL, &error), CR_ERR_ARG);
  assert_int_equal(cr_sequences_set_lengths(s, wrong, 2, &error), CR_ERR_ARG);
  assert_non_null(strstr(error.text, "sequence 1 has 0 rows"));
  assert_int_equal(cr_sequences_set_lengths(s, huge, 2, &error), CR_ERR_ARG);
  assert_int_equal(cr_sequences_set_lengths(s, wrong, 0, &error), CR_ERR_ARG);
  must(cr_sequences_set_lengths(s, wrong, 1, &error));
  assert_int_equal(cr_sequences_vjp(s, w, y, NULL, NULL, NULL, NULL, &error), CR_ERR_ARG);
  assert_int_equal(cr_sequences_jvp(s, w, NULL, x, NULL, y, NULL, &error), CR_ERR_ARG);
  must(cr_sequences_forward(s, w, x, NULL, y, NULL, &error));
  must(cr_sequences_vjp(s, w, y, NULL, NULL, NULL, NULL, &error));
  cr_sequences_destroy(s);
  cr_network_destroy(net);
  (void)state;
}
