// SPDX-License-Identifier: Apache-2.0
// Parmar, Halm and Posa, Fundamental Challenges in Deep Learning for Stiff Contact Dynamics (2021): tosses of a cube on floors of three
// stiffnesses, seen with noise. This part makes the data and measures the oracle: the simulator itself, started from what is seen. Then
// networks learn (stiff_learning.h).
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "notebook/sweep.h"
#include "stiff/sights.h"
#include "stiff/stiff_learning.h"
#include "stiff/stiff_oracle.h"
#include "stiff/stiff_studies.h"
#include "stiff/toss_file.h"
#include "tools/plot.h"

static const cri_sight* const sights = cri_sights;
enum { SCRIPTS = CRI_SCRIPTS, N_SIGHT = CRI_N_SIGHT };
enum { TRAINING = CRI_TRAINING, EVALUATION = CRI_EVALUATION };

typedef struct {
  cr_notebook* book;
  cr_model* model[CRI_N_FLOOR];
  cr_data** data;  // [workers][CRI_N_FLOOR]
  // tosses of a floor: for the oracle; in the file to learn from, and behind them to test on
  int evaluated, training, tested;
} contact;

// ---- the oracle: a row a toss of a floor, of those that no learner sees

enum { LOSS, POSITION, ROTATION, N_QUANTITY };
enum {
  SUMS = CRI_LOG_SUMS,
  T_FLOOR = 0,
  T_TOSS,
  T_ROWS,
  T_DEPTH,
  T_SUMS,
  N_COLUMN = T_SUMS + N_SIGHT * N_QUANTITY * SUMS
};
static const char oracle_csv[] = "stiff_contact_oracle.csv";

// column of the first sum
static int column_of(int sight, int quantity) {
  return T_SUMS + SUMS * (N_QUANTITY * sight + quantity);
}

static void print_header(char* text, size_t room) {
  static const char* const names[N_QUANTITY] = {"loss", "position", "rotation"};
  int n = snprintf(text, room, "floor,toss,rows,depth");
  for (int s = 0; s < N_SIGHT; s++) {
    for (int q = 0; q < N_QUANTITY; q++) {
      n += snprintf(text + n, room - (size_t)n, ",%s_%d_n,%s_%d_sum,%s_%d_logs,%s_%d_squares",
                    names[q], s, names[q], s, names[q], s, names[q], s);
    }
  }
}

static cr_status measure(const contact* c, int floor, int toss, int worker, cr_real* state,
                         cr_real* seen, cr_real* row, cr_error* error) {
  const cr_model* m = c->model[floor];
  cr_data* d = c->data[worker * CRI_N_FLOOR + floor];
  int rows;
  double depth = 0;
  CR_TRY(cri_tossed_run(m, d, floor, toss, state, &rows, error));
  for (int i = 0; i < rows; i++) {
    depth = fmax(depth, cri_tossed_depth(state + (ptrdiff_t)CRI_STATE * i));
  }
  row[T_FLOOR] = (cr_real)floor;
  row[T_TOSS] = (cr_real)toss;
  row[T_ROWS] = (cr_real)rows;
  row[T_DEPTH] = (cr_real)depth;
  for (int s = 0; s < N_SIGHT; s++) {
    cri_oracle oracle;
    CR_TRY(cri_tossed_see(m, &sights[s], toss, state, rows, seen, error));
    CR_TRY(cri_oracle_of(m, d, NULL, seen, rows - 1, &oracle, error));
    cri_log_sums_put(&oracle.loss, row + column_of(s, LOSS));
    cri_log_sums_put(&oracle.position, row + column_of(s, POSITION));
    cri_log_sums_put(&oracle.rotation, row + column_of(s, ROTATION));
  }
  return CR_OK;
}

static cr_status oracle_row(void* context, int i, int worker, cr_real* row, cr_error* error) {
  const contact* c = context;
  const int floor = i / c->evaluated;
  const size_t room = (size_t)cri_floors[floor].most * CRI_STATE;
  cr_real* state = malloc(2 * room * sizeof *state);
  if (state == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "stiff-contact: no memory");
  }
  cr_status status =
      measure(c, floor, TRAINING + i % c->evaluated, worker, state, state + room, row, error);
  free(state);
  return status;
}

// ---- what is published, and ours beside it

