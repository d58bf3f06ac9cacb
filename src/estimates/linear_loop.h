// SPDX-License-Identifier: Apache-2.0
// A linear system in a loop with a linear policy and noise on every decision, in closed form:
//   x' = A x + B u,  u = K x + b + w,  w normal with covariance sigma^2 I
//   L = sum over T steps of step (x''Q x' + u'R u) / 2,  plus x'P x / 2 at the end
// L, its derivatives by (K, b) and the score are quadratic in the noise, so mean and variance of both estimators follow from cumulants of quadratic forms.
#ifndef CR_ESTIMATES_LINEAR_LOOP_H
#define CR_ESTIMATES_LINEAR_LOOP_H

#include "base/status.h"

enum { CR_LOOP_STATES = 16, CR_LOOP_CONTROLS = 8 };

/// Matrices row by row, with the numbers of states and controls as their widths. Q and R are diagonals.
typedef struct {
  int n, m, T;  // states, controls, steps
  double step;  // s
  double A[CR_LOOP_STATES * CR_LOOP_STATES], B[CR_LOOP_STATES * CR_LOOP_CONTROLS];
  double Q[CR_LOOP_STATES], R[CR_LOOP_CONTROLS], P[CR_LOOP_STATES * CR_LOOP_STATES];
  double K[CR_LOOP_CONTROLS * CR_LOOP_STATES], b[CR_LOOP_CONTROLS];
  double x0[CR_LOOP_STATES], sigma;
} cr_loop;

typedef struct {
  double mean;           // E L
  double first, zeroth;  // variance of a summand of each estimator: trace of the covariance
  double together;       // covariance of the two from the same samples: trace again
  /// Weight of the first order that makes the variance least: (zeroth - together) / (first + zeroth - 2 together), within 0 and 1.
  double alpha;
  /// Largest difference of the mean of the two estimators over all weights, relative to the largest mean: 0 but for rounding.
  double gap;
} cr_loop_moments;

/// Mean and variances.
/// Equation F = dL/dW, Z = (L(w) - L(0)) sum over steps of (du/dW)'w / sigma^2, W = (K, b); E F = E Z = d E L / dW
/// Shapes   gradient[m (n + 1)]: d E L / dW, rows of K, then b; NULL: not asked
/// Errors   CR_ERR_MEMORY
cr_status cri_loop_moments(const cr_loop* loop, cr_loop_moments* moments, double* gradient,
                           cr_error* error);

/// The policy of least mean cost for P as it is found here: puts K and P, b = 0. With this P the best policy is one K for all steps and
/// starts.
/// Equation S = step Q + P,  K = -(step R + B'S B)^-1 B'S A,  P = A'S (A + B K), iterated until P stays
/// Errors   CR_ERR_DIVERGED where it does not
cr_status cri_loop_regulate(cr_loop* loop, cr_error* error);

#endif
