// SPDX-License-Identifier: Apache-2.0
// Vectors and 3 x 3 matrices against definitions by index, and against the identities that fix
// signs: Lagrange's, and the two transposes of each bilinear map.
#include "math/vec3.h"

#include "base/random.h"
#include "math/quat.h"
#include "support/close.h"

enum { N_SAMPLE = 50 };

static const cr_real tight = 64 * CR_EPS;

static void randomize(cr_random* r, cr_real* x, int n) {
  for (int i = 0; i < n; i++) {
    x[i] = cr_random_normal(r);
  }
}

static cr_real dot(const cr_real* a, const cr_real* b, int n) {
  cr_real s = 0;
  for (int i = 0; i < n; i++) {
    s += a[i] * b[i];
  }
  return s;
}

// the sign of the permutation (i, j, k), 0 where two agree
static int levi_civita(int i, int j, int k) { return (i - j) * (j - k) * (k - i) / 2; }

TEST(vec3_sums_and_products) {
  const cr_real a[3] = {1, 2, 3}, b[3] = {4, -5, 6}, sum[3] = {5, -3, 9}, diff[3] = {-3, 7, -3},
                twice[3] = {2, 4, 6}, axpy[3] = {9, -8, 15}, zero[3] = {0};
  cr_real r[3];
  cr_add3(r, a, b);
  assert_all_close(r, sum, 3, 0);
  cr_sub3(r, a, b);
  assert_all_close(r, diff, 3, 0);
  cr_scl3(r, a, 2);
  assert_all_close(r, twice, 3, 0);
  cr_copy3(r, a);
  cr_accscl3(r, b, 2);
  assert_all_close(r, axpy, 3, 0);
  cr_zero3(r);
  assert_all_close(r, zero, 3, 0);
  cr_acc3(r, sum);
  assert_all_close(r, sum, 3, 0);
  assert_close(cr_dot3(a, b), 12, 0);
  assert_close(cr_norm3(a), cr_sqrt(14), tight);
  // where an output may overlap an input
  cr_copy3(r, a);
  cr_add3(r, r, b);
  assert_all_close(r, sum, 3, 0);
  cr_copy3(r, b);
  cr_sub3(r, a, r);
  assert_all_close(r, diff, 3, 0);
}

TEST(vec3_cross_is_the_permutation_symbol) {
  cr_random rng = cr_random_seed(1, 0);
  for (int s = 0; s < N_SAMPLE; s++) {
    cr_real a[3], b[3], r[3], expected[3] = {0};
    randomize(&rng, a, 3);
    randomize(&rng, b, 3);
    for (int i = 0; i < 3; i++) {
      for (int j = 0; j < 3; j++) {
        for (int k = 0; k < 3; k++) {
          expected[i] += levi_civita(i, j, k) * a[j] * b[k];
        }
      }
    }
    cr_cross3(r, a, b);
    assert_all_close(r, expected, 3, tight);
    assert_close(cr_dot3(r, r), cr_dot3(a, a) * cr_dot3(b, b) - cr_dot3(a, b) * cr_dot3(a, b),
                 tight * cr_dot3(a, a) * cr_dot3(b, b));
    cr_acccross3(r, b, a);
    assert_close(cr_norm3(r), 0, tight);
  }
}

// the cotangents that the comment at cr_cross3 promises
TEST(vec3_cross_transposes) {
  cr_random rng = cr_random_seed(2, 0);
  for (int s = 0; s < N_SAMPLE; s++) {
    cr_real a[3], b[3], r_bar[3], r[3], a_bar[3], b_bar[3];
    randomize(&rng, a, 3);
    randomize(&rng, b, 3);
    randomize(&rng, r_bar, 3);
    cr_cross3(r, a, b);
    cr_cross3(a_bar, b, r_bar);
    cr_cross3(b_bar, r_bar, a);
    assert_close(cr_dot3(a, a_bar), cr_dot3(r, r_bar), 50 * tight);
    assert_close(cr_dot3(b, b_bar), cr_dot3(r, r_bar), 50 * tight);
  }
}

TEST(vec3_matrix_products) {
  cr_random rng = cr_random_seed(3, 0);
  for (int s = 0; s < N_SAMPLE; s++) {
    cr_real A[9], B[9], x[3], AB[9] = {0}, Ax[3] = {0}, Atx[3] = {0}, R[9], r[3];
    randomize(&rng, A, 9);
    randomize(&rng, B, 9);
    randomize(&rng, x, 3);
    for (int i = 0; i < 3; i++) {
      for (int k = 0; k < 3; k++) {
        Ax[i] += A[3 * i + k] * x[k];
        Atx[i] += A[3 * k + i] * x[k];
        for (int j = 0; j < 3; j++) {
          AB[3 * i + j] += A[3 * i + k] * B[3 * k + j];
        }
      }
    }
    cr_matmul3(R, A, B);
    assert_all_close(R, AB, 9, tight);
    cr_mulmat3(r, A, x);
    assert_all_close(r, Ax, 3, tight);
    cr_accmat3(r, A, x);
    cr_scl3(r, r, CR_R(0.5));
    assert_all_close(r, Ax, 3, tight);
    cr_multmat3(r, A, x);
    assert_all_close(r, Atx, 3, tight);
    cr_acctmat3(r, A, x);
    cr_scl3(r, r, CR_R(0.5));
    assert_all_close(r, Atx, 3, tight);
  }
}

