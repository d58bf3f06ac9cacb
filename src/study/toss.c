// SPDX-License-Identifier: Apache-2.0
// Five bodies are tossed on a floor (DiffMJX, experiment 02): z0 = 0.2, vy0 = -0.1, vz0 = u0 in
// [-3, -1], 1 s, loss y at the end, its derivative by u0. Adaptive steps that end on events are held
// against central differences of the converged motion, and fixed steps are shown beside them.
#include <math.h>
#include <stdio.h>

#include "io/plot.h"
#include "study/launch.h"
#include "study/scenes.h"
#include "study/studies.h"
#include "study/sweep.h"

enum {
  BODY,
  U0,
  Y,
  GRADIENT,
  DIFFERENCE,
  PLAIN,
  STEPS,
  EULER_Y,
  EULER_GRADIENT,
  FINE_Y,
  FINE_GRADIENT,
  SOFT_Y,
  SOFT_GRADIENT,
  SOFT_DIFFERENCE,
  SMOOTH_Y,
  SMOOTH_GRADIENT,
  SMOOTH_DIFFERENCE,
  N_COLUMN
};
static const char header[] =
    "body,u0,y,gradient,difference,no_event_gradient,steps,euler_1e2_y,euler_1e2_gradient,"
    "euler_1e3_y,euler_1e3_gradient,soft_y,soft_gradient,soft_difference,smooth_y,"
    "smooth_gradient,smooth_difference";

typedef struct {
  cr_model adaptive[CR_N_TOSS], soft[CR_N_TOSS], smooth[CR_N_TOSS], euler[CR_N_TOSS];
  int n;  // speeds of a body
} toss;

// free flight has no error, so steps grow until one jumps over a short touch; hence the largest step
static const cr_adaptive with_events = {
    .rtol = CR_R(1e-11), .atol = CR_R(1e-11), .largest_step = CR_R(0.01), .events = true};
static const cr_adaptive soft_events = {
    .rtol = CR_R(1e-9), .atol = CR_R(1e-9), .largest_step = CR_R(0.01), .events = true};
static const cr_adaptive no_events = {
    .rtol = CR_R(1e-11), .atol = CR_R(1e-11), .largest_step = CR_R(0.01)};

static cr_launch toss_of(const cr_model* m, int body, double u0) {
  return (cr_launch){.m = m,
                     .loss = "qpos[1]",
                     .time = 1,
                     .qpos = {0, cri_toss_y0[body], CR_R(0.2), 1},
                     .qvel = {0, CR_R(-0.1), (cr_real)u0},
                     .qvel_direction = {0, 0, 1}};
}

// ---- a row

static cr_status fixed(const toss* t, int body, double u0, double h, cr_real* row,
                       cr_error* error) {
  cr_model m = t->euler[body];
  cr_landing end;
  m.memory = NULL;
  m.timestep = (cr_real)h;
  const cr_launch l = toss_of(&m, body, u0);
  CR_TRY(cri_launch(&l, true, &end, error));
  row[0] = end.loss;
  row[1] = end.gradient;
  return CR_OK;
}

// y, its derivative and the difference, with softened collision
static cr_status softened(const cr_model* m, int body, double u0, cr_real* row, cr_error* error) {
  cr_launch l = toss_of(m, body, u0);
  cr_landing end;
  l.adaptive = &soft_events;
  CR_TRY(cri_launch(&l, true, &end, error));
  row[0] = end.loss;
  row[1] = end.gradient;
  return cri_launch_difference(&l, CR_R(5e-4), &row[2], error);
}

static cr_status fill(const toss* t, int body, double u0, cr_real* row, cr_error* error) {
  cr_launch l = toss_of(&t->adaptive[body], body, u0);
  cr_landing end;
  row[BODY] = (cr_real)body;
  row[U0] = (cr_real)u0;
  l.adaptive = &no_events;
  CR_TRY(cri_launch(&l, true, &end, error));
  row[PLAIN] = end.gradient;
  l.adaptive = &with_events;
  CR_TRY(cri_launch(&l, true, &end, error));
  row[Y] = end.loss;
  row[GRADIENT] = end.gradient;
  row[STEPS] = (cr_real)end.steps;
  CR_TRY(cri_launch_difference(&l, CR_R(1e-4), &row[DIFFERENCE], error));
  CR_TRY(softened(&t->soft[body], body, u0, row + SOFT_Y, error));
  CR_TRY(softened(&t->smooth[body], body, u0, row + SMOOTH_Y, error));
  CR_TRY(fixed(t, body, u0, 1e-2, row + EULER_Y, error));
  return fixed(t, body, u0, 1e-3, row + FINE_Y, error);
}

