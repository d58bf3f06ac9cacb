/* SPDX-License-Identifier: Apache-2.0 */
/* The three gradients that gradients.c and gradients_tds.cpp compute, so that both have the same numbers:
 * of a network of 175 weights, and of the end of two falling pendulums by start and masses. */
#ifndef CAROM_BENCH_GRADIENTS_H
#define CAROM_BENCH_GRADIENTS_H

#include <math.h>

enum { INPUTS = 6, HIDDEN = 12, OUTPUTS = 7, WEIGHTS = 175 };
enum { DOUBLE_LINKS = 2, DOUBLE_STEPS = 500, FIVE_LINKS = 5, FIVE_STEPS = 5000 };

static const double TIMESTEP = 1e-3, HALF_LENGTH = 0.1, RADIUS = 0.05, HEIGHT = 0.5, FRICTION = 0.5,
                    BAUMGARTE = 0.2, MIXING = 1e-5, DIFFERENCE = 1e-6;

static inline double weight_of(int layer, int unit, int input) {
  return 0.4 * sin(1.0 + 7 * layer + 3 * unit + 5 * input);
}
static inline double offset_of(int layer, int unit) { return 0.1 * cos(2.0 * layer + unit); }
static inline double input_of(int i) { return cos((double)i); }

/* a link: a bar that hangs down from its hinge about y, with a ball at its end */
static inline double mass_of(int link) { return 1.0 + 0.2 * link; }
static inline double inertia_of(int link) { return 0.01 * (1 + 0.1 * link); }
static inline double angle_of(int link) { return link == 0 ? 1.2 : 0.3; }
static inline double speed_of(int link) { return 0.1 * link; }

#endif
