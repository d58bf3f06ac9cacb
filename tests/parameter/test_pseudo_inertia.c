// SPDX-License-Identifier: Apache-2.0
// Rigid bodies by ten free numbers: against clouds of points, transposes, differences, and principal axes where
// moments are equal.
#include "parameter/pseudo_inertia.h"

#include "base/random.h"
#include "math/quat.h"
#include "support/close.h"

enum { POINTS = 12 };

// mass, centre and inertia of a cloud, by their definitions
static void cloud(cr_random* random, cri_rigid_body* body) {
  cr_real at[POINTS][3], mass[POINTS];
  *body = (cri_rigid_body){0};
  for (int i = 0; i < POINTS; i++) {
    mass[i] = cr_random_range(random, CR_R(0.1), 1);
    body->mass += mass[i];
    for (int k = 0; k < 3; k++) {
      at[i][k] = cr_random_normal(random) * (cr_real)(k + 1);
      body->centre[k] += mass[i] * at[i][k];
    }
  }
  cr_scl3(body->centre, body->centre, 1 / body->mass);
  for (int i = 0; i < POINTS; i++) {
    cr_real r[3];
    cr_sub3(r, at[i], body->centre);
    for (int a = 0; a < 3; a++) {
      for (int b = 0; b < 3; b++) {
        body->inertia[3 * a + b] += mass[i] * ((a == b) * cr_dot3(r, r) - r[a] * r[b]);
      }
    }
  }
}

TEST(ten_numbers_are_a_body_and_back) {
  cr_random random = cr_random_seed(11, 1);
  for (int trial = 0; trial < 50; trial++) {
    cri_rigid_body body, again;
    cr_real theta[CRI_PSEUDO], back[CRI_PSEUDO];
    cloud(&random, &body);
    assert_true(cri_pseudo_theta(&body, theta));
    cri_pseudo_body(theta, &again);
    assert_close(again.mass, body.mass, 20 * CR_EPS * body.mass);
    assert_all_close(again.centre, body.centre, 3, 20 * CR_EPS);
    assert_all_close(again.inertia, body.inertia, 9, 200 * CR_EPS);
    assert_true(cri_pseudo_theta(&again, back));
    assert_all_close(back, theta, CRI_PSEUDO, 2000 * CR_EPS);
  }
}

// the pseudo-inertia itself: J = U U' has the second moments about the origin, the first moments and the mass
TEST(factor_is_that_of_the_pseudo_inertia) {
  cr_random random = cr_random_seed(11, 2);
  cri_rigid_body body;
  cr_real t[CRI_PSEUDO], J[4][4] = {{0}};
  for (int i = 0; i < CRI_PSEUDO; i++) {
    t[i] = CR_R(0.5) * cr_random_normal(&random);
  }
  const cr_real e = cr_exp(t[0]);
  const cr_real U[4][4] = {{e * cr_exp(t[1]), e * t[4], e * t[6], e * t[7]},
                           {0, e * cr_exp(t[2]), e * t[5], e * t[8]},
                           {0, 0, e * cr_exp(t[3]), e * t[9]},
                           {0, 0, 0, e}};
  for (int i = 0; i < 4; i++) {
    for (int j = 0; j < 4; j++) {
      for (int k = 0; k < 4; k++) {
        J[i][j] += U[i][k] * U[j][k];
      }
    }
  }
  cri_pseudo_body(t, &body);
  assert_close(body.mass, J[3][3], 10 * CR_EPS * J[3][3]);
  cr_real S[9], trace = 0;
  for (int i = 0; i < 3; i++) {
    assert_close(body.mass * body.centre[i], J[i][3], 20 * CR_EPS * J[3][3]);
    for (int j = 0; j < 3; j++) {
      S[3 * i + j] = J[i][j] - body.mass * body.centre[i] * body.centre[j];
    }
    trace += S[4 * i];
  }
  for (int i = 0; i < 9; i++) {
    assert_close(body.inertia[i], (i % 4 == 0) * trace - S[i], 100 * CR_EPS * (trace + J[3][3]));
  }
}

TEST(what_no_mass_can_have_is_found) {
  cri_rigid_body body = {.mass = 1, .inertia = {1, 0, 0, 0, 2, 0, 0, 0, 2}};
  cr_real theta[CRI_PSEUDO];
  assert_true(cri_pseudo_theta(&body, theta));
  body.inertia[0] = 4;  // a disc
  assert_false(cri_pseudo_theta(&body, theta));
  body.inertia[0] = 5;
  assert_false(cri_pseudo_theta(&body, theta));
  body.inertia[0] = 0;  // a rod
  assert_false(cri_pseudo_theta(&body, theta));
  body.inertia[0] = 1;
  body.mass = 0;
  assert_false(cri_pseudo_theta(&body, theta));
  body.mass = (cr_real)NAN;
  assert_false(cri_pseudo_theta(&body, theta));
}

