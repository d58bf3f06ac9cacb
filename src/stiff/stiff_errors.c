// SPDX-License-Identifier: Apache-2.0
// The test error of a network is that of the oracle, plus train - oracle, plus test - train.
#include "stiff/stiff_errors.h"

#include <math.h>
#include <stdio.h>

#include "stiff/stiff_learner.h"
#include "tools/plot.h"

// ---- the table

enum { S_TRAIN, S_TEST, S_POSITION, S_ROTATION, N_SUMS };
enum { C_TOSSES, C_LEARNER, C_FLOOR, C_RUN, C_EPOCHS, C_BEST, C_LOSS, C_HELD, C_SUMS };
enum { SUMS = CRI_LOG_SUMS };
static const char learned_csv[] = "stiff_contact_learned.csv";
static const char learned_header[] =
    "tosses,learner,floor,run,epochs,best_epoch,loss,held,"
    "train_n,train_sum,train_logs,train_squares,test_n,test_sum,test_logs,test_squares,"
    "position_n,position_sum,position_logs,position_squares,"
    "rotation_n,rotation_sum,rotation_logs,rotation_squares";

cr_status cri_training_table(cr_table* table, int rows, cr_error* error) {
  return cri_table_create(table, learned_csv, learned_header, NULL, rows, error);
}

static void put_sums(const cri_log_sums* sums, int which, cr_real* row) {
  cri_log_sums_put(sums, row + C_SUMS + (ptrdiff_t)SUMS * which);
}

void cri_training_put(const cri_training* at, const cr_learning_end* end,
                      const cri_log_sums* trained, const cri_oracle* tested, cr_real* row) {
  row[C_TOSSES] = (cr_real)at->tosses;
  row[C_LEARNER] = (cr_real)at->learner;
  row[C_FLOOR] = (cr_real)at->floor;
  row[C_RUN] = (cr_real)at->run;
  row[C_EPOCHS] = (cr_real)end->epochs;
  row[C_BEST] = (cr_real)end->best_epoch;
  row[C_LOSS] = end->loss;
  row[C_HELD] = end->held_loss;
  put_sums(trained, S_TRAIN, row);
  put_sums(&tested->loss, S_TEST, row);
  put_sums(&tested->position, S_POSITION, row);
  put_sums(&tested->rotation, S_ROTATION, row);
}

// ---- errors in the units of the published table

// half: of Cox's interval of 95 %
typedef struct {
  double value, half;
} figure;

enum { TRAIN_ORACLE, TEST_TRAIN, POSITION, ROTATION, N_FIGURE };
static const char* const figure_names[N_FIGURE] = {"train - oracle", "test - train", "position, %",
                                                   "rotation, deg"};

typedef struct {
  cr_notebook* book;
  const cri_training_plan* plan;
  const cri_log_mean* oracle;
  cr_table* table;
} errors;

// the loss has a mean for each kind of velocity
static double unit_of(int quantity) {
  return quantity <= S_TEST       ? 1.0 / 3
         : quantity == S_POSITION ? 100 / cri_tossed_side
                                  : 180 / (double)CR_PI;
}

// size and learner are indices of the plan
static figure mean_of(const errors* e, int sums, int size, int learner, int floor) {
  const cri_training_plan* p = e->plan;
  const int row = ((size * p->nlearner + learner) * CRI_N_FLOOR + floor) * p->runs;
  const cri_log_mean mean = cri_log_mean_of(
      cri_table_row(e->table, row) + C_SUMS + (ptrdiff_t)SUMS * sums, e->table->width, p->runs);
  return (figure){unit_of(sums) * mean.mean, unit_of(sums) * mean.half};
}

static figure oracle_of(const errors* e, int sums, int floor) {
  const cri_log_mean* mean = &e->oracle[3 * floor + (sums <= S_TEST ? 0 : sums - S_TEST)];
  return (figure){unit_of(sums) * mean->mean, unit_of(sums) * mean->half};
}

static figure less(figure a, figure b) {
  return (figure){a.value - b.value, hypot(a.half, b.half)};
}

