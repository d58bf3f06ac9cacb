// SPDX-License-Identifier: Apache-2.0
// The second identification of DiffMJX (appendix E.2.1): side, mass, time constant and damping ratio,
// the five numbers of solimp, and friction of a tossed cube, all at once, from tuned and from random
// starts. The score is the mean absolute error of whole predicted trajectories, over the first forty
// tosses; published: 0.32 before, 0.26 after.
//
// Each start goes through a course of windows that grow (learn/course.h), by Adam on the mean absolute
// error. Whole trajectories are only used to score.
#include <math.h>
#include <stdio.h>

#include "base/real.h"
#include "notebook/course.h"
#include "notebook/sweep.h"
#include "study/cube.h"
#include "study/launch.h"
#include "study/studies.h"
#include "tools/plot.h"

static const cr_course_stage stages[] = {
    {4, 4, 30, CR_R(0.02)}, {10, 5, 40, CR_R(0.01)}, {30, 15, 40, CR_R(0.01)}};
enum { N_STAGE = (int)(sizeof stages / sizeof stages[0]), MOST_EVALUATIONS = 128 };

typedef struct {
  const cr_notebook* book;
  cr_cube cube;
  int nstart, first;  // starts; the number of the first
} sysid;

static bool stop(void* context) {
  const sysid* s = context;
  return s->book->request.stop != NULL && s->book->request.stop();
}

// on the first tosses
static cr_course course_of(sysid* s, int threads) {
  return (cr_course){.m = s->cube.m,
                     .items = s->cube.items,
                     .nitem = CR_CUBE_N,
                     .recordings = s->cube.tosses,
                     .run = s->cube.ntrain,
                     .stages = stages,
                     .nstage = N_STAGE,
                     .adam = cr_course_adam,
                     .norm = CR_NORM_POWER,
                     .p = 1,
                     .nthread = threads,
                     .stop = stop,
                     .stop_context = s};
}

// ---- the history of a start: a row an evaluation

enum { H_START, H_STAGE, H_EVALUATION, H_LOSS, H_SCORE, H_SECONDS, H_P, H_WIDTH = H_P + CR_CUBE_N };

typedef struct {
  cr_table* history;
  int start;
  double clock, slowest;  // s of this thread: when the last evaluation ended; the longest since
} watched;

static void watch(void* context, int stage, const cr_real* p, cr_real loss) {
  watched* w = context;
  double now = cri_thread_seconds(), seconds = now - w->clock;
  cr_real* row = cri_table_row(w->history, w->history->rows);
  row[H_START] = (cr_real)w->start;
  row[H_STAGE] = (cr_real)(stage + 1);
  row[H_EVALUATION] = (cr_real)w->history->rows;
  row[H_LOSS] = loss;
  row[H_SCORE] = (cr_real)NAN;
  row[H_SECONDS] = (cr_real)seconds;
  cr_copy(row + H_P, p, CR_CUBE_N);
  w->slowest = fmax(w->slowest, seconds);
  w->clock = now;
}

// scores of every fourth evaluation, for the picture
static cr_status add_scores(const cr_course* course, cr_table* history, cr_error* error) {
  for (int i = 0; i < history->rows; i += i + 5 < history->rows ? 4 : 1) {
    cr_real* row = cri_table_row(history, i);
    CR_TRY(cr_course_score(course, row + H_P, &row[H_SCORE], error));
  }
  return CR_OK;
}

// ---- a start: a row of the table

enum {
  R_START,
  R_BEFORE,
  R_AFTER,
  R_OTHERS,
  R_BEFORE_13,
  R_AFTER_13,
  R_SLOWEST,
  R_FROM,
  R_TO = R_FROM + CR_CUBE_N
};
static const char header[] =
    "start,before,after,others,before_13,after_13,slowest_step_s,from_side,from_mass,from_"
    "timeconst,from_dampratio,"
    "from_dmin,from_dmax,from_width,from_midpoint,from_power,from_friction,side,mass,timeconst,"
    "dampratio,dmin,dmax,width,midpoint,power,friction";
