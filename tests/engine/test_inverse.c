// SPDX-License-Identifier: Apache-2.0
// Inverse dynamics undoes forward dynamics; its stage goes through the generic check as if it were a
// row of the pipeline.
#include "engine/inverse.h"

#include <string.h>

#include "carom/step.h"
#include "checks/measured.h"
#include "checks/stage_bench.h"
#include "checks/stage_check.h"
#include "engine/pipeline.h"
#include "force/wrench.h"
#include "kinematics/configuration.h"
#include "scenes/chain_model.h"
#include "support/close.h"

enum { N_SEED = 16, MAX_NV = 64, MAX_STAGE = 40 };

// at the acceleration of cr_forward it is what was applied
TEST(undoes_forward_dynamics) {
  int rows = 0;
  for (int seed = 0; seed < N_SEED; seed++) {
    measured s;
    cr_real expected[MAX_NV], size = 1;
    measured_open(&s, seed, STATE_CONTACT);
    for (int i = 0; i < s.m.nv; i++) {
      expected[i] = s.d->qfrc_applied[i] + s.d->qfrc_actuator[i];
      size = cr_max(size, cr_abs(s.d->qfrc_constraint[i]) + cr_abs(s.d->qfrc_bias[i]));
    }
    cri_wrench(&s.m, s.d, s.d->xfrc_applied, expected, s.d);
    assert_int_equal(cr_inverse(&s.m, s.d), CR_OK);
    for (int i = 0; i < s.m.nv; i++) {
      assert_close(s.d->qfrc_inverse[i], expected[i], 10000 * ROUND_OFF * size);
    }
    rows += s.d->nefc;
    assert_false(s.d->measured);
    measured_close(&s);
  }
  assert_true(rows > 0);
}

// the stage as a row behind the dynamics, with an acceleration that a row before it gives
static cr_status give(const cr_model* m, cr_data* d) {
  for (int i = 0; i < m->nv; i++) {
    d->qacc[i] = 2 * d->qvel[i] - d->qfrc_applied[i];
  }
  return CR_OK;
}

static cr_status give_jvp(const cr_model* m, const cr_data* d, cr_data* tan) {
  (void)d;
  for (int i = 0; i < m->nv; i++) {
    tan->qacc[i] = 2 * tan->qvel[i] - tan->qfrc_applied[i];
  }
  return CR_OK;
}

static cr_status give_vjp(const cr_model* m, const cr_data* d, cr_data* bar) {
  (void)d;
  for (int i = 0; i < m->nv; i++) {
    bar->qvel[i] += 2 * bar->qacc[i];
    bar->qfrc_applied[i] -= bar->qacc[i];
  }
  return CR_OK;
}

static const cr_field_id give_reads[] = {CR_FIELD_qvel, CR_FIELD_qfrc_applied};
static const cr_field_id give_writes[] = {CR_FIELD_qacc};
static const cr_field_id reads[] = {CR_FIELD_qacc,
                                    CR_FIELD_M,
                                    CR_FIELD_qfrc_bias,
                                    CR_FIELD_qfrc_passive,
                                    CR_FIELD_efc_J,
                                    CR_FIELD_efc_aref,
                                    CR_FIELD_efc_D,
                                    CR_FIELD_efc_frictionloss,
                                    CR_FIELD_contact_mu,
                                    CR_FIELD_contact_friction,
                                    CR_FIELD_qvel,
                                    CR_FIELD_ten_J,
                                    CR_FIELD_dof_frictionloss,
                                    CR_FIELD_dof_solref,
                                    CR_FIELD_dof_solimp,
                                    CR_FIELD_tendon_frictionloss,
                                    CR_FIELD_tendon_solref_fri,
                                    CR_FIELD_tendon_solimp_fri,
                                    CR_FIELD_cdof,
                                    CR_FIELD_subtree_com,
                                    CR_FIELD_contact_dist,
                                    CR_FIELD_contact_pos,
                                    CR_FIELD_contact_frame,
                                    CR_FIELD_contact_includemargin,
                                    CR_FIELD_contact_solref,
                                    CR_FIELD_contact_solimp,
                                    CR_FIELD_contact_adhesion,
                                    CR_FIELD_qfrc_smooth,
                                    CR_FIELD_dof_invweight0};
