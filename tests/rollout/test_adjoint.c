// SPDX-License-Identifier: Apache-2.0
// The continuous adjoint: on smooth motions it agrees with the gradient of the steps as closely as both
// resolve the motion. It converges with its tolerance, and refuses unsupported models.
#include "rollout/adjoint.h"

#include "carom/carom.h"
#include "math/quat.h"
#include "model/fields.h"
#include "rollout/trajectory.h"
#include "scenes/chain_model.h"
#include "support/close.h"

enum { MOST = 200 };

// a loss of everything: a weighted sum of places, velocities and activations
static cr_status value(void* context, const cr_model* m, const cr_data* d, int step,
                       cr_real* loss) {
  for (int i = 0; i < 3 * m->nbody; i++) {
    *loss += d->xipos[i] * (1 + CR_R(0.3) * (cr_real)i) + d->xipos[i] * d->xipos[i];
  }
  for (int i = 0; i < m->nv; i++) {
    *loss += CR_R(0.1) * d->qvel[i] * (2 - CR_R(0.4) * (cr_real)i);
  }
  for (int i = 0; i < m->na; i++) {
    *loss += d->act[i];
  }
  return CR_OK;
}

static cr_status value_bar(void* context, const cr_model* m, const cr_data* d, int step,
                           cr_data* bar) {
  for (int i = 0; i < 3 * m->nbody; i++) {
    bar->xipos[i] += 1 + CR_R(0.3) * (cr_real)i + 2 * d->xipos[i];
  }
  for (int i = 0; i < m->nv; i++) {
    bar->qvel[i] += CR_R(0.1) * (2 - CR_R(0.4) * (cr_real)i);
  }
  for (int i = 0; i < m->na; i++) {
    bar->act[i] += 1;
  }
  return CR_OK;
}

static bool every(const void* context, int step, int nstep) { return true; }

static const cr_loss all = {
    .value = value, .bar = value_bar, .looks_at = every, .needs_fields = true};

// a chain that tumbles and swings, with an activation and a control that changes
typedef struct {
  cr_model m;
  cr_rollout* r;
  cr_real gradient[MOST];
  int n;
} bench;

static void begin(bench* b, int n, const int32_t* joints, int integrator) {
  static const char* const wanted[] = {"body_mass",   "body_inertia",  "gravity",
                                       "dof_damping", "actuator_gear", "actuator_dynprm"};
  assert_int_equal(chain_model(&b->m, n, joints, 1, NULL), CR_OK);
  b->m.integrator = integrator;
  b->m.timestep = CR_R(0.01);
  b->m.actuator_actadr[0] = 0;
  b->m.actuator_actnum[0] = 1;
  b->m.actuator_dyntype[0] = CR_DYN_FILTER;
  b->m.actuator_dynprm[0] = CR_R(0.3);
  for (int i = 0; i < b->m.nv; i++) {
    b->m.dof_damping[i] = CR_R(0.01);
  }
  assert_int_equal(cr_rollout_create(&b->r, &b->m, 4, wanted, 6, NULL), CR_OK);
}

static void end(bench* b) {
  cr_rollout_destroy(b->r);
  cri_model_free(&b->m);
}

static void run(bench* b) {
  cr_data* d = b->r->d;
  cr_error error = {0};
  cri_data_reset(&b->m, d);
  for (int i = 0; i < b->m.nv; i++) {
    d->qvel[i] = 1 - CR_R(0.4) * (cr_real)i;
  }
  for (int k = 0; k < 4 * b->m.nu; k++) {
    b->r->ctrl[k] = CR_R(0.5) * (cr_real)(k % 3);
  }
  if (cr_rollout_run(b->r, &b->m, 4, &all, &error) != CR_OK) {
    fail_msg("%s", error.text);
  }
}

static void take(bench* b, const cr_real* from, int n) {
  for (int i = 0; i < n; i++) {
    assert_true(b->n < MOST);
    b->gradient[b->n++] = from[i];
  }
}

static void differentiate(bench* b) {
  cr_error error = {0};
  if (cr_rollout_gradient(b->r, &b->m, &b->m, &all, &error) != CR_OK) {
    fail_msg("%s", error.text);
  }
  const cr_data* bar = b->r->bar;
  const cr_real* const arrays[] = {bar->qpos,      bar->qvel,         bar->act,
                                   b->r->ctrl_bar, bar->qfrc_applied, bar->xfrc_applied};
  const int sizes[] = {b->m.nv, b->m.nv, b->m.na, 4 * b->m.nu, b->m.nv, 6 * b->m.nbody};
  b->n = 0;
  for (int i = 0; i < 6; i++) {
    take(b, arrays[i], sizes[i]);
  }
  for (int i = 0; i < CR_N_MODEL_FIELD; i++) {
    cr_field_id id = (cr_field_id)i;
    if (b->r->wanted[i]) {
      take(b, cri_field_real(&bar->par, NULL, id), cri_field_tangent_size(&b->m, NULL, id));
    }
  }
}

