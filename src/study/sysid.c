// SPDX-License-Identifier: Apache-2.0
// The second identification of DiffMJX (appendix E.2.1): side, mass, time constant and damping ratio,
// the five numbers of solimp, and friction of a tossed cube, all at once, from tuned and from random
// starts. The score is the mean absolute error of whole predicted trajectories, over the first forty
// tosses; published: 0.32 before, 0.26 after.
//
// Each start goes through a course of windows that grow, by Adam on the mean absolute error with
// contacts from distance whose reach shrinks. Whole trajectories are only used to score.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/random.h"
#include "io/plot.h"
#include "io/tosses.h"
#include "learn/adam.h"
#include "learn/identify.h"
#include "learn/throw.h"
#include "rollout/trajectory.h"
#include "study/launch.h"
#include "study/scenes.h"
#include "study/studies.h"
#include "study/sweep.h"

// ---- what is looked for, where it starts and may go

enum { SIDE, MASS, TIME, DAMPING, DMIN, DMAX, WIDTH, MIDPOINT, POWER, FRICTION, N_PARAMETER };
typedef struct {
  const char *name, *field;
  double tuned;        // the published tuned start
  double low, high;    // a random start lies between, uniform in its logarithm
  double least, most;  // bounds
} unknown;

// below two time steps refsafe holds the time constant, and no gradient would lead out
static const unknown unknowns[N_PARAMETER] = {
    {"side", "cube", 0.1048, 0.06, 0.14, 0.03, 0.3},
    {"mass", "body_mass[cube]", 0.37, 0.1, 1, 0.05, 5},
    {"timeconst", "geom_solref[cube][0]", 0.02, 0.0137, 0.05, 0.0136, 0.2},
    {"dampratio", "geom_solref[cube][1]", 1, 0.3, 2, 0.1, 5},
    {"dmin", "geom_solimp[cube][0]", 0.05, 0.02, 0.8, 0.01, 0.99},
    {"dmax", "geom_solimp[cube][1]", 0.95, 0.8, 0.99, 0.3, 0.999},
    {"width", "geom_solimp[cube][2]", 0.01, 0.002, 0.03, 0.0005, 0.1},
    {"midpoint", "geom_solimp[cube][3]", 0.5, 0.2, 0.8, 0.1, 0.9},
    {"power", "geom_solimp[cube][4]", 2, 1.5, 4, 1, 6},
    {"friction", "geom_friction[cube][0]", 0.4, 0.05, 1, 0.02, 2},
};

// a stage of the course: windows of `steps` predicted states, each `stride` rows
typedef struct {
  int steps, stride, iterations;
  double reach;  // of contacts from distance, m
} stage;
static const stage course[] = {{4, 4, 30, 0.02}, {10, 5, 40, 0.01}, {30, 15, 40, 0.01}};
enum { N_STAGE = (int)(sizeof course / sizeof course[0]) };

enum { TRAIN = 40, OTHERS = 200, MOST_EVALUATIONS = 128 };

typedef struct {
  const cr_notebook* book;
  cr_model m;
  cr_tosses tosses;
  int ntrain, nother;  // the first to fit and score, the next to see how far that carries
  int nstart, first;   // starts; the number of the first
} sysid;

// ---- starts: 0 tuned, 1 and 2 random with the published sides, then random

static const cr_real published_sides[] = {0, CR_R(0.06), CR_R(0.14)};

static void draw_start(int start, cr_real* p) {
  cr_random random = cr_random_seed(1, (uint64_t)start);
  for (int i = 0; i < N_PARAMETER; i++) {
    const unknown* u = &unknowns[i];
    double drawn = (double)cr_random_range(&random, (cr_real)log(u->low), (cr_real)log(u->high));
    p[i] = (cr_real)(start == 0 ? u->tuned : exp(drawn));
  }
  if (start == 1 || start == 2) {
    p[SIDE] = published_sides[start];
  }
}

