// SPDX-License-Identifier: Apache-2.0
// Actuator forces: numbers of MuJoCo 4.0.0, limits, switches, and derivatives where setpoints have
// been wound around a circle.
#include "actuator/actuation.h"

#include "base/random.h"
#include "engine/forward.h"
#include "scenes/chain_model.h"
#include "scenes/random_model.h"
#include "support/close.h"
#include "transmission/transmission.h"

static const int32_t joints[] = {CR_JNT_BALL, CR_JNT_HINGE};

enum { N = 6 };

typedef struct {
  cr_model m;
  cr_data *d, *tan, *bar;
} fixture;

static fixture f;

// six servos on the ball joint: without activation, integrator, filter, filterexact; the last two,
// filterexact and integrator, act early
static void begin(void) {
  static const int type[N] = {CR_DYN_NONE,        CR_DYN_INTEGRATOR,  CR_DYN_FILTER,
                              CR_DYN_FILTEREXACT, CR_DYN_FILTEREXACT, CR_DYN_INTEGRATOR};
  const cr_real q[] = {CR_R(0.5), CR_R(0.5), CR_R(-0.3), CR_R(0.6)};
  assert_int_equal(chain_model(&f.m, 2, joints, N, NULL), CR_OK);
  f.d = test_data(&f.m);
  f.tan = test_twin(&f.m, f.d, CR_DATA_TANGENT);
  f.bar = test_twin(&f.m, f.d, CR_DATA_COTANGENT);
  f.m.timestep = CR_R(0.002);
  for (int i = 0; i < N; i++) {
    f.m.actuator_dyntype[i] = type[i];
    f.m.actuator_actadr[i] = i - 1;
    f.m.actuator_actnum[i] = i > 0;
    f.m.actuator_actearly[i] = i >= 4;
    f.m.actuator_dynprm[10 * i] = CR_R(0.1);
    f.m.actuator_gainprm[10 * i] = 5;
    f.m.actuator_biastype[i] = CR_BIAS_AFFINE;
    f.m.actuator_biasprm[10 * i + 1] = -5;
    f.m.actuator_biasprm[10 * i + 2] = -1;
    f.m.actuator_gear[6 * i] = CR_R(0.6);
    f.m.actuator_gear[6 * i + 2] = i == 0 ? CR_R(0.8) : CR_R(0.9);
    f.d->ctrl[i] = 9 + (cr_real)i;
    f.d->act[i] = CR_R(11.3) + 7 * (cr_real)i;
  }
  cr_copy(f.d->qpos, q, 4);
  f.d->qvel[0] = 3;
  f.d->qvel[1] = -7;
  assert_int_equal(cr_transmission(&f.m, f.d), CR_OK);
}

static void end(void) { cri_model_free(&f.m); }

TEST(servos_match_mujoco) {
  const cr_real force[N] = {CR_R(2.1617226187767677), CR_R(10.35594812300198),
                            CR_R(11.374427925585049), CR_R(12.392907728168119),
                            CR_R(13.519197053739518), CR_R(14.569867333334248)};
  const cr_real rate[N - 1] = {10, CR_R(-5.0369596051661603), CR_R(2.9260807896676866),
                               CR_R(10.889121184501604), 14};
  begin();
  assert_int_equal(cr_actuation(&f.m, f.d), CR_OK);
  assert_all_close(f.d->actuator_force, force, N, CR_R(1e-14));
  assert_all_close(f.d->act_dot, rate, N - 1, CR_R(1e-13));
  for (int i = 0; i < N; i++) {
    assert_close(f.d->actuator_velocity[i], CR_R(1.8), 10 * ROUND_OFF);
  }
  // joint force: the sum of gear times force
  cr_real expected[4] = {0};
  for (int i = 0; i < N; i++) {
    expected[0] += CR_R(0.6) * force[i];
    expected[2] += (i == 0 ? CR_R(0.8) : CR_R(0.9)) * force[i];
  }
  assert_all_close(f.d->qfrc_actuator, expected, 4, CR_R(1e-14));
  end();
}

