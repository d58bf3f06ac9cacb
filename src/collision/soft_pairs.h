// SPDX-License-Identifier: Apache-2.0
// Planes, spheres, capsules, ellipsoids and cylinders with softened choices (DiffMJX). Each pair is
// one function that computes values and tangents together; its transpose goes by directions.
// Derivation: docs/derivations/collision_soft.md [collision_soft.u1]-[collision_soft.u7].
//
//   Map      (pose and size of both shapes) -> dist, pos, normal, hint
//   Feature  [0] which of the pair's contacts.  Local: none
//   Smooth   except where a vector of zero length would be normalised: there it is zero, and held
#ifndef CR_COLLISION_SOFT_PAIRS_H
#define CR_COLLISION_SOFT_PAIRS_H

#include "geometry/pair.h"

/// One contact.
cr_pair_detect cri_soft_plane_sphere;
cr_pair_tan cri_soft_plane_sphere_tan;
cr_pair_bar cri_soft_plane_sphere_bar;

/// Up to two contacts, one an end.
cr_pair_detect cri_soft_plane_capsule;
cr_pair_tan cri_soft_plane_capsule_tan;
cr_pair_bar cri_soft_plane_capsule_bar;

/// One contact.
cr_pair_detect cri_soft_plane_ellipsoid;
cr_pair_tan cri_soft_plane_ellipsoid_tan;
cr_pair_bar cri_soft_plane_ellipsoid_bar;

/// Up to three contacts: the lowest point of the lower disk, and two beside it. The first of these
/// moves to the other disk as the cylinder lies down.
cr_pair_detect cri_soft_plane_cylinder;
cr_pair_tan cri_soft_plane_cylinder_tan;
cr_pair_bar cri_soft_plane_cylinder_bar;

/// One contact each.
cr_pair_detect cri_soft_sphere_sphere;
cr_pair_tan cri_soft_sphere_sphere_tan;
cr_pair_bar cri_soft_sphere_sphere_bar;

cr_pair_detect cri_soft_sphere_capsule;
cr_pair_tan cri_soft_sphere_capsule_tan;
cr_pair_bar cri_soft_sphere_capsule_bar;

cr_pair_detect cri_soft_capsule_capsule;
cr_pair_tan cri_soft_capsule_capsule_tan;
cr_pair_bar cri_soft_capsule_capsule_bar;

#endif
