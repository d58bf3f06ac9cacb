// SPDX-License-Identifier: Apache-2.0
// Random streams: explicit seeds, the same numbers on every machine, no hidden state.
#ifndef CR_BASE_RANDOM_H
#define CR_BASE_RANDOM_H

#include "base/real.h"

/// One stream of the generator xoshiro256** (Blackman and Vigna, 2018), seeded by splitmix64.
typedef struct {
  uint64_t state[4];
} cr_random;

/// The stream of a seed; `stream` separates independent sequences of one seed.
cr_random cr_random_seed(uint64_t seed, uint64_t stream);

/// Next 64 random bits.
uint64_t cr_random_bits(cr_random* random);

/// Uniform in [0, 1), 53 bits.
cr_real cr_random_uniform(cr_random* random);

/// Uniform in [low, high).
cr_real cr_random_range(cr_random* random, cr_real low, cr_real high);

/// Standard normal, by the polar method of Marsaglia; each call draws afresh.
cr_real cr_random_normal(cr_random* random);

/// Uniform integer in [0, n), n > 0.
int cr_random_int(cr_random* random, int n);

/// 0 ... n - 1 in random order (Fisher and Yates).
void cr_random_shuffle(cr_random* random, int32_t* order, int n);

#endif
