// SPDX-License-Identifier: Apache-2.0
// Runge-Kutta: the polynomial it is on linear systems, its order on orientations, what it leaves
// behind.
#include "integrate/runge_kutta.h"

#include "engine/forward.h"
#include "integrate/inputs.h"
#include "integrate/step.h"
#include "math/quat.h"
#include "model/model_options.h"
#include "scenes/chain_model.h"
#include "scenes/random_model.h"
#include "support/close.h"

typedef struct {
  cr_model m;
  cr_data* d;
} fixture;

static fixture f;

static void begin(const int32_t* joints, int n, int integrator) {
  assert_int_equal(chain_model(&f.m, n, joints, 1, NULL), CR_OK);
  f.m.integrator = integrator;
  f.d = test_data(&f.m);
}

static void end(void) { cri_model_free(&f.m); }

// y' = A y, y = (q, v): four terms of the exponential series
TEST(oscillator_follows_the_exponential_series) {
  static const int32_t slide[] = {CR_JNT_SLIDE};
  begin(slide, 1, CR_INT_RK4);
  cr_real h = f.m.timestep = CR_R(0.1), k = 20, D = 3, mass = CR_R(1.5);
  f.m.jnt_stiffness[0] = k;
  f.m.dof_damping[0] = D;
  cr_zero(f.m.gravity, 3);
  cr_real term[2] = {CR_R(0.4), CR_R(-1.1)}, sum[2] = {term[0], term[1]};
  f.d->qpos[0] = term[0];
  f.d->qvel[0] = term[1];
  for (int i = 1; i <= 4; i++) {
    cr_real next[2] = {h / (cr_real)i * term[1],
                       h / (cr_real)i * (-k * term[0] - D * term[1]) / mass};
    cr_copy(term, next, 2);
    sum[0] += term[0];
    sum[1] += term[1];
  }
  assert_int_equal(cr_step(&f.m, f.d), CR_OK);
  assert_close(f.d->qpos_next[0], sum[0], 10 * ROUND_OFF);
  assert_close(f.d->qvel_next[0], sum[1], 10 * ROUND_OFF);
  end();
}

// the activation takes the mean rate, and the exact filter its own factor
TEST(activations_take_the_mean_rate) {
  static const int32_t slide[] = {CR_JNT_SLIDE};
  begin(slide, 1, CR_INT_RK4);
  cr_real h = f.m.timestep = CR_R(0.1), tau = CR_R(0.2), u = 3, w = CR_R(0.5);
  f.m.actuator_dyntype[0] = CR_DYN_FILTEREXACT;
  f.m.actuator_dynprm[0] = tau;
  f.m.actuator_actadr[0] = 0;
  f.m.actuator_actnum[0] = 1;
  f.d->ctrl[0] = u;
  f.d->act[0] = w;
  assert_int_equal(cr_step(&f.m, f.d), CR_OK);
  // stages at w + h a r_i, r = (u - w) / tau
  cr_real r1 = (u - w) / tau, r2 = (u - w - h / 2 * r1) / tau, r3 = (u - w - h / 2 * r2) / tau;
  cr_real r4 = (u - w - h * r3) / tau, mean = (r1 + 2 * r2 + 2 * r3 + r4) / 6;
  assert_close(f.d->act_next[0], w + mean * tau * (1 - cr_exp(-h / tau)), 10 * ROUND_OFF);
  end();
}

// orientation after the time T of a tumbling pair of bodies
static void tumble(int steps, cr_real q[4]) {
  cri_data_reset(&f.m, f.d);
  f.m.timestep = CR_R(0.4) / (cr_real)steps;
  for (int i = 0; i < f.m.nv; i++) {
    f.d->qvel[i] = 2 - CR_R(0.7) * (cr_real)i;
  }
  for (int i = 0; i < steps; i++) {
    assert_int_equal(cr_step(&f.m, f.d), CR_OK);
    cr_advance(&f.m, f.d);
  }
  cr_copy(q, f.d->qpos + 3, 4);
  cr_quat_normalize(q);
}

// two free steps of halving, from a length at which the error is far above round-off
TEST(orientations_converge_at_the_methods_order) {
  static const int32_t joints[] = {CR_JNT_FREE, CR_JNT_BALL};
  static const int methods[] = {CR_INT_RK4,      CR_INT_TSIT5,   CR_INT_DOPRI5,
                                CR_INT_DOPRI8,   CR_INT_BOSH3,   CR_INT_HEUN,
                                CR_INT_MIDPOINT, CR_INT_RALSTON, CR_INT_FORWARD_EULER};
  for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++) {
    const cri_tableau* t = cri_tableau_of(methods[i]);
    begin(joints, 2, CR_INT_DOPRI8);
    cr_real fine[4], q[4], e[3], error[3];
    tumble(256, fine);
    end();
    begin(joints, 2, methods[i]);
    int first = t->order >= 8 ? 2 : t->order >= 5 ? 16 : t->order >= 3 ? 16 : 64;
    for (int k = 0; k < 3; k++) {
      tumble(first << k, q);
      cr_quat_sub(e, q, fine);
      error[k] = cr_norm3(e);
    }
    assert_true(error[2] > CR_R(1e-14));
    for (int k = 0; k < 2; k++) {
      cr_real order = cr_log(error[k] / error[k + 1]) / cr_log(2);
      if (!(order > (cr_real)t->order - CR_R(0.75) && order < (cr_real)t->order + 1)) {
        fail_msg("%s: %.1e, %.1e: order %.2f", cri_integrator_word(methods[i]), (double)error[k],
                 (double)error[k + 1], (double)order);
      }
    }
    end();
  }
}

