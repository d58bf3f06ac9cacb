// SPDX-License-Identifier: Apache-2.0
// The two methods behind one call: bounds alone, and what a build without OSQP says.
#include "walk/convex_qp.h"

#include <string.h>

#include "support/close.h"
#include "support/test.h"
#include "walk/problems.h"

static cr_error error;

// x within 0 ... 1, P diagonal: each unknown on its own
static void put_box(cr_qp* qp, int n) {
  qp->start[0] = 0;
  for (int i = 0; i < n; i++) {
    memset(qp->P + (ptrdiff_t)i * n, 0, (size_t)n * sizeof *qp->P);
    qp->P[i * n + i] = 1 + i;
    qp->q[i] = 3 * (1.9 - i);
    qp->start[i + 1] = i + 1;
    qp->column[i] = i;
    qp->entry[i] = 1;
    qp->lower[i] = 0;
    qp->upper[i] = i == 4 ? (double)INFINITY : 1;
  }
}

TEST(unknowns_within_bounds_are_cut_off_there) {
  enum { N = 5 };
  static const double should[N] = {0, 0, 0.1, 0.825, 1.26};
  for (int method = 0; method < 2; method++) {
    cr_qp qp;
    cr_qp_solver* s;
    double x[N], y[N];
    if (!cri_qp_has((cr_qp_method)method)) {
      continue;
    }
    assert_int_equal(cri_qp_create(&qp, N, N, N, &error), CR_OK);
    put_box(&qp, N);
    assert_int_equal(cri_qp_solver_create(&s, &qp, (cr_qp_method)method, 1e-9, &error), CR_OK);
    assert_int_equal(cri_qp_solve(s, &qp, x, y, &error), CR_OK);
    for (int i = 0; i < N; i++) {
      assert_close(x[i], should[i], 1e-6);
    }
    assert_close(y[0], -5.7, 1e-5);  // the slope that the bound holds
    assert_true(cri_qp_residual(&qp, x, y) < 1e-5);
    assert_true(cri_qp_iterations(s) > 0);
    cri_qp_solver_destroy(s);
    cri_qp_free(&qp);
  }
}

TEST(a_build_without_osqp_says_how_to_get_it) {
  cr_qp qp;
  cr_qp_solver* s;
  assert_true(cri_qp_has(CR_QP_INTERIOR));
  assert_string_equal(cri_qp_name(CR_QP_INTERIOR), "interior point method");
  assert_non_null(strstr(cri_qp_name(CR_QP_OSQP), "OSQP"));
  if (cri_qp_has(CR_QP_OSQP)) {
    return;
  }
  assert_int_equal(cri_qp_create(&qp, 1, 1, 1, &error), CR_OK);
  assert_int_equal(cri_qp_solver_create(&s, &qp, CR_QP_OSQP, 0, &error), CR_ERR_UNSUPPORTED);
  assert_null(s);
  assert_string_equal(error.text, "this build has no OSQP: run `make osqp`, then `make` again");
  cri_qp_free(&qp);
}
