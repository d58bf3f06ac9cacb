// SPDX-License-Identifier: Apache-2.0
#include "task/plan_memory.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "tools/hdf5.h"

cr_status cr_plan_history_add(cr_plan_history* h, const double* row, int columns, cr_error* error) {
  if (h->n == h->room) {
    int room = h->room > 0 ? 2 * h->room : 64;
    double* more = realloc(h->row, (size_t)room * (size_t)columns * sizeof *more);
    if (more == NULL) {
      return cri_fail(error, CR_ERR_MEMORY, "plan: no memory for %d iterations", room);
    }
    h->row = more;
    h->room = room;
  }
  memcpy(h->row + (ptrdiff_t)h->n++ * columns, row, (size_t)columns * sizeof *row);
  return CR_OK;
}

void cr_plan_history_free(cr_plan_history* h) {
  free(h->row);
  *h = (cr_plan_history){.row = NULL};
}

// ---- writing

static cr_status write_file(const cr_plan_task* t, const cr_plan_history* h, const double* memory,
                            int n, const char* path, cr_error* error) {
  cr_h5* file = NULL;
  CR_TRY(cri_h5_create(&file, path, error));
  cr_status status = cri_h5_write(file, "memory", memory, n, 0, error);
  if (status == CR_OK && h->n > 0) {
    status = cri_h5_write(file, "history", h->row, h->n, CR_PLAN_COLUMNS, error);
  }
  if (status == CR_OK) {
    status = cri_h5_write_attribute(file, "/", "method", t->planner.method, error);
  }
  status = status == CR_OK ? cri_h5_save(file, error) : status;
  cri_h5_close(file);
  return status;
}

cr_status cr_plan_memory_save(const cr_plan_task* t, const cr_plan_history* h, const char* path,
                              cr_error* error) {
  size_t n = cr_planner_memory_size(t->planning);
  if (n > INT_MAX) {
    return cri_fail(error, CR_ERR_MEMORY, "%s: %zu numbers are too many for a file", path, n);
  }
  cr_real* memory = malloc(n * sizeof *memory);
  double* numbers = malloc(n * sizeof *numbers);
  cr_status status = memory != NULL && numbers != NULL
                         ? cr_planner_get_memory(t->planning, memory, error)
                         : cri_fail(error, CR_ERR_MEMORY, "plan: no memory for %zu numbers", n);
  for (size_t i = 0; i < n && status == CR_OK; i++) {
    numbers[i] = (double)memory[i];
  }
  status = status == CR_OK ? write_file(t, h, numbers, (int)n, path, error) : status;
  free(memory);
  free(numbers);
  return status;
}

// ---- reading

static cr_status take_memory(cr_plan_task* t, const cr_h5* file, const char* path,
                             cr_error* error) {
  double *numbers = NULL, method = -1;
  int n = 0, width = 0;
  bool present = false;
  cr_error inner = {0};
  CR_TRY(cri_h5_read_attribute(file, "/", "method", &method, &present, error));
  if (!present || method != t->planner.method) {
    return cri_fail(error, CR_ERR_FORMAT,
                    "%s: was written by another method than %s; give it another folder with --out",
                    path, cr_enum_word("plan_method", t->planner.method));
  }
  CR_TRY(cri_h5_read(file, "memory", &numbers, &n, &width, error));
  size_t count = (size_t)n * (size_t)(width > 0 ? width : 1);
  cr_real* memory = malloc((count + 1) * sizeof *memory);
  cr_status status = memory != NULL ? CR_OK : CR_ERR_MEMORY;
  for (size_t i = 0; i < count && status == CR_OK; i++) {
    memory[i] = (cr_real)numbers[i];
  }
  status = status == CR_OK ? cr_planner_set_memory(t->planning, memory, count, &inner) : status;
  free(numbers);
  free(memory);
  return status == CR_OK ? CR_OK
                         : cri_fail(error, status == CR_ERR_ARG ? CR_ERR_FORMAT : status, "%s: %s",
                                    path, status == CR_ERR_ARG ? inner.text : "no memory");
}

static cr_status take_history(cr_plan_history* h, const cr_h5* file, const char* path,
                              cr_error* error) {
  if (!cri_h5_has(file, "history")) {
    return CR_OK;
  }
  double* rows = NULL;
  int n = 0, width = 0;
  CR_TRY(cri_h5_read(file, "history", &rows, &n, &width, error));
  if (width != CR_PLAN_COLUMNS) {
    free(rows);
    return cri_fail(error, CR_ERR_FORMAT, "%s: data set 'history' has %d columns; %d are expected",
                    path, width, CR_PLAN_COLUMNS);
  }
  *h = (cr_plan_history){rows, n, n};
  return CR_OK;
}

cr_status cr_plan_memory_read(cr_plan_task* t, cr_plan_history* h, const char* path,
                              cr_error* error) {
  cr_h5* file = NULL;
  CR_TRY(cri_h5_open(&file, path, error));
  cr_status status = take_memory(t, file, path, error);
  status = status == CR_OK ? take_history(h, file, path, error) : status;
  cri_h5_close(file);
  return status;
}
