// SPDX-License-Identifier: Apache-2.0
// Networks: checks, counts, first weights, and the loop over the layers. What is public is documented in
// carom/network.h.
#include "carom/network.h"

#include <stdlib.h>

#include "base/random.h"
#include "base/status.h"
#include "model/misuse.h"
#include "network/layers.h"

// where the output stands, behind what the layer saves
static int output_at(const cri_layer* l) { return l->room + cri_layer_room(l) - l->width; }

// ---- creation

static cr_status check_layer(const cr_layer* l, bool sequences, int k, cr_error* error) {
  if (l->size < sizeof *l) {
    return cri_fail(error, CR_ERR_ARG,
                    "layer %d: the member size of cr_layer is %zu; set it to sizeof(cr_layer)", k,
                    l->size);
  }
  if (l->kind < CR_LAYER_DENSE || l->kind > CR_LAYER_LSTM) {
    return cri_fail(error, CR_ERR_ARG, "layer %d: there is no kind of layer %d", k, (int)l->kind);
  }
  if (l->both_directions && l->kind == CR_LAYER_DENSE) {
    return cri_fail(error, CR_ERR_ARG, "layer %d: a dense layer has no direction", k);
  }
  if (l->both_directions && !sequences) {
    return cri_fail(error, CR_ERR_UNSUPPORTED,
                    "layer %d: both_directions is of sequences (cr_network_create_for_sequences)",
                    k);
  }
  if (l->activation < CR_ACTIVATION_IDENTITY || l->activation > CR_ACTIVATION_SINE) {
    return cri_fail(error, CR_ERR_ARG, "layer %d: there is no activation %d", k,
                    (int)l->activation);
  }
  return CR_OK;
}

// with the weights before it, no more than may be
static bool has_sane_width(const cri_layer* l) {
  const int64_t gates = cri_layer_gates(l), most = CR_MAX_NETWORK_WEIGHTS;
  if (l->width < 1 || l->width > most) {
    return false;
  }
  const int64_t columns = (int64_t)l->in + (cri_is_recurrent(l) ? l->width + 2 : 1);
  return l->weight + l->directions * gates * l->width * columns <= most;
}

static cr_status place_layers(cr_network* n, const cr_layer* layers, bool sequences,
                              cr_error* error) {
  int in = n->ninput;
  n->nroom = n->widest = n->ninput;
  for (int k = 0; k < n->nlayer; k++) {
    CR_TRY(check_layer(&layers[k], sequences, k, error));
    cri_layer* l = &n->layer[k];
    *l = (cri_layer){.kind = layers[k].kind,
                     .activation = layers[k].activation,
                     .in = in,
                     .width = layers[k].width,
                     .directions = layers[k].both_directions ? 2 : 1,
                     .weight = n->nweight,
                     .memory = n->nmemory,
                     .room = n->nroom};
    if (!has_sane_width(l)) {
      return cri_fail(error, CR_ERR_ARG, "layer %d: width %d (1 to %d weights in all)", k, l->width,
                      CR_MAX_NETWORK_WEIGHTS);
    }
    n->sequences = n->sequences || l->directions == 2;
    n->nweight += cri_layer_weights(l);
    n->nmemory += cri_layer_memory(l);
    n->nroom += cri_layer_room(l);
    n->scratch = cri_layer_scratch(l) > n->scratch ? cri_layer_scratch(l) : n->scratch;
    in = cri_layer_output(l);
    n->widest = in > n->widest ? in : n->widest;
  }
  n->noutput = in;
  n->nroom += n->scratch + 2 * n->widest;
  return CR_OK;
}

static cr_status create(cr_network** out, int ninput, const cr_layer* layers, int nlayer,
                        bool sequences, const char* call, cr_error* error) {
  if (out == NULL || layers == NULL) {
    return cri_fail(error, CR_ERR_ARG, "%s: %s is NULL", call,
                    out == NULL ? "where the network goes" : "layers");
  }
  *out = NULL;
  if (ninput < 1 || ninput > CR_MAX_NETWORK_WEIGHTS || nlayer < 1 ||
      nlayer > CR_MAX_NETWORK_LAYERS) {
    return cri_fail(error, CR_ERR_ARG, "a network of %d inputs (1 to %d) and %d layers (1 to %d)",
                    ninput, CR_MAX_NETWORK_WEIGHTS, nlayer, CR_MAX_NETWORK_LAYERS);
  }
  cr_network* n = calloc(1, sizeof *n);
  if (n == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "no memory for a network");
  }
  n->ninput = ninput;
  n->nlayer = nlayer;
  cr_status status = place_layers(n, layers, sequences, error);
  if (status != CR_OK) {
    free(n);
    return status;
  }
  *out = n;
  return CR_OK;
}

