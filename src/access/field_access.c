// SPDX-License-Identifier: Apache-2.0
// The public functions on fields and places. See carom/fields.h.
#include "carom/fields.h"

#include "model/fields.h"
#include "model/misuse.h"
#include "model/names.h"

int cr_field_count(void) { return CR_N_FIELD; }

cr_status cr_field_get(const cr_model* m, int i, cr_field_info* info, cr_error* error) {
  const cri_call call = {"cr_field_get", error};
  CR_TRY(cri_given(&call, m, "the model"));
  CR_TRY(cri_given(&call, info, "info"));
  if (i < 0 || i >= CR_N_FIELD) {
    return cri_fail(error, CR_ERR_ARG, "cr_field_get: there is no field %d", i);
  }
  const cr_field* f = cri_field((cr_field_id)i);
  bool reals = f->kind == CR_KIND_PARAM || f->kind == CR_KIND_STATE || f->kind == CR_KIND_REAL;
  const cr_field_info found = {
      .name = f->name,
      .kind = f->kind,
      .rows = f->rows,
      .width = cri_field_width(m, (cr_field_id)i),
      .tangent_width = reals ? cri_field_tangent_width(m, (cr_field_id)i) : 0,
      .unit = f->unit,
      .frame = f->frame,
      .meaning = f->text,
  };
  return cri_give(&call, info, &found, sizeof found, "cr_field_info");
}

// the field of a name if it is of this kind; CR_N_FIELD, and an empty shape, otherwise
static cr_field_id find(const cr_model* m, const cr_data* d, const char* name, unsigned kinds,
                        int* rows, int* width) {
  cr_field_id id = m != NULL && name != NULL ? cri_field_find(name) : CR_N_FIELD;
  if (id != CR_N_FIELD && (kinds & 1U << cri_field(id)->kind) == 0) {
    id = CR_N_FIELD;
  }
  if (rows != NULL) {
    *rows = id != CR_N_FIELD ? cri_field_rows(m, d, id) : 0;
  }
  if (width != NULL) {
    *width = id != CR_N_FIELD ? cri_field_width(m, id) : 0;
  }
  return id;
}

const cr_real* cr_model_numbers(const cr_model* m, const char* name, int* rows, int* width) {
  cr_field_id id = find(m, NULL, name, 1U << CR_KIND_CONST | 1U << CR_KIND_PARAM, rows, width);
  return id != CR_N_FIELD ? cri_field_real(m, NULL, id) : NULL;
}

const int32_t* cr_model_integers(const cr_model* m, const char* name, int* rows, int* width) {
  cr_field_id id = find(m, NULL, name, 1U << CR_KIND_INT, rows, width);
  return id != CR_N_FIELD ? cri_field_index(m, NULL, id) : NULL;
}

const int32_t* cr_data_integers(const cr_model* m, const cr_data* d, const char* name, int* rows,
                                int* width) {
  const cri_call call = {"cr_data_integers", cri_error_of(d)};
  bool fits = cri_check_data(&call, m, d, CR_DATA_PLAIN, "the data") == CR_OK;
  fits = fits && cri_given(&call, name, "the name") == CR_OK;
  cr_field_id id = find(fits ? m : NULL, d, name, 1U << CR_KIND_INDEX, rows, width);
  if (fits && id == CR_N_FIELD) {
    (void)cri_fail(call.error, CR_ERR_NAME, "cr_data_integers: %s has no integers in data", name);
  }
  return id != CR_N_FIELD ? cri_field_index(m, d, id) : NULL;
}

cr_status cr_model_place(const cr_model* m, const char* name, cr_place_info* info,
                         cr_error* error) {
  const cri_call call = {"cr_model_place", error};
  CR_TRY(cri_given(&call, m, "the model"));
  CR_TRY(cri_given(&call, name, "the name"));
  CR_TRY(cri_given(&call, info, "where the place goes"));
  cr_place place;
  CR_TRY(cri_place_find(&place, m, name, error));
  bool contact = place.geom1 >= 0;
  const cr_place_info found = {.field = (int)place.field,
                               .first = contact ? -1 : place.first,
                               .contact = contact,
                               .count = place.of_tangent ? 0 : place.count,
                               .tangent_first = place.tan_first,
                               .tangent_count = place.tan_count};
  return cri_give(&call, info, &found, sizeof found, "cr_place_info");
}
