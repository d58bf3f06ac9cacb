// SPDX-License-Identifier: Apache-2.0
// Noise along a row of knots, of standard deviation 1 over the row.
#ifndef CR_CONTROL_CONTROL_NOISE_H
#define CR_CONTROL_CONTROL_NOISE_H

#include "base/random.h"
#include "carom/plan.h"

/// Fills noise[n] with stride numbers between: white, independent numbers; brown, their running sum; pink, the sum of octaves, each of
/// which changes half as often as the one before (Voss and Clarke, 1978).
void cri_control_noise(cr_random* random, cr_noise_colour colour, int n, int stride,
                       cr_real* noise);

#endif