static cr_status bind(const cr_model* m, const cr_real* p, cr_parameters** parameters,
                      cr_error* error) {
  cr_parameter items[N_PARAMETER];
  for (int i = 0; i < N_PARAMETER; i++) {
    const unknown* u = &unknowns[i];
    items[i] = (cr_parameter){.kind = i == SIDE ? CR_FIT_BOX_SIDE : CR_FIT_FIELD,
                              .transform = CR_TRANSFORM_LOG,
                              .start = cr_clip(p[i], (cr_real)u->least, (cr_real)u->most),
                              .lower = (cr_real)u->least,
                              .upper = (cr_real)u->most};
    (void)snprintf(items[i].name, sizeof items[i].name, "%s", u->name);
    (void)snprintf(items[i].target, sizeof items[i].target, "%s", u->field);
  }
  return cr_parameters_create(parameters, items, N_PARAMETER, m, error);
}

// ---- windows: `steps` 0 means whole trajectories

static int windows_of(const sysid* s, int first, int n, int steps, int stride,
                      cr_window_place* places) {
  int count = 0;
  for (int i = first; i < first + n; i++) {
    int rows = s->tosses.toss[i].rows;
    for (int k = 0; k + (steps > 0 ? steps : 1) < rows; k += stride) {
      if (places != NULL) {
        places[count] = (cr_window_place){i, k, steps > 0 ? steps : rows - 1};
      }
      count++;
      if (steps == 0) {
        break;
      }
    }
  }
  return count;
}

static int longest(const sysid* s) {
  int most = 0;
  for (int i = 0; i < s->ntrain + s->nother; i++) {
    most = s->tosses.toss[i].rows > most ? s->tosses.toss[i].rows : most;
  }
  return most - 1;
}

static bool stop(void* context) {
  const sysid* s = context;
  return s->book->request.stop != NULL && s->book->request.stop();
}

// an identification on windows of tosses first ... first + n - 1, single-threaded: the starts are
// what runs in parallel
typedef struct {
  cr_window_place* places;
  cr_pool* pool;
  cr_identify* identify;
} problem;

static void problem_free(problem* q) {
  cr_identify_free(q->identify);
  cr_pool_free(q->pool);
  free(q->places);
}

static cr_status problem_make(problem* q, sysid* s, cr_parameters* parameters, int first, int n,
                              int steps, int stride, cr_error* error) {
  int count = windows_of(s, first, n, steps, stride, NULL);
  *q = (problem){.places = malloc(((size_t)count + 1) * sizeof *q->places)};
  if (q->places == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "no memory for %d windows", count);
  }
  (void)windows_of(s, first, n, steps, stride, q->places);
  CR_TRY(cr_pool_create(&q->pool, 1, error));
  const cr_identify_def def = {.parameters = parameters,
                               .tosses = s->tosses.toss,
                               .windows = q->places,
                               .nwindow = count,
                               .nstep = steps > 0 ? steps : longest(s),
                               .weights = {1, 1, 1, 1},
                               .norm = CR_NORM_ABSOLUTE,
                               .cfd = true,
                               .pool = q->pool,
                               .stop = stop,
                               .stop_context = s};
  return cr_identify_create(&q->identify, &def, error);
}

// ---- the score

static cr_status score(sysid* s, const cr_real* p, int first, int n, cr_real* value,
                       cr_error* error) {
  cr_parameters* parameters;
  problem q = {0};
  cr_evaluation e = {0};
  cr_real x[N_PARAMETER];
  CR_TRY(bind(&s->m, p, &parameters, error));
  cr_status status = problem_make(&q, s, parameters, first, n, 0, 1, error);
  if (status == CR_OK) {
    cr_parameters_start(parameters, x);
    status = cr_identify_evaluate(q.identify, x, NULL, 0, &e, error);
  }
  *value = e.value;
  problem_free(&q);
  cr_parameters_free(parameters);
  return status;
}

