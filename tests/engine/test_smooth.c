// SPDX-License-Identifier: Apache-2.0
// The sum of forces, and forces applied to bodies that are zero now.
#include "engine/smooth.h"

#include "force/wrench.h"
#include "scenes/chain_model.h"
#include "scenes/mechanism.h"
#include "scenes/random_model.h"
#include "support/close.h"

enum { MAX_NV = 64 };

typedef struct {
  cr_model m;
  cr_data* d;
} fixture;

static fixture f;

static void begin(void) {
  assert_int_equal(random_model(&f.m, 2, NULL), CR_OK);
  f.d = test_data(&f.m);
  assert_true(f.m.nv <= MAX_NV);
  random_state(&f.m, f.d, 2, STATE_FLIGHT);
  mechanism_pose(&f.m, f.d);
  cr_random r = cr_random_seed(2, 42);
  for (int i = 0; i < f.m.nv; i++) {
    f.d->qfrc_passive[i] = cr_random_normal(&r);
    f.d->qfrc_bias[i] = cr_random_normal(&r);
    f.d->qfrc_actuator[i] = cr_random_normal(&r);
  }
}

static void end(void) { cri_model_free(&f.m); }

TEST(smooth_adds_everything_up) {
  begin();
  cr_real expected[MAX_NV];
  for (int i = 0; i < f.m.nv; i++) {
    expected[i] =
        f.d->qfrc_passive[i] - f.d->qfrc_bias[i] + f.d->qfrc_actuator[i] + f.d->qfrc_applied[i];
  }
  cri_wrench(&f.m, f.d, f.d->xfrc_applied, expected, f.d);
  assert_int_equal(cr_smooth(&f.m, f.d), CR_OK);
  assert_all_close(f.d->qfrc_smooth, expected, f.m.nv, ROUND_OFF);
  // the world takes no force
  f.d->xfrc_applied[2] = 7;
  cr_copy(expected, f.d->qfrc_smooth, f.m.nv);
  assert_int_equal(cr_smooth(&f.m, f.d), CR_OK);
  assert_all_close(f.d->qfrc_smooth, expected, f.m.nv, 0);
  end();
}

// the tangent of a body force at zero, against the force itself
TEST(smooth_is_linear_in_body_forces_at_zero) {
  begin();
  cr_data *tan, *bar;
  assert_int_equal(cri_data_twin(&tan, &f.m, f.d, CR_DATA_TANGENT, cri_no_params, NULL), CR_OK);
  assert_int_equal(cri_data_twin(&bar, &f.m, f.d, CR_DATA_COTANGENT, cri_no_params, NULL), CR_OK);
  cr_real expected[MAX_NV] = {0}, along = 0, back = 0;
  cri_wrench(&f.m, f.d, f.d->xfrc_applied, expected, f.d);
  cr_copy(tan->xfrc_applied, f.d->xfrc_applied, 6 * f.m.nbody);
  cr_zero(f.d->xfrc_applied, 6 * f.m.nbody);
  assert_int_equal(cr_smooth_jvp(&f.m, f.d, tan), CR_OK);
  assert_all_close(tan->qfrc_smooth, expected, f.m.nv, ROUND_OFF);
  cr_random r = cr_random_seed(2, 43);
  for (int i = 0; i < f.m.nv; i++) {
    bar->qfrc_smooth[i] = cr_random_normal(&r);
    along += bar->qfrc_smooth[i] * expected[i];
  }
  assert_int_equal(cr_smooth_vjp(&f.m, f.d, bar), CR_OK);
  for (int i = 0; i < 6 * f.m.nbody; i++) {
    back += bar->xfrc_applied[i] * tan->xfrc_applied[i];
  }
  assert_true(cr_abs(along) > CR_R(1e-3));
  assert_close(back, along, 100 * ROUND_OFF * cr_abs(along));
  cri_data_free(bar);
  cri_data_free(tan);
  end();
}
