// SPDX-License-Identifier: Apache-2.0
// One ball is to hit another, which is to come to the origin (DiffMJX, experiment 03): the first gets
// an impulse (0.02, 0.005 u0) N s, after 3 s the loss is the other's squared distance from the
// origin. On the table, and floating without gravity, table and cushions.
//   analyse   loss and derivative over u0 in [-5, 5]: plain, with contacts from distance (CFD) in
//             the backward pass, with events, and central differences
//   train     Adam on u0 with CFD and plain, from the middle and from shots that miss
#include <math.h>
#include <stdio.h>

#include "io/plot.h"
#include "learn/adam.h"
#include "study/launch.h"
#include "study/scenes.h"
#include "study/studies.h"
#include "study/sweep.h"

enum { N_SCENE = 2 };  // without gravity, with
static const char* const scene_names[N_SCENE] = {"no gravity", "table"};
static const double mass = 0.17, along = 0.02, across = 0.005, reach = 5;

typedef struct {
  cr_model plain[N_SCENE], cfd[N_SCENE];
  int n;           // values of u0 of a scene
  int iterations;  // of Adam
} billiard;

static const char loss_text[] = "qpos[7]^2 + qpos[8]^2 + qpos[9]^2";

static cr_launch shot(const billiard* b, int scene, double u0, const cr_adaptive* adaptive) {
  return (cr_launch){.m = &b->plain[scene],
                     .loss = loss_text,
                     .time = 3,
                     .adaptive = adaptive,
                     .qpos = {CR_R(-0.375), 0, CR_R(0.1), 1, 0, 0, 0, CR_R(-0.2), 0, CR_R(0.1), 1},
                     .qvel = {(cr_real)(along / mass), (cr_real)(across * u0 / mass)},
                     .qvel_direction = {0, (cr_real)(across / mass)}};
}

// the published tolerance, and one for what should be true. Free flight without gravity has no error,
// and steps would grow until one of them jumps over the whole hit
static const cr_adaptive usual = {
    .rtol = CR_R(1e-6), .atol = CR_R(1e-6), .largest_step = CR_R(0.02)};
static const cr_adaptive tight = {
    .rtol = CR_R(1e-10), .atol = CR_R(1e-10), .largest_step = CR_R(0.02), .events = true};

// ---- analyse

enum { SCENE, U0, LOSS, PLAIN, CFD, EVENTS, DIFFERENCE, MISSED, SAME_BITS, N_COLUMN };
static const char header[] =
    "scene,u0,loss,plain_gradient,cfd_gradient,event_gradient,difference,missed,same_bits";

static bool same_bits(const cr_landing* a, const cr_landing* b, int nq) {
  bool same = memcmp(&a->loss, &b->loss, sizeof a->loss) == 0;
  return same && memcmp(a->qpos, b->qpos, (size_t)nq * sizeof a->qpos[0]) == 0;
}

// the second ball stays in its column above the table where nothing hits it
static bool missed(const cr_landing* end) {
  return cr_abs(end->qpos[7] + CR_R(0.2)) < CR_R(1e-9) && cr_abs(end->qpos[8]) < CR_R(1e-9);
}

static cr_status analyse(void* context, int i, int worker, cr_real* row, cr_error* error) {
  (void)worker;
  const billiard* b = context;
  int scene = i / b->n;
  double u0 = -reach + 2 * reach * (i % b->n) / (b->n - 1);
  cr_landing plain, cfd, events;
  cr_launch l = shot(b, scene, u0, &usual);
  CR_TRY(cri_launch(&l, true, &plain, error));
  l.m_backward = &b->cfd[scene];
  CR_TRY(cri_launch(&l, true, &cfd, error));
  l = shot(b, scene, u0, &tight);
  CR_TRY(cri_launch(&l, true, &events, error));
  CR_TRY(cri_launch_difference(&l, CR_R(1e-4), &row[DIFFERENCE], error));
  row[SCENE] = (cr_real)scene;
  row[U0] = (cr_real)u0;
  row[LOSS] = plain.loss;
  row[PLAIN] = plain.gradient;
  row[CFD] = cfd.gradient;
  row[EVENTS] = events.gradient;
  row[MISSED] = missed(&plain);
  row[SAME_BITS] = same_bits(&plain, &cfd, l.m->nq);
  return CR_OK;
}

// ---- train

typedef struct {
  int scene;
  bool cfd;
  double from;
} training;
static const training trainings[] = {
    {0, true, 0}, {0, true, -3}, {0, true, 3}, {0, false, 3},
    {1, true, 0}, {1, true, -3}, {1, true, 3}, {1, false, 3},
};
enum { N_TRAINING = (int)(sizeof trainings / sizeof trainings[0]) };

