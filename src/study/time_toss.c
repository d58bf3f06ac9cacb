// SPDX-License-Identifier: Apache-2.0
// The cost of a right gradient (DiffMJX, experiment 04): the cube of the tosses at u0 = -2, with hard,
// soft and smooth collision, by every method at many tolerances or steps: error of loss and derivative
// against run time. MuJoCo's fixed steps run beside ours, with central differences for the
// derivative. The published runs, on their hardware, are a second set of points beside the soft ones.
#include <math.h>
#include <mujoco/mujoco.h>
#include <stdio.h>

#include "notebook/published.h"
#include "notebook/sweep.h"
#include "study/launch.h"
#include "study/scenes.h"
#include "study/studies.h"
#include "tools/plot.h"

enum { HARD, SOFT, SMOOTH, N_COLLISION };
static const char* const collision_names[N_COLLISION] = {"hard", "soft", "smooth"};

// a method with tolerances, or steps, 1e-first, 1e-(first + stride) ... 1e-last
typedef enum { ADAPTIVE, EVENTS, ADJOINT, FIXED, MUJOCO, PUBLISHED } manner;
typedef struct {
  const char* name;
  manner how;        // adjoint: with events, and the continuous adjoint at the same tolerance
  const char* word;  // of the integrator
  int first, last, stride;
} family;
static const family families[] = {
    {"Tsit5", ADAPTIVE, "tsit5", 4, 12, 1},
    {"Tsit5 events", EVENTS, "tsit5", 4, 12, 1},
    {"Tsit5 events adjoint", ADJOINT, "tsit5", 4, 12, 1},
    {"Dopri5 events", EVENTS, "dopri5", 4, 12, 2},
    {"Dopri8 events", EVENTS, "dopri8", 4, 12, 2},
    {"Bosh3 events", EVENTS, "bosh3", 3, 7, 1},
    {"Heun events", EVENTS, "heun", 3, 6, 1},
    {"midpoint events", EVENTS, "midpoint", 3, 6, 1},
    {"Ralston events", EVENTS, "ralston", 3, 6, 1},
    {"Euler", FIXED, "euler", 2, 5, 1},
    {"implicitfast", FIXED, "implicitfast", 2, 4, 1},
    {"RK4", FIXED, "rk4", 2, 4, 1},
    {"MuJoCo Euler", MUJOCO, "euler", 2, 5, 1},
    {"MuJoCo RK4", MUJOCO, "rk4", 2, 5, 1},
    {"published adaptive", PUBLISHED, "", 0, 0, 1},
    {"published fixed", PUBLISHED, "fixed", 0, 0, 1},
};
enum { N_FAMILY = (int)(sizeof families / sizeof families[0]), MOST_RUNS = 320 };

typedef struct {
  int collision, family;
  double size;
  const cr_published_toss* published;
  char name[48];
} way;

enum {
  COLLISION,
  FAMILY,
  SERIES,
  SIZE,
  LOSS,
  GRADIENT,
  LOSS_ERROR,
  GRADIENT_ERROR,
  FORWARD,
  BACKWARD
};
enum { TOTAL = BACKWARD + 1 };
static const char header[] =
    "method,collision,family,series,size,loss,gradient,loss_error,gradient_error,forward_s,"
    "backward_s,"
    "total_s";

typedef struct {
  cr_model* m;
  mjModel* mj;
  mjData* mjd;
  way ways[MOST_RUNS];
  int n;
  bool brief;
  cr_landing truth[N_COLLISION];
} race;

// the runs in one line of a chart
static int series_of(int collision, int k) { return collision * N_FAMILY + k; }

// ---- the list of runs

static void add(race* r, const way* w) {
  if (r->n < MOST_RUNS) {
    r->ways[r->n++] = *w;
  }
}

static void add_family(race* r, int collision, int k) {
  const family* f = &families[k];
  for (int decade = f->first; decade <= f->last; decade += f->stride) {
    way w = {.collision = collision, .family = k, .size = pow(10, -decade)};
    // the short study takes 1e-5, 1e-7 and 1e-10, and leaves the finest steps out
    bool some = f->how >= FIXED ? decade <= 4 : decade % 5 == 0 || decade == 7;
    if (!r->brief || some) {
      (void)snprintf(w.name, sizeof w.name, "%s %s 1e-%d", collision_names[collision], f->name,
                     decade);
      add(r, &w);
    }
  }
}

