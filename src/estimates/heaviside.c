// SPDX-License-Identifier: Apache-2.0
// Bodies on slides, and a loss that is 1 where all of them are at 0 or beyond, else 0 (alpha_gradient, bernstein and simple_continuous). Its gradient is 0 nearly everywhere; that of
// its mean under noise is not. A sigmoid of width s for each body makes the step smooth: how wide must it be for the first order to be of use?
#include <math.h>
#include <stdio.h>

#include "estimates/estimate_studies.h"
#include "estimates/motion.h"
#include "notebook/scene_file.h"
#include "notebook/sweep.h"
#include "tools/plot.h"

enum { MOST = 5, SAMPLES = 1000 };
static const double sigma = 0.2;  // m

typedef struct {
  cr_model *one, *five;
  int points, widths;
} heaviside;

static cr_status open(const cr_notebook* book, int n, cr_model** m, cr_error* error) {
  char text[1024], name[32];
  int at = snprintf(text, sizeof text,
                    "<mujoco model=\"slides\">\n  <option timestep=\"0.01\" gravity=\"0 0 0\"/>\n  "
                    "<worldbody>\n");
  for (int i = 0; i < n; i++) {
    at += snprintf(text + at, sizeof text - (size_t)at,
                   "    <body><joint type=\"slide\" axis=\"1 0 0\"/><geom size=\"0.1\" "
                   "contype=\"0\"/></body>\n");
  }
  (void)snprintf(text + at, sizeof text - (size_t)at, "  </worldbody>\n</mujoco>\n");
  (void)snprintf(name, sizeof name, "heaviside_%d", n);
  return cri_scene_open(book, name, text, m, error);
}

// ---- the loss, after one step at rest: a product of steps, each of them 1 / (1 + exp(-x / width)) or, for width 0, a jump

typedef struct {
  int n;
  double width;
} steps;

static double rise(double width, double x) {
  return width > 0 ? 1 / (1 + exp(-x / width)) : x >= 0;
}

static cr_status value(void* context, const cr_model* m, const cr_data* d, int step,
                       cr_real* loss) {
  (void)step;
  const steps* s = context;
  const cr_real* q = cr_data_numbers(m, d, "qpos", NULL, NULL);
  double product = 1;
  for (int i = 0; i < s->n; i++) {
    product *= rise(s->width, (double)q[i]);
  }
  *loss += (cr_real)product;
  return CR_OK;
}

// of a jump 0; of a sigmoid y (1 - y) / width
static cr_status bar(void* context, const cr_model* m, const cr_data* d, int step, cr_data* twin) {
  const steps* s = context;
  cr_real product = 0;
  if (s->width <= 0) {
    return CR_OK;
  }
  CR_TRY(value(context, m, d, step, &product));
  const cr_real* q = cr_data_numbers(m, d, "qpos", NULL, NULL);
  cr_real* q_bar = cr_data_view(m, twin, "qpos", NULL, NULL);
  for (int i = 0; i < s->n; i++) {
    q_bar[i] += product * (cr_real)((1 - rise(s->width, (double)q[i])) / s->width);
  }
  return CR_OK;
}

static cr_status begin(const void* context, const cr_motion* motion, const cr_real* x,
                       cr_error* error) {
  (void)context;
  cr_data* d = cr_rollout_data(cr_gradient_rollout(motion->gradient));
  CR_TRY(cr_data_reset(motion->m, d));
  return cr_data_set(motion->m, d, "qpos", x, motion->n, error);
}

static cr_status estimate(const cr_model* m, steps* s, double x, const cr_estimator_options* o,
                          cr_smoothed_gradient* found, cr_error* error) {
  cr_motion motion;
  cr_real start[MOST];
  const cr_motion_options options = {.name = "qpos",
                                     .steps = 1,
                                     .own = {.context = s, .value = value, .bar = bar},
                                     .begin = begin};
  for (int i = 0; i < MOST; i++) {
    start[i] = (cr_real)x;
  }
  cr_status status = cri_motion_open(&motion, m, &options, error);
  status = status == CR_OK ? cri_motion_estimate(&motion, start, (cr_real)sigma, o, found, error)
                           : status;
  cri_motion_close(&motion);
  return status;
}

// ---- jumps, over the place x of all bodies: dimension, x, and one of the n equal derivatives

static const char jumps_csv[] = "heaviside.csv";
static const char jumps_header[] = "n,x,loss,mean,truth,first,zeroth,error,certainty,bias,alpha";
enum {
  J_N,
  J_X,
  J_LOSS,
  J_MEAN,
  J_TRUTH,
  J_FIRST,
  J_ZEROTH,
  J_ERROR,
  J_CERTAINTY,
  J_BIAS,
  J_ALPHA
};

