// SPDX-License-Identifier: Apache-2.0
// Needs: io
// Learners of tosses: the size of their networks; their errors against a window at a time; a training that is stopped goes on to the
// same bits.
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "stiff/stiff_learner.h"
#include "support/close.h"
#include "support/scratch.h"

enum { TOSSES = 12, LEARNED = 8, MOST = 81 };
static const cri_sight sight = {
    .offset = CR_R(0.001), .row_turn = CR_R(1e-4), .interval = CR_R(0.00674)};

static cr_error error;

static cr_model* make(cri_tosses* t) {
  cr_notebook book = {.nclaim = 0};
  cr_model* m = NULL;
  (void)snprintf(book.folder, sizeof book.folder, "%s", scratch_path(""));
  must(cr_pool_create(&book.pool, 1, &error));
  must(cri_tossed_open(&book, CRI_MEDIUM, &m, &error));
  assert_int_equal(unlink(scratch_path("cube_medium.xml")), 0);
  must(cri_tosses_make(t, &book, m, CRI_MEDIUM, &sight, TOSSES, &error));
  cr_pool_free(book.pool);
  return m;
}

static cri_lesson lesson_of(const cri_tosses* t, int learner, int epochs) {
  return (cri_lesson){.learner = learner,
                      .tosses = t,
                      .first = 1,
                      .n = LEARNED,
                      .rate = CR_R(1e-3),
                      .decay = CR_R(1e-5),
                      .epochs = epochs,
                      .seed = 3};
}

TEST(networks_are_as_large_as_published) {
  static const int weights[CRI_N_LEARNER] = {
      [CRI_MLP] = 128 * 14 + 3 * 128 * 129 + 6 * 129,
      [CRI_GRU] = 3 * 128 * (13 + 128 + 2) + 64 * 129 + 6 * 65,
      [CRI_LSTM] = 4 * 128 * (13 + 128 + 2) + 64 * 129 + 6 * 65,
      [CRI_BILSTM] = 8 * 128 * (13 + 128 + 2) + 64 * 257 + 6 * 65};
  for (int k = 0; k < CRI_N_LEARNER; k++) {
    int n;
    must(cri_toss_learner_weights(k, &n, &error));
    assert_int_equal(n, weights[k]);
  }
  assert_int_equal(cri_toss_learner_slices(CRI_GRU, 81), 64);
  assert_int_equal(cri_toss_learner_slices(CRI_MLP, 81), 79);
  assert_int_equal(cri_toss_learner_slices(CRI_GRU, 10), 0);
}

// the velocity behind the last of some rows
static void predict(const cr_learned* l, int learner, const cr_real* rows, cr_real* velocity) {
  const int32_t first = learner == CRI_MLP ? CRI_HISTORY - 1 : 0;
  const int32_t length = CRI_HISTORY - first;
  must(cr_learned_predict_ends(l, &first, &length, 1, rows, velocity, &error));
}

static void add_steps(const cr_learned* l, int learner, const cr_real* seen, int rows,
                      cri_log_sums* sums) {
  for (int i = 0; i + CRI_HISTORY < rows; i++) {
    cr_real v[CRI_TWIST];
    double squares = 0;
    predict(l, learner, seen + CRI_STATE * i, v);
    for (int k = 0; k < CRI_TWIST; k++) {
      squares += pow((double)(v[k] - seen[CRI_STATE * (i + CRI_HISTORY) + CRI_POSE + k]), 2);
    }
    cri_log_sums_add(sums, squares);
  }
}

static void add_rollout(const cr_learned* l, int learner, const cr_model* m, const cr_real* seen,
                        cri_oracle* sums) {
  cr_real rows[MOST * CRI_STATE];
  cr_copy(rows, seen, CRI_HISTORY * CRI_STATE);
  for (int i = 0; i < CRI_ROLLOUT; i++) {
    cr_real* next = rows + CRI_STATE * (CRI_HISTORY + i);
    double distance, angle;
    predict(l, learner, rows + CRI_STATE * i, next + CRI_POSE);
    cr_copy(next, next - CRI_STATE, CRI_POSE);
    must(cr_integrate_pos(m, next, next + CRI_POSE, sight.interval, &error));
    must(cri_tossed_distance(m, next, seen + CRI_STATE * (CRI_HISTORY + i), &distance, &angle,
                             &error));
    cri_log_sums_add(&sums->position, distance);
    cri_log_sums_add(&sums->rotation, angle);
  }
}

