// SPDX-License-Identifier: Apache-2.0
// Orders of runs: what nobody tells comes first, by hand and by trying all; units do not matter; ties.
#include "base/random.h"
#include "carom/identify.h"
#include "support/close.h"
#include "support/test.h"

enum { N = 3, RUNS = 6 };

static cr_error error;

// information of `rows` random measurements of N numbers
static void random_information(cr_real* A, int rows, uint64_t seed) {
  cr_random random = cr_random_seed(seed, 1);
  cr_zero(A, N * N);
  for (int k = 0; k < rows; k++) {
    cr_real row[N];
    for (int i = 0; i < N; i++) {
      row[i] = cr_random_normal(&random);
    }
    for (int i = 0; i < N * N; i++) {
      A[i] += row[i / N] * row[i % N];
    }
  }
}

// log det (1 + the sum of the runs in the set), scales 1, by cofactors
static cr_real log_det(const cr_real* runs, unsigned set) {
  cr_real A[N * N] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  for (int r = 0; r < RUNS; r++) {
    for (int i = 0; i < N * N && (set >> r & 1) != 0; i++) {
      A[i] += runs[r * N * N + i];
    }
  }
  return cr_log(A[0] * (A[4] * A[8] - A[5] * A[7]) - A[1] * (A[3] * A[8] - A[5] * A[6]) +
                A[2] * (A[3] * A[7] - A[4] * A[6]));
}

static const cr_real ones[N] = {1, 1, 1};

TEST(each_place_has_the_run_that_adds_most) {
  cr_real runs[RUNS * N * N], gain[RUNS];
  int order[RUNS];
  for (int r = 0; r < RUNS; r++) {
    random_information(runs + r * N * N, 1 + r % 3, (uint64_t)(11 + r));
  }
  must(cr_design_order(runs, N, RUNS, NULL, ones, order, gain, &error));
  unsigned set = 0;
  for (int k = 0; k < RUNS; k++) {
    int best = -1;
    for (int r = 0; r < RUNS; r++) {
      bool more = best < 0 || log_det(runs, set | 1u << r) > log_det(runs, set | 1u << best);
      best = (set >> r & 1) == 0 && more ? r : best;
    }
    cr_real adds = log_det(runs, set | 1u << best) - log_det(runs, set);
    assert_int_equal(order[k], best);
    assert_true(cr_abs(gain[k] - adds) < CR_R(1e-11) * (1 + adds));
    set |= 1u << best;
  }
  // what the first three tell may be known before
  cr_real known[N * N] = {0}, rest[(RUNS - 3) * N * N], more[RUNS - 3];
  int left[RUNS] = {0}, nleft = 0, then[RUNS - 3];
  for (int r = 0; r < RUNS; r++) {
    bool early = r == order[0] || r == order[1] || r == order[2];
    for (int i = 0; i < N * N; i++) {
      *(early ? &known[i] : &rest[nleft * N * N + i]) += early ? runs[r * N * N + i] : 0;
      if (!early) {
        rest[nleft * N * N + i] = runs[r * N * N + i];
      }
    }
    left[nleft] = r;
    nleft += !early;
  }
  must(cr_design_order(rest, N, RUNS - 3, known, ones, then, more, &error));
  for (int k = 0; k < RUNS - 3; k++) {
    assert_int_equal(left[then[k]], order[k + 3]);
    assert_true(cr_abs(more[k] - gain[k + 3]) < CR_R(1e-11) * (1 + more[k]));
  }
}

TEST(units_do_not_matter) {
  cr_real runs[RUNS * N * N], other[RUNS * N * N], gain[2][RUNS];
  const cr_real unit[N] = {1000, CR_R(0.003), CR_R(7e-9)};  // x = unit y
  cr_real scale[N];
  int order[2][RUNS];
  for (int r = 0; r < RUNS; r++) {
    random_information(runs + r * N * N, 1 + r % 2, (uint64_t)(40 + r));
    for (int i = 0; i < N * N; i++) {
      other[r * N * N + i] = runs[r * N * N + i] * unit[i / N] * unit[i % N];
    }
  }
  for (int i = 0; i < N; i++) {
    scale[i] = 1 / unit[i];
  }
  must(cr_design_order(runs, N, RUNS, NULL, ones, order[0], gain[0], &error));
  must(cr_design_order(other, N, RUNS, NULL, scale, order[1], gain[1], &error));
  for (int k = 0; k < RUNS; k++) {
    assert_int_equal(order[0][k], order[1][k]);
    assert_true(cr_abs(gain[0][k] - gain[1][k]) < CR_R(1e-10));
  }
}