// ---- derivatives

static cr_real dot(const cri_rigid_body* a, const cri_rigid_body* b) {
  cr_real sum = a->mass * b->mass + cr_dot3(a->centre, b->centre);
  for (int i = 0; i < 9; i++) {
    sum += a->inertia[i] * b->inertia[i];
  }
  return sum;
}

static void symmetric(cr_random* random, cr_real A[9]) {
  for (int i = 0; i < 9; i++) {
    A[i] = i % 3 < i / 3 ? A[i % 3 * 3 + i / 3] : cr_random_normal(random);
  }
}

TEST(derivatives_match_differences_and_each_other) {
  cr_random random = cr_random_seed(11, 3);
  const cr_real h = cr_pow(CR_EPS, CR_R(0.2)) / 4, steps[] = {-2, -1, 1, 2},
                weights[] = {1, -8, 8, -1};
  for (int trial = 0; trial < 20; trial++) {
    cr_real theta[CRI_PSEUDO], tan[CRI_PSEUDO], theta_bar[CRI_PSEUDO] = {0}, backward = 0;
    cri_rigid_body body, body_tan, bar = {.mass = cr_random_normal(&random)};
    symmetric(&random, bar.inertia);
    for (int i = 0; i < CRI_PSEUDO; i++) {
      theta[i] = trial == 0 ? 0 : cr_random_normal(&random);
      tan[i] = cr_random_normal(&random);
    }
    for (int k = 0; k < 3; k++) {
      bar.centre[k] = cr_random_normal(&random);
    }
    cri_pseudo_jvp(theta, tan, &body_tan);
    cri_pseudo_vjp(theta, &bar, theta_bar);
    for (int i = 0; i < CRI_PSEUDO; i++) {
      backward += theta_bar[i] * tan[i];
    }
    cr_real scale = 0, slope = 0, forward = dot(&bar, &body_tan);
    for (int k = 0; k < 4; k++) {
      cr_real moved[CRI_PSEUDO];
      for (int i = 0; i < CRI_PSEUDO; i++) {
        moved[i] = theta[i] + steps[k] * h * tan[i];
      }
      cri_pseudo_body(moved, &body);
      slope += weights[k] * dot(&bar, &body) / (12 * h);
      scale = cr_max(scale, 1 + cr_sqrt(dot(&body, &body)));
    }
    assert_close(forward, backward, 1000 * CR_EPS * scale);
    assert_close(slope, forward, 3000 * cr_pow(CR_EPS, CR_R(0.8)) * scale);
  }
}

// ---- principal axes

static void compose(const cr_real moments[3], const cr_real R[9], cr_real I[9]) {
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      I[3 * i + j] = 0;
      for (int k = 0; k < 3; k++) {
        I[3 * i + j] += R[3 * i + k] * moments[k] * R[3 * j + k];
      }
    }
  }
}

static void random_turn(cr_random* random, cr_real R[9]) {
  cr_real q[4];
  for (int k = 0; k < 4; k++) {
    q[k] = cr_random_normal(random);
  }
  (void)cr_quat_normalize(q);
  cr_quat_to_mat(R, q);
}

static const cr_real moments_of[][3] = {
    {1, 2, CR_R(2.5)},      {2, 2, 2}, {2, 2, 3}, {3, 2, 2}, {1, CR_R(1.0001), CR_R(1.5)},
    {2, CR_R(2 + 1e-10), 2}};
enum { N_MOMENTS = (int)(sizeof moments_of / sizeof moments_of[0]) };

// mass, first moments and second moments about the origin: what J holds
static void held(const cr_real theta[CRI_PSEUDO], cr_real p[CRI_PSEUDO]) {
  cri_rigid_body b;
  cri_pseudo_body(theta, &b);
  p[0] = b.mass;
  for (int i = 0; i < 3; i++) {
    p[1 + i] = b.mass * b.centre[i];
  }
  const int rows[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {1, 2}, {0, 2}};
  cr_real half = (b.inertia[0] + b.inertia[4] + b.inertia[8]) / 2;
  for (int k = 0; k < 6; k++) {
    int i = rows[k][0], j = rows[k][1];
    p[4 + k] = (i == j) * half - b.inertia[3 * i + j] + b.mass * b.centre[i] * b.centre[j];
  }
}

