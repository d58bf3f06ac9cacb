// SPDX-License-Identifier: Apache-2.0
// Tosses in a file.
#include "stiff/toss_file.h"

#include <math.h>
#include <stdlib.h>

#include "tools/hdf5.h"

enum { BLOCK = 256 };  // tosses between two looks at whether to stop

void cri_tosses_free(cri_tosses* t) {
  free(t->first);
  free(t->state);
  free(t->seen);
  *t = (cri_tosses){.tosses = 0};
}

static cr_status no_memory(cr_error* error) {
  return cri_fail(error, CR_ERR_MEMORY, "no memory for tosses");
}

// ---- simulation, a block after the other

typedef struct {
  const cr_model* m;
  const cri_sight* sight;
  cr_data** data;                // of each worker
  int floor, toss, rows[BLOCK];  // toss: the first of the block
  cr_real* room;                 // [BLOCK][2][most][CRI_STATE]
  cr_error errors[BLOCK];
} maker;

static size_t numbers_of(int floor) { return (size_t)cri_floors[floor].most * CRI_STATE; }

static cr_status make_toss(void* context, int item, int worker) {
  maker* k = context;
  cr_real* state = k->room + (size_t)item * 2 * numbers_of(k->floor);
  cr_real* seen = state + numbers_of(k->floor);
  const int toss = k->toss + item;
  cr_error* error = &k->errors[item];
  CR_TRY(cri_tossed_run(k->m, k->data[worker], k->floor, toss, state, &k->rows[item], error));
  for (int i = 0; i < CRI_STATE; i++) {
    seen[i] = (cr_real)NAN;
  }
  return cri_tossed_see(k->m, k->sight, toss, state, k->rows[item], seen + CRI_STATE, error);
}

static cr_status grow(cr_real** x, size_t rows, cr_error* error) {
  cr_real* more = realloc(*x, rows * CRI_STATE * sizeof *more);
  CR_TRY(more != NULL ? CR_OK : no_memory(error));
  *x = more;
  return CR_OK;
}

static cr_status take_block(cri_tosses* t, const maker* k, int n, cr_error* error) {
  for (int i = 0; i < n; i++) {
    t->first[k->toss + i + 1] = t->first[k->toss + i] + (int32_t)k->rows[i];
  }
  CR_TRY(grow(&t->state, (size_t)t->first[k->toss + n], error));
  CR_TRY(grow(&t->seen, (size_t)t->first[k->toss + n], error));
  for (int i = 0; i < n; i++) {
    const cr_real* from = k->room + (size_t)i * 2 * numbers_of(k->floor);
    const size_t to = (size_t)t->first[k->toss + i] * CRI_STATE;
    cr_copy(t->state + to, from, CRI_STATE * k->rows[i]);
    cr_copy(t->seen + to, from + numbers_of(k->floor), CRI_STATE * k->rows[i]);
  }
  return CR_OK;
}

static cr_status make_blocks(cri_tosses* t, cr_notebook* book, maker* k, cr_error* error) {
  for (k->toss = 0; k->toss < t->tosses; k->toss += BLOCK) {
    const int left = t->tosses - k->toss, n = left < BLOCK ? left : BLOCK;
    CR_TRY(cri_notebook_stopped(book, error));
    const cr_status status = cr_pool_run(book->pool, n, make_toss, k);
    for (int i = 0; i < n && status != CR_OK; i++) {
      if (k->errors[i].text[0] != 0) {
        return cri_fail(error, status, "%s, toss %d: %s", cri_floors[k->floor].name, k->toss + i,
                        k->errors[i].text);
      }
    }
    CR_TRY(take_block(t, k, n, error));
  }
  return CR_OK;
}

cr_status cri_tosses_make(cri_tosses* t, cr_notebook* book, const cr_model* m, int floor,
                          const cri_sight* sight, int n, cr_error* error) {
  const int workers = cr_pool_size(book->pool);
  maker* k = calloc(1, sizeof *k);
  *t = (cri_tosses){.tosses = n};
  t->first = calloc((size_t)n + 1, sizeof *t->first);
  if (k == NULL || t->first == NULL) {
    free(k);
    return no_memory(error);
  }
  *k = (maker){.m = m, .sight = sight, .floor = floor};
  k->data = calloc((size_t)workers, sizeof *k->data);
  k->room = malloc(BLOCK * 2 * numbers_of(floor) * sizeof *k->room);
  cr_status status = k->data != NULL && k->room != NULL ? CR_OK : no_memory(error);
  for (int i = 0; i < workers && status == CR_OK; i++) {
    status = cr_data_create(&k->data[i], m, error);
  }
  status = status == CR_OK ? make_blocks(t, book, k, error) : status;
  for (int i = 0; i < workers && k->data != NULL; i++) {
    cr_data_destroy(k->data[i]);
  }
  free(k->data);
  free(k->room);
  free(k);
  return status;
}

