// SPDX-License-Identifier: Apache-2.0
#include "view/shown_model.h"

#include <math.h>
#include <stdio.h>

#include "view/packed.h"
#include "view/shown_meshes.h"

static const cr_real* numbers(const cr_model* m, const char* field) {
  return cr_model_numbers(m, field, NULL, NULL);
}

static const int32_t* integers(const cr_model* m, const char* field) {
  return cr_model_integers(m, field, NULL, NULL);
}

// mjtGeom
static const char* const types[] = {"plane",     "hfield",   "sphere", "capsule",
                                    "ellipsoid", "cylinder", "box",    "mesh"};
enum { PLANE = 0, HFIELD = 1, MESH = 7 };

// ---- shapes

// a shape in the frame of its body: a geom or a site, whose fields begin with `kind`
static void put_shape(cr_json* j, const cr_model* m, const char* kind, int i, int type) {
  char field[32];
  cr_json_open(j, NULL, '{');
  cr_json_string(j, "name", cr_model_name(m, kind, i));
  cr_json_string(j, "type", types[type]);
  (void)snprintf(field, sizeof field, "%s_bodyid", kind);
  cr_json_int(j, "body", integers(m, field)[i]);
  static const struct {
    const char* name;
    int width;
  } parts[] = {{"pos", 3}, {"quat", 4}, {"size", 3}, {"rgba", 4}};
  for (size_t k = 0; k < sizeof parts / sizeof parts[0]; k++) {
    (void)snprintf(field, sizeof field, "%s_%s", kind, parts[k].name);
    cr_json_reals(j, parts[k].name, numbers(m, field) + (ptrdiff_t)i * parts[k].width,
                  parts[k].width);
  }
}

static void put_geoms(cr_json* j, const cr_model* m) {
  const int32_t *type = integers(m, "geom_type"), *group = integers(m, "geom_group"),
                *data = integers(m, "geom_dataid");
  cr_json_open(j, "geoms", '[');
  for (int i = 0; i < cr_model_count(m, "ngeom"); i++) {
    bool refers = type[i] == MESH || type[i] == HFIELD;
    put_shape(j, m, "geom", i, type[i]);
    cr_json_int(j, "group", group[i]);
    cr_json_int(j, "mesh", refers ? data[i] : -1);
    cr_json_real(j, "reach", type[i] == PLANE ? 0 : numbers(m, "geom_rbound")[i]);
    cr_json_close(j, '}');
  }
  cr_json_close(j, ']');
}

static void put_sites(cr_json* j, const cr_model* m) {
  cr_json_open(j, "sites", '[');
  for (int i = 0; i < cr_model_count(m, "nsite"); i++) {
    put_shape(j, m, "site", i, integers(m, "site_type")[i]);
    cr_json_close(j, '}');
  }
  cr_json_close(j, ']');
}

// ---- height fields

static void put_height_fields(cr_json* j, const cr_model* m) {
  cr_json_open(j, "fields", '[');
  for (int i = 0; i < cr_model_count(m, "nhfield"); i++) {
    int rows = integers(m, "hfield_nrow")[i], columns = integers(m, "hfield_ncol")[i];
    cr_json_open(j, NULL, '{');
    cr_json_int(j, "rows", rows);
    cr_json_int(j, "columns", columns);
    cr_json_reals(j, "size", numbers(m, "hfield_size") + 4 * (ptrdiff_t)i, 4);
    cr_packed_reals(j, "height", numbers(m, "hfield_data") + integers(m, "hfield_adr")[i],
                    (size_t)rows * (size_t)columns);
    cr_json_close(j, '}');
  }
  cr_json_close(j, ']');
}

// ---- tendons

int cr_shown_lines(const cr_model* m, int tendon, void (*put)(void* context, int points),
                   void* context) {
  enum { JOINT = 1, PULLEY = 2, SITE = 3 };  // mjtWrap
  const int32_t* type = integers(m, "wrap_type");
  int first = integers(m, "tendon_adr")[tendon], end = first + integers(m, "tendon_num")[tendon],
      sum = 0;
  for (int k = first; k < end && type[first] != JOINT; k++) {
    int points = 0, elements = 0;
    for (; k < end && type[k] != PULLEY; k++, elements++) {
      points += type[k] == SITE ? 1 : 2;
    }
    if (elements > 1) {
      put(context, points);
      sum += points;
    }
  }
  return sum;
}

static void put_points(void* context, int points) { cr_json_int(context, NULL, points); }

static void put_tendons(cr_json* j, const cr_model* m) {
  cr_json_open(j, "tendons", '[');
  for (int i = 0; i < cr_model_count(m, "ntendon"); i++) {
    cr_json_open(j, NULL, '{');
    cr_json_string(j, "name", cr_model_name(m, "tendon", i));
    cr_json_real(j, "width", numbers(m, "tendon_width")[i]);
    cr_json_open(j, "lines", '[');
    (void)cr_shown_lines(m, i, put_points, j);
    cr_json_close(j, ']');
    cr_json_close(j, '}');
  }
  cr_json_close(j, ']');
}

// ---- all of it

cr_real cr_shown_weight(const cr_model* m) {
  const cr_real *mass = numbers(m, "body_mass"), *g = numbers(m, "gravity");
  cr_real sum = 0;
  for (int i = 1; i < cr_model_count(m, "nbody"); i++) {
    sum += mass[i];
  }
  return sum * sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
}

// their names, and which never move
static void put_bodies(cr_json* j, const cr_model* m) {
  cr_json_open(j, "bodies", '[');
  for (int i = 0; i < cr_model_count(m, "nbody"); i++) {
    cr_json_string(j, NULL, cr_model_name(m, "body", i));
  }
  cr_json_close(j, ']');
  cr_json_open(j, "still", '[');
  for (int i = 0; i < cr_model_count(m, "nbody"); i++) {
    cr_json_bool(j, NULL, integers(m, "body_weldid")[i] == 0);
  }
  cr_json_close(j, ']');
}

void cr_shown_model(cr_json* j, const cr_model* m, int triangles) {
  put_bodies(j, m);
  put_geoms(j, m);
  put_sites(j, m);
  cr_shown_meshes(j, m, triangles);
  put_height_fields(j, m);
  put_tendons(j, m);
  cr_json_real(j, "weight", cr_shown_weight(m));
}