// [identification.p12] J moves along a straight line, whose beginning is that of theta + step; beyond what is a body it does not go
TEST(moves_are_straight_in_the_pseudo_inertia) {
  cr_random random = cr_random_seed(11, 9);
  for (int trial = 0; trial < 50; trial++) {
    cr_real theta[CRI_PSEUDO], step[CRI_PSEUDO], to[CRI_PSEUDO], half[CRI_PSEUDO], p[3][CRI_PSEUDO];
    for (int i = 0; i < CRI_PSEUDO; i++) {
      theta[i] = CR_R(0.5) * cr_random_normal(&random);
      step[i] = CR_R(0.05) * cr_random_normal(&random);
    }
    cri_pseudo_move(theta, step, to);
    held(theta, p[0]);
    held(to, p[2]);
    for (int i = 0; i < CRI_PSEUDO; i++) {
      half[i] = step[i] / 2;
    }
    cri_pseudo_move(theta, half, to);
    held(to, p[1]);
    for (int i = 0; i < CRI_PSEUDO; i++) {
      assert_close(p[1][i], (p[0][i] + p[2][i]) / 2, CR_R(1e-12) * (1 + cr_abs(p[0][i])));
    }
    for (int i = 0; i < CRI_PSEUDO; i++) {
      step[i] *= CR_R(1e-4);
    }
    cri_pseudo_move(theta, step, to);
    for (int i = 0; i < CRI_PSEUDO; i++) {
      assert_close(to[i], theta[i] + step[i], CR_R(1e-7));
    }
  }
  // three times the mass away: theta + step
  cr_real theta[CRI_PSEUDO] = {0}, step[CRI_PSEUDO] = {-2}, to[CRI_PSEUDO];
  cri_pseudo_move(theta, step, to);
  assert_true(to[0] == -2 && to[1] == 0);
}

TEST(axes_give_the_inertia_back) {
  cr_random random = cr_random_seed(11, 4);
  for (int trial = 0; trial < 20 * N_MOMENTS; trial++) {
    cr_real R[9], near[9], I[9], again[9], moments[3], axes[9], left[3];
    random_turn(&random, R);
    random_turn(&random, near);
    compose(moments_of[trial % N_MOMENTS], R, I);
    cri_principal_axes(I, trial % 2 == 0 ? R : near, moments, axes);
    compose(moments, axes, again);
    assert_all_close(again, I, 9, 10 * cr_sqrt(CR_EPS));
    cr_cross3(left, axes, axes + 3);
    assert_all_close(left, axes + 6, 3, 20 * CR_EPS);
    for (int k = 0; k < 3; k++) {
      cr_real gap = cr_abs(moments[k] - moments[(k + 1) % 3]),
              sum = moments[0] + moments[1] + moments[2];
      assert_true(gap > CR_R(0.9) * cr_sqrt(CR_EPS) * sum);
      assert_true(2 * moments[k] < sum);  // no more than the sum of the others
    }
    if (trial % 2 == 0) {  // near what it was
      assert_all_close(axes, R, 9, 1000 * CR_EPS);
    }
  }
}

// the products of R diag(moments) R' with any symmetric matrix, also where moments are equal
TEST(axes_carry_the_derivative_of_the_inertia) {
  cr_random random = cr_random_seed(11, 5);
  cr_real worst = 0;
  for (int trial = 0; trial < 20 * N_MOMENTS; trial++) {
    cr_real R[9], I[9], I_tan[9], I_bar[9], back[9], moments[3], axes[9], moments_tan[3], turn[3];
    random_turn(&random, R);
    compose(moments_of[trial % N_MOMENTS], R, I);
    symmetric(&random, I_tan);
    symmetric(&random, I_bar);
    cri_principal_axes(I, R, moments, axes);
    cri_principal_jvp(moments, axes, I_tan, moments_tan, turn);
    // d(R D R') = R ([turn]x D + D_tan - D [turn]x) R'
    cr_real K[9] = {0}, again[9];
    for (int k = 0; k < 3; k++) {
      int i = (k + 1) % 3, j = (k + 2) % 3;
      K[4 * k] = moments_tan[k];
      K[3 * i + j] = K[3 * j + i] = turn[k] * (moments[i] - moments[j]);
    }
    cr_real half[9], Rt[9];
    cr_matmul3(half, axes, K);
    for (int i = 0; i < 9; i++) {
      Rt[i] = axes[i % 3 * 3 + i / 3];
    }
    cr_matmul3(again, half, Rt);
    for (int i = 0; i < 9; i++) {
      worst = cr_max(worst, cr_abs(again[i] - I_tan[i]));
    }
    // a function of R D R' with the slope I_bar has these cotangents of moments and turn
    cr_real moments_bar[3], turn_bar[3];
    cr_matmul3(half, Rt, I_bar);
    cr_matmul3(K, half, axes);
    for (int k = 0; k < 3; k++) {
      int i = (k + 1) % 3, j = (k + 2) % 3;
      moments_bar[k] = K[4 * k];
      turn_bar[k] = 2 * K[3 * i + j] * (moments[i] - moments[j]);
    }
    cri_principal_vjp(moments, axes, moments_bar, turn_bar, back);
    assert_all_close(back, I_bar, 9, 100 * CR_EPS);
  }
  assert_true(worst < 100 * CR_EPS);
}
