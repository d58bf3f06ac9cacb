// SPDX-License-Identifier: Apache-2.0
// Networks over whole sequences. Rows are packed: time after time, at each time those of the sequences that last so long, the
// longest first. So the products with matrices of a layer's input are one for all rows, and those with the matrix of its
// memory one for each time.
#include "network/sequences.h"

#include <limits.h>
#include <stdlib.h>

#include "model/misuse.h"

struct cr_sequences {
  cr_network network;
  cri_product* product;
  int nsequence, ntime, nrow;
  // order: the caller's number of each sequence, the longest first; first: packed row of each time, and the end; begin: the
  // caller's row of each sequence in this order; length of each
  int *order, *first, *begin, *length;
  cr_real* room;
  size_t nroom;  // numbers that room has
  bool evaluated;
  int tail;  // layers from this one on have a row for each sequence, its end; nlayer: outputs alone; above: no layer
  // of all packed rows: input, and of each layer output and what is saved (one direction after the other)
  cr_real *x, *y[CR_MAX_NETWORK_LAYERS], *saved[CR_MAX_NETWORK_LAYERS];
  // sums before a cell, or their twins; twins of inputs and outputs in turn; memory of all sequences; of one
  cr_real *a, *b, *turn[2], *state, *one;
};

// ---- creation

cr_status cri_sequences_create(cr_sequences** out, const cr_network* network, cri_product* product,
                               cr_error* error) {
  const cri_call call = {"cr_sequences_create", error};
  CR_TRY(cri_given(&call, out, "where the sequences go"));
  *out = NULL;
  CR_TRY(cri_given(&call, network, "the network"));
  cr_sequences* s = calloc(1, sizeof *s);
  if (s == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "%s: no memory", call.name);
  }
  s->network = *network;
  s->product = product;
  s->tail = network->nlayer + 1;
  *out = s;
  return CR_OK;
}

void cri_sequences_end(cr_sequences* s) {
  s->tail = s->network.nlayer;
  while (s->tail > 0 && !cri_is_recurrent(&s->network.layer[s->tail - 1])) {
    s->tail--;
  }
}

void cr_sequences_destroy(cr_sequences* s) {
  if (s != NULL) {
    free(s->order);
    free(s->room);
    free(s);
  }
}

int cr_sequences_nrow(const cr_sequences* s) { return s != NULL ? s->nrow : 0; }

// numbers of the widest of each kind
typedef struct {
  int sums, states, widest;
} widths;

static widths widths_of(const cr_network* n) {
  widths w = {.widest = n->ninput};
  for (int k = 0; k < n->nlayer; k++) {
    const cri_layer* l = &n->layer[k];
    const int sums = cri_layer_gates(l) * l->width, states = cri_layer_states(l) * l->width;
    const int out = cri_layer_output(l);
    w.sums = sums > w.sums ? sums : w.sums;
    w.states = states > w.states ? states : w.states;
    w.widest = out > w.widest ? out : w.widest;
  }
  return w;
}

static int saved_width(const cri_layer* l) { return cri_layer_saves(l) * l->width; }

// places all matrices behind `at` (NULL: only counts); returns how many numbers they take
static size_t place(cr_sequences* s, cr_real* at) {
  const cr_network* n = &s->network;
  const widths w = widths_of(n);
  const size_t rows = (size_t)s->nrow;
  size_t end = 0;
#define PLACE(member, count) \
  if (at != NULL) {          \
    (member) = at + end;     \
  }                          \
  end += (count)
  PLACE(s->x, rows * (size_t)n->ninput);
  for (int k = 0; k < n->nlayer; k++) {
    const cri_layer* l = &n->layer[k];
    PLACE(s->y[k], rows * (size_t)cri_layer_output(l));
    PLACE(s->saved[k], rows * (size_t)(l->directions * saved_width(l)));
  }
  PLACE(s->a, rows * (size_t)w.sums);
  PLACE(s->b, rows * (size_t)w.sums);
  PLACE(s->turn[0], rows * (size_t)w.widest);
  PLACE(s->turn[1], rows * (size_t)w.widest);
  PLACE(s->state, (size_t)s->nsequence * (size_t)w.states + 1);
  PLACE(s->one, (size_t)w.states + 1);
#undef PLACE
  return end;
}

