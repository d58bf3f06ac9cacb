// SPDX-License-Identifier: Apache-2.0
// The step: its outputs and refusals, and models that replace it in the backward pass.
// test_step_derivatives.c has its derivatives on random models.
#include "integrate/step.h"

#include "scenes/chain_model.h"
#include "scenes/random_model.h"
#include "support/close.h"

typedef struct {
  cr_model m;
  cr_data *d, *work;
} fixture;

static fixture f;

static void begin(uint64_t seed, state_kind kind, int integrator) {
  assert_int_equal(random_model(&f.m, seed, NULL), CR_OK);
  f.m.integrator = integrator;
  f.m.timestep = CR_R(0.001);
  f.d = test_data(&f.m);
  f.work = test_data(&f.m);
  random_state(&f.m, f.d, seed, kind);
}

static void end(void) { cri_model_free(&f.m); }

// ---- another model in the backward pass

static void seed_next(cr_data* bar) {
  for (int i = 0; i < f.m.nv; i++) {
    bar->qpos_next[i] = 1 + CR_R(0.1) * (cr_real)i;
    bar->qvel_next[i] = 2 - CR_R(0.1) * (cr_real)i;
  }
  for (int i = 0; i < f.m.na; i++) {
    bar->act_next[i] = 1;
  }
}

// a model that is the same in another place gives the same numbers; without work with Euler
TEST(an_equal_backward_model_changes_nothing) {
  for (int integrator = CR_INT_EULER; integrator <= CR_INT_RK4; integrator++) {
    begin(0, STATE_CONTACT, integrator);
    cr_model same = f.m;
    assert_int_equal(cr_step(&f.m, f.d), CR_OK);
    cr_data* a = test_twin(&f.m, f.d, CR_DATA_COTANGENT);
    cr_data* b = test_twin(&f.m, f.d, CR_DATA_COTANGENT);
    seed_next(a);
    seed_next(b);
    cr_data* first = integrator == CR_INT_EULER ? NULL : f.work;
    assert_int_equal(cr_step_vjp(&f.m, &f.m, f.d, first, a), CR_OK);
    assert_int_equal(cr_step_vjp(&f.m, &same, f.d, f.work, b), CR_OK);
    assert_all_close(a->qpos, b->qpos, f.m.nv, 0);
    assert_all_close(a->qvel, b->qvel, f.m.nv, 0);
    assert_all_close(a->ctrl, b->ctrl, f.m.nu, 0);
    assert_all_close(a->par.body_mass, b->par.body_mass, f.m.nbody, 0);
    assert_int_equal(a->scratch_used, 0);
    end();
  }
}

// the dynamics of the backward model count, the integrator's own map stays that of the step
TEST(a_backward_model_stands_in_for_the_dynamics) {
  static const int32_t slide[] = {CR_JNT_SLIDE};
  for (int integrator = CR_INT_EULER; integrator <= CR_INT_RK4; integrator++) {
    assert_int_equal(chain_model(&f.m, 1, slide, 0, NULL), CR_OK);
    f.m.integrator = integrator;
    cr_real h = f.m.timestep = CR_R(0.01), mass = 3, k = 7;
    f.d = test_data(&f.m);
    f.work = test_data(&f.m);
    cr_model stiff = f.m;
    stiff.body_mass = (cr_real[]){0, mass};
    stiff.jnt_stiffness = &k;
    assert_int_equal(cr_step(&f.m, f.d), CR_OK);
    cr_data* bar = test_twin(&f.m, f.d, CR_DATA_COTANGENT);
    bar->qvel_next[0] = 1;
    assert_int_equal(cr_step_vjp(&f.m, &stiff, f.d, f.work, bar), CR_OK);
    // v+ = v - h k q / m; with Runge-Kutta - h k/m (q + h v/2 + ...), its series to fourth order
    cr_real w = k / mass, series = h * w - h * h * h * w * w / 6;
    assert_close(bar->qpos[0], integrator == CR_INT_EULER ? -h * w : -series, 10 * ROUND_OFF);
    assert_close(bar->qfrc_applied[0], integrator == CR_INT_EULER ? h / mass : series / k,
                 10 * ROUND_OFF);
    end();
  }
}

TEST(cotangents_of_the_next_state_are_consumed) {
  begin(4, STATE_CONTACT, CR_INT_EULER);
  assert_int_equal(cr_step(&f.m, f.d), CR_OK);
  cr_data* bar = test_twin(&f.m, f.d, CR_DATA_COTANGENT);
  seed_next(bar);
  bar->qvel[0] = 100;  // what is there already is added to
  assert_int_equal(cr_step_vjp(&f.m, &f.m, f.d, NULL, bar), CR_OK);
  for (int i = 0; i < f.m.nv; i++) {
    assert_true(bar->qpos_next[i] == 0 && bar->qvel_next[i] == 0 && bar->qacc[i] == 0);
  }
  assert_true(f.m.na > 0);
  for (int i = 0; i < f.m.na; i++) {
    assert_close(bar->act_next[i], 0, 0);
  }
  assert_true(bar->qvel[0] > 50);
  end();
}

// ---- the step itself

TEST(advance_makes_the_next_state_present) {
  begin(2, STATE_FLIGHT, CR_INT_EULER);
  assert_int_equal(cr_step(&f.m, f.d), CR_OK);
  cr_advance(&f.m, f.d);
  assert_all_close(f.d->qpos, f.d->qpos_next, f.m.nq, 0);
  assert_all_close(f.d->qvel, f.d->qvel_next, f.m.nv, 0);
  assert_all_close(f.d->act, f.d->act_next, f.m.na, 0);
  assert_all_close(f.d->qacc_warmstart, f.d->qacc, f.m.nv, 0);
  assert_close(f.d->time, CR_R(0.001), ROUND_OFF);
  end();
}

TEST(a_state_that_diverges_is_named_and_kept) {
  begin(2, STATE_FLIGHT, CR_INT_EULER);
  f.d->qvel[1] = CR_R(3e10);
  assert_int_equal(cr_step(&f.m, f.d), CR_ERR_DIVERGED);
  assert_non_null(strstr(f.d->error.text, "qvel[1]"));
  assert_close(f.d->qvel[1], CR_R(3e10), 0);
  // an acceleration beyond the limit, before it makes a state
  f.d->qvel[1] = 0;
  f.d->qfrc_applied[0] = CR_R(1e13);
  f.d->qfrc_applied[1] = CR_R(-1e13);
  assert_int_equal(cr_step(&f.m, f.d), CR_ERR_DIVERGED);
  assert_non_null(strstr(f.d->error.text, "qacc["));
  end();
}
