// SPDX-License-Identifier: Apache-2.0
// The gradient with events of a body that falls on another, for every pair of shapes, against differences
// of the converged motion.
#ifndef CR_TESTS_IO_EVENT_PAIRS_H
#define CR_TESTS_IO_EVENT_PAIRS_H

#include "scenes/io_toss.h"

enum { PAIRS_SHAPES = 7 };  // plane, sphere, capsule, ellipsoid, cylinder, box, mesh

typedef struct {
  const char* name;
  double tolerance, bound;  // bound: of the error of the gradient, in units of its largest entry
} pairs_method;

typedef struct {
  int runs, wrong,
      uncounted;      // wrong: beyond its bound without a report that jumps were not counted
  int scenes, kinks;  // kinks: scenes whose differences do not agree among themselves
} pairs_tally;

/// All methods on one scene: the falling shape, not the plane, on the other one, a collision detection, and a
/// number that identifies launches. Prints errors beyond their bound. `sparse`: every so many methods,
/// others for other scenes.
void pairs_check(int falling, int on, int collision, int launch, const pairs_method* method,
                 int nmethod, int sparse, pairs_tally* tally);

/// One run and its gradient, three times in one rollout: the same bits, asserted.
void pairs_repeat(int falling, int on, int collision, int launch, const pairs_method* method);

#endif
