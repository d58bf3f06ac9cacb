// SPDX-License-Identifier: Apache-2.0
#include "view/shown_motion.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "view/packed.h"
#include "view/shown_model.h"

// ---- plots

static cr_place_info place_of(const cr_model* m, const char* name) {
  cr_place_info place = {.size = sizeof place};
  (void)cr_model_place(m, name, &place, NULL);
  return place;
}

cr_status cr_plotted_check(const cr_model* m, const cr_plotted* plotted, cr_error* error) {
  for (int i = 0; i < plotted->n; i++) {
    cr_place_info place = {.size = sizeof place};
    const char* name = plotted->names[i];
    CR_TRY(cr_model_place(m, name, &place, error));
    if (place.count == 0) {
      return cri_fail(error, CR_ERR_NAME, "plot %s: it has no numbers", name);
    }
    if (place.count > CR_MAX_PLOTTED) {
      return cri_fail(error, CR_ERR_ARG,
                      "plot %s: it has %d numbers, a plot shows at most %d; name some, as %s[0]",
                      name, place.count, CR_MAX_PLOTTED, name);
    }
  }
  return CR_OK;
}

void cr_plotted_put(cr_json* j, const cr_model* m, const cr_plotted* plotted) {
  cr_json_open(j, "plots", '[');
  for (int i = 0; i < plotted->n; i++) {
    cr_place_info place = place_of(m, plotted->names[i]);
    cr_field_info field = {.size = sizeof field};
    (void)cr_field_get(m, place.field, &field, NULL);
    cr_json_open(j, NULL, '{');
    cr_json_string(j, "title", plotted->names[i]);
    cr_json_string(j, "unit", field.unit);
    cr_json_string(j, "meaning", field.meaning);
    cr_json_open(j, "columns", '[');
    for (int k = 0; k < place.count; k++) {
      char text[16];
      (void)snprintf(text, sizeof text, "%d", k);
      cr_json_string(j, NULL, text);
    }
    cr_json_close(j, ']');
    cr_json_close(j, '}');
  }
  cr_json_close(j, ']');
}

// ---- room

static void count_points(void* context, int points) { (void)context, (void)points; }

void cr_shown_motion_make(cr_shown_motion* s, const cr_model* m, const char* name,
                          const cr_plotted* plotted) {
  *s = (cr_shown_motion){.m = m,
                         .name = name,
                         .plotted = *plotted,
                         .nbody = cr_model_count(m, "nbody"),
                         .ntendon = cr_model_count(m, "ntendon")};
  for (int i = 0; i < s->ntendon; i++) {
    s->npoint += cr_shown_lines(m, i, count_points, NULL);
  }
  for (int i = 0; i < plotted->n; i++) {
    s->nplot += place_of(m, plotted->names[i]).count;
  }
}

// room for so many numbers; what was there stays
static bool widen(cr_real** x, int rows, int width) {
  cr_real* larger = realloc(*x, ((size_t)rows * (size_t)width + 1) * sizeof **x);
  *x = larger != NULL ? larger : *x;
  return larger != NULL;
}

// room for one frame more
static cr_status make_room(cr_shown_motion* s, cr_error* error) {
  if (s->nframe < s->room) {
    return CR_OK;
  }
  int room = 2 * s->room + 16;
  int32_t* first = realloc(s->first, ((size_t)room + 1) * sizeof *first);
  s->first = first != NULL ? first : s->first;
  int32_t* faces = realloc(s->surface.first, ((size_t)room + 1) * sizeof *faces);
  s->surface.first = faces != NULL ? faces : s->surface.first;
  bool made = first != NULL && faces != NULL && widen(&s->time, room, 1) &&
              widen(&s->pose, room, 7 * s->nbody) && widen(&s->path, room, 3 * s->npoint) &&
              widen(&s->level, room, s->ntendon) && widen(&s->plot, room, s->nplot);
  if (!made) {
    return cri_fail(error, CR_ERR_MEMORY, "%s: no memory for %d frames", s->name, room);
  }
  s->first[0] = s->surface.first[0] = 0;
  s->room = room;
  return CR_OK;
}

