// SPDX-License-Identifier: Apache-2.0
// The graph of an ONNX file: nodes, constant tensors, names. It knows the format, and no operator. Everything in it points into
// the bytes of the file. The format: https://github.com/onnx/onnx/blob/main/onnx/onnx.proto
#ifndef CR_TOOLS_ONNX_GRAPH_H
#define CR_TOOLS_ONNX_GRAPH_H

#include "base/status.h"
#include "tools/protobuf.h"

enum {
  CRI_ONNX_MOST_NODES = 4096,
  CRI_ONNX_MOST_INPUTS = 8,
  CRI_ONNX_MOST_RANK = 4,
  CRI_ONNX_FLOAT = 1,
  CRI_ONNX_INT64 = 7,
  CRI_ONNX_DOUBLE = 11
};

/// A constant: an initialiser, or what a node Constant gives. count: product of its dims.
typedef struct {
  cri_span name, message;
  int64_t dim[CRI_ONNX_MOST_RANK], count;
  int rank, type;
} cri_onnx_tensor;

typedef struct {
  cri_span name, op, domain, message;
  cri_span input[CRI_ONNX_MOST_INPUTS], output[CRI_ONNX_MOST_INPUTS];
  int ninput, noutput;
} cri_onnx_node;

typedef struct {
  cri_onnx_node* node;
  cri_onnx_tensor* tensor;
  int nnode, ntensor;
  cri_span input, output;  // the first input that is no constant; the first output
} cri_onnx_graph;

/// Errors   CR_ERR_FORMAT where the file is damaged; CR_ERR_UNSUPPORTED for what is beyond the sizes above; CR_ERR_MEMORY
cr_status cri_onnx_graph_read(cri_onnx_graph* graph, cri_span file, const char* path,
                              cr_error* error);
void cri_onnx_graph_free(cri_onnx_graph* graph);

/// The constant of a name; NULL: there is none.
const cri_onnx_tensor* cri_onnx_find(const cri_onnx_graph* graph, cri_span name);

/// The numbers of a constant: float, double or int64.
/// Shapes   x[count]
/// Errors   false: another type, external data, or not as many numbers as its dims say
bool cri_onnx_values(const cri_onnx_tensor* tensor, double* x);

/// An attribute of a node: false where there is none of the name, and *value is left.
bool cri_onnx_int(const cri_onnx_node* node, const char* name, int64_t* value);
bool cri_onnx_float(const cri_onnx_node* node, const char* name, double* value);
bool cri_onnx_text(const cri_onnx_node* node, const char* name, cri_span* value);
/// *n integers of a list, `most` at most (more: *n is most + 1).
bool cri_onnx_ints(const cri_onnx_node* node, const char* name, int64_t* values, int most, int* n);
bool cri_onnx_tensor_of(const cri_onnx_node* node, const char* name, cri_onnx_tensor* value);
bool cri_onnx_has(const cri_onnx_node* node, const char* name);

#endif
