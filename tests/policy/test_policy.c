// SPDX-License-Identifier: Apache-2.0
// Needs: io
// Policies in a loop with a model in contact: controls against the equation, gradients by weights and by the start against
// differences, for linear policies and networks, limits, sets of weights, controls that are held, computed observations.
#include "carom/carom.h"
#include "support/close.h"
#include "support/scratch.h"

// a finger that pushes a sliding ball, and a floating body that turns
static const char text_of_model[] =
    "<mujoco><option timestep='0.01' integrator='implicitfast'/><worldbody>"
    "<body name='finger' pos='-.3 0 .1'><joint name='push' type='slide' axis='1 0 0' damping='.3'/>"
    "<geom size='.1' mass='.3'/><site name='tip' pos='.1 0 .02'/></body>"
    "<body name='arm' pos='0 1 1'><joint name='swing' axis='0 1 0' damping='.05'/>"
    "<geom type='capsule' size='.03' fromto='0 0 0 0 0 -.4' mass='.4'/><site name='end' pos='0 0 "
    "-.4'/></body>"
    "<body name='puck' pos='0 0 .1'><freejoint name='free'/><geom size='.1 .08 .09' "
    "type='ellipsoid' mass='.2'/></body>"
    "<geom name='floor' type='plane' size='2 2 .1'/></worldbody>"
    "<actuator><motor name='a' joint='push' ctrlrange='-4 6'/><motor name='b' "
    "joint='swing'/></actuator></mujoco>";

enum { NSTEP = 25 };

static cr_error error;
static cr_model* m;

static void ok(cr_status status) {
  if (status != CR_OK) {
    fail_msg("%s", error.text);
  }
}

static void setup(void) {
  ok(cr_model_open(&m, scratch_write("policy.xml", text_of_model), &error));
  ok(cr_model_set_option(m, "tolerance", CR_R(1e-14), &error));
}

static void teardown(void) { cr_model_destroy(m); }

AROUND_FILE(setup, teardown)

static const cr_observation swing = {
    .size = sizeof swing, .text = "sin(qpos[swing])", .kind = CR_RESIDUAL_EXPRESSION};
static const cr_observation velocity = {
    .size = sizeof velocity, .text = "qvel", .kind = CR_RESIDUAL_PLACE, .scale = CR_R(0.2)};
static const cr_observation free_joint = {.size = sizeof free_joint,
                                          .text = "qpos[free]",
                                          .kind = CR_RESIDUAL_PLACE,
                                          .offset = CR_R(0.1),
                                          .scale = 2};
static const cr_observation gap = {
    .size = sizeof gap, .text = "xpos[puck].x - site_xpos[tip].x", .kind = CR_RESIDUAL_EXPRESSION};
static const cr_observation turn = {
    .size = sizeof turn, .text = "xquat[puck]", .kind = CR_RESIDUAL_ORIENTATION};
static const cr_observation own = {
    .size = sizeof own, .text = "ctrl[a]", .kind = CR_RESIDUAL_PLACE};
static const cr_observation force = {
    .size = sizeof force, .text = "actuator_force[b]^2", .kind = CR_RESIDUAL_EXPRESSION};

static const cr_observation* const direct[] = {&swing, &velocity, &free_joint};
static const cr_observation* const computed[] = {&gap, &turn, &swing};
static const cr_layer hidden = {
    .size = sizeof hidden, .kind = CR_LAYER_DENSE, .width = 4, .activation = CR_ACTIVATION_TANH};

static cr_policy* make(const cr_policy_options* o) {
  cr_policy* p;
  cr_policy_options options = *o;
  options.size = sizeof options;
  options.nstep = NSTEP;
  ok(cr_policy_create(&p, m, &options, &error));
  cr_real* W = cr_policy_weights(p);
  for (int i = 0; i < cr_policy_nweight(p); i++) {
    W[i] = CR_R(0.4) * cr_sin(1 + 3 * (cr_real)i);
  }
  return p;
}

