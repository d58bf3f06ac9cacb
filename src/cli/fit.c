// SPDX-License-Identifier: Apache-2.0
// carom fit: identification of a model's parameters from recorded motion.
//
// Every evaluation goes through a record that is saved as it grows. A fit that is resumed starts its
// optimisers again and answers them from the record, so it ends with the same digits as one that was
// never stopped.
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/commands.h"
#include "command/interrupt.h"
#include "command/runs_config.h"
#include "command/setup.h"
#include "fit/fit_checkpoint.h"
#include "fit/fitted_page.h"
#include "runs/fit_design.h"
#include "runs/fit_problem.h"
#include "runs/fit_runs.h"
#include "tools/plot.h"
#include "tools/progress.h"

typedef struct {
  const char *config, *data, *out;
  cr_text_list set;
  int threads, seed;
  cr_method_options method;
  bool resume, force, as_recorded, json;
} fit_options;

typedef struct {
  fit_options o;
  cr_fit_problem problem;
  cr_record* record;
  cr_checkpoint checkpoint;
  double spent;  // seconds of earlier runs
  FILE* history;
  cr_progress progress;
  int stage;  // -1 the evaluation at the start
  const char* reasons[CR_FIT_STAGES];

  cr_smoothed_objective* smoothed;  // of a stage under noise
  cr_fit_value sample;              // its last sample
  cr_fit_value first;               // at the start, all windows
  cr_real first_gradient[CR_MAX_PARAMETERS], x[CR_MAX_PARAMETERS];
  double pass_seconds;  // one pass over all training windows, with gradient; NaN when resumed
  cr_real loss, more, held_out_loss;  // more: what the cost added to the loss
} fit;

// ---- after every evaluation: history.csv, checkpoint, progress

static const char* stage_name(const fit* f) {
  static const char* const names[] = {[CR_METHOD_ADAM] = "adam", [CR_METHOD_LBFGS] = "lbfgs"};
  return f->stage < 0 ? "start" : names[f->problem.config.stages[f->stage].method];
}

static cr_status history_failed(const fit* f, cr_error* error) {
  return cri_fail(error, CR_ERR_FILE, "%s/history.csv: cannot be written: %s", f->problem.folder,
                  strerror(errno));
}

static cr_status open_history(fit* f, cr_error* error) {
  const cr_fit_config* c = &f->problem.config;
  char path[CR_MAX_PATH];
  CR_TRY(cri_path_join(path, f->problem.folder, "history.csv", error));
  f->history = fopen(path, "w");
  if (f->history == NULL) {
    return history_failed(f, error);
  }
  (void)fprintf(f->history, "evaluation,stage,method,windows,loss");
  for (int i = 0; i < c->nparameter; i++) {
    (void)fprintf(f->history, ",%s", c->parameters[i].name);
  }
  for (int i = 0; i < c->nparameter; i++) {
    (void)fprintf(f->history, ",gradient_%s", c->parameters[i].name);
  }
  return fprintf(f->history, ",zero_gradient_windows\n") > 0 ? CR_OK : history_failed(f, error);
}

static cr_status write_history(fit* f, const cr_record_row* row, int i, cr_error* error) {
  int n = cr_record_width(f->record);
  cr_real p[CR_MAX_PARAMETERS];
  (void)cr_parameters_get_values(f->problem.parameters, row->x, p, NULL);
  (void)fprintf(f->history, "%d,%d,%s,%d,%.17g", i, f->stage + 1, stage_name(f), row->e.windows,
                row->e.loss);
  for (int k = 0; k < n; k++) {
    (void)fprintf(f->history, ",%.17g", p[k]);
  }
  for (int k = 0; k < n; k++) {
    (void)fprintf(f->history, ",%.17g", row->e.gradient[k]);
  }
  (void)fprintf(f->history, ",%.9g\n", (double)row->e.zero_windows / row->e.windows);
  return fflush(f->history) == 0 && !ferror(f->history) ? CR_OK : history_failed(f, error);
}

