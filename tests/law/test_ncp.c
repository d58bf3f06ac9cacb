// SPDX-License-Identifier: Apache-2.0
// The law of a contact of the model ncp: complementarity, the friction cone, continuity between its zones, and its
// derivatives by every number.
#include "law/ncp.h"

#include "base/random.h"
#include "model/model.h"
#include "support/close.h"

static const cr_model none = {0};

static cr_contact_call call_of(int dim, const cr_contact_numbers* at, cr_contact_numbers* twin,
                               cr_real* force) {
  return (cr_contact_call){.size = sizeof(cr_contact_call),
                           .model = &none,
                           .dim = dim,
                           .at = at,
                           .twin = twin,
                           .force = force};
}

static int evaluate(int dim, const cr_contact_numbers* at, cr_real f[6]) {
  cr_zero(f, 6);
  cr_contact_call c = call_of(dim, at, NULL, f);
  cri_ncp_force(NULL, &c);
  return c.zone;
}

static cr_contact_numbers draw(cr_random* r) {
  cr_contact_numbers x = {.mu = 1, .weight = 1};
  for (int j = 0; j < 6; j++) {
    x.e[j] = cr_random_normal(r);
    x.D[j] = cr_random_range(r, 10, 1000);
  }
  for (int j = 0; j < 5; j++) {
    x.friction[j] = cr_random_range(r, CR_R(0.1), 2);
  }
  return x;
}

static cr_real used(const cr_contact_numbers* at, const cr_real f[6], int dim) {
  cr_real sum = 0;
  for (int j = 1; j < dim; j++) {
    sum += f[j] * f[j] / (at->friction[j - 1] * at->friction[j - 1]);
  }
  return cr_sqrt(sum);
}

// 0 <= N and e + N / D >= 0, one of them 0; inside the cone tangents give way by 1 / D, on it against the slip
TEST(forces_are_complementary_and_in_the_cone) {
  static const int dims[] = {1, 3, 4, 6};
  cr_random r = cr_random_seed(1, 21);
  int zones[3] = {0};
  for (int i = 0; i < 400; i++) {
    cr_contact_numbers at = draw(&r);
    int dim = dims[i % 4];
    cr_real f[6], gap, most;
    if (i % 3 == 0) {
      at.e[0] = -10;
    }
    int zone = evaluate(dim, &at, f);
    zones[zone]++;
    gap = at.e[0] + f[0] / at.D[0];
    assert_true(f[0] >= 0 && gap >= -4 * CR_EPS * cr_abs(at.e[0]));
    assert_close(gap * f[0], 0, 16 * CR_EPS * f[0] * cr_abs(at.e[0]));
    most = used(&at, f, dim);
    assert_true(most <= f[0] * (1 + 8 * CR_EPS));
    assert_true(zone != 2 || most >= f[0] * (1 - 8 * CR_EPS));
    for (int j = 1; j < dim; j++) {
      assert_true(f[j] * at.e[j] <= 0);
      if (zone == 1) {
        assert_close(f[j], -at.D[j] * at.e[j], 0);
      }
    }
  }
  assert_true(zones[0] > 50 && zones[1] > 50 && zones[2] > 50);
}

// where tangents leave the inside of the cone, both pieces say the same
TEST(sticking_and_sliding_meet) {
  cr_random r = cr_random_seed(1, 22);
  for (int i = 0; i < 100; i++) {
    cr_contact_numbers at = draw(&r);
    cr_real f[2][6];
    at.e[0] = -1;
    int zone = evaluate(6, &at, f[0]);
    cr_real g[6] = {0};
    for (int j = 1; j < 6; j++) {
      g[j] = -at.D[j] * at.e[j];
    }
    cr_real scale = at.D[0] / used(&at, g, 6);
    for (int side = 0; side < 2; side++) {
      cr_contact_numbers near = at;
      for (int j = 1; j < 6; j++) {
        near.e[j] *= scale * (1 + (side == 0 ? -1 : 1) * CR_R(1e-9));
      }
      zone = evaluate(6, &near, f[side]);
      assert_int_equal(zone, side == 0 ? 1 : 2);
    }
    assert_all_close(f[0], f[1], 6, CR_R(1e-8));
  }
}

enum { N_REAL = (int)(sizeof(cr_contact_numbers) / sizeof(cr_real)) };

static bool check_derivatives(cr_random* r) {
  const cr_real h = CR_R(1e-5);
  cr_contact_numbers at = draw(r), tan, bar = {0}, side;
  at.e[0] = cr_random_range(r, -5, 1);
  cr_real f[2][6], f_tan[6] = {0}, f_bar[6], left = 0, right = 0, size = 0;
  const cr_real *x = (const cr_real*)(const void*)&at, *b = (const cr_real*)(const void*)&bar;
  cr_real *t = (cr_real*)(void*)&tan, *y = (cr_real*)(void*)&side;
  int zones[2];
  for (int i = 0; i < N_REAL; i++) {
    t[i] = x[i] * CR_R(0.1) * cr_random_normal(r);
  }
  cr_contact_call c = call_of(6, &at, &tan, f_tan);
  cri_ncp_jvp(NULL, &c);
  for (int k = 0; k < 2; k++) {
    for (int i = 0; i < N_REAL; i++) {
      y[i] = x[i] + (k == 0 ? -h : h) * t[i];
    }
    zones[k] = evaluate(6, &side, f[k]);
  }
  for (int i = 0; i < 6; i++) {
    if (zones[0] == zones[1]) {
      assert_close(f_tan[i], (f[1][i] - f[0][i]) / (2 * h),
                   CR_R(1e-7) * (cr_abs(f_tan[i]) + cr_abs(f[0][i]) + 1));
    }
    f_bar[i] = cr_random_normal(r);
    left += f_bar[i] * f_tan[i];
    size += cr_abs(f_bar[i] * f_tan[i]);
  }
  c = call_of(6, &at, &bar, f_bar);
  cri_ncp_vjp(NULL, &c);
  for (int i = 0; i < N_REAL; i++) {
    right += b[i] * t[i];
    size += cr_abs(b[i] * t[i]);
  }
  assert_close(left, right, 200 * CR_EPS * size);
  return zones[0] == zones[1] && zones[0] == 2;
}

TEST(derivatives_are_those_of_the_law) {
  cr_random r = cr_random_seed(1, 23);
  int slides = 0;
  for (int i = 0; i < 400; i++) {
    slides += check_derivatives(&r);
  }
  assert_true(slides > 40);
}