static void add_published(race* r, int k) {
  const cr_published_toss* p;
  for (int i = 0; (p = cri_published_toss(i)) != NULL; i++) {
    way w = {.collision = SOFT, .family = k, .size = p->size, .published = p};
    if (p->fixed == ((families[k].word[0] != 0))) {
      (void)snprintf(w.name, sizeof w.name, "published %s", p->name);
      add(r, &w);
    }
  }
}

// MuJoCo has only hard collision, the published runs only soft
static void list_runs(race* r) {
  for (int collision = 0; collision < N_COLLISION; collision++) {
    for (int k = 0; k < N_FAMILY; k++) {
      if (families[k].how == PUBLISHED && collision == SOFT) {
        add_published(r, k);
      } else if (families[k].how < MUJOCO || (families[k].how == MUJOCO && collision == HARD)) {
        add_family(r, collision, k);
      }
    }
  }
}

// ---- one run, the fastest of three; only once if it takes long

static const double long_run = 0.5;  // s

static cr_status model_of(cr_model** m, const race* r, int collision, const char* integrator,
                          cr_error* error) {
  static const char* const kinds[N_COLLISION] = {"hard", "soft", "smooth"};
  return cri_scene_variant(m, r->m, integrator, kinds[collision], error);
}

static cr_launch launch_of(const cr_model* m) {
  return (cr_launch){.m = m,
                     .loss = "qpos[1]",
                     .time = 1,
                     .qpos = {0, 0, CR_R(0.2), 1},
                     .qvel = {0, CR_R(-0.1), -2},
                     .qvel_direction = {0, 0, 1}};
}

static cr_status run_carom(const race* r, const way* w, cr_landing* end, cr_error* error) {
  const family* f = &families[w->family];
  cr_real size = (cr_real)w->size;
  cr_model* m = NULL;
  cr_status status = model_of(&m, r, w->collision, f->word, error);
  cr_launch l = launch_of(m);
  const cr_adaptive adaptive = {.size = sizeof adaptive,
                                .rtol = size,
                                .atol = size,
                                .events = f->how != ADAPTIVE,
                                .max_steps = 1000000};
  const cr_adjoint adjoint = {.size = sizeof adjoint, .rtol = size, .atol = size};
  if (f->how == FIXED && status == CR_OK) {
    status = cr_model_set_option(m, "timestep", size, error);
  } else {
    l.adaptive = &adaptive;
    l.adjoint = f->how == ADJOINT ? &adjoint : NULL;
  }
  status = status == CR_OK ? cri_launch(&l, true, end, error) : status;
  cr_model_destroy(m);
  return status;
}

static double mujoco_loss(const race* r, const way* w, double u0) {
  mj_resetData(r->mj, r->mjd);
  r->mj->opt.timestep = w->size;
  bool rk4 = strcmp(families[w->family].word, "rk4") == 0;
  r->mj->opt.integrator = rk4 ? mjINT_RK4 : mjINT_EULER;
  r->mjd->qpos[2] = 0.2;
  r->mjd->qvel[1] = -0.1;
  r->mjd->qvel[2] = u0;
  int n = (int)floor(1 / w->size + 1e-9);
  for (int i = 0; i < n; i++) {
    mj_step(r->mj, r->mjd);
  }
  return r->mjd->qpos[1];
}

static void run_mujoco(const race* r, const way* w, cr_landing* end) {
  const double h = 1e-4;
  double begin = cri_thread_seconds();
  *end = (cr_landing){.loss = (cr_real)mujoco_loss(r, w, -2)};
  end->forward = cri_thread_seconds() - begin;
  begin = cri_thread_seconds();
  double difference = mujoco_loss(r, w, -2 + h) - mujoco_loss(r, w, -2 - h);
  end->gradient = (cr_real)(difference / (2 * h));
  end->backward = cri_thread_seconds() - begin;
}

