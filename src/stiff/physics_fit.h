// SPDX-License-Identifier: Apache-2.0
// The numbers of a box from tosses that are seen, by gradients through contact from several distant starts.
#ifndef CR_STIFF_PHYSICS_FIT_H
#define CR_STIFF_PHYSICS_FIT_H

#include "stiff/physics_box.h"
#include "stiff/sighted.h"

/// Numbers of the starts: first, first + 1 ... There are `least`, and then more until two agree, `most` at most.
typedef struct {
  int first, least, most;
  bool (*stop)(void* context);  // asked now and then; may be NULL
  void* context;
} cri_box_starts;

/// What was found, from the start whose loss ends lowest. Only the tosses of the fit choose it.
typedef struct {
  cr_real p[CRI_BOX_N], from[CRI_BOX_N];
  cr_real loss;  // mean absolute error
  int agree;     // starts whose loss ends below twice the lowest one
} cri_box_found;

/// Single-threaded.
/// Errors   CR_ERR_INTERRUPTED, CR_ERR_MEMORY; those of a fit
cr_status cri_box_identify(const cri_box_starts* starts, const cr_model* box,
                           const cri_sighted* tosses, cri_box_found* found, cr_error* error);

#endif
