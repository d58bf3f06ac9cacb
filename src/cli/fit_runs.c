// SPDX-License-Identifier: Apache-2.0
#include "cli/fit_runs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/locale.h"
#include "base/status.h"
#include "carom/carom.h"
#include "cli/setup.h"
#include "fit/estimates.h"
#include "fit/fit_report.h"
#include "tools/files.h"
#include "tools/progress.h"
#include "tools/xml.h"

typedef struct {
  const cr_fit_runs_options* o;
  cr_model* m;
  cr_load_report* report;
  cr_measurements* measurements;
  cr_estimates estimates;
  cr_parameters* parameters;
  cr_identification* id;
  char folder[CR_MAX_PATH];
  int claim;
  bool claimed;
  cr_real *x, *start;  // of the search; numbers that it starts from
  cr_search_end end;
  cr_progress progress;
  double first_cost;
  bool (*stop)(void* context);
} fit;

// ---- what is given

static cr_status open_model(fit* f, cr_error* error) {
  CR_TRY(cr_load_report_create(&f->report, error));
  CR_TRY(cr_model_open_report(&f->m, f->o->paths.text[0], NULL, f->report, error));
  for (int i = 0; i < cr_load_report_count(f->report, CR_LOAD_WARNING); i++) {
    (void)fprintf(stderr, "carom fit: warning: %s\n",
                  cr_load_report_get(f->report, CR_LOAD_WARNING, i));
  }
  if (cr_method_is_adaptive(&f->o->method)) {
    return cri_fail(error, CR_ERR_ARG,
                    "--rtol, --atol: measured runs are fitted with steps of one length");
  }
  return cr_method_apply(&f->o->method, f->m, error);
}

static cr_status read_runs(fit* f, cr_error* error) {
  const cr_fit_runs_options* o = f->o;
  const cr_measurements_file file = {.size = sizeof file,
                                     .columns = o->column.text,
                                     .ncolumn = o->column.n,
                                     .ignored = o->ignore.text,
                                     .nignored = o->ignore.n,
                                     .rate = (cr_real)o->rate};
  CR_TRY(cr_measurements_create(&f->measurements, f->m, error));
  for (int i = 1; i < o->paths.n; i++) {
    CR_TRY(cr_measurements_read(f->measurements, o->paths.text[i], &file, error));
  }
  return CR_OK;
}

static cr_status set_noises(fit* f, cr_error* error) {
  for (int i = 0; i < f->o->noise.n; i++) {
    const char *words = f->o->noise.text[i], *equals = strrchr(words, '=');
    char place[160], *end = NULL;
    double noise = equals != NULL ? cri_number(equals + 1, &end) : 0;
    if (equals == NULL || end == equals + 1 || *end != 0 || !(noise > 0) || !isfinite(noise) ||
        (size_t)(equals - words) >= sizeof place) {
      return cri_fail(error, CR_ERR_ARG, "--noise %s: PLACE=SD expected, SD above 0", words);
    }
    (void)snprintf(place, sizeof place, "%.*s", (int)(equals - words), words);
    for (int k = 0; k < i; k++) {
      if (strncmp(f->o->noise.text[k], words, (size_t)(equals - words) + 1) == 0) {
        return cri_fail(error, CR_ERR_ARG, "--noise %s: this place has one already", words);
      }
    }
    cr_error inner = {0};
    cr_status status = cr_measurements_set_noise(f->measurements, place, (cr_real)noise, &inner);
    if (status != CR_OK) {
      return cri_fail(error, status, "--noise %s: %s", words, inner.text);
    }
  }
  return CR_OK;
}

// a contradiction ends the fit, a likeness is told
static cr_status tell_doubts(fit* f, cr_error* error) {
  int n = 0;
  bool sure;
  char text[400];
  CR_TRY(cr_measurements_doubt(f->measurements, 0, NULL, 0, &sure, &n, error));
  for (int i = 0; i < n; i++) {
    CR_TRY(cr_measurements_doubt(f->measurements, i, text, (int)sizeof text, &sure, &n, error));
    if (sure && !f->o->as_recorded) {
      return cri_fail(error, CR_ERR_FORMAT, "%s (--as-recorded takes the data as they are)", text);
    }
    (void)fprintf(stderr, "carom fit: warning: %s\n", text);
  }
  return CR_OK;
}

static cr_status bind_parameters(fit* f, cr_error* error) {
  for (int i = 0; i < f->o->estimate.n; i++) {
    CR_TRY(cr_estimates_add(&f->estimates, f->m, f->o->estimate.text[i], error));
  }
  const cr_parameter_info** list = calloc((size_t)f->estimates.n + 1, sizeof *list);
  if (list == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "fit: no memory");
  }
  for (int i = 0; i < f->estimates.n; i++) {
    list[i] = &f->estimates.items[i];
  }
  cr_status status = cr_parameters_create(&f->parameters, f->m, list, f->estimates.n, error);
  free(list);
  return status;
}

