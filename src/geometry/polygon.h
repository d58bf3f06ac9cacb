// SPDX-License-Identifier: Apache-2.0
// Polygons on a plane: chooses a few corners to represent many.
#ifndef CR_GEOMETRY_POLYGON_H
#define CR_GEOMETRY_POLYGON_H

#include <stdbool.h>

#include "math/vec3.h"

/// Corners of a large quadrilateral of a convex polygon, its first at `first`. The polygon has n
/// corners point[id[i]], or point[i] if id is NULL (points are 3 numbers each). Writes positions
/// in the polygon, n of them if n < 4; returns their number. A walk that widens while the area
/// grows, as MuJoCo's, so it takes the same corners.
int cri_quad_from(const cr_real* point, const int32_t* id, int n, int first, int corner[4]);

/// The largest quadrilateral of a convex polygon of more than four corners, by the same walk from
/// each of them.
void cri_quad(const cr_real* point, int n, int corner[4]);

#endif
