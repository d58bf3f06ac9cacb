// SPDX-License-Identifier: Apache-2.0
// Closed forms of the linear loop: against sums over random noise, against one step by hand, against differences, and the regulator against its equation.
#include "estimates/linear_loop.h"

#include <math.h>
#include <string.h>

#include "base/random.h"
#include "support/close.h"
#include "support/test.h"

static cr_error error;

// two states, one control, unlike numbers
static cr_loop example(void) {
  return (cr_loop){.n = 2,
                   .m = 1,
                   .T = 4,
                   .step = 0.5,
                   .A = {1, 0.2, -0.3, 0.9},
                   .B = {0.1, 0.4},
                   .Q = {1, 0.5},
                   .R = {0.3},
                   .P = {2, 0.4, 0.4, 1.5},
                   .K = {-0.3, 0.2},
                   .b = {0.1},
                   .x0 = {1, -0.5},
                   .sigma = 0.7};
}

// the cost for noise w, and its score by (K, b), by plain loops
static double play(const cr_loop* l, const double* w, double score[3]) {
  double x[2] = {l->x0[0], l->x0[1]}, cost = 0;
  memset(score, 0, 3 * sizeof *score);
  for (int k = 0; k < l->T; k++) {
    double u = l->K[0] * x[0] + l->K[1] * x[1] + l->b[0] + w[k], next[2];
    for (int i = 0; i < 2; i++) {
      next[i] = l->A[2 * i] * x[0] + l->A[2 * i + 1] * x[1] + l->B[i] * u;
      score[i] += x[i] * w[k] / (l->sigma * l->sigma);
    }
    score[2] += w[k] / (l->sigma * l->sigma);
    memcpy(x, next, sizeof x);
    cost += l->step / 2 * (l->Q[0] * x[0] * x[0] + l->Q[1] * x[1] * x[1] + l->R[0] * u * u);
  }
  return cost + (l->P[0] * x[0] * x[0] + 2 * l->P[1] * x[0] * x[1] + l->P[3] * x[1] * x[1]) / 2;
}

// dL/dW by differences, exact for a cost that is a polynomial up to h^2
static void slopes(const cr_loop* l, const double* w, double slope[3]) {
  const double h = 1e-5;
  for (int j = 0; j < 3; j++) {
    cr_loop more = *l, less = *l;
    double score[3];
    *(j < 2 ? &more.K[j] : &more.b[0]) += h;
    *(j < 2 ? &less.K[j] : &less.b[0]) -= h;
    slope[j] = (play(&more, w, score) - play(&less, w, score)) / (2 * h);
  }
}

TEST(moments_are_those_of_random_noise) {
  enum { SAMPLES = 400000 };
  const cr_loop l = example();
  cr_loop_moments found;
  double gradient[3], mean = 0, F[3] = {0}, Z[3] = {0}, F2 = 0, Z2 = 0, FZ = 0;
  const double none[4] = {0};
  double score[3], base = play(&l, none, score);
  cr_random random = cr_random_seed(1, 0);
  must(cri_loop_moments(&l, &found, gradient, &error));
  for (int i = 0; i < SAMPLES; i++) {
    double w[4], slope[3] = {0};
    for (int k = 0; k < 4; k++) {
      w[k] = l.sigma * (double)cr_random_normal(&random);
    }
    double cost = play(&l, w, score);
    mean += cost / SAMPLES;
    slopes(&l, w, slope);
    for (int j = 0; j < 3; j++) {
      double z = (cost - base) * score[j];
      F[j] += slope[j] / SAMPLES;
      Z[j] += z / SAMPLES;
      F2 += slope[j] * slope[j] / SAMPLES;
      Z2 += z * z / SAMPLES;
      FZ += slope[j] * z / SAMPLES;
    }
  }
  assert_close(mean, found.mean, CR_R(0.01) * found.mean);
  for (int j = 0; j < 3; j++) {
    F2 -= F[j] * F[j];
    Z2 -= Z[j] * Z[j];
    FZ -= F[j] * Z[j];
    assert_close(F[j], gradient[j], 5 * sqrt(found.first / SAMPLES));
    assert_close(Z[j], gradient[j], 5 * sqrt(found.zeroth / SAMPLES));
  }
  assert_close(F2, found.first, CR_R(0.02) * found.first);
  assert_close(Z2, found.zeroth, CR_R(0.06) * found.zeroth);
  assert_close(FZ, found.together, CR_R(0.03) * sqrt(found.first * found.zeroth));
  assert_true(found.together > 0.3 * sqrt(found.first * found.zeroth));
  assert_true(found.gap < 1e-12);
}