static const cr_field_id writes[] = {CR_FIELD_qfrc_inverse, CR_FIELD_efc_force,
                                     CR_FIELD_qfrc_constraint};

TEST(passes_the_generic_check) {
  cr_stage rows[MAX_STAGE];
  stage_report reports[MAX_STAGE] = {{0}};
  int n = cr_ndynamics - 1;
  assert_true(n + 2 <= MAX_STAGE);
  memcpy(rows, cr_pipeline, (size_t)n * sizeof *rows);
  rows[n] = (cr_stage){"give", give, give_jvp, give_vjp, give_reads, give_writes,
                       2,      1,    NULL,     NULL,     NULL,       NULL};
  rows[n + 1] = (cr_stage){"inverse",
                           cri_inverse,
                           cri_inverse_jvp,
                           cri_inverse_vjp,
                           reads,
                           writes,
                           (int)(sizeof reads / sizeof reads[0]),
                           3,
                           NULL,
                           NULL,
                           NULL,
                           NULL};
  for (int seed = 0; seed < 12; seed++) {
    cr_model m;
    assert_int_equal(random_model(&m, (uint64_t)seed, NULL), CR_OK);
    cr_data* d = test_data(&m);
    d->want_M = true;
    for (int kind = 0; kind < N_STATE_KIND; kind++) {
      random_state(&m, d, (uint64_t)seed, (state_kind)kind);
      stage_check(reports, &m, d, rows, n + 2, n + 1, n + 1, (uint64_t)seed, "inverse");
    }
    cri_model_free(&m);
  }
  stage_check_finish(&reports[n + 1], &rows[n + 1]);
  print_message("inverse: jvp %.1e, vjp %.1e\n", (double)reports[n + 1].jvp_error,
                (double)reports[n + 1].vjp_error);
  stage_report_assert(&reports[n + 1], "inverse");
}

// the whole of it: <w, tan> from tangents of state and acceleration against the cotangents
TEST(product_identity_of_the_whole) {
  for (int seed = 0; seed < N_SEED; seed++) {
    measured s;
    cr_data* bar;
    cr_random r = cr_random_seed((uint64_t)seed, 9);
    cr_real left = 0, right = 0, size = 0;
    measured_open(&s, seed, STATE_CONTACT);
    assert_int_equal(cri_data_twin(&bar, &s.m, s.d, CR_DATA_COTANGENT, cri_no_params, NULL), CR_OK);
    assert_int_equal(cr_inverse(&s.m, s.d), CR_OK);
    for (int i = 0; i < s.m.nv; i++) {
      s.tan->qpos[i] = cr_random_normal(&r);
      s.tan->qvel[i] = cr_random_normal(&r);
      s.tan->qacc[i] = cr_random_normal(&r);
      bar->qfrc_inverse[i] = cr_random_normal(&r);
    }
    cr_data* w = bar;
    cr_real weight[MAX_NV];
    cr_copy(weight, w->qfrc_inverse, s.m.nv);
    assert_int_equal(cr_inverse_jvp(&s.m, s.d, s.tan), CR_OK);
    assert_int_equal(cr_inverse_vjp(&s.m, s.d, bar), CR_OK);
    for (int i = 0; i < s.m.nv; i++) {
      cr_real terms[] = {bar->qpos[i] * s.tan->qpos[i], bar->qvel[i] * s.tan->qvel[i],
                         bar->qacc[i] * s.tan->qacc[i]};
      left += weight[i] * s.tan->qfrc_inverse[i];
      right += terms[0] + terms[1] + terms[2];
      size += cr_abs(terms[0]) + cr_abs(terms[1]) + cr_abs(terms[2]);
      assert_true(bar->qfrc_inverse[i] == 0);
    }
    assert_close(left, right, 10000 * ROUND_OFF * size);
    cri_data_free(bar);
    measured_close(&s);
  }
}

