// SPDX-License-Identifier: Apache-2.0
// The driver: the one loop over the stages of a model, forward, with tangents, with cotangents.
#ifndef CR_ENGINE_DRIVER_H
#define CR_ENGINE_DRIVER_H

#include "engine/pipeline.h"

typedef enum { CRI_FORWARD, CRI_JVP, CRI_VJP } cri_pass;

/// Rows of a schedule to run, and an observer.
typedef struct {
  int first, end;
  const bool* only;                       // rows to run; NULL: all of these
  void (*after)(void* context, int row);  // called after each; NULL: nobody
  void* context;
} cri_rows;

/// Runs rows of s on `to`: the data in a forward pass, which does not use d; otherwise a twin of d. A pass of
/// cotangents goes from the last row to the first, and clears the cotangents of the fields each row writes.
/// Errors   those of the stages, and CR_ERR_CAPACITY, in to->error
cr_status cri_drive(const cri_schedule* s, cri_pass pass, const cri_rows* rows, const cr_model* m,
                    const cr_data* d, cr_data* to);

/// Runs the dynamics of d up to a stage and with it, as for what it knows of the structure of the model.
cr_status cri_dynamics_to(const cr_model* m, cr_data* d, const char* stage);

#endif
