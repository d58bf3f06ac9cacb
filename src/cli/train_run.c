// SPDX-License-Identifier: Apache-2.0
#include "cli/train_run.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fingerprint.h"
#include "base/status.h"
#include "fit/train_report.h"
#include "runs/fit_search.h"

static const double save_interval = 0.5;  // s

typedef struct {
  cr_runs_fit f;
  const cr_train_options* o;
  cr_training_end end;
  // penalties of every number, for cr_training_options
  cr_real *l2, *lasso, *group_lasso;
  int32_t* group;
  bool any_lasso, any_group_lasso;
  // the curve: of every epoch its cost and that of the runs held aside
  double* curve;
  int nepoch, room, from;  // from: epochs before a resume
  FILE* history;
  int history_error;  // errno of what could not be written
  bool no_memory;
  // the model without corrections, and how well it does
  cr_runs_fit plain;
  cr_fit_runs_options plain_options;
  char plain_why[300];
  // numbers beside the weights
  cr_train_number* numbers;
  int nnumber, nweight;
} training;

static cr_status no_memory(cr_error* error) {
  return cri_fail(error, CR_ERR_MEMORY, "train: no memory");
}

// ---- penalties: weight i of plugin_param is number i of x

enum { MOST_FACTOR = 1000 };  // of an input that is not used

// Mean norm of the inputs of a correction over the norm of each.
// Shapes   factor[ninput]
static cr_status adaptive_factors(const cr_model* m, int index, const cr_correction_info* c,
                                  cr_real* factor, cr_error* error) {
  cr_real mean = 0;
  for (int k = 0; k < c->ninput; k++) {
    cr_correction_usage u = {.size = sizeof u};
    CR_TRY(cr_correction_get_usage(m, index, k, &u, error));
    factor[k] = u.norm;
    mean += u.norm / (cr_real)c->ninput;
  }
  for (int k = 0; k < c->ninput; k++) {
    factor[k] = mean < MOST_FACTOR * factor[k] ? mean / factor[k] : MOST_FACTOR;
  }
  return CR_OK;
}

// a file of weights; those of YAML are random and say nothing
static cr_status has_weights(const char* path, bool* has, cr_error* error) {
  static const char magic[] = "CAROMBLU";
  char* data = NULL;
  size_t n = 0;
  CR_TRY(cri_file_read(path, &data, &n, error));
  *has = n >= sizeof magic - 1 && memcmp(data, magic, sizeof magic - 1) == 0;
  free(data);
  return CR_OK;
}

static cr_status check_adaptive(const training* t, cr_error* error) {
  const char* path = t->o->runs.blueprint;
  bool weights = false;
  if (!t->o->adaptive) {
    return CR_OK;
  }
  CR_TRY(has_weights(path, &weights, error));
  if (!weights) {
    return cri_fail(error, CR_ERR_ARG,
                    "--adaptive-lasso: --blueprint %s has no weights of a first training; "
                    "corrections.crb of its folder has",
                    path);
  }
  return t->any_lasso || t->any_group_lasso
             ? CR_OK
             : cri_fail(error, CR_ERR_ARG,
                        "--adaptive-lasso would do nothing: no correction has a lasso");
}