// fills order, first, begin and length: a counting sort by length
static void pack(cr_sequences* s, const int32_t* length) {
  int *at = s->first, row = 0;
  for (int t = 0; t <= s->ntime; t++) {
    at[t] = 0;
  }
  for (int i = 0; i < s->nsequence; i++) {
    at[length[i] - 1]++;
  }
  for (int t = s->ntime - 1, before = 0; t >= 0; t--) {
    const int n = at[t];
    at[t] = before;  // sequences that are longer
    before += n;
  }
  for (int i = 0; i < s->nsequence; i++) {
    const int j = at[length[i] - 1]++;
    s->order[j] = i;
    s->begin[j] = row;
    s->length[j] = (int)length[i];
    row += (int)length[i];
  }
  int count = s->nsequence;
  for (int t = 0, end = 0; t <= s->ntime; t++) {
    s->first[t] = end;
    while (count > 0 && s->length[count - 1] <= t) {
      count--;
    }
    end += count;
  }
}

cr_status cr_sequences_set_lengths(cr_sequences* s, const int32_t* length, int nsequence,
                                   cr_error* error) {
  const cri_call call = {"cr_sequences_set_lengths", error};
  int64_t rows = 0;
  int longest = 0;
  CR_TRY(cri_given(&call, s, "the sequences"));
  CR_TRY(cri_given(&call, length, "length"));
  if (nsequence < 1) {
    return cri_fail(error, CR_ERR_ARG, "%s: %d sequences", call.name, nsequence);
  }
  for (int i = 0; i < nsequence; i++) {
    if (length[i] < 1) {
      return cri_fail(error, CR_ERR_ARG, "%s: sequence %d has %d rows", call.name, i,
                      (int)length[i]);
    }
    rows += length[i];
    longest = length[i] > longest ? (int)length[i] : longest;
  }
  if (rows >= INT_MAX / 2) {
    return cri_fail(error, CR_ERR_ARG, "%s: %lld rows are too many", call.name, (long long)rows);
  }
  s->evaluated = false;
  s->nrow = 0;
  const size_t n = (size_t)nsequence;
  int* index = malloc((3 * n + (size_t)longest + 1) * sizeof *index);
  if (index == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "%s: no memory", call.name);
  }
  free(s->order);
  s->order = index;
  s->begin = index + n;
  s->length = index + 2 * n;
  s->first = index + 3 * n;
  s->nsequence = nsequence;
  s->ntime = longest;
  s->nrow = (int)rows;
  const size_t need = place(s, NULL);
  if (need > s->nroom) {
    free(s->room);
    s->room = need < SIZE_MAX / sizeof(cr_real) ? malloc(need * sizeof(cr_real)) : NULL;
    s->nroom = s->room != NULL ? need : 0;
    if (s->room == NULL) {
      s->nrow = 0;
      return cri_fail(error, CR_ERR_MEMORY, "%s: no memory for %lld rows", call.name,
                      (long long)rows);
    }
  }
  (void)place(s, s->room);
  pack(s, length);
  return CR_OK;
}

// ---- between the caller's rows and packed ones

static void gather(const cr_sequences* s, int width, const cr_real* rows, cr_real* packed) {
  for (int t = 0; t < s->ntime; t++) {
    for (int j = 0; j < s->first[t + 1] - s->first[t]; j++) {
      cr_copy(packed + (size_t)(s->first[t] + j) * (size_t)width,
              rows + (size_t)(s->begin[j] + t) * (size_t)width, width);
    }
  }
}

static void scatter(const cr_sequences* s, int width, const cr_real* packed, bool add,
                    cr_real* rows) {
  for (int t = 0; t < s->ntime; t++) {
    for (int j = 0; j < s->first[t + 1] - s->first[t]; j++) {
      const cr_real* from = packed + (size_t)(s->first[t] + j) * (size_t)width;
      cr_real* to = rows + (size_t)(s->begin[j] + t) * (size_t)width;
      for (int i = 0; i < width; i++) {
        to[i] = add ? to[i] + from[i] : from[i];
      }
    }
  }
}

