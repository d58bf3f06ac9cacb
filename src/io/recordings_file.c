// SPDX-License-Identifier: Apache-2.0
// Recordings from HDF5 and back. See carom/fit.h.
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "learn/recordings.h"
#include "model/misuse.h"
#include "tools/column_names.h"

typedef struct {
  cr_recordings* to;
  const char* group;  // of the file, where the runs are
  int capacity;
  int* copy_of;  // number of the original, -1 none
  int* number;   // a run's own, -1 where its name is none
  const cr_h5* file;
  const char* path;
  cr_error* error;
} reader;

// the group of the runs: "toss" for those of one free body
static const char* group_name(const cr_recordings* r) {
  return cri_recordings_of_free_body(r) ? "toss" : "run";
}

// the names of all columns, "px,py,..."; the caller frees
static char* all_columns(const cr_recordings* r) {
  char* text = calloc((size_t)r->width + 1, CR_COLUMN);
  char* at = text;
  for (int k = 0; k < r->width && text != NULL; k++) {
    at += strlen(at);
    *at = ',';
    at += k > 0;
    cri_recordings_column(r, k, at);
  }
  return text;
}

static cr_status check_columns(const reader* r, const char* set) {
  char* columns = all_columns(r->to);
  cr_status status = columns == NULL ? cri_fail(r->error, CR_ERR_MEMORY, "%s: no memory", r->path)
                                     : cri_columns_are(r->file, r->path, set, columns, r->error);
  free(columns);
  return status;
}

// ---- one run

// a number attribute of the run, `otherwise` where there is none
static cr_status whole_attribute(const reader* r, const char* object, const char* name, int* value,
                                 int otherwise) {
  double number = otherwise;
  bool present;
  CR_TRY(cri_h5_read_attribute(r->file, object, name, &number, &present, r->error));
  if (!(number >= INT_MIN && number <= INT_MAX)) {
    return cri_fail(r->error, CR_ERR_FORMAT, "%s: attribute '%s' of '%s' is out of range", r->path,
                    name, object);
  }
  *value = (int)number;
  return CR_OK;
}

static cr_status read_run(const reader* r, cri_run* t, int i, int* cut) {
  char object[64], set[96];
  int cols, width = r->to->width;
  (void)snprintf(object, sizeof object, "%s/%s", r->group, t->name);
  (void)snprintf(set, sizeof set, "%s/state", object);
  CR_TRY(cri_h5_read(r->file, set, &t->state, &t->rows, &cols, r->error));
  if (cols != width) {
    return cri_fail(r->error, CR_ERR_FORMAT, "%s: '%s' has %d rows of %d numbers, not of %d",
                    r->path, set, t->rows, cols, width);
  }
  CR_TRY(check_columns(r, set));
  CR_TRY(whole_attribute(r, object, "copy_of", &r->copy_of[i], -1));
  CR_TRY(whole_attribute(r, object, "moved_again_at_frame", cut, t->rows));
  *cut = *cut >= 0 && *cut < t->rows ? *cut : t->rows;
  return CR_OK;
}

static bool grow(reader* r) {
  int capacity = 2 * r->capacity + 64;
  int* copy_of = realloc(r->copy_of, (size_t)capacity * sizeof *copy_of);
  r->copy_of = copy_of != NULL ? copy_of : r->copy_of;
  int* number = realloc(r->number, (size_t)capacity * sizeof *number);
  r->number = number != NULL ? number : r->number;
  if (copy_of == NULL || number == NULL) {
    return false;
  }
  r->capacity = capacity;
  return true;
}

static cr_status take(const reader* r, const cri_run* run) {
  cr_error inner;
  cr_status status = cri_recordings_take(r->to, run, &inner);
  return status == CR_OK ? CR_OK : cri_fail(r->error, status, "%s: %s", r->path, inner.text);
}

static cr_status visit(void* context, const char* name) {
  reader* r = context;
  int i = r->to->n;
  cri_run run = {.state = NULL};
  if (i == r->capacity && !grow(r)) {
    return cri_fail(r->error, CR_ERR_MEMORY, "%s: no memory for %d runs", r->path, i);
  }
  if (snprintf(run.name, sizeof run.name, "%s", name) >= (int)sizeof run.name) {
    return cri_fail(r->error, CR_ERR_FORMAT, "%s: %s/%.40s... has too long a name", r->path,
                    r->group, name);
  }
  char* end;
  long number = strtol(name, &end, 10);
  r->number[i] = *end == 0 && number >= 0 && number < INT_MAX ? (int)number : -1;
  int rows = 0;
  cr_status status = read_run(r, &run, i, &rows);
  if (status != CR_OK) {
    free(run.state);
    return status;
  }
  CR_TRY(take(r, &run));
  r->to->run[i].rows = rows;
  return CR_OK;
}

