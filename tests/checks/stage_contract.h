// SPDX-License-Identifier: Apache-2.0
// The contract part of the generic stage check: declared fields only, overwrite, add, no side effect.
#ifndef CR_TESTS_STAGE_CONTRACT_H
#define CR_TESTS_STAGE_CONTRACT_H

#include "checks/stage_bench.h"

/// Runs row `row` on b->d, which holds the results of the rows before, and checks that it keeps to its
/// declaration. False if it returned an error, so that later rows cannot be checked.
bool contract_forward(stage_bench* b, const cr_stage* pipeline, int row);

/// The same for its two derivatives, at b->d.
void contract_jvp(stage_bench* b, const cr_stage* pipeline, int row);
void contract_vjp(stage_bench* b, const cr_stage* pipeline, int row);

#endif
