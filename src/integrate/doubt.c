// SPDX-License-Identifier: Apache-2.0
// What a derivative of a step leaves open. What is public is documented in carom/step.h.
#include "carom/step.h"

#include <stdio.h>

#include "contact/idle_rows.h"
#include "model/misuse.h"

cr_status cr_step_doubt(const cr_model* m, cr_data* d, char* text, int size) {
  const cri_call call = {"cr_step_doubt", cri_error_of(d)};
  CR_TRY(cri_check_done(&call, m, d, CRI_DONE_STEP));
  CR_TRY(cri_given(&call, text, "text"));
  if (size < 1) {
    return cri_fail(call.error, CR_ERR_ARG, "cr_step_doubt: no room for a sentence");
  }
  int idle = cri_idle_rows_undetermined(m, d, d);
  (void)snprintf(text, (size_t)size, "%s", idle >= 0 ? cri_idle_rows_say(m, d, idle).text : "");
  return CR_OK;
}
