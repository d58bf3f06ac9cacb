// SPDX-License-Identifier: Apache-2.0
// One actuator: what it takes for input, and the derivatives of that alone.
#include "actuator/actuator.h"

#include "scenes/chain_model.h"
#include "support/close.h"
#include "transmission/transmission.h"

static const int32_t joints[] = {CR_JNT_HINGE};

static cr_model m;
static cr_data *d, *tan_, *bar;

// a filter whose force acts early
static void begin(void) {
  assert_int_equal(chain_model(&m, 1, joints, 1, NULL), CR_OK);
  m.timestep = CR_R(0.01);
  m.actuator_dyntype[0] = CR_DYN_FILTEREXACT;
  m.actuator_actadr[0] = 0;
  m.actuator_actnum[0] = 1;
  m.actuator_actearly[0] = 1;
  m.actuator_dynprm[0] = CR_R(0.05);
  m.actuator_gainprm[0] = 3;
  d = test_data(&m);
  tan_ = test_twin(&m, d, CR_DATA_TANGENT);
  bar = test_twin(&m, d, CR_DATA_COTANGENT);
  d->ctrl[0] = 2;
  d->act[0] = CR_R(0.5);
  d->qvel[0] = CR_R(0.3);
  assert_int_equal(cr_transmission(&m, d), CR_OK);
}

static void end(void) { cri_model_free(&m); }

TEST(early_force_in_closed_form) {
  begin();
  cri_actuator a;
  cri_output o;
  cri_actuator_of(&m, d, 0, &a, &o);
  cr_real x = 2 - CR_R(1.5) * cr_exp(CR_R(-0.2));
  assert_close(o.rate[0], 30, 40 * CR_EPS);
  assert_close(a.x, x, 8 * CR_EPS);
  assert_close(o.raw[0], 3 * x, 16 * CR_EPS);
  assert_close(o.v[0], CR_R(0.3) * m.actuator_gear[0], 0);
  assert_true(o.nout == 1 && o.nact == 1 && o.free == 0);
  // switched off it has no force, but its activation goes on
  m.actuator_group[0] = 2;
  m.disableactuator = 1 << 2;
  cri_actuator_of(&m, d, 0, &a, &o);
  assert_true(o.raw[0] == 0 && o.rate[0] != 0);
  end();
}

static cr_real input_at(cr_real ctrl, cr_real act, cr_real tau) {
  cri_actuator a;
  cri_output o;
  d->ctrl[0] = ctrl;
  d->act[0] = act;
  m.actuator_dynprm[0] = tau;
  cri_actuator_of(&m, d, 0, &a, &o);
  d->ctrl[0] = 2;
  d->act[0] = CR_R(0.5);
  m.actuator_dynprm[0] = CR_R(0.05);
  return a.x;
}

TEST(input_has_derivatives) {
  begin();
  cri_actuator a;
  cri_output o;
  cr_real h = CR_R(1e-5), v_bar = 0, v[3] = {CR_R(0.7), CR_R(-0.4), CR_R(0.03)};
  cri_actuator_of(&m, d, 0, &a, &o);
  tan_->ctrl[0] = v[0];
  tan_->act[0] = v[1];
  tan_->par.actuator_dynprm[0] = v[2];
  cr_real x_tan = cri_actuator_input_tan(&m, tan_, 0, &a, 0);
  cr_real plus = input_at(2 + h * v[0], CR_R(0.5) + h * v[1], CR_R(0.05) + h * v[2]);
  cr_real minus = input_at(2 - h * v[0], CR_R(0.5) - h * v[1], CR_R(0.05) - h * v[2]);
  assert_close(x_tan, (plus - minus) / (2 * h), CR_R(1e-8));
  cri_actuator_input_bar(&m, bar, 0, &a, 1, &v_bar);
  cr_real sum = bar->ctrl[0] * v[0] + bar->act[0] * v[1] + bar->par.actuator_dynprm[0] * v[2];
  assert_close(sum, x_tan, 64 * CR_EPS);
  end();
}
