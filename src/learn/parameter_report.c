// SPDX-License-Identifier: Apache-2.0
// What a report tells of parameters: names of their numbers, and the physical quantities behind these.
#include <stdio.h>

#include "learn/parameter_list.h"
#include "model/misuse.h"
#include "parameter/pseudo_inertia.h"

// ---- one entry

static const char* const free_names[CRI_PSEUDO] = {"log_scale", "d1",  "d2", "d3", "s12",
                                                   "s23",       "s13", "t1", "t2", "t3"};
static const char* const physical_names[CRI_PSEUDO] = {
    "mass",       "centre_x",   "centre_y",   "centre_z",   "inertia_xx",
    "inertia_yy", "inertia_zz", "inertia_xy", "inertia_xz", "inertia_yz"};

static void name_of(const cri_parameter_entry* e, int k, const char* const* parts, char* text,
                    size_t size) {
  if (e->item.kind == CR_FIT_INERTIA) {
    (void)snprintf(text, size, "%s.%s", e->item.name, parts[k]);
  } else if (e->n > 1) {
    (void)snprintf(text, size, "%s[%d]", e->item.name, k);
  } else {
    (void)snprintf(text, size, "%s", e->item.name);
  }
}

// in the order of the names
static void physical(const cri_rigid_body* body, cr_real values[CRI_PSEUDO]) {
  static const int place[6] = {0, 4, 8, 1, 2, 5};
  values[0] = body->mass;
  cr_copy(values + 1, body->centre, 3);
  for (int i = 0; i < 6; i++) {
    values[4 + i] = body->inertia[place[i]];
  }
}

// slopes[e->n k + j]
static void report_of(const cri_parameter_entry* e, const cr_real* x, cr_real* values,
                      cr_real* slopes) {
  if (e->item.kind != CR_FIT_INERTIA) {
    cri_entry_values(e, x, values);
    for (int k = 0; k < e->n; k++) {
      for (int j = 0; j < e->n; j++) {
        slopes[e->n * k + j] = cri_entry_slope(e, x, k, j);
      }
    }
    return;
  }
  cri_rigid_body body;
  cri_pseudo_body(x, &body);
  physical(&body, values);
  for (int j = 0; j < CRI_PSEUDO; j++) {
    cr_real unit[CRI_PSEUDO] = {0}, column[CRI_PSEUDO];
    unit[j] = 1;
    cri_pseudo_jvp(x, unit, &body);
    physical(&body, column);
    for (int k = 0; k < CRI_PSEUDO; k++) {
      slopes[CRI_PSEUDO * k + j] = column[k];
    }
  }
}

static const cri_parameter_entry* entry_of(const cr_parameters* ps, int i) {
  const cri_parameter_entry* e = ps->entries;
  while (i >= e->first + e->n) {
    e++;
  }
  return e;
}

cri_report_range cri_parameters_report_range(const cr_parameters* ps, int i) {
  const cri_parameter_entry* e = entry_of(ps, i);
  int k = i - e->first;
  bool moment = k == 0 || (k >= 4 && k < 7);  // mass, moments about the axes
  return e->item.kind == CR_FIT_DIRECTION ? CRI_REPORT_UNIT
         : e->item.kind != CR_FIT_INERTIA ? CRI_REPORT_NUMBER
         : moment                         ? CRI_REPORT_POSITIVE
                                          : CRI_REPORT_ANY;
}

cr_real cri_parameters_reach(const cr_parameters* ps, const cr_real* x, int i) {
  const cri_parameter_entry* e = entry_of(ps, i);
  const cr_real* of = x + e->first;
  cr_real sum = 0;
  switch (e->item.kind) {
    case CR_FIT_DIRECTION:
      for (int k = 0; k < e->n; k++) {
        sum += of[k] * of[k];
      }
      return cr_sqrt(sum);
    case CR_FIT_INERTIA:  // log_scale, d1 d2 d3; e^d are lengths            [identification.p5]
      return i - e->first < 4 ? 1 : cr_exp((of[1] + of[2] + of[3]) / 3);
    default:
      return 0;
  }
}

// ---- public functions

static cr_status find_name(const cri_call* call, const cr_parameters* ps, int i,
                           const char* const* parts, char* text, size_t size) {
  CR_TRY(cri_given(call, ps, "the parameters"));
  CR_TRY(cri_given(call, text, "the text"));
  if (i < 0 || i >= ps->n || size < 1) {
    return cri_fail(call->error, CR_ERR_ARG, "%s: number %d of %d, text of %d", call->name, i,
                    ps->n, (int)size);
  }
  const cri_parameter_entry* e = entry_of(ps, i);
  name_of(e, i - e->first, parts, text, size);
  return CR_OK;
}

cr_status cr_parameters_number_name(const cr_parameters* ps, int i, char* text, size_t size,
                                    cr_error* error) {
  const cri_call call = {"cr_parameters_number_name", error};
  return find_name(&call, ps, i, free_names, text, size);
}

int cr_parameters_report_count(const cr_parameters* ps) { return ps != NULL ? ps->n : 0; }

cr_status cr_parameters_report_name(const cr_parameters* ps, int i, char* text, size_t size,
                                    cr_error* error) {
  const cri_call call = {"cr_parameters_report_name", error};
  return find_name(&call, ps, i, physical_names, text, size);
}

cr_status cr_parameters_report_values(const cr_parameters* ps, const cr_real* x, cr_real* values,
                                      cr_real* jacobian, cr_error* error) {
  const cri_call call = {"cr_parameters_report_values", error};
  CR_TRY(cri_given(&call, ps, "the parameters"));
  CR_TRY(cri_given(&call, x, "x"));
  CR_TRY(cri_given(&call, values, "values"));
  if (jacobian != NULL) {
    cr_zero(jacobian, ps->n * ps->n);
  }
  for (int i = 0; i < ps->nentry; i++) {
    const cri_parameter_entry* e = &ps->entries[i];
    cr_real slopes[CRI_MAX_NUMBERS * CRI_MAX_NUMBERS];
    report_of(e, x + e->first, values + e->first, slopes);
    for (int k = 0; k < e->n && jacobian != NULL; k++) {
      cr_copy(jacobian + (ptrdiff_t)ps->n * (e->first + k) + e->first, slopes + e->n * k, e->n);
    }
  }
  return CR_OK;
}
