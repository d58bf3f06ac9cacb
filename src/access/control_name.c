// SPDX-License-Identifier: Apache-2.0
// Names of controls. See carom/model.h.
#include <stdio.h>

#include "carom/model.h"
#include "model/misuse.h"
#include "model/names.h"

// the actuator that control i belongs to
static int actuator_of(const cr_model* m, int i) {
  int a = 0;
  while (a < m->nactuator &&
         (i < m->actuator_ctrladr[a] || i >= m->actuator_ctrladr[a] + m->actuator_ctrlnum[a])) {
    a++;
  }
  return a;
}

cr_status cr_control_name(const cr_model* m, int i, char* text, int size, cr_error* error) {
  const cri_call call = {"cr_control_name", error};
  CR_TRY(cri_given(&call, m, "the model"));
  CR_TRY(cri_given(&call, text, "text"));
  if (i < 0 || i >= m->nu || size < 1) {
    return cri_fail(error, CR_ERR_ARG, "cr_control_name: control %d of %d, text of %d", i, m->nu,
                    size);
  }
  int a = actuator_of(m, i);
  const char* own = a < m->nactuator ? cri_name(m, m->name_actuatoradr, a) : "";
  int n = own[0] == 0 || strchr(own, ',') != NULL ? snprintf(text, (size_t)size, "ctrl[%d]", i)
          : m->actuator_ctrlnum[a] == 1
              ? snprintf(text, (size_t)size, "%.120s", own)
              : snprintf(text, (size_t)size, "%.120s[%d]", own, i - m->actuator_ctrladr[a]);
  return n < size ? CR_OK
                  : cri_fail(error, CR_ERR_ARG, "cr_control_name: '%.60s' needs %d characters", own,
                             n + 1);
}
