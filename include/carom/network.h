// SPDX-License-Identifier: Apache-2.0
// Networks: layers without weights. The weights are a plain array of the caller, so that they can be parameters of a
// model (carom/correction.h) or anything that an optimiser moves. carom/learned.h has networks with weights, which are
// trained on arrays and saved.
#ifndef CAROM_NETWORK_H
#define CAROM_NETWORK_H

#include "carom/base.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { CR_MAX_NETWORK_LAYERS = 64, CR_MAX_NETWORK_WEIGHTS = 1 << 24 };

/// Activation functions.
/// Equation tanh s; ELU s > 0 ? s : exp(s) - 1; ReLU max(s, 0); softplus log(1 + exp(s)); sigmoid 1 / (1 + exp(-s));
///          SiLU s / (1 + exp(-s)); sine sin s                                           [network.a1]
typedef enum {
  CR_ACTIVATION_IDENTITY,
  CR_ACTIVATION_TANH,
  CR_ACTIVATION_ELU,
  CR_ACTIVATION_RELU,
  CR_ACTIVATION_SOFTPLUS,
  CR_ACTIVATION_SIGMOID,
  CR_ACTIVATION_SILU,
  CR_ACTIVATION_SINE
} cr_activation;

/// Kinds of layers. Weights stand layer after layer.
/// DENSE    y = activation(W x + b). Weights W[width][in], b[width]                       [network.d1]
/// GRU      r = sigmoid(Wir x + bir + Whr h + bhr), z = sigmoid(Wiz x + biz + Whz h + bhz),
///          n = tanh(Win x + bin + r (Whn h + bhn)), y = h_next = (1 - z) n + z h          [network.g1]
///          as in PyTorch, whose order of gates it has: Wi[3 width][in], Wh[3 width][width], bi[3 width],
///          bh[3 width], each r, z, n. Its activation does not count
/// LSTM     i = sigmoid(Wii x + bii + Whi h + bhi), f and o the same with their own, g = tanh(Wig x + big + Whg h + bhg),
///          c_next = f c + i g, y = h_next = o tanh(c_next)                                 [network.l1]
///          as in PyTorch: Wi[4 width][in], Wh[4 width][width], bi[4 width], bh[4 width], each i, f, g, o. It remembers
///          h[width], then c[width]. Its activation does not count
/// In both directions (both_directions) a second layer of the kind runs from the last row to the first. Its weights stand
/// behind those of the first, its memory too, and its outputs beside: 2 width outputs a row, as in PyTorch.
typedef enum { CR_LAYER_DENSE, CR_LAYER_GRU, CR_LAYER_LSTM } cr_layer_kind;

typedef struct {
  size_t size;  // sizeof(cr_layer), set by the caller
  cr_layer_kind kind;
  int width;  // of its output
  cr_activation activation;
  bool both_directions;  // of recurrent layers, for sequences only: cr_network_create refuses it
} cr_layer;

/// A network: constant, and may be used by several threads at once.
typedef struct cr_network cr_network;

/// Owner    the caller, cr_network_destroy; layers are copied
/// Errors   CR_ERR_ARG naming the layer; CR_ERR_UNSUPPORTED; CR_ERR_MEMORY
CR_API cr_status cr_network_create(cr_network** network, int ninput, const cr_layer* layers,
                                   int nlayer, cr_error* error);
CR_API void cr_network_destroy(cr_network* network);

/// The same for whole sequences (cr_sequences_create): layers may go in both directions. The calls for one step below then
/// give outputs that are NaN, and cotangents that are left as they are.
CR_API cr_status cr_network_create_for_sequences(cr_network** network, int ninput,
                                                 const cr_layer* layers, int nlayer,
                                                 cr_error* error);

/// Layers, and layer `layer` as it was given.
/// Errors   CR_ERR_ARG
CR_API int cr_network_nlayer(const cr_network* network);
CR_API cr_status cr_network_get_layer(const cr_network* network, int layer, cr_layer* as_given,
                                      cr_error* error);

/// Numbers of the input, of the output, of all weights, of what recurrent layers remember (h of each, and c of LSTM),
/// and of the room that an evaluation needs. 0 for NULL.
CR_API int cr_network_ninput(const cr_network* network);
CR_API int cr_network_noutput(const cr_network* network);
CR_API int cr_network_nweight(const cr_network* network);
CR_API int cr_network_nmemory(const cr_network* network);
CR_API int cr_network_nroom(const cr_network* network);

/// Where the matrix of a layer by its input stands in the weights: from *first on, rows x columns, row after row; of two
/// directions the first. All other weights of the layer follow behind it.
/// Errors   CR_ERR_ARG
CR_API cr_status cr_network_weight_range(const cr_network* network, int layer, int* first,
                                         int* rows, int* columns, cr_error* error);

