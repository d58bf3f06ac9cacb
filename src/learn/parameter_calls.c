// SPDX-License-Identifier: Apache-2.0
// The public functions of parameters.
#include <stdio.h>
#include <stdlib.h>

#include "learn/parameter_list.h"
#include "model/misuse.h"
#include "parameter/kind_table.h"
#include "parameter/parameter_target.h"

// ---- creation

static cr_status take_item(const cri_call* call, const cr_parameter_info* info,
                           cr_parameter* item) {
  CR_TRY(cri_given(call, info, "a parameter"));
  CR_TRY(cri_check_size(call, info->size, sizeof *info, "cr_parameter_info"));
  CR_TRY(cri_given(call, info->name, "a name"));
  CR_TRY(cri_given(call, info->target, "a target"));
  bool fits = strlen(info->name) < sizeof item->name && strlen(info->target) < sizeof item->target;
  bool known = cri_parameter_kind_of(info->kind) != NULL && info->transform >= CR_TRANSFORM_NONE &&
               info->transform <= CR_TRANSFORM_BOUNDED;
  if (!fits || !known) {
    return cri_fail(call->error, CR_ERR_ARG, "parameter '%.40s': %s", info->name,
                    fits ? "no such kind or transform" : "the name or target is too long");
  }
  *item = (cr_parameter){.kind = info->kind,
                         .transform = info->transform,
                         .start = info->start,
                         .lower = info->lower,
                         .upper = info->upper,
                         .prior = info->prior,
                         .prior_sd = info->prior_sd};
  (void)snprintf(item->name, sizeof item->name, "%s", info->name);
  (void)snprintf(item->target, sizeof item->target, "%s", info->target);
  return CR_OK;
}

static cr_status create(const cri_call* call, cr_parameters** out, const cr_model* m,
                        const cr_parameter_info* const* items, int n, cr_parameter* list) {
  for (int i = 0; i < n && i < CR_MAX_PARAMETERS; i++) {
    CR_TRY(take_item(call, items[i], &list[i]));
  }
  CR_TRY(cri_parameters_create(out, list, n, m, call->error));
  cr_parameters* ps = *out;
  for (int i = 0; i < CR_N_FIELD; i++) {
    if (ps->wanted[i]) {
      ps->fields[ps->nfield++] = cri_field((cr_field_id)i)->name;
    }
  }
  return CR_OK;
}

cr_status cr_parameters_create(cr_parameters** out, const cr_model* m,
                               const cr_parameter_info* const* items, int n, cr_error* error) {
  const cri_call call = {"cr_parameters_create", error};
  CR_TRY(cri_given(&call, out, "where the parameters go"));
  CR_TRY(cri_given(&call, m, "the model"));
  CR_TRY(cri_given(&call, items, "the list"));
  size_t room = n > 0 && n <= CR_MAX_PARAMETERS ? (size_t)n : CR_MAX_PARAMETERS;
  cr_parameter* list = calloc(room, sizeof *list);
  if (list == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "cr_parameters_create: no memory");
  }
  cr_status status = create(&call, out, m, items, n, list);
  free(list);
  return status;
}

cr_status cr_parameter_expand(const cr_model* m, const char* target, cr_parameter_target* names,
                              int capacity, int* n, cr_error* error) {
  const cri_call call = {"cr_parameter_expand", error};
  cr_place* places = NULL;
  int nplace = 0, count = 0;
  CR_TRY(cri_given(&call, m, "the model"));
  CR_TRY(cri_given(&call, target, "the target"));
  CR_TRY(cri_given(&call, n, "where the count goes"));
  CR_TRY(cri_target_find(m, target, &places, &nplace, error));
  for (int i = 0; i < nplace; i++) {
    const cr_field_id field = places[i].field;
    if (cri_field(field)->kind != CR_KIND_PARAM) {
      free(places);
      return cri_fail(error, CR_ERR_ARG,
                      "cr_parameter_expand: %s is not a field that can be fitted",
                      cri_field(field)->name);
    }
    for (int k = 0; k < places[i].count; k++, count++) {
      if (names != NULL && count < capacity) {
        cri_target_name(m, field, places[i].first + k, names[count].text, sizeof names[count].text);
      }
    }
  }
  free(places);
  *n = count;
  return CR_OK;
}

void cr_parameters_destroy(cr_parameters* ps) { cri_parameters_free(ps); }

// ---- reading

int cr_parameters_count(const cr_parameters* ps) { return ps != NULL ? ps->n : 0; }

