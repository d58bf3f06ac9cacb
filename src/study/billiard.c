// SPDX-License-Identifier: Apache-2.0
// One ball is to hit another, which is to come to the origin (DiffMJX, experiment 03). The first ball gets
// an impulse (0.02, 0.005 u0) N s. After 3 s the loss is the squared distance of the other from the
// origin. On the table, and floating without gravity, table and cushions.
//   analyse   loss and derivative over u0 in [-5, 5]: plain and with contacts from distance (CFD) in
//             the backward pass, each of the steps (discretize first) and by the continuous adjoint
//             (optimize first); with events, whether to trust that, and central differences
//   train     Adam on u0 with CFD and plain, from the middle and from shots that miss
// The scene is its own mirror image and the target on the axis, so the loss is lowest at the published start
// u0 = 0. Adam also starts there towards a target aside, which it has to find.
#include <math.h>
#include <stdio.h>

#include "notebook/sweep.h"
#include "study/launch.h"
#include "study/scenes.h"
#include "study/studies.h"
#include "tools/plot.h"

enum { N_SCENE = 2 };  // without gravity, with
static const char* const scene_names[N_SCENE] = {"no gravity", "table"};
static const double mass = 0.17, along = 0.02, across = 0.005, reach = 5;

typedef struct {
  cr_model *plain[N_SCENE], *cfd[N_SCENE];
  int n;           // values of u0 of a scene
  int iterations;  // of Adam
  bool brief;      // does not train from misses on the table
} billiard;

static const char loss_text[] = "qpos[7]^2 + qpos[8]^2 + qpos[9]^2";
static const char aside_text[] = "qpos[7]^2 + (qpos[8] - 0.05)^2 + qpos[9]^2";

static cr_launch shot(const billiard* b, int scene, double u0, const cr_adaptive* adaptive) {
  return (cr_launch){.m = b->plain[scene],
                     .loss = loss_text,
                     .time = 3,
                     .adaptive = adaptive,
                     .qpos = {CR_R(-0.375), 0, CR_R(0.1), 1, 0, 0, 0, CR_R(-0.2), 0, CR_R(0.1), 1},
                     .qvel = {(cr_real)(along / mass), (cr_real)(across * u0 / mass)},
                     .qvel_direction = {0, (cr_real)(across / mass)}};
}

// the published tolerance, and one for converged values. Free flight without gravity has no error,
// and steps would grow until one of them jumps over the whole hit
static const cr_adaptive usual = {
    .size = sizeof usual, .rtol = CR_R(1e-6), .atol = CR_R(1e-6), .largest_step = CR_R(0.02)};
static const cr_adjoint usual_adjoint = {
    .size = sizeof usual_adjoint, .rtol = CR_R(1e-6), .atol = CR_R(1e-6)};
static const cr_adaptive tight = {.size = sizeof tight,
                                  .rtol = CR_R(1e-10),
                                  .atol = CR_R(1e-10),
                                  .largest_step = CR_R(0.01),
                                  .events = true};

// ---- analyse

enum {
  SCENE,
  U0,
  LOSS,
  PLAIN,
  CFD,
  PLAIN_ADJOINT,
  CFD_ADJOINT,
  EVENTS,
  DIFFERENCE,
  TRUST,
  MISSED,
  SAME_BITS,
  N_COLUMN
};
static const char header[] =
    "scene,u0,loss,plain_gradient,cfd_gradient,plain_adjoint,cfd_adjoint,event_gradient,difference,"
    "trust,missed,same_bits";

static bool same_bits(const cr_landing* a, const cr_landing* b, int nq) {
  bool same = memcmp(&a->loss, &b->loss, sizeof a->loss) == 0;
  return same && memcmp(a->qpos, b->qpos, (size_t)nq * sizeof a->qpos[0]) == 0;
}

// the second ball stays in place above the table if nothing hits it
static bool missed(const cr_landing* end) {
  return cr_abs(end->qpos[7] + CR_R(0.2)) < CR_R(1e-9) && cr_abs(end->qpos[8]) < CR_R(1e-9);
}

