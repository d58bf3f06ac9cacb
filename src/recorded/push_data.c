// SPDX-License-Identifier: Apache-2.0
// Pushes from a file.
#include "recorded/push_data.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/real.h"
#include "tools/hdf5.h"

static const double pi = (double)CR_PI;
static const double stir = 2e-4;  // m: the finger is on its way
// m/s: slower pushes are replayed at this speed. Inertia does not matter there, and friction that is regularised over a
// velocity keeps its direction
static const double least_speed = 0.04;
static const double before = 0.02, after = 0.05;  // s that are kept around it
enum { ELLIPSE_POINTS = 72, LEAST_ROWS = 10 };

typedef struct {
  char name[CR_PUSH_NAME], shape[CR_PUSH_NAME], surface[CR_PUSH_NAME];
} entry;

typedef struct {
  cr_push_data* data;
  const cr_h5* file;
  const char* path;
  entry* entries;  // pushes that moved the body
  int n, room;
  cr_error* error;
} reader;

// ---- shapes

static cr_status number_of(const reader* r, const char* object, const char* name, double* value) {
  bool present = false;
  CR_TRY(cri_h5_read_attribute(r->file, object, name, value, &present, r->error));
  return present && isfinite(*value)
             ? CR_OK
             : cri_fail(r->error, CR_ERR_FORMAT, "%s: %s: attribute %s is missing or not finite",
                        r->path, object, name);
}

static void put_ellipse(cr_push_shape* shape) {
  shape->ellipse = true;
  shape->outline.n = ELLIPSE_POINTS;
  for (int i = 0; i < ELLIPSE_POINTS; i++) {
    double angle = 2 * pi * i / ELLIPSE_POINTS;
    shape->outline.at[i][0] = shape->semi[0] * cos(angle);
    shape->outline.at[i][1] = shape->semi[1] * sin(angle);
  }
}

static cr_status put_polygon(const reader* r, const char* object, cr_push_shape* shape) {
  char set[CR_PUSH_NAME + 32];
  double* at = NULL;
  int rows = 0, cols = 0;
  (void)snprintf(set, sizeof set, "%s/polygon", object);
  CR_TRY(cri_h5_read(r->file, set, &at, &rows, &cols, r->error));
  bool fits = cols == 2 && rows >= 3 && rows <= CR_OUTLINE_CORNERS;
  for (int i = 0; i < 2 * rows && fits; i++) {
    shape->outline.at[i / 2][i % 2] = at[i];
    fits = isfinite(at[i]) && fabs(at[i]) < 10;
  }
  free(at);
  shape->outline.n = rows;
  if (!fits) {
    return cri_fail(r->error, CR_ERR_FORMAT, "%s: %s: 3 to %d corners of two numbers in m expected",
                    r->path, set, CR_OUTLINE_CORNERS);
  }
  cri_outline_orient(&shape->outline);
  return CR_OK;
}

static cr_status read_shape(const reader* r, cr_push_shape* shape) {
  char object[CR_PUSH_NAME + 8];
  bool axes = false, present = false;
  (void)snprintf(object, sizeof object, "shape/%s", shape->name);
  if (!cri_h5_has(r->file, object)) {
    return cri_fail(r->error, CR_ERR_FORMAT, "%s: there is no group %s", r->path, object);
  }
  CR_TRY(number_of(r, object, "mass_kg", &shape->mass));
  CR_TRY(number_of(r, object, "inertia_kg_m2", &shape->inertia));
  CR_TRY(
      cri_h5_read_numbers(r->file, object, "centroid_m", 2, shape->centroid, &present, r->error));
  CR_TRY(cri_h5_read_numbers(r->file, object, "semi_axes_m", 2, shape->semi, &axes, r->error));
  if (!(shape->mass > 0 && shape->inertia > 0) ||
      (axes && !(shape->semi[0] > 0 && shape->semi[1] > 0))) {
    return cri_fail(r->error, CR_ERR_FORMAT,
                    "%s: %s: mass_kg, inertia_kg_m2 and semi_axes_m have to be above 0", r->path,
                    object);
  }
  if (axes) {
    put_ellipse(shape);
    return CR_OK;
  }
  return put_polygon(r, object, shape);
}

