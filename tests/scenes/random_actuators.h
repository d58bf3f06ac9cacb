// SPDX-License-Identifier: Apache-2.0
// Actuators of random models beyond those on joints, tendons and sites: in the parent's frame, on
// slider-cranks and on the contacts of bodies; and servos that turn.
#ifndef CR_TESTS_SUPPORT_RANDOM_ACTUATORS_H
#define CR_TESTS_SUPPORT_RANDOM_ACTUATORS_H

#include "model/model.h"

/// A PID controller, DC motor or orientation servo as actuator i: its gain type, or -1
/// for none, with its numbers of inputs, states and outputs.
typedef struct {
  int gain, spec, nu, nact, nout;
} random_controller;

/// The same for equal arguments; `ball_joint`: one of the
/// model's, -1 none.
random_controller random_controller_of(uint64_t seed, int i, int ball_joint);

/// Changes some of the actuators of a model that is otherwise filled.
void random_actuators(cr_model* m, uint64_t seed);

/// Some ball joint, -1 none.
int random_ball_joint(int njnt, const int32_t* types);

#endif
