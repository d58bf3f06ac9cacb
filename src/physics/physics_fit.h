// SPDX-License-Identifier: Apache-2.0
// The numbers of a model from tosses that are seen, by gradients through contact from several distant starts.
#ifndef CR_PHYSICS_PHYSICS_FIT_H
#define CR_PHYSICS_PHYSICS_FIT_H

#include "physics/unknown.h"
#include "stiff/sighted.h"

/// Where searches begin, and how many there are: numbers first, first + 1 ... There are `least`, and then more until two agree, `most` at most.
typedef struct {
  int first, least, most;
  // numbers of the model that are near already: search `number` begins with them, without the windows that lead from afar. NULL: u->start
  cr_status (*near)(void* context, int number, cr_real* p, cr_error* error);
  bool (*stop)(void* context);  // asked now and then; may be NULL
  void* context;
} cri_starts;

/// What was found, from the start whose loss ends lowest. Only the tosses of the fit choose it.
typedef struct {
  cr_real p[CRI_MOST_UNKNOWN], from[CRI_MOST_UNKNOWN];
  cr_real turn[4];  // the mean over tosses of the turns that errors of sight are
  cr_real loss;     // mean absolute error
  int agree;        // starts whose loss ends below twice the lowest one
} cri_found;

/// The first weights of a correction are drawn by the number of the search. With more than five tosses all searches see the first five,
/// and the best one goes on with all. Single-threaded.
/// Errors   CR_ERR_INTERRUPTED, CR_ERR_MEMORY; those of a fit
cr_status cri_identify(const cri_starts* starts, const cri_unknown* u, const cri_sighted* tosses,
                       cri_found* found, cr_error* error);

#endif
