// SPDX-License-Identifier: Apache-2.0
// Learned functions written and read: a magic word, a version, layers, scales, weights, the training, a checksum. What is public is
// documented in carom/learned.h.
#include <stdio.h>
#include <stdlib.h>

#include "base/bytes.h"
#include "base/fingerprint.h"
#include "base/whole_file.h"
#include "model/misuse.h"
#include "network/learned_function.h"

static const char magic[8] = {'C', 'A', 'R', 'O', 'M', 'L', 'R', 'N'};
enum { VERSION = 1, SUM = 8, LEAST = 8 + 4 + SUM };

// ---- writing

static void put_all(cri_writer* w, const cr_learned* l) {
  const cr_network* n = &l->network;
  cri_put(w, magic, sizeof magic);
  cri_put_number(w, VERSION, 4);
  cri_put_number(w, (uint64_t)n->ninput, 4);
  cri_put_number(w, (uint64_t)n->nlayer, 4);
  for (int k = 0; k < n->nlayer; k++) {
    const cri_layer* layer = &n->layer[k];
    cri_put_number(w, (uint64_t)layer->kind, 4);
    cri_put_number(w, (uint64_t)layer->width, 4);
    cri_put_number(w, (uint64_t)layer->activation, 4);
    cri_put_number(w, (uint64_t)layer->directions, 4);
  }
  cri_put_number(w, (uint64_t)n->nweight, 4);
  cri_put_reals(w, l->weight, n->nweight);
  cri_put_reals(w, l->input_mean, n->ninput);
  cri_put_reals(w, l->input_scale, n->ninput);
  cri_put_reals(w, l->output_mean, n->noutput);
  cri_put_reals(w, l->output_scale, n->noutput);
  const cri_learning_state* s = &l->state;
  cri_put_number(w, s->last != NULL ? 1 : 0, 4);
  if (s->last != NULL) {
    cri_put_number(w, s->fingerprint, 8);
    for (int i = 0; i < CRI_N_COUNT; i++) {
      cri_put_number(w, (uint64_t)s->count[i], 8);
    }
    cri_put_reals(w, s->front, CRI_N_FRONT);
    cri_put_reals(w, s->last, 4 * n->nweight);
  }
  cri_put_number(w, w->failed ? 0 : cri_fingerprint(0, w->data, w->n), SUM);
}

cr_status cr_learned_save(const cr_learned* l, const char* path, cr_error* error) {
  const cri_call call = {"cr_learned_save", error};
  CR_TRY(cri_given(&call, l, "the learned function"));
  CR_TRY(cri_given(&call, path, "the path"));
  cri_writer w = {0};
  put_all(&w, l);
  cr_status status = w.failed ? cri_fail(error, CR_ERR_MEMORY, "%s: no memory", path)
                              : cri_whole_file_write(path, w.data, w.n, error);
  free(w.data);
  return status;
}

// ---- reading

static cr_status broken(const char* path, const char* what, cr_error* error) {
  return cri_fail(error, CR_ERR_FORMAT, "%s: %s", path, what);
}

static bool all_finite(const cr_real* x, int n) {
  for (int i = 0; i < n; i++) {
    if (!isfinite(x[i])) {
      return false;
    }
  }
  return true;
}

// the layers, checked by cr_network_create_for_sequences
static cr_status get_network(cri_reader* r, cr_network** network, const char* path,
                             cr_error* error) {
  cr_layer layers[CR_MAX_NETWORK_LAYERS];
  const int ninput = cri_get_int(r), nlayer = cri_get_int(r);
  if (nlayer < 1 || nlayer > CR_MAX_NETWORK_LAYERS || !cri_may_follow(r, (uint64_t)nlayer, 16)) {
    return broken(path, "the number of layers does not fit", error);
  }
  for (int k = 0; k < nlayer; k++) {
    layers[k] = (cr_layer){.size = sizeof layers[k]};
    layers[k].kind = (cr_layer_kind)cri_get_int(r);
    layers[k].width = cri_get_int(r);
    layers[k].activation = (cr_activation)cri_get_int(r);
    const int directions = cri_get_int(r);
    layers[k].both_directions = directions == 2;
    if (directions != 1 && directions != 2) {
      return cri_fail(error, CR_ERR_FORMAT, "%s: layer %d goes in %d directions", path, k,
                      directions);
    }
  }
  cr_error inner = {0};
  cr_status status = cr_network_create_for_sequences(network, ninput, layers, nlayer, &inner);
  return status == CR_OK ? CR_OK
                         : cri_fail(error, status == CR_ERR_MEMORY ? status : CR_ERR_FORMAT,
                                    "%s: %s", path, inner.text);
}

