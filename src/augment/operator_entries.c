// SPDX-License-Identifier: Apache-2.0
// Entries of operators as targets: which there are, where they stand, and their cotangents.
#include <stdio.h>
#include <stdlib.h>

#include "augment/correction.h"
#include "engine/data_create.h"
#include "engine/driver.h"
#include "model/names.h"

// ---- where entries stand

static int find(const int32_t* column, int n, int wanted) {
  for (int k = 0; k < n; k++) {
    if (column[k] == wanted) {
      return k;
    }
  }
  return -1;
}

int cri_operator_place(const cr_model* m, const cr_data* d, cr_field_id id, int row, int column) {
  if (id == CR_FIELD_M) {
    return cri_place_in_M(m, row, column);
  }
  const bool tendon = id == CR_FIELD_ten_J;
  const int first = tendon ? m->ten_J_rowadr[row] : d->moment_rowadr[row];
  const int n = tendon ? m->ten_J_rownnz[row] : d->moment_rownnz[row];
  const int k = find((tendon ? m->ten_J_colind : d->moment_colind) + first, n, column);
  return k < 0 ? -1 : first + k;
}

// [correction.o1] M is symmetric, and one entry is two of the matrix
cr_real cri_operator_bar(const cr_pairs* pairs, cr_field_id id, int row, int column) {
  cr_real sum = 0;
  for (int k = 0; k < pairs->n; k++) {
    const cr_real *l = cri_pair_left(pairs, k), *r = cri_pair_right(pairs, k);
    sum += l[row] * r[column];
    sum += id == CR_FIELD_M && row != column ? l[column] * r[row] : 0;
  }
  return sum;
}

// ---- which there are

static cr_status fail(const cri_correction* c, cr_error* error, cr_status status, const char* why) {
  return cri_fail(error, status, "correction '%s': '%s' %s", c->options.name, c->options.target,
                  why);
}

// moments follow contacts where an actuator acts on what a body touches
static cr_status refuse_bodies(const cri_correction* c, const cr_model* m, cr_error* error) {
  for (int i = 0; i < c->nmember; i++) {
    for (int k = 0; k < m->nactuator; k++) {
      const int output = c->value[i] - m->actuator_outadr[k];
      if (output >= 0 && output < m->actuator_outnum[k] && m->actuator_trntype[k] == CR_TRN_BODY) {
        return fail(c, error, CR_ERR_UNSUPPORTED,
                    "is of an actuator on a body, whose moment comes and goes with contacts");
      }
    }
  }
  return CR_OK;
}

// Rows of moments are known once they are computed; which dofs they have depends on no state.
static cr_status compute_rows(cr_data** d, const cr_model* m, cr_error* error) {
  CR_TRY(cri_data_create(d, m, NULL, error));
  cr_status status = cri_dynamics_to(m, *d, "transmission");
  if (status != CR_OK) {
    *error = (*d)->error;
  }
  return status;
}

// the one dof of a text, as of qvel[...]
static cr_status find_dof(const cri_correction* c, const cr_model* m, const char* text, int* dof,
                          cr_error* error) {
  char name[2 * CR_MAX_CORRECTION_TEXT];
  cr_place place;
  (void)snprintf(name, sizeof name, "qvel[%s", text);  // the bracket's end comes with the text
  CR_TRY(cri_place_find(&place, m, name, error));
  *dof = place.first;
  return place.count == 1
             ? CR_OK
             : fail(c, error, CR_ERR_NAME, "needs one dof, as a number, for a joint of several");
}

static int count_row(const cr_model* m, const cr_data* d, cr_field_id id, int row) {
  return id == CR_FIELD_ten_J ? m->ten_J_rownnz[row]
         : id == CR_FIELD_M   ? m->M_rownnz[row]
                              : d->moment_rownnz[row];
}

static int column_at(const cr_model* m, const cr_data* d, cr_field_id id, int row, int k) {
  return id == CR_FIELD_ten_J ? m->ten_J_colind[m->ten_J_rowadr[row] + k]
         : id == CR_FIELD_M   ? m->M_colind[m->M_rowadr[row] + k]
                              : d->moment_colind[d->moment_rowadr[row] + k];
}

// rows and columns of all members, in new arrays
static cr_status fill(cri_correction* c, const cr_model* m, const cr_data* d, cr_field_id id,
                      const char* columns, cr_error* error) {
  int dof = -1;
  CR_TRY(columns != NULL ? find_dof(c, m, columns, &dof, error) : CR_OK);
  const int n = columns != NULL ? 1 : count_row(m, d, id, c->value[0]);
  if (n == 0) {
    return fail(c, error, CR_ERR_NAME, "has no entries");
  }
  int* row = calloc((size_t)c->nmember * (size_t)n, sizeof *row);
  c->column = calloc((size_t)c->nmember * (size_t)n, sizeof *c->column);
  if (row == NULL || c->column == NULL) {
    free(row);
    return fail(c, error, CR_ERR_MEMORY, "finds no memory");
  }
  cr_status status = CR_OK;
  for (int i = 0; i < c->nmember && status == CR_OK; i++) {
    const int of = c->value[i];
    if (columns == NULL && count_row(m, d, id, of) != n) {
      status = fail(c, error, CR_ERR_ARG, "has rows of several lengths; take one at a time");
    }
    for (int k = 0; k < n && status == CR_OK; k++) {
      row[i * n + k] = of;
      c->column[i * n + k] = columns != NULL ? dof : column_at(m, d, id, of, k);
      if (cri_operator_place(m, d, id, of, c->column[i * n + k]) < 0) {
        status = fail(c, error, CR_ERR_UNSUPPORTED,
                      "is no entry: what is zero because nothing connects the two stays zero");
      }
    }
  }
  free(c->value);
  c->value = row;
  c->nvalue = n;
  return status;
}

cr_status cri_operator_entries(cri_correction* c, const cr_model* m, cr_field_id id,
                               const char* columns, cr_error* error) {
  cr_data* d = NULL;
  cr_error inner = {0};
  cr_status status = CR_OK;
  c->target = id;
  if (id == CR_FIELD_actuator_moment) {
    CR_TRY(refuse_bodies(c, m, error));
    status = compute_rows(&d, m, &inner);
  }
  status = status == CR_OK
               ? fill(c, m, d, id, columns, error)
               : cri_fail(error, status, "correction '%s': %s", c->options.name, inner.text);
  cri_data_free(d);
  return status;
}
