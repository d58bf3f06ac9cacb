// SPDX-License-Identifier: Apache-2.0
// Bodies that are solids of one geom each: a leg of three, and a box, a cube and an ellipsoid that fly.
#ifndef CR_TESTS_SOLID_MODEL_H
#define CR_TESTS_SOLID_MODEL_H

#include "model/data.h"

/// Bodies, each with a geom of its name: thigh (capsule, hinge leg_hip), shank (cylinder, hinge leg_knee), foot
/// (sphere, ball joint ankle), box, cube, egg (free joints without a name). Off their joints, turned against
/// their bodies; the axes of the box are those of its geom in another order. Far from each other, with damping, and
/// friction loss of the hip. Free with cri_model_free.
enum { THIGH = 1, SHANK, FOOT, BOX, CUBE, EGG };
void solid_model(cr_model* m);

/// Principal moments of a solid of mass 1 about the axes of its geom.
void solid_moments(int type, const cr_real size[3], cr_real moments[3]);

#endif
