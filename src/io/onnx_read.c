// SPDX-License-Identifier: Apache-2.0
// Learned functions from ONNX files: a chain of layers from the first input to the first output. Nodes are followed one by
// one; what is no such chain is refused by the name of the node. A file may be damaged or hostile: every size is checked before it is used.
#include <stdlib.h>

#include "model/misuse.h"
#include "network/learned_function.h"
#include "tools/files.h"
#include "tools/onnx_graph.h"

enum { MOST_AFFINE = 8 };

// a layer as it was found: constants of its weights
typedef struct {
  cr_layer layer;
  int in;
  bool transposed;  // W of a dense layer is [in][width]
  const cri_onnx_tensor *W, *R, *B;
} found;

// x op c, before the first or behind the last layer
typedef struct {
  const cri_onnx_node* node;
  const cri_onnx_tensor* c;
} affine;

typedef struct {
  cri_onnx_graph g;
  const char* path;
  cr_error* error;
  cri_span at;  // the name of what the next node reads
  found layer[CR_MAX_NETWORK_LAYERS];
  int nlayer, width;  // of `at`; 0: not known yet
  affine before[MOST_AFFINE], behind[MOST_AFFINE];
  int nbefore, nbehind;
  bool bare;      // the last layer is dense, and has no activation yet
  bool unbiased;  // the last layer is a MatMul, whose Add may follow
  bool raw;       // the last layer is recurrent, and its directions are an axis of their own
  bool moved;     // that axis has been moved behind the sequences
  int turns,
      turned;  // transpositions of time and sequences; how many before the first recurrent layer
} chain;

static const char* const chain_ops[] = {"Gemm",    "MatMul",   "Add",       "Sub",    "Mul",
                                        "Div",     "Tanh",     "Elu",       "Relu",   "Softplus",
                                        "Sigmoid", "Sin",      "GRU",       "LSTM",   "Squeeze",
                                        "Reshape", "Identity", "Transpose", "Dropout"};
// what PyTorch writes to make memories of 0 from the shape of the input
static const char* const shape_ops[] = {"Constant", "Shape", "Gather", "Unsqueeze",      "Concat",
                                        "Expand",   "Slice", "Cast",   "ConstantOfShape"};

static cr_status refuse(const chain* c, const cri_onnx_node* node, const char* what) {
  char name[CRI_SPAN_TEXT], op[CRI_SPAN_TEXT];
  return cri_fail(c->error, CR_ERR_UNSUPPORTED, "%s: node '%s' (%s): %s", c->path,
                  cri_span_text(node->name, name), cri_span_text(node->op, op), what);
}

static bool is_one_of(cri_span op, const char* const* list, size_t n) {
  for (size_t i = 0; i < n; i++) {
    if (cri_span_is(op, list[i])) {
      return true;
    }
  }
  return false;
}

#define IS_ONE_OF(op, list) is_one_of(op, list, sizeof(list) / sizeof(list)[0])

static cr_status check_operators(const chain* c) {
  for (int i = 0; i < c->g.nnode; i++) {
    const cri_onnx_node* node = &c->g.node[i];
    const bool known = IS_ONE_OF(node->op, chain_ops) || IS_ONE_OF(node->op, shape_ops);
    if (!known || (node->domain.n > 0 && !cri_span_is(node->domain, "ai.onnx"))) {
      return refuse(c, node, "Carom does not know this operator");
    }
  }
  return CR_OK;
}

static cri_span input_of(const cri_onnx_node* node, int i) {
  return i < node->ninput ? node->input[i] : (cri_span){0};
}

static const cri_onnx_tensor* constant_of(const chain* c, const cri_onnx_node* node, int i) {
  return cri_onnx_find(&c->g, input_of(node, i));
}

// ---- numbers of constants

