// SPDX-License-Identifier: Apache-2.0
// The scalar pieces of softened collision detection (DiffMJX): each comparison becomes a sigmoid of
// width s, each choice a mix. Derivation: docs/derivations/collision_soft.md [collision_soft.o1]-[collision_soft.o4].
#ifndef CR_COLLISION_SOFT_H
#define CR_COLLISION_SOFT_H

#include "geometry/pair.h"

/// A number and its tangent.
typedef struct {
  cr_real v, tan;
} cr_soft;

/// [collision_soft.o1] 1 / (1 + exp(-x / s)): the softened x >= 0.
cr_soft cri_soft_step(cr_soft x, cr_real s);

/// [collision_soft.o2] s log(1 + exp(x / s)): max(x, 0).
cr_soft cri_soft_ramp(cr_soft x, cr_real s);

/// [collision_soft.o3] x clipped to [low, high], as the difference of two ramps.
cr_soft cri_soft_clip(cr_soft x, cr_soft low, cr_soft high, cr_real s);

/// [collision_soft.o4] The direction that the first tangent follows: e_y by the softened |n_y| < 1/2, else e_z.
/// hint_tan may be NULL.
void cri_soft_hint(const cr_real n[3], const cr_real n_tan[3], cr_real s, cr_real hint[3],
                   cr_real hint_tan[3]);

/// The transpose of a pair's tangent, by its eighteen directions: for pairs whose tangent is a few
/// dozen operations. Adds.
void cri_soft_bar(cr_pair_tan* tan, const cr_shape* a, const cr_shape* b, const int32_t feature[4],
                  const cr_real local[6], const cr_hit_tan* hit_bar, cr_shape_tan* a_bar,
                  cr_shape_tan* b_bar);

#endif
