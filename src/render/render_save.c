// SPDX-License-Identifier: Apache-2.0
// Files of pictures: a film, one picture, a strip, or numbered pictures.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/real.h"
#include "model/misuse.h"
#include "render/rendering.h"
#include "tools/film.h"
#include "tools/numbered_path.h"
#include "tools/png.h"

typedef enum { FILM, PICTURE, STRIP, NUMBERED } kind_of_file;

// which pictures go where
typedef struct {
  kind_of_file kind;
  const char* path;
  int n;
  cr_real from, step;  // picture k is of time from + k step
  cr_real fps;
} plan;

// ---- names

static bool ends_in(const char* path, const char* ending) {
  size_t n = strlen(path), m = strlen(ending);
  return n > m && strcmp(path + n - m, ending) == 0;
}

static cr_status find_kind(plan* p, const cr_film_options* o, cr_error* error) {
  bool film = ends_in(p->path, ".mp4"), numbered = cri_path_is_numbered(p->path);
  if (!film && !ends_in(p->path, ".png")) {
    return cri_fail(error, CR_ERR_ARG, "%s: a name that ends in .mp4 or .png is expected", p->path);
  }
  if (!film && numbered && !cri_path_number_is_right(p->path)) {
    return cri_fail(error, CR_ERR_ARG, "%s: one %%d, or %%04d, gives pictures their numbers",
                    p->path);
  }
  if (o->strip > 0 && (film || numbered)) {
    return cri_fail(error, CR_ERR_ARG, "%s: a strip is one .png file", p->path);
  }
  p->kind = film ? FILM : numbered ? NUMBERED : o->strip > 0 ? STRIP : PICTURE;
  return CR_OK;
}

// ---- times

static cr_status check_times(const cr_render* r, const cr_film_options* o, cr_error* error) {
  const cr_real end = cr_render_time(r), slack = CR_R(1e-9) * (1 + end);
  if (!(o->fps >= 0) || !(o->speed >= 0) || o->strip < 0 || !isfinite(o->fps) ||
      !isfinite(o->speed)) {
    return cri_fail(error, CR_ERR_ARG,
                    "%.9g pictures a second, speed %.9g, strip %d: positive numbers expected",
                    (double)o->fps, (double)o->speed, o->strip);
  }
  if (!(o->from >= 0 && o->from <= end + slack)) {
    return cri_fail(error, CR_ERR_ARG, "a picture at %.9g s: the motion takes %.9g s",
                    (double)o->from, (double)end);
  }
  if (o->to != 0 && !(o->to >= o->from && o->to <= end + slack)) {
    return cri_fail(error, CR_ERR_ARG, "pictures to %.9g s: a time from %.9g s to %.9g s expected",
                    (double)o->to, (double)o->from, (double)end);
  }
  return CR_OK;
}

static cr_status fill(plan* p, const cr_render* r, const cr_film_options* o, cr_error* error) {
  enum { MOST_PICTURES = 10000000, MOST_PIXELS = 65535 };
  const cr_real fps = o->fps > 0 ? o->fps : 30, speed = o->speed > 0 ? o->speed : 1;
  const cr_real time = (o->to != 0 ? o->to : cr_render_time(r)) - o->from;
  p->from = o->from;
  p->fps = fps;
  p->step = speed / fps;
  p->n = 1;
  if (p->kind == STRIP) {
    p->n = o->strip;
    p->step = p->n > 1 ? time / (p->n - 1) : 0;
    if (o->strip > MOST_PIXELS / r->width) {
      return cri_fail(error, CR_ERR_ARG, "%s: %d pictures of %d pixels are wider than %d", p->path,
                      p->n, r->width, MOST_PIXELS);
    }
  } else if (p->kind != PICTURE) {
    cr_real n = floor(time / p->step + CR_R(1e-6)) + 1;
    if (!(n <= MOST_PICTURES)) {
      return cri_fail(error, CR_ERR_ARG, "%s: %.9g pictures are too many", p->path, (double)n);
    }
    p->n = (int)n;
  }
  return p->kind == FILM && !(time > 0)
             ? cri_fail(error, CR_ERR_ARG, "%s: a film needs a motion that takes time", p->path)
             : CR_OK;
}

