// SPDX-License-Identifier: Apache-2.0
// Writing a rollout: gathers its numbers, and writes them to HDF5.
#include "io/recording.h"

#include <stdlib.h>
#include <string.h>

#include "io/columns.h"
#include "model/state_vector.h"

// the time of every state, and all quantities that evolve, a row a state each
typedef struct {
  cr_real *memory, *time;
  cri_state rows;
} states;

static cr_status gather(states* s, const cr_model* m, const cr_rollout* r, cr_error* error) {
  size_t rows = (size_t)r->nstep + 1;
  s->memory = calloc(rows * (size_t)(1 + cri_state_size(m)), sizeof(cr_real));
  if (s->memory == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "recording: no memory for %d states", r->nstep + 1);
  }
  s->time = s->memory;
  s->rows = cri_state_at(cri_state_sizes(m), (int)rows, s->time + rows);
  for (int k = 0; k <= r->nstep; k++) {
    cri_kept kept = cri_rollout_kept(r, m, k);
    if (kept.time == NULL) {
      return cri_fail(error, CR_ERR_ARG, "recording: the limit on memory left out state %d", k);
    }
    s->time[k] = *kept.time;
    cri_state_copy(cri_state_row_of(s->rows, k), kept.state);
  }
  return CR_OK;
}

// values of named places at every state
typedef struct {
  int n;
  const char* const* names;
  const cr_place* places;
  cr_real* values[CR_MAX_SERIES];
  int widths[CR_MAX_SERIES];
} series_list;

// the control of each column of ctrl
static cr_status write_names(cr_h5* file, const cr_model* m, cr_error* error) {
  enum { MOST = 60000 };  // HDF5 takes 64 KiB in an attribute
  char* text = cri_control_names(m);
  if (text == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "recording: no memory for %d names", m->nu);
  }
  cr_status status =
      strlen(text) < MOST ? cri_h5_write_text(file, "ctrl", "columns", text, error) : CR_OK;
  free(text);
  return status;
}

// whether every recording has a data set of the name of a series, or an earlier series has it
static bool is_there(const cr_model* m, const series_list* series, int i) {
  const char* name = series->names[i];
  bool there = m->nu > 0 && strcmp(name, "ctrl") == 0;
  for (int k = 0; k < CRI_N_STATE; k++) {
    there |= strcmp(name, cri_field(cri_state_rows[k].id)->name) == 0;
  }
  for (int k = 0; k < i; k++) {
    there |= strcmp(name, series->names[k]) == 0;
  }
  return there;
}

static cr_status write_all(cr_h5* file, const cr_model* m, const cr_rollout* r, const states* s,
                           const series_list* series, cr_error* error) {
  CR_TRY(cri_h5_write(file, "time", s->time, r->nstep + 1, 0, error));
  for (int k = 0; k < CRI_N_STATE; k++) {
    cri_state_part p = s->rows.part[k];
    const char* name = cri_field(cri_state_rows[k].id)->name;
    CR_TRY(p.n > 0 ? cri_h5_write(file, name, p.x, r->nstep + 1, p.n, error) : CR_OK);
  }
  if (m->nu > 0) {
    CR_TRY(cri_h5_write(file, "ctrl", r->ctrl, r->nstep, m->nu, error));
    CR_TRY(write_names(file, m, error));
  }
  for (int i = 0; i < series->n; i++) {
    if (!is_there(m, series, i)) {
      CR_TRY(cri_h5_write(file, series->names[i], series->values[i], r->nstep + 1,
                          series->widths[i], error));
    }
  }
  CR_TRY(cri_h5_write_attribute(file, "/", "timestep", (double)m->timestep, error));
  CR_TRY(cri_h5_write_text(file, "/", "carom_version", cr_version(), error));
  return cri_h5_save(file, error);
}

