// SPDX-License-Identifier: Apache-2.0
// Undetermined derivatives of a step. carom/step.h documents the public function.
#include "carom/step.h"

#include <stdio.h>

#include "model/misuse.h"
#include "solver/contact_model.h"

cr_status cr_step_doubt(const cr_model* m, cr_data* d, char* text, int size) {
  const cri_call call = {"cr_step_doubt", cri_error_of(d)};
  CR_TRY(cri_check_done(&call, m, d, CRI_DONE_STEP));
  CR_TRY(cri_given(&call, text, "text"));
  if (size < 1) {
    return cri_fail(call.error, CR_ERR_ARG, "cr_step_doubt: no room for a sentence");
  }
  cri_doubt doubt = {""};
  (void)cri_contact_model(m)->in_doubt(m, d, d, &doubt);
  (void)snprintf(text, (size_t)size, "%s", doubt.text);
  return CR_OK;
}
