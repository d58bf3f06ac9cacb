// SPDX-License-Identifier: Apache-2.0
// Reading controls from CSV or HDF5.
#include "io/controls.h"

#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>

static bool ends_with(const char* text, const char* end) {
  size_t n = strlen(text), k = strlen(end);
  return n >= k && strcmp(text + n - k, end) == 0;
}

static cr_status check_finite(const cr_real* ctrl, int nstep, int nu, const char* path,
                              cr_error* error) {
  for (int i = 0; i < nstep * nu; i++) {
    if (!isfinite(ctrl[i])) {
      return cri_fail(error, CR_ERR_FORMAT, "%s: row %d, column %d is not finite", path, i / nu,
                      i % nu);
    }
  }
  return CR_OK;
}

// ---- CSV

static cr_status parse_row(cr_real* row, int nu, const char* line, const char* path, int number,
                           cr_error* error) {
  const char* at = line;
  for (int i = 0; i < nu; i++) {
    char* end;
    row[i] = (cr_real)strtod(at, &end);
    bool last = i == nu - 1;
    while (*end == ' ' || *end == '\r' || *end == '\n') {
      end++;
    }
    if (end == at || (!last && *end != ',') || (last && *end != 0)) {
      return cri_fail(error, CR_ERR_FORMAT, "%s: line %d: %d numbers separated by commas expected",
                      path, number, nu);
    }
    at = end + 1;
  }
  return CR_OK;
}

static bool is_header(const char* line, int number) {
  char* end;
  (void)strtod(line, &end);
  return number == 1 && end == line;
}

static cr_status read_csv(cr_real* ctrl, int nstep, int nu, const char* path, cr_error* error) {
  FILE* file = fopen(path, "r");
  if (file == NULL) {
    return cri_fail(error, CR_ERR_FILE, "%s: cannot be opened", path);
  }
  char* line = NULL;
  size_t capacity = 0;
  int row = 0, number = 0;
  cr_status status = CR_OK;
  while (status == CR_OK && row < nstep && getline(&line, &capacity, file) >= 0) {
    number++;
    if (line[0] != '#' && line[0] != '\n' && !is_header(line, number)) {
      status = parse_row(ctrl + (size_t)row * (size_t)nu, nu, line, path, number, error);
      row++;
    }
  }
  free(line);
  (void)fclose(file);
  CR_TRY(status);
  if (row < nstep) {
    return cri_fail(error, CR_ERR_FORMAT, "%s: %d rows, the rollout has %d steps", path, row,
                    nstep);
  }
  return CR_OK;
}

// ---- HDF5

static cr_status read_rows(cr_real* ctrl, int nstep, int nu, hid_t set, const char* path,
                           cr_error* error) {
  hid_t space = H5Dget_space(set);
  hsize_t size[2] = {0, 0};
  int rank = H5Sget_simple_extent_ndims(space);
  if (rank == 2) {
    (void)H5Sget_simple_extent_dims(space, size, NULL);
  }
  (void)H5Sclose(space);
  if (rank != 2 || size[1] != (hsize_t)nu || size[0] < (hsize_t)nstep) {
    return cri_fail(error, CR_ERR_FORMAT, "%s: ctrl is %llu x %llu, at least %d x %d expected",
                    path, (unsigned long long)size[0], (unsigned long long)size[1], nstep, nu);
  }
  double* all = malloc((size_t)(size[0] * size[1]) * sizeof *all);
  if (all == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "%s: no memory", path);
  }
  bool ok = H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, all) >= 0;
  for (int i = 0; ok && i < nstep * nu; i++) {
    ctrl[i] = (cr_real)all[i];
  }
  free(all);
  return ok ? CR_OK : cri_fail(error, CR_ERR_FILE, "%s: ctrl cannot be read", path);
}

static cr_status read_hdf5(cr_real* ctrl, int nstep, int nu, const char* path, cr_error* error) {
  (void)H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
  if (file < 0) {
    return cri_fail(error, CR_ERR_FILE, "%s: cannot be opened as HDF5", path);
  }
  hid_t set = H5Dopen2(file, "ctrl", H5P_DEFAULT);
  cr_status status = set < 0
                         ? cri_fail(error, CR_ERR_FORMAT, "%s: there is no data set 'ctrl'", path)
                         : read_rows(ctrl, nstep, nu, set, path, error);
  if (set >= 0) {
    (void)H5Dclose(set);
  }
  (void)H5Fclose(file);
  return status;
}

cr_status cri_controls_read(cr_real* ctrl, int nstep, int nu, const char* path, cr_error* error) {
  if (nu == 0) {
    return cri_fail(error, CR_ERR_ARG, "%s: the model has no controls", path);
  }
  bool hdf5 = ends_with(path, ".h5") || ends_with(path, ".hdf5");
  CR_TRY(hdf5 ? read_hdf5(ctrl, nstep, nu, path, error) : read_csv(ctrl, nstep, nu, path, error));
  return check_finite(ctrl, nstep, nu, path, error);
}
