// SPDX-License-Identifier: Apache-2.0
// What a page draws of a model: bodies, shapes with their colours, sites, paths of tendons.
#ifndef CR_VIEW_SHOWN_MODEL_H
#define CR_VIEW_SHOWN_MODEL_H

#include "carom/carom.h"
#include "tools/json.h"

/// Adds the members "bodies", "still", "geoms", "meshes", "fields", "sites", "tendons" and "weight" to an object.
/// Meshes are drawn with about so many triangles together at most.
void cr_shown_model(cr_json* j, const cr_model* m, int triangles);

/// Points of the path of a tendon as cr_tendon_path gives them, line by line: calls put(context, points) for each line;
/// returns the sum. A pulley ends a line.
int cr_shown_lines(const cr_model* m, int tendon, void (*put)(void* context, int points),
                   void* context);

/// The weight of all bodies.
/// Units    N
cr_real cr_shown_weight(const cr_model* m);

#endif
