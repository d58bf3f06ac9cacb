// SPDX-License-Identifier: Apache-2.0
// What a right gradient costs (DiffMJX, experiment 04): the cube of the tosses at u0 = -2, by every
// method at many tolerances or steps, error of loss and derivative against run time. MuJoCo's fixed
// steps are run beside ours, with central differences for the derivative. The published runs, on
// their own hardware and with their softened collision, are a second set of points.
#include <math.h>
#include <stdio.h>

#include "io/mujoco.h"
#include "io/plot.h"
#include "study/launch.h"
#include "study/scenes.h"
#include "study/studies.h"
#include "study/sweep.h"

typedef enum {
  TSIT5_EVENTS,
  TSIT5,
  DOPRI,
  LOW_ORDER,  // Bosh3, Heun, midpoint, Ralston
  CAROM_FIXED,
  MUJOCO_FIXED,
  SOFT_EVENTS,  // these and the published ones with softened collision
  SOFT,
  PUBLISHED_ADAPTIVE,
  PUBLISHED_FIXED,
  N_FAMILY
} family;
static const char* const family_names[N_FAMILY] = {
    "Tsit5, events", "Tsit5",        "Dopri5, 8", "Bosh3 and lower",     "Carom, fixed",
    "MuJoCo, fixed", "soft, events", "soft",      "published, adaptive", "published, MJX fixed"};

// size: tolerance, or length of the step. Of a published run also its numbers.
typedef struct {
  const char* name;
  family family;
  int integrator;
  double size;
  double loss, gradient, forward, backward;
} method;

#define ADAPTIVE(name, family, integrator, size) \
  { name, family, integrator, size, 0, 0, 0, 0 }
