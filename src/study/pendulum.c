// SPDX-License-Identifier: Apache-2.0
// A real double pendulum (Asseman, Kornuta and Ozcan, Learning beyond simulated physics, 2018): two angles from a film. Length, inertias and
// friction with intervals, from pieces of two thirds of the runs, and from each of these runs alone. On the other runs: the time until
// a prediction from 0.2 s is off by an angle, of the model found, of one without friction, and of the guess; of the model found with a
// network on the torques of its joints, and of an LSTM alone.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "carom/carom.h"
#include "notebook/sweep.h"
#include "study/studies.h"
#include "study/swing_fit.h"
#include "study/swing_lstm.h"
#include "tools/plot.h"

// of the recordings that the study makes
static const cr_real truth[CR_SWING_N] = {CR_R(0.143),  CR_R(0.1414), CR_R(0.0107), CR_R(0.102),
                                          CR_R(0.002),  CR_R(0.0006), CR_R(0.01),   CR_R(0.017),
                                          CR_R(-0.005), CR_R(0.004)};

static const cr_real stated_length = CR_R(0.091);  // m, of arm 1
static const double limits[] = {0.5, (double)CR_PI / 2};
enum { N_LIMIT = (int)(sizeof limits / sizeof limits[0]) };
static const double start_time = 0.2, horizon = 3;  // s

typedef struct {
  const cr_notebook* book;
  cr_swing_data data;
  cr_model* m;
  cr_table found, learned;
  int train, held, pieces, starts;  // runs to fit, runs to predict; of each run
  int seeds, epochs;                // of networks; of the LSTM
} pendulum;

static bool stopped(void* context) {
  const pendulum* p = context;
  return p->book->request.stop != NULL && p->book->request.stop();
}

// ---- fits: a row for all runs, one without friction, then one for each run alone

enum { ALL, FRICTIONLESS, N_MODEL, ALONE = N_MODEL };
enum {
  F_KIND,
  F_RUN,  // -1: all
  F_NUMBER,
  F_DEVIATION = F_NUMBER + CR_SWING_N,
  F_RMS = F_DEVIATION + CR_SWING_N,
  F_CORRELATION = F_RMS + 2,
  F_CONVERGED = F_CORRELATION + 2,
  F_RATE
};
static const char fit_header[] =
    "kind,run,l1,A,C,Q,damping_1,damping_2,friction_1,friction_2,rest,centre,sd_l1,sd_A,sd_C,sd_Q,"
    "sd_damping_1,sd_damping_2,sd_friction_1,sd_friction_2,sd_rest,sd_centre,rms_1,rms_2,"
    "correlation_1,correlation_2,converged,rows_a_second";

static cr_status fit(void* context, int i, int worker, cr_real* row, cr_error* error) {
  (void)worker;
  pendulum* p = context;
  cr_swing_found found;
  const cr_swing_search search = {.data = &p->data,
                                  .first = i < ALONE ? 0 : i - ALONE,
                                  .runs = i < ALONE ? p->train : 1,
                                  .pieces = p->pieces,
                                  .piece = CR_R(0.4),
                                  .frictionless = i == FRICTIONLESS};
  CR_TRY(cri_swing_fit(p->m, &search, &found, stopped, p, error));
  row[F_KIND] = (cr_real)(i < ALONE ? i : ALONE);
  row[F_RUN] = (cr_real)(i < ALONE ? -1 : i - ALONE);
  cr_copy(row + F_NUMBER, found.number, CR_SWING_N);
  cr_copy(row + F_DEVIATION, found.deviation, CR_SWING_N);
  cr_copy(row + F_RMS, found.rms, 2);
  cr_copy(row + F_CORRELATION, found.correlation, 2);
  row[F_CONVERGED] = found.converged;
  // lengths go with the square of the interval
  row[F_RATE] = cr_sqrt(found.number[CR_SWING_L1] / stated_length) / p->data.interval;
  return CR_OK;
}

// ---- predictions: a row a start, of runs that no fit has seen

enum { GUESS = N_MODEL, N_PREDICTION };
static const char* const prediction_names[N_PREDICTION] = {"identified", "without friction",
                                                           "guess: two rods"};
enum { T_RUN, T_BEGIN, T_SPEED, T_TIME, T_WIDTH = T_TIME + N_PREDICTION * N_LIMIT };
static const char time_header[] =
    "run,begin,speed,identified,identified_wide,frictionless,frictionless_wide,guess,guess_wide";

