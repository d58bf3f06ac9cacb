// SPDX-License-Identifier: Apache-2.0
// Needs: io
// Runs of a double pendulum: what is made is read again, and a wrong file gets one sentence.
#include "support/close.h"

#include <math.h>
#include <string.h>

#include "carom/carom.h"
#include "study/swing_data.h"
#include "study/swing_fit.h"
#include "support/scratch.h"
#include "tools/hdf5.h"

enum { ROWS = 2100, RUNS = 3 };

typedef struct {
  double interval;  // 0: none
  int runs, rows, cols;
  int row;  // its first angle is `value`, where value is not 0
  double value;
} wrong;

static void write(const char* path, const wrong* w) {
  static double angle[3 * ROWS];
  cr_h5* file = NULL;
  (void)memset(angle, 0, sizeof angle);
  angle[w->cols * w->row] = w->value;
  assert_int_equal(cri_h5_create(&file, path, NULL), CR_OK);
  for (int i = 0; i < w->runs; i++) {
    char name[32];
    (void)snprintf(name, sizeof name, "run/%02d/theta", i);
    assert_int_equal(cri_h5_write(file, name, angle, w->rows, w->cols, NULL), CR_OK);
  }
  if (w->interval != 0) {
    assert_int_equal(cri_h5_write_attribute(file, "/", "dt_nominal", w->interval, NULL), CR_OK);
  }
  assert_int_equal(cri_h5_save(file, NULL), CR_OK);
  cri_h5_close(file);
}

TEST(wrong_files_are_refused) {
  static const struct {
    wrong file;
    const char* says;
  } cases[] = {
      {{0, RUNS, ROWS, 2, 0, 0}, "dt_nominal, the seconds from row to row, is missing"},
      {{2.5, RUNS, ROWS, 2, 0, 0}, "not between 0 and 0.02"},
      {{0.0025, 0, ROWS, 2, 0, 0}, "there is no group run"},
      {{0.0025, 2, ROWS, 2, 0, 0}, "it has 2 runs; at least 3 are needed"},
      {{0.0025, RUNS, ROWS, 3, 0, 0}, "run/00/theta has 3 columns; two angles expected"},
      {{0.0025, RUNS, 400, 2, 0, 0}, "run/00 has 400 rows, 1 s; at least 5 s needed"},
      {{0.0025, RUNS, ROWS, 2, 7, (double)NAN}, "run/00/theta, row 7: a number is not finite"},
      {{0.0025, RUNS, ROWS, 2, 9, 6.2}, "row 9: an angle changes by 6.2 from the row before"},
  };
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
    cr_swing_data data;
    cr_error error = {0};
    const char* path = scratch_path("wrong.h5");
    write(path, &cases[k].file);
    assert_true(cri_swing_read(&data, path, &error) != CR_OK);
    if (strstr(error.text, cases[k].says) == NULL || strstr(error.text, "wrong.h5") == NULL) {
      fail_msg("case %d: %s", (int)k, error.text);
    }
    cri_swing_free(&data);
  }
}

static void open_model(cr_model** m) {
  cr_notebook book = {.request = {.brief = true}};
  (void)strcpy(book.folder, scratch_path(""));
  assert_int_equal(cri_swing_open(&book, CR_R(0.0025), m, NULL), CR_OK);
}

// angles have the noise of the camera, and a prediction with the model that made them stays with them
TEST(made_runs_are_read_and_predicted) {
  enum { START = 81, LONG = 161 };
  const cr_swing_making making = {.runs = RUNS, .rows = ROWS, .interval = CR_R(0.0025), .seed = 4};
  cr_model* m = NULL;
  cr_swing_data data;
  cr_real angle[2 * LONG], sum = 0;
  open_model(&m);
  assert_int_equal(cri_swing_make(m, &making, scratch_path("made.h5"), NULL), CR_OK);
  assert_int_equal(cri_swing_read(&data, scratch_path("made.h5"), NULL), CR_OK);
  assert_true(data.n == RUNS && data.run[0].rows == ROWS);
  assert_int_equal(cri_swing_predict(m, &data, 1, 300, START, LONG, angle, NULL), CR_OK);
  for (int i = 0; i < 2 * LONG; i++) {
    cr_real error = angle[i] - (cr_real)data.run[1].angle[600 + i];
    sum += error * error / (2 * LONG);
  }
  assert_true(cr_sqrt(sum) > CR_R(5e-4) && cr_sqrt(sum) < CR_R(0.02));
  cri_swing_free(&data);
  cr_model_destroy(m);
}

// numbers that angles can tell survive the way into the model and its parameters
TEST(numbers_set_the_model) {
  cr_real guess[CR_SWING_N];
  cr_model* m = NULL;
  open_model(&m);
  cri_swing_guess(guess);
  guess[CR_SWING_REST] = CR_R(0.1);
  assert_int_equal(cri_swing_put(m, guess, NULL), CR_OK);
  const cr_real* pos = cr_model_numbers(m, "body_pos", NULL, NULL);
  const cr_real* mass = cr_model_numbers(m, "body_mass", NULL, NULL);
  const cr_real* ipos = cr_model_numbers(m, "body_ipos", NULL, NULL);
  cr_real P = mass[1] * -ipos[5] + mass[2] * -pos[8];
  assert_close(-pos[8], guess[CR_SWING_L1], CR_R(1e-12));
  assert_close(mass[2] * -ipos[8] / P, guess[CR_SWING_Q], CR_R(1e-12));
  guess[CR_SWING_A] = 0;  // no arm has this
  assert_true(cri_swing_put(m, guess, NULL) != CR_OK);
  cr_model_destroy(m);
}
