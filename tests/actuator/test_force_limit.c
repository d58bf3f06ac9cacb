// SPDX-License-Identifier: Apache-2.0
// Limits of forces: of one, of a torque as a whole, of all that pull on a tendon.
#include "actuator/force_limit.h"

#include "math/vec3.h"
#include "support/close.h"

// a model of actuators alone, its arrays on the stack
typedef struct {
  int32_t trntype[2], trnid[4], outadr[2], outnum[2], forcelimited[2], tendonlimited[1];
  cr_real forcerange[4], tendonrange[2];
} arrays;

static cr_model model_of(arrays* a) {
  return (cr_model){.nactuator = 2,
                    .ntendon = 1,
                    .actuator_trntype = a->trntype,
                    .actuator_trnid = a->trnid,
                    .actuator_outadr = a->outadr,
                    .actuator_outnum = a->outnum,
                    .actuator_forcelimited = a->forcelimited,
                    .actuator_forcerange = a->forcerange,
                    .tendon_actfrclimited = a->tendonlimited,
                    .tendon_actfrcrange = a->tendonrange};
}

TEST(torque_keeps_its_direction) {
  arrays a = {.outnum = {3}, .forcelimited = {1}, .forcerange = {0, 2}};
  cr_model m = model_of(&a);
  const cr_real raw[3] = {1, -2, 3}, direction[3] = {CR_R(0.3), 1, CR_R(0.2)}, h = CR_R(1e-4);
  cr_data tan = {.nmoment = 0}, bar = {.nmoment = 0};
  cr_real f[3], f_tan[3], above[3], below[3], moved[3], range_bar[4] = {0};
  cri_force_limit limit = cri_force_limit_of(&m, 0, raw, NULL, f);
  assert_close(cr_norm3(f), 2, 8 * CR_EPS);
  assert_close(cr_dot3(f, raw), 2 * cr_norm3(raw), 32 * CR_EPS);
  assert_true(cri_force_held(&m, 0, &limit, raw));
  cri_force_limit_tan(&m, &tan, 0, &limit, raw, direction, NULL, f_tan);
  cr_copy3(moved, raw);
  cr_accscl3(moved, direction, h);
  (void)cri_force_limit_of(&m, 0, moved, NULL, above);
  cr_accscl3(moved, direction, -2 * h);
  (void)cri_force_limit_of(&m, 0, moved, NULL, below);
  for (int k = 0; k < 3; k++) {
    assert_close(f_tan[k], (above[k] - below[k]) / (2 * h), CR_R(1e-8));
  }
  // transpose
  bar.par.actuator_forcerange = range_bar;
  cr_real f_bar[3] = {CR_R(0.5), 2, -1}, raw_bar[3];
  cri_force_limit_bar(&m, &bar, 0, &limit, raw, f_bar, raw_bar, NULL);
  assert_close(cr_dot3(raw_bar, direction), cr_dot3(f_bar, f_tan), CR_R(1e-14));
  assert_close(range_bar[0], 0, 0);
  assert_close(range_bar[1], (CR_R(0.5) - 4 - 3) / cr_norm3(raw), CR_R(1e-14));
  // one that is shorter is free
  const cr_real small[3] = {1, CR_R(0.5), 0};
  limit = cri_force_limit_of(&m, 0, small, NULL, f);
  assert_all_close(f, small, 3, 0);
  assert_false(cri_force_held(&m, 0, &limit, small));
}

