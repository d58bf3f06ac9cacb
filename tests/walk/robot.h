// SPDX-License-Identifier: Apache-2.0
// Carom's own robot, for tests of what walks.
#ifndef CR_TESTS_WALK_ROBOT_H
#define CR_TESTS_WALK_ROBOT_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/scratch.h"
#include "support/test.h"
#include "walk/robots.h"

static cr_error error;

/// The caller destroys the model.
static inline cr_model* open_robot(cr_legged* robot) {
  cr_model* m = NULL;
  char path[CR_MAX_PATH];
  must(cri_robot_open(scratch_path(""), NULL, &m, path, &error));
  must(cri_legged_find(robot, m, 0.37, &error));
  return m;
}

#endif
