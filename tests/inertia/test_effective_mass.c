// SPDX-License-Identifier: Apache-2.0
// The integrator discrete on one slide, where the step has a closed form, and what bounds its weights.
#include "inertia/effective_mass.h"

#include "engine/forward.h"
#include "integrate/step.h"
#include "scenes/chain_model.h"
#include "scenes/random_model.h"
#include "support/close.h"

static cr_model m;
static cr_data* d;

static void begin(int integrator) {
  static const int32_t slide[] = {CR_JNT_SLIDE};
  assert_int_equal(chain_model(&m, 1, slide, 1, NULL), CR_OK);
  m.integrator = integrator;
  m.timestep = CR_R(0.1);
  m.jnt_stiffness[0] = 3000;
  m.dof_damping[0] = 4;
  m.actuator_biastype[0] = CR_BIAS_AFFINE;
  m.actuator_biasprm[1] = -50;
  m.actuator_biasprm[2] = -2;
  d = test_data(&m);
  d->qpos[0] = CR_R(0.3);
  d->qvel[0] = CR_R(-0.7);
}

static void end(void) { cri_model_free(&m); }

// backward Euler: (mass + h b + h^2 k) (v+ - v) = h (f(q, v) - h k v)
TEST(a_stiff_slide_has_a_closed_form) {
  begin(CR_INT_DISCRETE);
  cr_real gear = m.actuator_gear[0], k = 3000 + 50 * gear * gear, b = 4 + 2 * gear * gear;
  assert_int_equal(cr_step(&m, d), CR_OK);
  cr_real h = m.timestep, mass = d->M[0], v = d->qvel[0];
  assert_close(d->efm_dof[0], h * h * 3000 + h * 4, 16 * CR_EPS * 40);
  assert_close(d->efm_actuator[0], h * h * 50 + h * 2, 16 * CR_EPS);
  assert_close(d->qfrc_shift[0], -h * k * v, 64 * CR_EPS * k);
  cr_real a = (d->qfrc_smooth[0] - h * k * v) / (mass + h * b + h * h * k);
  assert_close(d->qacc[0], a, 64 * CR_EPS * cr_abs(a));
  assert_close(d->qvel_next[0], v + h * a, 64 * CR_EPS);
  end();
}

// a hundred steps of a spring that is stiff for the step: it comes to rest, explicitly it explodes
TEST(stiffness_is_stable) {
  static const int integrators[] = {CR_INT_DISCRETE, CR_INT_IMPLICITFAST};
  for (int i = 0; i < 2; i++) {
    begin(integrators[i]);
    m.disableflags |= CR_DSBL_GRAVITY;
    cr_real most = 0;
    for (int k = 0; k < 60 && most < 1000; k++) {
      assert_int_equal(cr_step(&m, d), CR_OK);
      cr_advance(&m, d);
      most = cr_abs(d->qpos[0]);
    }
    assert_true(i == 0 ? most < CR_R(1e-6) : most > 1000);
    end();
  }
}

TEST(what_does_not_stabilise_counts_as_zero) {
  begin(CR_INT_DISCRETE);
  m.jnt_stiffness[0] = -10;
  m.dof_damping[0] = -1;
  m.actuator_biasprm[1] = 5;
  m.actuator_biasprm[2] = 5;
  assert_int_equal(cr_forward(&m, d), CR_OK);
  assert_true(d->efm_dof[0] == 0 && d->efm_actuator[0] == 0 && d->qfrc_shift[0] == 0);
  // a force at an end of its range has no slopes
  m.actuator_biasprm[1] = m.actuator_biasprm[2] = -5;
  m.actuator_forcelimited[0] = 1;
  m.actuator_forcerange[0] = -CR_R(1e-3);
  m.actuator_forcerange[1] = CR_R(1e-3);
  assert_int_equal(cr_forward(&m, d), CR_OK);
  assert_true(d->efm_actuator[0] == 0);
  end();
}

