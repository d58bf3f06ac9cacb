// SPDX-License-Identifier: Apache-2.0
// One pullback for each number of the model, once a point, in place of one for each row.
#include "predict/chain.h"

#include <stdlib.h>

#include "math/combine.h"
#include "model/data.h"

enum { MOST_NUMBERS = 4096 };

// a number of the model that some parameter reaches
typedef struct {
  cr_field_id field;
  int at;            // among the tangents of its field
  int first, count;  // of its entries
} reached;

struct cri_chain {
  cr_model twin;  // of cotangents
  int n;          // count of x
  reached* numbers;
  int nnumber;
  int* column;  // of every entry
  cr_real* value;
  size_t nentry, room;
  // numbers whose rows have most columns, as those of derived constants: whole rows, and what a cotangent gives them
  reached* full_numbers;
  cr_real *full, *weights;
  int nfull, full_room;
  cr_real *p_bar, *derived, *row;
};

static cr_status no_memory(cr_error* error) {
  return cri_fail(error, CR_ERR_MEMORY, "identification: no memory");
}

static int numbers_of(const cr_model* m, const bool* wanted) {
  int n = 0;
  for (int i = 0; i < CR_N_MODEL_FIELD; i++) {
    n += wanted[i] ? cri_field_tangent_size(m, NULL, (cr_field_id)i) : 0;
  }
  return n;
}

cr_status cri_chain_create(cri_chain** out, const cr_parameters* ps, cr_error* error) {
  const cr_model* m = cri_parameters_model(ps);
  int all = numbers_of(m, cri_parameters_wanted(ps)), n = cri_parameters_count(ps);
  *out = NULL;
  if (all > MOST_NUMBERS) {
    return CR_OK;
  }
  cri_chain* c = calloc(1, sizeof *c);
  if (c == NULL) {
    return no_memory(error);
  }
  c->n = n;
  c->numbers = calloc((size_t)all + 1, sizeof *c->numbers);
  c->full_numbers = calloc((size_t)all + 1, sizeof *c->full_numbers);
  c->weights = calloc((size_t)all + 1, sizeof *c->weights);
  c->p_bar = calloc(2 * (size_t)n + (size_t)cri_parameters_nderived(ps) + 1, sizeof *c->p_bar);
  bool given = c->numbers != NULL && c->full_numbers != NULL && c->weights != NULL;
  cr_status status = given && c->p_bar != NULL ? CR_OK : no_memory(error);
  if (status == CR_OK) {
    c->row = c->p_bar + n;
    c->derived = c->row + n;
    status = cri_model_twin(&c->twin, m, cri_parameters_wanted(ps), error);
  }
  if (status != CR_OK) {
    cri_chain_free(c);
    return status;
  }
  *out = c;
  return CR_OK;
}

void cri_chain_free(cri_chain* c) {
  if (c != NULL) {
    cri_model_free(&c->twin);
    free(c->numbers);
    free(c->full_numbers);
    free(c->full);
    free(c->weights);
    free(c->column);
    free(c->value);
    free(c->p_bar);
    free(c);
  }
}

// ---- at a point

// the row of one number: what its cotangent 1 gives the parameters
static void find_row(cri_chain* c, const cr_parameters* ps, const cr_real* x,
                     const cr_real* derived, cr_real* number) {
  int nderived = cri_parameters_nderived(ps);
  cri_model_twin_zero(&c->twin, cri_parameters_model(ps));
  cr_zero(c->p_bar, c->n);
  cr_zero(c->derived, nderived);
  *number = 1;
  cri_parameters_pullback(ps, &c->twin, c->p_bar, c->derived);
  for (int k = 0; k < nderived; k++) {
    for (int i = 0; i < c->n && c->derived[k] != 0; i++) {
      c->p_bar[i] += c->derived[k] * derived[(ptrdiff_t)k * c->n + i];
    }
  }
  cri_parameters_chain(ps, x, c->p_bar, c->row);
}

