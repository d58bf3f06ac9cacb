// SPDX-License-Identifier: Apache-2.0
// Solves at extreme states: coordinates within their range and beyond it, bodies deep
// in each other, any velocity and control, masses over twelve decades and dampings over fifteen. A
// step has to be right, or to report why it cannot be; checks/wide_solve.h knows which.
#ifndef CR_TESTS_IO_SOLVES_H
#define CR_TESTS_IO_SOLVES_H

#include <mujoco/mujoco.h>

#include "base/random.h"
#include "model/data.h"

enum { SOLVES_KINDS = 16, SOLVES_SENTENCE = 400 };

/// results of the steps of a model
typedef struct {
  int states, stepped;        // all, and those with CR_OK
  int refused[SOLVES_KINDS];  // by status
  int told;        // off by more than SOLVES_BOUND, and d->rounding or the residual reports it
  int silent;      // CR_OK, and off by more than SOLVES_BOUND
  int needless;    // refused, though there is an answer
  int unknown;     // the check itself did not converge
  int iterations;  // most
  double inertia, rounding, residual, acceleration, force, step;  // largest of those with CR_OK
  char sentence[SOLVES_KINDS][SOLVES_SENTENCE];                   // the first of each status
  char silent_at[SOLVES_SENTENCE], needless_at[SOLVES_SENTENCE];
} solves_tally;

extern const double SOLVES_BOUND;

/// Draws `states` states of the model and steps each, every other batch of twenty with masses and
/// dampings scaled. False, with a sentence in `why`, if the model cannot be opened or does not move.
bool solves_run(const char* path, uint64_t seed, int states, double seconds, solves_tally* tally,
                char why[SOLVES_SENTENCE]);

#endif
