// SPDX-License-Identifier: Apache-2.0
// The last steps of a run in data blocks of their own, as they were made. The next gradient uses
// them; it makes every other step again from its stored state.
#ifndef CR_ROLLOUT_BLOCKS_H
#define CR_ROLLOUT_BLOCKS_H

#include "model/data.h"

/// Most bytes that a rollout spends on them; most steps with a block.
enum { CRI_BLOCKS_BYTES = 16 << 20, CRI_BLOCKS_MOST = 64 };

typedef struct {
  int n;             // 0: every step is made again
  cr_data** blocks;  // step k is in blocks[k % n]
  int* step;         // the step that is there; -1: none
} cri_step_blocks;

/// As many blocks as the bytes allow, with the capacities of d, for rollouts of up to nstep steps. None for
/// Runge-Kutta methods, whose steps are more than one evaluation.
/// Errors   CR_ERR_MEMORY; free with cri_step_blocks_free, also after an error
cr_status cri_step_blocks_create(cri_step_blocks* b, const cr_model* m, const cr_data* d, int nstep,
                                 cr_error* error);
void cri_step_blocks_free(cri_step_blocks* b);

/// A new run begins.
void cri_step_blocks_forget(cri_step_blocks* b);

/// The block for step k of nstep, with the inputs of d; NULL if there is none for it.
cr_data* cri_step_blocks_take(cri_step_blocks* b, const cr_model* m, const cr_data* d, int k,
                              int nstep);

/// Step k has been made in `at`: copies the next state to d, for cr_advance.
void cri_step_blocks_give(cri_step_blocks* b, const cr_model* m, cr_data* d, const cr_data* at,
                          int k);

/// Step k as it was made; NULL if it has to be made again.
const cr_data* cri_step_blocks_find(const cri_step_blocks* b, int k);

#endif
