// SPDX-License-Identifier: Apache-2.0
#include "carom/view.h"

#include <stdlib.h>
#include <string.h>

#include "carom/mujoco.h"
#include "model/file.h"
#include "model/misuse.h"
#include "tools/report_page.h"
#include "view/live_page.h"
#include "view/recorded_motion.h"
#include "view/shown_model.h"
#include "view/shown_textures.h"
#include "view/view_assets.h"

struct cr_view {
  const cr_model* m;
  char *title, **plots;
  cr_plotted plotted;
  int triangles;
  mjModel* mj;  // with the textures; NULL: without
  cr_shown_motion** motions;
  int n, room;
  cr_live_page* live;  // NULL: the page plays motions
};

// ---- creation

static char* copy_text(const char* text) {
  size_t n = strlen(text != NULL ? text : "") + 1;
  char* copy = calloc(n, 1);
  if (copy != NULL && text != NULL) {
    memcpy(copy, text, n);
  }
  return copy;
}

// a Carom model file has no textures
static cr_status read_textures(cr_view* v, const cr_view_options* o, cr_error* error) {
  if (o->source == NULL || cri_model_file_is(o->source)) {
    return CR_OK;
  }
  CR_TRY(cr_mujoco_compile(&v->mj, o->source, o->urdf, NULL, error));
  return cr_same_geoms(v->mj, v->m, o->source, error);
}

static cr_status fill(cr_view* v, const cr_view_options* o, cr_error* error) {
  v->triangles = o->triangles > 0 ? o->triangles : 150000;
  v->title = copy_text(o->title);
  v->plots = calloc((size_t)o->nplot + 1, sizeof *v->plots);
  bool made = v->title != NULL && v->plots != NULL;
  for (int i = 0; i < o->nplot && made; i++) {
    v->plots[i] = copy_text(o->plots[i]);
    made = v->plots[i] != NULL;
    v->plotted.n = i + 1;
  }
  v->plotted.names = (const char* const*)v->plots;
  CR_TRY(made ? cr_plotted_check(v->m, &v->plotted, error)
              : cri_fail(error, CR_ERR_MEMORY, "view: no memory"));
  return read_textures(v, o, error);
}

cr_status cr_view_create(cr_view** view, const cr_model* m, const cr_view_options* o,
                         cr_error* error) {
  const cri_call call = {"cr_view_create", error};
  CR_TRY(cri_given(&call, view, "where the view goes"));
  CR_TRY(cri_given(&call, m, "the model"));
  CR_TRY(cri_given(&call, o, "options"));
  CR_TRY(cri_check_size(&call, o->size, sizeof *o, "cr_view_options"));
  if (o->nplot < 0 || o->triangles < 0) {
    return cri_fail(error, CR_ERR_ARG, "view: %d plots, %d triangles", o->nplot, o->triangles);
  }
  CR_TRY(o->urdf != NULL ? cri_check_size(&call, o->urdf->size, sizeof *o->urdf, "cr_urdf_options")
                         : CR_OK);
  CR_TRY(o->nplot > 0 ? cri_given(&call, o->plots, "plots") : CR_OK);
  for (int i = 0; i < o->nplot; i++) {
    CR_TRY(cri_given(&call, o->plots[i], "a plot"));
  }
  cr_view* v = calloc(1, sizeof *v);
  if (v == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "view: no memory");
  }
  v->m = m;
  cr_status status = fill(v, o, error);
  if (status != CR_OK) {
    cr_view_destroy(v);
    return status;
  }
  *view = v;
  return CR_OK;
}

static void free_motion(cr_shown_motion* motion) {
  if (motion != NULL) {
    free((char*)(uintptr_t)motion->name);
    cr_shown_motion_free(motion);
    free(motion);
  }
}

void cr_view_destroy(cr_view* v) {
  if (v == NULL) {
    return;
  }
  for (int i = 0; i < v->n; i++) {
    free_motion(v->motions[i]);
  }
  for (int i = 0; i < v->plotted.n; i++) {
    free(v->plots[i]);
  }
  cr_live_page_free(v->live);
  mj_deleteModel(v->mj);
  free(v->motions);
  free(v->plots);
  free(v->title);
  free(v);
}

// ---- motions

