// SPDX-License-Identifier: Apache-2.0
// Activations after a step: closed forms, limits, setpoints on a circle.
#include "dynamics/activation.h"

#include "support/chain_model.h"
#include "support/close.h"

static const int32_t joints[] = {CR_JNT_BALL, CR_JNT_HINGE};

enum { N = 3 };

typedef struct {
  cr_model m;
  cr_data *d, *tan, *bar;
  cr_real next[N];
} fixture;

static fixture f;

// integrator, filter and filterexact, all on the hinge
static void begin(void) {
  assert_int_equal(chain_model(&f.m, 2, joints, N, NULL), CR_OK);
  for (int i = 0; i < N; i++) {
    f.m.actuator_trnid[2 * i] = 1;
    f.m.actuator_actadr[i] = i;
    f.m.actuator_actnum[i] = 1;
    f.m.actuator_dyntype[i] = CR_DYN_INTEGRATOR + i;
    f.m.actuator_dynprm[10 * i] = CR_R(0.05);
  }
  f.m.timestep = CR_R(0.01);
  assert_int_equal(cri_data_create(&f.d, &f.m, NULL, NULL), CR_OK);
  assert_int_equal(cri_data_twin(&f.tan, &f.m, f.d, CR_DATA_TANGENT, NULL, NULL), CR_OK);
  assert_int_equal(cri_data_twin(&f.bar, &f.m, f.d, CR_DATA_COTANGENT, NULL, NULL), CR_OK);
  for (int i = 0; i < N; i++) {
    f.d->act[i] = CR_R(0.2);
    f.d->act_dot[i] = 3;
  }
}

static void end(void) {
  cri_data_free(f.bar);
  cri_data_free(f.tan);
  cri_data_free(f.d);
  cri_model_free(&f.m);
}

static void advance(void) {
  cri_activation_advance(&f.m, 0, f.d->act, f.d->act_dot, f.d->actuator_length, f.next);
}

static void activation_advances_by_its_rate(void** state) {
  begin();
  advance();
  assert_close(f.next[0], CR_R(0.23), ROUND_OFF);
  assert_close(f.next[1], CR_R(0.23), ROUND_OFF);
  end();
}

// w' = (u - w) / tau solved by many small steps
static void exact_filter_solves_its_equation(void** state) {
  begin();
  enum { STEPS = 200000 };
  cr_real tau = CR_R(0.05), u = CR_R(0.2) + 3 * tau, w = CR_R(0.2);
  cr_real h = f.m.timestep / STEPS;
  for (int i = 0; i < STEPS; i++) {
    cr_real middle = w + h / 2 * (u - w) / tau;
    w += h * (u - middle) / tau;
  }
  advance();
  assert_close(f.next[2], w, CR_R(1e-10));
  // and never overshoots, however short the time constant
  f.m.actuator_dynprm[20] = 0;
  f.d->act_dot[2] = CR_R(0.4) / CR_MINVAL;
  advance();
  assert_close(f.next[2], CR_R(0.6), 10 * ROUND_OFF);
  end();
}

static void activation_stays_in_its_range(void** state) {
  begin();
  for (int i = 0; i < N; i++) {
    f.m.actuator_actlimited[i] = 1;
    f.m.actuator_actrange[2 * i] = CR_R(-0.1);
    f.m.actuator_actrange[2 * i + 1] = CR_R(0.21);
  }
  f.d->act_dot[1] = -100;
  advance();
  assert_close(f.next[0], CR_R(0.21), 0);
  assert_close(f.next[1], CR_R(-0.1), 0);
  // the derivative is that of the end of the range
  f.bar->act_next[0] = 2;
  f.bar->act_next[1] = 3;
  cri_activation_advance_vjp(&f.m, 0, f.d->act, f.d->act_dot, f.d->actuator_length, f.bar->act_next,
                             f.bar->act, f.bar->act_dot, f.bar);
  assert_true(f.bar->act[0] == 0 && f.bar->act_dot[1] == 0);
  assert_close(f.bar->par.actuator_actrange[1], 2, 0);
  assert_close(f.bar->par.actuator_actrange[2], 3, 0);
  end();
}

static void disabled_groups_keep_their_activation(void** state) {
  begin();
  f.m.actuator_group[1] = 4;
  f.m.disableactuator = 1 << 4;
  advance();
  assert_close(f.next[0], CR_R(0.23), ROUND_OFF);
  assert_close(f.next[1], CR_R(0.2), 0);
  assert_true(cri_actuator_disabled(&f.m, 1) && !cri_actuator_disabled(&f.m, 0));
  f.bar->act_next[0] = f.bar->act_next[1] = 1;
  cri_activation_advance_vjp(&f.m, 0, f.d->act, f.d->act_dot, f.d->actuator_length, f.bar->act_next,
                             f.bar->act, f.bar->act_dot, f.bar);
  assert_close(f.bar->act_dot[0], f.m.timestep, 0);
  assert_close(f.bar->act_dot[1], 0, 0);
  // groups that have no bit cannot be switched off
  f.m.actuator_group[1] = 31;
  f.m.disableactuator = -1;
  assert_false(cri_actuator_disabled(&f.m, 1));
  f.m.actuator_group[1] = -1;
  assert_false(cri_actuator_disabled(&f.m, 1));
  f.m.disableactuator = 0;
  f.m.disableflags = CR_DSBL_ACTUATION;
  advance();
  assert_close(f.next[0], CR_R(0.2), 0);
  end();
}

