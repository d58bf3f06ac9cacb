// SPDX-License-Identifier: Apache-2.0
// What a cr_render is made of, and the picture at a time.
#ifndef CR_RENDER_RENDERING_H
#define CR_RENDER_RENDERING_H

#include "carom/render.h"
#include "render/aim.h"
#include "render/picture.h"
#include "render/state_rows.h"

struct cr_render {
  const cr_model* m;
  mjModel* mj;
  cr_data* d;
  int contacts;  // for which d has room, 0: as many as a block has of itself
  cr_aim aim;
  bool forces;
  int width, height;
  cr_state_rows* motions;
  int n, room;
  cr_picture picture;
  bool opened;              // the picture
  cr_box seen, all, first;  // all motions as the camera sees them and in the world; their starts
  bool boxed;
};

/// Checks that there is a motion, and that each has a state.
/// Errors   CR_ERR_ARG
cr_status cr_rendering_check(const cr_render* r, cr_error* error);

/// cr_render_draw, behind the check of its arguments.
cr_status cr_rendering_draw(cr_render* r, cr_real time, unsigned char* rgb, cr_error* error);

#endif