// ---- tracks

static cr_status check_track(const reader* r, const char* set, const double* rows, int n, int cols,
                             int least) {
  if (cols < least || n < LEAST_ROWS) {
    return cri_fail(r->error, CR_ERR_FORMAT,
                    "%s: %s has %d rows of %d numbers; at least %d of %d expected", r->path, set, n,
                    cols, LEAST_ROWS, least);
  }
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < least; k++) {
      if (!isfinite(rows[i * cols + k])) {
        return cri_fail(r->error, CR_ERR_FORMAT, "%s: %s, row %d: a number is not finite", r->path,
                        set, i);
      }
    }
    if (i > 0 && !(rows[i * cols] > rows[(i - 1) * cols])) {
      return cri_fail(r->error, CR_ERR_FORMAT, "%s: %s, row %d: times do not increase", r->path,
                      set, i);
    }
  }
  return CR_OK;
}

// the first columns of a data set, as rows of `columns` numbers; the caller frees them
static cr_status read_track(const reader* r, const char* push, const char* name, int columns,
                            double** track, int* n) {
  char set[CR_PUSH_NAME + 32];
  double* rows = NULL;
  int cols = 0;
  (void)snprintf(set, sizeof set, "push/%s/%s", push, name);
  CR_TRY(cri_h5_read(r->file, set, &rows, n, &cols, r->error));
  cr_status status = check_track(r, set, rows, *n, cols, columns);
  for (int i = 0; i < *n && status == CR_OK; i++) {
    for (int k = 0; k < columns; k++) {
      rows[i * columns + k] = rows[i * cols + k];
    }
  }
  *track = rows;
  return status;
}

// ---- a push in the frame of the body at the start

static double away(const double a[3], const double b[3]) { return hypot(a[1] - b[1], a[2] - b[2]); }

// when the finger starts and when it has arrived
static void span_of(const cr_push* p, double* begin, double* end) {
  int first = 0, last = p->nfinger - 1;
  while (first < last && away(p->finger[first], p->finger[0]) < stir) {
    first++;
  }
  while (last > first && away(p->finger[last], p->finger[p->nfinger - 1]) < stir) {
    last--;
  }
  *begin = fmax(p->finger[first][0] - before, fmax(p->finger[0][0], p->body[0][0]));
  *end = fmin(p->finger[last][0] + after,
              fmin(p->finger[p->nfinger - 1][0], p->body[p->nbody - 1][0]));
}

static void unwrap(cr_push* p) {
  for (int i = 1; i < p->nbody; i++) {
    double turns = round((p->body[i][3] - p->body[i - 1][3]) / (2 * pi));
    p->body[i][3] -= 2 * pi * turns;
  }
}

static void turn_into(double at[2], const double origin[4]) {
  double x = at[0] - origin[1], y = at[1] - origin[2], c = cos(origin[3]), s = sin(origin[3]);
  at[0] = c * x + s * y;
  at[1] = -s * x + c * y;
}

static void hasten(cr_push* p) {
  double factor = fmin(1, p->speed / least_speed);
  for (int i = 0; i < p->nbody; i++) {
    p->body[i][0] *= factor;
  }
  for (int i = 0; i < p->nfinger; i++) {
    p->finger[i][0] *= factor;
  }
}

// rows of the body from `begin` to `end`, the first of them as origin; all of the finger, so that it can be interpolated
static cr_status normalise(const reader* r, cr_push* p) {
  double begin, end, origin[4];
  int first = 0, n = 0;
  unwrap(p);
  span_of(p, &begin, &end);
  while (first < p->nbody - 1 && p->body[first][0] < begin) {
    first++;
  }
  (void)memcpy(origin, p->body[first], sizeof origin);
  for (int i = first; i < p->nbody && p->body[i][0] <= end; i++) {
    double* to = p->body[n++];
    (void)memmove(to, p->body[i], sizeof *p->body);
    turn_into(to + 1, origin);
    to[0] -= origin[0];
    to[3] -= origin[3];
  }
  p->nbody = n;
  for (int i = 0; i < p->nfinger; i++) {
    turn_into(p->finger[i] + 1, origin);
    p->finger[i][0] -= origin[0];
  }
  if (n < LEAST_ROWS) {
    return cri_fail(r->error, CR_ERR_FORMAT,
                    "%s: push/%s: the body is tracked for %d rows while the finger moves; at least "
                    "%d needed",
                    r->path, p->name, n, LEAST_ROWS);
  }
  p->speed = away(p->finger[p->nfinger - 1], p->finger[0]) / (end - begin - before - after);
  hasten(p);
  p->time = p->body[n - 1][0];
  p->size = hypot(p->body[n - 1][1], p->body[n - 1][2]);
  return CR_OK;
}

