// SPDX-License-Identifier: Apache-2.0
#include "render/aim.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/real.h"
#include "base/status.h"

// ---- what is seen

static bool is_solid(const mjModel* mj, int geom) {
  enum { HIDDEN_GROUP = 3 };  // and on: shapes for collisions, as on the pages
  return mj->geom_type[geom] != mjGEOM_PLANE && mj->geom_group[geom] < HIDDEN_GROUP;
}

static bool moves(const mjModel* mj, int geom) {
  return mj->body_weldid[mj->geom_bodyid[geom]] != 0;
}

static bool any_moves(const mjModel* mj) {
  for (int i = 0; i < mj->ngeom; i++) {
    if (is_solid(mj, i) && moves(mj, i)) {
      return true;
    }
  }
  return false;
}

void cr_box_add(cr_box* box, const mjModel* mj, const mjData* d, int track) {
  const bool moving = any_moves(mj);
  for (int i = 0; i < mj->ngeom; i++) {
    if (!is_solid(mj, i) || (moving && !moves(mj, i))) {
      continue;
    }
    for (int k = 0; k < 3; k++) {
      cr_real from = track >= 0 ? d->subtree_com[3 * track + k] : 0;
      cr_real x = d->geom_xpos[3 * (ptrdiff_t)i + k] - from, reach = mj->geom_rbound[i];
      box->low[k] = box->any ? fmin(box->low[k], x - reach) : x - reach;
      box->high[k] = box->any ? fmax(box->high[k], x + reach) : x + reach;
    }
    box->any = true;
  }
}

cr_real cr_box_size(const cr_box* box) {
  cr_real sum = 0;
  for (int k = 0; k < 3; k++) {
    sum += (box->high[k] - box->low[k]) * (box->high[k] - box->low[k]);
  }
  return box->any ? fmax(sqrt(sum), CR_R(1e-3)) : 2;
}

// ---- options

static cr_status find(int* id, const mjModel* mj, int type, int n, const char* kind,
                      const char* name, cr_error* error) {
  char* end = NULL;
  *id = mj_name2id(mj, type, name);
  if (*id < 0) {
    long number = strtol(name, &end, 10);
    *id = end != name && *end == 0 && number >= 0 && number < n ? (int)number : -1;
  }
  return *id >= 0
             ? CR_OK
             : cri_fail(error, CR_ERR_NAME,
                        "%s %s: the model has %d, none with this name or number", kind, name, n);
}

static bool is_finite(const cr_real* x, int n) {
  for (int i = 0; x != NULL && i < n; i++) {
    if (!isfinite(x[i])) {
      return false;
    }
  }
  return true;
}

cr_status cr_aim_make(cr_aim* a, const mjModel* mj, const cr_render_options* o, cr_error* error) {
  bool free_one = o->azimuth != NULL || o->elevation != NULL || o->lookat != NULL ||
                  o->distance > 0 || o->track != NULL;
  *a = (cr_aim){.camera = -1, .track = -1, .distance = o->distance};
  if (o->camera != NULL && free_one) {
    return cri_fail(error, CR_ERR_ARG,
                    "camera %s is one of the model: azimuth, elevation, distance, lookat and track "
                    "describe a free one",
                    o->camera);
  }
  if (o->track != NULL && o->lookat != NULL) {
    return cri_fail(error, CR_ERR_ARG, "track %s and lookat: the camera looks at one of them",
                    o->track);
  }
  if (!is_finite(o->azimuth, 1) || !is_finite(o->elevation, 1) || !is_finite(o->lookat, 3) ||
      !(o->distance >= 0) || !isfinite(o->distance)) {
    return cri_fail(
        error, CR_ERR_ARG,
        "camera: azimuth, elevation and lookat are finite numbers, distance is above 0");
  }
  if (o->camera != NULL) {
    return find(&a->camera, mj, mjOBJ_CAMERA, (int)mj->ncam, "camera", o->camera, error);
  }
  if (o->track != NULL) {
    CR_TRY(find(&a->track, mj, mjOBJ_BODY, (int)mj->nbody, "track", o->track, error));
  }
  a->has_azimuth = o->azimuth != NULL;
  a->has_elevation = o->elevation != NULL;
  a->has_lookat = o->lookat != NULL;
  a->azimuth = a->has_azimuth ? *o->azimuth : 0;
  a->elevation = a->has_elevation ? *o->elevation : 0;
  for (int k = 0; k < 3 && a->has_lookat; k++) {
    a->lookat[k] = o->lookat[k];
  }
  return CR_OK;
}

// ---- the camera

mjvCamera cr_aim_at(const cr_aim* a, mjModel* mj, const mjData* d, const cr_box* box,
                    double aspect) {
  mjvCamera camera;
  mjv_defaultFreeCamera(mj, &camera);
  if (a->camera >= 0) {
    camera.type = mjCAMERA_FIXED;
    camera.fixedcamid = a->camera;
    return camera;
  }
  double half = (double)mj->vis.global.fovy / 2 * (double)CR_PI / 180, size = cr_box_size(box);
  camera.azimuth = a->has_azimuth ? a->azimuth : camera.azimuth;
  camera.elevation = a->has_elevation ? a->elevation : camera.elevation;
  camera.distance = a->distance > 0 ? a->distance : 0.53 * size / tan(half) / fmin(aspect, 1);
  for (int k = 0; k < 3; k++) {
    camera.lookat[k] = a->track >= 0   ? d->subtree_com[3 * a->track + k]
                       : a->has_lookat ? a->lookat[k]
                                       : (box->low[k] + box->high[k]) / 2;
  }
  double reach = fmax(camera.distance, size), extent = mj->stat.extent;
  mj->vis.map.znear = fminf(mj->vis.map.znear, (float)(0.02 * camera.distance / extent));
  mj->vis.map.zfar = fmaxf(mj->vis.map.zfar, (float)(40 * reach / extent));
  return camera;
}
