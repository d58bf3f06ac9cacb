// SPDX-License-Identifier: Apache-2.0
#include "base/state_head.h"

cr_status cri_state_head_check(const int64_t* head, const int64_t* expected,
                               const char* const* names, int n, cr_error* error) {
  for (int i = 0; i < n; i++) {
    if (head[i] != expected[i]) {
      return cri_fail(error, CR_ERR_FORMAT, "the state to resume is of another search: its %s",
                      names[i]);
    }
  }
  return CR_OK;
}
