// SPDX-License-Identifier: Apache-2.0
#include "cli/train_policy.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/commands.h"
#include "command/interrupt.h"
#include "command/ranks.h"
#include "command/setup.h"
#include "task/plan_memory.h"
#include "task/plan_motion.h"
#include "task/plan_report.h"
#include "task/policy_task.h"
#include "tools/clock.h"
#include "tools/files.h"
#include "tools/hdf5.h"
#include "tools/plot.h"
#include "tools/progress.h"

enum { SAVE_EVERY = 10, MOST_SEEDS = 100 };  // seconds

// columns of curve.csv behind the seed
enum {
  ITERATION,
  MEAN,
  MEAN_ERROR,
  NOISELESS,
  ALPHA,
  FIRST,
  ZEROTH,
  GRADIENT,
  RATE,
  SECONDS,
  COLUMNS
};
static const char header[] =
    "seed,iteration,cost,cost_error,cost_without_noise,alpha,first_variance,zeroth_variance,"
    "gradient,rate,seconds\n";

typedef struct {
  const char *path, *out;
  cr_text_list set;
  bool json, resume, force;
  int threads, seeds;
} train_options;

// one training: what a file keeps of it
typedef struct {
  int seed;
  cr_real* memory;
  size_t nmemory;
  cr_plan_history curve;
} run_of_seed;

typedef struct {
  const train_options* o;
  cr_ranks ranks;
  cr_processes processes;
  cr_plan_task task;
  cr_policy_training* training;  // of the current seed
  run_of_seed* runs;
  int best;  // of the runs
  double begun, saved;
  cr_progress progress;
  cr_plan_outcome outcome;
} train;

static double last_cost(const run_of_seed* r) {
  return r->curve.n > 0 ? r->curve.row[(ptrdiff_t)(r->curve.n - 1) * COLUMNS + MEAN]
                        : (double)INFINITY;
}

static void file_name(const train* t, const char* name, char path[CR_MAX_PATH + 32]) {
  (void)snprintf(path, CR_MAX_PATH + 32, "%s/%s", t->task.folder, name);
}

// ---- policy.h5: memory and curve of every seed, and the weights of the best

static cr_status write_numbers(cr_h5* file, const char* name, const cr_real* x, size_t n,
                               cr_error* error) {
  double* numbers = malloc((n + 1) * sizeof *numbers);
  if (numbers == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "train: no memory for %zu numbers", n);
  }
  for (size_t i = 0; i < n; i++) {
    numbers[i] = (double)x[i];
  }
  cr_status status = cri_h5_write(file, name, numbers, (int)n, 0, error);
  free(numbers);
  return status;
}

static cr_status write_run(cr_h5* file, const run_of_seed* r, cr_error* error) {
  char name[64];
  if (r->memory == NULL || r->curve.n == 0) {
    return CR_OK;
  }
  (void)snprintf(name, sizeof name, "seed_%d/memory", r->seed);
  CR_TRY(write_numbers(file, name, r->memory, r->nmemory, error));
  (void)snprintf(name, sizeof name, "seed_%d/curve", r->seed);
  return cri_h5_write(file, name, r->curve.row, r->curve.n, COLUMNS, error);
}

static cr_status save(train* t, cr_error* error) {
  char path[CR_MAX_PATH + 32];
  cr_h5* file = NULL;
  if (t->ranks.rank > 0) {
    return CR_OK;
  }
  file_name(t, "policy.h5", path);
  CR_TRY(cri_h5_create(&file, path, error));
  cr_status status = CR_OK;
  for (int i = 0; i < t->o->seeds && status == CR_OK; i++) {
    status = write_run(file, &t->runs[i], error);
  }
  const run_of_seed* best = &t->runs[t->best];
  if (status == CR_OK && best->memory != NULL) {
    status = write_numbers(file, "weights", best->memory + 1, (best->nmemory - 1) / 3, error);
  }
  status = status == CR_OK ? cri_h5_save(file, error) : status;
  cri_h5_close(file);
  t->saved = cri_seconds();
  return status;
}

static cr_status keep(train* t, run_of_seed* r, cr_error* error) {
  r->nmemory = cr_policy_training_memory_size(t->training);
  r->memory = r->memory != NULL ? r->memory : malloc(r->nmemory * sizeof *r->memory);
  return r->memory == NULL ? cri_fail(error, CR_ERR_MEMORY, "train: no memory")
                           : cr_policy_training_get_memory(t->training, r->memory, error);
}

