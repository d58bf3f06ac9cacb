// SPDX-License-Identifier: Apache-2.0
// A plane against a box or a mesh with softened choices (DiffMJX): one contact, four times, at a
// weighted mean of all corners. Derivation: docs/derivations/collision_soft.md [collision_soft.t1]-[collision_soft.t6].
//
//   Map      (pose of the plane, pose and size of the shape) -> dist, pos, normal, hint
//   Equation h_i = n . (o - v_i)                                    how deep corner i is       [collision_soft.t1]
//            u = softmax(sigma(standardised h) / s), M = sum u h    the greatest depth         [collision_soft.t2]
//            g_i = sigma((h_i - s log(1 + exp((M - 1 mm)/s)) + 1e-10)/s)   is among the deepest [collision_soft.t3]
//            w = softmax(sigma(standardised g) / s)                             [collision_soft.t4]
//            dist = -sum w h                                                    [collision_soft.t5]
//            pos = sum w v - n dist / 2                                         [collision_soft.t6]
//            s = shape.softness; standardised: minus the mean, over the standard deviation
//   Feature  [0] which of the four.  Local: none
//   Smooth   everywhere
#ifndef CR_COLLISION_SOFT_HULL_H
#define CR_COLLISION_SOFT_HULL_H

#include "geometry/pair.h"

/// Four equal contacts, or none if their distance exceeds the margin.
cr_pair_detect cri_soft_plane_hull;
cr_pair_tan cri_soft_plane_hull_tan;
cr_pair_bar cri_soft_plane_hull_bar;

#endif
