// SPDX-License-Identifier: Apache-2.0
// Random restarts: what every other method has to be better than, and the right one where ways down lead far.
#include "search/island.h"

static size_t own(int n, int population) {
  (void)n, (void)population;
  return 0;
}

static cr_status generation(cr_island* s, cr_global_worker* worker, int number, cr_error* error) {
  for (int k = 0; k < s->population; k++) {
    cr_real* x = cri_island_at(s, k);
    if (number == 0) {
      cri_island_first(s, k);
    } else {
      cri_island_draw(s, x);
    }
    CR_TRY(cri_worker_descend(worker, x, &s->values[k], error));
    cri_island_note(s, s->values[k], x);
  }
  return CR_OK;
}

// nothing is learnt from others
static void receive(cr_island* s, cr_real value, const cr_real* x) {
  (void)s, (void)value, (void)x;
}

const cr_island_method cr_restarts = {own, generation, receive};
