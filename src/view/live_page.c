// SPDX-License-Identifier: Apache-2.0
// The core and the model are compressed with zlib, which browsers undo.
#include "view/live_page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/real.h"
#include "base/status.h"
#include "view/packed.h"
#include "view/shown_motion.h"
#include "view/view_assets.h"

// a number of the model with a slider
typedef struct {
  char name[CR_NUMBER_NAME];
  const char* unit;
  cr_real value, low, high;
} slider;

struct cr_live_page {
  cr_real* start;
  int nstart;
  unsigned char* model;
  size_t nmodel;
  slider* parameters;
  int nparameter, room;
  int body, ahead;
};

static cr_status no_memory(cr_error* error) {
  return cri_fail(error, CR_ERR_MEMORY, "view: no memory for a live page");
}

static const int32_t* integers(const cr_model* m, const char* field) {
  return cr_model_integers(m, field, NULL, NULL);
}

// ---- parameters

// the page draws these as they are
static bool is_drawn(const char* field) {
  static const char* const drawn[] = {"geom_size", "geom_pos",  "geom_quat", "site_size",
                                      "site_pos",  "site_quat", "mesh_",     "hfield_"};
  for (size_t i = 0; i < sizeof drawn / sizeof drawn[0]; i++) {
    if (strncmp(field, drawn[i], strlen(drawn[i])) == 0) {
      return true;
    }
  }
  return false;
}

static cr_status check_parameter(const char* name, const cr_field_info* field, cr_error* error) {
  if (field->kind != CR_KIND_PARAM) {
    return cri_fail(error, CR_ERR_NAME, "parameter %s: it is no parameter of the model", name);
  }
  if (is_drawn(field->name)) {
    return cri_fail(error, CR_ERR_NAME,
                    "parameter %s: a page draws shapes and their places as they are; name a number "
                    "that is not drawn, as body_mass",
                    name);
  }
  return CR_OK;
}

static cr_status make_room(cr_live_page* p, int n, cr_error* error) {
  slider* larger = realloc(p->parameters, (size_t)n * sizeof *larger);
  p->parameters = larger != NULL ? larger : p->parameters;
  return larger != NULL ? CR_OK : no_memory(error);
}

// from a tenth of the number to three times it, from -1 to 1 about 0
static void choose_ends(slider* s) {
  cr_real x = s->value;
  s->low = x == 0 ? -1 : fmin(CR_R(0.1) * x, 3 * x);
  s->high = x == 0 ? 1 : fmax(CR_R(0.1) * x, 3 * x);
}

static cr_status set_ends(slider* s, const char* name, cr_real low, cr_real high, cr_error* error) {
  if (low == 0 && high == 0) {
    choose_ends(s);
    return CR_OK;
  }
  if (!(low < high) || !isfinite(low) || !isfinite(high)) {
    return cri_fail(error, CR_ERR_ARG, "parameter %s: a slider from %.9g to %.9g has no length",
                    name, (double)low, (double)high);
  }
  if (s->value < low || s->value > high) {
    return cri_fail(error, CR_ERR_ARG, "parameter %s: %.9g is not between %.9g and %.9g", name,
                    (double)s->value, (double)low, (double)high);
  }
  s->low = low;
  s->high = high;
  return CR_OK;
}

static cr_status add_parameter(cr_live_page* p, const cr_model* m, const char* name, cr_real low,
                               cr_real high, cr_error* error) {
  cr_place_info place = {.size = sizeof place};
  cr_field_info field = {.size = sizeof field};
  CR_TRY(cr_model_place(m, name, &place, error));
  CR_TRY(cr_field_get(m, place.field, &field, error));
  CR_TRY(check_parameter(name, &field, error));
  CR_TRY(make_room(p, p->nparameter + place.count + 1, error));
  for (int i = 0; i < place.count; i++) {
    slider* s = &p->parameters[p->nparameter];
    CR_TRY(cr_number_name(m, place.field, place.first + i, false, s->name, CR_NUMBER_NAME, error));
    CR_TRY(cr_model_get(m, s->name, &s->value, 1, error));
    CR_TRY(set_ends(s, name, low, high, error));
    s->unit = field.unit;
    p->nparameter++;
  }
  return CR_OK;
}

// the first geom of the body that touches others, -1 if there is none
static int touching(const cr_model* m, int body) {
  const int32_t *of = integers(m, "geom_bodyid"), *type = integers(m, "geom_contype"),
                *affinity = integers(m, "geom_conaffinity");
  for (int g = 0; g < cr_model_count(m, "ngeom"); g++) {
    if (of[g] == body && (type[g] != 0 || affinity[g] != 0)) {
      return g;
    }
  }
  return -1;
}

