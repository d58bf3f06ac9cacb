// SPDX-License-Identifier: Apache-2.0
// Costs of a motion: sums of weighted norms of residuals. A cost is a loss of a rollout, and has the Gauss-Newton
// Hessian that planners need.
#ifndef CAROM_COST_H
#define CAROM_COST_H

#include "carom/rollout.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What a residual is.
typedef enum {
  CR_RESIDUAL_PLACE,        // the numbers of a named place minus the target
  CR_RESIDUAL_ORIENTATION,  // the turn from the target to a named quaternion: three numbers
  CR_RESIDUAL_EXPRESSION,   // the numbers of an expression (carom/rollout.h) minus the target
  CR_RESIDUAL_CALLBACK      // those of a function minus the target
} cr_residual_kind;

/// A residual r as a function of a state; several threads may call it at once. d is as a cr_loss gets it.
typedef struct {
  void* context;
  int n;  // numbers
  /// Fills r[n].
  cr_status (*value)(void* context, const cr_model* m, const cr_data* d, cr_real* r);
  /// Adds to bar's fields the cotangents of the residual: the sum of r_bar_i by these fields.
  cr_status (*bar)(void* context, const cr_model* m, const cr_data* d, const cr_real* r_bar,
                   cr_data* bar);
  bool needs_fields;  // reads more than the state and the controls
} cr_cost_callback;

/// How a residual becomes a number: the norms of MuJoCo MPC, with its parameters p and q.
/// Equation [cost.n1 ... n9]; derivation: docs/derivations/cost.md
typedef enum {
  CR_NORM_NULL,         // sum of r_i
  CR_NORM_QUADRATIC,    // r'r / 2
  CR_NORM_L22,          // ((r'r)^(q/2) + p^q)^(1/q) - p
  CR_NORM_L2,           // sqrt(r'r + p^2) - p
  CR_NORM_COSH,         // sum of p^2 (cosh(r_i / p) - 1)
  CR_NORM_POWER,        // sum of |r_i|^p
  CR_NORM_SMOOTH_ABS,   // sum of sqrt(r_i^2 + p^2) - p
  CR_NORM_SMOOTH_ABS2,  // sum of (|r_i|^q + p^q)^(1/q) - p
  CR_NORM_RECTIFY       // sum of p log(1 + exp(r_i / p))
} cr_norm;

/// A term of a cost. What a zero stands for is in brackets.
typedef struct {
  size_t size;       // sizeof(cr_cost_term), set by the caller
  const char* name;  // in tables and sentences [the text]
  cr_residual_kind kind;
  const char*
      text;  // PLACE, ORIENTATION, EXPRESSION: "qpos[slider]", "site_xquat[palm]", "1 - cos(qpos[hinge])"
  const cr_cost_callback* residual;  // CALLBACK
  /// What is wanted: rows of as many numbers as the place has, four for a quaternion. At times between two rows it is
  /// between them, before the first and after the last it is theirs. NULL: [0; no turn]
  const cr_real* target;
  const cr_real* times;  // s, ascending, one a row; one row alone needs none
  int rows;              // [1 with a target]
  cr_norm norm;          // [CR_NORM_NULL]
  cr_real p, q;          // of the norm, as far as it has them
  cr_real weight;        // 1/s: the cost is the integral of weight times norm over the motion
  cr_real terminal;      // weight of the norm of the last state
} cr_cost_term;

/// A cost, and what evaluating it needs. Belongs to one thread.
typedef struct cr_cost cr_cost;

/// A cost without terms. m must outlive it.
/// Owner    the caller, cr_cost_destroy
/// Errors   CR_ERR_ARG, CR_ERR_MEMORY
CR_API cr_status cr_cost_create(cr_cost** cost, const cr_model* m, cr_error* error);
CR_API void cr_cost_destroy(cr_cost* cost);

/// Adds a term. Texts and numbers are copied; the context of a callback has to outlive the cost.
/// Errors   CR_ERR_NAME for a place or an expression that is none; CR_ERR_ARG: a weight below 0 or not finite, no weight, times that
///          do not ascend, parameters that the norm does not take; CR_ERR_MEMORY
CR_API cr_status cr_cost_add(cr_cost* cost, const cr_cost_term* term, cr_error* error);

/// Number of terms; name of term i, NULL if there is none.
CR_API int cr_cost_count(const cr_cost* cost);
CR_API const char* cr_cost_name(const cr_cost* cost, int i);

/// The cost as a loss of a rollout of nstep steps, or intervals, of `interval` seconds.
/// Equation sum over steps k = 1 ... nstep of interval weight norm(r(x_k)), plus terminal norm(r(x_nstep)), over all
///          terms; x_k the state after k steps, with the control of step k             [cost.c1]
/// Smooth   where residuals and norms are
CR_API cr_loss cr_cost_loss(cr_cost* cost, int nstep, cr_real interval);

/// What term i added to the loss of the last run; 0 if there is no term i.
CR_API cr_real cr_cost_part(const cr_cost* cost, int i);

/// The summand of one state, with gradient and Gauss-Newton Hessian by z = (tangent of the state, controls).
/// Map      d, as a cr_loss gets it after `step` steps -> value, gradient, hessian
/// Equation gradient = sum of w J'g, hessian = sum of w J'N J; J = dr/dz, g and N first and second derivative of the norm, N
///          without what would make it indefinite                                        [cost.c2]
/// Shapes   gradient[nz], hessian[nz nz], row by row, nz = 2 nv + na + npluginstate + nu
/// Needs    cr_forward at this state; cr_cost_loss, which says how long the motion is; bar: a twin of d
///          (cr_data_create_cotangent), without cotangents of computed fields
/// Errors   CR_ERR_ARG; those of the residuals; the sentence is in cr_data_error(bar)
/// Memory   no allocation
CR_API cr_status cr_cost_gauss_newton(cr_cost* cost, const cr_model* m, const cr_data* d, int step,
                                      cr_data* bar, cr_real* value, cr_real* gradient,
                                      cr_real* hessian);

#ifdef __cplusplus
}
#endif
#endif
