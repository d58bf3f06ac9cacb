// SPDX-License-Identifier: Apache-2.0
// The graph of an ONNX file. Numbers of fields are those of onnx.proto.
#include "tools/onnx_graph.h"

#include <stdlib.h>

// fields of the messages
enum { MODEL_GRAPH = 7 };
enum { GRAPH_NODE = 1, GRAPH_INITIALIZER = 5, GRAPH_INPUT = 11, GRAPH_OUTPUT = 12 };
enum { NODE_INPUT = 1, NODE_OUTPUT, NODE_NAME, NODE_OP, NODE_ATTRIBUTE, NODE_DOMAIN = 7 };
enum { ATTRIBUTE_NAME = 1, ATTRIBUTE_F, ATTRIBUTE_I, ATTRIBUTE_S, ATTRIBUTE_T, ATTRIBUTE_INTS = 8 };
enum {
  TENSOR_DIMS = 1,
  TENSOR_TYPE = 2,
  TENSOR_FLOATS = 4,
  TENSOR_INTS = 7,
  TENSOR_NAME = 8,
  TENSOR_RAW = 9,
  TENSOR_DOUBLES = 10,
  TENSOR_LOCATION = 14
};
enum { VALUE_NAME = 1 };

static cr_status damaged(const char* path, cr_error* error) {
  return cri_fail(error, CR_ERR_FORMAT, "%s: this is no whole ONNX file", path);
}

// ---- counting

// how many fields of a number a message has, MOST_NODES + 1 at most; -1: damaged
static int count_fields(cri_span message, uint32_t number) {
  cri_pb_reader r = {message, false};
  cri_pb_field f;
  int n = 0;
  while (cri_pb_next(&r, &f)) {
    n += f.number == number && f.wire == CRI_WIRE_BYTES && n <= CRI_ONNX_MOST_NODES;
  }
  return r.failed ? -1 : n;
}

static bool find_field(cri_span message, uint32_t number, cri_wire wire, cri_pb_field* field) {
  cri_pb_reader r = {message, false};
  bool found = false;
  cri_pb_field f;
  while (cri_pb_next(&r, &f)) {
    if (f.number == number && f.wire == wire) {
      *field = f;  // the last one counts
      found = true;
    }
  }
  return found && !r.failed;
}

// ---- tensors

static bool add_dim(cri_onnx_tensor* t, uint64_t dim) {
  if (t->rank == CRI_ONNX_MOST_RANK || dim > INT32_MAX) {
    return false;
  }
  t->dim[t->rank++] = (int64_t)dim;
  t->count *= (int64_t)dim;
  return t->count <= INT32_MAX;
}

static bool read_tensor(cri_onnx_tensor* t, cri_span message) {
  cri_pb_reader r = {message, false};
  cri_pb_field f;
  *t = (cri_onnx_tensor){.message = message, .count = 1};
  bool sane = true;
  while (sane && cri_pb_next(&r, &f)) {
    if (f.number == TENSOR_DIMS && f.wire == CRI_WIRE_VARINT) {
      sane = add_dim(t, f.value);
    } else if (f.number == TENSOR_DIMS && f.wire == CRI_WIRE_BYTES) {
      cri_pb_reader packed = {f.bytes, false};
      uint64_t dim;
      while (sane && cri_pb_varint(&packed, &dim)) {
        sane = add_dim(t, dim);
      }
      sane = sane && !packed.failed;
    } else if (f.number == TENSOR_TYPE && f.wire == CRI_WIRE_VARINT) {
      t->type = f.value <= INT32_MAX ? (int)f.value : -1;
    } else if (f.number == TENSOR_NAME && f.wire == CRI_WIRE_BYTES) {
      t->name = f.bytes;
    }
  }
  return sane && !r.failed;
}

static double from_bits(uint64_t bits, int type) {
  if (type == CRI_ONNX_FLOAT) {
    const uint32_t low = (uint32_t)bits;
    float value;
    memcpy(&value, &low, sizeof value);
    return (double)value;
  }
  if (type == CRI_ONNX_DOUBLE) {
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
  }
  return (double)(int64_t)bits;
}

// numbers of fixed size behind one another; false: not exactly `left` of them
static bool take_fixed(cri_span bytes, int type, double* x, int64_t* at, int64_t count) {
  const size_t size = type == CRI_ONNX_FLOAT ? 4 : 8;
  if (bytes.n % size != 0 || bytes.n / size > (uint64_t)(count - *at)) {
    return false;
  }
  cri_reader r = {.data = bytes.data, .n = bytes.n};
  for (size_t i = 0; i < bytes.n / size; i++) {
    x[(*at)++] = from_bits(cri_get_number(&r, (int)size), type);
  }
  return true;
}

static bool take_varints(cri_span bytes, double* x, int64_t* at, int64_t count) {
  cri_pb_reader r = {bytes, false};
  uint64_t value;
  while (cri_pb_varint(&r, &value)) {
    if (*at == count) {
      return false;
    }
    x[(*at)++] = (double)(int64_t)value;
  }
  return !r.failed;
}

