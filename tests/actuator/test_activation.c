// SPDX-License-Identifier: Apache-2.0
// Activations after a step: closed forms, limits, setpoints on a circle.
#include "actuator/activation.h"

#include "scenes/chain_model.h"
#include "support/close.h"

static const int32_t joints[] = {CR_JNT_BALL, CR_JNT_HINGE};

enum { N = 3 };

typedef struct {
  cr_model m;
  cr_data *d, *tan, *bar;
  cr_real next[N];
  int32_t side[N];
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
  f.d = test_data(&f.m);
  f.tan = test_twin(&f.m, f.d, CR_DATA_TANGENT);
  f.bar = test_twin(&f.m, f.d, CR_DATA_COTANGENT);
  for (int i = 0; i < N; i++) {
    f.d->act[i] = CR_R(0.2);
    f.d->act_dot[i] = 3;
  }
}

static void end(void) { cri_model_free(&f.m); }

static cri_activity activity_of(const cr_data* d) {
  return (cri_activity){d->act, d->act_dot, d->actuator_length, d->actuator_velocity};
}

static void advance(void) {
  cri_activity x = activity_of(f.d);
  cri_activation_advance(&f.m, 0, &x, f.next, f.side);
}

static void advance_back(void) {
  cri_activity x = activity_of(f.d), x_bar = activity_of(f.bar);
  cri_activation_advance_vjp(&f.m, 0, &x, f.bar->act_next, &x_bar, f.bar);
}

TEST(activation_advances_by_its_rate) {
  begin();
  advance();
  assert_close(f.next[0], CR_R(0.23), ROUND_OFF);
  assert_close(f.next[1], CR_R(0.23), ROUND_OFF);
  end();
}

// w' = (u - w) / tau solved by many small steps
TEST(exact_filter_solves_its_equation) {
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

TEST(activation_stays_in_its_range) {
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
  assert_true(f.side[0] == 1 && f.side[1] == -1);
  // the derivative is that of the end of the range
  f.bar->act_next[0] = 2;
  f.bar->act_next[1] = 3;
  advance_back();
  assert_true(f.bar->act[0] == 0 && f.bar->act_dot[1] == 0);
  assert_close(f.bar->par.actuator_actrange[1], 2, 0);
  assert_close(f.bar->par.actuator_actrange[2], 3, 0);
  end();
}

TEST(disabled_groups_keep_their_activation) {
  begin();
  f.m.actuator_group[1] = 4;
  f.m.disableactuator = 1 << 4;
  advance();
  assert_close(f.next[0], CR_R(0.23), ROUND_OFF);
  assert_close(f.next[1], CR_R(0.2), 0);
  assert_true(cri_actuator_disabled(&f.m, 1) && !cri_actuator_disabled(&f.m, 0));
  f.bar->act_next[0] = f.bar->act_next[1] = 1;
  advance_back();
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

// what MuJoCo 4.0.0 gives for the same actuators
TEST(setpoints_come_back_near_the_length) {
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
TEST(activation_derivatives_agree) {
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
  cri_activity at = activity_of(f.d), x_tan = activity_of(f.tan);
  cri_activation_advance_jvp(&f.m, 0, &at, f.tan, &x_tan, f.tan->act_next);
  for (int side = 1; side >= -1; side -= 2) {
    cr_real act[N], rate[N], s = h * (cr_real)side;
    for (int i = 0; i < N; i++) {
      act[i] = f.d->act[i] + s * f.tan->act[i];
      rate[i] = f.d->act_dot[i] + s * f.tan->act_dot[i];
      f.m.actuator_dynprm[10 * i] = CR_R(0.05) + s * CR_R(0.02);
      f.m.actuator_gear[6 * i + 2] = CR_R(0.9) - s * CR_R(0.2);
    }
    cri_activity x = {act, rate, f.d->actuator_length, f.d->actuator_velocity};
    cri_activation_advance(&f.m, 0, &x, side > 0 ? plus : minus, f.side);
  }
  for (int i = 0; i < N; i++) {
    f.m.actuator_dynprm[10 * i] = CR_R(0.05);
    f.m.actuator_gear[6 * i + 2] = CR_R(0.9);
    assert_close(f.tan->act_next[i], (plus[i] - minus[i]) / (2 * h), CR_R(1e-7));
    out += f.bar->act_next[i] * f.tan->act_next[i];
  }
  advance_back();
  for (int i = 0; i < N; i++) {
    in += f.bar->act[i] * f.tan->act[i] + f.bar->act_dot[i] * f.tan->act_dot[i] +
          f.bar->par.actuator_dynprm[10 * i] * f.tan->par.actuator_dynprm[10 * i] +
          f.bar->par.actuator_gear[6 * i + 2] * f.tan->par.actuator_gear[6 * i + 2];
  }
  assert_close(in, out, 100 * ROUND_OFF);
  end();
}

// bristles follow the velocity at the start, whatever their rate and their group
TEST(bristles_move_with_the_velocity) {
  begin();
  f.m.actuator_dyntype[0] = CR_DYN_DCMOTOR;
  f.m.actuator_gaintype[0] = CR_GAIN_DCMOTOR;
  cr_zero(f.m.actuator_dynprm, 10);
  f.m.actuator_dynprm[5] = 10;
  f.m.actuator_biasprm[3] = CR_R(0.2);
  f.m.actuator_biasprm[4] = CR_R(0.3);
  f.m.actuator_biasprm[5] = CR_R(0.4);
  f.m.actuator_group[0] = 4;
  f.m.disableactuator = 1 << 4;
  f.d->act[0] = CR_R(0.1);
  f.d->act_dot[0] = 1000;
  f.d->actuator_velocity[0] = CR_R(0.3);
  advance();
  assert_close(f.next[0], CR_R(0.091813036389295805), CR_R(1e-16));
  f.bar->act_next[0] = 1;
  advance_back();
  assert_true(f.bar->act_dot[0] == 0 && f.bar->actuator_velocity[0] != 0);
  assert_true(f.bar->par.actuator_dynprm[5] != 0 && f.bar->par.actuator_biasprm[3] != 0);
  // a step of an integrator with steps of its own takes the rate
  cri_activity x = activity_of(f.d);
  f.m.disableactuator = 0;
  cri_activation_advance(&f.m, CR_R(0.001), &x, f.next, f.side);
  assert_close(f.next[0], CR_R(1.1), 4 * CR_EPS);
  end();
}

// three states that are an orientation stay within half a turn; MuJoCo 4.0.0
TEST(orientations_are_anchored) {
  begin();
  for (int i = 1; i < N; i++) {
    f.m.actuator_actnum[i] = 0;
  }
  f.m.actuator_dyntype[0] = CR_DYN_INTEGRATOR;
  f.m.actuator_gaintype[0] = CR_GAIN_SO3;
  f.m.actuator_trntype[0] = CR_TRN_SO3;
  f.m.actuator_actnum[0] = 3;
  for (int k = 0; k < 3; k++) {
    f.d->act[k] = 3;
    f.d->act_dot[k] = CR_R(0.5);
  }
  advance();
  for (int k = 0; k < 3; k++) {
    assert_close(f.next[k], CR_R(-0.62259872846843578), CR_R(1e-15));
  }
  end();
}
