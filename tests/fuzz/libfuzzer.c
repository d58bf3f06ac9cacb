// SPDX-License-Identifier: Apache-2.0
// The same inputs under libFuzzer, which follows what code they reach. The bytes themselves say what
// kind of file they are. libFuzzer or our own mutators, which know XML and model
// files, change them. TESTING.md says how to build and run it.
#include <stdlib.h>
#include <string.h>

#include "fuzz/entry.h"

int LLVMFuzzerTestOneInput(const unsigned char* data, size_t n);
size_t LLVMFuzzerCustomMutator(unsigned char* data, size_t n, size_t most, unsigned seed);
size_t LLVMFuzzerMutate(unsigned char* data, size_t n, size_t most);

// what libmujoco leaks is not ours
const char* __asan_default_options(void);
const char* __asan_default_options(void) {
  return "detect_leaks=0:allocator_may_return_null=1:max_allocation_size_mb=4000";
}

static bool contains(const unsigned char* data, size_t n, const char* word) {
  size_t length = strlen(word);
  for (size_t i = 0; i + length <= n; i++) {
    if (memcmp(data + i, word, length) == 0) {
      return true;
    }
  }
  return false;
}

static fuzz_kind kind_of(const unsigned char* data, size_t n) {
  if (n >= 8 && memcmp(data, "CAROMMDL", 8) == 0) {
    return FUZZ_MODEL;
  }
  return contains(data, n, "<robot") ? FUZZ_URDF : FUZZ_MJCF;
}

int LLVMFuzzerTestOneInput(const unsigned char* data, size_t n) {
  static fuzz_counts counts;
  cr_random r = cr_random_seed(1, n);
  fuzz_try(kind_of(data, n), data, n, &r, &counts);
  return 0;
}

// model files by our own mutator, which rights their checksum, others by either
size_t LLVMFuzzerCustomMutator(unsigned char* data, size_t n, size_t most, unsigned seed) {
  static fuzz_bytes b, other;
  cr_random r = cr_random_seed(2, seed);
  fuzz_kind kind = kind_of(data, n);
  if (n == 0 || (kind != FUZZ_MODEL && cr_random_int(&r, 2) == 0)) {
    return LLVMFuzzerMutate(data, n, most);
  }
  b.n = other.n = 0;
  fuzz_splice(&b, 0, 0, data, n);
  if (kind == FUZZ_MODEL) {
    fuzz_mutate_model(&b, &r);
  } else {
    fuzz_splice(&other, 0, 0, data, n);
    fuzz_mutate_xml(&b, &other, &r);
  }
  b.n = b.n < most ? b.n : most;
  memcpy(data, b.data, b.n);
  return b.n;
}
