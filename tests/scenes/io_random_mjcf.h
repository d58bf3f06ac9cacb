// SPDX-License-Identifier: Apache-2.0
// Random MJCF from a seed, to compare Carom with MuJoCo where features meet: simple bodies, free bodies and
// chains, tendons and all transmissions between them, actuators with ranges, a medium, flags, contacts.
#ifndef CR_TESTS_IO_RANDOM_MJCF_H
#define CR_TESTS_IO_RANDOM_MJCF_H

#include <stdint.h>

enum { RANDOM_MJCF_SIZE = 32768 };

/// The same text for the same seed.
void random_mjcf(uint64_t seed, char text[RANDOM_MJCF_SIZE]);

#endif
