// SPDX-License-Identifier: Apache-2.0
// carom render: films and pictures of a model and its motion.
#include <stdio.h>

#include "base/locale.h"
#include "cli/commands.h"
#include "command/interrupt.h"
#include "command/setup.h"
#include "command/shown_files.h"
#include "tools/files.h"
#include "tools/numbered_path.h"
#include "tools/progress.h"

typedef struct {
  cr_text_list files;
  const char *model, *out, *keyframe, *size, *camera, *track, *lookat;
  cr_urdf_words urdf;
  double azimuth, elevation, distance, at, from, to, fps, speed;
  int strip;
  bool forces, force, json;
} render_options;

// options that were given, where their values do not tell
typedef struct {
  bool azimuth, elevation, at, from, to, fps, speed;
} given_options;

typedef struct {
  const render_options* o;
  given_options given;
  cr_shown_files files;
  cr_model* m;
  cr_load_report* report;
  cr_render* render;
  int width, height, done;
  cr_progress progress;
} drawing;

// ---- arguments

static bool is_film(const drawing* r) { return cr_output_is(r->o->out, "mp4"); }

// pictures that a number in their names tells apart
static bool is_numbered(const drawing* r) { return !is_film(r) && cri_path_is_numbered(r->o->out); }

static bool is_one_picture(const drawing* r) {
  return !is_film(r) && !is_numbered(r) && r->o->strip == 0;
}

static cr_status check_output(const drawing* r, cr_error* error) {
  const char* out = r->o->out;
  if (out == NULL) {
    return cri_fail(error, CR_ERR_ARG,
                    "--out is missing; name the file, as --out film.mp4 or --out frame.png");
  }
  return cr_output_check("--out", out, "mp4 png", r->o->force, error);
}

// an option that would do nothing is refused
static cr_status check_use(const drawing* r, cr_error* error) {
  const given_options* g = &r->given;
  const struct {
    const char* name;
    bool given, used;
    const char* needs;
  } uses[] = {
      {"--at", g->at, is_one_picture(r), "is for one picture (.png)"},
      {"--from", g->from, !is_one_picture(r), "is for films and several pictures; --at"},
      {"--to", g->to, !is_one_picture(r), "is for films and several pictures; --at"},
      {"--fps", g->fps, is_film(r) || is_numbered(r), "is for films and numbered pictures"},
      {"--speed", g->speed, is_film(r) || is_numbered(r), "is for films and numbered pictures"}};
  CR_TRY(cr_shown_files_keyframe(&r->files, r->o->keyframe, error));
  for (size_t i = 0; i < sizeof uses / sizeof uses[0]; i++) {
    if (uses[i].given && r->files.nrecording == 0) {
      return cri_fail(error, CR_ERR_ARG, "%s: needs a recording", uses[i].name);
    }
    if (uses[i].given && !uses[i].used) {
      return cri_fail(error, CR_ERR_ARG, "%s with --out %s: it %s", uses[i].name, r->o->out,
                      uses[i].needs);
    }
  }
  if (r->files.nrecording == 0 && !is_one_picture(r)) {
    return cri_fail(error, CR_ERR_ARG, "%s: needs a recording; of a model alone there is a picture",
                    is_film(r) || is_numbered(r) ? r->o->out : "--strip");
  }
  return CR_OK;
}

static cr_status read_size(drawing* r, cr_error* error) {
  char end = 0;
  if (r->o->size == NULL) {
    r->width = 640;
    r->height = 480;
  } else if (sscanf(r->o->size, "%5dx%5d%c", &r->width, &r->height, &end) != 2 || r->width < 1 ||
             r->height < 1) {
    return cri_fail(error, CR_ERR_ARG,
                    "--size %s: a width and a height in pixels expected, as 1280x720", r->o->size);
  }
  return CR_OK;
}

static cr_status read_lookat(cr_real to[3], const char* text, cr_error* error) {
  const char* at = text;
  for (int k = 0; k < 3; k++) {
    char* end = NULL;
    to[k] = cri_number(at, &end);
    if (end == at || *end != (k < 2 ? ',' : 0)) {
      return cri_fail(error, CR_ERR_ARG, "--lookat %s: three numbers expected, as 0,0,0.5", text);
    }
    at = end + 1;
  }
  return CR_OK;
}

// ---- motions

