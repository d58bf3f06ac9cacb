// SPDX-License-Identifier: Apache-2.0
#include "runs/fit_setup.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/locale.h"
#include "base/status.h"
#include "command/setup.h"
#include "runs/fit_lines.h"
#include "runs/fit_plans.h"
#include "tools/xml.h"

// ---- what is given

cr_status cr_fit_setup_model(cr_runs_fit* f, cr_error* error) {
  CR_TRY(cr_load_report_create(&f->report, error));
  CR_TRY(cr_model_open_report(&f->m, f->o->paths.text[0], NULL, f->report, error));
  int warnings =
      f->ranks.rank == 0 && !f->quiet ? cr_load_report_count(f->report, CR_LOAD_WARNING) : 0;
  for (int i = 0; i < warnings; i++) {
    (void)fprintf(stderr, "carom %s: warning: %s\n", f->o->command,
                  cr_load_report_get(f->report, CR_LOAD_WARNING, i));
  }
  const cr_method_options* method = &f->o->method;
  const char* blueprint = f->o->blueprint;
  CR_TRY(blueprint != NULL ? cr_model_read_blueprint(f->m, blueprint, error) : CR_OK);
  CR_TRY(cr_method_apply(method, f->m, error));
  if (!cr_method_is_adaptive(method)) {
    return CR_OK;
  }
  if (method->controls != NULL && strcmp(method->controls, "linear") == 0) {
    return cri_fail(error, CR_ERR_ARG,
                    "--controls linear: measured runs hold a control until the next one");
  }
  // controls change on the grid
  CR_TRY(method->grid > 0 ? cr_model_set_option(f->m, "timestep", (cr_real)method->grid, error)
                          : CR_OK);
  f->adaptive = cr_method_tolerances(method, 0);
  return CR_OK;
}

