// SPDX-License-Identifier: Apache-2.0
// Spheres, capsules, cylinders among each other. A contact is a ball against a ball
// (geometry/pair_distance.h), each ball riding on the axis of its shape: at the centre, at an end, or
// free, then where it is nearest to the other ball. Only the cap and the rim of a cylinder differ.
// Derivation: docs/derivations/collision.md [collision.r1]-[collision.r7].
//
//   Map      (pose and size of both shapes) -> dist, pos, normal
//   Feature  [0], [1] where the ball of a, of b rides: cr_ride
//            sphere-cylinder: [2] the cylinder's side, cap or rim; [3] +1 or -1, the cap
//   Local    positions on the two axes (2), normal (3), distance of the centres
//            rim: position on the axis, distance from it, -, normal (3)
//   Smooth   but where the centres coincide: there the normal is held fixed
#ifndef CR_GEOMETRY_SPHERE_CAPSULE_H
#define CR_GEOMETRY_SPHERE_CAPSULE_H

#include "geometry/pair.h"

/// Where a ball is on its axis.
typedef enum {
  CR_RIDE_LOWER = -1,
  CR_RIDE_FREE = 0,
  CR_RIDE_UPPER = 1,
  CR_RIDE_CENTRE = 2
} cr_ride;

/// Derivatives of all contacts of two balls that ride on axes.
cr_pair_tan cri_axes_tan;
cr_pair_bar cri_axes_bar;

/// One contact.
cr_pair_detect cri_sphere_sphere;

/// One contact.
cr_pair_detect cri_sphere_capsule;

/// One contact; two, at the ends of the overlap, where the axes are parallel (sine of the angle
/// at most 1e-4).
cr_pair_detect cri_capsule_capsule;

/// One contact: with the side, with a cap, or with the rim between them.
cr_pair_detect cri_sphere_cylinder;
cr_pair_tan cri_sphere_cylinder_tan;
cr_pair_bar cri_sphere_cylinder_bar;

#endif