TEST(controls_are_clipped_in_a_copy) {
  begin();
  for (int i = 0; i < N; i++) {
    f.m.actuator_biastype[i] = CR_BIAS_NONE;
    f.m.actuator_ctrllimited[i] = 1;
    f.m.actuator_ctrlrange[2 * i] = -1;
    f.m.actuator_ctrlrange[2 * i + 1] = 2;
  }
  f.d->ctrl[0] = -4;
  assert_int_equal(cr_actuation(&f.m, f.d), CR_OK);
  assert_close(f.d->ctrl[0], -4, 0);
  assert_int_equal(f.d->ctrl_side[0], -1);
  assert_close(f.d->actuator_force[0], -5, 0);
  assert_close(f.d->act_dot[0], 2, 0);
  f.m.disableflags = CR_DSBL_CLAMPCTRL;
  assert_int_equal(cr_actuation(&f.m, f.d), CR_OK);
  assert_int_equal(f.d->ctrl_side[0], 0);
  assert_close(f.d->actuator_force[0], -20, 0);
  assert_close(f.d->act_dot[0], 10, 0);
  end();
}

TEST(gain_and_bias_are_affine) {
  begin();
  f.m.actuator_gaintype[0] = CR_GAIN_AFFINE;
  f.m.actuator_gainprm[1] = CR_R(0.7);
  f.m.actuator_gainprm[2] = CR_R(-0.2);
  f.m.actuator_biasprm[0] = CR_R(0.3);
  assert_int_equal(cr_actuation(&f.m, f.d), CR_OK);
  cr_real l = f.d->actuator_length[0], v = CR_R(1.8);
  cr_real gain = 5 + CR_R(0.7) * l - CR_R(0.2) * v;
  assert_close(f.d->actuator_force[0], gain * 9 + CR_R(0.3) - 5 * l - v, 1000 * ROUND_OFF);
  end();
}

TEST(forces_stay_in_their_range) {
  begin();
  f.m.actuator_forcelimited[1] = 1;
  f.m.actuator_forcerange[2] = -1;
  f.m.actuator_forcerange[3] = CR_R(1.5);
  assert_int_equal(cr_actuation(&f.m, f.d), CR_OK);
  assert_close(f.d->actuator_force[1], CR_R(1.5), 0);
  // a disabled actuator has no force, unless its range insists
  f.m.disableactuator = 1 << 2;
  f.m.actuator_group[0] = f.m.actuator_group[1] = 2;
  f.m.actuator_forcerange[2] = CR_R(0.5);
  assert_int_equal(cr_actuation(&f.m, f.d), CR_OK);
  assert_close(f.d->actuator_force[0], 0, 0);
  assert_close(f.d->actuator_force[1], CR_R(0.5), 0);
  assert_close(f.d->act_dot[0], 10, 0);
  end();
}

// gravity compensation adds to what actuators do, and the joint's limit holds for the sum
TEST(joint_limits_hold_for_the_sum) {
  begin();
  f.m.actuator_trnid[0] = 1;
  assert_int_equal(cr_transmission(&f.m, f.d), CR_OK);
  assert_int_equal(cr_actuation(&f.m, f.d), CR_OK);
  cr_real alone = f.d->qfrc_actuator[3];
  f.m.jnt_actgravcomp[1] = 1;
  f.d->qfrc_gravcomp[3] = 4;
  f.d->qfrc_gravcomp[0] = 4;
  assert_int_equal(cr_actuation(&f.m, f.d), CR_OK);
  assert_close(f.d->qfrc_actuator[3], alone + 4, 100 * ROUND_OFF);
  f.m.jnt_actfrclimited[1] = 1;
  f.m.jnt_actfrcrange[2] = -1;
  f.m.jnt_actfrcrange[3] = 3;
  assert_int_equal(cr_actuation(&f.m, f.d), CR_OK);
  assert_close(f.d->qfrc_actuator[3], 3, 0);
  end();
}