static void show_progress(fit* f, const cr_record_row* row, int i) {
  const cr_fit_config* c = &f->problem.config;
  char text[256];
  cr_real p[CR_MAX_PARAMETERS];
  (void)cr_parameters_get_values(f->problem.parameters, row->x, p, NULL);
  double all = 0;  // evaluations that the optimisers may make
  for (int k = 0; k < c->nstage; k++) {
    all += c->stages[k].iterations;
  }
  int n = snprintf(text, sizeof text, "%-5s evaluation %d of at most %.0f  loss %.6g",
                   stage_name(f), i, all, row->e.loss);
  for (int k = 0; k < c->nparameter && n > 0 && n < 160; k++) {
    n += snprintf(text + n, sizeof text - (size_t)n, "  %.20s %.6g", c->parameters[k].name, p[k]);
  }
  double spent = f->spent + cri_seconds() - f->progress.start;
  (void)snprintf(text + n, sizeof text - (size_t)n, "  %.1f s", spent);
  cri_progress_left(&f->progress, text, spent, i / all, " at most");
}

static cr_status save(fit* f, int count, cr_error* error) {
  char path[CR_MAX_PATH];
  CR_TRY(cri_path_join(path, f->problem.folder, "checkpoint.txt", error));
  f->checkpoint.fingerprint = f->problem.fingerprint;
  f->checkpoint.seconds = f->spent + cri_seconds() - f->progress.start;
  return cr_checkpoint_write(path, &f->checkpoint, f->record, count, error);
}

static cr_status seen(void* context, const cr_record* record, int i, bool fresh, cr_error* error) {
  fit* f = context;
  cr_record_row row = cr_record_get(record, i);
  CR_TRY(write_history(f, &row, i, error));
  if (fresh) {
    CR_TRY(save(f, i + 1, error));
  }
  if (cri_progress_due(&f->progress)) {
    show_progress(f, &row, i);
  }
  return cr_interrupted(NULL) ? cri_fail(error, CR_ERR_INTERRUPTED, "interrupted") : CR_OK;
}

// ---- beginning

static const char motion_page[] = "motion.html";

static void forget_results(const fit* f) {
  static const char* const names[] = {"result.json", "plot.png", "plot.gp", motion_page};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    char path[CR_MAX_PATH];
    if (cri_path_join(path, f->problem.folder, names[i], NULL) == CR_OK) {
      (void)unlink(path);
    }
  }
}

static void tell_warnings(const cr_fit_problem* p) {
  for (int i = 0; i < cr_load_report_count(p->report, CR_LOAD_WARNING); i++) {
    (void)fprintf(stderr, "carom fit: warning: %s\n",
                  cr_load_report_get(p->report, CR_LOAD_WARNING, i));
  }
  if (p->warning[0] != 0) {
    (void)fprintf(stderr, "carom fit: warning: %s\n", p->warning);
  }
}

static cr_status begin(fit* f, cr_error* error) {
  const cr_fit_request request = {.config_path = f->o.config,
                                  .data_path = f->o.data,
                                  .folder = f->o.out,
                                  .set = f->o.set.text,
                                  .nset = f->o.set.n,
                                  .threads = f->o.threads,
                                  .seed = f->o.seed,
                                  .method = f->o.method,
                                  .resume = f->o.resume,
                                  .force = f->o.force,
                                  .as_recorded = f->o.as_recorded,
                                  .stop = cr_interrupted};
  char path[CR_MAX_PATH];
  CR_TRY(cr_fit_problem_load(&f->problem, &request, error));
  tell_warnings(&f->problem);
  CR_TRY(cr_record_create(&f->record, f->problem.config.nparameter, error));
  if (f->o.resume) {
    f->checkpoint.fingerprint = f->problem.fingerprint;
    CR_TRY(cri_path_join(path, f->problem.folder, "checkpoint.txt", error));
    CR_TRY(cr_checkpoint_read(path, &f->checkpoint, f->record, error));
    f->spent = f->checkpoint.seconds;
  } else {
    CR_TRY(save(f, 0, error));
  }
  forget_results(f);
  return open_history(f, error);
}

// ---- the search

// zero is a default there, and a choice here
static cr_real given(double x) { return x > 0 ? x : -1; }