static cr_status open_render(drawing* r, cr_error* error) {
  const render_options* o = r->o;
  cr_real lookat[3], azimuth = o->azimuth, elevation = o->elevation;
  cr_urdf_options urdf;
  CR_TRY(read_size(r, error));
  CR_TRY(o->lookat != NULL ? read_lookat(lookat, o->lookat, error) : CR_OK);
  CR_TRY(cr_urdf_arguments(&urdf, &o->urdf, r->files.model, error));
  CR_TRY(cr_load_report_create(&r->report, error));
  CR_TRY(cr_model_open_report(&r->m, r->files.model, &urdf, r->report, error));
  const cr_render_options options = {.size = sizeof options,
                                     .width = r->width,
                                     .height = r->height,
                                     .camera = o->camera,
                                     .track = o->track,
                                     .azimuth = r->given.azimuth ? &azimuth : NULL,
                                     .elevation = r->given.elevation ? &elevation : NULL,
                                     .lookat = o->lookat != NULL ? lookat : NULL,
                                     .distance = o->distance,
                                     .forces = o->forces};
  return cr_render_create(&r->render, r->m, r->files.model, &urdf, &options, error);
}

static cr_status take_pose(drawing* r, cr_error* error) {
  cr_data* d;
  CR_TRY(cr_shown_pose(&d, r->m, r->o->keyframe, error));
  cr_status status = cr_render_begin(r->render, error);
  status = status == CR_OK ? cr_render_take(r->render, d, error) : status;
  cr_data_destroy(d);
  return status;
}

static cr_status take_motions(drawing* r, cr_error* error) {
  for (int i = 0; i < r->files.nrecording; i++) {
    CR_TRY(cr_render_read(r->render, r->files.recording[i], error));
  }
  return r->files.nrecording > 0 ? CR_OK : take_pose(r, error);
}

// ---- pictures

static void tell_progress(void* context, int done, int all) {
  drawing* r = context;
  r->done = done;
  if (cri_progress_due(&r->progress)) {
    char text[64];
    (void)snprintf(text, sizeof text, "picture %d of %d", done, all);
    cri_progress_left(&r->progress, text, cri_seconds() - r->progress.start, (double)done / all,
                      "");
  }
}

// numbered pictures that are there; the name in --out is that of none
static cr_status check_numbered(const drawing* r, const cr_film_options* film, cr_error* error) {
  int n = is_numbered(r) ? cr_render_frames(r->render, r->o->out, film) : 0;
  for (int k = 0; k < n; k++) {
    char path[CR_MAX_PATH];
    cri_path_number(path, sizeof path, r->o->out, k);
    CR_TRY(cr_output_check("--out", path, NULL, r->o->force, error));
  }
  return CR_OK;
}

static cr_status save(drawing* r, cr_error* error) {
  const render_options* o = r->o;
  const cr_film_options film = {.size = sizeof film,
                                .from = is_one_picture(r) ? o->at : o->from,
                                .to = o->to,
                                .fps = o->fps,
                                .speed = o->speed,
                                .strip = o->strip,
                                .progress = tell_progress,
                                .stop = cr_interrupted,
                                .context = r};
  CR_TRY(check_numbered(r, &film, error));
  cr_interrupt_catch();
  r->progress = cri_progress_begin();
  cr_status status = cr_render_save(r->render, o->out, &film, error);
  cri_progress_end(&r->progress);
  return status;
}

static void print(const drawing* r) {
  const render_options* o = r->o;
  int width = o->strip > 0 ? o->strip * r->width : r->width;
  if (!o->json) {
    (void)printf("Wrote %s (%d picture%s of %d x %d pixels)\n", o->out, r->done,
                 r->done == 1 ? "" : "s", r->width, r->height);
    return;
  }
  cr_json j = {0};
  cr_json_open(&j, NULL, '{');
  cr_json_string(&j, "out", o->out);
  cr_json_int(&j, "pictures", r->done);
  cr_json_int(&j, "width", width);
  cr_json_int(&j, "height", r->height);
  cr_json_close(&j, '}');
  cr_json_finish(&j);
}

static cr_status run(drawing* r, cr_error* error) {
  CR_TRY(cr_shown_files_sort(&r->files, &r->o->files, r->o->model, error));
  CR_TRY(check_output(r, error));
  CR_TRY(check_use(r, error));
  CR_TRY(open_render(r, error));
  CR_TRY(take_motions(r, error));
  CR_TRY(save(r, error));
  print(r);
  return CR_OK;
}