bool cri_onnx_values(const cri_onnx_tensor* t, double* x) {
  const int type = t->type;
  const uint32_t typed = type == CRI_ONNX_FLOAT    ? TENSOR_FLOATS
                         : type == CRI_ONNX_DOUBLE ? TENSOR_DOUBLES
                                                   : TENSOR_INTS;
  cri_pb_reader r = {t->message, false};
  cri_pb_field f;
  int64_t at = 0;
  bool sane = type == CRI_ONNX_FLOAT || type == CRI_ONNX_DOUBLE || type == CRI_ONNX_INT64;
  while (sane && cri_pb_next(&r, &f)) {
    if (f.number == TENSOR_LOCATION && f.wire == CRI_WIRE_VARINT) {
      sane = f.value == 0;
    } else if (f.number == TENSOR_RAW && f.wire == CRI_WIRE_BYTES) {
      sane = take_fixed(f.bytes, type, x, &at, t->count);
    } else if (f.number == typed && type == CRI_ONNX_INT64 && f.wire == CRI_WIRE_VARINT) {
      sane = at < t->count;
      if (sane) {
        x[at++] = (double)(int64_t)f.value;
      }
    } else if (f.number == typed && type == CRI_ONNX_INT64 && f.wire == CRI_WIRE_BYTES) {
      sane = take_varints(f.bytes, x, &at, t->count);
    } else if (f.number == typed && f.wire != CRI_WIRE_VARINT) {
      sane = take_fixed(f.bytes, type, x, &at, t->count);
    }
  }
  return sane && !r.failed && at == t->count;
}

const cri_onnx_tensor* cri_onnx_find(const cri_onnx_graph* g, cri_span name) {
  for (int i = 0; i < g->ntensor && name.n > 0; i++) {
    if (cri_span_same(g->tensor[i].name, name)) {
      return &g->tensor[i];
    }
  }
  return NULL;
}

// ---- attributes

static bool find_attribute(const cri_onnx_node* node, const char* name, cri_span* attribute) {
  cri_pb_reader r = {node->message, false};
  cri_pb_field f, of_name;
  while (cri_pb_next(&r, &f)) {
    if (f.number == NODE_ATTRIBUTE && f.wire == CRI_WIRE_BYTES &&
        find_field(f.bytes, ATTRIBUTE_NAME, CRI_WIRE_BYTES, &of_name) &&
        cri_span_is(of_name.bytes, name)) {
      *attribute = f.bytes;
      return true;
    }
  }
  return false;
}

bool cri_onnx_has(const cri_onnx_node* node, const char* name) {
  cri_span attribute;
  return find_attribute(node, name, &attribute);
}

bool cri_onnx_int(const cri_onnx_node* node, const char* name, int64_t* value) {
  cri_span a;
  cri_pb_field f;
  if (!find_attribute(node, name, &a) || !find_field(a, ATTRIBUTE_I, CRI_WIRE_VARINT, &f)) {
    return false;
  }
  *value = (int64_t)f.value;
  return true;
}

bool cri_onnx_float(const cri_onnx_node* node, const char* name, double* value) {
  cri_span a;
  cri_pb_field f;
  if (!find_attribute(node, name, &a) || !find_field(a, ATTRIBUTE_F, CRI_WIRE_4, &f)) {
    return false;
  }
  *value = from_bits(f.value, CRI_ONNX_FLOAT);
  return true;
}

bool cri_onnx_text(const cri_onnx_node* node, const char* name, cri_span* value) {
  cri_span a;
  cri_pb_field f;
  if (!find_attribute(node, name, &a) || !find_field(a, ATTRIBUTE_S, CRI_WIRE_BYTES, &f)) {
    return false;
  }
  *value = f.bytes;
  return true;
}

bool cri_onnx_tensor_of(const cri_onnx_node* node, const char* name, cri_onnx_tensor* value) {
  cri_span a;
  cri_pb_field f;
  return find_attribute(node, name, &a) && find_field(a, ATTRIBUTE_T, CRI_WIRE_BYTES, &f) &&
         read_tensor(value, f.bytes);
}

bool cri_onnx_ints(const cri_onnx_node* node, const char* name, int64_t* values, int most, int* n) {
  cri_span a;
  cri_pb_field f;
  uint64_t value;
  *n = 0;
  if (!find_attribute(node, name, &a)) {
    return false;
  }
  cri_pb_reader r = {a, false};
  while (cri_pb_next(&r, &f)) {
    if (f.number != ATTRIBUTE_INTS || (f.wire != CRI_WIRE_VARINT && f.wire != CRI_WIRE_BYTES)) {
      continue;
    }
    cri_pb_reader packed = {f.bytes, false};
    bool more = f.wire == CRI_WIRE_VARINT || cri_pb_varint(&packed, &value);
    while (more && *n <= most) {
      if (*n < most) {
        values[*n] = (int64_t)(f.wire == CRI_WIRE_VARINT ? f.value : value);
      }
      (*n)++;
      more = f.wire == CRI_WIRE_BYTES && cri_pb_varint(&packed, &value);
    }
  }
  return !r.failed;
}

// ---- nodes and the graph