static cr_status work(void* context, int i, int worker, cr_real* row, cr_error* error) {
  (void)worker;
  const toss* t = context;
  return fill(t, i / t->n, -3 + 2.0 * (i % t->n) / (t->n - 1), row, error);
}

// ---- what it shows

// u0 = -2: MuJoCo 3.12.1, RK4 with 1e-5, differences over 1e-3
static const struct {
  double y, gradient, slack;
} converged[CR_N_TOSS] = {
    [CR_TOSS_BALL] = {-0.072884, -0.00133, 0.001},
    [CR_TOSS_CUBE] = {-0.260896, 0.576, 0.001},
    [CR_TOSS_CAPSULE] = {-0.298596, 0.42878, 0.002},
    [CR_TOSS_CYLINDER] = {-0.182718, -0.00384, 0.002},
    [CR_TOSS_ELLIPSOID] = {-0.376474, 0.53161, 0.001},
};

static cr_status claim_middle(cr_notebook* book, const toss* t, cr_error* error) {
  for (int body = 0; body < CR_N_TOSS; body++) {
    cr_real row[N_COLUMN];
    char published[64];
    double y = converged[body].y, g = converged[body].gradient, slack = converged[body].slack;
    CR_TRY(fill(t, body, -2, row, error));
    (void)snprintf(published, sizeof published, "%g by MuJoCo, RK4, 1e-5 s", y);
    cri_claim(book, (double)row[Y], y - 1e-5, y + 1e-5, published, "%s, u0 = -2: y",
              cri_toss_names[body]);
    (void)snprintf(published, sizeof published, "%g, differences of these", g);
    cri_claim(book, (double)row[GRADIENT], g - slack, g + slack, published,
              "%s, u0 = -2: dy/du0 with events", cri_toss_names[body]);
  }
  return CR_OK;
}

// relative to the difference of the same motion, or to 0.1 where that is small
static double off(const cr_real* row, int column) {
  double truth = (double)row[column >= SOFT_GRADIENT ? column + 1 : DIFFERENCE];
  return fabs((double)row[column] - truth) / (fabs(truth) + 0.1);
}

static double share_off(cr_table* table, int body, int column, double by) {
  int n = 0, count = 0;
  for (int i = 0; i < table->rows; i++) {
    const cr_real* row = cri_table_row(table, i);
    if ((int)row[BODY] == body) {
      n++;
      count += !(off(row, column) <= by);
    }
  }
  return (double)count / n;
}

static cr_status conclude(cr_notebook* book, const toss* t, cr_table* table, cr_error* error) {
  cri_say(
      book,
      "Tosses of five bodies, %d launch speeds each; loss y after 1 s, derivative "
      "by the launch speed.\n"
      "tsit5 at 1e-11 with events, hard contact, and at 1e-9 with soft and smooth collision (0.1), "
      "against "
      "central differences (over 2e-4, softened 1e-3) of the same motion.\n"
      "Share of the speeds whose derivative is off by more than a tenth of |dy/du0| + 0.1:\n\n"
      "  %-10s %12s %12s %14s %14s %14s %14s\n",
      t->n, "", "with events", "no events", "Euler 10 ms", "Euler 1 ms", "soft, events",
      "smooth, events");
  for (int body = 0; body < CR_N_TOSS; body++) {
    cri_say(book, "  %-10s %12.3f %12.3f %14.3f %14.3f %14.3f %14.3f\n", cri_toss_names[body],
            share_off(table, body, GRADIENT, 0.1), share_off(table, body, PLAIN, 0.1),
            share_off(table, body, EULER_GRADIENT, 0.1), share_off(table, body, FINE_GRADIENT, 0.1),
            share_off(table, body, SOFT_GRADIENT, 0.1),
            share_off(table, body, SMOOTH_GRADIENT, 0.1));
  }
  CR_TRY(claim_middle(book, t, error));
  for (int body = 0; body < CR_N_TOSS; body++) {
    cri_claim(book, share_off(table, body, GRADIENT, 0.05), 0, 0.05, "",
              "%s: share of speeds further than 5 %% from differences", cri_toss_names[body]);
    cri_claim(book, share_off(table, body, SOFT_GRADIENT, 0.1), 0, 0.05, "",
              "%s, soft: share of speeds further than 10 %% from differences",
              cri_toss_names[body]);
    cri_claim(book, share_off(table, body, SMOOTH_GRADIENT, 0.1), 0, 0.05, "",
              "%s, smooth: share of speeds further than 10 %% from differences",
              cri_toss_names[body]);
  }
  return CR_OK;
}

