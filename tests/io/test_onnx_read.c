// SPDX-License-Identifier: Apache-2.0
// What is refused of ONNX files, with the names of node and operator; and damaged files, which never crash.
#include <stdio.h>
#include <stdlib.h>

#include "base/random.h"
#include "carom/carom.h"
#include "support/scratch.h"
#include "support/test.h"
#include "tools/files.h"
#include "tools/onnx_graph.h"

static cr_error error;

// ---- graphs made here

static cri_writer graph;

static void node(const char* op, const char* name, const char* inputs, const char* output,
                 cri_writer* attributes) {
  cri_writer n = {0};
  char text[128];
  (void)snprintf(text, sizeof text, "%s", inputs);
  for (char *at = text, *comma = text; comma != NULL; at = comma + 1) {
    comma = strchr(at, ',');
    if (comma != NULL) {
      *comma = 0;
    }
    cri_pb_put_text(&n, 1, at);
  }
  cri_pb_put_text(&n, 2, output);
  cri_pb_put_text(&n, 3, name);
  cri_pb_put_text(&n, 4, op);
  if (attributes != NULL) {
    cri_put(&n, attributes->data, attributes->n);
    free(attributes->data);
    *attributes = (cri_writer){0};
  }
  cri_pb_put_message(&graph, 1, &n);
}

// a constant of floats 1, 2, 3, ...; dims end with 0
static void constant(const char* name, const int* dim) {
  cri_writer t = {0};
  int n = 1;
  for (; *dim > 0; dim++) {
    cri_pb_put_int(&t, 1, *dim);
    n *= *dim;
  }
  cri_pb_put_int(&t, 2, CRI_ONNX_FLOAT);
  cri_pb_put_text(&t, 8, name);
  for (int i = 0; i < n; i++) {
    cri_pb_put_float(&t, 4, (float)(i + 1));
  }
  cri_pb_put_message(&graph, 5, &t);
}

static cri_writer int_attribute(const char* name, int64_t value) {
  cri_writer a = {0}, node_part = {0};
  cri_pb_put_text(&a, 1, name);
  cri_pb_put_int(&a, 3, value);
  cri_pb_put_message(&node_part, 5, &a);
  return node_part;
}

static cri_writer float_attribute(const char* name, float value) {
  cri_writer a = {0}, node_part = {0};
  cri_pb_put_text(&a, 1, name);
  cri_pb_put_float(&a, 2, value);
  cri_pb_put_message(&node_part, 5, &a);
  return node_part;
}

static cri_writer ints_attribute(const char* name, const int64_t* x, int n) {
  cri_writer a = {0}, node_part = {0};
  cri_pb_put_text(&a, 1, name);
  for (int i = 0; i < n; i++) {
    cri_pb_put_int(&a, 8, x[i]);
  }
  cri_pb_put_message(&node_part, 5, &a);
  return node_part;
}

static void value(uint32_t field, const char* name) {
  cri_writer v = {0};
  cri_pb_put_text(&v, 1, name);
  cri_pb_put_message(&graph, field, &v);
}

// opens the graph, which is used up
static cr_status open_graph(cr_learned** l, const char* output) {
  cri_writer file = {0};
  value(11, "x");
  value(12, output);
  cri_pb_put_int(&file, 1, 7);
  cri_pb_put_message(&file, 7, &graph);
  const char* path = scratch_path("made.onnx");
  must(cri_file_write(path, file.data, file.n, &error));
  free(file.data);
  error.text[0] = 0;
  return cr_learned_open_onnx(l, path, &error);
}

static void refused(const char* output, const char* name, const char* words) {
  cr_learned* l = NULL;
  assert_int_equal(open_graph(&l, output), CR_ERR_UNSUPPORTED);
  assert_null(l);
  if (strstr(error.text, name) == NULL || strstr(error.text, words) == NULL) {
    fail_msg("'%s' and '%s' are not in: %s", name, words, error.text);
  }
}

static const int two_by_three[] = {2, 3, 0}, three[] = {3, 0}, two[] = {2, 0}, one[] = {1, 0};

static void layer(void) {
  cri_writer turned = int_attribute("transB", 0);
  constant("W", two_by_three);
  constant("b", three);
  node("Gemm", "first", "x,W,b", "y", &turned);
}

