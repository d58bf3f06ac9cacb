// SPDX-License-Identifier: Apache-2.0
// A force at a distance, or noise: which barrier belongs to which noise, in one dimension; and how near linear models with a barrier come to those under noise on a cube
// [Pang, Suh, Yang, Tedrake, Global planning for contact-rich manipulation via local smoothing of quasi-dynamic contact models, 2023].
#include <math.h>
#include <stdlib.h>

#include "estimates/barriers.h"
#include "estimates/estimate_studies.h"
#include "estimates/smoothed_cube.h"
#include "notebook/sweep.h"
#include "tools/plot.h"

// ---- one dimension: a row for each barrier and noise, and the responses along the gap

static const double scale = 0.004;  // m, of the own noise
enum { POINTS = 33, PAIRS = CR_N_BARRIER * CR_N_NOISE };

static const char pairs_csv[] = "smoothing.csv";
static const char pairs_header[] = "barrier,noise,own,distance,normal_factor,normal_distance";
enum { P_BARRIER, P_NOISE, P_OWN, P_DISTANCE, P_FACTOR, P_NORMAL };
static const char curves_csv[] = "smoothing_responses.csv";
static const char curves_header[] = "barrier,gap,hard,smooth,own,normal";
enum { C_BARRIER, C_GAP, C_HARD, C_SMOOTH, C_OWN, C_NORMAL };

typedef struct {
  cr_notebook* book;
  int nodes;
  cr_smoothed_cube cubes[CR_N_CUBE_SCENE];
  int poses;
} smoothing;

// gap i of a system: four widths between quartiles to both sides of the median of its noise
static double quartiles(const cr_barrier_system* s) {
  cr_noise own = cri_barrier_noise(s->kind);
  return s->scale * (cri_noise_quantile(own, 0.75) - cri_noise_quantile(own, 0.25));
}

static double gap_of(const cr_barrier_system* s, int i) {
  double middle = -s->scale * cri_noise_quantile(cri_barrier_noise(s->kind), 0.5);
  return middle + 4 * quartiles(s) * (2.0 * i / (POINTS - 1) - 1);
}

// differences of responses are measured by the jump, or by slope times width between quartiles
static double unit_of(const cr_barrier_system* s) {
  return cri_barrier_jumps(s->kind) ? 1 : quartiles(s);
}

static double normal_mean(const cr_barrier_system* s, double centre, double sigma, double x) {
  double z = -(x + centre) / sigma, below = erfc(-z / sqrt(2)) / 2;
  double density = exp(-z * z / 2) / sqrt(2 * (double)CR_PI);
  return cri_barrier_jumps(s->kind) ? below : sigma * (density + z * below);
}

// the normal noise around the median whose closed-form mean is nearest to the smooth responses
static void fit_normal(const cr_barrier_system* s, const double* smooth, double* factor,
                       double* distance) {
  const double centre = s->scale * cri_noise_quantile(cri_barrier_noise(s->kind), 0.5);
  *distance = (double)INFINITY;
  for (double sigma = 0.05 * s->scale; sigma < 5 * s->scale; sigma *= 1.01) {
    double most = 0;
    for (int i = 0; i < POINTS; i++) {
      double off = smooth[i] - normal_mean(s, centre, sigma, gap_of(s, i));
      most = fmax(most, fabs(off) / unit_of(s));
    }
    if (most < *distance) {
      *distance = most;
      *factor = sigma / s->scale;
    }
  }
}

static cr_status compare(const smoothing* w, cr_barrier_system* s, cr_noise noise, cr_real* row,
                         cr_error* error) {
  const cr_scaled_noise scaled = cri_noise_like(s, noise);
  double smooth[POINTS], most = 0, factor = 0, normal = 0;
  for (int i = 0; i < POINTS; i++) {
    double mean;
    CR_TRY(cri_notebook_stopped(w->book, error));
    CR_TRY(cri_barrier_response(s, true, gap_of(s, i), &smooth[i], error));
    CR_TRY(cri_barrier_mean(s, &scaled, w->nodes, gap_of(s, i), &mean, error));
    most = fmax(most, fabs(smooth[i] - mean) / unit_of(s));
  }
  fit_normal(s, smooth, &factor, &normal);
  row[P_OWN] = noise == cri_barrier_noise(s->kind);
  row[P_DISTANCE] = (cr_real)most;
  row[P_FACTOR] = (cr_real)factor;
  row[P_NORMAL] = (cr_real)normal;
  return CR_OK;
}

static cr_status pair_row(void* context, int i, int worker, cr_real* row, cr_error* error) {
  (void)worker;
  const smoothing* w = context;
  cr_barrier_system s;
  row[P_BARRIER] = (cr_real)(i / CR_N_NOISE);
  row[P_NOISE] = (cr_real)(i % CR_N_NOISE);
  cr_status status = cri_barrier_open(&s, w->book, (cr_barrier)(i / CR_N_NOISE), scale, error);
  status = status == CR_OK ? compare(w, &s, (cr_noise)(i % CR_N_NOISE), row, error) : status;
  cri_barrier_close(&s);
  return status;
}