static figure figure_of(const errors* e, int which, int size, int learner, int floor) {
  switch (which) {
    case TRAIN_ORACLE:
      return less(mean_of(e, S_TRAIN, size, learner, floor), oracle_of(e, S_TRAIN, floor));
    case TEST_TRAIN:
      return less(mean_of(e, S_TEST, size, learner, floor),
                  mean_of(e, S_TRAIN, size, learner, floor));
    default:
      return mean_of(e, which == POSITION ? S_POSITION : S_ROTATION, size, learner, floor);
  }
}

static double value_of(const errors* e, int which, int size, int learner, int floor) {
  return figure_of(e, which, size, learner, floor).value;
}

// ---- the report

static void say_oracle(const errors* e, int which) {
  if (which == POSITION || which == ROTATION) {
    cri_say(e->book, "  %-8s", "oracle");
    for (int f = 0; f < CRI_N_FLOOR; f++) {
      const figure x = oracle_of(e, which == POSITION ? S_POSITION : S_ROTATION, f);
      cri_say(e->book, "  %12.4g +- %-7.2g", x.value, x.half);
    }
    cri_say(e->book, "\n");
  }
}

static void say_errors(const errors* e) {
  const cri_training_plan* p = e->plan;
  cri_say(
      e->book,
      "Networks, %d runs each: log-normal means over all runs with Cox's intervals of 95 %%, over "
      "tosses that were not learned but for train\n",
      p->runs);
  for (int which = 0; which < N_FIGURE; which++) {
    cri_say(e->book, "\n  %-17s", figure_names[which]);
    for (int f = 0; f < CRI_N_FLOOR; f++) {
      cri_say(e->book, "  %-23s", cri_floors[f].name);
    }
    cri_say(e->book, "\n");
    say_oracle(e, which);
    for (int row = 0; row < p->nsize * p->nlearner; row++) {
      const int size = row / p->nlearner, learner = row % p->nlearner;
      cri_say(e->book, "  %-8s%5d", cri_toss_learner_names[p->learners[learner]], p->sizes[size]);
      for (int f = 0; f < CRI_N_FLOOR; f++) {
        const figure x = figure_of(e, which, size, learner, f);
        cri_say(e->book, "  %12.4g +- %-7.2g", x.value, x.half);
      }
      cri_say(e->book, "\n");
    }
  }
}

// ---- what is published, and ours

static int index_of(const cri_training_plan* p, int learner) {
  for (int i = 0; i < p->nlearner; i++) {
    if (p->learners[i] == learner) {
      return i;
    }
  }
  return 0;
}

// within a factor of the root of ten
static void claim_near(cr_notebook* book, double ours, double published, const char* what) {
  char text[32];
  (void)snprintf(text, sizeof text, "about %g", published);
  cri_claim(book, ours, published / sqrt(10), published * sqrt(10), text, "%s", what);
}

static void claim_above(cr_notebook* book, double ours, double published, const char* what) {
  char text[32];
  (void)snprintf(text, sizeof text, "above %g", published);
  cri_claim(book, ours, published, (double)INFINITY, text, "%s", what);
}

// of the GRU, as the paper has it
static void claim_training(const errors* e) {
  const int gru = index_of(e->plan, CRI_GRU), most = e->plan->nsize - 1, hundred = 1;
  const double hard = value_of(e, TRAIN_ORACLE, most, gru, CRI_HARD);
  claim_near(e->book, hard / value_of(e, TRAIN_ORACLE, most, gru, CRI_SOFT), 10,
             "train - oracle, most tosses: hard over soft");
  claim_above(e->book,
              hard / fmax(value_of(e, TRAIN_ORACLE, hundred, gru, CRI_MEDIUM),
                          value_of(e, TRAIN_ORACLE, hundred, gru, CRI_SOFT)),
              1, "train - oracle: hard, most tosses, over medium and soft, 100 tosses");
  const double train = mean_of(e, S_TRAIN, most, gru, CRI_HARD).value /
                       mean_of(e, S_TRAIN, most, gru, CRI_SOFT).value;
  const double oracle =
      oracle_of(e, S_TRAIN, CRI_HARD).value / oracle_of(e, S_TRAIN, CRI_SOFT).value;
  cri_claim(e->book, train / oracle, 1, (double)INFINITY, "nearly 2",
            "hard over soft: of train over that of the oracle");
}

