// SPDX-License-Identifier: Apache-2.0
// The sweeps for AVX-512: CMakeLists.txt compiles this file with that set, where the compiler knows it.
#include "math/eight.h"

#if defined(__AVX512F__) && !defined(CR_LONG_DOUBLE)
#define CRI_WIDTH 8
#include "math/eight_sweeps.h"

static const cr_eight wide = {"avx512", up, down, add, multiply};

const cr_eight* cri_eight_avx512(void) { return &wide; }
#else
const cr_eight* cri_eight_avx512(void) { return NULL; }
#endif
