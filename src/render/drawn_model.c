// SPDX-License-Identifier: Apache-2.0
#include "render/drawn_model.h"

#include <math.h>
#include <string.h>

#include "io/mujoco.h"
#include "io/open.h"
#include "model/file.h"
#include "view/shown_textures.h"

typedef struct {
  const char* source;
  mjSpec* spec;
  mjModel* mj;
  cr_error* error;
} compiled;

// ---- the sky and the light of a model that has none

static bool has_sky(const mjModel* mj) {
  for (int i = 0; i < mj->ntex; i++) {
    if (mj->tex_type[i] == mjTEXTURE_SKYBOX) {
      return true;
    }
  }
  return false;
}

static void add_sky(mjSpec* spec) {
  enum { PIXELS = 8 };
  static const double colour[3] = {0.957, 0.965, 0.973};  // of the pages
  mjsTexture* sky = mjs_addTexture(spec, NULL);
  sky->type = mjTEXTURE_SKYBOX;
  sky->builtin = mjBUILTIN_FLAT;
  sky->width = PIXELS;
  sky->height = 6 * PIXELS;
  memcpy(sky->rgb1, colour, sizeof colour);
  memcpy(sky->rgb2, colour, sizeof colour);
}

static void set_grey(float colour[3], float grey) { colour[0] = colour[1] = colour[2] = grey; }

static const double light_direction[3] = {-0.29, 0.37, -0.88};  // as on the pages
static const char light_name[] = "carom's light";

// from above, with shadows; the headlight fills them
static void add_light(mjSpec* spec) {
  mjsLight* light = mjs_addLight(mjs_findBody(spec, "world"), NULL);
  (void)mjs_setName(light->element, light_name);
  light->type = mjLIGHT_DIRECTIONAL;
  memcpy(light->dir, light_direction, sizeof light_direction);
  set_grey(light->diffuse, 0.5F);
  set_grey(light->specular, 0.2F);
  set_grey(spec->visual.headlight.ambient, 0.35F);
  set_grey(spec->visual.headlight.diffuse, 0.25F);
  set_grey(spec->visual.headlight.specular, 0.1F);
}

static cr_status compile(void* context) {
  compiled* c = context;
  if (!has_sky(c->mj)) {
    add_sky(c->spec);
  }
  if (c->mj->nlight == 0) {
    add_light(c->spec);
  }
  mj_deleteModel(c->mj);
  c->mj = mj_compile(c->spec, NULL);
  return c->mj != NULL
             ? CR_OK
             : cri_fail(c->error, CR_ERR_MODEL, "%s: %s", c->source, mjs_getError(c->spec));
}

// ---- colours and sizes

static bool is_default(const float rgba[4]) {
  return rgba[0] == 0.5F && rgba[1] == 0.5F && rgba[2] == 0.5F;
}

static void set_colours(mjModel* mj) {
  static const float of_body[][3] = {
      {0.56F, 0.66F, 0.78F}, {0.85F, 0.65F, 0.47F}, {0.55F, 0.75F, 0.65F}, {0.79F, 0.64F, 0.74F},
      {0.85F, 0.76F, 0.48F}, {0.61F, 0.77F, 0.84F}, {0.70F, 0.63F, 0.55F}, {0.64F, 0.69F, 0.54F}};
  static const float still[3] = {0.8F, 0.82F, 0.84F};
  enum { N = sizeof of_body / sizeof of_body[0] };
  for (int i = 0; i < mj->ngeom; i++) {
    int body = mj->geom_bodyid[i];
    if (mj->geom_matid[i] < 0 && is_default(mj->geom_rgba + 4 * (ptrdiff_t)i)) {
      memcpy(mj->geom_rgba + 4 * (ptrdiff_t)i, body == 0 ? still : of_body[body % N], sizeof still);
    }
  }
}

// meshes and height fields are drawn from their own points
static void set_sizes(mjModel* mj, const cr_model* m) {
  const cr_real* size = cr_model_numbers(m, "geom_size", NULL, NULL);
  for (int i = 0; i < mj->ngeom; i++) {
    bool shaped = mj->geom_type[i] != mjGEOM_MESH && mj->geom_type[i] != mjGEOM_HFIELD;
    for (int k = 0; k < 3 && shaped; k++) {
      mj->geom_size[3 * (ptrdiff_t)i + k] = (mjtNum)size[3 * (ptrdiff_t)i + k];
    }
  }
}

// ---- all of it

static cr_status make(compiled* c, const cr_model* m, const cr_urdf_options* urdf,
                      cr_load_report* report) {
  CR_TRY(cri_mjspec_open(&c->spec, &c->mj, c->source, urdf, report, c->error));
  CR_TRY(cr_same_geoms(c->mj, m, c->source, c->error));
  if (!has_sky(c->mj) || c->mj->nlight == 0) {
    CR_TRY(cri_mujoco_guard(compile, c, c->source, c->error));
  }
  set_colours(c->mj);
  set_sizes(c->mj, m);
  return CR_OK;
}

cr_status cr_drawn_model(mjModel** mj, const cr_model* m, const char* source,
                         const cr_urdf_options* urdf, cr_error* error) {
  if (cri_model_file_is(source)) {
    return cri_fail(error, CR_ERR_ARG,
                    "%s: a Carom model file holds no lights, materials and textures; name the MJCF "
                    "or URDF file of which it was made",
                    source);
  }
  cr_load_report report = {0};
  compiled c = {.source = source, .error = error};
  cr_status status = make(&c, m, urdf, &report);
  cri_load_report_free(&report);
  mj_deleteSpec(c.spec);
  if (status != CR_OK) {
    mj_deleteModel(c.mj);
    return status;
  }
  *mj = c.mj;
  return CR_OK;
}

void cr_drawn_model_reach(mjModel* mj, const cr_real centre[3], cr_real size) {
  int light = mj_name2id(mj, mjOBJ_LIGHT, light_name);
  mj->stat.extent = fmax(mj->stat.extent, (mjtNum)size);
  for (int k = 0; k < 3 && light >= 0; k++) {
    mj->light_pos[3 * light + k] = centre[k] - mj->stat.extent * light_direction[k];
  }
}
