// SPDX-License-Identifier: Apache-2.0
#include "dynamics/tendon.h"

int test_tendon(void);
int test_tendon(void) { return 0; }
