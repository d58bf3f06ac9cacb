// SPDX-License-Identifier: Apache-2.0
// OSQP, where the build has it: solutions found otherwise, warm starts, numbers that repeat.
#include <string.h>

#include "support/close.h"
#include "support/test.h"
#include "walk/osqp.h"
#include "walk/problems.h"

static cr_error error;

static void skip_without(void) {
  if (cri_osqp_version() == NULL) {
    skip();
  }
}

TEST(osqp_finds_what_trying_all_bounds_finds) {
  skip_without();
  cr_random random = cr_random_seed(1, 0);
  cr_qp qp;
  cr_osqp* s;
  assert_int_equal(cri_qp_create(&qp, SMALL, SMALL_ROWS, 2 * SMALL_ROWS, &error), CR_OK);
  assert_int_equal(cri_osqp_create(&s, 1e-9, &error), CR_OK);
  for (int k = 0; k < 100; k++) {  // all with one solver: matrices, bounds and gradients change
    double x[SMALL], y[SMALL_ROWS], should[SMALL];
    int iterations;
    random_problem(&qp, SMALL, SMALL_ROWS, &random);
    solve_small(&qp, should);
    assert_int_equal(cri_osqp_solve(s, &qp, x, y, &iterations, &error), CR_OK);
    for (int i = 0; i < SMALL; i++) {
      assert_close(x[i], should[i], 1e-5);
    }
    assert_true(cri_qp_residual(&qp, x, y) < 1e-5);
  }
  cri_osqp_destroy(s);
  cri_qp_free(&qp);
}

TEST(a_second_solve_begins_at_the_first_solution) {
  enum { N = 40, M = 60 };
  skip_without();
  static double x[N], again[N];
  cr_random random = cr_random_seed(6, 0);
  cr_qp qp;
  cr_osqp *s, *other;
  int cold, warm, repeated;
  assert_int_equal(cri_qp_create(&qp, N, M, 2 * M, &error), CR_OK);
  random_problem(&qp, N, M, &random);
  assert_int_equal(cri_osqp_create(&s, 1e-7, &error), CR_OK);
  assert_int_equal(cri_osqp_create(&other, 1e-7, &error), CR_OK);
  assert_int_equal(cri_osqp_solve(s, &qp, x, NULL, &cold, &error), CR_OK);
  assert_int_equal(cri_osqp_solve(other, &qp, again, NULL, &repeated, &error), CR_OK);
  assert_int_equal(repeated, cold);
  assert_memory_equal(x, again, sizeof x);
  qp.q[0] += 1e-6;
  assert_int_equal(cri_osqp_solve(s, &qp, x, NULL, &warm, &error), CR_OK);
  assert_true(warm < cold);
  qp.m--;
  assert_int_equal(cri_osqp_solve(s, &qp, x, NULL, &warm, &error), CR_ERR_ARG);
  cri_osqp_destroy(s);
  cri_osqp_destroy(other);
  cri_qp_free(&qp);
}

TEST(osqp_refuses_what_has_no_solution) {
  skip_without();
  cr_random random = cr_random_seed(3, 0);
  double x[SMALL];
  cr_qp qp;
  cr_osqp* s;
  int iterations;
  assert_int_equal(cri_qp_create(&qp, SMALL, SMALL_ROWS, 2 * SMALL_ROWS, &error), CR_OK);
  random_problem(&qp, SMALL, SMALL_ROWS, &random);
  for (int e = 0; e < 2; e++) {
    qp.column[6 + e] = qp.column[e];
    qp.entry[6 + e] = qp.entry[e];
  }
  qp.lower[3] = 2;
  qp.upper[3] = 3;
  assert_int_equal(cri_osqp_create(&s, 0, &error), CR_OK);
  assert_int_equal(cri_osqp_solve(s, &qp, x, NULL, &iterations, &error), CR_ERR_SOLVER);
  assert_non_null(strstr(error.text, "OSQP: "));
  cri_osqp_destroy(s);
  cri_qp_free(&qp);
}
