// SPDX-License-Identifier: Apache-2.0
#include "view/shown_textures.h"

#include <stdlib.h>

#include "io/mujoco.h"
#include "tools/png.h"
#include "view/packed.h"

// pixels, row after row; a cube has its six faces below each other
typedef struct {
  unsigned char* at;
  int width, height, channels;
} pixels;

// ---- pixels

typedef struct {
  const mjModel* mj;
  int texture;
  mjtByte* data;
} loading;

static cr_status load(void* context) {
  loading* c = context;
  return mj_loadTexture(c->mj, c->texture, &c->data, NULL, NULL, NULL, NULL, 0) == 0 ? CR_OK
                                                                                     : CR_ERR_FILE;
}

// the mean of f x f pixels for each one
static void shrink(pixels* p, int f) {
  int width = p->width / f, height = p->height / f, n = p->channels;
  for (int i = 0; i < width * height * n; i++) {
    int c = i % n, x = i / n % width, y = i / n / width;
    long sum = 0;
    for (int k = 0; k < f * f; k++) {
      sum += p->at[((ptrdiff_t)(y * f + k / f) * p->width + x * f + k % f) * n + c];
    }
    p->at[i] = (unsigned char)((sum + f * f / 2) / (f * f));
  }
  p->width = width;
  p->height = height;
}

// false where it cannot be read, or has a form that the page does not know
static bool read_texture(pixels* p, const mjModel* mj, int texture) {
  bool cube = mj->tex_type[texture] == mjTEXTURE_CUBE;
  loading c = {.mj = mj, .texture = texture};
  cr_error ignored = {0};
  *p = (pixels){.width = mj->tex_width[texture],
                .height = mj->tex_height[texture],
                .channels = mj->tex_nchannel[texture]};
  bool known = p->channels == 1 || p->channels == 3 || p->channels == 4;
  if (!known || cri_mujoco_guard(load, &c, "texture", &ignored) != CR_OK) {
    return false;
  }
  p->at = c.data;
  int longest = cube || p->width > p->height ? p->width : p->height;
  int most = cube ? CR_CUBE_PIXELS : CR_TEXTURE_PIXELS;
  // each face of a cube keeps its own pixels
  int f = (longest + most - 1) / most;
  while (cube && p->width % f != 0) {
    f++;
  }
  if (f > 1) {
    shrink(p, f);
  }
  return true;
}

static void mean_of(cr_real mean[3], const pixels* p) {
  ptrdiff_t n = (ptrdiff_t)p->width * p->height;
  for (int c = 0; c < 3; c++) {
    double sum = 0;
    for (ptrdiff_t i = 0; i < n; i++) {
      sum += p->at[i * p->channels + (p->channels > 2 ? c : 0)];
    }
    mean[c] = sum / (double)n / 255;
  }
}

// ---- which geom has which

// the texture of a geom that a page may show; -1: none
static int texture_of(const mjModel* mj, int geom) {
  int material = mj->geom_matid[geom], texture = -1;
  if (material >= 0) {
    const int* roles = mj->mat_texid + (ptrdiff_t)mjNTEXROLE * material;
    texture = roles[mjTEXROLE_RGB] >= 0 ? roles[mjTEXROLE_RGB] : roles[mjTEXROLE_RGBA];
  }
  bool shown = texture >= 0 &&
               (mj->tex_type[texture] == mjTEXTURE_2D || mj->tex_type[texture] == mjTEXTURE_CUBE);
  return shown ? texture : -1;
}

// whether a 2d texture has its place on this shape without coordinates of its own
static bool is_flat(int type) {
  return type == mjGEOM_PLANE || type == mjGEOM_HFIELD || type == mjGEOM_BOX;
}

static bool is_mapped(const mjModel* mj, int geom, int texture) {
  return mj->tex_type[texture] == mjTEXTURE_CUBE || is_flat(mj->geom_type[geom]);
}

// ---- output

