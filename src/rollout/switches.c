// SPDX-License-Identifier: Apache-2.0
// Sets of contacts and limits, as sums of the keys that events use for them.
#include "rollout/switches.h"

#include <stdlib.h>

#include "engine/forward.h"
#include "event/event.h"
#include "integrate/inputs.h"

static cr_status append(cri_switches* s, uint64_t set, cr_error* error) {
  if (s->n > 0 && s->set[s->n - 1] == set) {
    return CR_OK;
  }
  if (s->n == s->room) {
    int room = s->room + s->room / 2 + 64;
    uint64_t* sets = realloc(s->set, (size_t)room * sizeof *sets);
    if (sets == NULL) {
      return cri_fail(error, CR_ERR_MEMORY, "no memory for %d switches of contacts", room);
    }
    s->set = sets;
    s->room = room;
  }
  s->set[s->n++] = set;
  return CR_OK;
}

// the set at the state of r->d, evaluated in r->work; in no order
static cr_status set_here(cr_rollout* r, const cr_model* m, int k, uint64_t* set, cr_error* error) {
  cr_data* d = r->work;
  cri_inputs_copy(m, d, r->d);
  cr_status status = cri_dynamics(m, d);
  if (status != CR_OK) {
    return cri_fail(error, status, "contacts before step %d: %s", k + 1, d->error.text);
  }
  cri_event_row* rows = malloc(((size_t)d->nefc + 1) * sizeof *rows);
  if (rows == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "no memory for %d rows", d->nefc);
  }
  (void)cri_event_rows(m, d, (cri_event_list){.row = rows});
  *set = 0;
  for (int i = 0; i < d->nefc; i++) {
    int64_t feature = (int64_t)rows[i].feature;
    *set += ((uint64_t)feature ^ 0x9e3779b97f4a7c15u) * 0xbf58476d1ce4e5b9u;
  }
  free(rows);
  return CR_OK;
}

cr_status cri_switches_of(cri_switches* s, cr_rollout* r, const cr_model* m, cr_error* error) {
  uint64_t set;
  s->n = 0;
  CR_TRY(cri_rollout_restore(r, m, 0, error));
  for (int k = 0; k < r->nstep; k++) {
    for (int i = cri_rollout_first(r, k); i < cri_rollout_first(r, k + 1); i++) {
      CR_TRY(set_here(r, m, k, &set, error));
      CR_TRY(append(s, set, error));
      CR_TRY(cri_rollout_again(r, m, i, k, error));
      cri_rollout_advance(r, m, k);
    }
  }
  // the last state, with which no step began, may need more room
  CR_TRY(cri_rollout_forward(r, m, r->nstep, error));
  CR_TRY(set_here(r, m, r->nstep, &set, error));
  return append(s, set, error);
}

int cri_switches_apart(const cri_switches* a, const cri_switches* b) {
  int shorter = a->n < b->n ? a->n : b->n, longer = a->n < b->n ? b->n : a->n;
  int front = 0, back = 0;
  while (front < shorter && a->set[front] == b->set[front]) {
    front++;
  }
  while (front + back < shorter && a->set[a->n - 1 - back] == b->set[b->n - 1 - back]) {
    back++;
  }
  return longer - front - back;
}

void cri_switches_free(cri_switches* s) {
  free(s->set);
  *s = (cri_switches){.n = 0};
}