static void assert_sums(const cri_log_sums* a, const cri_log_sums* b) {
  assert_true(a->n == b->n && a->n > 0);
  assert_close(a->sum, b->sum, CR_R(1e-9) * (1 + cr_abs(b->sum)));
  assert_close(a->logs, b->logs, CR_R(1e-9) * (1 + cr_abs(b->logs)));
  assert_close(a->squares, b->squares, CR_R(1e-9) * (1 + cr_abs(b->squares)));
}

TEST(errors_are_those_of_a_window_at_a_time) {
  cri_tosses t;
  cr_model* m = make(&t);
  for (int k = 0; k < CRI_N_LEARNER; k++) {
    const cri_lesson lesson = lesson_of(&t, k, k == CRI_MLP ? 12 : 2);
    cr_learned* l = NULL;
    cr_learning_end end;
    cri_log_sums trained;
    cri_oracle tested, expected = {.loss = {.n = 0}};
    must(cri_toss_learner_train(&lesson, &l, &end, &trained, &error));
    assert_true(end.loss < end.start_loss);
    // the mean loss is that of six numbers
    assert_close(trained.sum / (6 * trained.n), end.loss, CR_R(1e-9) * end.loss);
    must(cri_toss_learner_test(l, k, m, sight.interval, &t, 1 + LEARNED, TOSSES - 1 - LEARNED,
                               &tested, &error));
    for (int i = 1 + LEARNED; i < TOSSES; i++) {
      const int rows = (int)(t.first[i + 1] - t.first[i]) - 1;
      const cr_real* seen = t.seen + (ptrdiff_t)CRI_STATE * (t.first[i] + 1);
      add_steps(l, k, seen, rows, &expected.loss);
      if (rows >= CRI_HISTORY + CRI_ROLLOUT) {
        add_rollout(l, k, m, seen, &expected);
      }
    }
    assert_sums(&tested.loss, &expected.loss);
    assert_sums(&tested.position, &expected.position);
    assert_sums(&tested.rotation, &expected.rotation);
    cr_learned_destroy(l);
  }
  cri_tosses_free(&t);
  cr_model_destroy(m);
}

static bool stop_now;
static bool stopped(void* context) { return context != NULL && stop_now; }
static void watch(void* context, int epoch, cr_real loss, cr_real held) {
  stop_now = context != NULL && epoch == 65 && loss + held > 0;
}

TEST(a_training_that_was_stopped_goes_on_to_the_same_bits) {
  cri_tosses t;
  cr_model* m = make(&t);
  char path[1024];
  (void)snprintf(path, sizeof path, "%s", scratch_path("mlp.crn"));
  cri_lesson lesson = lesson_of(&t, CRI_MLP, 70);
  cr_learned *whole = NULL, *cut = NULL;
  cr_learning_end end;
  cri_log_sums trained[2];
  must(cri_toss_learner_train(&lesson, &whole, &end, &trained[0], &error));
  lesson.file = path;
  lesson.resume = true;  // there is no file: from the start
  lesson.stop = stopped;
  lesson.progress = watch;
  lesson.context = &t;
  assert_int_equal(cri_toss_learner_train(&lesson, &cut, &end, &trained[1], &error),
                   CR_ERR_INTERRUPTED);
  cr_learned_destroy(cut);
  stop_now = false;
  lesson.progress = NULL;
  assert_int_equal(access(path, F_OK), 0);  // as it was after epoch 63, 1 + 500 / 8
  must(cri_toss_learner_train(&lesson, &cut, &end, &trained[1], &error));
  assert_int_equal(end.epochs, 70);
  assert_memory_equal(cr_learned_weights(cut), cr_learned_weights(whole),
                      (size_t)cr_network_nweight(cr_learned_network(cut)) * sizeof(cr_real));
  assert_memory_equal(&trained[0], &trained[1], sizeof trained[0]);
  cr_learned_destroy(cut);
  cr_learned_destroy(whole);
  assert_int_equal(unlink(path), 0);
  cri_tosses_free(&t);
  cr_model_destroy(m);
}

TEST(tosses_that_are_too_short_are_refused) {
  cri_tosses t;
  cr_model* m = make(&t);
  cri_lesson lesson = lesson_of(&t, CRI_GRU, 1);
  cr_learned* l = NULL;
  cr_learning_end end;
  cri_log_sums trained;
  for (int i = 0; i <= TOSSES; i++) {
    t.first[i] = 10 * i;
  }
  assert_int_equal(cri_toss_learner_train(&lesson, &l, &end, &trained, &error), CR_ERR_ARG);
  assert_non_null(strstr(error.text, "0 slices are too few"));
  cr_learned_destroy(l);
  cri_tosses_free(&t);
  cr_model_destroy(m);
}
