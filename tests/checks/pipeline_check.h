// SPDX-License-Identifier: Apache-2.0
// The generic stage check over random models: every row of the pipeline, and the pipeline as a whole.
#ifndef CR_TESTS_PIPELINE_CHECK_H
#define CR_TESTS_PIPELINE_CHECK_H

#include <stdint.h>

/// Runs a cmocka group: one test a row and one for cr_forward, each over `models` random models from
/// seed `first` on, in flight and in contact. Returns the number of tests that failed.
int pipeline_check(const char* name, uint64_t first, int models);

#endif