TEST(bad_accelerations_are_refused) {
  measured s;
  measured_open(&s, 0, STATE_FLIGHT);
  s.d->qacc[1] = (cr_real)NAN;
  assert_int_equal(cr_inverse(&s.m, s.d), CR_ERR_NONFINITE);
  assert_string_equal(s.d->error.text, "qacc[1] is not finite");
  measured_close(&s);
}

// ---- accelerations of steps

static const int integrators[] = {CR_INT_EULER, CR_INT_IMPLICIT, CR_INT_IMPLICITFAST,
                                  CR_INT_DISCRETE};

typedef struct {
  cr_model m;
  cr_data *d, *moved, *tan, *bar;
  bool usable;
} stepped;

// a random model with an integrator and the flag, after a step of it: qacc is (v+ - v) / h
static void open_stepped(stepped* s, uint64_t seed, int integrator, state_kind kind) {
  *s = (stepped){0};
  assert_int_equal(random_model(&s->m, seed, NULL), CR_OK);
  s->m.integrator = integrator;
  s->m.enableflags |= CR_ENBL_INVDISCRETE;
  if (integrator == CR_INT_DISCRETE) {
    random_model_discrete(&s->m);
    if (seed % 2 == 1) {  // bodies that nothing touches
      random_model_loose(&s->m);
      s->m.disableflags |= CR_DSBL_CONTACT;
    }
  }
  s->d = test_data(&s->m);
  s->moved = test_data(&s->m);
  random_state(&s->m, s->d, seed, kind);
  cri_data_copy(&s->m, s->moved, s->d);
  s->usable = cr_forward(&s->m, s->d) == CR_OK && cr_step(&s->m, s->moved) == CR_OK;
  for (int i = 0; i < s->m.nv && s->usable; i++) {
    s->d->qacc[i] = (s->moved->qvel_next[i] - s->d->qvel[i]) / s->m.timestep;
  }
  assert_int_equal(cri_data_twin(&s->tan, &s->m, s->d, CR_DATA_TANGENT, cri_no_params, NULL),
                   CR_OK);
  assert_int_equal(cri_data_twin(&s->bar, &s->m, s->d, CR_DATA_COTANGENT, cri_no_params, NULL),
                   CR_OK);
}

static void close_stepped(stepped* s) {
  cri_data_free(s->tan);
  cri_data_free(s->bar);
  test_release();
  cri_model_free(&s->m);
}

// the force found is the one that was applied, whatever the integrator, free bodies alone included
TEST(undoes_steps) {
  int tried[4] = {0}, loose = 0;
  for (int k = 0; k < 4; k++) {
    for (uint64_t seed = 0; seed < N_SEED; seed++) {
      stepped s;
      cr_real expected[MAX_NV], size = 1;
      open_stepped(&s, seed, integrators[k], seed % 4 < 2 ? STATE_CONTACT : STATE_FLIGHT);
      for (int i = 0; i < s.m.nv && s.usable; i++) {
        expected[i] = s.d->qfrc_applied[i] + s.d->qfrc_actuator[i];
        size = cr_max(size, cr_abs(s.d->qfrc_constraint[i]) + cr_abs(s.d->qfrc_bias[i]));
      }
      if (s.usable) {
        cri_wrench(&s.m, s.d, s.d->xfrc_applied, expected, s.d);
        assert_int_equal(cr_inverse(&s.m, s.d), CR_OK);
        for (int i = 0; i < s.m.nv; i++) {
          assert_close(s.d->qfrc_inverse[i], expected[i], CR_R(1e7) * ROUND_OFF * size);
        }
        tried[k]++;
        for (int t = 0; t < s.m.ntree && k == 3; t++) {
          loose += s.d->efm_free[t] != 0;
        }
      }
      close_stepped(&s);
    }
    assert_true(tried[k] > N_SEED / 2);
  }
  assert_true(loose > 3);
}

