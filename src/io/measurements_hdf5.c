// SPDX-License-Identifier: Apache-2.0
// Measurements from HDF5: groups run/NAME of data sets, or data sets in the root.
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "io/measurements_file.h"
#include "tools/files.h"
#include "tools/hdf5.h"

typedef struct {
  const cri_measured_file* f;
  const cr_h5* file;
  char group[CR_MAX_PATH];  // of the run; "/" the root
  cri_measured_array* array;
  int n, capacity;
} reader;

static cr_status no_memory(const reader* r) {
  return cri_fail(r->f->error, CR_ERR_MEMORY, "%s: no memory", r->f->path);
}

static void free_arrays(reader* r) {
  for (int i = 0; i < r->n; i++) {
    free((void*)(uintptr_t)r->array[i].name);
    free((void*)(uintptr_t)r->array[i].unit);
    free((void*)(uintptr_t)r->array[i].values);
  }
  free(r->array);
}

static cr_status take_set(void* context, const char* name) {
  reader* r = context;
  char set[CR_MAX_PATH], *unit = NULL;
  double* values = NULL;
  int rows, cols;
  if (r->n == r->capacity) {
    int capacity = 2 * r->capacity + 16;
    cri_measured_array* more = realloc(r->array, (size_t)capacity * sizeof *more);
    if (more == NULL) {
      return no_memory(r);
    }
    r->array = more;
    r->capacity = capacity;
  }
  CR_TRY(cri_path_join(set, r->group[0] == '/' ? "" : r->group, name, r->f->error));
  CR_TRY(cri_h5_read(r->file, set, &values, &rows, &cols, r->f->error));
  cr_status status = cri_h5_read_texts(r->file, set, "unit", &unit, r->f->error);
  char* own = strdup(name);
  status = status == CR_OK && own == NULL ? no_memory(r) : status;
  if (status != CR_OK) {
    free(own);
    free(unit);
    free(values);
    return status;
  }
  r->array[r->n++] =
      (cri_measured_array){.name = own, .unit = unit, .rows = rows, .cols = cols, .values = values};
  return CR_OK;
}

// a number attribute of the run, else of the root; 0 where there is none
static cr_status take_attribute(const reader* r, const char* name, double* value, bool* present) {
  *value = 0;
  CR_TRY(cri_h5_read_attribute(r->file, r->group, name, value, present, r->f->error));
  return *present || r->group[0] == '/'
             ? CR_OK
             : cri_h5_read_attribute(r->file, "/", name, value, present, r->f->error);
}

static cr_status read_run(reader* r, const char* run) {
  double rate = 0, number = 0;
  bool present = false;
  CR_TRY(take_attribute(r, "rate", &rate, &present));
  if (present && !(rate > 0)) {
    return cri_fail(r->f->error, CR_ERR_FORMAT, "%s: attribute 'rate' of '%s' is %g", r->f->path,
                    r->group, rate);
  }
  CR_TRY(take_attribute(r, "group", &number, &present));
  if (present && !(number >= 0 && number < INT_MAX)) {
    return cri_fail(r->f->error, CR_ERR_FORMAT, "%s: attribute 'group' of '%s' is %g", r->f->path,
                    r->group, number);
  }
  int group = present ? (int)number : cri_measurements_new_group(r->f->to);
  CR_TRY(cri_h5_each(r->file, r->group, take_set, r, r->f->error));
  return cri_measured_arrays_add(r->f, run, group, r->array, r->n, rate);
}

static cr_status visit_run(void* context, const char* name) {
  const reader* all = context;
  reader r = {.f = all->f, .file = all->file};
  CR_TRY(cri_path_join(r.group, "run", name, r.f->error));
  cr_status status = read_run(&r, name);
  free_arrays(&r);
  return status;
}

static cr_status read_root(reader* r) {
  (void)strcpy(r->group, "/");
  cr_status status = read_run(r, NULL);
  free_arrays(r);
  return status;
}

cr_status cri_measurements_read_hdf5(const cri_measured_file* f) {
  reader r = {.f = f};
  cr_h5* file = NULL;
  CR_TRY(cri_h5_open(&file, f->path, f->error));
  r.file = file;
  int before = f->to->n;
  cr_status status =
      cri_h5_has(file, "run") ? cri_h5_each(file, "run", visit_run, &r, f->error) : read_root(&r);
  if (status == CR_OK && f->to->n == before) {
    status = cri_fail(f->error, CR_ERR_FORMAT, "%s: the group 'run' is empty", f->path);
  }
  cri_h5_close(file);
  return status;
}
