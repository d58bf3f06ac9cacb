// SPDX-License-Identifier: Apache-2.0
// Lengths in units of the scale. What the probes find is tested in test_trust.c.
#include "gradient/trust_state.h"
#include "support/close.h"

static const cr_real scale[3] = {1, 2, 10};
static const cr_trust_problem problem = {.n = 3, .scale = scale};
static const cri_trust trust = {.p = &problem};

TEST(lengths_are_in_units_of_the_scale) {
  const cr_real a[3] = {3, 2, 0}, b[3] = {0, 2, 0}, zero[3] = {0};
  assert_close(cri_trust_length(&trust, a, NULL), 5, 1e-14);
  assert_close(cri_trust_length(&trust, a, b), 3, 1e-14);
  assert_close(cri_trust_apart(&trust, a, b), 0.6, 1e-14);
  assert_true(cri_trust_apart(&trust, zero, zero) == 0);
}

TEST(only_numbers_that_matter_count_by_themselves) {
  const cr_real a[3] = {3, 2, 0}, b[3] = {3, CR_R(1.8), 0};
  assert_close(cri_trust_apart_part(&trust, a, b), 0.1, 1e-14);
  // the third changes its sign, but is a tenth of the length at most
  const cr_real c[3] = {3, 2, CR_R(0.05)}, d[3] = {3, 2, CR_R(-0.05)};
  assert_true(cri_trust_apart_part(&trust, c, d) == 0);
  assert_close(cri_trust_apart(&trust, c, d), 0.2, 1e-2);
  const cr_real zero[3] = {0};
  assert_true(cri_trust_apart_part(&trust, zero, zero) == 0);
}