// number i of row r of a field
static cr_status add_number(cr_live_page* p, const cr_model* m, const char* field, int r, int i,
                            cr_error* error) {
  char name[CR_NUMBER_NAME];
  cr_place_info place = {.size = sizeof place};
  int rows, width;
  (void)cr_model_numbers(m, field, &rows, &width);
  CR_TRY(cr_model_place(m, field, &place, error));
  CR_TRY(cr_number_name(m, place.field, r * width + i, false, name, sizeof name, error));
  return add_parameter(p, m, name, 0, 0, error);
}

static cr_status choose_parameters(cr_live_page* p, const cr_model* m, cr_error* error) {
  int geom = touching(m, p->body);
  CR_TRY(add_number(p, m, "body_mass", p->body, 0, error));
  CR_TRY(geom >= 0 ? add_number(p, m, "geom_friction", geom, 0, error) : CR_OK);
  return add_number(p, m, "gravity", 0, 2, error);
}

static cr_status take_parameters(cr_live_page* p, const cr_model* m, const cr_view_live* live,
                                 cr_error* error) {
  for (int i = 0; i < live->nparameter; i++) {
    CR_TRY(add_parameter(p, m, live->parameters[i], live->low != NULL ? live->low[i] : 0,
                         live->high != NULL ? live->high[i] : 0, error));
  }
  return live->nparameter > 0 ? CR_OK : choose_parameters(p, m, error);
}

// the gradient that the page will compute has to exist
static cr_status check_gradient(const cr_live_page* p, const cr_model* m, cr_error* error) {
  cr_model* copy = NULL;
  cr_gradient* gradient = NULL;
  const cr_gradient_options options = {.size = sizeof options, .derive = true};
  const char** names = calloc((size_t)p->nparameter + 1, sizeof *names);
  if (names == NULL) {
    return no_memory(error);
  }
  for (int i = 0; i < p->nparameter; i++) {
    names[i] = p->parameters[i].name;
  }
  cr_status status = cr_model_copy(&copy, m, error);
  if (status == CR_OK && p->nparameter > 0) {
    status = cr_gradient_create(&gradient, copy, 1, names, p->nparameter, &options, error);
  }
  cr_gradient_destroy(gradient);
  cr_model_destroy(copy);
  free(names);
  return status;
}

// ---- what is predicted

static cr_status choose_body(cr_live_page* p, const cr_model* m, const char* name,
                             cr_error* error) {
  const int32_t* weld = integers(m, "body_weldid");
  int n = cr_model_count(m, "nbody");
  p->body = name != NULL ? cr_model_id(m, "body", name) : 1;
  if (name != NULL && p->body < 1) {
    return cri_fail(error, CR_ERR_NAME, "there is no body '%s' to predict", name);
  }
  while (name == NULL && p->body < n && weld[p->body] == 0) {
    p->body++;
  }
  if (p->body >= n || weld[p->body] == 0) {
    return cri_fail(error, CR_ERR_ARG, "%s%s never moves, so a live page would show nothing",
                    name != NULL ? "body " : "the model", name != NULL ? name : "");
  }
  return CR_OK;
}

static cr_status choose_time(cr_live_page* p, const cr_model* m, cr_real ahead, cr_error* error) {
  enum { MOST = 200, MOST_ASKED = 10000 };
  cr_real h = cr_model_timestep(m), steps = ceil((ahead != 0 ? ahead : CR_R(0.3)) / h - CR_R(1e-9));
  if (!(steps >= 1) || steps > MOST_ASKED) {
    return cri_fail(error, CR_ERR_ARG, "%.9g s ahead are not 1 to %d time steps of %.9g s",
                    (double)ahead, MOST_ASKED, (double)h);
  }
  p->ahead = ahead == 0 && steps > MOST ? MOST : (int)steps;
  return CR_OK;
}

// ---- creation

static cr_status take_state(cr_live_page* p, const cr_model* m, const cr_data* d, cr_error* error) {
  p->nstart = cr_state_size(m, CR_STATE_INTEGRATION);
  p->start = calloc((size_t)p->nstart + 1, sizeof *p->start);
  return p->start == NULL ? no_memory(error) : cr_state_get(m, d, p->start, CR_STATE_INTEGRATION);
}

static cr_status take_model(cr_live_page* p, const cr_model* m, cr_error* error) {
  CR_TRY(cr_model_save_bytes(m, NULL, 0, &p->nmodel, error));
  p->model = malloc(p->nmodel);
  return p->model == NULL ? no_memory(error)
                          : cr_model_save_bytes(m, p->model, p->nmodel, &p->nmodel, error);
}

static cr_status fill(cr_live_page* p, const cr_model* m, const cr_data* d,
                      const cr_view_live* live, cr_error* error) {
  CR_TRY(choose_body(p, m, live->body, error));
  CR_TRY(choose_time(p, m, live->ahead, error));
  CR_TRY(take_parameters(p, m, live, error));
  CR_TRY(check_gradient(p, m, error));
  CR_TRY(take_model(p, m, error));
  return take_state(p, m, d, error);
}

