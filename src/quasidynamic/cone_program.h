// SPDX-License-Identifier: Apache-2.0
// A convex problem with cones, exact or smoothed by a log barrier, and the derivative of its solution.
//   minimise x'Q x / 2 - b'x    subject to    s = G x + h in K                                [quasidynamic.c1]
// K is a product of half lines s >= 0 and second-order cones s_0 >= |(s_1, ...)|. z are the multipliers:
//   Q x - b - G'z = 0,   z in K,   s o z = mu c e                                           [quasidynamic.c2]
// o is the product of the cone (Jordan), c = 1 of a half line, 2 of a cone, mu = 0 exact, 1 / weight of
//   minimise weight (x'Q x / 2 - b'x) - sum log s - sum log(s_0^2 - |s_1|^2)                 [quasidynamic.c3]
#ifndef CR_QUASIDYNAMIC_CONE_PROGRAM_H
#define CR_QUASIDYNAMIC_CONE_PROGRAM_H

#include "base/status.h"

/// Largest dimension of a cone: a contact with torsional and rolling friction.
enum { CRI_CONE_DIM = 6 };

typedef enum {
  CRI_CONE_SOLVED,
  CRI_CONE_NOT_CONVEX,  // Q is not positive definite: `culprit` is the row of x
  CRI_CONE_INFEASIBLE,  // found no x with all s in K: `culprit` is the block with the largest share in the proof, or farthest outside
  CRI_CONE_STALLED      // the residual stays above 1e-9
} cri_cone_answer;

/// What a block is at the exact solution.
typedef enum { CRI_CONE_FREE, CRI_CONE_FIXED, CRI_CONE_SLIDING } cri_cone_contact;

/// The inner variables are scaled: Q = L L', y = L'x, each block of rows so that G L^-T has first rows of length 1.
typedef struct {
  int nv, nv_max, nrow, nrow_max, nblock;
  // the problem, set by the caller: the blocks' first rows and dimensions; Q[nv nv] symmetric, G[nrow nv] row by row
  int32_t *adr, *dim;
  cr_real *Q, *b, *G, *h;
  cr_real weight;  // 0: exact
  // the answer
  cr_real *x, *s, *z;  // in the units of the problem
  cr_real residual;    // of [quasidynamic.c2], see cri_cone_solve
  int iterations, culprit;
  // inner: scaled problem and iterate
  cr_real *L, *A, *a, *g, *scale;
  cr_real *y, *si, *zi;
  // inner: Newton's method
  cr_real *H, *W, *beta, *lambda, *rd, *rp, *d, *dy, *ds, *dz, *B;
  // inner: the linearised system
  int32_t* contact;
  int nactive;
  cr_real *P, *R, *Y, *S, *t, *nu, *row, *dnu;
  void* memory;
} cri_cone;

/// Room for problems of at most so many unknowns and rows.
cr_status cri_cone_create(cri_cone* c, int nv_max, int nrow_max, cr_error* error);
void cri_cone_free(cri_cone* c);

/// Solves the problem.
/// Equation a primal-dual interior-point method with Nesterov-Todd scaling and Mehrotra's predictor and corrector;
///          towards mu = 0, then Newton's method with the active set; or to mu = 1 / weight
///          [Vandenberghe, The CVXOPT linear and quadratic cone program solvers, 2010]
///          residual = max(|y - a - A'z|, |s - p(s - z)|) / max(|a|, |z|), p the (smoothed) projection on K [quasidynamic.c4]
/// Memory   no allocation
cri_cone_answer cri_cone_solve(cri_cone* c);

/// Factors the linearised system at the solution. Exact: of the active set. Smoothed: the Hessian of [quasidynamic.c3].
/// Returns false if it has no factor.
bool cri_cone_linearise(cri_cone* c);

/// The derivative of x along a change of the problem.
/// Map      rho = dQ x - db - dG'z [nv], sigma = dG x + dh [nrow], x and z held -> dx [nv]
/// Equation [quasidynamic.c5] of the active set, [quasidynamic.c6] smoothed
/// Memory   no allocation
void cri_cone_tangent(cri_cone* c, const cr_real* rho, const cr_real* sigma, cr_real* dx);

#endif