static double normal_density(double x) { return exp(-x * x / 2) / sqrt(2 * (double)CR_PI); }
static double normal(double x) { return erfc(-x / sqrt(2)) / 2; }

static double truth(int n, double x) {
  return normal_density(x / sigma) / sigma * pow(normal(x / sigma), n - 1);
}

// of n equal derivatives the mean; their error as that of one
static double mean_of(const cr_real* x, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++) {
    sum += (double)x[i];
  }
  return sum / n;
}

static cr_status jumps_row(void* context, int i, int worker, cr_real* row, cr_error* error) {
  (void)worker;
  const heaviside* h = context;
  bool many = i >= h->points;
  steps s = {.n = many ? MOST : 1};
  double x = -1 + 2.0 * (i % h->points) / (h->points - 1);
  cr_real gradient[MOST], first[MOST], zeroth[MOST];
  cr_smoothed_gradient found = {.gradient = gradient, .first = first, .zeroth = zeroth};
  const cr_estimator_options o = {.kind = CR_ESTIMATOR_ALPHA,
                                  .samples = SAMPLES,
                                  .seed = (uint64_t)i,
                                  .bias = CR_R(0.5),
                                  .bound = 10};
  cr_status status = estimate(many ? h->five : h->one, &s, x, &o, &found, error);
  row[J_N] = (cr_real)s.n;
  row[J_X] = (cr_real)x;
  row[J_LOSS] = found.loss;
  row[J_MEAN] = found.mean;
  row[J_TRUTH] = (cr_real)truth(s.n, x);
  row[J_FIRST] = (cr_real)mean_of(first, s.n);
  row[J_ZEROTH] = zeroth[0];
  row[J_ERROR] = CR_R(1.959964) * cr_sqrt(found.zeroth_variance / (cr_real)(s.n * SAMPLES));
  row[J_CERTAINTY] = found.certainty;
  row[J_BIAS] = o.bias;
  row[J_ALPHA] = found.alpha;
  return status;
}

// ---- sigmoids, over their width

static const char widths_csv[] = "heaviside_widths.csv";
static const char widths_header[] = "width,first_variance,zeroth_variance,alpha";
enum { W_WIDTH, W_FIRST, W_ZEROTH, W_ALPHA };

static cr_status widths_row(void* context, int i, int worker, cr_real* row, cr_error* error) {
  (void)worker;
  const heaviside* h = context;
  steps s = {.n = 1, .width = pow(10, -5.0 * i / (h->widths - 1))};
  cr_smoothed_gradient found = {.loss = 0};
  const cr_estimator_options o = {.kind = CR_ESTIMATOR_ALPHA, .samples = 10 * SAMPLES};
  cr_status status = estimate(h->one, &s, 0.05, &o, &found, error);
  row[W_WIDTH] = (cr_real)s.width;
  row[W_FIRST] = found.first_variance;
  row[W_ZEROTH] = found.zeroth_variance;
  row[W_ALPHA] = found.alpha;
  return status;
}

// the width at which both variances are the same: between the last row where the first order's is less and the next
static double crossing(cr_table* t) {
  for (int i = 0; i + 1 < t->rows; i++) {
    const cr_real *a = cri_table_row(t, i), *b = cri_table_row(t, i + 1);
    if (b[W_FIRST] > b[W_ZEROTH]) {
      return sqrt((double)(a[W_WIDTH] * b[W_WIDTH]));
    }
  }
  return (double)NAN;
}

// ---- claims

enum { ENOUGH = 20 };  // samples behind the jump, for an interval to mean something

