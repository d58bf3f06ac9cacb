// SPDX-License-Identifier: Apache-2.0
// OSQP (Stellato, Banjac, Goulart, Bemporad, Boyd, OSQP: an operator splitting solver for quadratic programs, 2020) behind a few
// functions. osqp_solver.c has it, osqp_missing.c says that the build has not.
#ifndef CR_WALK_OSQP_H
#define CR_WALK_OSQP_H

#include "walk/convex_qp.h"

typedef struct cr_osqp cr_osqp;

/// "OSQP 1.0.0"; NULL: the build has none.
const char* cri_osqp_version(void);

/// CR_ERR_UNSUPPORTED: the build has none; CR_ERR_MEMORY
cr_status cri_osqp_create(cr_osqp** osqp, double accuracy, cr_error* error);
void cri_osqp_destroy(cr_osqp* osqp);

/// The first call sets the problem up; later ones change its numbers and begin at the last solution.
/// Errors   those of cri_qp_solve
cr_status cri_osqp_solve(cr_osqp* osqp, const cr_qp* qp, double* x, double* y, int* iterations,
                         cr_error* error);

#endif
