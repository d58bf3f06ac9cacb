// SPDX-License-Identifier: Apache-2.0
// Reading controls from CSV or HDF5.
#include "io/controls.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/locale.h"
#include "io/files.h"
#include "io/hdf5.h"

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
    row[i] = (cr_real)cri_number(at, &end);
    bool last = i == nu - 1;
    end += strspn(end, " \t\r\n");
    if (end == at || (!last && *end != ',') || (last && *end != 0)) {
      return cri_fail(error, CR_ERR_FORMAT, "%s: line %d: %d numbers separated by commas expected",
                      path, number, nu);
    }
    at = end + 1;
  }
  return CR_OK;
}

static bool is_blank(const char* line) {
  size_t n = strspn(line, " \t\r\n");
  return line[n] == 0 || line[n] == '#';
}

static bool is_number(const char* line) {
  char* end;
  (void)cri_number(line, &end);
  return end != line;
}

static cr_status read_csv(cr_real* ctrl, int nstep, int nu, const char* path, cr_error* error) {
  CR_TRY(cri_file_check(path, error));
  FILE* file = fopen(path, "r");
  if (file == NULL) {
    return cri_fail(error, CR_ERR_FILE, "%s: cannot be opened: %s", path, strerror(errno));
  }
  char* line = NULL;
  size_t capacity = 0;
  int row = 0, number = 0;
  bool header = true;  // may still come
  cr_status status = CR_OK;
  while (status == CR_OK && row < nstep && getline(&line, &capacity, file) >= 0) {
    number++;
    if (is_blank(line)) {
      continue;
    }
    if (!header || is_number(line)) {
      status = parse_row(ctrl + (size_t)row * (size_t)nu, nu, line, path, number, error);
      row++;
    }
    header = false;
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

static cr_status read_hdf5(cr_real* ctrl, int nstep, int nu, const char* path, cr_error* error) {
  cr_h5* file = NULL;
  double* all = NULL;
  int rows = 0, cols = 0;
  CR_TRY(cri_h5_open(&file, path, error));
  cr_status status = cri_h5_read(file, "ctrl", &all, &rows, &cols, error);
  cri_h5_close(file);
  CR_TRY(status);
  if (cols == nu && rows >= nstep) {
    for (int i = 0; i < nstep * nu; i++) {
      ctrl[i] = (cr_real)all[i];
    }
  } else {
    status = cri_fail(error, CR_ERR_FORMAT, "%s: ctrl is %d x %d, at least %d x %d expected", path,
                      rows, cols, nstep, nu);
  }
  free(all);
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
