// SPDX-License-Identifier: Apache-2.0
// The Euler step against closed forms and dense linear algebra.
#include "integrate/euler.h"

#include "engine/forward.h"
#include "force/reflected.h"
#include "kinematics/configuration.h"
#include "scenes/chain_model.h"
#include "scenes/mechanism.h"
#include "scenes/random_model.h"
#include "support/close.h"

enum { N_SEED = 8, MAX_NV = 64, MAX_NQ = 80 };

typedef struct {
  cr_model m;
  cr_data* d;
} fixture;

static fixture f;

static void begin(uint64_t seed) {
  assert_int_equal(random_model(&f.m, seed, NULL), CR_OK);
  f.d = test_data(&f.m);
  assert_true(f.m.nv <= MAX_NV && f.m.nq <= MAX_NQ);
  random_state(&f.m, f.d, seed, STATE_CONTACT);
  f.m.disableflags &= ~(CR_DSBL_EULERDAMP | CR_DSBL_DAMPER);
  f.m.dof_damping[0] = 2;
  assert_int_equal(cr_forward(&f.m, f.d), CR_OK);
}

static void end(void) { cri_model_free(&f.m); }

// one slide with spring, damper, armature and gravity: (m + h D) a2 = m a
TEST(a_damped_slide_has_a_closed_form) {
  static const int32_t slide[] = {CR_JNT_SLIDE};
  assert_int_equal(chain_model(&f.m, 1, slide, 0, NULL), CR_OK);
  f.m.jnt_stiffness[0] = 30;
  f.m.dof_damping[0] = 4;
  f.m.dof_armature[0] = CR_R(0.5);
  f.m.timestep = CR_R(0.02);
  f.d = test_data(&f.m);
  f.d->qpos[0] = CR_R(0.3);
  f.d->qvel[0] = CR_R(-0.7);
  assert_int_equal(cr_forward(&f.m, f.d), CR_OK);
  assert_int_equal(cr_euler(&f.m, f.d), CR_OK);
  cr_real h = f.m.timestep, mass = CR_R(1.5);
  cr_real force = -30 * CR_R(0.3) + 4 * CR_R(0.7) + mass * f.m.gravity[2] * CR_R(0.8);
  cr_real v = CR_R(-0.7) + h * force / (mass + CR_R(0.5) + 4 * h);
  assert_close(f.d->qvel_next[0], v, 10 * ROUND_OFF);
  assert_close(f.d->qpos_next[0], CR_R(0.3) + h * v, 10 * ROUND_OFF);
  assert_close(f.d->qacc[0], force / (mass + CR_R(0.5)), 100 * ROUND_OFF);
  end();
}

TEST(implicit_damping_solves_its_equation) {
  static cr_real A[MAX_NV * MAX_NV];
  for (uint64_t seed = 0; seed < N_SEED; seed++) {
    begin(seed);
    cr_real expected[MAX_NV], diag[MAX_NV], q[MAX_NQ], law[3 * MAX_NV];
    int n = f.m.nv;
    assert_int_equal(cr_euler(&f.m, f.d), CR_OK);
    cri_reflected_armature(&f.m, diag);
    mechanism_inertia(&f.m, f.d, diag, A);
    mechanism_tendons(&f.m, f.d, A);
    mechanism_mul(n, A, f.d->qacc, expected);
    cri_reflected_damping(&f.m, law);
    for (int i = 0; i < n; i++) {
      cr_real v = cr_abs(f.d->qvel[i]);
      diag[i] += f.m.timestep * (law[3 * i] + 2 * law[3 * i + 1] * v + 3 * law[3 * i + 2] * v * v);
    }
    mechanism_inertia(&f.m, f.d, diag, A);
    mechanism_tendons(&f.m, f.d, A);
    mechanism_solve(n, A, expected);
    assert_all_close(f.d->euler_qacc, expected, n, CR_R(1e-9));
    // velocities first, then coordinates along the new velocity
    for (int i = 0; i < n; i++) {
      expected[i] = f.d->qvel[i] + f.m.timestep * expected[i];
    }
    assert_all_close(f.d->qvel_next, expected, n, CR_R(1e-9));
    cri_configuration_move(&f.m, f.d->qpos, f.d->qvel_next, f.m.timestep, q);
    assert_all_close(f.d->qpos_next, q, f.m.nq, 0);
    assert_int_equal(f.d->scratch_used, 0);
    end();
  }
}

static void no_damping(void) {
  cr_zero(f.m.dof_damping, f.m.nv);
  cr_zero(f.m.dof_dampingpoly, 2 * f.m.nv);
  cr_zero(f.m.actuator_damping, f.m.nactuator);
  cr_zero(f.m.actuator_dampingpoly, 2 * f.m.nactuator);
}

