// SPDX-License-Identifier: Apache-2.0
// test_pipeline's random models, many more of them.
#include "support/pipeline_check.h"

int test_pipeline_long(void) { return pipeline_check("many random models", 1000, 400); }
