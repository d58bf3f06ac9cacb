// SPDX-License-Identifier: Apache-2.0
// Unknown numbers.
#include "physics/unknown.h"

#include <stdlib.h>

#include "base/real.h"
#include "base/status.h"

cr_status cri_unknown_create(cri_unknown** u, cr_error* error) {
  *u = calloc(1, sizeof **u);
  return *u != NULL ? CR_OK : cri_fail(error, CR_ERR_MEMORY, "no memory for unknown numbers");
}

void cri_unknown_destroy(cri_unknown* u) {
  if (u != NULL) {
    cr_model_destroy(u->m);
    free(u);
  }
}

// targets that were made for `from` are in its memory, which the copy may outlive
cr_status cri_unknown_copy(const cri_unknown* from, cri_unknown** u, cr_error* error) {
  CR_TRY(cri_unknown_create(u, error));
  **u = *from;
  (*u)->m = NULL;
  for (int i = 0; i < from->n; i++) {
    if (from->item[i].target == from->target[i]) {
      (*u)->item[i].name = (*u)->item[i].target = (*u)->target[i];
    }
  }
  return cr_model_copy(&(*u)->m, from->m, error);
}

cr_status cri_unknown_model(const cri_unknown* u, const cr_real* p, cr_model** m, cr_error* error) {
  cr_parameter_info items[CRI_MOST_UNKNOWN];
  const cr_parameter_info* list[CRI_MOST_UNKNOWN];
  cr_parameters* parameters = NULL;
  *m = NULL;
  for (int i = 0; i < u->n; i++) {
    items[i] = u->item[i];
    items[i].start = p[i];
    list[i] = &items[i];
  }
  CR_TRY(cr_parameters_create(&parameters, u->m, list, u->n, error));
  cr_status status = cr_model_copy(m, cr_parameters_model(parameters), error);
  cr_parameters_destroy(parameters);
  return status;
}

cr_status cri_unknown_weights(const cri_unknown* u, int seed, cr_real* p, cr_error* error) {
  const int first = u->n - cr_model_count(u->m, "npluginparam");
  for (int i = 0; i < cr_model_correction_count(u->m); i++) {
    cr_correction_info info = {.size = sizeof info};
    CR_TRY(cr_model_get_correction(u->m, i, &info, error));
    CR_TRY(
        cr_network_init(info.network, (uint64_t)seed, true, p + first + info.weight_first, error));
  }
  return CR_OK;
}

cr_status cri_unknown_set_distance(cr_model* m, cr_error* error) {
  CR_TRY(cr_model_set_option(m, "cfd_dc", 0, error));
  CR_TRY(cr_model_set_option(m, "cfd_d0", CR_R(0.9), error));
  CR_TRY(cr_model_set_option(m, "cfd_mc", CR_R(0.001), error));
  return cr_model_set_option(m, "cfd_pc", 12, error);
}

cr_status cri_unknown_set_reach(cr_model* m, cr_real reach, cr_error* error) {
  CR_TRY(cr_model_set_option(m, "cfd_wc", reach, error));
  return cr_model_set_option(m, "cfd_scale", reach / 50, error);
}
