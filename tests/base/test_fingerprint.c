// SPDX-License-Identifier: Apache-2.0
#include "base/fingerprint.h"

#include "support/test.h"

TEST(fingerprints_tell_data_apart) {
  const char a[] = "abc", b[] = "abd";
  uint64_t first = cri_fingerprint(0, a, 3);
  assert_true(first != cri_fingerprint(0, b, 3));
  assert_true(first == cri_fingerprint(cri_fingerprint(0, a, 1), a + 1, 2));
  assert_true(first == 0xe71fa2190541574bu);  // FNV-1a of "abc"
}