// plain and with CFD, of the steps and by the adjoint, at the published tolerance
static cr_status published_ways(const billiard* b, int scene, double u0, cr_real* row,
                                cr_error* error) {
  cr_landing plain, cfd, end;
  cr_launch l = shot(b, scene, u0, &usual);
  CR_TRY(cri_launch(&l, true, &plain, error));
  l.m_backward = b->cfd[scene];
  CR_TRY(cri_launch(&l, true, &cfd, error));
  l.adjoint = &usual_adjoint;
  CR_TRY(cri_launch(&l, true, &end, error));
  row[CFD_ADJOINT] = end.gradient;
  l.m_backward = NULL;
  CR_TRY(cri_launch(&l, true, &end, error));
  row[PLAIN_ADJOINT] = end.gradient;
  row[LOSS] = plain.loss;
  row[PLAIN] = plain.gradient;
  row[CFD] = cfd.gradient;
  row[MISSED] = missed(&plain);
  row[SAME_BITS] = same_bits(&plain, &cfd, cr_model_count(l.m, "nq"));
  return CR_OK;
}

// for hits: the derivative with events, whether to trust it, and the difference
static cr_status true_way(const billiard* b, int scene, double u0, cr_real* row, cr_error* error) {
  cr_landing end;
  cr_trust trust;
  const cr_launch l = shot(b, scene, u0, &tight);
  CR_TRY(cri_launch(&l, true, &end, error));
  CR_TRY(cri_launch_trust(&l, &trust, error));
  row[EVENTS] = end.gradient;
  row[TRUST] = (cr_real)trust.verdict;
  return cri_launch_difference(&l, CR_R(1e-4), &row[DIFFERENCE], error);
}

static cr_status analyse(void* context, int i, int worker, cr_real* row, cr_error* error) {
  (void)worker;
  const billiard* b = context;
  int scene = i / b->n;
  double u0 = -reach + 2 * reach * (i % b->n) / (b->n - 1);
  row[SCENE] = (cr_real)scene;
  row[U0] = (cr_real)u0;
  row[EVENTS] = row[DIFFERENCE] = row[TRUST] = (cr_real)NAN;
  CR_TRY(published_ways(b, scene, u0, row, error));
  return row[MISSED] == 0 ? true_way(b, scene, u0, row, error) : CR_OK;
}

// ---- train

typedef struct {
  const char* name;
  const char* loss;
  bool cfd, adjoint;
  double from;
} training;
static const training trainings[] = {
    {"CFD, from 0", loss_text, true, false, 0},
    {"CFD, from -3", loss_text, true, false, -3},
    {"CFD, from 3", loss_text, true, false, 3},
    {"CFD, adjoint, from 3", loss_text, true, true, 3},
    {"plain, from 3", loss_text, false, false, 3},
    {"CFD, from 0, target aside", aside_text, true, false, 0},
};
enum { N_TRAINING = (int)(sizeof trainings / sizeof trainings[0]), N_RUN = N_SCENE * N_TRAINING };

static bool is_run(const billiard* b, int run) {
  const training* t = &trainings[run % N_TRAINING];
  return !b->brief || run < N_TRAINING || !t->cfd || t->from == 0;
}

enum { T_RUN, T_ITERATION, T_U0, T_LOSS, T_GRADIENT };
static const char train_header[] = "run,iteration,u0,loss,gradient";

static cr_launch training_shot(const billiard* b, int scene, const training* t, double u0) {
  cr_launch l = shot(b, scene, u0, &usual);
  l.loss = t->loss;
  l.m_backward = t->cfd ? b->cfd[scene] : NULL;
  l.adjoint = t->adjoint ? &usual_adjoint : NULL;
  return l;
}

// step k = 1, 2, ... of Adam at a rate of 0.1
static void adam_step(int k, cr_real* x, cr_real* mean, cr_real* square, cr_real g) {
  const cr_real b1 = CR_R(0.9), b2 = CR_R(0.999);
  *mean = b1 * *mean + (1 - b1) * g;
  *square = b2 * *square + (1 - b2) * g * g;
  cr_real m = *mean / (1 - cr_pow(b1, (cr_real)k)), s = *square / (1 - cr_pow(b2, (cr_real)k));
  *x -= CR_R(0.1) * m / (cr_sqrt(s) + CR_R(1e-8));
}

// one run of Adam, a row an iteration
static cr_status train_run(const billiard* b, cr_notebook* book, int run, cr_table* table,
                           cr_error* error) {
  const training* t = &trainings[run % N_TRAINING];
  cr_real u0 = (cr_real)t->from, mean = 0, square = 0, moved = 1;
  for (int i = 0; i <= b->iterations && moved > CR_R(1e-6); i++) {
    const cr_launch l = training_shot(b, run / N_TRAINING, t, (double)u0);
    cr_landing end;
    CR_TRY(cri_notebook_stopped(book, error));
    CR_TRY(cri_launch(&l, true, &end, error));
    const cr_real row[] = {(cr_real)run, (cr_real)i, u0, end.loss, end.gradient};
    cr_copy(cri_table_row(table, table->rows), row, table->width);
    cr_real before = u0;
    adam_step(i + 1, &u0, &mean, &square, end.gradient);
    moved = cr_abs(u0 - before);
  }
  return CR_OK;
}