static cr_status save_responses(const smoothing* w, cr_error* error) {
  cr_table t = {0};
  cr_status status =
      cri_table_create(&t, curves_csv, curves_header, NULL, CR_N_BARRIER * POINTS, error);
  for (int kind = 0; kind < CR_N_BARRIER && status == CR_OK; kind++) {
    cr_barrier_system s;
    status = cri_barrier_open(&s, w->book, (cr_barrier)kind, scale, error);
    const cr_scaled_noise own = cri_noise_like(&s, cri_barrier_noise((cr_barrier)kind));
    const cr_scaled_noise normal = cri_noise_like(&s, CR_NOISE_NORMAL);
    for (int i = 0; i < POINTS && status == CR_OK; i++) {
      double x = gap_of(&s, i), y[4] = {0}, unit = unit_of(&s);
      status = cri_barrier_response(&s, false, x, &y[0], error);
      status = status == CR_OK ? cri_barrier_response(&s, true, x, &y[1], error) : status;
      status = status == CR_OK ? cri_barrier_mean(&s, &own, w->nodes, x, &y[2], error) : status;
      status = status == CR_OK ? cri_barrier_mean(&s, &normal, w->nodes, x, &y[3], error) : status;
      cr_real* row = cri_table_row(&t, kind * POINTS + i);
      row[C_BARRIER] = (cr_real)kind;
      row[C_GAP] = (cr_real)(x / scale);
      for (int k = 0; k < 4; k++) {
        row[C_HARD + k] = (cr_real)(y[k] / unit);
      }
    }
    cri_barrier_close(&s);
  }
  status = status == CR_OK ? cri_table_save(&t, w->book->folder, error) : status;
  cri_table_free(&t);
  return status;
}

// ---- a cube: rows of both scenes, poses times gaps

static const char cube_csv[] = "smoothing_poses.csv";
static const char cube_header[] =
    "scene,pose,gap,size,error,plain,first,b0,b1,b2,b3,b4,c0,c1,c2,c3,c4";
enum { B_SCENE, B_POSE, B_GAP, B_SIZE, B_ERROR, B_PLAIN, B_FIRST, B_BARRIER };
enum { B_CENTRED = B_BARRIER + CR_CUBE_WIDTHS };
static const double gaps[] = {-1, 0, 1, 2};  // standard deviations of the noise
enum { N_GAP = (int)(sizeof gaps / sizeof gaps[0]) };

static cr_status cube_row(void* context, int i, int worker, cr_real* row, cr_error* error) {
  (void)worker;
  const smoothing* w = context;
  const int scene = i / (w->poses * N_GAP), pose = i / N_GAP % w->poses;
  cr_cube_errors e = {0};
  CR_TRY(cri_smoothed_cube_errors(&w->cubes[scene], pose, gaps[i % N_GAP], &e, error));
  row[B_SCENE] = (cr_real)scene;
  row[B_POSE] = (cr_real)pose;
  row[B_GAP] = (cr_real)gaps[i % N_GAP];
  row[B_SIZE] = (cr_real)e.size;
  row[B_ERROR] = (cr_real)e.error;
  row[B_PLAIN] = (cr_real)e.plain;
  row[B_FIRST] = (cr_real)e.first;
  for (int k = 0; k < CR_CUBE_WIDTHS; k++) {
    row[B_BARRIER + k] = (cr_real)e.barrier[k];
    row[B_CENTRED + k] = (cr_real)e.centred[k];
  }
  return CR_OK;
}

static int ascending(const void* a, const void* b) {
  const cr_real x = *(const cr_real*)a, y = *(const cr_real*)b;
  return (x > y) - (x < y);
}

static double median(cr_table* t, int scene, int column) {
  enum { MOST = 256 };
  cr_real x[MOST];
  int n = 0;
  for (int i = 0; i < t->rows && n < MOST; i++) {
    const cr_real* row = cri_table_row(t, i);
    if (row[B_SCENE] == (cr_real)scene) {
      x[n++] = row[column];
    }
  }
  qsort(x, (size_t)n, sizeof *x, ascending);
  return n > 0 ? (double)(x[(n - 1) / 2] + x[n / 2]) / 2 : (double)NAN;
}

static const char medians_csv[] = "smoothing_widths.csv";