static const method methods[] = {
    ADAPTIVE("Tsit5 events 1e-4", TSIT5_EVENTS, CR_INT_TSIT5, 1e-4),
    ADAPTIVE("Tsit5 events 1e-5", TSIT5_EVENTS, CR_INT_TSIT5, 1e-5),
    ADAPTIVE("Tsit5 events 1e-6", TSIT5_EVENTS, CR_INT_TSIT5, 1e-6),
    ADAPTIVE("Tsit5 events 1e-7", TSIT5_EVENTS, CR_INT_TSIT5, 1e-7),
    ADAPTIVE("Tsit5 events 1e-8", TSIT5_EVENTS, CR_INT_TSIT5, 1e-8),
    ADAPTIVE("Tsit5 events 1e-9", TSIT5_EVENTS, CR_INT_TSIT5, 1e-9),
    ADAPTIVE("Tsit5 events 1e-10", TSIT5_EVENTS, CR_INT_TSIT5, 1e-10),
    ADAPTIVE("Tsit5 events 1e-11", TSIT5_EVENTS, CR_INT_TSIT5, 1e-11),
    ADAPTIVE("Tsit5 events 1e-12", TSIT5_EVENTS, CR_INT_TSIT5, 1e-12),
    ADAPTIVE("Tsit5 1e-4", TSIT5, CR_INT_TSIT5, 1e-4),
    ADAPTIVE("Tsit5 1e-5", TSIT5, CR_INT_TSIT5, 1e-5),
    ADAPTIVE("Tsit5 1e-6", TSIT5, CR_INT_TSIT5, 1e-6),
    ADAPTIVE("Tsit5 1e-7", TSIT5, CR_INT_TSIT5, 1e-7),
    ADAPTIVE("Tsit5 1e-8", TSIT5, CR_INT_TSIT5, 1e-8),
    ADAPTIVE("Tsit5 1e-10", TSIT5, CR_INT_TSIT5, 1e-10),
    ADAPTIVE("Tsit5 1e-12", TSIT5, CR_INT_TSIT5, 1e-12),
    ADAPTIVE("Dopri5 1e-5", DOPRI, CR_INT_DOPRI5, 1e-5),
    ADAPTIVE("Dopri5 1e-7", DOPRI, CR_INT_DOPRI5, 1e-7),
    ADAPTIVE("Dopri5 1e-9", DOPRI, CR_INT_DOPRI5, 1e-9),
    ADAPTIVE("Dopri5 1e-11", DOPRI, CR_INT_DOPRI5, 1e-11),
    ADAPTIVE("Dopri8 1e-6", DOPRI, CR_INT_DOPRI8, 1e-6),
    ADAPTIVE("Dopri8 1e-8", DOPRI, CR_INT_DOPRI8, 1e-8),
    ADAPTIVE("Dopri8 1e-10", DOPRI, CR_INT_DOPRI8, 1e-10),
    ADAPTIVE("Bosh3 1e-3", LOW_ORDER, CR_INT_BOSH3, 1e-3),
    ADAPTIVE("Bosh3 1e-5", LOW_ORDER, CR_INT_BOSH3, 1e-5),
    ADAPTIVE("Bosh3 1e-7", LOW_ORDER, CR_INT_BOSH3, 1e-7),
    ADAPTIVE("Heun 1e-5", LOW_ORDER, CR_INT_HEUN, 1e-5),
    ADAPTIVE("Heun 1e-7", LOW_ORDER, CR_INT_HEUN, 1e-7),
    ADAPTIVE("Midpoint 1e-5", LOW_ORDER, CR_INT_MIDPOINT, 1e-5),
    ADAPTIVE("Ralston 1e-5", LOW_ORDER, CR_INT_RALSTON, 1e-5),
    ADAPTIVE("Euler 1e-2", CAROM_FIXED, CR_INT_EULER, 1e-2),
    ADAPTIVE("Euler 1e-3", CAROM_FIXED, CR_INT_EULER, 1e-3),
    ADAPTIVE("Euler 1e-4", CAROM_FIXED, CR_INT_EULER, 1e-4),
    ADAPTIVE("Euler 1e-5", CAROM_FIXED, CR_INT_EULER, 1e-5),
    ADAPTIVE("implicitfast 1e-2", CAROM_FIXED, CR_INT_IMPLICITFAST, 1e-2),
    ADAPTIVE("implicitfast 1e-3", CAROM_FIXED, CR_INT_IMPLICITFAST, 1e-3),
    ADAPTIVE("RK4 1e-2", CAROM_FIXED, CR_INT_RK4, 1e-2),
    ADAPTIVE("RK4 1e-3", CAROM_FIXED, CR_INT_RK4, 1e-3),
    ADAPTIVE("RK4 1e-4", CAROM_FIXED, CR_INT_RK4, 1e-4),
    ADAPTIVE("MuJoCo Euler 1e-2", MUJOCO_FIXED, CR_INT_EULER, 1e-2),
    ADAPTIVE("MuJoCo Euler 1e-3", MUJOCO_FIXED, CR_INT_EULER, 1e-3),
    ADAPTIVE("MuJoCo Euler 1e-4", MUJOCO_FIXED, CR_INT_EULER, 1e-4),
    ADAPTIVE("MuJoCo Euler 1e-5", MUJOCO_FIXED, CR_INT_EULER, 1e-5),
    ADAPTIVE("MuJoCo RK4 1e-2", MUJOCO_FIXED, CR_INT_RK4, 1e-2),
    ADAPTIVE("MuJoCo RK4 1e-3", MUJOCO_FIXED, CR_INT_RK4, 1e-3),
    ADAPTIVE("MuJoCo RK4 1e-4", MUJOCO_FIXED, CR_INT_RK4, 1e-4),
    ADAPTIVE("MuJoCo RK4 1e-5", MUJOCO_FIXED, CR_INT_RK4, 1e-5),
    ADAPTIVE("Tsit5 soft events 1e-4", SOFT_EVENTS, CR_INT_TSIT5, 1e-4),
    ADAPTIVE("Tsit5 soft events 1e-5", SOFT_EVENTS, CR_INT_TSIT5, 1e-5),
    ADAPTIVE("Tsit5 soft events 1e-6", SOFT_EVENTS, CR_INT_TSIT5, 1e-6),
    ADAPTIVE("Tsit5 soft events 1e-7", SOFT_EVENTS, CR_INT_TSIT5, 1e-7),
    ADAPTIVE("Tsit5 soft events 1e-8", SOFT_EVENTS, CR_INT_TSIT5, 1e-8),
    ADAPTIVE("Tsit5 soft events 1e-9", SOFT_EVENTS, CR_INT_TSIT5, 1e-9),
    ADAPTIVE("Tsit5 soft events 1e-10", SOFT_EVENTS, CR_INT_TSIT5, 1e-10),
    ADAPTIVE("Tsit5 soft events 1e-11", SOFT_EVENTS, CR_INT_TSIT5, 1e-11),
    ADAPTIVE("Tsit5 soft events 1e-12", SOFT_EVENTS, CR_INT_TSIT5, 1e-12),
    ADAPTIVE("Tsit5 soft 1e-4", SOFT, CR_INT_TSIT5, 1e-4),
    ADAPTIVE("Tsit5 soft 1e-5", SOFT, CR_INT_TSIT5, 1e-5),
    ADAPTIVE("Tsit5 soft 1e-6", SOFT, CR_INT_TSIT5, 1e-6),
    ADAPTIVE("Tsit5 soft 1e-7", SOFT, CR_INT_TSIT5, 1e-7),
    ADAPTIVE("Tsit5 soft 1e-8", SOFT, CR_INT_TSIT5, 1e-8),
    ADAPTIVE("Tsit5 soft 1e-9", SOFT, CR_INT_TSIT5, 1e-9),
    ADAPTIVE("Tsit5 soft 1e-10", SOFT, CR_INT_TSIT5, 1e-10),
    ADAPTIVE("Tsit5 soft 1e-11", SOFT, CR_INT_TSIT5, 1e-11),
    ADAPTIVE("Tsit5 soft 1e-12", SOFT, CR_INT_TSIT5, 1e-12),
    {"published Tsit5 1e-12", PUBLISHED_ADAPTIVE, 0, 1e-12, -0.3017952226, 0.1726699, 16.74,
     122.61},
    {"published Tsit5 1e-10", PUBLISHED_ADAPTIVE, 0, 1e-10, -0.3017952265, 0.1723870, 7.654, 55.89},
    {"published Tsit5 1e-7", PUBLISHED_ADAPTIVE, 0, 1e-7, -0.3017967, 0.1748816, 2.393, 16.50},
    {"published Tsit5 1e-5", PUBLISHED_ADAPTIVE, 0, 1e-5, -0.3018650, 0.1853785, 1.277, 8.328},
    {"published Tsit5 1e-4", PUBLISHED_ADAPTIVE, 0, 1e-4, -0.3011453, -0.0805083, 1.035, 6.582},
    {"published Dopri8 1e-6", PUBLISHED_ADAPTIVE, 0, 1e-6, -0.3017949, 0.1744764, 2.475, 16.02},
    {"published Dopri5 1e-5", PUBLISHED_ADAPTIVE, 0, 1e-5, -0.3019535, 0.1254804, 1.218, 7.897},
    {"published Bosh3 1e-5", PUBLISHED_ADAPTIVE, 0, 1e-5, -0.3018154, 0.1694349, 1.345, 9.203},
    {"published Heun 1e-5", PUBLISHED_ADAPTIVE, 0, 1e-5, -0.3017965, 0.1678261, 2.710, 19.37},
    {"published Midpoint 1e-5", PUBLISHED_ADAPTIVE, 0, 1e-5, -0.3037691, 1.2621511, 2.495, 18.02},
    {"published Bosh3 1e-3", PUBLISHED_ADAPTIVE, 0, 1e-3, -0.3026410, 0.2404885, 0.492, 2.983},
    {"published MJX Euler 1e-2", PUBLISHED_FIXED, 0, 1e-2, -1.5716867, 4.3362813, 0.058, 0.256},
    {"published MJX Euler 1e-3", PUBLISHED_FIXED, 0, 1e-3, -0.2982784, 3.2404414, 0.545, 3.292},
    {"published MJX Euler 3e-4", PUBLISHED_FIXED, 0, 3e-4, -0.2957421, -0.6012215, 1.750, 10.57},
    {"published MJX Euler 1e-4", PUBLISHED_FIXED, 0, 1e-4, -0.2999632, 0.1324593, 5.142, 30.99},
    {"published MJX Euler 3e-5", PUBLISHED_FIXED, 0, 3e-5, -0.3012238, 0.1774616, 17.11, 102.5},
    {"published MJX RK4 1e-2", PUBLISHED_FIXED, 0, 1e-2, -0.4991588, 0.7624247, 0.156, 0.912},
    {"published MJX RK4 1e-3", PUBLISHED_FIXED, 0, 1e-3, -0.2923268, 0.9279590, 1.999, 11.95},
    {"published MJX RK4 1e-4", PUBLISHED_FIXED, 0, 1e-4, -0.3017787, 0.1517889, 19.09, 113.7},
};
enum { N_METHOD = (int)(sizeof methods / sizeof methods[0]) };