static cr_status train(const billiard* b, cr_notebook* book, cr_table* table, cr_error* error) {
  const double begun = cri_seconds();
  for (int run = 0; run < N_RUN; run++) {
    if (cri_progress_due(&book->progress)) {
      char line[96];
      (void)snprintf(line, sizeof line, "billiard: training %d of %d", run + 1, N_RUN);
      cri_progress_left(&book->progress, line, cri_seconds() - begun, (double)run / N_RUN,
                        " of the trainings");
    }
    if (is_run(b, run)) {
      CR_TRY(train_run(b, book, run, table, error));
    }
  }
  return cri_table_save(table, book->folder, error);
}

// ---- claims

static double least_loss(cr_table* table, int scene) {
  double least = (double)INFINITY;
  for (int i = 0; i < table->rows; i++) {
    const cr_real* row = cri_table_row(table, i);
    least = (int)row[SCENE] == scene ? fmin(least, (double)row[LOSS]) : least;
  }
  return least;
}

// counts over the values of u0 except the one in the middle
typedef struct {
  int n, misses, hits, same, zero, right, right_adjoint, trusted, apart, trusted_apart;
  double smallest, smallest_adjoint, worst_trusted;
} tally;

static const double agreement = 0.02;

static double off(const cr_real* row) {
  return fabs((double)(row[EVENTS] - row[DIFFERENCE])) / (fabs((double)row[DIFFERENCE]) + 1e-5);
}

static void count_hit(tally* t, const cr_real* row) {
  bool trusted = (int)row[TRUST] == CR_TRUST_YES;
  bool apart = !(off(row) <= agreement);
  t->hits++;
  t->trusted += trusted;
  t->apart += apart;
  t->trusted_apart += trusted && apart;
  t->worst_trusted = trusted ? fmax(t->worst_trusted, off(row)) : t->worst_trusted;
}

static tally count(cr_table* table, int scene) {
  tally t = {.smallest = (double)INFINITY, .smallest_adjoint = (double)INFINITY};
  for (int i = 0; i < table->rows; i++) {
    const cr_real* row = cri_table_row(table, i);
    if ((int)row[SCENE] != scene || row[U0] == 0) {
      continue;
    }
    t.n++;
    t.same += row[SAME_BITS] != 0;
    t.right += row[CFD] * row[U0] > 0;
    t.right_adjoint += row[CFD_ADJOINT] * row[U0] > 0;
    t.smallest = fmin(t.smallest, fabs((double)row[CFD]));
    t.smallest_adjoint = fmin(t.smallest_adjoint, fabs((double)row[CFD_ADJOINT]));
    if (row[MISSED] != 0) {
      t.misses++;
      t.zero += row[PLAIN] == 0 && row[PLAIN_ADJOINT] == 0;
    } else {
      count_hit(&t, row);
    }
  }
  return t;
}

static void claim_analysis(cr_notebook* book, cr_table* table, int scene) {
  const tally t = count(table, scene);
  const char* name = scene_names[scene];
  double open = (double)INFINITY;
  cri_claim(book, (double)t.right / t.n, 1, 1, "right sign",
            "%s, CFD: share of u0 whose derivative has the right sign", name);
  cri_claim(book, t.smallest, 1e-12, open, "not zero", "%s, CFD: smallest derivative", name);
  cri_claim(book, (double)t.right_adjoint / t.n, 1, 1, "right sign",
            "%s, CFD, adjoint: share with the right sign", name);
  cri_claim(book, t.smallest_adjoint, 1e-12, open, "not zero",
            "%s, CFD, adjoint: smallest derivative", name);
  cri_claim(book, t.misses - t.zero, 0, 0, "zero",
            "%s, plain: of %d misses, derivative not exactly 0", name, t.misses);
  cri_claim(book, t.n - t.same, 0, 0, "", "%s: ends with other bits, CFD on and off", name);
  cri_claim(book, t.trusted_apart, 0, 0, "",
            "%s, events: of %d trusted hits, further than %g %% off", name, t.trusted,
            100 * agreement);
}

