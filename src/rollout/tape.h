// SPDX-License-Identifier: Apache-2.0
// Input of a backward pass: the states before the steps of a run, and how adaptive steps were
// made. Without a limit every state is kept. Within a number of bytes some are, as checkpoints; the
// rest is computed again from the checkpoint before, with the same bits.
//
// If the number of steps is known, checkpoints lie so that as few steps as possible are repeated
// [Griewank and Walther, Revolve, 2000]. If it is not, every 2^k-th state is kept, with k growing,
// until the backward pass knows the number.
#ifndef CR_ROLLOUT_TAPE_H
#define CR_ROLLOUT_TAPE_H

#include "model/state_vector.h"

typedef struct {
  int n;            // checkpoints, their steps ascending, the first before step 0
  int noted;        // steps noted
  int lost;         // steps that could not be noted for lack of room
  size_t width;     // numbers of a state: step, time, everything that evolves, qacc_warmstart
  size_t room;      // numbers in memory
  bool limited;     // never more than that
  cr_real* memory;  // the last state, a second one, checkpoints from the left; notes from the right
  int next;         // the next state to keep
  int last;         // the step to which they lead, -1: not known
  int every;        // distance between them while `last` is not known
} cri_tape;

/// How a step was made.
typedef struct {
  cr_real h;   // its length
  bool known;  // the controller's flag, see integrate/adaptive.h
  bool event;  // the same
} cri_note;

/// The state before a step, as stored.
typedef struct {
  cr_real* time;
  cri_state state;
  cr_real* warmstart;
} cri_kept;

/// Least bytes for a backward pass, the slowest one, with so many notes.
size_t cri_tape_least(const cr_model* m, int notes);

/// Allocates memory: `bytes` for everything, or, with 0, for so many states at first.
/// Errors   CR_ERR_MEMORY
cr_status cri_tape_reserve(cri_tape* tape, const cr_model* m, int states, size_t bytes,
                           cr_error* error);

void cri_tape_free(cri_tape* tape);

/// Forgets everything. nstep: how many steps there will be, -1 if that is not known.
void cri_tape_begin(cri_tape* tape, int nstep);

/// Called with the state before every step; keeps it if it is due.
/// Errors   CR_ERR_MEMORY
cr_status cri_tape_keep(cri_tape* tape, const cr_model* m, const cr_data* d, int step,
                        cr_error* error);

/// Notes how the next step was made. If there is no room, counts it as lost.
cr_status cri_tape_note(cri_tape* tape, const cri_note* note, cr_error* error);
cri_note cri_tape_noted(const cri_tape* tape, int step);

/// Puts the state before `step`, or else the last one kept before it, into d, and returns its step. If it is
/// an earlier one, later states are forgotten, and those to keep on the way to `step` are chosen anew.
int cri_tape_restore(cri_tape* tape, const cr_model* m, int step, cr_data* d);

/// The state before a step, all NULL if it is not kept.
cri_kept cri_tape_kept(const cri_tape* tape, const cr_model* m, int step);

/// Two more states: that after the last step, and the current one of a backward pass.
enum { CRI_TAPE_END, CRI_TAPE_HERE, CRI_TAPE_BESIDE };
void cri_tape_put(cri_tape* tape, const cr_model* m, int beside, const cr_data* d);
void cri_tape_get(const cri_tape* tape, const cr_model* m, int beside, cr_data* d);
cri_kept cri_tape_end(const cri_tape* tape, const cr_model* m);

/// The states before and after so many steps as (steps + 1) width numbers: of a run without a limit, to go on with its
/// backward pass later. cri_tape_read returns false for numbers that are no such states.
void cri_tape_write(const cri_tape* tape, int steps, cr_real* to);
bool cri_tape_read(cri_tape* tape, int steps, const cr_real* from);

/// The distance from one checkpoint to the next, if `steps` steps follow the first, to be
/// reversed with `states` checkpoints, the first one included.
/// Equation beta(s, t) = (s + t)! / (s! t!) steps need none of them more than t times  [Griewank, 1992];
///          t the smallest with beta(s, t) >= steps, the distance
///          max(beta(s, t - 2), steps - beta(s - 1, t))
int cri_tape_split(int steps, int states);

#endif
