// SPDX-License-Identifier: Apache-2.0
// The objective of an optimiser: a function of n free numbers with its gradient.
#ifndef CR_LEARN_OBJECTIVE_H
#define CR_LEARN_OBJECTIVE_H

#include "base/real.h"
#include "base/status.h"
#include "carom/minimise.h"

/// One evaluation. The caller provides the gradient's room (n numbers).
typedef struct {
  cr_real value, more;  // more: the part of the value that is no error
  cr_real* gradient;
  int windows;       // pieces of data that were evaluated
  int zero_windows;  // of these, how many have a gradient of exactly zero
  int contact_free;  // of these, how many never had a constraint row
} cr_evaluation;

typedef struct {
  void* context;
  int n;
  /// `batch`: the iteration whose part of the data to use, or CR_ALL_DATA.
  cr_status (*evaluate)(void* context, int batch, const cr_real* x, cr_evaluation* result,
                        cr_error* error);
} cr_objective;

#endif