static cr_status is_another(const char* path, cr_error* error) {
  return cri_fail(error, CR_ERR_FORMAT, "%s: is of another task; give it another folder with --out",
                  path);
}

static cr_status read_run(run_of_seed* r, const cr_h5* file, const char* path, cr_error* error) {
  char name[64];
  double *numbers = NULL, *curve = NULL;
  int n = 0, width = 0, rows = 0, columns = 0;
  (void)snprintf(name, sizeof name, "seed_%d/memory", r->seed);
  if (!cri_h5_has(file, name)) {
    return CR_OK;
  }
  CR_TRY(cri_h5_read(file, name, &numbers, &n, &width, error));
  r->nmemory = (size_t)n;
  r->memory = malloc(((size_t)n + 1) * sizeof *r->memory);
  for (int i = 0; i < n && r->memory != NULL; i++) {
    r->memory[i] = (cr_real)numbers[i];
  }
  free(numbers);
  (void)snprintf(name, sizeof name, "seed_%d/curve", r->seed);
  CR_TRY(r->memory == NULL ? cri_fail(error, CR_ERR_MEMORY, "train: no memory") : CR_OK);
  CR_TRY(cri_h5_read(file, name, &curve, &rows, &columns, error));
  r->curve = (cr_plan_history){curve, rows, rows};
  return columns == COLUMNS ? CR_OK : is_another(path, error);
}

// all seeds at once, since the next save replaces the file
static cr_status read_back(train* t, cr_error* error) {
  char path[CR_MAX_PATH + 32];
  cr_h5* file = NULL;
  file_name(t, "policy.h5", path);
  CR_TRY(cri_h5_open(&file, path, error));
  cr_status status = CR_OK;
  for (int i = 0; i < t->o->seeds && status == CR_OK; i++) {
    status = read_run(&t->runs[i], file, path, error);
  }
  cri_h5_close(file);
  return status;
}

// the training of a seed goes on where its memory ends
static cr_status put_back(train* t, const run_of_seed* r, cr_error* error) {
  char path[CR_MAX_PATH + 32];
  cr_error inner = {0};
  file_name(t, "policy.h5", path);
  return r->memory == NULL ||
                 cr_policy_training_set_memory(t->training, r->memory, r->nmemory, &inner) == CR_OK
             ? CR_OK
             : is_another(path, error);
}

// ---- curve.csv and the plot

static cr_status write_curves(const train* t, cr_error* error) {
  char path[CR_MAX_PATH + 32], *text = NULL;
  size_t size = 0;
  FILE* file = open_memstream(&text, &size);
  if (file == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "train: no memory");
  }
  (void)fputs(header, file);
  for (int i = 0; i < t->o->seeds; i++) {
    const run_of_seed* r = &t->runs[i];
    for (int k = 0; k < r->curve.n * COLUMNS; k++) {
      if (k % COLUMNS == 0) {
        (void)fprintf(file, "%d", r->seed);
      }
      (void)fprintf(file, k % COLUMNS == COLUMNS - 1 ? ",%.6g\n" : ",%.17g", r->curve.row[k]);
    }
  }
  cr_status status = CR_ERR_MEMORY;
  if (fclose(file) == 0) {
    file_name(t, "curve.csv", path);
    status = cri_file_write(path, text, size, error);
  }
  free(text);
  return status;
}

static bool is_positive(const train* t) {
  bool is = true;
  for (int i = 0; i < t->o->seeds; i++) {
    const cr_plan_history* h = &t->runs[i].curve;
    for (int k = 0; k < h->n; k++) {
      is = is && h->row[(ptrdiff_t)k * COLUMNS + MEAN] > 0;
    }
  }
  return is;
}

static void plot(const train* t) {
  cr_error error = {0};
  cr_curve* curves = calloc((size_t)t->o->seeds, sizeof *curves);
  char(*titles)[24] = calloc((size_t)t->o->seeds, sizeof *titles);
  for (int i = 0; i < t->o->seeds && curves != NULL && titles != NULL; i++) {
    (void)snprintf(titles[i], sizeof titles[i], "seed %d", t->runs[i].seed);
    curves[i] = (cr_curve){.csv = "curve.csv",
                           .x = "iteration",
                           .y = "cost",
                           .title = titles[i],
                           .only = "seed",
                           .value = t->runs[i].seed};
  }
  const cr_chart chart = {.xlabel = "iteration",
                          .ylabel = "expected cost",
                          .log_y = is_positive(t),
                          .low = (double)NAN,
                          .high = (double)NAN,
                          .curves = curves,
                          .ncurve = t->o->seeds};
  if (curves == NULL || titles == NULL ||
      cri_charts(t->task.folder, "curve", "expected cost of the policy", &chart, 1, 1, &error) !=
          CR_OK) {
    (void)fprintf(stderr, "carom train: warning: %s\n", error.text);
  }
  free(curves);
  free(titles);
}

