// SPDX-License-Identifier: Apache-2.0
// Signed distance of two convex cores. Separated cores: the simplex descent of Gilbert, Johnson and Keerthi.
// Overlapping cores: a polytope that expands until one of its faces cannot move out any further.
// Either search stops as soon as its features give an optimum that passes every test
// (geometry/feature_solve.h), which is then exact to round-off. Derivation:
// docs/derivations/collision_convex.md [collision_convex.n1]-[collision_convex.n8].
#ifndef CR_GEOMETRY_GJK_EPA_H
#define CR_GEOMETRY_GJK_EPA_H

#include "geometry/feature_solve.h"

typedef enum {
  CR_NEAREST_FAR,    // the cores are farther apart than the reach
  CR_NEAREST_EXACT,  // an optimum on features
  CR_NEAREST_ROUGH  // features that are not certain; the numbers are good to the square root of round-off
} cr_nearest;

cr_nearest cri_gjk_epa(cr_core* a, cr_core* b, cr_real reach, cr_optimum* x);

#endif
