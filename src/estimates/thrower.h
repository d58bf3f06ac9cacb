// SPDX-License-Identifier: Apache-2.0
// A ball thrown at 1 m/s by an angle, over a wall of 0.02 m at a distance of 0.06 m, or not (alpha_gradient, ball_with_wall). The loss is -x^2
// of the place where it stops: on the ground, or at the wall. It jumps where the ball just clears the wall.
#ifndef CR_ESTIMATES_THROWER_H
#define CR_ESTIMATES_THROWER_H

#include "estimates/motion.h"
#include "notebook/notebook.h"

enum { CR_THROWER_JUMPS = 2 };

/// Writes folder/wall.xml and opens it: a heavy hinge that stays at its angle, a ball on two slides in its frame, one of them along the throw.
/// Owner    the caller, cr_model_destroy
cr_status cri_thrower_open(const cr_notebook* book, cr_model** m, cr_error* error);

/// What the loss remembers of a motion.
typedef struct {
  int end;  // the step in which the ball stops; 0: not yet
  bool at_wall;
} cr_thrower_flight;

/// The loss by the angle (rad). `flight` is borrowed. Owner: the caller, cri_motion_close.
cr_status cri_thrower_motion(cr_motion* motion, const cr_model* m, cr_thrower_flight* flight,
                             cr_error* error);

/// The loss in closed form.
double cri_thrower_loss(double angle);

/// Angles at which the loss jumps, and by how much.
void cri_thrower_jumps(double* angles, double* sizes);

/// The mean of the loss under normal noise of the angle, and its derivative by the angle, by quadrature.
void cri_thrower_mean(double angle, double sigma, double* mean, double* slope);

/// The part of that derivative which gradients of samples lack: sum of sizes of jumps times the density of the noise there.
double cri_thrower_lack(double angle, double sigma);

#endif
