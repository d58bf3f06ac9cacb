// SPDX-License-Identifier: Apache-2.0
// Dense layers. Saved: the slopes of the activation, then the output.
#include "network/layers.h"

void cri_dense_row(const cri_layer* l, cr_real* s, cr_real* slope) {
  for (int i = 0; i < l->width; i++) {
    const cr_real x = s[i];
    s[i] = cri_activation(l->activation, x);
    slope[i] = l->activation == CR_ACTIVATION_TANH ? 1 - s[i] * s[i]
                                                   : cri_activation_slope(l->activation, x);
  }
}

void cri_dense_forward(const cri_layer* l, const cri_layer_call* c, cr_real* y) {
  // [network.d1]
  cri_affine(l->width, l->in, c->weight, c->weight + l->width * l->in, c->x, y);
  cri_dense_row(l, y, c->saved);
}

void cri_dense_jvp(const cri_layer* l, const cri_layer_call* c, const cr_real* weight_tan,
                   const cr_real* x_tan, cr_real* y_tan) {
  // [network.d1]
  const cr_real* b_tan = weight_tan != NULL ? weight_tan + l->width * l->in : NULL;
  cri_affine(l->width, l->in, c->weight, b_tan, x_tan, y_tan);
  if (weight_tan != NULL) {
    cri_affine_add(l->width, l->in, weight_tan, c->x, y_tan);
  }
  for (int i = 0; i < l->width; i++) {
    y_tan[i] *= c->saved[i];
  }
}

void cri_dense_vjp(const cri_layer* l, const cri_layer_call* c, const cr_real* y_bar,
                   cr_real* weight_bar, cr_real* x_bar) {
  // [network.d1]'
  cr_real* s_bar = c->scratch;
  for (int i = 0; i < l->width; i++) {
    s_bar[i] = y_bar[i] * c->saved[i];
  }
  if (x_bar != NULL) {
    cri_affine_back(l->width, l->in, c->weight, s_bar, x_bar);
  }
  if (weight_bar != NULL) {
    cri_affine_outer(l->width, l->in, s_bar, c->x, weight_bar);
    for (int i = 0; i < l->width; i++) {
      weight_bar[l->width * l->in + i] += s_bar[i];
    }
  }
}