// ---- the fit

static void tell_progress(void* context, int step, cr_real cost) {
  fit* f = context;
  char text[160];
  f->first_cost = step == 0 ? (double)cost : f->first_cost;
  if (cri_progress_due(&f->progress)) {
    (void)snprintf(text, sizeof text, "step %d  cost %.6g  %.1f s", step, (double)cost,
                   cri_seconds() - f->progress.start);
    cri_progress_line(&f->progress, text);
  }
}

static bool is_stopped(void* context) {
  const fit* f = context;
  return f->stop != NULL && f->stop(NULL);
}

static cr_status make_fit(fit* f, cr_error* error) {
  const cr_fit_runs_options* o = f->o;
  bool known = o->start != NULL && strcmp(o->start, "reference") == 0;
  if (o->start != NULL && !known && strcmp(o->start, "estimated") != 0) {
    return cri_fail(error, CR_ERR_ARG, "--start %s: estimated or reference expected", o->start);
  }
  enum { ENOUGH_RUNS = 5 };  // from here on a fifth of them is held aside
  double share = cr_measurements_count(f->measurements) >= ENOUGH_RUNS ? 0.2 : 0;
  const cr_identification_options options = {
      .size = sizeof options,
      .window = (cr_real)o->window,
      .start = known ? CR_START_REFERENCE : CR_START_ESTIMATED,
      .continuity = (cr_real)o->continuity,
      .huber = (cr_real)o->huber,
      .held_out = (cr_real)(isnan(o->held_out) ? share : o->held_out),
      .seed = o->seed,
      .delayed = o->delay.text,
      .ndelayed = o->delay.n,
      .shifted = o->offset.text,
      .nshifted = o->offset.n,
      .confidence = (cr_real)o->confidence,
      .nthread = o->threads,
      .stop = is_stopped,
      .progress = tell_progress,
      .context = f};
  CR_TRY(cr_identification_create(&f->id, f->parameters, f->measurements, &options, error));
  size_t n = (size_t)cr_identification_count(f->id);
  f->x = calloc(2 * n + 1, sizeof *f->x);
  if (f->x == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "fit: no memory");
  }
  f->start = f->x + n;
  CR_TRY(cr_identification_get_start(f->id, f->start, error));
  cr_copy(f->x, f->start, (int)n);
  return cr_parameters_get_values(f->parameters, f->x, f->start, error);
}

static bool saves_mujoco(const char* path) {
  const char* dot = path != NULL ? strrchr(path, '.') : NULL;
  return dot != NULL && (strcmp(dot, ".xml") == 0 || strcmp(dot, ".mjb") == 0);
}

// before much work: the model found can be written, and not over what was read
static cr_status check_save(const fit* f, cr_error* error) {
  const char *path = f->o->save, *model = f->o->paths.text[0];
  if (saves_mujoco(path) && !cri_xml_root_is(model, "mujoco") && !cri_xml_root_is(model, "robot")) {
    return cri_fail(error, CR_ERR_ARG, "--save %s: needs a model in MJCF or URDF, which %s is not",
                    path, model);
  }
  for (int i = 0; i < f->o->paths.n && path != NULL; i++) {
    if (cri_file_same(path, f->o->paths.text[i])) {
      return cri_fail(error, CR_ERR_ARG, "--save %s: this file is read, it would be lost", path);
    }
  }
  return path != NULL ? cri_file_writable(path, error) : CR_OK;
}

static cr_status claim_folder(fit* f, cr_error* error) {
  char path[CR_MAX_PATH];
  const char* model = f->o->paths.text[0];
  const char* slash = strrchr(model, '/');
  const char* name = slash != NULL ? slash + 1 : model;
  if (f->o->out != NULL) {
    CR_TRY(cri_path_join(f->folder, "", f->o->out, error));
  } else {
    (void)snprintf(f->folder, sizeof f->folder, "fit_%.*s", (int)strcspn(name, "."), name);
  }
  CR_TRY(cri_path_join(path, f->folder, "result.json", error));
  if (!f->o->force && access(path, F_OK) == 0) {
    return cri_fail(error, CR_ERR_ARG,
                    "%s: holds result.json of an earlier fit; --force overwrites it", f->folder);
  }
  CR_TRY(cri_folder_make(f->folder, error));
  CR_TRY(cri_folder_claim(f->folder, &f->claim, error));
  f->claimed = true;
  return CR_OK;
}

// ---- results

static bool tells_nothing(const fit* f) {
  for (int i = 0; i < cr_identification_count(f->id); i++) {
    cr_estimate e = {.size = sizeof e};
    (void)cr_identification_get(f->id, i, &e, NULL);
    if (e.told) {
      return false;
    }
  }
  return true;
}