// rows of outputs: of all times, or the ends
static void gather_outputs(const cr_sequences* s, const cr_real* rows, cr_real* packed) {
  const int width = s->network.noutput;
  if (s->tail > s->network.nlayer) {
    gather(s, width, rows, packed);
    return;
  }
  for (int j = 0; j < s->nsequence; j++) {
    cr_copy(packed + (size_t)j * (size_t)width, rows + (size_t)s->order[j] * (size_t)width, width);
  }
}

static void scatter_outputs(const cr_sequences* s, const cr_real* packed, cr_real* rows) {
  const int width = s->network.noutput;
  if (s->tail > s->network.nlayer) {
    scatter(s, width, packed, false, rows);
    return;
  }
  for (int j = 0; j < s->nsequence; j++) {
    cr_copy(rows + (size_t)s->order[j] * (size_t)width, packed + (size_t)j * (size_t)width, width);
  }
}

// ---- ends. That of direction 0 is the last row of a sequence, that of direction 1 its first one, packed row j of sequence j

// numbers of direction 0 in a row before the tail, and those of both directions
static int end_width(const cr_sequences* s, int* out) {
  const cri_layer* l = s->tail > 0 ? &s->network.layer[s->tail - 1] : NULL;
  *out = l != NULL ? cri_layer_output(l) : s->network.ninput;
  return l != NULL ? l->width : *out;
}

static cr_real* end_of(const cr_sequences* s, int j, int width, cr_real* packed) {
  return packed + (size_t)(s->first[s->length[j] - 1] + j) * (size_t)width;
}

// packed rows become ends, in place [network.s2]
static void take_ends(const cr_sequences* s, cr_real* packed) {
  int out, width = end_width(s, &out);
  for (int j = 0; j < s->nsequence; j++) {
    if (s->length[j] > 1) {
      cr_copy(packed + (size_t)j * (size_t)out, end_of(s, j, out, packed), width);
    }
  }
}

// cotangents of ends become those of packed rows, in place [network.s2]'
static void give_ends(const cr_sequences* s, cr_real* packed) {
  int out, width = end_width(s, &out);
  for (size_t i = (size_t)s->nsequence * (size_t)out; i < (size_t)s->nrow * (size_t)out; i++) {
    packed[i] = 0;
  }
  for (int j = 0; j < s->nsequence; j++) {
    if (s->length[j] > 1) {
      cr_real* row = packed + (size_t)j * (size_t)out;
      cr_copy(end_of(s, j, out, packed), row, width);
      cr_zero(row, width);
    }
  }
}

// what a layer remembers in one direction
typedef struct {
  const cr_sequences* s;
  const cri_layer* l;
  const cr_real* x;  // packed input
  cr_real *y, *saved;
  cri_weights w;
  int k, rows, direction, sums, states, out;
} part;

static part part_of(const cr_sequences* s, int k, int direction, const cr_real* weight) {
  const cri_layer* l = &s->network.layer[k];
  const size_t rows = (size_t)s->nrow;
  part p = {.s = s, .l = l, .k = k, .direction = direction};
  p.rows = k < s->tail ? s->nrow : s->nsequence;
  p.x = k == 0 ? s->x : s->y[k - 1];
  p.out = cri_layer_output(l);
  p.y = s->y[k] + (size_t)direction * (size_t)l->width;
  p.saved = s->saved[k] + rows * (size_t)(direction * saved_width(l));
  p.w = cri_weights_of(l, weight + l->weight + direction * cri_layer_direction(l));
  p.sums = cri_layer_gates(l) * l->width;
  p.states = cri_layer_states(l) * l->width;
  return p;
}

static int memory_at(const part* p, int j) {
  return p->s->order[j] * p->s->network.nmemory + p->l->memory + p->direction * p->states;
}

// memory NULL: 0
static void take_memory(const part* p, const cr_real* memory) {
  for (int j = 0; j < p->s->nsequence; j++) {
    cr_real* to = p->s->state + (size_t)j * (size_t)p->states;
    if (memory != NULL) {
      cr_copy(to, memory + memory_at(p, j), p->states);
    } else {
      cr_zero(to, p->states);
    }
  }
}

static void give_memory(const part* p, bool add, cr_real* memory) {
  for (int j = 0; j < p->s->nsequence && memory != NULL; j++) {
    const cr_real* from = p->s->state + (size_t)j * (size_t)p->states;
    cr_real* to = memory + memory_at(p, j);
    for (int i = 0; i < p->states; i++) {
      to[i] = add ? to[i] + from[i] : from[i];
    }
  }
}

