// SPDX-License-Identifier: Apache-2.0
// A tendon around a sphere or a cylinder: its touching points, the length of the part on the
// surface, and their derivatives by the end points and the geom. kinematics/tendon calls this for every
// path element that wraps.
#ifndef CR_KINEMATICS_WRAP_H
#define CR_KINEMATICS_WRAP_H

#include "base/real.h"

enum { CR_WRAP_NOT = 0, CR_WRAP_INSIDE = 2, CR_WRAP_KEPT = 8 };

/// A wrapped piece with the numbers for its derivatives. In the wrapping plane everything follows from
/// four numbers, I = (l_0, l_1, beta, r): distances of the ends from the centre, the angle from the
/// first to the second, the radius.
typedef struct {
  int branch;           // CR_WRAP_NOT: straight; 1, -1: around, counter-clockwise or clockwise;
                        // from CR_WRAP_INSIDE on: touches from inside, after branch - 2 iterations
  cr_real point[2][3];  // world: where the tendon touches first and last
  cr_real length;       // between the two, on the surface

  bool cylinder;
  const cr_real *pos, *mat;  // of the geom
  cr_real r;
  cr_real p[2][3], x[2][3];  // ends in the geom's frame, and their parts in the plane
  cr_real l[2];
  cr_real n[3];          // normal of the plane: x_0 x f / |x_0 x f| for spheres
  cr_real f[3], across;  // f and that length
  cr_real follows;       // f = follows x_1, or constant where 0
  struct {
    int base;         // end that is turned into the touching point
    cr_real c, s;     // cosine and sine of the turn
    cr_real grad[4];  // of the turn, by I
  } leg[2];
  cr_real t[2][3];           // touching points in the geom's frame
  cr_real theta;             // angle between them
  cr_real arc, arc_grad[4];  // length in the plane, and its gradient by I
  cr_real reach[2];          // planar distances of the ends from their touching points
  cr_real slope;             // cylinder: rise per planar length
} cri_wrap;

/// The path from end_0 to end_1 around a geom.
/// Map      (ends, pos, mat, r) -> point, length
/// Equation p = mat' (end - pos); sphere: plane of p_0, p_1 and the centre; cylinder: z = 0   [tendon.g1]
///          t = (r / l) (x cos psi + n x x sin psi), x the end that is turned        [tendon.g2]
///          around: psi_0 = acos(r / l_0), psi_1 = -acos(r / l_1), arc = r (beta - psi_0 + psi_1)
///          inside: psi = phi - asin(A sin phi), A = r / l_0, B = r / l_1, where    [tendon.g3]
///                  asin(A sin phi) + asin(B sin phi) - 2 phi + beta = 0 by Newton's method
///          cylinder: z rises evenly along the unrolled path                        [tendon.g4]
///          derivation: docs/derivations/tendon.md
/// Shapes   end_k[3], pos[3], side[3] (NULL: none) world; mat[9]
/// Smooth   within a branch. The side site only chooses it: the path has the winding of the
///          polyline end_0, side, end_1; a side site inside the geom makes the tendon touch from
///          inside. Length and moment are continuous where a path lifts off; kinks are there, and
///          where an end reaches the surface. Newton's iterations stop where MuJoCo's do, at 1e-6.
///          The derivative is that of the iterate: the implicit one plus the contribution of the
///          remaining residual
/// Returns  false where the tendon runs straight: then only `branch` is set
bool cri_wrap_path(cri_wrap* w, const cr_real end_0[3], const cr_real end_1[3],
                   const cr_real pos[3], const cr_real mat[9], cr_real r, bool cylinder,
                   const cr_real* side);

/// Saves what is expensive to compute of a path that wraps; and restores the path from it and the branch,
/// between the same ends over the same geom.
void cri_wrap_keep(const cri_wrap* w, cr_real kept[CR_WRAP_KEPT]);
void cri_wrap_recall(cri_wrap* w, const cr_real end_0[3], const cr_real end_1[3],
                     const cr_real pos[3], const cr_real mat[9], cr_real r, bool cylinder,
                     int branch, const cr_real kept[CR_WRAP_KEPT]);

/// Tangents of point and length from those of ends, geom and radius.
void cri_wrap_path_tan(const cri_wrap* w, const cr_real end_0_tan[3], const cr_real end_1_tan[3],
                       const cr_real pos_tan[3], const cr_real mat_tan[9], cr_real r_tan,
                       cr_real point_tan[2][3], cr_real* length_tan);

/// Its transpose: adds to the cotangents of ends and geom, and to *r_bar.
void cri_wrap_path_bar(const cri_wrap* w, cr_real point_bar[2][3], cr_real length_bar,
                       cr_real end_0_bar[3], cr_real end_1_bar[3], cr_real pos_bar[3],
                       cr_real mat_bar[9], cr_real* r_bar);

#endif
