// SPDX-License-Identifier: Apache-2.0
// carom view: a page that shows a model and its motion in a browser, or simulates it there.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/locale.h"
#include "cli/commands.h"
#include "command/setup.h"
#include "command/shown_files.h"
#include "tools/files.h"

typedef struct {
  cr_text_list files, plot, parameters;
  const char *model, *out, *keyframe, *body;
  cr_urdf_words urdf;
  double fps, ahead;
  int triangles;
  bool live, force, json;
} view_options;

// the sliders of a live page
typedef struct {
  char* text;  // all names
  const char* names[CR_MAX_LIST];
  cr_real low[CR_MAX_LIST], high[CR_MAX_LIST];
} sliders;

typedef struct {
  const view_options* o;
  cr_shown_files files;
  cr_model* m;
  cr_load_report* report;
  cr_view* page;
} view;

// ---- arguments

static cr_status check_output(const view* v, cr_error* error) {
  const char* out = v->o->out;
  if (out == NULL) {
    return cri_fail(error, CR_ERR_ARG, "--out is missing; name the page, as --out page.html");
  }
  return cr_output_check("--out", out, "html htm", v->o->force, error);
}

// an option that only a live page has, or that it has not
static cr_status check_live(const view* v, cr_error* error) {
  const view_options* o = v->o;
  if (o->live && v->files.nrecording > 0) {
    return cri_fail(error, CR_ERR_ARG, "--live: the page simulates; leave %s out",
                    v->files.recording[0]);
  }
  if (o->live && o->plot.n > 0) {
    return cri_fail(error, CR_ERR_ARG, "--plot: needs a recording; a live page has no plots");
  }
  if (!o->live && (o->parameters.n > 0 || o->body != NULL || o->ahead > 0)) {
    return cri_fail(error, CR_ERR_ARG, "%s: needs --live",
                    o->parameters.n > 0 ? "--parameter" : (o->body != NULL ? "--body" : "--ahead"));
  }
  return CR_OK;
}

// an option that would do nothing is refused
static cr_status check_use(const view* v, bool fps_given, cr_error* error) {
  CR_TRY(check_live(v, error));
  CR_TRY(cr_shown_files_keyframe(&v->files, v->o->keyframe, error));
  if (v->files.nrecording == 0 && (v->o->plot.n > 0 || fps_given)) {
    return cri_fail(error, CR_ERR_ARG, "%s: needs a recording",
                    v->o->plot.n > 0 ? "--plot" : "--fps");
  }
  return CR_OK;
}

// ---- motions

static cr_status open_model(view* v, cr_error* error) {
  cr_urdf_options urdf;
  CR_TRY(cr_urdf_arguments(&urdf, &v->o->urdf, v->files.model, error));
  CR_TRY(cr_load_report_create(&v->report, error));
  CR_TRY(cr_model_open_report(&v->m, v->files.model, &urdf, v->report, error));
  const cr_view_options options = {.size = sizeof options,
                                   .title = cr_base_name(v->files.model),
                                   .plots = v->o->plot.text,
                                   .nplot = v->o->plot.n,
                                   .triangles = v->o->triangles,
                                   .source = v->files.model,
                                   .urdf = &urdf};
  return cr_view_create(&v->page, v->m, &options, error);
}

// NAME[=LOW:HIGH]; `name` is a copy that may be cut
static cr_status read_slider(char* name, cr_real* low, cr_real* high, cr_error* error) {
  char* words = strrchr(name, '=');
  if (words == NULL) {
    return CR_OK;
  }
  *words++ = 0;
  char *colon = NULL, *end = NULL;
  *low = (cr_real)cri_number(words, &colon);
  if (colon != words && *colon == ':') {
    *high = (cr_real)cri_number(colon + 1, &end);
  }
  if (end == NULL || end == colon + 1 || *end != 0 || !(*low < *high)) {
    return cri_fail(error, CR_ERR_ARG,
                    "--parameter %s=%s: LOW:HIGH expected behind '=', LOW < HIGH", name, words);
  }
  return CR_OK;
}

static cr_status read_sliders(sliders* s, const cr_text_list* list, cr_error* error) {
  size_t n = 1;
  for (int i = 0; i < list->n; i++) {
    n += strlen(list->text[i]) + 1;
  }
  s->text = calloc(n, 1);
  if (s->text == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "view: no memory");
  }
  char* at = s->text;
  for (int i = 0; i < list->n; i++) {
    size_t length = strlen(list->text[i]) + 1;
    memcpy(at, list->text[i], length);
    CR_TRY(read_slider(at, &s->low[i], &s->high[i], error));
    s->names[i] = at;
    at += length;
  }
  return CR_OK;
}

static cr_status simulate(view* v, cr_data* d, cr_error* error) {
  sliders s = {0};
  const cr_view_live live = {.size = sizeof live,
                             .parameters = s.names,
                             .low = s.low,
                             .high = s.high,
                             .nparameter = v->o->parameters.n,
                             .body = v->o->body,
                             .ahead = (cr_real)v->o->ahead};
  cr_status status = read_sliders(&s, &v->o->parameters, error);
  status = status == CR_OK ? cr_view_set_live(v->page, d, &live, error) : status;
  free(s.text);
  return status;
}

static cr_status take_frame(view* v, cr_data* d, cr_error* error) {
  const cr_view_motion motion = {.size = sizeof motion};
  CR_TRY(cr_view_begin(v->page, &motion, error));
  return cr_view_take(v->page, d, error);
}

