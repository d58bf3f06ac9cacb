// SPDX-License-Identifier: Apache-2.0
// Needs: io
// Fits through the public headers alone: a driven arm of a hinge, a slide and a ball, whose parameters come back
// from a recording of it; the gradient against differences; what is refused.
#include <stdio.h>
#include <stdlib.h>

#include "carom/carom.h"
#include "support/close.h"
#include "support/scratch.h"

static const char text_of_arm[] =
    "<mujoco><option timestep='0.005'/><worldbody><body><joint name='a' axis='0 1 0' "
    "damping='0.2'/>"
    "<geom size='.05' fromto='0 0 0 .3 0 0' type='capsule'/><body pos='.3 0 0'><joint name='b' "
    "type='slide' axis='1 0 0' damping='2' stiffness='30'/><geom name='tip' size='.06'/><body "
    "pos='.1 "
    "0 0'><joint name='c' type='ball' damping='.01'/><geom pos='.1 0 0' size='.04'/></body></body>"
    "</body></worldbody><actuator><motor name='m' joint='a'/></actuator></mujoco>";
enum { NQ = 6, NV = 5, NU = 1, WIDTH = NQ + NV + NU, ROWS = 41, EVERY = 2, N = 3 };

static cr_error error;
static cr_model* m;
static cr_recordings* recordings;

// a row of what a rollout did, every other step, with the control held from there
static void record(cr_real amplitude, const char* name, int group) {
  cr_rollout* r = NULL;
  cr_real rows[ROWS * WIDTH];
  must(cr_rollout_create(&r, m, ROWS * EVERY, NULL, 0, &error));
  for (int k = 0; k < ROWS * EVERY; k++) {
    cr_rollout_ctrl(r)[k] = amplitude * cr_cos(CR_R(0.3) * (cr_real)(k / EVERY));
  }
  must(cr_rollout_run(r, m, ROWS * EVERY, NULL, &error));
  for (int k = 0; k < ROWS; k++) {
    cr_real* row = rows + (ptrdiff_t)k * WIDTH;
    must(cr_rollout_get_states(r, m, k * EVERY, 1, NULL, row, row + NQ, NULL, &error));
    row[NQ + NV] = cr_rollout_ctrl(r)[k * EVERY];
  }
  const cr_recording_info run = {
      .size = sizeof run, .name = name, .rows = ROWS, .values = rows, .group = group};
  must(cr_recordings_add(recordings, &run, &error));
  cr_rollout_destroy(r);
}

static void setup(void) {
  must(cr_model_open(&m, scratch_write("arm.xml", text_of_arm), &error));
  must(cr_recordings_create(&recordings, m, EVERY * cr_model_timestep(m), &error));
  record(1, "one", 0);
  record(CR_R(-0.5), "two", 1);
}

static void teardown(void) {
  cr_recordings_destroy(recordings);
  cr_model_destroy(m);
}

AROUND_FILE(setup, teardown)

static cr_parameters* parameters(void) {
  static const cr_parameter_info all[N] = {
      {.size = sizeof(cr_parameter_info),
       .name = "damping",
       .target = "dof_damping[0]",
       .transform = CR_TRANSFORM_LOG,
       .start = 0.35,
       .lower = 0.01,
       .upper = 3},
      {.size = sizeof(cr_parameter_info),
       .name = "mass",
       .target = "body_mass[2]",
       .transform = CR_TRANSFORM_LOG,
       .start = 0.6,
       .lower = 0.1,
       .upper = 9},
      {.size = sizeof(cr_parameter_info),
       .name = "stiffness",
       .target = "jnt_stiffness[b]",
       .start = 40,
       .lower = 1,
       .upper = 100},
  };
  static const cr_parameter_info* const list[N] = {&all[0], &all[1], &all[2]};
  cr_parameters* p = NULL;
  must(cr_parameters_create(&p, m, list, N, &error));
  return p;
}

static const cr_fit_options short_windows = {
    .size = sizeof short_windows, .steps = 8, .stride = 4, .nthread = 2};

static cr_real loss_at(cr_fit* f, const cr_real* x) {
  cr_fit_value v = {.size = sizeof v};
  must(cr_fit_evaluate(f, CR_FIT_TRAIN, CR_ALL_DATA, x, &v, &error));
  return v.loss;
}

static cr_loss cost_of(void* context, int worker, int nstep, cr_real interval) {
  cr_cost** costs = context;
  return cr_cost_loss(costs[worker], nstep, interval);
}

