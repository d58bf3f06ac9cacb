// SPDX-License-Identifier: Apache-2.0
// Five bodies are tossed on a floor (DiffMJX, experiment 02): z0 = 0.2, vy0 = -0.1, vz0 = u0 in
// [-3, -1], 1 s, loss y at the end, its derivative by u0. Adaptive steps that end on events are compared
// with central differences of the converged motion, with hard, soft and smooth collision. Fixed steps are
// shown beside them. Each launch also gets a verdict of trust: if it
// is `trust`, gradient and differences must agree.
#include <math.h>
#include <stdio.h>

#include "notebook/sweep.h"
#include "study/launch.h"
#include "study/scenes.h"
#include "study/studies.h"
#include "tools/plot.h"

// kinds of collision, and the results of each
enum { HARD, SOFT, SMOOTH, N_KIND };
static const char* const kind_names[N_KIND] = {"hard", "soft", "smooth"};
enum { Y, GRADIENT, DIFFERENCE, TRUST, N_OF_KIND };

enum {
  BODY,
  U0,
  STEPS,
  NO_EVENTS,
  EULER_Y,
  EULER_GRADIENT,
  FINE_Y,
  FINE_GRADIENT,
  KINDS,
  N_COLUMN = KINDS + N_KIND * N_OF_KIND
};
static const char header[] =
    "body,u0,steps,no_event_gradient,euler_1e2_y,euler_1e2_gradient,euler_1e3_y,"
    "euler_1e3_gradient,y,gradient,difference,trust,soft_y,soft_gradient,soft_difference,"
    "soft_trust,smooth_y,smooth_gradient,smooth_difference,smooth_trust";

typedef struct {
  cr_model *kind[N_KIND][CR_N_TOSS], *euler[CR_N_TOSS];
  int n;     // speeds of a body
  int some;  // one speed in so many also runs with soft collision, and with a verdict of trust
} toss;

// free flight has no error, so steps grow until one jumps over a short touch; hence the largest step
#define STEP CR_R(0.01)
#define TOSS(tolerance, with_events)                                                         \
  {                                                                                          \
    .size = sizeof(cr_adaptive), .rtol = tolerance, .atol = tolerance, .largest_step = STEP, \
    .events = with_events                                                                    \
  }
static const cr_adaptive way = TOSS(CR_R(1e-8), true);
static const cr_adaptive converged_way = TOSS(CR_R(1e-10), true);
static const cr_adaptive no_events = TOSS(CR_R(1e-8), false);
static const cr_real difference_over[N_KIND] = {CR_R(1e-4), CR_R(5e-4), CR_R(5e-4)};

static const double agreement = 0.05, close = 0.01;

static cr_launch toss_of(const cr_model* m, int body, double u0) {
  return (cr_launch){.m = m,
                     .loss = "qpos[1]",
                     .time = 1,
                     .qpos = {0, cri_toss_y0[body], CR_R(0.2), 1},
                     .qvel = {0, CR_R(-0.1), (cr_real)u0},
                     .qvel_direction = {0, 0, 1}};
}

static cr_launch toss_with(const toss* t, int kind, int body, double u0) {
  cr_launch l = toss_of(t->kind[kind][body], body, u0);
  l.adaptive = &way;
  return l;
}

// relative to the difference of the same motion, or to 0.1 if that is small
static double off_by(cr_real gradient, cr_real difference) {
  return fabs((double)(gradient - difference)) / (fabs((double)difference) + 0.1);
}

// ---- a row

static cr_status fixed(const toss* t, int body, double u0, double h, cr_real* row,
                       cr_error* error) {
  cr_model* m = NULL;
  cr_landing end = {0};
  CR_TRY(cr_model_copy(&m, t->euler[body], error));
  cr_status status = cr_model_set_option(m, "timestep", (cr_real)h, error);
  const cr_launch l = toss_of(m, body, u0);
  status = status == CR_OK ? cri_launch(&l, true, &end, error) : status;
  cr_model_destroy(m);
  CR_TRY(status);
  row[0] = end.loss;
  row[1] = end.gradient;
  return CR_OK;
}

// "Whatever is trusted agrees" means that whatever disagrees is not trusted. So the probe runs where
// gradient and difference are apart, and for some others to see its verdict there. A launch
// that finds no step short enough, or such a probe, does not end the study.
enum { NOT_ASKED = -1, GAVE_UP = CR_TRUST_UNSETTLED + 1, N_WORD };

static bool gives_up(cr_status status) {
  return status == CR_ERR_DIVERGED || status == CR_ERR_BUDGET;
}