static cr_status take_penalties(training* t, const cr_correction_info* c, int index, int* ngroup,
                                cr_error* error) {
  int32_t* kind = calloc((size_t)c->nweight + 1, sizeof *kind);
  cr_real* factor = calloc((size_t)c->ninput + 1, sizeof *factor);
  if (kind == NULL || factor == NULL) {
    free(kind);
    free(factor);
    return no_memory(error);
  }
  cr_status status = cr_correction_get_weights(t->f.m, index, kind, error);
  if (status == CR_OK && t->o->adaptive) {
    status = adaptive_factors(t->f.m, index, c, factor, error);
  }
  bool sparse = c->lasso > 0 || c->group_lasso > 0;
  for (int k = 0; k < c->nweight && status == CR_OK; k++) {
    int i = c->weight_first + k;
    t->l2[i] = kind[k] == CR_WEIGHT_UPPER ? c->l2 : 0;
    t->group[i] = sparse && kind[k] >= 0 ? *ngroup + kind[k] : -1;
    cr_real f = t->o->adaptive && kind[k] >= 0 ? factor[kind[k]] : 1;
    t->lasso[i] = f * c->lasso;
    t->group_lasso[i] = f * c->group_lasso;
  }
  free(kind);
  free(factor);
  *ngroup += sparse ? c->ninput : 0;
  t->any_lasso = t->any_lasso || c->lasso > 0;
  t->any_group_lasso = t->any_group_lasso || c->group_lasso > 0;
  return status;
}

static cr_status fill_penalties(training* t, cr_error* error) {
  int n = cr_identification_count(t->f.id), ngroup = 0;
  t->l2 = calloc(3 * (size_t)n + 1, sizeof *t->l2);
  t->group = calloc((size_t)n + 1, sizeof *t->group);
  if (t->l2 == NULL || t->group == NULL) {
    return no_memory(error);
  }
  t->lasso = t->l2 + n;
  t->group_lasso = t->lasso + n;
  for (int i = 0; i < n; i++) {
    t->group[i] = -1;
  }
  for (int c = 0; c < cr_model_correction_count(t->f.m); c++) {
    cr_correction_info info = {.size = sizeof info};
    CR_TRY(cr_model_get_correction(t->f.m, c, &info, error));
    CR_TRY(take_penalties(t, &info, c, &ngroup, error));
  }
  return check_adaptive(t, error);
}

// ---- the curve, as history.csv and in the saved state

static cr_status history_failed(const training* t, int number, cr_error* error) {
  return cri_fail(error, CR_ERR_FILE, "%s/history.csv: cannot be written: %s", t->f.folder,
                  strerror(number));
}

static bool keep_epoch(training* t, double cost, double held) {
  if (t->nepoch == t->room) {
    int room = 2 * t->room + 256;
    double* larger = realloc(t->curve, 2 * (size_t)room * sizeof *larger);
    if (larger == NULL) {
      return false;
    }
    t->curve = larger;
    t->room = room;
  }
  t->curve[2 * (ptrdiff_t)t->nepoch] = cost;
  t->curve[2 * (ptrdiff_t)t->nepoch + 1] = held;
  t->nepoch++;
  return true;
}

static void write_row(training* t, int i) {
  char row[96];
  cr_train_history_row(row, i + 1, t->curve[2 * (ptrdiff_t)i], t->curve[2 * (ptrdiff_t)i + 1]);
  if (fputs(row, t->history) < 0 || fflush(t->history) != 0) {
    t->history_error = errno;
  }
}

// with the epochs before a resume
static cr_status open_history(training* t, cr_error* error) {
  char path[CR_MAX_PATH];
  CR_TRY(cri_path_join(path, t->f.folder, "history.csv", error));
  t->history = fopen(path, "w");
  if (t->history == NULL) {
    return history_failed(t, errno, error);
  }
  if (fputs(cr_train_history_head, t->history) < 0 || fflush(t->history) != 0) {
    t->history_error = errno;
  }
  for (int i = 0; i < t->nepoch; i++) {
    write_row(t, i);
  }
  return t->history_error == 0 ? CR_OK : history_failed(t, t->history_error, error);
}

static void close_history(training* t) {
  if (t->history != NULL) {
    (void)fclose(t->history);  // every row was flushed; the whole file is written again at the end
    t->history = NULL;
  }
}

// ---- the saved state: the number of epochs, the curve, the library's state

