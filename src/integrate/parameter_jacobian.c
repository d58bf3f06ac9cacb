// SPDX-License-Identifier: Apache-2.0
// Few parameters: the tangent of the step for each, through the stages that it reaches. More parameters than
// states, or derived constants behind them: a cotangent of the step for each state.
#include "integrate/parameter_jacobian.h"

#include <stdlib.h>

#include "engine/constants.h"
#include "engine/data_create.h"
#include "engine/driver.h"
#include "inertia/effective_mass.h"
#include "integrate/acceleration_jac.h"
#include "integrate/euler.h"
#include "integrate/step.h"
#include "integrate/step_jacobian.h"
#include "model/misuse.h"
#include "model/names.h"
#include "model/state_vector.h"
#include "model/tableau.h"

struct cr_parameter_jacobian {
  int nplace, ncolumn;
  bool by_rows, derive;
  cr_place* places;
  bool wanted[CR_N_FIELD];
  cr_data *plain, *tan, *bar;
  cr_error error;
};

int cr_parameter_jacobian_columns(const cr_parameter_jacobian* work) {
  return work != NULL ? work->ncolumn : 0;
}

int cr_parameter_jacobian_width(const cr_parameter_jacobian* work, int i) {
  return work != NULL && i >= 0 && i < work->nplace ? work->places[i].tan_count : 0;
}

void cri_parameter_jacobian_by_rows(cr_parameter_jacobian* work, bool by_rows) {
  work->by_rows = by_rows;
}

const char* cr_parameter_jacobian_error(const cr_parameter_jacobian* work) {
  return work != NULL ? work->error.text : "no work";
}

// ---- room

// true if all numbers of a place are derived
static bool is_derived(const cr_model* m, const cr_place* place) {
  bool all = place->count > 0;
  for (int i = place->first; i < place->first + place->count; i++) {
    all = all && cri_is_derived(m, place->field, i);
  }
  return all;
}

static cr_status find(cr_parameter_jacobian* x, const cr_model* m, const char* const* names, int n,
                      cr_error* error) {
  x->places = calloc((size_t)n + 1, sizeof *x->places);
  if (x->places == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "Jacobian: no memory");
  }
  for (x->nplace = 0; x->nplace < n; x->nplace++) {
    const char* name = names[x->nplace];
    cr_place* place = &x->places[x->nplace];
    CR_TRY(cri_place_find(place, m, name, error));
    if (cri_field(place->field)->kind != CR_KIND_PARAM) {
      return cri_fail(error, CR_ERR_NAME, "Jacobian by %s: not a parameter", name);
    }
    if (x->derive && is_derived(m, place)) {
      return cri_fail(error, CR_ERR_ARG, "Jacobian by %s: derived from other parameters here",
                      name);
    }
    if (place->tan_count == 0) {
      return cri_fail(error, CR_ERR_NAME, "Jacobian by %s: %s", name,
                      place->count == 0 ? "the model has none of these"
                                        : "part of a quaternion; name the whole of it (3 numbers)");
    }
    x->wanted[place->field] = true;
    x->ncolumn += place->tan_count;
  }
  for (int k = 0; k < CR_N_DERIVED && x->derive; k++) {
    x->wanted[cri_derived_fields[k]] = true;
  }
  return CR_OK;
}

static cr_status make_room(cr_parameter_jacobian* x, const cr_model* m, const cr_data* d,
                           cr_error* error) {
  cr_capacity capacity = cri_capacity_of(d);
  CR_TRY(cri_data_create(&x->plain, m, &capacity, error));
  CR_TRY(cri_data_twin(&x->tan, m, d, CR_DATA_TANGENT, x->wanted, error));
  return cri_data_twin(&x->bar, m, d, CR_DATA_COTANGENT, x->wanted, error);
}

cr_status cr_parameter_jacobian_create(cr_parameter_jacobian** work, const cr_model* m,
                                       const cr_data* d, const char* const* names, int n,
                                       bool derive, cr_error* error) {
  const cri_call call = {"cr_parameter_jacobian_create", error};
  CR_TRY(cri_given(&call, work, "where the work goes"));
  CR_TRY(cri_check_data(&call, m, d, CR_DATA_PLAIN, "the data"));
  CR_TRY(n > 0 ? cri_given(&call, names, "names") : CR_OK);
  for (int i = 0; i < n; i++) {
    CR_TRY(cri_given(&call, names[i], "a name"));
  }
  cr_parameter_jacobian* x = calloc(1, sizeof *x);
  *work = NULL;
  if (x == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "Jacobian: no memory");
  }
  x->derive = derive;
  cr_status status = find(x, m, names, n, error);
  status = status == CR_OK ? make_room(x, m, d, error) : status;
  if (status != CR_OK) {
    cr_parameter_jacobian_destroy(x);
    return status;
  }
  x->by_rows = derive || x->ncolumn > cri_state_tangent_size(m);
  *work = x;
  return CR_OK;
}