static cr_status ask(const cr_launch* l, cr_real* word, cr_error* error) {
  cr_trust trust;
  cr_status status = cri_launch_trust(l, &trust, error);
  *word = (cr_real)(gives_up(status) ? (int)GAVE_UP : (int)trust.verdict);
  return gives_up(status) ? CR_OK : status;
}

static cr_status measure(cr_launch* l, int kind, cr_real* of, int* steps, cr_error* error) {
  cr_landing end;
  CR_TRY(cri_launch(l, true, &end, error));
  of[Y] = end.loss;
  of[GRADIENT] = end.gradient;
  *steps = end.steps;
  l->adaptive = &converged_way;
  CR_TRY(cri_launch_difference(l, difference_over[kind], &of[DIFFERENCE], error));
  l->adaptive = &way;
  return CR_OK;
}

static void leave_out(int kind, cr_real* row) {
  cr_real* of = row + KINDS + kind * N_OF_KIND;
  of[Y] = of[GRADIENT] = of[DIFFERENCE] = (cr_real)NAN;
  of[TRUST] = NOT_ASKED;
}

static cr_status with_events(const toss* t, int kind, int body, double u0, bool chosen,
                             cr_real* row, cr_error* error) {
  cr_launch l = toss_with(t, kind, body, u0);
  cr_real* of = row + KINDS + kind * N_OF_KIND;
  int steps = 0;
  cr_status status = measure(&l, kind, of, &steps, error);
  if (gives_up(status)) {
    of[TRUST] = GAVE_UP;
    return CR_OK;
  }
  CR_TRY(status);
  row[STEPS] = kind == HARD ? (cr_real)steps : row[STEPS];
  bool asked = (chosen && kind != SOFT) || off_by(of[GRADIENT], of[DIFFERENCE]) > agreement;
  return asked ? ask(&l, &of[TRUST], error) : CR_OK;
}

static cr_status work(void* context, int i, int worker, cr_real* row, cr_error* error) {
  (void)worker;
  const toss* t = context;
  int body = i / t->n;
  double u0 = -3 + 2.0 * (i % t->n) / (t->n - 1);
  bool chosen = i % t->n % t->some == 0;
  cr_launch l = toss_of(t->kind[HARD][body], body, u0);
  cr_landing end;
  row[BODY] = (cr_real)body;
  row[U0] = (cr_real)u0;
  l.adaptive = &no_events;
  CR_TRY(cri_launch(&l, true, &end, error));
  row[NO_EVENTS] = end.gradient;
  for (int kind = 0; kind < N_KIND; kind++) {
    leave_out(kind, row);
    if (kind != SOFT || chosen) {
      CR_TRY(with_events(t, kind, body, u0, chosen, row, error));
    }
  }
  CR_TRY(fixed(t, body, u0, 1e-2, row + EULER_Y, error));
  return fixed(t, body, u0, 1e-3, row + FINE_Y, error);
}

// ---- u0 = -2: MuJoCo 3.12.1, RK4 with 1e-5, differences over 1e-3

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
    char published[64];
    cr_landing end;
    double y = converged[body].y, g = converged[body].gradient, slack = converged[body].slack;
    const cr_launch l = toss_with(t, HARD, body, -2);
    CR_TRY(cri_launch(&l, true, &end, error));
    (void)snprintf(published, sizeof published, "%g by MuJoCo, RK4, 1e-5 s", y);
    cri_claim(book, (double)end.loss, y - 1e-5, y + 1e-5, published, "%s, u0 = -2: y",
              cri_toss_names[body]);
    (void)snprintf(published, sizeof published, "%g, differences of these", g);
    cri_claim(book, (double)end.gradient, g - slack, g + slack, published,
              "%s, u0 = -2: dy/du0 with events", cri_toss_names[body]);
  }
  return CR_OK;
}

// ---- gradients against differences

static const cr_real* kind_of(const cr_real* row, int kind) {
  return row + KINDS + kind * N_OF_KIND;
}

static double off(const cr_real* row, int kind) {
  const cr_real* of = kind_of(row, kind);
  return off_by(of[GRADIENT], of[DIFFERENCE]);
}

// share of a body's speeds whose derivative in that column is off by more than a tenth
static double share_off(cr_table* table, int body, int column) {
  int n = 0, count = 0;
  for (int i = 0; i < table->rows; i++) {
    const cr_real* row = cri_table_row(table, i);
    if ((int)row[BODY] == body) {
      n++;
      count += !(off_by(row[column], kind_of(row, HARD)[DIFFERENCE]) <= 0.1);
    }
  }
  return (double)count / n;
}

// verdicts of the probe, over all speeds of a kind, of one body or (-1) of all
typedef struct {
  int n, asked, words[N_WORD], apart, trusted_apart;
  double worst, worst_trusted;
} tally;

