// SPDX-License-Identifier: Apache-2.0
// The signed distance of two geoms and their nearest points (MuJoCo's mj_geomDistance).
#ifndef CR_COLLISION_DISTANCE_H
#define CR_COLLISION_DISTANCE_H

#include "geometry/pair.h"
#include "model/data.h"

/// Two geoms that are near each other, with the numbers that derivatives need.
typedef struct {
  const cr_pair* pair;
  int32_t geom[2];  // the lower type first
  cr_real sign;     // -1 if the caller gave them the other way round
  cr_hit hit;
  cr_real dist, pos[3], normal[3];  // the normal from the first geom asked for to the second
} cri_distance;

/// Map      (geom_xpos, geom_xmat, geom_size, hfield_size, hfield_data) -> dist, pos, normal
/// Equation the hit of least distance that the functions of the two types find within the reach; for
///          two boxes those of the general pair [geometry/pair.h, geometry/convex_pair.h]. The nearest
///          points are pos -+ normal dist / 2
/// Units    m.  Frames: world
/// Returns  false if the distance is not below the reach, or the types never meet
/// Limits   over a height field only the first CR_MAX_HITS prisms within reach count, as in MuJoCo
/// Smooth   where no feature changes; dist is continuous, the points jump where several pairs of points
///          have the same distance
bool cri_distance_of(const cr_model* m, const cr_data* d, int geom1, int geom2, cr_real reach,
                     cri_distance* x);

/// The nearest points: pos - normal dist / 2, pos + normal dist / 2.
void cri_distance_ends(const cri_distance* x, cr_real fromto[6]);

/// Tangent of dist, pos and normal.
void cri_distance_tan(const cr_model* m, const cr_data* d, const cr_data* tan,
                      const cri_distance* x, cr_hit_tan* x_tan);

/// Its transpose: adds to the cotangents of poses, sizes and heights.
void cri_distance_bar(const cr_model* m, const cr_data* d, cr_data* bar, const cri_distance* x,
                      const cr_hit_tan* x_bar);

#endif
