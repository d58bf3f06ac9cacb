// SPDX-License-Identifier: Apache-2.0
// The meshes of a model as a page draws them: with few triangles and in few bytes.
#ifndef CR_VIEW_SHOWN_MESHES_H
#define CR_VIEW_SHOWN_MESHES_H

#include "carom/carom.h"
#include "tools/json.h"

/// Triangles of "coarse".
enum { CR_COARSE_TRIANGLES = 30000 };

/// Adds the member "meshes" to an object: vertices and triangles of each mesh that a geom has; others are empty. If they
/// have more than so many triangles together, vertices that share a cell of their mesh's grid become one; the grids are
/// such that all meshes lose about the same share. A mesh of which the model keeps only the hull is its hull. "coarse" are the same meshes with
/// CR_COARSE_TRIANGLES, for machines without a graphics card; empty where "meshes" have no more.
/// Algorithm  vertex clustering [Rossignac, Borrel, Multi-resolution 3D approximations, 1993]
void cr_shown_meshes(cr_json* j, const cr_model* m, int triangles);

#endif