// a constant of `rank` dims with exactly `count` numbers, all finite; freed by the caller. NULL: refused
static cr_real* numbers_of(const chain* c, const cri_onnx_tensor* t, int64_t count) {
  double* x = t->count == count && count > 0 && (uint64_t)count <= t->message.n
                  ? malloc((size_t)count * sizeof *x)
                  : NULL;
  bool sane = x != NULL && cri_onnx_values(t, x);
  for (int64_t i = 0; i < count && sane; i++) {
    sane = isfinite(x[i]);
  }
  if (!sane) {
    char name[CRI_SPAN_TEXT];
    free(x);
    (void)cri_fail(
        c->error, CR_ERR_FORMAT,
        "%s: constant '%s' does not have %lld finite numbers (float or double, in the file itself)",
        c->path, cri_span_text(t->name, name), (long long)count);
    return NULL;
  }
  return x;
}

// ---- who comes next

// a node that only looks at the shape of what it reads
static bool is_aside(const cri_onnx_node* node) { return cri_span_is(node->op, "Shape"); }

static int reads(const cri_onnx_node* node, cri_span name) {
  int n = 0;
  for (int i = 0; i < node->ninput; i++) {
    n += cri_span_same(node->input[i], name);
  }
  return n;
}

// the nodes that read `at`: up to two of them; returns how many there are
static int readers_of(const chain* c, const cri_onnx_node* next[2]) {
  int n = 0;
  for (int i = 0; i < c->g.nnode; i++) {
    const cri_onnx_node* node = &c->g.node[i];
    if (!is_aside(node) && reads(node, c->at) > 0) {
      if (n < 2) {
        next[n] = node;
      }
      n++;
    }
  }
  return n;
}

// ---- dense layers

static cr_status add_layer(chain* c, const cri_onnx_node* node, found f) {
  if (c->nlayer == CR_MAX_NETWORK_LAYERS) {
    return refuse(c, node, "there are too many layers");
  }
  if (c->nbehind > 0) {
    return refuse(c, node, "it follows a number that is added or multiplied behind a layer");
  }
  if (c->raw) {
    return refuse(c, node,
                  "it follows a recurrent layer whose directions are an axis of their own");
  }
  if (c->width != 0 && c->width != f.in) {
    return refuse(c, node, "its matrix does not fit what it reads");
  }
  f.layer.size = sizeof f.layer;
  c->layer[c->nlayer++] = f;
  c->width = f.layer.width * (f.layer.both_directions ? 2 : 1);
  c->bare = f.layer.kind == CR_LAYER_DENSE;
  c->unbiased = false;
  c->raw = f.layer.kind != CR_LAYER_DENSE;
  c->moved = false;
  return CR_OK;
}

static cr_status take_gemm(chain* c, const cri_onnx_node* node) {
  double alpha = 1, beta = 1;
  int64_t turn_a = 0, turn_b = 0;
  (void)cri_onnx_float(node, "alpha", &alpha);
  (void)cri_onnx_float(node, "beta", &beta);
  (void)cri_onnx_int(node, "transA", &turn_a);
  (void)cri_onnx_int(node, "transB", &turn_b);
  const cri_onnx_tensor *W = constant_of(c, node, 1), *b = constant_of(c, node, 2);
  if (W == NULL || W->rank != 2 || alpha != 1 || beta != 1 || turn_a != 0 ||
      (b == NULL && input_of(node, 2).n > 0) || !cri_span_same(node->input[0], c->at)) {
    return refuse(c, node, "it is no layer with constant weights, alpha and beta 1 and transA 0");
  }
  found f = {.W = W, .B = b, .transposed = turn_b == 0};
  f.in = (int)W->dim[turn_b == 0 ? 0 : 1];
  f.layer.width = (int)W->dim[turn_b == 0 ? 1 : 0];
  if (b != NULL && b->count != f.layer.width) {
    return refuse(c, node, "its bias does not fit its matrix");
  }
  return add_layer(c, node, f);
}

static cr_status take_matmul(chain* c, const cri_onnx_node* node) {
  const cri_onnx_tensor* W = constant_of(c, node, 1);
  if (W == NULL || W->rank != 2 || !cri_span_same(node->input[0], c->at)) {
    return refuse(c, node, "it is no product with a constant matrix behind");
  }
  const found f = {
      .W = W, .transposed = true, .in = (int)W->dim[0], .layer = {.width = (int)W->dim[1]}};
  CR_TRY(add_layer(c, node, f));
  c->unbiased = true;
  return CR_OK;
}

// ---- sums and products with constants