static void start(cr_rollout* r) {
  static const cr_real qpos[] = {CR_R(0.05), CR_R(0.6), 0, CR_R(0.02), CR_R(0.12), 1, 0, 0, 0};
  static const cr_real qvel[] = {1, CR_R(-0.5), CR_R(0.1), 0, CR_R(-0.2), CR_R(0.7), CR_R(0.3), 2};
  cr_data* d = cr_rollout_data(r);
  ok(cr_data_reset(m, d));
  ok(cr_data_set(m, d, "qpos", qpos, 9, &error));
  ok(cr_data_set(m, d, "qvel", qvel, 8, &error));
}

static cr_real run(cr_rollout* r, const cr_loss* loss) {
  ok(cr_rollout_run(r, m, NSTEP, loss, &error));
  return cr_rollout_loss(r);
}

// ---- gradients

static void compare(const cr_policy_options* o, const char* text) {
  const cr_real h = CR_R(2e-5);
  cr_policy* p = make(o);
  cr_rollout* r;
  cr_expression* e;
  ok(cr_rollout_create(&r, m, NSTEP, NULL, 0, &error));
  ok(cr_expression_create(&e, m, text, &error));
  ok(cr_policy_attach(p, r, NULL, &error));
  const cr_loss loss = cr_expression_loss(e, true);
  start(r);
  (void)run(r, &loss);
  ok(cr_rollout_gradient(r, m, m, &loss, &error));
  int n = cr_policy_nweight(p);
  cr_real *W = cr_policy_weights(p), most = 0, g[256], by_velocity[8];
  assert_true(n <= 256);
  memcpy(g, cr_policy_weights_bar(p), (size_t)n * sizeof *g);
  memcpy(by_velocity, cr_data_view(m, cr_rollout_bar(r), "qvel", NULL, NULL), sizeof by_velocity);
  for (int i = 0; i < n; i++) {
    most = cr_max(most, cr_abs(g[i]));
  }
  assert_true(most > CR_R(1e-3));
  for (int i = 0; i < n + 8; i++) {  // differences of fourth order
    cr_real slope = 0;
    for (int k = 0; k < 4; k++) {
      static const cr_real at[] = {1, -1, 2, -2}, weight[] = {8, -8, -1, 1};
      start(r);
      cr_real* x = i < n ? &W[i] : &cr_data_view(m, cr_rollout_data(r), "qvel", NULL, NULL)[i - n];
      cr_real kept = *x;
      *x += at[k] * h;
      slope += weight[k] * run(r, &loss) / (12 * h);
      *(i < n ? x : &kept) = kept;
    }
    assert_close(i < n ? g[i] : by_velocity[i - n], slope, CR_R(2e-8) * (1 + most));
  }
  cr_policy_destroy(p);
  cr_rollout_destroy(r);
  cr_expression_destroy(e);
}

static const char cost[] = "(site_xpos[end].z - 1.2)^2 + xpos[puck].x^2 + 0.01 * sum(ctrl^2)";

TEST(linear_policies) {
  compare(&(cr_policy_options){.observations = direct, .nobservation = 3}, cost);
}

TEST(networks_within_limits) {
  compare(&(cr_policy_options){.observations = direct,
                               .nobservation = 3,
                               .layers = &hidden,
                               .nlayer = 1,
                               .limited = true},
          cost);
}

TEST(sets_of_weights_and_held_controls) {
  compare(&(cr_policy_options){.observations = direct, .nobservation = 3, .sets = 3, .every = 4},
          cost);
}

TEST(computed_observations) {
  compare(
      &(cr_policy_options){
          .observations = computed, .nobservation = 3, .layers = &hidden, .nlayer = 1, .every = 2},
      cost);
}

// ---- the control itself