cr_status cr_network_create(cr_network** out, int ninput, const cr_layer* layers, int nlayer,
                            cr_error* error) {
  return create(out, ninput, layers, nlayer, false, "cr_network_create", error);
}

cr_status cr_network_create_for_sequences(cr_network** out, int ninput, const cr_layer* layers,
                                          int nlayer, cr_error* error) {
  return create(out, ninput, layers, nlayer, true, "cr_network_create_for_sequences", error);
}

void cr_network_destroy(cr_network* n) { free(n); }

int cr_network_nlayer(const cr_network* n) { return n != NULL ? n->nlayer : 0; }

cr_status cr_network_get_layer(const cr_network* n, int k, cr_layer* layer, cr_error* error) {
  if (n == NULL || layer == NULL || k < 0 || k >= n->nlayer) {
    return cri_fail(error, CR_ERR_ARG, "cr_network_get_layer: no layer %d, or NULL", k);
  }
  const cri_layer* l = &n->layer[k];
  const cr_layer given = {.size = sizeof given,
                          .kind = l->kind,
                          .width = l->width,
                          .activation = l->activation,
                          .both_directions = l->directions == 2};
  const cri_call call = {"cr_network_get_layer", error};
  return cri_give(&call, layer, &given, sizeof given, "cr_layer");
}

int cr_network_ninput(const cr_network* n) { return n != NULL ? n->ninput : 0; }
int cr_network_noutput(const cr_network* n) { return n != NULL ? n->noutput : 0; }
int cr_network_nweight(const cr_network* n) { return n != NULL ? n->nweight : 0; }
int cr_network_nmemory(const cr_network* n) { return n != NULL ? n->nmemory : 0; }
int cr_network_nroom(const cr_network* n) { return n != NULL ? n->nroom : 0; }

cr_status cr_network_weight_range(const cr_network* n, int layer, int* first, int* rows,
                                  int* columns, cr_error* error) {
  if (n == NULL || first == NULL || rows == NULL || columns == NULL || layer < 0 ||
      layer >= n->nlayer) {
    return cri_fail(error, CR_ERR_ARG, "cr_network_weight_range: no layer %d, or NULL", layer);
  }
  const cri_layer* l = &n->layer[layer];
  *first = l->weight;
  *rows = cri_layer_gates(l) * l->width;
  *columns = l->in;
  return CR_OK;
}

cr_status cr_network_input_groups(const cr_network* n, int32_t* group, cr_error* error) {
  if (n == NULL || group == NULL) {
    return cri_fail(error, CR_ERR_ARG, "cr_network_input_groups: %s is NULL",
                    n == NULL ? "the network" : "group");
  }
  const cri_layer* l = &n->layer[0];
  for (int i = 0; i < n->nweight; i++) {
    group[i] = -1;
  }
  for (int d = 0; d < l->directions; d++) {
    const int first = d * cri_layer_direction(l);
    for (int i = 0; i < cri_layer_gates(l) * l->width * l->in; i++) {
      group[first + i] = i % l->in;
    }
  }
  return CR_OK;
}

cr_status cr_network_init(const cr_network* n, uint64_t seed, bool zero_output, cr_real* weight,
                          cr_error* error) {
  if (n == NULL || weight == NULL) {
    return cri_fail(error, CR_ERR_ARG, "cr_network_init: %s is NULL",
                    n == NULL ? "the network" : "weight");
  }
  for (int k = 0; k < n->nlayer; k++) {
    const cri_layer* l = &n->layer[k];
    const cr_real range = 1 / cr_sqrt((cr_real)(cri_is_recurrent(l) ? l->width : l->in));
    cr_random random = cr_random_seed(seed, (uint64_t)k);
    const bool zero = zero_output && k == n->nlayer - 1;
    for (int i = 0; i < cri_layer_weights(l); i++) {
      weight[l->weight + i] = zero ? 0 : cr_random_range(&random, -range, range);
    }
  }
  return CR_OK;
}

// ---- evaluation