enum { FAMILY, SIZE, LOSS, GRADIENT, LOSS_ERROR, GRADIENT_ERROR, FORWARD, BACKWARD, TOTAL };
static const char header[] =
    "method,family,size,loss,gradient,loss_error,gradient_error,forward_s,backward_s,total_s";

typedef struct {
  cr_model m;
  mjModel* mj;
  mjData* mjd;
  const int* chosen;  // the methods of this run
  int n, repeats;
  cr_landing truth, soft_truth;
} race;

static cr_launch launch_of(const cr_model* m) {
  return (cr_launch){.m = m,
                     .loss = "qpos[1]",
                     .time = 1,
                     .qpos = {0, 0, CR_R(0.2), 1},
                     .qvel = {0, CR_R(-0.1), -2},
                     .qvel_direction = {0, 0, 1}};
}

// ---- one method, the fastest of a few runs

static bool softened(family f) { return f >= SOFT_EVENTS; }

static cr_model model_of(const race* r, family f, int integrator) {
  cr_model m = r->m;
  m.memory = NULL;
  m.integrator = integrator;
  m.collision = softened(f) ? CR_COLLISION_SOFT : CR_COLLISION_HARD;
  m.softness = CR_R(0.1);
  return m;
}

static cr_status run_carom(const race* r, const method* way, cr_landing* best, cr_error* error) {
  cr_model m = model_of(r, way->family, way->integrator);
  bool fixed = way->family == CAROM_FIXED;
  const cr_adaptive adaptive = {.rtol = (cr_real)way->size,
                                .atol = (cr_real)way->size,
                                .events = way->family == TSIT5_EVENTS || way->family == SOFT_EVENTS,
                                .max_steps = 1000000};
  cr_launch l = launch_of(&m);
  if (fixed) {
    m.timestep = (cr_real)way->size;
  } else {
    l.adaptive = &adaptive;
  }
  for (int i = 0; i < r->repeats; i++) {
    cr_landing end;
    CR_TRY(cri_launch(&l, true, &end, error));
    if (i == 0 || end.forward + end.backward < best->forward + best->backward) {
      *best = end;
    }
  }
  return CR_OK;
}