// the jvp of the whole along state and acceleration, against differences and against the vjp
TEST(derivatives_of_steps) {
  int compared = 0;
  for (int k = 0; k < 4; k++) {
    for (uint64_t seed = 0; seed < N_SEED; seed++) {
      stepped s;
      cr_random r = cr_random_seed(seed, 9);
      cr_real weight[MAX_NV], f[2][MAX_NV], left = 0, right = 0, total = 0, size = 1;
      const cr_real h = CR_R(1e-6);
      bool same = true;
      open_stepped(&s, seed, integrators[k], seed % 4 < 2 ? STATE_CONTACT : STATE_FLIGHT);
      if (!s.usable || cr_inverse(&s.m, s.d) != CR_OK) {
        close_stepped(&s);
        continue;
      }
      for (int i = 0; i < s.m.nv; i++) {
        s.tan->qpos[i] = CR_R(0.1) * cr_random_normal(&r);
        s.tan->qvel[i] = cr_random_normal(&r);
        s.tan->qacc[i] = cr_random_normal(&r);
        weight[i] = s.bar->qfrc_inverse[i] = cr_random_normal(&r);
      }
      assert_int_equal(cr_inverse_jvp(&s.m, s.d, s.tan), CR_OK);
      assert_int_equal(cr_inverse_vjp(&s.m, s.d, s.bar), CR_OK);
      for (int i = 0; i < s.m.nv; i++) {
        cr_real terms[] = {s.bar->qpos[i] * s.tan->qpos[i], s.bar->qvel[i] * s.tan->qvel[i],
                           s.bar->qacc[i] * s.tan->qacc[i]};
        left += weight[i] * s.tan->qfrc_inverse[i];
        right += terms[0] + terms[1] + terms[2];
        total += cr_abs(terms[0]) + cr_abs(terms[1]) + cr_abs(terms[2]);
        size = cr_max(size, cr_abs(s.tan->qfrc_inverse[i]));
      }
      assert_close(left, right, CR_R(1e5) * ROUND_OFF * total);
      uint64_t at = stage_discrete_state(&s.m, s.d);
      for (int side = 0; side < 2; side++) {
        cr_real step = side == 0 ? -h : h;
        cri_data_copy(&s.m, s.moved, s.d);
        cri_configuration_move(&s.m, s.d->qpos, s.tan->qpos, step, s.moved->qpos);
        for (int i = 0; i < s.m.nv; i++) {
          s.moved->qvel[i] = s.d->qvel[i] + step * s.tan->qvel[i];
          s.moved->qacc[i] = s.d->qacc[i] + step * s.tan->qacc[i];
        }
        same =
            same && cr_inverse(&s.m, s.moved) == CR_OK && stage_discrete_state(&s.m, s.moved) == at;
        cr_copy(f[side], s.moved->qfrc_inverse, s.m.nv);
      }
      for (int i = 0; i < s.m.nv && same; i++) {
        cr_real slope = (f[1][i] - f[0][i]) / (2 * h);
        assert_close(s.tan->qfrc_inverse[i], slope, CR_R(1e-5) * size);
      }
      compared += same;
      close_stepped(&s);
    }
  }
  assert_true(compared > 2 * N_SEED);
}

// steps of several stages are not undone
TEST(stages_are_refused) {
  stepped s;
  open_stepped(&s, 0, CR_INT_EULER, STATE_FLIGHT);
  s.m.integrator = CR_INT_RK4;
  assert_int_equal(cr_inverse(&s.m, s.d), CR_ERR_UNSUPPORTED);
  assert_non_null(strstr(s.d->error.text, "invdiscrete"));
  s.m.enableflags &= ~CR_ENBL_INVDISCRETE;
  assert_int_equal(cr_inverse(&s.m, s.d), CR_OK);
  close_stepped(&s);
}
