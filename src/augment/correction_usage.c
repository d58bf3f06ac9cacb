// SPDX-License-Identifier: Apache-2.0
// What the weights of a correction tell about its inputs. What is public is documented in carom/correction.h.
#include <string.h>

#include "augment/correction.h"
#include "model/misuse.h"

static cr_status find(const cri_call* call, const cr_model* m, int i, const cri_correction** c) {
  CR_TRY(cri_given(call, m, "the model"));
  *c = i < 0 ? NULL : cri_correction_at(m, i);
  return *c != NULL
             ? CR_OK
             : cri_fail(call->error, CR_ERR_ARG, "%s: there is no correction %d", call->name, i);
}

// the matrix of the first layer by its input: rows x columns from weight `first` on
typedef struct {
  const cr_real* w;
  int rows, columns;
} matrix;

static cr_status first_matrix(const cr_model* m, const cri_correction* c, matrix* x,
                              cr_error* error) {
  int first;
  CR_TRY(cr_network_weight_range(c->network, 0, &first, &x->rows, &x->columns, error));
  x->w = m->plugin_param + c->weight_first + first;
  return CR_OK;
}

static cr_real norm_of(const matrix* x, int column) {
  cr_real largest = 0, sum = 0;
  for (int j = 0; j < x->rows; j++) {
    largest = cr_max(largest, cr_abs(x->w[(ptrdiff_t)j * x->columns + column]));
  }
  for (int j = 0; j < x->rows && largest > 0; j++) {
    cr_real part = x->w[(ptrdiff_t)j * x->columns + column] / largest;
    sum += part * part;
  }
  return largest * cr_sqrt(sum);
}

static int zeros_of(const matrix* x, int column) {
  int n = 0;
  for (int j = 0; j < x->rows; j++) {
    n += x->w[(ptrdiff_t)j * x->columns + column] == 0;
  }
  return n;
}

cr_status cr_correction_get_usage(const cr_model* m, int i, int input, cr_correction_usage* usage,
                                  cr_error* error) {
  const cri_call call = {"cr_correction_get_usage", error};
  const cri_correction* c;
  matrix x;
  CR_TRY(cri_given(&call, usage, "where the usage goes"));
  CR_TRY(find(&call, m, i, &c));
  if (input < 0 || input >= c->ninput) {
    return cri_fail(error, CR_ERR_ARG, "%s: correction '%s' has no input number %d", call.name,
                    c->options.name, input);
  }
  CR_TRY(first_matrix(m, c, &x, error));
  int place = 0, number = input;
  while (number >= c->numbers[place]) {
    number -= c->numbers[place++];
  }
  cr_real all = 0, norm = norm_of(&x, input);
  for (int k = 0; k < c->ninput; k++) {
    all += norm_of(&x, k);
  }
  const int zeros = zeros_of(&x, input);
  const cr_correction_usage given = {.size = sizeof given,
                                     .place = c->options.inputs[place]->place,
                                     .number = number,
                                     .count = c->numbers[place],
                                     .norm = norm,
                                     .share = all > 0 ? norm / all : 0,
                                     .zeros = zeros,
                                     .weights = x.rows,
                                     .used = zeros < x.rows};
  return cri_give(&call, usage, &given, sizeof given, "cr_correction_usage");
}

// ---- what each weight is

// Behind the matrix of a layer stand, dense, its bias of `rows` numbers; recurrent, the matrix by what it remembers and two biases
static cr_status mark_layer(const cri_correction* c, int layer, int end, int32_t* kind,
                            cr_error* error) {
  int first, rows, columns;
  CR_TRY(cr_network_weight_range(c->network, layer, &first, &rows, &columns, error));
  const int inputs = rows * columns, rest = end - first - inputs;
  const int biases = rest == rows ? rows : 2 * rows;
  for (int k = 0; k < inputs; k++) {
    kind[first + k] = layer == 0 ? k % columns : CR_WEIGHT_UPPER;
  }
  for (int k = 0; k < rest; k++) {
    kind[first + inputs + k] = k < rest - biases ? CR_WEIGHT_UPPER : CR_WEIGHT_BIAS;
  }
  return CR_OK;
}

cr_status cr_correction_get_weights(const cr_model* m, int i, int32_t* kind, cr_error* error) {
  const cri_call call = {"cr_correction_get_weights", error};
  const cri_correction* c;
  CR_TRY(cri_given(&call, kind, "where the kinds go"));
  CR_TRY(find(&call, m, i, &c));
  for (int layer = 0; layer <= c->options.nlayer; layer++) {
    int end = c->nweight, rows, columns;
    if (layer < c->options.nlayer) {
      CR_TRY(cr_network_weight_range(c->network, layer + 1, &end, &rows, &columns, error));
    }
    CR_TRY(mark_layer(c, layer, end, kind, error));
  }
  return CR_OK;
}
