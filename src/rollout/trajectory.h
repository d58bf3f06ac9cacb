// SPDX-License-Identifier: Apache-2.0
// Trajectories and their gradients. The only place that knows time runs backwards.
//
// A rollout stores the state before every step (with the solver's warm start), not what the step
// computed: the backward pass recomputes each step from its stored state, with the same bits.
#ifndef CR_ROLLOUT_TRAJECTORY_H
#define CR_ROLLOUT_TRAJECTORY_H

#include "model/data.h"

/// A scalar loss that looks at the states after steps 1 ... nstep of a rollout.
typedef struct {
  void* context;
  /// True if the loss looks at the state after `step` steps. NULL: at the last one only.
  bool (*looks_at)(const void* context, int step, int nstep);
  /// Adds to *loss. d holds the state after `step` steps and, with needs_fields, everything
  /// cr_forward computes from it under the control of the step that follows (the last one's at
  /// the end).
  cr_status (*value)(void* context, const cr_model* m, const cr_data* d, int step, cr_real* loss);
  /// Adds the cotangents of the loss to bar's fields.
  cr_status (*bar)(void* context, const cr_model* m, const cr_data* d, int step, cr_data* bar);
  bool needs_fields;
} cr_loss;

typedef struct {
  cr_data* d;     // set its state, then run
  cr_data* work;  // the backward pass's second evaluation
  cr_data* bar;   // after a gradient: bar->qpos (nv), qvel, act at time zero, qfrc_applied,
                  // xfrc_applied (constant over the rollout), bar->par
  int nstep, nstep_max;
  cr_real* ctrl;      // nstep_max x nu, set before a run
  cr_real* ctrl_bar;  // the same, set by a gradient
  cr_real* qpos;      // (nstep_max + 1) x nq, states: row k is the one before step k
  cr_real* qvel;
  cr_real* act;
  cr_real* warmstart;
  cr_real* time;
  cr_real loss;
  int solver_iterations_max;
  const bool* wanted;  // parameters asked for
} cr_rollout;

/// Room for nstep_max steps; `wanted` as in cri_data_twin.
cr_status cr_rollout_create(cr_rollout** rollout, const cr_model* m, int nstep_max,
                            const bool* wanted, cr_error* error);

void cr_rollout_free(cr_rollout* rollout);

/// Runs nstep steps from the state in r->d with r->ctrl, and sums the loss (may be NULL).
/// Grows the data blocks and repeats the step where contacts or rows do not fit.
/// Errors: those of cr_step, with the number of the step in the sentence.
cr_status cr_rollout_run(cr_rollout* r, const cr_model* m, int nstep, const cr_loss* loss,
                         cr_error* error);

/// Gradient of the loss of the last run. m_backward (usually m) is the model whose dynamics the
/// backward pass differentiates at the same points: contacts from distance are a variant of m.
cr_status cr_rollout_gradient(cr_rollout* r, const cr_model* m, const cr_model* m_backward,
                              const cr_loss* loss, cr_error* error);

/// Puts the stored state before step k (k = nstep: the last state) into r->d.
void cr_rollout_restore(cr_rollout* r, const cr_model* m, int k);

#endif