static cr_status make_room(cri_chain* c, cr_error* error) {
  if (c->nentry + (size_t)c->n <= c->room) {
    return CR_OK;
  }
  size_t room = 2 * c->room + (size_t)c->n;
  int* column = realloc(c->column, room * sizeof *column);
  c->column = column != NULL ? column : c->column;
  cr_real* value = realloc(c->value, room * sizeof *value);
  c->value = value != NULL ? value : c->value;
  c->room = column != NULL && value != NULL ? room : c->room;
  return column != NULL && value != NULL ? CR_OK : no_memory(error);
}

static cr_status keep_full_row(cri_chain* c, cr_field_id field, int at, cr_error* error) {
  if (c->nfull == c->full_room) {
    int room = 2 * c->full_room + 8;
    cr_real* full = realloc(c->full, (size_t)room * (size_t)c->n * sizeof *full);
    if (full == NULL) {
      return no_memory(error);
    }
    c->full = full;
    c->full_room = room;
  }
  cr_copy(c->full + (ptrdiff_t)c->nfull * c->n, c->row, c->n);
  c->full_numbers[c->nfull++] = (reached){.field = field, .at = at};
  return CR_OK;
}

static cr_status keep_row(cri_chain* c, cr_field_id field, int at, cr_error* error) {
  int count = 0;
  for (int i = 0; i < c->n; i++) {
    count += c->row[i] != 0;
  }
  if (count > 8 && count > c->n / 4) {
    return keep_full_row(c, field, at, error);
  }
  CR_TRY(make_room(c, error));
  reached r = {.field = field, .at = at, .first = (int)c->nentry};
  for (int i = 0; i < c->n; i++) {
    if (c->row[i] != 0) {
      c->column[c->nentry] = i;
      c->value[c->nentry++] = c->row[i];
      r.count++;
    }
  }
  if (r.count > 0) {
    c->numbers[c->nnumber++] = r;
  }
  return CR_OK;
}

cr_status cri_chain_set(cri_chain* c, const cr_parameters* ps, const cr_real* x,
                        const cr_real* derived, cr_error* error) {
  const cr_model* m = cri_parameters_model(ps);
  const bool* wanted = cri_parameters_wanted(ps);
  c->nnumber = c->nfull = 0;
  c->nentry = 0;
  for (int i = 0; i < CR_N_MODEL_FIELD; i++) {
    cr_field_id id = (cr_field_id)i;
    int n = wanted[i] ? cri_field_tangent_size(m, NULL, id) : 0;
    for (int k = 0; k < n; k++) {
      find_row(c, ps, x, derived, cri_field_real(&c->twin, NULL, id) + k);
      CR_TRY(keep_row(c, id, k, error));
    }
  }
  return CR_OK;
}

// ---- rows

static cr_real* place_of(const reached* r, cr_data* bar) {
  return cri_field_real(&bar->par, NULL, r->field) + r->at;
}

void cri_chain_clear(const cri_chain* c, cr_data* bar) {
  for (int i = 0; i < c->nnumber; i++) {
    *place_of(&c->numbers[i], bar) = 0;
  }
  for (int i = 0; i < c->nfull; i++) {
    *place_of(&c->full_numbers[i], bar) = 0;
  }
}

void cri_chain_pull(const cri_chain* c, cr_data* bar, cr_real* by_x) {
  cr_zero(by_x, c->n);
  for (int i = 0; i < c->nnumber; i++) {
    const reached* r = &c->numbers[i];
    cr_real s = *place_of(r, bar);
    const int* column = c->column + r->first;
    const cr_real* value = c->value + r->first;
    for (int k = 0; k < r->count && s != 0; k++) {
      by_x[column[k]] += s * value[k];
    }
  }
  for (int i = 0; i < c->nfull; i++) {
    c->weights[i] = *place_of(&c->full_numbers[i], bar);
  }
  cri_combine(by_x, c->weights, c->nfull, c->full, c->n, c->n);
}
