// SPDX-License-Identifier: Apache-2.0
// Reading controls from CSV or HDF5.
#include "io/controls.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/locale.h"
#include "io/columns.h"
#include "model/misuse.h"
#include "tools/files.h"

// the destination, and the order of the columns
typedef struct {
  cr_real* ctrl;
  const cr_model* m;
  int nstep;
  cr_real interval;
  const char* path;
  cr_error* error;
  int* to;  // the control of each column, or CR_COLUMN_TIME
  int ncolumn;
  int row;  // the next row
  cr_real time[2];
} reader;

static bool ends_with(const char* text, const char* end) {
  size_t n = strlen(text), k = strlen(end);
  return n >= k && strcmp(text + n - k, end) == 0;
}

static cr_status take_columns(reader* r, const cri_columns* names, const char* where) {
  r->ncolumn = names != NULL ? names->n : r->m->nu;
  r->to = calloc((size_t)r->ncolumn + 1, sizeof *r->to);
  if (r->to == NULL) {
    return cri_fail(r->error, CR_ERR_MEMORY, "%s: no memory", r->path);
  }
  for (int i = 0; i < r->ncolumn; i++) {
    r->to[i] = i;
  }
  return names != NULL ? cri_columns_place(names, r->m, where, r->to, r->error) : CR_OK;
}

// one number of the current row
static cr_status put(reader* r, int column, cr_real x, const char* where) {
  if (!isfinite(x)) {
    return cri_fail(r->error, CR_ERR_FORMAT, "%s: row %d, column %d is not finite", r->path, r->row,
                    column);
  }
  int i = r->to[column];
  if (i == CR_COLUMN_TIME) {
    return cri_columns_time(x, r->row, r->interval, r->time, where, r->error);
  }
  r->ctrl[(size_t)r->row * (size_t)r->m->nu + (size_t)i] = x;
  return CR_OK;
}

// ---- CSV

static cr_status wrong_count(const reader* r, const char* line, const char* where) {
  int cells = 1;
  for (const char* c = line; *c != 0; c++) {
    cells += *c == ',';
  }
  bool one_more = cells == r->m->nu + 1 && r->ncolumn == r->m->nu;
  return cri_fail(r->error, CR_ERR_FORMAT, "%s: %d numbers separated by commas expected%s", where,
                  r->ncolumn,
                  one_more ? "; if one column is the time, name all of them in a first line" : "");
}

static cr_status parse_row(reader* r, const char* line, const char* where) {
  const char* at = line;
  for (int i = 0; i < r->ncolumn; i++) {
    char* end;
    cr_real x = (cr_real)cri_number(at, &end);
    bool last = i == r->ncolumn - 1;
    end += strspn(end, " \t\r\n");
    if (end == at || (!last && *end != ',') || (last && *end != 0)) {
      return wrong_count(r, line, where);
    }
    CR_TRY(put(r, i, x, where));
    at = end + 1;
  }
  r->row++;
  return CR_OK;
}

static bool is_number(const char* line) {
  char* end;
  (void)cri_number(line, &end);
  return end != line;
}

// True if the first line names the columns. A comment counts if it lists as
// many cells as there are columns, some of them known
static cr_status take_header(reader* r, const char* line, bool comment, const char* where,
                             bool* taken) {
  cri_columns names;
  CR_TRY(cri_columns_cut(&names, line + strspn(line, " \t#"), r->error));
  int known = cri_columns_known(&names, r->m);
  bool as_many = names.n == r->m->nu || names.n == r->m->nu + 1;
  *taken = !comment || known == names.n || (as_many && known > 0);
  cr_status status = *taken ? take_columns(r, &names, where) : CR_OK;
  cri_columns_free(&names);
  return status;
}