static cr_real distance(const bench* a, const cr_real* gradient) {
  cr_real difference = 0, size = 0;
  for (int i = 0; i < a->n; i++) {
    difference += (a->gradient[i] - gradient[i]) * (a->gradient[i] - gradient[i]);
    size += gradient[i] * gradient[i];
  }
  return cr_sqrt(difference / size);
}

static void continuous(bench* b, cr_real tol, cr_adjoint_states states) {
  const cr_adjoint options = {.size = sizeof options, .rtol = tol, .atol = tol, .states = states};
  assert_int_equal(cr_rollout_set_adjoint(b->r, &b->m, &options, NULL), CR_OK);
  differentiate(b);
}

static void adaptive(bench* b, cr_real tol) {
  const cr_adaptive options = {.size = sizeof options,
                               .rtol = tol,
                               .atol = tol,
                               .grid = CR_R(0.15),
                               .first_step = CR_R(0.01)};
  assert_int_equal(cr_rollout_set_adaptive(b->r, &b->m, &options, NULL), CR_OK);
  run(b);
}

static const int32_t pendulum[] = {CR_JNT_HINGE, CR_JNT_HINGE};
static const int32_t tumbler[] = {CR_JNT_FREE, CR_JNT_BALL};

// the gradient of the equation itself, by steps that are as good as exact
static void exact_gradient(const int32_t* joints, cr_real* exact) {
  bench b;
  begin(&b, 2, joints, CR_INT_DOPRI8);
  adaptive(&b, CR_R(1e-13));
  differentiate(&b);
  cr_copy(exact, b.gradient, b.n);
  end(&b);
}

TEST(agrees_with_the_steps) {
  static const int methods[] = {CR_INT_TSIT5, CR_INT_BOSH3, CR_INT_HEUN, CR_INT_DOPRI8};
  static const int32_t* const models[] = {pendulum, tumbler};
  for (int k = 0; k < 2; k++) {
    cr_real exact[MOST];
    exact_gradient(models[k], exact);
    for (int i = 0; i < 4; i++) {
      // heun would need a hundred thousand steps
      cr_real tol = methods[i] == CR_INT_HEUN ? CR_R(1e-6) : CR_R(1e-9);
      bench b;
      begin(&b, 2, models[k], methods[i]);
      adaptive(&b, tol);
      differentiate(&b);
      assert_true(distance(&b, exact) < 50 * tol);
      for (int s = CR_STATES_INTEGRATED; s <= CR_STATES_BACKWARD; s++) {
        continuous(&b, tol, (cr_adjoint_states)s);
        assert_true(distance(&b, exact) < 50 * tol);
      }
      // between long steps of high order states are less well known than at their ends
      continuous(&b, tol, CR_STATES_INTERPOLATED);
      assert_true(distance(&b, exact) < (methods[i] == CR_INT_DOPRI8 ? CR_R(1e-5) : 50 * tol));
      end(&b);
    }
  }
}

// the equation is the same however the steps added rotations up
TEST(quaternions_make_no_difference) {
  const cr_real tol = CR_R(1e-9);
  const cr_adaptive options = {.size = sizeof options,
                               .rtol = tol,
                               .atol = tol,
                               .grid = CR_R(0.15),
                               .first_step = CR_R(0.01),
                               .quaternions = true};
  cr_real exact[MOST];
  exact_gradient(tumbler, exact);
  bench b;
  begin(&b, 2, tumbler, CR_INT_TSIT5);
  assert_int_equal(cr_rollout_set_adaptive(b.r, &b.m, &options, NULL), CR_OK);
  run(&b);
  differentiate(&b);
  assert_true(distance(&b, exact) < 50 * tol);
  for (int s = CR_STATES_INTERPOLATED; s <= CR_STATES_BACKWARD; s++) {
    continuous(&b, tol, (cr_adjoint_states)s);
    assert_true(distance(&b, exact) < 50 * tol);
  }
  end(&b);
}

