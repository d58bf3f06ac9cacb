// SPDX-License-Identifier: Apache-2.0
// The loss of a window: how far a few predicted states of a model are from the recorded ones. A recorded state
// is a row of numbers: all that evolves (model/state_table.h), and the controls held until the next.
#ifndef CR_LEARN_WINDOW_LOSS_H
#define CR_LEARN_WINDOW_LOSS_H

#include "carom/fit.h"
#include "math/norm.h"
#include "rollout/trajectory.h"

/// Weights of the errors, a group of entries each.
typedef struct {
  cr_real position, rotation, velocity, spin;
} cr_state_weights;

/// nstep + 1 recorded states in a row: the first is where the prediction starts.
typedef struct {
  const cr_real* state;
  int nstep;
  int every;  // steps of the rollout from one recorded state to the next; 0: 1
  cr_state_weights weights;
  cri_norm norm;
  cr_loss more;     // added to it; without a value: none
  cr_real by_more;  // what it has added
} cr_window;

/// Numbers in a recorded state; entries of it that are compared.
int cri_state_width(const cr_model* m);
int cri_state_entries(const cr_model* m);

/// Puts the window's first state into d, everything else as after a reset.
void cr_window_start(const cr_window* window, const cr_model* m, cr_data* d);

/// Puts the recorded controls of all its steps into ctrl, nu numbers a step.
void cr_window_controls(const cr_window* window, const cr_model* m, cr_real* ctrl);

/// The loss of a rollout of nstep x every steps from there.
/// Equation L = 1/(E nstep) sum over steps k and groups i of w_i n(s_i(k) - seen_i(k)), n the norm
///          s: per joint its position (slide, free), its angle (hinge) or the nine entries of R(q) (ball, free),
///          and its velocities; E numbers in all                     [identification.w1]-[identification.w4]
/// Smooth   where the norm is
cr_loss cr_window_loss(cr_window* window);

/// The loss where nothing moves: the first state for all steps. A model has to do better.
cr_real cr_window_standing_loss(const cr_window* window, const cr_model* m);

#endif