static cr_status read_runs(cr_runs_fit* f, cr_error* error) {
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

// planned runs: what would be measured takes the place of what was
static cr_status simulate_plans(cr_runs_fit* f, cr_error* error) {
  const cr_fit_plans plans = {
      .m = f->m,
      .plans = f->measurements,
      .observe = &f->o->observe,
      .reference = f->o->start != NULL && strcmp(f->o->start, "reference") == 0,
      .pieces = f->o->window > 0,
      .stop = f->stop};
  cr_measurements* simulated = NULL;
  CR_TRY(cr_fit_plans_simulate(&plans, &simulated, error));
  cr_measurements_destroy(f->measurements);
  f->measurements = simulated;
  return CR_OK;
}

static cr_status set_noises(cr_runs_fit* f, cr_error* error) {
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
static cr_status tell_doubts(cr_runs_fit* f, cr_error* error) {
  int n = 0;
  bool sure;
  char text[400];
  CR_TRY(cr_measurements_doubt(f->measurements, 0, NULL, 0, &sure, &n, error));
  for (int i = 0; i < n; i++) {
    CR_TRY(cr_measurements_doubt(f->measurements, i, text, (int)sizeof text, &sure, &n, error));
    if (sure && !f->o->as_recorded) {
      return cri_fail(error, CR_ERR_FORMAT, "%s (--as-recorded takes the data as they are)", text);
    }
    if (f->ranks.rank == 0) {
      (void)fprintf(stderr, "carom %s: warning: %s\n", f->o->command, text);
    }
  }
  return CR_OK;
}

// the weights of all corrections, number 0 of them first
static cr_status add_weights(cr_runs_fit* f, cr_error* error) {
  int n = cr_model_count(f->m, "npluginparam");
  if (n > CR_MAX_PARAMETERS) {
    return cri_fail(error, CR_ERR_ARG,
                    "%s: its corrections have %d weights; at most %d numbers are trained at once",
                    f->o->blueprint, n, (int)CR_MAX_PARAMETERS);
  }
  for (int i = 0; i < f->o->estimate.n; i++) {
    if (strstr(f->o->estimate.text[i], "plugin_param") != NULL) {
      return cri_fail(error, CR_ERR_ARG,
                      "--estimate %s: the weights of all corrections are trained anyway",
                      f->o->estimate.text[i]);
    }
  }
  return cr_estimates_add(&f->estimates, f->m, "plugin_param[*]", error);
}

static cr_status read_estimates(cr_runs_fit* f, cr_error* error) {
  CR_TRY(f->o->weights ? add_weights(f, error) : CR_OK);
  for (int i = 0; i < f->o->estimate.n; i++) {
    CR_TRY(cr_estimates_add(&f->estimates, f->m, f->o->estimate.text[i], error));
  }
  return CR_OK;
}

static cr_status bind_parameters(const cr_runs_fit* f, cr_parameters** parameters,
                                 cr_error* error) {
  const cr_parameter_info** list = calloc((size_t)f->estimates.n + 1, sizeof *list);
  if (list == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "fit: no memory");
  }
  for (int i = 0; i < f->estimates.n; i++) {
    list[i] = &f->estimates.items[i];
  }
  cr_status status = cr_parameters_create(parameters, f->m, list, f->estimates.n, error);
  free(list);
  return status;
}

// ---- the fit

// How much of a search is done, by how fast its steps lower the cost: a search ends when a step lowers it by less than the
// tolerance, and mostly every step lowers it by a part of what the step before did.
static double part_done(cr_runs_fit* f, int step, double cost) {
  const double end = -10;  // log10 of the tolerance of cr_search
  double fall = f->cost > cost && cost > 0 ? log10((f->cost - cost) / f->cost) : end;
  bool begins = step <= 1 || cost > f->cost || f->step != step - 1;  // also of another round
  if (begins || f->first_fall >= 0 || fall > f->first_fall) {
    f->first_fall = begins ? 0 : fall;
    f->first_time = cri_seconds();
  }
  f->cost = cost;
  f->step = step;
  double done = f->first_fall < 0 ? (f->first_fall - fall) / (f->first_fall - end) : 0;
  return done > 0 && done < 1 ? done : 0;
}

static void tell_progress(void* context, int step, cr_real cost) {
  cr_runs_fit* f = context;
  char text[200];
  if (f->many || !f->progress.shown) {
    return;
  }
  double done = part_done(f, step, (double)cost), begin = f->first_time;
  if (f->doing != NULL) {  // a profile of many: the searches of each take about as long
    done = (double)f->profiles_done / f->nprofile;
    begin = f->profiles_begin;
  }
  if (cri_progress_due(&f->progress)) {
    (void)snprintf(text, sizeof text, "%.60s%sstep %d  cost %.6g  %.1f s",
                   f->doing != NULL ? f->doing : "", f->doing != NULL ? ": " : "", step,
                   (double)cost, cri_seconds() - f->progress.start);
    cri_progress_left(&f->progress, text, cri_seconds() - begin, done,
                      f->doing != NULL ? "" : " of this round");
  }
}

static bool is_stopped(void* context) {
  const cr_runs_fit* f = context;
  return f->stop != NULL && f->stop(NULL);
}

cr_status cr_fit_setup_identification(cr_runs_fit* f, int nthread, cr_parameters** parameters,
                                      cr_identification** identification, cr_error* error) {
  const cr_fit_runs_options* o = f->o;
  int start = o->start != NULL ? cr_enum_value("start", o->start) : CR_START_ESTIMATED;
  if (start < 0) {
    return cri_fail(error, CR_ERR_ARG, "--start %s: estimated, reference or measured expected",
                    o->start);
  }
  enum { ENOUGH_RUNS = 5 };  // from here on a fifth of them is held aside
  bool named = o->held_runs.n > 0;
  double share = !named && cr_measurements_count(f->measurements) >= ENOUGH_RUNS ? 0.2 : 0;
  const cr_identification_options options = {
      .size = sizeof options,
      .window = (cr_real)o->window,
      .start = (cr_start)start,
      .continuity = (cr_real)o->continuity,
      .huber = (cr_real)o->huber,
      .held_out = (cr_real)(isnan(o->held_out) ? share : o->held_out),
      .seed = o->seed,
      .held = o->held_runs.text,
      .nheld = o->held_runs.n,
      .delayed = o->delay.text,
      .ndelayed = o->delay.n,
      .shifted = o->offset.text,
      .nshifted = o->offset.n,
      .confidence = (cr_real)o->confidence,
      .correlated = o->correlated,
      .adaptive = f->adaptive.atol > 0 ? &f->adaptive : NULL,
      .nthread = nthread,
      .stop = is_stopped,
      .progress = tell_progress,
      .context = f};
  CR_TRY(bind_parameters(f, parameters, error));
  return cr_identification_create(identification, *parameters, f->measurements, &options, error);
}

static cr_status make_fit(cr_runs_fit* f, cr_error* error) {
  int threads = f->o->threads == 0 && f->ranks.size > 1 ? 1 : f->o->threads;
  CR_TRY(cr_fit_setup_identification(f, threads, &f->parameters, &f->id, error));
  size_t n = (size_t)cr_identification_count(f->id);
  f->x = calloc(n + 1, sizeof *f->x);
  if (f->x == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "fit: no memory");
  }
  CR_TRY(cr_identification_get_start(f->id, f->x, error));
  return cr_fit_lines_begin(f, error);
}

// ---- the folder of the results

cr_status cr_fit_setup_folder(cr_runs_fit* f, cr_error* error) {
  const char* from = f->o->config != NULL ? f->o->config : f->o->paths.text[0];
  const char* slash = strrchr(from, '/');
  const char* name = slash != NULL ? slash + 1 : from;
  if (f->o->out != NULL) {
    return cri_path_join(f->folder, "", f->o->out, error);
  }
  (void)snprintf(f->folder, sizeof f->folder, "%s_%.*s", f->o->command, (int)strcspn(name, "."),
                 name);
  return CR_OK;
}