// the cotangents of a ramp go to the rows at both its ends, the last row's twice to itself
TEST(controls_may_change_linearly) {
  const cr_real tol = CR_R(1e-9);
  cr_adaptive options = {.size = sizeof options,
                         .rtol = CR_R(1e-13),
                         .atol = CR_R(1e-13),
                         .grid = CR_R(0.15),
                         .first_step = CR_R(0.01),
                         .linear = true};
  bench exact, b;
  cr_real held[MOST];
  exact_gradient(tumbler, held);
  begin(&exact, 2, tumbler, CR_INT_DOPRI8);
  assert_int_equal(cr_rollout_set_adaptive(exact.r, &exact.m, &options, NULL), CR_OK);
  run(&exact);
  differentiate(&exact);
  assert_true(distance(&exact, held) > CR_R(1e-3));

  begin(&b, 2, tumbler, CR_INT_TSIT5);
  options.rtol = options.atol = tol;
  assert_int_equal(cr_rollout_set_adaptive(b.r, &b.m, &options, NULL), CR_OK);
  run(&b);
  for (int s = CR_STATES_INTERPOLATED; s <= CR_STATES_BACKWARD; s++) {
    continuous(&b, tol, (cr_adjoint_states)s);
    assert_true(distance(&b, exact.gradient) < 50 * tol);
    // each row of controls by itself: they are few among many numbers
    const cr_real* want = exact.gradient + 2 * b.m.nv + b.m.na;
    for (int k = 0; k < 4 * b.m.nu; k++) {
      assert_close(b.r->ctrl_bar[k], want[k], 100 * tol * (1 + cr_abs(want[k])));
    }
  }
  end(&exact);
  end(&b);
}

// along states as good as exact: the error follows the tolerance, the steps its root
TEST(errors_follow_its_own_tolerance) {
  const struct {
    int method;
    double order;
  } cases[] = {{CR_INT_TSIT5, 5}, {CR_INT_BOSH3, 3}};
  cr_real exact[MOST];
  exact_gradient(tumbler, exact);
  for (int i = 0; i < 2; i++) {
    bench b;
    cr_real error[3];
    double steps[3];
    begin(&b, 2, tumbler, cases[i].method);
    adaptive(&b, i == 0 ? CR_R(1e-11) : CR_R(1e-10));
    for (int k = 0; k < 3; k++) {
      int accepted, rejected;
      cr_real tol = k == 0 ? CR_R(1e-4) : k == 1 ? CR_R(1e-6) : CR_R(1e-8);
      continuous(&b, tol, CR_STATES_INTERPOLATED);
      cr_rollout_adjoint_steps(b.r, &accepted, &rejected);
      error[k] = distance(&b, exact);
      steps[k] = accepted;
      assert_true(error[k] < 50 * tol);
    }
    assert_true(error[0] > 20 * error[1] && error[1] > 20 * error[2]);
    double most = pow(100, 1 / cases[i].order);
    assert_true(steps[2] > 0.6 * most * steps[1] && steps[2] < 1.3 * most * steps[1]);
    end(&b);
  }
}

// a coarse adjoint takes steps much longer than those of the states
TEST(steps_need_not_end_on_states) {
  bench b;
  int forward, rejected, events, backward;
  begin(&b, 2, tumbler, CR_INT_TSIT5);
  adaptive(&b, CR_R(1e-12));
  cr_rollout_steps(b.r, &forward, &rejected, &events);
  continuous(&b, CR_R(1e-4), CR_STATES_INTERPOLATED);
  cr_rollout_adjoint_steps(b.r, &backward, &rejected);
  assert_true(4 * backward < forward);
  end(&b);
}

// gradients with respect to what was at rest in all methods, by nstep fixed steps over 0.4 s
static void fixed_steps(bench* b, const int32_t* joints, int method, int nstep,
                        const cr_adjoint* options) {
  static const char* const wanted[] = {"body_mass"};
  cr_loss last = all;
  last.looks_at = NULL;
  begin(b, 2, joints, method);
  cr_rollout_destroy(b->r);
  b->m.timestep = CR_R(0.4) / (cr_real)nstep;
  assert_int_equal(cr_rollout_create(&b->r, &b->m, nstep, wanted, 1, NULL), CR_OK);
  for (int i = 0; i < b->m.nv; i++) {
    b->r->d->qvel[i] = 1 - CR_R(0.4) * (cr_real)i;
  }
  assert_int_equal(cr_rollout_run(b->r, &b->m, nstep, &last, NULL), CR_OK);
  assert_int_equal(cr_rollout_set_adjoint(b->r, &b->m, options, NULL), CR_OK);
  assert_int_equal(cr_rollout_gradient(b->r, &b->m, &b->m, &last, NULL), CR_OK);
  b->n = 0;
  take(b, b->r->bar->qpos, b->m.nv);
  take(b, b->r->bar->qvel, b->m.nv);
  take(b, b->r->bar->par.body_mass, b->m.nbody);
}

