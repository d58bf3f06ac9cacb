// SPDX-License-Identifier: Apache-2.0
// Sweeps of squares: whole, interrupted and resumed, failing.
#include "support/close.h"

#include <stdatomic.h>

#include "notebook/sweep.h"
#include "support/scratch.h"

enum { ROWS = 150 };

static int patience;  // looks at the user until he wants to stop

static bool impatient(void) { return patience-- <= 0; }

typedef struct {
  _Atomic int calls;
  int bad;  // the row that fails, -1: none
} squares;

static cr_status square(void* context, int row, int worker, cr_real* values, cr_error* error) {
  squares* s = context;
  (void)worker;
  atomic_fetch_add(&s->calls, 1);
  if (row == s->bad) {
    return cri_fail(error, CR_ERR_DIVERGED, "no square today");
  }
  values[0] = (cr_real)row;
  values[1] = (cr_real)row * (cr_real)row;
  return CR_OK;
}

// sweeps the table once, in a notebook of its own
static cr_status sweep(bool resume, bool (*stop)(void), int threads, squares* s, cr_table* t,
                       cr_error* error) {
  cr_notebook book;
  const cr_study_request request = {.name = "squares",
                                    .folder = scratch_path(""),
                                    .resume = resume,
                                    .threads = threads,
                                    .stop = stop};
  assert_int_equal(cri_table_create(t, "squares.csv", "x,xx", NULL, ROWS, NULL), CR_OK);
  assert_int_equal(cri_notebook_begin(&book, &request, NULL), CR_OK);
  cr_status status = cri_sweep(&book, t, 16, square, s, error);
  cri_notebook_free(&book);
  return status;
}

static void assert_squares(const cr_table* t, int rows) {
  assert_int_equal(t->rows, rows);
  for (int i = 0; i < rows; i++) {
    assert_true(t->value[2 * i] == i && t->value[2 * i + 1] == (cr_real)i * (cr_real)i);
  }
}

static void assert_saved(int rows) {
  cr_table t;
  assert_int_equal(cri_table_create(&t, "squares.csv", "x,xx", NULL, ROWS, NULL), CR_OK);
  assert_int_equal(cri_table_load(&t, scratch_path(""), NULL), CR_OK);
  assert_squares(&t, rows);
  cri_table_free(&t);
}

TEST(every_row_is_filled_once) {
  for (int threads = 1; threads <= 3; threads++) {
    squares s = {.bad = -1};
    cr_table t;
    assert_int_equal(sweep(false, NULL, threads, &s, &t, NULL), CR_OK);
    assert_int_equal(s.calls, ROWS);
    assert_squares(&t, ROWS);
    assert_saved(ROWS);
    cri_table_free(&t);
  }
}

TEST(what_was_interrupted_goes_on) {
  squares s = {.bad = -1};
  cr_error error = {0};
  cr_table t;
  patience = 3;
  assert_int_equal(sweep(false, impatient, 2, &s, &t, &error), CR_ERR_INTERRUPTED);
  assert_non_null(strstr(error.text, "continue with --resume"));
  assert_saved(3 * 16);
  cri_table_free(&t);

  assert_int_equal(sweep(true, NULL, 2, &s, &t, NULL), CR_OK);
  assert_int_equal(s.calls, ROWS);  // no row twice
  assert_squares(&t, ROWS);
  assert_saved(ROWS);
  cri_table_free(&t);

  assert_int_equal(sweep(true, NULL, 2, &s, &t, NULL), CR_OK);
  assert_int_equal(s.calls, ROWS);  // none was left
  cri_table_free(&t);
}

TEST(a_failure_names_file_and_row) {
  squares s = {.bad = 37};
  cr_error error = {0};
  cr_table t;
  assert_int_equal(sweep(false, NULL, 2, &s, &t, &error), CR_ERR_DIVERGED);
  assert_string_equal(error.text, "squares.csv, row 37: no square today");
  cri_table_free(&t);
}

// a full table lies there; a new sweep that comes nowhere must not leave it to one that is resumed
TEST(rows_of_an_earlier_run_are_gone) {
  squares s = {.bad = -1}, fails = {.bad = 0};
  cr_table t;
  assert_int_equal(sweep(false, NULL, 2, &s, &t, NULL), CR_OK);
  cri_table_free(&t);
  assert_int_equal(sweep(false, NULL, 2, &fails, &t, NULL), CR_ERR_DIVERGED);
  cri_table_free(&t);
  assert_saved(0);
  assert_int_equal(sweep(true, NULL, 2, &s, &t, NULL), CR_OK);
  assert_int_equal(s.calls, 2 * ROWS);
  cri_table_free(&t);
}