// ---- one seed

static cr_status note(train* t, run_of_seed* r, const cr_policy_training_result* e,
                      cr_error* error) {
  const double row[COLUMNS] = {
      e->iteration,     (double)e->mean,           (double)e->mean_error,      (double)e->loss,
      (double)e->alpha, (double)e->first_variance, (double)e->zeroth_variance, (double)e->gradient,
      (double)e->rate,  cri_seconds() - t->begun};
  CR_TRY(cr_plan_history_add(&r->curve, row, COLUMNS, error));
  cr_status status = keep(t, r, error);
  if (status == CR_OK && cri_seconds() - t->saved > SAVE_EVERY) {
    status = save(t, error);
  }
  return cr_ranks_agree(&t->ranks, status, error);
}

static void show(train* t, int seed, const cr_policy_training_result* e, int from) {
  int all = t->task.train.iterations, done = e->iteration + 1;
  if (t->ranks.rank == 0 && cri_progress_due(&t->progress)) {
    char line[160];
    (void)snprintf(line, sizeof line, "seed %d, iteration %d of %d: cost %.6g +- %.2g",
                   t->runs[seed].seed, done, all, (double)e->mean, (double)e->mean_error);
    double total = (double)t->o->seeds * all;
    cri_progress_left(&t->progress, line, cri_seconds() - t->begun,
                      ((double)seed * all + done - from) / (total - from), "");
  }
}

// the expected cost of the last weights becomes the last row of the curve, without a step
static cr_status finish(train* t, run_of_seed* r, cr_error* error) {
  int k = cr_policy_training_iterations(t->training);
  cr_smoothed_gradient e = {.size = sizeof e};
  CR_TRY(cr_policy_training_estimate(t->training, k, &e, error));
  const cr_policy_training_result last = {.iteration = k,
                                          .mean = e.mean,
                                          .mean_error = e.mean_error,
                                          .loss = e.loss,
                                          .alpha = e.alpha,
                                          .first_variance = e.first_variance,
                                          .zeroth_variance = e.zeroth_variance,
                                          .gradient = (cr_real)NAN,
                                          .rate = 0};
  return note(t, r, &last, error);
}

static cr_status train_seed(train* t, int i, cr_error* error) {
  run_of_seed* r = &t->runs[i];
  int from = cr_policy_training_iterations(t->training);
  if (r->curve.n > from) {  // its last row is that of the end
    r->curve.n = from;
  }
  while (cr_policy_training_iterations(t->training) < t->task.train.iterations) {
    cr_policy_training_result e = {.size = sizeof e};
    CR_TRY(cr_policy_training_step(t->training, &e, error));
    CR_TRY(note(t, r, &e, error));
    show(t, i, &e, from);
  }
  CR_TRY(finish(t, r, error));
  t->best = last_cost(r) < last_cost(&t->runs[t->best]) ? i : t->best;
  return cr_ranks_agree(&t->ranks, save(t, error), error);
}

static cr_status make_training(train* t, int i, cr_error* error) {
  cr_policy_training_destroy(t->training);
  t->training = NULL;
  const cr_policy_task_options how = {
      .seed = t->runs[i].seed,
      .nthread = t->o->threads == 0 && t->ranks.size > 1 ? 1 : t->o->threads,
      .stop = cr_interrupted,
      .processes = &t->processes};
  cr_error inner = {0};
  cr_status status = cr_policy_task_create(&t->training, &t->task, &how, &inner);
  return status == CR_OK ? CR_OK : cri_fail(error, status, "%s: %s", t->o->path, inner.text);
}

static cr_status train_all(train* t, cr_error* error) {
  for (int i = 0; i < t->o->seeds; i++) {
    cr_status status = make_training(t, i, error);
    status = status == CR_OK ? put_back(t, &t->runs[i], error) : status;
    CR_TRY(cr_ranks_agree(&t->ranks, status, error));
    CR_TRY(train_seed(t, i, error));
  }
  return CR_OK;
}

// the motion of the best policy
static cr_status record(train* t, cr_error* error) {
  char path[CR_MAX_PATH + 32];
  const run_of_seed* r = &t->runs[t->best];
  CR_TRY(make_training(t, t->best, error));
  CR_TRY(cr_policy_training_set_memory(t->training, r->memory, r->nmemory, error));
  file_name(t, "motion.h5", path);
  return cr_plan_motion(&t->task, cr_policy_training_policy(t->training), path, &t->outcome, error);
}

