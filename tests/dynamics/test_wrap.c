// SPDX-License-Identifier: Apache-2.0
#include "dynamics/wrap.h"

int test_wrap(void);
int test_wrap(void) { return 0; }