static cr_status run_fastest(const race* r, const way* w, cr_landing* best, cr_error* error) {
  for (int i = 0; i < (r->brief ? 1 : 3); i++) {
    cr_landing end;
    if (families[w->family].how == MUJOCO) {
      run_mujoco(r, w, &end);
    } else {
      CR_TRY(run_carom(r, w, &end, error));
    }
    if (i == 0 || end.forward + end.backward < best->forward + best->backward) {
      *best = end;
    }
    if (end.forward + end.backward > long_run) {
      break;
    }
  }
  return CR_OK;
}

static cr_status work(void* context, int i, int worker, cr_real* row, cr_error* error) {
  (void)worker;
  const race* r = context;
  const way* w = &r->ways[i];
  const cr_published_toss* p = w->published;
  cr_landing end = {0};
  if (p != NULL) {
    end = (cr_landing){.loss = (cr_real)p->loss,
                       .gradient = (cr_real)p->gradient,
                       .forward = p->forward,
                       .backward = p->backward};
  } else {
    CR_TRY(run_fastest(r, w, &end, error));
  }
  const cr_landing* truth = &r->truth[w->collision];
  row[COLLISION] = (cr_real)w->collision;
  row[FAMILY] = (cr_real)w->family;
  row[SERIES] = (cr_real)series_of(w->collision, w->family);
  row[SIZE] = (cr_real)w->size;
  row[LOSS] = end.loss;
  row[GRADIENT] = end.gradient;
  row[LOSS_ERROR] = cr_abs(end.loss / truth->loss - 1);
  row[GRADIENT_ERROR] = cr_abs(end.gradient / truth->gradient - 1);
  row[FORWARD] = (cr_real)end.forward;
  row[BACKWARD] = (cr_real)end.backward;
  row[TOTAL] = (cr_real)(end.forward + end.backward);
  return CR_OK;
}

// the truth of a kind of collision: converged motion, and differences of that over 2e-4
static cr_status find_truth(race* r, int collision, double tolerance, cr_error* error) {
  cr_landing* truth = &r->truth[collision];
  cr_model* m = NULL;
  cr_status status = model_of(&m, r, collision, "tsit5", error);
  const cr_adaptive adaptive = {.size = sizeof adaptive,
                                .rtol = (cr_real)tolerance,
                                .atol = (cr_real)tolerance,
                                .events = true};
  cr_launch l = launch_of(m);
  l.adaptive = &adaptive;
  status = status == CR_OK ? cri_launch(&l, false, truth, error) : status;
  status =
      status == CR_OK ? cri_launch_difference(&l, CR_R(1e-4), &truth->gradient, error) : status;
  cr_model_destroy(m);
  return status;
}

// ---- claims

// the fastest run of a kind to a derivative with that error; NULL if none has it
static const cr_real* fastest(cr_table* table, int collision, manner from, manner to,
                              double error) {
  const cr_real* best = NULL;
  for (int i = 0; i < table->rows; i++) {
    const cr_real* row = cri_table_row(table, i);
    manner how = families[(int)row[FAMILY]].how;
    bool member = (int)row[COLLISION] == collision && how >= from && how <= to;
    if (member && (double)row[GRADIENT_ERROR] <= error) {
      best = best == NULL || row[TOTAL] < best[TOTAL] ? row : best;
    }
  }
  return best;
}

static double seconds(const cr_real* row) {
  return row != NULL ? (double)row[TOTAL] : (double)INFINITY;
}

static const cr_real* row_of(cr_table* table, const char* name) {
  for (int i = 0; i < table->rows; i++) {
    if (strcmp(table->label[i], name) == 0) {
      return cri_table_row(table, i);
    }
  }
  return NULL;
}

