// SPDX-License-Identifier: Apache-2.0
// Step-size control: errors follow the tolerance, steps end at the given times, a repeated step has
// the same bits, and impossible requests are refused.
#include "integrate/adaptive.h"

#include "integrate/inputs.h"
#include "math/quat.h"
#include "scenes/chain_model.h"
#include "scenes/random_model.h"
#include "support/close.h"

typedef struct {
  cr_model m;
  cr_data* d;
} fixture;

static fixture f;

static void begin(int integrator) {
  static const int32_t joints[] = {CR_JNT_FREE, CR_JNT_BALL};
  assert_int_equal(chain_model(&f.m, 2, joints, 1, NULL), CR_OK);
  f.m.integrator = integrator;
  f.d = test_data(&f.m);
  for (int i = 0; i < f.m.nv; i++) {
    f.d->qvel[i] = 2 - CR_R(0.7) * (cr_real)i;
  }
}

static void end(void) { cri_model_free(&f.m); }

static cri_controller run(const cr_adaptive* options, cr_real until) {
  cri_controller c = cri_controller_begin(&f.m, options);
  while (f.d->time < until) {
    cr_real h;
    assert_int_equal(cri_adaptive_step(options, NULL, &f.m, f.d, until, &c, &h), CR_OK);
    assert_true(f.d->time + h <= until);
    cri_adaptive_advance(options, &f.m, f.d, h);
  }
  return c;
}

TEST(errors_follow_the_tolerance) {
  static const int methods[] = {CR_INT_TSIT5, CR_INT_DOPRI5,   CR_INT_DOPRI8, CR_INT_BOSH3,
                                CR_INT_HEUN,  CR_INT_MIDPOINT, CR_INT_RALSTON};
  begin(CR_INT_DOPRI8);
  cr_real exact[4];
  run(&(cr_adaptive){.size = sizeof(cr_adaptive), .rtol = CR_R(1e-13), .atol = CR_R(1e-13)},
      CR_R(0.4));
  cr_copy(exact, f.d->qpos + 3, 4);
  end();
  for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++) {
    cr_real error[2], e[3];
    int steps[2];
    for (int k = 0; k < 2; k++) {
      cr_real tol = k == 0 ? CR_R(1e-4) : CR_R(1e-7);
      begin(methods[i]);
      steps[k] =
          run(&(cr_adaptive){.size = sizeof(cr_adaptive), .rtol = tol, .atol = tol}, CR_R(0.4))
              .accepted;
      cr_quat_sub(e, f.d->qpos + 3, exact);
      error[k] = cr_norm3(e);
      assert_true(error[k] < 50 * tol);
      end();
    }
    assert_true(steps[1] > steps[0]);
    assert_true(error[1] < error[0] / 30);
  }
}

TEST(a_repeated_step_has_the_same_bits) {
  static const int methods[] = {CR_INT_TSIT5, CR_INT_DOPRI8, CR_INT_HEUN};
  for (size_t i = 0; i < 3; i++) {
    begin(methods[i]);
    f.m.actuator_dyntype[0] = CR_DYN_FILTEREXACT;
    f.m.actuator_dynprm[0] = CR_R(0.1);
    f.m.actuator_actadr[0] = 0;
    f.m.actuator_actnum[0] = 1;
    f.d->ctrl[0] = 1;
    const cr_adaptive options = {.size = sizeof options, .rtol = CR_R(1e-6), .atol = CR_R(1e-6)};
    cri_controller c = cri_controller_begin(&f.m, &options);
    cr_data* before = test_data(&f.m);
    for (int k = 0; k < 5; k++) {
      cr_real h;
      bool known = c.known;
      cri_inputs_copy(&f.m, before, f.d);
      assert_int_equal(cri_adaptive_step(&options, NULL, &f.m, f.d, 10, &c, &h), CR_OK);
      assert_int_equal(cri_adaptive_repeat(&options, NULL, &f.m, before, known, h), CR_OK);
      for (int j = 0; j < f.m.nq; j++) {
        assert_true(before->qpos_next[j] == f.d->qpos_next[j]);
      }
      for (int j = 0; j < f.m.nv; j++) {
        assert_true(before->qvel_next[j] == f.d->qvel_next[j]);
      }
      assert_true(f.d->act_next[0] > f.d->act[0]);
      assert_true(before->act_next[0] == f.d->act_next[0]);
      cri_adaptive_advance(&options, &f.m, f.d, h);
    }
    end();
  }
}

// ten of the longest steps make the whole, whatever round-off says
TEST(steps_are_no_longer_than_asked) {
  for (int events = 0; events < 2; events++) {
    begin(CR_INT_TSIT5);
    f.m.timestep = CR_R(0.01);
    const cr_adaptive options = {.size = sizeof options,
                                 .rtol = 1,
                                 .atol = 1,
                                 .first_step = CR_R(0.001),
                                 .largest_step = events ? 0 : CR_R(0.01),
                                 .events = events == 1};
    cri_controller c = run(&options, CR_R(0.1));
    assert_in_range(c.accepted, 11, 13);
    assert_int_equal(c.rejected, 0);
    end();
  }
}

TEST(a_budget_that_runs_out_is_an_error) {
  begin(CR_INT_TSIT5);
  const cr_adaptive options = {
      .size = sizeof options, .rtol = CR_R(1e-8), .atol = CR_R(1e-8), .max_steps = 3};
  cri_controller c = cri_controller_begin(&f.m, &options);
  cr_status status = CR_OK;
  for (int k = 0; k < 4 && status == CR_OK; k++) {
    cr_real h;
    status = cri_adaptive_step(&options, NULL, &f.m, f.d, 10, &c, &h);
    if (status == CR_OK) {
      cri_adaptive_advance(&options, &f.m, f.d, h);
    }
  }
  assert_int_equal(status, CR_ERR_BUDGET);
  assert_non_null(strstr(f.d->error.text, "3 steps"));
  end();
}

TEST(options_are_checked) {
  cr_error error;
  begin(CR_INT_RK4);
  cr_adaptive options = {.size = sizeof options, .rtol = CR_R(1e-6), .atol = CR_R(1e-6)};
  assert_int_equal(cri_adaptive_check(&f.m, &options, &error), CR_ERR_ARG);
  f.m.integrator = CR_INT_TSIT5;
  assert_int_equal(cri_adaptive_check(&f.m, &options, &error), CR_OK);
  options.rtol = -1;
  assert_int_equal(cri_adaptive_check(&f.m, &options, &error), CR_ERR_ARG);
  assert_non_null(strstr(error.text, "rtol"));
  options = (cr_adaptive){.size = sizeof(cr_adaptive), .rtol = CR_R(1e-6)};
  assert_int_equal(cri_adaptive_check(&f.m, &options, &error), CR_ERR_ARG);
  assert_non_null(strstr(error.text, "atol"));
  end();
}
