// SPDX-License-Identifier: Apache-2.0
// Scales of delays and offsets by hand. Those of parameters: tests/identify/test_found.c.
#include "predict/scale.h"

#include "support/test.h"

TEST(delays_and_offsets_have_scales) {
  cri_measured places[] = {
      {.name = "a", .noise = 1, .nerror = 3, .delay_at = -1, .offset_at = 1},
      {.name = "b", .noise = CR_R(0.25), .nerror = 1, .delay_at = 0, .offset_at = 4}};
  const cri_problem p = {.places = places, .nplace = 2, .n = 6, .longest_delay = CR_R(0.1)};
  const cr_real x[6] = {0};
  assert_true(cri_scale_of(&p, x, 0) == CR_R(0.1));
  assert_true(cri_scale_of(&p, x, 1) == 100 && cri_scale_of(&p, x, 3) == 100);
  assert_true(cri_scale_of(&p, x, 4) == 25);
  assert_true(cri_scale_of(&p, x, 5) == 1);
}
