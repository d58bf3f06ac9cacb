// SPDX-License-Identifier: Apache-2.0
// Meshes of which little is on the hull.
#ifndef CR_MODEL_HULL_H
#define CR_MODEL_HULL_H

#include "model/model.h"

/// Most vertices of a mesh that collides: contacts name them with 16 bits.
enum { CR_MAX_MESH_VERTICES = 0xffff };

/// Leaves a mesh those of its vertices that its hull has, in their order, and numbers graph and
/// polygons anew: nothing touches the others. The room that they had in the arrays stays empty.
/// Errors   CR_ERR_MEMORY
/// Notes    the mesh has a graph; a polygon with a vertex off the hull is left for cri_model_check
cr_status cri_mesh_keep_hull(cr_model* m, int mesh, cr_error* error);

#endif
