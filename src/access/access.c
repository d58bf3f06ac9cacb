// SPDX-License-Identifier: Apache-2.0
// The public functions on models and data: opaque, by name. See carom/model.h and carom/data.h.
#include "carom/data.h"
#include "carom/fields.h"

#include <stdlib.h>

#include "base/nearest.h"
#include "model/added_contact.h"
#include "model/fields.h"
#include "model/file.h"
#include "model/misuse.h"
#include "model/model_check.h"
#include "model/model_options.h"
#include "model/names.h"
#include "model/schedule.h"

// ---- models

void cr_model_destroy(cr_model* m) {
  if (m != NULL) {
    cri_model_free(m);
    free(m);
  }
}

// what Carom's own file can hold
static cr_status check_kept(const cr_model* m, const char* path, cr_error* error) {
  if (m->schedule != NULL && m->schedule->nadded > 0) {
    return cri_fail(error, CR_ERR_UNSUPPORTED,
                    "%s: the model has stages that were added, and code is not written to a file",
                    path);
  }
  if (m->contact_model >= CR_CONTACT_ADDED || (m->contacts != NULL && m->contacts->mixed)) {
    return cri_fail(error, CR_ERR_UNSUPPORTED,
                    "%s: the model has a contact model that was added, or that holds for pairs of "
                    "geoms, which a file does not hold",
                    path);
  }
  return CR_OK;
}

cr_status cr_model_save(const cr_model* m, const char* path, cr_error* error) {
  const cri_call call = {"cr_model_save", error};
  CR_TRY(cri_given(&call, m, "the model"));
  CR_TRY(cri_given(&call, path, "the path"));
  CR_TRY(check_kept(m, path, error));
  return cri_model_save(m, path, error);
}

cr_status cr_model_save_bytes(const cr_model* m, void* bytes, size_t room, size_t* n,
                              cr_error* error) {
  const cri_call call = {"cr_model_save_bytes", error};
  CR_TRY(cri_given(&call, m, "the model"));
  CR_TRY(cri_given(&call, n, "where the number of bytes goes"));
  CR_TRY(check_kept(m, "cr_model_save_bytes", error));
  unsigned char* all = NULL;
  CR_TRY(cri_model_save_bytes(m, &all, n, error));
  bool fits = *n <= room;
  if (bytes != NULL && fits) {
    memcpy(bytes, all, *n);
  }
  free(all);
  return bytes == NULL || fits
             ? CR_OK
             : cri_fail(error, CR_ERR_ARG, "cr_model_save_bytes: %zu bytes, and room for %zu", *n,
                        room);
}