static void claim_generalisation(const errors* e) {
  const int gru = index_of(e->plan, CRI_GRU), most = e->plan->nsize - 1;
  claim_near(
      e->book,
      value_of(e, TEST_TRAIN, most, gru, CRI_HARD) / value_of(e, TEST_TRAIN, most, gru, CRI_SOFT),
      10, "test - train, most tosses: hard over soft");
  for (int f = 0; f < CRI_N_FLOOR; f++) {
    const double gain = value_of(e, TEST_TRAIN, 0, gru, f) / value_of(e, TEST_TRAIN, most, gru, f);
    cri_claim(e->book, gain, f == CRI_HARD ? 1 : 100, f == CRI_HARD ? 10 : (double)INFINITY,
              f == CRI_HARD ? "below 10" : "above 100", "%s, test - train: 50 over most tosses",
              cri_floors[f].name);
  }
}

static void claim_rollouts(const errors* e) {
  const int gru = index_of(e->plan, CRI_GRU), most = e->plan->nsize - 1;
  for (int which = POSITION; which <= ROTATION; which++) {
    double least = (double)INFINITY;
    for (int f = 0; f < CRI_N_FLOOR; f++) {
      const double oracle = oracle_of(e, which == POSITION ? S_POSITION : S_ROTATION, f).value;
      least = fmin(least, value_of(e, which, most, gru, f) / oracle);
    }
    char what[96];
    (void)snprintf(what, sizeof what, "roll-out, %s, most tosses: over the oracle, least",
                   figure_names[which]);
    claim_above(e->book, least, 10, what);
    (void)snprintf(what, sizeof what, "roll-out, %s: hard, most tosses, over soft, 50 tosses",
                   figure_names[which]);
    claim_above(e->book,
                value_of(e, which, most, gru, CRI_HARD) / value_of(e, which, 0, gru, CRI_SOFT), 1,
                what);
  }
}

static void claim_perceptron(const errors* e) {
  const cri_training_plan* p = e->plan;
  const int gru = index_of(p, CRI_GRU), mlp = index_of(p, CRI_MLP), most = p->nsize - 1;
  for (int which = TRAIN_ORACLE; which <= TEST_TRAIN; which++) {
    char what[64];
    (void)snprintf(what, sizeof what, "hard, %s, most tosses: MLP over GRU", figure_names[which]);
    claim_near(e->book,
               value_of(e, which, most, mlp, CRI_HARD) / value_of(e, which, most, gru, CRI_HARD), 1,
               what);
  }
  for (int which = POSITION; which <= ROTATION; which++) {
    double best = (double)INFINITY;
    for (int k = 0; k < p->nlearner; k++) {
      best = k != mlp ? fmin(best, value_of(e, which, most, k, CRI_HARD)) : best;
    }
    cri_claim(e->book, value_of(e, which, most, mlp, CRI_HARD) / best, 0, 1, "below 1",
              "hard, roll-out, %s: MLP over the best recurrent one", figure_names[which]);
  }
}

// a few epochs of few tosses: only that networks learn, less on the hard floor, and stay behind the oracle
static void claim_little(const errors* e) {
  const cri_training_plan* p = e->plan;
  for (int k = 0; k < p->nlearner; k++) {
    const char* name = cri_toss_learner_names[p->learners[k]];
    const int most = p->nsize - 1;
    cri_claim(
        e->book,
        mean_of(e, S_TRAIN, most, k, CRI_HARD).value / mean_of(e, S_TRAIN, most, k, CRI_SOFT).value,
        1, (double)INFINITY, "", "%s, train: hard over soft", name);
    for (int f = 0; f < CRI_N_FLOOR; f++) {
      cri_claim(e->book, mean_of(e, S_TEST, most, k, f).value / mean_of(e, S_TEST, 0, k, f).value,
                0, 1, "", "%s, %s, test: %d over %d tosses", cri_floors[f].name, name,
                p->sizes[most], p->sizes[0]);
      cri_claim(e->book, value_of(e, POSITION, most, k, f) / oracle_of(e, S_POSITION, f).value, 1,
                (double)INFINITY, "", "%s, %s, roll-out, position: over the oracle",
                cri_floors[f].name, name);
    }
  }
}

// ---- the figure

