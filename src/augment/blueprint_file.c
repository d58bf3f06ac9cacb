// SPDX-License-Identifier: Apache-2.0
// Corrections with their weights, written and read. What is public is documented in carom/correction.h.
#include "augment/blueprint_file.h"

#include <stdlib.h>

#include "augment/correction.h"
#include "base/fingerprint.h"
#include "base/whole_file.h"
#include "model/misuse.h"

static const char magic[8] = {'C', 'A', 'R', 'O', 'M', 'B', 'L', 'U'};
enum { VERSION = 2, WITHOUT_PENALTIES = 1, MOST = 4096, NO_TEXT = 0xffff };

// ---- writing: once to count, once to fill

typedef struct {
  unsigned char* data;  // NULL: counts
  size_t n;
} writer;

static void put(writer* w, const void* x, size_t n) {
  if (w->data != NULL && n > 0) {
    memcpy(w->data + w->n, x, n);
  }
  w->n += n;
}

static void put_number(writer* w, uint64_t x, int bytes) {
  for (int i = 0; i < bytes; i++) {
    const unsigned char c = (unsigned char)(x >> (8 * i));
    put(w, &c, 1);
  }
}

static void put_real(writer* w, cr_real x) {
  const double value = (double)x;
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  put_number(w, bits, 8);
}

static void put_text(writer* w, const char* text) {
  const size_t n = text == NULL ? NO_TEXT : strlen(text);
  put_number(w, n, 2);
  put(w, text, text == NULL ? 0 : n);
}

static void put_correction(writer* w, const cr_model* m, const cri_correction* c) {
  const cr_correction_options* o = &c->options;
  put_text(w, o->name);
  put_text(w, o->target);
  put_number(w, (uint64_t)o->act, 4);
  put_number(w, (uint64_t)o->ninput, 4);
  for (int k = 0; k < o->ninput; k++) {
    put_text(w, o->inputs[k]->place);
    put_real(w, o->inputs[k]->offset);
    put_real(w, o->inputs[k]->scale);
  }
  put_number(w, (uint64_t)o->nlayer, 4);
  for (int k = 0; k < o->nlayer; k++) {
    put_number(w, (uint64_t)o->layers[k].kind, 4);
    put_number(w, (uint64_t)o->layers[k].width, 4);
    put_number(w, (uint64_t)o->layers[k].activation, 4);
  }
  put_real(w, o->output_scale);
  put_real(w, o->tau);
  put_number(w, o->seed, 8);
  put_real(w, o->l2);
  put_real(w, o->lasso);
  put_real(w, o->group_lasso);
  put_number(w, (uint64_t)c->nweight, 4);
  for (int k = 0; k < c->nweight; k++) {
    put_real(w, m->plugin_param[c->weight_first + k]);
  }
}

static void put_all(writer* w, const cr_model* m, int n) {
  put(w, magic, sizeof magic);
  put_number(w, VERSION, 4);
  put_number(w, (uint64_t)n, 4);
  for (int i = 0; i < n; i++) {
    put_correction(w, m, cri_correction_at(m, i));
  }
  put_number(w, w->data == NULL ? 0 : cri_fingerprint(0, w->data, w->n), 8);
}

cr_status cr_model_save_blueprint(const cr_model* m, const char* path, cr_error* error) {
  const cri_call call = {"cr_model_save_blueprint", error};
  CR_TRY(cri_given(&call, m, "the model"));
  CR_TRY(cri_given(&call, path, "the path"));
  const int n = cr_model_correction_count(m);
  if (n == 0) {
    return cri_fail(error, CR_ERR_ARG, "%s: the model has no corrections", path);
  }
  writer w = {0};
  put_all(&w, m, n);
  w.data = malloc(w.n);
  if (w.data == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "%s: no memory", path);
  }
  w.n = 0;
  put_all(&w, m, n);
  cr_status status = cri_whole_file_write(path, w.data, w.n, error);
  free(w.data);
  return status;
}

// ---- reading

typedef struct {
  const unsigned char* data;
  size_t n, at;
  bool failed, penalties;
} reader;

static uint64_t get_number(reader* r, int bytes) {
  uint64_t x = 0;
  if (r->failed || r->n - r->at < (size_t)bytes) {
    r->failed = true;
    return 0;
  }
  for (int i = 0; i < bytes; i++) {
    x |= (uint64_t)r->data[r->at++] << (8 * i);
  }
  return x;
}

static cr_real get_real(reader* r) {
  const uint64_t bits = get_number(r, 8);
  double x;
  memcpy(&x, &bits, sizeof x);
  return (cr_real)x;
}

// a count of things that take `bytes` or more each
static int get_count(reader* r, size_t bytes, int most) {
  const uint64_t n = get_number(r, 4);
  if (n > (uint64_t)most || n > (r->n - r->at) / bytes) {
    r->failed = true;
    return 0;
  }
  return (int)n;
}

typedef struct {
  cr_correction_options o;
  char name[CR_MAX_CORRECTION_NAME + 1], target[CR_MAX_CORRECTION_TEXT + 1];
  char place[CR_MAX_CORRECTION_INPUTS][CR_MAX_CORRECTION_TEXT + 1];
  cr_correction_input input[CR_MAX_CORRECTION_INPUTS];
  const cr_correction_input* inputs[CR_MAX_CORRECTION_INPUTS];
  cr_layer layers[CR_MAX_CORRECTION_LAYERS];
  cr_real* weights;
} record;