// the same with the quaternion's four numbers in the place of the matrix's nine, the other way to read
// the published score; the mean of all rows
static cr_real quaternion_error(const cr_real* q, const cr_real* seen) {
  cr_real same = 0, opposite = 0;
  for (int i = 0; i < 4; i++) {
    same += cr_abs(q[i] - seen[i]);
    opposite += cr_abs(q[i] + seen[i]);
  }
  return cr_min(same, opposite);
}

static cr_real row_error(const cr_real* qpos, const cr_real* qvel, const cr_real* seen) {
  cr_real sum = quaternion_error(qpos + 3, seen + 3);
  for (int i = 0; i < 3; i++) {
    sum += cr_abs(qpos[i] - seen[i]);
  }
  for (int i = 0; i < 6; i++) {
    sum += cr_abs(qvel[i] - seen[7 + i]);
  }
  return sum / CR_STATE_WIDTH;
}

static cr_status run_tosses(const sysid* s, const cr_model* m, cr_rollout* r, cr_real* value,
                            cr_error* error) {
  cr_real sum = 0;
  int rows = 0;
  for (int i = 0; i < s->ntrain; i++) {
    const cr_toss* toss = &s->tosses.toss[i];
    const cr_window whole = {.state = toss->state, .nstep = toss->rows - 1};
    cr_window_start(&whole, m, r->d);
    CR_TRY(cr_rollout_run(r, m, whole.nstep, NULL, error));
    for (int k = 1; k < toss->rows; k++, rows++) {
      cri_kept kept = cri_rollout_kept(r, m, k);
      sum += row_error(kept.qpos, kept.qvel, toss->state + CR_STATE_WIDTH * k);
    }
  }
  *value = sum / (cr_real)rows;
  return CR_OK;
}

static cr_status score_quaternions(const sysid* s, const cr_real* p, cr_real* value,
                                   cr_error* error) {
  cr_parameters* parameters;
  cr_rollout* r = NULL;
  CR_TRY(bind(&s->m, p, &parameters, error));
  const cr_model* m = cr_parameters_model(parameters);
  cr_status status = cr_rollout_create(&r, m, longest(s), NULL, 0, error);
  status = status == CR_OK ? run_tosses(s, m, r, value, error) : status;
  cr_rollout_free(r);
  cr_parameters_free(parameters);
  return status;
}

// ---- the search

// what an evaluation leaves
enum {
  H_START,
  H_STAGE,
  H_EVALUATION,
  H_LOSS,
  H_SCORE,
  H_SECONDS,
  H_P,
  H_WIDTH = H_P + N_PARAMETER
};

typedef struct {
  cr_objective inner;
  cr_parameters* parameters;
  cr_table* history;
  int start, stage;
  double slowest;
} watched;

static cr_status watch(void* context, int batch, const cr_real* x, cr_evaluation* result,
                       cr_error* error) {
  watched* w = context;
  double begin = cri_thread_seconds();
  CR_TRY(w->inner.evaluate(w->inner.context, batch, x, result, error));
  double seconds = cri_thread_seconds() - begin;
  w->slowest = fmax(w->slowest, seconds);
  cr_real* row = cri_table_row(w->history, w->history->rows);
  row[H_START] = (cr_real)w->start;
  row[H_STAGE] = (cr_real)w->stage;
  row[H_EVALUATION] = (cr_real)w->history->rows;
  row[H_LOSS] = result->value;
  row[H_SCORE] = (cr_real)NAN;
  row[H_SECONDS] = (cr_real)seconds;
  cr_parameters_values(w->parameters, x, row + H_P);
  return CR_OK;
}