TEST(vec3_columns_and_outer_products) {
  cr_random rng = cr_random_seed(4, 0);
  cr_real A[9], a[3], b[3], column[3], expected[9];
  randomize(&rng, A, 9);
  randomize(&rng, a, 3);
  randomize(&rng, b, 3);
  for (int k = 0; k < 3; k++) {
    cr_col3(column, A, k);
    for (int i = 0; i < 3; i++) {
      assert_close(column[i], A[3 * i + k], 0);
      expected[3 * i + k] = A[3 * i + k] + a[i] * b[k];
    }
  }
  // a column at a time, and all at once
  cr_real B[9];
  cr_copy(B, A, 9);
  for (int k = 0; k < 3; k++) {
    cr_scl3(column, a, b[k]);
    cr_acccol3(B, column, k);
  }
  assert_all_close(B, expected, 9, tight);
  cr_accouter3(A, a, b);
  assert_all_close(A, expected, 9, tight);
}

TEST(vec3_normalize) {
  cr_real a[3] = {3, 0, -4}, tiny[3] = {0, CR_R(1e-16), 0};
  const cr_real unit[3] = {CR_R(0.6), 0, CR_R(-0.8)}, x[3] = {1, 0, 0};
  assert_close(cr_normalize3(a), 5, tight);
  assert_all_close(a, unit, 3, tight);
  // too short to have a direction
  assert_close(cr_normalize3(tiny), 0, 0);
  assert_all_close(tiny, x, 3, 0);
}

TEST(vec3_normalize_tangent_matches_differences) {
  const cr_real h = CR_R(1e-3), weight[4] = {1, -8, 8, -1}, at[4] = {-2, -1, 1, 2};
  cr_random rng = cr_random_seed(5, 0);
  for (int s = 0; s < N_SAMPLE; s++) {
    cr_real a[3], a_tan[3], u[3], u_tan[3], difference[3] = {0};
    randomize(&rng, a, 3);
    randomize(&rng, a_tan, 3);
    cr_copy3(u, a);
    cr_real n = cr_normalize3(u);
    if (n < CR_R(0.5)) {
      continue;
    }
    for (int k = 0; k < 4; k++) {
      cr_real moved[3];
      cr_copy3(moved, a);
      cr_accscl3(moved, a_tan, at[k] * h);
      cr_normalize3(moved);
      cr_accscl3(difference, moved, weight[k] / (12 * h));
    }
    cr_normalize3_tan(u_tan, u, n, a_tan);
    for (int i = 0; i < 3; i++) {
      assert_close(u_tan[i], difference[i], CR_R(1e-7));
    }
    assert_close(cr_dot3(u, u_tan), 0, 50 * tight);
  }
}

TEST(vec3_rotation_tangent_and_its_transpose) {
  cr_random rng = cr_random_seed(6, 0);
  for (int s = 0; s < N_SAMPLE; s++) {
    cr_real q[4], R[9], w[3], R_tan[9], column[3], turned[3], R_bar[9], w_bar[3] = {0}, back[3];
    randomize(&rng, q, 4);
    cr_quat_normalize(q);
    cr_quat_to_mat(R, q);
    randomize(&rng, w, 3);
    randomize(&rng, R_bar, 9);
    // every column turns with w
    cr_rot_tan(R_tan, w, R);
    for (int k = 0; k < 3; k++) {
      cr_real expected[3];
      cr_col3(column, R, k);
      cr_col3(turned, R_tan, k);
      cr_cross3(expected, w, column);
      assert_all_close(turned, expected, 3, tight);
    }
    // <R_bar, R_tan> = <w_bar, w>; the vector comes back
    cr_rot_bar(w_bar, R, R_bar);
    assert_close(cr_dot3(w_bar, w), dot(R_bar, R_tan, 9), 100 * tight);
    cr_rot_vec(back, R, R_tan);
    assert_all_close(back, w, 3, tight);
    // the transpose adds
    cr_rot_bar(w_bar, R, R_bar);
    assert_close(cr_dot3(w_bar, w), 2 * dot(R_bar, R_tan, 9), 200 * tight);
  }
}
