// SPDX-License-Identifier: Apache-2.0
// Box (a) against box (b): at most eight hits on a face, or one where two edges cross.
// Derivation: docs/derivations/collision_box.md.
#ifndef CR_GEOMETRY_BOX_BOX_H
#define CR_GEOMETRY_BOX_BOX_H

#include "geometry/pair.h"

/// Map      poses and half sizes of a and b -> dist, pos, normal
/// Equation face: a point P of the incident box over a face (centre q, outward normal nu, half
///          size l) of the reference box: dist = nu . (P - q) - l, pos = P - dist/2 nu,
///          normal = nu if a is the reference, else -nu. P is a corner of the incident face, the
///          crossing of one of its edges with a side of the reference face, or its point above or
///          below a corner of the reference face.
///          edges: normal = +-(e_a x e_b)/|e_a x e_b|, dist = normal . (w_b - w_a),
///          pos = (w_a + w_b)/2, w_a and w_b the nearest points of the two edges.
/// Feature  [0] kind + 4 reference (0 a, 1 b), kinds and the rest in box_box.c.
///          Local: P, or w_a and w_b, in the world.
/// Smooth   where no feature changes. Where an edge of the incident face runs within 1e-9 rad along
///          a side of the reference face, or two edges within 3e-8, their crossing is undetermined:
///          it is held fixed on the edge.
cr_pair_detect cri_box_box;
cr_pair_tan cri_box_box_tan;
cr_pair_bar cri_box_box_bar;

#endif
