// SPDX-License-Identifier: Apache-2.0
// Gain and bias: slopes are derivatives of values, and gradients are derivatives of both.
#include "dynamics/force_law.h"

#include "support/chain_model.h"
#include "support/close.h"

static const int32_t joints[] = {CR_JNT_HINGE};

enum { N = 3 };  // fixed gain without bias, affine, muscle

static cr_model m;
static cr_data *d, *tan_, *bar;

static void begin(void) {
  const cr_real affine[] = {CR_R(0.3), -2, CR_R(0.7)};
  const cr_real muscle[] = {CR_R(0.75), CR_R(1.05), 100,       200,      CR_R(0.5),
                            CR_R(1.6),  CR_R(1.5),  CR_R(1.3), CR_R(1.2)};
  assert_int_equal(chain_model(&m, 1, joints, N, NULL), CR_OK);
  d = test_data(&m);
  tan_ = test_twin(&m, d, CR_DATA_TANGENT);
  bar = test_twin(&m, d, CR_DATA_COTANGENT);
  for (int i = 0; i < N; i++) {
    m.actuator_gaintype[i] = m.actuator_biastype[i] = i;
    cr_copy(m.actuator_gainprm + 10 * i, i < 2 ? affine : muscle, i < 2 ? 3 : 9);
    cr_copy(m.actuator_biasprm + 10 * i, i < 2 ? affine : muscle, i < 2 ? 3 : 9);
    m.actuator_lengthrange[2 * i] = CR_R(0.4);
    m.actuator_lengthrange[2 * i + 1] = CR_R(1.3);
  }
}

static void end(void) { cri_model_free(&m); }

TEST(curves_in_closed_form) {
  begin();
  cr_real l = CR_R(0.9), v = CR_R(-0.4);
  assert_close(cri_curve_of(&m, 0, CR_GAIN, CR_AS_IT_IS, l, v), CR_R(0.3), 0);
  assert_close(cri_curve_of(&m, 0, CR_BIAS, CR_AS_IT_IS, l, v), 0, 0);
  assert_close(cri_curve_of(&m, 0, CR_GAIN, CR_OVER_LENGTH, l, v), 0, 0);
  assert_close(cri_curve_of(&m, 1, CR_GAIN, CR_AS_IT_IS, l, v), CR_R(-1.78), 8 * CR_EPS);
  assert_close(cri_curve_of(&m, 1, CR_BIAS, CR_OVER_LENGTH, l, v), -2, 0);
  assert_close(cri_curve_of(&m, 1, CR_BIAS, CR_OVER_VELOCITY, l, v), CR_R(0.7), 0);
  // the passive force of a muscle does not depend on velocity
  assert_close(cri_curve_of(&m, 2, CR_BIAS, CR_OVER_VELOCITY, l, v), 0, 0);
  // what controllers have instead
  m.actuator_gaintype[0] = CR_GAIN_PID;
  assert_close(cri_curve_of(&m, 0, CR_GAIN, CR_AS_IT_IS, l, v), 0, 0);
  end();
}

// value of a curve, moved along a direction in length, velocity and the first three parameters
static cr_real moved(int i, cri_curve which, cri_slope_over over, cr_real l, cr_real v, cr_real s) {
  cr_real* p = (which == CR_GAIN ? m.actuator_gainprm : m.actuator_biasprm) + 10 * i;
  const cr_real* t =
      (which == CR_GAIN ? tan_->par.actuator_gainprm : tan_->par.actuator_biasprm) + 10 * i;
  cr_real keep[3];
  cr_copy(keep, p, 3);
  for (int k = 0; k < 3; k++) {
    p[k] += s * t[k];
  }
  cr_real y = cri_curve_of(&m, i, which, over, l + CR_R(0.3) * s, v - CR_R(0.2) * s);
  cr_copy(p, keep, 3);
  return y;
}

TEST(curves_have_gradients) {
  begin();
  cr_real l = CR_R(0.93), v = CR_R(-0.37), h = CR_R(1e-4);
  for (int k = 0; k < 10 * N; k++) {
    tan_->par.actuator_gainprm[k] = k % 10 < 3 ? CR_R(0.1) * (cr_real)(1 + k % 10) : 0;
    tan_->par.actuator_biasprm[k] = k % 10 < 3 ? CR_R(0.2) : 0;
  }
  for (int k = 0; k < 2 * 3 * N; k++) {
    int i = k % N;
    cri_slope_over over = (cri_slope_over)(k / N % 3);
    cri_curve which = (cri_curve)(k / (3 * N));
    cr_real y_tan = cri_curve_tan(&m, tan_, i, which, over, l, v, CR_R(0.3), CR_R(-0.2));
    cr_real numeric = (moved(i, which, over, l, v, h) - moved(i, which, over, l, v, -h)) / (2 * h);
    assert_close(y_tan, numeric, CR_R(1e-5) * (1 + cr_abs(numeric)));
    // transpose
    cr_real l_bar = 0, v_bar = 0, sum = 0, scale = cr_abs(y_tan);
    cr_zero(bar->par.actuator_gainprm, 10 * N);
    cr_zero(bar->par.actuator_biasprm, 10 * N);
    cri_curve_bar(&m, bar, i, which, over, l, v, 2, &l_bar, &v_bar);
    for (int p = 0; p < 10 * N; p++) {
      sum += bar->par.actuator_gainprm[p] * tan_->par.actuator_gainprm[p] +
             bar->par.actuator_biasprm[p] * tan_->par.actuator_biasprm[p];
    }
    sum += CR_R(0.3) * l_bar - CR_R(0.2) * v_bar;
    assert_close(sum, 2 * y_tan, 100 * CR_EPS * (1 + scale + cr_abs(l_bar) + cr_abs(v_bar)));
  }
  end();
}
