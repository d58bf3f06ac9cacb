// SPDX-License-Identifier: Apache-2.0
#include "support/close.h"

#include "learn/adam.h"

static const cr_adam plain = {.iterations = 1500,
                              .rate = CR_R(0.1),
                              .final_rate = CR_R(0.001),
                              .b1 = CR_R(0.9),
                              .b2 = CR_R(0.99),
                              .eps = CR_R(1e-8)};

// 1/2 sum of w_i (x_i - c_i)^2, which counts its calls and can fail
typedef struct {
  int calls, fail_at, last_batch;
} bowl;

static cr_status bowl_value(void* context, int batch, const cr_real* x, cr_evaluation* e,
                            cr_error* error) {
  static const cr_real w[] = {1, 30}, c[] = {CR_R(0.5), -2};
  bowl* b = context;
  b->last_batch = batch;
  if (b->calls++ == b->fail_at) {
    return cri_fail(error, CR_ERR_INTERRUPTED, "stop");
  }
  e->value = 0;
  for (int i = 0; i < 2; i++) {
    e->gradient[i] = w[i] * (x[i] - c[i]);
    e->value += e->gradient[i] * (x[i] - c[i]) / 2;
  }
  return CR_OK;
}

static const cr_real open_low[] = {-(cr_real)INFINITY, -(cr_real)INFINITY};
static const cr_real open_high[] = {(cr_real)INFINITY, (cr_real)INFINITY};

TEST(adam_two_steps_are_the_formula) {
  cr_real x = 1, mean = 0, square = 0, g = CR_R(-0.5);
  cr_adam_step(&plain, CR_R(0.1), 1, 1, &x, &mean, &square, &g);
  assert_close(x, 1 + CR_R(0.1) * CR_R(0.5) / (CR_R(0.5) + plain.eps), 4 * CR_EPS);
  cr_real before = x;
  g = 2;
  cr_adam_step(&plain, CR_R(0.1), 2, 1, &x, &mean, &square, &g);
  cr_real m = (CR_R(0.9) * CR_R(0.1) * CR_R(-0.5) + CR_R(0.1) * 2) / (1 - CR_R(0.81));
  cr_real s = (CR_R(0.99) * CR_R(0.01) * CR_R(0.25) + CR_R(0.01) * 4) / (1 - CR_R(0.9801));
  assert_close(x, before - CR_R(0.1) * m / (cr_sqrt(s) + plain.eps), 20 * CR_EPS);
}

// where the gradient is zero only the decay moves x
TEST(adamw_takes_a_part_of_x_away) {
  cr_adam decaying = plain;
  decaying.decay = CR_R(0.25);
  cr_real x = 2, mean = 0, square = 0, g = 0;
  cr_adam_step(&decaying, CR_R(0.1), 1, 1, &x, &mean, &square, &g);
  assert_close(x, 2 - CR_R(0.1) * CR_R(0.25) * 2, 4 * CR_EPS);
  // it is of x before the step, and not part of the gradient's mean
  cr_real y = 2, z = 2, means[2] = {0}, squares[2] = {0};
  g = 3;
  cr_adam_step(&plain, CR_R(0.1), 1, 1, &y, &means[0], &squares[0], &g);
  cr_adam_step(&decaying, CR_R(0.1), 1, 1, &z, &means[1], &squares[1], &g);
  assert_close(z, y - CR_R(0.05), 4 * CR_EPS);
  assert_close(means[1], means[0], 0);
}

TEST(adam_finds_the_bottom) {
  bowl b = {.fail_at = -1};
  cr_objective o = {&b, 2, bowl_value};
  cr_real x[] = {3, 3};
  const char* reason = NULL;
  assert_int_equal(cri_adam_minimise(&plain, &o, open_low, open_high, x, &reason, NULL), CR_OK);
  assert_close(x[0], CR_R(0.5), CR_R(1e-3));
  assert_close(x[1], -2, CR_R(1e-3));
  assert_int_equal(b.calls, 1500);
  assert_int_equal(b.last_batch, CR_ALL_DATA);
  assert_string_equal(reason, "all iterations done");
}

// one long step over the bottom at (0.5, -2), to a worse place
TEST(adam_keeps_the_best) {
  bowl b = {.fail_at = -1};
  cr_objective o = {&b, 2, bowl_value};
  cr_adam leap = plain;
  leap.iterations = 2;
  leap.rate = leap.final_rate = 3;
  const char* reason = NULL;
  cr_real x[] = {1, CR_R(-2.5)};
  assert_int_equal(cri_adam_minimise(&leap, &o, open_low, open_high, x, &reason, NULL), CR_OK);
  assert_true(cr_abs(x[0] - CR_R(0.5)) > CR_R(0.5));
  leap.keep_best = true;
  cr_real y[] = {1, CR_R(-2.5)};
  assert_int_equal(cri_adam_minimise(&leap, &o, open_low, open_high, y, &reason, NULL), CR_OK);
  assert_close(y[0], 1, 0);
  assert_close(y[1], CR_R(-2.5), 0);
}

TEST(adam_keeps_bounds_and_batches) {
  bowl b = {.fail_at = -1};
  cr_objective o = {&b, 2, bowl_value};
  cr_real x[] = {3, 3};
  const cr_real low[] = {1, -1}, high[] = {4, 4};
  cr_adam adam = plain;
  adam.batches = true;
  const char* reason = NULL;
  assert_int_equal(cri_adam_minimise(&adam, &o, low, high, x, &reason, NULL), CR_OK);
  assert_close(x[0], 1, 0);
  assert_close(x[1], -1, 0);
  assert_int_equal(b.last_batch, 1499);
}

TEST(adam_ends_when_steps_are_small) {
  bowl b = {.fail_at = -1};
  cr_objective o = {&b, 2, bowl_value};
  cr_real x[] = {1, -1};
  const cr_real low[] = {1, -1}, high[] = {4, 4};
  cr_adam adam = plain;
  adam.tolerance = CR_R(1e-9);
  const char* reason = NULL;
  assert_int_equal(cri_adam_minimise(&adam, &o, low, high, x, &reason, NULL), CR_OK);
  assert_int_equal(b.calls, CR_ADAM_CALM);
  assert_string_equal(reason, "steps below the tolerance");
}

TEST(adam_passes_a_failure_on) {
  bowl b = {.fail_at = 7};
  cr_objective o = {&b, 2, bowl_value};
  cr_real x[] = {3, 3};
  const char* reason = NULL;
  cr_error error = {0};
  assert_int_equal(cri_adam_minimise(&plain, &o, open_low, open_high, x, &reason, &error),
                   CR_ERR_INTERRUPTED);
  assert_string_equal(error.text, "stop");
  assert_int_equal(b.calls, 8);
}
