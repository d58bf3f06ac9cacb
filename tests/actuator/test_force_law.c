// SPDX-License-Identifier: Apache-2.0
// Forces of actuators with one input: slopes are derivatives of values, and gradients are derivatives of both.
#include "actuator/force_law.h"

#include "scenes/chain_model.h"
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

TEST(laws_in_closed_form) {
  begin();
  cr_real l = CR_R(0.9), v = CR_R(-0.4), x = CR_R(0.6);
  assert_close(cri_gain_of(&m, 0, CR_AS_IT_IS, l, v), CR_R(0.3), 0);
  assert_close(cri_bias_of(&m, 0, CR_AS_IT_IS, l, v), 0, 0);
  assert_close(cri_gain_of(&m, 0, CR_OVER_LENGTH, l, v), 0, 0);
  assert_close(cri_gain_of(&m, 1, CR_AS_IT_IS, l, v), CR_R(-1.78), 8 * CR_EPS);
  assert_close(cri_bias_of(&m, 1, CR_OVER_LENGTH, l, v), -2, 0);
  assert_close(cri_bias_of(&m, 1, CR_OVER_VELOCITY, l, v), CR_R(0.7), 0);
  // the passive force of a muscle does not depend on velocity
  assert_close(cri_bias_of(&m, 2, CR_OVER_VELOCITY, l, v), 0, 0);
  // f = gain x + bias, and its slope over velocity
  assert_close(cri_force_of(&m, 0, CR_AS_IT_IS, l, v, x), CR_R(0.18), 8 * CR_EPS);
  assert_close(cri_force_of(&m, 1, CR_AS_IT_IS, l, v, x), CR_R(-1.78) * CR_R(1.6), 8 * CR_EPS);
  assert_close(cri_force_of(&m, 1, CR_OVER_VELOCITY, l, v, x), CR_R(0.7) * CR_R(1.6), 8 * CR_EPS);
  // what controllers have instead
  m.actuator_gaintype[0] = CR_GAIN_PID;
  assert_close(cri_gain_of(&m, 0, CR_AS_IT_IS, l, v), 0, 0);
  end();
}

TEST(slopes_of_zero_are_known) {
  begin();
  m.actuator_gainprm[12] = m.actuator_biasprm[11] = m.actuator_gainprm[2] = 0;
  assert_true(cri_gain_slope_is_zero(&m, 1, 2) && !cri_gain_slope_is_zero(&m, 1, 1));
  assert_true(cri_bias_qderiv_is_zero(&m, 1, 1) && !cri_bias_qderiv_is_zero(&m, 1, 2));
  assert_false(cri_gain_slope_is_zero(&m, 0, 2));
  end();
}

// the parameters that the test moves: three of gain and bias, and what muscles depend on beside them
enum { MOVED = 9 };

static void parameters(const cr_model* of, int i, cr_real* out[MOVED]) {
  for (int k = 0; k < 3; k++) {
    out[k] = of->actuator_gainprm + 10 * i + k;
    out[3 + k] = of->actuator_biasprm + 10 * i + k;
  }
  out[6] = of->actuator_lengthrange + 2 * i;
  out[7] = out[6] + 1;
  out[8] = of->actuator_acc0 + i;
}

// the force, or a slope of it, moved along a direction in length, velocity, input and parameters
static cr_real moved(int i, cri_slope_over over, const cr_real at[3], const cr_real way[3],
                     cr_real s) {
  cr_real *p[MOVED], *t[MOVED], keep[MOVED];
  parameters(&m, i, p);
  parameters(&tan_->par, i, t);
  for (int k = 0; k < MOVED; k++) {
    keep[k] = *p[k];
    *p[k] += s * *t[k];
  }
  cr_real y = cri_force_of(&m, i, over, at[0] + s * way[0], at[1] + s * way[1], at[2] + s * way[2]);
  for (int k = 0; k < MOVED; k++) {
    *p[k] = keep[k];
  }
  return y;
}

// of each actuator the force and both its slopes, by all that they depend on
TEST(forces_have_gradients) {
  begin();
  m.actuator_gainprm[22] = m.actuator_biasprm[22] =
      -1;  // the force of the muscle follows from acc0
  m.actuator_acc0[2] = CR_R(2.5);
  const cr_real at[3] = {CR_R(0.93), CR_R(-0.37), CR_R(0.6)}, h = CR_R(1e-4);
  const cr_real way[3] = {CR_R(0.3), CR_R(-0.2), CR_R(0.7)};
  for (int k = 0; k < 3 * N; k++) {
    int i = k % N;
    cri_slope_over over = (cri_slope_over)(k / N);
    cr_real *t[MOVED], *b[MOVED];
    parameters(&tan_->par, i, t);
    parameters(&bar->par, i, b);
    for (int c = 0; c < MOVED; c++) {
      // the sign of the muscle's force stays
      *t[c] = c % 3 == 2 && c < 6 && i == 2 ? 0 : CR_R(0.05) * (cr_real)(c + 1);
      *b[c] = 0;
    }
    cri_force_line f;
    cri_force_line_of(&m, i, over, at[0], at[1], at[2], &f);
    cr_real y = cri_force_of(&m, i, over, at[0], at[1], at[2]);
    assert_close(f.gain * f.x + f.bias, y, 8 * CR_EPS * (1 + cr_abs(y)));
    cr_real y_tan = cri_force_line_tan(&m, tan_, &f, way[0], way[1], way[2]);
    cr_real numeric = (moved(i, over, at, way, h) - moved(i, over, at, way, -h)) / (2 * h);
    assert_close(y_tan, numeric, CR_R(1e-5) * (1 + cr_abs(numeric)));
    // transpose
    cr_real l_bar = 0, v_bar = 0;
    cri_force_line_bar(&m, bar, &f, 2, &l_bar, &v_bar);
    cr_real sum = way[0] * l_bar + way[1] * v_bar + 2 * way[2] * f.gain, size = cr_abs(sum);
    for (int c = 0; c < MOVED; c++) {
      sum += *b[c] * *t[c];
      size += cr_abs(*b[c] * *t[c]) + cr_abs(l_bar) + cr_abs(v_bar);
    }
    assert_close(sum, 2 * y_tan, 100 * CR_EPS * (1 + size));
  }
  end();
}
