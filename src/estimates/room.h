// SPDX-License-Identifier: Apache-2.0
// A robot in a room with round pillars (alpha_gradient, motion_planning: Suh, Simchowitz, Zhang and Tedrake, ICML 2022). A step is
//   x' = x + h u,  or x where that is inside a pillar,  h = 0.01 s
// The loss of T = 200 steps is the sum of e'e + 0.001 u'u, 10 e'e at the end, and 100 if the last step bumped; e = x - (0, 4). It jumps where a bump begins.
#ifndef CR_ESTIMATES_ROOM_H
#define CR_ESTIMATES_ROOM_H

#include "carom/carom.h"
#include "estimates/motion.h"
#include "notebook/notebook.h"

enum { CR_ROOM_STEPS = 200, CR_ROOM_PILLARS = 7 };

/// Place (m) and radius of pillar i.
void cri_room_pillar(int i, double* x, double* y, double* radius);

/// Writes folder/roomba.xml, with pillars to be seen, and opens it, without the law of bumps. Owner: the caller, cr_model_destroy.
/// Errors   CR_ERR_FILE, those of cr_model_open
cr_status cri_room_open(const cr_notebook* book, cr_model** m, cr_error* error);

/// The loss by the 2 T velocities u, of a model without its law. It lacks e'e at the start, CR_ROOM_START_COST. Owner: the caller, cri_motion_close.
/// Errors   those of cr_model_add_stage, cri_motion_open
cr_status cri_room_motion(cr_motion* motion, const cr_model* m, cr_error* error);
enum { CR_ROOM_START_COST = 16 };

/// Whether the last step of the run of a motion bumped.
bool cri_room_bumped(const cr_model* m, const cr_data* d);

#endif
