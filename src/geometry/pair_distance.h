// SPDX-License-Identifier: Apache-2.0
// The two smooth measures of most pairs, a ball against a ball and a ball above a plane,
// with their derivatives. A pair gives the places of its balls.
// Derivation: docs/derivations/collision.md [collision.m1]-[collision.m6].
#ifndef CR_GEOMETRY_PAIR_DISTANCE_H
#define CR_GEOMETRY_PAIR_DISTANCE_H

#include "geometry/pair.h"

/// A ball; also its tangent and its cotangent.
typedef struct {
  cr_real pos[3];
  cr_real radius;
} cr_ball;

/// The half-space below the plane through pos with unit normal; also tangent and cotangent.
typedef struct {
  cr_real pos[3];
  cr_real normal[3];
} cr_halfspace;

/// Derivatives hold directions fixed that come from normalising a vector shorter than this:
/// at that length (a capsule upright on a plane, to a few atoms) they are round-off.
#define CR_TINY_LENGTH CR_R(1e-8)

/// Ball a against ball b: dist, pos, normal of the hit, from a to b.
/// [collision.m1] n = (b - a)/L, L = |b - a|   [collision.m2] dist = L - ra - rb   [collision.m3] pos = a + n (ra + dist/2)
/// Returns false, leaving the hit as it is, when dist > margin. Where the centres coincide the
/// normal is the direction of z_a x z_b, the third columns of the matrices, and the length is 0.
bool cri_ball_ball(const cr_ball* a, const cr_ball* b, const cr_real mat_a[9],
                   const cr_real mat_b[9], cr_real margin, cr_hit* hit, cr_real* length);

/// Tangent of [collision.m1]-[collision.m3] given the normal and length; length 0 holds the normal fixed. No hint.
void cri_ball_ball_tan(const cr_real normal[3], cr_real length, const cr_ball* a, const cr_ball* b,
                       const cr_ball* a_tan, const cr_ball* b_tan, cr_hit_tan* hit_tan);

/// Transpose: writes the cotangents of both balls.
void cri_ball_ball_bar(const cr_real normal[3], cr_real length, const cr_ball* a, const cr_ball* b,
                       const cr_hit_tan* hit_bar, cr_ball* a_bar, cr_ball* b_bar);

/// Tangent for a ball above a plane, no hint:
/// [collision.m4] dist = n . (c - o) - r   [collision.m5] pos = c - n (r + dist/2)   [collision.m6] normal = n
void cri_plane_ball_tan(const cr_halfspace* h, const cr_ball* b, const cr_halfspace* h_tan,
                        const cr_ball* b_tan, cr_hit_tan* hit_tan);

/// Transpose: writes the cotangents of plane and ball.
void cri_plane_ball_bar(const cr_halfspace* h, const cr_ball* b, const cr_hit_tan* hit_bar,
                        cr_halfspace* h_bar, cr_ball* b_bar);

#endif
