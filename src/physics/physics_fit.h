// SPDX-License-Identifier: Apache-2.0
// The numbers of a model from tosses that are seen, by gradients through contact from several distant starts.
#ifndef CR_PHYSICS_PHYSICS_FIT_H
#define CR_PHYSICS_PHYSICS_FIT_H

#include "physics/unknown.h"
#include "stiff/sighted.h"

/// Numbers of the starts: first, first + 1 ... There are `least`, and then more until two agree, `most` at most.
typedef struct {
  int first, least, most;
  bool (*stop)(void* context);  // asked now and then; may be NULL
  void* context;
} cri_starts;

/// What was found, from the start whose loss ends lowest. Only the tosses of the fit choose it.
typedef struct {
  cr_real p[CRI_MOST_UNKNOWN], from[CRI_MOST_UNKNOWN];
  cr_real loss;  // mean absolute error
  int agree;     // starts whose loss ends below twice the lowest one
} cri_found;

/// Single-threaded.
/// Errors   CR_ERR_INTERRUPTED, CR_ERR_MEMORY; those of a fit
cr_status cri_identify(const cri_starts* starts, const cri_unknown* u, const cri_sighted* tosses,
                       cri_found* found, cr_error* error);

/// Goes on from numbers p that are near: with the first five tosses, and where there are more with all. Errors of sight begin at none.
/// Single-threaded.
/// turn     the mean over tosses of the turns that errors of sight are; may be NULL
/// Shapes   p[u->n], turn[4]
/// Errors   those of cri_identify
cr_status cri_refine(const cri_starts* starts, const cri_unknown* u, const cri_sighted* tosses,
                     cr_real* p, cr_real* turn, cr_real* loss, cr_error* error);

#endif