static double mujoco_loss(const race* r, const method* way, double u0) {
  mj_resetData(r->mj, r->mjd);
  r->mj->opt.timestep = way->size;
  r->mj->opt.integrator = way->integrator;
  r->mjd->qpos[2] = 0.2;
  r->mjd->qvel[1] = -0.1;
  r->mjd->qvel[2] = u0;
  int n = (int)floor(1 / way->size + 1e-9);
  for (int i = 0; i < n; i++) {
    mj_step(r->mj, r->mjd);
  }
  return r->mjd->qpos[1];
}

static void run_mujoco(const race* r, const method* way, cr_landing* best) {
  for (int i = 0; i < r->repeats; i++) {
    const double h = 1e-4;
    cr_landing end = {0};
    double begin = cri_thread_seconds();
    end.loss = (cr_real)mujoco_loss(r, way, -2);
    end.forward = cri_thread_seconds() - begin;
    begin = cri_thread_seconds();
    end.gradient = (cr_real)((mujoco_loss(r, way, -2 + h) - mujoco_loss(r, way, -2 - h)) / (2 * h));
    end.backward = cri_thread_seconds() - begin;
    if (i == 0 || end.forward + end.backward < best->forward + best->backward) {
      *best = end;
    }
  }
}

static cr_status work(void* context, int i, int worker, cr_real* row, cr_error* error) {
  (void)worker;
  const race* r = context;
  const method* way = &methods[r->chosen[i]];
  bool published = way->family >= PUBLISHED_ADAPTIVE;
  cr_landing end = {.loss = (cr_real)way->loss,
                    .gradient = (cr_real)way->gradient,
                    .forward = way->forward,
                    .backward = way->backward};
  if (way->family == MUJOCO_FIXED) {
    run_mujoco(r, way, &end);
  } else if (!published) {
    CR_TRY(run_carom(r, way, &end, error));
  }
  const cr_landing* truth = softened(way->family) ? &r->soft_truth : &r->truth;
  row[FAMILY] = (cr_real)way->family;
  row[SIZE] = (cr_real)way->size;
  row[LOSS] = end.loss;
  row[GRADIENT] = end.gradient;
  row[LOSS_ERROR] = cr_abs(end.loss / truth->loss - 1);
  row[GRADIENT_ERROR] = cr_abs(end.gradient / truth->gradient - 1);
  row[FORWARD] = (cr_real)end.forward;
  row[BACKWARD] = (cr_real)end.backward;
  row[TOTAL] = (cr_real)(end.forward + end.backward);
  return CR_OK;
}

