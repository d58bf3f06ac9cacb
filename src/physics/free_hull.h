// SPDX-License-Identifier: Apache-2.0
// A body on a plane whose hull is free: the positions of its eight corners are unknown numbers. Corners are what a convex body touches a plane with.
#ifndef CR_PHYSICS_FREE_HULL_H
#define CR_PHYSICS_FREE_HULL_H

#include "physics/physics_box.h"

/// Unknown numbers: those of a box without its side, then x, y, z of each corner in the frame of the body, m.
enum {
  CRI_HULL_INERTIA,
  CRI_HULL_FRICTION,
  CRI_HULL_STIFFNESS,
  CRI_HULL_DAMPING,
  CRI_HULL_CORNERS,
  CRI_N_CORNER = 8,
  CRI_HULL_N = CRI_HULL_CORNERS + 3 * CRI_N_CORNER
};

/// The model. Each corner is a sphere of 0.1 mm.
/// Owner    the caller, cri_unknown_destroy
/// Errors   CR_ERR_FILE, CR_ERR_MEMORY, those of cr_model_open
cr_status cri_hull_open(const cr_notebook* book, cri_unknown** hull, cr_error* error);

/// The hull of a box, each coordinate of a corner changed by up to `spread` of the half side, drawn by the number of the start.
/// Shapes   box[CRI_BOX_N], p[CRI_HULL_N]
void cri_hull_start(const cr_real* box, double spread, int number, cr_real* p);

/// Turns the corners. A hull that is turned and errors of sight that are all turned back predict the same motion, so the mean turn of the
/// errors belongs to the hull.
/// Shapes   p[CRI_HULL_N], turn[4]: a unit quaternion
void cri_hull_turn(cr_real* p, const cr_real turn[4]);

/// How far the twelve edges are from those of a cube of this side, mean, m. Errors of sight do not move it.
double cri_hull_edge_error(const cr_real* p, double side);

#endif
