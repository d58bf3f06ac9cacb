// SPDX-License-Identifier: Apache-2.0
// Trainings of all networks on tosses.
#include "stiff/stiff_learning.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "notebook/sweep.h"
#include "stiff/stiff_errors.h"
#include "stiff/stiff_learner.h"
#include "tools/clock.h"

// ---- what is trained

static const int all_sizes[] = {50, 100, 500, 1000, 5000}, few_sizes[] = {50, 100};
static const int few_learners[] = {CRI_GRU, CRI_MLP},
                 all_learners[] = {CRI_BILSTM, CRI_LSTM, CRI_GRU, CRI_MLP};

// as the paper chose them for each floor
static const cr_real rates[CRI_N_FLOOR] = {CR_R(1e-4), CR_R(1e-5), CR_R(1e-5)};
static const cr_real decays[CRI_N_FLOOR] = {0, CR_R(4e-5), CR_R(4e-5)};

static cri_training_plan plan_of(bool brief) {
  return brief ? (cri_training_plan){.sizes = few_sizes,
                                     .nsize = 2,
                                     .learners = few_learners,
                                     .nlearner = 2,
                                     .runs = 2,
                                     .epochs = 4}
               : (cri_training_plan){.sizes = all_sizes,
                                     .nsize = 5,
                                     .learners = all_learners,
                                     .nlearner = CRI_N_LEARNER,
                                     .runs = 5,
                                     .epochs = 300};
}

typedef struct {
  cri_learning* l;
  cri_training_plan plan;
  cri_tosses tosses[CRI_N_FLOOR];
  char text[96];  // what the first thread works on
} trainings;

// the slowest learner first, all floors and runs of a size and a learner one behind the other
static cri_training training_of(const trainings* t, int row) {
  const cri_training_plan* p = &t->plan;
  const int run = row % p->runs, floor = row / p->runs % CRI_N_FLOOR;
  const int learner = row / (p->runs * CRI_N_FLOOR) % p->nlearner;
  const int size = row / (p->runs * CRI_N_FLOOR * p->nlearner);
  return (cri_training){floor, p->learners[learner], p->sizes[size], run};
}

static bool stopped(void* context) {
  const trainings* t = context;
  return t->l->book->request.stop != NULL && t->l->book->request.stop();
}

// called by the first thread alone
static void progress(void* context, int epoch, cr_real loss, cr_real held) {
  trainings* t = context;
  cr_progress* p = &t->l->book->progress;
  if (cri_progress_due(p)) {
    char line[256];
    (void)snprintf(line, sizeof line, "%s: epoch %d of at most %d, loss %.4g, held aside %.4g",
                   t->text, epoch, t->plan.epochs, (double)loss, (double)held);
    cri_progress_line(p, line);
  }
}

// tosses of the runs are spread over all that there are to learn from
static cri_lesson lesson_of(trainings* t, const cri_training* at) {
  const bool brief = t->l->book->request.brief;
  const int left = t->l->training - at->tosses;
  return (cri_lesson){.learner = at->learner,
                      .tosses = &t->tosses[at->floor],
                      .first = (int)((int64_t)left * at->run / (t->plan.runs - 1)),
                      .n = at->tosses,
                      .rate = brief ? CR_R(1e-3) : rates[at->floor],
                      .decay = decays[at->floor],
                      .epochs = t->plan.epochs,
                      .patience = 30,
                      .seed = (uint64_t)at->run,
                      .resume = t->l->book->request.resume,
                      .stop = stopped,
                      .context = t};
}

static cr_status path_of(const trainings* t, const cri_training* at, char path[CR_MAX_PATH],
                         cr_error* error) {
  char file[96];
  (void)snprintf(file, sizeof file, "networks/%s_%s_%d_%d.crn", cri_floors[at->floor].name,
                 cri_toss_learner_names[at->learner], at->tosses, at->run);
  return cri_path_join(path, t->l->book->folder, file, error);
}

static cr_status train_row(void* context, int i, int worker, cr_real* row, cr_error* error) {
  trainings* t = context;
  const cri_training at = training_of(t, i);
  char path[CR_MAX_PATH];
  CR_TRY(path_of(t, &at, path, error));
  cri_lesson lesson = lesson_of(t, &at);
  lesson.file = path;
  if (worker == 0) {
    (void)snprintf(t->text, sizeof t->text, "%d tosses, %s, %s, run %d", at.tosses,
                   cri_floors[at.floor].name, cri_toss_learner_names[at.learner], at.run + 1);
    lesson.progress = progress;
  }
  cr_learned* learned = NULL;
  cr_learning_end end = {.size = sizeof end};
  cri_log_sums trained;
  cri_oracle tested;
  cr_status status = cri_toss_learner_train(&lesson, &learned, &end, &trained, error);
  status = status == CR_OK
               ? cri_toss_learner_test(learned, at.learner, t->l->model[at.floor], t->l->interval,
                                       lesson.tosses, t->l->training, t->l->tested, &tested, error)
               : status;
  cr_learned_destroy(learned);
  CR_TRY(status);
  cri_training_put(&at, &end, &trained, &tested, row);
  return CR_OK;
}

// ---- what it takes, before it begins

