// SPDX-License-Identifier: Apache-2.0
// Quaternions against Rodrigues' formula; the exponential, its inverse and its Jacobian against
// each other and against power series, at all angles that are special: 0, tiny, pi, near 2 pi.
#include "math/quat.h"

#include "base/random.h"
#include "support/close.h"

enum { N_SAMPLE = 60 };

static const cr_real tight = 64 * CR_EPS;

static void random_quat(cr_random* r, cr_real q[4]) {
  do {
    for (int i = 0; i < 4; i++) {
      q[i] = cr_random_normal(r);
    }
  } while (cr_quat_normalize(q) < CR_R(0.1));
}

static void random_axis(cr_random* r, cr_real a[3]) {
  do {
    for (int i = 0; i < 3; i++) {
      a[i] = cr_random_normal(r);
    }
  } while (cr_normalize3(a) < CR_R(0.1));
}

// exp of the rotation vector p
static void quat_exp(cr_real q[4], const cr_real p[3]) {
  cr_real axis[3];
  cr_copy3(axis, p);
  cr_real angle = cr_normalize3(axis);
  cr_quat_axis_angle(q, axis, angle);
}

// R = I + sin t [a]x + (1 - cos t) [a]x^2
static void rodrigues(cr_real R[9], const cr_real a[3], cr_real t) {
  const cr_real K[9] = {0, -a[2], a[1], a[2], 0, -a[0], -a[1], a[0], 0};
  cr_real KK[9];
  cr_matmul3(KK, K, K);
  for (int i = 0; i < 9; i++) {
    R[i] = (i % 4 == 0) + cr_sin(t) * K[i] + (1 - cr_cos(t)) * KK[i];
  }
}

TEST(quat_matrix_is_rodrigues) {
  cr_random rng = cr_random_seed(1, 0);
  for (int s = 0; s < N_SAMPLE; s++) {
    cr_real a[3], q[4], R[9], expected[9], t = cr_random_range(&rng, -7, 7);
    random_axis(&rng, a);
    cr_quat_axis_angle(q, a, t);
    cr_quat_to_mat(R, q);
    rodrigues(expected, a, t);
    assert_all_close(R, expected, 9, tight);
  }
}

TEST(quat_product_and_rotation_follow_the_matrices) {
  cr_random rng = cr_random_seed(2, 0);
  for (int s = 0; s < N_SAMPLE; s++) {
    cr_real a[4], b[4], ab[4], A[9], B[9], AB[9], R[9];
    random_quat(&rng, a);
    random_quat(&rng, b);
    cr_quat_to_mat(A, a);
    cr_quat_to_mat(B, b);
    cr_matmul3(AB, A, B);
    cr_quat_mul(ab, a, b);
    cr_quat_to_mat(R, ab);
    assert_all_close(R, AB, 9, tight);
    // in place, on either side
    cr_real left[4], right[4];
    cr_copy(left, a, 4);
    cr_copy(right, b, 4);
    cr_quat_mul(left, left, b);
    cr_quat_mul(right, a, right);
    assert_all_close(left, ab, 4, 0);
    assert_all_close(right, ab, 4, 0);
  }
}

TEST(quat_normalize_keeps_direction_or_gives_identity) {
  cr_real q[4] = {2, -4, 5, 6}, none[4] = {0, 0, CR_R(1e-16), 0};
  const cr_real identity[4] = {1, 0, 0, 0};
  const cr_real unit[4] = {CR_R(2.0) / 9, CR_R(-4.0) / 9, CR_R(5.0) / 9, CR_R(6.0) / 9};
  assert_close(cr_quat_normalize(q), 9, 9 * tight);
  assert_all_close(q, unit, 4, tight);
  assert_close(cr_quat_normalize(none), 0, 0);
  assert_all_close(none, identity, 4, 0);
}

TEST(quat_log_inverts_the_exponential) {
  const cr_real angles[] = {0,         CR_R(1e-14), CR_R(1e-9), CR_R(1e-5),        CR_R(0.1),
                            CR_R(1.5), 3,           CR_R(3.14), CR_PI - CR_R(1e-9)};
  cr_random rng = cr_random_seed(3, 0);
  for (int s = 0; s < N_SAMPLE; s++) {
    cr_real a[3], p[3], q[4], v[3], t = angles[s % 9];
    random_axis(&rng, a);
    cr_scl3(p, a, t);
    quat_exp(q, p);
    cr_quat_log(v, q);
    assert_all_close(v, p, 3, tight);
    // -q is the same rotation
    for (int i = 0; i < 4; i++) {
      q[i] = -q[i];
    }
    cr_quat_log(v, q);
    for (int i = 0; i < 3; i++) {
      assert_close(v[i], p[i], tight);
    }
    // beyond pi it comes from the other side
    cr_scl3(p, a, CR_PI + CR_R(0.5));
    quat_exp(q, p);
    cr_quat_log(v, q);
    cr_scl3(p, a, CR_R(0.5) - CR_PI);
    assert_all_close(v, p, 3, tight);
  }
}

TEST(quat_sub_inverts_integrate) {
  cr_random rng = cr_random_seed(4, 0);
  for (int s = 0; s < N_SAMPLE; s++) {
    cr_real a[4], b[4], w[3], v[3], t = cr_random_range(&rng, 0, 3);
    random_quat(&rng, b);
    random_axis(&rng, w);
    cr_copy(a, b, 4);
    cr_quat_integrate(a, w, t);
    cr_quat_sub(v, a, b);
    cr_scl3(w, w, t);
    assert_all_close(v, w, 3, 4 * tight);
    // no turn: nothing moves, and nothing is divided by zero
    const cr_real none[3] = {0};
    cr_copy(a, b, 4);
    cr_quat_integrate(a, none, 1);
    assert_all_close(a, b, 4, tight);
  }
}