// ---- products

static void add_bias(int rows, int n, const cr_real* bias, cr_real* x) {
  for (int i = 0; i < rows; i++, x += n) {
    for (int j = 0; j < n; j++) {
      x[j] += bias[j];
    }
  }
}

// y = x W' + b for `rows` rows; b NULL: 0
static void affine_rows(const part* p, int rows, int n, int in, const cr_real* W, const cr_real* b,
                        const cr_real* x, int ldx, bool add, cr_real* y) {
  p->s->product(CRI_TIMES_TRANSPOSED, rows, n, in, x, ldx, W, in, add, y, n);
  if (b != NULL) {
    add_bias(rows, n, b, y);
  }
}

static void add_sums(int rows, int n, const cr_real* x, cr_real* bias_bar) {
  for (int i = 0; i < rows; i++, x += n) {
    for (int j = 0; j < n; j++) {
      bias_bar[j] += x[j];
    }
  }
}

// time number i of a part: its first row, and how many there are
static int rows_of(const part* p, int i, int* first) {
  const int t = p->direction == 0 ? i : p->s->ntime - 1 - i;
  *first = p->s->first[t];
  return p->s->first[t + 1] - *first;
}

static cr_real* row_of(cr_real* x, int row, int width) { return x + (size_t)row * (size_t)width; }

// ---- forward

static void dense_forward(const part* p) {
  // [network.d1]
  affine_rows(p, p->rows, p->sums, p->l->in, p->w.Wi, p->w.bi, p->x, p->l->in, false, p->y);
  for (int i = 0; i < p->rows; i++) {
    cri_dense_row(p->l, row_of(p->y, i, p->out), row_of(p->saved, i, p->sums));
  }
}

static void cell_forward(const part* p) {
  const cr_sequences* s = p->s;
  const int n = p->l->width, width = saved_width(p->l);
  cri_cell_forward* cell = cri_cell_forward_of(p->l);
  // [network.s1]
  affine_rows(p, s->nrow, p->sums, p->l->in, p->w.Wi, p->w.bi, p->x, p->l->in, false, s->a);
  for (int i = 0; i < s->ntime; i++) {
    int first, count = rows_of(p, i, &first);
    affine_rows(p, count, p->sums, n, p->w.Wh, p->w.bh, s->state, p->states, false, s->b);
    for (int j = 0; j < count; j++) {
      cr_real* memory = row_of(s->state, j, p->states);
      cell(n, row_of(s->a, first + j, p->sums), row_of(s->b, j, p->sums), memory,
           row_of(p->saved, first + j, width), memory);
      cr_copy(row_of(p->y, first + j, p->out), memory, n);
    }
  }
}

cr_status cr_sequences_forward(cr_sequences* s, const cr_real* weight, const cr_real* input,
                               const cr_real* memory, cr_real* output, cr_real* memory_end,
                               cr_error* error) {
  const cri_call call = {"cr_sequences_forward", error};
  CR_TRY(cri_given(&call, s, "the sequences"));
  CR_TRY(cri_given(&call, weight, "weight"));
  CR_TRY(cri_given(&call, input, "input"));
  CR_TRY(cri_given(&call, output, "output"));
  if (s->nrow == 0) {
    return cri_fail(error, CR_ERR_ARG, "%s: cr_sequences_set_lengths comes first", call.name);
  }
  const cr_network* n = &s->network;
  gather(s, n->ninput, input, s->x);
  for (int k = 0; k < n->nlayer; k++) {
    if (k == s->tail) {
      take_ends(s, k > 0 ? s->y[k - 1] : s->x);
    }
    for (int d = 0; d < n->layer[k].directions; d++) {
      const part p = part_of(s, k, d, weight);
      if (!cri_is_recurrent(p.l)) {
        dense_forward(&p);
        continue;
      }
      take_memory(&p, memory);
      cell_forward(&p);
      give_memory(&p, false, memory_end);
    }
  }
  if (s->tail == n->nlayer) {
    take_ends(s, s->y[n->nlayer - 1]);
  }
  scatter_outputs(s, s->y[n->nlayer - 1], output);
  s->evaluated = true;
  return CR_OK;
}

