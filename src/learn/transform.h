// SPDX-License-Identifier: Apache-2.0
// From the free number x an optimiser moves to the parameter p a person thinks in.
// What is public is documented in carom/parameters.h.
//   none p = x        log p = exp(x)        softplus p = log(1 + exp(x))        bounded p = 1 / (1 + exp(-x))
#ifndef CR_LEARN_TRANSFORM_H
#define CR_LEARN_TRANSFORM_H

#include "base/real.h"
#include "carom/parameters.h"

#endif
