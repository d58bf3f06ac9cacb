// SPDX-License-Identifier: Apache-2.0
#include "render/picture.h"

#include <math.h>
#include <string.h>

#include "base/real.h"
#include "io/mujoco.h"
#include "view/shown_model.h"
#include "view/shown_motion.h"

enum { MOST_SHAPES = 20000 };

// ---- room

static cr_status make(void* context) {
  cr_picture* p = context;
  p->data = mj_makeData(p->mj);
  mjv_makeScene(p->mj, &p->scene, MOST_SHAPES);
  return p->data != NULL ? CR_OK : CR_ERR_MEMORY;
}

static cr_status start(void* context) {
  cr_picture* p = context;
  p->mj->vis.global.offwidth = p->width;
  p->mj->vis.global.offheight = p->height;
  mjr_makeContext(p->mj, &p->context, mjFONTSCALE_100);
  mjr_setBuffer(mjFB_OFFSCREEN, &p->context);
  return p->context.currentBuffer == mjFB_OFFSCREEN ? CR_OK : CR_ERR_MEMORY;
}

static cr_status told(const cr_picture* p, cr_status status, cr_error* error) {
  return status == CR_ERR_MEMORY
             ? cri_fail(error, status, "rendering: no memory for %d x %d pixels", p->width,
                        p->height)
             : status;
}

cr_status cr_picture_open(cr_picture* p, mjModel* mj, int width, int height, cr_error* error) {
  *p = (cr_picture){.mj = mj, .width = width, .height = height};
  mjv_defaultOption(&p->option);
  mjv_defaultScene(&p->scene);
  mjr_defaultContext(&p->context);
  return told(p, cri_mujoco_guard(make, p, "rendering", error), error);
}

cr_status cr_picture_start(cr_picture* p, cr_error* error) {
  CR_TRY(cr_gl_open(&p->gl, error));
  return told(p, cri_mujoco_guard(start, p, "rendering", error), error);
}

void cr_picture_close(cr_picture* p) {
  if (p->gl != NULL && cr_gl_use(p->gl, NULL) == CR_OK) {
    mjr_freeContext(&p->context);
  }
  mjv_freeScene(&p->scene);
  mj_deleteData(p->data);
  cr_gl_close(p->gl);
  *p = (cr_picture){0};
}

// ---- poses

static void copy(mjtNum* to, const cr_model* m, const cr_data* d, const char* field) {
  int rows, width;
  const cr_real* from = cr_data_numbers(m, d, field, &rows, &width);
  for (int i = 0; from != NULL && i < rows * width; i++) {
    to[i] = (mjtNum)from[i];
  }
}

void cr_picture_pose(const cr_picture* p, const cr_model* m, const cr_data* d) {
  mjData* to = p->data;
  const struct {
    const char* field;
    mjtNum* to;
  } inputs[] = {{"qpos", to->qpos},
                {"act", to->act},
                {"ctrl", to->ctrl},
                {"mocap_pos", to->mocap_pos},
                {"mocap_quat", to->mocap_quat}},
    poses[] = {
        {"xpos", to->xpos},           {"xquat", to->xquat},         {"xmat", to->xmat},
        {"xipos", to->xipos},         {"ximat", to->ximat},         {"geom_xpos", to->geom_xpos},
        {"geom_xmat", to->geom_xmat}, {"site_xpos", to->site_xpos}, {"site_xmat", to->site_xmat}};
  for (size_t i = 0; i < sizeof inputs / sizeof inputs[0]; i++) {
    copy(inputs[i].to, m, d, inputs[i].field);
  }
  mj_kinematics(p->mj, to);
  // a model with changed numbers has other poses than those that libmujoco finds
  for (size_t i = 0; i < sizeof poses / sizeof poses[0]; i++) {
    copy(poses[i].to, m, d, poses[i].field);
  }
  mj_comPos(p->mj, to);
  mj_camlight(p->mj, to);
  mj_flex(p->mj, to);
  mj_tendon(p->mj, to);
}

// ---- shapes

