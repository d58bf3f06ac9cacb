// SPDX-License-Identifier: Apache-2.0
// Pushes of flat bodies by a round finger (Yu, Bauza, Fazeli, Rodriguez, More than a million ways to be pushed, 2016), after Heiden et al.,
// NeuralSim, 2021: numbers of the model are tuned first, per shape; then a network adds a lateral friction force below the body, one for all
// shapes. Pushes are parted; each part in turn is predicted by what was learned from the others.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "carom/carom.h"
#include "notebook/sweep.h"
#include "recorded/push_data.h"
#include "recorded/push_fit.h"
#include "recorded/push_make.h"
#include "recorded/push_scene.h"
#include "study/studies.h"
#include "tools/plot.h"

enum { PARTS = 3, SEEDS = 5, MOST_TESTED = 28, MADE = 20, MADE_BRIEF = 8 };
enum { UNTUNED, TUNED, CORRECTED };  // models; a corrected one for each seed
static const char data_file[] = "pushes.h5";
static const double millimetres = 1e3, degrees = 180 / (double)CR_PI;

typedef struct {
  const cr_notebook* book;
  cr_push_data data;
  cr_model* m[CR_PUSH_SHAPES];  // not tuned
  int parts, seeds, epochs;     // parts that are predicted, of PARTS
  cr_table fit, errors;
  char header[1024];  // of errors
} push;

static bool stopped(void* context) {
  const push* p = context;
  return p->book->request.stop != NULL && p->book->request.stop();
}

// ---- parts

static bool is_tested(const push* p, int i, int part) {
  int n, first = cri_push_of_shape(&p->data, p->data.push[i].shape, &n);
  return (i - first + p->data.push[i].shape) % PARTS == part;
}

// pushes of a part, or those of all others; of a shape, or of all (-1)
static int gather(const push* p, int shape, int part, bool tested, int* list) {
  int n = 0;
  for (int i = 0; i < p->data.n; i++) {
    bool right = shape < 0 || p->data.push[i].shape == shape;
    if (right && is_tested(p, i, part) == tested) {
      list[n++] = i;
    }
  }
  return n;
}

// ---- numbers of the models: a row for each shape and part

enum {
  F_SHAPE,
  F_PART,
  F_NUMBER,
  F_SD = F_NUMBER + CR_PUSH_NUMBERS,
  F_RMS = F_SD + CR_PUSH_NUMBERS
};
static const char fit_header[] =
    "shape,part,ground_friction,finger_friction,shape_x,shape_y,pressure_x,pressure_y,sd_ground_"
    "friction,sd_finger_friction,sd_shape_x,sd_shape_y,sd_pressure_x,sd_pressure_y,rms_m,rms_rad";

static cr_status tune(void* context, int i, int worker, cr_real* row, cr_error* error) {
  (void)worker;
  push* p = context;
  int shape = i / p->parts, part = i % p->parts;
  cr_model* m = NULL;
  int* list = calloc((size_t)p->data.n, sizeof *list);
  cr_status status = list != NULL ? cr_model_copy(&m, p->m[shape], error)
                                  : cri_fail(error, CR_ERR_MEMORY, "no memory");
  row[F_SHAPE] = (cr_real)shape;
  row[F_PART] = (cr_real)part;
  if (status == CR_OK) {
    const cr_push_lesson lesson = {.data = &p->data,
                                   .push = list,
                                   .n = gather(p, shape, part, false, list),
                                   .stop = stopped,
                                   .context = p};
    status = cri_push_tune(m, &lesson, row + F_NUMBER, row + F_SD, row + F_RMS, error);
  }
  cr_model_destroy(m);
  free(list);
  return status;
}

// copies with the numbers found without a part
static cr_status tuned_models(const push* p, int part, cr_model** m, cr_error* error) {
  for (int s = 0; s < p->data.nshape; s++) {
    cr_table fit = p->fit;
    CR_TRY(cr_model_copy(&m[s], p->m[s], error));
    CR_TRY(cri_push_put(m[s], cri_table_row(&fit, s * p->parts + part) + F_NUMBER, error));
  }
  return CR_OK;
}

// ---- errors: a row for each part and model, two numbers for each push of the part

enum { E_PART, E_MODEL, E_COST, E_PUSH = E_COST + 2 };