void cr_shown_motion_free(cr_shown_motion* s) {
  free(s->time);
  free(s->pose);
  free(s->path);
  free(s->level);
  free(s->plot);
  free(s->first);
  free(s->contact);
  free(s->surface.first);
  free(s->surface.corners);
  free(s->surface.corner);
  free(s->surface.pressure);
  *s = (cr_shown_motion){0};
}

// ---- a frame

static cr_status told(const cr_data* d, cr_status status, cr_error* error) {
  return status == CR_OK ? CR_OK : cri_fail(error, status, "%s", cr_data_error(d));
}

static const cr_real* numbers(const cr_shown_motion* s, const cr_data* d, const char* field) {
  return cr_data_numbers(s->m, d, field, NULL, NULL);
}

static void take_poses(cr_shown_motion* s, int k, const cr_data* d) {
  const cr_real *pos = numbers(s, d, "xpos"), *quat = numbers(s, d, "xquat");
  cr_real* to = s->pose + 7 * (size_t)k * (size_t)s->nbody;
  for (int b = 0; b < s->nbody; b++, to += 7) {
    memcpy(to, pos + 3 * (ptrdiff_t)b, 3 * sizeof *to);
    memcpy(to + 3, quat + 4 * (ptrdiff_t)b, 4 * sizeof *to);
  }
}

int cr_shown_activation(const cr_model* m, int tendon) {
  enum { TENDON = 3, MUSCLE = 4 };  // mjtTrn, mjtDyn
  const int32_t *type = cr_model_integers(m, "actuator_trntype", NULL, NULL),
                *target = cr_model_integers(m, "actuator_trnid", NULL, NULL),
                *dynamics = cr_model_integers(m, "actuator_dyntype", NULL, NULL),
                *act = cr_model_integers(m, "actuator_actadr", NULL, NULL);
  for (int i = 0; i < cr_model_count(m, "nactuator"); i++) {
    if (type[i] == TENDON && target[2 * i] == tendon && dynamics[i] == MUSCLE) {
      return act[i];
    }
  }
  return -1;
}

static cr_status take_tendons(cr_shown_motion* s, int k, const cr_data* d, cr_error* error) {
  const cr_real *length = numbers(s, d, "ten_length"), *act = numbers(s, d, "act");
  cr_real *path = s->path + 3 * (size_t)k * (size_t)s->npoint,
          *level = s->level + (size_t)k * (size_t)s->ntendon;
  for (int i = 0, at = 0, n; i < s->ntendon; i++, at += n) {
    int a = cr_shown_activation(s->m, i);
    level[i] = a >= 0 ? act[a] : length[i];
    CR_TRY(
        told(d, cr_tendon_path(s->m, d, i, path + 3 * (ptrdiff_t)at, s->npoint - at, &n), error));
  }
  return CR_OK;
}

void cr_shown_contact(cr_real to[6], const cr_model* m, const cr_contact* c) {
  const int32_t* body = cr_model_integers(m, "geom_bodyid", NULL, NULL);
  cr_real sign = body[c->geom[1]] == 0 ? -1 : 1;
  for (int i = 0; i < 3; i++) {
    to[i] = c->pos[i];
    to[3 + i] = sign * (c->frame[i] * c->force[0] + c->frame[3 + i] * c->force[1] +
                        c->frame[6 + i] * c->force[2]);
  }
}

static cr_status take_contacts(cr_shown_motion* s, int k, const cr_data* d, cr_error* error) {
  int n = s->bare ? 0 : cr_contact_count(d);
  if (s->ncontact + n > s->contact_room) {
    int room = 2 * (s->ncontact + n);
    cr_real* larger = realloc(s->contact, 6 * (size_t)room * sizeof *larger);
    if (larger == NULL) {
      return cri_fail(error, CR_ERR_MEMORY, "%s: no memory for %d contacts", s->name, room);
    }
    s->contact = larger;
    s->contact_room = room;
  }
  for (int i = 0; i < n; i++) {
    cr_contact c;
    CR_TRY(told(d, cr_contact_get(s->m, d, i, &c), error));
    cr_shown_contact(s->contact + 6 * (size_t)s->ncontact++, s->m, &c);
  }
  s->first[k + 1] = s->ncontact;
  return CR_OK;
}

