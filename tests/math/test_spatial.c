// SPDX-License-Identifier: Apache-2.0
// Spatial algebra against what it stands for: velocities of points, forces at points, and bodies
// made of point masses.
#include "math/spatial.h"

#include "base/random.h"
#include "support/close.h"

enum { N_SAMPLE = 50, N_POINT = 5 };

static const cr_real tight = 256 * CR_EPS;

static void randomize(cr_random* r, cr_real* x, int n) {
  for (int i = 0; i < n; i++) {
    x[i] = cr_random_normal(r);
  }
}

// velocity of the body point at p
static void velocity_at(cr_real r[3], const cr_real v[6], const cr_real p[3]) {
  cr_copy3(r, v + 3);
  cr_acccross3(r, v, p);
}

TEST(spatial_six_vectors) {
  const cr_real a[6] = {1, 2, 3, 4, 5, 6}, b[6] = {1, -1, 2, -2, 3, -3}, zero[6] = {0};
  const cr_real sum[6] = {2, 1, 5, 2, 8, 3}, axpy[6] = {3, 0, 7, 0, 11, 0};
  cr_real r[6];
  assert_close(cr_dot6(a, b), -6, 0);
  cr_copy6(r, a);
  cr_acc6(r, b);
  assert_all_close(r, sum, 6, 0);
  cr_copy6(r, a);
  cr_accscl6(r, b, 2);
  assert_all_close(r, axpy, 6, 0);
  cr_zero6(r);
  assert_all_close(r, zero, 6, 0);
}

// the rate of a motion m that is carried along by v: turned by the angular part, and moved
TEST(spatial_cross_motion_is_the_rate_of_a_carried_motion) {
  cr_random rng = cr_random_seed(1, 0);
  for (int s = 0; s < N_SAMPLE; s++) {
    cr_real v[6], m[6], r[6], p[3], rate[3], at_p[3], carried[3], p_dot[3], expected[3];
    randomize(&rng, v, 6);
    randomize(&rng, m, 6);
    randomize(&rng, p, 3);
    cr_cross_motion(r, v, m);
    cr_cross3(expected, v, m);
    assert_all_close(r, expected, 3, tight);
    // velocity that m gives the point p of the carrying body: it turns with the body, so
    // d/dt (m_lin + m_ang x p) = w x (m_lin + m_ang x p), with p moving too
    velocity_at(at_p, m, p);
    cr_cross3(carried, v, at_p);
    velocity_at(p_dot, v, p);
    cr_copy3(rate, r + 3);
    cr_acccross3(rate, r, p);
    cr_acccross3(rate, m, p_dot);
    for (int i = 0; i < 3; i++) {
      assert_close(rate[i], carried[i], 100 * tight);
    }
  }
}

TEST(spatial_cross_force_is_the_transpose) {
  cr_random rng = cr_random_seed(2, 0);
  for (int s = 0; s < N_SAMPLE; s++) {
    cr_real v[6], m[6], f[6], vm[6], vf[6], mf[6];
    randomize(&rng, v, 6);
    randomize(&rng, m, 6);
    randomize(&rng, f, 6);
    cr_cross_motion(vm, v, m);
    cr_cross_force(vf, v, f);
    cr_cross_force(mf, m, f);
    assert_close(cr_dot6(vm, f), -cr_dot6(m, vf), 100 * tight);
    assert_close(cr_dot6(vm, f), cr_dot6(v, mf), 100 * tight);
  }
}

// a body of point masses: its inertia, and its momentum by summing
static void add_point(cr_real I[10], cr_real mass, const cr_real p[3]) {
  cr_real pp = cr_dot3(p, p);
  for (int i = 0; i < 3; i++) {
    I[i] += mass * (pp - p[i] * p[i]);
    I[6 + i] += mass * p[i];
  }
  I[3] -= mass * p[0] * p[1];
  I[4] -= mass * p[0] * p[2];
  I[5] -= mass * p[1] * p[2];
  I[9] += mass;
}

TEST(spatial_inertia_gives_the_momentum_of_points) {
  cr_random rng = cr_random_seed(3, 0);
  for (int s = 0; s < N_SAMPLE; s++) {
    cr_real v[6], I[10] = {0}, momentum[6] = {0}, f[6];
    randomize(&rng, v, 6);
    for (int k = 0; k < N_POINT; k++) {
      cr_real p[3], at_p[3], mass = cr_random_range(&rng, CR_R(0.1), 2);
      randomize(&rng, p, 3);
      add_point(I, mass, p);
      velocity_at(at_p, v, p);
      cr_scl3(at_p, at_p, mass);
      cr_acccross3(momentum, p, at_p);
      cr_acc3(momentum + 3, at_p);
    }
    cr_inertia_mul(f, I, v);
    assert_all_close(f, momentum, 6, tight);
  }
}

TEST(spatial_inertia_bar_is_the_gradient_of_the_form) {
  cr_random rng = cr_random_seed(4, 0);
  for (int s = 0; s < N_SAMPLE; s++) {
    cr_real u[6], v[6], I[10], f[6], I_bar[10] = {0}, form = 0;
    randomize(&rng, u, 6);
    randomize(&rng, v, 6);
    cr_inertia_bar(I_bar, u, v, 1);
    // the form is linear in I: entry by entry, and as a whole
    for (int k = 0; k < 10; k++) {
      cr_real unit[10] = {0};
      unit[k] = 1;
      cr_inertia_mul(f, unit, v);
      assert_close(I_bar[k], cr_dot6(u, f), 10 * tight);
    }
    randomize(&rng, I, 10);
    cr_inertia_mul(f, I, v);
    cr_inertia_bar(I_bar, u, v, 2);
    for (int k = 0; k < 10; k++) {
      form += I[k] * I_bar[k];
    }
    assert_close(form, 3 * cr_dot6(u, f), 200 * tight);
  }
}