TEST(a_control_is_the_equation) {
  cr_policy* p =
      make(&(cr_policy_options){.observations = direct, .nobservation = 3, .limited = true});
  cr_rollout* r;
  ok(cr_rollout_create(&r, m, NSTEP, NULL, 0, &error));
  start(r);
  const cr_data* d = cr_rollout_data(r);
  assert_int_equal(cr_policy_ninput(p), 1 + 8 + 6);
  assert_int_equal(cr_policy_nweight(p), 2 * 15 + 2);
  cr_real x[15], qvel[8], u[2];
  x[0] = cr_sin(CR_R(0.6));
  ok(cr_data_get(m, d, "qvel", qvel, 8, &error));
  for (int i = 0; i < 8; i++) {
    x[1 + i] = qvel[i] * CR_R(0.2);
  }
  static const cr_real at[] = {0, CR_R(0.02), CR_R(0.12), 0, 0, 0};
  for (int i = 0; i < 6; i++) {
    x[9 + i] = (at[i] - CR_R(0.1)) * 2;
  }
  ok(cr_policy_control(p, m, d, 0, u, &error));
  const cr_real* W = cr_policy_weights(p);
  for (int k = 0; k < 2; k++) {
    cr_real y = W[30 + k];
    for (int i = 0; i < 15; i++) {
      y += W[15 * k + i] * x[i];
    }
    assert_close(u[k], k == 0 ? 1 + 5 * cr_tanh(y) : y, CR_R(1e-14));
  }
  cr_policy_destroy(p);
  cr_rollout_destroy(r);
}

TEST(first_weights_give_no_control) {
  cr_policy* p = make(&(cr_policy_options){
      .observations = direct, .nobservation = 3, .layers = &hidden, .nlayer = 1, .sets = 2});
  cr_rollout* r;
  cr_real u[2];
  ok(cr_rollout_create(&r, m, NSTEP, NULL, 0, &error));
  start(r);
  ok(cr_policy_init(p, 3, &error));
  assert_true(cr_policy_weights(p)[0] != 0);
  ok(cr_policy_control(p, m, cr_rollout_data(r), NSTEP - 1, u, &error));
  assert_true(u[0] == 0 && u[1] == 0);
  cr_policy_destroy(p);
  cr_rollout_destroy(r);
}

// ---- mistakes

static void refused(const cr_policy_options* o, cr_status status, const char* why) {
  cr_policy* p;
  cr_policy_options options = *o;
  options.size = sizeof options;
  assert_int_equal(cr_policy_create(&p, m, &options, &error), status);
  assert_null(p);
  assert_non_null(strstr(error.text, why));
}

TEST(mistakes_are_named) {
  const cr_observation* own_control[] = {&own};
  const cr_observation* own_force[] = {&swing, &force};
  const cr_observation stray = {.size = sizeof stray, .text = "qpos[nowhere]"};
  const cr_observation* none[] = {&stray};
  refused(&(cr_policy_options){.observations = direct}, CR_ERR_ARG, "observes nothing");
  refused(&(cr_policy_options){.observations = own_control, .nobservation = 1}, CR_ERR_UNSUPPORTED,
          "'ctrl[a]' depends on the controls");
  refused(&(cr_policy_options){.observations = own_force, .nobservation = 2}, CR_ERR_UNSUPPORTED,
          "'actuator_force[b]^2' depends on the controls");
  refused(&(cr_policy_options){.observations = none, .nobservation = 1}, CR_ERR_NAME, "nowhere");
  refused(&(cr_policy_options){.observations = direct, .nobservation = 3, .sets = 9, .nstep = 8},
          CR_ERR_ARG, "9 sets of weights for 8 steps");
  cr_layer gru = hidden;
  gru.kind = CR_LAYER_GRU;
  refused(
      &(cr_policy_options){.observations = direct, .nobservation = 3, .layers = &gru, .nlayer = 1},
      CR_ERR_UNSUPPORTED, "layer 0 remembers");
}

TEST(a_rollout_has_its_own_controls_again) {
  cr_policy* p = make(&(cr_policy_options){.observations = direct, .nobservation = 3});
  cr_rollout* r;
  ok(cr_rollout_create(&r, m, NSTEP, NULL, 0, &error));
  ok(cr_policy_attach(p, r, NULL, &error));
  start(r);
  (void)run(r, NULL);
  assert_true(cr_rollout_ctrl(r)[2] != 0);
  ok(cr_policy_attach(NULL, r, NULL, &error));
  cr_rollout_ctrl(r)[2] = 7;
  start(r);
  (void)run(r, NULL);
  assert_true(cr_rollout_ctrl(r)[2] == 7);
  cr_policy_destroy(p);
  cr_rollout_destroy(r);
}