// integrate normalises what it starts from, as MuJoCo does
TEST(quat_integrate_forgets_the_length) {
  cr_random rng = cr_random_seed(5, 0);
  cr_real q[4], scaled[4], w[3];
  random_quat(&rng, q);
  random_axis(&rng, w);
  for (int i = 0; i < 4; i++) {
    scaled[i] = 3 * q[i];
  }
  cr_quat_integrate(q, w, CR_R(0.7));
  cr_quat_integrate(scaled, w, CR_R(0.7));
  assert_all_close(scaled, q, 4, tight);
}

// R_tan = R [delta]x for q' = q exp(delta / 2): the convention of all orientation tangents
TEST(quat_tangent_is_in_the_body_frame) {
  const cr_real h = CR_R(1e-3), weight[4] = {1, -8, 8, -1}, at[4] = {-2, -1, 1, 2};
  cr_random rng = cr_random_seed(6, 0);
  for (int s = 0; s < N_SAMPLE; s++) {
    cr_real q[4], delta[3], w[3], R[9], expected[9], difference[9] = {0};
    random_quat(&rng, q);
    random_axis(&rng, delta);
    for (int k = 0; k < 4; k++) {
      cr_real moved[4], M[9];
      cr_copy(moved, q, 4);
      cr_quat_integrate(moved, delta, at[k] * h);
      cr_quat_to_mat(M, moved);
      for (int i = 0; i < 9; i++) {
        difference[i] += weight[k] * M[i] / (12 * h);
      }
    }
    cr_quat_to_mat(R, q);
    cr_mulmat3(w, R, delta);
    cr_rot_tan(expected, w, R);
    assert_all_close(difference, expected, 9, CR_R(1e-10));
  }
}

// Jr = sum (-[p]x)^k / (k + 1)!, summed to the end
static void jr_series(cr_real J[9], const cr_real p[3]) {
  const cr_real K[9] = {0, p[2], -p[1], -p[2], 0, p[0], p[1], -p[0], 0};
  cr_real term[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, next[9];
  cr_zero(J, 9);
  for (int k = 1; k < 60; k++) {
    for (int i = 0; i < 9; i++) {
      J[i] += term[i];
    }
    cr_matmul3(next, term, K);
    for (int i = 0; i < 9; i++) {
      term[i] = next[i] / (cr_real)(k + 1);
    }
  }
}

TEST(so3_jr_is_its_series) {
  const cr_real angles[] = {0, CR_R(1e-9), CR_R(1e-3), CR_R(0.0199), CR_R(0.0201), CR_R(0.3), 2, 4};
  cr_random rng = cr_random_seed(7, 0);
  for (int s = 0; s < N_SAMPLE; s++) {
    cr_real p[3], J[9], expected[9];
    random_axis(&rng, p);
    cr_scl3(p, p, angles[s % 8]);
    cr_so3_jr(J, p);
    jr_series(expected, p);
    assert_all_close(J, expected, 9, tight);
  }
}

TEST(so3_jr_inv_is_the_inverse) {
  const cr_real angles[] = {
      0,         CR_R(1e-9),         CR_R(1e-3), CR_R(0.0199),       CR_R(0.0201),
      CR_R(0.3), CR_PI - CR_R(1e-8), CR_PI,      CR_PI + CR_R(1e-8), CR_R(5.5)};
  const cr_real identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  cr_random rng = cr_random_seed(8, 0);
  for (int s = 0; s < N_SAMPLE; s++) {
    cr_real p[3], J[9], inverse[9], product[9];
    random_axis(&rng, p);
    cr_scl3(p, p, angles[s % 10]);
    cr_so3_jr(J, p);
    cr_so3_jr_inv(inverse, p);
    cr_matmul3(product, J, inverse);
    assert_all_close(product, identity, 9, 4 * tight);
  }
}

// exp(p + h dp) = exp(p) exp(h Jr(p) dp) to first order; the left Jacobian is Jr(p)'
TEST(so3_jr_is_the_derivative_of_the_exponential) {
  const cr_real h = CR_R(1e-3), weight[4] = {1, -8, 8, -1}, at[4] = {-2, -1, 1, 2};
  cr_random rng = cr_random_seed(9, 0);
  for (int s = 0; s < N_SAMPLE; s++) {
    cr_real p[3], dp[3], q[4], J[9], expected[3], left[3], R[9], turned[3], difference[3] = {0};
    random_axis(&rng, p);
    random_axis(&rng, dp);
    cr_scl3(p, p, cr_random_range(&rng, CR_R(0.01), 5));
    quat_exp(q, p);
    for (int k = 0; k < 4; k++) {
      cr_real moved[3], q_moved[4], v[3];
      cr_copy3(moved, p);
      cr_accscl3(moved, dp, at[k] * h);
      quat_exp(q_moved, moved);
      cr_quat_sub(v, q_moved, q);
      cr_accscl3(difference, v, weight[k] / (12 * h));
    }
    cr_so3_jr(J, p);
    cr_mulmat3(expected, J, dp);
    assert_all_close(difference, expected, 3, CR_R(1e-9));
    cr_quat_to_mat(R, q);
    cr_mulmat3(turned, R, expected);
    cr_multmat3(left, J, dp);
    assert_all_close(left, turned, 3, 4 * tight);
  }
}