TEST(ties_go_to_the_lower_index_and_what_is_singular_counts) {
  // runs 0 and 2 tell the same of number 0; 1 nothing; 3 number 1, less well, which nobody else does; 4 as 0 to the last digits
  cr_real runs[5 * N * N] = {0}, gain[5];
  int order[5];
  runs[0] = runs[2 * N * N] = 1e6;
  runs[4 * N * N] = 1e6 * (1 + CR_R(1e-12));
  runs[3 * N * N + 4] = 1e3;
  must(cr_design_order(runs, N, 5, NULL, ones, order, gain, &error));
  const int right[5] = {0, 3, 2, 4, 1};
  const cr_real adds[5] = {cr_log1p(1e6), cr_log1p(1e3), cr_log(1 + 2e6) - cr_log(1 + 1e6),
                           cr_log(1 + 3e6) - cr_log(1 + 2e6), 0};
  for (int k = 0; k < 5; k++) {
    assert_int_equal(order[k], right[k]);
    assert_true(cr_abs(gain[k] - adds[k]) < CR_R(1e-9));
  }
}

TEST(digits_beyond_rounding_do_no_harm) {
  // numbers that are told to sixteen digits, of which only a sum is told otherwise
  cr_real runs[2 * N * N] = {0}, gain[2];
  int order[2];
  for (int i = 0; i < N * N; i++) {
    runs[i] = 1e22;
    runs[N * N + i] = i % 4 == 0 ? 1 : 0;
  }
  must(cr_design_order(runs, N, 2, NULL, ones, order, gain, &error));
  assert_int_equal(order[0], 0);
  assert_true(isfinite(gain[0]) && isfinite(gain[1]) && gain[1] >= 0);
}

TEST(deviations_are_those_of_the_inverse) {
  // of two numbers the inverse, of the third nothing
  const cr_real A[N * N] = {4e4, 1e4, 0, 1e4, 1e4, 0, 0, 0, 0}, units[N] = {1, 2, 3};
  cr_real deviation[N];
  must(cr_design_deviations(A, N, units, deviation, &error));
  assert_true(cr_abs(deviation[0] - cr_sqrt(1 / CR_R(3e4))) < CR_R(1e-12));
  assert_true(cr_abs(deviation[1] - cr_sqrt(4 / CR_R(3e4))) < CR_R(1e-12));
  assert_true(deviation[2] > 0 && isinf(deviation[2]));
  // no better known than to its scale: not told
  const cr_real weak[N * N] = {CR_R(0.5), 0, 0, 0, CR_R(0.5), 0, 0, 0, CR_R(0.5)};
  must(cr_design_deviations(weak, N, units, deviation, &error));
  assert_true(isinf(deviation[0]) && isfinite(deviation[1]) && isfinite(deviation[2]));
  const cr_real crooked[N * N] = {1, 1, 0, 0, 1, 0, 0, 0, 1};
  assert_int_equal(cr_design_deviations(crooked, N, units, deviation, &error), CR_ERR_ARG);
  assert_non_null(strstr(error.text, "is not symmetric"));
}

TEST(what_is_wrong_is_said) {
  cr_real A[N * N] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, scale[N] = {1, 1, 1};
  int order[1];
#define REFUSED(words, known)                                                                  \
  do {                                                                                         \
    assert_int_equal(cr_design_order(A, N, 1, known, scale, order, NULL, &error), CR_ERR_ARG); \
    assert_non_null(strstr(error.text, words));                                                \
  } while (0)
  A[1] = 1;
  REFUSED("information[0][1][0] is not symmetric", NULL);
  A[1] = 0;
  A[4] = -1;
  REFUSED("information[0][1][1] is negative", NULL);
  A[4] = (cr_real)NAN;
  REFUSED("known[1][1] is not finite", A);
  A[4] = 1;
  scale[2] = 0;
  REFUSED("scale[2]", NULL);
  assert_int_equal(cr_design_order(A, 0, 1, NULL, scale, order, NULL, &error), CR_ERR_ARG);
  assert_int_equal(cr_design_order(A, N, 0, NULL, scale, order, NULL, &error), CR_ERR_ARG);
}