enum { T_RUN, T_SCENE, T_CFD, T_FROM, T_ITERATION, T_U0, T_LOSS, T_GRADIENT };
static const char train_header[] = "run,scene,cfd,from,iteration,u0,loss,gradient";

// one run of Adam: its row k is iteration k; a run that has ended repeats its last
static cr_status train_run(const billiard* b, cr_notebook* book, int k, cr_table* table,
                           cr_error* error) {
  const training* t = &trainings[k];
  const cr_adam adam = {.b1 = CR_R(0.9), .b2 = CR_R(0.999), .eps = CR_R(1e-8)};
  cr_real u0 = (cr_real)t->from, mean = 0, square = 0, moved = 1;
  for (int i = 0; i <= b->iterations && moved > CR_R(1e-6); i++) {
    cr_launch l = shot(b, t->scene, u0, &usual);
    cr_landing end;
    l.m_backward = t->cfd ? &b->cfd[t->scene] : NULL;
    CR_TRY(cri_notebook_stopped(book, error));
    CR_TRY(cri_launch(&l, true, &end, error));
    const cr_real row[] = {(cr_real)k, (cr_real)t->scene, t->cfd,      (cr_real)t->from, (cr_real)i,
                           u0,         end.loss,          end.gradient};
    cr_copy(cri_table_row(table, table->rows), row, table->width);
    cr_real before = u0;
    cr_adam_step(&adam, CR_R(0.1), i + 1, 1, &u0, &mean, &square, &end.gradient);
    moved = cr_abs(u0 - before);
  }
  return CR_OK;
}

static cr_status train(const billiard* b, cr_notebook* book, cr_table* table, cr_error* error) {
  for (int k = 0; k < N_TRAINING; k++) {
    if (cri_progress_due(&book->progress)) {
      char line[96];
      (void)snprintf(line, sizeof line, "billiard: training %d of %d", k + 1, N_TRAINING);
      cri_progress_line(&book->progress, line);
    }
    CR_TRY(train_run(b, book, k, table, error));
  }
  return cri_table_save(table, book->folder, error);
}

// ---- what it shows

static double least_loss(cr_table* table, int scene) {
  double least = (double)INFINITY;
  for (int i = 0; i < table->rows; i++) {
    const cr_real* row = cri_table_row(table, i);
    least = (int)row[SCENE] == scene ? fmin(least, (double)row[LOSS]) : least;
  }
  return least;
}

