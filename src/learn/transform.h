// SPDX-License-Identifier: Apache-2.0
// From the free number x an optimiser moves to the parameter p a person thinks in.
//   none p = x        log p = exp(x)        softplus p = log(1 + exp(x))
#ifndef CR_LEARN_TRANSFORM_H
#define CR_LEARN_TRANSFORM_H

#include "base/real.h"

typedef enum { CR_TRANSFORM_NONE, CR_TRANSFORM_LOG, CR_TRANSFORM_SOFTPLUS } cr_transform;

/// p(x), increasing in x.
cr_real cr_transform_value(cr_transform t, cr_real x);

/// x(p); -infinity where p is at or below the lowest value that the transform reaches.
cr_real cr_transform_inverse(cr_transform t, cr_real p);

/// dp/dx.
cr_real cr_transform_slope(cr_transform t, cr_real x);

#endif