// the tip's height all the way, the momentum of the slide and the ball's turn at the end
static cr_cost* make_cost(void) {
  static const cr_real turned[] = {CR_R(0.8), 0, CR_R(0.6), 0};
  const cr_cost_term terms[] = {{.text = "geom_xpos[tip].z - 0.1",
                                 .kind = CR_RESIDUAL_EXPRESSION,
                                 .norm = CR_NORM_SMOOTH_ABS,
                                 .p = CR_R(0.05),
                                 .weight = 2},
                                {.text = "qvel[b] * subtree_com[0].x",
                                 .kind = CR_RESIDUAL_EXPRESSION,
                                 .norm = CR_NORM_QUADRATIC,
                                 .terminal = CR_R(0.3)},
                                {.text = "qpos[c]",
                                 .kind = CR_RESIDUAL_ORIENTATION,
                                 .target = turned,
                                 .norm = CR_NORM_L2,
                                 .p = CR_R(0.1),
                                 .terminal = CR_R(0.1)}};
  cr_cost* cost = NULL;
  must(cr_cost_create(&cost, m, &error));
  for (int i = 0; i < 3; i++) {
    cr_cost_term term = terms[i];
    term.size = sizeof term;
    must(cr_cost_add(cost, &term, &error));
  }
  return cost;
}

// the cost, with its gradient, is in the loss of every window
TEST(a_cost_is_added) {
  cr_parameters* p = parameters();
  cr_cost* costs[2] = {make_cost(), make_cost()};
  cr_fit *with = NULL, *without = NULL;
  cr_fit_options o = short_windows;
  cr_real x[N];
  must(cr_parameters_get_start(p, x, &error));
  must(cr_fit_create(&without, p, recordings, &o, &error));
  o.more = (cr_more_loss){costs, cost_of};
  must(cr_fit_create(&with, p, recordings, &o, &error));
  assert_int_equal(cr_fit_threads(with), 2);
  cr_fit_value v = {.size = sizeof v};
  must(cr_fit_evaluate(with, CR_FIT_TRAIN, CR_ALL_DATA, x, &v, &error));
  cr_real plain = loss_at(without, x);
  assert_true(v.more > CR_R(0.001) && plain > 0);
  assert_close(v.loss - v.more, plain, 100 * CR_EPS * v.loss);
  cr_fit_destroy(with);
  cr_fit_destroy(without);
  cr_cost_destroy(costs[0]);
  cr_cost_destroy(costs[1]);
  cr_parameters_destroy(p);
}

TEST(gradient_matches_differences) {
  const struct {
    cr_norm norm;
    cr_real p;
    bool cost;
  } cases[] = {{CR_NORM_NULL, 0, false},
               {CR_NORM_POWER, 1, false},
               {CR_NORM_SMOOTH_ABS, CR_R(0.01), false},
               {CR_NORM_NULL, 0, true}};
  for (int k = 0; k < 4; k++) {
    cr_parameters* p = parameters();
    cr_cost* costs[2] = {make_cost(), make_cost()};
    cr_fit* f = NULL;
    cr_fit_options o = short_windows;
    cr_real x[N], g[N], value;
    o.norm = cases[k].norm;
    o.p = cases[k].p;
    o.more = (cr_more_loss){costs, cases[k].cost ? cost_of : NULL};
    o.position = 2;
    o.rotation = 3;
    o.velocity = o.spin = 1;
    must(cr_fit_create(&f, p, recordings, &o, &error));
    must(cr_parameters_get_start(p, x, &error));
    must(cr_fit_objective(f, CR_ALL_DATA, x, &value, g, &error));
    assert_true(value == loss_at(f, x));
    for (int i = 0; i < N; i++) {
      cr_real h = CR_R(1e-5), at = x[i], difference;
      x[i] = at + h;
      difference = loss_at(f, x);
      x[i] = at - h;
      difference = (difference - loss_at(f, x)) / (2 * h);
      x[i] = at;
      assert_true(g[i] != 0);
      assert_close(g[i], difference, CR_R(1e-5) * cr_abs(difference) + CR_R(1e-9));
    }
    cr_fit_destroy(f);
    cr_cost_destroy(costs[0]);
    cr_cost_destroy(costs[1]);
    cr_parameters_destroy(p);
  }
}

