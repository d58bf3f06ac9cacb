// SPDX-License-Identifier: Apache-2.0
#include "walk/convex_qp.h"

#include <math.h>
#include <stdlib.h>

#include "walk/interior.h"
#include "walk/osqp.h"

cr_status cri_qp_create(cr_qp* qp, int n, int m, int nentry, cr_error* error) {
  size_t unknowns = (size_t)n, rows = (size_t)m, entries = (size_t)nentry;
  *qp = (cr_qp){.n = n, .m = m};
  qp->P = calloc(unknowns * (unknowns + 1) + 2 * rows + entries + 1, sizeof *qp->P);
  qp->start = calloc(rows + 1 + entries + 1, sizeof *qp->start);
  if (qp->P == NULL || qp->start == NULL) {
    cri_qp_free(qp);
    return cri_fail(error, CR_ERR_MEMORY, "no memory for a quadratic problem of %d unknowns", n);
  }
  qp->q = qp->P + (ptrdiff_t)n * n;
  qp->lower = qp->q + n;
  qp->upper = qp->lower + m;
  qp->entry = qp->upper + m;
  qp->column = qp->start + m + 1;
  return CR_OK;
}

void cri_qp_free(cr_qp* qp) {
  free(qp->P);
  free(qp->start);
  *qp = (cr_qp){.n = 0};
}

static double missed(double at, double lower, double upper, double y) {
  double off = fmax(fmax(lower - at, at - upper), 0);
  double slack = y > 0 ? upper - at : at - lower;
  // a multiplier of a bound that is not there, or of one that is away
  double product = y == 0 ? 0 : isfinite(slack) ? fabs(y * slack) : fabs(y);
  return fmax(off, product);
}

double cri_qp_residual(const cr_qp* qp, const double* x, const double* y) {
  double worst = 0;
  for (int j = 0; j < qp->n; j++) {
    double sum = qp->q[j];
    for (int i = 0; i < qp->n; i++) {
      sum += qp->P[(ptrdiff_t)j * qp->n + i] * x[i];
    }
    for (int i = 0; i < qp->m; i++) {
      for (int k = qp->start[i]; k < qp->start[i + 1]; k++) {
        sum += qp->column[k] == j ? y[i] * qp->entry[k] : 0;
      }
    }
    worst = fmax(worst, fabs(sum));
  }
  for (int i = 0; i < qp->m; i++) {
    double at = 0;
    for (int k = qp->start[i]; k < qp->start[i + 1]; k++) {
      at += qp->entry[k] * x[qp->column[k]];
    }
    worst = fmax(worst, missed(at, qp->lower[i], qp->upper[i], y[i]));
  }
  return worst;
}

// ---- the two methods

struct cr_qp_solver {
  cr_interior* interior;
  cr_osqp* osqp;
  int iterations;
};

bool cri_qp_has(cr_qp_method method) {
  return method == CR_QP_INTERIOR || cri_osqp_version() != NULL;
}

const char* cri_qp_name(cr_qp_method method) {
  return method == CR_QP_INTERIOR     ? "interior point method"
         : cri_osqp_version() != NULL ? cri_osqp_version()
                                      : "OSQP";
}

cr_status cri_qp_solver_create(cr_qp_solver** solver, const cr_qp* qp, cr_qp_method method,
                               double accuracy, cr_error* error) {
  cr_qp_solver* s = calloc(1, sizeof *s);
  *solver = s;
  CR_TRY(s != NULL ? CR_OK : cri_fail(error, CR_ERR_MEMORY, "no memory for a quadratic problem"));
  cr_status status = method == CR_QP_OSQP
                         ? cri_osqp_create(&s->osqp, accuracy, error)
                         : cri_interior_create(&s->interior, qp->n, qp->m, accuracy, error);
  if (status != CR_OK) {
    cri_qp_solver_destroy(s);
    *solver = NULL;
  }
  return status;
}

void cri_qp_solver_destroy(cr_qp_solver* solver) {
  if (solver != NULL) {
    cri_interior_destroy(solver->interior);
    cri_osqp_destroy(solver->osqp);
    free(solver);
  }
}

cr_status cri_qp_solve(cr_qp_solver* solver, const cr_qp* qp, double* x, double* y,
                       cr_error* error) {
  return solver->osqp != NULL
             ? cri_osqp_solve(solver->osqp, qp, x, y, &solver->iterations, error)
             : cri_interior_solve(solver->interior, qp, x, y, &solver->iterations, error);
}

int cri_qp_iterations(const cr_qp_solver* solver) { return solver->iterations; }
