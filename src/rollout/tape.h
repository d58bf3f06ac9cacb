// SPDX-License-Identifier: Apache-2.0
// What a backward pass starts from: the states before the steps of a run, and how adaptive steps were
// made. Without a limit every state is kept. Within a number of bytes some are, as checkpoints, and the
// rest is computed again from the one before, with the same bits.
//
// Where the number of steps is known the checkpoints lie so that as few steps as possible are repeated
// [Griewank and Walther, Revolve, 2000]. Where it is not, every 2^k-th state is kept, with k growing,
// until the backward pass knows.
#ifndef CR_ROLLOUT_TAPE_H
#define CR_ROLLOUT_TAPE_H

#include "model/state_vector.h"

typedef struct {
  int n;            // checkpoints, their steps ascending, the first before step 0
  int noted;        // steps noted
  int lost;         // steps that there was no room to note
  size_t width;     // numbers of a state: step, time, everything that evolves, qacc_warmstart
  size_t room;      // numbers in memory
  bool limited;     // never more than that
  cr_real* memory;  // the last state, a second one, checkpoints from the left; notes from the right
  int next;         // the next state to keep
  int last;         // the one they lead to, -1: not known
  int every;        // the distance between them as long as that is not known
} cri_tape;

/// How a step was made.
typedef struct {
  cr_real h;   // its length
  bool known;  // the controller's flag, see integrate/adaptive.h
  bool event;  // the same
} cri_note;

/// The state before a step, as it is kept.
typedef struct {
  cr_real* time;
  cri_state state;
  cr_real* warmstart;
} cri_kept;

/// Bytes without which not even the slowest backward pass is possible, for so many notes.
size_t cri_tape_least(const cr_model* m, int notes);

/// Takes memory: `bytes` for all there will ever be, or, with 0, for so many states at first.
/// Errors   CR_ERR_MEMORY
cr_status cri_tape_reserve(cri_tape* tape, const cr_model* m, int states, size_t bytes,
                           cr_error* error);

void cri_tape_free(cri_tape* tape);

/// Forgets everything. nstep: how many steps there will be, -1 if that is not known.
void cri_tape_begin(cri_tape* tape, int nstep);

/// Is called with the state before every step, and keeps it if it is one of those to keep.
/// Errors   CR_ERR_MEMORY
cr_status cri_tape_keep(cri_tape* tape, const cr_model* m, const cr_data* d, int step,
                        cr_error* error);

/// Notes how the next step was made. Where there is no room, counts it as lost.
cr_status cri_tape_note(cri_tape* tape, const cri_note* note, cr_error* error);
cri_note cri_tape_noted(const cri_tape* tape, int step);

/// Puts the last state kept before `step`, or before one before it, into d, and returns which. If it is
/// one before it, later states are forgotten, and those to keep on the way to `step` are chosen anew.
int cri_tape_restore(cri_tape* tape, const cr_model* m, int step, cr_data* d);

/// The state before a step, all NULL where it is not kept.
cri_kept cri_tape_kept(const cri_tape* tape, const cr_model* m, int step);

/// Two states beside: that after the last step, and one where a backward pass keeps where it is.
enum { CRI_TAPE_END, CRI_TAPE_HERE, CRI_TAPE_BESIDE };
void cri_tape_put(cri_tape* tape, const cr_model* m, int beside, const cr_data* d);
void cri_tape_get(const cri_tape* tape, const cr_model* m, int beside, cr_data* d);
cri_kept cri_tape_end(const cri_tape* tape, const cr_model* m);

/// The distance from one checkpoint to the next, where `steps` steps follow the first, which are to be
/// gone back with `states` checkpoints, the first one of them.
/// Equation beta(s, t) = (s + t)! / (s! t!) steps need none of them more than t times  [Griewank, 1992];
///          t the smallest with beta(s, t) >= steps, the distance
///          max(beta(s, t - 2), steps - beta(s - 1, t))
int cri_tape_split(int steps, int states);

#endif
