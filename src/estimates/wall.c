// SPDX-License-Identifier: Apache-2.0
// A ball is thrown over a wall or against it, by an angle with noise of 0.1 rad (alpha_gradient, ball_with_wall). The first order does not see that
// the loss jumps where the ball just clears the wall. How wrong is it, and where does descent end?
#include <math.h>

#include "estimates/courses.h"
#include "estimates/estimate_studies.h"
#include "estimates/thrower.h"
#include "notebook/sweep.h"
#include "tools/plot.h"

static const double sigma = 0.1;  // rad
static const double bias = 0.01;  // allowed, m^2/rad
static const double largest = 1;  // norm of a summand of the zeroth order
// of the descents: alpha_gradient takes the 0.95 of its bound as the probability of failure
static const double published_confidence = 0.05;

typedef struct {
  cr_model* m;
  int angles, samples;  // of the sweep
  int seeds;            // of the intervals
  bool (*stop)(void);
} wall;

static cr_estimator_options options_of(cr_estimator_kind kind, int samples, double confidence,
                                       uint64_t seed) {
  return (cr_estimator_options){.kind = kind,
                                .samples = samples,
                                .seed = seed,
                                .confidence = (cr_real)confidence,
                                .bias = (cr_real)bias,
                                .bound = (cr_real)largest};
}

// ---- estimates over the angle

static const char sweep_csv[] = "wall.csv";
static const char sweep_header[] =
    "angle,loss,mean,slope,expected_first,first,zeroth,alpha_order,first_error,zeroth_error,alpha,"
    "distance,certainty";
enum {
  S_ANGLE,
  S_LOSS,
  S_MEAN,
  S_SLOPE,
  S_EXPECTED,
  S_FIRST,
  S_ZEROTH,
  S_ALPHA_ORDER,
  S_FIRST_ERROR,
  S_ZEROTH_ERROR,
  S_ALPHA,
  S_DISTANCE,
  S_CERTAINTY
};
static const double lowest_angle = 0.02, highest_angle = 1.55;

static cr_status sweep_row(void* context, int i, int worker, cr_real* row, cr_error* error) {
  (void)worker;
  const wall* w = context;
  double angle = lowest_angle + (highest_angle - lowest_angle) * i / (w->angles - 1), mean, slope;
  cr_thrower_flight flight = {0};
  cr_motion motion;
  const cr_real x = row[S_ANGLE] = (cr_real)angle;
  const cr_estimator_options o = options_of(CR_ESTIMATOR_ALPHA, w->samples, 0.95, (uint64_t)i);
  cr_smoothed_gradient found = {
      .gradient = row + S_ALPHA_ORDER, .first = row + S_FIRST, .zeroth = row + S_ZEROTH};
  cr_status status = cri_thrower_motion(&motion, w->m, &flight, error);
  status = status == CR_OK ? cri_motion_estimate(&motion, &x, (cr_real)sigma, &o, &found, error)
                           : status;
  cri_motion_close(&motion);
  cri_thrower_mean(angle, sigma, &mean, &slope);
  row[S_LOSS] = found.loss;
  row[S_MEAN] = (cr_real)mean;
  row[S_SLOPE] = (cr_real)slope;
  row[S_EXPECTED] = (cr_real)(slope - cri_thrower_lack(angle, sigma));
  const cr_real normal = CR_R(1.959964);
  row[S_FIRST_ERROR] = normal * cr_sqrt(found.first_variance / (cr_real)w->samples);
  row[S_ZEROTH_ERROR] = normal * cr_sqrt(found.zeroth_variance / (cr_real)w->samples);
  row[S_ALPHA] = found.alpha;
  row[S_DISTANCE] = found.distance;
  row[S_CERTAINTY] = found.certainty;
  return status;
}

// ---- how often intervals of the zeroth order hold the truth

