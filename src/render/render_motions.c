// SPDX-License-Identifier: Apache-2.0
#include "carom/render.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/misuse.h"
#include "render/drawn_model.h"
#include "render/rendering.h"
#include "view/recorded_states.h"

// ---- creation

static cr_status check_options(const cr_render_options* o, cr_error* error) {
  enum { MOST_PIXELS = 8192 };
  if (o->width < 0 || o->height < 0 || o->width > MOST_PIXELS || o->height > MOST_PIXELS) {
    return cri_fail(error, CR_ERR_ARG, "a picture of %d x %d pixels; 1 to %d expected", o->width,
                    o->height, MOST_PIXELS);
  }
  return CR_OK;
}

static cr_status fill(cr_render* r, const char* source, const cr_urdf_options* urdf,
                      const cr_render_options* o, cr_error* error) {
  enum { WIDTH = 640, HEIGHT = 480 };
  r->width = o->width > 0 ? o->width : WIDTH;
  r->height = o->height > 0 ? o->height : HEIGHT;
  r->forces = o->forces;
  CR_TRY(cr_data_create(&r->d, r->m, error));
  CR_TRY(cr_drawn_model(&r->mj, r->m, source, urdf, error));
  return cr_aim_make(&r->aim, r->mj, o, error);
}

cr_status cr_render_create(cr_render** render, const cr_model* m, const char* source,
                           const cr_urdf_options* urdf, const cr_render_options* o,
                           cr_error* error) {
  const cri_call call = {"cr_render_create", error};
  CR_TRY(cri_given(&call, render, "where the rendering goes"));
  CR_TRY(cri_given(&call, m, "the model"));
  CR_TRY(cri_given(&call, source, "the file of the model"));
  CR_TRY(urdf != NULL ? cri_check_size(&call, urdf->size, sizeof *urdf, "cr_urdf_options") : CR_OK);
  CR_TRY(cri_given(&call, o, "options"));
  CR_TRY(cri_check_size(&call, o->size, sizeof *o, "cr_render_options"));
  CR_TRY(check_options(o, error));
  cr_render* r = calloc(1, sizeof *r);
  if (r == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "render: no memory");
  }
  r->m = m;
  cr_status status = fill(r, source, urdf, o, error);
  if (status != CR_OK) {
    cr_render_destroy(r);
    return status;
  }
  *render = r;
  return CR_OK;
}

void cr_render_destroy(cr_render* r) {
  if (r == NULL) {
    return;
  }
  cr_picture_close(&r->picture);
  for (int i = 0; i < r->n; i++) {
    cr_state_rows_free(&r->motions[i]);
  }
  free(r->motions);
  cr_data_destroy(r->d);
  mj_deleteModel(r->mj);
  free(r);
}

// ---- motions

static cr_status begin(cr_render* r, cr_error* error) {
  if (r->n == r->room) {
    int room = 2 * r->room + 4;
    cr_state_rows* larger = realloc(r->motions, (size_t)room * sizeof *larger);
    if (larger == NULL) {
      return cri_fail(error, CR_ERR_MEMORY, "render: no memory for %d motions", room);
    }
    r->motions = larger;
    r->room = room;
  }
  r->motions[r->n++] = (cr_state_rows){0};
  r->boxed = false;
  return CR_OK;
}

cr_status cr_render_begin(cr_render* r, cr_error* error) {
  const cri_call call = {"cr_render_begin", error};
  CR_TRY(cri_given(&call, r, "the rendering"));
  return begin(r, error);
}

cr_status cr_render_take(cr_render* r, const cr_data* d, cr_error* error) {
  const cri_call call = {"cr_render_take", error};
  CR_TRY(cri_given(&call, r, "the rendering"));
  CR_TRY(cri_given(&call, d, "the state"));
  if (r->n == 0) {
    return cri_fail(error, CR_ERR_ARG, "cr_render_take: no motion has begun; call cr_render_begin");
  }
  CR_TRY(cri_check_data(&call, r->m, d, CR_DATA_PLAIN, "the state"));
  r->boxed = false;
  return cr_state_rows_take(&r->motions[r->n - 1], r->m, d, error);
}

static cr_status take_rows(cr_render* r, const cr_recorded* recorded, cr_data* d, const char* path,
                           cr_error* error) {
  for (int k = 0; k < cr_recorded_rows(recorded); k++) {
    cr_error inner = {0};
    cr_status status = cr_recorded_set(recorded, k, r->m, d, &inner);
    if (status == CR_OK) {
      status = cr_state_rows_take(&r->motions[r->n - 1], r->m, d, &inner);
    }
    if (status != CR_OK) {
      return cri_fail(error, status, "%s: row %d: %s", path, k, inner.text);
    }
  }
  return CR_OK;
}

static cr_status take_all(cr_render* r, const cr_recorded* recorded, const char* path,
                          cr_error* error) {
  cr_data* d;
  CR_TRY(cr_data_create(&d, r->m, error));
  cr_status status = begin(r, error);
  if (status == CR_OK) {
    status = take_rows(r, recorded, d, path, error);
    if (status != CR_OK) {
      cr_state_rows_free(&r->motions[--r->n]);
    }
  }
  cr_data_destroy(d);
  return status;
}

cr_status cr_render_read(cr_render* r, const char* path, cr_error* error) {
  const cri_call call = {"cr_render_read", error};
  CR_TRY(cri_given(&call, r, "the rendering"));
  CR_TRY(cri_given(&call, path, "the path"));
  cr_recorded* recorded;
  CR_TRY(cr_recorded_open(&recorded, r->m, path, error));
  cr_status status = take_all(r, recorded, path, error);
  cr_recorded_close(recorded);
  return status;
}

cr_real cr_render_time(const cr_render* r) {
  cr_real longest = 0;
  for (int i = 0; r != NULL && i < r->n; i++) {
    longest = fmax(longest, cr_state_rows_time(&r->motions[i], r->m));
  }
  return longest;
}

// ---- a picture

cr_status cr_render_draw(cr_render* r, cr_real time, unsigned char* rgb, cr_error* error) {
  const cri_call call = {"cr_render_draw", error};
  CR_TRY(cri_given(&call, r, "the rendering"));
  CR_TRY(cri_given(&call, rgb, "the pixels"));
  CR_TRY(cr_rendering_check(r, error));
  if (!isfinite(time)) {
    return cri_fail(error, CR_ERR_ARG, "cr_render_draw: a time of %.9g s", (double)time);
  }
  return cr_rendering_draw(r, time, rgb, error);
}
