// SPDX-License-Identifier: Apache-2.0
// The limit of a torque as a whole, and its derivatives.
#include "dynamics/controlled.h"

#include "math/vec3.h"
#include "support/close.h"

// f(raw) = raw min(1, 2 / |raw|)
static void limited(const cr_real raw[3], cr_real f[3]) {
  cr_real norm = cr_norm3(raw);
  cr_scl3(f, raw, norm > 2 ? 2 / norm : 1);
}

static void torque_keeps_its_direction(void** state) {
  const cr_real raw[3] = {1, -2, 3}, direction[3] = {CR_R(0.3), 1, CR_R(0.2)}, h = CR_R(1e-4);
  cr_model m = {.nactuator = 1};
  cr_data tan = {.nmoment = 0};
  cri_controlled c = {.norm = cr_norm3(raw), .share = 2 / cr_norm3(raw)};
  cr_copy3(c.law.value + CR_LAW_FORCE, raw);
  cr_real f_tan[3], above[3], below[3], moved[3];
  cri_torque_tan(&m, &tan, 0, &c, direction, f_tan);
  cr_copy3(moved, raw);
  cr_accscl3(moved, direction, h);
  limited(moved, above);
  cr_accscl3(moved, direction, -2 * h);
  limited(moved, below);
  for (int k = 0; k < 3; k++) {
    assert_close(f_tan[k], (above[k] - below[k]) / (2 * h), CR_R(1e-8));
  }
  // transpose
  cr_real bar[3] = {CR_R(0.5), 2, -1}, range_bar[2] = {0}, left = cr_dot3(bar, f_tan);
  cri_torque_bar(&c, bar, range_bar);
  assert_close(cr_dot3(bar, direction), left, CR_R(1e-14));
  assert_close(range_bar[0], 0, 0);
  assert_close(range_bar[1], (CR_R(0.5) - 4 - 3) / cr_norm3(raw), CR_R(1e-14));
}

int test_controlled(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(torque_keeps_its_direction)};
  return cmocka_run_group_tests_name("controlled", tests, NULL, NULL);
}