static void claim_analysis(cr_notebook* book, cr_table* table, int scene) {
  int n = 0, misses = 0, zero = 0, right = 0, same = 0, clear = 0, agree = 0;
  double smallest = (double)INFINITY;
  for (int i = 0; i < table->rows; i++) {
    const cr_real* row = cri_table_row(table, i);
    if ((int)row[SCENE] != scene || row[U0] == 0) {
      continue;
    }
    n++;
    same += row[SAME_BITS] != 0;
    right += row[CFD] * row[U0] > 0;
    smallest = fmin(smallest, fabs((double)row[CFD]));
    misses += row[MISSED] != 0;
    zero += row[MISSED] != 0 && row[PLAIN] == 0;
    if (row[MISSED] == 0) {
      clear++;
      agree += fabs((double)(row[EVENTS] - row[DIFFERENCE])) <=
               0.1 * fabs((double)row[DIFFERENCE]) + 1e-6;
    }
  }
  const char* name = scene_names[scene];
  cri_claim(book, (double)right / n, 1, 1, "right sign",
            "%s, CFD: share of u0 whose derivative has the right sign", name);
  cri_claim(book, smallest, 1e-12, (double)INFINITY, "not zero", "%s, CFD: smallest derivative",
            name);
  cri_claim(book, misses > 0 ? (double)zero / misses : 1, 1, 1, "zero",
            "%s, plain: share of %d misses whose derivative is exactly 0", name, misses);
  cri_claim(book, (double)same / n, 1, 1, "",
            "%s: share of ends with the same bits, CFD on and off", name);
  cri_claim(book, (double)agree / clear, 0.9, (double)INFINITY, "",
            "%s, events: share of %d hits within 10 %% of differences", name, clear);
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

static void claim_training(cr_notebook* book, cr_table* table, cr_table* trained) {
  for (int k = 0; k < N_TRAINING; k++) {
    const training* t = &trainings[k];
    const cr_real* end = end_of(trained, k);
    double least = least_loss(table, t->scene);
    if (t->cfd) {
      cri_claim(book, (double)end[T_LOSS], 0, 1.1 * least, t->from == 0 ? "reaches the target" : "",
                "%s, Adam with CFD from u0 = %g: loss at the end", scene_names[t->scene], t->from);
    } else {
      cri_claim(book, (double)end[T_U0], t->from, t->from, "",
                "%s, Adam without CFD from u0 = %g: u0 at the end", scene_names[t->scene], t->from);
    }
  }
}

static void conclude(cr_notebook* book, const billiard* b, cr_table* table, cr_table* trained) {
  cri_say(
      book,
      "Billiard: %d values of u0 in [-5, 5] a scene; tsit5, 1e-6, CFD (0, 0.01, 0.1, 1, 2); "
      "differences and events at 1e-10.\n"
      "The scene is its own mirror image, so u0 = 0 is where the loss is lowest, and Adam starts "
      "on it; shots from u0 = 3 miss.\n"
      "Lowest loss seen: %.6g without gravity, %.6g on the table.\n",
      b->n, least_loss(table, 0), least_loss(table, 1));
  for (int scene = 0; scene < N_SCENE; scene++) {
    claim_analysis(book, table, scene);
  }
  claim_training(book, table, trained);
}

static cr_status draw(const cr_notebook* book, cr_error* error) {
  const char *csv = "billiard.csv", *train_csv = "billiard_train.csv";
  cr_curve loss[N_SCENE], gradient[N_SCENE][4], path[N_SCENE][4];
  cr_chart charts[3 * N_SCENE];
  char titles[4][32];
  static const char* const kinds[][2] = {{"plain_gradient", "plain"},
                                         {"cfd_gradient", "CFD"},
                                         {"event_gradient", "events, 1e-10"},
                                         {"difference", "differences"}};
  for (int s = 0; s < N_SCENE; s++) {
    loss[s] = (cr_curve){csv, "u0", "loss", scene_names[s], CR_CURVE_LINE, "scene", s};
    for (int k = 0; k < 4; k++) {
      gradient[s][k] = (cr_curve){csv, "u0", kinds[k][0], kinds[k][1], CR_CURVE_LINE, "scene", s};
      (void)snprintf(titles[k], sizeof titles[k], "%s, from %g", trainings[k].cfd ? "CFD" : "plain",
                     trainings[k].from);
      path[s][k] =
          (cr_curve){train_csv, "iteration", "u0", titles[k], CR_CURVE_BOTH, "run", 4 * s + k};
    }
    double nan = (double)NAN, limit = s == 0 ? 0.1 : 0.5;
    charts[3 * s] = (cr_chart){"u0", "loss", false, false, 0, nan, &loss[s], 1};
    charts[3 * s + 1] =
        (cr_chart){"u0", "derivative by u0", false, false, -limit, limit, gradient[s], 4};
    charts[3 * s + 2] = (cr_chart){"iteration of Adam", "u0", false, false, nan, nan, path[s], 4};
  }
  return cri_charts(book->folder, "billiard", "Billiard: above without gravity, below on the table",
                    charts, 3 * N_SCENE, 3, error);
}

// ---- the study

static cr_status open_scenes(billiard* b, const cr_notebook* book, cr_error* error) {
  for (int s = 0; s < N_SCENE; s++) {
    cr_model* m = &b->plain[s];
    CR_TRY(cri_scene_billiard(book, s == 1, m, error));
    m->integrator = CR_INT_TSIT5;
    b->cfd[s] = *m;
    b->cfd[s].memory = NULL;
    b->cfd[s].cfd = 1;
    b->cfd[s].cfd_dc = 0;
    b->cfd[s].cfd_d0 = CR_R(0.01);
    b->cfd[s].cfd_wc = CR_R(0.1);
    b->cfd[s].cfd_mc = 1;
    b->cfd[s].cfd_pc = 2;
    b->cfd[s].cfd_scale = CR_R(0.01);
  }
  return CR_OK;
}

cr_status cri_study_billiard(cr_notebook* book, cr_error* error) {
  billiard b = {.n = book->request.brief ? 20 : 200, .iterations = 60};
  cr_table table = {0}, trained = {0};
  cr_status status = open_scenes(&b, book, error);
  status = status != CR_OK
               ? status
               : cri_table_create(&table, "billiard.csv", header, NULL, N_SCENE * b.n, error);
  status = status != CR_OK ? status
                           : cri_table_create(&trained, "billiard_train.csv", train_header, NULL,
                                              N_TRAINING * (b.iterations + 1), error);
  status = status != CR_OK ? status : cri_sweep(book, &table, 16, analyse, &b, error);
  status = status != CR_OK ? status : train(&b, book, &trained, error);
  if (status == CR_OK) {
    conclude(book, &b, &table, &trained);
    status = draw(book, error);
  }
  cri_table_free(&table);
  cri_table_free(&trained);
  for (int s = 0; s < N_SCENE; s++) {
    cri_model_free(&b.plain[s]);
  }
  return status;
}
