// SPDX-License-Identifier: Apache-2.0
// Linear steps with quadratic costs and bounds on everything: an interior-point method whose linear algebra is Riccati's recursion, so a
// solve grows with the number of steps as one of these does.
#ifndef CR_CONTROL_BOUNDED_LQ_H
#define CR_CONTROL_BOUNDED_LQ_H

#include "base/status.h"
#include "control/backward_pass.h"

/// Steps y' = A y + B v + r, with costs weight (z - target)^2 and bounds of z = (y', v), row by row. r follows from the motion that the solve begins
/// with.
typedef struct {
  int nstep, ny, nv;
  const cr_real *A, *B;            // nstep x ny ny, ny nv
  const cr_real *weight, *target;  // nstep x nz
  const cr_real *lower, *upper;    // nstep x nz; infinite: none
  cr_real* z;                      // nstep x nz: a motion that keeps the steps, then the best one
} cri_bounded_lq;

/// Memory of solves of at most so many steps.
typedef struct cri_lq_work cri_lq_work;

/// Owner    the caller, cri_lq_work_free
/// Errors   CR_ERR_MEMORY
cr_status cri_lq_work_make(cri_lq_work** work, int nstep, int ny, int nv, cr_error* error);
void cri_lq_work_free(cri_lq_work* work);

/// Replaces z by the motion of least cost within the bounds, to a relative gap of 1e-9.
/// Equation [smoothed_mpc.q1 ... q4]
/// Errors   CR_ERR_SOLVER: nothing keeps a control at a finite value; no motion keeps the bounds
cr_status cri_bounded_lq_solve(const cri_bounded_lq* q, cri_lq_work* work, cr_error* error);

#endif
