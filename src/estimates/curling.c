// SPDX-License-Identifier: Apache-2.0
// One body pushes another through a contact of stiffness 1e5 N/m, which a softplus of sharpness kappa smooths (alpha_gradient, curling). How do the
// variances of first and zeroth order grow with kappa?
#include <math.h>

#include "estimates/estimate_studies.h"
#include "estimates/sliders.h"
#include "notebook/sweep.h"
#include "tools/plot.h"

static const char csv[] = "curling.csv";
static const char header[] =
    "kappa,smooth,first_variance,zeroth_variance,loss,mean,distance,certainty,alpha";
enum {
  R_KAPPA,
  R_SMOOTH,
  R_FIRST,
  R_ZEROTH,
  R_LOSS,
  R_MEAN,
  R_DISTANCE,
  R_CERTAINTY,
  R_ALPHA,
  WIDTH
};

static const double softest = 2, sharpest = 9;  // powers of ten of kappa, 1/m
static const double hard_at = 10;  // where the picture shows the contact without smoothing
enum { STEPS = 30, SAMPLES = 1000 };

typedef struct {
  cr_model* models[2];  // without and with smoothing, both without their law
  int smooth;           // rows with smoothing; one without follows
} curling;

static double power_of(const curling* c, int row) {
  return row < c->smooth ? softest + (sharpest - softest) * row / (c->smooth - 1) : hard_at;
}

static cr_status estimate(const cr_model* m, const cr_sliders* s, cr_real* row, cr_error* error) {
  cr_motion motion;
  cr_real x[STEPS];
  for (int i = 0; i < STEPS; i++) {
    x[i] = CR_R(0.1);
  }
  const cr_estimator_options o = {.kind = CR_ESTIMATOR_ALPHA, .samples = SAMPLES};
  cr_smoothed_gradient found = {.size = sizeof found};
  cr_status status = cri_sliders_motion(&motion, m, s, error);
  status = status == CR_OK ? cri_motion_estimate(&motion, x, CR_R(0.3), &o, &found, error) : status;
  row[R_FIRST] = found.first_variance;
  row[R_ZEROTH] = found.zeroth_variance;
  row[R_LOSS] = found.loss + (cr_real)cri_sliders_start_cost(s);
  row[R_MEAN] = found.mean + (cr_real)cri_sliders_start_cost(s);
  row[R_DISTANCE] = found.distance;
  row[R_CERTAINTY] = found.certainty;
  row[R_ALPHA] = found.alpha;
  cri_motion_close(&motion);
  return status;
}

static const cr_sliders setting = {
    .keep = 0.6, .stiffness = 1e5, .start = 1, .goal = {1, 2}, .steps = STEPS};

static cr_status work(void* context, int i, int worker, cr_real* row, cr_error* error) {
  (void)worker;
  const curling* c = context;
  bool smooth = i < c->smooth;
  cr_sliders s = setting;
  s.law = smooth ? CR_SLIDERS_SOFTPLUS : CR_SLIDERS_CONTACT;
  s.kappa = pow(10, power_of(c, i));
  row[R_KAPPA] = (cr_real)s.kappa;
  row[R_SMOOTH] = smooth;
  return estimate(c->models[smooth], &s, row, error);
}

static void conclude(cr_notebook* book, const curling* c, cr_table* t) {
  cr_real least[WIDTH], most[WIDTH];
  for (int k = 0; k < WIDTH; k++) {
    least[k] = (cr_real)INFINITY;
    most[k] = (cr_real)-INFINITY;
    for (int i = 0; i < c->smooth; i++) {
      least[k] = cr_min(least[k], cri_table_row(t, i)[k]);
      most[k] = cr_max(most[k], cri_table_row(t, i)[k]);
    }
  }
  const cr_real* hard = cri_table_row(t, c->smooth);
  const cr_real* soft = cri_table_row(t, 0);
  cri_say(book,
          "One body pushes another for %d steps through a contact of 1e5 N/m, smoothed by a "
          "softplus of "
          "kappa = 1e2 ... 1e9 1/m.\nForces 0.1 N with noise of 0.3 N, %d samples; variance of one "
          "sample of each estimator.\n\n"
          "               first order             zeroth order\n"
          "               ours      published     ours             published\n"
          "  kappa = 1e2  %-9.3g 10.8          %-16.4g\n"
          "  largest      %-9.3g 6.9e13        %-16.4g 3.2e3\n"
          "  least        %-9.3g 10.8          %-16.4g 1.1e3\n"
          "  no smoothing %-9.3g 2.75e7        %-16.4g 1573\n\n",
          STEPS, SAMPLES, (double)soft[R_FIRST], (double)soft[R_ZEROTH], (double)most[R_FIRST],
          (double)most[R_ZEROTH], (double)least[R_FIRST], (double)least[R_ZEROTH],
          (double)hard[R_FIRST], (double)hard[R_ZEROTH]);
  cri_claim(book, log10((double)(most[R_FIRST] / least[R_FIRST])), 6, (double)INFINITY, "12.8",
            "decades by which the variance of the first order grows");
  cri_claim(book, (double)(most[R_ZEROTH] / least[R_ZEROTH]), 1, 3, "2.9",
            "factor between variances of the zeroth order");
}

static cr_status draw(const cr_notebook* book, cr_error* error) {
  const double nan = (double)NAN;
  const cr_curve variances[] = {
      {csv, "kappa", "first_variance", "first order", CR_CURVE_LINE, "smooth", 1},
      {csv, "kappa", "zeroth_variance", "zeroth order", CR_CURVE_LINE, "smooth", 1},
      {csv, "kappa", "first_variance", "first order, not smoothed", CR_CURVE_POINTS, "smooth", 0},
      {csv, "kappa", "zeroth_variance", "zeroth order, not smoothed", CR_CURVE_POINTS, "smooth",
       0}};
  const cr_curve weights[] = {
      {csv, "kappa", "alpha", "alpha", CR_CURVE_BOTH, "smooth", 1},
      {csv, "kappa", "alpha", "not smoothed", CR_CURVE_POINTS, "smooth", 0}};
  const cr_chart charts[] = {
      {"kappa, 1/m", "variance of a sample", true, true, nan, nan, variances, 4},
      {"kappa, 1/m", "weight of the first order", true, false, -0.05, 1.05, weights, 2}};
  return cri_charts(book->folder, "curling", "Variance of estimators over the sharpness of contact",
                    charts, 2, 2, error);
}

static cr_status open(const cr_notebook* book, curling* c, cr_error* error) {
  cr_sliders s = setting;
  s.law = CR_SLIDERS_CONTACT;
  CR_TRY(cri_sliders_open(book, "curling", &s, &c->models[0], error));
  s.law = CR_SLIDERS_SOFTPLUS;
  return cri_sliders_open(book, "curling_smooth", &s, &c->models[1], error);
}

cr_status cri_study_curling(cr_notebook* book, cr_error* error) {
  curling c = {.smooth = book->request.brief ? 8 : 71};
  cr_table table = {0};
  cr_status status = open(book, &c, error);
  status =
      status == CR_OK ? cri_table_create(&table, csv, header, NULL, c.smooth + 1, error) : status;
  status = status == CR_OK ? cri_sweep(book, &table, 8, work, &c, error) : status;
  if (status == CR_OK) {
    conclude(book, &c, &table);
    status = draw(book, error);
  }
  cri_table_free(&table);
  cr_model_destroy(c.models[0]);
  cr_model_destroy(c.models[1]);
  return status;
}