// ---- the file

static cr_status put(const cri_tosses* t, int floor, cr_h5* file, cr_error* error) {
  const int rows = (int)t->first[t->tosses];
  double* length = malloc((size_t)t->tosses * sizeof *length);
  CR_TRY(length != NULL ? CR_OK : no_memory(error));
  for (int i = 0; i < t->tosses; i++) {
    length[i] = t->first[i + 1] - t->first[i];
  }
  cr_status status = cri_h5_write(file, "length", length, t->tosses, 0, error);
  free(length);
  CR_TRY(status);
  CR_TRY(cri_h5_write(file, "state", t->state, rows, CRI_STATE, error));
  CR_TRY(cri_h5_write(file, "seen", t->seen, rows, CRI_STATE, error));
  CR_TRY(cri_h5_write_attribute(file, "/", "timestep", (double)cri_tossed_timestep, error));
  CR_TRY(cri_h5_write_attribute(file, "/", "stiffness", cri_floors[floor].stiffness, error));
  return cri_h5_write_attribute(file, "/", "tosses", t->tosses, error);
}

cr_status cri_tosses_save(const cri_tosses* t, int floor, const char* path, cr_error* error) {
  cr_h5* file = NULL;
  CR_TRY(cri_h5_create(&file, path, error));
  cr_status status = put(t, floor, file, error);
  status = status == CR_OK ? cri_h5_save(file, error) : status;
  cri_h5_close(file);
  return status;
}

static cr_status check_attribute(const cr_h5* file, const char* path, const char* name,
                                 double expected, cr_error* error) {
  double value = 0;
  bool present = false;
  CR_TRY(cri_h5_read_attribute(file, "/", name, &value, &present, error));
  return present && value == expected
             ? CR_OK
             : cri_fail(error, CR_ERR_FORMAT, "%s: the attribute %s is not %g", path, name,
                        expected);
}

static cr_status take_lengths(cri_tosses* t, const char* path, const double* length, int n,
                              cr_error* error) {
  if (n != t->tosses) {
    return cri_fail(error, CR_ERR_FORMAT, "%s: %d lengths of %d tosses", path, n, t->tosses);
  }
  t->first = calloc((size_t)n + 1, sizeof *t->first);
  CR_TRY(t->first != NULL ? CR_OK : no_memory(error));
  for (int i = 0; i < n; i++) {
    if (!(length[i] >= 1 && length[i] <= cri_floors[CRI_HARD].most)) {
      return cri_fail(error, CR_ERR_FORMAT, "%s: toss %d has %g rows", path, i, length[i]);
    }
    t->first[i + 1] = t->first[i] + (int32_t)length[i];
  }
  return CR_OK;
}

static cr_status take_rows(const cri_tosses* t, const cr_h5* file, const char* path,
                           const char* name, cr_real** to, cr_error* error) {
  int rows, columns;
  CR_TRY(cri_h5_read(file, name, to, &rows, &columns, error));
  return rows == t->first[t->tosses] && columns == CRI_STATE
             ? CR_OK
             : cri_fail(error, CR_ERR_FORMAT, "%s: '%s' has %d rows of %d numbers, not %d of %d",
                        path, name, rows, columns, (int)t->first[t->tosses], (int)CRI_STATE);
}

static cr_status take(cri_tosses* t, int floor, const cr_h5* file, const char* path,
                      cr_error* error) {
  double* length = NULL;
  int n, columns;
  CR_TRY(check_attribute(file, path, "tosses", t->tosses, error));
  CR_TRY(check_attribute(file, path, "stiffness", cri_floors[floor].stiffness, error));
  CR_TRY(check_attribute(file, path, "timestep", (double)cri_tossed_timestep, error));
  CR_TRY(cri_h5_read(file, "length", &length, &n, &columns, error));
  cr_status status = take_lengths(t, path, length, n, error);
  free(length);
  CR_TRY(status);
  CR_TRY(take_rows(t, file, path, "state", &t->state, error));
  return take_rows(t, file, path, "seen", &t->seen, error);
}

cr_status cri_tosses_read(cri_tosses* t, int floor, int n, const char* path, cr_error* error) {
  cr_h5* file = NULL;
  *t = (cri_tosses){.tosses = n};
  CR_TRY(cri_h5_open(&file, path, error));
  cr_status status = take(t, floor, file, path, error);
  cri_h5_close(file);
  return status;
}
