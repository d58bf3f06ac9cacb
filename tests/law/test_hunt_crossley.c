// SPDX-License-Identifier: Apache-2.0
// The law of a Hunt-Crossley contact against its formulas, written out anew; where it is zero, where it bends, and
// its derivatives by every number.
#include "law/hunt_crossley.h"

#include "base/random.h"
#include "model/model.h"
#include "support/close.h"

static cr_real F[CR_MAX_CONTACT_DIM];
static int zone;
static cr_real bend[CR_MAX_CONTACT_BENDS];

static cr_contact_call call_of(const cr_model* m, int dim, const cr_contact_numbers* at,
                               cr_contact_numbers* twin, cr_real* force) {
  return (cr_contact_call){.size = sizeof(cr_contact_call),
                           .model = m,
                           .dim = dim,
                           .at = at,
                           .twin = twin,
                           .force = force,
                           .bend = {1, 1}};
}

static void evaluate(int law, int dim, const cr_contact_numbers* at) {
  cr_model m = {.friction_law = law};
  cr_zero(F, CR_MAX_CONTACT_DIM);
  cr_contact_call c = call_of(&m, dim, at, NULL, F);
  cri_hunt_crossley_force(NULL, &c);
  cri_hunt_crossley_bends(NULL, &c);
  zone = c.zone;
  cr_copy(bend, c.bend, CR_MAX_CONTACT_BENDS);
}

static cr_contact_numbers usual(void) {
  return (cr_contact_numbers){
      .friction = {CR_R(0.5), CR_R(0.5), CR_R(0.01), CR_R(0.001), CR_R(0.002)},
      .hunt_crossley = {10000, 3000, CR_R(1.5), CR_R(0.02), CR_R(1.4)},
      .gap = CR_R(-0.01),
      .weight = 1,
      .velocity = {CR_R(-0.3), CR_R(0.03), CR_R(-0.04), CR_R(0.5), CR_R(0.2), CR_R(-0.1)}};
}

// F = k x^n + d x^n xdot
TEST(the_normal_force_is_that_of_hunt_and_crossley) {
  cr_contact_numbers at = usual();
  evaluate(0, 1, &at);
  cr_real power = cr_pow(CR_R(0.01), CR_R(1.5));
  assert_close(F[0], 10000 * power + 3000 * power * CR_R(0.3), 100 * CR_EPS);
  assert_int_equal(zone, 1);
  at.weight = 3;
  evaluate(0, 1, &at);
  assert_close(F[0], 3 * (10000 * power + 3000 * power * CR_R(0.3)), 100 * CR_EPS);
}

TEST(it_never_pulls) {
  for (int law = 0; law < 4; law++) {
    cr_contact_numbers at = usual();
    at.velocity[0] = 5;  // k - 5 d is negative
    evaluate(law, 6, &at);
    assert_true(cr_is_zero(F, 6) && zone == 0 && bend[0] == -5000);
    at = usual();
    at.gap = CR_R(0.001);
    evaluate(law, 6, &at);
    assert_true(cr_is_zero(F, 6) && zone == 0);
    at.gap = 0;
    evaluate(law, 6, &at);
    assert_true(cr_is_zero(F, 6) && zone == 0);
  }
}

// share of the normal force at a slip of t transition velocities, static over sliding friction r
static cr_real share(int law, cr_real t, cr_real r) {
  switch (law) {
    case CR_FRICTION_COULOMB:
      return cr_min(t, 1);
    case CR_FRICTION_ANDERSSON:
      return (1 + (r - 1) * cr_exp(-t * t)) * cr_tanh(10 * t);
    case CR_FRICTION_HOLLARS:
      return cr_min(t, 1) * (1 + 2 * (r - 1) / (1 + t * t));
    default:
      return cr_tanh(4 * t) + (r - 1) * t / ((t * t / 4 + CR_R(0.75)) * (t * t / 4 + CR_R(0.75)));
  }
}

TEST(friction_is_that_of_each_law_against_the_slip) {
  static const cr_real slips[] = {CR_R(1e-6),  CR_R(1e-3),  CR_R(0.009), CR_R(0.0101),
                                  CR_R(0.024), CR_R(0.026), CR_R(0.3),   CR_R(0.99),
                                  CR_R(1.01),  3,           50};
  for (int law = 0; law < 4; law++) {
    for (size_t i = 0; i < sizeof slips / sizeof slips[0]; i++) {
      cr_contact_numbers at = usual();
      cr_real t = slips[i], N, expected;
      at.velocity[1] = CR_R(0.6) * t * CR_R(0.02);
      at.velocity[2] = CR_R(-0.8) * t * CR_R(0.02);
      evaluate(law, 3, &at);
      N = F[0];
      expected = CR_R(0.5) * N * share(law, t, CR_R(1.4));
      assert_close(F[1], CR_R(-0.6) * expected, 1000 * CR_EPS * expected);
      assert_close(F[2], CR_R(0.8) * expected, 1000 * CR_EPS * expected);
      bool ramp = law == CR_FRICTION_COULOMB || law == CR_FRICTION_HOLLARS;
      assert_int_equal(zone, ramp && t > 1 ? 2 : 1);
      assert_true(ramp ? (bend[1] > 0) == (t > 1) : bend[1] == 1);
    }
  }
}