// one step of x' = x + u from x: L = (x' + w)^2 / 2 = (y + w)^2 / 2, y = x + b. By b: F = y + w, Z = (y w + w^2 / 2) w / sigma^2;
// by K x times that. Var Z: E w^4 = 3, E w^6 = 15 sigma^6
TEST(one_step_is_as_by_hand) {
  const double x = 0.8, s = 0.3, y = x;
  const cr_loop l = {
      .n = 1, .m = 1, .T = 1, .step = 1, .A = {1}, .B = {1}, .Q = {1}, .x0 = {x}, .sigma = s};
  cr_loop_moments found;
  double gradient[2];
  must(cri_loop_moments(&l, &found, gradient, &error));
  assert_close(found.mean, (y * y + s * s) / 2, CR_R(1e-14));
  assert_close(gradient[1], y, CR_R(1e-14));
  assert_close(gradient[0], x * y, CR_R(1e-14));
  assert_close(found.first, (1 + x * x) * s * s, CR_R(1e-14));
  double zeroth = 3 * y * y + 15 * s * s / 4 - y * y;
  assert_close(found.zeroth, (1 + x * x) * zeroth, CR_R(1e-13));
  double together = 3 * s * s / 2;  // E (y + w) (y w + w^2 / 2) w / s^2 - y^2, with E w^4 = 3 s^4
  assert_close(found.together, (1 + x * x) * together, CR_R(1e-13));
  double alpha = (zeroth - together) / (zeroth + s * s - 2 * together);
  assert_close(found.alpha, fmin(alpha, 1), CR_R(1e-13));
}

TEST(the_gradient_is_that_of_the_mean) {
  const cr_loop l = example();
  cr_loop_moments found;
  double gradient[3];
  must(cri_loop_moments(&l, &found, gradient, &error));
  for (int j = 0; j < 3; j++) {
    const double h = 1e-5;
    cr_loop more = l, less = l;
    cr_loop_moments above, below;
    *(j < 2 ? &more.K[j] : &more.b[0]) += h;
    *(j < 2 ? &less.K[j] : &less.b[0]) -= h;
    must(cri_loop_moments(&more, &above, NULL, &error));
    must(cri_loop_moments(&less, &below, NULL, &error));
    assert_close(gradient[j], (above.mean - below.mean) / (2 * h), CR_R(1e-7));
  }
}

// no gradient at the regulator, for any horizon and start; and the least mean is x0'P x0 / 2 + T sigma^2 (step R + B'S B) / 2
TEST(the_regulator_is_the_best_policy) {
  for (int T = 1; T < 8; T += 3) {
    cr_loop l = example();
    cr_loop_moments found;
    double gradient[3];
    l.T = T;
    must(cri_loop_regulate(&l, &error));
    must(cri_loop_moments(&l, &found, gradient, &error));
    double bend = l.step * l.R[0], start = 0;
    for (int i = 0; i < 2; i++) {
      for (int j = 0; j < 2; j++) {
        double S = l.P[2 * i + j] + (i == j ? l.step * l.Q[i] : 0);
        bend += l.B[i] * S * l.B[j];
        start += l.x0[i] * l.P[2 * i + j] * l.x0[j];
      }
    }
    assert_close(found.mean, start / 2 + T * l.sigma * l.sigma * bend / 2, CR_R(1e-12));
    for (int j = 0; j < 3; j++) {
      assert_close(gradient[j], 0, CR_R(1e-11));
    }
  }
}

TEST(what_cannot_be_held_is_an_error) {
  cr_loop l = {.n = 1, .m = 1, .T = 1, .step = 1, .A = {2}, .B = {0}, .Q = {1}, .R = {1}};
  assert_int_equal(cri_loop_regulate(&l, &error), CR_ERR_DIVERGED);
}