static cr_status minimise(fit* f, const cr_minimise_problem* problem, cr_error* error) {
  const cr_fit_optimiser* o = &f->problem.config.stages[f->stage];
  const char** reason = &f->reasons[f->stage];
  if (o->method == CR_METHOD_LBFGS) {
    const cr_lbfgs_options lbfgs = {
        .size = sizeof lbfgs, .iterations = o->iterations, .tolerance = o->tolerance};
    return o->iterations == 0 ? CR_OK : cr_minimise_lbfgs(problem, &lbfgs, f->x, reason, error);
  }
  const cr_adam_options adam = {.size = sizeof adam,
                                .iterations = o->iterations,
                                .rate = o->rate,
                                .final_rate = o->final_rate,
                                .b1 = given(o->b1),
                                .b2 = given(o->b2),
                                .eps = given(o->eps),
                                .tolerance = o->tolerance,
                                .batches = o->batch > 0,
                                .keep_best = o->keep_best};
  return cr_minimise_adam(problem, &adam, f->x, reason, error);
}

// one sample of a loss under noise; what the last one looked at stays known
static cr_status ask_sample(void* context, int batch, const cr_real* x, cr_real* value,
                            cr_real* gradient, cr_error* error) {
  fit* f = context;
  f->sample = (cr_fit_value){.size = sizeof f->sample, .gradient = gradient};
  CR_TRY(cr_fit_evaluate(f->problem.fit, CR_FIT_TRAIN, batch, x, &f->sample, error));
  *value = f->sample.loss;
  return CR_OK;
}

static cr_status ask_fit(void* context, int batch, const cr_real* x, cr_fit_value* value,
                         cr_error* error) {
  fit* f = context;
  if (f->smoothed == NULL) {
    return cr_fit_evaluate(f->problem.fit, CR_FIT_TRAIN, batch, x, value, error);
  }
  CR_TRY(
      cr_smoothed_objective_evaluate(f->smoothed, batch, x, &value->loss, value->gradient, error));
  value->windows = f->sample.windows;
  value->more = f->sample.more;
  value->zero_windows = value->contact_free = 0;
  return CR_OK;
}

// a stage, of the loss or of its mean under noise
static cr_status run_stage(fit* f, cr_error* error) {
  const cr_fit_optimiser* o = &f->problem.config.stages[f->stage];
  cr_real lower[CR_MAX_PARAMETERS], upper[CR_MAX_PARAMETERS], sigma[CR_MAX_PARAMETERS];
  CR_TRY(cr_parameters_get_bounds(f->problem.parameters, lower, upper, error));
  CR_TRY(cr_fit_set_batch(f->problem.fit, o->batch, error));
  cr_minimise_problem problem = {.size = sizeof problem,
                                 .n = f->problem.config.nparameter,
                                 .evaluate = ask_sample,
                                 .context = f,
                                 .lower = lower,
                                 .upper = upper};
  for (int i = 0; i < problem.n; i++) {
    sigma[i] = (cr_real)o->sigma;
  }
  const cr_estimator_options noise = {
      .size = sizeof noise,
      .kind = (cr_estimator_kind)(o->estimator - CR_FIRST_ESTIMATOR),
      .samples = o->samples,
      .sigma = sigma,
      .draws = (cr_draws)o->draws,
      .seed = (uint64_t)f->problem.config.top.seed,
      .stop = cr_interrupted};
  CR_TRY(o->estimator != CR_NO_ESTIMATOR
             ? cr_smoothed_objective_create(&f->smoothed, &problem, &noise, error)
             : CR_OK);
  problem.evaluate = cr_record_ask;
  problem.context = f->record;
  cr_status status = minimise(f, &problem, error);
  cr_smoothed_objective_destroy(f->smoothed);
  f->smoothed = NULL;
  return status;
}

// at the end, without gradient
static cr_status final_losses(fit* f, cr_error* error) {
  cr_fit_value e = {.size = sizeof e};
  CR_TRY(cr_fit_evaluate(f->problem.fit, CR_FIT_TRAIN, CR_ALL_DATA, f->x, &e, error));
  f->loss = e.loss;
  f->more = e.more;
  CR_TRY(cr_fit_evaluate(f->problem.fit, CR_FIT_HELD, CR_ALL_DATA, f->x, &e, error));
  f->held_out_loss = f->problem.held.windows > 0 ? e.loss : (cr_real)NAN;
  return CR_OK;
}

