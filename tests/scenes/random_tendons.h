// SPDX-License-Identifier: Apache-2.0
// Tendons and muscles of random models: paths of all kinds, from random numbers of their own.
#ifndef CR_TESTS_RANDOM_TENDONS_H
#define CR_TESTS_RANDOM_TENDONS_H

#include "model/model.h"

/// Adds to m the counts of random tendons and their sites; nv, ngeom and nbody are set.
void random_tendon_counts(cr_model* m, uint64_t seed, int scalar_joints);

/// Fills them, and lets some actuators pull on tendons or be muscles. Everything else is filled.
void random_tendons(cr_model* m, uint64_t seed);

/// Armature of some of them; takes that of actuators away from the others.
void random_tendon_armature(cr_model* m, uint64_t seed);

#endif
