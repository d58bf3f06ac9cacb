// SPDX-License-Identifier: Apache-2.0
// Smooth collision detection: the length over which contacts of two geoms share their load
// (collision/contact_merge.h). Derivation: docs/derivations/collision_smooth.md.
#ifndef CR_COLLISION_MERGE_SHARE_H
#define CR_COLLISION_MERGE_SHARE_H

#include "model/model.h"

/// The length, and its derivative by one size of one geom; 0: contacts are not merged.
typedef struct {
  cr_real length, slope;
  int geom, size;
} cri_merge_share;

/// Equation L = 10.6 softness x half of the least width of the smaller geom (radius, half size, or of
///          a mesh the distance of the nearest polygon from its centre)
///          `general`: at most 2 sin 5 degrees of it, since several contacts of the general pair
///          exist only that far from parallel
/// Smooth   except where another size or the other geom becomes the smaller
cri_merge_share cri_merge_share_of(const cr_model* m, const int32_t geom[2], bool general);

#endif
