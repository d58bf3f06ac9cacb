// SPDX-License-Identifier: Apache-2.0
// The interior point method: solutions found otherwise, conditions of large problems, problems that have no solution.
#include "walk/interior.h"

#include "support/close.h"
#include "support/test.h"
#include "walk/problems.h"

static cr_error error;

TEST(small_problems_have_the_solution_that_trying_all_bounds_finds) {
  cr_random random = cr_random_seed(1, 0);
  cr_qp qp;
  cr_interior* s;
  int at_bounds = 0;
  assert_int_equal(cri_qp_create(&qp, SMALL, SMALL_ROWS, 2 * SMALL_ROWS, &error), CR_OK);
  assert_int_equal(cri_interior_create(&s, SMALL, SMALL_ROWS, 1e-11, &error), CR_OK);
  for (int k = 0; k < 200; k++) {
    double x[SMALL], y[SMALL_ROWS], should[SMALL];
    int iterations;
    random_problem(&qp, SMALL, SMALL_ROWS, &random);
    solve_small(&qp, should);
    assert_int_equal(cri_interior_solve(s, &qp, x, y, &iterations, &error), CR_OK);
    for (int i = 0; i < SMALL; i++) {
      assert_close(x[i], should[i], 1e-6);
    }
    for (int i = 0; i < SMALL_ROWS; i++) {
      at_bounds += fabs(y[i]) > 1e-3;
    }
  }
  assert_true(at_bounds > 200);
  cri_interior_destroy(s);
  cri_qp_free(&qp);
}

TEST(large_problems_fulfil_all_conditions) {
  enum { N = 60, M = 150 };
  static double x[N], y[M];
  cr_random random = cr_random_seed(2, 0);
  cr_qp qp;
  cr_interior* s;
  assert_int_equal(cri_qp_create(&qp, N, M, 2 * M, &error), CR_OK);
  assert_int_equal(cri_interior_create(&s, N, M, 1e-11, &error), CR_OK);
  for (int k = 0; k < 10; k++) {
    int iterations;
    random_problem(&qp, N, M, &random);
    assert_int_equal(cri_interior_solve(s, &qp, x, y, &iterations, &error), CR_OK);
    assert_true(cri_qp_residual(&qp, x, y) < 1e-6);
    assert_true(iterations < 30);
    // any other x is worse: the conditions are those of the minimum
    y[0] += 1;
    assert_true(cri_qp_residual(&qp, x, y) > 0.1 * fabs(qp.entry[0]));
  }
  cri_interior_destroy(s);
  cri_qp_free(&qp);
}

TEST(what_has_no_solution_is_refused) {
  cr_random random = cr_random_seed(3, 0);
  double x[SMALL];
  cr_qp qp;
  cr_interior* s;
  int iterations;
  assert_int_equal(cri_qp_create(&qp, SMALL, SMALL_ROWS, 2 * SMALL_ROWS, &error), CR_OK);
  assert_int_equal(cri_interior_create(&s, SMALL, SMALL_ROWS, 0, &error), CR_OK);
  random_problem(&qp, SMALL, SMALL_ROWS, &random);
  // rows 0 and 3 alike, with bounds that leave nothing
  for (int e = 0; e < 2; e++) {
    qp.column[6 + e] = qp.column[e];
    qp.entry[6 + e] = qp.entry[e];
  }
  qp.lower[3] = 2;
  qp.upper[3] = 3;
  assert_int_equal(cri_interior_solve(s, &qp, x, NULL, &iterations, &error), CR_ERR_SOLVER);
  random_problem(&qp, SMALL, SMALL_ROWS, &random);
  qp.P[0] = -50;
  assert_int_equal(cri_interior_solve(s, &qp, x, NULL, &iterations, &error), CR_ERR_SOLVER);
  random_problem(&qp, SMALL, SMALL_ROWS, &random);
  qp.q[1] = (double)NAN;
  assert_int_equal(cri_interior_solve(s, &qp, x, NULL, &iterations, &error), CR_ERR_NONFINITE);
  cri_interior_destroy(s);
  assert_int_equal(cri_interior_create(&s, SMALL - 1, SMALL_ROWS, 0, &error), CR_OK);
  assert_int_equal(cri_interior_solve(s, &qp, x, NULL, &iterations, &error), CR_ERR_ARG);
  cri_interior_destroy(s);
  cri_qp_free(&qp);
}