static cr_status save_medians(const smoothing* w, cr_table* cube, cr_error* error) {
  cr_table t = {0};
  cr_status status = cri_table_create(
      &t, medians_csv, "width,falls,falls_centred,falls_first,pushed,pushed_first,plain", NULL,
      CR_CUBE_WIDTHS, error);
  for (int i = 0; i < CR_CUBE_WIDTHS && status == CR_OK; i++) {
    cr_real* row = cri_table_row(&t, i);
    row[0] = (cr_real)cri_cube_width(i);
    row[1] = (cr_real)median(cube, CR_CUBE_FALLS, B_BARRIER + i);
    row[2] = (cr_real)median(cube, CR_CUBE_FALLS, B_CENTRED + i);
    row[3] = (cr_real)median(cube, CR_CUBE_FALLS, B_FIRST);
    row[4] = (cr_real)median(cube, CR_CUBE_PUSHED, B_BARRIER + i);
    row[5] = (cr_real)median(cube, CR_CUBE_PUSHED, B_FIRST);
    row[6] = (cr_real)median(cube, CR_CUBE_FALLS, B_PLAIN);
  }
  status = status == CR_OK ? cri_table_save(&t, w->book->folder, error) : status;
  cri_table_free(&t);
  return status;
}

// ---- claims

static const cr_real* pair_of(cr_table* t, cr_barrier barrier, cr_noise noise) {
  return cri_table_row(t, (int)barrier * CR_N_NOISE + (int)noise);
}

static void claim_pairs(cr_notebook* book, cr_table* t) {
  cri_say(book,
          "Largest difference between a response with a force at a distance and the mean of "
          "the hard one under noise,\nby the jump or by slope times width between quartiles. "
          "All noise of a row has the same quartiles.\n\n  barrier    ");
  for (int n = 0; n < CR_N_NOISE; n++) {
    cri_say(book, "%-11s", cri_noise_names[n]);
  }
  cri_say(book, "nearest normal: sigma / scale, difference\n");
  for (int b = 0; b < CR_N_BARRIER; b++) {
    cri_say(book, "  %-10s", cri_barrier_names[b]);
    for (int n = 0; n < CR_N_NOISE; n++) {
      const cr_real* row = pair_of(t, (cr_barrier)b, (cr_noise)n);
      cri_say(book, " %-9.2g%s", (double)row[P_DISTANCE], row[P_OWN] > 0 ? "*" : " ");
    }
    const cr_real* row = pair_of(t, (cr_barrier)b, CR_NOISE_NORMAL);
    cri_say(book, "%.3g, %.2g\n", (double)row[P_FACTOR], (double)row[P_NORMAL]);
  }
  for (int b = 0; b < CR_N_BARRIER; b++) {
    const cr_barrier kind = (cr_barrier)b;
    const cr_noise own = cri_barrier_noise(kind);
    double least = (double)INFINITY;
    for (int n = 0; n < CR_N_NOISE; n++) {
      least =
          n != (int)own ? fmin(least, (double)pair_of(t, kind, (cr_noise)n)[P_DISTANCE]) : least;
    }
    double at = (double)pair_of(t, kind, own)[P_DISTANCE];
    bool exact = kind != CR_BARRIER_SPRING;
    cri_claim(book, at, 0, exact ? 3e-3 : 0.15, kind == CR_BARRIER_LOG ? "equal" : "",
              "%s: difference under %s noise", cri_barrier_names[b], cri_noise_names[own]);
    if (exact) {
      cri_claim(book, least / at, 5, (double)INFINITY, "",
                "%s: difference under other noise over that under its own", cri_barrier_names[b]);
    }
  }
}

static void claim_cube(cr_notebook* book, cr_table* t) {
  static const char* const names[CR_N_CUBE_SCENE] = {"cube falls, contacts from distance",
                                                     "square pushed, log barrier"};
  cri_say(book,
          "\nDistance of linear models from that of the mean under normal noise, relative, "
          "medians over poses and gaps\n\n"
          "  scene                               Jacobian  mean of J.  width 1/4  1/2     1   "
          "     2       4        error of the truth\n");
  for (int s = 0; s < CR_N_CUBE_SCENE; s++) {
    for (int centred = 0; centred < (s == CR_CUBE_FALLS ? 2 : 1); centred++) {
      cri_say(book, "  %-34s  %-8.3f  %-10.3f  ",
              centred ? "  lifted by half of the width" : names[s], median(t, s, B_PLAIN),
              median(t, s, B_FIRST));
      for (int k = 0; k < CR_CUBE_WIDTHS; k++) {
        cri_say(book, "%-8.3f", median(t, s, (centred ? B_CENTRED : B_BARRIER) + k));
      }
      cri_say(book, "   %.3f\n", median(t, s, B_ERROR));
    }
  }
  const int rule = 2;  // width 1: equal standard deviations, or quartiles
  cri_claim(book, median(t, CR_CUBE_FALLS, B_PLAIN), 0.9, 1.1, "",
            "cube: the Jacobian's distance (1: it says 0)");
  cri_claim(book, median(t, CR_CUBE_FALLS, B_CENTRED + rule), 0, 0.5, "",
            "cube: distance with contacts from distance of the noise's width, centred");
  cri_claim(book, median(t, CR_CUBE_FALLS, B_CENTRED + rule) / median(t, CR_CUBE_FALLS, B_FIRST), 0,
            1, "", "cube: that over the distance of the mean of Jacobians");
  cri_claim(book, median(t, CR_CUBE_PUSHED, B_BARRIER + rule), 0, 0.3, "",
            "square: distance with the log barrier of the noise's quartiles");
  cri_claim(book, median(t, CR_CUBE_PUSHED, B_BARRIER + rule) / median(t, CR_CUBE_PUSHED, B_PLAIN),
            0, 0.5, "", "square: that over the distance of the Jacobian");
}

