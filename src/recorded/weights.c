// SPDX-License-Identifier: Apache-2.0
// Weights as parameters.
#include "recorded/weights.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/real.h"
#include "base/status.h"
#include "carom/correction.h"

cr_status cri_bind_weights(cr_parameters** ps, const cr_model* m, cr_error* error) {
  int n = 0;
  for (int i = 0; i < cr_model_correction_count(m); i++) {
    cr_correction_info info = {.size = sizeof info};
    CR_TRY(cr_model_get_correction(m, i, &info, error));
    n += info.nweight;
  }
  cr_parameter_info* items = calloc((size_t)n, sizeof *items);
  const cr_parameter_info** list = calloc((size_t)n, sizeof *list);
  char(*names)[32] = calloc((size_t)n, sizeof *names);
  cr_real* start = calloc((size_t)n, sizeof *start);
  cr_status status = items != NULL && list != NULL && names != NULL && start != NULL
                         ? cr_model_get(m, "plugin_param", start, n, error)
                         : cri_fail(error, CR_ERR_MEMORY, "no memory");
  for (int i = 0; i < n && status == CR_OK; i++) {
    (void)snprintf(names[i], sizeof names[i], "plugin_param[%d]", i);
    items[i] = (cr_parameter_info){.size = sizeof items[i],
                                   .name = names[i],
                                   .target = names[i],
                                   .start = start[i],
                                   .lower = (cr_real)-INFINITY,
                                   .upper = (cr_real)INFINITY};
    list[i] = &items[i];
  }
  status = status == CR_OK ? cr_parameters_create(ps, m, list, n, error) : status;
  free(start);
  free(names);
  free(list);
  free(items);
  return status;
}
