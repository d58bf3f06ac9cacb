// SPDX-License-Identifier: Apache-2.0
// A tetrahedron with a pressure that is linear in it: the element of a compliant body.
#ifndef CR_PRESSURE_TETRAHEDRON_H
#define CR_PRESSURE_TETRAHEDRON_H

#include <stdbool.h>

#include "math/vec3.h"

/// An affine function of a point x is four numbers (g, c): g . x + c. As a tangent or a cotangent the struct
/// has those of its members.
typedef struct {
  cr_real vertex[4][3];
  cr_real pressure[4];  // at the vertices
  cr_real share[4][4];  // affine: 1 at its vertex, 0 on the face opposite (barycentric coordinates)
  cr_real field[4];     // affine: the pressure
} cri_tetrahedron;

/// The value of an affine function at x.
static inline cr_real cri_affine(const cr_real f[4], const cr_real x[3]) {
  return cr_dot3(f, x) + f[3];
}

/// Shares and field of the vertices and pressures; the tangent; and its transpose, which adds to the cotangents of
/// vertices and pressures.
/// Equation [pressure.p1] share_i: g_i = n_i / (n_i . (x_i - x_j)), n_i normal to the face opposite, x_j on it
///          [pressure.p2] field = sum p_i share_i
///          [pressure.p3] d share_i = - sum_j (g_i . dx_j) share_j
/// Errors   false if the tetrahedron is flat: its volume is below 1e-12 of the cube of its longest edge
bool cri_tetrahedron_complete(cri_tetrahedron* t);
void cri_tetrahedron_complete_tan(const cri_tetrahedron* t, cri_tetrahedron* t_tan);
void cri_tetrahedron_complete_bar(const cri_tetrahedron* t, cri_tetrahedron* t_bar);

/// The transpose where shares have no cotangent: that of the field alone, which costs a fifth.
/// Equation [pressure.p4] d field = sum_i dp_i share_i - sum_j (grad field . dx_j) share_j
void cri_tetrahedron_field_bar(const cri_tetrahedron* t, cri_tetrahedron* t_bar);

/// Six times the volume, positive if vertices 1, 2, 3 go counter-clockwise seen from vertex 0's far side.
cr_real cri_tetrahedron_volume6(const cri_tetrahedron* t);

/// Square of the longest edge.
cr_real cri_tetrahedron_size2(const cri_tetrahedron* t);

#endif
