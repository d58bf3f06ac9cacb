// SPDX-License-Identifier: Apache-2.0
// The slope of a function of one number at a point, from its values at shrinking steps to both sides.
// Ridders (1982): extrapolated quotients; the entry of the tableau with the smallest estimated
// error counts. Also tells if there is no slope: a kink with two slopes, or a jump.
#ifndef CR_ROLLOUT_QUOTIENTS_H
#define CR_ROLLOUT_QUOTIENTS_H

#include <stdbool.h>

#include "base/real.h"

enum { CR_QUOTIENT_LEVELS = 10 };
#define CR_QUOTIENT_SHRINK CR_R(2.5)  // of the step, from level to level

/// Values at a step to one side; the piece of the function on which each lies.
typedef struct {
  bool known;
  cr_real value;
  uint64_t piece;
} cri_value;

/// All of them, with the value at the point itself as 0; noise: least noise of a difference of two values.
typedef struct {
  cr_real h[CR_QUOTIENT_LEVELS];
  cri_value plus[CR_QUOTIENT_LEVELS], minus[CR_QUOTIENT_LEVELS];
  cr_real noise;
} cri_quotients;

typedef struct {
  bool known;
  cr_real value, error;
  cr_real noise;  // error of it by round-off of the values
  bool kink;      // left and right slopes differ, and do not come together
} cri_slope_fit;

/// The slope if both sides belong to the piece of the point; not known if neither step does.
cri_slope_fit cri_slope_at(const cri_quotients* q, uint64_t piece);

/// The slope of one side, 1 or -1, wherever it begins: from the values beyond the point, not from the value at
/// it. All values on the piece of the finest step count.
cri_slope_fit cri_slope_of_side(const cri_quotients* q, int side);

/// True if the values of a side do not approach the value at the point: the function leaps there. `fit`: of the side.
bool cri_leaps(const cri_quotients* q, int side, const cri_slope_fit* fit);

#endif