static cr_status run_stage(sysid* s, watched* w, int k, cr_real* p, cr_error* error) {
  cr_model m = s->m;  // a shallow copy with a reach of its own
  problem q = {0};
  cr_real x[N_PARAMETER], lower[N_PARAMETER], upper[N_PARAMETER];
  const char* reason;
  m.memory = NULL;
  m.cfd_wc = (cr_real)course[k].reach;
  m.cfd_scale = m.cfd_wc / 50;
  CR_TRY(bind(&m, p, &w->parameters, error));
  cr_status status =
      problem_make(&q, s, w->parameters, 0, s->ntrain, course[k].steps, course[k].stride, error);
  if (status == CR_OK) {
    const cr_adam adam = {.iterations = course[k].iterations,
                          .rate = CR_R(0.1),
                          .final_rate = CR_R(0.01),
                          .b1 = CR_R(0.5),
                          .b2 = CR_R(0.9),
                          .eps = CR_R(1e-9),
                          .keep_best = true};
    w->inner = cr_identify_objective(q.identify, 0, 0);
    w->stage = k + 1;
    const cr_objective objective = {.context = w, .n = N_PARAMETER, .evaluate = watch};
    cr_parameters_start(w->parameters, x);
    cr_parameters_bounds(w->parameters, lower, upper);
    status = cr_adam_minimise(&adam, &objective, lower, upper, x, &reason, error);
    cr_parameters_values(w->parameters, x, p);
  }
  problem_free(&q);
  cr_parameters_free(w->parameters);
  return status;
}