static bool read_node(cri_onnx_node* node, cri_span message) {
  cri_pb_reader r = {message, false};
  cri_pb_field f;
  *node = (cri_onnx_node){.message = message};
  while (cri_pb_next(&r, &f)) {
    if (f.wire != CRI_WIRE_BYTES) {
      continue;
    }
    switch (f.number) {
      case NODE_INPUT:
        if (node->ninput < CRI_ONNX_MOST_INPUTS) {
          node->input[node->ninput] = f.bytes;
        }
        node->ninput++;
        break;
      case NODE_OUTPUT:
        if (node->noutput < CRI_ONNX_MOST_INPUTS) {
          node->output[node->noutput] = f.bytes;
        }
        node->noutput++;
        break;
      case NODE_NAME:
        node->name = f.bytes;
        break;
      case NODE_OP:
        node->op = f.bytes;
        break;
      case NODE_DOMAIN:
        node->domain = f.bytes;
        break;
      default:
        break;
    }
  }
  return !r.failed;
}

// what a node Constant gives becomes a tensor of the name of its output
static bool add_constant(cri_onnx_graph* g, const cri_onnx_node* node) {
  cri_onnx_tensor* t = &g->tensor[g->ntensor];
  if (!cri_span_is(node->op, "Constant") || node->noutput != 1 || !cri_onnx_has(node, "value")) {
    return true;
  }
  if (!cri_onnx_tensor_of(node, "value", t)) {
    return false;
  }
  t->name = node->output[0];
  g->ntensor++;
  return true;
}

static cri_span name_of_value(cri_span message) {
  cri_pb_field f = {0};
  (void)find_field(message, VALUE_NAME, CRI_WIRE_BYTES, &f);
  return f.bytes;
}

static cr_status too_long(const cri_onnx_node* node, const char* path, cr_error* error) {
  char text[CRI_SPAN_TEXT];
  return cri_fail(error, CR_ERR_UNSUPPORTED, "%s: node '%s' has more than %d inputs or outputs",
                  path, cri_span_text(node->name, text), CRI_ONNX_MOST_INPUTS);
}

static cr_status fill_graph(cri_onnx_graph* g, cri_span message, const char* path,
                            cr_error* error) {
  cri_pb_reader r = {message, false};
  cri_pb_field f;
  while (cri_pb_next(&r, &f)) {
    if (f.wire == CRI_WIRE_BYTES && f.number == GRAPH_INITIALIZER) {
      if (!read_tensor(&g->tensor[g->ntensor++], f.bytes)) {
        return damaged(path, error);
      }
    } else if (f.wire == CRI_WIRE_BYTES && f.number == GRAPH_NODE) {
      cri_onnx_node* node = &g->node[g->nnode++];
      if (!read_node(node, f.bytes)) {
        return damaged(path, error);
      }
      if (node->ninput > CRI_ONNX_MOST_INPUTS || node->noutput > CRI_ONNX_MOST_INPUTS) {
        return too_long(node, path, error);
      }
      if (!add_constant(g, node)) {
        return damaged(path, error);
      }
    }
  }
  // old files list constants among the inputs
  r = (cri_pb_reader){message, false};
  while (cri_pb_next(&r, &f)) {
    const cri_span name = f.wire == CRI_WIRE_BYTES ? name_of_value(f.bytes) : (cri_span){0};
    if (f.number == GRAPH_INPUT && g->input.n == 0 && cri_onnx_find(g, name) == NULL) {
      g->input = name;
    } else if (f.number == GRAPH_OUTPUT && g->output.n == 0) {
      g->output = name;
    }
  }
  return g->input.n > 0 && g->output.n > 0 ? CR_OK : damaged(path, error);
}

void cri_onnx_graph_free(cri_onnx_graph* g) {
  free(g->node);
  free(g->tensor);
  *g = (cri_onnx_graph){0};
}

cr_status cri_onnx_graph_read(cri_onnx_graph* g, cri_span file, const char* path, cr_error* error) {
  cri_pb_field graph = {0};
  *g = (cri_onnx_graph){0};
  if (!find_field(file, MODEL_GRAPH, CRI_WIRE_BYTES, &graph)) {
    return damaged(path, error);
  }
  const int nodes = count_fields(graph.bytes, GRAPH_NODE),
            tensors = count_fields(graph.bytes, GRAPH_INITIALIZER);
  if (nodes < 0 || tensors < 0) {
    return damaged(path, error);
  }
  if (nodes > CRI_ONNX_MOST_NODES || tensors > CRI_ONNX_MOST_NODES) {
    return cri_fail(error, CR_ERR_UNSUPPORTED, "%s: more than %d nodes or constants", path,
                    CRI_ONNX_MOST_NODES);
  }
  g->node = calloc((size_t)nodes + 1, sizeof *g->node);
  g->tensor = calloc((size_t)nodes + (size_t)tensors + 1, sizeof *g->tensor);
  cr_status status = g->node == NULL || g->tensor == NULL
                         ? cri_fail(error, CR_ERR_MEMORY, "%s: no memory", path)
                         : fill_graph(g, graph.bytes, path, error);
  if (status != CR_OK) {
    cri_onnx_graph_free(g);
  }
  return status;
}
