// SPDX-License-Identifier: Apache-2.0
// One residual of a cost: its numbers at a state, and what cotangents of them are.
#ifndef CR_CONTROL_RESIDUAL_H
#define CR_CONTROL_RESIDUAL_H

#include "carom/cost.h"
#include "engine/pipeline.h"
#include "predict/outputs.h"

typedef struct {
  cr_residual_kind kind;
  char* name;
  char* text;   // NULL for a callback
  int n;        // numbers of the residual
  int ntarget;  // numbers of a row of the target
  cri_output*
      outputs;  // of a place that the state or an orientation is part of; NULL: an expression, or a callback
  int noutput;
  cr_expression* expression;
  cr_cost_callback function;  // CALLBACK
  int rows;                   // of the target, 0: none
  cr_real *target, *times;
  cr_real* now;  // the target at a time
} cri_residual;

/// Makes the residual of a term. m must outlive it. Free with cri_residual_free, also after a failure.
/// Errors   CR_ERR_NAME, CR_ERR_ARG, CR_ERR_MEMORY
cr_status cri_residual_make(cri_residual* r, const cr_model* m, const cr_cost_term* term,
                            cr_error* error);
void cri_residual_free(cri_residual* r);

/// The stages of m that it reads are added to `stages`.
void cri_residual_reach(const cri_residual* r, const cr_model* m, bool* stages);

/// True if it reads the state, controls and the model alone.
bool cri_residual_is_direct(const cri_residual* r);

/// Fills values[n].
/// Errors   CR_ERR_NAME, CR_ERR_NONFINITE; those of a callback
cr_status cri_residual_values(cri_residual* r, const cr_model* m, const cr_data* d,
                              cr_real* values);

/// Adds the cotangents of the residual, whose values[n] at d were computed last, to bar's fields.
cr_status cri_residual_pull(cri_residual* r, const cr_model* m, const cr_data* d,
                            const cr_real* values, const cr_real* values_bar, cr_data* bar);

#endif