cr_status cr_fit_setup_claim(cr_runs_fit* f, cr_error* error) {
  CR_TRY(cri_folder_make(f->folder, error));
  CR_TRY(cri_folder_claim(f->folder, &f->claim, error));
  f->claimed = true;
  return CR_OK;
}

cr_status cr_fit_setup_claim_anew(cr_runs_fit* f, cr_error* error) {
  const cr_fit_runs_options* o = f->o;
  const char* kind = f->saving.kind;
  char path[CR_MAX_PATH];
  CR_TRY(cri_path_join(path, f->folder, "result.json", error));
  if (!o->force && !o->resume && access(path, F_OK) == 0) {
    return cri_fail(error, CR_ERR_ARG,
                    "%s: holds result.json of an earlier %s; --force overwrites it", f->folder,
                    kind);
  }
  if (!o->force && !o->resume && access(f->saving.path, F_OK) == 0) {
    return cri_fail(error, CR_ERR_ARG,
                    "%s: is there of an interrupted %s; --resume goes on with it, --force begins "
                    "anew",
                    f->saving.path, kind);
  }
  if (o->resume && access(f->saving.path, F_OK) != 0) {
    return cri_fail(error, CR_ERR_ARG,
                    "--resume: %s is not there: no %s was interrupted in this folder",
                    f->saving.path, kind);
  }
  return cr_fit_setup_claim(f, error);
}

void cr_fit_setup_forget(const cr_runs_fit* f) {
  char path[CR_MAX_PATH];
  if (cri_path_join(path, f->folder, "result.json", NULL) == CR_OK) {
    (void)unlink(path);
  }
}

// ---- the model that was found

static bool saves_mujoco(const char* path) {
  const char* dot = path != NULL ? strrchr(path, '.') : NULL;
  return dot != NULL && (strcmp(dot, ".xml") == 0 || strcmp(dot, ".mjb") == 0);
}

cr_status cr_fit_setup_check_save(const cr_runs_fit* f, cr_error* error) {
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
  const char* read[] = {f->o->config, f->o->blueprint};
  for (int i = 0; i < 2 && path != NULL; i++) {
    if (read[i] != NULL && cri_file_same(path, read[i])) {
      return cri_fail(error, CR_ERR_ARG, "--save %s: this file is read, it would be lost", path);
    }
  }
  return path != NULL ? cri_file_writable(path, error) : CR_OK;
}

cr_status cr_fit_setup_save(const cr_runs_fit* f, const cr_model* m, cr_error* error) {
  return saves_mujoco(f->o->save) ? cr_mujoco_save(m, f->o->paths.text[0], NULL, f->o->save, error)
                                  : cr_model_save(m, f->o->save, error);
}

// ---- all of it

static cr_status check_words(const cr_fit_runs_options* o, cr_error* error) {
  const char* missing =
      o->paths.n < 2 ? "no file of a run is given behind the model"
      : o->weights && o->blueprint == NULL
          ? "nothing to train: --blueprint gives the corrections, as "
            "--blueprint friction.yaml"
      : !o->weights && o->estimate.n == 0     ? "nothing to find: --estimate names it, as "
                                                "--estimate 'body_mass[*]'"
      : o->continuity > 0 && !(o->window > 0) ? "--continuity needs --window, whose pieces it ties"
                                              : NULL;
  return missing == NULL ? CR_OK : cri_fail(error, CR_ERR_ARG, "%s", missing);
}

cr_status cr_fit_setup(cr_runs_fit* f, cr_error* error) {
  CR_TRY(check_words(f->o, error));
  CR_TRY(cr_fit_setup_model(f, error));
  CR_TRY(read_runs(f, error));
  CR_TRY(f->o->observe.n > 0 ? simulate_plans(f, error) : CR_OK);
  CR_TRY(set_noises(f, error));
  CR_TRY(f->o->design ? cr_fit_plans_check(f->m, f->measurements, error) : CR_OK);
  CR_TRY(f->o->observe.n > 0 ? CR_OK : tell_doubts(f, error));
  CR_TRY(read_estimates(f, error));
  return make_fit(f, error);
}

void cr_fit_setup_free(cr_runs_fit* f) {
  cr_identification_destroy(f->id);
  cr_parameters_destroy(f->parameters);
  cr_measurements_destroy(f->measurements);
  cr_estimates_free(&f->estimates);
  cr_model_destroy(f->m);
  cr_load_report_destroy(f->report);
  free(f->x);
  free(f->lines);
  free(f->profiled);
  if (f->claimed) {
    (void)close(f->claim);
  }
}