static cr_status check_evaluated(const cri_call* call, const cr_sequences* s,
                                 const cr_real* weight) {
  CR_TRY(cri_given(call, s, "the sequences"));
  CR_TRY(cri_given(call, weight, "weight"));
  return s->evaluated ? CR_OK
                      : cri_fail(call->error, CR_ERR_ARG, "%s: cr_sequences_forward comes first",
                                 call->name);
}

// ---- tangents

static void dense_jvp(const part* p, const cri_weights* t, const cr_real* x_tan, cr_real* y_tan) {
  const int rows = p->rows, n = p->sums, in = p->l->in;
  affine_rows(p, rows, n, in, p->w.Wi, NULL, x_tan, in, false, y_tan);
  if (t->Wi != NULL) {
    affine_rows(p, rows, n, in, t->Wi, t->bi, p->x, in, true, y_tan);
  }
  for (size_t i = 0; i < (size_t)rows * (size_t)n; i++) {
    y_tan[i] *= p->saved[i];
  }
}

static void cell_jvp(const part* p, const cri_weights* t, const cr_real* x_tan, cr_real* y_tan) {
  const cr_sequences* s = p->s;
  const int n = p->l->width, in = p->l->in, width = saved_width(p->l);
  const cr_real* h = p->saved + width - n;
  affine_rows(p, s->nrow, p->sums, in, p->w.Wi, NULL, x_tan, in, false, s->a);
  if (t->Wi != NULL) {
    affine_rows(p, s->nrow, p->sums, in, t->Wi, t->bi, p->x, in, true, s->a);
  }
  for (int i = 0; i < s->ntime; i++) {
    int first, count = rows_of(p, i, &first);
    affine_rows(p, count, p->sums, n, p->w.Wh, NULL, s->state, p->states, false, s->b);
    if (t->Wh != NULL) {
      affine_rows(p, count, p->sums, n, t->Wh, t->bh, h + (size_t)first * (size_t)width, width,
                  true, s->b);
    }
    for (int j = 0; j < count; j++) {
      cr_real* memory = row_of(s->state, j, p->states);
      (p->l->kind == CR_LAYER_GRU ? cri_gru_jvp : cri_lstm_jvp)(
          n, row_of(p->saved, first + j, width), row_of(s->a, first + j, p->sums),
          row_of(s->b, j, p->sums), memory, memory);
      cr_copy(row_of(y_tan, first + j, p->out) + p->direction * n, memory, n);
    }
  }
}

cr_status cr_sequences_jvp(cr_sequences* s, const cr_real* weight, const cr_real* weight_tan,
                           const cr_real* input_tan, const cr_real* memory_tan, cr_real* output_tan,
                           cr_real* memory_end_tan, cr_error* error) {
  const cri_call call = {"cr_sequences_jvp", error};
  CR_TRY(check_evaluated(&call, s, weight));
  CR_TRY(cri_given(&call, input_tan, "input_tan"));
  CR_TRY(cri_given(&call, output_tan, "output_tan"));
  const cr_network* n = &s->network;
  gather(s, n->ninput, input_tan, s->turn[0]);
  for (int k = 0; k < n->nlayer; k++) {
    cr_real *x = s->turn[k % 2], *y = s->turn[(k + 1) % 2];
    if (k == s->tail) {
      take_ends(s, x);
    }
    for (int d = 0; d < n->layer[k].directions; d++) {
      const part p = part_of(s, k, d, weight);
      const cri_weights t = weight_tan != NULL ? part_of(s, k, d, weight_tan).w : (cri_weights){0};
      if (!cri_is_recurrent(p.l)) {
        dense_jvp(&p, &t, x, y);
        continue;
      }
      take_memory(&p, memory_tan);
      cell_jvp(&p, &t, x, y);
      give_memory(&p, false, memory_end_tan);
    }
  }
  if (s->tail == n->nlayer) {
    take_ends(s, s->turn[n->nlayer % 2]);
  }
  scatter_outputs(s, s->turn[n->nlayer % 2], output_tan);
  return CR_OK;
}

// ---- cotangents, backward through time

// s->a becomes the cotangent of the sums
static void dense_vjp(const part* p, const cr_real* y_bar) {
  for (size_t i = 0; i < (size_t)p->rows * (size_t)p->sums; i++) {
    p->s->a[i] = y_bar[i] * p->saved[i];
  }
}