// each hit whose derivative with events is off, with the sentence of its probe
static cr_status say_apart(cr_notebook* book, const billiard* b, cr_table* table, cr_error* error) {
  for (int i = 0; i < table->rows; i++) {
    const cr_real* row = cri_table_row(table, i);
    if (row[MISSED] != 0 || row[U0] == 0 || off(row) <= agreement) {
      continue;
    }
    cr_trust trust;
    const cr_launch l = shot(b, (int)row[SCENE], (double)row[U0], &tight);
    CR_TRY(cri_launch_trust(&l, &trust, error));
    cri_say(book, "\n%s, u0 = %.6f, events: derivative %.6f, differences %.6f\n  %s\n",
            scene_names[(int)row[SCENE]], (double)row[U0], (double)row[EVENTS],
            (double)row[DIFFERENCE], trust.text);
  }
  return CR_OK;
}

// the last row of a run
static const cr_real* end_of(cr_table* table, int run) {
  const cr_real* last = NULL;
  for (int i = 0; i < table->rows; i++) {
    const cr_real* row = cri_table_row(table, i);
    last = (int)row[T_RUN] == run ? row : last;
  }
  return last;
}

// the lowest loss towards the target aside, over hits
static cr_status least_aside(const billiard* b, int scene, double* least, cr_error* error) {
  *least = (double)INFINITY;
  for (int i = 0; i <= 40; i++) {
    cr_landing end;
    cr_launch l = shot(b, scene, -2 + 0.1 * i, &usual);
    l.loss = aside_text;
    CR_TRY(cri_launch(&l, false, &end, error));
    *least = fmin(*least, (double)end.loss);
  }
  return CR_OK;
}

static cr_status claim_training(cr_notebook* book, const billiard* b, cr_table* table,
                                cr_table* trained, cr_error* error) {
  for (int run = 0; run < N_RUN; run++) {
    if (!is_run(b, run)) {
      continue;
    }
    int scene = run / N_TRAINING;
    const training* t = &trainings[run % N_TRAINING];
    const cr_real* end = end_of(trained, run);
    double least = least_loss(table, scene);
    if (t->loss == aside_text) {
      CR_TRY(least_aside(b, scene, &least, error));
    }
    if (t->cfd) {
      cri_claim(book, (double)end[T_LOSS] / least, 0, 1.02,
                t->from == 0 ? "reaches the target" : "",
                "%s, Adam, %s: loss at the end over the lowest, %.6g", scene_names[scene], t->name,
                least);
    } else {
      cri_claim(book, (double)end[T_U0], t->from, t->from, "", "%s, Adam, %s: u0 at the end",
                scene_names[scene], t->name);
    }
  }
  return CR_OK;
}

static void say_trainings(cr_notebook* book, const billiard* b, cr_table* trained) {
  cri_say(book, "\n  %-40s %12s %12s %12s\n", "Adam", "iterations", "u0", "loss");
  for (int run = 0; run < N_RUN; run++) {
    if (!is_run(b, run)) {
      continue;
    }
    const cr_real* end = end_of(trained, run);
    char name[64];
    (void)snprintf(name, sizeof name, "%s, %s", scene_names[run / N_TRAINING],
                   trainings[run % N_TRAINING].name);
    cri_say(book, "  %-40s %12.0f %12.6f %12.6f\n", name, (double)end[T_ITERATION],
            (double)end[T_U0], (double)end[T_LOSS]);
  }
}

static cr_status conclude(cr_notebook* book, const billiard* b, cr_table* table, cr_table* trained,
                          cr_error* error) {
  cri_say(
      book,
      "Billiard: %d values of u0 in [-5, 5] a scene; tsit5, 1e-6, CFD (0, 0.01, 0.1, 1, 2); "
      "differences and events at 1e-10.\n"
      "The scene is its own mirror image, so u0 = 0 is where the loss is lowest, and Adam starts "
      "on it; shots from u0 = 3 miss.\n"
      "Lowest loss seen: %.6g without gravity, %.6g on the table.\n",
      b->n, least_loss(table, 0), least_loss(table, 1));
  for (int scene = 0; scene < N_SCENE; scene++) {
    const tally t = count(table, scene);
    cri_say(book,
            "%s: %d hits, %d misses; with events %d hits are trusted, %d are further than %g %% "
            "from differences, of the trusted %.2g %% at most.\n",
            scene_names[scene], t.hits, t.misses, t.trusted, t.apart, 100 * agreement,
            100 * t.worst_trusted);
  }
  say_trainings(book, b, trained);
  CR_TRY(say_apart(book, b, table, error));
  for (int scene = 0; scene < N_SCENE; scene++) {
    claim_analysis(book, table, scene);
  }
  return claim_training(book, b, table, trained, error);
}