static cri_layer_call call_of(const cr_network* n, int k, const cr_real* weight,
                              const cr_real* memory, cr_real* room) {
  const cri_layer* l = &n->layer[k];
  return (cri_layer_call){.weight = weight + l->weight,
                          .x = k == 0 ? room : room + output_at(&n->layer[k - 1]),
                          .h = memory != NULL ? memory + l->memory : NULL,
                          .saved = room + l->room,
                          .scratch = room + n->nroom - 2 * n->widest - n->scratch};
}

// one of the two vectors at the end of the room
static cr_real* vector_at(const cr_network* n, cr_real* room, int which) {
  return room + n->nroom - (which % 2 + 1) * n->widest;
}

// a layer in both directions has no value within a step
static void give_nan(cr_real* x, int n) {
  for (int i = 0; i < n; i++) {
    x[i] = (cr_real)NAN;
  }
}

void cr_network_forward(const cr_network* n, const cr_real* weight, const cr_real* input,
                        const cr_real* memory, cr_real* output, cr_real* memory_next,
                        cr_real* room) {
  if (n == NULL || weight == NULL || input == NULL || output == NULL || room == NULL ||
      (n->nmemory > 0 && (memory == NULL || memory_next == NULL))) {
    return;
  }
  if (n->sequences) {
    give_nan(output, n->noutput);
    return;
  }
  cr_copy(room, input, n->ninput);
  for (int k = 0; k < n->nlayer; k++) {
    const cri_layer* l = &n->layer[k];
    const cri_layer_call c = call_of(n, k, weight, memory, room);
    cr_real* y = room + output_at(l);
    if (cri_is_recurrent(l)) {
      cri_recurrent_forward(l, &c, memory_next + l->memory);
      cr_copy(y, memory_next + l->memory, l->width);
    } else {
      cri_dense_forward(l, &c, y);
    }
  }
  cr_copy(output, room + output_at(&n->layer[n->nlayer - 1]), n->noutput);
}

void cr_network_jvp(const cr_network* n, const cr_real* weight, const cr_real* weight_tan,
                    const cr_real* input_tan, const cr_real* memory_tan, cr_real* output_tan,
                    cr_real* memory_next_tan, cr_real* room) {
  if (n == NULL || weight == NULL || input_tan == NULL || output_tan == NULL || room == NULL ||
      (n->nmemory > 0 && memory_next_tan == NULL)) {
    return;
  }
  if (n->sequences) {
    give_nan(output_tan, n->noutput);
    return;
  }
  const cr_real* x = input_tan;
  for (int k = 0; k < n->nlayer; k++) {
    const cri_layer* l = &n->layer[k];
    const cri_layer_call c = call_of(n, k, weight, NULL, room);
    const cr_real* w = weight_tan != NULL ? weight_tan + l->weight : NULL;
    cr_real* y = vector_at(n, room, k);
    if (cri_is_recurrent(l)) {
      const cr_real* h = memory_tan != NULL ? memory_tan + l->memory : NULL;
      cri_recurrent_jvp(l, &c, w, x, h, memory_next_tan + l->memory);
      cr_copy(y, memory_next_tan + l->memory, l->width);
    } else {
      cri_dense_jvp(l, &c, w, x, y);
    }
    x = y;
  }
  cr_copy(output_tan, x, n->noutput);
}

void cr_network_vjp(const cr_network* n, const cr_real* weight, const cr_real* output_bar,
                    const cr_real* memory_next_bar, cr_real* weight_bar, cr_real* input_bar,
                    cr_real* memory_bar, cr_real* room) {
  if (n == NULL || weight == NULL || output_bar == NULL || room == NULL || n->sequences) {
    return;
  }
  cr_copy(vector_at(n, room, n->nlayer), output_bar, n->noutput);
  for (int k = n->nlayer - 1; k >= 0; k--) {
    const cri_layer* l = &n->layer[k];
    const cri_layer_call c = call_of(n, k, weight, NULL, room);
    cr_real *y_bar = vector_at(n, room, k + 1), *x_bar = input_bar;
    cr_real* w_bar = weight_bar != NULL ? weight_bar + l->weight : NULL;
    if (k > 0) {
      x_bar = vector_at(n, room, k);
      cr_zero(x_bar, l->in);
    }
    if (cri_is_recurrent(l)) {
      const cr_real* next = memory_next_bar != NULL ? memory_next_bar + l->memory : NULL;
      cr_real* h = memory_bar != NULL ? memory_bar + l->memory : NULL;
      cri_recurrent_vjp(l, &c, y_bar, next, w_bar, x_bar, h);
    } else {
      cri_dense_vjp(l, &c, y_bar, w_bar, x_bar);
    }
  }
}
