// SPDX-License-Identifier: Apache-2.0
// Trajectories and their gradients. Only this file knows that time runs backwards. carom/rollout.h
// documents the public functions.
//
// A rollout stores the state before a step (with the solver's warm start), not the results of the step.
// The backward pass computes each step again from its state, with the same bits, except for the last steps,
// which are still there as they were made (rollout/blocks.h). Every state is stored; within a number of bytes
// only checkpoints are, from which the states between are computed again.
//
// An adaptive rollout has steps inside its steps: the intervals of the grid, as they are called here.
// With steps of the model's length an interval is a step.
#ifndef CR_ROLLOUT_TRAJECTORY_H
#define CR_ROLLOUT_TRAJECTORY_H

#include "carom/rollout.h"
#include "integrate/adaptive.h"
#include "model/misuse.h"
#include "rollout/adjoint.h"
#include "rollout/blocks.h"
#include "rollout/tape.h"

struct cr_rollout {
  cr_data* d;              // set its state, then run
  cr_data* at;             // the block of the current step; NULL: d
  cri_step_blocks blocks;  // the last steps of a run as they were made
  bool no_gradient;        // none follows the next runs: no step goes into a block
  cr_data* work;           // second evaluation of the backward pass
  cr_data* bar;  // after a gradient: bar->qpos (nv), qvel, act at time zero, qfrc_applied,
                 // xfrc_applied (constant over the rollout), bar->par
  int nstep, nstep_max;
  bool ran;            // a run came to its end, and nothing has changed since
  cr_real* ctrl;       // nstep_max x nu, set before a run
  cr_real* ctrl_bar;   // the same, set by a gradient
  cr_control control;  // NULL: the controls are as set
  void* control_context;
  bool control_of_state;       // it reads nothing of the data but the state
  cr_control_bar control_bar;  // how the controls depend on the state; NULL: they do not
  void* control_bar_context;
  cr_real loss;
  const bool* look
      [2];  // stages of m and of m_backward that the loss reads, see cri_rollout_look; NULL: all
  int solver_iterations_max;
  int64_t rows;  // constraint rows of all steps of a run
  bool adaptive;
  cr_adaptive options;
  cri_controller controller;
  cr_real start, end;  // times: of the run's first state, of the end of the current interval
  cri_note made;       // how the last step was made
  cri_note before;     // how the one before it was, from the state in work
  bool forgotten;      // d has grown, and lost the last stage of that
  cri_ramp ramp;       // the controls of the current interval, if they change linearly
  cri_tape tape;       // of states, and of how adaptive steps were made
  size_t budget;       // bytes for memory that grows with the number of steps, 0: no limit
  int* first;          // nstep_max + 1: adaptive, the first step of interval k
  cri_adjoint adjoint;
  bool* wanted;      // parameters asked for, flags of cr_field_id
  int undetermined;  // steps of the last gradient that the contact model leaves in doubt
  char doubt[640];   // the same in words, "" if there are none
};

/// cr_rollout_create with the parameters as flags of cr_field_id, see cri_data_twin.
cr_status cri_rollout_create(cr_rollout** rollout, const cr_model* m, int nstep_max,
                             const bool* wanted, cr_error* error);

/// Checks that there is a rollout, made for a model like m; and a number for a caller that may not ask for it.
static inline cr_status cri_rollout_check(const cri_call* call, const cr_rollout* r,
                                          const cr_model* m) {
  CR_TRY(cri_given(call, r, "the rollout"));
  return cri_check_shape(call, m, r->d, "the rollout");
}
static inline void cri_count(int* to, int n) {
  if (to != NULL) {
    *to = n;
  }
}

/// Losses with needs_fields read only what these stages compute: `stages` of the model and `backward` of the model of the
/// backward pass, CR_MAX_STAGES each; both have to outlive the next runs. NULL, NULL: everything.
void cri_rollout_look(cr_rollout* r, const bool* stages, const bool* backward);

/// The stages that a loss reads, at the state in r->d, which grows if contacts do not fit.
cr_status cri_rollout_see(cr_rollout* r, const cr_model* m, int step, cr_error* error);

/// Numbers that keep a run of nstep_max steps elsewhere; 0 of adaptive rollouts and of those with a limit on memory. The
/// last run goes there, and comes back as the last run: without its loss, and with the controls in r->ctrl.
/// Errors   CR_ERR_ARG for numbers that are no run
size_t cri_rollout_kept_size(const cr_rollout* r);
void cri_rollout_put_away(const cr_rollout* r, cr_real* to);
cr_status cri_rollout_take_back(cr_rollout* r, const cr_model* m, const cr_real* from,
                                cr_error* error);

/// The least for cr_rollout_set_memory.
size_t cri_rollout_least(const cr_rollout* r, const cr_model* m);

/// Puts the state before interval k (k = nstep: the last state) into r->d, with its control (the
/// last state has that of the interval before). Computes it again if it is not stored.
cr_status cri_rollout_restore(cr_rollout* r, const cr_model* m, int k, cr_error* error);

/// The same state in place: without a limit on memory every one, until the next run. All NULL if
/// it is not stored.
cri_kept cri_rollout_kept(const cr_rollout* r, const cr_model* m, int k);

/// The first step of interval k; k = nstep: the number of steps.
int cri_rollout_first(const cr_rollout* r, int k);

/// Makes step i, of interval k, again from the state in r->d, with the same bits and results;
/// then makes its end the state.
cr_status cri_rollout_again(cr_rollout* r, const cr_model* m, int i, int k, cr_error* error);
void cri_rollout_advance(cr_rollout* r, const cr_model* m, int k);

/// Puts the state after `step` steps (0 ... nstep) into r->d, with the control of the last of them
/// (for step 0 that of the first) and everything that cr_forward computes there. Grows the data blocks
/// if that does not fit.
cr_status cri_rollout_forward(cr_rollout* r, const cr_model* m, int step, cr_error* error);

#endif
