// SPDX-License-Identifier: Apache-2.0
// The place where two convex cores are nearest or least deep, given the features that touch. Over unit
// vectors n (from a to b) the signed distance is the largest value of
//   d(n) = n . (s_b(-n) - s_a(n)),
// positive or negative; there the two points are d n apart. With the features held this is a small
// smooth problem. It is solved here to round-off, and differentiated by its optimality conditions.
// Derivation: docs/derivations/collision_convex.md [collision_convex.o1]-[collision_convex.o9].
#ifndef CR_GEOMETRY_FEATURE_SOLVE_H
#define CR_GEOMETRY_FEATURE_SOLVE_H

#include "geometry/support_map.h"

/// Two cores, the features that touch, the answer.
typedef struct {
  cr_touch a, b;
  cr_real normal[3];         // from a to b
  cr_real dist;              // of the cores
  cr_real on_a[3], on_b[3];  // on_b = on_a + dist normal
  cr_real slide[2][2];       // [collision_convex.o8], in the basis of cri_plane_basis
} cr_optimum;

/// Two tangents that complete a unit vector; the same if the vector differs by round-off only.
void cri_plane_basis(const cr_real n[3], cr_real t1[3], cr_real t2[3]);

/// True if a face touches an edge or a face along its length, and then the normal n of the face.
bool cri_optimum_slides(const cr_core* a, const cr_core* b, const cr_optimum* x, cr_real n[3]);

/// [collision_convex.o8] Motion of the place in the overlap of two flat features when they slip. The place was taken
/// from the foot of the origin on the triangle of the difference a - b with these corners. Sets slide.
void cri_optimum_slide(const cr_core* a, const cr_core* b, const cr_real* const on_a[3],
                       const cr_real* const on_b[3], cr_optimum* x);

/// Starts from `normal` and points near the answer, with both features set. Returns false, with x spoilt,
/// if the answer does not lie on these features or is no optimum.
bool cri_optimum(cr_core* a, cr_core* b, cr_optimum* x);

/// Motion of the optimum: normal_tan (orthogonal to the normal), dist_tan and the tangent of on_a.
typedef struct {
  cr_real normal[3];
  cr_real dist;
  cr_real on_a[3];
} cr_optimum_tan;

void cri_feature_solve_tan(const cr_core* a, const cr_core* b, const cr_optimum* x,
                           const cr_shape_tan* a_tan, const cr_shape_tan* b_tan,
                           cr_optimum_tan* x_tan);
void cri_feature_solve_bar(const cr_core* a, const cr_core* b, const cr_optimum* x,
                           const cr_optimum_tan* x_bar, cr_shape_tan* a_bar, cr_shape_tan* b_bar);

#endif
