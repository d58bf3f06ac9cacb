// SPDX-License-Identifier: Apache-2.0
// What encloses a volume: triangles that close, and the boundary of tetrahedra.
#ifndef CR_PRESSURE_CLOSED_SURFACE_H
#define CR_PRESSURE_CLOSED_SURFACE_H

#include "base/status.h"
#include "math/vec3.h"

/// Sets first[i] to the first vertex that has the numbers of vertex i: files often list a point once for each triangle.
/// Errors   CR_ERR_ARG for a vertex that is not within 1e10 m; CR_ERR_MEMORY
cr_status cri_equal_vertices(int nvert, const cr_real* vertex, int32_t* first, cr_error* error);

/// Checks that triangles close: every edge belongs to two triangles, which go along it in opposite directions. Triangles
/// with two equal corners do not count.
/// Shapes   face[nface x 3], first[nvert] of cri_equal_vertices
/// Errors   CR_ERR_ARG: one sentence with the triangles of an open edge, of one in one direction twice, of coincident ones;
///          CR_ERR_MEMORY
cr_status cri_surface_closes(int nface, const int32_t* face, const int32_t* first, cr_error* error);

/// Sets the triangles that belong to one tetrahedron alone, counter-clockwise seen from outside, of tetrahedra of positive
/// volume: boundary[4 ntet x 3]; returns their number in nface.
/// Errors   CR_ERR_ARG: one sentence with tetrahedra that lie on one side of a triangle, or three at one; CR_ERR_MEMORY
cr_status cri_tetrahedra_boundary(int ntet, const int32_t* tet, const int32_t* first,
                                  int32_t* boundary, int* nface, cr_error* error);

/// Six times the enclosed volume, and the centroid. The volume is above 0 if triangles are counter-clockwise seen from
/// outside.
/// Equation V = sum (x_1 - o) . ((x_2 - o) x (x_3 - o)) / 6 over triangles, o the first vertex;
///          centroid = o + sum of these times (x_1 + x_2 + x_3 - 3 o) / 4 over their sum
cr_real cri_enclosed_volume6(int nface, const int32_t* face, const cr_real* vertex,
                             cr_real centroid[3]);

#endif