// text, or NULL where there is none
static const char* get_text(reader* r, char* text, size_t size) {
  const size_t n = (size_t)get_number(r, 2);
  if (n == NO_TEXT) {
    return NULL;
  }
  if (r->failed || n >= size || n > r->n - r->at) {
    r->failed = true;
    text[0] = 0;
    return text;
  }
  memcpy(text, r->data + r->at, n);
  text[n] = 0;
  r->at += n;
  return text;
}

static void get_inputs(reader* r, record* x) {
  x->o.ninput = get_count(r, 18, CR_MAX_CORRECTION_INPUTS);
  for (int k = 0; k < x->o.ninput; k++) {
    x->input[k] = (cr_correction_input){.size = sizeof x->input[k]};
    x->input[k].place = get_text(r, x->place[k], sizeof x->place[k]);
    x->input[k].offset = get_real(r);
    x->input[k].scale = get_real(r);
    x->inputs[k] = &x->input[k];
  }
  x->o.inputs = x->inputs;
}

static void get_layers(reader* r, record* x) {
  x->o.nlayer = get_count(r, 12, CR_MAX_CORRECTION_LAYERS);
  for (int k = 0; k < x->o.nlayer; k++) {
    x->layers[k] = (cr_layer){.size = sizeof x->layers[k]};
    x->layers[k].kind = (cr_layer_kind)get_number(r, 4);
    x->layers[k].width = (int)(int32_t)get_number(r, 4);
    x->layers[k].activation = (cr_activation)get_number(r, 4);
  }
  x->o.layers = x->layers;
}

// a correction; its weights are freed by the caller
static void get_correction(reader* r, record* x) {
  memset(x, 0, sizeof *x);
  x->o.size = sizeof x->o;
  x->o.name = get_text(r, x->name, sizeof x->name);
  x->o.target = get_text(r, x->target, sizeof x->target);
  x->o.act = (cr_correction_act)get_number(r, 4);
  get_inputs(r, x);
  get_layers(r, x);
  x->o.output_scale = get_real(r);
  x->o.tau = get_real(r);
  x->o.seed = get_number(r, 8);
  x->o.l2 = r->penalties ? get_real(r) : 0;
  x->o.lasso = r->penalties ? get_real(r) : 0;
  x->o.group_lasso = r->penalties ? get_real(r) : 0;
  x->o.nweight = get_count(r, 8, CR_MAX_STAGE_PARAMETERS);
  x->weights = calloc((size_t)x->o.nweight + 1, sizeof *x->weights);
  r->failed = r->failed || x->weights == NULL;
  for (int k = 0; k < x->o.nweight && !r->failed; k++) {
    x->weights[k] = get_real(r);
  }
  x->o.weights = x->weights;
}

bool cri_is_blueprint_file(const unsigned char* data, size_t n) {
  return n >= sizeof magic && memcmp(data, magic, sizeof magic) == 0;
}

static cr_status broken(const char* path, const char* what, cr_error* error) {
  return cri_fail(error, CR_ERR_FORMAT, "%s: %s", path, what);
}

static cr_status add_all(cr_model* m, const record* records, int n, const char* path,
                         cr_error* error) {
  cr_correction_options* list = calloc((size_t)n + 1, sizeof *list);
  if (list == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "%s: no memory", path);
  }
  for (int i = 0; i < n; i++) {
    list[i] = records[i].o;
  }
  cr_error inner = {0};
  cr_status status = cri_corrections_add(m, list, n, &inner);
  free(list);
  return status == CR_OK ? CR_OK : cri_fail(error, status, "%s: %s", path, inner.text);
}

cr_status cri_blueprint_file_read(cr_model* m, const unsigned char* data, size_t n,
                                  const char* path, cr_error* error) {
  if (!cri_is_blueprint_file(data, n) || n < sizeof magic + 16) {
    return broken(path, "no file of corrections", error);
  }
  reader r = {.data = data, .n = n, .at = n - 8};
  if (get_number(&r, 8) != cri_fingerprint(0, data, n - 8)) {
    return broken(path, "the checksum is wrong: the file is damaged or truncated", error);
  }
  r = (reader){.data = data, .n = n - 8, .at = sizeof magic};
  const uint64_t version = get_number(&r, 4);
  r.penalties = version == VERSION;
  if (version != VERSION && version != WITHOUT_PENALTIES) {
    return broken(path, "another version of Carom wrote these corrections", error);
  }
  const int count = get_count(&r, 64, MOST);
  record* records = calloc((size_t)count + 1, sizeof *records);
  if (records == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "%s: no memory", path);
  }
  int read = 0;
  while (read < count && !r.failed) {
    get_correction(&r, &records[read++]);
  }
  cr_status status = r.failed || r.at != r.n
                         ? broken(path, "the numbers of its corrections do not fit", error)
                         : add_all(m, records, count, path, error);
  for (int i = 0; i < read; i++) {
    free(records[i].weights);
  }
  free(records);
  return status;
}