static cr_status take_affine(chain* c, const cri_onnx_node* node) {
  const bool first = cri_span_same(node->input[0], c->at);
  const bool commutes = cri_span_is(node->op, "Add") || cri_span_is(node->op, "Mul");
  const cri_onnx_tensor* t = node->ninput == 2 ? constant_of(c, node, first ? 1 : 0) : NULL;
  if (t == NULL || (!first && !commutes)) {
    return refuse(c, node, "it does not have one constant");
  }
  if (c->raw) {
    return refuse(c, node,
                  "it follows a recurrent layer whose directions are an axis of their own");
  }
  if (c->unbiased && cri_span_is(node->op, "Add") && t->count == c->width) {
    c->layer[c->nlayer - 1].B = t;
    c->unbiased = false;
    return CR_OK;
  }
  affine* list = c->nlayer == 0 ? c->before : c->behind;
  int* n = c->nlayer == 0 ? &c->nbefore : &c->nbehind;
  if (*n == MOST_AFFINE) {
    return refuse(c, node, "there are too many constants one behind the other");
  }
  list[(*n)++] = (affine){node, t};
  c->unbiased = false;
  return CR_OK;
}

// ---- activations

static cr_status take_activation(chain* c, const cri_onnx_node* node, cr_activation kind) {
  double alpha = 1;
  if (kind == CR_ACTIVATION_ELU) {
    (void)cri_onnx_float(node, "alpha", &alpha);
  }
  if (!c->bare || c->nbehind > 0 || alpha != 1) {
    return refuse(c, node, alpha != 1 ? "its alpha is not 1" : "it does not follow a dense layer");
  }
  c->layer[c->nlayer - 1].layer.activation = kind;
  c->bare = c->unbiased = false;
  return CR_OK;
}

static bool activation_of(cri_span op, cr_activation* kind) {
  static const struct {
    const char* op;
    cr_activation kind;
  } table[] = {{"Tanh", CR_ACTIVATION_TANH},       {"Elu", CR_ACTIVATION_ELU},
               {"Relu", CR_ACTIVATION_RELU},       {"Softplus", CR_ACTIVATION_SOFTPLUS},
               {"Sigmoid", CR_ACTIVATION_SIGMOID}, {"Sin", CR_ACTIVATION_SINE}};
  for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
    if (cri_span_is(op, table[i].op)) {
      *kind = table[i].kind;
      return true;
    }
  }
  return false;
}

// ---- recurrent layers

static bool all_zero(const cri_onnx_tensor* t) {
  double* x = t->count > 0 && (uint64_t)t->count <= t->message.n
                  ? malloc((size_t)t->count * sizeof *x)
                  : NULL;
  bool zero = x != NULL && cri_onnx_values(t, x);
  for (int64_t i = 0; i < t->count && zero; i++) {
    zero = x[i] == 0;
  }
  free(x);
  return zero;
}

// a memory at the start that is 0: left out, constant zeros, or made of zeros of some shape
static bool is_zero(const chain* c, cri_span name) {
  for (int steps = 0; name.n > 0 && steps < CRI_ONNX_MOST_NODES; steps++) {
    const cri_onnx_tensor* t = cri_onnx_find(&c->g, name);
    if (t != NULL) {
      return all_zero(t);
    }
    const cri_onnx_node* from = NULL;
    for (int i = 0; i < c->g.nnode; i++) {
      const cri_onnx_node* node = &c->g.node[i];
      from = node->noutput > 0 && cri_span_same(node->output[0], name) ? node : from;
    }
    if (from == NULL) {
      return false;
    }
    if (cri_span_is(from->op, "ConstantOfShape")) {
      cri_onnx_tensor value;
      return !cri_onnx_has(from, "value") ||
             (cri_onnx_tensor_of(from, "value", &value) && all_zero(&value));
    }
    if (!cri_span_is(from->op, "Expand") && !cri_span_is(from->op, "Unsqueeze")) {
      return false;
    }
    name = input_of(from, 0);
  }
  return name.n == 0;
}