static cr_status search(fit* f, cr_error* error) {
  bool known = cr_record_count(f->record) > 0;
  cr_record_begin(f->record, ask_fit, f, seen, f);
  CR_TRY(cr_parameters_get_start(f->problem.parameters, f->x, error));

  // the start, to tell how much was gained and what the gradient has to go by
  f->stage = -1;
  double start = cri_seconds();
  cr_real loss;
  CR_TRY(cr_record_ask(f->record, CR_ALL_DATA, f->x, &loss, f->first_gradient, error));
  f->first = cr_record_get(f->record, 0).e;
  f->pass_seconds = known ? (double)NAN : cri_seconds() - start;

  for (f->stage = 0; f->stage < f->problem.config.nstage; f->stage++) {
    CR_TRY(run_stage(f, error));
  }
  return final_losses(f, error);
}

// ---- results

// a first stage under noise has a gradient of its own
static bool gradient_vanishes(const fit* f) {
  return f->first.zero_windows == f->first.windows &&
         f->problem.config.stages[0].estimator == CR_NO_ESTIMATOR;
}

// made tosses: the largest relative distance of a parameter from the truth
static cr_real worst_miss(const fit* f, const cr_real* p) {
  cr_real worst = 0;
  for (int i = 0; i < f->problem.config.nparameter; i++) {
    cr_real truth = f->problem.truth[i];
    worst = cr_max(worst, cr_abs(p[i] - truth) / cr_max(cr_abs(truth), CR_MINVAL));
  }
  return worst;
}

// the model predicts no better than that nothing moves
static bool explains_nothing(const fit* f) {
  return !(f->loss - f->more < f->problem.train.standing_loss);
}

static int exit_code(const fit* f, const cr_real* p) {
  bool missed = f->problem.made && worst_miss(f, p) > f->problem.config.made.tolerance;
  return missed || gradient_vanishes(f) || explains_nothing(f) ? 1 : 0;
}

static void put_numbers(cr_json* j, const fit* f, const char* key, const cr_real* p) {
  cr_json_open(j, key, '{');
  for (int i = 0; i < f->problem.config.nparameter; i++) {
    cr_json_real(j, f->problem.config.parameters[i].name, p[i]);
  }
  cr_json_close(j, '}');
}

static void put_pair(cr_json* j, const char* key, int train, int held) {
  cr_json_open(j, key, '{');
  cr_json_int(j, "train", train);
  cr_json_int(j, "held_out", held);
  cr_json_close(j, '}');
}

static void put_stages(cr_json* j, fit* f) {
  cr_json_open(j, "stages", '[');
  for (f->stage = 0; f->stage < f->problem.config.nstage; f->stage++) {
    const char* reason = f->reasons[f->stage];
    cr_json_open(j, NULL, '{');
    cr_json_string(j, "method", stage_name(f));
    cr_json_string(j, "ended", reason != NULL ? reason : "nothing to do");
    cr_json_close(j, '}');
  }
  cr_json_close(j, ']');
}

static void put_result(cr_json* j, fit* f, const cr_real* p) {
  const cr_fit_problem* q = &f->problem;
  cr_real start[CR_MAX_PARAMETERS];
  for (int i = 0; i < q->config.nparameter; i++) {
    start[i] = q->config.parameters[i].start;
  }
  double windows = f->first.windows;
  cr_json_open(j, NULL, '{');
  put_numbers(j, f, "parameters", p);
  put_numbers(j, f, "start", start);
  if (q->made) {
    put_numbers(j, f, "truth", q->truth);
  }
  cr_json_real(j, "loss", f->loss);
  if (q->ncost > 0) {
    cr_json_real(j, "cost", f->more);
  }
  cr_json_real(j, "start_loss", f->first.loss);
  cr_json_real(j, "held_out_loss", f->held_out_loss);
  cr_json_real(j, "standing_loss", q->train.standing_loss);
  cr_json_int(j, "evaluations", cr_record_count(f->record));
  cr_json_real(j, "seconds", f->spent + cri_seconds() - f->progress.start);
  cr_json_real(j, "pass_seconds", f->pass_seconds);
  cr_json_real(j, "zero_gradient_windows", f->first.zero_windows / windows);
  cr_json_real(j, "contact_free_windows", f->first.contact_free / windows);
  put_pair(j, "windows", q->train.windows, q->held.windows);
  put_pair(j, "tosses", q->train.groups, q->held.groups);
  put_stages(j, f);
  cr_json_string(j, "data", q->data_path);
  cr_json_string(j, "output", q->folder);
  cr_json_bool(j, "passed", exit_code(f, p) == 0);
  cr_json_close(j, '}');
}

