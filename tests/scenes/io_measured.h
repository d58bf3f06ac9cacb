// SPDX-License-Identifier: Apache-2.0
// Measured runs made by simulation: what a model's places show while it is driven, with noise, delays and rates of their own.
#ifndef CR_TESTS_IO_MEASURED_H
#define CR_TESTS_IO_MEASURED_H

#include "carom/carom.h"

/// A place, seen every so many steps, with noise on each number, so many steps late.
typedef struct {
  const char* place;
  int every;
  cr_real noise;
  int delay;
} measured_channel;

/// Adds a run of `rows` steps of m from qpos (NULL: the reference), all controls driven by sines that the seed shifts. Fails the
/// test where something fails.
void measured_run(cr_measurements* measurements, const cr_model* m, const char* name, int rows,
                  const cr_real* qpos, const measured_channel* channels, int n, uint64_t seed);

#endif