static cr_status get_numbers(cri_reader* r, cr_learned* l, const char* path, cr_error* error) {
  const cr_network* n = &l->network;
  cri_get_reals(r, l->weight, n->nweight);
  cri_get_reals(r, l->input_mean, n->ninput);
  cri_get_reals(r, l->input_scale, n->ninput);
  cri_get_reals(r, l->output_mean, n->noutput);
  cri_get_reals(r, l->output_scale, n->noutput);
  if (r->failed) {
    return broken(path, "the weights do not fit", error);
  }
  if (!all_finite(l->weight, n->nweight)) {
    return broken(path, "a weight is not finite", error);
  }
  cr_error inner = {0};
  cr_status status = cr_learned_set_normalisation(l, l->input_mean, l->input_scale, l->output_mean,
                                                  l->output_scale, &inner);
  return status == CR_OK ? CR_OK : broken(path, inner.text, error);
}

static cr_status get_state(cri_reader* r, cr_learned* l, const char* path, cr_error* error) {
  const int there = cri_get_int(r), n = l->network.nweight;
  if (there == 0 && !r->failed) {
    return CR_OK;
  }
  if (there != 1 || !cri_may_follow(r, 4 * (uint64_t)n, 8)) {
    return broken(path, "the training does not fit", error);
  }
  CR_TRY(cri_learning_state_create(l, error));
  cri_learning_state* s = &l->state;
  s->fingerprint = cri_get_number(r, 8);
  for (int i = 0; i < CRI_N_COUNT; i++) {
    s->count[i] = (int64_t)cri_get_number(r, 8);
    if (s->count[i] < 0 || s->count[i] > INT32_MAX) {
      return broken(path, "a count of the training is out of range", error);
    }
  }
  cri_get_reals(r, s->front, CRI_N_FRONT);
  cri_get_reals(r, s->last, 4 * n);
  if (s->count[CRI_BEST_EPOCH] > s->count[CRI_EPOCH] || !all_finite(s->last, 4 * n)) {
    return broken(path, "the training has a number that cannot be", error);
  }
  return CR_OK;
}

static cr_status get_all(cri_reader* r, cr_learned** out, const char* path, cr_error* error) {
  cr_network* network = NULL;
  cr_learned* l = NULL;
  CR_TRY(get_network(r, &network, path, error));
  const int nweight = cri_get_int(r);
  const uint64_t numbers =
      (uint64_t)cr_network_nweight(network) +
      2 * ((uint64_t)cr_network_ninput(network) + (uint64_t)cr_network_noutput(network));
  // sizes first: a damaged width must not ask for memory
  cr_status status = nweight != cr_network_nweight(network) || !cri_may_follow(r, numbers, 8)
                         ? broken(path, "the number of weights does not fit", error)
                         : cr_learned_create(&l, network, 0, error);
  cr_network_destroy(network);
  status = status == CR_OK ? get_numbers(r, l, path, error) : status;
  status = status == CR_OK ? get_state(r, l, path, error) : status;
  if (status == CR_OK && (r->failed || r->at != r->n)) {
    status = broken(path, "it has another length than its layers need", error);
  }
  if (status != CR_OK) {
    cr_learned_destroy(l);
    return status;
  }
  *out = l;
  return CR_OK;
}

static cr_status read_all(const char* path, unsigned char** data, size_t* n, cr_error* error) {
  FILE* file = fopen(path, "rb");
  if (file == NULL) {
    return cri_fail(error, CR_ERR_FILE, "%s: cannot be opened", path);
  }
  cri_writer w = {0};
  unsigned char part[16384];
  for (size_t got = 1; got > 0 && !w.failed;) {
    got = fread(part, 1, sizeof part, file);
    cri_put(&w, part, got);
  }
  const bool ok = ferror(file) == 0;
  (void)fclose(file);
  *data = w.data;
  *n = w.n;
  return w.failed ? cri_fail(error, CR_ERR_MEMORY, "%s: no memory", path)
         : ok     ? CR_OK
                  : cri_fail(error, CR_ERR_FILE, "%s: cannot be read", path);
}

static cr_status check_frame(const unsigned char* data, size_t n, const char* path,
                             cr_error* error) {
  if (n < LEAST || memcmp(data, magic, sizeof magic) != 0) {
    return broken(path, "no file of a learned function", error);
  }
  cri_reader r = {.data = data, .n = n, .at = n - SUM};
  if (cri_get_number(&r, SUM) != cri_fingerprint(0, data, n - SUM)) {
    return broken(path, "the checksum is wrong: the file is damaged or truncated", error);
  }
  r.at = sizeof magic;
  return cri_get_int(&r) == VERSION
             ? CR_OK
             : broken(path, "another version of Carom wrote this learned function", error);
}

cr_status cr_learned_open(cr_learned** out, const char* path, cr_error* error) {
  const cri_call call = {"cr_learned_open", error};
  CR_TRY(cri_given(&call, out, "where the learned function goes"));
  *out = NULL;
  CR_TRY(cri_given(&call, path, "the path"));
  unsigned char* data = NULL;
  size_t n = 0;
  cr_status status = read_all(path, &data, &n, error);
  status = status == CR_OK ? check_frame(data, n, path, error) : status;
  if (status == CR_OK) {
    cri_reader r = {.data = data, .n = n - SUM, .at = sizeof magic + 4};
    status = get_all(&r, out, path, error);
  }
  free(data);
  return status;
}
