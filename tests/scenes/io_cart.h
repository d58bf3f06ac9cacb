// SPDX-License-Identifier: Apache-2.0
// A cart with a double pendulum that a motor pushes, recorded by three sensors, and five of its numbers to find.
#ifndef CR_TESTS_IO_CART_H
#define CR_TESTS_IO_CART_H

#include "carom/carom.h"

enum { CART_NUMBERS = 5 };
extern const cr_real cart_truth[CART_NUMBERS];
extern const cr_real cart_hanging[3];  // qpos at the start of every run

cr_model* cart_model(void);

/// Masses, dampings and a friction, as logarithms; their starts are the truth times `off`.
cr_parameters* cart_parameters(const cr_model* m, cr_real off);

/// Three runs of so many steps.
cr_measurements* cart_runs(const cr_model* m, int rows);

#endif