// a line of charts for each scene: loss, size of the derivative, training
static cr_status draw(const cr_notebook* book, cr_error* error) {
  enum { N_WAY = 6 };
  static const struct {
    const char *column, *title;
    cr_curve_style style;
  } ways[N_WAY] = {{"plain_gradient", "plain", CR_CURVE_LINE},
                   {"cfd_gradient", "CFD", CR_CURVE_LINE},
                   {"plain_adjoint", "plain, adjoint", CR_CURVE_DASHES},
                   {"cfd_adjoint", "CFD, adjoint", CR_CURVE_DASHES},
                   {"event_gradient", "events, 1e-10", CR_CURVE_LINE},
                   {"difference", "differences", CR_CURVE_DASHES}};
  cr_curve loss[N_SCENE], gradient[N_SCENE][N_WAY], path[N_SCENE][N_TRAINING];
  cr_chart charts[3 * N_SCENE];
  char titles[N_SCENE][3][64];
  double nan = (double)NAN;
  for (int s = 0; s < N_SCENE; s++) {
    loss[s] = (cr_curve){"billiard.csv", "u0", "loss", "loss", CR_CURVE_LINE, "scene", s};
    for (int k = 0; k < N_WAY; k++) {
      gradient[s][k] = (cr_curve){
          "billiard.csv", "u0", ways[k].column, ways[k].title, ways[k].style, "scene", s};
    }
    for (int k = 0; k < N_TRAINING; k++) {
      path[s][k] = (cr_curve){"billiard_train.csv", "iteration",   "u0",
                              trainings[k].name,    CR_CURVE_LINE, "run",
                              s * N_TRAINING + k};
    }
    const char* what[] = {"loss, m^2", "size of the derivative, m^2", "u0"};
    for (int k = 0; k < 3; k++) {
      (void)snprintf(titles[s][k], sizeof titles[s][k], "%s: %s", scene_names[s], what[k]);
    }
    charts[3 * s] = (cr_chart){"u0", titles[s][0], false, false, 0, nan, &loss[s], 1};
    charts[3 * s + 1] = (cr_chart){"u0", titles[s][1], false, true, 1e-4, 1e3, gradient[s], N_WAY};
    charts[3 * s + 2] =
        (cr_chart){"iteration of Adam", titles[s][2], false, false, nan, nan, path[s], N_TRAINING};
  }
  return cri_charts(book->folder, "billiard", "Billiard: loss, its derivative by u0, and training",
                    charts, 3 * N_SCENE, 3, error);
}

// ---- the study

static cr_status open_scenes(billiard* b, const cr_notebook* book, cr_error* error) {
  static const struct {
    const char* name;
    cr_real value;
  } reach_of[] = {{"cfd_dc", 0}, {"cfd_d0", CR_R(0.01)}, {"cfd_wc", CR_R(0.1)},
                  {"cfd_mc", 1}, {"cfd_pc", 2},          {"cfd_scale", CR_R(0.01)}};
  for (int s = 0; s < N_SCENE; s++) {
    CR_TRY(cri_scene_billiard(book, s == 1, &b->plain[s], error));
    CR_TRY(cr_model_set_choice(b->plain[s], "integrator", "tsit5", error));
    CR_TRY(cr_model_copy(&b->cfd[s], b->plain[s], error));
    for (size_t i = 0; i < sizeof reach_of / sizeof reach_of[0]; i++) {
      CR_TRY(cr_model_set_option(b->cfd[s], reach_of[i].name, reach_of[i].value, error));
    }
    CR_TRY(cr_model_set_choice(b->cfd[s], "cfd", "on", error));
  }
  return CR_OK;
}

cr_status cri_study_billiard(cr_notebook* book, cr_error* error) {
  billiard b = {.n = book->request.brief ? 12 : 200,
                .iterations = book->request.brief ? 100 : 150,
                .brief = book->request.brief};
  cr_table table = {0}, trained = {0};
  cr_status status = open_scenes(&b, book, error);
  status = status != CR_OK
               ? status
               : cri_table_create(&table, "billiard.csv", header, NULL, N_SCENE * b.n, error);
  status = status != CR_OK ? status
                           : cri_table_create(&trained, "billiard_train.csv", train_header, NULL,
                                              N_RUN * (b.iterations + 1), error);
  status = status != CR_OK ? status : cri_sweep(book, &table, 16, analyse, &b, error);
  status = status != CR_OK ? status : train(&b, book, &trained, error);
  if (status == CR_OK) {
    status = conclude(book, &b, &table, &trained, error);
    status = status == CR_OK ? draw(book, error) : status;
  }
  cri_table_free(&table);
  cri_table_free(&trained);
  for (int s = 0; s < N_SCENE; s++) {
    cr_model_destroy(b.plain[s]);
    cr_model_destroy(b.cfd[s]);
  }
  return status;
}
