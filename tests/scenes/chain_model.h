// SPDX-License-Identifier: Apache-2.0
// A chain of bodies, small enough to know what its numbers should be.
#ifndef CR_TESTS_CHAIN_MODEL_H
#define CR_TESTS_CHAIN_MODEL_H

#include "model/data.h"

/// n bodies, each hanging on the one before by one joint of the given type, all of them off centre;
/// no geoms, gravity -9.81. Actuators: motors on joint 0, without limits; there is room for one
/// activation each. Free with cri_model_free.
cr_status chain_model(cr_model* m, int n, const int32_t* types, int nactuator, cr_error* error);

/// Tolerances of numbers that are exact up to round-off, and of differences.
#ifdef CR_LONG_DOUBLE
#define ROUND_OFF CR_R(1e-15)
#define DIFFERENCE_ERROR CR_R(1e-11)
#else
#define ROUND_OFF CR_R(1e-12)
#define DIFFERENCE_ERROR CR_R(1e-7)
#endif

#endif