static cr_status add(cr_view* v, const cr_model* m, const char* name, bool bare, cr_error* error) {
  if (v->n == v->room) {
    int room = 2 * v->room + 4;
    cr_shown_motion** larger = realloc(v->motions, (size_t)room * sizeof *larger);
    if (larger == NULL) {
      return cri_fail(error, CR_ERR_MEMORY, "view: no memory for %d motions", room);
    }
    v->motions = larger;
    v->room = room;
  }
  cr_shown_motion* motion = calloc(1, sizeof *motion);
  char* copy = copy_text(name);
  if (motion == NULL || copy == NULL) {
    free(motion);
    free(copy);
    return cri_fail(error, CR_ERR_MEMORY, "view: no memory for a motion");
  }
  cr_shown_motion_make(motion, m, copy, &v->plotted);
  motion->bare = bare;
  v->motions[v->n++] = motion;
  return CR_OK;
}

static cr_status check_plays(const cri_call* call, const cr_view* v) {
  return v->live == NULL ? CR_OK
                         : cri_fail(call->error, CR_ERR_ARG,
                                    "%s: the page is live and takes no motions", call->name);
}

cr_status cr_view_begin(cr_view* v, const cr_view_motion* motion, cr_error* error) {
  const cri_call call = {"cr_view_begin", error};
  CR_TRY(cri_given(&call, v, "the view"));
  CR_TRY(check_plays(&call, v));
  CR_TRY(cri_given(&call, motion, "the motion"));
  CR_TRY(cri_check_size(&call, motion->size, sizeof *motion, "cr_view_motion"));
  const cr_model* m = motion->model != NULL ? motion->model : v->m;
  static const char* const counts[] = {"nbody", "ngeom", "ntendon", "nq", "nv"};
  for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
    int n = cr_model_count(m, counts[i]), needed = cr_model_count(v->m, counts[i]);
    if (n != needed) {
      return cri_fail(error, CR_ERR_ARG,
                      "cr_view_begin: the motion's model has %s %d, the page's %d: it is another "
                      "model",
                      counts[i], n, needed);
    }
  }
  return add(v, m, motion->name, motion->no_contacts, error);
}

cr_status cr_view_take(cr_view* v, cr_data* d, cr_error* error) {
  const cri_call call = {"cr_view_take", error};
  CR_TRY(cri_given(&call, v, "the view"));
  CR_TRY(cri_given(&call, d, "the state"));
  CR_TRY(check_plays(&call, v));
  if (v->n == 0) {
    return cri_fail(error, CR_ERR_ARG, "cr_view_take: no motion has begun; call cr_view_begin");
  }
  cr_shown_motion* motion = v->motions[v->n - 1];
  CR_TRY(cri_check_data(&call, motion->m, d, CR_DATA_PLAIN, "the state"));
  return cr_shown_motion_take(motion, d, error);
}

static const char* file_name(const char* path) {
  const char* slash = strrchr(path, '/');
  return slash == NULL ? path : slash + 1;
}

cr_status cr_view_read(cr_view* v, const char* path, const char* name, cr_real fps,
                       cr_error* error) {
  const cri_call call = {"cr_view_read", error};
  CR_TRY(cri_given(&call, v, "the view"));
  CR_TRY(cri_given(&call, path, "the path"));
  CR_TRY(check_plays(&call, v));
  if (!(fps >= 0)) {
    return cri_fail(error, CR_ERR_ARG, "cr_view_read: %.9g states a second", (double)fps);
  }
  CR_TRY(add(v, v->m, name != NULL ? name : file_name(path), false, error));
  cr_status status =
      cr_recorded_motion(v->motions[v->n - 1], path, fps > 0 ? (double)fps : 50, error);
  if (status != CR_OK) {
    free_motion(v->motions[--v->n]);
  }
  return status;
}

