// SPDX-License-Identifier: Apache-2.0
// One layer of a network, evaluated and differentiated. carom/network.h has the equations. A layer is products with its
// matrices and then a function of each row of numbers (the activation, or the gates of a cell). A step (this file) and sequences
// (network/sequences.h) share these functions, so that both compute the same layer.
#ifndef CR_NETWORK_LAYERS_H
#define CR_NETWORK_LAYERS_H

#include "base/real.h"
#include "carom/network.h"

/// A layer with its place in the network. Offsets: of its weights, of what it remembers, and of its numbers in the room of
/// a step. width is that of one direction; directions is 2 for both, of sequences only.
typedef struct {
  cr_layer_kind kind;
  cr_activation activation;
  int in, width, directions;
  int weight, memory, room;
} cri_layer;

/// Layers of a network, in a struct that other files of the folder see too.
/// room: the input, then of each layer what it saves and its output, then scratch, then two vectors as wide as the
/// widest layer
struct cr_network {
  int ninput, noutput, nweight, nmemory, nroom, nlayer, scratch, widest;
  bool sequences;  // a layer goes in both directions: there is no step
  cri_layer layer[CR_MAX_NETWORK_LAYERS];
};

/// Numbers of a row that are summed for each output (1, GRU 3, LSTM 4), of memory (0, h, h and c) and of what is saved,
/// the last two in units of width.
int cri_layer_gates(const cri_layer* l);
int cri_layer_states(const cri_layer* l);
int cri_layer_saves(const cri_layer* l);

/// Weights of one direction, and numbers of all directions: of weights, memory, output, room and scratch of a step.
int cri_layer_direction(const cri_layer* l);
int cri_layer_weights(const cri_layer* l);
int cri_layer_memory(const cri_layer* l);
int cri_layer_output(const cri_layer* l);
int cri_layer_room(const cri_layer* l);
int cri_layer_scratch(const cri_layer* l);

static inline bool cri_is_recurrent(const cri_layer* l) { return l->kind != CR_LAYER_DENSE; }

/// The parts of the weights of one direction, or of their tangents or cotangents. Dense layers have Wi and bi alone.
typedef struct {
  cr_real *Wi, *Wh, *bi, *bh;
} cri_weights;
cri_weights cri_weights_of(const cri_layer* l, const cr_real* weight);

/// activation(s) and its slope. [network.a1]
cr_real cri_activation(cr_activation kind, cr_real s);
cr_real cri_activation_slope(cr_activation kind, cr_real s);

/// A row of a dense layer: s[n] becomes the output, slope[n] is saved.
void cri_dense_row(const cri_layer* l, cr_real* s, cr_real* slope);

/// A row of a cell. a = Wi x + bi and b = Wh h + bh, gate after gate; memory and next are h, or h and c, and may be
/// the same; saved[saves] ends with the h before. The output is the h of next.
/// jvp: of a, b and memory (NULL: 0). vjp: a_bar and b_bar are written, memory_bar added to, NULL where it is not wanted.
typedef void cri_cell_forward(int n, const cr_real* a, const cr_real* b, const cr_real* memory,
                              cr_real* saved, cr_real* next);
typedef void cri_cell_jvp(int n, const cr_real* saved, const cr_real* a, const cr_real* b,
                          const cr_real* memory, cr_real* next);
typedef void cri_cell_vjp(int n, const cr_real* saved, const cr_real* next_bar, cr_real* a_bar,
                          cr_real* b_bar, cr_real* memory_bar);
cri_cell_forward cri_gru_forward, cri_lstm_forward;
cri_cell_jvp cri_gru_jvp, cri_lstm_jvp;
cri_cell_vjp cri_gru_vjp, cri_lstm_vjp;

static inline cri_cell_forward* cri_cell_forward_of(const cri_layer* l) {
  return l->kind == CR_LAYER_GRU ? cri_gru_forward : cri_lstm_forward;
}
static inline cri_cell_vjp* cri_cell_vjp_of(const cri_layer* l) {
  return l->kind == CR_LAYER_GRU ? cri_gru_vjp : cri_lstm_vjp;
}

/// What all calls of a layer in a step get: its own weights and saved numbers, the input, the memory.
typedef struct {
  const cr_real *weight, *x, *h;
  cr_real* saved;
  cr_real* scratch;
} cri_layer_call;

/// y[width] from x; recurrent layers write the memory after it, which begins with y.
void cri_dense_forward(const cri_layer* l, const cri_layer_call* c, cr_real* y);
void cri_recurrent_forward(const cri_layer* l, const cri_layer_call* c, cr_real* next);

/// y_tan from x_tan; weight_tan, h_tan may be NULL.
void cri_dense_jvp(const cri_layer* l, const cri_layer_call* c, const cr_real* weight_tan,
                   const cr_real* x_tan, cr_real* y_tan);
void cri_recurrent_jvp(const cri_layer* l, const cri_layer_call* c, const cr_real* weight_tan,
                       const cr_real* x_tan, const cr_real* h_tan, cr_real* next_tan);

/// Adds to weight_bar, x_bar, h_bar, each NULL where it is not wanted. next_bar NULL: 0; y_bar is added to its beginning.
void cri_dense_vjp(const cri_layer* l, const cri_layer_call* c, const cr_real* y_bar,
                   cr_real* weight_bar, cr_real* x_bar);
void cri_recurrent_vjp(const cri_layer* l, const cri_layer_call* c, const cr_real* y_bar,
                       const cr_real* next_bar, cr_real* weight_bar, cr_real* x_bar,
                       cr_real* h_bar);

/// Sum of a_k b_k, in four parts.
cr_real cri_dot(int n, const cr_real* a, const cr_real* b);

/// y[m] = W x + b, W of m rows and n columns; b NULL: 0. And y += W x.
void cri_affine(int m, int n, const cr_real* W, const cr_real* b, const cr_real* x, cr_real* y);
void cri_affine_add(int m, int n, const cr_real* W, const cr_real* x, cr_real* y);

/// x += W' y; W_bar += y (x) x.
void cri_affine_back(int m, int n, const cr_real* W, const cr_real* y, cr_real* x);
void cri_affine_outer(int m, int n, const cr_real* y, const cr_real* x, cr_real* W_bar);

#endif
