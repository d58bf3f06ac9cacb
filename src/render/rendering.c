// SPDX-License-Identifier: Apache-2.0
#include "render/rendering.h"

#include <stdlib.h>
#include <string.h>

#include "base/real.h"
#include "base/status.h"
#include "render/drawn_model.h"

cr_status cr_rendering_check(const cr_render* r, cr_error* error) {
  if (r->n == 0) {
    return cri_fail(error, CR_ERR_ARG, "render: there is no motion to draw");
  }
  for (int i = 0; i < r->n; i++) {
    if (r->motions[i].n == 0) {
      return cri_fail(error, CR_ERR_ARG, "render: motion %d has no state", i);
    }
  }
  return CR_OK;
}

// ---- the state at a time

static cr_status forward(cr_render* r, int motion, cr_real time, cr_error* error) {
  CR_TRY(cr_state_rows_at(&r->motions[motion], r->m, time, r->d, error));
  cr_status status = cr_forward(r->m, r->d);
  return status == CR_OK ? CR_OK
                         : cri_fail(error, status, "render: time %.9g s of motion %d: %s",
                                    (double)time, motion, cr_data_error(r->d));
}

// a block of data with room for its contacts
static cr_status show(cr_render* r, int motion, cr_real time, cr_error* error) {
  enum { MOST = 1 << 20, STEP = 256 };
  for (;;) {
    cr_status status = forward(r, motion, time, error);
    if (status != CR_ERR_CAPACITY || r->contacts > MOST) {
      return status;
    }
    r->contacts = 2 * r->contacts + STEP;
    cr_data_destroy(r->d);
    r->d = NULL;
    CR_TRY(cr_data_create_room(&r->d, r->m, r->contacts, error));
  }
}

// ---- what the camera has to see

static cr_status add_motion(cr_render* r, int motion, cr_error* error) {
  enum { SAMPLES = 60 };  // of a motion, as on the pages
  cr_real time = cr_state_rows_time(&r->motions[motion], r->m);
  int n = r->motions[motion].n > 1 ? SAMPLES : 1;
  for (int k = 0; k < n; k++) {
    CR_TRY(show(r, motion, n > 1 ? time * k / (n - 1) : 0, error));
    cr_picture_pose(&r->picture, r->m, r->d);
    cr_box_add(&r->seen, r->mj, r->picture.data, r->aim.track);
    cr_box_add(&r->all, r->mj, r->picture.data, -1);
    if (k == 0) {
      cr_box_add(&r->first, r->mj, r->picture.data, -1);
    }
  }
  return CR_OK;
}

static cr_status look(cr_render* r, cr_error* error) {
  cr_real centre[3];
  r->seen = r->all = r->first = (cr_box){0};
  for (int i = 0; i < r->n; i++) {
    CR_TRY(add_motion(r, i, error));
  }
  for (int k = 0; k < 3; k++) {
    centre[k] = (r->all.low[k] + r->all.high[k]) / 2;
  }
  cr_drawn_model_reach(r->mj, centre, cr_box_size(&r->all));
  r->boxed = true;
  return CR_OK;
}

static cr_status prepare(cr_render* r, cr_error* error) {
  if (r->boxed && r->opened) {
    return CR_OK;
  }
  // OpenGL gets the extent of the model when it starts
  cr_picture_close(&r->picture);
  r->opened = false;
  CR_TRY(cr_picture_open(&r->picture, r->mj, r->width, r->height, error));
  CR_TRY(look(r, error));
  CR_TRY(cr_picture_start(&r->picture, error));
  r->opened = true;
  return CR_OK;
}

// ---- a picture

static cr_status put_motion(cr_render* r, int i, cr_real time, cr_error* error) {
  CR_TRY(show(r, i, time, error));
  if (i > 0) {
    return cr_picture_add(&r->picture, r->m, r->d, i, error);
  }
  cr_picture_pose(&r->picture, r->m, r->d);
  mjvCamera camera =
      cr_aim_at(&r->aim, r->mj, r->picture.data, &r->seen, (double)r->width / (double)r->height);
  return cr_picture_begin(&r->picture, r->m, r->d, &camera, r->n > 1, error);
}

cr_status cr_rendering_draw(cr_render* r, cr_real time, unsigned char* rgb, cr_error* error) {
  CR_TRY(prepare(r, error));
  for (int i = 0; i < r->n; i++) {
    CR_TRY(put_motion(r, i, time, error));
  }
  for (int i = 0; i < r->n && r->forces; i++) {
    CR_TRY(show(r, i, time, error));
    CR_TRY(cr_picture_forces(&r->picture, r->m, r->d, i, cr_box_size(&r->first), error));
  }
  return cr_picture_finish(&r->picture, rgb, error);
}
