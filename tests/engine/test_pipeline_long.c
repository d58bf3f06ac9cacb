// SPDX-License-Identifier: Apache-2.0
// test_pipeline's random models, many more of them.
#include "checks/pipeline_check.h"
#include "support/test.h"

static int many_models(void) { return pipeline_check("many random models", 1000, 400); }

MORE_TESTS(many_models)