// laws of zero: a damper of next to nothing has the derivatives that none has, and so a spring and a servo
TEST(laws_of_zero_have_the_derivative_beside_them) {
  cr_real at[5][2];
  for (int beside = 0; beside < 2; beside++) {
    begin(CR_INT_DISCRETE);
    cr_real little = beside == 1 ? CR_R(1e-9) : 0;
    m.jnt_stiffness[0] = m.dof_damping[0] = little;
    m.actuator_biasprm[1] = m.actuator_biasprm[2] = -little;
    cr_data* bar = test_twin(&m, d, CR_DATA_COTANGENT);
    d->qfrc_applied[0] = 2;
    assert_int_equal(cr_step(&m, d), CR_OK);
    bar->qvel_next[0] = 1;
    assert_int_equal(cr_step_vjp(&m, &m, d, NULL, bar), CR_OK);
    at[0][beside] = bar->par.jnt_stiffness[0];
    at[1][beside] = bar->par.dof_damping[0];
    at[2][beside] = bar->par.actuator_biasprm[1];
    at[3][beside] = bar->par.actuator_biasprm[2];
    at[4][beside] = bar->qvel[0];
    end();
  }
  for (int i = 0; i < 5; i++) {
    assert_true(at[i][0] != 0);
    assert_close(at[i][0], at[i][1], CR_R(1e-6) * cr_abs(at[i][1]));
  }
}

// a tendon spring at its rest length, between two that move: the step leaps there, and its derivative is
// that beside it
TEST(a_tendon_at_rest_has_the_derivative_beside_it) {
  cr_real by_q[3], by_v[3], weight[3];
  int tried = 0;
  for (uint64_t seed = 0; seed < 24; seed++) {
    cr_data* bar;
    assert_int_equal(random_model(&m, seed, NULL), CR_OK);
    random_model_calm(&m);
    random_model_discrete(&m);
    int t = 0;
    while (t < m.ntendon && m.ten_J_rownnz[t] == 0) {
      t++;
    }
    if (t == m.ntendon) {
      cri_model_free(&m);
      continue;
    }
    tried++;
    m.disableflags &= ~CR_DSBL_SPRING;
    d = test_data(&m);
    cr_data* work = test_data(&m);
    random_state(&m, d, seed, STATE_FLIGHT);
    assert_int_equal(cr_forward(&m, d), CR_OK);
    m.tendon_stiffness[t] = 50;
    cr_zero(m.tendon_stiffnesspoly + 2 * t, 2);
    cr_real rest = d->ten_length[t];
    for (int k = 0; k < 3; k++) {
      m.tendon_lengthspring[2 * t] = m.tendon_lengthspring[2 * t + 1] =
          rest + CR_R(1e-9) * (cr_real)(k - 1);
      assert_int_equal(cri_data_twin(&bar, &m, d, CR_DATA_COTANGENT, cri_no_params, NULL), CR_OK);
      assert_int_equal(cr_step(&m, d), CR_OK);
      assert_int_equal(cri_effective_mass_rests(&m, d), k == 1);
      weight[k] = d->efm_tendon[t];
      for (int i = 0; i < m.nv; i++) {
        bar->qvel_next[i] = 1;
      }
      assert_int_equal(cr_step_vjp(&m, &m, d, work, bar), CR_OK);
      assert_false(work->beside_rest);
      int j = m.ten_J_colind[m.ten_J_rowadr[t]];
      by_q[k] = bar->qpos[j];
      by_v[k] = bar->qvel[j];
      cri_data_free(bar);
    }
    assert_true(weight[1] < weight[0] && weight[1] < weight[2]);
    assert_close(by_q[1], (by_q[0] + by_q[2]) / 2, CR_R(1e-5) * (1 + cr_abs(by_q[0])));
    assert_close(by_v[1], (by_v[0] + by_v[2]) / 2, CR_R(1e-5) * (1 + cr_abs(by_v[0])));
    end();
  }
  assert_true(tried > 5);
}

TEST(other_integrators_have_no_effective_mass) {
  begin(CR_INT_EULER);
  assert_int_equal(cr_forward(&m, d), CR_OK);
  assert_true(d->efm_dof[0] == 0 && d->efm_actuator[0] == 0 && d->qfrc_shift[0] == 0);
  assert_false(cri_effective_mass_switch(&m, CR_FIELD_dof_damping, 0));
  m.dof_damping[0] = 0;
  assert_false(cri_effective_mass_switch(&m, CR_FIELD_dof_damping, 0));
  // data that were not made for it
  m.integrator = CR_INT_DISCRETE;
  assert_true(cri_effective_mass_switch(&m, CR_FIELD_dof_damping, 0));
  assert_int_equal(cr_forward(&m, d), CR_ERR_CAPACITY);
  end();
}
