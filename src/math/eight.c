// SPDX-License-Identifier: Apache-2.0
#include "math/eight.h"

#define CRI_WIDTH 2
#include "math/eight_sweeps.h"

static const cr_eight plain = {"plain", up, down, add, multiply};

// what the processor and its operating system have; other compilers take the plain one
#if defined(__x86_64__) && defined(__GNUC__)
static bool has_avx2(void) { return __builtin_cpu_supports("avx2"); }
static bool has_avx512(void) { return __builtin_cpu_supports("avx512f"); }
#else
static bool has_avx2(void) { return false; }
static bool has_avx512(void) { return false; }
#endif

const cr_eight* cri_eight_of(int k) {
  const cr_eight* found[3] = {&plain};
  int n = 1;
  if (has_avx2() && cri_eight_avx2() != NULL) {
    found[n++] = cri_eight_avx2();
  }
  if (has_avx512() && cri_eight_avx512() != NULL) {
    found[n++] = cri_eight_avx512();
  }
  return k < n ? found[k] : NULL;
}

const cr_eight* cri_eight(void) {
  if (has_avx512() && cri_eight_avx512() != NULL) {
    return cri_eight_avx512();
  }
  return has_avx2() && cri_eight_avx2() != NULL ? cri_eight_avx2() : &plain;
}