static const char* wrong_recurrent(const chain* c, const cri_onnx_node* node, bool lstm,
                                   bool* both) {
  static const char* const changes[] = {"activations", "activation_alpha", "activation_beta",
                                        "clip"};
  cri_span direction = {0};
  int64_t before_reset = 0, layout = 0, coupled = 0;
  (void)cri_onnx_text(node, "direction", &direction);
  (void)cri_onnx_int(node, "linear_before_reset", &before_reset);
  (void)cri_onnx_int(node, "layout", &layout);
  (void)cri_onnx_int(node, "input_forget", &coupled);
  *both = cri_span_is(direction, "bidirectional");
  if (!*both && direction.n > 0 && !cri_span_is(direction, "forward")) {
    return "its direction is neither forward nor bidirectional";
  }
  for (int i = 0; i < 4; i++) {
    if (cri_onnx_has(node, changes[i])) {
      return "it has other activations, or a clip";
    }
  }
  if (layout != 0 || coupled != 0 || (!lstm && before_reset != 1)) {
    return lstm || before_reset == 1 ? "layout and input_forget have to be 0"
                                     : "linear_before_reset has to be 1";
  }
  if (input_of(node, 4).n > 0 || input_of(node, 7).n > 0) {
    return "it has lengths of sequences, or peepholes";
  }
  if (!is_zero(c, input_of(node, 5)) || (lstm && !is_zero(c, input_of(node, 6)))) {
    return "its memory does not start at 0";
  }
  return cri_span_same(node->input[0], c->at) ? NULL : "it does not read the layer before it";
}

static cr_status take_recurrent(chain* c, const cri_onnx_node* node, bool lstm) {
  bool both;
  const char* wrong = wrong_recurrent(c, node, lstm, &both);
  const cri_onnx_tensor *W = constant_of(c, node, 1), *R = constant_of(c, node, 2),
                        *B = constant_of(c, node, 3);
  if (wrong != NULL) {
    return refuse(c, node, wrong);
  }
  const int64_t directions = both ? 2 : 1, gates = lstm ? 4 : 3;
  const int64_t n = R != NULL && R->rank == 3 ? R->dim[2] : 0;
  if (n < 1 || W == NULL || W->rank != 3 || W->dim[0] != directions || W->dim[1] != gates * n ||
      R->dim[0] != directions || R->dim[1] != gates * n ||
      (B == NULL ? input_of(node, 3).n > 0
                 : B->rank != 2 || B->dim[0] != directions || B->dim[1] != 2 * gates * n)) {
    return refuse(c, node, "its matrices are no constants, or do not fit each other");
  }
  bool steps = false;
  for (int k = 0; k < c->nlayer; k++) {
    steps = steps || c->layer[k].layer.kind != CR_LAYER_DENSE;
  }
  if (steps && c->turns % 2 != c->turned % 2) {
    return refuse(c, node, "it goes along another axis than the recurrent layer before it");
  }
  c->turned = c->turns;
  const found f = {
      .W = W,
      .R = R,
      .B = B,
      .in = (int)W->dim[2],
      .layer = {
          .kind = lstm ? CR_LAYER_LSTM : CR_LAYER_GRU, .width = (int)n, .both_directions = both}};
  return add_layer(c, node, f);
}

// ---- axes

static cr_status take_transpose(chain* c, const cri_onnx_node* node) {
  int64_t p[4] = {0};
  int n;
  const bool has = cri_onnx_ints(node, "perm", p, 4, &n);
  if (has && c->raw && !c->moved && n == 4 && p[0] == 0 && p[1] == 2 && p[2] == 1 && p[3] == 3) {
    c->moved = true;
    return CR_OK;
  }
  if (has && !c->raw && n == 3 && p[0] == 1 && p[1] == 0 && p[2] == 2) {
    c->turns++;
    return CR_OK;
  }
  return refuse(c, node, "Carom does not know what this order of axes is for");
}

// small integers of an attribute (older files) or of a constant input
static int integers_of(const chain* c, const cri_onnx_node* node, const char* attribute,
                       int64_t x[4]) {
  int n = 0;
  const cri_onnx_tensor* t = constant_of(c, node, 1);
  if (cri_onnx_ints(node, attribute, x, 4, &n)) {
    return n <= 4 ? n : -1;
  }
  double values[4];
  if (t == NULL || t->count < 1 || t->count > 4 || t->type != CRI_ONNX_INT64 ||
      !cri_onnx_values(t, values)) {
    return -1;
  }
  for (int i = 0; i < (int)t->count; i++) {
    x[i] = fabs(values[i]) <= INT32_MAX ? (int64_t)values[i] : INT32_MIN;
  }
  return (int)t->count;
}

