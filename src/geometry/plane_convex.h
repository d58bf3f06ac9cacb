// SPDX-License-Identifier: Apache-2.0
// A plane against an ellipsoid or a hull: points of it, balls of radius 0, above the plane
// (geometry/pair_distance.h). Derivation: docs/derivations/collision_convex.md [collision_convex.q1]-[collision_convex.q3].
//
//   Map      (pose of the plane, pose and size of the shape) -> dist, pos, normal
//   Feature  hull: [0] the vertex.  Local: none
//   Smooth   where the vertex does not change
#ifndef CR_GEOMETRY_PLANE_CONVEX_H
#define CR_GEOMETRY_PLANE_CONVEX_H

#include "geometry/pair.h"

/// One contact, at the lowest point.
cr_pair_detect cri_plane_ellipsoid;
cr_pair_tan cri_plane_ellipsoid_tan;
cr_pair_bar cri_plane_ellipsoid_bar;

/// Up to four contacts: the lowest vertex, then three more of the lowest polygon there that make the
/// quadrilateral large, if they are below the centre and within the margin.
cr_pair_detect cri_plane_hull;
cr_pair_tan cri_plane_hull_tan;
cr_pair_bar cri_plane_hull_bar;

/// The same with all vertices within the margin, or the CR_MAX_HITS lowest of them.
cr_pair_detect cri_plane_hull_all;

#endif