static const char intervals_csv[] = "wall_intervals.csv";
static const double tested[] = {0.4, 0.65, 0.9};  // rad
enum { N_TESTED = (int)(sizeof tested / sizeof tested[0]), INTERVAL_SAMPLES = 200 };
enum { I_ANGLE, I_HELD, I_FIRST_HELD };

static cr_status interval_row(void* context, int i, int worker, cr_real* row, cr_error* error) {
  (void)worker;
  const wall* w = context;
  const cr_real x = row[I_ANGLE] = (cr_real)tested[i];
  double mean, slope;
  cr_thrower_flight flight = {0};
  cr_motion motion;
  int held[2] = {0, 0};
  cri_thrower_mean(tested[i], sigma, &mean, &slope);
  cr_status status = cri_thrower_motion(&motion, w->m, &flight, error);
  for (int k = 0; k < 2 * w->seeds && status == CR_OK; k++) {
    cr_estimator_kind kind = k % 2 == 0 ? CR_ESTIMATOR_ZEROTH : CR_ESTIMATOR_FIRST;
    const cr_estimator_options o =
        options_of(kind, INTERVAL_SAMPLES, 0.95, (uint64_t)(1000 * i + k / 2));
    cr_real gradient, reach;
    cr_smoothed_gradient found = {.gradient = &gradient, .error = &reach};
    status = cri_motion_estimate(&motion, &x, (cr_real)sigma, &o, &found, error);
    held[k % 2] += fabs((double)gradient - slope) <= (double)reach;
  }
  cri_motion_close(&motion);
  row[I_HELD] = (cr_real)held[0] / (cr_real)w->seeds;
  row[I_FIRST_HELD] = (cr_real)held[1] / (cr_real)w->seeds;
  return status;
}

// ---- descent

static const char* const titles[] = {"wall"};
enum { DESCENT_SAMPLES = 50 };

static cr_status descend(void* context, int system, cr_estimator_kind kind, int seed,
                         cr_course_result* result, cr_error* error) {
  (void)system;
  const wall* w = context;
  cr_thrower_flight flight = {0};
  cr_motion motion;
  const cr_motion_descent d = {
      .options = options_of(kind, DESCENT_SAMPLES, published_confidence, (uint64_t)seed * 100000),
      .sigma = (cr_real)sigma,
      .rate = CR_R(0.1),
      .steps = result->steps,
      .stop = w->stop};
  result->end = CR_R(0.1);
  cr_status status = cri_thrower_motion(&motion, w->m, &flight, error);
  status = status == CR_OK ? cri_motion_descend(&motion, &d, &result->end, result->losses,
                                                result->alphas, error)
                           : status;
  cri_motion_close(&motion);
  return status;
}

// ---- claims

// mean of a column where the angle is within `reach` of the first jump, or, if `away`, further than that from both
static double mean_near(cr_table* t, int column, double reach, bool away) {
  double angles[CR_THROWER_JUMPS], sizes[CR_THROWER_JUMPS], sum = 0;
  int n = 0;
  cri_thrower_jumps(angles, sizes);
  for (int i = 0; i < t->rows; i++) {
    const cr_real* row = cri_table_row(t, i);
    double first = fabs((double)row[S_ANGLE] - angles[0]);
    double second = fabs((double)row[S_ANGLE] - angles[1]);
    if (away ? first > reach && second > reach : first < reach) {
      sum += (double)row[column];
      n++;
    }
  }
  return sum / n;
}

// the largest difference of two columns, in units of the half width of an interval in a third
static double worst(cr_table* t, int a, int b, int error) {
  double most = 0;
  for (int i = 0; i < t->rows; i++) {
    const cr_real* row = cri_table_row(t, i);
    most = fmax(most, fabs((double)(row[a] - row[b])) / (double)row[error]);
  }
  return most;
}

