// SPDX-License-Identifier: Apache-2.0
// Quantiles for intervals.
#ifndef CR_BASE_QUANTILE_H
#define CR_BASE_QUANTILE_H

#include "base/real.h"

/// q with P(|z| < q) = confidence, of the standard normal distribution; 0 < confidence < 1.
/// Equation erf(q / sqrt 2) = confidence, by Newton's method in double precision
cr_real cri_normal_quantile(cr_real confidence);

#endif