// the reference pose or a keyframe: one frame, or where a simulation begins
static cr_status take_pose(view* v, cr_error* error) {
  cr_data* d;
  CR_TRY(cr_shown_pose(&d, v->m, v->o->keyframe, error));
  cr_status status = v->o->live ? simulate(v, d, error) : take_frame(v, d, error);
  cr_data_destroy(d);
  return status;
}

static cr_status take_motions(view* v, cr_error* error) {
  for (int i = 0; i < v->files.nrecording; i++) {
    CR_TRY(cr_view_read(v->page, v->files.recording[i], NULL, (cr_real)v->o->fps, error));
  }
  return v->files.nrecording > 0 ? CR_OK : take_pose(v, error);
}

// ---- output

static void print(const view* v) {
  struct stat page = {0};
  (void)stat(v->o->out, &page);
  if (!v->o->json) {
    (void)printf("Wrote %s (%.2f MB). Open it in a browser.\n", v->o->out,
                 (double)page.st_size / 1e6);
    return;
  }
  cr_json j = {0};
  cr_json_open(&j, NULL, '{');
  cr_json_string(&j, "out", v->o->out);
  cr_json_int(&j, "bytes", (long)page.st_size);
  cr_json_open(&j, "frames", '[');
  for (int i = 0, n; (n = cr_view_states(v->page, i)) >= 0; i++) {
    cr_json_int(&j, NULL, n);
  }
  cr_json_close(&j, ']');
  cr_json_close(&j, '}');
  cr_json_finish(&j);
}

static cr_status run(view* v, bool fps_given, cr_error* error) {
  CR_TRY(cr_shown_files_sort(&v->files, &v->o->files, v->o->model, error));
  CR_TRY(check_output(v, error));
  CR_TRY(check_use(v, fps_given, error));
  CR_TRY(open_model(v, error));
  CR_TRY(take_motions(v, error));
  CR_TRY(cr_view_save(v->page, v->o->out, error));
  print(v);
  return CR_OK;
}

static void free_all(view* v) {
  cr_view_destroy(v->page);
  cr_model_destroy(v->m);
  cr_load_report_destroy(v->report);
}

int cr_cli_view(int argc, char** argv) {
  view_options o = {.fps = 50, .triangles = 150000};
  view v = {.o = &o};
  const cr_option rows[] = {
      {"", CR_OPT_LIST, &o.files, "MODEL|FILE.h5",
       "MJCF, URDF or Carom model file, and recordings of carom rollout --out; the second and "
       "later "
       "ones are translucent"},
      {"--model", CR_OPT_TEXT, &o.model, "MODEL", "the model, if it is not among the files"},
      {"--out", CR_OPT_TEXT, &o.out, "FILE.html", "write this page"},
      {"--force", CR_OPT_FLAG, &o.force, "", "overwrite a page that exists"},
      {"--plot", CR_OPT_LIST, &o.plot, "NAME",
       "plot numbers beside the motion, as qpos[hinge] or site_xpos[tip].z"},
      {"--fps", CR_OPT_POSITIVE, &o.fps, "N", "keep at most N states a second (default 50)"},
      {"--triangles", CR_OPT_COUNT, &o.triangles, "N",
       "draw all meshes with about N triangles at most, larger ones coarser (default 150000)"},
      {"--keyframe", CR_OPT_TEXT, &o.keyframe, "K",
       "without a recording: show a keyframe, by name or number (default: the reference pose)"},
      {"--live", CR_OPT_FLAG, &o.live, "",
       "the page simulates: pull bodies with the mouse, move controls and parameters, see the "
       "gradient"},
      {"--parameter", CR_OPT_LIST, &o.parameters, "NAME[=LOW:HIGH]",
       "with --live: a slider for each number of a parameter, as body_mass[torso] or "
       "gravity[2]=-20:0 "
       "(default: mass and friction of the body, gravity[2])"},
      {"--body", CR_OPT_TEXT, &o.body, "NAME",
       "with --live: predict the centre of mass of this body (default: the first that moves)"},
      {"--ahead", CR_OPT_POSITIVE, &o.ahead, "S",
       "with --live: predict so many seconds (default 0.3, at most 200 steps)"},
      CR_URDF_OPTIONS(o.urdf),
      {"--json", CR_OPT_FLAG, &o.json, "", "print one JSON object"},
  };
  const cr_command_line line = {
      "view",
      "Writes a page that shows a model and its motion in a browser, without a network.",
      rows,
      (int)(sizeof rows / sizeof rows[0]),
      "--out --live --parameter --plot --keyframe --fps --force --json",
      {"view examples/arm.xml swing.h5 --plot 'qpos[elbow]' --out swing.html",
       "view examples/cube_toss.xml --live --out cube.html"}};
  cr_error error = {0};
  cr_help help = CR_HELP_NONE;
  cr_status status = cr_options_parse(&line, argc, argv, &help, &error);
  if (help != CR_HELP_NONE) {
    cr_options_print_help(&line, help);
    return 0;
  }
  if (status == CR_OK) {
    status = run(&v, cr_option_given(argc, argv, "--fps"), &error);
  }
  int code = status == CR_OK ? 0 : cr_cli_fail("view", o.json, &error, v.report);
  free_all(&v);
  return code;
}
