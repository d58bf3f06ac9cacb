// SPDX-License-Identifier: Apache-2.0
#include "command/pose_table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command/labels.h"
#include "tools/files.h"
#include "tools/hdf5.h"

enum { FIRST_ROOM = 64 };

static bool grow(double** values, size_t n) {
  double* larger = realloc(*values, n * sizeof *larger);
  *values = larger != NULL ? larger : *values;
  return larger != NULL;
}

cr_status cr_pose_table_add(cr_pose_table* t, double time, const cr_real* qpos, cr_error* error) {
  const int nq = cr_model_count(t->m, "nq");
  if (t->rows == t->room) {
    const int room = t->room > 0 ? 2 * t->room : FIRST_ROOM;
    if (!grow(&t->time, (size_t)room) || !grow(&t->qpos, (size_t)room * (size_t)nq)) {
      return cri_fail(error, CR_ERR_MEMORY, "no memory for %d poses", room);
    }
    t->room = room;
  }
  t->time[t->rows] = time;
  for (int i = 0; i < nq; i++) {
    t->qpos[(ptrdiff_t)t->rows * nq + i] = (double)qpos[i];
  }
  t->rows++;
  return CR_OK;
}

static void put_csv(const cr_pose_table* t, FILE* file) {
  const int nq = cr_model_count(t->m, "nq");
  (void)fprintf(file, "time");
  for (int i = 0; i < nq; i++) {
    char label[CR_NUMBER_NAME];
    cr_label(t->m, "qpos", i, false, label);
    (void)fprintf(file, ",%s", label);
  }
  for (ptrdiff_t k = 0; k < t->rows; k++) {
    (void)fprintf(file, "\n%.9g", t->time[k]);
    for (int i = 0; i < nq; i++) {
      (void)fprintf(file, ",%.17g", t->qpos[k * nq + i]);
    }
  }
  (void)fprintf(file, "\n");
}

static cr_status write_csv(const cr_pose_table* t, const char* path, cr_error* error) {
  char* text = NULL;
  size_t size = 0;
  FILE* file = open_memstream(&text, &size);
  if (file == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "%s: no memory", path);
  }
  put_csv(t, file);
  const cr_status status = fclose(file) == 0
                               ? cri_file_write(path, text, size, error)
                               : cri_fail(error, CR_ERR_MEMORY, "%s: no memory", path);
  free(text);
  return status;
}

static cr_status write_h5(const cr_pose_table* t, const char* path, cr_error* error) {
  cr_h5* file;
  CR_TRY(cri_h5_create(&file, path, error));
  cr_status status = cri_h5_write(file, "time", t->time, t->rows, 0, error);
  status = status == CR_OK
               ? cri_h5_write(file, "qpos", t->qpos, t->rows, cr_model_count(t->m, "nq"), error)
               : status;
  status =
      status == CR_OK ? cri_h5_write_text(file, "/", "carom_version", cr_version(), error) : status;
  status = status == CR_OK ? cri_h5_save(file, error) : status;
  cri_h5_close(file);
  return status;
}

cr_status cr_pose_table_write(const cr_pose_table* table, const char* csv, const char* h5,
                              cr_error* error) {
  CR_TRY(csv != NULL ? write_csv(table, csv, error) : CR_OK);
  return h5 != NULL ? write_h5(table, h5, error) : CR_OK;
}

void cr_pose_table_free(cr_pose_table* table) {
  free(table->time);
  free(table->qpos);
}