TEST(without_actuation_everything_is_zero) {
  begin();
  f.m.jnt_actgravcomp[1] = 1;
  f.d->qfrc_gravcomp[3] = 4;
  assert_int_equal(cr_actuation(&f.m, f.d), CR_OK);
  f.m.disableflags = CR_DSBL_ACTUATION;
  assert_int_equal(cr_actuation(&f.m, f.d), CR_OK);
  for (int i = 0; i < N; i++) {
    assert_true(f.d->actuator_force[i] == 0 && f.d->actuator_velocity[i] == 0);
    assert_true(f.d->act_dot[i] == 0 && (i >= f.m.nv || f.d->qfrc_actuator[i] == 0));
  }
  end();
}

// as in MuJoCo, where compensation by actuators needs an actuator
TEST(without_actuators_there_is_no_compensation) {
  assert_int_equal(chain_model(&f.m, 2, joints, 0, NULL), CR_OK);
  f.d = test_data(&f.m);
  f.m.jnt_actgravcomp[1] = 1;
  f.d->qfrc_gravcomp[3] = 4;
  assert_int_equal(cr_actuation(&f.m, f.d), CR_OK);
  assert_close(f.d->qfrc_actuator[3], 0, 0);
  cri_model_free(&f.m);
}

TEST(bad_controls_are_named) {
  begin();
  f.d->ctrl[2] = CR_R(2e10);
  assert_int_equal(cr_actuation(&f.m, f.d), CR_ERR_NONFINITE);
  assert_non_null(strstr(f.d->error.text, "ctrl[2]"));
  f.d->ctrl[2] = (cr_real)NAN;
  assert_int_equal(cr_actuation(&f.m, f.d), CR_ERR_NONFINITE);
  // a range takes care of what is only large
  f.d->ctrl[2] = (cr_real)INFINITY;
  f.m.actuator_ctrllimited[2] = 1;
  f.m.actuator_ctrlrange[5] = 1;
  assert_int_equal(cr_actuation(&f.m, f.d), CR_OK);
  end();
}

// inputs that move in the test below; gain and bias do not, they would unmake the servos
static cr_real* const* moving(cr_data* d, cr_model* par, int k, int* n) {
  static cr_real* x[6];
  cr_real* all[] = {d->qvel,           d->act, d->ctrl, d->actuator_length, par->actuator_dynprm,
                    par->actuator_gear};
  const int sizes[] = {f.m.nv, f.m.na, f.m.nu, f.m.nout, 10 * N, 6 * N};
  memcpy(x, all, sizeof x);
  *n = sizes[k];
  return &x[k];
}

static void add_to_inputs(cr_real h) {
  for (int k = 0; k < 6; k++) {
    int n;
    cr_real* x = *moving(f.d, &f.m, k, &n);
    const cr_real* x_tan = *moving(f.tan, &f.tan->par, k, &n);
    for (int i = 0; i < n; i++) {
      x[i] += h * x_tan[i];
    }
  }
}

enum { N_OUT = 3 * N + 4 };

static void outputs(const cr_data* d, cr_real* y) {
  cr_copy(y, d->actuator_force, N);
  cr_copy(y + N, d->act_dot, N);
  cr_copy(y + 2 * N, d->actuator_velocity, N);
  cr_copy(y + 3 * N, d->qfrc_actuator, 4);
}

