// SPDX-License-Identifier: Apache-2.0
// A sum of squares with a dense Jacobian, for the loop of levenberg_marquardt.h. One QR decomposition of [J | r] gives
// [R | c] with J'J = R'R and J'r = R'c; a damped step is the least squares solution of [R; sqrt(mu D)] h = [-c; 0],
// so J'J is never formed and steps keep their digits where residuals hardly tell numbers apart.
#ifndef CR_LEARN_LEAST_SQUARES_H
#define CR_LEARN_LEAST_SQUARES_H

#include "carom/minimise.h"
#include "learn/levenberg_marquardt.h"

typedef struct {
  int n, m;
  cr_residual_function evaluate;
  void* context;
  // residuals[m], jacobian[m n], rows[max(m, n) (n + 1)], stack[2n (n + 1)], part[n + 1]
  cr_real *residuals, *jacobian, *rows, *stack, *part;
} cr_dense_squares;

/// Numbers of the room of n numbers and m residuals; cri_dense_squares_bind puts the members into it.
size_t cri_dense_squares_room(int n, int m);
void cri_dense_squares_bind(cr_dense_squares* squares, cr_real* room);

/// |r(x)|^2 / 2; gradient[n] = J'r unless it is NULL.
/// Errors   those of the function; CR_ERR_NONFINITE: residual or derivative i is NaN, or the derivative infinite
cr_status cri_dense_squares_value(cr_dense_squares* squares, const cr_real* x, cr_real* value,
                                  cr_real* gradient, cr_error* error);

/// The functions of the loop; they refer to squares.
cr_damped cri_dense_squares_damped(cr_dense_squares* squares);

#endif