// directions become part of a row: one of them, or two that were moved behind the sequences
static cr_status take_squeeze(chain* c, const cri_onnx_node* node) {
  int64_t axis[4] = {0};
  const int n = integers_of(c, node, "axes", axis);
  const bool both = c->nlayer > 0 && c->layer[c->nlayer - 1].layer.both_directions;
  if (!c->raw || both || c->moved || n != 1 || (axis[0] != 1 && axis[0] != -3)) {
    return refuse(c, node, "it is not the one direction of a recurrent layer that it takes away");
  }
  c->raw = false;
  return CR_OK;
}

static cr_status take_reshape(chain* c, const cri_onnx_node* node) {
  int64_t shape[4] = {0};
  const int n = integers_of(c, node, "shape", shape);
  if (!c->raw || !c->moved || n != 3 || shape[0] != 0 || (shape[1] != 0 && shape[1] < 1) ||
      (shape[2] != -1 && shape[2] != c->width)) {
    return refuse(c, node,
                  "it is not the directions of a recurrent layer that it puts side by side");
  }
  c->raw = false;
  return CR_OK;
}

// ---- the chain

static cr_status take_node(chain* c, const cri_onnx_node* node) {
  cr_activation kind;
  if (activation_of(node->op, &kind)) {
    return take_activation(c, node, kind);
  }
  if (cri_span_is(node->op, "Gemm")) {
    return take_gemm(c, node);
  }
  if (cri_span_is(node->op, "MatMul")) {
    return take_matmul(c, node);
  }
  if (cri_span_is(node->op, "GRU") || cri_span_is(node->op, "LSTM")) {
    return take_recurrent(c, node, cri_span_is(node->op, "LSTM"));
  }
  if (cri_span_is(node->op, "Transpose")) {
    return take_transpose(c, node);
  }
  if (cri_span_is(node->op, "Squeeze")) {
    return take_squeeze(c, node);
  }
  if (cri_span_is(node->op, "Reshape")) {
    return take_reshape(c, node);
  }
  if (cri_span_is(node->op, "Identity") || cri_span_is(node->op, "Dropout")) {
    return CR_OK;
  }
  if (IS_ONE_OF(node->op, shape_ops)) {
    return refuse(c, node, "it is not possible on the way from the input to the output");
  }
  return take_affine(c, node);
}

// x sigmoid(x): two nodes read x. NULL: it is something else
static const cri_onnx_node* silu_of(const chain* c, const cri_onnx_node* const next[2]) {
  const bool first = cri_span_is(next[0]->op, "Sigmoid");
  const cri_onnx_node *sigmoid = next[first ? 0 : 1], *product = next[first ? 1 : 0];
  const bool is = cri_span_is(sigmoid->op, "Sigmoid") && sigmoid->noutput == 1 &&
                  cri_span_is(product->op, "Mul") && product->ninput == 2 &&
                  reads(product, c->at) == 1 && reads(product, sigmoid->output[0]) == 1;
  return is ? product : NULL;
}

static cr_status follow(chain* c) {
  for (int steps = 0; steps <= c->g.nnode; steps++) {
    const cri_onnx_node* next[2] = {NULL, NULL};
    const int n = readers_of(c, next);
    if (cri_span_same(c->at, c->g.output) && n == 0) {
      return c->nlayer > 0 && !c->raw
                 ? CR_OK
                 : cri_fail(c->error, CR_ERR_UNSUPPORTED,
                            "%s: there are no layers between input and output, or the last one has "
                            "its directions as an axis of their own",
                            c->path);
    }
    if (n == 0) {
      char name[CRI_SPAN_TEXT];
      return cri_fail(c->error, CR_ERR_UNSUPPORTED, "%s: no node leads from '%s' to the output",
                      c->path, cri_span_text(c->at, name));
    }
    const cri_onnx_node* silu = n == 2 ? silu_of(c, next) : NULL;
    const cri_onnx_node* node = silu != NULL ? silu : next[0];
    if (n > 1 && silu == NULL) {
      return refuse(c, next[1], "its input has other readers; Carom reads chains of layers");
    }
    CR_TRY(silu != NULL ? take_activation(c, node, CR_ACTIVATION_SILU) : take_node(c, node));
    if (node->noutput < 1 || node->output[0].n == 0) {
      return refuse(c, node, "its first output is not used");
    }
    c->at = node->output[0];
  }
  return cri_fail(c->error, CR_ERR_FORMAT, "%s: its nodes go in a circle", c->path);
}