static cr_status draw(const cr_notebook* book, cr_error* error) {
  enum { N_KIND = 5 };
  static const char* const kinds[N_KIND][2] = {{"euler_1e3_gradient", "Euler, 1 ms"},
                                               {"gradient", "adaptive, events"},
                                               {"difference", "differences"},
                                               {"soft_gradient", "soft"},
                                               {"smooth_gradient", "smooth"}};
  static const char* const places[N_KIND][2] = {{"euler_1e3_y", "Euler, 1 ms"},
                                                {"y", "adaptive, events"},
                                                {"soft_y", "soft"},
                                                {"smooth_y", "smooth"},
                                                {"", ""}};
  cr_curve curves[CR_N_TOSS][2][N_KIND];
  cr_chart charts[2 * CR_N_TOSS];
  char titles[CR_N_TOSS][2][48];
  for (int b = 0; b < CR_N_TOSS; b++) {
    for (int k = 0; k < N_KIND; k++) {
      const cr_curve c = {"toss.csv", "u0", "", "", k == 0 ? CR_CURVE_POINTS : CR_CURVE_LINE,
                          "body",     b};
      curves[b][0][k] = curves[b][1][k] = c;
      curves[b][0][k].y = places[k][0];
      curves[b][0][k].title = places[k][1];
      curves[b][1][k].y = kinds[k][0];
      curves[b][1][k].title = kinds[k][1];
    }
    (void)snprintf(titles[b][0], sizeof titles[b][0], "%s: y", cri_toss_names[b]);
    (void)snprintf(titles[b][1], sizeof titles[b][1], "%s: dy/du0", cri_toss_names[b]);
    double nan = (double)NAN;
    charts[2 * b] =
        (cr_chart){"u0", titles[b][0], false, false, nan, nan, curves[b][0], N_KIND - 1};
    charts[2 * b + 1] = (cr_chart){"u0", titles[b][1], false, false, -4, 4, curves[b][1], N_KIND};
  }
  return cri_charts(book->folder, "toss", "Tosses", charts, 2 * CR_N_TOSS, 2, error);
}

// ---- the study

static cr_status open_scenes(toss* t, const cr_notebook* book, cr_error* error) {
  for (int body = 0; body < CR_N_TOSS; body++) {
    CR_TRY(cri_scene_toss(book, body, &t->euler[body], error));
    t->adaptive[body] = t->euler[body];
    t->adaptive[body].memory = NULL;
    t->adaptive[body].integrator = CR_INT_TSIT5;
    t->soft[body] = t->adaptive[body];
    t->soft[body].collision = CR_COLLISION_SOFT;
    t->soft[body].softness = CR_R(0.1);
    t->smooth[body] = t->soft[body];
    t->smooth[body].collision = CR_COLLISION_SMOOTH;
  }
  return CR_OK;
}

cr_status cri_study_toss(cr_notebook* book, cr_error* error) {
  toss t = {.n = book->request.brief ? 9 : 200};
  cr_table table = {0};
  cr_status status = open_scenes(&t, book, error);
  if (status == CR_OK) {
    status = cri_table_create(&table, "toss.csv", header, NULL, CR_N_TOSS * t.n, error);
  }
  if (status == CR_OK) {
    status = cri_sweep(book, &table, 16, work, &t, error);
  }
  if (status == CR_OK) {
    status = conclude(book, &t, &table, error);
  }
  if (status == CR_OK) {
    status = draw(book, error);
  }
  cri_table_free(&table);
  for (int body = 0; body < CR_N_TOSS; body++) {
    cri_model_free(&t.euler[body]);
  }
  return status;
}