// two that pull 3 and 5 where 4 is allowed: 1.5 and 2.5, of which the second's own range leaves 2
TEST(tendons_share_their_limit) {
  arrays a = {.trntype = {CR_TRN_TENDON, CR_TRN_TENDON},
              .trnid = {0, -1, 0, -1},
              .outadr = {0, 1},
              .outnum = {1, 1},
              .forcelimited = {0, 1},
              .tendonlimited = {1},
              .forcerange = {0, 0, -2, 2},
              .tendonrange = {-1, 4}};
  cr_model m = model_of(&a);
  cr_real memory[4], raw[2] = {3, 5}, f[3];
  cr_data owner = {.scratch = memory, .scratch_size = 4};
  const cr_real* totals = cri_tendon_totals(&m, raw, &owner);
  assert_close(totals[0], 8, 0);
  cri_force_limit first = cri_force_limit_of(&m, 0, raw, totals, f);
  assert_close(f[0], CR_R(1.5), 0);
  cri_force_limit second = cri_force_limit_of(&m, 1, raw, totals, f);
  assert_close(f[0], 2, 0);
  assert_false(cri_force_held(&m, 0, &first, raw));
  assert_true(cri_force_held(&m, 1, &second, raw));
  // f0 = 4 raw0 / (raw0 + raw1): its gradient is 4 (raw1, -raw0) / total^2
  cr_data bar = {.nmoment = 0};
  cr_real f_bar = 1, raw_bar, totals_bar = 0, range_bar[2] = {0};
  bar.par.tendon_actfrcrange = range_bar;
  cri_force_limit_bar(&m, &bar, 0, &first, raw, &f_bar, &raw_bar, &totals_bar);
  assert_close(raw_bar + totals_bar, CR_R(0.3125), 4 * CR_EPS);
  assert_close(totals_bar, CR_R(-0.1875), 4 * CR_EPS);
  assert_close(range_bar[1], CR_R(0.375), 4 * CR_EPS);
  // none is limited: no totals
  a.tendonlimited[0] = 0;
  assert_null(cri_tendon_totals(&m, raw, &owner));
}

// as MuJoCo has it, a force that only touches the end of its range is held
TEST(touching_counts_as_held) {
  arrays a = {.outnum = {1}, .forcelimited = {1}, .forcerange = {0, 3}};
  cr_model m = model_of(&a);
  static const cr_real forces[] = {-1, 0, CR_R(0.1), 3, 4};
  static const bool held[] = {true, true, false, true, true};
  static const int sides[] = {-1, 0, 0, 0, 1};
  for (int k = 0; k < 5; k++) {
    cr_real f[3];
    cri_force_limit limit = cri_force_limit_of(&m, 0, forces + k, NULL, f);
    assert_int_equal(cri_force_held(&m, 0, &limit, forces + k), held[k]);
    assert_int_equal(limit.side, sides[k]);
  }
}

// what two that pull leave on a tendon that may be pulled by -1 to 4, and whether that is held
typedef struct {
  cr_real raw[2], least, most;  // the second's own range
  cr_real left;
  bool held;
} pull_case;

TEST(tendons_are_held_by_what_all_ranges_leave) {
  arrays a = {.trntype = {CR_TRN_TENDON, CR_TRN_TENDON},
              .trnid = {0, -1, 0, -1},
              .outadr = {0, 1},
              .outnum = {1, 1},
              .forcelimited = {0, 1},
              .tendonlimited = {1},
              .tendonrange = {-1, 4}};
  static const pull_case cases[] = {
      {{1, 2}, -9, 9, 3, false},
      {{3, 5}, -9, 9, 4, true},                 // cut
      {{3, 5}, -2, 2, CR_R(3.5), false},        // and then made smaller
      {{6, -4}, -1, 1, 5, true},                // made larger than allowed
      {{CR_R(0.3), 1000}, -9, 9999, 4, true}};  // cut, but for rounding
  cr_model m = model_of(&a);
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    const pull_case* c = &cases[k];
    cr_real memory[4], f[3];
    cr_data owner = {.scratch = memory, .scratch_size = 4};
    a.forcerange[2] = c->least;
    a.forcerange[3] = c->most;
    const cr_real* totals = cri_tendon_totals(&m, c->raw, &owner);
    cr_real* pulls = cri_tendon_pulls(&m, totals, &owner);
    for (int i = 0; i < 2; i++) {
      cri_force_limit limit = cri_force_limit_of(&m, i, c->raw, totals, f);
      cri_tendon_pull(&m, i, &limit, c->raw, f[0], pulls);
    }
    assert_close(pulls[0], c->left, 8 * CR_EPS);
    assert_int_equal(cri_pull_held(&m, 0, pulls), c->held);
    assert_int_equal(cri_pull_held(&m, 1, pulls), c->held);
  }
  assert_null(cri_tendon_pulls(&m, NULL, NULL));
  assert_false(cri_pull_held(&m, 0, NULL));
}