// ---- pushes

// a text attribute, as short as a name
static cr_status label(const reader* r, const char* push, const char* name, char* text) {
  char object[CR_PUSH_NAME + 8], *read = NULL;
  (void)snprintf(object, sizeof object, "push/%s", push);
  CR_TRY(cri_h5_read_texts(r->file, object, name, &read, r->error));
  bool fits = read != NULL && strlen(read) > 0 && strlen(read) < CR_PUSH_NAME;
  (void)snprintf(text, CR_PUSH_NAME, "%s", fits ? read : "");
  free(read);
  return fits ? CR_OK
              : cri_fail(r->error, CR_ERR_FORMAT,
                         "%s: %s: attribute %s is missing, empty or longer than %d characters",
                         r->path, object, name, CR_PUSH_NAME - 1);
}

static cr_status find_entry(void* context, const char* name) {
  reader* r = context;
  char object[CR_PUSH_NAME + 8];
  double moved = 0;
  if (strlen(name) >= CR_PUSH_NAME) {
    return cri_fail(r->error, CR_ERR_FORMAT, "%s: push/%s: names have at most %d characters",
                    r->path, name, CR_PUSH_NAME - 1);
  }
  (void)snprintf(object, sizeof object, "push/%s", name);
  CR_TRY(number_of(r, object, "object_moved", &moved));
  if (moved == 0) {
    r->data->still++;
    return CR_OK;
  }
  if (r->n == r->room) {
    int room = 2 * r->room + 64;
    entry* more = realloc(r->entries, (size_t)room * sizeof *more);
    if (more == NULL) {
      return cri_fail(r->error, CR_ERR_MEMORY, "%s: no memory", r->path);
    }
    r->entries = more;
    r->room = room;
  }
  entry* e = &r->entries[r->n];
  (void)strcpy(e->name, name);
  CR_TRY(label(r, name, "shape", e->shape));
  CR_TRY(label(r, name, "surface", e->surface));
  r->n++;
  return CR_OK;
}

static cr_status take_push(reader* r, const entry* e, int shape) {
  cr_push* p = &r->data->push[r->data->n++];
  *p = (cr_push){.shape = shape};
  (void)strcpy(p->name, e->name);
  double* rows = NULL;
  cr_status status = read_track(r, e->name, "object", 4, &rows, &p->nbody);
  p->body = (double(*)[4])rows;
  CR_TRY(status);
  rows = NULL;
  status = read_track(r, e->name, "tip", 3, &rows, &p->nfinger);
  p->finger = (double(*)[3])rows;
  CR_TRY(status);
  return normalise(r, p);
}

static bool same_kind(const entry* a, const entry* b) {
  return strcmp(a->shape, b->shape) == 0 && strcmp(a->surface, b->surface) == 0;
}

// all pushes of the kind of entry `first`, if there are enough
static cr_status take_kind(reader* r, int first) {
  cr_push_data* data = r->data;
  const entry* e = &r->entries[first];
  int n = 0;
  for (int i = first; i < r->n; i++) {
    n += same_kind(e, &r->entries[i]);
  }
  if (n < CR_PUSH_LEAST) {
    data->alone += n;
    return CR_OK;
  }
  if (data->nshape == CR_PUSH_SHAPES) {
    return cri_fail(r->error, CR_ERR_FORMAT, "%s: more than %d shapes", r->path, CR_PUSH_SHAPES);
  }
  int number = data->nshape++;
  cr_push_shape* shape = &data->shape[number];
  *shape = (cr_push_shape){.mass = 0};
  (void)strcpy(shape->name, e->shape);
  (void)strcpy(shape->surface, e->surface);
  CR_TRY(read_shape(r, shape));
  for (int i = first; i < r->n; i++) {
    if (same_kind(e, &r->entries[i])) {
      CR_TRY(take_push(r, &r->entries[i], number));
    }
  }
  return CR_OK;
}