/// Groups for the lasso by inputs: group i has the weights of input i in the first layer, all others are -1. An input whose
/// group is 0 is not used.
/// Shapes   group[nweight]
/// Errors   CR_ERR_ARG
CR_API cr_status cr_network_input_groups(const cr_network* network, int32_t* group,
                                         cr_error* error);

/// First weights, uniform in +-1/sqrt(numbers that a unit sums); with zero_output those of the last layer are 0.
/// Shapes   weight[nweight]
CR_API cr_status cr_network_init(const cr_network* network, uint64_t seed, bool zero_output,
                                 cr_real* weight, cr_error* error);

/// An evaluation. Nothing allocates, and there is nothing to fail; with a NULL that may not be one, nothing happens.
/// Map      (weight, input, memory) -> output, memory_next
/// Shapes   input[ninput], output[noutput], memory[nmemory], memory_next[nmemory], room[nroom]. memory and memory_next
///          may be NULL without memory
/// Saves    in room what the derivatives need
CR_API void cr_network_forward(const cr_network* network, const cr_real* weight,
                               const cr_real* input, const cr_real* memory, cr_real* output,
                               cr_real* memory_next, cr_real* room);

/// Its tangents; weight_tan and memory_tan may be NULL: 0. Writes to the end of room, not to what forward saved.
CR_API void cr_network_jvp(const cr_network* network, const cr_real* weight,
                           const cr_real* weight_tan, const cr_real* input_tan,
                           const cr_real* memory_tan, cr_real* output_tan, cr_real* memory_next_tan,
                           cr_real* room);

/// Adds to the cotangents weight_bar, input_bar, memory_bar; each may be NULL: not wanted. memory_next_bar may be NULL:
/// 0. Writes to the end of room.
CR_API void cr_network_vjp(const cr_network* network, const cr_real* weight,
                           const cr_real* output_bar, const cr_real* memory_next_bar,
                           cr_real* weight_bar, cr_real* input_bar, cr_real* memory_bar,
                           cr_real* room);

/// Whole sequences, many at once: a network evaluated row by row from a memory at the start, and backward through time.
/// Rows of a network without recurrent layers are sequences of length 1. In a library with OpenBLAS (CAROM_IO=ON) its
/// products do the work.
/// Equation forward: memory_t+1, output_t = network(input_t, memory_t); a layer in both directions runs over its
///          inputs of all times                                                            [network.s1]
typedef struct cr_sequences cr_sequences;

/// Owner    the caller, cr_sequences_destroy; the network is copied
/// Errors   CR_ERR_ARG, CR_ERR_MEMORY
CR_API cr_status cr_sequences_create(cr_sequences** sequences, const cr_network* network,
                                     cr_error* error);
CR_API void cr_sequences_destroy(cr_sequences* sequences);

/// Sets how long each sequence is, and makes room; nothing else below allocates. Rows of the calls below are those of the
/// first sequence, then those of the second, and so on.
/// Shapes   length[nsequence], each 1 or more
/// Errors   CR_ERR_ARG naming the sequence; CR_ERR_MEMORY
CR_API cr_status cr_sequences_set_lengths(cr_sequences* sequences, const int32_t* length,
                                          int nsequence, cr_error* error);

/// Rows of all sequences: the sum of their lengths. 0 for NULL.
CR_API int cr_sequences_nrow(const cr_sequences* sequences);

/// Map      (weight, input, memory) -> output, memory_end
/// Shapes   weight[nweight], input[nrow][ninput], output[nrow][noutput], memory[nsequence][nmemory],
///          memory_end[nsequence][nmemory]. memory NULL: 0; memory_end NULL: not wanted. A layer that goes backward has
///          its memory at the last row, and its memory_end at the first
/// Errors   CR_ERR_ARG
CR_API cr_status cr_sequences_forward(cr_sequences* sequences, const cr_real* weight,
                                      const cr_real* input, const cr_real* memory, cr_real* output,
                                      cr_real* memory_end, cr_error* error);

/// Its tangents; weight_tan and memory_tan may be NULL: 0, memory_end_tan NULL: not wanted.
/// Errors   CR_ERR_ARG, also before cr_sequences_forward
CR_API cr_status cr_sequences_jvp(cr_sequences* sequences, const cr_real* weight,
                                  const cr_real* weight_tan, const cr_real* input_tan,
                                  const cr_real* memory_tan, cr_real* output_tan,
                                  cr_real* memory_end_tan, cr_error* error);

/// Adds to the cotangents weight_bar, input_bar, memory_bar; each may be NULL: not wanted. memory_end_bar may be NULL: 0.
/// Errors   CR_ERR_ARG, also before cr_sequences_forward
CR_API cr_status cr_sequences_vjp(cr_sequences* sequences, const cr_real* weight,
                                  const cr_real* output_bar, const cr_real* memory_end_bar,
                                  cr_real* weight_bar, cr_real* input_bar, cr_real* memory_bar,
                                  cr_error* error);

#ifdef __cplusplus
}
#endif
#endif