// ---- weights

// gates in our order: of ONNX's z, r, n and i, o, f, g
static const int gates_of[2][4] = {{1, 0, 2, 0}, {0, 2, 3, 1}};

static void take_gates(const cri_layer* l, const cr_real* from, size_t each, cr_real* to) {
  for (int g = 0; g < cri_layer_gates(l); g++) {
    memcpy(to + (size_t)g * each, from + (size_t)gates_of[l->kind == CR_LAYER_LSTM][g] * each,
           each * sizeof *to);
  }
}

static cr_status fill_recurrent(const chain* c, const found* f, const cri_layer* l,
                                cr_real* weight) {
  const size_t n = (size_t)l->width, in = (size_t)l->in, rows = (size_t)cri_layer_gates(l) * n;
  cr_real *W = numbers_of(c, f->W, f->W->count),
          *R = W != NULL ? numbers_of(c, f->R, f->R->count) : NULL;
  cr_real* B = R != NULL && f->B != NULL ? numbers_of(c, f->B, f->B->count) : NULL;
  const bool sane = R != NULL && (B != NULL || f->B == NULL);
  for (size_t d = 0; d < (size_t)l->directions && sane; d++) {
    const cri_weights w = cri_weights_of(l, weight + d * (size_t)cri_layer_direction(l));
    take_gates(l, W + d * rows * in, n * in, w.Wi);
    take_gates(l, R + d * rows * n, n * n, w.Wh);
    cr_zero(w.bi, 2 * (int)rows);
    if (B != NULL) {
      take_gates(l, B + d * 2 * rows, n, w.bi);
      take_gates(l, B + d * 2 * rows + rows, n, w.bh);
    }
  }
  free(W);
  free(R);
  free(B);
  return sane ? CR_OK : CR_ERR_FORMAT;
}

static cr_status fill_dense(const chain* c, const found* f, const cri_layer* l, cr_real* weight) {
  const cri_weights w = cri_weights_of(l, weight);
  const size_t n = (size_t)l->width, in = (size_t)l->in;
  cr_real *W = numbers_of(c, f->W, (int64_t)(n * in)), *b = NULL;
  bool sane = W != NULL;
  if (sane && f->B != NULL) {
    b = numbers_of(c, f->B, (int64_t)n);
    sane = b != NULL;
  }
  for (size_t i = 0; i < n * in && sane; i++) {
    w.Wi[i] = f->transposed ? W[(i % in) * n + i / in] : W[i];
  }
  for (size_t i = 0; i < n && sane; i++) {
    w.bi[i] = b != NULL ? b[i] : 0;
  }
  free(W);
  free(b);
  return sane ? CR_OK : CR_ERR_FORMAT;
}

// ---- scales [network.n1]

// Before the layers (x - mean) / scale, behind them x scale + mean: what a constant does to mean and scale.
static void apply(const affine* a, bool behind, double c, double* mean, double* scale) {
  const bool sub = cri_span_is(a->node->op, "Sub"), add = cri_span_is(a->node->op, "Add");
  const bool div = cri_span_is(a->node->op, "Div");
  if (add || sub) {
    const double shift = add ? c : -c;
    *mean += behind ? shift : -shift * *scale;
    return;
  }
  if (behind) {
    *scale = div ? *scale / c : *scale * c;
    *mean = div ? *mean / c : *mean * c;
  } else {
    *scale = div ? *scale * c : *scale / c;
  }
}

