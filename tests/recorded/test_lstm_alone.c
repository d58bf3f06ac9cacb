// SPDX-License-Identifier: Apache-2.0
// A network that remembers learns a pendulum of small swings: from its state, from its position alone, and with a force that is given.
#include "recorded/lstm_alone.h"

#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "support/close.h"

enum { RUNS = 24, ROWS = 61, LATER = 41 };
static const cr_real turn = CR_R(0.2);  // rad a row

// rows of position and velocity; given: what pushes the velocity in each row, or NULL
static void swing(cr_random* random, cr_real* state, cr_real* given) {
  state[0] = cr_random_range(random, -1, 1);
  state[1] = cr_random_range(random, -1, 1);
  for (int k = 0; k < ROWS; k++, state += 2) {
    cr_real push = 0;
    if (given != NULL) {
      push = given[k] = cr_random_range(random, CR_R(-0.2), CR_R(0.2));
    }
    if (k + 1 < ROWS) {
      state[2] = cr_cos(turn) * state[0] + cr_sin(turn) * state[1];
      state[3] = cr_cos(turn) * state[1] - cr_sin(turn) * state[0] + push;
    }
  }
}

static void read_all(void* context, const cr_real* state, const cr_real* given, cr_real* input) {
  (void)context;
  input[0] = state[0];
  input[1] = state[1];
  input[2] = given != NULL ? given[0] : 0;
}

static void read_position(void* context, const cr_real* state, const cr_real* given,
                          cr_real* input) {
  (void)given;
  *(int*)context += 1;
  input[0] = state[0];
}

static const cr_lstm_view whole = {
    .nstate = 2, .ngiven = 1, .ninput = 3, .ngain = 2, .read = read_all};

static cr_lstm_options options_of(const cr_real* noise) {
  return (cr_lstm_options){.width = 16,
                           .window = 30,
                           .stride = 15,
                           .noise = noise,
                           .epochs = 60,
                           .batch = 8,
                           .rate = CR_R(0.02),
                           .final_rate = CR_R(1e-3),
                           .seed = 3};
}

typedef struct {
  int32_t length[RUNS];
  cr_real state[(RUNS + 1) * ROWS * 2], given[(RUNS + 1) * ROWS];  // one run more, to predict
} runs_of_test;

static cr_lstm_runs make(runs_of_test* r, bool pushed) {
  cr_random random = cr_random_seed(5, 1);
  for (int i = 0; i <= RUNS; i++) {
    swing(&random, r->state + (ptrdiff_t)2 * ROWS * i, pushed ? r->given + ROWS * i : NULL);
  }
  for (int i = 0; i < RUNS; i++) {
    r->length[i] = ROWS;
  }
  return (cr_lstm_runs){
      .length = r->length, .nrun = RUNS, .state = r->state, .given = pushed ? r->given : NULL};
}

// rms of what a prediction of the run that was not learned from is off by in `LATER` rows
static cr_real miss_of(const cr_lstm* lstm, const runs_of_test* r, bool pushed, int known) {
  const cr_real* seen = r->state + (ptrdiff_t)2 * ROWS * RUNS;
  int width = lstm->view.nstate, rows = known + LATER;
  cr_real made[2 * ROWS], sum = 0;
  assert_true(rows <= ROWS);
  memset(made, 0, sizeof made);
  for (int k = 0; k < known; k++) {
    cr_copy(made + (ptrdiff_t)width * k, seen + (ptrdiff_t)2 * k, width);
  }
  const cr_real* given = pushed ? r->given + (ptrdiff_t)ROWS * RUNS : NULL;
  assert_int_equal(cri_lstm_predict(lstm, made, given, known, rows, NULL), CR_OK);
  for (int k = known; k < rows; k++) {
    cr_real off = made[width * k] - seen[2 * k];
    sum += off * off;
  }
  return cr_sqrt(sum / LATER);
}

TEST(swings_are_learned_and_predicted) {
  static runs_of_test r;
  const cr_real noise[2] = {CR_R(0.01), CR_R(0.01)};
  const cr_lstm_runs runs = make(&r, false);
  const cr_lstm_options o = options_of(noise);
  cr_lstm lstm;
  assert_int_equal(cri_lstm_train(&lstm, &whole, &runs, &o, NULL), CR_OK);
  cr_real miss = miss_of(&lstm, &r, false, 1);
  print_message("off by %.3g\n", (double)miss);
  assert_true(miss < CR_R(0.05));
  cri_lstm_free(&lstm);
}

