// SPDX-License-Identifier: Apache-2.0
// A rollout as a table: a row for each state. cr_measurements_read reads it again.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/whole_file.h"
#include "carom/fields.h"
#include "io/recording.h"

bool cri_recording_is_csv(const char* path) {
  size_t n = strlen(path);
  return n > 4 && strcmp(path + n - 4, ".csv") == 0;
}

// true if a number has a column before those of series `i`
static bool is_there(const cri_recorded* a, int i, int number) {
  const cr_place* p = &a->places[i];
  if (p->geom1 >= 0) {
    return false;
  }
  if (cri_state_find(p->field) >= 0 || p->field == CR_FIELD_ctrl) {
    return true;
  }
  for (int k = 0; k < i; k++) {
    const cr_place* q = &a->places[k];
    if (q->geom1 < 0 && q->field == p->field && number >= q->first &&
        number < q->first + q->count) {
      return true;
    }
  }
  return false;
}

static void put_names(FILE* to, const cr_model* m, int field, int first, int count) {
  char name[CR_NUMBER_NAME];
  for (int k = 0; k < count; k++) {
    if (cr_number_name(m, field, first + k, false, name, (int)sizeof name, NULL) == CR_OK) {
      (void)fprintf(to, ",%s", name);
    }
  }
}

static void put_header(FILE* to, const cr_model* m, const cri_recorded* a) {
  (void)fprintf(to, "time");
  for (int k = 0; k < CRI_N_STATE; k++) {
    put_names(to, m, (int)cri_state_rows[k].id, 0, a->rows.part[k].n);
  }
  put_names(to, m, (int)CR_FIELD_ctrl, 0, m->nu);
  for (int i = 0; i < a->n; i++) {
    const cr_place* p = &a->places[i];
    for (int k = 0; k < p->count; k++) {
      if (p->geom1 >= 0) {  // a contact has its name as it was asked for
        (void)fprintf(to, p->count == 1 ? ",%s" : ",%s.%d", a->names[i], k);
      } else if (!is_there(a, i, p->first + k)) {
        put_names(to, m, (int)p->field, p->first + k, 1);
      }
    }
  }
  (void)fprintf(to, "\n");
}

static void put_cell(FILE* to, cr_real value) {
  if (value - value == 0) {
    (void)fprintf(to, ",%.17g", (double)value);
  } else {
    (void)fprintf(to, ",");
  }
}

static void put_row(FILE* to, const cr_model* m, const cri_recorded* a, int row) {
  (void)fprintf(to, "%.17g", (double)a->time[row]);
  for (int k = 0; k < CRI_N_STATE; k++) {
    const cri_state_part p = a->rows.part[k];
    for (int j = 0; j < p.n; j++) {
      put_cell(to, p.x[(size_t)row * (size_t)p.n + (size_t)j]);
    }
  }
  for (int j = 0; j < m->nu; j++) {
    put_cell(
        to, row < a->r->nstep ? a->r->ctrl[(size_t)row * (size_t)m->nu + (size_t)j] : (cr_real)NAN);
  }
  for (int i = 0; i < a->n; i++) {
    const cr_place* p = &a->places[i];
    for (int k = 0; k < p->count; k++) {
      if (!is_there(a, i, p->first + k)) {
        put_cell(to, a->values[i][(size_t)row * (size_t)p->count + (size_t)k]);
      }
    }
  }
  (void)fprintf(to, "\n");
}

cr_status cri_recording_write_csv(const char* path, const cr_model* m, const cri_recorded* a,
                                  cr_error* error) {
  char* text = NULL;
  size_t n = 0;
  FILE* to = open_memstream(&text, &n);
  if (to == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "%s: no memory", path);
  }
  put_header(to, m, a);
  for (int row = 0; row <= a->r->nstep; row++) {
    put_row(to, m, a, row);
  }
  cr_status status = fclose(to) == 0 ? cri_whole_file_write(path, text, n, error)
                                     : cri_fail(error, CR_ERR_MEMORY, "%s: no memory", path);
  free(text);
  return status;
}
