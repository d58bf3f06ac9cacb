// SPDX-License-Identifier: Apache-2.0
// The derivative part of the generic stage check: jvp against differences, vjp against jvp.
#ifndef CR_TESTS_STAGE_DERIVATIVE_H
#define CR_TESTS_STAGE_DERIVATIVE_H

#include "checks/stage_bench.h"

/// jvp of a chain whose inputs are plain fields, at b->d where it has been run.
void derivative_differences(stage_bench* b, const stage_chain* chain);

/// vjp of a chain against its jvp; the inputs may be operators.
void derivative_products(stage_bench* b, const stage_chain* chain);

#endif