// Of the velocity nothing is seen: a single row does not tell where the motion goes.
TEST(what_is_hidden_wants_known_rows) {
  static runs_of_test r;
  static cr_real position[RUNS * ROWS];
  int reads = 0;
  const cr_lstm_view view = {
      .nstate = 1, .ninput = 1, .ngain = 1, .read = read_position, .context = &reads};
  cr_lstm_runs runs = make(&r, false);
  for (int i = 0; i < RUNS * ROWS; i++) {
    position[i] = r.state[2 * i];
  }
  runs.state = position;
  cr_lstm_options o = options_of(NULL);
  const cr_real noise = CR_R(0.002);
  o.known = 10;
  o.noise = &noise;
  cr_lstm lstm;
  assert_int_equal(cri_lstm_train(&lstm, &view, &runs, &o, NULL), CR_OK);
  // of 60 gains three windows of 30
  assert_int_equal(reads, RUNS * 3 * 30);
  cr_real cold = miss_of(&lstm, &r, false, 1), warm = miss_of(&lstm, &r, false, 15);
  print_message("off by %.3g from one row, by %.3g from 15\n", (double)cold, (double)warm);
  assert_true(warm < CR_R(0.15) && cold > 3 * warm);
  cri_lstm_free(&lstm);
}

TEST(what_is_given_counts) {
  static runs_of_test r;
  const cr_lstm_runs runs = make(&r, true);
  const cr_lstm_options o = options_of(NULL);
  cr_lstm lstm;
  assert_int_equal(cri_lstm_train(&lstm, &whole, &runs, &o, NULL), CR_OK);
  cr_real told = miss_of(&lstm, &r, true, 1), untold = miss_of(&lstm, &r, false, 1);
  print_message("off by %.3g with the pushes, by %.3g without\n", (double)told, (double)untold);
  assert_true(told < CR_R(0.1) && untold > 3 * told);
  cri_lstm_free(&lstm);
}

// what a state gains in other words: half of the difference
static void half(void* context, const cr_real* state, const cr_real* next, cr_real* gain) {
  (void)context;
  gain[0] = (next[0] - state[0]) / 2;
}

static void twice(void* context, const cr_real* state, const cr_real* gain, cr_real* next) {
  (void)context;
  next[0] = state[0] + 2 * gain[0];
}

TEST(gains_of_ones_own_lead_to_the_same) {
  static runs_of_test r;
  cr_real ends[2];
  int reads = 0;
  cr_lstm_options o = options_of(NULL);
  o.epochs = 2;
  const cr_lstm_view views[] = {
      {.nstate = 1, .ninput = 1, .ngain = 1, .read = read_position, .context = &reads},
      {.nstate = 1,
       .ninput = 1,
       .ngain = 1,
       .read = read_position,
       .gain = half,
       .add = twice,
       .context = &reads}};
  const cr_lstm_runs runs = make(&r, false);
  for (int i = 0; i < 2; i++) {
    cr_real made[20] = {CR_R(0.3)};
    cr_lstm lstm;
    assert_int_equal(cri_lstm_train(&lstm, &views[i], &runs, &o, NULL), CR_OK);
    assert_int_equal(cri_lstm_predict(&lstm, made, NULL, 1, 20, NULL), CR_OK);
    ends[i] = made[19];
    assert_true(made[0] == CR_R(0.3) && made[19] != made[0]);
    cri_lstm_free(&lstm);
  }
  assert_close(ends[0], ends[1], CR_R(1e-9));
}

static bool always(void* context) {
  (void)context;
  return true;
}

TEST(bad_calls_are_refused) {
  static runs_of_test r;
  const int32_t single[1] = {1};
  cr_lstm_runs runs = make(&r, false);
  cr_lstm_options o = options_of(NULL);
  cr_lstm lstm;
  cr_error error = {0};
  o.known = 30;
  assert_int_equal(cri_lstm_train(&lstm, &whole, &runs, &o, &error), CR_ERR_ARG);
  assert_string_equal(error.text, "a window of 30 rows, of which 30 are known");
  cri_lstm_free(&lstm);
  o = options_of(NULL);
  o.stop = always;
  assert_int_equal(cri_lstm_train(&lstm, &whole, &runs, &o, &error), CR_ERR_INTERRUPTED);
  cri_lstm_free(&lstm);
  o = options_of(NULL);
  o.epochs = 1;
  assert_int_equal(cri_lstm_train(&lstm, &whole, &runs, &o, NULL), CR_OK);
  assert_int_equal(cri_lstm_predict(&lstm, r.state, NULL, 0, 5, &error), CR_ERR_ARG);
  cri_lstm_free(&lstm);
  runs.length = single;
  runs.nrun = 1;
  assert_int_equal(cri_lstm_train(&lstm, &whole, &runs, &o, &error), CR_ERR_ARG);
  assert_string_equal(error.text, "no rows to learn from");
  cri_lstm_free(&lstm);
}
