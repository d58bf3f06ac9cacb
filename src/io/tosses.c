// SPDX-License-Identifier: Apache-2.0
// Tosses from HDF5 and back.
#include "io/tosses.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "io/columns.h"
#include "learn/window_loss.h"

typedef struct {
  cr_tosses* to;
  int capacity;
  int* copy_of;  // number of the original, -1 none
  int* number;   // a toss's own, -1 where its name is none
  const cr_h5* file;
  const char* path;
  cr_error* error;
} reader;

static const char* const all_columns = "px,py,pz,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz";
static const char* const columns[CR_STATE_WIDTH] = {"px", "py", "pz", "qw", "qx", "qy", "qz",
                                                    "vx", "vy", "vz", "wx", "wy", "wz"};

// ---- one toss

static cr_status check_rows(const reader* r, const cr_toss* t) {
  for (int i = 0; i < t->rows; i++) {
    const cr_real* s = t->state + (size_t)i * CR_STATE_WIDTH;
    for (int k = 0; k < CR_STATE_WIDTH; k++) {
      if (!isfinite(s[k])) {
        return cri_fail(r->error, CR_ERR_FORMAT, "%s: toss %s, row %d: %s is not finite", r->path,
                        t->name, i, columns[k]);
      }
    }
    cr_real length = cr_sqrt(s[3] * s[3] + s[4] * s[4] + s[5] * s[5] + s[6] * s[6]);
    if (cr_abs(length - 1) > CR_R(1e-6)) {
      return cri_fail(r->error, CR_ERR_FORMAT,
                      "%s: toss %s, row %d: the quaternion has length %.9g, not 1", r->path,
                      t->name, i, (double)length);
    }
  }
  return CR_OK;
}

// a number attribute of the toss, `otherwise` where there is none
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

static cr_status read_toss(const reader* r, cr_toss* t, int i) {
  char object[64], set[96];
  int cols, cut = 0;
  (void)snprintf(object, sizeof object, "toss/%s", t->name);
  (void)snprintf(set, sizeof set, "%s/state", object);
  CR_TRY(cri_h5_read(r->file, set, &t->state, &t->rows, &cols, r->error));
  if (cols != CR_STATE_WIDTH) {
    return cri_fail(r->error, CR_ERR_FORMAT, "%s: '%s' has %d rows of %d numbers, not of %d",
                    r->path, set, t->rows, cols, CR_STATE_WIDTH);
  }
  CR_TRY(cri_columns_are(r->file, r->path, set, all_columns, r->error));
  CR_TRY(whole_attribute(r, object, "copy_of", &r->copy_of[i], -1));
  CR_TRY(whole_attribute(r, object, "moved_again_at_frame", &cut, t->rows));
  CR_TRY(check_rows(r, t));
  t->rows = cut >= 0 && cut < t->rows ? cut : t->rows;
  return CR_OK;
}

static bool grow(reader* r) {
  int capacity = 2 * r->capacity + 64;
  cr_toss* toss = realloc(r->to->toss, (size_t)capacity * sizeof *toss);
  r->to->toss = toss != NULL ? toss : r->to->toss;
  int* copy_of = realloc(r->copy_of, (size_t)capacity * sizeof *copy_of);
  r->copy_of = copy_of != NULL ? copy_of : r->copy_of;
  int* number = realloc(r->number, (size_t)capacity * sizeof *number);
  r->number = number != NULL ? number : r->number;
  if (toss == NULL || copy_of == NULL || number == NULL) {
    return false;
  }
  r->capacity = capacity;
  return true;
}

static cr_status visit(void* context, const char* name) {
  reader* r = context;
  if (r->to->n == r->capacity && !grow(r)) {
    return cri_fail(r->error, CR_ERR_MEMORY, "%s: no memory for %d tosses", r->path, r->to->n);
  }
  cr_toss* t = &r->to->toss[r->to->n];
  *t = (cr_toss){0};
  if (snprintf(t->name, sizeof t->name, "%s", name) >= (int)sizeof t->name) {
    return cri_fail(r->error, CR_ERR_FORMAT, "%s: toss/%.40s... has too long a name", r->path,
                    name);
  }
  char* end;
  long number = strtol(name, &end, 10);
  r->number[r->to->n] = *end == 0 && number >= 0 && number < INT_MAX ? (int)number : -1;
  return read_toss(r, t, r->to->n++);
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

static cr_status read_all(reader* r) {
  bool present;
  CR_TRY(cri_h5_read_attribute(r->file, "/", "dt", &r->to->dt, &present, r->error));
  if (!present || !(r->to->dt > 0) || !isfinite(r->to->dt)) {
    return cri_fail(r->error, CR_ERR_FORMAT,
                    "%s: the root attribute dt, seconds from row to row, is %s", r->path,
                    present ? "not positive" : "missing");
  }
  CR_TRY(cri_h5_each(r->file, "toss", visit, r, r->error));
  if (r->to->n == 0) {
    return cri_fail(r->error, CR_ERR_FORMAT, "%s: the group 'toss' is empty", r->path);
  }
  for (int i = 0; i < r->to->n; i++) {
    r->to->toss[i].group = group_of(r, i);
  }
  return CR_OK;
}

cr_status cri_tosses_read(cr_tosses* tosses, const char* path, cr_error* error) {
  cr_h5* file = NULL;
  *tosses = (cr_tosses){0};
  CR_TRY(cri_h5_open(&file, path, error));
  reader r = {.to = tosses, .file = file, .path = path, .error = error};
  cr_status status = read_all(&r);
  cri_h5_close(file);
  free(r.copy_of);
  free(r.number);
  if (status != CR_OK) {
    cri_tosses_free(tosses);
  }
  return status;
}

void cri_tosses_free(cr_tosses* tosses) {
  for (int i = 0; i < tosses->n; i++) {
    free(tosses->toss[i].state);
  }
  free(tosses->toss);
  *tosses = (cr_tosses){0};
}

static cr_status fill(cr_h5* file, const cr_tosses* tosses, const char* title, cr_error* error) {
  CR_TRY(cri_h5_write_attribute(file, "/", "dt", tosses->dt, error));
  CR_TRY(cri_h5_write_text(file, "/", "title", title, error));
  for (int i = 0; i < tosses->n; i++) {
    const cr_toss* t = &tosses->toss[i];
    char set[64];
    (void)snprintf(set, sizeof set, "toss/%s/state", t->name);
    CR_TRY(cri_h5_write(file, set, t->state, t->rows, CR_STATE_WIDTH, error));
    CR_TRY(cri_h5_write_text(file, set, "columns", all_columns, error));
  }
  return CR_OK;
}

cr_status cri_tosses_write(const cr_tosses* tosses, const char* path, const char* title,
                           cr_error* error) {
  cr_h5* file = NULL;
  CR_TRY(cri_h5_create(&file, path, error));
  cr_status status = fill(file, tosses, title, error);
  status = status == CR_OK ? cri_h5_save(file, error) : status;
  cri_h5_close(file);
  return status;
}