static cr_status save_epoch(void* context, int epoch, const void* state, size_t size,
                            cr_error* error) {
  training* t = context;
  if (t->no_memory) {
    return no_memory(error);
  }
  uint64_t rows = (uint64_t)t->nepoch;
  size_t curve = 2 * (size_t)t->nepoch * sizeof *t->curve;
  unsigned char* bytes = malloc(sizeof rows + curve + size);
  if (bytes == NULL) {
    return no_memory(error);
  }
  memcpy(bytes, &rows, sizeof rows);
  memcpy(bytes + sizeof rows, t->curve, curve);
  memcpy(bytes + sizeof rows + curve, state, size);
  cr_status status = cr_fit_saving_keep(&t->f.saving, CR_FIT_SOLVE, epoch, bytes,
                                        sizeof rows + curve + size, save_interval, error);
  free(bytes);
  return status == CR_OK && t->history_error != 0 ? history_failed(t, t->history_error, error)
                                                  : status;
}

// what of the file the library goes on from; NULL: it began and has no state yet
static cr_status read_curve(training* t, const unsigned char** state, size_t* size,
                            cr_error* error) {
  const cr_fit_state* last = &t->f.saving.last;
  uint64_t rows = 0;
  *state = NULL;
  *size = 0;
  if (last->size == 0) {
    return CR_OK;
  }
  bool good = last->size > sizeof rows;
  if (good) {
    memcpy(&rows, last->bytes, sizeof rows);
    good = rows < (last->size - sizeof rows) / (2 * sizeof(double));
  }
  if (!good) {
    return cri_fail(error, CR_ERR_FORMAT, "%s: the file is damaged", t->f.saving.path);
  }
  const unsigned char* at = last->bytes + sizeof rows;
  for (uint64_t i = 0; i < rows; i++, at += 2 * sizeof(double)) {
    double row[2];
    memcpy(row, at, sizeof row);
    if (!keep_epoch(t, row[0], row[1])) {
      return no_memory(error);
    }
  }
  t->from = t->nepoch;
  *state = at;
  *size = last->size - (size_t)(at - last->bytes);
  return CR_OK;
}

// a lasso makes weights 0 late, when the runs held aside were predicted best long ago
static bool keeps_last(const training* t) {
  const char* keep = t->o->keep;
  return keep != NULL ? strcmp(keep, "last") == 0 : t->any_lasso || t->any_group_lasso;
}

// what has to be the same to go on, beside what a fit compares
static cr_status name_saving(training* t, cr_error* error) {
  const cr_train_options* o = t->o;
  const double numbers[] = {o->epochs,     o->batch,        o->patience,   o->rate,
                            o->final_rate, o->weight_decay, keeps_last(t), o->adaptive};
  CR_TRY(cr_fit_search_name(&t->f, error));
  uint64_t* settings = &t->f.saving.of[CR_FIT_OF_SETTINGS];
  *settings = cri_fingerprint(*settings, numbers, sizeof numbers);
  return CR_OK;
}

// ---- training

static bool is_stopped(void* context) {
  const training* t = context;
  return t->f.stop != NULL && t->f.stop(NULL);
}

static void tell_epoch(void* context, int epoch, cr_real cost, cr_real held) {
  training* t = context;
  cr_progress* p = &t->f.progress;
  if (!keep_epoch(t, (double)cost, (double)held)) {
    t->no_memory = true;
    return;
  }
  write_row(t, t->nepoch - 1);
  if (cri_progress_due(p)) {
    char text[200];
    int all = t->o->epochs > 0 ? t->o->epochs : 100;
    int n = snprintf(text, sizeof text, "epoch %d of %d  cost %.6g", epoch, all, (double)cost);
    if (!isnan(held)) {
      n += snprintf(text + n, sizeof text - (size_t)n, "  held aside %.6g", (double)held);
    }
    double spent = cri_seconds() - p->start;
    (void)snprintf(text + n, sizeof text - (size_t)n, "  %.1f s", t->f.saving.spent + spent);
    cri_progress_left(p, text, spent, (double)(epoch - t->from) / (all - t->from), "");
  }
}

