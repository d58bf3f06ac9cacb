// SPDX-License-Identifier: Apache-2.0
// The constraint problem of a data block, solved anew with 113 digits or so of binary precision and
// dense matrices, sharing no code with the solver: how far the answer in the data is from the true one.
#ifndef CR_TESTS_WIDE_SOLVE_H
#define CR_TESTS_WIDE_SOLVE_H

#include "model/data.h"

enum { WIDE_MAX_NV = 200 };

typedef struct {
  bool solved;          // the wide solve itself came to an end
  double acceleration;  // largest error of qacc over the size of the tree's accelerations
  double force;         // largest error of J' f over the largest force on a dof of its tree
  double step;     // the same of euler_qacc, M + hD in the place of M; 0 where that is not solved
  double noise;    // what rounding of the rows' forces by eps alone does to qacc, same units
  double inertia;  // largest M_ii over what elimination leaves of it: digits of qacc_smooth lost
  int dof, step_dof;  // of the worst acceleration
} wide_report;

/// Checks acc_qacc, qfrc_constraint and, with Euler, euler_qacc of what cr_step left in d. Models of
/// more than WIDE_MAX_NV dofs are not looked at (solved false). `noisy`: noise even where all is well.
wide_report wide_check(const cr_model* m, cr_data* d, bool noisy);

#endif