TEST(the_step_is_explicit_without_damping) {
  begin(1);
  static const int flags[] = {CR_DSBL_EULERDAMP, CR_DSBL_DAMPER};
  for (int k = 0; k < 2; k++) {
    f.m.disableflags = flags[k];
    assert_int_equal(cr_euler(&f.m, f.d), CR_OK);
    assert_all_close(f.d->euler_qacc, f.d->qacc, f.m.nv, 0);
  }
  f.m.disableflags = 0;
  no_damping();
  assert_int_equal(cr_euler(&f.m, f.d), CR_OK);
  assert_all_close(f.d->euler_qacc, f.d->qacc, f.m.nv, 0);
  // as in MuJoCo, damping that drives alone is not integrated implicitly
  f.m.dof_damping[0] = -1;
  assert_int_equal(cr_euler(&f.m, f.d), CR_OK);
  assert_all_close(f.d->euler_qacc, f.d->qacc, f.m.nv, 0);
  end();
}

TEST(the_state_does_not_change) {
  begin(2);
  cr_real q[MAX_NQ], v[MAX_NV], a[MAX_NV];
  cr_copy(q, f.d->qpos, f.m.nq);
  cr_copy(v, f.d->qvel, f.m.nv);
  cr_copy(a, f.d->qacc, f.m.nv);
  assert_int_equal(cr_euler(&f.m, f.d), CR_OK);
  assert_all_close(f.d->qpos, q, f.m.nq, 0);
  assert_all_close(f.d->qvel, v, f.m.nv, 0);
  assert_all_close(f.d->qacc, a, f.m.nv, 0);
  end();
}

// sum of weights times the next velocity, at a damping D of dof i
static cr_real weighed_velocity(int i, cr_real D, const cr_real* weight) {
  cr_real sum = 0;
  f.m.dof_damping[i] = D;
  assert_int_equal(cr_euler(&f.m, f.d), CR_OK);
  for (int k = 0; k < f.m.nv; k++) {
    sum += weight[k] * f.d->qvel_next[k];
  }
  f.m.dof_damping[i] = 0;
  return sum;
}

TEST(damping_has_its_derivative_at_zero) {
  begin(3);
  cr_real weight[MAX_NV], h = CR_R(1e-4);
  no_damping();
  assert_int_equal(cr_euler(&f.m, f.d), CR_OK);
  cr_data* bar = test_twin(&f.m, f.d, CR_DATA_COTANGENT);
  for (int i = 0; i < f.m.nv; i++) {
    weight[i] = bar->qvel_next[i] = 1 + CR_R(0.1) * (cr_real)i;
  }
  assert_int_equal(cr_euler_vjp(&f.m, f.d, bar), CR_OK);
  for (int i = 0; i < f.m.nv; i++) {
    cr_real at[] = {weighed_velocity(i, 0, weight), weighed_velocity(i, h, weight),
                    weighed_velocity(i, 2 * h, weight)};
    cr_real expected = (4 * at[1] - 3 * at[0] - at[2]) / (2 * h);
    assert_close(bar->par.dof_damping[i], expected, CR_R(1e-5) * (1 + cr_abs(expected)));
  }
  end();
}

// (M + hD) a2 = tau: damping of any strength leaves a2 all of its digits, and its vjp is its jvp's transpose
TEST(strong_damping_leaves_all_digits) {
  static const int32_t slides[] = {CR_JNT_SLIDE};
  for (int power = 0; power <= 15; power += 3) {
    assert_int_equal(chain_model(&f.m, 1, slides, 0, NULL), CR_OK);
    cr_real damping = 1, h = f.m.timestep = CR_R(0.02);
    for (int i = 0; i < power; i++) {
      damping *= 10;
    }
    f.m.dof_damping[0] = damping;
    f.m.dof_armature[0] = CR_R(0.5);
    f.d = test_data(&f.m);
    f.d->qvel[0] = CR_R(-0.7);
    assert_int_equal(cr_forward(&f.m, f.d), CR_OK);
    assert_int_equal(cr_euler(&f.m, f.d), CR_OK);
    cr_real a2 = f.d->qfrc_smooth[0] / (2 + h * damping);
    assert_close(f.d->euler_qacc[0], a2, ROUND_OFF * cr_abs(a2));
    cr_data* tan = test_twin(&f.m, f.d, CR_DATA_TANGENT);
    cr_data* bar = test_twin(&f.m, f.d, CR_DATA_COTANGENT);
    // d v+ / d v = M / (M + hD)
    tan->qvel[0] = bar->qvel_next[0] = 1;
    assert_int_equal(cr_forward_jvp(&f.m, f.d, tan), CR_OK);
    assert_int_equal(cr_euler_jvp(&f.m, f.d, tan), CR_OK);
    assert_int_equal(cr_euler_vjp(&f.m, f.d, bar), CR_OK);
    assert_int_equal(cr_forward_vjp(&f.m, f.d, bar), CR_OK);
    cr_real expected = 2 / (2 + h * damping);
    assert_close(tan->qvel_next[0], expected, 10 * ROUND_OFF);
    assert_close(bar->qvel[0], expected, 10 * ROUND_OFF);
    end();
  }
}