// safe for the colour-blind, as on the pages [Okabe, Ito, Color universal design, 2008]
static void colour_of(float rgba[4], int motion) {
  static const float series[][3] = {{0, 0.447F, 0.698F}, {0.835F, 0.369F, 0},
                                    {0, 0.620F, 0.451F}, {0.8F, 0.475F, 0.655F},
                                    {0.902F, 0.624F, 0}, {0.337F, 0.706F, 0.914F}};
  memcpy(rgba, series[(size_t)motion % (sizeof series / sizeof series[0])], 3 * sizeof *rgba);
  rgba[3] = motion > 0 ? 0.4F : 1;
}

// the colour of a motion for all that moves, from shape `first` on
static void paint(cr_picture* p, int first, int motion) {
  for (int i = first; i < p->scene.ngeom; i++) {
    mjvGeom* g = &p->scene.geoms[i];
    if (g->category == mjCAT_DYNAMIC) {
      float own = g->rgba[3];
      colour_of(g->rgba, motion);
      g->rgba[3] = motion > 0 ? g->rgba[3] : own;
      g->matid = -1;
      g->texid = -1;
      g->transparent = g->rgba[3] < 1;
    }
  }
}

typedef struct {
  cr_picture* p;
  const cr_model* m;
  const cr_data* d;
  mjvCamera* camera;
  unsigned char* rgb;
} call;

static cr_status update(void* context) {
  call* c = context;
  mjvScene* scene = &c->p->scene;
  cr_picture_pose(c->p, c->m, c->d);
  mjv_updateScene(c->p->mj, c->p->data, &c->p->option, NULL, c->camera, mjCAT_ALL, scene);
  // nothing is below a plane that its shadow could reach, but round-off puts dots of it onto the plane
  for (int i = 0; i < scene->ngeom; i++) {
    scene->geoms[i].castshadow = scene->geoms[i].castshadow && scene->geoms[i].type != mjGEOM_PLANE;
  }
  return CR_OK;
}

cr_status cr_picture_begin(cr_picture* p, const cr_model* m, const cr_data* d, mjvCamera* camera,
                           bool coloured, cr_error* error) {
  call c = {.p = p, .m = m, .d = d, .camera = camera};
  CR_TRY(cri_mujoco_guard(update, &c, "rendering", error));
  p->first_force = -1;
  if (coloured) {
    paint(p, 0, 0);
  }
  return CR_OK;
}

static cr_status add(void* context) {
  call* c = context;
  cr_picture_pose(c->p, c->m, c->d);
  mjv_addGeoms(c->p->mj, c->p->data, &c->p->option, NULL, mjCAT_DYNAMIC, &c->p->scene);
  return CR_OK;
}

cr_status cr_picture_add(cr_picture* p, const cr_model* m, const cr_data* d, int i,
                         cr_error* error) {
  call c = {.p = p, .m = m, .d = d};
  int first = p->scene.ngeom;
  CR_TRY(cri_mujoco_guard(add, &c, "rendering", error));
  paint(p, first, i);
  return CR_OK;
}

// ---- forces

// a shape of type `type` from one point to another; nothing where there is no room
static void put(cr_picture* p, int type, mjtNum width, const cr_real from[3], const cr_real to[3],
                const float rgba[4]) {
  if (p->scene.ngeom == p->scene.maxgeom) {
    p->scene.status = 1;
    return;
  }
  mjvGeom* g = &p->scene.geoms[p->scene.ngeom++];
  const mjtNum size[3] = {width, width, width}, a[3] = {from[0], from[1], from[2]},
               b[3] = {to[0], to[1], to[2]};
  mjv_initGeom(g, type, size, a, NULL, rgba);
  if (type != mjGEOM_SPHERE) {
    mjv_connector(g, type, width, a, b);
  }
  g->objtype = mjOBJ_UNKNOWN;
  g->objid = -1;
  g->category = mjCAT_DECOR;
  g->segid = p->scene.ngeom - 1;
  g->emission = 0.5F;
  g->specular = 0;
  g->castshadow = 0;
}