// ---- what it shows

// least time of a family that has the derivative to `error`; infinite where none has
static double time_to(cr_table* table, int first, int last, double error) {
  double least = (double)INFINITY;
  for (int i = 0; i < table->rows; i++) {
    const cr_real* row = cri_table_row(table, i);
    bool member = (int)row[FAMILY] >= first && (int)row[FAMILY] <= last;
    least =
        member && (double)row[GRADIENT_ERROR] <= error ? fmin(least, (double)row[TOTAL]) : least;
  }
  return least;
}

static const cr_real* row_of(cr_table* table, const char* name) {
  for (int i = 0; i < table->rows; i++) {
    if (strcmp(table->label[i], name) == 0) {
      return cri_table_row(table, i);
    }
  }
  return NULL;
}

static void conclude(cr_notebook* book, const race* r, cr_table* table) {
  cri_say(
      book,
      "Toss of a cube at u0 = -2, 1 s, one core. Truth: Tsit5 with events at 1e-13 (soft: 1e-12), "
      "the derivative from its differences over 2e-4:\n"
      "hard y = %.9g, dy/du0 = %.6g; softened collision (0.1) y = %.9g, dy/du0 = %.6g.\n"
      "Errors are relative, times processor time. Published runs (DiffMJX): softened collision, "
      "GPU, compilation of 80 s not counted.\n\n"
      "  %-26s %14s %14s %11s %11s %10s %10s\n",
      (double)r->truth.loss, (double)r->truth.gradient, (double)r->soft_truth.loss,
      (double)r->soft_truth.gradient, "", "y", "dy/du0", "error y", "error dy", "forward s",
      "backward s");
  for (int i = 0; i < table->rows; i++) {
    const cr_real* row = cri_table_row(table, i);
    cri_say(book, "  %-26s %14.9f %14.7f %11.2e %11.2e %10.4f %10.4f\n", table->label[i],
            (double)row[LOSS], (double)row[GRADIENT], (double)row[LOSS_ERROR],
            (double)row[GRADIENT_ERROR], (double)row[FORWARD], (double)row[BACKWARD]);
  }
  double ours = time_to(table, TSIT5_EVENTS, LOW_ORDER, 0.013);
  double soft = time_to(table, SOFT_EVENTS, SOFT, 0.013);
  cri_say(
      book,
      "\nLeast time to a derivative within 1.3 %%: hard %.3g s, softened %.3g s, MuJoCo's fixed "
      "steps with differences %.3g s, published %.3g s.\n",
      ours, soft, time_to(table, MUJOCO_FIXED, MUJOCO_FIXED, 0.013),
      time_to(table, PUBLISHED_ADAPTIVE, PUBLISHED_FIXED, 0.013));
  const cr_real* best = row_of(table, "Tsit5 events 1e-11");
  cri_claim(book, (double)best[LOSS], -0.260906, -0.260886, "-0.260896 by MuJoCo, RK4, 1e-5 s",
            "Tsit5 events 1e-11: y");
  cri_claim(book, (double)best[GRADIENT], 0.575, 0.577, "0.576, differences of these",
            "Tsit5 events 1e-11: dy/du0");
  cri_claim(book, (double)(best[BACKWARD] / best[FORWARD]), 0, 5, "6.5 to 7.3",
            "Tsit5 events 1e-11: backward over forward");
  cri_claim(book, ours, 0, 0.2, "18.9 s at 1e-7", "hard: seconds to a derivative within 1.3 %%");
  cri_claim(book, soft, 0, 0.5, "18.9 s at 1e-7", "soft: seconds to a derivative within 1.3 %%");
  best = row_of(table, "Tsit5 soft 1e-10");
  cri_claim(book, (double)best[LOSS], -0.301796, -0.301794, "-0.301795227", "Tsit5 soft 1e-10: y");
  cri_claim(book, (double)best[GRADIENT], 0.1722, 0.1732, "0.1723870; 0.1726704 by backsolve",
            "Tsit5 soft 1e-10: dy/du0");
  best = row_of(table, "Tsit5 soft events 1e-10");
  cri_claim(book, (double)best[GRADIENT_ERROR], 0, 0.005, "",
            "Tsit5 soft events 1e-10: error of dy/du0");
}