static cr_real fixed_error(const int32_t* joints, int method, int nstep, cr_adjoint_states states,
                           const cr_real* exact) {
  bench b;
  cr_real tol = method == CR_INT_HEUN ? CR_R(1e-6) : CR_R(1e-12);
  const cr_adjoint options = {.size = sizeof options, .rtol = tol, .atol = tol, .states = states};
  fixed_steps(&b, joints, method, nstep, &options);
  cr_real error = distance(&b, exact);
  end(&b);
  return error;
}

// along states of fixed steps: as far off as these are
TEST(fixed_steps_keep_their_order) {
  const struct {
    int method;
    double order;
  } cases[] = {{CR_INT_RK4, 4}, {CR_INT_TSIT5, 5}, {CR_INT_HEUN, 2}, {CR_INT_FORWARD_EULER, 1}};
  static const int32_t* const models[] = {pendulum, tumbler};
  for (int k = 0; k < 2; k++) {
    bench b;
    fixed_steps(&b, models[k], CR_INT_DOPRI8, 128, NULL);
    for (int i = 0; i < 4; i++) {
      for (int s = CR_STATES_INTERPOLATED; s <= CR_STATES_INTEGRATED; s++) {
        cr_adjoint_states states = (cr_adjoint_states)s;
        cr_real e = fixed_error(models[k], cases[i].method, 16, states, b.gradient);
        cr_real f = fixed_error(models[k], cases[i].method, 32, states, b.gradient);
        double order = log2((double)(e / f));
        assert_true(order > cases[i].order - 0.4);
      }
    }
    end(&b);
  }
}

// ---- what cannot be done

TEST(refusals_name_the_reason) {
  bench b;
  cr_error error;
  cr_adjoint options = {.size = sizeof options, .rtol = CR_R(1e-6), .atol = CR_R(1e-6)};
  begin(&b, 2, pendulum, CR_INT_TSIT5);
  assert_int_equal(cr_rollout_set_adjoint(b.r, &b.m, &options, &error), CR_OK);
  options.atol = 0;
  assert_int_equal(cr_rollout_set_adjoint(b.r, &b.m, &options, &error), CR_ERR_ARG);
  assert_non_null(strstr(error.text, "atol"));
  options = (cr_adjoint){
      .size = sizeof(cr_adjoint), .rtol = CR_R(1e-6), .atol = CR_R(1e-6), .max_steps = -1};
  assert_int_equal(cr_rollout_set_adjoint(b.r, &b.m, &options, &error), CR_ERR_ARG);
  options = (cr_adjoint){.size = sizeof(cr_adjoint), .rtol = CR_R(1e-6), .atol = CR_R(1e-6)};
  b.m.actuator_actlimited[0] = 1;
  assert_int_equal(cr_rollout_set_adjoint(b.r, &b.m, &options, &error), CR_ERR_ARG);
  assert_non_null(strstr(error.text, "limited activation"));
  b.m.actuator_actlimited[0] = 0;
  b.m.integrator = CR_INT_EULER;
  assert_int_equal(cr_rollout_set_adjoint(b.r, &b.m, &options, &error), CR_ERR_ARG);
  assert_non_null(strstr(error.text, "explicit method"));
  end(&b);
}

TEST(a_budget_that_runs_out_is_an_error) {
  bench b;
  cr_error error;
  const cr_adjoint options = {
      .size = sizeof options, .rtol = CR_R(1e-9), .atol = CR_R(1e-9), .max_steps = 7};
  begin(&b, 2, tumbler, CR_INT_TSIT5);
  adaptive(&b, CR_R(1e-9));
  assert_int_equal(cr_rollout_set_adjoint(b.r, &b.m, &options, NULL), CR_OK);
  assert_int_equal(cr_rollout_gradient(b.r, &b.m, &b.m, &all, &error), CR_ERR_BUDGET);
  assert_non_null(strstr(error.text, "7 steps"));
  // and the next gradient is as if nothing had been
  continuous(&b, CR_R(1e-9), CR_STATES_INTERPOLATED);
  cr_real first[MOST];
  cr_copy(first, b.gradient, b.n);
  continuous(&b, CR_R(1e-9), CR_STATES_INTERPOLATED);
  for (int i = 0; i < b.n; i++) {
    assert_true(b.gradient[i] == first[i]);
  }
  end(&b);
}
