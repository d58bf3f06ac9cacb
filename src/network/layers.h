// SPDX-License-Identifier: Apache-2.0
// One layer of a network, evaluated and differentiated. carom/network.h has the equations.
#ifndef CR_NETWORK_LAYERS_H
#define CR_NETWORK_LAYERS_H

#include "base/real.h"
#include "carom/network.h"

/// A layer with its place in the network. Offsets: of its weights, of what it remembers, and of its numbers in the room.
typedef struct {
  cr_layer_kind kind;
  cr_activation activation;
  int in, width;
  int weight, memory, room;
} cri_layer;

int cri_layer_weights(const cri_layer* l);
int cri_layer_memory(const cri_layer* l);
int cri_layer_room(const cri_layer* l);
int cri_layer_scratch(const cri_layer* l);

/// activation(s) and its slope. [network.a1]
cr_real cri_activation(cr_activation kind, cr_real s);
cr_real cri_activation_slope(cr_activation kind, cr_real s);

/// What all calls of a layer get: its own weights and saved numbers, the input, the memory (GRU).
typedef struct {
  const cr_real *weight, *x, *h;
  cr_real* saved;
  cr_real* scratch;
} cri_layer_call;

/// y[width] from x; the memory after it of a GRU is y.
void cri_dense_forward(const cri_layer* l, const cri_layer_call* c, cr_real* y);
void cri_gru_forward(const cri_layer* l, const cri_layer_call* c, cr_real* y);

/// y_tan from x_tan; weight_tan, h_tan may be NULL.
void cri_dense_jvp(const cri_layer* l, const cri_layer_call* c, const cr_real* weight_tan,
                   const cr_real* x_tan, cr_real* y_tan);
void cri_gru_jvp(const cri_layer* l, const cri_layer_call* c, const cr_real* weight_tan,
                 const cr_real* x_tan, const cr_real* h_tan, cr_real* y_tan);

/// Adds to weight_bar, x_bar, h_bar, each NULL where it is not wanted.
void cri_dense_vjp(const cri_layer* l, const cri_layer_call* c, const cr_real* y_bar,
                   cr_real* weight_bar, cr_real* x_bar);
void cri_gru_vjp(const cri_layer* l, const cri_layer_call* c, const cr_real* y_bar,
                 cr_real* weight_bar, cr_real* x_bar, cr_real* h_bar);

/// y[m] = W x + b, W of m rows and n columns; b NULL: 0. And y += W x.
void cri_affine(int m, int n, const cr_real* W, const cr_real* b, const cr_real* x, cr_real* y);
void cri_affine_add(int m, int n, const cr_real* W, const cr_real* x, cr_real* y);

/// x += W' y; W_bar += y (x) x.
void cri_affine_back(int m, int n, const cr_real* W, const cr_real* y, cr_real* x);
void cri_affine_outer(int m, int n, const cr_real* y, const cr_real* x, cr_real* W_bar);

#endif
