// SPDX-License-Identifier: Apache-2.0
// Models and data as a user sees them: opaque, by name. See carom/model.h and carom/data.h.
#include "carom/data.h"

#include <stdlib.h>

#include "model/check.h"
#include "model/fields.h"
#include "model/file.h"
#include "model/names.h"
#include "model/tableau.h"

// ---- models

void cr_model_close(cr_model* m) {
  if (m != NULL) {
    cri_model_free(m);
    free(m);
  }
}

cr_status cr_model_save(const cr_model* m, const char* path, cr_error* error) {
  return cri_model_save(m, path, error);
}

int cr_model_count(const cr_model* m, const char* name) {
#define CR_SIZE(count, text)       \
  if (strcmp(name, #count) == 0) { \
    return m->count;               \
  }
#include "model/model_fields.h"
  return -1;
}

// the count behind a kind of object, "" for a kind that is none
static const char* rows_of_kind(const char* kind) {
  static const char* const kinds[][2] = {
      {"body", "nbody"},     {"joint", "njnt"},         {"geom", "ngeom"},     {"site", "nsite"},
      {"tendon", "ntendon"}, {"actuator", "nactuator"}, {"sensor", "nsensor"}, {"equality", "neq"},
      {"pair", "npair"},     {"keyframe", "nkey"}};
  for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
    if (strcmp(kinds[i][0], kind) == 0) {
      return kinds[i][1];
    }
  }
  return "";
}

int cr_model_id(const cr_model* m, const char* kind, const char* name) {
  return cri_object_find(m, rows_of_kind(kind), name, strlen(name));
}

const char* cr_model_name(const cr_model* m, const char* kind, int id) {
  return cri_object_name(m, rows_of_kind(kind), id);
}

static cr_status find_numbers(const cr_model* m, const char* name, int n, cr_real** numbers,
                              cr_error* error) {
  cr_place place;
  CR_TRY(cri_place_find(&place, m, name, error));
  if (!cri_field_of_model(place.field)) {
    return cri_fail(error, CR_ERR_NAME, "'%s' is not of the model", name);
  }
  if (n != place.count) {
    return cri_fail(error, CR_ERR_ARG, "'%s' has %d numbers, not %d", name, place.count, n);
  }
  *numbers = cri_field_real(m, NULL, place.field) + place.first;
  return CR_OK;
}

cr_status cr_model_get(const cr_model* m, const char* name, cr_real* values, int n,
                       cr_error* error) {
  cr_real* numbers = NULL;
  CR_TRY(find_numbers(m, name, n, &numbers, error));
  cr_copy(values, numbers, n);
  return CR_OK;
}

cr_status cr_model_set(cr_model* m, const char* name, const cr_real* values, int n,
                       cr_error* error) {
  cr_real* numbers = NULL;
  CR_TRY(find_numbers(m, name, n, &numbers, error));
  cr_real* before = malloc((size_t)n * sizeof *before + 1);
  if (before == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "'%s': no memory", name);
  }
  cr_copy(before, numbers, n);
  cr_copy(numbers, values, n);
  cr_status status = cri_model_check(m, error);
  if (status != CR_OK) {
    cr_copy(numbers, before, n);
  }
  free(before);
  return status;
}

cr_real cr_model_timestep(const cr_model* m) { return m->timestep; }

cr_status cr_model_set_timestep(cr_model* m, cr_real timestep, cr_error* error) {
  if (!(timestep > 0) || !isfinite(timestep)) {
    return cri_fail(error, CR_ERR_ARG, "timestep %.9g is not positive", (double)timestep);
  }
  m->timestep = timestep;
  return CR_OK;
}

cr_status cr_model_set_muscle_smooth(cr_model* m, cr_real width, cr_error* error) {
  if (!(width >= 0 && width <= CR_MAX_MUSCLE_SMOOTH)) {
    return cri_fail(error, CR_ERR_ARG, "muscle_smooth %.9g is not between 0 and %g", (double)width,
                    (double)CR_MAX_MUSCLE_SMOOTH);
  }
  m->muscle_smooth = width;
  return CR_OK;
}

static cr_status set_method(cr_model* m, const char* name, cr_error* error) {
  for (int i = CR_INT_TSIT5; i < CR_INT_TSIT5 + CR_INT_N_METHOD; i++) {
    if (strcmp(name, cri_tableau_of(i)->name) == 0) {
      m->integrator = i;
      return CR_OK;
    }
  }
  return cri_fail(error, CR_ERR_ARG,
                  "integrator '%s': euler, rk4, implicit, implicitfast, discrete, tsit5, dopri5, "
                  "dopri8, bosh3, "
                  "heun, midpoint, ralston or forward-euler expected",
                  name);
}

cr_status cr_model_set_integrator(cr_model* m, const char* name, cr_error* error) {
  if (strcmp(name, "euler") == 0) {
    m->integrator = CR_INT_EULER;
  } else if (strcmp(name, "rk4") == 0) {
    m->integrator = CR_INT_RK4;
  } else if (strcmp(name, "implicit") == 0) {
    m->integrator = CR_INT_IMPLICIT;
  } else if (strcmp(name, "implicitfast") == 0) {
    m->integrator = CR_INT_IMPLICITFAST;
  } else if (strcmp(name, "discrete") == 0) {
    m->integrator = CR_INT_DISCRETE;
  } else {
    return set_method(m, name, error);
  }
  return CR_OK;
}

// ---- data

cr_status cr_data_create(cr_data** d, const cr_model* m, cr_error* error) {
  return cri_data_create(d, m, NULL, error);
}

void cr_data_destroy(cr_data* d) { cri_data_free(d); }

void cr_data_reset(const cr_model* m, cr_data* d) { cri_data_reset(m, d); }

cr_status cr_data_create_tangent(cr_data** twin, const cr_model* m, const cr_data* d,
                                 cr_error* error) {
  return cri_data_twin(twin, m, d, CR_DATA_TANGENT, NULL, error);
}

cr_status cr_data_create_cotangent(cr_data** twin, const cr_model* m, const cr_data* d,
                                   cr_error* error) {
  return cri_data_twin(twin, m, d, CR_DATA_COTANGENT, NULL, error);
}

cr_real* cr_data_view(const cr_model* m, cr_data* d, const char* name, int* rows, int* width) {
  cr_field_id id = cri_field_find(name);
  if (id == CR_N_FIELD) {
    return NULL;
  }
  cr_field_kind kind = cri_field(id)->kind;
  bool twin = d->role != CR_DATA_PLAIN;
  bool parameter = kind == CR_KIND_PARAM && twin;
  if (kind != CR_KIND_STATE && kind != CR_KIND_REAL && !parameter) {
    return NULL;
  }
  *width = twin ? cri_field_tangent_width(m, id) : cri_field_width(m, id);
  *rows = twin && cri_field(id)->tangent == CR_TANGENT_QPOS ? m->nv : cri_field_rows(m, d, id);
  return cri_field_real(parameter ? &d->par : m, d, id);
}

cr_real cr_data_time(const cr_data* d) { return d->time; }

const char* cr_data_error(const cr_data* d) { return d->error.text; }
