// SPDX-License-Identifier: Apache-2.0
// Hulls of meshes: drops vertices that are not on the hull, and finds where searches over a hull begin.
#ifndef CR_MODEL_HULL_H
#define CR_MODEL_HULL_H

#include "model/model.h"

/// Most vertices of a mesh that collides: names of contacts have 16 bits for them.
enum { CR_MAX_MESH_VERTICES = 0xffff };

/// Keeps only the vertices of a mesh that are on its hull, in their order, and renumbers graph and
/// polygons. The others never touch anything. Their room in the arrays stays empty, and the mesh is drawn as its hull.
/// Errors   CR_ERR_MEMORY
/// Notes    the mesh has a graph; a polygon with a vertex off the hull is left for cri_model_check
cr_status cri_mesh_keep_hull(cr_model* m, int mesh, cr_error* error);

/// Finds the vertex of a hull graph, by its number there, that is farthest towards each part of a box: part
/// s0 + 3 s1 + 9 s2 at part + 13, s its signs along the axes. A vertex out of range counts as the first.
void cri_hull_starts(const int32_t* graph, const cr_real* vert, int32_t nvert, int32_t start[27]);

#endif
