// SPDX-License-Identifier: Apache-2.0
// A racket learns to send a ball to a goal (alpha_gradient, tennis). Where the racket misses, the cost jumps, and its gradient says nothing of the ball. Which estimator trains the
// better policy?
#include <math.h>
#include <string.h>

#include "estimates/courses.h"
#include "estimates/estimate_studies.h"
#include "estimates/tennis_play.h"
#include "estimates/trained.h"
#include "tools/plot.h"

enum { WEIGHTS = 24, MOTIONS = 12, POINTS = 101, MOST_SEEDS = 5 };

static const char* const titles[] = {"tennis"};

typedef struct {
  const char* folder;
  cr_model* m;
  int samples, starts, judged;  // judged: starts for the cost at the end
  bool (*stop)(void);
} tennis;

// ---- training

static cr_status train(const tennis* t, cr_policy_training* training, cr_course_result* result,
                       cr_error* error) {
  for (int k = 0; k < result->steps; k++) {
    cr_policy_training_result found = {.size = sizeof found};
    CR_TRY(cr_policy_training_step(training, &found, error));
    result->losses[k] = found.mean;
    result->alphas[k] = found.alpha;
  }
  CR_TRY(cri_tennis_judge(t->m, cr_policy_weights(cr_policy_training_policy(training)), t->judged,
                          t->stop, &result->end, error));
  result->losses[result->steps] = result->end;
  return CR_OK;
}

static cr_status descend(void* context, int system, cr_estimator_kind kind, int seed,
                         cr_course_result* result, cr_error* error) {
  (void)system;
  const tennis* t = context;
  const cr_tennis_setting setting = {.kind = kind,
                                     .iterations = result->steps,
                                     .samples = t->samples,
                                     .starts = t->starts,
                                     .seed = (uint64_t)seed + 1,
                                     .stop = t->stop};
  cr_tennis made;
  cr_status status = cri_tennis_make(&made, t->m, &setting, error);
  status = status == CR_OK ? train(t, made.training, result, error) : status;
  if (status == CR_OK) {
    status = cri_trained_save(t->folder, "tennis", kind, seed,
                              cr_policy_weights(cr_policy_training_policy(made.training)), WEIGHTS,
                              error);
  }
  cri_tennis_close(&made);
  return status;
}

// ---- claims

static void say_seeds(cr_notebook* book, cr_table* t, int seeds) {
  cri_say(book, "  seed    first    zeroth   alpha\n");
  for (int seed = 0; seed < seeds; seed++) {
    cri_say(book, "  %-6d  ", seed + 1);
    for (int kind = 0; kind < CR_COURSE_KINDS; kind++) {
      cri_say(book, "%-8.4g ", cri_courses_end_of(t, 0, kind, seed));
    }
    cri_say(book, "\n");
  }
}

static void conclude(cr_notebook* book, cr_table* t, int seeds, int judged, double untrained) {
  double last[CR_COURSE_KINDS];
  cri_say(
      book,
      "A linear policy moves a racket so that a ball comes to a goal. Cost over %d starts without "
      "noise; %.4g before training.\n\n",
      judged, untrained);
  say_seeds(book, t, seeds);
  cri_say(book, "  median  ");
  for (int kind = 0; kind < CR_COURSE_KINDS; kind++) {
    last[kind] = cri_courses_end(t, 0, kind);
    cri_say(book, "%-8.4g ", last[kind]);
  }
  cri_say(book, "\n  weight of the first order of alpha, mean: %.3g\n",
          cri_courses_alpha(t, 0, CR_ESTIMATOR_ALPHA));
  if (book->request.brief) {  // too early to compare
    cri_claim(book, last[CR_ESTIMATOR_ALPHA] / untrained, 0, 0.9, "",
              "cost of the alpha order, last over first");
    return;
  }
  double better = fmin(last[CR_ESTIMATOR_FIRST], last[CR_ESTIMATOR_ZEROTH]);
  cri_claim(book, last[CR_ESTIMATOR_ALPHA] / better, 0, 1.05, "as good as the better",
            "cost at the end, alpha over the better of the others");
  for (int kind = 0; kind < CR_COURSE_KINDS; kind++) {
    cri_claim(book, last[kind] / untrained, 0, 0.3, "", "%s order: cost at the end over the first",
              cri_course_kinds[kind]);
  }
}

// ---- picture

static const char medians_csv[] = "tennis_medians.csv", motions_csv[] = "tennis_motions.csv";