static const struct {
  double value, half;  // mean, and half its interval of 95 %
} published[CRI_N_FLOOR][N_QUANTITY] = {
    [CRI_HARD] = {{0.0836, 1.8e-3}, {4.31, 0.13}, {3.98, 0.03}},
    [CRI_MEDIUM] = {{0.011, 1.8e-4}, {3.57, 0.08}, {3.26, 0.03}},
    [CRI_SOFT] = {{3.19e-3, 1.9e-5}, {2.92, 0.04}, {2.77, 0.03}}};
static const double published_depth[CRI_N_FLOOR] = {12, 26, 40};  // mm

// units of the table: the squares of both kinds of velocity as means of three numbers each; % of the width; degrees
static double unit_of(int quantity) {
  return quantity == LOSS       ? 1.0 / 3
         : quantity == POSITION ? 100 / cri_tossed_side
                                : 180 / (double)CR_PI;
}

// in the units of cri_oracle
static cri_log_mean log_mean_of(const contact* c, cr_table* t, int floor, int sight, int quantity) {
  return cri_log_mean_of(cri_table_row(t, floor * c->evaluated) + column_of(sight, quantity),
                         t->width, c->evaluated);
}

static cri_log_mean mean_of(const contact* c, cr_table* t, int floor, int sight, int quantity) {
  const double unit = unit_of(quantity);
  cri_log_mean mean = log_mean_of(c, t, floor, sight, quantity);
  mean.arithmetic *= unit;
  mean.mean *= unit;
  mean.half *= unit;
  mean.deviation *= unit;
  return mean;
}

static double mean_column(const contact* c, cr_table* t, int floor, int column) {
  double sum = 0;
  for (int i = 0; i < c->evaluated; i++) {
    sum += (double)cri_table_row(t, floor * c->evaluated + i)[column];
  }
  return sum / c->evaluated;
}

static const char* const quantity_names[N_QUANTITY] = {"single step", "position, %",
                                                       "rotation, deg"};

static void say_oracle(const contact* c, cr_table* t) {
  cri_say(
      c->book,
      "The oracle, %d tosses a floor, seen as the published scripts have it: log-normal means with "
      "Cox's "
      "intervals of 95 %%,\nand with the standard error between tosses\n\n  %-8s %-14s %22s %10s "
      "%24s\n",
      c->evaluated, "", "", "ours", "se", "published");
  for (int f = 0; f < CRI_N_FLOOR; f++) {
    for (int q = 0; q < N_QUANTITY; q++) {
      const cri_log_mean is = mean_of(c, t, f, SCRIPTS, q);
      cri_say(c->book, "  %-8s %-14s %10.4g +- %-8.2g %10.2g %12.4g +- %-8.2g\n",
              q == 0 ? cri_floors[f].name : "", quantity_names[q], is.mean, is.half, is.deviation,
              published[f][q].value, published[f][q].half);
    }
  }
  cri_say(c->book, "\nOther readings of the noise and of means\n\n  %-24s %16s", "", "");
  for (int s = 0; s < N_SIGHT; s++) {
    cri_say(c->book, " %18s", sights[s].name);
  }
  cri_say(c->book, " %18s %12s\n", "arithmetic mean", "published");
  for (int f = 0; f < CRI_N_FLOOR; f++) {
    for (int q = 0; q < N_QUANTITY; q++) {
      cri_say(c->book, "  %-24s %-16s", q == 0 ? cri_floors[f].name : "", quantity_names[q]);
      for (int s = 0; s < N_SIGHT; s++) {
        cri_say(c->book, " %18.4g", mean_of(c, t, f, s, q).mean);
      }
      cri_say(c->book, " %18.4g %12.4g\n", mean_of(c, t, f, SCRIPTS, q).arithmetic,
              published[f][q].value);
    }
  }
}

// both have a standard error between tosses; that of the published one is ours, of as many tosses as it has
static double apart(const contact* c, cr_table* t, int floor, int quantity) {
  const cri_log_mean is = mean_of(c, t, floor, SCRIPTS, quantity);
  const double value = published[floor][quantity].value;
  const double theirs = is.deviation * value / is.mean * sqrt((double)c->evaluated / EVALUATION);
  return fabs(is.mean - value) / hypot(is.deviation, theirs);
}

