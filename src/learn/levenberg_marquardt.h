// SPDX-License-Identifier: Apache-2.0
// The loop of Levenberg and Marquardt for half a sum of squares, V(x) = |r(x)|^2 / 2, in terms of four functions: it
// knows neither how r comes about nor how its Jacobian J is kept. least_squares.c gives it a dense one.
//
// Equation (J'J + mu D) h = -J'r over the numbers that are free, D = the largest diag(J'J) seen so far (More, 1978);
//          gain = (V(x) - V(x + h)) / predicted, predicted = -h'J'r - |J h|^2 / 2;
//          gain > 0: x += h, mu *= max(1/3, 1 - (2 gain - 1)^3), nu = 2;  otherwise mu *= nu, nu *= 2
//          (H. B. Nielsen, Damping parameter in Marquardt's method, IMM-REP-1999-05, 1999)
//          Gauss-Newton: mu = 0, h is halved until gain > 1e-4
// Bounds   a number at its bound whose gradient points outwards is fixed in the step; the others' steps are cut to their
//          bounds (Kanzow, Yamashita and Fukushima, 2004), and the prediction is that of the cut step
#ifndef CR_LEARN_LEVENBERG_MARQUARDT_H
#define CR_LEARN_LEVENBERG_MARQUARDT_H

#include "base/real.h"
#include "base/status.h"

/// Where a search stands after a step that it took.
typedef struct {
  cr_real value;             // at x
  cr_real mu, nu, part;      // damping, its growth, part of the step without damping
  int tried, taken;          // steps
  bool ended;                // the sum of squares no longer fell
  const cr_real *x, *scale;  // n each: the point, and D
} cr_damped_state;

/// A sum of squares and its linearised form. A status other than CR_OK ends the search, but CR_ERR_SINGULAR of `solve`.
typedef struct {
  void* context;
  int n;

  /// V(x). Infinity: x is no place to go to, the step is tried shorter.
  cr_status (*value)(void* context, const cr_real* x, cr_real* value, cr_error* error);

  /// Linearises about x, where `value` was asked before, perhaps not last: gradient[n] = J'r, diagonal[n] =
  /// diag(J'J). `solve` and `curvature` are then of this place until the next call.
  cr_status (*linearise)(void* context, const cr_real* x, cr_real* gradient, cr_real* diagonal,
                         cr_error* error);

  /// step[n] of the equation above, exactly 0 where fixed[n]; damping >= 0, scale[n] > 0.
  /// CR_ERR_SINGULAR raises the damping; without damping it ends the search.
  cr_status (*solve)(void* context, cr_real damping, const cr_real* scale, const bool* fixed,
                     cr_real* step, cr_error* error);

  /// to[n], where x goes by a step: a line or a curve that begins as x + step, along which r is nearer to linear. NULL: x + step.
  void (*move)(void* context, const cr_real* x, const cr_real* step, cr_real* to);

  /// |J step|^2.
  cr_status (*curvature)(void* context, const cr_real* step, cr_real* square, cr_error* error);

  /// Called after every step that was taken; NULL: not wanted.
  cr_status (*taken)(void* context, const cr_damped_state* state, cr_error* error);
  const cr_damped_state*
      resume;  // goes on from there to the same digits; NULL: from the start. `value` is then not asked first
} cr_damped;

typedef struct {
  int iterations;              // steps that are tried, at most
  cr_real damping;             // mu at the start, > 0; 0: Gauss-Newton
  cr_real step_tolerance;      // ends when |h_i| <= this (|x_i| + this) for all i
  cr_real gradient_tolerance;  // ends when |J'r| <= this in every free number
  cr_real
      value_tolerance;  // ends when a step lowers V by no more than this part of it, as predicted
} cr_damping;

/// How a search went; reason in a few words, a constant.
typedef struct {
  cr_real value;
  int tried, taken;  // steps
  const char* reason;
} cr_damped_end;

/// Numbers of the room that a search needs.
size_t cri_damped_room(int n);

/// Minimises V from x, with lower <= x <= upper (infinite if open); x ends at the best point.
/// Shapes   x[n], lower[n], upper[n], room[cri_damped_room(n)]
/// Errors   those of the functions; CR_ERR_NONFINITE if V is not finite at the start, or NaN anywhere;
///          CR_ERR_SINGULAR without damping
/// Thread   safe for distinct contexts and rooms
cr_status cri_damped_minimise(const cr_damping* damping, const cr_damped* damped,
                              const cr_real* lower, const cr_real* upper, cr_real* x, cr_real* room,
                              cr_damped_end* end, cr_error* error);

#endif