void cr_parameter_jacobian_destroy(cr_parameter_jacobian* work) {
  if (work != NULL) {
    cri_data_free(work->plain);
    cri_data_free(work->tan);
    cri_data_free(work->bar);
    free(work->places);
    free(work);
  }
}

// ---- by tangents

// the stages of the dynamics that a change of one field reaches
static void reach_of(const cri_schedule* s, cr_field_id from, bool* stages) {
  bool reached[CR_N_FIELD] = {false};
  reached[from] = true;
  for (int i = 0; i < s->ndynamics; i++) {
    const cr_stage* stage = &s->row[i];
    stages[i] = false;
    for (int k = 0; k < stage->nread; k++) {
      stages[i] = stages[i] || reached[stage->reads[k]];
    }
    for (int k = 0; k < stage->nwrite && stages[i]; k++) {
      reached[stage->writes[k]] = true;
    }
  }
}

// cr_step_jvp without the stages whose tangents are zero
static cr_status tangent(const cr_model* m, const cr_data* d, cr_parameter_jacobian* work,
                         const bool* stages) {
  if (cri_tableau_of(m->integrator) != NULL || cri_effective_mass_rests(m, d)) {
    return cri_step_jvp(m, d, work->plain, work->tan);
  }
  const cri_schedule* s = cri_schedule_of(m);
  const cri_rows rows = {.end = s->ndynamics, .only = stages};
  CR_TRY(cri_drive(s, CRI_JVP, &rows, m, d, work->tan));
  return cr_euler_jvp(m, d, work->tan);
}

static cr_status by_tangents(const cr_model* m, const cr_data* d, cr_parameter_jacobian* work,
                             cr_real* to) {
  bool stages[CR_MAX_STAGES];
  cr_real* column = to;
  for (int i = 0; i < work->nplace; i++) {
    const cr_place* place = &work->places[i];
    cr_real* seed = cri_place_tangent(place, m, d, work->tan);
    reach_of(cri_schedule_of(m), place->field, stages);
    cri_twin_clear(work->tan);
    for (int k = 0; k < place->tan_count; k++) {
      seed[k] = 1;
      cr_status status = tangent(m, d, work, stages);
      seed[k] = 0;
      if (status != CR_OK) {
        work->error = work->tan->error;
        return status;
      }
      cri_jacobian_put_column(m, work->tan, column++, work->ncolumn);
    }
  }
  return CR_OK;
}

// ---- by cotangents

static void clear_parameters(const cr_model* m, cr_parameter_jacobian* work) {
  for (int i = 0; i < CR_N_MODEL_FIELD; i++) {
    if (work->wanted[i]) {
      cr_real* x = cri_field_real(&work->bar->par, NULL, (cr_field_id)i);
      cr_zero(x, cri_field_tangent_size(m, NULL, (cr_field_id)i));
    }
  }
}

static cr_status cotangent(const cr_model* m, const cr_data* d, cr_parameter_jacobian* work) {
  cr_status status = cri_step_vjp(m, m, d, work->plain, work->bar);
  if (status != CR_OK) {
    work->error = work->bar->error;
    return status;
  }
  status = work->derive ? cr_constants_vjp(m, work->plain, work->bar) : CR_OK;
  if (status != CR_OK) {
    work->error = work->plain->error;
  }
  return status;
}

static cr_status by_cotangents(const cr_model* m, const cr_data* d, cr_parameter_jacobian* work,
                               cr_real* to) {
  cr_data* bar = work->bar;
  const cri_state next = cri_state_twin_next(m, bar);
  for (int part = 0; part < CRI_N_STATE; part++) {
    for (int i = 0; i < next.part[part].n; i++) {
      clear_parameters(m, work);
      cri_acceleration_clear(m, bar);
      next.part[part].x[i] = 1;
      CR_TRY(cotangent(m, d, work));
      for (int k = 0; k < work->nplace; k++) {
        const cr_place* place = &work->places[k];
        cr_copy(to, cri_place_tangent(place, m, d, bar), place->tan_count);
        to += place->tan_count;
      }
    }
  }
  return CR_OK;
}

// ---- the Jacobian

cr_status cr_step_parameter_jacobian(const cr_model* m, const cr_data* d,
                                     cr_parameter_jacobian* work, cr_real* by_parameters) {
  const cri_call call = {"cr_step_parameter_jacobian",
                         work != NULL ? &work->error : cri_error_of(d)};
  CR_TRY(cri_given(&call, work, "work"));
  CR_TRY(cri_check_done(&call, m, d, CRI_DONE_STEP));
  CR_TRY(cri_check_twin(&call, m, d, work->tan, CR_DATA_TANGENT, "work"));
  CR_TRY(cri_check_work(&call, m, d, work->plain));
  CR_TRY(cri_given(&call, by_parameters, "by_parameters"));
  return work->by_rows ? by_cotangents(m, d, work, by_parameters)
                       : by_tangents(m, d, work, by_parameters);
}
