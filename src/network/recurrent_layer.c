// SPDX-License-Identifier: Apache-2.0
// Recurrent layers within a step: the products of one row, then its cell.
#include "network/layers.h"

void cri_recurrent_forward(const cri_layer* l, const cri_layer_call* c, cr_real* next) {
  const int n = l->width, rows = cri_layer_gates(l) * n;
  const cri_weights w = cri_weights_of(l, c->weight);
  cr_real *a = c->scratch, *b = a + rows;
  cri_affine(rows, l->in, w.Wi, w.bi, c->x, a);
  cri_affine(rows, n, w.Wh, w.bh, c->h, b);
  cri_cell_forward_of(l)(n, a, b, c->h, c->saved, next);
}

// the h before the step
static const cr_real* h_of(const cri_layer* l, const cri_layer_call* c) {
  return c->saved + (cri_layer_saves(l) - 1) * l->width;
}

void cri_recurrent_jvp(const cri_layer* l, const cri_layer_call* c, const cr_real* weight_tan,
                       const cr_real* x_tan, const cr_real* h_tan, cr_real* next_tan) {
  const int n = l->width, rows = cri_layer_gates(l) * n;
  const cri_weights w = cri_weights_of(l, c->weight);
  cr_real *a = c->scratch, *b = a + rows;
  cri_weights t = {0};
  if (weight_tan != NULL) {
    t = cri_weights_of(l, weight_tan);
  }
  cri_affine(rows, l->in, w.Wi, t.bi, x_tan, a);
  cr_zero(b, rows);
  if (h_tan != NULL) {
    cri_affine(rows, n, w.Wh, NULL, h_tan, b);
  }
  if (weight_tan != NULL) {
    cri_affine_add(rows, l->in, t.Wi, c->x, a);
    cri_affine_add(rows, n, t.Wh, h_of(l, c), b);
    for (int i = 0; i < rows; i++) {
      b[i] += t.bh[i];
    }
  }
  (l->kind == CR_LAYER_GRU ? cri_gru_jvp : cri_lstm_jvp)(n, c->saved, a, b, h_tan, next_tan);
}

void cri_recurrent_vjp(const cri_layer* l, const cri_layer_call* c, const cr_real* y_bar,
                       const cr_real* next_bar, cr_real* weight_bar, cr_real* x_bar,
                       cr_real* h_bar) {
  const int n = l->width, rows = cri_layer_gates(l) * n, states = cri_layer_states(l) * n;
  const cri_weights w = cri_weights_of(l, c->weight);
  cr_real *a = c->scratch, *b = a + rows, *bar = b + rows;
  cr_zero(bar, states);
  cr_copy(bar, y_bar, n);
  for (int i = 0; i < states && next_bar != NULL; i++) {
    bar[i] += next_bar[i];
  }
  cri_cell_vjp_of(l)(n, c->saved, bar, a, b, h_bar);
  if (x_bar != NULL) {
    cri_affine_back(rows, l->in, w.Wi, a, x_bar);
  }
  if (h_bar != NULL) {
    cri_affine_back(rows, n, w.Wh, b, h_bar);
  }
  if (weight_bar != NULL) {
    const cri_weights out = cri_weights_of(l, weight_bar);
    cri_affine_outer(rows, l->in, a, c->x, out.Wi);
    cri_affine_outer(rows, n, b, h_of(l, c), out.Wh);
    for (int i = 0; i < rows; i++) {
      out.bi[i] += a[i];
      out.bh[i] += b[i];
    }
  }
}
