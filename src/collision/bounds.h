// SPDX-License-Identifier: Apache-2.0
// Boxes about geoms, a cheap test that two are out of reach of each other. A mesh lies in
// mesh_box, which follows its vertices; other boxes follow geom_size. No box is ever too small. Spheres
// and capsules are a point and a segment with a ball about them, so their boxes are tight.
#ifndef CR_COLLISION_BOUNDS_H
#define CR_COLLISION_BOUNDS_H

#include "model/data.h"

/// Low and high corner, along the world's axes, of a box about the geom and everything within `reach` of it.
/// For planes it is all of space.
void cri_bounds_world(const cr_model* m, const cr_data* d, int geom, cr_real reach, cr_real box[6]);

/// True if two such boxes share a point.
static inline bool cri_bounds_meet(const cr_real a[6], const cr_real b[6]) {
  return !(a[0] > b[3] || b[0] > a[3] || a[1] > b[4] || b[1] > a[4] || a[2] > b[5] || b[2] > a[5]);
}

/// True if the boxes along the geoms' own axes are farther than `reach` from each other, along a
/// normal of a face or across an edge of both. Not for planes.
bool cri_bounds_apart(const cr_model* m, const cr_data* d, int geom1, int geom2, cr_real reach);

#endif