static void claim(const contact* c, cr_table* t) {
  char text[64];
  for (int f = 0; f < CRI_N_FLOOR; f++) {
    for (int q = 0; q < N_QUANTITY; q++) {
      (void)snprintf(text, sizeof text, "%.3g", published[f][q].value);
      cri_claim(c->book, apart(c, t, f, q), 0, 3, text,
                "%s, oracle, %s: standard errors from the published", cri_floors[f].name,
                quantity_names[q]);
    }
  }
  for (int f = 0; f < CRI_N_FLOOR; f++) {
    const double deep = published_depth[f], slack = c->book->request.brief ? 0.3 : 0.1;
    (void)snprintf(text, sizeof text, "%g", deep);
    cri_claim(c->book, 1e3 * mean_column(c, t, f, T_DEPTH), deep * (1 - slack), deep * (1 + slack),
              text, "%s: largest depth of a toss, mean, mm", cri_floors[f].name);
    cri_say(c->book, "%s%-8s %.1f rows a toss, largest depth %.2f mm (published %g)\n",
            f == 0 ? "\n" : "", cri_floors[f].name, mean_column(c, t, f, T_ROWS),
            1e3 * mean_column(c, t, f, T_DEPTH), deep);
  }
}

// ---- the data, for all floors the same starts and the same errors of sight

static cr_status save_tosses(const contact* c, int floor, cr_error* error) {
  char file[64], path[CR_MAX_PATH];
  cri_tosses tosses = {.tosses = 0};
  (void)snprintf(file, sizeof file, "tosses_%s.h5", cri_floors[floor].name);
  CR_TRY(cri_path_join(path, c->book->folder, file, error));
  if (c->book->request.resume && access(path, F_OK) == 0) {
    cr_status status = cri_tosses_read(&tosses, floor, c->training + c->tested, path, error);
    cri_tosses_free(&tosses);
    return status;
  }
  cr_status status = cri_tosses_make(&tosses, c->book, c->model[floor], floor, &sights[SCRIPTS],
                                     c->training + c->tested, error);
  status = status == CR_OK ? cri_tosses_save(&tosses, floor, path, error) : status;
  cri_say(c->book, "%s%s: %d tosses, %d rows\n", floor == 0 ? "\n" : "", file,
          c->training + c->tested, status == CR_OK ? (int)tosses.first[tosses.tosses] : 0);
  cri_tosses_free(&tosses);
  return status;
}

// ---- the picture: distributions of the oracle's errors, as shares of tosses below

static const char share_csv[] = "stiff_contact_share.csv";
static const char share_header[] = "floor,share,loss,position,rotation,depth";

static int rising(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

// in rising order: means of a toss, or its depth; returns how many there are, as short tosses have no roll-out
static int sort_column(const contact* c, cr_table* t, int floor, int quantity, double* value) {
  int n = 0;
  for (int i = 0; i < c->evaluated; i++) {
    const cr_real* row = cri_table_row(t, floor * c->evaluated + i);
    if (quantity == N_QUANTITY) {
      value[n++] = 1e3 * (double)row[T_DEPTH];
      continue;
    }
    const cr_real* sums = row + column_of(SCRIPTS, quantity);
    if (sums[0] > 0) {
      value[n++] = (double)(sums[1] / sums[0]) * unit_of(quantity);
    }
  }
  qsort(value, (size_t)n, sizeof *value, rising);
  return n;
}

static cr_status make_shares(const contact* c, cr_table* t, cr_error* error) {
  cr_table shares = {0};
  double* value = malloc((size_t)c->evaluated * sizeof *value);
  CR_TRY(value != NULL ? CR_OK : cri_fail(error, CR_ERR_MEMORY, "stiff-contact: no memory"));
  cr_status status =
      cri_table_create(&shares, share_csv, share_header, NULL, CRI_N_FLOOR * c->evaluated, error);
  for (int f = 0; f < CRI_N_FLOOR && status == CR_OK; f++) {
    for (int q = 0; q <= N_QUANTITY; q++) {
      const int n = sort_column(c, t, f, q, value);
      for (int i = 0; i < c->evaluated; i++) {
        cr_real* row = shares.value + (ptrdiff_t)shares.width * (f * c->evaluated + i);
        row[0] = (cr_real)f;
        row[1] = (cr_real)(i + 0.5) / (cr_real)c->evaluated;
        row[2 + q] = (cr_real)value[(ptrdiff_t)i * n / c->evaluated];
      }
    }
  }
  shares.rows = shares.room;
  status = status == CR_OK ? cri_table_save(&shares, c->book->folder, error) : status;
  cri_table_free(&shares);
  free(value);
  return status;
}

static cr_status draw(const contact* c, cr_table* t, cr_error* error) {
  static const char* const columns[] = {"loss", "position", "rotation", "depth"};
  static const char* const titles[] = {"single-step loss of a toss",
                                       "error of a roll-out, % of the width",
                                       "error of a roll-out, degrees", "largest depth, mm"};
  enum { N_CHART = 4 };
  cr_curve curves[N_CHART][CRI_N_FLOOR];
  cr_chart charts[N_CHART];
  CR_TRY(make_shares(c, t, error));
  for (int k = 0; k < N_CHART; k++) {
    for (int f = 0; f < CRI_N_FLOOR; f++) {
      curves[k][f] =
          (cr_curve){share_csv, columns[k], "share", cri_floors[f].name, CR_CURVE_LINE, "floor", f};
    }
    charts[k] = (cr_chart){.xlabel = titles[k],
                           .ylabel = "share of tosses below",
                           .log_x = k + 1 < N_CHART,
                           .low = 0,
                           .high = 1,
                           .curves = curves[k],
                           .ncurve = CRI_N_FLOOR};
  }
  return cri_charts(c->book->folder, "stiff_contact", "The oracle on floors of three stiffnesses",
                    charts, N_CHART, 2, error);
}

// ---- the study

static cr_status open_all(contact* c, cr_error* error) {
  const int workers = cr_pool_size(c->book->pool);
  c->data = calloc((size_t)workers * CRI_N_FLOOR, sizeof *c->data);
  if (c->data == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "stiff-contact: no memory");
  }
  for (int f = 0; f < CRI_N_FLOOR; f++) {
    CR_TRY(cri_tossed_open(c->book, f, &c->model[f], error));
    for (int w = 0; w < workers; w++) {
      CR_TRY(cr_data_create(&c->data[w * CRI_N_FLOOR + f], c->model[f], error));
    }
  }
  return CR_OK;
}