static void network_file(char* name, size_t size, int part, int seed) {
  (void)snprintf(name, size, "push_%d_%d.crb", part, seed);
}

static cr_status learn(push* p, int part, int seed, cr_model** m, cr_real cost[2],
                       cr_error* error) {
  char name[48], path[CR_MAX_PATH];
  int* list = calloc((size_t)p->data.n, sizeof *list);
  CR_TRY(list != NULL ? CR_OK : cri_fail(error, CR_ERR_MEMORY, "no memory"));
  const cr_push_lesson lesson = {.data = &p->data,
                                 .push = list,
                                 .n = gather(p, -1, part, false, list),
                                 .stop = stopped,
                                 .context = p};
  const cr_push_training t = {.epochs = p->epochs, .seed = (uint64_t)(1 + seed)};
  cr_status status = cri_push_correct(m, &lesson, &t, cost, error);
  free(list);
  CR_TRY(status);
  network_file(name, sizeof name, part, seed);
  CR_TRY(cri_path_join(path, p->book->folder, name, error));
  return cr_model_save_blueprint(m[0], path, error);
}

static cr_status predict_part(const push* p, int part, cr_model* const* m, cr_real* row,
                              cr_error* error) {
  int list[MOST_TESTED];
  int n = gather(p, -1, part, true, list);
  for (int k = 0; k < n; k++) {
    const cr_push* at = &p->data.push[list[k]];
    double off[2];
    CR_TRY(cri_push_predict(m[at->shape], at, NULL, off, error));
    row[E_PUSH + 2 * k] = (cr_real)(off[0] * millimetres);
    row[E_PUSH + 2 * k + 1] = (cr_real)(off[1] * degrees);
  }
  return CR_OK;
}

static cr_status compute(void* context, int i, int worker, cr_real* row, cr_error* error) {
  (void)worker;
  push* p = context;
  int part = i % p->parts, model = i / p->parts;
  cr_model* m[CR_PUSH_SHAPES] = {NULL};
  for (int k = 0; k < p->errors.width; k++) {
    row[k] = 0;
  }
  row[E_PART] = (cr_real)part;
  row[E_MODEL] = (cr_real)model;
  cr_status status = model == UNTUNED ? CR_OK : tuned_models(p, part, m, error);
  if (status == CR_OK && model >= CORRECTED) {
    status = learn(p, part, model - CORRECTED, m, row + E_COST, error);
  }
  status =
      status == CR_OK ? predict_part(p, part, model == UNTUNED ? p->m : m, row, error) : status;
  for (int s = 0; s < p->data.nshape; s++) {
    cr_model_destroy(m[s]);
  }
  return status;
}

static cr_status make_tables(push* p, cr_error* error) {
  int most = 0, list[MOST_TESTED * PARTS];
  for (int part = 0; part < PARTS; part++) {
    int n = p->data.n <= MOST_TESTED * PARTS ? gather(p, -1, part, true, list) : MOST_TESTED + 1;
    most = n > most ? n : most;
  }
  if (most > MOST_TESTED) {
    return cri_fail(error, CR_ERR_ARG, "push: %d pushes; at most %d are read", p->data.n,
                    MOST_TESTED * PARTS);
  }
  int n = snprintf(p->header, sizeof p->header, "part,model,cost_before,cost_after");
  for (int k = 0; k < most; k++) {
    n += snprintf(p->header + n, sizeof p->header - (size_t)n, ",mm_%d,deg_%d", k, k);
  }
  CR_TRY(cri_table_create(&p->fit, "push_fit.csv", fit_header, NULL, p->data.nshape * p->parts,
                          error));
  return cri_table_create(&p->errors, "push.csv", p->header, NULL,
                          p->parts * (CORRECTED + p->seeds), error);
}

// ---- what it came to: errors of each push

typedef struct {
  double untuned, tuned, corrected, low, high;  // corrected: median, least and most over seeds
} result;

