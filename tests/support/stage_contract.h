// SPDX-License-Identifier: Apache-2.0
// The contract part of the generic stage check: declared fields only, overwrite, add, no side effect.
#ifndef CR_TESTS_STAGE_CONTRACT_H
#define CR_TESTS_STAGE_CONTRACT_H

#include "support/stage_bench.h"

/// Runs row `row` on b->d, which holds what the rows before it left, and checks that it keeps to its
/// declaration. False when it returned an error, so that there is nothing behind it to check.
bool contract_forward(stage_bench* b, const cr_stage* pipeline, int row);

/// The same for its two derivatives, at b->d.
void contract_jvp(stage_bench* b, const cr_stage* pipeline, int row);
void contract_vjp(stage_bench* b, const cr_stage* pipeline, int row);

#endif