static void close_all(contact* c) {
  const int n = cr_pool_size(c->book->pool) * CRI_N_FLOOR;
  for (int i = 0; i < n && c->data != NULL; i++) {
    cr_data_destroy(c->data[i]);
  }
  for (int f = 0; f < CRI_N_FLOOR; f++) {
    cr_model_destroy(c->model[f]);
  }
  free(c->data);
}

// trainings take long, so that the report of the oracle is there before they begin
static cr_status save_report(const contact* c, cr_error* error) {
  char path[CR_MAX_PATH];
  CR_TRY(cri_path_join(path, c->book->folder, "stiff_contact_oracle.txt", error));
  return c->book->text == NULL ? CR_OK
                               : cri_file_write(path, c->book->text, c->book->length, error);
}

static cr_status learn(const contact* c, cr_table* t, cr_error* error) {
  cri_learning l = {.book = c->book,
                    .model = c->model,
                    .interval = sights[SCRIPTS].interval,
                    .training = c->training,
                    .tested = c->tested};
  for (int f = 0; f < CRI_N_FLOOR; f++) {
    for (int q = 0; q < N_QUANTITY; q++) {
      l.oracle[N_QUANTITY * f + q] = log_mean_of(c, t, f, SCRIPTS, q);
    }
  }
  return cri_stiff_learn(&l, error);
}

static cr_status compute(contact* c, cr_table* t, cr_error* error) {
  CR_TRY(open_all(c, error));
  CR_TRY(cri_sweep(c->book, t, 64, oracle_row, c, error));
  say_oracle(c, t);
  claim(c, t);
  for (int f = 0; f < CRI_N_FLOOR; f++) {
    CR_TRY(save_tosses(c, f, error));
  }
  CR_TRY(draw(c, t, error));
  CR_TRY(save_report(c, error));
  return learn(c, t, error);
}

cr_status cri_study_stiff_contact(cr_notebook* book, cr_error* error) {
  const bool brief = book->request.brief;
  contact c = {.book = book,
               .evaluated = brief ? 100 : EVALUATION,
               .training = brief ? 200 : TRAINING,
               .tested = brief ? 100 : EVALUATION};
  cr_table t = {0};
  char header[4096];
  print_header(header, sizeof header);
  cr_status status =
      cri_table_create(&t, oracle_csv, header, NULL, CRI_N_FLOOR * c.evaluated, error);
  status = status == CR_OK ? compute(&c, &t, error) : status;
  cri_table_free(&t);
  close_all(&c);
  return status;
}
