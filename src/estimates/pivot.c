// SPDX-License-Identifier: Apache-2.0
// A ball is thrown at a bar on a hinge: how fast can it make the bar turn (alpha_gradient, pivot)? The higher it hits the faster, until it misses.
#include <math.h>

#include "estimates/courses.h"
#include "estimates/estimate_studies.h"
#include "estimates/motion.h"
#include "notebook/scene_file.h"
#include "notebook/sweep.h"
#include "tools/plot.h"

// published: ball of 1 kg and 0.03 m at 2 m/s; bar of 0.5 m, 0.05 m wide, 1 kg m^2, 0.7 m away; stiffness 1e4 N/m; steps of 0.005 s
static const char text[] =
    "<mujoco model=\"ball and bar\">\n"
    "  <option timestep=\"0.005\" gravity=\"0 0 0\" cone=\"elliptic\"/>\n"
    "  <default><geom condim=\"1\"/></default>\n"
    "  <worldbody>\n"
    "    <body name=\"thrower\">\n"
    "      <joint name=\"angle\" type=\"hinge\" axis=\"0 -1 0\" armature=\"1e12\"/>\n"
    "      <inertial pos=\"0 0 0\" mass=\"1\" diaginertia=\"1 1 1\"/>\n"
    "      <body name=\"ball\">\n"
    "        <joint name=\"along\" type=\"slide\" axis=\"1 0 0\"/>\n"
    "        <joint name=\"across\" type=\"slide\" axis=\"0 0 1\"/>\n"
    "        <geom name=\"ball\" type=\"sphere\" size=\"0.03\" mass=\"1\"/>\n"
    "      </body>\n"
    "    </body>\n"
    "    <body name=\"bar\" pos=\"0.7 0 0\">\n"
    "      <joint name=\"hinge\" type=\"hinge\" axis=\"0 1 0\"/>\n"
    "      <inertial pos=\"0 0 0\" mass=\"1\" diaginertia=\"1 1 1\"/>\n"
    "      <geom name=\"bar\" type=\"capsule\" size=\"0.025\" fromto=\"0 0 0 0 0 0.5\"/>\n"
    "    </body>\n"
    "  </worldbody>\n"
    "</mujoco>\n";
static const double stiffness = 1e4, speed = 2, sigma = 0.02;  // N/m, m/s, rad
enum { STEPS = 120, SAMPLES = 50, SWEEP_SAMPLES = 400 };

typedef struct {
  cr_model* m;
  int angles;
  bool (*stop)(void);
} pivot;

static cr_status open(const cr_notebook* book, cr_model** m, cr_error* error) {
  static const char* const geoms[][3] = {
      {"geom_hunt_crossley[ball][0]", "geom_hunt_crossley[ball][1]", "geom_hunt_crossley[ball][2]"},
      {"geom_hunt_crossley[bar][0]", "geom_hunt_crossley[bar][1]", "geom_hunt_crossley[bar][2]"}};
  const cr_real numbers[3] = {(cr_real)stiffness, 0, 1};
  CR_TRY(cri_scene_open(book, "pivot", text, m, error));
  CR_TRY(cr_model_set_choice(*m, "contact_model", "hunt_crossley", error));
  for (int i = 0; i < 6; i++) {
    CR_TRY(cr_model_set(*m, geoms[i / 3][i % 3], &numbers[i % 3], 1, error));
  }
  return CR_OK;
}

static cr_status begin(const void* context, const cr_motion* motion, const cr_real* x,
                       cr_error* error) {
  (void)context;
  const cr_real along = (cr_real)speed;
  cr_data* d = cr_rollout_data(cr_gradient_rollout(motion->gradient));
  CR_TRY(cr_data_reset(motion->m, d));
  CR_TRY(cr_data_set(motion->m, d, "qpos[angle]", x, 1, error));
  return cr_data_set(motion->m, d, "qvel[along]", &along, 1, error);
}

static cr_status open_motion(cr_motion* motion, const pivot* p, cr_error* error) {
  const cr_motion_options o = {
      .name = "qpos[angle]", .steps = STEPS, .loss = "-qvel[hinge]^2", .begin = begin};
  return cri_motion_open(motion, p->m, &o, error);
}

// gamma and L as published; alpha_gradient takes the 0.95 of its bound as the probability of failure
static cr_estimator_options options_of(cr_estimator_kind kind, int samples, uint64_t seed) {
  return (cr_estimator_options){.kind = kind,
                                .samples = samples,
                                .seed = seed,
                                .confidence = CR_R(0.05),
                                .bias = CR_R(0.2),
                                .bound = 1};
}

// ---- estimates over the angle

static const char sweep_csv[] = "pivot.csv";
static const char sweep_header[] = "angle,loss,mean,first,zeroth,alpha_order,alpha";
enum { S_ANGLE, S_LOSS, S_MEAN, S_FIRST, S_ZEROTH, S_ALPHA_ORDER, S_ALPHA };
static const double lowest_angle = 0.02, highest_angle = 0.8;

static cr_status sweep_row(void* context, int i, int worker, cr_real* row, cr_error* error) {
  (void)worker;
  const pivot* p = context;
  cr_motion motion;
  const cr_real x = (cr_real)(lowest_angle + (highest_angle - lowest_angle) * i / (p->angles - 1));
  const cr_estimator_options o = options_of(CR_ESTIMATOR_ALPHA, SWEEP_SAMPLES, (uint64_t)i);
  cr_smoothed_gradient found = {
      .gradient = row + S_ALPHA_ORDER, .first = row + S_FIRST, .zeroth = row + S_ZEROTH};
  cr_status status = open_motion(&motion, p, error);
  status = status == CR_OK ? cri_motion_estimate(&motion, &x, (cr_real)sigma, &o, &found, error)
                           : status;
  cri_motion_close(&motion);
  row[S_ANGLE] = x;
  row[S_LOSS] = found.loss;
  row[S_MEAN] = found.mean;
  row[S_ALPHA] = found.alpha;
  return status;
}

