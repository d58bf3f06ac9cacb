// SPDX-License-Identifier: Apache-2.0
// Learned functions as ONNX files. Rows that stand alone go through Gemm; networks that remember take [time][sequence][number] and
// go through MatMul, Add, GRU and LSTM. The scales are nodes of their own. Numbers of fields are those of onnx.proto.
#include <stdio.h>
#include <stdlib.h>

#include "model/misuse.h"
#include "network/learned_function.h"
#include "tools/files.h"
#include "tools/onnx_graph.h"

enum { IR_VERSION = 7, OPSET = 13 };  // of 2020: everything that is used here has been there since

typedef struct {
  cri_writer nodes, constants;  // fields of the graph
  bool single;
  int count;    // of nodes, for their names
  char at[32];  // the name of what the next node reads
  const cr_learned* l;
} builder;

// ---- constants

static void put_tensor(builder* b, const char* name, const int* dim, int rank, const cr_real* x) {
  cri_writer t = {0}, raw = {0};
  int n = 1;
  for (int i = 0; i < rank; i++) {
    cri_pb_put_int(&t, 1, dim[i]);
    n *= dim[i];
  }
  cri_pb_put_int(&t, 2, b->single ? CRI_ONNX_FLOAT : CRI_ONNX_DOUBLE);
  cri_pb_put_text(&t, 8, name);
  for (int i = 0; i < n && b->single; i++) {
    const float value = (float)x[i];
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    cri_put_number(&raw, bits, 4);
  }
  cri_put_reals(&raw, x, b->single ? 0 : n);
  cri_pb_put_message(&t, 9, &raw);
  cri_pb_put_message(&b->constants, 5, &t);
}

static void put_shape(builder* b, const char* name, const int64_t* x, int n) {
  cri_writer t = {0}, raw = {0};
  cri_pb_put_int(&t, 1, n);
  cri_pb_put_int(&t, 2, CRI_ONNX_INT64);
  cri_pb_put_text(&t, 8, name);
  for (int i = 0; i < n; i++) {
    cri_put_number(&raw, (uint64_t)x[i], 8);
  }
  cri_pb_put_message(&t, 9, &raw);
  cri_pb_put_message(&b->constants, 5, &t);
}

// ---- nodes

enum { ATTRIBUTE_INT = 2, ATTRIBUTE_TEXT = 3, ATTRIBUTE_INTS = 7 };

static void put_int_attribute(cri_writer* node, const char* name, int64_t value) {
  cri_writer a = {0};
  cri_pb_put_text(&a, 1, name);
  cri_pb_put_int(&a, 3, value);
  cri_pb_put_int(&a, 20, ATTRIBUTE_INT);
  cri_pb_put_message(node, 5, &a);
}

static void put_text_attribute(cri_writer* node, const char* name, const char* value) {
  cri_writer a = {0};
  cri_pb_put_text(&a, 1, name);
  cri_pb_put_text(&a, 4, value);
  cri_pb_put_int(&a, 20, ATTRIBUTE_TEXT);
  cri_pb_put_message(node, 5, &a);
}

static void put_ints_attribute(cri_writer* node, const char* name, const int64_t* x, int n) {
  cri_writer a = {0};
  cri_pb_put_text(&a, 1, name);
  for (int i = 0; i < n; i++) {
    cri_pb_put_int(&a, 8, x[i]);
  }
  cri_pb_put_int(&a, 20, ATTRIBUTE_INTS);
  cri_pb_put_message(node, 5, &a);
}

// a node that reads b->at and up to two more names; b->at becomes its output. attributes are taken over
static void put_node(builder* b, const char* op, const char* second, const char* third,
                     cri_writer* attributes) {
  cri_writer node = {0};
  char name[32];
  cri_pb_put_text(&node, 1, b->at);
  if (second != NULL) {
    cri_pb_put_text(&node, 1, second);
  }
  if (third != NULL) {
    cri_pb_put_text(&node, 1, third);
  }
  (void)snprintf(name, sizeof name, "%s_%d", op, b->count);
  (void)snprintf(b->at, sizeof b->at, "x_%d", b->count++);
  cri_pb_put_text(&node, 2, b->at);
  cri_pb_put_text(&node, 3, name);
  cri_pb_put_text(&node, 4, op);
  if (attributes != NULL) {
    cri_put(&node, attributes->data, attributes->n);
    node.failed = node.failed || attributes->failed;
    free(attributes->data);
  }
  cri_pb_put_message(&b->nodes, 1, &node);
}

static void put_with_constant(builder* b, const char* op, const char* name, const cr_real* x,
                              int n) {
  put_tensor(b, name, &n, 1, x);
  put_node(b, op, name, NULL, NULL);
}

