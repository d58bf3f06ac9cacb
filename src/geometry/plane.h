// SPDX-License-Identifier: Apache-2.0
// A plane against a sphere, capsule, cylinder or box. Every contact is a ball above the plane
// (geometry/pair_distance.h): the sphere itself, an end of the capsule, or a point, a ball of radius 0,
// on the cylinder or at a corner of the box. Derivation: docs/derivations/collision.md [collision.p1]-[collision.p6].
//
//   Map      (pose of the plane, pose and size of the shape) -> dist, pos, normal, hint
//   Feature  capsule: [0] +1 or -1, the end
//            cylinder: [0] the point 0..3, [1] +1 or -1, the disk that faces the plane,
//                      [2] 0 but where the disk is parallel to the plane: 1 within round-off, 2 nearly
//            box: [0] the corner, bit k set where coordinate k is positive
//   Local    cylinder: the lowest direction in the disk (3), the length that it was divided by
//   Smooth   except for the cylinder that stands flat: there the points are fixed to it
#ifndef CR_GEOMETRY_PLANE_H
#define CR_GEOMETRY_PLANE_H

#include "geometry/pair.h"

/// One contact.
cr_pair_detect cri_plane_sphere;
cr_pair_tan cri_plane_sphere_tan;
cr_pair_bar cri_plane_sphere_bar;

/// Up to two contacts, the ends along + and - the axis; the axis is the hint.
cr_pair_detect cri_plane_capsule;
cr_pair_tan cri_plane_capsule_tan;
cr_pair_bar cri_plane_capsule_bar;

/// Up to four contacts: the lowest points of the two disks, and two more on the lower disk that
/// form an equilateral triangle with its lowest.
cr_pair_detect cri_plane_cylinder;
cr_pair_tan cri_plane_cylinder_tan;
cr_pair_bar cri_plane_cylinder_bar;

/// True if a contact of a cylinder belongs to a disk that is parallel to the plane, or nearly. If tilted, it would run
/// round the rim; its derivative stays in place.
static inline bool cri_plane_cylinder_stands_flat(const int32_t feature[4]) {
  return feature[2] != 0;
}

/// Up to four contacts: the first four corners, in bit order, within the margin and not above the
/// centre.
cr_pair_detect cri_plane_box;
cr_pair_tan cri_plane_box_tan;
cr_pair_bar cri_plane_box_bar;

/// The same with all corners within the margin, in bit order.
cr_pair_detect cri_plane_box_all;

#endif
