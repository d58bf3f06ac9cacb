// SPDX-License-Identifier: Apache-2.0
// Several contacts where a flat face lies nearly parallel on a face, or a straight line (an edge, the
// side of a cylinder or capsule) on a face: within some 5 degrees, as in MuJoCo. One polygon or line is
// clipped by the sides of the other; the remaining corners are the contacts. A disk counts as a polygon of 16
// corners. Derivation: docs/derivations/collision_convex.md [collision_convex.h1]-[collision_convex.h7].
//
//   faces      n_a, n_b outward, v a corner of what remains, in the plane of b:
//              s = n_a . (v - p_a), dist = -s n_a . n_b, pos = v - s n_a - dist/2 n_b, normal = -n_b
//   line, face n outward of the face, v on the line: dist = n . (v - p), pos = v - dist/2 n, normal
//              n or -n. The line of a cylinder or capsule lies on its surface, on the side of the face.
//   Feature    [0] 64 (1 faces, 2 line of a, 3 line of b), [1], [2] ids of both, [3] the two lines
//              that cross at v, 16 bits each.  Local: v from the centre of a
//   Smooth     where no feature changes: points are fixed to the corners and lines they are made of
#ifndef CR_GEOMETRY_FACE_CLIPPING_H
#define CR_GEOMETRY_FACE_CLIPPING_H

#include "geometry/feature_solve.h"

/// feature[0] of contacts from face clipping is at least this.
enum { CR_MANIFOLD = 64 };

/// Contacts near an optimum, at most four (more for a shape that wants all), with feature and local.
/// pos is relative to the origin of the cores. 0 if there is only the optimum itself.
int cri_face_clipping(const cr_core* a, const cr_core* b, const cr_optimum* x, cr_real margin,
                      cr_hit hit[CR_MAX_HITS]);

void cri_face_clipping_tan(const cr_core* a, const cr_core* b, const int32_t feature[4],
                           const cr_real local[6], const cr_shape_tan* a_tan,
                           const cr_shape_tan* b_tan, cr_hit_tan* hit_tan);
void cri_face_clipping_bar(const cr_core* a, const cr_core* b, const int32_t feature[4],
                           const cr_real local[6], const cr_hit_tan* hit_bar, cr_shape_tan* a_bar,
                           cr_shape_tan* b_bar);

#endif
