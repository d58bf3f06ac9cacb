// SPDX-License-Identifier: Apache-2.0
// Smooth collision detection: the contacts of two geoms become one, at a mean of their points. The mean
// moves from one to the other as their distances change; its weight is the number of contacts it stands for.
// Derivation: docs/derivations/collision_smooth.md [collision_smooth.b1]-[collision_smooth.b4].
//
//   Map      (n hits: x_i distance, q_i = pos, normal, hint; length L) -> (one hit, its weight)
//   Equation dist = sum e x / sum e,  e_i = exp(-x_i / (L / 40))      [collision_smooth.b1]
//            kappa_i = max(0, 1 - (x_i - dist) / L)^2,  w = kappa / sum kappa          [collision_smooth.b2]
//            q = sum w q_i, its normal made a unit vector             [collision_smooth.b3]
//            weight = (sum kappa)^2 / sum kappa^2, equivalent number of equal contacts  [collision_smooth.b4]
//   Smooth   everywhere; kappa'' jumps where a contact is L farther apart than dist
//   Notes    n equal distances: dist is that distance, the point their mean, the weight n
#ifndef CR_COLLISION_CONTACT_MERGE_H
#define CR_COLLISION_CONTACT_MERGE_H

#include "geometry/pair.h"

/// Only [collision_smooth.b1].
cr_real cri_contact_merge_dist(const cr_hit_tan* hit, int n, cr_real length);

/// [collision_smooth.b2] kappa of a hit at distance x.
cr_real cri_contact_merge_kappa(cr_real x, cr_real dist, cr_real length);

/// True if a hit at distance x has a share; hits without a share may be left out.
bool cri_contact_merge_keeps(cr_real x, cr_real dist, cr_real length);

/// The numbers of a hit, in a row of ten.
cr_hit_tan cri_contact_merge_row(const cr_hit* hit);

/// The mean of n hits, in the form of a tangent: dist, pos, unit normal, hint.
cr_hit_tan cri_contact_merge(const cr_hit_tan* hit, int n, cr_real length, cr_real* weight);

/// Tangents.
cr_hit_tan cri_contact_merge_tan(const cr_hit_tan* hit, int n, cr_real length,
                                 const cr_hit_tan* hit_tan, cr_real length_tan,
                                 cr_real* weight_tan);

/// Transpose: writes hit_bar, returns the cotangent of the length.
cr_real cri_contact_merge_bar(const cr_hit_tan* hit, int n, cr_real length,
                              const cr_hit_tan* mean_bar, cr_real weight_bar, cr_hit_tan* hit_bar);

#endif
