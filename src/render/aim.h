// SPDX-License-Identifier: Apache-2.0
// Where the camera is: one of the model, or a free one that sees all that moves.
#ifndef CR_RENDER_AIM_H
#define CR_RENDER_AIM_H

#include <mujoco/mujoco.h>

#include "carom/render.h"

/// The room that the watched geoms take: those that move, or else all of them, the ground aside.
typedef struct {
  cr_real low[3], high[3];
  bool any;
} cr_box;

/// Adds the geoms of a state; `track`: as seen from the centre of mass of a body and what it carries, -1: of the world.
void cr_box_add(cr_box* box, const mjModel* mj, const mjData* d, int track);

/// Length of its diagonal; 2 of an empty one.
cr_real cr_box_size(const cr_box* box);

typedef struct {
  int camera, track;  // ids, -1: none
  bool has_azimuth, has_elevation, has_lookat;
  cr_real azimuth, elevation, lookat[3], distance;
} cr_aim;

/// Reads options.
/// Errors   CR_ERR_NAME for a camera or a body that there is not; CR_ERR_ARG for options that exclude each other or numbers that are not
///          finite
cr_status cr_aim_make(cr_aim* aim, const mjModel* mj, const cr_render_options* o, cr_error* error);

/// libmujoco's camera for a state, whose nearest and farthest planes it moves to where the camera needs them; aspect: width over
/// height.
mjvCamera cr_aim_at(const cr_aim* aim, mjModel* mj, const mjData* d, const cr_box* box,
                    double aspect);

#endif
