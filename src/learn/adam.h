// SPDX-License-Identifier: Apache-2.0
// Adam (Kingma and Ba, 2015) with bounds kept by projection.
#ifndef CR_LEARN_ADAM_H
#define CR_LEARN_ADAM_H

#include "learn/objective.h"

typedef struct {
  int iterations;
  cr_real rate, final_rate;  // step size of the first and the last iteration, geometric between
  cr_real b1, b2, eps;
  cr_real
      tolerance;   // ends when no x moved by more than this for CR_ADAM_CALM iterations; 0: never
  bool batches;    // each iteration uses its own batch of the data
  bool keep_best;  // return x of the lowest value, not the last x; not with batches
  cr_real decay;   // AdamW: each step takes rate times this part of x away
} cr_adam;

enum { CR_ADAM_CALM = 5 };

/// One step, k = 1, 2, ... (descent/adam_step.h).
void cr_adam_step(const cr_adam* adam, cr_real rate, int k, int n, cr_real* x, cr_real* mean,
                  cr_real* square, const cr_real* g);

/// Minimises from x, with lower <= x <= upper (infinite if open); x becomes the last iterate, or the
/// best one that was evaluated.
/// *reason says in a few words why it ended.
/// Errors   those of the objective; CR_ERR_MEMORY
cr_status cri_adam_minimise(const cr_adam* adam, const cr_objective* objective,
                            const cr_real* lower, const cr_real* upper, cr_real* x,
                            const char** reason, cr_error* error);

#endif
