// SPDX-License-Identifier: Apache-2.0
// A height field against a convex shape, as in MuJoCo. The cells of the grid under the shape are cut
// into two triangles each, which stand as prisms on the base. The general pair (geometry/convex_pair.h)
// treats each prism separately. Derivation: docs/derivations/collision_hfield.md [collision_hfield.e1]-[collision_hfield.e5].
#ifndef CR_GEOMETRY_HFIELD_H
#define CR_GEOMETRY_HFIELD_H

#include "geometry/pair.h"

/// Map      poses of both, size of b, size and heights of the field -> dist, pos, normal per prism
/// Equation the single optimum of prism and shape [collision_hfield.e2]; prisms in MuJoCo's order, row by row, and the
///          first CR_MAX_HITS of those in reach. a is the field (a->terrain).
/// Feature  as geometry/convex_pair.h, with 64 times the prism added to [0]
/// Smooth   where no feature changes; a shape that slides over a line of the grid changes prisms
cr_pair_detect cri_hfield_convex;
cr_pair_tan cri_hfield_convex_tan;
cr_pair_bar cri_hfield_convex_bar;

/// Depth of b in the prism of a feature along n (geometry/convex_pair.h).
cr_real cri_hfield_depth(const cr_shape* a, const cr_shape* b, const int32_t feature[4],
                         const cr_real n[3]);

/// The three heights above the prism of a hit, as places in field->data.
void cri_hfield_heights(const cr_terrain* terrain, const int32_t feature[4], int32_t height[3]);

/// Effect of changing sizes and heights on a hit: the feature of the prism turns, and the place of the hit on it
/// moves, as if the whole field moved rigidly [collision_hfield.e4], [collision_hfield.e5]. Adds that motion to s_tan; the transpose adds to
/// size_bar, height_bar.
void cri_hfield_lift_tan(const cr_shape* a, const cr_shape* b, const int32_t feature[4],
                         const cr_real local[6], const cr_real size_tan[4],
                         const cr_real height_tan[3], cr_shape_tan* s_tan);
void cri_hfield_lift_bar(const cr_shape* a, const cr_shape* b, const int32_t feature[4],
                         const cr_real local[6], const cr_shape_tan* s_bar, cr_real size_bar[4],
                         cr_real height_bar[3]);

#endif