// ---- output

static void print_text(const train* t) {
  const cr_plan_task* task = &t->task;
  (void)printf("%d iterations of %d motions, %s order, %d weights, in %.3g s\n",
               task->train.iterations, task->train.samples,
               cr_enum_word("estimator_kind", task->train.estimator),
               cr_policy_nweight(cr_policy_training_policy(t->training)), cri_seconds() - t->begun);
  for (int i = 0; i < t->o->seeds; i++) {
    const double* first = t->runs[i].curve.row;
    const double* last = first + (ptrdiff_t)(t->runs[i].curve.n - 1) * COLUMNS;
    (void)printf("seed %-4d expected cost %.6g +- %.2g, at first %.6g%s\n", t->runs[i].seed,
                 last[MEAN], last[MEAN_ERROR], first[MEAN],
                 t->o->seeds > 1 && i == t->best ? " (best)" : "");
  }
  cr_plan_report_print(task, &t->outcome, "without noise");
  (void)printf("results in %s: policy.h5, motion.h5, curve.csv, curve.png\n", task->folder);
}

static void print_json(const train* t) {
  const cr_plan_task* task = &t->task;
  cr_json j = {0};
  cr_json_open(&j, NULL, '{');
  cr_json_string(&j, "estimator", cr_enum_word("estimator_kind", task->train.estimator));
  cr_json_int(&j, "steps", task->nstep);
  cr_json_int(&j, "iterations", task->train.iterations);
  cr_json_int(&j, "weights", cr_policy_nweight(cr_policy_training_policy(t->training)));
  cr_json_open(&j, "seeds", '[');
  for (int i = 0; i < t->o->seeds; i++) {
    const double* first = t->runs[i].curve.row;
    const double* last = first + (ptrdiff_t)(t->runs[i].curve.n - 1) * COLUMNS;
    cr_json_open(&j, NULL, '{');
    cr_json_int(&j, "seed", t->runs[i].seed);
    cr_json_real(&j, "first_cost", (cr_real)first[MEAN]);
    cr_json_real(&j, "expected_cost", (cr_real)last[MEAN]);
    cr_json_real(&j, "error", (cr_real)last[MEAN_ERROR]);
    cr_json_close(&j, '}');
  }
  cr_json_close(&j, ']');
  cr_json_int(&j, "best", t->runs[t->best].seed);
  cr_plan_report_json(task, &t->outcome, &j);
  cr_json_real(&j, "seconds", (cr_real)(cri_seconds() - t->begun));
  cr_json_string(&j, "folder", task->folder);
  cr_json_close(&j, '}');
  cr_json_finish(&j);
}

// ---- the command

static cr_status check(const train* t, cr_error* error) {
  char path[CR_MAX_PATH];
  if (t->o->seeds > MOST_SEEDS) {
    return cri_fail(error, CR_ERR_ARG, "--seeds %d: %d at most", t->o->seeds, MOST_SEEDS);
  }
  CR_TRY(cri_path_join(path, t->task.folder, "policy.h5", error));
  if (t->o->force || t->o->resume || access(path, F_OK) != 0) {
    return CR_OK;
  }
  return cri_fail(error, CR_ERR_FILE,
                  "%s: holds policy.h5 of an earlier training; --force overwrites it, --resume "
                  "goes on",
                  t->task.folder);
}

static cr_status prepare(train* t, cr_error* error) {
  const train_options* o = t->o;
  CR_TRY(cr_plan_task_read(&t->task, o->path, &o->set, "train", o->out, o->threads, error));
  CR_TRY(check(t, error));
  t->runs = calloc((size_t)o->seeds, sizeof *t->runs);
  t->outcome.parts = calloc((size_t)t->task.ncost + 1, sizeof *t->outcome.parts);
  if (t->runs == NULL || t->outcome.parts == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "train: no memory");
  }
  for (int i = 0; i < o->seeds; i++) {
    t->runs[i].seed = t->task.train.seed + i;
  }
  return o->resume ? read_back(t, error) : CR_OK;
}

// what the first rank writes and prints
static cr_status tell(train* t, cr_error* error) {
  CR_TRY(write_curves(t, error));
  CR_TRY(record(t, error));
  plot(t);
  if (t->o->json) {
    print_json(t);
  } else {
    print_text(t);
  }
  return CR_OK;
}