static void print_parameter(const fit* f, int i, cr_real p) {
  const cr_fit_parameter* item = &f->problem.config.parameters[i];
  (void)printf("%-12s %.6g  (start %.6g", item->name, p, item->start);
  if (!isnan(item->listed) && !f->problem.made) {
    (void)printf(", listed %.6g: %+.2f %%", item->listed, 100 * (p / item->listed - 1));
  }
  if (f->problem.made) {
    (void)printf(", truth %.6g: %+.2f %%", f->problem.truth[i],
                 100 * (p / f->problem.truth[i] - 1));
  }
  (void)printf(")\n");
}

static void print_result(fit* f, const cr_real* p) {
  const cr_fit_problem* q = &f->problem;
  for (int i = 0; i < q->config.nparameter; i++) {
    print_parameter(f, i, p[i]);
  }
  (void)printf("loss         %.6g on %d windows of %d tosses (start %.6g)\n", f->loss,
               q->train.windows, q->train.groups, f->first.loss);
  if (q->ncost > 0) {
    (void)printf("of which     %.6g is the cost\n", f->more);
  }
  if (q->held.windows > 0) {
    (void)printf("held aside   %.6g on %d windows of %d tosses\n", f->held_out_loss,
                 q->held.windows, q->held.groups);
  }
  (void)printf(
      "at the start %.2f %% of the windows had a gradient of zero, %.2f %% never touched\n",
      100.0 * f->first.zero_windows / f->first.windows,
      100.0 * f->first.contact_free / f->first.windows);
  if (gradient_vanishes(f)) {
    (void)printf("so there was nothing to go by: the parameters did not move\n");
  }
  if (explains_nothing(f)) {
    (void)printf(
        "a body that stands still would be predicted with loss %.6g: the model explains nothing of "
        "this recording; look at its units, frames and time step\n",
        q->train.standing_loss);
  }
  (void)printf("%d evaluations, %.1f s; results in %s, the motion in %s/%s\n",
               cr_record_count(f->record), f->spent + cri_seconds() - f->progress.start, q->folder,
               q->folder, motion_page);
}

static void plot(const fit* f) {
  enum { MAX_PANELS = 6 };
  const cr_fit_config* c = &f->problem.config;
  bool made = f->problem.made;
  cr_panel panels[MAX_PANELS] = {{"loss", "loss", true, (double)NAN, NULL}};
  int n = 1;
  for (int i = 0; i < c->nparameter && n < MAX_PANELS; i++) {
    const cr_fit_parameter* item = &c->parameters[i];
    panels[n++] = (cr_panel){item->name, item->name, false,
                             made ? f->problem.truth[i] : item->listed, made ? "truth" : "listed"};
  }
  cr_error error = {0};
  if (cri_plot(f->problem.folder, "history.csv", "carom fit", panels, n, &error) != CR_OK) {
    (void)fprintf(stderr, "carom fit: warning: %s\n", error.text);
  }
}

static cr_status model_at(const fit* f, const cr_real* x, cr_model** m, cr_error* error) {
  cr_parameters* parameters = f->problem.parameters;
  CR_TRY(cr_parameters_set(parameters, x, error));
  return cr_model_copy(m, cr_parameters_model(parameters), error);
}

static cr_status write_motion(const fit* f, const cr_model* start, const cr_model* found,
                              cr_error* error) {
  const cr_fit_problem* q = &f->problem;
  cr_recording_info run = {.size = sizeof run};
  char path[CR_MAX_PATH], title[CR_MAX_PATH];
  CR_TRY(cr_recordings_get(q->tosses, 0, &run, error));
  (void)snprintf(title, sizeof title, "carom fit: run %s", run.name);
  const cr_fitted_run fitted = {.run = &run,
                                .interval = cr_recordings_interval(q->tosses),
                                .every = q->every,
                                .adaptive = q->adaptive.atol > 0 ? &q->adaptive : NULL,
                                .start = start,
                                .found = found,
                                .title = title};
  CR_TRY(cri_path_join(path, q->folder, motion_page, error));
  return cr_fitted_page_write(&fitted, path, error);
}