// numbers that keep their length, of a vector and of a quaternion
TEST(directions_have_gradients) {
  enum { COUNT = 1 + 3 + 4 };
  static const cr_parameter_info all[] = {
      {.size = sizeof(cr_parameter_info),
       .name = "damping",
       .target = "dof_damping[1]",
       .start = 2,
       .lower = 0,
       .upper = 9},
      {.size = sizeof(cr_parameter_info),
       .name = "axis",
       .target = "jnt_axis[a]",
       .kind = CR_FIT_DIRECTION},
      {.size = sizeof(cr_parameter_info),
       .name = "turn",
       .target = "body_quat[3]",
       .kind = CR_FIT_DIRECTION},
  };
  static const cr_parameter_info* const list[] = {&all[0], &all[1], &all[2]};
  cr_parameters* p = NULL;
  cr_fit* f = NULL;
  cr_real x[COUNT], g[COUNT], v[COUNT], lower[COUNT], upper[COUNT], value;
  must(cr_parameters_create(&p, m, list, 3, &error));
  assert_int_equal(cr_parameters_count(p), COUNT);
  must(cr_fit_create(&f, p, recordings, &short_windows, &error));
  must(cr_parameters_get_start(p, x, &error));
  must(cr_parameters_get_bounds(p, lower, upper, &error));
  assert_true(x[0] == 2 && x[1] == 0 && x[2] == 1 && x[4] == 1);
  assert_true(lower[0] == 0 && isinf(lower[1]) && isinf(upper[COUNT - 1]));
  const cr_real away[] = {0,         CR_R(0.3), CR_R(1.2),  CR_R(-0.2),
                          CR_R(0.9), CR_R(0.2), CR_R(-0.3), CR_R(0.5)};
  for (int i = 1; i < COUNT; i++) {
    x[i] += away[i];
  }
  must(cr_fit_objective(f, CR_ALL_DATA, x, &value, g, &error));
  must(cr_parameters_get_values(p, x, v, &error));
  assert_close(v[1] * v[1] + v[2] * v[2] + v[3] * v[3], 1, 10 * CR_EPS);
  cr_real along = 0;
  for (int i = 0; i < COUNT; i++) {
    cr_real h = CR_R(1e-5), at = x[i], difference;
    x[i] = at + h;
    difference = loss_at(f, x);
    x[i] = at - h;
    difference = (difference - loss_at(f, x)) / (2 * h);
    x[i] = at;
    assert_close(g[i], difference, CR_R(1e-5) * cr_abs(difference) + CR_R(1e-8));
    along += i > 3 ? g[i] * x[i] : 0;
  }
  assert_close(along, 0, CR_R(1e-12));  // lengths count for nothing
  cr_fit_destroy(f);
  cr_parameters_destroy(p);
}

static void refuse_one(cr_parameter_info info, const char* part) {
  const cr_parameter_info* list[] = {&info};
  cr_parameters* p = NULL;
  info.size = sizeof info;
  info.name = "d";
  info.kind = CR_FIT_DIRECTION;
  assert_int_equal(cr_parameters_create(&p, m, list, 1, &error), CR_ERR_ARG);
  assert_null(p);
  if (strstr(error.text, part) == NULL) {
    fail_msg("'%s' does not say '%s'", error.text, part);
  }
}

TEST(what_is_no_direction_is_refused) {
  refuse_one((cr_parameter_info){.target = "jnt_axis[a][0]"},
             "is not one direction, of unit length");
  refuse_one((cr_parameter_info){.target = "body_pos[2]"}, "is not one direction, of unit length");
  refuse_one((cr_parameter_info){.target = "jnt_axis[a]", .transform = CR_TRANSFORM_LOG},
             "'d': a direction has no transform");
}

// the recording was made with the model's own numbers
TEST(parameters_come_back) {
  cr_parameters* p = parameters();
  cr_fit* f = NULL;
  cr_real x[N], lower[N], upper[N], found[N], mass;
  must(cr_fit_create(&f, p, recordings, &short_windows, &error));
  must(cr_parameters_get_start(p, x, &error));
  must(cr_parameters_get_bounds(p, lower, upper, &error));
  const cr_minimise_problem problem = {.size = sizeof problem,
                                       .n = N,
                                       .evaluate = cr_fit_objective,
                                       .context = f,
                                       .lower = lower,
                                       .upper = upper};
  const cr_lbfgs_options lbfgs = {.size = sizeof lbfgs, .iterations = 200, .tolerance = 1e-12};
  must(cr_minimise_lbfgs(&problem, &lbfgs, x, NULL, &error));
  must(cr_parameters_get_values(p, x, found, &error));
  must(cr_model_get(m, "body_mass[2]", &mass, 1, &error));
  assert_close(found[0], CR_R(0.2), CR_R(1e-4));
  assert_close(found[1], mass, CR_R(1e-4));
  assert_close(found[2], 30, CR_R(1e-2));
  cr_fit_destroy(f);
  cr_parameters_destroy(p);
}

