// SPDX-License-Identifier: Apache-2.0
// Sizes of layers, and where their weights stand.
#include "network/layers.h"

int cri_layer_gates(const cri_layer* l) {
  return l->kind == CR_LAYER_GRU ? 3 : l->kind == CR_LAYER_LSTM ? 4 : 1;
}

int cri_layer_states(const cri_layer* l) {
  return l->kind == CR_LAYER_GRU ? 1 : l->kind == CR_LAYER_LSTM ? 2 : 0;
}

int cri_layer_saves(const cri_layer* l) {
  return l->kind == CR_LAYER_GRU ? 5 : l->kind == CR_LAYER_LSTM ? 7 : 1;
}

int cri_layer_direction(const cri_layer* l) {
  return cri_is_recurrent(l) ? cri_layer_gates(l) * l->width * (l->in + l->width + 2)
                             : l->width * (l->in + 1);
}

int cri_layer_weights(const cri_layer* l) { return l->directions * cri_layer_direction(l); }

int cri_layer_memory(const cri_layer* l) { return l->directions * cri_layer_states(l) * l->width; }

int cri_layer_output(const cri_layer* l) { return l->directions * l->width; }

int cri_layer_room(const cri_layer* l) { return (cri_layer_saves(l) + 1) * l->width; }

// a and b, and the cotangent of the memory behind a step
int cri_layer_scratch(const cri_layer* l) {
  return cri_is_recurrent(l) ? (2 * cri_layer_gates(l) + cri_layer_states(l)) * l->width : l->width;
}

cri_weights cri_weights_of(const cri_layer* l, const cr_real* weight) {
  const int rows = cri_layer_gates(l) * l->width;
  cr_real* w = (cr_real*)(uintptr_t)weight;
  if (!cri_is_recurrent(l)) {
    return (cri_weights){.Wi = w, .bi = w + rows * l->in};
  }
  cr_real* bi = w + rows * (l->in + l->width);
  return (cri_weights){.Wi = w, .Wh = w + rows * l->in, .bi = bi, .bh = bi + rows};
}
