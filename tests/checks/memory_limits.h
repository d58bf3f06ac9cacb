// SPDX-License-Identifier: Apache-2.0
// Gradients within a limit on memory: the same bits for every limit, down to the least, which the error names.
#ifndef CR_TESTS_MEMORY_LIMITS_H
#define CR_TESTS_MEMORY_LIMITS_H

#include <stddef.h>
#include <stdint.h>

#include "base/real.h"

/// The runs: random models with these seeds, a tossed cube with this tolerance. Limits are the least and
/// `more` stored states; every stride-th of these if a run takes long.
typedef struct {
  int steps;
  uint64_t seeds;
  const size_t* more;
  int nmore, stride;
  cr_real tolerance;
} memory_range;

/// Steps of the model's length; adaptive ones of a tossed cube, with and without events, and of random models.
void memory_every_limit(const memory_range* range);
void memory_adaptive(const memory_range* range);
void memory_adaptive_machines(const memory_range* range);

/// Blocks that have to grow on the way.
void memory_room_grows(const memory_range* range);

#endif