static const char history_header[] =
    "start,stage,evaluation,loss,score,seconds,side,mass,timeconst,dampratio,dmin,dmax,width,"
    "midpoint,power,friction";
static const char* const history_files[] = {"sysid_0.csv", "sysid_1.csv", "sysid_2.csv",
                                            "sysid_3.csv", "sysid_4.csv", "sysid_5.csv",
                                            "sysid_6.csv", "sysid_7.csv"};
enum { MOST_STARTS = (int)(sizeof history_files / sizeof history_files[0]) };

static cr_status search(sysid* s, int start, const cr_course* whole, cr_table* history,
                        cr_real* row, cr_error* error) {
  watched w = {.history = history, .start = start, .clock = cri_thread_seconds()};
  cr_course course = *whole, others = *whole;
  cr_real* p = row + R_TO;
  course.watch = watch;
  course.watch_context = &w;
  others.first = s->cube.ntrain;
  others.run = s->cube.nother;
  cri_cube_start(start, row + R_FROM);
  cr_copy(p, row + R_FROM, CR_CUBE_N);
  row[R_START] = (cr_real)start;
  CR_TRY(cr_course_score(whole, p, &row[R_BEFORE], error));
  CR_TRY(cri_cube_score_quaternions(&s->cube, p, &row[R_BEFORE_13], error));
  w.clock = cri_thread_seconds();
  CR_TRY(cr_course_run(&course, p, error));
  CR_TRY(cr_course_score(whole, p, &row[R_AFTER], error));
  CR_TRY(cr_course_score(&others, p, &row[R_OTHERS], error));
  CR_TRY(cri_cube_score_quaternions(&s->cube, p, &row[R_AFTER_13], error));
  row[R_SLOWEST] = (cr_real)w.slowest;
  return add_scores(whole, history, error);
}

// single-threaded: the starts are what runs in parallel
static cr_status work(void* context, int i, int worker, cr_real* row, cr_error* error) {
  (void)worker;
  sysid* s = context;
  cr_table history = {0};
  int start = s->first + i;
  cr_status status = cri_table_create(&history, history_files[start], history_header, NULL,
                                      MOST_EVALUATIONS, error);
  if (status == CR_OK) {
    const cr_course course = course_of(s, 1);
    status = search(s, start, &course, &history, row, error);
  }
  status = status == CR_OK ? cri_table_save(&history, s->book->folder, error) : status;
  cri_table_free(&history);
  return status;
}

// ---- claims

static void tell(cr_notebook* book, const sysid* s, cr_table* table) {
  cri_say(book,
          "A tossed cube: side, mass, solref, solimp and friction at once, from %d %s tosses; the "
          "score is the mean absolute error of whole\n"
          "predicted trajectories over these tosses and 18 numbers a state (position, rotation "
          "matrix, velocity, angular velocity).\n"
          "Start 0 is the published tuned one, 1 and 2 are random with sides of 60 and 140 mm, the "
          "rest random.\n\n",
          s->cube.ntrain, s->book->request.data != NULL ? "recorded" : "made");
  cri_say(book, "start  before   after  others    (13 numbers)    s/step");
  for (int k = 0; k < CR_CUBE_N; k++) {
    cri_say(book, " %9s", cri_cube_unknowns[k].name);
  }
  for (int i = 0; i < table->rows; i++) {
    const cr_real* row = cri_table_row(table, i);
    cri_say(book, "\n%5.0f  %6.4f  %6.4f  %6.4f  %6.4f %6.4f  %6.3f", (double)row[R_START],
            (double)row[R_BEFORE], (double)row[R_AFTER], (double)row[R_OTHERS],
            (double)row[R_BEFORE_13], (double)row[R_AFTER_13], (double)row[R_SLOWEST]);
    for (int k = 0; k < CR_CUBE_N; k++) {
      cri_say(book, " %9.5g", (double)row[R_TO + k]);
    }
  }
  cri_say(book, "\n\n'others': the score on the next %d tosses, which no fit has seen.\n",
          s->cube.nother);
}