static cr_status check_live(const cri_call* call, const cr_view* v, const cr_data* d,
                            const cr_view_live* live) {
  CR_TRY(cri_given(call, v, "the view"));
  CR_TRY(cri_given(call, d, "the state"));
  CR_TRY(cri_given(call, live, "options"));
  CR_TRY(cri_check_size(call, live->size, sizeof *live, "cr_view_live"));
  if (live->nparameter < 0) {
    return cri_fail(call->error, CR_ERR_ARG, "%s: %d parameters", call->name, live->nparameter);
  }
  CR_TRY(live->nparameter > 0 ? cri_given(call, live->parameters, "parameters") : CR_OK);
  for (int i = 0; i < live->nparameter; i++) {
    CR_TRY(cri_given(call, live->parameters[i], "a parameter"));
  }
  if (v->n > 0 || v->plotted.n > 0) {
    return cri_fail(call->error, CR_ERR_ARG, "%s: the page has %s", call->name,
                    v->n > 0 ? "motions" : "plots, which a live page does not draw");
  }
  return cri_check_data(call, v->m, d, CR_DATA_PLAIN, "the state");
}

cr_status cr_view_set_live(cr_view* v, cr_data* d, const cr_view_live* live, cr_error* error) {
  const cri_call call = {"cr_view_set_live", error};
  CR_TRY(check_live(&call, v, d, live));
  cr_live_page* page = NULL;
  CR_TRY(cr_live_page_create(&page, v->m, d, live, error));
  cr_status status = add(v, v->m, "", false, error);
  if (status == CR_OK) {
    v->motions[0]->no_surface = true;
    status = cr_shown_motion_take(v->motions[0], d, error);
    if (status != CR_OK) {
      free_motion(v->motions[--v->n]);
    }
  }
  if (status != CR_OK) {
    cr_live_page_free(page);
    return status;
  }
  v->live = page;
  return CR_OK;
}

int cr_view_states(const cr_view* v, int i) {
  return v != NULL && i >= 0 && i < v->n ? v->motions[i]->nframe : -1;
}

// ---- the page

static void put_data(cr_json* j, const cr_view* v) {
  enum { FORMAT = 1 };
  cr_json_open(j, NULL, '{');
  cr_json_int(j, "format", FORMAT);
  cr_json_string(j, "carom", cr_version());
  cr_json_string(j, "model", v->title);
  cr_shown_model(j, v->m, v->triangles);
  cr_shown_textures(j, v->mj);
  cr_plotted_put(j, v->m, &v->plotted);
  cr_json_open(j, "motions", '[');
  for (int i = 0; i < v->n; i++) {
    cr_shown_motion_put(j, v->m, v->motions[i]);
  }
  cr_json_close(j, ']');
  if (v->live != NULL) {
    cr_live_page_put(j, v->m, v->live);
  }
  cr_json_close(j, '}');
}

// a name may hold "</script>": in JSON a '<' may be written as an escape
static void put_json(cr_page* p, const char* text) {
  while (*text != 0) {
    int plain = (int)strcspn(text, "<");
    cr_page_put(p, "%.*s%s", plain, text, text[plain] == '<' ? "\\u003c" : "");
    text += plain + (text[plain] == '<');
  }
}

static cr_status write_page(const cr_view* v, const char* path, cr_error* error) {
  cr_json j = {0};
  cr_page p = {0};
  put_data(&j, v);
  p.failed = j.failed;
  cr_page_put(&p,
              "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
              "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>");
  cr_page_escaped(&p, v->title);
  cr_page_put(&p, "</title>\n<link rel=\"icon\" href=\"data:,\">\n<style>\n%s</style>\n</head>\n",
              cr_view_style);
  cr_page_put(&p, "<body>\n%s<script type=\"application/json\" id=\"carom-data\">", cr_view_body);
  put_json(&p, j.failed ? "" : j.text);
  cr_page_put(&p, "</script>\n<script type=\"module\">\n%s</script>\n</body>\n</html>\n",
              cr_view_script);
  cr_json_free(&j);
  return cr_page_save(&p, "", path, error);
}

cr_status cr_view_save(cr_view* v, const char* path, cr_error* error) {
  const cri_call call = {"cr_view_save", error};
  CR_TRY(cri_given(&call, v, "the view"));
  CR_TRY(cri_given(&call, path, "the path"));
  if (v->n == 0) {
    return cri_fail(error, CR_ERR_ARG, "cr_view_save: there is no motion to show");
  }
  for (int i = 0; i < v->n; i++) {
    if (v->motions[i]->nframe == 0) {
      return cri_fail(error, CR_ERR_ARG, "cr_view_save: motion %d '%s' has no state", i,
                      v->motions[i]->name);
    }
  }
  return write_page(v, path, error);
}
