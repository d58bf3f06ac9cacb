// SPDX-License-Identifier: Apache-2.0
#include "parameter/parameter_kind.h"

#include <stdlib.h>

cr_status cri_entry_places(cri_parameter_entry* e, int n, cr_error* error) {
  e->places = calloc((size_t)n, sizeof *e->places);
  e->nplace = e->places != NULL ? n : 0;
  return e->places != NULL
             ? CR_OK
             : cri_fail(error, CR_ERR_MEMORY, "parameter '%s': no memory", e->item.name);
}

void cri_entry_place(cri_parameter_entry* e, int i, cr_field_id field, int first, int count,
                     bool* wanted) {
  e->places[i] = (cr_place){.field = field,
                            .first = first,
                            .count = count,
                            .tan_first = first,
                            .tan_count = count,
                            .geom1 = -1,
                            .geom2 = -1};
  wanted[field] = true;
}

cr_status cri_entry_base(cri_parameter_entry* e, const cr_model* m, cr_error* error) {
  size_t n = 0;
  for (int i = 0; i < e->nplace; i++) {
    n += (size_t)e->places[i].count;
  }
  e->base = malloc((n + 1) * sizeof *e->base);
  if (e->base == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "parameter '%s': no memory", e->item.name);
  }
  cr_real* to = e->base;
  for (int i = 0; i < e->nplace; i++) {
    const cr_place* place = &e->places[i];
    cr_copy(to, cri_field_real(m, NULL, place->field) + place->first, place->count);
    to += place->count;
  }
  return CR_OK;
}

void cri_entry_free(cri_parameter_entry* e) {
  free(e->places);
  free(e->base);
  e->places = NULL;
  e->base = NULL;
}
