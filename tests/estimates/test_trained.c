// SPDX-License-Identifier: Apache-2.0
// Weights come back with all digits; a file that is missing or of another policy is an error with its name.
#include "estimates/trained.h"

#include <string.h>

#include "support/scratch.h"
#include "support/test.h"

static cr_error error;

TEST(weights_come_back) {
  enum { N = 100 };  // more than a table has columns
  cr_real saved[N], loaded[N];
  for (int i = 0; i < N; i++) {
    saved[i] = CR_R(1.0) / (cr_real)(i - 40.5);
  }
  must(cri_trained_save(scratch_path(""), "policy", 2, 3, saved, N, &error));
  must(cri_trained_load(scratch_path(""), "policy", 2, 3, loaded, N, &error));
  assert_memory_equal(saved, loaded, sizeof saved);
  assert_int_equal(cri_trained_load(scratch_path(""), "policy", 2, 3, loaded, N - 1, &error),
                   CR_ERR_FORMAT);
  assert_int_equal(cri_trained_load(scratch_path(""), "policy", 0, 3, loaded, N, &error),
                   CR_ERR_FILE);
  assert_non_null(strstr(error.text, "policy_first_3.csv: 0 weights of a policy, 100 expected"));
}