// rows with the same curve are one: CRI_N_FLOOR learner + floor, behind all learners those of the oracle
static const char curve_csv[] = "stiff_contact_curves.csv";
static const char curve_header[] =
    "curve,tosses,train_oracle,train_oracle_half,test_train,test_train_half,position,position_half,"
    "rotation,rotation_half";
static const char* const columns[N_FIGURE] = {"train_oracle", "test_train", "position", "rotation"};

static cr_status make_curves(const errors* e, cr_table* curves, cr_error* error) {
  const cri_training_plan* p = e->plan;
  const int n = p->nlearner * CRI_N_FLOOR * p->nsize;
  CR_TRY(
      cri_table_create(curves, curve_csv, curve_header, NULL, n + CRI_N_FLOOR * p->nsize, error));
  for (int i = 0; i < n + CRI_N_FLOOR * p->nsize; i++) {
    const int size = i % p->nsize, floor = i / p->nsize % CRI_N_FLOOR;
    const int learner = i / (p->nsize * CRI_N_FLOOR);
    cr_real* row = cri_table_row(curves, i);
    row[0] = (cr_real)(CRI_N_FLOOR * learner + floor);
    row[1] = (cr_real)p->sizes[size];
    for (int which = 0; which < N_FIGURE; which++) {
      const figure x =
          i < n
              ? figure_of(e, which, size, learner, floor)
              : oracle_of(e, which <= TEST_TRAIN ? S_TRAIN : which - POSITION + S_POSITION, floor);
      row[2 + 2 * which] = (cr_real)x.value;
      row[3 + 2 * which] = (cr_real)x.half;
    }
  }
  return cri_table_save(curves, e->book->folder, error);
}

static cr_status draw(const errors* e, cr_error* error) {
  enum { N_KIND = 3 };
  static const char* const titles[N_FIGURE] = {"train - oracle", "test - train",
                                               "roll-out, % of the width", "roll-out, degrees"};
  const int kinds[N_KIND] = {index_of(e->plan, CRI_GRU), index_of(e->plan, CRI_MLP),
                             e->plan->nlearner};
  const char* const names[N_KIND] = {"GRU", "MLP", "oracle"};
  static const cr_curve_style styles[N_KIND] = {CR_CURVE_BOTH, CR_CURVE_LINE, CR_CURVE_DASHES};
  char text[N_KIND * CRI_N_FLOOR][32];
  cr_curve curves[N_FIGURE][N_KIND * CRI_N_FLOOR];
  cr_chart charts[N_FIGURE];
  for (int which = 0; which < N_FIGURE; which++) {
    for (int k = 0; k < N_KIND * CRI_N_FLOOR; k++) {
      const int kind = k / CRI_N_FLOOR, floor = k % CRI_N_FLOOR;
      (void)snprintf(text[k], sizeof text[k], "%s, %s", names[kind], cri_floors[floor].name);
      curves[which][k] = (cr_curve){curve_csv,
                                    "tosses",
                                    columns[which],
                                    text[k],
                                    styles[kind],
                                    "curve",
                                    CRI_N_FLOOR * kinds[kind] + floor};
    }
    charts[which] = (cr_chart){.xlabel = "tosses to learn from",
                               .ylabel = titles[which],
                               .log_x = true,
                               .log_y = true,
                               .low = (double)NAN,
                               .high = (double)NAN,
                               .curves = curves[which],
                               .ncurve = (which >= POSITION ? 3 : 2) * CRI_N_FLOOR};
  }
  return cri_charts(e->book->folder, "stiff_contact_learned",
                    "Networks on floors of three stiffnesses", charts, N_FIGURE, 2, error);
}

cr_status cri_training_conclude(cr_notebook* book, const cri_training_plan* plan,
                                const cri_log_mean* oracle, cr_table* table, cr_error* error) {
  const errors e = {.book = book, .plan = plan, .oracle = oracle, .table = table};
  cr_table curves = {0};
  say_errors(&e);
  if (book->request.brief) {
    claim_little(&e);
  } else {
    claim_training(&e);
    claim_generalisation(&e);
    claim_rollouts(&e);
    claim_perceptron(&e);
  }
  cr_status status = make_curves(&e, &curves, error);
  cri_table_free(&curves);
  return status == CR_OK ? draw(&e, error) : status;
}