// s from the start until an angle is off by more than the limit; the horizon if none is
static double time_off(const double* seen, const cr_real* angle, int rows, double limit,
                       double interval) {
  for (int i = 0; i < rows; i++) {
    for (int j = 0; j < 2; j++) {
      if (!(fabs((double)angle[2 * i + j] - seen[2 * i + j]) <= limit)) {
        return i * interval;
      }
    }
  }
  return (rows - 1) * interval;
}

static void place_of(const pendulum* p, int i, int* run, int* first, int* rows) {
  *run = p->train + i / p->starts;
  *rows = (int)lround(horizon / (double)p->data.interval) + 1;
  *first = (int)((double)(p->data.run[*run].rows - *rows) * (i % p->starts) / p->starts);
}

static cr_status model_of(pendulum* p, int k, cr_model** m, cr_error* error) {
  cr_real guess[CR_SWING_N];
  cri_swing_guess(guess);
  CR_TRY(cr_model_copy(m, p->m, error));
  return cri_swing_put(*m, k == GUESS ? guess : cri_table_row(&p->found, k) + F_NUMBER, error);
}

static cr_status predict(pendulum* p, int i, cr_real* angle, cr_real* row, cr_error* error) {
  int run, first, rows;
  place_of(p, i, &run, &first, &rows);
  double interval = (double)p->data.interval;
  int start = (int)lround(start_time / interval) + 1;
  const double* seen = p->data.run[run].angle + (ptrdiff_t)2 * first;
  row[T_RUN] = (cr_real)run;
  row[T_BEGIN] = (cr_real)(first * interval);
  row[T_SPEED] = (cr_real)(fabs(seen[2 * (start - 1)] - seen[0]) / start_time);
  for (int k = 0; k < N_PREDICTION; k++) {
    cr_model* m = NULL;
    cr_status status = model_of(p, k, &m, error);
    if (status == CR_OK) {
      status = cri_swing_predict(m, &p->data, run, first, start, rows, angle, error);
    }
    cr_model_destroy(m);
    CR_TRY(status);
    for (int j = 0; j < N_LIMIT; j++) {
      row[T_TIME + k * N_LIMIT + j] = (cr_real)time_off(seen, angle, rows, limits[j], interval);
    }
  }
  return CR_OK;
}

static cr_status work(void* context, int i, int worker, cr_real* row, cr_error* error) {
  (void)worker;
  pendulum* p = context;
  int run, first, rows;
  place_of(p, i, &run, &first, &rows);
  cr_real* angle = calloc((size_t)rows * 2, sizeof *angle);
  CR_TRY(angle != NULL ? CR_OK : cri_fail(error, CR_ERR_MEMORY, "no memory"));
  cr_status status = predict(p, i, angle, row, error);
  free(angle);
  return status;
}

// ---- networks: a row for the model found, then one for each seed of a kind

enum { FOUND, CORRECTED, LSTM, N_KIND };
static const char* const kind_names[N_KIND] = {"identified", "identified + network", "LSTM alone"};
enum { MOST_HELD = 6, MOST_STARTS = 8 };
enum {
  N_KIND_OF,
  N_SEED,
  N_WITHIN,
  N_WIDE = N_WITHIN + 3,
  N_ERROR,
  N_RUN,
  N_RUN_ERROR = N_RUN + MOST_HELD
};
static const char network_csv[] = "pendulum_network.csv";
static const char network_header[] =
    "kind,seed,time,time_low,time_high,time_wide,error,time_1,time_2,time_3,time_4,time_5,time_6,"
    "error_1,error_2,error_3,error_4,error_5,error_6";

// a model, or the network that remembers
typedef struct {
  const cr_model* m;
  const cr_lstm* lstm;
  const cr_swing_lstm* how;
} predictor;

// rms of both angles from the end of the start until as long behind it
static double error_behind(const double* seen, const cr_real* angle, int start) {
  double sum = 0;
  for (int i = 2 * start; i < 4 * start; i++) {
    sum += ((double)angle[i] - seen[i]) * ((double)angle[i] - seen[i]);
  }
  return sqrt(sum / (2 * start));
}

