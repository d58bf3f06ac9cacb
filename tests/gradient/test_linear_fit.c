// SPDX-License-Identifier: Apache-2.0
// Least squares: exact linear maps, columns that do not count, standard errors against their scatter, samples that are too few.
#include "gradient/linear_fit.h"

#include "base/random.h"
#include "support/close.h"

enum { N = 3, M = 2, ROOM = (N + 1) * (N + 1) + (N + 1) * M + M + N + 1 };

static const cr_real truth[M * N] = {1, -2, 3, CR_R(0.5), 0, -1}, shift[M] = {4, -5};

static void add(cri_linear_fit* f, cr_random* random, int samples, cr_real noise) {
  for (int k = 0; k < samples; k++) {
    cr_real w[N], y[M];
    for (int j = 0; j < N; j++) {
      w[j] = cr_random_normal(random);
    }
    for (int i = 0; i < M; i++) {
      y[i] = shift[i] + noise * cr_random_normal(random);
      for (int j = 0; j < N; j++) {
        y[i] += truth[i * N + j] * w[j];
      }
    }
    cri_linear_fit_add(f, w, y);
  }
}

TEST(a_linear_map_comes_back) {
  cr_real memory[ROOM], X[M * N], c[M];
  assert_int_equal(cri_linear_fit_room(N, M), ROOM);
  cr_random random = cr_random_seed(1, 0);
  cri_linear_fit f;
  cri_linear_fit_begin(&f, N, M, NULL, memory);
  add(&f, &random, 12, 0);
  assert_true(cri_linear_fit_solve(&f, X, c));
  assert_all_close(X, truth, M * N, CR_R(1e-12));
  assert_all_close(c, shift, M, CR_R(1e-12));
  assert_true(cri_linear_fit_error(&f, 0, 0) < CR_R(1e-6));
}

TEST(columns_that_do_not_count_stay) {
  const bool use[N] = {true, false, true};
  cr_real memory[ROOM], X[M * N] = {9, 9, 9, 9, 9, 9};
  cri_linear_fit f;
  cri_linear_fit_begin(&f, N, M, use, memory);
  for (int k = 0; k < 8; k++) {
    const cr_real w[N] = {(cr_real)(k % 2), 7, (cr_real)(k / 2)}, y[M] = {w[0] + 2 * w[2], -w[0]};
    cri_linear_fit_add(&f, w, y);
  }
  assert_true(cri_linear_fit_solve(&f, X, NULL));
  const cr_real expected[M * N] = {1, 9, 2, -1, 9, 0};
  assert_all_close(X, expected, M * N, CR_R(1e-12));
}

TEST(errors_are_the_scatter_of_many_fits) {
  enum { FITS = 2000 };
  cr_real memory[ROOM], X[M * N], c[M], scatter[2] = {0}, said[2] = {0};
  cr_random random = cr_random_seed(2, 0);
  for (int k = 0; k < FITS; k++) {
    cri_linear_fit f;
    cri_linear_fit_begin(&f, N, M, NULL, memory);
    add(&f, &random, 40, CR_R(0.3));
    assert_true(cri_linear_fit_solve(&f, X, c));
    const cr_real off[2] = {X[N] - truth[N], c[1] - shift[1]};
    for (int i = 0; i < 2; i++) {
      const cr_real error = cri_linear_fit_error(&f, 1, i - 1 < 0 ? 0 : -1);
      scatter[i] += off[i] * off[i] / FITS;
      said[i] += error * error / FITS;
    }
  }
  for (int i = 0; i < 2; i++) {
    assert_close(said[i] / scatter[i], 1, CR_R(0.1));
  }
}

TEST(too_few_samples_are_refused) {
  cr_real memory[ROOM], X[M * N];
  cr_random random = cr_random_seed(3, 0);
  cri_linear_fit f;
  cri_linear_fit_begin(&f, N, M, NULL, memory);
  add(&f, &random, N, 0);
  assert_false(cri_linear_fit_solve(&f, X, NULL));
}