const cr_model* cr_parameters_model(const cr_parameters* ps) { return ps != NULL ? &ps->m : NULL; }

const char* const* cr_parameters_fields(const cr_parameters* ps, int* n) {
  if (n != NULL) {
    *n = ps != NULL ? ps->nfield : 0;
  }
  return ps != NULL ? ps->fields : NULL;
}

cr_status cr_parameters_get_start(const cr_parameters* ps, cr_real* x, cr_error* error) {
  const cri_call call = {"cr_parameters_get_start", error};
  CR_TRY(cri_given(&call, ps, "the parameters"));
  CR_TRY(cri_given(&call, x, "x"));
  cri_parameters_start(ps, x);
  return CR_OK;
}

cr_status cr_parameters_get_bounds(const cr_parameters* ps, cr_real* lower, cr_real* upper,
                                   cr_error* error) {
  const cri_call call = {"cr_parameters_get_bounds", error};
  CR_TRY(cri_given(&call, ps, "the parameters"));
  CR_TRY(cri_given(&call, lower, "lower"));
  CR_TRY(cri_given(&call, upper, "upper"));
  cri_parameters_bounds(ps, lower, upper);
  return CR_OK;
}

cr_status cr_parameters_get_values(const cr_parameters* ps, const cr_real* x, cr_real* p,
                                   cr_error* error) {
  const cri_call call = {"cr_parameters_get_values", error};
  CR_TRY(cri_given(&call, ps, "the parameters"));
  CR_TRY(cri_given(&call, x, "x"));
  CR_TRY(cri_given(&call, p, "p"));
  cri_parameters_values(ps, x, p);
  return CR_OK;
}

cr_status cr_parameters_prior(const cr_parameters* ps, const cr_real* x, cr_real* residual,
                              cr_real* derivative, cr_error* error) {
  const cri_call call = {"cr_parameters_prior", error};
  CR_TRY(cri_given(&call, ps, "the parameters"));
  CR_TRY(cri_given(&call, x, "x"));
  CR_TRY(cri_given(&call, residual, "residual"));
  CR_TRY(cri_given(&call, derivative, "derivative"));
  cri_parameters_prior(ps, x, residual, derivative);
  return CR_OK;
}

// ---- values and gradients

cr_status cr_parameters_set(cr_parameters* ps, const cr_real* x, cr_error* error) {
  const cri_call call = {"cr_parameters_set", error};
  cr_real p[CR_MAX_PARAMETERS];
  CR_TRY(cri_given(&call, ps, "the parameters"));
  CR_TRY(cri_given(&call, x, "x"));
  cri_parameters_values(ps, x, p);
  return cri_parameters_apply(ps, p, error);
}

cr_status cr_parameters_set_values(cr_parameters* ps, const cr_real* p, cr_error* error) {
  const cri_call call = {"cr_parameters_set_values", error};
  CR_TRY(cri_given(&call, ps, "the parameters"));
  CR_TRY(cri_given(&call, p, "p"));
  return cri_parameters_apply(ps, p, error);
}

cr_status cr_parameters_gradient(cr_parameters* ps, cr_data* bar, const cr_real* x, cr_real* x_bar,
                                 cr_error* error) {
  const cri_call call = {"cr_parameters_gradient", error};
  cr_real p_bar[CR_MAX_PARAMETERS] = {0};
  CR_TRY(cri_given(&call, ps, "the parameters"));
  CR_TRY(cri_check_data(&call, &ps->m, bar, CR_DATA_COTANGENT, "bar"));
  CR_TRY(cri_given(&call, x, "x"));
  CR_TRY(cri_given(&call, x_bar, "x_bar"));
  for (int i = 0; i < ps->nfield; i++) {
    cr_field_id id = cri_field_find(ps->fields[i]);
    if (cri_field_real(&bar->par, NULL, id) == NULL && cri_field_rows(&ps->m, NULL, id) > 0) {
      return cri_fail(error, CR_ERR_ARG, "cr_parameters_gradient: bar has no %s", ps->fields[i]);
    }
  }
  cr_real* derived = calloc((size_t)cri_parameters_nderived(ps) + 1, sizeof *derived);
  if (derived == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "cr_parameters_gradient: no memory");
  }
  cri_parameters_pullback(ps, &bar->par, p_bar, derived);
  cr_status status = cri_parameters_derived(ps, derived, p_bar, error);
  free(derived);
  CR_TRY(status);
  cri_parameters_chain(ps, x, p_bar, x_bar);
  cri_model_twin_zero(&bar->par, &ps->m);
  return CR_OK;
}
