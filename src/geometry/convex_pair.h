// SPDX-License-Identifier: Apache-2.0
// The general pair: two convex shapes of which at least one is an ellipsoid, a cylinder or a
// hull. Derivation: docs/derivations/collision_convex.md [collision_convex.g1], [collision_convex.g2].
#ifndef CR_GEOMETRY_CONVEX_PAIR_H
#define CR_GEOMETRY_CONVEX_PAIR_H

#include "geometry/pair.h"

/// Map      poses and sizes of a and b -> dist, pos, normal
/// Equation the optimum of the two cores (geometry/feature_solve.h) gives the normal, the distance d and
///          the point p on a: dist = d - r_a - r_b, pos = p + n (r_a + dist/2), r the radii.
///          Nearly parallel faces, or a face and an edge, give several points: geometry/face_clipping.h.
/// Feature  [0] kinds of the features of a and b, [1] to [3] their ids, 16 bits each
///          Local: normal, point on a's core seen from the centre of a
/// Smooth   where no feature changes. Held fixed: a normal that the optimum leaves open (two
///          centres that coincide).
cr_pair_detect cri_convex_pair;
cr_pair_tan cri_convex_pair_tan;
cr_pair_bar cri_convex_pair_bar;

/// The point of a's core at which a single contact was found, in the world.
void cri_convex_point(const cr_shape* a, const cr_shape* b, const int32_t feature[4],
                      const cr_real local[6], cr_real p[3]);

/// Depth of b in a along the unit vector n (from a to b): the distance to move b along n until they are
/// apart, negative if they are. The signed distance is the least over all n, negated.
cr_real cri_convex_depth(const cr_shape* a, const cr_shape* b, const cr_real n[3]);

#endif