// fast slip: forces on the ellipsoid of the friction numbers, along the largest dissipation
TEST(spin_and_rolls_share_one_ellipsoid) {
  cr_contact_numbers at = usual();
  for (int j = 1; j < 6; j++) {
    at.velocity[j] *= 1000;
  }
  evaluate(CR_FRICTION_COULOMB, 6, &at);
  cr_real sum = 0, slip = 0, power = 0;
  for (int j = 1; j < 6; j++) {
    sum += F[j] * F[j] / (at.friction[j - 1] * at.friction[j - 1]);
    slip += at.friction[j - 1] * at.friction[j - 1] * at.velocity[j] * at.velocity[j];
    power += F[j] * at.velocity[j];
  }
  assert_close(sum, F[0] * F[0], 100 * CR_EPS * F[0] * F[0]);
  assert_close(power, -F[0] * cr_sqrt(slip), 100 * CR_EPS * -power);
}

// ---- derivatives

enum { N_REAL = (int)(sizeof(cr_contact_numbers) / sizeof(cr_real)) };

static cr_contact_numbers random_numbers(cr_random* r, bool slow) {
  cr_contact_numbers x = usual();
  cr_real* p = (cr_real*)(void*)&x;
  for (int i = 0; i < N_REAL; i++) {
    p[i] *= cr_random_range(r, CR_R(0.5), CR_R(1.5));
  }
  x.friction[4] = cr_random_range(r, CR_R(0.1), 1);
  for (int j = 1; j < 6; j++) {
    x.velocity[j] *= slow ? CR_R(0.001) : cr_random_range(r, -2, 2);
  }
  return x;
}

static void check_derivatives(int law, cr_random* r, bool slow) {
  cr_model m = {.friction_law = law};
  const cr_real h = CR_R(1e-5);
  cr_contact_numbers at = random_numbers(r, slow), tan = at, bar = {0}, side;
  cr_real f[2][6] = {{0}}, f_tan[6] = {0}, f_bar[6], left = 0, right = 0, size = 0;
  const cr_real* x = (const cr_real*)(const void*)&at;
  cr_real *t = (cr_real*)(void*)&tan, *y = (cr_real*)(void*)&side;
  const cr_real* b = (const cr_real*)(const void*)&bar;
  for (int i = 0; i < N_REAL; i++) {
    t[i] = x[i] * CR_R(0.1) * cr_random_normal(r);
  }
  cr_contact_call c = call_of(&m, 6, &at, &tan, f_tan);
  cri_hunt_crossley_jvp(NULL, &c);
  int zones[2];
  for (int k = 0; k < 2; k++) {
    for (int i = 0; i < N_REAL; i++) {
      y[i] = x[i] + (k == 0 ? -h : h) * t[i];
    }
    c = call_of(&m, 6, &side, NULL, f[k]);
    cri_hunt_crossley_force(NULL, &c);
    zones[k] = c.zone;
  }
  for (int i = 0; i < 6 && zones[0] == zones[1]; i++) {
    assert_close(f_tan[i], (f[1][i] - f[0][i]) / (2 * h),
                 CR_R(1e-7) * (cr_abs(f_tan[i]) + cr_abs(f[0][i])));
  }
  for (int i = 0; i < 6; i++) {
    f_bar[i] = cr_random_normal(r);
    left += f_bar[i] * f_tan[i];
    size += cr_abs(f_bar[i] * f_tan[i]);
  }
  c = call_of(&m, 6, &at, &bar, f_bar);
  cri_hunt_crossley_vjp(NULL, &c);
  for (int i = 0; i < N_REAL; i++) {
    right += b[i] * t[i];
    size += cr_abs(b[i] * t[i]);
  }
  assert_close(left, right, 100 * CR_EPS * size);
}

TEST(derivatives_are_those_of_the_law) {
  cr_random r = cr_random_seed(3, 9);
  for (int i = 0; i < 400; i++) {
    check_derivatives(i % 4, &r, i % 8 < 4);
  }
}