static cr_status judge_start(pendulum* p, predictor by, int i, cr_real* angle, double time[N_LIMIT],
                             double* error_of, cr_error* error) {
  int run, first, rows;
  place_of(p, i, &run, &first, &rows);
  double interval = (double)p->data.interval;
  int start = (int)lround(start_time / interval) + 1;
  const double* seen = p->data.run[run].angle + (ptrdiff_t)2 * first;
  CR_TRY(by.lstm != NULL
             ? cri_swing_lstm_predict(by.lstm, &p->data, by.how, run, first, rows, angle, error)
             : cri_swing_predict(by.m, &p->data, run, first, start, rows, angle, error));
  for (int j = 0; j < N_LIMIT; j++) {
    time[j] = time_off(seen, angle, rows, limits[j], interval);
  }
  *error_of = error_behind(seen, angle, start);
  return CR_OK;
}

static int rising(const void* a, const void* b) {
  double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

// of numbers, which it sorts
static double quantile_of(double* values, int n, double share) {
  qsort(values, (size_t)n, sizeof values[0], rising);
  return values[(int)(share * (n - 1) + 0.5)];
}

static cr_status judge(pendulum* p, predictor by, cr_real* row, cr_error* error) {
  double time[MOST_HELD * MOST_STARTS], wide[MOST_HELD * MOST_STARTS], off[MOST_HELD * MOST_STARTS];
  int n = p->held * p->starts, run, first, rows;
  place_of(p, 0, &run, &first, &rows);
  cr_real* angle = calloc((size_t)rows * 2, sizeof *angle);
  cr_status status = angle != NULL ? CR_OK : cri_fail(error, CR_ERR_MEMORY, "no memory");
  for (int i = 0; i < n && status == CR_OK; i++) {
    double times[N_LIMIT] = {0};
    status = judge_start(p, by, i, angle, times, &off[i], error);
    time[i] = times[0];
    wide[i] = times[1];
  }
  free(angle);
  for (int r = 0; r < p->held && status == CR_OK; r++) {
    row[N_RUN + r] = (cr_real)quantile_of(time + r * p->starts, p->starts, 0.5);
    row[N_RUN_ERROR + r] = (cr_real)quantile_of(off + r * p->starts, p->starts, 0.5);
  }
  for (int j = 0; j < 3 && status == CR_OK; j++) {
    static const double shares[] = {0.5, 0.25, 0.75};
    row[N_WITHIN + j] = (cr_real)quantile_of(time, n, shares[j]);
  }
  if (status == CR_OK) {
    row[N_WIDE] = (cr_real)quantile_of(wide, n, 0.5);
    row[N_ERROR] = (cr_real)quantile_of(off, n, 0.5);
  }
  return status;
}

static cr_status with_model(pendulum* p, int seed, cr_real* row, cr_error* error) {
  const cr_swing_search search = {
      .data = &p->data, .runs = p->train, .pieces = p->pieces, .piece = CR_R(0.4)};
  cr_model* m = NULL;
  cr_status status = model_of(p, ALL, &m, error);
  if (status == CR_OK && seed > 0) {
    status = cri_swing_correct(m, &search, (uint64_t)seed, stopped, p, error);
  }
  status = status == CR_OK ? judge(p, (predictor){.m = m}, row, error) : status;
  cr_model_destroy(m);
  return status;
}

static cr_status with_lstm(pendulum* p, int seed, cr_real* row, cr_error* error) {
  const cr_swing_lstm how = {.runs = p->train,
                             .thin = 4,
                             .known = (int)lround(start_time / (double)p->data.interval) + 1,
                             .epochs = p->epochs,
                             .seed = (uint64_t)seed,
                             .stop = stopped,
                             .context = p};
  cr_lstm lstm;
  cr_status status = cri_swing_lstm_train(&lstm, &p->data, &how, error);
  status = status == CR_OK ? judge(p, (predictor){.lstm = &lstm, .how = &how}, row, error) : status;
  cri_lstm_free(&lstm);
  return status;
}

static cr_status learn(void* context, int i, int worker, cr_real* row, cr_error* error) {
  (void)worker;
  pendulum* p = context;
  int kind = i == 0 ? FOUND : CORRECTED + (i - 1) / p->seeds,
      seed = i == 0 ? 0 : 1 + (i - 1) % p->seeds;
  cr_zero(row, N_RUN_ERROR + MOST_HELD);
  row[N_KIND_OF] = (cr_real)kind;
  row[N_SEED] = (cr_real)seed;
  return kind == LSTM ? with_lstm(p, seed, row, error) : with_model(p, seed, row, error);
}

// ---- claims

// of a column; share 0.5: the median
static double quantile(cr_table* t, int first, int column, double share) {
  double values[1024];
  int n = 0;
  for (int i = first; i < t->rows && n < 1024; i++) {
    values[n++] = (double)cri_table_row(t, i)[column];
  }
  return quantile_of(values, n, share);
}

// half the width of an interval of 90 %
static double half_width(cr_real deviation) { return 1.645 * (double)deviation; }

static void say_numbers(cr_notebook* book, pendulum* p) {
  const cr_real *all = cri_table_row(&p->found, ALL),
                *none = cri_table_row(&p->found, FRICTIONLESS);
  cri_say(book, "%-11s %11s %11s  %-24s %13s %13s\n", "", "found", "+- (90 %)",
          "runs alone, lowest, highest", "no friction",
          p->book->request.data == NULL ? "truth" : "");
  for (int i = 0; i < CR_SWING_N; i++) {
    cri_say(book, "%-11s %11.6g ", cri_swing_numbers[i].name, (double)all[F_NUMBER + i]);
    double width = half_width(all[F_DEVIATION + i]);
    isfinite(width) ? cri_say(book, "%11.2g", width) : cri_say(book, "%11s", "not told");
    cri_say(book, "  %12.6g %12.6g   %13.6g", quantile(&p->found, ALONE, F_NUMBER + i, 0),
            quantile(&p->found, ALONE, F_NUMBER + i, 1), (double)none[F_NUMBER + i]);
    if (p->book->request.data == NULL) {
      cri_say(book, " %12.6g", (double)truth[i]);
    }
    cri_say(book, "  %s%s%s\n", cri_swing_numbers[i].unit,
            cri_swing_numbers[i].unit[0] != 0 ? ", " : "", cri_swing_numbers[i].meaning);
  }
  for (int k = 0; k < N_MODEL; k++) {
    const cr_real* row = cri_table_row(&p->found, k);
    cri_say(book,
            "%s: errors over windows of 0.2 s %.2f and %.2f mrad; correlation of an error with the "
            "next %.2f and %.2f.\n",
            prediction_names[k], 1000 * (double)row[F_RMS], 1000 * (double)row[F_RMS + 1],
            (double)row[F_CORRELATION], (double)row[F_CORRELATION + 1]);
  }
  cri_say(book,
          "With g = 9.81 m/s^2 and %g rows a second l1 is %.4g m. An arm of %g m wants %.4g rows a "
          "second.\n",
          1 / (double)p->data.interval, (double)all[F_NUMBER + CR_SWING_L1], (double)stated_length,
          (double)all[F_RATE]);
}

static void say_times(cr_notebook* book, cr_table* times) {
  cri_say(book,
          "\nPredictions on runs not used, %d starts, from a state fitted to %g s, over %g s: time "
          "until an angle is off, s\n%-18s %27s %27s\n",
          times->rows, start_time, horizon, "", "by 0.5 rad: median (quarters)",
          "by pi/2: median (quarters)");
  for (int k = 0; k < N_PREDICTION; k++) {
    cri_say(book, "%-18s", prediction_names[k]);
    for (int j = 0; j < N_LIMIT; j++) {
      int column = T_TIME + k * N_LIMIT + j;
      cri_say(book, "      %6.3f (%.3f to %.3f)", quantile(times, 0, column, 0.5),
              quantile(times, 0, column, 0.25), quantile(times, 0, column, 0.75));
    }
    cri_say(book, "\n");
  }
}

// a column of a kind over its seeds: share 0, 0.5 or 1
static double of_kind(pendulum* p, int kind, int column, double share) {
  double values[8];
  int n = 0;
  for (int i = 0; i < p->learned.rows && n < 8; i++) {
    const cr_real* row = cri_table_row(&p->learned, i);
    if (row[N_KIND_OF] == (cr_real)kind) {
      values[n++] = (double)row[column];
    }
  }
  return quantile_of(values, n, share);
}

static void say_networks(cr_notebook* book, pendulum* p) {
  cri_say(book,
          "\nThe same predictions with networks, %d seeds: medians over starts, then the median, "
          "least and most of the seeds\n%-22s %28s %10s %34s\n",
          p->seeds, "", "until 0.5 rad, s", "pi/2, s", "error in the 0.2 s behind, mrad");
  for (int k = 0; k < N_KIND; k++) {
    cri_say(book, "%-22s %8.3f (%6.3f to %6.3f) %10.3f %12.1f (%6.1f to %6.1f)\n", kind_names[k],
            of_kind(p, k, N_WITHIN, 0.5), of_kind(p, k, N_WITHIN, 0), of_kind(p, k, N_WITHIN, 1),
            of_kind(p, k, N_WIDE, 0.5), 1e3 * of_kind(p, k, N_ERROR, 0.5),
            1e3 * of_kind(p, k, N_ERROR, 0), 1e3 * of_kind(p, k, N_ERROR, 1));
  }
  for (int r = 0; r < p->held; r++) {
    cri_say(book, "%s:", p->data.run[p->train + r].name);
    for (int k = 0; k < N_KIND; k++) {
      cri_say(book, "%s %s %.3f s (%.3f to %.3f), %.1f mrad (%.1f to %.1f)", k > 0 ? ";" : "",
              kind_names[k], of_kind(p, k, N_RUN + r, 0.5), of_kind(p, k, N_RUN + r, 0),
              of_kind(p, k, N_RUN + r, 1), 1e3 * of_kind(p, k, N_RUN_ERROR + r, 0.5),
              1e3 * of_kind(p, k, N_RUN_ERROR + r, 0), 1e3 * of_kind(p, k, N_RUN_ERROR + r, 1));
    }
    cri_say(book, "\n");
  }
}

// largest distance of runs alone from all, relative
static double spread(pendulum* p, int i) {
  double all = (double)cri_table_row(&p->found, ALL)[F_NUMBER + i];
  return fmax(fabs(quantile(&p->found, ALONE, F_NUMBER + i, 0) - all),
              fabs(quantile(&p->found, ALONE, F_NUMBER + i, 1) - all)) /
         fabs(all);
}

static void claim_truth(cr_notebook* book, pendulum* p) {
  const cr_real* all = cri_table_row(&p->found, ALL);
  for (int i = 0; i < CR_SWING_N; i++) {
    double deviation = (double)all[F_DEVIATION + i];
    if (isfinite(deviation)) {
      cri_claim(book, fabs((double)(all[F_NUMBER + i] - truth[i])) / deviation, 0, 4, "",
                "%s: distance from the truth, standard deviations", cri_swing_numbers[i].name);
    }
  }
}

static void conclude(cr_notebook* book, pendulum* p, cr_table* times) {
  bool recorded = book->request.data != NULL;
  const cr_real* all = cri_table_row(&p->found, ALL);
  cri_say(book,
          "A double pendulum, %s: %d runs fitted, %d pieces of 0.4 s each, cut into windows of 0.2 "
          "s; %d runs held aside.\n"
          "P is the weight moment over g: m1 c1 + m2 l1. Angles alone tell no mass.\n\n",
          recorded ? "filmed" : "made", p->train, p->pieces, p->held);
  say_numbers(book, p);
  say_times(book, times);
  say_networks(book, p);
  for (int i = CR_SWING_L1; i <= CR_SWING_Q; i++) {
    cri_claim(book, half_width(all[F_DEVIATION + i]) / (double)all[F_NUMBER + i], 0, 0.01, "",
              "%s: half the interval of 90 %%, relative", cri_swing_numbers[i].name);
    cri_claim(book, spread(p, i), 0, 0.05, "",
              "%s: distance of a run alone from all runs, at most, relative",
              cri_swing_numbers[i].name);
  }
  if (!recorded) {
    claim_truth(book, p);
  }
  for (int j = 0; j < 2; j++) {
    cri_claim(book, (double)(all[F_RMS + j] / cri_table_row(&p->found, FRICTIONLESS)[F_RMS + j]), 0,
              1, "", "errors of angle %d: with friction over without", j + 1);
  }
  cri_claim(book, of_kind(p, FOUND, N_WITHIN, 0.5) / of_kind(p, LSTM, N_WITHIN, 0.5), 1,
            (double)INFINITY, "", "median time until 0.5 rad: identified over LSTM alone");
  double found = quantile(times, 0, T_TIME + ALL * N_LIMIT, 0.5);
  cri_claim(book, found / quantile(times, 0, T_TIME + GUESS * N_LIMIT, 0.5), 2, (double)INFINITY,
            "", "median time until 0.5 rad: identified over guess");
  cri_claim(book, found / quantile(times, 0, T_TIME + FRICTIONLESS * N_LIMIT, 0.5), 1,
            (double)INFINITY, "", "median time until 0.5 rad: identified over without friction");
}

// ---- picture

// times of every model in rising order, with the share of starts that are still on
static cr_status survival(const cr_notebook* book, cr_table* times, cr_error* error) {
  static const char header[] = "share,identified,frictionless,guess";
  cr_table t = {0};
  CR_TRY(cri_table_create(&t, "pendulum_share.csv", header, NULL, times->rows, error));
  for (int i = 0; i < times->rows; i++) {
    double at = times->rows > 1 ? (double)i / (times->rows - 1) : 0;
    cr_real* row = cri_table_row(&t, i);
    row[0] = (cr_real)(1 - at);
    for (int k = 0; k < N_PREDICTION; k++) {
      row[1 + k] = (cr_real)quantile(times, 0, T_TIME + k * N_LIMIT, at);
    }
  }
  cr_status status = cri_table_save(&t, book->folder, error);
  cri_table_free(&t);
  return status;
}

enum { SHOWN = 1 };  // start of which the picture shows the prediction
static const char shown_csv[] = "pendulum_prediction.csv";

static cr_status show(pendulum* p, cr_error* error) {
  static const char header[] =
      "time,seen_1,seen_2,identified_1,identified_2,frictionless_1,frictionless_2,guess_1,guess_2";
  int run, first, rows;
  cr_table t = {0};
  place_of(p, SHOWN, &run, &first, &rows);
  int start = (int)lround(start_time / (double)p->data.interval) + 1;
  cr_real* angle = calloc((size_t)rows * 2, sizeof *angle);
  cr_status status = angle != NULL ? CR_OK : cri_fail(error, CR_ERR_MEMORY, "no memory");
  status = status == CR_OK ? cri_table_create(&t, shown_csv, header, NULL, rows, error) : status;
  for (int k = 0; k < N_PREDICTION && status == CR_OK; k++) {
    cr_model* m = NULL;
    status = model_of(p, k, &m, error);
    if (status == CR_OK) {
      status = cri_swing_predict(m, &p->data, run, first, start, rows, angle, error);
    }
    cr_model_destroy(m);
    for (int i = 0; i < rows && status == CR_OK; i++) {
      cr_real* row = cri_table_row(&t, i);
      row[0] = (cr_real)i * p->data.interval;
      for (int j = 0; j < 2; j++) {
        row[1 + j] = (cr_real)p->data.run[run].angle[2 * (first + i) + j];
        row[3 + 2 * k + j] = angle[2 * i + j];
      }
    }
  }
  status = status == CR_OK ? cri_table_save(&t, p->book->folder, error) : status;
  free(angle);
  cri_table_free(&t);
  return status;
}

static cr_status draw(pendulum* p, cr_table* times, cr_error* error) {
  static const char shares[] = "pendulum_share.csv", fits[] = "pendulum_fit.csv";
  CR_TRY(survival(p->book, times, error));
  CR_TRY(show(p, error));
  const double nan = (double)NAN;
  const cr_curve share[] = {
      {shares, "identified", "share", "identified", CR_CURVE_LINE, NULL, 0},
      {shares, "frictionless", "share", "without friction", CR_CURVE_LINE, NULL, 0},
      {shares, "guess", "share", "guess: two rods", CR_CURVE_LINE, NULL, 0}};
  const cr_curve angles[] = {
      {shown_csv, "time", "seen_2", "seen", CR_CURVE_DASHES, NULL, 0},
      {shown_csv, "time", "identified_2", "identified", CR_CURVE_LINE, NULL, 0},
      {shown_csv, "time", "frictionless_2", "without friction", CR_CURVE_LINE, NULL, 0},
      {shown_csv, "time", "guess_2", "guess: two rods", CR_CURVE_LINE, NULL, 0}};
  const cr_curve lengths[] = {{fits, "run", "l1", "a run alone", CR_CURVE_POINTS, "kind", ALONE},
                              {fits, "run", "l1", "all (at -1)", CR_CURVE_POINTS, "kind", ALL}};
  const cr_curve frictions[] = {
      {fits, "run", "friction_1", "dry, joint 1, m/s^2", CR_CURVE_POINTS, "kind", ALONE},
      {fits, "run", "friction_2", "dry, joint 2, m/s^2", CR_CURVE_POINTS, "kind", ALONE},
      {fits, "run", "damping_1", "viscous, joint 1, m/s", CR_CURVE_POINTS, "kind", ALONE},
      {fits, "run", "damping_2", "viscous, joint 2, m/s", CR_CURVE_POINTS, "kind", ALONE}};
  const cr_curve networks[] = {
      {network_csv, "seed", "time", kind_names[FOUND], CR_CURVE_POINTS, "kind", FOUND},
      {network_csv, "seed", "time", kind_names[CORRECTED], CR_CURVE_POINTS, "kind", CORRECTED},
      {network_csv, "seed", "time", kind_names[LSTM], CR_CURVE_POINTS, "kind", LSTM}};
  const cr_chart charts[] = {
      {"time from the start, s", "share of starts within 0.5 rad", false, false, 0, 1, share, 3},
      {"time from the start, s", "a prediction: angle of joint 2, rad", false, false, nan, nan,
       angles, 4},
      {"run", "l1, m", false, false, nan, nan, lengths, 2},
      {"run", "friction over P", false, false, 0, nan, frictions, 4},
      {"seed", "median time until 0.5 rad, s", false, false, 0, nan, networks, 3}};
  return cri_charts(p->book->folder, "pendulum",
                    p->book->request.data != NULL ? "A real double pendulum"
                                                  : "A double pendulum, made recordings",
                    charts, 5, 2, error);
}

// ---- the study

static cr_status open_data(pendulum* p, cr_error* error) {
  const cr_notebook* book = p->book;
  bool brief = book->request.brief;
  char path[CR_MAX_PATH];
  const cr_swing_making making = {
      .runs = brief ? 3 : 9, .rows = brief ? 2400 : 6000, .interval = CR_R(0.0025), .seed = 1};
  CR_TRY(cri_swing_open(book, making.interval, &p->m, error));
  if (book->request.data == NULL) {
    CR_TRY(cri_path_join(path, book->folder, "runs.h5", error));
    CR_TRY(cri_swing_put(p->m, truth, error));
    CR_TRY(cri_swing_make(p->m, &making, path, error));
  }
  CR_TRY(cri_swing_read(&p->data, book->request.data != NULL ? book->request.data : path, error));
  CR_TRY(cr_model_set_option(p->m, "timestep", p->data.interval, error));
  int runs = brief && p->data.n > 3 ? 3 : p->data.n;
  p->train = runs * 2 / 3;
  p->held = runs - p->train;
  p->pieces = brief ? 3 : 6;
  p->starts = brief ? 4 : MOST_STARTS;
  p->held = p->held < MOST_HELD ? p->held : MOST_HELD;
  p->seeds = brief ? 1 : 5;
  p->epochs = brief ? 20 : 100;
  return CR_OK;
}

static cr_status compute(pendulum* p, cr_notebook* book, cr_table* times, cr_error* error) {
  CR_TRY(
      cri_table_create(&p->found, "pendulum_fit.csv", fit_header, NULL, ALONE + p->train, error));
  CR_TRY(cri_table_create(times, "pendulum.csv", time_header, NULL, p->held * p->starts, error));
  CR_TRY(cri_sweep(book, &p->found, cr_pool_size(book->pool), fit, p, error));
  CR_TRY(cri_sweep(book, times, 16, work, p, error));
  CR_TRY(cri_table_create(&p->learned, network_csv, network_header, NULL, 1 + 2 * p->seeds, error));
  return cri_sweep(book, &p->learned, cr_pool_size(book->pool), learn, p, error);
}

cr_status cri_study_pendulum(cr_notebook* book, cr_error* error) {
  pendulum p = {.book = book};
  cr_table times = {0};
  cr_status status = open_data(&p, error);
  status = status == CR_OK ? compute(&p, book, &times, error) : status;
  if (status == CR_OK) {
    conclude(book, &p, &times);
    status = draw(&p, &times, error);
  }
  cri_table_free(&times);
  cri_table_free(&p.learned);
  cri_table_free(&p.found);
  cri_swing_free(&p.data);
  cr_model_destroy(p.m);
  return status;
}