static cr_status stop(train* t, cr_error* error) {
  if (t->ranks.rank == 0) {
    CR_TRY(save(t, error));
    CR_TRY(write_curves(t, error));
  }
  return cri_fail(error, CR_ERR_INTERRUPTED, "interrupted; --resume goes on");
}

static cr_status run(train* t, cr_error* error) {
  CR_TRY(cr_ranks_open(&t->ranks, error));
  t->processes = cr_ranks_processes(&t->ranks);
  CR_TRY(cr_ranks_agree(&t->ranks, prepare(t, error), error));
  bool first = t->ranks.rank == 0;
  cr_status status = first ? cri_folder_make(t->task.folder, error) : CR_OK;
  CR_TRY(cr_ranks_agree(&t->ranks, status, error));
  cr_interrupt_catch();
  t->progress = cri_progress_begin();
  t->begun = t->saved = cri_seconds();
  status = train_all(t, error);
  cri_progress_end(&t->progress);
  if (status == CR_ERR_INTERRUPTED) {
    return stop(t, error);
  }
  CR_TRY(status);
  return cr_ranks_agree(&t->ranks, first ? tell(t, error) : CR_OK, error);
}

bool cr_train_is_task(const char* path) {
  static const char key[] = "observe:";
  const char* dot = strrchr(path, '.');
  if (dot == NULL || (strcmp(dot, ".yaml") != 0 && strcmp(dot, ".yml") != 0)) {
    return false;  // recordings may be large
  }
  char* text = NULL;
  size_t size = 0;
  if (cri_file_read(path, &text, &size, NULL) != CR_OK) {
    return false;
  }
  bool is = strncmp(text, key, sizeof key - 1) == 0 || strstr(text, "\nobserve:") != NULL;
  free(text);
  return is;
}

static void let_go(train* t) {
  for (int i = 0; t->runs != NULL && i < t->o->seeds; i++) {
    free(t->runs[i].memory);
    cr_plan_history_free(&t->runs[i].curve);
  }
  free(t->runs);
  free(t->outcome.parts);
  cr_policy_training_destroy(t->training);
  cr_plan_task_free(&t->task);
  cr_ranks_close(&t->ranks);
  free(t);
}

int cr_cli_train_policy(int argc, char** argv) {
  train_options o = {.seeds = 1};
  const cr_option rows[] = {
      {"", CR_OPT_TEXT, &o.path, "TASK.yaml",
       "model, start, cost, observations and policy (docs/policies.md)"},
      {"--set", CR_OPT_LIST, &o.set, "KEY=VALUE",
       "change the task, as train.estimator=alpha or policy.hidden=\"64 64\""},
      {"--seeds", CR_OPT_COUNT, &o.seeds, "N",
       "trainings with the seeds train.seed, train.seed + 1 ... (default 1)"},
      {"--out", CR_OPT_TEXT, &o.out, "FOLDER",
       "folder of the results (default: the task's, or train_NAME)"},
      {"--resume", CR_OPT_FLAG, &o.resume, "",
       "go on in the folder, to the same digits as without a stop"},
      {"--threads", CR_OPT_COUNT, &o.threads, "N",
       "threads (default: one a processor; under mpirun 1); the digits do not depend on it"},
      {"--force", CR_OPT_FLAG, &o.force, "", "overwrite the results of an earlier training"},
      {"--json", CR_OPT_FLAG, &o.json, "", "print one JSON object"},
  };
  const cr_command_line line = {"train",
                                "Trains the policy of a task.",
                                rows,
                                (int)(sizeof rows / sizeof rows[0]),
                                "--set --seeds --out --resume --force --json",
                                {"train examples/tasks/cartpole_policy.yaml",
                                 "train examples/tasks/cartpole_policy.yaml --seeds 5 --set "
                                 "train.estimator=alpha"}};
  cr_error error = {0};
  train* t = calloc(1, sizeof *t);
  if (t == NULL) {
    return cr_cli_no_memory("train");
  }
  t->o = &o;
  cr_help help = CR_HELP_NONE;
  cr_status status = cr_options_parse(&line, argc, argv, &help, &error);
  if (help != CR_HELP_NONE) {
    cr_options_print_help(&line, help);
    let_go(t);
    return 0;
  }
  status = status == CR_OK ? run(t, &error) : status;
  cri_progress_end(&t->progress);
  int code = cr_status_exit_code(status);
  if (status != CR_OK && t->ranks.rank == 0) {
    code = cr_cli_fail("train", o.json && status != CR_ERR_INTERRUPTED, &error, NULL);
  }
  let_go(t);
  return code;
}