static int rising(const void* a, const void* b) {
  double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

static void over_seeds(double* values, int n, result* r) {
  qsort(values, (size_t)n, sizeof *values, rising);
  r->corrected = n % 2 == 1 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
  r->low = values[0];
  r->high = values[n - 1];
}

// of push k of a part; turn: of the rotation
static double error_of(const push* p, int part, int model, int k, bool turn) {
  const cr_real* row =
      p->errors.value + (size_t)(model * p->parts + part) * (size_t)p->errors.width;
  return (double)row[E_PUSH + 2 * k + turn];
}

static result result_of(const push* p, int part, int k, bool turn) {
  double values[SEEDS];
  for (int s = 0; s < p->seeds; s++) {
    values[s] = error_of(p, part, CORRECTED + s, k, turn);
  }
  result r = {.untuned = error_of(p, part, UNTUNED, k, turn),
              .tuned = error_of(p, part, TUNED, k, turn)};
  over_seeds(values, p->seeds, &r);
  return r;
}

// the mean over tested pushes of a shape (-1: all), corrected: of each seed; *n: how many
static result mean_of(const push* p, int shape, bool turn, int* n) {
  double sums[CORRECTED + SEEDS] = {0};
  *n = 0;
  for (int part = 0; part < p->parts; part++) {
    int list[MOST_TESTED], count = gather(p, -1, part, true, list);
    for (int k = 0; k < count; k++) {
      if (shape >= 0 && p->data.push[list[k]].shape != shape) {
        continue;
      }
      ++*n;
      for (int model = 0; model < CORRECTED + p->seeds; model++) {
        sums[model] += error_of(p, part, model, k, turn);
      }
    }
  }
  for (int model = 0; model < CORRECTED + p->seeds; model++) {
    sums[model] /= *n > 0 ? *n : 1;
  }
  result r = {.untuned = sums[UNTUNED], .tuned = sums[TUNED]};
  over_seeds(sums + CORRECTED, p->seeds, &r);
  return r;
}

static void put_result(cr_real* to, const result* r) {
  to[0] = (cr_real)r->untuned;
  to[1] = (cr_real)r->tuned;
  to[2] = (cr_real)r->corrected;
  to[3] = (cr_real)r->low;
  to[4] = (cr_real)r->high;
}

static cr_status save_errors(const push* p, cr_error* error) {
  static const char header[] =
      "shape,push,part,mm_untuned,mm_tuned,mm_corrected,mm_corrected_least,mm_corrected_most,"
      "deg_untuned,deg_tuned,deg_corrected,deg_corrected_least,deg_corrected_most";
  const char** label = calloc((size_t)p->data.n, sizeof *label);
  cr_table t = {0};
  CR_TRY(label != NULL ? CR_OK : cri_fail(error, CR_ERR_MEMORY, "no memory"));
  cr_status status = cri_table_create(&t, "push_errors.csv", header, label, p->data.n, error);
  for (int part = 0; part < p->parts && status == CR_OK; part++) {
    int list[MOST_TESTED], n = gather(p, -1, part, true, list);
    for (int k = 0; k < n; k++) {
      result place = result_of(p, part, k, false), turn = result_of(p, part, k, true);
      label[t.rows] = p->data.shape[p->data.push[list[k]].shape].name;
      cr_real* row = cri_table_row(&t, t.rows);
      row[0] = (cr_real)list[k];
      row[1] = (cr_real)part;
      put_result(row + 2, &place);
      put_result(row + 7, &turn);
    }
  }
  status = status == CR_OK ? cri_table_save(&t, p->book->folder, error) : status;
  cri_table_free(&t);
  free(label);
  return status;
}

// ---- report

static void say_errors(cr_notebook* book, const push* p, bool turn) {
  cri_say(book, "%-22s %8s %8s %10s %19s\n", turn ? "rotation, degrees" : "position, mm", "untuned",
          "tuned", "corrected", "(seeds)");
  for (int s = 0; s <= p->data.nshape; s++) {
    int n, shape = s < p->data.nshape ? s : -1;
    result r = mean_of(p, shape, turn, &n);
    if (n > 0) {
      cri_say(book, "%-15s %3d    %8.2f %8.2f %10.2f   (%.2f to %.2f)%s\n",
              shape >= 0 ? p->data.shape[shape].name : "all", n, r.untuned, r.tuned, r.corrected,
              r.low, r.high, r.high < r.tuned ? "  better" : (r.low > r.tuned ? "  worse" : ""));
    }
  }
}

static void say_numbers(cr_notebook* book, const push* p) {
  cr_table fit = p->fit;
  cri_say(book, "\nTuned, least to most over the parts\n");
  for (int s = 0; s < p->data.nshape; s++) {
    cri_say(book, "%-12s", p->data.shape[s].name);
    for (int k = 0; k < CR_PUSH_NUMBERS; k++) {
      double low = (double)INFINITY, high = -(double)INFINITY;
      double unit = cri_push_numbers[k].unit[0] != 0 ? millimetres : 1;
      for (int part = 0; part < p->parts; part++) {
        double x = unit * (double)cri_table_row(&fit, s * p->parts + part)[F_NUMBER + k];
        low = fmin(low, x);
        high = fmax(high, x);
      }
      cri_say(book, "  %s %.3g to %.3g%s", cri_push_numbers[k].name, low, high,
              unit > 1 ? " mm" : "");
    }
    cri_say(book, "\n");
  }
}

static void conclude(cr_notebook* book, const push* p) {
  int n;
  cri_say(book,
          "Pushes of flat bodies by a finger, %s: %d pushes of %d shapes. Left out: %d that hardly "
          "moved the body, %d of a surface with fewer than %d of the shape.\n"
          "Each of %d parts is predicted by what was learned from all other pushes; numbers are "
          "tuned per shape, one network (lateral force below the body) for all shapes, %d seeds.\n"
          "Mean errors at the end of a push, of predictions from its start.\n\n",
          book->request.data != NULL ? "tracked" : "made", p->data.n, p->data.nshape, p->data.still,
          p->data.alone, CR_PUSH_LEAST, p->parts, p->seeds);
  say_errors(book, p, false);
  cri_say(book, "\n");
  say_errors(book, p, true);
  say_numbers(book, p);
  for (int turn = 0; turn < 2; turn++) {
    result r = mean_of(p, -1, turn, &n);
    const char* what = turn ? "rotation" : "position";
    cri_say(book, "Mean error of %s, tuned over untuned: %.3f\n", what, r.tuned / r.untuned);
    // the untuned numbers are a good guess for steel on plastic, and a bad one for what is made
    if (book->request.data == NULL) {
      cri_claim(book, r.tuned / r.untuned, 0, 1, "", "mean error of %s: tuned over untuned", what);
    }
    cri_claim(book, r.corrected / r.tuned, 0, 1, "", "mean error of %s: corrected over tuned",
              what);
  }
}

// ---- picture: the first tested push of each shape

enum { P_TIME, P_POSE, P_MODELS = P_POSE + 3, P_WIDTH = P_MODELS + 6 };
static const char path_header[] =
    "time,x,y,yaw,tuned_x,tuned_y,tuned_yaw,corrected_x,corrected_y,corrected_yaw";

static void put_pose(cr_real* to, const double* pose) {
  to[0] = (cr_real)(pose[0] * millimetres);
  to[1] = (cr_real)(pose[1] * millimetres);
  to[2] = (cr_real)(pose[2] * degrees);
}

static cr_status fill_path(const cr_push* at, const cr_model* m, int column, cr_table* t,
                           cr_error* error) {
  double off[2], *pose = calloc((size_t)at->nbody * 3, sizeof *pose);
  CR_TRY(pose != NULL ? CR_OK : cri_fail(error, CR_ERR_MEMORY, "no memory"));
  cr_status status = cri_push_predict(m, at, pose, off, error);
  for (int i = 0; i < at->nbody && status == CR_OK; i++) {
    cr_real* row = cri_table_row(t, i);
    row[P_TIME] = (cr_real)at->body[i][0];
    put_pose(row + P_POSE, at->body[i] + 1);
    put_pose(row + column, pose + (ptrdiff_t)3 * i);
  }
  free(pose);
  return status;
}

static cr_status save_path(const push* p, int shape, const char* csv, cr_error* error) {
  int list[MOST_TESTED], n = gather(p, shape, 0, true, list);
  const cr_push* at = &p->data.push[list[n > 1 ? 1 : 0]];
  char name[48], path[CR_MAX_PATH];
  cr_model* m[CR_PUSH_SHAPES] = {NULL};
  cr_table t = {0};
  network_file(name, sizeof name, 0, 0);
  cr_status status = cri_path_join(path, p->book->folder, name, error);
  status = status == CR_OK ? tuned_models(p, 0, m, error) : status;
  status =
      status == CR_OK ? cri_table_create(&t, csv, path_header, NULL, at->nbody, error) : status;
  status = status == CR_OK ? fill_path(at, m[shape], P_MODELS, &t, error) : status;
  status = status == CR_OK ? cr_model_read_blueprint(m[shape], path, error) : status;
  status = status == CR_OK ? fill_path(at, m[shape], P_MODELS + 3, &t, error) : status;
  status = status == CR_OK ? cri_table_save(&t, p->book->folder, error) : status;
  cri_table_free(&t);
  for (int s = 0; s < p->data.nshape; s++) {
    cr_model_destroy(m[s]);
  }
  return status;
}

enum { SHOWN = 5, CHARTS_OF_SHAPE = 2 };

static cr_status draw(const push* p, cr_error* error) {
  static const struct {
    const char *x, *y, *title;
    cr_curve_style style;
  } models[] = {{"x", "y", "tracked", CR_CURVE_LINE},
                {"tuned_x", "tuned_y", "tuned", CR_CURVE_DASHES},
                {"corrected_x", "corrected_y", "corrected", CR_CURVE_DASHES}};
  static const char* const yaws[] = {"yaw", "tuned_yaw", "corrected_yaw"};
  cr_curve curves[SHOWN][CHARTS_OF_SHAPE][3];
  cr_chart charts[SHOWN * CHARTS_OF_SHAPE];
  char csv[SHOWN][64], labels[SHOWN][64];
  int n = p->data.nshape < SHOWN ? p->data.nshape : SHOWN;
  double nan = (double)NAN;
  for (int s = 0; s < n; s++) {
    (void)snprintf(csv[s], sizeof csv[s], "push_path_%s.csv", p->data.shape[s].name);
    (void)snprintf(labels[s], sizeof labels[s], "%s: x, mm", p->data.shape[s].name);
    CR_TRY(save_path(p, s, csv[s], error));
    for (int k = 0; k < 3; k++) {
      curves[s][0][k] =
          (cr_curve){csv[s], models[k].x, models[k].y, models[k].title, models[k].style, NULL, 0};
      curves[s][1][k] =
          (cr_curve){csv[s], "time", yaws[k], models[k].title, models[k].style, NULL, 0};
    }
    charts[2 * s] = (cr_chart){labels[s], "y, mm", false, false, nan, nan, curves[s][0], 3};
    charts[2 * s + 1] =
        (cr_chart){"s", "rotation, degrees", false, false, nan, nan, curves[s][1], 3};
  }
  return cri_charts(p->book->folder, "push", "Pushes that no model has seen", charts,
                    CHARTS_OF_SHAPE * n, CHARTS_OF_SHAPE, error);
}

// ---- the study

static cr_status open(push* p, cr_error* error) {
  const cr_notebook* book = p->book;
  char made[CR_MAX_PATH];
  const char* path = book->request.data;
  if (path == NULL) {
    CR_TRY(cri_path_join(made, book->folder, data_file, error));
    if (!book->request.resume || cri_file_check(made, NULL) != CR_OK) {
      CR_TRY(cri_push_make(book->folder, book->request.brief ? MADE_BRIEF : MADE, made,
                           book->request.stop, error));
    }
    path = made;
  }
  CR_TRY(cri_push_read(&p->data, path, error));
  for (int s = 0; s < p->data.nshape; s++) {
    CR_TRY(cri_push_scene(book->folder, &p->data, s, &p->m[s], error));
  }
  return make_tables(p, error);
}

cr_status cri_study_push(cr_notebook* book, cr_error* error) {
  bool brief = book->request.brief;
  push p = {.book = book,
            .parts = brief ? 1 : PARTS,
            .seeds = brief ? 1 : SEEDS,
            .epochs = brief ? 12 : 6};
  int round = cr_pool_size(book->pool);
  cr_status status = open(&p, error);
  status = status == CR_OK ? cri_sweep(book, &p.fit, round, tune, &p, error) : status;
  status = status == CR_OK ? cri_sweep(book, &p.errors, round, compute, &p, error) : status;
  status = status == CR_OK ? save_errors(&p, error) : status;
  if (status == CR_OK) {
    conclude(book, &p);
    status = draw(&p, error);
  }
  cri_table_free(&p.fit);
  cri_table_free(&p.errors);
  for (int s = 0; s < CR_PUSH_SHAPES; s++) {
    cr_model_destroy(p.m[s]);
  }
  cri_push_free(&p.data);
  return status;
}
