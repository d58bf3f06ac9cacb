// SPDX-License-Identifier: Apache-2.0
// The parts of a box, the integer features of every pair with a box, and the pair
// sphere-box. Derivation: docs/derivations/collision_box.md.
//
// A part gives each axis of the box a sign -1, 0 or 1 and packs them in balanced ternary,
//   part = s0 + 3 s1 + 9 s2,   from -13 to 13.
// One sign that is not 0 makes a face, two an edge, three a corner. Parts add, face + face = edge,
// the opposite part is the negative one, and 0 is none.
#ifndef CR_GEOMETRY_BOX_H
#define CR_GEOMETRY_BOX_H

#include "geometry/pair.h"

/// The face of an axis on the side of `sign` (-1 or 1; 0 gives no part).
static inline int32_t cri_part(int axis, int sign) {
  return sign * (axis == 0 ? 1 : axis == 1 ? 3 : 9);
}

/// Sign of a part along each axis.
static inline void cri_part_signs(int sign[3], int32_t part) {
  int32_t digits = part + 13;
  sign[0] = (int)(digits % 3) - 1;
  sign[1] = (int)(digits / 3 % 3) - 1;
  sign[2] = (int)(digits / 9) - 1;
}

/// The part of a box nearest to a point outside it, given in the box frame; 0 inside.
int32_t cri_part_nearest(const cr_real c[3], const cr_real size[3]);

/// r = R' (p - q): a world point in the frame of a box with pose (q, R).
static inline void cri_box_local(cr_real r[3], const cr_shape* box, const cr_real p[3]) {
  cr_real x[3];
  cr_sub3(x, p, box->pos);
  cr_multmat3(r, box->mat, x);
}

/// Outward unit normal of a face, in the world.
void cri_part_normal(cr_real n[3], const cr_shape* box, int32_t face);

/// Velocity of a world point p that is fixed to a part, so that it moves with the box and, along
/// the axes of the part, with its sizes: v = q_tan + rot x (p - q) + R (s o size_tan).
void cri_part_tan(cr_real v[3], const cr_shape* box, int32_t part, const cr_real p[3],
                  const cr_shape_tan* box_tan);

/// Its transpose: box_bar += (dv/dbox)' v_bar.
void cri_part_bar(cr_shape_tan* box_bar, const cr_shape* box, int32_t part, const cr_real p[3],
                  const cr_real v_bar[3]);

/// Sphere (a) against box (b): at most one hit.
/// Map      pose and radius of a, pose and half sizes of b -> dist, pos, normal
/// Equation with c the centre in the box frame, s the signs of the part and n unit towards it,
///          gap = n . (s o size - c) over the axes of the part, dist = gap - radius,
///          pos = centre + (gap + radius)/2 n. The part is the nearest one; for a centre inside the
///          box it is the nearest face, with gap < 0.
/// Feature  [0] the part; 0 for the rest.  Local: none.
/// Smooth   where the nearest part does not change: the normal jumps on the planes inside the box
///          that are equally far from two faces, and turns continuously elsewhere.
cr_pair_detect cri_sphere_box;
cr_pair_tan cri_sphere_box_tan;
cr_pair_bar cri_sphere_box_bar;

#endif
