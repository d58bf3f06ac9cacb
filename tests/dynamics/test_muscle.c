// SPDX-License-Identifier: Apache-2.0
#include "dynamics/muscle.h"

int test_muscle(void);
int test_muscle(void) { return 0; }
