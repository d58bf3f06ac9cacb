// SPDX-License-Identifier: Apache-2.0
// Feedback that holds a model at an equilibrium: the controls that hold a pose, and the gain of the discrete
// linear-quadratic regulator there.
#ifndef CAROM_FEEDBACK_H
#define CAROM_FEEDBACK_H

#include "carom/data.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Settings of the equilibrium. A zero stands for the value in brackets.
typedef struct {
  size_t size;        // sizeof(cr_equilibrium_options), set by the caller
  bool hold_pose;     // only the controls are unknown; else the pose too, near the one given
  int iterations;     // [100]
  cr_real tolerance;  // of the acceleration at rest, rad/s^2 or m/s^2 [1e-8]
  cr_real
      settle;  // s, the model first moves so long, slowed down, until it lies or stands on what holds it [0]
} cr_equilibrium_options;

/// Finds a state at rest that stays: qvel = 0, qacc = 0, act_dot = 0, from the pose and the controls in d.
/// Map      qpos, act, ctrl in d -> those of the equilibrium; qvel becomes zero
/// Equation Gauss-Newton steps with damping (Levenberg, Marquardt) on the change of a step from rest, over controls,
///          activations and pose; a pose that is free moves as little as it has to                         [lqr.e1]
///          to settle: steps of the model, after each of which velocities shrink                           [lqr.e2]
/// Errors   CR_ERR_DIVERGED, naming the coordinate that still accelerates; those of the steps; the sentence is in error
CR_API cr_status cr_equilibrium(const cr_model* m, cr_data* d,
                                const cr_equilibrium_options* options, cr_error* error);

/// Gain of the discrete linear-quadratic regulator for x' = A x + B u and the cost sum of x'Q x + u'R u.
/// Equation K = (R + B'P B)^-1 B'P A, P = A'P A - A'P B K + Q, u = -K x; P by structure-preserving doubling
///          (Chu, Fan, Lin, Wang, 2004), refined by Newton's method where that helps               [lqr.r1 ... r3]
/// Shapes   A[nx nx], B[nx nu], Q[nx nx], R[nu nu] symmetric, K[nu nx], P[nx nx] (may be NULL), row by row
/// Errors   CR_ERR_SINGULAR: R is not positive definite, or the doubling does not end: no feedback makes it stable, or Q does not see
///          what has to be held; CR_ERR_MEMORY
CR_API cr_status cr_lqr(int nx, int nu, const cr_real* A, const cr_real* B, const cr_real* Q,
                        const cr_real* R, cr_real* K, cr_real* P, cr_error* error);

/// Largest modulus of the eigenvalues of A: below 1 a linear system x' = A x comes to rest.
/// Equation |A^(2^k)|^(1 / 2^k) by repeated squaring, to about 1e-12                                     [lqr.s1]
/// Shapes   A[n n]
/// Errors   CR_ERR_NONFINITE; CR_ERR_MEMORY
CR_API cr_status cr_spectral_radius(int n, const cr_real* A, cr_real* radius, cr_error* error);

#ifdef __cplusplus
}
#endif
#endif