static cr_status write_file(const char* path, const cr_model* m, const cr_rollout* r,
                            const series_list* series, cr_error* error) {
  cr_h5* file = NULL;
  states s = {.memory = NULL};
  cr_status status = gather(&s, m, r, error);
  const bool table = cri_recording_is_csv(path);
  if (status == CR_OK && table) {
    const cri_recorded all = {.r = r,
                              .time = s.time,
                              .rows = s.rows,
                              .places = series->places,
                              .names = series->names,
                              .values = series->values,
                              .n = series->n};
    status = cri_recording_write_csv(path, m, &all, error);
  } else if (status == CR_OK) {
    status = cri_h5_create(&file, path, error);
  }
  if (status == CR_OK && !table) {
    status = write_all(file, m, r, &s, series, error);
    cri_h5_close(file);
  }
  free(s.memory);
  return status;
}

cr_status cri_recording_write(const char* path, const cr_model* m, const cr_rollout* r,
                              cr_error* error) {
  const series_list none = {.n = 0};
  return write_file(path, m, r, &none, error);
}

static void take_row(const series_list* series, const cr_record_list* list, const cr_model* m,
                     const cr_data* d, int row) {
  for (int i = 0; i < series->n; i++) {
    const cr_real* value = cri_place_value(&list->places[i], m, d);
    cr_real* to = series->values[i] + (size_t)row * (size_t)series->widths[i];
    for (int k = 0; k < series->widths[i]; k++) {
      to[k] = value != NULL ? value[k] : (cr_real)NAN;
    }
  }
}

static cr_status evaluate_all(series_list* series, const cr_record_list* list, const cr_model* m,
                              cr_rollout* r, cr_error* error) {
  for (int i = 0; i < list->n; i++) {
    series->widths[i] = list->places[i].count;
    size_t numbers = (size_t)(r->nstep + 1) * (size_t)series->widths[i];
    series->values[i] = calloc(numbers + 1, sizeof(cr_real));
    if (series->values[i] == NULL) {
      return cri_fail(error, CR_ERR_MEMORY, "recording: no memory for '%s'", list->names[i]);
    }
  }
  for (int k = 0; k <= r->nstep && list->n > 0; k++) {
    CR_TRY(cri_rollout_forward(r, m, k, error));
    take_row(series, list, m, r->d, k);
  }
  return CR_OK;
}

cr_status cri_recording_write_places(const char* path, const cr_model* m, cr_rollout* r,
                                     const cr_record_list* list, cr_error* error) {
  if (list->n > CR_MAX_SERIES) {
    return cri_fail(error, CR_ERR_ARG, "recording: %d names, at most %d", list->n, CR_MAX_SERIES);
  }
  series_list series = {.n = list->n, .names = list->names, .places = list->places};
  cr_status status = evaluate_all(&series, list, m, r, error);
  if (status == CR_OK) {
    status = write_file(path, m, r, &series, error);
  }
  for (int i = 0; i < list->n; i++) {
    free(series.values[i]);
  }
  return status;
}

// ---- public functions

cr_status cr_rollout_save(cr_rollout* r, const cr_model* m, const char* path,
                          const char* const* names, int n, cr_error* error) {
  const cri_call call = {"cr_rollout_save", error};
  CR_TRY(cri_rollout_check(&call, r, m));
  CR_TRY(cri_given(&call, path, "the path"));
  CR_TRY(n > 0 ? cri_given(&call, names, "the names") : CR_OK);
  const char* wrong = !r->ran                      ? "needs a run that came to its end"
                      : r->budget > 0              ? "not all states are kept within the memory"
                      : n < 0 || n > CR_MAX_SERIES ? "0 to 64 names expected"
                                                   : NULL;
  if (wrong != NULL) {
    return cri_fail(error, CR_ERR_ARG, "cr_rollout_save: %s", wrong);
  }
  cr_place places[CR_MAX_SERIES];
  for (int i = 0; i < n; i++) {
    CR_TRY(cri_given(&call, names[i], "a name"));
    CR_TRY(cri_place_find(&places[i], m, names[i], error));
    if (places[i].of_tangent) {
      return cri_fail(error, CR_ERR_NAME, "'%s': a tangent has no value", names[i]);
    }
  }
  const cr_record_list list = {names, places, n};
  return cri_recording_write_places(path, m, r, &list, error);
}