TEST(parts_and_batches) {
  cr_parameters* p = parameters();
  cr_fit* f = NULL;
  cr_fit_options o = short_windows;
  cr_fit_info train = {.size = sizeof train}, held = {.size = sizeof held};
  cr_fit_value v = {.size = sizeof v};
  cr_real x[N];
  o.held_out = CR_R(0.5);
  must(cr_fit_create(&f, p, recordings, &o, &error));
  must(cr_fit_get_info(f, CR_FIT_TRAIN, &train, &error));
  must(cr_fit_get_info(f, CR_FIT_HELD, &held, &error));
  assert_int_equal(train.windows, (ROWS - 9) / 4 + 1);
  assert_int_equal(train.windows, held.windows);
  assert_true(train.groups == 1 && held.groups == 1 && train.longest == 8);
  must(cr_parameters_get_start(p, x, &error));
  assert_true(loss_at(f, x) < train.standing_loss);
  must(cr_fit_set_batch(f, 3, &error));
  must(cr_fit_evaluate(f, CR_FIT_TRAIN, 5, x, &v, &error));
  assert_int_equal(v.windows, 3);
  must(cr_fit_evaluate(f, CR_FIT_HELD, 5, x, &v, &error));
  assert_int_equal(v.windows, held.windows);
  assert_int_equal(v.contact_free, held.windows);
  cr_fit_destroy(f);

  // recordings that come later are not part of it
  must(cr_fit_create(&f, p, recordings, &short_windows, &error));
  cr_real before = loss_at(f, x);
  for (int i = 0; i < 40; i++) {
    char name[32];
    (void)snprintf(name, sizeof name, "more %d", i);
    record(CR_R(0.1), name, 2 + i);
  }
  assert_true(loss_at(f, x) == before);
  cr_fit_destroy(f);

  // one recording alone, whole
  o = (cr_fit_options){.size = sizeof o, .first = 1, .run = 1};
  must(cr_fit_create(&f, p, recordings, &o, &error));
  must(cr_fit_get_info(f, CR_FIT_TRAIN, &train, &error));
  assert_true(train.windows == 1 && train.longest == ROWS - 1);
  cr_fit_destroy(f);
  cr_parameters_destroy(p);
}

static void refuse(cr_parameters* p, const cr_fit_options* o, const char* part) {
  cr_fit* f = NULL;
  assert_int_equal(cr_fit_create(&f, p, recordings, o, &error), CR_ERR_ARG);
  assert_null(f);
  if (strstr(error.text, part) == NULL) {
    fail_msg("'%s' does not say '%s'", error.text, part);
  }
}

static bool at_once(void* context) { return context == NULL; }

TEST(what_cannot_be_is_refused) {
  cr_parameters* p = parameters();
  cr_fit* f = NULL;
  cr_fit_options o = short_windows;
  cr_fit_value v = {.size = sizeof v};
  cr_real x[N];
  o.steps = -1;
  refuse(p, &o, "negative number of rows");
  o = short_windows;
  o.steps = ROWS;
  refuse(p, &o, "no window of 42 rows is left");
  o = short_windows;
  o.held_out = 1;
  refuse(p, &o, "share held out");
  o = short_windows;
  o.spin = -1;
  refuse(p, &o, "a weight is negative");
  o = short_windows;
  o.norm = (cr_norm)77;
  refuse(p, &o, "there is no norm 77");
  o.norm = CR_NORM_RECTIFY;
  refuse(p, &o, "rectify takes errors to one side for none");
  o.norm = CR_NORM_SMOOTH_ABS;
  refuse(p, &o, "p above 0 is needed");
  o = short_windows;
  o.first = 1;
  o.run = 99;
  refuse(p, &o, "recordings that do not exist");
  o.size = 3;
  refuse(p, &o, "member size of cr_fit_options is 3");
  o = short_windows;
  o.stop = at_once;
  must(cr_fit_create(&f, p, recordings, &o, &error));
  must(cr_parameters_get_start(p, x, &error));
  assert_int_equal(cr_fit_evaluate(f, CR_FIT_TRAIN, CR_ALL_DATA, x, &v, &error),
                   CR_ERR_INTERRUPTED);
  assert_int_equal(cr_fit_evaluate(f, (cr_fit_part)2, CR_ALL_DATA, x, &v, &error), CR_ERR_ARG);
  assert_int_equal(cr_fit_evaluate(f, CR_FIT_TRAIN, -2, x, &v, &error), CR_ERR_ARG);
  assert_int_equal(cr_fit_set_batch(f, -1, &error), CR_ERR_ARG);
  cr_fit_destroy(f);
  cr_parameters_destroy(p);

  // rows that are no multiple of the step apart, and another model
  must(cr_model_set_option(m, "timestep", CR_R(0.003), &error));
  p = parameters();
  refuse(p, &short_windows,
         "rows of the recordings are 0.01 s apart, no multiple of the time step");
  cr_parameters_destroy(p);
  must(cr_model_set_option(m, "timestep", CR_R(0.005), &error));
}
