// SPDX-License-Identifier: Apache-2.0
// Convex quadratic problems of some hundred unknowns with sparse constraints: x'P x / 2 + q'x with lower <= A x <= upper. OSQP
// solves them where the build has it (docs/studies/quadruped.md); Carom's own interior point method does everywhere.
#ifndef CR_WALK_CONVEX_QP_H
#define CR_WALK_CONVEX_QP_H

#include "base/status.h"

typedef struct {
  int n, m;             // unknowns, rows of A; at most what it was made for
  double *P, *q;        // n x n, symmetric, positive definite; n
  int *start, *column;  // row i of A has the entries start[i] ... start[i + 1] - 1
  double* entry;
  double *lower, *upper;  // m, lower <= upper; infinite: none
} cr_qp;

/// Room for so many unknowns, rows, and entries of A. Owner: the caller, cri_qp_free. CR_ERR_MEMORY
cr_status cri_qp_create(cr_qp* qp, int n, int m, int nentry, cr_error* error);
void cri_qp_free(cr_qp* qp);

/// How far x and the multipliers y (of A x, positive at an upper bound) are from solving the problem: the largest part of P x + q + A'y, of
/// what the bounds are missed by, and of the products of y with the distance from the bound.
double cri_qp_residual(const cr_qp* qp, const double* x, const double* y);

typedef enum { CR_QP_INTERIOR, CR_QP_OSQP } cr_qp_method;

typedef struct cr_qp_solver cr_qp_solver;

/// True if this build can use the method; the name of a method for reports, with the version of a library.
bool cri_qp_has(cr_qp_method method);
const char* cri_qp_name(cr_qp_method method);

/// A solver for problems of at most the size that qp was made for. OSQP keeps the places of the entries of A from the first
/// problem on, and begins where the last problem ended; its problems have all one size.
/// accuracy  of the solution: relative; 0: [1e-3 for OSQP, which then polishes; 1e-8 for the interior point method]
/// Owner     the caller, cri_qp_solver_destroy
/// Errors    CR_ERR_UNSUPPORTED: the build has no OSQP; CR_ERR_MEMORY
cr_status cri_qp_solver_create(cr_qp_solver** solver, const cr_qp* qp, cr_qp_method method,
                               double accuracy, cr_error* error);
void cri_qp_solver_destroy(cr_qp_solver* solver);

/// Shapes   x[n], y[m]; y may be NULL
/// Errors   CR_ERR_SOLVER where no solution was found: bounds that leave nothing, P that is not positive definite,
///          too many iterations; CR_ERR_NONFINITE; CR_ERR_INTERRUPTED; CR_ERR_ARG
/// Memory   the interior point method allocates nothing; OSQP does for a polish
cr_status cri_qp_solve(cr_qp_solver* solver, const cr_qp* qp, double* x, double* y,
                       cr_error* error);

/// Iterations of the last problem.
int cri_qp_iterations(const cr_qp_solver* solver);

#endif