static cr_status train(training* t, const unsigned char* state, size_t size, cr_error* error) {
  const cr_train_options* o = t->o;
  const double rate = o->rate > 0 ? o->rate : 0.01;
  const cr_training_options options = {
      .size = sizeof options,
      .epochs = o->epochs,
      .batch = o->batch,
      .rate = (cr_real)rate,
      .final_rate = (cr_real)(o->final_rate > 0 ? o->final_rate : rate / 100),
      .weight_decay = (cr_real)o->weight_decay,
      .l2 = t->l2,
      .group = t->group,
      .lasso = t->any_lasso ? 1 : 0,
      .group_lasso = t->any_group_lasso ? 1 : 0,
      .lasso_factor = t->lasso,
      .group_factor = t->group_lasso,
      .patience = o->patience,
      .keep_last = keeps_last(t),
      .seed = (uint64_t)o->runs.seed,
      .stop = is_stopped,
      .progress = tell_epoch,
      .save = save_epoch,
      .resume = state,
      .resume_size = size,
      .context = t};
  t->end = (cr_training_end){.size = sizeof t->end};
  cr_error inner = {0};
  cr_status status = cr_identification_train(t->f.id, &options, t->f.x, &t->end, &inner);
  int all = o->epochs > 0 ? o->epochs : 100;
  bool numerical = status != CR_OK && cr_status_exit_code(status) == 3;
  if (numerical) {
    return cri_fail(error, status,
                    "epoch %d: %s; a smaller --learning-rate or a shorter --window may help",
                    t->nepoch < all ? t->nepoch + 1 : all, inner.text);
  }
  return status == CR_OK ? CR_OK : cri_fail(error, status, "%s", inner.text);
}

static cr_status search(training* t, cr_error* error) {
  const unsigned char* state;
  size_t size;
  CR_TRY(read_curve(t, &state, &size, error));
  // the state of the file is read while others are kept
  cr_fit_state from = t->f.saving.last;
  t->f.saving.last = (cr_fit_state){0};
  cr_status status = open_history(t, error);
  status = status == CR_OK ? train(t, state, size, error) : status;
  if (t->f.saving.last.size == 0) {
    t->f.saving.last = from;
  } else {
    free(from.bytes);
  }
  close_history(t);
  if (status == CR_OK) {
    return CR_OK;
  }
  cr_status settled =
      cr_fit_saving_settle(&t->f.saving, status == CR_ERR_INTERRUPTED ? error : NULL);
  if (status == CR_ERR_INTERRUPTED) {
    CR_TRY(settled);
    return cri_fail(error, status,
                    "interrupted after %d epochs, which are saved in %s; --resume goes on",
                    t->nepoch, t->f.folder);
  }
  return status;
}

// ---- the model without corrections: on the same runs, with the same windows

// An identification needs a number: nothing is added to a damping.
static cr_status open_plain(training* t, cr_error* error) {
  cr_runs_fit* p = &t->plain;
  cr_real x[CR_MAX_PARAMETERS] = {0};
  t->plain_options = t->o->runs;
  t->plain_options.blueprint = NULL;
  t->plain_options.weights = false;
  *p = (cr_runs_fit){
      .o = &t->plain_options, .stop = t->f.stop, .quiet = true, .measurements = t->f.measurements};
  CR_TRY(cr_fit_setup_model(p, error));
  CR_TRY(cr_estimates_add(&p->estimates, p->m, "offset:dof_damping[0]", error));
  CR_TRY(cr_fit_setup_identification(p, t->o->runs.threads, &p->parameters, &p->id, error));
  if (cr_identification_count(p->id) > (int)(sizeof x / sizeof x[0])) {
    return cri_fail(error, CR_ERR_ARG, "too many delays and offsets");
  }
  CR_TRY(cr_identification_get_start(p->id, x, error));
  CR_TRY(cr_identification_take(p->id, x, error));
  cr_fit_of_place place = {.size = sizeof place};
  bool held = cr_identification_windows(p->id, CR_RUNS_HELD) > 0;
  return held ? cr_identification_get_place(p->id, CR_RUNS_HELD, 0, &place, error) : CR_OK;
}

