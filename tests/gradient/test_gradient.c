// SPDX-License-Identifier: Apache-2.0
// Needs: io
// Gradients by name against differences, with derived constants and without. The model stays as it
// was, and calls that come too early are refused.
#include "carom/carom.h"
#include "support/close.h"
#include "support/scratch.h"

static const char pendulum[] =
    "<mujoco><option timestep='0.005'/><worldbody><body><joint name='a' axis='0 1 0' damping='.1'/>"
    "<geom name='rod' type='capsule' size='.02' fromto='0 0 0 .3 0 0'/><body pos='.3 0 0'>"
    "<joint name='b' axis='0 1 0' frictionloss='.01'/><geom size='.05'/></body></body></worldbody>"
    "<actuator><motor name='m' joint='a'/></actuator></mujoco>";
enum { STEPS = 20 };

static cr_model* m;
static cr_expression* expression;
static cr_loss loss;
static cr_error error;

static void ok(cr_status status) {
  if (status != CR_OK) {
    fail_msg("%s", error.text);
  }
}

static void setup(void) {
  ok(cr_model_open(&m, scratch_write("pendulum.xml", pendulum), &error));
  ok(cr_expression_create(&expression, m, "qpos[b]^2 + 0.1 * qvel[a]", &error));
  loss = cr_expression_loss(expression, true);
}

static void teardown(void) {
  cr_expression_destroy(expression);
  cr_model_destroy(m);
}

AROUND_FILE(setup, teardown)

static const char* const names[] = {"qpos", "ctrl", "ctrl[m]", "body_mass[1]", "dof_damping[a]"};
enum { N = 5 };

static cr_gradient* made(bool derive) {
  cr_gradient* g = NULL;
  const cr_gradient_options options = {.size = sizeof options, .derive = derive};
  ok(cr_gradient_create(&g, m, STEPS, names, N, &options, &error));
  cr_rollout* r = cr_gradient_rollout(g);
  for (int k = 0; k < STEPS; k++) {
    cr_rollout_ctrl(r)[k] = 0.2;
  }
  ok(cr_rollout_run(r, m, STEPS, &loss, &error));
  ok(cr_gradient_compute(g, &loss, &error));
  return g;
}

TEST(agrees_with_differences) {
  for (int derive = 0; derive < 2; derive++) {
    cr_gradient* g = made(derive == 1);
    cr_real mass[2], values[STEPS];
    ok(cr_model_get(m, "body_mass[1]", &mass[0], 1, &error));
    const int counts[N] = {2, STEPS, 1, 1, 1};
    for (int i = 0; i < N; i++) {
      int n = cr_gradient_count(g, i);
      assert_int_equal(n, counts[i]);
      ok(cr_gradient_differences(g, i, CR_R(1e-5), values, &error));
      assert_all_close(cr_gradient_get(g, i), values, n, 1e-5);
    }
    ok(cr_model_get(m, "body_mass[1]", &mass[1], 1, &error));
    assert_true(mass[0] == mass[1]);
    cr_gradient_destroy(g);
  }
}

// a constant control acts in every step
TEST(a_control_is_the_sum_of_its_steps) {
  cr_gradient* g = made(false);
  cr_real sum = 0;
  for (int k = 0; k < STEPS; k++) {
    sum += cr_gradient_get(g, 1)[k];
  }
  assert_close(cr_gradient_get(g, 2)[0], sum, 1e-12);
  cr_gradient_destroy(g);
}

TEST(trust_and_scales) {
  cr_gradient* g = made(false);
  cr_trust trust = {.size = sizeof trust};
  cr_real scale[STEPS], mass;
  int n = -1;
  ok(cr_gradient_two_slopes(g, 0, NULL, 0, &n, &error));
  assert_true(n >= 0);
  ok(cr_gradient_scale(g, 3, scale, &error));
  ok(cr_model_get(m, "body_mass[1]", &mass, 1, &error));
  assert_true(scale[0] == mass);
  ok(cr_gradient_scale(g, 1, scale, &error));
  assert_true(scale[0] == 1);
  ok(cr_gradient_trust(g, 0, &trust, &error));
  assert_non_null(cr_trust_word(trust.verdict));
  assert_true(trust.cost > 1 && trust.size == sizeof trust);
  assert_null(cr_trust_word((cr_trust_verdict)99));
  cr_gradient_destroy(g);
}

static void refused(const char* name, const char* because) {
  cr_gradient* g = NULL;
  assert_int_equal(cr_gradient_create(&g, m, STEPS, &name, 1, NULL, &error), CR_ERR_NAME);
  assert_non_null(strstr(error.text, because));
  assert_null(g);
}

TEST(too_early_and_unknown) {
  refused("xpos[1]", "neither state, control nor parameter");
  refused("act", "the model has none of these");
  cr_gradient* g = NULL;
  cr_trust trust = {.size = 0};
  cr_real values[STEPS];
  const char* name = "qpos";
  ok(cr_gradient_create(&g, m, STEPS, &name, 1, NULL, &error));
  assert_int_equal(cr_gradient_compute(g, &loss, &error), CR_ERR_ARG);
  assert_int_equal(cr_gradient_differences(g, 0, 1e-6, values, &error), CR_ERR_ARG);
  assert_int_equal(cr_gradient_trust(g, 0, &trust, &error), CR_ERR_ARG);
  cr_gradient_destroy(g);
  g = made(false);
  assert_int_equal(cr_gradient_trust(g, 0, &trust, &error), CR_ERR_ARG);
  assert_non_null(strstr(error.text, "member size of cr_trust is 0"));
  assert_int_equal(cr_gradient_differences(g, N, 1e-6, values, &error), CR_ERR_ARG);
  ok(cr_gradient_differences(g, 0, 1e-6, values, &error));
  // the last run was one of those
  assert_int_equal(cr_gradient_compute(g, &loss, &error), CR_ERR_ARG);
  cr_gradient_destroy(g);
}
