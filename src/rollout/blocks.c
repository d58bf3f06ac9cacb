// SPDX-License-Identifier: Apache-2.0
// Data blocks in a ring.
#include "rollout/blocks.h"

#include <stdlib.h>

#include "engine/data_create.h"
#include "integrate/inputs.h"
#include "model/state_vector.h"
#include "model/tableau.h"

static int wanted(const cr_model* m, const cr_data* d, int nstep) {
  size_t fit = (size_t)CRI_BLOCKS_BYTES / (d->memory_size + 1);
  int n = fit < CRI_BLOCKS_MOST ? (int)fit : CRI_BLOCKS_MOST;
  n = n < nstep ? n : nstep;
  return cri_tableau_of(m->integrator) == NULL ? n : 0;
}

cr_status cri_step_blocks_create(cri_step_blocks* b, const cr_model* m, const cr_data* d, int nstep,
                                 cr_error* error) {
  int n = wanted(m, d, nstep);
  cr_capacity capacity = cri_capacity_of(d);
  *b = (cri_step_blocks){.blocks = calloc((size_t)n + 1, sizeof *b->blocks),
                         .step = calloc((size_t)n + 1, sizeof *b->step)};
  if (b->blocks == NULL || b->step == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "rollout: no memory");
  }
  for (; b->n < n; b->n++) {
    CR_TRY(cri_data_create(&b->blocks[b->n], m, &capacity, error));
  }
  cri_step_blocks_forget(b);
  return CR_OK;
}

void cri_step_blocks_free(cri_step_blocks* b) {
  for (int i = 0; i < b->n; i++) {
    cri_data_free(b->blocks[i]);
  }
  free((void*)b->blocks);
  free(b->step);
  *b = (cri_step_blocks){0};
}

void cri_step_blocks_forget(cri_step_blocks* b) {
  for (int i = 0; i < b->n; i++) {
    b->step[i] = -1;
  }
}

cr_data* cri_step_blocks_take(cri_step_blocks* b, const cr_model* m, const cr_data* d, int k,
                              int nstep) {
  if (k < nstep - b->n || cri_tableau_of(m->integrator) != NULL) {
    return NULL;
  }
  cr_data* at = b->blocks[k % b->n];
  b->step[k % b->n] = -1;
  cri_inputs_copy(m, at, d);
  at->want_M = d->want_M;
  return at;
}

void cri_step_blocks_give(cri_step_blocks* b, const cr_model* m, cr_data* d, const cr_data* at,
                          int k) {
  b->step[k % b->n] = k;
  cri_state_copy(cri_state_next(m, d), cri_state_next(m, at));
  cr_copy(d->qacc, at->qacc, m->nv);  // the warm start
}

const cr_data* cri_step_blocks_find(const cri_step_blocks* b, int k) {
  return b->n > 0 && b->step[k % b->n] == k ? b->blocks[k % b->n] : NULL;
}
