// SPDX-License-Identifier: Apache-2.0
// The loss of a window: how far a few predicted states of a free body are from the recorded ones.
// A recorded state has 13 numbers: position (3), quaternion body to world w first (4), velocity in
// the world (3), angular velocity in the body (3): the qpos and qvel of a model of one free joint.
#ifndef CR_LEARN_WINDOW_LOSS_H
#define CR_LEARN_WINDOW_LOSS_H

#include "rollout/trajectory.h"

enum {
  CR_STATE_WIDTH = 13,   // numbers in a recorded state
  CR_STATE_ENTRIES = 18  // entries that are compared: position 3, rotation matrix 9, velocities 6
};

/// Weights of the squared errors, a group of entries each.
typedef struct {
  cr_real position, rotation, velocity, spin;
} cr_state_weights;

/// How an error e counts.
typedef enum { CR_NORM_SQUARE, CR_NORM_ABSOLUTE } cr_error_norm;  // e^2, |e|

/// nstep + 1 recorded states in a row: the first is where the prediction starts.
typedef struct {
  const cr_real* state;
  int nstep;
  int every;  // steps of the rollout from one recorded state to the next; 0: 1
  cr_state_weights weights;
  cr_error_norm norm;
  int rows;  // constraint rows met in all steps of a run; the caller clears it
} cr_window;

/// Puts the window's first state into d, everything else as after a reset.
void cr_window_start(const cr_window* window, const cr_model* m, cr_data* d);

/// The loss of a rollout of nstep x every steps from there.
/// Equation L = 1/(18 nstep) sum over steps k and entries i of w_i |s_i(k) - seen_i(k)|^n
///          s = (p, entries of R(q), v, omega), n = 2 or 1
/// Smooth   everywhere with n = 2; with n = 1 the slope of |e| at e = 0 is 0
cr_loss cr_window_loss(cr_window* window);

/// The loss of a body that stands still: the first state for all steps. A model has to do better.
cr_real cr_window_standing_loss(const cr_window* window);

#endif