static bool all_are(const cr_real* x, int n, cr_real value) {
  for (int i = 0; i < n; i++) {
    if (x[i] != value) {
      return false;
    }
  }
  return true;
}

// ---- layers

static void put_activation(builder* b, cr_activation kind) {
  static const char* const ops[] = {"", "Tanh", "Elu", "Relu", "Softplus", "Sigmoid", "", "Sin"};
  if (kind == CR_ACTIVATION_SILU) {
    char x[32];
    (void)snprintf(x, sizeof x, "%s", b->at);
    put_node(b, "Sigmoid", NULL, NULL, NULL);
    put_node(b, "Mul", x, NULL, NULL);
  } else if (kind != CR_ACTIVATION_IDENTITY) {
    put_node(b, ops[kind], NULL, NULL, NULL);
  }
}

static void put_dense(builder* b, const cri_layer* l, int k, bool sequences) {
  const cri_weights w = cri_weights_of(l, b->l->weight + l->weight);
  char matrix[32], bias[32];
  (void)snprintf(matrix, sizeof matrix, "layer_%d_W", k);
  (void)snprintf(bias, sizeof bias, "layer_%d_b", k);
  if (!sequences) {
    const int dim[] = {l->width, l->in};
    cri_writer attributes = {0};
    put_tensor(b, matrix, dim, 2, w.Wi);
    put_tensor(b, bias, &l->width, 1, w.bi);
    put_int_attribute(&attributes, "transB", 1);
    put_node(b, "Gemm", matrix, bias, &attributes);
  } else {
    const int dim[] = {l->in, l->width};
    const size_t n = (size_t)l->in * (size_t)l->width;
    cr_real* transposed = malloc(n * sizeof *transposed);
    for (size_t i = 0; i < n && transposed != NULL; i++) {
      transposed[i] = w.Wi[(i % (size_t)l->width) * (size_t)l->in + i / (size_t)l->width];
    }
    b->nodes.failed = b->nodes.failed || transposed == NULL;
    if (transposed != NULL) {
      put_tensor(b, matrix, dim, 2, transposed);
    }
    free(transposed);
    put_node(b, "MatMul", matrix, NULL, NULL);
    put_with_constant(b, "Add", bias, w.bi, l->width);
  }
  put_activation(b, l->activation);
}

// ONNX has the gates z, r, n of a GRU and i, o, f, g of an LSTM: which of ours each is
static const int gates_of[2][4] = {{1, 0, 2, 0}, {0, 3, 1, 2}};

// blocks of `each` numbers, gate after gate
static cr_real* put_gates(const cri_layer* l, const cr_real* from, size_t each, cr_real* to) {
  const int* gate = gates_of[l->kind == CR_LAYER_LSTM];
  for (int g = 0; g < cri_layer_gates(l); g++) {
    memcpy(to, from + (size_t)gate[g] * each, each * sizeof *to);
    to += each;
  }
  return to;
}

static void put_recurrent(builder* b, const cri_layer* l, int k) {
  const size_t n = (size_t)l->width, in = (size_t)l->in;
  const int rows = cri_layer_gates(l) * l->width;
  cr_real* room = malloc((size_t)cri_layer_weights(l) * sizeof *room);
  if (room == NULL) {
    b->nodes.failed = true;
    return;
  }
  cr_real *W = room, *R = W + (size_t)(l->directions * rows) * in,
          *B = R + (size_t)(l->directions * rows) * n;
  cr_real* at[3] = {W, R, B};
  for (int d = 0; d < l->directions; d++) {
    const cri_weights w = cri_weights_of(l, b->l->weight + l->weight + d * cri_layer_direction(l));
    at[0] = put_gates(l, w.Wi, n * in, at[0]);
    at[1] = put_gates(l, w.Wh, n * n, at[1]);
    at[2] = put_gates(l, w.bh, n, put_gates(l, w.bi, n, at[2]));
  }
  char name[3][32];
  for (int i = 0; i < 3; i++) {
    (void)snprintf(name[i], sizeof name[i], "layer_%d_%c", k, "WRB"[i]);
  }
  const int dims[3][3] = {
      {l->directions, rows, l->in}, {l->directions, rows, l->width}, {l->directions, 2 * rows, 0}};
  put_tensor(b, name[0], dims[0], 3, W);
  put_tensor(b, name[1], dims[1], 3, R);
  put_tensor(b, name[2], dims[2], 2, B);
  free(room);
  cri_writer attributes = {0};
  cri_pb_put_text(&attributes, 1, name[2]);  // a fourth input
  put_int_attribute(&attributes, "hidden_size", l->width);
  put_text_attribute(&attributes, "direction", l->directions == 2 ? "bidirectional" : "forward");
  if (l->kind == CR_LAYER_GRU) {
    put_int_attribute(&attributes, "linear_before_reset", 1);
  }
  put_node(b, l->kind == CR_LAYER_GRU ? "GRU" : "LSTM", name[0], name[1], &attributes);
  // [time][direction][sequence][number] to [time][sequence][all numbers]
  static const int64_t order[] = {0, 2, 1, 3}, shape[] = {0, 0, -1};
  cri_writer permutation = {0};
  put_ints_attribute(&permutation, "perm", order, 4);
  put_node(b, "Transpose", NULL, NULL, &permutation);
  (void)snprintf(name[0], sizeof name[0], "layer_%d_shape", k);
  put_shape(b, name[0], shape, 3);
  put_node(b, "Reshape", name[0], NULL, NULL);
}