int cr_model_count(const cr_model* m, const char* name) {
  if (m == NULL || name == NULL) {
    return -1;
  }
#define CR_SIZE(count, text)       \
  if (strcmp(name, #count) == 0) { \
    return m->count;               \
  }
#include "model/model_fields.h"
  return -1;
}

int cr_model_id(const cr_model* m, const char* kind, const char* name) {
  bool given = m != NULL && kind != NULL && name != NULL;
  return given ? cri_object_find(m, cri_object_of_word(kind), name, strlen(name)) : -1;
}

const char* cr_model_name(const cr_model* m, const char* kind, int id) {
  return m != NULL && kind != NULL ? cri_object_name(m, cri_object_of_word(kind), id) : NULL;
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

static cr_status check_place(const cri_call* call, const cr_model* m, const char* name,
                             const cr_real* values) {
  CR_TRY(cri_given(call, m, "the model"));
  CR_TRY(cri_given(call, name, "the name"));
  return cri_given(call, values, "values");
}

cr_status cr_model_get(const cr_model* m, const char* name, cr_real* values, int n,
                       cr_error* error) {
  const cri_call call = {"cr_model_get", error};
  CR_TRY(check_place(&call, m, name, values));
  cr_real* numbers = NULL;
  CR_TRY(find_numbers(m, name, n, &numbers, error));
  cr_copy(values, numbers, n);
  return CR_OK;
}

cr_status cr_model_set(cr_model* m, const char* name, const cr_real* values, int n,
                       cr_error* error) {
  const cri_call call = {"cr_model_set", error};
  CR_TRY(check_place(&call, m, name, values));
  cr_real* numbers = NULL;
  CR_TRY(find_numbers(m, name, n, &numbers, error));
  return cr_model_set_many(m, &name, &values, 1, error);
}

// ---- options

static cr_status find_option(const cri_call* call, const cr_model* m, const char* name,
                             const cri_option** option) {
  CR_TRY(cri_given(call, m, "the model"));
  CR_TRY(cri_given(call, name, "the name"));
  *option = cri_option_find(name);
  if (*option != NULL) {
    return CR_OK;
  }
  cri_nearest nearest;
  cri_nearest_begin(&nearest, name, strlen(name));
  for (int i = 0; i < CRI_N_OPTION; i++) {
    cri_nearest_offer(&nearest, cri_option_row(i)->name);
  }
  return cri_fail(call->error, CR_ERR_NAME, "there is no option '%s'%s", name,
                  cri_nearest_hint(&nearest));
}

cr_status cr_model_get_option(const cr_model* m, const char* name, cr_real* value,
                              cr_error* error) {
  const cri_call call = {"cr_model_get_option", error};
  const cri_option* option;
  CR_TRY(find_option(&call, m, name, &option));
  CR_TRY(cri_given(&call, value, "value"));
  *value = cri_option_get(m, option);
  return CR_OK;
}

// soft and smooth collision detection have a default width
static void default_softness(cr_model* m) {
  if (m->collision != CR_COLLISION_HARD && m->softness == 0) {
    m->softness = CR_DEFAULT_SOFTNESS;
  }
}

static cr_status put_option(cr_model* m, const cri_option* option, cr_real value, cr_error* error) {
  bool whole = cr_abs(value) <= INT32_MAX && value == cr_floor(value);
  if (option->kind != CRI_OPTION_REAL && !whole) {
    return cri_fail(error, CR_ERR_ARG, "option %s: %g is no integer", option->name, (double)value);
  }
  cr_model changed = *m;
  cri_option_put(&changed, option, value);
  default_softness(&changed);
  CR_TRY(cri_options_check(&changed, error));
  *m = changed;
  return CR_OK;
}

cr_status cr_model_set_option(cr_model* m, const char* name, cr_real value, cr_error* error) {
  const cri_call call = {"cr_model_set_option", error};
  const cri_option* option;
  CR_TRY(find_option(&call, m, name, &option));
  return put_option(m, option, value, error);
}

const char* cr_model_get_choice(const cr_model* m, const char* name) {
  const cri_option* option = m != NULL && name != NULL ? cri_option_find(name) : NULL;
  return option != NULL && option->kind == CRI_OPTION_CHOICE
             ? cri_choice_word(m, option, (int32_t)cri_option_get(m, option))
             : NULL;
}

cr_status cr_model_set_choice(cr_model* m, const char* name, const char* choice, cr_error* error) {
  const cri_call call = {"cr_model_set_choice", error};
  const cri_option* option;
  CR_TRY(find_option(&call, m, name, &option));
  CR_TRY(cri_given(&call, choice, "the choice"));
  if (option->kind != CRI_OPTION_CHOICE) {
    return cri_fail(error, CR_ERR_ARG, "option %s is no choice", name);
  }
  int32_t value;
  return cri_choice_find(m, option, choice, &value)
             ? put_option(m, option, (cr_real)value, error)
             : cri_fail(error, CR_ERR_ARG, "%s '%s': %s expected", name, choice,
                        cri_choices(m, option).text);
}

// ---- flags: some bits switch off, others on

static const cri_word* find_flag(const char* flag, const cri_option** option, bool* disables) {
  static const char* const options[] = {"disableflags", "enableflags"};
  for (int i = 0; i < 2; i++) {
    *option = cri_option_find(options[i]);
    *disables = i == 0;
    const cri_word* word = cri_word_find((*option)->words, flag);
    if (word != NULL) {
      return word;
    }
  }
  return NULL;
}

int cr_model_get_flag(const cr_model* m, const char* flag) {
  const cri_option* option;
  bool disables;
  const cri_word* word = m != NULL && flag != NULL ? find_flag(flag, &option, &disables) : NULL;
  if (word == NULL) {
    return -1;
  }
  return (((int32_t)cri_option_get(m, option) & word->value) != 0) != disables;
}

cr_status cr_model_set_flag(cr_model* m, const char* flag, bool on, cr_error* error) {
  const cri_call call = {"cr_model_set_flag", error};
  CR_TRY(cri_given(&call, m, "the model"));
  CR_TRY(cri_given(&call, flag, "the name"));
  const cri_option* option;
  bool disables;
  const cri_word* word = find_flag(flag, &option, &disables);
  if (word == NULL) {
    return cri_fail(error, CR_ERR_NAME, "there is no flag '%s'", flag);
  }
  int32_t bits = (int32_t)cri_option_get(m, option);
  bits = on != disables ? bits | word->value : bits & ~word->value;
  return put_option(m, option, (cr_real)bits, error);
}

// ---- options that many programs use

cr_real cr_model_timestep(const cr_model* m) { return m != NULL ? m->timestep : 0; }

cr_status cr_model_copy(cr_model** copy, const cr_model* m, cr_error* error) {
  const cri_call call = {"cr_model_copy", error};
  CR_TRY(cri_given(&call, copy, "where the copy goes"));
  *copy = NULL;
  CR_TRY(cri_given(&call, m, "the model"));
  cr_model* made = malloc(sizeof *made);
  if (made == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "no memory for a copy of the model");
  }
  cr_status status = cri_model_copy(made, m, error);
  if (status != CR_OK) {
    free(made);
    return status;
  }
  *copy = made;
  return CR_OK;
}

// ---- data

void cr_data_destroy(cr_data* d) { cri_data_free(d); }

cr_status cr_data_reset(const cr_model* m, cr_data* d) {
  const cri_call call = {"cr_data_reset", cri_error_of(d)};
  CR_TRY(cri_check_data(&call, m, d, CR_DATA_PLAIN, "the data"));
  cri_data_reset(m, d);
  d->done = 0;
  return CR_OK;
}

static cr_status make_twin(const cri_call* call, cr_data** twin, const cr_model* m,
                           const cr_data* d, cr_data_role role) {
  CR_TRY(cri_given(call, twin, "where the twin goes"));
  CR_TRY(cri_check_data(call, m, d, CR_DATA_PLAIN, "the data"));
  return cri_data_twin(twin, m, d, role, NULL, call->error);
}

cr_status cr_data_create_tangent(cr_data** twin, const cr_model* m, const cr_data* d,
                                 cr_error* error) {
  const cri_call call = {"cr_data_create_tangent", error};
  return make_twin(&call, twin, m, d, CR_DATA_TANGENT);
}

cr_status cr_data_create_cotangent(cr_data** twin, const cr_model* m, const cr_data* d,
                                   cr_error* error) {
  const cri_call call = {"cr_data_create_cotangent", error};
  return make_twin(&call, twin, m, d, CR_DATA_COTANGENT);
}

// the reason why there is no view, as a sentence in the block
static cr_status view_check(const cri_call* call, const cr_model* m, const cr_data* d,
                            const char* name, cr_field_id* id) {
  CR_TRY(cri_check_shape(call, m, d, "the data"));
  CR_TRY(cri_given(call, name, "the name"));
  *id = cri_field_find(name);
  if (*id == CR_N_FIELD) {
    const char* near = cri_field_nearest(name);
    return cri_fail(call->error, CR_ERR_NAME, "%s: there is no field '%.60s'%s%s%s", call->name,
                    name, near[0] != 0 ? "; did you mean '" : "", near, near[0] != 0 ? "'?" : "");
  }
  cr_field_kind kind = cri_field(*id)->kind;
  bool parameter = kind == CR_KIND_PARAM && d->role != CR_DATA_PLAIN;
  if (kind != CR_KIND_STATE && kind != CR_KIND_REAL && !parameter) {
    return cri_fail(call->error, CR_ERR_NAME, "%s: %s has no numbers in %s", call->name, name,
                    d->role == CR_DATA_PLAIN ? "data; cr_model_get has those of the model"
                                             : "tangents and cotangents");
  }
  if (cri_field_real(parameter ? &d->par : m, d, *id) == NULL) {
    return cri_fail(call->error, CR_ERR_NAME, "%s: %s", call->name,
                    parameter ? "a parameter that was not asked for when this was made"
                              : "a field that has no derivative");
  }
  return CR_OK;
}

static cr_real* view(const cri_call* call, const cr_model* m, const cr_data* d, const char* name,
                     int* rows, int* width) {
  cr_field_id id = CR_N_FIELD;
  bool ok = view_check(call, m, d, name, &id) == CR_OK;
  bool twin = ok && d->role != CR_DATA_PLAIN;
  bool coordinates = twin && cri_field(id)->tangent == CR_TANGENT_QPOS;
  if (width != NULL) {
    *width = !ok ? 0 : twin ? cri_field_tangent_width(m, id) : cri_field_width(m, id);
  }
  if (rows != NULL) {
    *rows = !ok ? 0 : coordinates ? m->nv : cri_field_rows(m, d, id);
  }
  if (!ok) {
    return NULL;
  }
  return cri_field_real(cri_field(id)->kind == CR_KIND_PARAM ? &d->par : m, d, id);
}

cr_real* cr_data_view(const cr_model* m, cr_data* d, const char* name, int* rows, int* width) {
  const cri_call call = {"cr_data_view", cri_error_of(d)};
  return view(&call, m, d, name, rows, width);
}

const cr_real* cr_data_numbers(const cr_model* m, const cr_data* d, const char* name, int* rows,
                               int* width) {
  const cri_call call = {"cr_data_numbers", cri_error_of(d)};
  return view(&call, m, d, name, rows, width);
}

cr_real cr_data_time(const cr_data* d) { return d != NULL ? d->time : 0; }

const char* cr_data_error(const cr_data* d) { return d != NULL ? d->error.text : "no data"; }