// the first run, recorded and predicted; results are not lost where it fails
static void show_motion(fit* f) {
  cr_error error = {0};
  cr_model *start = NULL, *found = NULL;
  cr_real x[CR_MAX_PARAMETERS];
  cr_status status = cr_parameters_get_start(f->problem.parameters, x, &error);
  status = status == CR_OK ? model_at(f, x, &start, &error) : status;
  status = status == CR_OK ? model_at(f, f->x, &found, &error) : status;
  status = status == CR_OK ? write_motion(f, start, found, &error) : status;
  if (status != CR_OK) {
    (void)fprintf(stderr, "carom fit: warning: no page of the motion: %s\n", error.text);
  }
  cr_model_destroy(found);
  cr_model_destroy(start);
}

static cr_status finish(fit* f, int* code, cr_error* error) {
  char path[CR_MAX_PATH];
  cr_real p[CR_MAX_PARAMETERS];
  cr_json j = {0};
  (void)cr_parameters_get_values(f->problem.parameters, f->x, p, NULL);
  put_result(&j, f, p);
  cr_status status = cri_path_join(path, f->problem.folder, "result.json", error);
  if (status == CR_OK && j.failed) {
    status = cri_fail(error, CR_ERR_MEMORY, "%s: no memory", path);
  }
  status = status == CR_OK ? cri_file_write(path, j.text, j.length, error) : status;
  if (status != CR_OK) {
    cr_json_free(&j);
    return status;
  }
  plot(f);
  show_motion(f);
  if (f->o.json) {
    cr_json_finish(&j);
  } else {
    cr_json_free(&j);
    print_result(f, p);
  }
  *code = exit_code(f, p);
  return CR_OK;
}

// ---- the command

static cr_status run(fit* f, int* code, cr_error* error) {
  f->progress = cri_progress_begin();
  cr_interrupt_catch();
  cr_status status = begin(f, error);
  status = status == CR_OK ? search(f, error) : status;
  cri_progress_end(&f->progress);
  if (f->history != NULL && fclose(f->history) != 0 && status == CR_OK) {
    status = history_failed(f, error);
  }
  if (status == CR_ERR_INTERRUPTED) {
    return cri_fail(error, status,
                    "interrupted after %d evaluations, which are saved in %s; --resume goes on",
                    cr_record_count(f->record), f->problem.folder);
  }
  CR_TRY(status);
  return finish(f, code, error);
}

// what belongs to planned runs, and what would do nothing with them
static cr_status check_design(const cr_fit_runs_options* o, bool config, cr_error* error) {
  const char* stray =
      !o->design && o->observe.n > 0 ? "--observe belongs to --design"
      : o->design && config          ? "--design belongs to a model with planned runs, not to a "
                                       "configuration"
      : o->design && (o->save != NULL || o->huber > 0 || !isnan(o->held_out))
          ? "--save, --huber and --held-out belong to a fit; --design fits nothing"
      : o->held_runs.n > 0 && !isnan(o->held_out)
          ? "--held-runs names what is held aside; leave out --held-out"
      : o->correlated && o->design ? "--correlated belongs to a fit; --design has no errors"
      : o->correlated && o->profile.n > 0
          ? "--correlated widens intervals by covariance, not those of --profile; "
            "give one of the two"
      : o->correlated && o->continuity > 0
          ? "--correlated does not go with --continuity, whose windows are tied"
      : o->observe.n > 0 && o->noise.n > 0
          ? "--noise would do nothing: --observe gives the standard deviations"
          : NULL;
  return stray == NULL ? CR_OK : cri_fail(error, CR_ERR_ARG, "%s", stray);
}