// ---- the graph and the file

static bool remembers(const cr_network* n) {
  for (int k = 0; k < n->nlayer; k++) {
    if (cri_is_recurrent(&n->layer[k])) {
      return true;
    }
  }
  return false;
}

static void put_layers(builder* b) {
  const cr_learned* l = b->l;
  const cr_network* n = &l->network;
  if (!all_are(l->input_mean, n->ninput, 0)) {
    put_with_constant(b, "Sub", "input_mean", l->input_mean, n->ninput);
  }
  if (!all_are(l->input_scale, n->ninput, 1)) {
    put_with_constant(b, "Div", "input_scale", l->input_scale, n->ninput);
  }
  for (int k = 0; k < n->nlayer; k++) {
    if (cri_is_recurrent(&n->layer[k])) {
      put_recurrent(b, &n->layer[k], k);
    } else {
      put_dense(b, &n->layer[k], k, remembers(n));
    }
  }
  if (!all_are(l->output_scale, n->noutput, 1)) {
    put_with_constant(b, "Mul", "output_scale", l->output_scale, n->noutput);
  }
  if (!all_are(l->output_mean, n->noutput, 0)) {
    put_with_constant(b, "Add", "output_mean", l->output_mean, n->noutput);
  }
}

static void put_value(cri_writer* graph, uint32_t field, const char* name, bool sequences,
                      int width, bool single) {
  static const char* const names[] = {"time", "sequences", "rows"};
  cri_writer value = {0}, type = {0}, tensor = {0}, shape = {0}, dim = {0};
  for (int i = sequences ? 0 : 2; i < (sequences ? 2 : 3); i++) {
    cri_pb_put_text(&dim, 2, names[i]);
    cri_pb_put_message(&shape, 1, &dim);
  }
  cri_pb_put_int(&dim, 1, width);
  cri_pb_put_message(&shape, 1, &dim);
  cri_pb_put_int(&tensor, 1, single ? CRI_ONNX_FLOAT : CRI_ONNX_DOUBLE);
  cri_pb_put_message(&tensor, 2, &shape);
  cri_pb_put_message(&type, 1, &tensor);
  cri_pb_put_text(&value, 1, name);
  cri_pb_put_message(&value, 2, &type);
  cri_pb_put_message(graph, field, &value);
}

static void put_file(cri_writer* file, builder* b) {
  const cr_network* n = &b->l->network;
  cri_writer graph = {0}, opset = {0};
  (void)snprintf(b->at, sizeof b->at, "input");
  put_layers(b);
  put_node(b, "Identity", NULL, NULL, NULL);
  graph = b->nodes;
  b->nodes = (cri_writer){0};
  cri_pb_put_text(&graph, 2, "carom");
  cri_put(&graph, b->constants.data, b->constants.n);
  graph.failed = graph.failed || b->constants.failed;
  put_value(&graph, 11, "input", remembers(n), n->ninput, b->single);
  put_value(&graph, 12, b->at, remembers(n), n->noutput, b->single);
  cri_pb_put_int(file, 1, IR_VERSION);
  cri_pb_put_text(file, 2, "Carom");
  cri_pb_put_text(file, 3, cr_version());
  cri_pb_put_message(file, 7, &graph);
  cri_pb_put_int(&opset, 2, OPSET);
  cri_pb_put_message(file, 8, &opset);
}

cr_status cr_learned_save_onnx(const cr_learned* l, const char* path, bool single,
                               cr_error* error) {
  const cri_call call = {"cr_learned_save_onnx", error};
  CR_TRY(cri_given(&call, l, "the learned function"));
  CR_TRY(cri_given(&call, path, "the path"));
  builder b = {.single = single, .l = l};
  cri_writer file = {0};
  put_file(&file, &b);
  cr_status status = file.failed ? cri_fail(error, CR_ERR_MEMORY, "%s: no memory", path)
                                 : cri_file_write(path, file.data, file.n, error);
  free(file.data);
  free(b.constants.data);
  return status;
}