static void say_rows(cr_notebook* book, const race* r, cr_table* table) {
  cri_say(
      book,
      "Toss of a cube at u0 = -2, 1 s, one core. Errors are relative to the converged motion of "
      "the same collision and differences of that\n"
      "over 2e-4; times are processor time. Published runs (DiffMJX): soft collision, GPU, "
      "compilation of 80 s not counted.\n\n");
  for (int k = 0; k < N_COLLISION; k++) {
    cri_say(book, "  %-8s y = %.9f, dy/du0 = %.6f\n", collision_names[k], (double)r->truth[k].loss,
            (double)r->truth[k].gradient);
  }
  cri_say(book, "\n  %-32s %14s %14s %11s %11s %10s %10s\n", "", "y", "dy/du0", "error y",
          "error dy", "forward s", "backward s");
  for (int i = 0; i < table->rows; i++) {
    const cr_real* row = cri_table_row(table, i);
    cri_say(book, "  %-32s %14.9f %14.7f %11.2e %11.2e %10.4f %10.4f\n", table->label[i],
            (double)row[LOSS], (double)row[GRADIENT], (double)row[LOSS_ERROR],
            (double)row[GRADIENT_ERROR], (double)row[FORWARD], (double)row[BACKWARD]);
  }
  cri_say(book,
          "\nLeast time to a derivative within 1.3 %%: hard %.3g s, soft %.3g s, smooth %.3g s; "
          "MuJoCo's fixed steps with differences %.3g s, published %.3g s.\n",
          seconds(fastest(table, HARD, ADAPTIVE, ADJOINT, 0.013)),
          seconds(fastest(table, SOFT, ADAPTIVE, ADJOINT, 0.013)),
          seconds(fastest(table, SMOOTH, ADAPTIVE, ADJOINT, 0.013)),
          seconds(fastest(table, HARD, MUJOCO, MUJOCO, 0.013)),
          seconds(fastest(table, SOFT, PUBLISHED, PUBLISHED, 0.013)));
}

// a run that is right to 0.001 in dy/du0, required for hard collision
static void claim_hard(cr_notebook* book, cr_table* table) {
  const cr_real* best = row_of(table, "hard Tsit5 events adjoint 1e-7");
  cri_claim(book, (double)best[LOSS], -0.260906, -0.260886, "-0.260896 by MuJoCo, RK4, 1e-5 s",
            "%s: y", "hard Tsit5 events adjoint 1e-7");
  cri_claim(book, (double)best[GRADIENT], 0.575, 0.577, "0.576, differences of these", "%s: dy/du0",
            "hard Tsit5 events adjoint 1e-7");
  best = fastest(table, HARD, ADAPTIVE, ADJOINT, 0.001 / 0.576);
  cri_claim(book, best != NULL ? (double)best[FORWARD] : (double)INFINITY, 0, 0.1,
            "2.4 s at 1e-7, 1.3 % off", "hard: forward seconds of a derivative right to 0.001");
  cri_claim(book, best != NULL ? (double)best[BACKWARD] : (double)INFINITY, 0, 0.1,
            "16.5 s at 1e-7, 1.3 % off", "hard: its backward seconds");
  best = row_of(table, "hard Tsit5 events 1e-10");
  cri_claim(book, (double)(best[BACKWARD] / best[FORWARD]), 0, 5, "6.5 to 7.3",
            "hard Tsit5 events 1e-10: backward over forward");
}

static void claim_soft(cr_notebook* book, cr_table* table) {
  const cr_real* row = row_of(table, "soft Tsit5 1e-10");
  cri_claim(book, (double)row[LOSS], -0.301796, -0.301794, "-0.301795227", "soft Tsit5 1e-10: y");
  cri_claim(book, (double)row[GRADIENT], 0.1722, 0.1732, "0.1723870; 0.1726704 by backsolve",
            "soft Tsit5 1e-10: dy/du0");
  row = row_of(table, "soft Tsit5 events adjoint 1e-7");
  cri_claim(book, (double)row[GRADIENT_ERROR], 0, 0.005, "1.3 % (1.9 % of the differences)",
            "soft Tsit5 events adjoint 1e-7: error of dy/du0");
  row = row_of(table, "soft Tsit5 events adjoint 1e-5");
  cri_claim(book, (double)row[GRADIENT_ERROR], 0, 0.03, "7 % (8 % of the differences)",
            "soft Tsit5 events adjoint 1e-5: error of dy/du0");
  cri_claim(book, seconds(fastest(table, SOFT, ADAPTIVE, ADJOINT, 0.013)), 0, 0.5, "18.9 s at 1e-7",
            "soft: seconds to a derivative within 1.3 %%");
}