// ---- groups: the place of the original, followed through copies of copies

static int place_of(const reader* r, int number) {
  for (int i = 0; i < r->to->n; i++) {
    if (r->number[i] == number) {
      return i;
    }
  }
  return -1;
}

static int group_of(const reader* r, int i) {
  for (int hops = 0; r->copy_of[i] >= 0 && hops < r->to->n; hops++) {
    int original = place_of(r, r->copy_of[i]);
    if (original < 0) {  // not in this file: its copies still belong together
      return r->to->n + r->copy_of[i];
    }
    i = original;
  }
  return i;
}

// ---- a file

static cr_status read_interval(const cr_h5* file, const char* path, double* interval,
                               cr_error* error) {
  bool present;
  CR_TRY(cri_h5_read_attribute(file, "/", "dt", interval, &present, error));
  return present && *interval > 0 && isfinite(*interval)
             ? CR_OK
             : cri_fail(error, CR_ERR_FORMAT,
                        "%s: the root attribute dt, seconds from row to row, is %s", path,
                        present ? "not positive" : "missing");
}

static cr_status read_runs(reader* r) {
  CR_TRY(cri_h5_each(r->file, r->group, visit, r, r->error));
  if (r->to->n == 0) {
    return cri_fail(r->error, CR_ERR_FORMAT, "%s: the group '%s' is empty", r->path, r->group);
  }
  for (int i = 0; i < r->to->n; i++) {
    r->to->run[i].group = group_of(r, i);
  }
  return CR_OK;
}

static cr_status read_file(const cr_h5* file, cr_recordings** out, const cr_model* m,
                           const char* path, cr_error* error) {
  double interval = 0;
  CR_TRY(read_interval(file, path, &interval, error));
  CR_TRY(cr_recordings_create(out, m, interval, error));
  reader r = {.to = *out,
              .group = cri_h5_has(file, "run") ? "run" : group_name(*out),
              .file = file,
              .path = path,
              .error = error};
  cr_status status = read_runs(&r);
  free(r.copy_of);
  free(r.number);
  return status;
}

cr_status cr_recordings_read(cr_recordings** out, const cr_model* m, const char* path,
                             cr_error* error) {
  const cri_call call = {"cr_recordings_read", error};
  CR_TRY(cri_given(&call, out, "where the recordings go"));
  CR_TRY(cri_given(&call, m, "the model"));
  CR_TRY(cri_given(&call, path, "the path"));
  cr_h5* file = NULL;
  cr_recordings* made = NULL;
  CR_TRY(cri_h5_open(&file, path, error));
  cr_status status = read_file(file, &made, m, path, error);
  cri_h5_close(file);
  if (status != CR_OK) {
    cr_recordings_destroy(made);
    return status;
  }
  *out = made;
  return CR_OK;
}

static cr_status fill(cr_h5* file, const cr_recordings* r, const char* columns, const char* title,
                      cr_error* error) {
  CR_TRY(cri_h5_write_attribute(file, "/", "dt", r->interval, error));
  CR_TRY(cri_h5_write_text(file, "/", "title", title, error));
  for (int i = 0; i < r->n; i++) {
    char set[64];
    (void)snprintf(set, sizeof set, "%s/%s/state", group_name(r), r->run[i].name);
    CR_TRY(cri_h5_write(file, set, r->run[i].state, r->run[i].rows, r->width, error));
    CR_TRY(cri_h5_write_text(file, set, "columns", columns, error));
  }
  return CR_OK;
}

cr_status cr_recordings_write(const cr_recordings* r, const char* path, const char* title,
                              cr_error* error) {
  const cri_call call = {"cr_recordings_write", error};
  CR_TRY(cri_given(&call, r, "the recordings"));
  CR_TRY(cri_given(&call, path, "the path"));
  CR_TRY(cri_given(&call, title, "the title"));
  cr_h5* file = NULL;
  char* columns = all_columns(r);
  cr_status status = columns == NULL ? cri_fail(error, CR_ERR_MEMORY, "%s: no memory", path)
                                     : cri_h5_create(&file, path, error);
  status = status == CR_OK ? fill(file, r, columns, title, error) : status;
  status = status == CR_OK ? cri_h5_save(file, error) : status;
  cri_h5_close(file);
  free(columns);
  return status;
}