// ---- descent

static const char* const titles[] = {"pivot"};

static cr_status descend(void* context, int system, cr_estimator_kind kind, int seed,
                         cr_course_result* result, cr_error* error) {
  (void)system;
  const pivot* p = context;
  cr_motion motion;
  const cr_motion_descent d = {.options = options_of(kind, SAMPLES, (uint64_t)seed * 100000),
                               .sigma = (cr_real)sigma,
                               .rate = CR_R(0.01),
                               .steps = result->steps,
                               .stop = p->stop};
  result->end = CR_R(0.1);
  cr_status status = open_motion(&motion, p, error);
  status = status == CR_OK ? cri_motion_descend(&motion, &d, &result->end, result->losses,
                                                result->alphas, error)
                           : status;
  cri_motion_close(&motion);
  return status;
}

// ---- claims

static void conclude(cr_notebook* book, cr_table* sweep, cr_table* t) {
  double least = 0, at = 0, last[CR_COURSE_KINDS];
  for (int i = 0; i < sweep->rows; i++) {
    const cr_real* row = cri_table_row(sweep, i);
    at = (double)row[S_MEAN] < least ? (double)row[S_ANGLE] : at;
    least = fmin(least, (double)row[S_MEAN]);
  }
  cri_say(book,
          "A ball is thrown at a bar on a hinge; loss -omega^2 of the bar, noise of 0.02 rad. "
          "Least mean "
          "in the sweep %.4g at %.3f rad.\n\n  order    end, rad  loss at the end  mean alpha\n",
          least, at);
  for (int kind = 0; kind < CR_COURSE_KINDS; kind++) {
    last[kind] = cri_courses_loss(t, 0, kind, -1);
    cri_say(book, "  %-7s  %-8.4f  %-15.4g  %.3g\n", cri_course_kinds[kind],
            cri_courses_end(t, 0, kind), last[kind], cri_courses_alpha(t, 0, kind));
  }
  double better = fmin(last[CR_ESTIMATOR_FIRST], last[CR_ESTIMATOR_ZEROTH]);
  cri_claim(book, last[CR_ESTIMATOR_ALPHA] / better, 0.95, (double)INFINITY,
            "as good as the better", "loss at the end, alpha over the better of the others");
}

// ---- picture

static const char medians_csv[] = "pivot_medians.csv";

static cr_status draw(const cr_notebook* book, cr_error* error) {
  const double nan = (double)NAN;
  const cr_curve losses[] = {
      {sweep_csv, "angle", "loss", "without noise", CR_CURVE_LINE, NULL, 0},
      {sweep_csv, "angle", "mean", "mean under noise", CR_CURVE_LINE, NULL, 0}};
  const cr_curve slopes[] = {
      {sweep_csv, "angle", "first", "first", CR_CURVE_LINE, NULL, 0},
      {sweep_csv, "angle", "zeroth", "zeroth", CR_CURVE_LINE, NULL, 0},
      {sweep_csv, "angle", "alpha_order", "alpha", CR_CURVE_DASHES, NULL, 0}};
  const cr_curve weights[] = {{sweep_csv, "angle", "alpha", "alpha", CR_CURVE_BOTH, NULL, 0}};
  const cr_curve courses[] = {
      {medians_csv, "step", "first_pivot", "first", CR_CURVE_LINE, NULL, 0},
      {medians_csv, "step", "zeroth_pivot", "zeroth", CR_CURVE_LINE, NULL, 0},
      {medians_csv, "step", "alpha_pivot", "alpha", CR_CURVE_DASHES, NULL, 0}};
  const cr_chart charts[] = {
      {"angle, rad", "loss, rad^2/s^2", false, false, nan, nan, losses, 2},
      {"angle, rad", "derivative of the mean", false, false, nan, nan, slopes, 3},
      {"angle, rad", "weight of the first order", false, false, -0.05, 1.05, weights, 1},
      {"step of descent", "loss, rad^2/s^2", false, false, nan, nan, courses, 3}};
  return cri_charts(book->folder, "pivot", "A ball thrown at a bar", charts, 4, 2, error);
}

// ---- the study

static cr_status compute(cr_notebook* book, pivot* p, cr_table* sweep, cr_table* t,
                         cr_error* error) {
  bool brief = book->request.brief;
  const cr_courses courses = {.file = "pivot_descents.csv",
                              .titles = titles,
                              .systems = 1,
                              .seeds = brief ? 1 : 5,
                              .steps = brief ? 40 : 500,
                              .descend = descend,
                              .context = p};
  CR_TRY(cri_table_create(sweep, sweep_csv, sweep_header, NULL, p->angles, error));
  CR_TRY(cri_sweep(book, sweep, 8, sweep_row, p, error));
  CR_TRY(cri_courses_run(book, &courses, t, error));
  return cri_courses_save_medians(&courses, t, book->folder, medians_csv, error);
}

cr_status cri_study_pivot(cr_notebook* book, cr_error* error) {
  pivot p = {.angles = book->request.brief ? 14 : 79, .stop = book->request.stop};
  cr_table sweep = {0}, descents = {0};
  cr_status status = open(book, &p.m, error);
  status = status == CR_OK ? compute(book, &p, &sweep, &descents, error) : status;
  if (status == CR_OK) {
    conclude(book, &sweep, &descents);
    status = draw(book, error);
  }
  cri_table_free(&sweep);
  cri_table_free(&descents);
  cr_model_destroy(p.m);
  return status;
}
