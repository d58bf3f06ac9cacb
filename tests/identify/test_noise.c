// SPDX-License-Identifier: Apache-2.0
// Noises from sums of errors: those that are given stay, the others follow, and never fall to nothing.
#include "identify/noise.h"

#include "support/close.h"
#include "support/test.h"

TEST(noises_follow_errors) {
  cri_measured places[] = {{.name = "a", .noise = 1},
                           {.name = "b", .noise = 2, .noise_given = true},
                           {.name = "c", .noise = CR_R(0.5)}};
  const cri_place_sums sums[] = {{.n = 1000, .ee = 1000 * CR_R(0.09), .ss = 1000},
                                 {.n = 500, .ee = 500, .ss = 500},
                                 {.n = 500, .ee = 0, .ss = 500 * 16}};
  cri_problem p = {.places = places, .nplace = 3, .n = 20, .nx = 10, .ntrain = 8};
  assert_true(cri_unknowns(&p) == 100 && cri_numbers_seen(&p, sums) == 2000);
  cr_real change = cri_noise_update(&p, sums);
  // a twentieth of the numbers went into the unknowns
  cr_real expected = cr_sqrt(CR_R(0.09) / CR_R(0.95));
  assert_true(cr_abs(places[0].noise - expected) < CR_R(1e-12));
  assert_true(places[1].noise == 2);
  assert_true(places[2].noise > 0 && places[2].noise < CR_R(1e-8));
  assert_true(cr_abs(change - 1) < CR_R(1e-6));
  p.starts_known = true;
  assert_true(cri_unknowns(&p) == 20);
}