// room for so many faces and corners more
static cr_status make_surface_room(cr_shown_motion* s, int nface, int ncorner, cr_error* error) {
  cr_shown_surface* u = &s->surface;
  bool made = true;
  if (u->nface + nface > u->face_room) {
    u->face_room = 2 * (u->nface + nface);
    int32_t* larger = realloc(u->corners, (size_t)u->face_room * sizeof *larger);
    u->corners = larger != NULL ? larger : u->corners;
    made = larger != NULL && widen(&u->pressure, u->face_room, 1);
  }
  if (made && u->ncorner + ncorner > u->corner_room) {
    u->corner_room = 2 * (u->ncorner + ncorner);
    made = widen(&u->corner, u->corner_room, 3);
  }
  return made ? CR_OK
              : cri_fail(error, CR_ERR_MEMORY, "%s: no memory for %d faces", s->name,
                         u->nface + nface);
}

static cr_status take_pair(cr_shown_motion* s, const cr_data* d, int geom1, int geom2,
                           cr_error* error) {
  cr_shown_surface* u = &s->surface;
  int nface, ncorner;
  CR_TRY(cr_pressure_faces(s->m, d, geom1, geom2, 0, NULL, &nface, error));
  if (nface == 0) {
    return CR_OK;
  }
  CR_TRY(cr_pressure_corners(s->m, d, geom1, geom2, 0, NULL, NULL, &ncorner, error));
  CR_TRY(make_surface_room(s, nface, ncorner, error));
  cr_pressure_face* faces = malloc((size_t)nface * sizeof *faces);
  CR_TRY(faces != NULL ? CR_OK : cri_fail(error, CR_ERR_MEMORY, "%s: no memory", s->name));
  cr_status status = cr_pressure_faces(s->m, d, geom1, geom2, nface, faces, &nface, error);
  for (int i = 0; i < nface; i++) {
    u->pressure[u->nface + i] = faces[i].pressure;
  }
  free(faces);
  CR_TRY(status);
  CR_TRY(cr_pressure_corners(s->m, d, geom1, geom2, ncorner, u->corner + 3 * (ptrdiff_t)u->ncorner,
                             u->corners + u->nface, &ncorner, error));
  u->nface += nface;
  u->ncorner += ncorner;
  return CR_OK;
}

static cr_status take_surfaces(cr_shown_motion* s, int k, const cr_data* d, cr_error* error) {
  const int32_t* kind = cr_model_integers(s->m, "geom_pressure_kind", NULL, NULL);
  const int n = s->bare || s->no_surface ? 0 : cr_model_count(s->m, "ngeom");
  for (int i = 0; i < n; i++) {
    for (int j = i + 1; j < n && kind[i] != 0; j++) {
      CR_TRY(kind[j] != 0 ? take_pair(s, d, i, j, error) : CR_OK);
    }
  }
  s->surface.first[k + 1] = s->surface.nface;
  return CR_OK;
}

// what a frame left that failed
static void drop_surfaces(cr_shown_surface* u, int k) {
  while (u->nface > u->first[k]) {
    u->ncorner -= u->corners[--u->nface];
  }
}

static cr_status take_plots(cr_shown_motion* s, int k, const cr_data* d, cr_error* error) {
  cr_real* to = s->plot + (size_t)k * (size_t)s->nplot;
  for (int i = 0; i < s->plotted.n; i++) {
    int count = place_of(s->m, s->plotted.names[i]).count;
    CR_TRY(cr_data_get(s->m, d, s->plotted.names[i], to, count, error));
    to += count;
  }
  return CR_OK;
}

cr_status cr_shown_motion_take(cr_shown_motion* s, cr_data* d, cr_error* error) {
  int k = s->nframe;
  cr_real time = cr_data_time(d);
  if (k > 0 && !(time > s->time[k - 1])) {
    return cri_fail(error, CR_ERR_ARG, "time %.9g s comes after %.9g s", (double)time,
                    (double)s->time[k - 1]);
  }
  CR_TRY(cr_data_check(s->m, d, error));
  CR_TRY(told(d, cr_forward(s->m, d), error));
  CR_TRY(make_room(s, error));
  s->ncontact = s->first[k];  // without what a frame left that failed
  s->time[k] = time;
  take_poses(s, k, d);
  CR_TRY(take_tendons(s, k, d, error));
  CR_TRY(take_contacts(s, k, d, error));
  drop_surfaces(&s->surface, k);
  CR_TRY(take_surfaces(s, k, d, error));
  CR_TRY(take_plots(s, k, d, error));
  s->nframe++;
  return CR_OK;
}