static void make_servo(int i) {
  f.m.actuator_trnid[2 * i] = 0;
  f.m.actuator_biastype[i] = CR_BIAS_AFFINE;
  f.m.actuator_gainprm[10 * i] = 5;
  f.m.actuator_biasprm[10 * i + 1] = -5;
  f.m.actuator_gear[6 * i] = CR_R(0.6);
  f.m.actuator_gear[6 * i + 2] = CR_R(0.9);
}

static void servos_on_ball_joints_have_a_period(void** state) {
  begin();
  assert_close(cri_servo_period(&f.m, 0), 0, 0);
  make_servo(0);
  cr_real period = 2 * CR_PI * cr_sqrt(CR_R(0.36) + CR_R(0.81));
  assert_close(cri_servo_period(&f.m, 0), period, 10 * ROUND_OFF);
  f.m.actuator_biasprm[1] = CR_R(-5.1);
  assert_close(cri_servo_period(&f.m, 0), 0, 0);
  f.m.actuator_biasprm[1] = -5;
  f.m.actuator_gaintype[0] = CR_GAIN_AFFINE;
  assert_close(cri_servo_period(&f.m, 0), 0, 0);
  f.m.actuator_gaintype[0] = CR_GAIN_FIXED;
  f.m.actuator_trnid[0] = 1;
  assert_close(cri_servo_period(&f.m, 0), 0, 0);
  assert_close(cri_servo_turns(9, CR_R(1.9), period), 1, 0);
  assert_close(cri_servo_turns(-9, CR_R(1.9), period), -2, 0);
  assert_close(cri_servo_turns(9, 0, 0), 0, 0);
  end();
}

// what MuJoCo 4.0.0 gives for the same actuators
static void setpoints_come_back_near_the_length(void** state) {
  begin();
  f.m.timestep = CR_R(0.002);
  const cr_real act[] = {CR_R(11.3), CR_R(18.3), CR_R(25.3)};
  const cr_real rate[] = {10, CR_R(-5.0369596051661603), CR_R(2.9260807896676866)};
  const cr_real expected[] = {CR_R(4.5236959605166147), CR_R(4.6973180018228984),
                              CR_R(4.9168819097145473)};
  for (int i = 0; i < N; i++) {
    make_servo(i);
    f.m.actuator_dynprm[10 * i] = CR_R(0.1);
    f.d->act[i] = act[i];
    f.d->act_dot[i] = rate[i];
    f.d->actuator_length[i] = CR_R(2.072506335916219);
  }
  advance();
  assert_all_close(f.next, expected, N, CR_R(1e-14));
  end();
}

// tangent against differences, cotangent against tangent, with setpoints wound up
static void activation_derivatives_agree(void** state) {
  begin();
  cr_real plus[N], minus[N], h = CR_R(1e-4), out = 0, in = 0;
  for (int i = 0; i < N; i++) {
    make_servo(i);
    f.d->act[i] = 12 + 7 * (cr_real)i;
    f.tan->act[i] = CR_R(0.3) + (cr_real)i;
    f.tan->act_dot[i] = CR_R(1.3) - (cr_real)i;
    f.tan->par.actuator_dynprm[10 * i] = CR_R(0.02);
    f.tan->par.actuator_gear[6 * i + 2] = CR_R(-0.2);
    f.bar->act_next[i] = 1 + (cr_real)i;
  }
  cri_activation_advance_jvp(&f.m, 0, f.d->act, f.d->act_dot, f.d->actuator_length, f.tan,
                             f.tan->act, f.tan->act_dot, f.tan->act_next);
  for (int side = 1; side >= -1; side -= 2) {
    cr_real act[N], rate[N], s = h * (cr_real)side;
    for (int i = 0; i < N; i++) {
      act[i] = f.d->act[i] + s * f.tan->act[i];
      rate[i] = f.d->act_dot[i] + s * f.tan->act_dot[i];
      f.m.actuator_dynprm[10 * i] = CR_R(0.05) + s * CR_R(0.02);
      f.m.actuator_gear[6 * i + 2] = CR_R(0.9) - s * CR_R(0.2);
    }
    cri_activation_advance(&f.m, 0, act, rate, f.d->actuator_length, side > 0 ? plus : minus);
  }
  for (int i = 0; i < N; i++) {
    f.m.actuator_dynprm[10 * i] = CR_R(0.05);
    f.m.actuator_gear[6 * i + 2] = CR_R(0.9);
    assert_close(f.tan->act_next[i], (plus[i] - minus[i]) / (2 * h), CR_R(1e-7));
    out += f.bar->act_next[i] * f.tan->act_next[i];
  }
  cri_activation_advance_vjp(&f.m, 0, f.d->act, f.d->act_dot, f.d->actuator_length, f.bar->act_next,
                             f.bar->act, f.bar->act_dot, f.bar);
  for (int i = 0; i < N; i++) {
    in += f.bar->act[i] * f.tan->act[i] + f.bar->act_dot[i] * f.tan->act_dot[i] +
          f.bar->par.actuator_dynprm[10 * i] * f.tan->par.actuator_dynprm[10 * i] +
          f.bar->par.actuator_gear[6 * i + 2] * f.tan->par.actuator_gear[6 * i + 2];
  }
  assert_close(in, out, 100 * ROUND_OFF);
  end();
}

int test_activation(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(activation_advances_by_its_rate),
      cmocka_unit_test(exact_filter_solves_its_equation),
      cmocka_unit_test(activation_stays_in_its_range),
      cmocka_unit_test(disabled_groups_keep_their_activation),
      cmocka_unit_test(servos_on_ball_joints_have_a_period),
      cmocka_unit_test(setpoints_come_back_near_the_length),
      cmocka_unit_test(activation_derivatives_agree),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
