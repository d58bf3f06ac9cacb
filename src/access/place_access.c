// SPDX-License-Identifier: Apache-2.0
// The public functions that read and set numbers by name. See carom/model.h and carom/data.h.
#include <stdlib.h>

#include "carom/data.h"
#include "model/misuse.h"
#include "model/model_check.h"
#include "model/names.h"

// ---- several places of a model

typedef struct {
  cr_real *at, *before;
  int n;
} change;

static void undo(const change* changes, int n) {
  for (int i = n - 1; i >= 0; i--) {  // if two stand for one place, the first has its old value
    cr_copy(changes[i].at, changes[i].before, changes[i].n);
  }
}

static cr_status make_change(change* c, cr_model* m, const char* name, const cr_real* values,
                             cr_error* error) {
  cr_place place;
  CR_TRY(cri_place_find(&place, m, name, error));
  cr_field_kind kind = cri_field(place.field)->kind;
  if (kind != CR_KIND_PARAM && kind != CR_KIND_CONST) {
    return cri_fail(error, CR_ERR_NAME, "'%s' is not of the model", name);
  }
  *c = (change){.at = cri_field_real(m, NULL, place.field) + place.first, .n = place.count};
  c->before = malloc((size_t)c->n * sizeof *c->before + 1);
  if (c->before == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "'%s': no memory", name);
  }
  cr_copy(c->before, c->at, c->n);
  cr_copy(c->at, values, c->n);
  return CR_OK;
}

cr_status cr_model_set_many(cr_model* m, const char* const* names, const cr_real* const* values,
                            int n, cr_error* error) {
  const cri_call call = {"cr_model_set_many", error};
  CR_TRY(cri_given(&call, m, "the model"));
  CR_TRY(cri_given(&call, names, "the names"));
  CR_TRY(cri_given(&call, values, "the values"));
  change* changes = n > 0 ? calloc((size_t)n, sizeof *changes) : NULL;
  if (n > 0 && changes == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "no memory for %d places", n);
  }
  int made = 0;
  cr_status status = CR_OK;
  while (made < n && status == CR_OK) {
    status = cri_given(&call, names[made], "a name");
    status = status == CR_OK ? cri_given(&call, values[made], "values") : status;
    status =
        status == CR_OK ? make_change(&changes[made], m, names[made], values[made], error) : status;
    made += status == CR_OK;
  }
  status = status == CR_OK ? cri_model_check(m, error) : status;
  if (status != CR_OK) {
    undo(changes, made);
  }
  for (int i = 0; i < made; i++) {
    free(changes[i].before);
  }
  free(changes);
  return status;
}

// ---- places of data

static cr_status find(const cri_call* call, const cr_model* m, const cr_data* d, const char* name,
                      const cr_real* values, int n, cr_place* place) {
  CR_TRY(cri_check_data(call, m, d, CR_DATA_PLAIN, "the data"));
  CR_TRY(cri_given(call, name, "the name"));
  CR_TRY(cri_given(call, values, "values"));
  CR_TRY(cri_place_find(place, m, name, call->error));
  if (place->of_tangent) {
    return cri_fail(call->error, CR_ERR_ARG, "'%s': a tangent has no value", name);
  }
  return n == place->count ? CR_OK
                           : cri_fail(call->error, CR_ERR_ARG, "'%s' has %d numbers, not %d", name,
                                      place->count, n);
}

cr_status cr_data_get(const cr_model* m, const cr_data* d, const char* name, cr_real* values, int n,
                      cr_error* error) {
  const cri_call call = {"cr_data_get", error};
  cr_place place;
  CR_TRY(find(&call, m, d, name, values, n, &place));
  const cr_real* from = cri_place_value(&place, m, d);
  for (int i = 0; i < n; i++) {
    values[i] = from != NULL ? from[i] : (cr_real)NAN;
  }
  return CR_OK;
}

cr_status cr_data_set(const cr_model* m, cr_data* d, const char* name, const cr_real* values, int n,
                      cr_error* error) {
  const cri_call call = {"cr_data_set", error};
  cr_place place;
  CR_TRY(find(&call, m, d, name, values, n, &place));
  if (cri_field(place.field)->kind != CR_KIND_STATE || place.geom1 >= 0) {
    return cri_fail(error, CR_ERR_ARG, "'%s' is no input of the step", name);
  }
  for (int i = 0; i < n; i++) {
    if (!isfinite(values[i])) {
      return cri_fail(error, CR_ERR_NONFINITE, "'%s', number %d: %g is not finite", name, i,
                      (double)values[i]);
    }
  }
  cr_copy(cri_field_real(m, d, place.field) + place.first, values, n);
  d->done = 0;
  return CR_OK;
}

cr_status cr_data_check(const cr_model* m, const cr_data* d, cr_error* error) {
  const cri_call call = {"cr_data_check", error};
  CR_TRY(cri_check_data(&call, m, d, CR_DATA_PLAIN, "the data"));
  CR_TRY(cri_qpos_check(m, d->qpos, error));
  for (int i = 0; i < m->nmocap; i++) {
    cr_real norm = 0;
    for (int k = 0; k < 4; k++) {
      norm += d->mocap_quat[4 * i + k] * d->mocap_quat[4 * i + k];
    }
    if (!(cr_abs(norm - 1) <= CR_R(2e-6))) {
      return cri_fail(error, CR_ERR_ARG, "mocap_quat[%d] has length %.9g, not 1", i,
                      (double)cr_sqrt(norm));
    }
  }
  return CR_OK;
}
