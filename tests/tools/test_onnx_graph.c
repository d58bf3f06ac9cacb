// SPDX-License-Identifier: Apache-2.0
// Graphs of ONNX: names, constants in each way in which they are stored, attributes; what is beyond the limits.
#include "tools/onnx_graph.h"

#include <stdlib.h>

#include "support/test.h"

static cr_error error;

static cri_span span_of(const char* text) {
  return (cri_span){(const unsigned char*)text, strlen(text)};
}

static void value(cri_writer* graph, uint32_t field, const char* name) {
  cri_writer v = {0};
  cri_pb_put_text(&v, 1, name);
  cri_pb_put_message(graph, field, &v);
}

// dims 2 x 2 of a type; then the caller's numbers
static cri_writer tensor_of(const char* name, int type) {
  cri_writer t = {0};
  cri_pb_put_int(&t, 1, 2);
  cri_pb_put_bytes(&t, 1, "\2", 1);  // packed
  cri_pb_put_int(&t, 2, type);
  cri_pb_put_text(&t, 8, name);
  return t;
}

static cr_status read(cri_onnx_graph* g, cri_writer* graph, cri_writer* file) {
  value(graph, 11, "raw");  // a constant among the inputs
  value(graph, 11, "x");
  value(graph, 12, "y");
  cri_pb_put_message(file, 7, graph);
  return cri_onnx_graph_read(g, (cri_span){file->data, file->n}, "net.onnx", &error);
}

TEST(constants_and_attributes) {
  cri_writer graph = {0}, file = {0}, t, raw = {0}, node = {0}, a = {0}, inner;
  const double numbers[4] = {1.5, -2, 0, 1e300};
  t = tensor_of("raw", CRI_ONNX_DOUBLE);
  cri_put_reals(&raw, numbers, 4);
  cri_pb_put_message(&t, 9, &raw);
  cri_pb_put_message(&graph, 5, &t);
  t = tensor_of("floats", CRI_ONNX_FLOAT);
  for (int i = 0; i < 4; i++) {
    cri_pb_put_float(&t, 4, (float)i / 2);
  }
  cri_pb_put_message(&graph, 5, &t);
  t = tensor_of("ints", CRI_ONNX_INT64);
  cri_pb_put_int(&t, 7, -1);
  cri_pb_put_bytes(&t, 7, "\1\2\3", 3);
  cri_pb_put_message(&graph, 5, &t);
  t = tensor_of("short", CRI_ONNX_FLOAT);
  cri_pb_put_float(&t, 4, 1);
  cri_pb_put_message(&graph, 5, &t);
  // a node Constant, with attributes of each kind
  inner = tensor_of("", CRI_ONNX_INT64);
  cri_pb_put_bytes(&inner, 7, "\4\5\6\7", 4);
  cri_pb_put_text(&a, 1, "value");
  cri_pb_put_message(&a, 5, &inner);
  cri_pb_put_message(&node, 5, &a);
  cri_pb_put_text(&a, 1, "list");
  cri_pb_put_int(&a, 8, 3);
  cri_pb_put_int(&a, 8, -4);
  cri_pb_put_message(&node, 5, &a);
  cri_pb_put_text(&a, 1, "f");
  cri_pb_put_float(&a, 2, 0.25F);
  cri_pb_put_message(&node, 5, &a);
  cri_pb_put_text(&node, 2, "made");
  cri_pb_put_text(&node, 4, "Constant");
  cri_pb_put_message(&graph, 1, &node);
  cri_onnx_graph g;
  assert_int_equal(read(&g, &graph, &file), CR_OK);
  assert_true(g.nnode == 1 && g.ntensor == 5);
  assert_true(cri_span_is(g.input, "x") && cri_span_is(g.output, "y"));
  double x[4];
  const cri_onnx_tensor* found = cri_onnx_find(&g, span_of("raw"));
  assert_true(found != NULL && found->rank == 2 && found->count == 4);
  assert_true(cri_onnx_values(found, x) && x[0] == 1.5 && x[3] == 1e300);
  assert_true(cri_onnx_values(cri_onnx_find(&g, span_of("floats")), x) && x[3] == 1.5);
  assert_true(cri_onnx_values(cri_onnx_find(&g, span_of("ints")), x) && x[0] == -1 && x[3] == 3);
  assert_true(cri_onnx_values(cri_onnx_find(&g, span_of("made")), x) && x[0] == 4 && x[3] == 7);
  assert_false(cri_onnx_values(cri_onnx_find(&g, span_of("short")), x));
  assert_null(cri_onnx_find(&g, span_of("none")));
  int64_t list[4];
  int n;
  double f = 0;
  assert_true(cri_onnx_ints(&g.node[0], "list", list, 4, &n) && n == 2 && list[1] == -4);
  assert_true(cri_onnx_ints(&g.node[0], "list", list, 1, &n) && n == 2);
  assert_true(cri_onnx_float(&g.node[0], "f", &f) && f == 0.25);
  assert_true(cri_onnx_has(&g.node[0], "list") && !cri_onnx_int(&g.node[0], "none", list));
  cri_onnx_graph_free(&g);
  free(file.data);
  (void)state;
}

TEST(limits) {
  cri_writer graph = {0}, file = {0}, node = {0}, t = {0};
  cri_onnx_graph g;
  for (int i = 0; i <= CRI_ONNX_MOST_INPUTS; i++) {
    cri_pb_put_text(&node, 1, "x");
  }
  cri_pb_put_text(&node, 3, "wide");
  cri_pb_put_message(&graph, 1, &node);
  assert_int_equal(read(&g, &graph, &file), CR_ERR_UNSUPPORTED);
  assert_non_null(strstr(error.text, "'wide'"));
  free(file.data);
  file = (cri_writer){0};
  for (int i = 0; i <= CRI_ONNX_MOST_NODES; i++) {
    cri_pb_put_bytes(&graph, 1, "", 0);
  }
  assert_int_equal(read(&g, &graph, &file), CR_ERR_UNSUPPORTED);
  free(file.data);
  file = (cri_writer){0};
  for (int i = 0; i < 3; i++) {
    cri_pb_put_int(&t, 1, 1 << 20);  // more numbers than 32 bits count
  }
  cri_pb_put_message(&graph, 5, &t);
  assert_int_equal(read(&g, &graph, &file), CR_ERR_FORMAT);
  free(file.data);
  assert_int_equal(cri_onnx_graph_read(&g, span_of("no ONNX"), "a.txt", &error), CR_ERR_FORMAT);
  (void)state;
}
