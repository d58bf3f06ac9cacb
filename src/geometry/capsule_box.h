// SPDX-License-Identifier: Apache-2.0
// Capsule (a) against box (b): at most two hits, each that of a ball somewhere on the capsule's
// axis. Derivation: docs/derivations/collision_box.md.
#ifndef CR_GEOMETRY_CAPSULE_BOX_H
#define CR_GEOMETRY_CAPSULE_BOX_H

#include "geometry/pair.h"

/// Map      pose, radius and half length of a, pose and half sizes of b -> dist, pos, normal
/// Equation ball at p + x H, H the half axis; with c, h the centre and half axis in the box frame
///          x = end + near(K) + step,
///          near(K) = h_K . (s o size - c)_K / h_K . h_K,  step = +-2 size_i/|h_i|
///          where K is a part: its corner, its edge or its face's plane, nearest to the axis.
/// Feature  [0] part that the ball touches, [1] part K or 0, [2] end -1, 1 or 0,
///          [3] step +-(i + 1) or 0.  Local: [0] x.
/// Smooth   where no feature changes; the second hit appears and moves by jumps when the nearest
///          part does, as in MuJoCo.
cr_pair_detect cri_capsule_box;
cr_pair_tan cri_capsule_box_tan;
cr_pair_bar cri_capsule_box_bar;

#endif
