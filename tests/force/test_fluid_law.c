// SPDX-License-Identifier: Apache-2.0
// Fluid laws against closed forms, force against slope, and every gradient against differences.
#include "force/fluid_law.h"

#include "base/random.h"
#include "math/vec3.h"
#include "support/close.h"

enum { N_SEED = 20 };

typedef struct {
  cr_real x[CRI_NFLUID_INPUT], v[6], l[6], r[6];
  bool box;
} sample;

static sample random_sample(uint64_t seed, bool box) {
  cr_random random = cr_random_seed(seed, 5);
  sample s = {.box = box};
  for (int i = 0; i < CRI_NFLUID_INPUT; i++) {
    s.x[i] = cr_random_range(&random, CR_R(0.6), 1);
  }
  // away from where semi-axes change their order and velocities their sign
  for (int i = 0; i < 3; i++) {
    if (!box) {
      s.x[(i + (int)seed) % 3] += CR_R(0.6) * (cr_real)i;
    }
  }
  for (int i = 0; i < 6; i++) {
    s.v[i] =
        cr_random_range(&random, CR_R(0.2), 1) * (cr_random_uniform(&random) < CR_R(0.5) ? -1 : 1);
    s.l[i] = cr_random_normal(&random);
    s.r[i] = cr_random_normal(&random);
  }
  return s;
}

static cr_real dot(const cr_real* a, const cr_real* b, int n) {
  cr_real sum = 0;
  for (int i = 0; i < n; i++) {
    sum += a[i] * b[i];
  }
  return sum;
}

static cr_real force_work(const sample* s) {
  cri_fluid_law law;
  cr_real F[6];
  cri_fluid_law_make(&law, s->box, s->x);
  cri_fluid_force(&law, s->v, F);
  return dot(s->l, F, 6);
}

static cr_real slope_work(const sample* s) {
  cri_fluid_law law;
  cr_real B[36], sum = 0;
  cri_fluid_law_make(&law, s->box, s->x);
  cri_fluid_slope(&law, s->v, B);
  for (int i = 0; i < 6; i++) {
    sum += s->l[i] * dot(B + 6 * i, s->r, 6);
  }
  return sum;
}

// central difference of fourth order of f over the number at `place`
static cr_real slope_of(cr_real (*f)(const sample*), const sample* s, cr_real* place) {
  const cr_real h = CR_R(1e-3), at = *place;
  cr_real value[4];
  for (int k = 0; k < 4; k++) {
    *place = at + h * (cr_real)(k < 2 ? k - 2 : k - 1);
    value[k] = f(s);
  }
  *place = at;
  return (value[0] - 8 * value[1] + 8 * value[2] - value[3]) / (12 * h);
}

static void compare(cr_real (*f)(const sample*), sample* s, cr_real* at, const cr_real* gradient,
                    int n) {
  for (int i = 0; i < n; i++) {
    cr_real expected = slope_of(f, s, at + i);
    assert_close(gradient[i], expected, CR_R(1e-7) * (10 + cr_abs(expected)));
  }
}

TEST(gradients_match_differences) {
  for (uint64_t seed = 0; seed < 2 * N_SEED; seed++) {
    sample s = random_sample(seed, seed % 2 == 0);
    cri_fluid_law law;
    cr_real v_bar[6] = {0}, l_bar[6] = {0}, r_bar[6] = {0}, c_bar[CRI_NFLUID_LAW] = {0};
    cr_real x_bar[CRI_NFLUID_INPUT] = {0};
    cri_fluid_law_make(&law, s.box, s.x);
    cri_fluid_force_vjp(&law, s.v, s.l, v_bar, c_bar);
    cri_fluid_law_vjp(&law, s.x, c_bar, x_bar);
    compare(force_work, &s, s.v, v_bar, 6);
    compare(force_work, &s, s.x, x_bar, CRI_NFLUID_INPUT);
    cr_zero(v_bar, 6);
    cr_zero(c_bar, CRI_NFLUID_LAW);
    cr_zero(x_bar, CRI_NFLUID_INPUT);
    cri_fluid_slope_vjp(&law, s.v, s.l, s.r, 1, v_bar, l_bar, r_bar, c_bar);
    cri_fluid_law_vjp(&law, s.x, c_bar, x_bar);
    compare(slope_work, &s, s.v, v_bar, 6);
    compare(slope_work, &s, s.l, l_bar, 6);
    compare(slope_work, &s, s.r, r_bar, 6);
    compare(slope_work, &s, s.x, x_bar, CRI_NFLUID_INPUT);
  }
}