static cr_status conclude(cr_notebook* book, sysid* s, cr_table* table, cr_error* error) {
  bool recorded = book->request.data != NULL;
  cr_real limit = CR_R(0.26), floor = 0;
  tell(book, s, table);
  if (!recorded) {
    const cr_course course = course_of(s, cr_pool_size(book->pool));
    CR_TRY(cr_course_score(&course, cri_cube_truth, &floor, error));
    limit = 2 * floor;
    cri_say(book, "The truth of the made tosses has the score %.4f, its side is 0.1.\n",
            (double)floor);
  }
  for (int i = 0; i < table->rows; i++) {
    const cr_real* row = cri_table_row(table, i);
    int start = (int)row[R_START];
    cri_claim(book, (double)row[R_AFTER], 0, (double)limit,
              recorded ? "0.32 before, 0.26 after" : "", "start %d, from %.4g mm: score after",
              start, 1000 * (double)row[R_FROM]);
    cri_claim(book, (double)row[R_SLOWEST], 0, 1, start == 0 ? "10 s" : "5 s, 140 mm aborted",
              "start %d: slowest gradient step, s of one core", start);
    if (!recorded) {
      cri_claim(book, (double)row[R_TO], 0.095, 0.105, "within 5 %", "start %d: side", start);
    }
  }
  return CR_OK;
}

static cr_status draw(const cr_notebook* book, const sysid* s, cr_error* error) {
  cr_curve scores[MOST_STARTS], sides[MOST_STARTS], frictions[MOST_STARTS], losses[MOST_STARTS];
  char titles[MOST_STARTS][16];
  for (int i = 0; i < s->nstart; i++) {
    const char* csv = history_files[s->first + i];
    (void)snprintf(titles[i], sizeof titles[i], "start %d", s->first + i);
    scores[i] = (cr_curve){csv, "evaluation", "score", titles[i], CR_CURVE_POINTS, NULL, 0};
    losses[i] = (cr_curve){csv, "evaluation", "loss", titles[i], CR_CURVE_LINE, NULL, 0};
    sides[i] = (cr_curve){csv, "evaluation", "side", titles[i], CR_CURVE_LINE, NULL, 0};
    frictions[i] = (cr_curve){csv, "evaluation", "friction", titles[i], CR_CURVE_LINE, NULL, 0};
  }
  double nan = (double)NAN;
  int n = s->nstart;
  const cr_chart charts[] = {
      {"gradient step", "score of whole trajectories", false, true, nan, nan, scores, n},
      {"gradient step", "loss of the windows", false, true, nan, nan, losses, n},
      {"gradient step", "side, m", false, false, nan, nan, sides, n},
      {"gradient step", "friction", false, false, nan, nan, frictions, n},
  };
  return cri_charts(book->folder, "sysid", "Identification of a tossed cube", charts, 4, 2, error);
}

// ---- the study

cr_status cri_study_sysid(cr_notebook* book, cr_error* error) {
  sysid s = {.book = book, .nstart = book->request.brief ? 1 : MOST_STARTS};
  s.first = book->request.brief ? 1 : 0;  // the short one: from 60 mm
  cr_table table = {0};
  cr_status status = cri_cube_open(&s.cube, book, NULL, error);
  if (status == CR_OK) {
    status = cri_table_create(&table, "sysid.csv", header, NULL, s.nstart, error);
  }
  if (status == CR_OK) {
    status = cri_sweep(book, &table, cr_pool_size(book->pool), work, &s, error);
  }
  if (status == CR_OK) {
    status = conclude(book, &s, &table, error);
  }
  if (status == CR_OK) {
    status = draw(book, &s, error);
  }
  cri_table_free(&table);
  cri_cube_free(&s.cube);
  return status;
}
