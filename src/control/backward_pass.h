// SPDX-License-Identifier: Apache-2.0
// The backward pass of the iterative linear-quadratic regulator: from linear steps and quadratic costs to feedback
// within the limits of the controls.
#ifndef CR_CONTROL_BACKWARD_PASS_H
#define CR_CONTROL_BACKWARD_PASS_H

#include "control/control_shape.h"

/// Steps x' = A x + B u and costs of (x', u), nstep of each, row by row; and what the pass finds.
typedef struct {
  int nstep, nx, nu;
  const cr_real *A, *B;        // nstep x nx nx, nx nu
  const cr_real *gz, *Hz;      // nstep x nz, nz nz, z = (x', u), nz = nx + nu
  const cri_controls* limits;  // shape STEP or ZERO: which steps hold one control
  const cr_real* u;            // nstep x nu: the controls about which all this is
  cr_real *k, *K;            // nstep x nu, nu nx: u + k + K x; of the first step of a held control
  cr_real slope, curvature;  // of the cost along k: expected change a slope + a^2 curvature / 2
} cri_backward;

/// Numbers of work.
size_t cri_backward_room(int nx, int nu);

/// Fills k, K, slope, curvature.
/// Equation W = cost + V of the next step; Q_z = F' W_z, Q_zz = F' W_zz F, F = (A B; 0 1);
///          k = argmin k'(Q_uu + mu) k / 2 + Q_u' k within the limits, K = -(Q_uu + mu)^-1 Q_ux of the free controls;
///          V_x = Q_x + K'Q_uu k + K'Q_u + Q_xu k, V_xx = Q_xx + K'Q_uu K + K'Q_ux + Q_xu K     [plan.i1 ... i4]
/// Returns  false where Q_uu + mu is not positive definite
bool cri_backward_pass(cri_backward* b, cr_real mu, cr_real* work);

#endif
