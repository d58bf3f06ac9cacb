// SPDX-License-Identifier: Apache-2.0
// A way down for global searches, and the bounds of their places. See carom/identify.h.
#include "identify/identification.h"
#include "model/misuse.h"
#include "predict/layout.h"

// as in a new identification
static void begin_anew(cr_identification* id) {
  cri_problem* p = &id->search.p;
  cri_layout_starts(p);
  cr_zero(p->x + p->n, p->nspan * p->nx);
  cri_noise_guess(p);
  id->solved = id->held_fitted = false;
}

// sum of n log(noise) over noises that are estimated  [identification.g1]
static cr_real log_noises(const cr_identification* id) {
  const cri_problem* p = &id->search.p;
  cr_real sum = 0;
  for (int k = 0; k < p->nplace; k++) {
    const cri_measured* at = &p->places[k];
    sum += at->noise_given ? 0 : (cr_real)id->sums[CR_RUNS_TRAIN][k].n * cr_log(at->noise);
  }
  return sum;
}

static cr_status go_down(cr_identification* id, int iterations, cr_real* value, cr_error* error) {
  cri_search* s = &id->search;
  const cr_search o = {.size = sizeof o, .iterations = iterations};
  cr_search_end end = {.size = sizeof end};
  CR_TRY(cri_identification_rounds(id, &o, iterations == 0, &end, error));
  CR_TRY(cri_search_move(s, s->p.x, false, error));
  CR_TRY(cri_search_cost(s, 0, s->p.ntrain, false, value, error));
  *value += log_noises(id);
  return CR_OK;
}

cr_status cr_identification_descend(void* identification, int iterations, cr_real* x,
                                    cr_real* value, cr_error* error) {
  const cri_call call = {"cr_identification_descend", error};
  cr_identification* id = identification;
  CR_TRY(cri_identification_check_x(&call, id, x));
  CR_TRY(cri_given(&call, value, "where the value goes"));
  if (iterations < 0) {
    return cri_fail(error, CR_ERR_ARG, "%s: a negative number of iterations", call.name);
  }
  cri_problem* p = &id->search.p;
  begin_anew(id);
  cr_copy(p->x, x, p->n);
  id->search.bounded = true;
  cr_status status = go_down(id, iterations, value, error);
  id->search.bounded = false;
  bool none = status == CR_OK ? !isfinite(*value) : cri_search_is_no_place(status);
  if (none) {
    *value = (cr_real)INFINITY;
  } else if (status == CR_OK) {
    cr_copy(x, p->x, p->n);
  }
  begin_anew(id);
  return none ? CR_OK : status;
}

cr_status cr_identification_get_bounds(const cr_identification* id, cr_real* lower, cr_real* upper,
                                       cr_error* error) {
  const cri_call call = {"cr_identification_get_bounds", error};
  CR_TRY(cri_given(&call, id, "the identification"));
  CR_TRY(cri_given(&call, lower, "lower bounds"));
  CR_TRY(cri_given(&call, upper, "upper bounds"));
  cri_search_bounds(&id->search.p, true, lower, upper);
  for (int i = 0; i < id->search.p.n; i++) {
    if (!isfinite(lower[i]) || !isfinite(upper[i])) {
      return cri_fail(
          error, CR_ERR_ARG,
          "%s: '%s' has no finite bounds: a global search needs a lower and an upper one",
          call.name, id->names[i]);
    }
  }
  return CR_OK;
}