static void free_all(drawing* r) {
  cr_render_destroy(r->render);
  cr_model_destroy(r->m);
  cr_load_report_destroy(r->report);
}

int cr_cli_render(int argc, char** argv) {
  render_options o = {.fps = 30, .speed = 1};
  drawing r = {.o = &o};
  const cr_option rows[] = {
      {"", CR_OPT_LIST, &o.files, "MODEL|FILE.h5",
       "MJCF or URDF file, and recordings of carom rollout --out; the second and later ones are "
       "translucent"},
      {"--model", CR_OPT_TEXT, &o.model, "MODEL", "the model, if it is not among the files"},
      {"--out", CR_OPT_TEXT, &o.out, "FILE.mp4|FILE.png",
       "write a film, a picture, or numbered pictures: frames-%04d.png"},
      {"--strip", CR_OPT_COUNT, &o.strip, "N", "draw N pictures beside each other in one .png"},
      {"--size", CR_OPT_TEXT, &o.size, "WxH", "pixels of a picture (default 640x480)"},
      {"--camera", CR_OPT_TEXT, &o.camera, "NAME",
       "a camera of the model, by name or number (default: one that sees all that moves)"},
      {"--azimuth", CR_OPT_REAL, &o.azimuth, "DEG",
       "the way in which the camera looks, from x to y (default: the model's)"},
      {"--elevation", CR_OPT_REAL, &o.elevation, "DEG",
       "the camera looks down below 0 (default: the model's)"},
      {"--distance", CR_OPT_POSITIVE, &o.distance, "M", "how far away the camera is"},
      {"--lookat", CR_OPT_TEXT, &o.lookat, "X,Y,Z", "the point that the camera looks at"},
      {"--track", CR_OPT_TEXT, &o.track, "BODY", "the camera follows a body"},
      {"--forces", CR_OPT_FLAG, &o.forces, "", "show contact forces"},
      {"--at", CR_OPT_REAL, &o.at, "T",
       "of a recording: draw the picture at T seconds (default 0)"},
      {"--from", CR_OPT_REAL, &o.from, "T", "begin at T seconds (default 0)"},
      {"--to", CR_OPT_POSITIVE, &o.to, "T", "end at T seconds (default: the end)"},
      {"--fps", CR_OPT_POSITIVE, &o.fps, "N", "pictures a second of the film (default 30)"},
      {"--speed", CR_OPT_POSITIVE, &o.speed, "S",
       "seconds of motion in a second of the film (default 1)"},
      {"--keyframe", CR_OPT_TEXT, &o.keyframe, "K",
       "without a recording: show a keyframe, by name or number (default: the reference pose)"},
      CR_URDF_OPTIONS(o.urdf),
      {"--json", CR_OPT_FLAG, &o.json, "", "print one JSON object"},
      CR_FORCE_OPTION(o.force)};
  const cr_command_line line = {
      "render",
      "Draws films and pictures of a model and its motion, as libmujoco shows them.",
      rows,
      (int)(sizeof rows / sizeof rows[0]),
      "--out --strip --size --camera --track --forces --at --speed --force --json",
      {"render examples/arm.xml swing.h5 --out swing.mp4",
       "render examples/arm.xml swing.h5 --strip 4 --size 320x240 --out swing.png"}};
  cr_error error = {0};
  cr_help help = CR_HELP_NONE;
  cr_status status = cr_options_parse(&line, argc, argv, &help, &error);
  if (help != CR_HELP_NONE) {
    cr_options_print_help(&line, help);
    return 0;
  }
  if (status == CR_OK) {
    r.given = (given_options){.azimuth = cr_option_given(argc, argv, "--azimuth"),
                              .elevation = cr_option_given(argc, argv, "--elevation"),
                              .at = cr_option_given(argc, argv, "--at"),
                              .from = cr_option_given(argc, argv, "--from"),
                              .to = cr_option_given(argc, argv, "--to"),
                              .fps = cr_option_given(argc, argv, "--fps"),
                              .speed = cr_option_given(argc, argv, "--speed")};
    status = run(&r, &error);
  }
  int code = status == CR_OK ? 0 : cr_cli_fail("render", o.json, &error, r.report);
  free_all(&r);
  return code;
}