static tally count(cr_table* table, int kind, int body) {
  tally t = {0};
  for (int i = 0; i < table->rows; i++) {
    const cr_real* row = cri_table_row(table, i);
    if (body >= 0 && (int)row[BODY] != body) {
      continue;
    }
    int word = (int)kind_of(row, kind)[TRUST];
    if (word == NOT_ASKED && isnan(kind_of(row, kind)[GRADIENT])) {
      continue;
    }
    double by = off(row, kind);
    t.n++;
    t.words[word < 0 ? CR_TRUST_YES : word] += word >= 0;
    t.asked += word >= 0;
    t.apart += by > agreement;
    t.worst = fmax(t.worst, by);
    if (word == CR_TRUST_YES || word == NOT_ASKED) {
      t.trusted_apart += by > agreement;
      t.worst_trusted = fmax(t.worst_trusted, by);
    }
  }
  return t;
}

static void say_fixed(cr_notebook* book, cr_table* table) {
  cri_say(book,
          "Share of the speeds whose derivative is off by more than a tenth of |dy/du0| + 0.1, "
          "hard contact:\n\n  %-10s %12s %12s %12s %12s\n",
          "", "events", "no events", "Euler 10 ms", "Euler 1 ms");
  for (int body = 0; body < CR_N_TOSS; body++) {
    cri_say(book, "  %-10s %12.3f %12.3f %12.3f %12.3f\n", cri_toss_names[body],
            share_off(table, body, KINDS + GRADIENT), share_off(table, body, NO_EVENTS),
            share_off(table, body, EULER_GRADIENT), share_off(table, body, FINE_GRADIENT));
  }
}

static void say_tally(cr_notebook* book, cr_table* table) {
  cri_say(book,
          "\nWith events: what the probe says (asked where apart, and at some speeds), "
          "launches further than %g %% from differences, and "
          "the largest distance in %%:\n\n  %-18s %8s %6s %6s %6s %8s %6s %10s %8s %6s %9s %10s\n",
          100 * agreement, "", "launches", "trust", "refine", "events", "chaotic", "kink",
          "unsettled", "gave up", "apart", "largest", "if trusted");
  for (int body = 0; body < CR_N_TOSS; body++) {
    for (int kind = 0; kind < N_KIND; kind++) {
      tally t = count(table, kind, body);
      cri_say(book, "  %-10s %-7s %8d %6d %6d %6d %8d %6d %10d %8d %6d %9.3g %10.3g\n",
              cri_toss_names[body], kind_names[kind], t.n, t.words[CR_TRUST_YES],
              t.words[CR_TRUST_REFINE], t.words[CR_TRUST_EVENTS], t.words[CR_TRUST_CHAOTIC],
              t.words[CR_TRUST_KINK], t.words[CR_TRUST_UNSETTLED], t.words[GAVE_UP], t.apart,
              100 * t.worst, 100 * t.worst_trusted);
    }
  }
}

// each launch that is off, or of which a part gave up, with the sentence of its probe
static cr_status say_apart(cr_notebook* book, const toss* t, cr_table* table, cr_error* error) {
  for (int i = 0; i < table->rows; i++) {
    const cr_real* row = cri_table_row(table, i);
    for (int kind = 0; kind < N_KIND; kind++) {
      const cr_real* of = kind_of(row, kind);
      if (!(off(row, kind) > agreement) && (int)of[TRUST] != GAVE_UP) {
        continue;
      }
      cr_trust trust = {0};
      cr_error why = {0};
      const cr_launch l = toss_with(t, kind, (int)row[BODY], (double)row[U0]);
      cr_status status = cri_launch_trust(&l, &trust, &why);
      if (status != CR_OK && !gives_up(status)) {
        return cri_fail(error, status, "%s", why.text);
      }
      cri_say(book, "\n%s, %s, u0 = %.6f: gradient %.5f, differences %.5f\n  %s\n",
              cri_toss_names[(int)row[BODY]], kind_names[kind], (double)row[U0],
              (double)of[GRADIENT], (double)of[DIFFERENCE],
              status == CR_OK ? trust.text : why.text);
    }
  }
  return CR_OK;
}

static double share_further(cr_table* table, int kind, double by) {
  int n = 0, further = 0;
  for (int i = 0; i < table->rows; i++) {
    double distance = off(cri_table_row(table, i), kind);
    n += !isnan(distance);
    further += distance > by;
  }
  return (double)further / n;
}