static cr_status take_all(reader* r) {
  cr_push_data* data = r->data;
  data->push = calloc((size_t)r->n + 1, sizeof *data->push);
  if (data->push == NULL) {
    return cri_fail(r->error, CR_ERR_MEMORY, "%s: no memory", r->path);
  }
  for (int i = 0; i < r->n; i++) {
    int k = 0;
    while (k < i && !same_kind(&r->entries[k], &r->entries[i])) {
      k++;
    }
    if (k == i) {
      CR_TRY(take_kind(r, i));
    }
  }
  return data->n > 0 ? CR_OK
                     : cri_fail(r->error, CR_ERR_ARG,
                                "%s: no shape has %d pushes that moved it on one surface", r->path,
                                CR_PUSH_LEAST);
}

static cr_status read_all(reader* r) {
  CR_TRY(number_of(r, "/", "pusher_radius_m", &r->data->radius));
  if (!(r->data->radius > 0)) {
    return cri_fail(r->error, CR_ERR_FORMAT, "%s: pusher_radius_m has to be above 0", r->path);
  }
  if (!cri_h5_has(r->file, "push")) {
    return cri_fail(r->error, CR_ERR_FORMAT,
                    "%s: there is no group push; data sets push/NAME/object and push/NAME/tip "
                    "expected",
                    r->path);
  }
  CR_TRY(cri_h5_each(r->file, "push", find_entry, r, r->error));
  return take_all(r);
}

cr_status cri_push_read(cr_push_data* data, const char* path, cr_error* error) {
  *data = (cr_push_data){.n = 0};
  cr_h5* file;
  CR_TRY(cri_h5_open(&file, path, error));
  reader r = {.data = data, .file = file, .path = path, .error = error};
  cr_status status = read_all(&r);
  cri_h5_close(file);
  free(r.entries);
  return status;
}

void cri_push_free(cr_push_data* data) {
  for (int i = 0; i < data->n; i++) {
    free(data->push[i].body);
    free(data->push[i].finger);
  }
  free(data->push);
  *data = (cr_push_data){.n = 0};
}

int cri_push_of_shape(const cr_push_data* data, int shape, int* n) {
  int first = 0;
  while (first < data->n && data->push[first].shape != shape) {
    first++;
  }
  *n = 0;
  while (first + *n < data->n && data->push[first + *n].shape == shape) {
    ++*n;
  }
  return first;
}

// ---- the finger between its rows

// m/s at row i: the slope of the parabola through it and its neighbours
static double slope_at(const cr_push* p, int i, int k) {
  int a = i > 0 ? i - 1 : 0, c = i + 1 < p->nfinger ? i + 1 : i;
  if (a == i || c == i) {
    return 0;
  }
  const double *x = p->finger[a], *y = p->finger[i], *z = p->finger[c];
  double left = y[0] - x[0], right = z[0] - y[0];
  return ((y[k] - x[k]) / left * right + (z[k] - y[k]) / right * left) / (left + right);
}

void cri_push_finger(const cr_push* p, double t, double at[2]) {
  int low = 0, high = p->nfinger - 1;
  while (high - low > 1) {
    int middle = (low + high) / 2;
    *(p->finger[middle][0] <= t ? &low : &high) = middle;
  }
  const double *a = p->finger[low], *b = p->finger[high];
  double h = b[0] - a[0], u = fmin(fmax((t - a[0]) / h, 0), 1), w = 1 - u;
  for (int k = 0; k < 2; k++) {
    double m = slope_at(p, low, k + 1) * h, n = slope_at(p, high, k + 1) * h;
    at[k] = w * w * ((1 + 2 * u) * a[k + 1] + u * m) + u * u * ((1 + 2 * w) * b[k + 1] - w * n);
  }
}
