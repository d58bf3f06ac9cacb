// SPDX-License-Identifier: Apache-2.0
// Hulls of meshes: those of which little is on the hull, and where searches over one begin.
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

/// Which vertex of a hull graph, by its number there, is farthest towards each part of a box: part
/// s0 + 3 s1 + 9 s2 at part + 13, s its signs along the axes. A vertex out of range counts as the first.
void cri_hull_starts(const int32_t* graph, const cr_real* vert, int32_t nvert, int32_t start[27]);

#endif