static cr_status draw(const cr_notebook* book, cr_error* error) {
  cr_curve loss[N_FAMILY], gradient[N_FAMILY];
  double nan = (double)NAN;
  for (int k = 0; k < N_FAMILY; k++) {
    cr_curve_style style = CR_CURVE_POINTS;
    loss[k] =
        (cr_curve){"time_toss.csv", "total_s", "loss_error", family_names[k], style, "family", k};
    gradient[k] = loss[k];
    gradient[k].y = "gradient_error";
  }
  const cr_chart charts[] = {
      {"seconds, forward and backward", "error of the loss", true, true, nan, nan, loss, N_FAMILY},
      {"seconds, forward and backward", "error of the derivative", true, true, nan, nan, gradient,
       N_FAMILY},
  };
  return cri_charts(book->folder, "time_toss", "Error against run time, toss of a cube", charts, 2,
                    2, error);
}

// ---- the study

static cr_status find_truth(race* r, family f, double tolerance, cr_landing* truth,
                            cr_error* error) {
  const method finest = ADAPTIVE("truth", f, CR_INT_TSIT5, tolerance);
  cr_model m = model_of(r, f, CR_INT_TSIT5);
  const cr_adaptive adaptive = {
      .rtol = (cr_real)tolerance, .atol = (cr_real)tolerance, .events = true};
  CR_TRY(run_carom(r, &finest, truth, error));
  cr_launch l = launch_of(&m);
  l.adaptive = &adaptive;
  return cri_launch_difference(&l, CR_R(1e-4), &truth->gradient, error);
}

static cr_status open_scene(race* r, const cr_notebook* book, cr_error* error) {
  char path[CR_MAX_PATH];
  CR_TRY(cri_scene_toss(book, CR_TOSS_CUBE, &r->m, error));
  CR_TRY(cri_path_join(path, book->folder, "toss_cube.xml", error));
  CR_TRY(cri_mujoco_load(&r->mj, path, NULL, error));
  r->mjd = mj_makeData(r->mj);
  return r->mjd != NULL ? CR_OK : cri_fail(error, CR_ERR_MEMORY, "%s: no memory for mjData", path);
}

cr_status cri_study_time_toss(cr_notebook* book, cr_error* error) {
  race r = {.repeats = book->request.brief ? 1 : 3};
  cr_table table = {0};
  int chosen[N_METHOD];
  const char* labels[N_METHOD];
  for (int i = 0; i < N_METHOD; i++) {
    // the short one leaves the finest fixed steps out
    bool slow = (methods[i].family == CAROM_FIXED || methods[i].family == MUJOCO_FIXED) &&
                methods[i].size < 1e-4;
    if (!slow || !book->request.brief) {
      labels[r.n] = methods[i].name;
      chosen[r.n++] = i;
    }
  }
  r.chosen = chosen;
  cr_status status = open_scene(&r, book, error);
  status = status == CR_OK ? find_truth(&r, TSIT5_EVENTS, 1e-13, &r.truth, error) : status;
  status = status == CR_OK ? find_truth(&r, SOFT_EVENTS, 1e-12, &r.soft_truth, error) : status;
  if (status == CR_OK) {
    status = cri_table_create(&table, "time_toss.csv", header, labels, r.n, error);
  }
  if (status == CR_OK) {
    status = cri_sweep(book, &table, 1, work, &r, error);  // one at a time: they are timed
  }
  if (status == CR_OK) {
    conclude(book, &r, &table);
    status = draw(book, error);
  }
  cri_table_free(&table);
  mj_deleteData(r.mjd);
  mj_deleteModel(r.mj);
  cri_model_free(&r.m);
  return status;
}
