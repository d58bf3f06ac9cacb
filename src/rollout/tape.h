// SPDX-License-Identifier: Apache-2.0
// The steps inside the steps of an adaptive rollout: the state before each and its length. Grows as
// the run does.
#ifndef CR_ROLLOUT_TAPE_H
#define CR_ROLLOUT_TAPE_H

#include "model/data.h"

typedef struct {
  int n, room, width;  // entries, entries there is room for, numbers of an entry
  cr_real* entry;      // room x width: qpos, qvel, act, qacc_warmstart, time, length of the step
  bool* known;         // the controller's flag, see integrate/adaptive.h
  int* event;          // how the step ended, the same
} cri_tape;

void cri_tape_free(cri_tape* tape);
void cri_tape_clear(cri_tape* tape);

/// Appends the state in d. Errors: CR_ERR_MEMORY.
cr_status cri_tape_push(cri_tape* tape, const cr_model* m, const cr_data* d, cr_error* error);

/// The step from the state pushed last: its length, whether its first stage was known, its event.
void cri_tape_step(cri_tape* tape, cr_real h, bool known, int event);

/// Puts the state of entry i into d and returns the length of the step from it.
cr_real cri_tape_restore(const cri_tape* tape, const cr_model* m, int i, cr_data* d);

#endif