TEST(a_layer_by_hand) {
  cr_learned* l = NULL;
  layer();
  must(open_graph(&l, "y"));
  const cr_real right[] = {1, 4, 2, 5, 3, 6, 1, 2, 3}, x[2] = {1, -1};  // [width][in], then b
  cr_real y[3];
  assert_int_equal(cr_network_nweight(cr_learned_network(l)), 9);
  assert_memory_equal(cr_learned_weights(l), right, sizeof right);
  must(cr_learned_predict(l, NULL, 1, x, y, &error));
  assert_true(y[0] == -2 && y[1] == -1 && y[2] == 0);
  cr_learned_destroy(l);
}

// (x - 1) 2 before the layer, y / [1 2 3] + 5 behind it; MatMul without a bias
TEST(constants_become_scales) {
  cr_learned* l = NULL;
  cr_real mean[3], scale[3], out_mean[3], out_scale[3];
  constant("c", one);
  constant("d", two);
  constant("W", two_by_three);
  constant("e", three);
  node("Sub", "s", "x,c", "a", NULL);
  node("Mul", "m", "d,a", "b", NULL);
  node("MatMul", "p", "b,W", "y", NULL);
  node("Div", "q", "y,e", "z", NULL);
  node("Add", "r", "c,z", "v", NULL);
  must(open_graph(&l, "v"));
  must(cr_learned_get_normalisation(l, mean, scale, out_mean, out_scale, &error));
  assert_true(mean[0] == 1 && mean[1] == 1 && scale[0] == 1 && scale[1] == 0.5);
  assert_true(out_mean[2] == 1 && out_scale[1] == 0.5 && out_scale[0] == 1);
  const cr_real x[2] = {3, 2};  // a = (2, 1), b = (2, 2), y = (10, 14, 18)
  cr_real y[3];
  must(cr_learned_predict(l, NULL, 1, x, y, &error));
  assert_true(fabs(y[0] - 11) < 1e-14 && fabs(y[1] - 8) < 1e-14 && fabs(y[2] - 7) < 1e-14);
  cr_learned_destroy(l);
}

TEST(what_is_no_chain_of_layers_is_refused_by_name) {
  cri_writer a;
  layer();
  node("Softmax", "last one", "y", "z", NULL);
  refused("z", "'last one' (Softmax)", "does not know this operator");
  layer();
  a = float_attribute("alpha", 0.5F);
  node("Elu", "bend", "y", "z", &a);
  refused("z", "'bend' (Elu)", "alpha is not 1");
  layer();
  node("Tanh", "t", "y", "u", NULL);
  node("Relu", "again", "u", "z", NULL);
  refused("z", "'again' (Relu)", "does not follow a dense layer");
  layer();
  node("Tanh", "t", "y", "u", NULL);
  node("Add", "skip", "u,y", "z", NULL);
  refused("z", "'skip' (Add)", "other readers");
  layer();
  node("Gemm", "second", "y,W,b", "z", NULL);
  refused("z", "'second' (Gemm)", "does not fit");
  a = float_attribute("alpha", 2);
  constant("W", two_by_three);
  node("Gemm", "g", "x,W", "y", &a);
  refused("y", "'g' (Gemm)", "alpha");
  constant("W", two_by_three);
  node("MatMul", "m", "W,x", "y", NULL);
  refused("y", "'m' (MatMul)", "constant matrix behind");
  layer();
  node("Mul", "flip", "y,b", "u", NULL);
  node("Gemm", "next", "u,V,b", "z", NULL);
  refused("z", "'next' (Gemm)", "");
  layer();
  static const int64_t order[] = {1, 0};
  a = ints_attribute("perm", order, 2);
  node("Transpose", "t", "y", "z", &a);
  refused("z", "'t' (Transpose)", "order of axes");
  layer();
  refused("nowhere", "'y'", "no node leads");
  node("Identity", "i", "x", "y", NULL);
  refused("y", "", "no layers");
}

static void recurrent(cri_writer* attributes) {
  static const int W[] = {1, 6, 2, 0}, R[] = {1, 6, 2, 0}, B[] = {1, 12, 0};
  constant("W", W);
  constant("R", R);
  constant("B", B);
  node("GRU", "gru", "x,W,R,B", "y", attributes);
}

