// SPDX-License-Identifier: Apache-2.0
// Tetrahedra of primitive shapes, with a level that rises from 0 on the surface to 1 at the medial set; or their surface.
#ifndef CR_PRESSURE_PRIMITIVE_MESH_H
#define CR_PRESSURE_PRIMITIVE_MESH_H

#include <stdbool.h>

#include "pressure/pressure_mesh.h"

/// Edges around a circle, at most.
enum { CRI_PRESSURE_AROUND = 128 };

/// Makes the elements of a shape of MuJoCo's types sphere, capsule, ellipsoid, cylinder, box, in order (rest is 0).
/// The medial set   sphere, ellipsoid: centre; capsule: its segment; box and cylinder: the points that are farthest
///                  from the surface, a point, a segment, a rectangle or a disk
/// around           edges around a circle, a multiple of 4 from 4 to CRI_PRESSURE_AROUND; of no effect on a box
/// surface          the triangles on the surface instead of the tetrahedra
/// Errors           CR_ERR_ARG, also for sizes so different that tetrahedra are flat; CR_ERR_MEMORY; then mesh is empty
cr_status cri_primitive_mesh_make(int type, const cr_real size[3], int around, bool surface,
                                  cri_pressure_mesh* mesh, cr_error* error);

#endif
