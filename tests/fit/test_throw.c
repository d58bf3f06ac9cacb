// SPDX-License-Identifier: Apache-2.0
#include "support/close.h"

#include <stdlib.h>

#include "fit/throw.h"
#include "math/quat.h"
#include "scenes/tossed_cube.h"

enum { N = 6, ROWS = 90 };

static cri_run* thrown(const cr_model* m, cr_real position_noise, cr_real rotation_noise,
                       uint64_t seed) {
  const cr_throw o = {N, ROWS, position_noise, rotation_noise, seed, NULL};
  return tosses_thrown(m, &o);
}

static const cr_real* row(const cri_run* t, int k) { return t->state + k * CR_STATE_WIDTH; }

TEST(a_seed_is_a_throw) {
  cr_model m;
  tossed_cube(&m, CR_R(0.1));
  cri_run *a = thrown(&m, CR_R(0.001), CR_R(0.01), 5), *b = thrown(&m, CR_R(0.001), CR_R(0.01), 5);
  cri_run* c = thrown(&m, CR_R(0.001), CR_R(0.01), 6);
  for (int i = 0; i < N; i++) {
    assert_int_equal(a[i].rows, ROWS);
    assert_int_equal(a[i].group, i);
    for (size_t k = 0; k < ROWS * CR_STATE_WIDTH; k++) {
      assert_true(a[i].state[k] == b[i].state[k]);
    }
    assert_true(a[i].state[0] != c[i].state[0]);
  }
  assert_string_equal(a[3].name, "0003");
  tosses_free(a, N);
  tosses_free(b, N);
  tosses_free(c, N);
  cri_model_free(&m);
}

TEST(cubes_fall_and_come_to_rest_on_the_board) {
  cr_model m;
  tossed_cube(&m, CR_R(0.1));
  cri_run* tosses = thrown(&m, 0, 0, 2);
  for (int i = 0; i < N; i++) {
    const cri_run* t = &tosses[i];
    assert_true(row(t, 0)[2] > CR_R(0.05) * cr_sqrt(3));
    assert_close(row(t, ROWS - 1)[2], CR_R(0.05), CR_R(0.01));

    // while nothing touches it falls freely, and turns at a constant rate
    for (int k = 2; row(t, k + 1)[2] > CR_R(0.09); k++) {
      assert_close(row(t, k)[9] - row(t, k - 1)[9], CR_R(-9.81) * m.timestep, CR_R(1e-9));
      assert_all_close(row(t, k) + 10, row(t, k - 1) + 10, 3, CR_R(1e-8));
      assert_all_close(row(t, k) + 7, row(t, k - 1) + 7, 2, CR_R(1e-9));
    }
  }
  tosses_free(tosses, N);
  cri_model_free(&m);
}

static cr_real spread(const cr_real* x, int n) {
  cr_real sum = 0;
  for (int i = 0; i < n; i++) {
    sum += x[i] * x[i];
  }
  return cr_sqrt(sum / (cr_real)n);
}

TEST(noise_has_the_size_asked_for) {
  cr_model m;
  cr_real position[3 * N * ROWS], turn[3 * N * ROWS];
  tossed_cube(&m, CR_R(0.1));
  cri_run *clean = thrown(&m, 0, 0, 3), *noisy = thrown(&m, CR_R(0.002), CR_R(0.03), 3);
  for (int i = 0; i < N * ROWS; i++) {
    const cr_real *a = row(&clean[i / ROWS], i % ROWS), *b = row(&noisy[i / ROWS], i % ROWS);
    cr_sub3(position + 3 * i, b, a);
    cr_quat_sub(turn + 3 * i, b + 3, a + 3);
    assert_close(cr_sqrt(b[3] * b[3] + b[4] * b[4] + b[5] * b[5] + b[6] * b[6]), 1, 10 * CR_EPS);
  }
  assert_close(spread(position, 3 * N * ROWS), CR_R(0.002), CR_R(0.0002));
  assert_close(spread(turn, 3 * N * ROWS), CR_R(0.03), CR_R(0.003));
  tosses_free(clean, N);
  tosses_free(noisy, N);
  cri_model_free(&m);
}
