// SPDX-License-Identifier: Apache-2.0
// Measurements from NumPy's .npz: arrays of one run, or with several "run/NAME/" before each name.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/measurements_file.h"
#include "tools/npz.h"

static const char of_runs[] = "run/";

// the name behind "run/NAME/", and the length of NAME; 0 where the array is that of the only run
static const char* inner_name(const char* name, size_t* length) {
  const char* begin = name + sizeof of_runs - 1;
  const char* slash = strncmp(name, of_runs, sizeof of_runs - 1) == 0 ? strchr(begin, '/') : NULL;
  *length = slash != NULL ? (size_t)(slash - begin) : 0;
  return slash != NULL ? slash + 1 : name;
}

static const char* run_of(const char* name) { return name + sizeof of_runs - 1; }

static bool same_run(const char* a, const char* b) {
  size_t na, nb;
  (void)inner_name(a, &na);
  (void)inner_name(b, &nb);
  return na == nb && (na == 0 || strncmp(run_of(a), run_of(b), na) == 0);
}

// all arrays of the run that array `first` is in
static cr_status add_run(const cri_measured_file* f, const cri_npz* npz, int first, bool* used) {
  cri_measured_array* list = calloc((size_t)npz->n, sizeof *list);
  char run[CRI_RUN_NAME + 1];
  size_t length;
  int n = 0;
  if (list == NULL) {
    return cri_fail(f->error, CR_ERR_MEMORY, "%s: no memory", f->path);
  }
  (void)inner_name(npz->array[first].name, &length);
  if (length > 0) {
    (void)snprintf(run, sizeof run, "%.*s", (int)length, run_of(npz->array[first].name));
  }
  for (int i = first; i < npz->n; i++) {
    const cri_array* a = &npz->array[i];
    if (!used[i] && same_run(a->name, npz->array[first].name)) {
      used[i] = true;
      list[n].name = inner_name(a->name, &(size_t){0});
      list[n].rows = a->rows;
      list[n].cols = a->cols;
      list[n++].values = a->values;
    }
  }
  cr_status status = cri_measured_arrays_add(f, length > 0 ? run : NULL,
                                             cri_measurements_new_group(f->to), list, n, 0);
  free(list);
  return status;
}

cr_status cri_measurements_read_npz(const cri_measured_file* f) {
  cri_npz npz;
  CR_TRY(cri_npz_read(&npz, f->path, f->error));
  bool* used = calloc((size_t)npz.n + 1, sizeof *used);
  cr_status status = used == NULL ? cri_fail(f->error, CR_ERR_MEMORY, "%s: no memory", f->path)
                     : npz.n == 0 ? cri_fail(f->error, CR_ERR_FORMAT, "%s: has no arrays", f->path)
                                  : CR_OK;
  for (int i = 0; i < npz.n && status == CR_OK; i++) {
    status = used[i] ? CR_OK : add_run(f, &npz, i, used);
  }
  free(used);
  cri_npz_free(&npz);
  return status;
}
