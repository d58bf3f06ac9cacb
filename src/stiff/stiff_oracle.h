// SPDX-License-Identifier: Apache-2.0
// How far the simulator itself is off when it starts from a state that is seen: what no learned model can be expected to beat by much.
#ifndef CR_STIFF_STIFF_ORACLE_H
#define CR_STIFF_STIFF_ORACLE_H

#include "stiff/log_normal.h"
#include "stiff/tossed.h"

/// Seen rows before the first prediction, less one; steps of a roll-out.
enum { CRI_HISTORY = 16, CRI_ROLLOUT = 50 };

/// Of one toss, in one sight.
typedef struct {
  cri_log_sums
      loss;  // of single steps: sum of the squares of all six errors of the velocity, (m/s)^2 + (rad/s)^2
  cri_log_sums position;  // of the rows of a roll-out, m
  cri_log_sums rotation;  // rad
} cri_oracle;

/// What is added behind each step of the simulator: it changes the state `next`, where a step leads from `state`.
typedef struct {
  cr_status (*add)(void* context, const cr_real* state, cr_real* next, cr_error* error);
  void* context;
} cri_addition;

/// Single steps from row CRI_HISTORY - 1 on, and a roll-out of CRI_ROLLOUT steps from there, compared with what is seen. A toss that is too short has
/// no roll-out.
/// more     NULL: the simulator alone
cr_status cri_oracle_of(const cr_model* m, cr_data* d, const cri_addition* more,
                        const cr_real* seen, int rows, cri_oracle* oracle, cr_error* error);

#endif