static void claim_estimates(cr_notebook* book, const wall* w, cr_table* sweep, cr_table* held) {
  double lack = 0;
  for (int i = 0; i < sweep->rows; i++) {
    const cr_real* row = cri_table_row(sweep, i);
    lack = fmax(lack, fabs((double)(row[S_SLOPE] - row[S_EXPECTED]) / (double)row[S_FIRST_ERROR]));
  }
  cri_claim(book, lack, 4, (double)INFINITY, "biased",
            "bias of the first order by theory, largest, in half intervals");
  cri_claim(book, worst(sweep, S_FIRST, S_EXPECTED, S_FIRST_ERROR), 0, 2, "",
            "first order less what theory gives, largest, in half intervals");
  cri_claim(book, worst(sweep, S_ZEROTH, S_SLOPE, S_ZEROTH_ERROR), 0, 2, "not biased",
            "zeroth order less the truth, largest, in half intervals");
  double slack = 3 * sqrt(0.95 * 0.05 / w->seeds);
  for (int i = 0; i < N_TESTED; i++) {
    cri_claim(book, (double)cri_table_row(held, i)[I_HELD], 0.95 - slack, 0.95 + slack, "",
              "share of 95 %% intervals of the zeroth order that hold, %g rad", tested[i]);
  }
  double off = 0;
  for (int i = 0; i < sweep->rows; i++) {
    const cr_real* row = cri_table_row(sweep, i);
    off = fmax(off, fabs((double)(row[S_ALPHA_ORDER] - row[S_SLOPE])));
  }
  cri_claim(book, off, 0, bias, "", "alpha order less the truth, largest; allowed 0.01");
  cri_claim(book, mean_near(sweep, S_ALPHA, 0.1, false), 0, 0.3, "follows the zeroth",
            "weight of the first order within 0.1 rad of the wall's edge");
  cri_claim(book, mean_near(sweep, S_ALPHA, 0.3, true), 0.7, 1, "follows the first",
            "weight of the first order 0.3 rad and more from edges");
}

static void claim_descent(cr_notebook* book, cr_table* t) {
  static const char* const published[CR_COURSE_KINDS] = {"0.4952", "0.8331", "0.8346"};
  cri_say(book, "\n             end, rad  published  loss at the end  mean alpha\n");
  for (int kind = 0; kind < CR_COURSE_KINDS; kind++) {
    cri_say(book, "  %-9s  %-8.4f  %-9s  %-15.5g  %.3g\n", cri_course_kinds[kind],
            cri_courses_end(t, 0, kind), published[kind], cri_courses_loss(t, 0, kind, -1),
            cri_courses_alpha(t, 0, kind));
  }
}

static void conclude(cr_notebook* book, const wall* w, cr_table* tables) {
  double angles[CR_THROWER_JUMPS], sizes[CR_THROWER_JUMPS];
  cri_thrower_jumps(angles, sizes);
  cri_say(
      book,
      "A ball is thrown at 1 m/s over a wall of 0.02 m, 0.06 m away, or stops there. Loss -x^2 of "
      "where it ends, noise of 0.1 rad.\nThe loss jumps by %.5f at %.4f rad and by %.5f at %.4f "
      "rad.\n",
      sizes[0], angles[0], sizes[1], angles[1]);
  claim_descent(book, &tables[2]);
  claim_estimates(book, w, &tables[0], &tables[1]);
  if (!book->request.brief) {
    cri_claim(book, cri_courses_end(&tables[2], 0, CR_ESTIMATOR_FIRST), 0.45, 0.6, "0.4952",
              "first order: end of the descent, rad (stuck before the edge)");
    cri_claim(book, cri_courses_end(&tables[2], 0, CR_ESTIMATOR_ZEROTH), 0.78, 0.9, "0.8331",
              "zeroth order: end of the descent, rad");
    cri_claim(book, cri_courses_end(&tables[2], 0, CR_ESTIMATOR_ALPHA), 0.78, 0.9, "0.8346",
              "alpha order: end of the descent, rad");
  }
}

