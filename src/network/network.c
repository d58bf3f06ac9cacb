// SPDX-License-Identifier: Apache-2.0
// Networks: checks, counts, first weights, and the loop over the layers. What is public is documented in
// carom/network.h.
#include "carom/network.h"

#include <stdlib.h>

#include "base/random.h"
#include "base/status.h"
#include "network/layers.h"

// room: the input, then of each layer what it saves and its output, then scratch, then two vectors as wide as the
// widest layer
struct cr_network {
  int ninput, noutput, nweight, nmemory, nroom, nlayer, scratch, widest;
  cri_layer layer[CR_MAX_NETWORK_LAYERS];
};

// ---- sizes of a layer

static bool is_gru(const cri_layer* l) { return l->kind == CR_LAYER_GRU; }

int cri_layer_weights(const cri_layer* l) {
  return is_gru(l) ? 3 * l->width * (l->in + l->width + 2) : l->width * (l->in + 1);
}

int cri_layer_memory(const cri_layer* l) { return is_gru(l) ? l->width : 0; }

int cri_layer_room(const cri_layer* l) { return (is_gru(l) ? 6 : 2) * l->width; }

int cri_layer_scratch(const cri_layer* l) { return (is_gru(l) ? 6 : 1) * l->width; }

// where the output stands, behind what the layer saves
static int output_at(const cri_layer* l) { return l->room + cri_layer_room(l) - l->width; }

// ---- creation

static cr_status check_layer(const cr_layer* l, int in, int k, int64_t weights, cr_error* error) {
  if (l->size < sizeof *l) {
    return cri_fail(error, CR_ERR_ARG,
                    "layer %d: the member size of cr_layer is %zu; set it to sizeof(cr_layer)", k,
                    l->size);
  }
  if (l->kind != CR_LAYER_DENSE && l->kind != CR_LAYER_GRU) {
    return cri_fail(error, CR_ERR_UNSUPPORTED, "layer %d: it has to be dense or a GRU", k);
  }
  if (l->both_directions) {
    return cri_fail(error, CR_ERR_UNSUPPORTED, "layer %d: both_directions is of sequences", k);
  }
  if (l->activation < CR_ACTIVATION_IDENTITY || l->activation > CR_ACTIVATION_SINE) {
    return cri_fail(error, CR_ERR_ARG, "layer %d: there is no activation %d", k,
                    (int)l->activation);
  }
  const int64_t gates = l->kind == CR_LAYER_GRU ? 3 : 1, most = CR_MAX_NETWORK_WEIGHTS;
  if (l->width < 1 || l->width > most ||
      weights + gates * l->width * ((int64_t)in + (gates > 1 ? l->width + 2 : 1)) > most) {
    return cri_fail(error, CR_ERR_ARG, "layer %d: width %d (1 to %lld weights in all)", k, l->width,
                    (long long)most);
  }
  return CR_OK;
}

static cr_status place_layers(cr_network* n, const cr_layer* layers, cr_error* error) {
  int in = n->ninput;
  n->nroom = n->widest = n->ninput;
  for (int k = 0; k < n->nlayer; k++) {
    CR_TRY(check_layer(&layers[k], in, k, n->nweight, error));
    cri_layer* l = &n->layer[k];
    *l = (cri_layer){.kind = layers[k].kind,
                     .activation = layers[k].activation,
                     .in = in,
                     .width = layers[k].width,
                     .weight = n->nweight,
                     .memory = n->nmemory,
                     .room = n->nroom};
    n->nweight += cri_layer_weights(l);
    n->nmemory += cri_layer_memory(l);
    n->nroom += cri_layer_room(l);
    n->scratch = cri_layer_scratch(l) > n->scratch ? cri_layer_scratch(l) : n->scratch;
    n->widest = l->width > n->widest ? l->width : n->widest;
    in = l->width;
  }
  n->noutput = in;
  n->nroom += n->scratch + 2 * n->widest;
  return CR_OK;
}

cr_status cr_network_create(cr_network** out, int ninput, const cr_layer* layers, int nlayer,
                            cr_error* error) {
  if (out == NULL || layers == NULL) {
    return cri_fail(error, CR_ERR_ARG, "cr_network_create: %s is NULL",
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
  cr_status status = place_layers(n, layers, error);
  if (status != CR_OK) {
    free(n);
    return status;
  }
  *out = n;
  return CR_OK;
}

void cr_network_destroy(cr_network* n) { free(n); }

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
  *rows = (is_gru(l) ? 3 : 1) * l->width;
  *columns = l->in;
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
    const cr_real range = 1 / cr_sqrt((cr_real)(is_gru(l) ? l->width : l->in));
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

void cr_network_forward(const cr_network* n, const cr_real* weight, const cr_real* input,
                        const cr_real* memory, cr_real* output, cr_real* memory_next,
                        cr_real* room) {
  if (n == NULL || weight == NULL || input == NULL || output == NULL || room == NULL ||
      (n->nmemory > 0 && (memory == NULL || memory_next == NULL))) {
    return;
  }
  cr_copy(room, input, n->ninput);
  for (int k = 0; k < n->nlayer; k++) {
    const cri_layer* l = &n->layer[k];
    const cri_layer_call c = call_of(n, k, weight, memory, room);
    cr_real* y = room + output_at(l);
    if (is_gru(l)) {
      cri_gru_forward(l, &c, y);
      cr_copy(memory_next + l->memory, y, l->width);
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
  const cr_real* x = input_tan;
  for (int k = 0; k < n->nlayer; k++) {
    const cri_layer* l = &n->layer[k];
    const cri_layer_call c = call_of(n, k, weight, NULL, room);
    const cr_real* w = weight_tan != NULL ? weight_tan + l->weight : NULL;
    cr_real* y = vector_at(n, room, k);
    if (is_gru(l)) {
      cri_gru_jvp(l, &c, w, x, memory_tan != NULL ? memory_tan + l->memory : NULL, y);
      cr_copy(memory_next_tan + l->memory, y, l->width);
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
  if (n == NULL || weight == NULL || output_bar == NULL || room == NULL) {
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
    for (int i = 0; is_gru(l) && memory_next_bar != NULL && i < l->width; i++) {
      y_bar[i] += memory_next_bar[l->memory + i];
    }
    if (is_gru(l)) {
      cri_gru_vjp(l, &c, y_bar, w_bar, x_bar, memory_bar != NULL ? memory_bar + l->memory : NULL);
    } else {
      cri_dense_vjp(l, &c, y_bar, w_bar, x_bar);
    }
  }
}
