// SPDX-License-Identifier: Apache-2.0
// The regulator's gain: SciPy's figures, the equation itself on random systems, and what no feedback holds.
#include "carom/feedback.h"

#include "base/random.h"
#include "support/allocation.h"
#include "support/close.h"

enum { NX = 4, NU = 2, MOST = 30 };

// solve_discrete_are and its gain, SciPy 1.17.1, for A = 0.6 sin(3i + 2j + 1) + 1, B = cos(i + 2j), Q = 1, R = 0.5
TEST(gain_is_scipys) {
  static const double expected[NU * NX] = {
      0.9196325808417496, -0.03885980624679825, -0.5992218625569466, 0.1298741645639169,
      2.662204930497333,  -1.27719239747051,    -0.7986993791414133, 2.504004891387606};
  cr_real A[NX * NX], B[NX * NU], Q[NX * NX] = {0}, R[NU * NU] = {CR_R(0.5), 0, 0, CR_R(0.5)},
                                         K[NU * NX], radius;
  for (int i = 0; i < NX; i++) {
    for (int j = 0; j < NX; j++) {
      A[i * NX + j] = CR_R(0.6) * cr_sin((cr_real)(3 * i + 2 * j + 1)) + (i == j);
    }
    for (int j = 0; j < NU; j++) {
      B[i * NU + j] = cr_cos((cr_real)(i + 2 * j));
    }
    Q[i * NX + i] = 1;
  }
  assert_int_equal(cr_lqr(NX, NU, A, B, Q, R, K, NULL, NULL), CR_OK);
  for (int i = 0; i < NU * NX; i++) {
    assert_close(K[i], (cr_real)expected[i], CR_R(1e-10));
  }
  assert_int_equal(cr_spectral_radius(NX, A, &radius, NULL), CR_OK);
  assert_close(radius, CR_R(1.3270415829527036), CR_R(1e-11));
}

// K = 0 and P = 0 without a system, and the golden ratio: A = B = Q = R = 1 gives P = (1 + sqrt 5) / 2, K = P / (1 + P)
TEST(one_state) {
  const cr_real one[1] = {1};
  cr_real K, P, radius;
  assert_int_equal(cr_lqr(1, 1, one, one, one, one, &K, &P, NULL), CR_OK);
  cr_real golden = (1 + cr_sqrt(5)) / 2;
  assert_close(P, golden, 8 * CR_EPS);
  assert_close(K, golden / (1 + golden), 8 * CR_EPS);
  assert_int_equal(cr_spectral_radius(1, one, &radius, NULL), CR_OK);
  assert_close(radius, 1, 8 * CR_EPS);
}

// P = A'P A - A'P B K + Q of random systems, unstable ones too
TEST(the_equation_holds) {
  for (uint64_t seed = 0; seed < 30; seed++) {
    cr_random random = cr_random_seed(seed, 0);
    int nx = 1 + (int)(seed * 7 % MOST), nu = 1 + (int)(seed % 4);
    static cr_real A[MOST * MOST], B[MOST * 4], Q[MOST * MOST], R[16], K[4 * MOST], P[MOST * MOST],
        PA[MOST * MOST];
    for (int i = 0; i < nx * nx; i++) {
      A[i] = cr_random_normal(&random) / cr_sqrt((cr_real)nx) * CR_R(1.1);
      Q[i] = i % (nx + 1) == 0 ? 1 + cr_random_uniform(&random) : 0;
    }
    for (int i = 0; i < nx * nu; i++) {
      B[i] = cr_random_normal(&random);
    }
    for (int i = 0; i < nu * nu; i++) {
      R[i] = i % (nu + 1) == 0 ? CR_R(0.3) : 0;
    }
    assert_int_equal(cr_lqr(nx, nu, A, B, Q, R, K, P, NULL), CR_OK);
    cr_real size = 0;
    for (int i = 0; i < nx; i++) {
      for (int j = 0; j < nx; j++) {
        PA[i * nx + j] = 0;  // P (A - B K)
        for (int k = 0; k < nx; k++) {
          cr_real closed = A[k * nx + j];
          for (int u = 0; u < nu; u++) {
            closed -= B[k * nu + u] * K[u * nx + j];
          }
          PA[i * nx + j] += P[i * nx + k] * closed;
        }
        size = cr_max(size, cr_abs(P[i * nx + j]));
      }
    }
    for (int i = 0; i < nx; i++) {
      for (int j = 0; j < nx; j++) {
        cr_real sum = Q[i * nx + j] - P[i * nx + j];
        for (int k = 0; k < nx; k++) {
          sum += A[k * nx + i] * PA[k * nx + j];
        }
        assert_close(sum, 0, 1000 * CR_EPS * size * (cr_real)nx);
      }
    }
  }
}

static void refused(cr_real a, cr_real b, cr_real q, cr_real r, const char* because) {
  cr_error error = {0};
  cr_real K;
  assert_int_equal(cr_lqr(1, 1, &a, &b, &q, &r, &K, NULL, &error), CR_ERR_SINGULAR);
  assert_non_null(strstr(error.text, because));
}

TEST(what_no_feedback_holds) {
  refused(2, 0, 1, 1, "no feedback makes it stable");
  refused(1, 0, 1, 1, "no feedback makes it stable");
  refused(1, 1, 1, 0, "R is not positive definite");
  refused(1, 1, 1, -1, "R is not positive definite");
  refused((cr_real)NAN, 1, 1, 1, "no feedback");
}

// a turn that grows has complex eigenvalues; a nilpotent one none but 0
TEST(spectral_radius) {
  const cr_real turn[4] = {CR_R(0.6), CR_R(-0.8), CR_R(0.8), CR_R(0.6)},
                nilpotent[4] = {0, 5, 0, 0}, nan[1] = {(cr_real)NAN};
  const cr_real jordan[4] = {CR_R(0.5), 100, 0, CR_R(0.5)};
  cr_real radius;
  assert_int_equal(cr_spectral_radius(2, turn, &radius, NULL), CR_OK);
  assert_close(radius, 1, CR_R(1e-13));
  assert_int_equal(cr_spectral_radius(2, nilpotent, &radius, NULL), CR_OK);
  assert_true(radius == 0);
  assert_int_equal(cr_spectral_radius(2, jordan, &radius, NULL), CR_OK);
  assert_close(radius, CR_R(0.5), CR_R(1e-12));
  assert_int_equal(cr_spectral_radius(1, nan, &radius, NULL), CR_ERR_NONFINITE);
}