// ---- picture

static const char medians_csv[] = "wall_medians.csv";

static cr_status draw(const cr_notebook* book, cr_error* error) {
  const double nan = (double)NAN;
  const cr_curve losses[] = {
      {sweep_csv, "angle", "loss", "without noise", CR_CURVE_BOTH, NULL, 0},
      {sweep_csv, "angle", "mean", "mean under noise", CR_CURVE_LINE, NULL, 0}};
  const cr_curve slopes[] = {
      {sweep_csv, "angle", "slope", "truth", CR_CURVE_LINE, NULL, 0},
      {sweep_csv, "angle", "expected_first", "truth less jumps", CR_CURVE_DASHES, NULL, 0},
      {sweep_csv, "angle", "first", "first", CR_CURVE_POINTS, NULL, 0},
      {sweep_csv, "angle", "zeroth", "zeroth", CR_CURVE_POINTS, NULL, 0},
      {sweep_csv, "angle", "alpha_order", "alpha", CR_CURVE_POINTS, NULL, 0}};
  const cr_curve weights[] = {{sweep_csv, "angle", "alpha", "alpha", CR_CURVE_BOTH, NULL, 0}};
  const cr_curve courses[] = {
      {medians_csv, "step", "first_wall", "first", CR_CURVE_LINE, NULL, 0},
      {medians_csv, "step", "zeroth_wall", "zeroth", CR_CURVE_LINE, NULL, 0},
      {medians_csv, "step", "alpha_wall", "alpha", CR_CURVE_DASHES, NULL, 0}};
  const cr_chart charts[] = {
      {"angle, rad", "loss, m^2", false, false, nan, nan, losses, 2},
      {"angle, rad", "derivative of the mean", false, false, nan, nan, slopes, 5},
      {"angle, rad", "weight of the first order", false, false, -0.05, 1.05, weights, 1},
      {"step of descent", "loss, m^2", false, false, nan, nan, courses, 3}};
  return cri_charts(book->folder, "wall", "A ball thrown over a wall", charts, 4, 2, error);
}

// ---- the study

enum { N_TABLE = 3 };

static cr_status compute(cr_notebook* book, wall* w, cr_table* tables, cr_error* error) {
  const cr_courses courses = {.file = "wall_descents.csv",
                              .titles = titles,
                              .systems = 1,
                              .seeds = book->request.brief ? 2 : 20,
                              .steps = book->request.brief ? 80 : 1000,
                              .descend = descend,
                              .context = w};
  CR_TRY(cri_table_create(&tables[0], sweep_csv, sweep_header, NULL, w->angles, error));
  CR_TRY(cri_sweep(book, &tables[0], 8, sweep_row, w, error));
  CR_TRY(cri_table_create(&tables[1], intervals_csv, "angle,zeroth_held,first_held", NULL, N_TESTED,
                          error));
  CR_TRY(cri_sweep(book, &tables[1], N_TESTED, interval_row, w, error));
  CR_TRY(cri_courses_run(book, &courses, &tables[2], error));
  return cri_courses_save_medians(&courses, &tables[2], book->folder, medians_csv, error);
}

cr_status cri_study_wall(cr_notebook* book, cr_error* error) {
  bool brief = book->request.brief;
  wall w = {.angles = brief ? 12 : 52,
            .samples = 1000,
            .seeds = brief ? 30 : 400,
            .stop = book->request.stop};
  cr_table tables[N_TABLE] = {{0}};
  cr_status status = cri_thrower_open(book, &w.m, error);
  status = status == CR_OK ? compute(book, &w, tables, error) : status;
  if (status == CR_OK) {
    conclude(book, &w, tables);
    status = draw(book, error);
  }
  for (int i = 0; i < N_TABLE; i++) {
    cri_table_free(&tables[i]);
  }
  cr_model_destroy(w.m);
  return status;
}
