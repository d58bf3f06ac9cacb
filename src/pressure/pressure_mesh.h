// SPDX-License-Identifier: Apache-2.0
// The elements of a pressure field: tetrahedra of a compliant body, triangles of the surface of a rigid one.
#ifndef CR_PRESSURE_PRESSURE_MESH_H
#define CR_PRESSURE_PRESSURE_MESH_H

#include "base/status.h"
#include "math/vec3.h"

/// Numbers of `bound` for a node: of the rest and the place of its vertices, 12 numbers, the least and then the greatest.
enum { CRI_PRESSURE_BOUND = 24 };

/// Vertices are affine in the sizes of the geom: x_k = rest_k + sum_j place[3 k + j] size_j. So a body keeps its elements
/// when its sizes change, and so do the boxes about them.
typedef struct {
  int nvert, ntet;
  cr_real* rest;   // nvert x 3, m
  cr_real* place;  // nvert x 9
  cr_real* level;  // nvert: pressure over the modulus, 0 on the surface, 1 where it is largest
  int32_t*
      tet;  // ntet x 4: a tetrahedron of positive volume, or a triangle, counter-clockwise seen from outside, and -1
  cr_real* bound;  // ntet x CRI_PRESSURE_BOUND: row 0 of all, row k of the node whose middle is k
} cri_pressure_mesh;

/// Makes a mesh with room for vertices and elements, all 0.
/// Errors   CR_ERR_MEMORY; then mesh is empty
cr_status cri_pressure_mesh_allocate(int nvert, int ntet, cri_pressure_mesh* mesh, cr_error* error);
void cri_pressure_mesh_free(cri_pressure_mesh* mesh);

/// Puts elements in the order of a tree (pressure/box_tree.h) at given sizes, and sets `bound`.
/// Errors   CR_ERR_MEMORY
cr_status cri_pressure_mesh_order(cri_pressure_mesh* mesh, const cr_real size[3], cr_error* error);

/// The vertex at given sizes; the tangent; the transpose adds to the cotangent of the sizes.
void cri_pressure_vertex(const cr_real rest[3], const cr_real place[9], const cr_real size[3],
                         cr_real x[3]);
void cri_pressure_vertex_tan(const cr_real place[9], const cr_real size_tan[3], cr_real x_tan[3]);
void cri_pressure_vertex_bar(const cr_real place[9], const cr_real x_bar[3], cr_real size_bar[3]);

/// A box that holds a node at given sizes.
void cri_pressure_box(const cr_real bound[CRI_PRESSURE_BOUND], const cr_real size[3],
                      cr_real box[6]);

#endif