// scores of every fourth evaluation, for the picture
static cr_status add_scores(sysid* s, cr_table* history, cr_error* error) {
  for (int i = 0; i < history->rows; i += i + 5 < history->rows ? 4 : 1) {
    cr_real* row = cri_table_row(history, i);
    CR_TRY(score(s, row + H_P, 0, s->ntrain, &row[H_SCORE], error));
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
  R_TO = R_FROM + N_PARAMETER
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

static cr_status search(sysid* s, int start, cr_table* history, cr_real* row, cr_error* error) {
  watched w = {.history = history, .start = start};
  cr_real* p = row + R_TO;
  draw_start(start, row + R_FROM);
  cr_copy(p, row + R_FROM, N_PARAMETER);
  row[R_START] = (cr_real)start;
  CR_TRY(score(s, p, 0, s->ntrain, &row[R_BEFORE], error));
  CR_TRY(score_quaternions(s, p, &row[R_BEFORE_13], error));
  for (int k = 0; k < N_STAGE; k++) {
    CR_TRY(run_stage(s, &w, k, p, error));
  }
  CR_TRY(score(s, p, 0, s->ntrain, &row[R_AFTER], error));
  CR_TRY(score(s, p, s->ntrain, s->nother, &row[R_OTHERS], error));
  CR_TRY(score_quaternions(s, p, &row[R_AFTER_13], error));
  row[R_SLOWEST] = (cr_real)w.slowest;
  return add_scores(s, history, error);
}

static cr_status work(void* context, int i, int worker, cr_real* row, cr_error* error) {
  (void)worker;
  sysid* s = context;
  cr_table history;
  int start = s->first + i;
  CR_TRY(cri_table_create(&history, history_files[start], history_header, NULL, MOST_EVALUATIONS,
                          error));
  cr_status status = search(s, start, &history, row, error);
  status = status == CR_OK ? cri_table_save(&history, s->book->folder, error) : status;
  cri_table_free(&history);
  return status;
}

// ---- tosses: recorded, or made with a truth of our own

static const cr_real truth[N_PARAMETER] = {CR_R(0.1), CR_R(0.37), CR_R(0.025), CR_R(0.8),
                                           CR_R(0.1), CR_R(0.95), CR_R(0.01),  CR_R(0.5),
                                           2,         CR_R(0.3)};

static cr_status throw_tosses(sysid* s, cr_tosses* made, cr_error* error) {
  cr_parameters* parameters;
  const cr_throw options = {.tosses = s->book->request.brief ? 24 : 80,
                            .rows = 100,
                            .position_noise = CR_R(0.0005),
                            .rotation_noise = CR_R(0.002),
                            .seed = 1};
  char path[CR_MAX_PATH];
  CR_TRY(cri_path_join(path, s->book->folder, "tosses.h5", error));
  made->dt = (double)s->m.timestep;
  made->toss = calloc((size_t)options.tosses, sizeof *made->toss);
  if (made->toss == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "no memory for %d tosses", options.tosses);
  }
  made->n = options.tosses;
  CR_TRY(bind(&s->m, truth, &parameters, error));
  cr_status status = cr_throw_make(&options, cr_parameters_model(parameters), made->toss, error);
  cr_parameters_free(parameters);
  return status == CR_OK ? cri_tosses_write(made, path, "tosses made by carom study", error)
                         : status;
}

static cr_status load_tosses(sysid* s, cr_error* error) {
  const char* data = s->book->request.data;
  cr_status status =
      data != NULL ? cri_tosses_read(&s->tosses, data, error) : throw_tosses(s, &s->tosses, error);
  CR_TRY(status);
  s->m.timestep = (cr_real)s->tosses.dt;
  int half = s->tosses.n / 2, most = s->book->request.brief ? 12 : TRAIN;
  if (half == 0) {
    return cri_fail(error, CR_ERR_ARG, "%s: two tosses are needed, to fit and to see", data);
  }
  s->ntrain = half < most ? half : most;
  s->nother = s->tosses.n - s->ntrain < OTHERS ? s->tosses.n - s->ntrain : OTHERS;
  return CR_OK;
}

// ---- what it shows

static void tell(cr_notebook* book, const sysid* s, cr_table* table) {
  cri_say(book,
          "A tossed cube: side, mass, solref, solimp and friction at once, from %d %s tosses; the "
          "score is the mean absolute error of whole\n"
          "predicted trajectories over these tosses and 18 numbers a state (position, rotation "
          "matrix, velocity, angular velocity).\n"
          "Start 0 is the published tuned one, 1 and 2 are random with sides of 60 and 140 mm, the "
          "rest random.\n\n",
          s->ntrain, s->book->request.data != NULL ? "recorded" : "made");
  cri_say(book, "start  before   after  others    (13 numbers)    s/step");
  for (int k = 0; k < N_PARAMETER; k++) {
    cri_say(book, " %9s", unknowns[k].name);
  }
  for (int i = 0; i < table->rows; i++) {
    const cr_real* row = cri_table_row(table, i);
    cri_say(book, "\n%5.0f  %6.4f  %6.4f  %6.4f  %6.4f %6.4f  %6.3f", (double)row[R_START],
            (double)row[R_BEFORE], (double)row[R_AFTER], (double)row[R_OTHERS],
            (double)row[R_BEFORE_13], (double)row[R_AFTER_13], (double)row[R_SLOWEST]);
    for (int k = 0; k < N_PARAMETER; k++) {
      cri_say(book, " %9.5g", (double)row[R_TO + k]);
    }
  }
  cri_say(book, "\n\n'others': the score on the next %d tosses, which no fit has seen.\n",
          s->nother);
}

static cr_status conclude(cr_notebook* book, sysid* s, cr_table* table, cr_error* error) {
  bool recorded = book->request.data != NULL;
  cr_real limit = CR_R(0.26), floor = 0;
  tell(book, s, table);
  if (!recorded) {
    CR_TRY(score(s, truth, 0, s->ntrain, &floor, error));
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

static cr_status open_scene(sysid* s, cr_error* error) {
  CR_TRY(cri_scene_open(s->book, "cube", cri_scene_cube, &s->m, error));
  s->m.cfd_dc = 0;
  s->m.cfd_d0 = CR_R(0.05);
  s->m.cfd_mc = CR_R(0.001);
  s->m.cfd_pc = 12;
  return load_tosses(s, error);
}

cr_status cri_study_sysid(cr_notebook* book, cr_error* error) {
  sysid s = {.book = book, .nstart = book->request.brief ? 1 : MOST_STARTS};
  s.first = book->request.brief ? 1 : 0;  // the short one: from 60 mm
  cr_table table = {0};
  cr_status status = open_scene(&s, error);
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
  cri_tosses_free(&s.tosses);
  cri_model_free(&s.m);
  return status;
}