static void conclude(cr_notebook* book, cr_table* jumps, cr_table* widths) {
  double first = 0, most = 0;
  int held = 0, counted = 0, uncertain = 0, wrong = 0;
  for (int i = 0; i < jumps->rows; i++) {
    const cr_real* row = cri_table_row(jumps, i);
    double off = fabs((double)(row[J_ZEROTH] - row[J_TRUTH]));
    first = fmax(first, fabs((double)row[J_FIRST]));
    most = fmax(most, off);
    double other = fabs((double)(row[J_MEAN] - row[J_LOSS])) * SAMPLES;  // samples behind the jump
    counted += other >= ENOUGH;
    held += other >= ENOUGH && off <= (double)row[J_ERROR];
    bool told = row[J_CERTAINTY] <= row[J_BIAS];
    uncertain += !told;
    wrong += !told && row[J_ALPHA] != 0;
  }
  cri_say(book,
          "Loss 1 where all of 1 or 5 bodies are at 0 or beyond, else 0; noise of 0.2 m, %d "
          "samples.\nLargest error of the zeroth order: %.3g 1/m. Both orders of a sigmoid have "
          "the same "
          "variance at a width of about %.2g m.\n\n",
          SAMPLES, most, crossing(widths));
  cri_claim(book, first, 0, 0, "0", "first order of the jump, largest");
  double share = (double)held / counted, slack = 3 * sqrt(0.95 * 0.05 / counted);
  cri_claim(book, share, 0.95 - slack, 1, "not biased",
            "share of %d intervals of the zeroth order that hold the truth", counted);
  cri_claim(book, uncertain, 1, (double)INFINITY, "",
            "places where eps is above the allowed bias of 0.5 1/m");
  cri_claim(book, wrong, 0, 0, "0", "of these, places where the first order has weight");
  const cr_real* sharp = cri_table_row(widths, widths->rows - 1);
  cri_claim(book, (double)(sharp[W_FIRST] / sharp[W_ZEROTH]), 100, (double)INFINITY, "",
            "variance of the first order over the zeroth's, width 1e-5 m");
}

// ---- picture

static cr_status draw(const cr_notebook* book, cr_error* error) {
  const double nan = (double)NAN;
  const cr_curve one[] = {{jumps_csv, "x", "truth", "truth", CR_CURVE_LINE, "n", 1},
                          {jumps_csv, "x", "zeroth", "zeroth", CR_CURVE_POINTS, "n", 1},
                          {jumps_csv, "x", "first", "first", CR_CURVE_POINTS, "n", 1}};
  const cr_curve five[] = {{jumps_csv, "x", "truth", "truth", CR_CURVE_LINE, "n", MOST},
                           {jumps_csv, "x", "zeroth", "zeroth", CR_CURVE_POINTS, "n", MOST},
                           {jumps_csv, "x", "first", "first", CR_CURVE_POINTS, "n", MOST}};
  const cr_curve weights[] = {
      {jumps_csv, "x", "certainty", "eps, n = 1", CR_CURVE_LINE, "n", 1},
      {jumps_csv, "x", "certainty", "eps, n = 5", CR_CURVE_LINE, "n", MOST},
      {jumps_csv, "x", "bias", "allowed bias", CR_CURVE_DASHES, "n", 1},
      {jumps_csv, "x", "alpha", "alpha, n = 1", CR_CURVE_POINTS, "n", 1},
      {jumps_csv, "x", "alpha", "alpha, n = 5", CR_CURVE_POINTS, "n", MOST}};
  const cr_curve variances[] = {
      {widths_csv, "width", "first_variance", "first", CR_CURVE_BOTH, NULL, 0},
      {widths_csv, "width", "zeroth_variance", "zeroth", CR_CURVE_BOTH, NULL, 0}};
  const cr_chart charts[] = {
      {"x, m", "derivative of the mean, n = 1", false, false, nan, nan, one, 3},
      {"x, m", "derivative of the mean, n = 5", false, false, nan, nan, five, 3},
      {"x, m", "eps and alpha", false, false, nan, nan, weights, 5},
      {"width of a sigmoid, m", "variance of a sample", true, true, nan, nan, variances, 2}};
  return cri_charts(book->folder, "heaviside", "Steps under noise", charts, 4, 2, error);
}

// ---- the study

static cr_status compute(cr_notebook* book, heaviside* h, cr_table* jumps, cr_table* widths,
                         cr_error* error) {
  CR_TRY(open(book, 1, &h->one, error));
  CR_TRY(open(book, MOST, &h->five, error));
  CR_TRY(cri_table_create(jumps, jumps_csv, jumps_header, NULL, 2 * h->points, error));
  CR_TRY(cri_sweep(book, jumps, 16, jumps_row, h, error));
  CR_TRY(cri_table_create(widths, widths_csv, widths_header, NULL, h->widths, error));
  return cri_sweep(book, widths, 16, widths_row, h, error);
}

cr_status cri_study_heaviside(cr_notebook* book, cr_error* error) {
  bool brief = book->request.brief;
  heaviside h = {.points = brief ? 21 : 101, .widths = brief ? 6 : 26};
  cr_table jumps = {0}, widths = {0};
  cr_status status = compute(book, &h, &jumps, &widths, error);
  if (status == CR_OK) {
    conclude(book, &jumps, &widths);
    status = draw(book, error);
  }
  cri_table_free(&jumps);
  cri_table_free(&widths);
  cr_model_destroy(h.one);
  cr_model_destroy(h.five);
  return status;
}
