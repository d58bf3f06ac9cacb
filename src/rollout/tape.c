// SPDX-License-Identifier: Apache-2.0
// A list of states that grows by half.
#include "rollout/tape.h"

#include <limits.h>
#include <stdlib.h>

void cri_tape_free(cri_tape* tape) {
  free(tape->entry);
  free(tape->known);
  free(tape->event);
  *tape = (cri_tape){.n = 0};
}

void cri_tape_clear(cri_tape* tape) { tape->n = 0; }

static bool grow(cri_tape* tape) {
  size_t room = (size_t)tape->room + (size_t)tape->room / 2 + 64;
  if (room > INT_MAX) {
    return false;
  }
  cr_real* entry = realloc(tape->entry, room * (size_t)tape->width * sizeof *entry);
  if (entry == NULL) {
    return false;
  }
  tape->entry = entry;
  bool* known = realloc(tape->known, room * sizeof *known);
  if (known == NULL) {
    return false;
  }
  tape->known = known;
  int* event = realloc(tape->event, room * sizeof *event);
  if (event == NULL) {
    return false;
  }
  tape->event = event;
  tape->room = (int)room;
  return true;
}

cr_status cri_tape_push(cri_tape* tape, const cr_model* m, const cr_data* d, cr_error* error) {
  tape->width = m->nq + 2 * m->nv + m->na + 2;
  if (tape->n == tape->room && !grow(tape)) {
    return cri_fail(error, CR_ERR_MEMORY, "rollout: no memory for more than %d steps", tape->n);
  }
  cr_real* x = tape->entry + (size_t)tape->n * (size_t)tape->width;
  cr_copy(x, d->qpos, m->nq);
  cr_copy(x + m->nq, d->qvel, m->nv);
  cr_copy(x + m->nq + m->nv, d->act, m->na);
  cr_copy(x + m->nq + m->nv + m->na, d->qacc_warmstart, m->nv);
  x[tape->width - 2] = d->time;
  x[tape->width - 1] = 0;
  tape->event[tape->n] = -1;
  tape->known[tape->n++] = false;
  return CR_OK;
}

void cri_tape_step(cri_tape* tape, cr_real h, bool known, int event) {
  tape->known[tape->n - 1] = known;
  tape->event[tape->n - 1] = event;
  tape->entry[(size_t)tape->n * (size_t)tape->width - 1] = h;
}

cr_real cri_tape_restore(const cri_tape* tape, const cr_model* m, int i, cr_data* d) {
  const cr_real* x = tape->entry + (size_t)i * (size_t)tape->width;
  cr_copy(d->qpos, x, m->nq);
  cr_copy(d->qvel, x + m->nq, m->nv);
  cr_copy(d->act, x + m->nq + m->nv, m->na);
  cr_copy(d->qacc_warmstart, x + m->nq + m->nv + m->na, m->nv);
  d->time = x[tape->width - 2];
  return x[tape->width - 1];
}
