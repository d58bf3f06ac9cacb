// SPDX-License-Identifier: Apache-2.0
// The constraint problem of a data block, solved again with 113 digits or so of binary precision and
// dense matrices, sharing no code with the solver: the error of the answer in the data.
#ifndef CR_TESTS_WIDE_SOLVE_H
#define CR_TESTS_WIDE_SOLVE_H

#include "model/data.h"

enum { WIDE_MAX_NV = 200 };

typedef struct {
  bool solved;          // the wide solve itself converged
  double acceleration;  // largest error of qacc over the size of the tree's accelerations
  double force;         // largest error of J' f over the largest force on a dof of its tree
  double step;          // the same for euler_qacc, M + hD in place of M; 0 if that is not solved
  double noise;         // effect on qacc of rounding the rows' forces by eps alone, same units
  double step_noise;    // and on euler_qacc
  double inertia;       // largest ratio of M_ii to its pivot: digits of qacc_smooth lost
  int dof, step_dof;    // of the worst acceleration
} wide_report;

/// Checks acc_qacc, qfrc_constraint and, with Euler, euler_qacc of the last cr_step in d. Models of
/// more than WIDE_MAX_NV dofs are not checked (solved false). `noisy`: noise even if all is well.
wide_report wide_check(const cr_model* m, cr_data* d, bool noisy);

#endif