// ---- output

static cr_real* room_for(cr_json* j, int rows, int width) {
  cr_real* x = calloc((size_t)rows * (size_t)width + 1, sizeof *x);
  j->failed = j->failed || x == NULL;
  return x;
}

// lengths become shares of the range of their tendon; activations lie between 0 and 1 already
static void scale_levels(const cr_shown_motion* s, int tendon, cr_real* to) {
  cr_real low = 0, high = 1;
  for (int k = 0; k < s->nframe && cr_shown_activation(s->m, tendon) < 0; k++) {
    cr_real x = s->level[(size_t)k * (size_t)s->ntendon + (size_t)tendon];
    low = k == 0 || x < low ? x : low;
    high = k == 0 || x > high ? x : high;
  }
  for (int k = 0; k < s->nframe; k++) {
    size_t at = (size_t)k * (size_t)s->ntendon + (size_t)tendon;
    to[at] = high > low ? fmin(fmax((s->level[at] - low) / (high - low), 0), 1) : 0;
  }
}

static void put_levels(cr_json* j, const cr_shown_motion* s) {
  cr_real* level = room_for(j, s->nframe, s->ntendon);
  for (int i = 0; i < s->ntendon && level != NULL; i++) {
    scale_levels(s, i, level);
  }
  if (level != NULL) {
    cr_packed_steps(j, "level", level, s->nframe, s->ntendon);
  }
  free(level);
}

static void put_times(cr_json* j, const cr_shown_motion* s) {
  cr_real* time = room_for(j, s->nframe, 1);
  for (int k = 0; k < s->nframe && time != NULL; k++) {
    time[k] = s->time[k] - s->time[0];
  }
  cr_packed_reals(j, "time", time, time == NULL ? 0 : (size_t)s->nframe);
  free(time);
}

static void put_plots(cr_json* j, const cr_shown_motion* s) {
  cr_json_open(j, "plots", '[');
  for (int i = 0, at = 0; i < s->plotted.n; i++) {
    int count = place_of(s->m, s->plotted.names[i]).count;
    cr_real* column = room_for(j, s->nframe, count);
    for (int k = 0; k < s->nframe && column != NULL; k++) {
      memcpy(column + (ptrdiff_t)k * count, s->plot + (ptrdiff_t)k * s->nplot + at,
             (size_t)count * sizeof *column);
    }
    cr_packed_reals(j, NULL, column, column == NULL ? 0 : (size_t)s->nframe * (size_t)count);
    free(column);
    at += count;
  }
  cr_json_close(j, ']');
}

static void put_surface(cr_json* j, const cr_shown_motion* s) {
  const cr_shown_surface* u = &s->surface;
  if (u->nface == 0) {
    return;
  }
  cr_json_open(j, "surface", '{');
  cr_packed_whole(j, "first", u->first, (size_t)s->nframe + 1);
  cr_packed_whole(j, "corners", u->corners, (size_t)u->nface);
  cr_packed_steps(j, "corner", u->corner, u->ncorner, 3);
  cr_packed_steps(j, "pressure", u->pressure, u->nface, 1);
  cr_json_close(j, '}');
}

void cr_shown_motion_put(cr_json* j, const cr_model* page, const cr_shown_motion* s) {
  cr_json_open(j, NULL, '{');
  cr_json_string(j, "name", s->name);
  cr_json_real(j, "start", s->time[0]);
  if (s->m != page) {
    int ngeom = cr_model_count(s->m, "ngeom");
    cr_json_reals(j, "sizes", cr_model_numbers(s->m, "geom_size", NULL, NULL), 3 * ngeom);
  }
  put_times(j, s);
  cr_packed_steps(j, "pose", s->pose, s->nframe, 7 * s->nbody);
  if (s->npoint > 0) {
    cr_packed_steps(j, "path", s->path, s->nframe, 3 * s->npoint);
    put_levels(j, s);
  }
  cr_packed_whole(j, "contact_first", s->first, (size_t)s->nframe + 1);
  cr_packed_reals(j, "contact", s->contact, 6 * (size_t)s->ncontact);
  put_surface(j, s);
  put_plots(j, s);
  cr_json_close(j, '}');
}