// the moment is copied from the gear; here only the period of the setpoints sees the gear move
TEST(derivatives_hold_where_setpoints_are_wound) {
  begin();
  cr_random r = cr_random_seed(3, 45);
  cr_real plus[N_OUT], minus[N_OUT], y[N_OUT], y_bar[N_OUT], h = CR_R(1e-4), out = 0, in = 0;
  for (int k = 0; k < 6; k++) {
    int n, width = k == 4 ? 10 : 1;
    cr_real* x_tan = *moving(f.tan, &f.tan->par, k, &n);
    for (int i = 0; i < n; i += width) {
      x_tan[i] = (k == 4 ? CR_R(0.02) : 1) * cr_random_normal(&r);
    }
  }
  assert_int_equal(cr_actuation_jvp(&f.m, f.d, f.tan), CR_OK);
  outputs(f.tan, y);
  add_to_inputs(h);
  assert_int_equal(cr_actuation(&f.m, f.d), CR_OK);
  outputs(f.d, plus);
  add_to_inputs(-2 * h);
  assert_int_equal(cr_actuation(&f.m, f.d), CR_OK);
  outputs(f.d, minus);
  add_to_inputs(h);
  cr_real size = 0;
  for (int i = 0; i < N_OUT; i++) {
    y_bar[i] = cr_random_normal(&r);
    out += y_bar[i] * y[i];
    size += cr_abs(y_bar[i] * y[i]);
    assert_close(y[i], (plus[i] - minus[i]) / (2 * h), CR_R(1e-4));
  }
  cr_copy(f.bar->actuator_force, y_bar, N);
  cr_copy(f.bar->act_dot, y_bar + N, N);
  cr_copy(f.bar->actuator_velocity, y_bar + 2 * N, N);
  cr_copy(f.bar->qfrc_actuator, y_bar + 3 * N, 4);
  assert_int_equal(cr_actuation_vjp(&f.m, f.d, f.bar), CR_OK);
  for (int k = 0; k < 6; k++) {
    int n;
    const cr_real* x_bar = *moving(f.bar, &f.bar->par, k, &n);
    const cr_real* x_tan = *moving(f.tan, &f.tan->par, k, &n);
    for (int i = 0; i < n; i++) {
      in += x_bar[i] * x_tan[i];
    }
  }
  assert_true(cr_abs(f.bar->par.actuator_gear[8]) > 1);
  assert_close(in, out, 10 * ROUND_OFF * size);
  end();
}

// all that pull on a limited tendon are scaled alike, so that their total keeps to the range
TEST(tendon_limits_hold_the_total) {
  int held = 0;
  for (uint64_t seed = 0; seed < 40; seed++) {
    cr_model m;
    assert_int_equal(random_model(&m, seed, NULL), CR_OK);
    cr_data* d = test_data(&m);
    cr_data* loose = test_data(&m);
    random_state(&m, d, seed, STATE_CONTACT);
    for (int i = 0; i < m.nactuator; i++) {
      m.actuator_forcelimited[i] = 0;
    }
    assert_int_equal(cr_forward(&m, d), CR_OK);
    cri_data_copy(&m, loose, d);
    for (int t = 0; t < m.ntendon; t++) {
      m.tendon_actfrclimited[t] = 0;
    }
    assert_int_equal(cr_actuation(&m, loose), CR_OK);
    for (int t = 0; t < m.ntendon; t++) {
      m.tendon_actfrclimited[t] = 1;
    }
    assert_int_equal(cr_actuation(&m, d), CR_OK);
    for (int t = 0; t < m.ntendon; t++) {
      const cr_real* range = m.tendon_actfrcrange + 2 * t;
      cr_real total = 0;
      for (int i = 0; i < m.nactuator; i++) {
        bool on = m.actuator_trntype[i] == CR_TRN_TENDON && m.actuator_trnid[2 * i] == t;
        total += on ? loose->actuator_raw[m.actuator_outadr[i]] : 0;
      }
      cr_real scale = total == 0 ? 1 : cr_clip(total, range[0], range[1]) / total;
      for (int i = 0; i < m.nactuator; i++) {
        bool on = m.actuator_trntype[i] == CR_TRN_TENDON && m.actuator_trnid[2 * i] == t;
        // cogging and bristles come on top of what is limited
        int out = m.actuator_outadr[i];
        cr_real raw = loose->actuator_raw[out], top = loose->actuator_force[out] - raw;
        if (on) {
          assert_close(d->actuator_force[out], scale * raw + top,
                       100 * ROUND_OFF * (1 + cr_abs(raw) + cr_abs(top)));
          held += scale != 1;
        }
      }
    }
    cri_model_free(&m);
  }
  assert_true(held > 3);
}