// no place is predicted better than by its mean
static bool explains_nothing(const fit* f) {
  bool any = false;
  for (int i = 0; i < cr_identification_places(f->id); i++) {
    cr_fit_of_place p = {.size = sizeof p};
    (void)cr_identification_get_place(f->id, CR_RUNS_TRAIN, i, &p, NULL);
    any = any || isnan(p.explained) || p.explained > 0;
  }
  return !any;
}

static int exit_code(const fit* f) {
  return !f->end.converged || tells_nothing(f) || explains_nothing(f) ? 1 : 0;
}

static cr_status put_places(cr_json* j, const fit* f, const char* key, cr_run_part part,
                            cr_error* error) {
  cr_json_open(j, key, '{');
  for (int i = 0; i < cr_identification_places(f->id); i++) {
    cr_fit_of_place p = {.size = sizeof p};
    CR_TRY(cr_identification_get_place(f->id, part, i, &p, error));
    if (p.n > 0) {
      cr_json_open(j, p.place, '{');
      cr_json_int(j, "n", (long)p.n);
      cr_json_real(j, "noise", p.noise);
      cr_json_bool(j, "noise_given", p.noise_given);
      cr_json_real(j, "rms", p.rms);
      cr_json_real(j, "explained", p.explained);
      cr_json_real(j, "correlation", p.correlation);
      cr_json_bool(j, "white", cr_abs(p.correlation) <= 2 * p.white);
      cr_json_close(j, '}');
    }
  }
  cr_json_close(j, '}');
  return CR_OK;
}

static cr_status put_result(cr_json* j, const fit* f, double seconds, cr_error* error) {
  cr_json_open(j, NULL, '{');
  cr_json_open(j, "estimates", '{');
  for (int i = 0; i < cr_identification_count(f->id); i++) {
    cr_estimate e = {.size = sizeof e};
    CR_TRY(cr_identification_get(f->id, i, &e, error));
    cr_json_open(j, e.name, '{');
    cr_json_real(j, "value", e.value);
    cr_json_real(j, "lower", e.lower);
    cr_json_real(j, "upper", e.upper);
    cr_json_real(j, "start", f->start[i]);
    cr_json_bool(j, "told", e.told);
    cr_json_bool(j, "at_bound", e.at_bound);
    cr_json_close(j, '}');
  }
  cr_json_close(j, '}');
  int n = 0;
  char text[512];
  CR_TRY(cr_identification_untold(f->id, 0, NULL, 0, &n, error));
  cr_json_open(j, "untold", '[');
  for (int i = 0; i < n; i++) {
    CR_TRY(cr_identification_untold(f->id, i, text, (int)sizeof text, &n, error));
    cr_json_string(j, NULL, text);
  }
  cr_json_close(j, ']');
  CR_TRY(put_places(j, f, "places", CR_RUNS_TRAIN, error));
  CR_TRY(put_places(j, f, "held_out", CR_RUNS_HELD, error));
  cr_json_real(j, "cost", f->end.cost);
  cr_json_real(j, "start_cost", f->end.start_cost);
  cr_json_int(j, "steps", f->end.steps);
  cr_json_bool(j, "converged", f->end.converged);
  cr_json_string(j, "ended", f->end.reason);
  cr_json_int(j, "runs", cr_measurements_count(f->measurements));
  cr_json_real(j, "seconds", (cr_real)seconds);
  cr_json_string(j, "output", f->folder);
  cr_json_bool(j, "passed", exit_code(f) == 0);
  cr_json_close(j, '}');
  return CR_OK;
}

static cr_status print_places(const fit* f, cr_run_part part, cr_error* error) {
  for (int i = 0; i < cr_identification_places(f->id); i++) {
    cr_fit_of_place p = {.size = sizeof p};
    CR_TRY(cr_identification_get_place(f->id, part, i, &p, error));
    if (p.n > 0) {
      (void)printf("%s%-24s errors %.4g, noise %.4g, explains %.2f %%%s\n",
                   part == CR_RUNS_HELD ? "held aside: " : "", p.place, p.rms, p.noise,
                   100 * p.explained,
                   cr_abs(p.correlation) > 2 * p.white
                       ? "; errors follow each other: the model misses something"
                       : "");
    }
  }
  return CR_OK;
}