cr_status cr_live_page_create(cr_live_page** page, const cr_model* m, const cr_data* d,
                              const cr_view_live* live, cr_error* error) {
  if (cr_view_core_size == 0) {
    return cri_fail(error, CR_ERR_UNSUPPORTED,
                    "a live page needs the core as WebAssembly, and this library was built without "
                    "it: run `make wasm` and build again");
  }
  cr_live_page* p = calloc(1, sizeof *p);
  if (p == NULL) {
    return no_memory(error);
  }
  cr_status status = fill(p, m, d, live, error);
  if (status != CR_OK) {
    cr_live_page_free(p);
    return status;
  }
  *page = p;
  return CR_OK;
}

void cr_live_page_free(cr_live_page* p) {
  if (p == NULL) {
    return;
  }
  free(p->start);
  free(p->model);
  free(p->parameters);
  free(p);
}

// ---- output

static void put_compressed(cr_json* j, const char* key, const unsigned char* bytes, size_t n) {
  uLongf size = compressBound((uLong)n);
  unsigned char* packed = malloc(size);
  j->failed = j->failed || packed == NULL || compress2(packed, &size, bytes, (uLong)n, 9) != Z_OK;
  if (!j->failed) {
    cr_packed_bytes(j, key, packed, size);
  }
  free(packed);
}

static cr_real mass_of(const cr_model* m) {
  const cr_real* mass = cr_model_numbers(m, "body_mass", NULL, NULL);
  cr_real sum = 0;
  for (int i = 1; i < cr_model_count(m, "nbody"); i++) {
    sum += mass[i];
  }
  return sum;
}

// a control without a range: from -1 to 1
static void put_controls(cr_json* j, const cr_model* m) {
  const int32_t* limited = integers(m, "actuator_ctrllimited");
  const cr_real* range = cr_model_numbers(m, "actuator_ctrlrange", NULL, NULL);
  cr_json_open(j, "ctrl", '[');
  for (int i = 0; i < cr_model_count(m, "nu"); i++) {
    char name[CR_CONTROL_NAME];
    (void)cr_control_name(m, i, name, sizeof name, NULL);
    cr_json_open(j, NULL, '{');
    cr_json_string(j, "name", name);
    cr_json_real(j, "low", limited[i] != 0 ? range[2 * i] : -1);
    cr_json_real(j, "high", limited[i] != 0 ? range[2 * i + 1] : 1);
    cr_json_close(j, '}');
  }
  cr_json_close(j, ']');
}

static void put_parameters(cr_json* j, const cr_live_page* p) {
  cr_json_open(j, "parameters", '[');
  for (int i = 0; i < p->nparameter; i++) {
    const slider* s = &p->parameters[i];
    cr_json_open(j, NULL, '{');
    cr_json_string(j, "name", s->name);
    cr_json_string(j, "unit", s->unit);
    cr_json_real(j, "low", s->low);
    cr_json_real(j, "high", s->high);
    cr_json_close(j, '}');
  }
  cr_json_close(j, ']');
}

static void put_velocities(cr_json* j, const cr_model* m) {
  cr_place_info place = {.size = sizeof place};
  (void)cr_model_place(m, "qvel", &place, NULL);
  cr_json_open(j, "velocities", '[');
  for (int i = 0; i < cr_model_count(m, "nv"); i++) {
    char name[CR_NUMBER_NAME];
    (void)cr_number_name(m, place.field, i, false, name, sizeof name, NULL);
    cr_json_string(j, NULL, name);
  }
  cr_json_close(j, ']');
}

// the level of a tendon is an activation, from 0 to 1, or a length
static void put_levels(cr_json* j, const cr_model* m) {
  cr_json_open(j, "active", '[');
  for (int i = 0; i < cr_model_count(m, "ntendon"); i++) {
    cr_json_bool(j, NULL, cr_shown_activation(m, i) >= 0);
  }
  cr_json_close(j, ']');
}

void cr_live_page_put(cr_json* j, const cr_model* m, const cr_live_page* p) {
  cr_json_open(j, "live", '{');
  put_compressed(j, "core", cr_view_core, cr_view_core_size);
  put_compressed(j, "model", p->model, p->nmodel);
  cr_json_reals(j, "start", p->start, p->nstart);
  cr_json_real(j, "timestep", cr_model_timestep(m));
  cr_json_real(j, "mass", mass_of(m));
  cr_json_reals(j, "centre", cr_model_numbers(m, "body_ipos", NULL, NULL),
                3 * cr_model_count(m, "nbody"));
  cr_json_int(j, "body", p->body);
  cr_json_int(j, "ahead", p->ahead);
  put_controls(j, m);
  put_parameters(j, p);
  put_velocities(j, m);
  put_levels(j, m);
  cr_json_close(j, '}');
}