// seconds of an epoch for each slice that is learned, on one thread
static cr_status time_learner(trainings* t, int learner, double* seconds, cr_error* error) {
  const cri_training at = {CRI_HARD, learner, 4, 0};
  cri_lesson lesson = lesson_of(t, &at);
  cr_learned* learned = NULL;
  cr_learning_end end;
  cri_log_sums trained;
  double spent[2];
  int slices = 0;
  lesson.resume = false;
  for (int i = 0; i < lesson.n; i++) {
    const int32_t* first = lesson.tosses->first + lesson.first + i;
    slices += cri_toss_learner_slices(learner, (int)(first[1] - first[0]));
  }
  for (int i = 0; i < 2; i++) {  // the difference is two epochs
    lesson.epochs = 1 + 2 * i;
    const double begun = cri_process_seconds();
    cr_status status = cri_toss_learner_train(&lesson, &learned, &end, &trained, error);
    spent[i] = cri_process_seconds() - begun;
    cr_learned_destroy(learned);
    CR_TRY(status);
  }
  *seconds = fmax(spent[1] - spent[0], 0) / 2 / slices;
  return CR_OK;
}

// a forward pass takes about half of what an epoch takes for each of its slices, of which 70 % are learned: of tests, and at the end of
// those learned
static double cost_of(const trainings* t, const cri_training* at, double each, int slices) {
  const double tests = (double)t->l->tested * (slices + CRI_ROLLOUT) + (double)at->tosses * slices;
  return each * ((double)t->plan.epochs * at->tosses * slices + tests / 2);
}

static cr_status estimate(trainings* t, int rows, double* seconds, double* disk, cr_error* error) {
  double each[CRI_N_LEARNER], rows_of_toss[CRI_N_FLOOR];
  int weights[CRI_N_LEARNER];
  for (int i = 0; i < t->plan.nlearner; i++) {
    const int k = t->plan.learners[i];
    CR_TRY(time_learner(t, k, &each[k], error));
    CR_TRY(cri_toss_learner_weights(k, &weights[k], error));
  }
  for (int f = 0; f < CRI_N_FLOOR; f++) {
    rows_of_toss[f] = (double)t->tosses[f].first[t->tosses[f].tosses] / t->tosses[f].tosses;
  }
  *seconds = *disk = 0;
  for (int i = 0; i < rows; i++) {
    const cri_training at = training_of(t, i);
    *seconds += cost_of(t, &at, each[at.learner],
                        cri_toss_learner_slices(at.learner, (int)rows_of_toss[at.floor]));
    *disk += 5.0 * weights[at.learner] * sizeof(double);  // weights, the best ones, Adam's numbers
  }
  return CR_OK;
}

static void print_time(double seconds, char* text, size_t room) {
  const bool long_time = seconds > 7200;
  (void)snprintf(text, room, long_time ? "%.3g hours" : "%.2g minutes",
                 long_time ? seconds / 3600 : seconds / 60);
}

static cr_status say_cost(trainings* t, int rows, cr_error* error) {
  const int threads = cr_pool_size(t->l->book->pool);
  double seconds, disk, memory = 0;
  CR_TRY(estimate(t, rows, &seconds, &disk, error));
  for (int f = 0; f < CRI_N_FLOOR; f++) {
    memory += (double)t->tosses[f].first[t->tosses[f].tosses] * CRI_STATE * sizeof(cr_real);
  }
  memory +=
      100e6 * threads;  // slices with their targets, and a block of rows of the widest network
  char text[512], all[32], each[32];
  print_time(seconds, all, sizeof all);
  print_time(seconds / threads, each, sizeof each);
  (void)snprintf(
      text, sizeof text,
      "%d trainings with their tests: about %s of processor time, %s on %d threads, if each "
      "takes all %d epochs;\nabout %.2g GB of memory, %.2g GB of disk for the networks",
      rows, all, each, threads, t->plan.epochs, memory / 1e9, disk / 1e9);
  const char* brief = t->l->book->request.brief ? "; the whole study has five sizes, four networks "
                                                  "and the published rates, here it is 1e-3"
                                                : "";
  cri_progress_end(&t->l->book->progress);
  (void)fprintf(stderr, "%s%s\n", text, brief);
  cri_say(t->l->book, "\n%s%s\n", text, brief);
  return CR_OK;
}

// ---- the whole

static cr_status read_tosses(trainings* t, cr_error* error) {
  for (int f = 0; f < CRI_N_FLOOR; f++) {
    char file[64], path[CR_MAX_PATH];
    (void)snprintf(file, sizeof file, "tosses_%s.h5", cri_floors[f].name);
    CR_TRY(cri_path_join(path, t->l->book->folder, file, error));
    CR_TRY(cri_tosses_read(&t->tosses[f], f, t->l->training + t->l->tested, path, error));
    free(t->tosses[f].state);  // what is seen is enough
    t->tosses[f].state = NULL;
  }
  return CR_OK;
}

static cr_status learn(trainings* t, cr_table* table, cr_error* error) {
  char folder[CR_MAX_PATH];
  cr_notebook* book = t->l->book;
  CR_TRY(cri_path_join(folder, book->folder, "networks", error));
  CR_TRY(cri_folder_make(folder, error));
  CR_TRY(read_tosses(t, error));
  CR_TRY(say_cost(t, table->room, error));
  const int round = t->plan.nlearner * CRI_N_FLOOR * t->plan.runs;
  CR_TRY(cri_sweep(book, table, round, train_row, t, error));
  return cri_training_conclude(book, &t->plan, t->l->oracle, table, error);
}

cr_status cri_stiff_learn(cri_learning* l, cr_error* error) {
  trainings t = {.l = l, .plan = plan_of(l->book->request.brief)};
  cr_table table = {0};
  const int rows = t.plan.nsize * t.plan.nlearner * CRI_N_FLOOR * t.plan.runs;
  cr_status status = cri_training_table(&table, rows, error);
  status = status == CR_OK ? learn(&t, &table, error) : status;
  cri_table_free(&table);
  for (int f = 0; f < CRI_N_FLOOR; f++) {
    cri_tosses_free(&t.tosses[f]);
  }
  return status;
}