static cr_status check_mode(const cr_fit_runs_options* runs, const fit_options* o, bool config,
                            bool file, cr_error* error) {
  const char* stray =
      config && !file &&
              runs->estimate.n + runs->noise.n + runs->delay.n + runs->offset.n + runs->column.n +
                      runs->ignore.n + runs->profile.n >
                  0
          ? "--estimate, --noise, --delay, --offset, --column, --ignore and --profile belong "
            "to a model with runs, not to a configuration; the model comes first, and ends in "
            ".xml, .urdf or .crm"
      : config && runs->paths.n > 1
          ? "one configuration expected; a model with runs ends in .xml, .urdf or .crm"
      : config && !file &&
              (runs->search != NULL || runs->islands + runs->population + runs->generations > 0)
          ? "--search, --islands, --population and --generations belong to measured runs, not to "
            "tosses"
      : config && !file && runs->blueprint != NULL
          ? "--blueprint belongs to measured runs, not to tosses"
      : !config && o->set.n > 0 ? "--set belongs to a configuration, not to a model with runs"
      : (!config || file) && o->data != NULL
          ? "--data belongs to a configuration of tosses, not to measured runs"
          : NULL;
  return stray == NULL ? CR_OK : cri_fail(error, CR_ERR_ARG, "%s", stray);
}

// options of both kinds of fits
static void share_options(const fit_options* o, cr_fit_runs_options* runs) {
  runs->out = o->out;
  runs->threads = o->threads;
  runs->seed = o->seed >= 0 ? o->seed : 1;
  runs->method = o->method;
  runs->force = o->force;
  runs->resume = o->resume;
  runs->as_recorded = o->as_recorded;
  runs->json = o->json;
}