TEST(what_is_special_about_recurrent_layers_is_refused) {
  static const int64_t axes[] = {1};
  cri_writer a = {0};
  recurrent(NULL);
  refused("y", "'gru' (GRU)", "linear_before_reset");
  a = int_attribute("linear_before_reset", 1);
  recurrent(&a);
  refused("y", "", "axis of their own");
  a = int_attribute("layout", 1);
  recurrent(&a);
  refused("y", "'gru' (GRU)", "");
  a = int_attribute("linear_before_reset", 1);
  recurrent(&a);
  a = ints_attribute("axes", axes, 1);
  node("Squeeze", "s", "y", "z", &a);
  cr_learned* l = NULL;
  must(open_graph(&l, "z"));
  // gates z, r, n of ONNX are r, z, n here
  const cr_real* w = cr_learned_weights(l);
  assert_true(w[0] == 5 && w[4] == 1 && w[8] == 9 && w[24] == 3 && w[26] == 1 && w[30] == 9);
  cr_learned_destroy(l);
  static const int h[] = {1, 1, 2, 0};
  a = int_attribute("linear_before_reset", 1);
  static const int W[] = {1, 6, 2, 0};
  constant("W", W);
  constant("h", h);
  node("GRU", "gru", "x,W,W,,,h", "y", &a);
  refused("y", "'gru' (GRU)", "does not start at 0");
}

// ---- damaged files

static void write_bytes(const char* path, const unsigned char* data, size_t n) {
  FILE* file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(data, 1, n, file), n);
  assert_int_equal(fclose(file), 0);
}

// opened or refused with a sentence that begins with the file
static int opens(const char* path) {
  cr_learned* l = NULL;
  error.text[0] = 0;
  const cr_status status = cr_learned_open_onnx(&l, path, &error);
  if (status != CR_OK) {
    assert_true(l == NULL && strstr(error.text, path) == error.text);
    return 0;
  }
  // what opens can be used
  cr_real x[64] = {0}, y[512];
  const cr_network* net = cr_learned_network(l);
  if (cr_network_ninput(net) <= 64 && cr_network_noutput(net) <= 512) {
    must(cr_learned_predict(l, NULL, 1, x, y, &error));
  }
  cr_learned_destroy(l);
  return 1;
}

TEST(damaged_files_are_refused) {
  const cr_layer layers[] = {
      {.size = sizeof layers[0], .kind = CR_LAYER_LSTM, .width = 3, .both_directions = true},
      {.size = sizeof layers[0], .width = 3, .activation = CR_ACTIVATION_SILU},
      {.size = sizeof layers[0], .kind = CR_LAYER_GRU, .width = 2},
      {.size = sizeof layers[0], .width = 1}};
  static const cr_real mean[2] = {1, 2};
  cr_network* net = NULL;
  cr_learned* l = NULL;
  char path[1024];
  (void)snprintf(path, sizeof path, "%s", scratch_path("damaged.onnx"));
  must(cr_network_create_for_sequences(&net, 2, layers, 4, &error));
  must(cr_learned_create(&l, net, 1, &error));
  must(cr_learned_set_normalisation(l, mean, mean, NULL, NULL, &error));
  must(cr_learned_save_onnx(l, path, true, &error));
  cr_learned_destroy(l);
  cr_network_destroy(net);
  char* whole = NULL;
  size_t n = 0;
  must(cri_file_read(path, &whole, &n, &error));
  unsigned char* copy = malloc(n + 1);
  assert_non_null(copy);
  int opened = 0, rounds = 0;
  for (size_t length = 0; length < n; length += 1 + length / 40) {
    write_bytes(path, (const unsigned char*)whole, length);
    opened += opens(path);
    rounds++;
  }
  assert_true(rounds > 100 && opened <= 2);  // without its last field, the opset, it is whole
  opened = 0;
  for (int round = 0; round < 4000; round++) {
    cr_random r = cr_random_seed((uint64_t)round, 0);
    memcpy(copy, whole, n);
    for (int k = 0; k <= round % 3; k++) {
      static const unsigned char bytes[] = {0, 1, 0x7f, 0x80, 0xff};
      copy[cr_random_int(&r, (int)n)] =
          round % 2 == 0 ? (unsigned char)cr_random_int(&r, 256) : bytes[cr_random_int(&r, 5)];
    }
    write_bytes(path, copy, n);
    opened += opens(path);
  }
  assert_true(opened > 400 && opened < 3900);
  free(copy);
  free(whole);
}