static void put_force(cr_picture* p, const cr_real contact[6], cr_real size, cr_real weight,
                      const float rgba[4]) {
  const cr_real *at = contact, *force = contact + 3;
  cr_real f = sqrt(force[0] * force[0] + force[1] * force[1] + force[2] * force[2]);
  cr_real share = fmin(CR_R(0.4) * f / (weight > 0 ? weight : 1), CR_R(0.8)), end[3];
  put(p, mjGEOM_SPHERE, CR_R(0.012) * size, at, at, rgba);
  for (int k = 0; k < 3; k++) {
    end[k] = at[k] + (f > 0 ? share * size * force[k] / f : 0);
  }
  if (share > CR_R(0.01)) {
    put(p, mjGEOM_ARROW, CR_R(0.01) * size, at, end, rgba);
  }
}

cr_status cr_picture_forces(cr_picture* p, const cr_model* m, const cr_data* d, int i, cr_real size,
                            cr_error* error) {
  float rgba[4] = {0.9F, 0.36F, 0, 1};
  cr_real weight = cr_shown_weight(m);
  p->first_force = p->first_force >= 0 ? p->first_force : p->scene.ngeom;
  if (i > 0) {
    colour_of(rgba, i);
    rgba[3] = 0.7F;
  }
  for (int k = 0; k < cr_contact_count(d); k++) {
    cr_contact c;
    cr_real numbers[6];
    cr_status status = cr_contact_get(m, d, k, &c);
    if (status != CR_OK) {
      return cri_fail(error, status, "%s", cr_data_error(d));
    }
    cr_shown_contact(numbers, m, &c);
    put_force(p, numbers, size, weight, rgba);
  }
  return CR_OK;
}

// how far in front of the camera a shape is
static float depth_of(const mjvGeom* g, const mjvGLCamera* camera) {
  float sum = 0;
  for (int k = 0; k < 3; k++) {
    sum += camera->forward[k] * (g->pos[k] - camera->pos[k]);
  }
  return sum;
}

// Forces are drawn in front of all shapes: scaled about the camera they look the same, and lie behind its nearest plane.
static void pull_forces(cr_picture* p) {
  const mjvGLCamera middle = mjv_averageCamera(&p->scene.camera[0], &p->scene.camera[1]),
                    *camera = &middle;  // of the two eyes
  float least = 0, scale;
  for (int i = p->first_force; i < p->scene.ngeom && i >= 0; i++) {
    float depth = depth_of(&p->scene.geoms[i], camera);
    least = depth > 0 && (least <= 0 || depth < least) ? depth : least;
  }
  scale = 2 * camera->frustum_near / (least > 0 ? least : 1);
  for (int i = p->first_force; i < p->scene.ngeom && i >= 0 && scale < 1; i++) {
    mjvGeom* g = &p->scene.geoms[i];
    for (int k = 0; k < 3; k++) {
      g->pos[k] = camera->pos[k] + scale * (g->pos[k] - camera->pos[k]);
      g->size[k] *= scale;
    }
  }
}

// ---- pixels

static cr_status draw(void* context) {
  call* c = context;
  cr_picture* p = c->p;
  const mjrRect all = {0, 0, p->width, p->height};
  mjr_render(all, &p->scene, &p->context);
  mjr_readPixels(c->rgb, NULL, all, &p->context);
  return CR_OK;
}

// OpenGL begins with the bottom row
static void turn_over(unsigned char* rgb, int width, int height) {
  size_t row = 3 * (size_t)width;
  for (int y = 0; y < height / 2; y++) {
    unsigned char *a = rgb + row * (size_t)y, *b = rgb + row * (size_t)(height - 1 - y);
    for (size_t i = 0; i < row; i++) {
      unsigned char x = a[i];
      a[i] = b[i];
      b[i] = x;
    }
  }
}

cr_status cr_picture_finish(cr_picture* p, unsigned char* rgb, cr_error* error) {
  call c = {.p = p, .rgb = rgb};
  if (p->scene.status != 0) {
    return cri_fail(error, CR_ERR_CAPACITY, "rendering: a picture has room for %d shapes",
                    MOST_SHAPES);
  }
  pull_forces(p);
  CR_TRY(cr_gl_use(p->gl, error));
  CR_TRY(cri_mujoco_guard(draw, &c, "rendering", error));
  turn_over(rgb, p->width, p->height);
  return CR_OK;
}