// that it cannot be simulated is an answer too
static cr_status try_plain(training* t, cr_error* error) {
  cr_error inner = {0};
  cr_status status = open_plain(t, &inner);
  if (status != CR_OK && cr_status_exit_code(status) == 3) {
    (void)snprintf(t->plain_why, sizeof t->plain_why, "%.299s", inner.text);
    return CR_OK;
  }
  return status == CR_OK ? CR_OK : cri_fail(error, status, "%s", inner.text);
}

static void free_plain(training* t) {
  t->plain.measurements = NULL;  // those of the training
  cr_fit_setup_free(&t->plain);
}

// ---- what was found

// Numbers that --estimate names as a report tells them, then delays and offsets
static cr_status take_numbers(training* t, cr_error* error) {
  const cr_runs_fit* f = &t->f;
  int rows = cr_parameters_report_count(f->parameters), np = cr_parameters_count(f->parameters);
  int beyond = cr_identification_count(f->id) - np;
  cr_real* values = calloc((size_t)rows + 1, sizeof *values);
  t->numbers = calloc((size_t)(rows - t->nweight + beyond) + 1, sizeof *t->numbers);
  if (values == NULL || t->numbers == NULL) {
    free(values);
    return no_memory(error);
  }
  cr_status status = cr_parameters_report_values(f->parameters, f->x, values, NULL, error);
  for (int i = t->nweight; i < rows && status == CR_OK; i++) {
    cr_train_number* n = &t->numbers[t->nnumber++];
    status = cr_parameters_report_name(f->parameters, i, n->name, (int)sizeof n->name, error);
    n->value = values[i];
    n->start = f->lines[i].start;
  }
  free(values);
  for (int i = 0; i < beyond && status == CR_OK; i++) {
    cr_train_number* n = &t->numbers[t->nnumber++];
    (void)snprintf(n->name, sizeof n->name, "%s", cr_identification_name(f->id, np + i));
    n->value = f->x[np + i];
    n->start = f->lines[rows + i].start;
  }
  return status;
}

static cr_status save_weights(const training* t, cr_error* error) {
  char path[CR_MAX_PATH];
  CR_TRY(cri_path_join(path, t->f.folder, "corrections.crb", error));
  return cr_model_save_blueprint(cr_parameters_model(t->f.parameters), path, error);
}

// the model without corrections, with the numbers that were trained beside the weights
static cr_status save_model(const training* t, cr_error* error) {
  const cr_runs_fit* f = &t->f;
  int n = f->estimates.n - t->nweight;
  if (f->o->save == NULL) {
    return CR_OK;
  }
  const cr_parameter_info** list = calloc((size_t)n + 1, sizeof *list);
  if (list == NULL) {
    return no_memory(error);
  }
  for (int i = 0; i < n; i++) {
    list[i] = &f->estimates.items[t->nweight + i];
  }
  cr_parameters* beside = NULL;
  cr_status status = cr_parameters_create(&beside, t->plain.m, list, n, error);
  status = status == CR_OK ? cr_parameters_set(beside, f->x + t->nweight, error) : status;
  status = status == CR_OK ? cr_fit_setup_save(f, cr_parameters_model(beside), error) : status;
  cr_parameters_destroy(beside);
  free(list);
  return status;
}

static cr_status write_answer(const training* t, const cr_train_report* r, cr_error* error) {
  char path[CR_MAX_PATH];
  cr_json j = {0};
  cr_status status = cr_train_answer_put(r, &j, error);
  status = status == CR_OK ? cri_path_join(path, t->f.folder, "result.json", error) : status;
  if (status == CR_OK && j.failed) {
    status = cri_fail(error, CR_ERR_MEMORY, "%s: no memory", path);
  }
  status = status == CR_OK ? cri_file_write(path, j.text, j.length, error) : status;
  if (status == CR_OK && t->o->runs.json) {
    cr_json_finish(&j);
    return CR_OK;
  }
  cr_json_free(&j);
  CR_TRY(status);
  return cr_train_answer_print(r, error);
}

