// SPDX-License-Identifier: Apache-2.0
// The head of the saved state of a search: eight-byte integers that say which search it is of.
#ifndef CR_BASE_STATE_HEAD_H
#define CR_BASE_STATE_HEAD_H

#include "base/status.h"

/// Compares n integers of a head with those of the search that is to go on.
/// Shapes   head[n], expected[n], names[n]: what each is, in words
/// Errors   CR_ERR_FORMAT, naming the first that differs
cr_status cri_state_head_check(const int64_t* head, const int64_t* expected,
                               const char* const* names, int n, cr_error* error);

#endif