// the ball's path from the first judged starts, of the policies of the first seed
static cr_status save_motions(const tennis* t, cr_error* error) {
  static cr_real qpos[(CR_TENNIS_STEPS + 1) * 5];
  cr_table table = {0};
  cr_status status = cri_table_create(&table, motions_csv, "motion,time,x,y,racket_x,racket_y,turn",
                                      NULL, CR_COURSE_KINDS * MOTIONS * POINTS, error);
  for (int i = 0; i < CR_COURSE_KINDS * MOTIONS && status == CR_OK; i++) {
    cr_real weights[WEIGHTS];
    status = cri_trained_load(t->folder, "tennis", i / MOTIONS, 0, weights, WEIGHTS, error);
    status = status == CR_OK ? cri_tennis_run(t->m, weights, i % MOTIONS, qpos, error) : status;
    for (int k = 0; k < POINTS && status == CR_OK; k++) {
      int step = k * CR_TENNIS_STEPS / (POINTS - 1);
      cr_real* row = cri_table_row(&table, i * POINTS + k);
      row[0] = (cr_real)i;
      row[1] = (cr_real)step * cr_model_timestep(t->m);
      memcpy(row + 2, qpos + (ptrdiff_t)step * 5, 5 * sizeof *row);
    }
  }
  status = status == CR_OK ? cri_table_save(&table, t->folder, error) : status;
  cri_table_free(&table);
  return status;
}

static cr_status draw(const cr_notebook* book, cr_error* error) {
  const double nan = (double)NAN;
  static const char* const labels[CR_COURSE_KINDS] = {"y, m, first order", "y, m, zeroth order",
                                                      "y, m, alpha order"};
  const cr_curve courses[] = {
      {medians_csv, "step", "first_tennis", "first", CR_CURVE_LINE, NULL, 0},
      {medians_csv, "step", "zeroth_tennis", "zeroth", CR_CURVE_LINE, NULL, 0},
      {medians_csv, "step", "alpha_tennis", "alpha", CR_CURVE_DASHES, NULL, 0}};
  cr_curve paths[CR_COURSE_KINDS][MOTIONS];
  cr_chart charts[1 + CR_COURSE_KINDS] = {
      {"iteration", "expected cost", false, true, nan, nan, courses, 3}};
  for (int kind = 0; kind < CR_COURSE_KINDS; kind++) {
    for (int i = 0; i < MOTIONS; i++) {
      paths[kind][i] =
          (cr_curve){motions_csv, "x", "y", "", CR_CURVE_LINE, "motion", kind * MOTIONS + i};
    }
    charts[1 + kind] = (cr_chart){"x, m", labels[kind], false, false, -1, 4, paths[kind], MOTIONS};
  }
  return cri_charts(book->folder, "tennis", "A racket sends a ball to (0, 2.5)", charts,
                    1 + CR_COURSE_KINDS, 2, error);
}

// ---- the study

static cr_status compute(cr_notebook* book, tennis* t, int seeds, cr_table* table,
                         cr_real* untrained, cr_error* error) {
  static const cr_real zero[WEIGHTS] = {0};
  const cr_courses courses = {.file = "tennis.csv",
                              .titles = titles,
                              .systems = 1,
                              .seeds = seeds,
                              .steps = book->request.brief ? 10 : 100,
                              .descend = descend,
                              .context = t};
  CR_TRY(cri_tennis_judge(t->m, zero, t->judged, t->stop, untrained, error));
  CR_TRY(cri_courses_run(book, &courses, table, error));
  CR_TRY(cri_courses_save_medians(&courses, table, book->folder, medians_csv, error));
  return save_motions(t, error);
}

cr_status cri_study_tennis(cr_notebook* book, cr_error* error) {
  bool brief = book->request.brief;
  int seeds = brief ? 1 : MOST_SEEDS;
  tennis t = {.folder = book->folder,
              .samples = brief ? 20 : 100,
              .starts = brief ? 10 : 50,
              .judged = brief ? 50 : 2000,
              .stop = book->request.stop};
  cr_table table = {0};
  cr_real untrained = 0;
  cr_status status = cri_tennis_open(book, &t.m, error);
  status = status == CR_OK ? compute(book, &t, seeds, &table, &untrained, error) : status;
  if (status == CR_OK) {
    conclude(book, &table, seeds, t.judged, (double)untrained);
    status = draw(book, error);
  }
  cri_table_free(&table);
  cr_model_destroy(t.m);
  return status;
}
