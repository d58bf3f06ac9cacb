// SPDX-License-Identifier: Apache-2.0
// Slopes of functions that are known, smooth and not.
#include "rollout/quotients.h"

#include "base/real.h"
#include "scenes/chain_model.h"
#include "support/close.h"

typedef cr_real function(cr_real x);

static cri_quotients sample(function* f, bool by_piece) {
  cri_quotients q = {.noise = 32 * CR_EPS};
  cr_real h = CR_R(1e-2);
  for (int i = 0; i < CR_QUOTIENT_LEVELS; i++, h /= CR_QUOTIENT_SHRINK) {
    q.h[i] = h;
    q.plus[i] = (cri_value){true, f(h), by_piece ? 1 : 0};
    q.minus[i] = (cri_value){true, f(-h), by_piece ? 2 : 0};
  }
  return q;
}

static cr_real smooth(cr_real x) { return 3 * x + x * x / 2 - 7 * x * x * x + cr_sin(x); }
static cr_real bent(cr_real x) { return x > 0 ? 2 * x + x * x : -5 * x + x * x * x; }
static cr_real leap(cr_real x) { return (x > 0 ? 10 : -4) + smooth(x); }
// constant up to 1e-4, as friction below its least value
static cr_real floored(cr_real x) { return cr_max(x, CR_R(1e-4)) - CR_R(1e-4); }

// another slope beyond 3e-5: a kink that is rounded off
static cr_real rounded(cr_real x) {
  return CR_R(0.13) * x + CR_R(3e-6) * x * cr_abs(x) / (cr_abs(x) + CR_R(3e-5));
}

TEST(smooth_ones_have_one_slope) {
  cri_quotients q = sample(smooth, false);
  cri_slope_fit both = cri_slope_at(&q, 0);
  assert_true(both.known && !both.kink);
  assert_close(both.value, 4, CR_R(1e-9));
  for (int side = -1; side <= 1; side += 2) {
    cri_slope_fit s = cri_slope_of_side(&q, side);
    assert_true(s.known && s.error + s.noise < CR_R(1e-8));
    assert_close(s.value, 4, CR_R(1e-8));
  }
}

TEST(kinks_have_two) {
  for (int told = 0; told < 2; told++) {
    cri_quotients q = sample(bent, told == 1);
    cri_slope_fit both = cri_slope_at(&q, 0);
    assert_true(told == 1 ? !both.known : both.kink);
    assert_close(cri_slope_of_side(&q, 1).value, 2, CR_R(1e-9));
    assert_close(cri_slope_of_side(&q, -1).value, -5, CR_R(1e-9));
  }
}

// the value at the point is not that of either side
TEST(jumps_keep_the_slopes_beside_them) {
  cri_quotients q = sample(leap, true);
  assert_false(cri_slope_at(&q, 0).known);
  assert_close(cri_slope_of_side(&q, 1).value, 4, CR_R(1e-7));
  assert_close(cri_slope_of_side(&q, -1).value, 4, CR_R(1e-7));
  cri_slope_fit right = cri_slope_of_side(&q, 1), left = cri_slope_of_side(&q, -1);
  assert_true(cri_leaps(&q, 1, &right) && cri_leaps(&q, -1, &left));
  q = sample(bent, true);
  right = cri_slope_of_side(&q, 1);
  left = cri_slope_of_side(&q, -1);
  assert_false(cri_leaps(&q, 1, &right) || cri_leaps(&q, -1, &left));
}

TEST(finer_steps_overrule_coarse_ones) {
  cri_quotients q = sample(floored, true);
  assert_close(cri_slope_of_side(&q, 1).value, 0, CR_R(1e-9));
}

// a bound of round-off that is far too high hides nothing that quotients show
TEST(what_settles_is_no_round_off) {
  cri_quotients q = sample(rounded, false);
  q.noise = CR_R(1e-9);
  cri_slope_fit both = cri_slope_at(&q, 0);
  assert_true(both.known && !both.kink);
  assert_close(both.value, CR_R(0.13), CR_R(3e-7));
}

// other pieces further away, values that do not exist
TEST(only_the_nearest_piece_counts) {
  cri_quotients q = sample(smooth, true);
  for (int i = 0; i < 3; i++) {
    q.plus[i].value = 100;
    q.plus[i].piece = 5;
    q.minus[i].known = false;
  }
  assert_close(cri_slope_of_side(&q, 1).value, 4, CR_R(1e-8));
  assert_close(cri_slope_of_side(&q, -1).value, 4, CR_R(1e-8));
  q.plus[CR_QUOTIENT_LEVELS - 1].known = false;
  assert_false(cri_slope_of_side(&q, 1).known);
}
