// SPDX-License-Identifier: Apache-2.0
// The sweeps for AVX2: CMakeLists.txt compiles this file with that set, where the compiler knows it.
#include "math/eight.h"

#if defined(__AVX2__) && !defined(CR_LONG_DOUBLE)
#define CRI_WIDTH 4
#include "math/eight_sweeps.h"

static const cr_eight wide = {"avx2", up, down, add, multiply};

const cr_eight* cri_eight_avx2(void) { return &wide; }
#else
const cr_eight* cri_eight_avx2(void) { return NULL; }
#endif
