// SPDX-License-Identifier: Apache-2.0
// Models made with mjSpec: MJCF does not nest as deep as the longest chain.
#include "bench/made.h"

#include <stdio.h>

static cr_status refuse(const char* what, const char* text, cr_error* error) {
  return cri_fail(error, CR_ERR_FORMAT, "%s: %s", what, text);
}

static cr_status compile(mjModel** mj, mjSpec* spec, const char* what, cr_error* error) {
  *mj = mj_compile(spec, NULL);
  cr_status status = *mj == NULL ? refuse(what, mjs_getError(spec), error) : CR_OK;
  mj_deleteSpec(spec);
  return status;
}

// bodies of `child` as copy number i of n on a square
static cr_status attach_copy(mjSpec* spec, mjSpec* child, int i, const char* path,
                             cr_error* error) {
  char prefix[32];
  mjsFrame* frame = mjs_addFrame(mjs_findBody(spec, "world"), NULL);
  frame->pos[0] = 1.5 * (i % 5);
  frame->pos[1] = 1.5 * (i / 5);
  (void)snprintf(prefix, sizeof prefix, "copy%d-", i);
  mjsBody* from = mjs_findBody(child, "world");
  for (mjsElement* e = mjs_firstChild(from, mjOBJ_BODY, 0); e != NULL;
       e = mjs_nextChild(from, e, 0)) {
    if (mjs_attach(frame->element, e, prefix, "") == NULL) {
      return refuse(path, mjs_getError(spec), error);
    }
  }
  return CR_OK;
}

cr_status cr_made_copies(mjModel** mj, const char* path, int n, cr_error* error) {
  char text[500] = "";
  mjSpec* spec = mj_parseXML(path, NULL, text, (int)sizeof text);
  mjSpec* child = spec == NULL ? NULL : mj_parseXML(path, NULL, text, (int)sizeof text);
  cr_status status = child == NULL ? refuse(path, text, error) : CR_OK;
  if (status == CR_OK) {
    mjs_setDeepCopy(spec, 1);
  }
  for (int i = 1; i < n && status == CR_OK; i++) {
    status = attach_copy(spec, child, i, path, error);
  }
  if (status == CR_OK) {
    status = compile(mj, spec, path, error);
  } else if (spec != NULL) {
    mj_deleteSpec(spec);
  }
  if (child != NULL) {
    mj_deleteSpec(child);
  }
  return status;
}

cr_status cr_made_chain(mjModel** mj, int n, cr_error* error) {
  mjSpec* spec = mj_makeSpec();
  mjsBody* at = mjs_findBody(spec, "world");
  for (int i = 0; i < n; i++) {
    at = mjs_addBody(at, NULL);
    at->pos[2] = i == 0 ? 0 : -0.1;
    mjsJoint* joint = mjs_addJoint(at, NULL);
    joint->type = mjJNT_HINGE;
    joint->axis[0] = i % 2 == 0 ? 1 : 0;
    joint->axis[1] = i % 2 == 0 ? 0 : 1;
    joint->axis[2] = 0;
    joint->damping[0] = 0.01;
    mjsGeom* geom = mjs_addGeom(at, NULL);
    geom->type = mjGEOM_CAPSULE;
    geom->size[0] = 0.02;
    geom->fromto[0] = geom->fromto[1] = geom->fromto[2] = geom->fromto[3] = geom->fromto[4] = 0;
    geom->fromto[5] = -0.1;
    geom->contype = geom->conaffinity = 0;
  }
  return compile(mj, spec, "chain", error);
}

cr_status cr_made_stack(mjModel** mj, int n, cr_error* error) {
  const double side = 0.1;
  mjSpec* spec = mj_makeSpec();
  mjsBody* world = mjs_findBody(spec, "world");
  mjsGeom* floor = mjs_addGeom(world, NULL);
  floor->type = mjGEOM_PLANE;
  floor->size[0] = floor->size[1] = 0;
  floor->size[2] = 1;
  for (int i = 0; i < n; i++) {
    int tower = i / 10;
    mjsBody* body = mjs_addBody(world, NULL);
    body->pos[0] = 3 * side * (tower % 10);
    body->pos[1] = 3 * side * (tower / 10);
    body->pos[2] = side * (0.5 + i % 10);
    (void)mjs_addFreeJoint(body);
    mjsGeom* geom = mjs_addGeom(body, NULL);
    geom->type = mjGEOM_BOX;
    geom->size[0] = geom->size[1] = geom->size[2] = 0.5 * side;
  }
  return compile(mj, spec, "stack", error);
}