int cr_cli_fit(int argc, char** argv) {
  fit* f = calloc(1, sizeof *f);
  if (f == NULL) {
    return cr_cli_no_memory("fit");
  }
  f->o.seed = -1;
  f->o.method = (cr_method_options)CR_METHOD_DEFAULTS;
  cr_fit_runs_options runs = {
      .command = "fit", .held_out = (double)NAN, .method = CR_METHOD_DEFAULTS};
  const cr_option rows[] = {
      {"", CR_OPT_LIST, &runs.paths, "MODEL RUN... | CONFIG",
       "a model and files of measured signals, or a YAML file of either kind "
       "(docs/identification.md, docs/tosses.md)"},
      {"--estimate", CR_OPT_LIST, &runs.estimate, "[KIND:]TARGET[=START[:LOW:HIGH]]",
       "runs: what to find, as 'body_mass[*]', 'tied:dof_damping[*]', inertia:shin; kinds: tied "
       "scale offset direction inertia density shape box_side"},
      CR_RUNS_OPTIONS(runs, "runs: ", "found"),
      {"--profile", CR_OPT_LIST, &runs.profile, "NAME|all",
       "runs: intervals of these numbers by profile likelihood, some ten searches each"},
      {"--blueprint", CR_OPT_TEXT, &runs.blueprint, "FILE",
       "runs: add the corrections of a blueprint, whose weights are plugin_param"},
      {"--continuity", CR_OPT_POSITIVE, &runs.continuity, "SD",
       "runs: pieces go on where the last one ended, to this standard deviation"},
      {"--confidence", CR_OPT_POSITIVE, &runs.confidence, "P", "runs: of intervals (default 0.9)"},
      {"--correlated", CR_OPT_FLAG, &runs.correlated, "",
       "runs: intervals count that errors follow each other, where they do"},
      {"--start", CR_OPT_TEXT, &runs.start, "estimated|reference|measured",
       "runs: states at the start are found (default), the model's reference pose at rest, or as "
       "measured"},
      {"--save", CR_OPT_TEXT, &runs.save, "FILE",
       "runs: write the model found: .xml and .mjb are MuJoCo's files, any other a Carom model "
       "file"},
      {"--design", CR_OPT_FLAG, &runs.design, "",
       "runs: fit nothing; tell which of these planned runs to record first"},
      {"--observe", CR_OPT_LIST, &runs.observe, "PLACE=SD[@HZ]",
       "--design: what would be measured, with which standard deviation and rate (default: that of "
       "the plan)"},
      {"--data", CR_OPT_TEXT, &f->o.data, "FILE",
       "recorded tosses in HDF5 (default: the configuration's, or tosses made by simulation)"},
      {"--as-recorded", CR_OPT_FLAG, &f->o.as_recorded, "",
       "take data whose velocities contradict positions or orientations"},
      {"--set", CR_OPT_LIST, &f->o.set, "KEY=VALUE",
       "change a value of the configuration: data.stride=2, parameters.side.start=0.06"},
      CR_METHOD_OPTIONS(f->o.method, "a divisor of the time between rows (default: that time)"),
      {"--out", CR_OPT_TEXT, &f->o.out, "DIR",
       "folder of the results (default fit_<name of CONFIG>)"},
      {"--search", CR_OPT_TEXT, &runs.search, "METHOD",
       "runs: local (default), or the lowest of many valleys: restarts, basin-hopping, cma-es, "
       "differential-evolution; under mpirun over processes"},
      {"--islands", CR_OPT_COUNT, &runs.islands, "N",
       "--search: groups of places that exchange their best now and then (default 4)"},
      {"--population", CR_OPT_COUNT, &runs.population, "N",
       "--search: places of an island (default 4; cma-es 12, differential-evolution 8)"},
      {"--generations", CR_OPT_COUNT, &runs.generations, "N",
       "--search: default 10; cma-es 40, differential-evolution 30"},
      {"--resume", CR_OPT_FLAG, &f->o.resume, "", "go on where an interrupted fit stopped"},
      {"--force", CR_OPT_FLAG, &f->o.force, "", "overwrite the results of an earlier fit in DIR"},
      {"--threads", CR_OPT_COUNT, &f->o.threads, "N",
       "default: all processors; the result does not depend on it"},
      {"--seed", CR_OPT_INT, &f->o.seed, "S", "of split, batches, --search and made tosses"},
      {"--json", CR_OPT_FLAG, &f->o.json, "", "print one JSON object"},
  };
  const cr_command_line line = {"fit",
                                "Identifies parameters of a model from recorded motion.",
                                rows,
                                (int)(sizeof rows / sizeof rows[0]),
                                "--estimate --start --delay --offset --held-out --window --profile "
                                "--out --save --resume --force --json",
                                {"fit arm.xml runs/*.csv --estimate density:upper 'dof_damping[*]'",
                                 "fit examples/cube_side.yaml"}};
  cr_error error = {0};
  cr_help help = CR_HELP_NONE;
  int code = 0;
  cr_status status = cr_options_parse(&line, argc, argv, &help, &error);
  bool config = runs.paths.n > 0 && !cr_runs_config_is_model(runs.paths.text[0]);
  bool file = config && cr_runs_config_is(runs.paths.text[0]);  // of measured runs
  cr_runs_config* runs_config = NULL;
  if (status == CR_OK && help == CR_HELP_NONE) {
    status = check_mode(&runs, &f->o, config, file, &error);
  }
  if (status == CR_OK && help == CR_HELP_NONE && file) {
    runs.config = runs.paths.text[0];
    status = cr_runs_config_read(&runs_config, runs.config, &line, argc, argv, &f->o.set,
                                 &runs.paths, &error);
  }
  if (status == CR_OK && help == CR_HELP_NONE) {
    status = check_design(&runs, config && !file, &error);
  }
  if (status == CR_OK && help != CR_HELP_NONE) {
    cr_options_print_help(&line, help);
  } else if (status == CR_OK && (!config || file)) {
    share_options(&f->o, &runs);
    cr_interrupt_catch();
    status = runs.design ? cr_fit_design(&runs, cr_interrupted, &error)
                         : cr_fit_runs(&runs, cr_interrupted, &code, &error);
    cr_runs_config_locate(runs_config, argc, argv, &error);
    code = status == CR_OK ? code : cr_cli_fail("fit", f->o.json, &error, NULL);
  } else {
    f->o.config = runs.paths.n > 0 ? runs.paths.text[0] : NULL;
    status = status == CR_OK ? run(f, &code, &error) : status;
    code = status == CR_OK ? code : cr_cli_fail("fit", f->o.json, &error, f->problem.report);
  }
  cr_runs_config_free(runs_config);
  cr_record_free(f->record);
  cr_fit_problem_free(&f->problem);
  free(f);
  return code;
}
