// SPDX-License-Identifier: Apache-2.0
// Spheres, capsules, cylinders among each other. A contact is a ball against a ball
// (geometry/pair_distance.h), each with its centre on the axis of its shape: at the shape's centre, at an end, or
// free, then nearest to the other ball. Only the cap and the rim of a cylinder differ.
// Derivation: docs/derivations/collision.md [collision.r1]-[collision.r7].
//
//   Map      (pose and size of both shapes) -> dist, pos, normal
//   Feature  [0], [1] place of the ball of a, of b: cr_ride
//            sphere-cylinder: [2] the cylinder's side, cap or rim; [3] +1 or -1, the cap
//   Local    positions on the two axes (2), normal (3), distance of the centres
//            rim: position on the axis, distance from it, -, normal (3)
//   Smooth   except where the centres coincide: there the normal is held fixed
#ifndef CR_GEOMETRY_SPHERE_CAPSULE_H
#define CR_GEOMETRY_SPHERE_CAPSULE_H

#include "geometry/pair.h"

/// Place of a ball on its axis.
typedef enum {
  CR_RIDE_LOWER = -1,
  CR_RIDE_FREE = 0,
  CR_RIDE_UPPER = 1,
  CR_RIDE_CENTRE = 2
} cr_ride;

/// Derivatives of all contacts of two balls with centres on axes.
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
