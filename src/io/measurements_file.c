// SPDX-License-Identifier: Apache-2.0
// Measurements from files, chosen by ending. See carom/measure.h.
#include "io/measurements_file.h"

#include "model/misuse.h"

static bool ends_with(const char* text, const char* end) {
  size_t n = strlen(text), k = strlen(end);
  return n >= k && strcmp(text + n - k, end) == 0;
}

static cr_status read_file(const cri_measured_file* f) {
  static const struct {
    const char* end;
    cr_status (*read)(const cri_measured_file*);
  } kinds[] = {{".csv", cri_measurements_read_csv}, {".tsv", cri_measurements_read_csv},
               {".txt", cri_measurements_read_csv}, {".npz", cri_measurements_read_npz},
               {".h5", cri_measurements_read_hdf5}, {".hdf5", cri_measurements_read_hdf5}};
  for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
    if (ends_with(f->path, kinds[i].end)) {
      return kinds[i].read(f);
    }
  }
  return cri_fail(f->error, CR_ERR_FORMAT, "%s: %s", f->path,
                  ends_with(f->path, ".npy")
                      ? "one array has no name; numpy.savez writes arrays with names to a .npz"
                      : "a file of measurements ends in .csv, .npz, .h5 or .hdf5");
}

cr_status cr_measurements_read(cr_measurements* to, const char* path,
                               const cr_measurements_file* options, cr_error* error) {
  static const cr_measurements_file none = {.size = sizeof none};
  const cri_call call = {"cr_measurements_read", error};
  const cr_measurements_file* o = options != NULL ? options : &none;
  CR_TRY(cri_given(&call, to, "the measurements"));
  CR_TRY(cri_given(&call, path, "the path"));
  CR_TRY(cri_check_size(&call, o->size, sizeof none, "cr_measurements_file"));
  if (o->ncolumn < 0 || o->nignored < 0 || !(o->rate >= 0) || !isfinite(o->rate) ||
      (o->ncolumn > 0 && o->columns == NULL) || (o->nignored > 0 && o->ignored == NULL)) {
    return cri_fail(error, CR_ERR_ARG,
                    "cr_measurements_read: a list of the options is missing, or its rate wrong");
  }
  for (int i = 0; i < o->ncolumn; i++) {
    if (o->columns[i] == NULL || strchr(o->columns[i], '=') == NULL) {
      return cri_fail(error, CR_ERR_ARG, "cr_measurements_read: '%.80s' is not column=place",
                      o->columns[i] != NULL ? o->columns[i] : "NULL");
    }
  }
  int before = to->n;
  const cri_measured_file f = {.to = to, .options = o, .path = path, .error = error};
  cr_status status = read_file(&f);
  if (status != CR_OK) {
    cri_measurements_keep(to, before);
  }
  return status;
}
