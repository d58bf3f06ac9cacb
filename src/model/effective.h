// SPDX-License-Identifier: Apache-2.0
// Parameters that stages change within a step. The model is constant and shared, so their numbers of this moment stand
// in the data block, and stages get a view of the model: a shallow copy with pointers to them. In a twin the arrays of
// `par` are in the same way those of the changed parameters while derivatives run, and the caller's own otherwise.
#ifndef CR_MODEL_EFFECTIVE_H
#define CR_MODEL_EFFECTIVE_H

#include "model/fields.h"

/// What a block has for them; NULL where no stage changes a parameter.
typedef struct cri_effective {
  int n, numbers;        // fields, and numbers of all of them
  int open;              // twin: how often it has been opened
  cr_model view;         // of this block
  cr_field_id* field;    // [n]
  cr_real** own;         // [n] twin: arrays of par while it is open, NULL where not asked for
  cr_real *now, *first;  // [numbers] at the last evaluation, and at the first stage of a Runge-Kutta step
} cri_effective;

/// Room for the parameters that the schedule of m changes, with all numbers zero; *e is NULL if there are none.
cr_status cri_effective_make(cri_effective** e, const cr_model* m, cr_error* error);
void cri_effective_free(cri_effective* e);
void cri_effective_clear(cri_effective* e);
void cri_effective_copy(cri_effective* to, const cri_effective* from);

/// The model as it is at d, after its dynamics; m where nothing changes it. The view is valid until the next call for
/// this block. With a view in the place of m it is the same.
const cr_model* cri_view_of(const cr_model* m, const cr_data* d);
static inline const cr_model* cri_model_at(const cr_model* m, const cr_data* d) {
  return d->effective == NULL ? m : cri_view_of(m, d);
}

/// The same with the numbers of the first stage of a Runge-Kutta step.
const cr_model* cri_view_first(const cr_model* m, const cr_data* d);
static inline const cr_model* cri_model_first(const cr_model* m, const cr_data* d) {
  return d->effective == NULL ? m : cri_view_first(m, d);
}

/// The same for derivatives: until cri_twin_close the arrays of twin->par are those of the parameters as they were changed.
/// They keep their numbers between two such times, and are zero after a sweep of cotangents. first: the
/// numbers, and those of the twin, of the first stage of a Runge-Kutta step.
const cr_model* cri_twin_view(const cr_model* m, const cr_data* d, cr_data* twin, bool first);
void cri_twin_unview(cr_data* twin);
static inline const cr_model* cri_twin_open(const cr_model* m, const cr_data* d, cr_data* twin,
                                            bool first) {
  return d->effective == NULL ? m : cri_twin_view(m, d, twin, first);
}
static inline void cri_twin_close(cr_data* twin) {
  if (twin->effective != NULL) {
    cri_twin_unview(twin);
  }
}

/// Of an open twin: the caller's array of a parameter; NULL: not asked for.
cr_real* cri_twin_own(const cr_data* twin, cr_field_id id);

/// Numbers, or tangents, of now become those of the first stage.
void cri_effective_begin(cr_data* d);

/// Cotangents of the first stage become part of those of now.
void cri_effective_return(cr_data* bar);

#endif
