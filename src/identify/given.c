// SPDX-License-Identifier: Apache-2.0
// A place that is taken as the solution without a search. See carom/identify.h.
#include "identify/identification.h"

cr_status cr_identification_take(cr_identification* id, const cr_real* x, cr_error* error) {
  const cri_call call = {"cr_identification_take", error};
  CR_TRY(cri_identification_check_x(&call, id, x));
  cri_search* s = &id->search;
  id->solved = id->held_fitted = id->trained = false;
  cr_copy(s->p.x, x, s->p.n);
  CR_TRY(cri_search_move(s, s->p.x, false, error));
  CR_TRY(cri_noise_sum(s, 0, s->p.ntrain, id->sums[CR_RUNS_TRAIN], error));
  id->solved = id->trained = true;
  return CR_OK;
}