static cr_status take_scales(const chain* c, const affine* list, int n, bool behind, int width,
                             cr_real* mean, cr_real* scale) {
  for (int k = 0; k < n; k++) {
    const int64_t count = list[k].c->count;
    if (count != 1 && count != width) {
      return refuse(c, list[k].node, "its constant does not fit");
    }
    cr_real* x = numbers_of(c, list[k].c, count);
    if (x == NULL) {
      return CR_ERR_FORMAT;
    }
    bool sane = true;
    for (int i = 0; i < width; i++) {
      apply(&list[k], behind, x[count == 1 ? 0 : i], &mean[i], &scale[i]);
      sane = sane && isfinite(mean[i]) && isfinite(scale[i]) && scale[i] > 0;
    }
    free(x);
    if (!sane) {
      return refuse(c, list[k].node, "a scale would not be above 0");
    }
  }
  return CR_OK;
}

// ---- the learned function

static cr_status fill(const chain* c, cr_learned* l) {
  for (int k = 0; k < c->nlayer; k++) {
    const cri_layer* layer = &l->network.layer[k];
    cr_real* weight = l->weight + layer->weight;
    CR_TRY(cri_is_recurrent(layer) ? fill_recurrent(c, &c->layer[k], layer, weight)
                                   : fill_dense(c, &c->layer[k], layer, weight));
  }
  CR_TRY(take_scales(c, c->before, c->nbefore, false, l->network.ninput, l->input_mean,
                     l->input_scale));
  return take_scales(c, c->behind, c->nbehind, true, l->network.noutput, l->output_mean,
                     l->output_scale);
}

// no more memory than the file has numbers for
static bool weights_are_there(const chain* c, const cr_network* n) {
  for (int k = 0; k < c->nlayer; k++) {
    const found* f = &c->layer[k];
    if ((uint64_t)f->W->count > f->W->message.n ||
        (f->R != NULL && (uint64_t)f->R->count > f->R->message.n)) {
      return false;
    }
  }
  return cr_network_nweight(n) > 0;
}

static cr_status make(const chain* c, cr_learned** out) {
  cr_layer layers[CR_MAX_NETWORK_LAYERS];
  cr_network* network = NULL;
  cr_error inner = {0};
  for (int k = 0; k < c->nlayer; k++) {
    layers[k] = c->layer[k].layer;
  }
  cr_status status =
      cr_network_create_for_sequences(&network, c->layer[0].in, layers, c->nlayer, &inner);
  if (status == CR_OK && !weights_are_there(c, network)) {
    status = cri_fail(&inner, CR_ERR_FORMAT, "a matrix has more numbers than the file");
  }
  status = status == CR_OK ? cr_learned_create(out, network, 0, &inner) : status;
  cr_network_destroy(network);
  if (status != CR_OK) {
    return cri_fail(c->error, status == CR_ERR_MEMORY ? status : CR_ERR_FORMAT, "%s: %s", c->path,
                    inner.text);
  }
  status = fill(c, *out);
  if (status != CR_OK) {
    cr_learned_destroy(*out);
    *out = NULL;
  }
  return status;
}

cr_status cr_learned_open_onnx(cr_learned** out, const char* path, cr_error* error) {
  const cri_call call = {"cr_learned_open_onnx", error};
  CR_TRY(cri_given(&call, out, "where the learned function goes"));
  *out = NULL;
  CR_TRY(cri_given(&call, path, "the path"));
  char* data = NULL;
  size_t n = 0;
  CR_TRY(cri_file_read(path, &data, &n, error));
  chain* c = calloc(1, sizeof *c);
  cr_status status = c == NULL ? cri_fail(error, CR_ERR_MEMORY, "%s: no memory", path) : CR_OK;
  if (status == CR_OK) {
    const cri_span file = {(const unsigned char*)data, n};
    c->path = path;
    c->error = error;
    status = cri_onnx_graph_read(&c->g, file, path, error);
    c->at = c->g.input;
    status = status == CR_OK ? check_operators(c) : status;
    status = status == CR_OK ? follow(c) : status;
    status = status == CR_OK ? make(c, out) : status;
    cri_onnx_graph_free(&c->g);
  }
  free(c);
  free(data);
  return status;
}
