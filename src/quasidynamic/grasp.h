// SPDX-License-Identifier: Apache-2.0
// New grasps of an object pose: fingers begin at random free poses and close along random lines until they are near an object.
#ifndef CR_QUASIDYNAMIC_GRASP_H
#define CR_QUASIDYNAMIC_GRASP_H

#include "base/random.h"
#include "quasidynamic/quasidynamic_work.h"

/// Setpoint at which a servo holds q without a force.
cr_real cri_servo_hold(const cr_model* m, const cri_servo* s, cr_real q);

/// Ends of a joint's motion: of the control if it is limited, else of the joint, else a whole turn.
void cri_servo_range(const cr_model* m, const cri_servo* s, cr_real range[2]);

/// Distance of the nearest pair of geoms of which one belongs to tree `tree` (-1: any tree with a servo); *object: the other is of a tree without
/// servos. At most the reach of x. Runs the stages up to the contacts at qpos; a step of x is over.
cr_status cri_grasp_clearance(cr_quasidynamic* x, const cr_real* qpos, int tree, cr_real* distance,
                              bool* object);

/// Moves the coordinates of servos in qpos to a grasp, in which every pair of geoms is `gap` apart at least. *touches: fingers near
/// an object. Fingers stay where they are with the chance `keep`; at least one moves. Draws up to `tries` grasps and takes the one with most
/// moved fingers near an object, at once if all or three are. qpos is as before where there is none.
cr_status cri_grasp_draw(cr_quasidynamic* x, cr_random* random, cr_real gap, cr_real keep,
                         int tries, cr_real* qpos, int* touches);

#endif
