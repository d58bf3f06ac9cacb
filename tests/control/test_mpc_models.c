// SPDX-License-Identifier: Apache-2.0
// Linear models along a motion: both orders of a linear step are its matrices, of a parabola the first order is the slope at the mean, and numbers without noise
// keep the Jacobian.
#include "control/mpc_system.h"
#include "support/close.h"

// x' = 2 x + bend x^2 + 3 u
static cr_status step(void* context, int worker, const cr_real* x, const cr_real* u, cr_real* next,
                      cr_real* A, cr_real* B, cr_error* error) {
  const cr_real* bend = context;
  (void)worker;
  (void)error;
  *next = 2 * *x + *bend * *x * *x + 3 * *u;
  if (A != NULL) {
    *A = 2 + 2 * *bend * *x;
    *B = 3;
  }
  return CR_OK;
}

static void find(cr_estimator_kind kind, cr_real bend, const cr_real* sigma, cr_real* A,
                 cr_real* B) {
  cr_error error = {0};
  cr_pool* pool = NULL;
  cri_mpc_models* models = NULL;
  int failed;
  const cri_mpc_system system = {.system = {sizeof(cr_mpc_system), 1, 1, step, &bend}};
  const cr_mpc_options o = {.size = sizeof o,
                            .nstep = 1,
                            .kind = kind,
                            .samples = 2000,
                            .draws = CR_DRAWS_ANTITHETIC,
                            .sigma = sigma};
  const cr_real x[2] = {1, 0}, u[1] = {-1};
  cr_real motion[2] = {x[0], 0};
  assert_int_equal(step(&bend, 0, x, u, motion + 1, NULL, NULL, NULL), CR_OK);
  assert_int_equal(cr_pool_create(&pool, 1, &error), CR_OK);
  assert_int_equal(cri_mpc_models_make(&models, &system, &o, pool, &error), CR_OK);
  assert_int_equal(cri_mpc_models_find(models, 1, CR_R(0.5), motion, u, A, B, &failed, &error),
                   CR_OK);
  assert_int_equal(failed, 0);
  cri_mpc_models_free(models);
  cr_pool_free(pool);
}

TEST(linear_steps_are_their_matrices) {
  const cr_real sigma[2] = {1, 2};
  cr_real A, B;
  for (int kind = CR_ESTIMATOR_FIRST; kind <= CR_ESTIMATOR_ZEROTH; kind++) {
    find((cr_estimator_kind)kind, 0, sigma, &A, &B);
    assert_close(A, 2, CR_R(1e-10));
    assert_close(B, 3, CR_R(1e-10));
  }
}

TEST(a_parabola_has_its_slope_in_the_middle) {
  const cr_real sigma[2] = {1, 1};
  cr_real A, B;
  for (int kind = CR_ESTIMATOR_FIRST; kind <= CR_ESTIMATOR_ZEROTH; kind++) {
    find((cr_estimator_kind)kind, CR_R(0.1), sigma, &A, &B);
    assert_close(A, CR_R(2.2), CR_R(1e-9));
    assert_close(B, 3, CR_R(1e-9));
  }
}

TEST(numbers_without_noise_keep_the_jacobian) {
  const cr_real sigma[2] = {0, 1};
  cr_real A, B;
  find(CR_ESTIMATOR_ZEROTH, CR_R(0.1), sigma, &A, &B);
  assert_close(A, CR_R(2.2), CR_R(1e-12));
  assert_close(B, 3, CR_R(1e-10));
}
