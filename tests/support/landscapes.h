// SPDX-License-Identifier: Apache-2.0
// Functions with many minima and a known lowest one, as sums of squares, with gradients and Jacobians.
#ifndef CR_TESTS_LANDSCAPES_H
#define CR_TESTS_LANDSCAPES_H

#include "carom/minimise.h"

/// A context for one thread. Rastrigin: sum of x^2 + 10 (1 - cos 2 pi x), 0 at 0. Levy: 0 at (1, ... 1).
typedef struct {
  int n;
  bool levy;
  long calls;
  long fail_at;        // this call fails with CR_ERR_DIVERGED; -1: none
  cr_real none_above;  // no value where x[0] is above: `instead`
  cr_real instead;
} landscape;

landscape landscape_of(int n, bool levy);

/// Residuals of it: 2 n for Rastrigin, 2 n + 1 for Levy.
int landscape_residuals(const landscape* land);

cr_status landscape_squares(void* context, const cr_real* x, cr_real* residuals, cr_real* jacobian,
                            cr_error* error);
cr_status landscape_value(void* context, const cr_real* x, cr_real* value, cr_error* error);
cr_status landscape_objective(void* context, int batch, const cr_real* x, cr_real* value,
                              cr_real* gradient, cr_error* error);

/// A problem of land within [-5, 6] in every number (the middle is no minimum), by residuals or by values and
/// gradients, with one context.
cr_global_problem landscape_problem(landscape* land, bool squares);

/// Where none of it is from the lowest minimum: the largest difference.
cr_real landscape_miss(const landscape* land, const cr_real* x);

/// Of 20 seeds, how many searches of land end within 1e-4 of the lowest minimum. `evaluations` are those of all.
int landscape_found(landscape* land, const cr_global_options* options, bool squares,
                    int64_t* evaluations);

#endif