static cr_status finish(training* t, int* code, cr_error* error) {
  cr_runs_fit* f = &t->f;
  CR_TRY(cr_parameters_set(f->parameters, f->x, error));
  CR_TRY(save_weights(t, error));
  CR_TRY(try_plain(t, error));
  CR_TRY(take_numbers(t, error));
  cr_train_report report = {.model = f->o->paths.text[0],
                            .folder = f->folder,
                            .m = cr_parameters_model(f->parameters),
                            .predictions = {.m = f->m,
                                            .measurements = f->measurements,
                                            .identification = f->id,
                                            .other_name = "uncorrected",
                                            .other = t->plain_why[0] == 0 ? t->plain.id : NULL},
                            .end = &t->end,
                            .curve = t->curve,
                            .numbers = t->numbers,
                            .nepoch = t->nepoch,
                            .nnumber = t->nnumber,
                            .plain_why = t->plain_why,
                            .saved = f->o->save,
                            .seconds = f->saving.spent + cri_seconds() - f->progress.start};
  cr_error warning;
  double gain;
  CR_TRY(cr_train_report_write(&report, &warning, error));
  if (warning.text[0] != 0) {
    (void)fprintf(stderr, "carom train: warning: %s\n", warning.text);
  }
  CR_TRY(save_model(t, error));
  CR_TRY(cr_train_report_gain(&report, &gain, error));
  *code = gain <= 1 ? 1 : 0;
  return write_answer(t, &report, error);
}

// ---- the run

static cr_status begin(training* t, cr_error* error) {
  cr_runs_fit* f = &t->f;
  CR_TRY(cr_fit_setup_check_save(f, error));
  CR_TRY(cr_fit_setup(f, error));
  t->nweight = cr_model_count(f->m, "npluginparam");
  CR_TRY(fill_penalties(t, error));
  CR_TRY(cr_fit_setup_folder(f, error));
  CR_TRY(cri_path_join(f->saving.path, f->folder, "training.state", error));
  CR_TRY(cr_fit_setup_claim_anew(f, error));
  f->saving.begin = f->progress.start;
  CR_TRY(name_saving(t, error));
  CR_TRY(f->o->resume ? cr_fit_saving_read(&f->saving, error)
                      : cr_fit_saving_begin(&f->saving, error));
  cr_fit_setup_forget(f);
  return CR_OK;
}

// where it does not come to its end, --resume has the end of the training
static cr_status run(training* t, int* code, cr_error* error) {
  CR_TRY(begin(t, error));
  CR_TRY(search(t, error));
  cri_progress_end(&t->f.progress);
  cr_status status = finish(t, code, error);
  if (status != CR_OK) {
    (void)cr_fit_saving_settle(&t->f.saving, NULL);
    return status;
  }
  (void)unlink(t->f.saving.path);
  return CR_OK;
}

cr_status cr_train_run(const cr_train_options* o, bool (*stop)(void* context), int* code,
                       cr_error* error) {
  cr_train_options own = *o;
  own.runs.start = o->runs.start != NULL ? o->runs.start : "measured";
  training t = {.o = &own,
                .f = {.o = &own.runs,
                      .stop = stop,
                      .ranks = {.size = 1},
                      .progress = cri_progress_begin(),
                      .saving = {.kind = "training"}}};
  cr_status status = run(&t, code, error);
  cri_progress_end(&t.f.progress);
  free_plain(&t);
  cr_fit_setup_free(&t.f);
  cr_fit_saving_free(&t.f.saving);
  free(t.l2);
  free(t.group);
  free(t.curve);
  free(t.numbers);
  return status;
}