static void conclude(cr_notebook* book, const race* r, cr_table* table) {
  say_rows(book, r, table);
  claim_hard(book, table);
  claim_soft(book, table);
  for (int k = 0; k < N_COLLISION; k++) {
    char name[48];
    (void)snprintf(name, sizeof name, "%s Tsit5 events adjoint 1e-10", collision_names[k]);
    cri_claim(book, (double)row_of(table, name)[GRADIENT_ERROR], 0, 0.002, "",
              "%s: error of dy/du0", name);
  }
}

// a line of charts for each collision: error of loss and of derivative
static cr_status draw(const cr_notebook* book, cr_error* error) {
  enum { N_CHART = 2 * N_COLLISION };
  static const char* const errors[2] = {"loss_error", "gradient_error"};
  cr_curve curves[N_CHART][N_FAMILY];
  cr_chart charts[N_CHART];
  char titles[N_CHART][64];
  for (int k = 0; k < N_CHART; k++) {
    int n = 0, collision = k / 2;
    for (int f = 0; f < N_FAMILY; f++) {
      manner how = families[f].how;
      if ((how == MUJOCO && collision != HARD) || (how == PUBLISHED && collision != SOFT)) {
        continue;
      }
      curves[k][n++] = (cr_curve){.csv = "time_toss.csv",
                                  .x = "total_s",
                                  .y = errors[k % 2],
                                  .title = families[f].name,
                                  .style = how == PUBLISHED ? CR_CURVE_POINTS : CR_CURVE_BOTH,
                                  .only = "series",
                                  .value = series_of(collision, f)};
    }
    (void)snprintf(titles[k], sizeof titles[k], "%s: relative error of %s",
                   collision_names[collision], k % 2 == 0 ? "y" : "dy/du0");
    charts[k] = (cr_chart){"seconds of one core, forward and backward",
                           titles[k],
                           true,
                           true,
                           k % 2 == 0 ? 1e-13 : 1e-7,
                           k % 2 == 0 ? 10 : 100,
                           curves[k],
                           n};
  }
  return cri_charts(book->folder, "time_toss", "Toss of a cube: error against run time", charts,
                    N_CHART, 2, error);
}

// ---- the study

static cr_status open_scene(race* r, const cr_notebook* book, cr_error* error) {
  char path[CR_MAX_PATH];
  CR_TRY(cri_scene_toss(book, CR_TOSS_CUBE, &r->m, error));
  CR_TRY(cri_path_join(path, book->folder, "toss_cube.xml", error));
  char why[300] = "";
  r->mj = mj_loadXML(path, NULL, why, (int)sizeof why);
  if (r->mj == NULL) {
    return cri_fail(error, CR_ERR_FORMAT, "%s: %s", path, why);
  }
  r->mjd = mj_makeData(r->mj);
  return r->mjd != NULL ? CR_OK : cri_fail(error, CR_ERR_MEMORY, "%s: no memory for mjData", path);
}

static cr_status run_all(race* r, cr_notebook* book, cr_table* table, cr_error* error) {
  static const double finest[N_COLLISION] = {1e-13, 1e-12, 1e-12};
  CR_TRY(open_scene(r, book, error));
  for (int k = 0; k < N_COLLISION; k++) {
    CR_TRY(find_truth(r, k, finest[k], error));
  }
  CR_TRY(cri_sweep(book, table, 1, work, r, error));  // one at a time: they are timed
  conclude(book, r, table);
  return draw(book, error);
}

cr_status cri_study_time_toss(cr_notebook* book, cr_error* error) {
  race r = {.brief = book->request.brief};
  cr_table table = {0};
  const char* labels[MOST_RUNS];
  list_runs(&r);
  for (int i = 0; i < r.n; i++) {
    labels[i] = r.ways[i].name;
  }
  cr_status status = cri_table_create(&table, "time_toss.csv", header, labels, r.n, error);
  status = status == CR_OK ? run_all(&r, book, &table, error) : status;
  cri_table_free(&table);
  mj_deleteData(r.mjd);
  mj_deleteModel(r.mj);
  cr_model_destroy(r.m);
  return status;
}