static void claim_trust(cr_notebook* book, cr_table* table) {
  for (int kind = 0; kind < N_KIND; kind++) {
    tally t = count(table, kind, -1);
    cri_claim(book, t.trusted_apart, 0, 0, "",
              "%s: of %d launches, trusted and yet further than %g %% off", kind_names[kind], t.n,
              100 * agreement);
    cri_claim(book, t.words[GAVE_UP], 0, 0, "", "%s: launches or probes that gave up",
              kind_names[kind]);
    if (kind != SOFT) {
      cri_claim(book, (double)t.words[CR_TRUST_YES] / t.asked, 2.0 / 3, 1, "",
                "%s: share of those asked that are trusted", kind_names[kind]);
    }
  }
  cri_claim(book, share_further(table, HARD, close), 0, 0.05, "",
            "hard: share of launches further than %g %% from differences", 100 * close);
}

static cr_status conclude(cr_notebook* book, const toss* t, cr_table* table, cr_error* error) {
  cri_say(
      book,
      "Tosses of five bodies, %d launch speeds each; loss y after 1 s, derivative by the launch "
      "speed.\n"
      "tsit5 with events at 1e-8, with hard, soft and smooth collision (0.1), against central "
      "differences (over 2e-4, softened 1e-3)\n"
      "of the same motion, converged (1e-10); distances are relative to |dy/du0| + 0.1.\n\n",
      t->n);
  say_fixed(book, table);
  say_tally(book, table);
  CR_TRY(say_apart(book, t, table, error));
  CR_TRY(claim_middle(book, t, error));
  claim_trust(book, table);
  return CR_OK;
}

// ---- the picture: left y, right its derivative, a body a row; gradients that are not trusted as dots

static cr_status draw(const cr_notebook* book, cr_error* error) {
  enum { N_PLACE = 4, N_SLOPE = 5 };
  static const char* const places[N_PLACE][2] = {
      {"euler_1e3_y", "Euler, 1 ms"}, {"y", "hard"}, {"soft_y", "soft"}, {"smooth_y", "smooth"}};
  static const char* const slopes[N_SLOPE][2] = {{"euler_1e3_gradient", "Euler, 1 ms"},
                                                 {"gradient", "hard"},
                                                 {"soft_gradient", "soft"},
                                                 {"smooth_gradient", "smooth"},
                                                 {"difference", "hard, differences"}};
  cr_curve curves[CR_N_TOSS][2][N_SLOPE];
  cr_chart charts[2 * CR_N_TOSS];
  char titles[CR_N_TOSS][2][48];
  double nan = (double)NAN;
  for (int b = 0; b < CR_N_TOSS; b++) {
    for (int k = 0; k < N_SLOPE; k++) {
      cr_curve_style style = k == 0         ? CR_CURVE_POINTS
                             : k == N_PLACE ? CR_CURVE_DASHES
                                            : CR_CURVE_LINE;
      const char* const* place = places[k < N_PLACE ? k : 0];
      curves[b][0][k] = (cr_curve){"toss.csv", "u0", place[0], place[1], style, "body", b};
      curves[b][1][k] = (cr_curve){"toss.csv", "u0", slopes[k][0], slopes[k][1], style, "body", b};
    }
    (void)snprintf(titles[b][0], sizeof titles[b][0], "%s: y after 1 s, m", cri_toss_names[b]);
    (void)snprintf(titles[b][1], sizeof titles[b][1], "%s: dy/du0, s", cri_toss_names[b]);
    double low = b == CR_TOSS_BALL ? -0.01 : -4, high = b == CR_TOSS_BALL ? 0.01 : 4;
    charts[2 * b] =
        (cr_chart){"u0, m/s", titles[b][0], false, false, nan, nan, curves[b][0], N_PLACE};
    charts[2 * b + 1] =
        (cr_chart){"u0, m/s", titles[b][1], false, false, low, high, curves[b][1], N_SLOPE};
  }
  return cri_charts(book->folder, "toss", "Tosses: y and its derivative by the launch speed u0",
                    charts, 2 * CR_N_TOSS, 2, error);
}

// ---- the study

static cr_status open_scenes(toss* t, const cr_notebook* book, cr_error* error) {
  static const char* const collisions[N_KIND] = {"hard", "soft", "smooth"};
  for (int body = 0; body < CR_N_TOSS; body++) {
    CR_TRY(cri_scene_toss(book, body, &t->euler[body], error));
    for (int kind = 0; kind < N_KIND; kind++) {
      CR_TRY(cri_scene_variant(&t->kind[kind][body], t->euler[body], "tsit5", collisions[kind],
                               error));
    }
  }
  return CR_OK;
}

cr_status cri_study_toss(cr_notebook* book, cr_error* error) {
  toss t = {.n = book->request.brief ? 3 : 200, .some = book->request.brief ? 1 : 8};
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
    for (int kind = 0; kind < N_KIND; kind++) {
      cr_model_destroy(t.kind[kind][body]);
    }
    cr_model_destroy(t.euler[body]);
  }
  return status;
}