static cr_status print_result(const fit* f, double seconds, cr_error* error) {
  int n = 0;
  char text[512];
  for (int i = 0; i < cr_identification_count(f->id); i++) {
    cr_estimate e = {.size = sizeof e};
    CR_TRY(cr_identification_get(f->id, i, &e, error));
    if (e.told) {
      (void)printf("%-28s %-12.6g (%.6g to %.6g; start %.6g)%s\n", e.name, e.value, e.lower,
                   e.upper, f->start[i], e.at_bound ? ", at its bound" : "");
    } else {
      (void)printf("%-28s %-12s (start %.6g)\n", e.name, "not told", f->start[i]);
    }
  }
  CR_TRY(cr_identification_untold(f->id, 0, NULL, 0, &n, error));
  for (int i = 0; i < n; i++) {
    CR_TRY(cr_identification_untold(f->id, i, text, (int)sizeof text, &n, error));
    (void)printf("%s\n", text);
  }
  CR_TRY(print_places(f, CR_RUNS_TRAIN, error));
  CR_TRY(print_places(f, CR_RUNS_HELD, error));
  if (explains_nothing(f)) {
    (void)printf("the model explains nothing of these runs; look at units, names and the start\n");
  }
  (void)printf("%s after %d steps (%s), %.1f s; results in %s, see report.html there\n",
               f->end.converged ? "converged" : "NOT converged", f->end.steps, f->end.reason,
               seconds, f->folder);
  return CR_OK;
}

// the model with what was found: as MuJoCo's file, or as Carom's
static cr_status save_model(const fit* f, cr_error* error) {
  if (f->o->save == NULL) {
    return CR_OK;
  }
  CR_TRY(cr_parameters_set(f->parameters, f->x, error));
  const cr_model* m = cr_parameters_model(f->parameters);
  return saves_mujoco(f->o->save) ? cr_mujoco_save(m, f->o->paths.text[0], NULL, f->o->save, error)
                                  : cr_model_save(m, f->o->save, error);
}

static cr_status finish(fit* f, int* code, cr_error* error) {
  double seconds = cri_seconds() - f->progress.start;
  const cr_fit_report report = {.model = f->o->paths.text[0],
                                .folder = f->folder,
                                .m = f->m,
                                .measurements = f->measurements,
                                .identification = f->id,
                                .start = f->start,
                                .end = &f->end,
                                .seconds = seconds};
  CR_TRY(cr_fit_report_write(&report, error));
  cr_json j = {0};
  char path[CR_MAX_PATH];
  cr_status status = put_result(&j, f, seconds, error);
  status = status == CR_OK ? cri_path_join(path, f->folder, "result.json", error) : status;
  if (status == CR_OK && j.failed) {
    status = cri_fail(error, CR_ERR_MEMORY, "%s: no memory", path);
  }
  status = status == CR_OK ? cri_file_write(path, j.text, j.length, error) : status;
  if (status != CR_OK) {
    cr_json_free(&j);
    return status;
  }
  if (f->o->json) {
    cr_json_finish(&j);
  } else {
    cr_json_free(&j);
    CR_TRY(print_result(f, seconds, error));
  }
  *code = exit_code(f);
  return save_model(f, error);
}

// ---- all of it

static cr_status check_words(const cr_fit_runs_options* o, cr_error* error) {
  const char* missing = o->paths.n < 2       ? "no file of a run is given behind the model"
                        : o->estimate.n == 0 ? "nothing to find: --estimate names it, as "
                                               "--estimate 'body_mass[*]'"
                        : o->continuity > 0 && !(o->window > 0)
                            ? "--continuity needs --window, whose pieces it ties"
                            : NULL;
  return missing == NULL ? CR_OK : cri_fail(error, CR_ERR_ARG, "%s", missing);
}

static cr_status run(fit* f, int* code, cr_error* error) {
  CR_TRY(check_words(f->o, error));
  CR_TRY(check_save(f, error));
  CR_TRY(open_model(f, error));
  CR_TRY(read_runs(f, error));
  CR_TRY(set_noises(f, error));
  CR_TRY(tell_doubts(f, error));
  CR_TRY(bind_parameters(f, error));
  CR_TRY(make_fit(f, error));
  CR_TRY(claim_folder(f, error));
  const cr_search search = {.size = sizeof search};
  f->end.size = sizeof f->end;
  CR_TRY(cr_identification_solve(f->id, &search, f->x, &f->end, error));
  return finish(f, code, error);
}

cr_status cr_fit_runs(const cr_fit_runs_options* o, bool (*stop)(void* context), int* code,
                      cr_error* error) {
  fit f = {.o = o, .stop = stop, .progress = cri_progress_begin()};
  cr_status status = run(&f, code, error);
  cri_progress_end(&f.progress);
  cr_identification_destroy(f.id);
  cr_parameters_destroy(f.parameters);
  cr_measurements_destroy(f.measurements);
  cr_estimates_free(&f.estimates);
  cr_model_destroy(f.m);
  cr_load_report_destroy(f.report);
  free(f.x);
  if (f.claimed) {
    (void)close(f.claim);
  }
  return status;
}
