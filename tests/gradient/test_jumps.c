// SPDX-License-Identifier: Apache-2.0
// Jumps of functions of one number that are known: places, sizes, units, steep slopes that are none, bad sweeps.
#include "carom/trust.h"

#include "base/status.h"
#include "support/close.h"
#include "support/test.h"

// two steps of the first value, a steep slope of the second, which has the other unit
static cr_status stairs(void* context, cr_real at, cr_real* value, int* contacts, cr_error* error) {
  (void)context, (void)error;
  value[0] = at < CR_R(0.3) ? 0 : at < CR_R(0.7) ? CR_R(0.1) : -2;
  value[1] = 100 * cr_tanh((at - CR_R(0.501)) / CR_R(1e-5));
  *contacts = at < CR_R(0.7) ? 1 : 4;
  return CR_OK;
}

static const int units[] = {0, 1};
static cr_jump_sweep sweep_of(cr_jump_function* function, int n) {
  return (cr_jump_sweep){.size = sizeof(cr_jump_sweep),
                         .function = function,
                         .n = n,
                         .unit = n > 1 ? units : NULL,
                         .from = 0,
                         .to = 1};
}

TEST(jumps_are_found_largest_first_and_slopes_are_none) {
  cr_error error = {0};
  cr_jumps* jumps;
  const cr_jump_sweep sweep = sweep_of(stairs, 2);
  cr_jumps_result r = {.size = sizeof r};
  cr_jump jump = {.size = sizeof jump};
  assert_int_equal(cr_jumps_find(&jumps, &sweep, &error), CR_OK);
  assert_int_equal(cr_jumps_get_result(jumps, &r, &error), CR_OK);
  assert_int_equal(r.count, 2);
  assert_int_equal(r.contacts, 4);
  assert_close(r.largest[0], 2, 0);
  assert_close(r.largest[1], 100, CR_R(1e-9));
  assert_close(r.to, 1, 0);
  assert_int_equal(cr_jumps_get(jumps, 0, &jump, &error), CR_OK);
  assert_close(jump.at, CR_R(0.7), CR_R(2e-9));
  assert_close(jump.relative, CR_R(1.05), CR_R(1e-12));
  assert_close(jump.before, CR_R(0.1), 0);
  assert_close(jump.behind, -2, 0);
  assert_int_equal(jump.value, 0);
  assert_int_equal(jump.contacts[0], 1);
  assert_int_equal(jump.contacts[1], 4);
  assert_int_equal(cr_jumps_get(jumps, 1, &jump, &error), CR_OK);
  assert_close(jump.at, CR_R(0.3), CR_R(2e-9));
  assert_close(jump.relative, CR_R(0.05), CR_R(1e-12));
  assert_int_equal(cr_jumps_get(jumps, 2, &jump, &error), CR_ERR_ARG);
  cr_jumps_destroy(jumps);
}

TEST(a_tolerance_leaves_out_smaller_jumps_and_a_coarse_step_takes_slopes) {
  cr_error error = {0};
  cr_jumps* jumps;
  cr_jump_sweep sweep = sweep_of(stairs, 2);
  cr_jumps_result r = {.size = sizeof r};
  sweep.tolerance = CR_R(0.1);
  assert_int_equal(cr_jumps_find(&jumps, &sweep, &error), CR_OK);
  assert_int_equal(cr_jumps_get_result(jumps, &r, &error), CR_OK);
  assert_int_equal(r.count, 1);
  cr_jumps_destroy(jumps);
  sweep.resolution = CR_R(1e-4);
  assert_int_equal(cr_jumps_find(&jumps, &sweep, &error), CR_OK);
  assert_int_equal(cr_jumps_get_result(jumps, &r, &error), CR_OK);
  assert_int_equal(r.count, 2);
  cr_jumps_destroy(jumps);
}

static cr_status pole(void* context, cr_real at, cr_real* value, int* contacts, cr_error* error) {
  (void)context, (void)contacts, (void)error;
  value[0] = 1 / (at - CR_R(0.5));
  return CR_OK;
}

static cr_status failing(void* context, cr_real at, cr_real* value, int* contacts,
                         cr_error* error) {
  (void)context, (void)contacts;
  value[0] = 0;
  return at > CR_R(0.2) ? cri_fail(error, CR_ERR_DIVERGED, "no value") : CR_OK;
}

TEST(what_cannot_be_swept_says_why) {
  cr_error error = {0};
  cr_jumps* jumps;
  cr_jump_sweep sweep = sweep_of(pole, 1);
  assert_int_equal(cr_jumps_find(&jumps, &sweep, &error), CR_ERR_NONFINITE);
  assert_non_null(strstr(error.text, "value 0 is not finite at 0.5"));
  assert_null(jumps);
  sweep.function = failing;
  assert_int_equal(cr_jumps_find(&jumps, &sweep, &error), CR_ERR_DIVERGED);
  assert_string_equal(error.text, "no value");
  sweep.from = 1;
  assert_int_equal(cr_jumps_find(&jumps, &sweep, &error), CR_ERR_ARG);
  assert_non_null(strstr(error.text, "from is not below to"));
  const int bad[] = {0, 2};
  sweep = sweep_of(stairs, 2);
  sweep.unit = bad;
  assert_int_equal(cr_jumps_find(&jumps, &sweep, &error), CR_ERR_ARG);
  assert_non_null(strstr(error.text, "unit[1] is 2"));
}