// a data block that was made for fewer stages says so
TEST(stages_need_their_room) {
  static const int32_t slide[] = {CR_JNT_SLIDE};
  begin(slide, 1, CR_INT_RK4);
  f.m.integrator = CR_INT_DOPRI8;
  assert_int_equal(cr_step(&f.m, f.d), CR_ERR_ARG);
  assert_non_null(strstr(f.d->error.text, "dopri8"));
  end();
}

// inputs as they were; qacc the mean, actuator_length that of the state, saves those of the stages
TEST(the_step_leaves_what_it_says) {
  static const int32_t joints[] = {CR_JNT_FREE, CR_JNT_HINGE};
  begin(joints, 2, CR_INT_RK4);
  f.m.actuator_trnid[0] = 1;
  cr_data* before = test_data(&f.m);
  random_state(&f.m, f.d, 5, STATE_FLIGHT);
  f.d->time = CR_R(0.7);
  cri_inputs_copy(&f.m, before, f.d);
  assert_int_equal(cr_forward(&f.m, before), CR_OK);
  assert_int_equal(cr_step(&f.m, f.d), CR_OK);
  int nv = f.m.nv;
  assert_all_close(f.d->qpos, before->qpos, f.m.nq, 0);
  assert_all_close(f.d->qvel, before->qvel, nv, 0);
  assert_all_close(f.d->act, before->act, f.m.na, 0);
  assert_all_close(f.d->qacc_warmstart, before->qacc_warmstart, nv, 0);
  assert_all_close(f.d->actuator_length, before->actuator_length, f.m.nout, 0);
  assert_all_close(f.d->rk_qacc, before->qacc, nv, 0);
  assert_close(f.d->time, CR_R(0.7), 0);
  assert_int_equal(f.d->scratch_used, 0);
  for (int i = 0; i < nv; i++) {
    const cr_real* F = f.d->rk_qacc + i;
    cr_real mean = (F[0] + 2 * F[nv] + 2 * F[2 * nv] + F[3 * nv]) / 6;
    assert_close(f.d->qacc[i], mean, 100 * ROUND_OFF * (1 + cr_abs(mean)));
    assert_close(f.d->qvel_next[i], f.d->qvel[i] + f.m.timestep * mean, 100 * ROUND_OFF);
  }
  // what MuJoCo keeps as warm start: the last stage
  cr_advance(&f.m, f.d);
  assert_all_close(f.d->qacc_warmstart, f.d->rk_qacc + 3 * nv, nv, 0);
  end();
}

TEST(a_stage_that_fails_leaves_the_inputs) {
  static const int32_t joints[] = {CR_JNT_FREE, CR_JNT_HINGE};
  begin(joints, 2, CR_INT_RK4);
  cr_data* before = test_data(&f.m);
  random_state(&f.m, f.d, 5, STATE_FLIGHT);
  f.d->qfrc_applied[6] = cr_sqrt(CR_MAX) * 1000;
  cri_inputs_copy(&f.m, before, f.d);
  assert_int_equal(cr_forward(&f.m, f.d), CR_OK);
  cri_rk rk = {.t = cri_tableau_of(CR_INT_RK4), .h = f.m.timestep};
  cri_runge_kutta_begin(&f.m, f.d);
  assert_int_equal(cr_runge_kutta(&rk, &f.m, f.d), CR_ERR_NONFINITE);
  assert_all_close(f.d->qpos, before->qpos, f.m.nq, 0);
  assert_all_close(f.d->qvel, before->qvel, f.m.nv, 0);
  assert_all_close(f.d->act, before->act, f.m.na, 0);
  assert_close(f.d->time, before->time, 0);
  assert_int_equal(f.d->scratch_used, 0);
  end();
}

// damping that an explicit step cannot follow: what fails at a later stage is that it has run away
TEST(a_stage_that_runs_away_is_said_to) {
  static const int32_t joints[] = {CR_JNT_HINGE, CR_JNT_SLIDE, CR_JNT_HINGE};
  begin(joints, 3, CR_INT_RK4);
  for (int i = 0; i < 3; i++) {
    f.d->qvel[i] = 1;
  }
  f.m.dof_damping[1] = CR_R(1e16);
  assert_int_equal(cr_forward(&f.m, f.d), CR_OK);
  cri_rk rk = {.t = cri_tableau_of(CR_INT_RK4), .h = f.m.timestep};
  cri_runge_kutta_begin(&f.m, f.d);
  cr_status status = cr_runge_kutta(&rk, &f.m, f.d);
  assert_int_equal(status, CR_ERR_DIVERGED);
  assert_non_null(strstr(f.d->error.text, "of a step of rk4"));
  end();
}