static void put_texture(cr_json* j, const mjModel* mj, int texture, const pixels* p) {
  unsigned char* data = NULL;
  size_t n = 0;
  cr_error error = {0};
  if (cri_png_encode(&data, &n, p->at, p->width, p->height, p->channels, &error) != CR_OK) {
    j->failed = true;
    return;
  }
  cr_json_open(j, NULL, '{');
  cr_json_string(j, "type", mj->tex_type[texture] == mjTEXTURE_CUBE ? "cube" : "2d");
  cr_packed_bytes(j, "png", data, n);
  cr_json_close(j, '}');
  free(data);
}

typedef struct {
  int* shown;          // of each texture its number in the page, -1: it is not there
  cr_real (*mean)[3];  // and its mean colour
  bool* read;
} table;

static void put_textures(cr_json* j, const mjModel* mj, const table* t) {
  int n = 0;
  cr_json_open(j, "textures", '[');
  for (int i = 0; i < mj->ngeom; i++) {
    int texture = texture_of(mj, i);
    pixels p = {0};
    if (texture < 0 || (t->shown[texture] >= 0) ||
        (t->read[texture] && !is_mapped(mj, i, texture)) || !read_texture(&p, mj, texture)) {
      continue;
    }
    t->read[texture] = true;
    mean_of(t->mean[texture], &p);
    if (is_mapped(mj, i, texture)) {
      put_texture(j, mj, texture, &p);
      t->shown[texture] = n++;
    }
    mju_free(p.at);
  }
  cr_json_close(j, ']');
}

static void put_looks(cr_json* j, const mjModel* mj, const table* t) {
  cr_json_open(j, "looks", '[');
  for (int i = 0; i < mj->ngeom; i++) {
    int texture = texture_of(mj, i);
    if (texture < 0 || !t->read[texture]) {
      continue;
    }
    const float* repeat = mj->mat_texrepeat + 2 * (ptrdiff_t)mj->geom_matid[i];
    const cr_real twice[2] = {(cr_real)repeat[0], (cr_real)repeat[1]};
    cr_json_open(j, NULL, '{');
    cr_json_int(j, "geom", i);
    if (is_mapped(mj, i, texture)) {
      cr_json_int(j, "texture", t->shown[texture]);
      cr_json_reals(j, "repeat", twice, 2);
      cr_json_bool(j, "uniform", mj->mat_texuniform[mj->geom_matid[i]] != 0);
    } else {
      cr_json_reals(j, "mean", t->mean[texture], 3);
    }
    cr_json_close(j, '}');
  }
  cr_json_close(j, ']');
}

void cr_shown_textures(cr_json* j, const mjModel* mj) {
  size_t n = mj != NULL ? (size_t)mj->ntex : 0;
  table t = {.shown = malloc((n + 1) * sizeof *t.shown),
             .mean = calloc(n + 1, sizeof *t.mean),
             .read = calloc(n + 1, sizeof *t.read)};
  bool made = t.shown != NULL && t.mean != NULL && t.read != NULL;
  j->failed = j->failed || !made;
  for (size_t i = 0; i < n && made; i++) {
    t.shown[i] = -1;
  }
  if (mj != NULL && made) {
    put_textures(j, mj, &t);
    put_looks(j, mj, &t);
  } else {
    cr_json_open(j, "textures", '[');
    cr_json_close(j, ']');
    cr_json_open(j, "looks", '[');
    cr_json_close(j, ']');
  }
  free(t.shown);
  free(t.mean);
  free(t.read);
}

cr_status cr_same_geoms(const mjModel* mj, const cr_model* m, const char* source, cr_error* error) {
  const struct {
    const char* name;
    mjtSize n;
  } counts[] = {{"nbody", mj->nbody}, {"ngeom", mj->ngeom}, {"nsite", mj->nsite},
                {"nq", mj->nq},       {"nv", mj->nv},       {"ntendon", mj->ntendon}};
  for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
    int needed = cr_model_count(m, counts[i].name);
    if (counts[i].n != needed) {
      return cri_fail(error, CR_ERR_ARG, "%s: it has %s %d, the model %d: it is another model",
                      source, counts[i].name, (int)counts[i].n, needed);
    }
  }
  return CR_OK;
}