// s->a and s->b become the cotangents of the sums, s->state that of the memory at the start
static void cell_vjp(const part* p, const cr_real* y_bar) {
  const cr_sequences* s = p->s;
  const int n = p->l->width, width = saved_width(p->l);
  cri_cell_vjp* cell = cri_cell_vjp_of(p->l);
  // [network.s1]'
  for (int i = s->ntime - 1; i >= 0; i--) {
    int first, count = rows_of(p, i, &first);
    cr_real* b = row_of(s->b, first, p->sums);
    for (int j = 0; j < count; j++) {
      const cr_real* y = y_bar + (size_t)(first + j) * (size_t)p->out + p->direction * n;
      cr_real* memory = row_of(s->state, j, p->states);
      cr_copy(s->one, memory, p->states);
      cr_zero(memory, p->states);
      for (int k = 0; k < n; k++) {
        s->one[k] += y[k];
      }
      cell(n, row_of(p->saved, first + j, width), s->one, row_of(s->a, first + j, p->sums),
           row_of(b, j, p->sums), memory);
    }
    s->product(CRI_TIMES, count, n, p->sums, b, p->sums, p->w.Wh, n, true, s->state, p->states);
  }
}

static void weights_vjp(const part* p, const cri_weights* bar) {
  const cr_sequences* s = p->s;
  const int n = p->l->width, in = p->l->in, width = saved_width(p->l), rows = p->rows;
  s->product(CRI_TRANSPOSED_TIMES, p->sums, in, rows, s->a, p->sums, p->x, in, true, bar->Wi, in);
  add_sums(rows, p->sums, s->a, bar->bi);
  if (cri_is_recurrent(p->l)) {
    s->product(CRI_TRANSPOSED_TIMES, p->sums, n, rows, s->b, p->sums, p->saved + width - n, width,
               true, bar->Wh, n);
    add_sums(rows, p->sums, s->b, bar->bh);
  }
}

static void layer_vjp(cr_sequences* s, int k, const cr_real* weight, const cr_real* y_bar,
                      const cr_real* memory_end_bar, cr_real* weight_bar, cr_real* x_bar,
                      cr_real* memory_bar) {
  for (int d = 0; d < s->network.layer[k].directions; d++) {
    const part p = part_of(s, k, d, weight);
    if (!cri_is_recurrent(p.l)) {
      dense_vjp(&p, y_bar);
    } else {
      take_memory(&p, memory_end_bar);
      cell_vjp(&p, y_bar);
      give_memory(&p, true, memory_bar);
    }
    if (weight_bar != NULL) {
      const cri_weights bar = part_of(s, k, d, weight_bar).w;
      weights_vjp(&p, &bar);
    }
    if (x_bar != NULL) {
      s->product(CRI_TIMES, p.rows, p.l->in, p.sums, s->a, p.sums, p.w.Wi, p.l->in, d > 0, x_bar,
                 p.l->in);
    }
  }
}

cr_status cr_sequences_vjp(cr_sequences* s, const cr_real* weight, const cr_real* output_bar,
                           const cr_real* memory_end_bar, cr_real* weight_bar, cr_real* input_bar,
                           cr_real* memory_bar, cr_error* error) {
  const cri_call call = {"cr_sequences_vjp", error};
  CR_TRY(check_evaluated(&call, s, weight));
  CR_TRY(cri_given(&call, output_bar, "output_bar"));
  const cr_network* n = &s->network;
  gather_outputs(s, output_bar, s->turn[n->nlayer % 2]);
  for (int k = n->nlayer - 1; k >= 0; k--) {
    if (k + 1 == s->tail) {
      give_ends(s, s->turn[(k + 1) % 2]);
    }
    cr_real* x_bar = k > 0 || input_bar != NULL ? s->turn[k % 2] : NULL;
    layer_vjp(s, k, weight, s->turn[(k + 1) % 2], memory_end_bar, weight_bar, x_bar, memory_bar);
  }
  if (input_bar != NULL) {
    if (s->tail == 0) {
      give_ends(s, s->turn[0]);
    }
    scatter(s, n->ninput, s->turn[0], true, input_bar);
  }
  return CR_OK;
}