static cr_status parse_line(reader* r, const char* line, int number) {
  char where[CR_MAX_PATH + 32];
  bool taken = false;
  (void)snprintf(where, sizeof where, "%s: line %d", r->path, number);
  line += strncmp(line, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;  // UTF-8 of some spreadsheets
  size_t blank = strspn(line, " \t\r\n");
  bool comment = line[blank] == '#';
  if (line[blank] == 0 || (comment && r->to != NULL)) {
    return CR_OK;
  }
  if (r->to == NULL && (comment || !is_number(line))) {
    return take_header(r, line, comment, where, &taken);
  }
  if (r->to == NULL) {
    CR_TRY(take_columns(r, NULL, where));
  }
  return parse_row(r, line, where);
}

static cr_status read_csv(reader* r) {
  CR_TRY(cri_file_check(r->path, r->error));
  FILE* file = fopen(r->path, "r");
  if (file == NULL) {
    return cri_fail(r->error, CR_ERR_FILE, "%s: cannot be opened: %s", r->path, strerror(errno));
  }
  char* line = NULL;
  size_t capacity = 0;
  int number = 0;
  cr_status status = CR_OK;
  while (status == CR_OK && r->row < r->nstep && getline(&line, &capacity, file) >= 0) {
    status = parse_line(r, line, ++number);
  }
  free(line);
  (void)fclose(file);
  CR_TRY(status);
  return r->row == r->nstep
             ? CR_OK
             : cri_fail(r->error, CR_ERR_FORMAT, "%s: %d rows, the rollout has %d steps", r->path,
                        r->row, r->nstep);
}

// ---- HDF5

static cr_status name_columns(reader* r, const cr_h5* file) {
  char where[CR_MAX_PATH + 64];
  cri_columns names = {.n = 0};
  bool present = false;
  (void)snprintf(where, sizeof where, "%s: attribute 'columns' of ctrl", r->path);
  CR_TRY(cri_columns_of_set(&names, file, "ctrl", &present, r->error));
  cr_status status = take_columns(r, present ? &names : NULL, where);
  cri_columns_free(&names);
  return status;
}

static cr_status check_times(reader* r, const cr_h5* file) {
  double* time = NULL;
  int rows = 0, cols = 0;
  char where[CR_MAX_PATH + 64];
  if (!cri_h5_has(file, "time")) {
    return CR_OK;
  }
  CR_TRY(cri_h5_read(file, "time", &time, &rows, &cols, r->error));
  cr_status status = CR_OK;
  for (int k = 0; k < rows && k < r->nstep && status == CR_OK; k++) {
    (void)snprintf(where, sizeof where, "%s: row %d of time", r->path, k);
    status = cri_columns_time((cr_real)time[(size_t)k * (size_t)cols], k, r->interval, r->time,
                              where, r->error);
  }
  free(time);
  return status;
}

static cr_status put_all(reader* r, const double* all, int rows, int cols) {
  if (cols != r->ncolumn || rows < r->nstep) {
    return cri_fail(r->error, CR_ERR_FORMAT, "%s: ctrl is %d x %d, at least %d x %d expected",
                    r->path, rows, cols, r->nstep, r->ncolumn);
  }
  for (; r->row < r->nstep; r->row++) {
    for (int i = 0; i < cols; i++) {
      CR_TRY(put(r, i, (cr_real)all[(size_t)r->row * (size_t)cols + (size_t)i], r->path));
    }
  }
  return CR_OK;
}

static cr_status read_set(reader* r, const cr_h5* file) {
  double* all = NULL;
  int rows = 0, cols = 0;
  CR_TRY(cri_h5_read(file, "ctrl", &all, &rows, &cols, r->error));
  cr_status status = name_columns(r, file);
  status = status == CR_OK ? put_all(r, all, rows, cols) : status;
  free(all);
  CR_TRY(status);
  return check_times(r, file);
}

static cr_status read_hdf5(reader* r) {
  cr_h5* file = NULL;
  CR_TRY(cri_h5_open(&file, r->path, r->error));
  cr_status status = read_set(r, file);
  cri_h5_close(file);
  return status;
}

cr_status cri_controls_read(cr_real* ctrl, const cr_model* m, int nstep, cr_real interval,
                            const char* path, cr_error* error) {
  if (m->nu == 0) {
    return cri_fail(error, CR_ERR_ARG, "%s: the model has no controls", path);
  }
  reader r = {
      .ctrl = ctrl, .m = m, .nstep = nstep, .interval = interval, .path = path, .error = error};
  bool hdf5 = ends_with(path, ".h5") || ends_with(path, ".hdf5");
  cr_status status = hdf5 ? read_hdf5(&r) : read_csv(&r);
  free(r.to);
  return status;
}

cr_status cr_controls_read(const cr_model* m, const char* path, int nstep, cr_real interval,
                           cr_real* ctrl, cr_error* error) {
  const cri_call call = {"cr_controls_read", error};
  CR_TRY(cri_given(&call, m, "the model"));
  CR_TRY(cri_given(&call, path, "the path"));
  CR_TRY(cri_given(&call, ctrl, "ctrl"));
  if (nstep < 1 || !(interval > 0)) {
    return cri_fail(error, CR_ERR_ARG, "cr_controls_read: %d steps, %g s apart", nstep,
                    (double)interval);
  }
  return cri_controls_read(ctrl, m, nstep, interval, path, error);
}