TEST(slope_is_the_derivative_of_the_force) {
  for (uint64_t seed = 0; seed < 2 * N_SEED; seed++) {
    sample s = random_sample(seed, seed % 2 == 0);
    cri_fluid_law law;
    cr_real B[36], v_bar[6] = {0}, c_bar[CRI_NFLUID_LAW] = {0};
    s.x[CRI_FLUID_COEF] = 1;
    cri_fluid_law_make(&law, s.box, s.x);
    cri_fluid_slope(&law, s.v, B);
    cri_fluid_force_vjp(&law, s.v, s.l, v_bar, c_bar);
    for (int j = 0; j < 6; j++) {
      cr_real column = 0;
      for (int i = 0; i < 6; i++) {
        column += s.l[i] * B[6 * i + j];
      }
      assert_close(v_bar[j], column, CR_R(1e-11) * (1 + cr_abs(column)));
    }
  }
}

// a sphere: Stokes' drag 6 pi beta r v, added mass and projected area without direction, no lift
TEST(a_sphere_is_dragged) {
  const cr_real radius = CR_R(0.3), beta = CR_R(0.7), rho = CR_R(1.3), blunt = CR_R(0.5);
  cr_real x[CRI_NFLUID_INPUT] = {radius, radius, radius, 0, 1, blunt, CR_R(0.25), CR_R(1.5), 1};
  const cr_real v[6] = {0, 0, 0, CR_R(0.4), CR_R(-0.2), CR_R(0.1)};
  cri_fluid_law law;
  cr_real F[6], speed = cr_norm3(v + 3);
  x[CRI_FLUID_BETA] = beta;
  x[CRI_FLUID_RHO] = rho;
  cri_fluid_law_make(&law, false, x);
  cri_fluid_force(&law, v, F);
  cr_real area = CR_PI * radius * radius;
  for (int i = 0; i < 3; i++) {
    cr_real drag = 6 * CR_PI * beta * radius + rho * blunt * area * speed;
    assert_close(F[i], 0, CR_R(1e-14));
    assert_close(F[3 + i], -drag * v[3 + i], CR_R(1e-13));
  }
}

// at rest: no force, the slope is the linear drag, and nothing divides by zero
// a thin plate, and one as thick as it is wide
TEST(flat_boxes_are_known) {
  const cr_real plate[3] = {1, 2, 3}, nothing[3] = {0}, cube[3] = {1, 1, 1};
  assert_true(cri_fluid_box_is_flat(plate) && cri_fluid_box_is_flat(nothing));
  assert_false(cri_fluid_box_is_flat(cube));
}

TEST(rest_is_calm) {
  for (int box = 0; box < 2; box++) {
    sample s = random_sample(3, box != 0);
    cri_fluid_law law;
    cr_real F[6], B[36], zero[6] = {0}, v_bar[6] = {0}, l_bar[6] = {0}, r_bar[6] = {0};
    cr_real c_bar[CRI_NFLUID_LAW] = {0};
    cri_fluid_law_make(&law, s.box, s.x);
    cri_fluid_force(&law, zero, F);
    cri_fluid_slope(&law, zero, B);
    cri_fluid_force_vjp(&law, zero, s.l, v_bar, c_bar);
    cri_fluid_slope_vjp(&law, zero, s.l, s.r, 1, v_bar, l_bar, r_bar, c_bar);
    for (int i = 0; i < 6; i++) {
      assert_close(F[i], 0, 0);
      assert_close(B[7 * i], -law.c[i < 3 ? CRI_FLUID_ANG : CRI_FLUID_LIN], CR_R(1e-14));
      assert_true(v_bar[i] == v_bar[i] && l_bar[i] == l_bar[i] && r_bar[i] == r_bar[i]);
    }
    for (int k = 0; k < CRI_NFLUID_LAW; k++) {
      assert_true(c_bar[k] == c_bar[k]);
    }
  }
}
