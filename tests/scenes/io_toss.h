// SPDX-License-Identifier: Apache-2.0
// Gradients by the initial velocity of a motion with adaptive steps, and their differences.
#ifndef CR_TESTS_IO_TOSS_H
#define CR_TESTS_IO_TOSS_H

#include "carom/carom.h"
#include "support/close.h"

enum { TOSS_MOST = 14, TOSS_TIMES = 4 };

typedef struct {
  const char *file, *text;  // of the repository, or MJCF itself
  const char *loss, *integrator;
  double time, tolerance;
  bool events, continuous;  // continuous: by the adjoint equation, at the same tolerance
  int collision;            // CR_COLLISION_*
  const cr_real* qvel;
  int max_steps;  // 0: as many as needed
} toss;

typedef struct {
  cr_status status;
  int nv, events, uncounted, steps;
  double loss, gradient[TOSS_MOST];
  char error[400];
} toss_result;

/// The loss after the toss and its gradient; status and error of a failure.
toss_result toss_differentiate(const toss* t);

/// The same in one rollout: first; again; again with NaN in all of its memory; and in a rollout that has
/// almost no room and grows.
void toss_repeat(const toss* t, toss_result result[TOSS_TIMES]);

/// Central differences of the loss, at steps of eps.
void toss_differences(const toss* t, double eps, double difference[TOSS_MOST]);

/// The largest difference, in units of the largest entry; infinite if one is NaN.
double toss_apart(const double* a, const double* b, int n);

#endif
