// SPDX-License-Identifier: Apache-2.0
// Tetrahedra of primitive shapes, with a level that rises from 0 on the surface to 1 at the medial set.
#ifndef CR_PRESSURE_PRESSURE_MESH_H
#define CR_PRESSURE_PRESSURE_MESH_H

#include "base/status.h"
#include "math/vec3.h"

/// Vertices are linear in the sizes of the geom: x_k = sum_j place[3 k + j] size_j. So a body keeps its tetrahedra when
/// its sizes change.
typedef struct {
  int nvert, ntet;
  cr_real* place;  // nvert x 9
  cr_real* level;  // nvert
  int32_t* tet;  // ntet x 4, in the order of a tree (pressure/box_tree.h); their volume is positive
} cri_pressure_mesh;

/// Edges around a circle, at most.
enum { CRI_PRESSURE_AROUND = 128 };

/// Makes the tetrahedra of a shape of MuJoCo's types sphere, capsule, ellipsoid, cylinder, box.
/// The medial set   sphere, ellipsoid: centre; capsule: its segment; box and cylinder: the points that are farthest
///                  from the surface, a point, a segment, a rectangle or a disk
/// around           edges around a circle, a multiple of 4 from 4 to CRI_PRESSURE_AROUND; of no effect on a box
/// Errors           CR_ERR_ARG, also for sizes so different that tetrahedra are flat; CR_ERR_MEMORY; then mesh is empty
cr_status cri_pressure_mesh_make(int type, const cr_real size[3], int around,
                                 cri_pressure_mesh* mesh, cr_error* error);
void cri_pressure_mesh_free(cri_pressure_mesh* mesh);

/// The vertex at given sizes; its tangent is the same function of the sizes' tangent.
void cri_pressure_vertex(const cr_real place[9], const cr_real size[3], cr_real x[3]);
/// Adds to the cotangent of the sizes.
void cri_pressure_vertex_bar(const cr_real place[9], const cr_real x_bar[3], cr_real size_bar[3]);

#endif