// ---- picture

static cr_status draw(const cr_notebook* book, cr_error* error) {
  const double nan = (double)NAN;
  static const char* const labels[CR_N_BARRIER] = {
      "force: penalty and softplus", "velocity: contact from distance",
      "velocity: the same with a spring", "push: log barrier"};
  cr_curve curves[CR_N_BARRIER][4];
  cr_chart charts[CR_N_BARRIER + 2];
  for (int b = 0; b < CR_N_BARRIER; b++) {
    const cr_curve four[4] = {
        {curves_csv, "gap", "hard", "hard", CR_CURVE_DASHES, "barrier", b},
        {curves_csv, "gap", "smooth", "force at a distance", CR_CURVE_LINE, "barrier", b},
        {curves_csv, "gap", "own", cri_noise_names[cri_barrier_noise((cr_barrier)b)],
         CR_CURVE_POINTS, "barrier", b},
        {curves_csv, "gap", "normal", "normal", CR_CURVE_POINTS, "barrier", b}};
    for (int k = 0; k < 4; k++) {
      curves[b][k] = four[k];
    }
    charts[b] = (cr_chart){"gap over scale", labels[b], false, false, nan, nan, curves[b], 4};
  }
  const cr_curve falls[] = {
      {medians_csv, "width", "falls", "at the gap", CR_CURVE_BOTH, NULL, 0},
      {medians_csv, "width", "falls_centred", "lifted by half the width", CR_CURVE_BOTH, NULL, 0},
      {medians_csv, "width", "falls_first", "mean of Jacobians", CR_CURVE_DASHES, NULL, 0},
      {medians_csv, "width", "plain", "Jacobian", CR_CURVE_DASHES, NULL, 0}};
  const cr_curve pushed[] = {
      {medians_csv, "width", "pushed", "log barrier", CR_CURVE_BOTH, NULL, 0},
      {medians_csv, "width", "pushed_first", "mean of Jacobians", CR_CURVE_DASHES, NULL, 0}};
  charts[CR_N_BARRIER] = (cr_chart){
      "width over that of the noise", "distance, cube falls", true, true, nan, nan, falls, 4};
  charts[CR_N_BARRIER + 1] = (cr_chart){
      "width over that of the noise", "distance, square pushed", true, true, nan, nan, pushed, 2};
  return cri_charts(book->folder, "smoothing", "Noise and forces at a distance", charts,
                    CR_N_BARRIER + 2, 2, error);
}

// ---- the study

static cr_status compute(smoothing* w, cr_table* tables, cr_error* error) {
  const bool brief = w->book->request.brief;
  for (int s = 0; s < CR_N_CUBE_SCENE; s++) {
    CR_TRY(cri_smoothed_cube_open(&w->cubes[s], w->book, (cr_cube_scene)s, brief ? 2048 : 16384,
                                  error));
  }
  CR_TRY(cri_table_create(&tables[0], pairs_csv, pairs_header, NULL, PAIRS, error));
  CR_TRY(cri_sweep(w->book, &tables[0], 8, pair_row, w, error));
  CR_TRY(cri_table_create(&tables[1], cube_csv, cube_header, NULL,
                          CR_N_CUBE_SCENE * w->poses * N_GAP, error));
  CR_TRY(cri_sweep(w->book, &tables[1], 8, cube_row, w, error));
  CR_TRY(save_responses(w, error));
  return save_medians(w, &tables[1], error);
}

cr_status cri_study_smoothing(cr_notebook* book, cr_error* error) {
  const bool brief = book->request.brief;
  smoothing w = {.book = book, .nodes = brief ? 500 : 2000, .poses = brief ? 3 : 12};
  cr_table tables[2] = {{0}};
  cr_status status = compute(&w, tables, error);
  if (status == CR_OK) {
    claim_pairs(book, &tables[0]);
    claim_cube(book, &tables[1]);
    status = draw(book, error);
  }
  for (int i = 0; i < 2; i++) {
    cri_table_free(&tables[i]);
    cri_smoothed_cube_close(&w.cubes[i]);
  }
  return status;
}
