// SPDX-License-Identifier: Apache-2.0
// Actuators of random models beyond those on joints, tendons and sites: in the parent's frame, on
// slider-cranks and on the contacts of bodies; and servos that turn.
#ifndef CR_TESTS_SUPPORT_RANDOM_ACTUATORS_H
#define CR_TESTS_SUPPORT_RANDOM_ACTUATORS_H

#include "model/model.h"

/// Changes some of the actuators of a model that is filled otherwise.
void random_actuators(cr_model* m, uint64_t seed);

#endif