static cr_status make_plan(plan* p, const cr_render* r, const char* path, const cr_film_options* o,
                           cr_error* error) {
  *p = (plan){.path = path};
  CR_TRY(cr_rendering_check(r, error));
  CR_TRY(find_kind(p, o, error));
  CR_TRY(check_times(r, o, error));
  return fill(p, r, o, error);
}

// ---- pictures

// one picture, and the file that it goes into
typedef struct {
  cr_render* r;
  const plan* p;
  unsigned char *rgb, *strip;
  cri_film film;
} work;

static cr_status put_picture(work* w, int k, cr_error* error) {
  const plan* p = w->p;
  const cr_render* r = w->r;
  char path[CR_MAX_PATH];
  size_t row = 3 * (size_t)r->width;
  switch (p->kind) {
    case FILM:
      return cri_film_add(&w->film, w->rgb, error);
    case PICTURE:
      return cri_png_write(p->path, w->rgb, r->width, r->height, 3, error);
    case NUMBERED:
      cri_path_number(path, sizeof path, p->path, k);
      return cri_png_write(path, w->rgb, r->width, r->height, 3, error);
    default:
      for (int y = 0; y < r->height; y++) {
        memcpy(w->strip + row * ((size_t)y * (size_t)p->n + (size_t)k), w->rgb + row * (size_t)y,
               row);
      }
      return CR_OK;
  }
}

static cr_status draw_all(work* w, const cr_film_options* o, cr_error* error) {
  for (int k = 0; k < w->p->n; k++) {
    if (o->stop != NULL && o->stop(o->context)) {
      return cri_fail(error, CR_ERR_INTERRUPTED, "interrupted");
    }
    CR_TRY(cr_rendering_draw(w->r, w->p->from + k * w->p->step, w->rgb, error));
    CR_TRY(put_picture(w, k, error));
    if (o->progress != NULL) {
      o->progress(o->context, k + 1, w->p->n);
    }
  }
  return w->strip == NULL
             ? CR_OK
             : cri_png_write(w->p->path, w->strip, w->p->n * w->r->width, w->r->height, 3, error);
}

static cr_status make_film(work* w, const cr_film_options* o, cr_error* error) {
  CR_TRY(cri_film_begin(&w->film, w->p->path, w->r->width, w->r->height, (double)w->p->fps, error));
  cr_status status = draw_all(w, o, error);
  cr_status ended = cri_film_end(&w->film, status == CR_OK, error);
  return status != CR_OK ? status : ended;
}

cr_status cr_render_save(cr_render* r, const char* path, const cr_film_options* o,
                         cr_error* error) {
  const cri_call call = {"cr_render_save", error};
  CR_TRY(cri_given(&call, r, "the rendering"));
  CR_TRY(cri_given(&call, path, "the path"));
  CR_TRY(cri_given(&call, o, "options"));
  CR_TRY(cri_check_size(&call, o->size, sizeof *o, "cr_film_options"));
  plan p;
  CR_TRY(make_plan(&p, r, path, o, error));
  size_t bytes = 3 * (size_t)r->width * (size_t)r->height;
  work w = {.r = r, .p = &p, .rgb = malloc(bytes)};
  w.strip = p.kind == STRIP ? malloc(bytes * (size_t)p.n) : NULL;
  cr_status status = w.rgb == NULL || (p.kind == STRIP && w.strip == NULL)
                         ? cri_fail(error, CR_ERR_MEMORY, "%s: no memory for the pictures", path)
                     : p.kind == FILM ? make_film(&w, o, error)
                                      : draw_all(&w, o, error);
  free(w.rgb);
  free(w.strip);
  // an interrupt may end ffmpeg first
  return status != CR_OK && o->stop != NULL && o->stop(o->context)
             ? cri_fail(error, CR_ERR_INTERRUPTED, "interrupted")
             : status;
}

int cr_render_frames(const cr_render* r, const char* path, const cr_film_options* o) {
  plan p;
  bool usable = r != NULL && path != NULL && o != NULL && o->size >= sizeof *o;
  return usable && make_plan(&p, r, path, o, NULL) == CR_OK ? p.n : -1;
}
