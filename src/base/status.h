// SPDX-License-Identifier: Apache-2.0
// How a function reports failure: it returns a status and leaves a sentence in a cr_error.
#ifndef CR_BASE_STATUS_H
#define CR_BASE_STATUS_H

#include "carom/base.h"

/// The only control-flow macro of the project: return the status of a call that failed.
#define CR_TRY(call)                \
  do {                              \
    cr_status cri_status_ = (call); \
    if (cri_status_ != CR_OK) {     \
      return cri_status_;           \
    }                               \
  } while (0)

/// Puts status and formatted sentence in `error` (may be NULL) and returns the status.
cr_status cri_fail(cr_error* error, cr_status status, const char* format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
