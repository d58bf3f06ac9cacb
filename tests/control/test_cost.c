// SPDX-License-Identifier: Apache-2.0
// Costs: the gradient of a rollout's cost against differences; the quadratic model of one state against differences of
// its residuals; the same bits with and without the stages that nobody reads, and from a copy.
#include "control/cost.h"

#include "carom/step.h"
#include "checks/field_space.h"
#include "engine/forward.h"
#include "kinematics/configuration.h"
#include "scenes/random_model.h"
#include "support/allocation.h"
#include "support/close.h"

enum { STEPS = 6, MOST = 256, NUMBERS = 3 };

// ---- a callback: (qvel_0 u_0, xpos of body 1 (x) z, sin of the first activation's or velocity's number)

static cr_status call_value(void* context, const cr_model* m, const cr_data* d, cr_real* r) {
  const cr_real* scale = context;
  r[0] = *scale * d->qvel[0] * d->ctrl[0];
  r[1] = d->xpos[3] * d->xpos[5];
  r[2] = cr_sin(d->qvel[1]);
  (void)m;
  return CR_OK;
}

static cr_status call_bar(void* context, const cr_model* m, const cr_data* d, const cr_real* r_bar,
                          cr_data* bar) {
  const cr_real* scale = context;
  bar->qvel[0] += *scale * d->ctrl[0] * r_bar[0];
  bar->ctrl[0] += *scale * d->qvel[0] * r_bar[0];
  bar->xpos[3] += d->xpos[5] * r_bar[1];
  bar->xpos[5] += d->xpos[3] * r_bar[1];
  bar->qvel[1] += cr_cos(d->qvel[1]) * r_bar[2];
  (void)m;
  return CR_OK;
}

static cr_real scale = CR_R(0.7);
static const cr_cost_callback function = {&scale, NUMBERS, call_value, call_bar, true};

static const cr_real quarter[4] = {CR_R(0.6), 0, CR_R(0.8), 0}, point[3] = {1, 2, 3};
static const cr_cost_term terms[] = {
    {.kind = CR_RESIDUAL_PLACE, .text = "qpos", .norm = CR_NORM_QUADRATIC, .weight = 1},
    {.kind = CR_RESIDUAL_PLACE,
     .text = "qvel",
     .norm = CR_NORM_L2,
     .p = 0.3,
     .weight = 2,
     .terminal = 1},
    {.kind = CR_RESIDUAL_PLACE, .text = "ctrl", .norm = CR_NORM_COSH, .p = 0.5, .weight = 0.1},
    {.kind = CR_RESIDUAL_PLACE,
     .text = "xpos[1]",
     .target = point,
     .norm = CR_NORM_L22,
     .p = 0.1,
     .q = 2,
     .weight = 1},
    {.kind = CR_RESIDUAL_ORIENTATION,
     .text = "xquat[1]",
     .target = quarter,
     .norm = CR_NORM_QUADRATIC,
     .weight = 3},
    {.kind = CR_RESIDUAL_ORIENTATION,
     .text = "site_xquat[0]",
     .target = quarter,
     .norm = CR_NORM_SMOOTH_ABS,
     .p = 0.1,
     .terminal = 2},
    {.kind = CR_RESIDUAL_EXPRESSION,
     .text = "max(xpos[1].z, 0.1) - 1 + time",
     .norm = CR_NORM_SMOOTH_ABS2,
     .p = 0.1,
     .q = 3,
     .weight = 1},
    {.kind = CR_RESIDUAL_EXPRESSION,
     .text = "sin(qvel) * ctrl[0]",
     .norm = CR_NORM_RECTIFY,
     .p = 0.2,
     .weight = 1},
    {.kind = CR_RESIDUAL_CALLBACK, .residual = &function, .norm = CR_NORM_QUADRATIC, .weight = 1.5},
    {.kind = CR_RESIDUAL_PLACE, .text = "subtree_com[1]", .norm = CR_NORM_NULL, .terminal = 0.5},
};
enum { N_TERM = (int)(sizeof terms / sizeof terms[0]) };

static cr_model model;  // trees without contacts, smooth; or in contact

static void open_model(uint64_t seed) {
  assert_int_equal(random_model(&model, seed, NULL), CR_OK);
  random_model_calm(&model);
  assert_true(model.nu > 0 && model.nsite > 0 && model.nv > 1);
}

static cr_cost* make_cost(int first, int n) {
  cr_cost* cost = NULL;
  cr_error error = {0};
  assert_int_equal(cr_cost_create(&cost, &model, &error), CR_OK);
  for (int i = first; i < first + n; i++) {
    cr_cost_term term = terms[i];
    term.size = sizeof term;
    if (cr_cost_add(cost, &term, &error) != CR_OK) {
      fail_msg("%s", error.text);
    }
  }
  return cost;
}

static cr_rollout* start(cr_rollout* r, uint64_t seed) {
  if (r == NULL) {
    assert_int_equal(cr_rollout_create(&r, &model, STEPS, NULL, 0, NULL), CR_OK);
  }
  cr_data* d = cr_rollout_data(r);
  assert_int_equal(cr_data_reset(&model, d), CR_OK);
  random_state(&model, d, seed, STATE_FLIGHT);
  d->time = 0;
  cr_random random = cr_random_seed(seed, 3);
  for (int i = 0; i < STEPS * model.nu; i++) {
    r->ctrl[i] = cr_random_range(&random, CR_R(-0.3), CR_R(0.3));
  }
  return r;
}

static cr_real run(cr_rollout* r, const cr_loss* loss) {
  cr_error error = {0};
  if (cr_rollout_run(r, &model, STEPS, loss, &error) != CR_OK) {
    fail_msg("%s", error.text);
  }
  return cr_rollout_loss(r);
}

// ---- as a loss

#ifdef CR_LONG_DOUBLE
static const double bound = 1e-9;
#else
static const double bound = 1e-6;
#endif

static void check_gradient(uint64_t seed, int first, int n) {
  cr_cost* cost = make_cost(first, n);
  cr_loss loss = cr_cost_loss(cost, STEPS, model.timestep);
  cr_rollout* r = start(NULL, seed);
  cr_real value = run(r, &loss), parts = 0;
  for (int i = 0; i < cr_cost_count(cost); i++) {
    parts += cr_cost_part(cost, i);
  }
  assert_close(parts, value, CR_R(1e-13) * (1 + cr_abs(value)));
  assert_int_equal(cr_rollout_gradient(r, &model, &model, &loss, NULL), CR_OK);
  cr_real gradient[STEPS * MOST], largest = 0;
  cr_copy(gradient, r->ctrl_bar, STEPS * model.nu);
  for (int i = 0; i < STEPS * model.nu; i++) {
    largest = cr_max(largest, cr_abs(gradient[i]));
  }
  const cr_real h = CR_R(1e-4), steps[] = {-2, -1, 1, 2}, weights[] = {1, -8, 8, -1};
  for (int i = 0; i < STEPS * model.nu; i += 1 + model.nu / 2) {
    cr_real sum = 0;
    for (int k = 0; k < 4; k++) {
      (void)start(r, seed);
      r->ctrl[i] += steps[k] * h;
      sum += weights[k] * run(r, &loss) / (12 * h);
    }
    assert_close(gradient[i], sum, (cr_real)bound * (CR_R(1e-2) + largest));
  }
  cr_rollout_destroy(r);
  cr_cost_destroy(cost);
}

TEST(gradients_match_differences) {
  for (uint64_t seed = 3; seed < 12; seed += 4) {
    open_model(seed);
    for (int i = 0; i < N_TERM; i++) {
      check_gradient(seed, i, 1);
    }
    check_gradient(seed, 0, N_TERM);
    cri_model_free(&model);
  }
}

// stages that no residual reads do not matter; nor whose copy of the cost it is
TEST(less_work_the_same_bits) {
  open_model(8);
  cr_cost *cost = make_cost(0, 8), *copy = NULL;
  assert_int_equal(cri_cost_copy(&copy, cost, NULL), CR_OK);
  cr_real values[3], gradients[3][STEPS * MOST];
  for (int k = 0; k < 3; k++) {
    cr_loss loss = cr_cost_loss(k == 2 ? copy : cost, STEPS, model.timestep);
    cr_rollout* r = start(NULL, 8);
    if (k > 0) {
      cri_cost_narrow(cost, r, &model);
    }
    values[k] = run(r, &loss);
    assert_int_equal(cr_rollout_gradient(r, &model, &model, &loss, NULL), CR_OK);
    cr_copy(gradients[k], r->ctrl_bar, STEPS * model.nu);
    cr_rollout_destroy(r);
    assert_true(values[k] == values[0]);
    assert_all_close(gradients[k], gradients[0], STEPS * model.nu, 0);
  }
  assert_true(!cost->stages[cr_ndynamics - 1] && cost->needs_fields);
  cr_cost_destroy(copy);
  cr_cost_destroy(cost);
  cri_model_free(&model);
}

// the integral of a constant over the motion, and its end
TEST(weights_are_of_time_and_end) {
  open_model(3);
  cr_cost* cost = NULL;
  assert_int_equal(cr_cost_create(&cost, &model, NULL), CR_OK);
  const cr_cost_term term = {.size = sizeof term,
                             .kind = CR_RESIDUAL_EXPRESSION,
                             .text = "2",
                             .norm = CR_NORM_QUADRATIC,
                             .weight = 3,
                             .terminal = 5};
  assert_int_equal(cr_cost_add(cost, &term, NULL), CR_OK);
  cr_loss loss = cr_cost_loss(cost, STEPS, model.timestep);
  cr_rollout* r = start(NULL, 3);
  assert_close(run(r, &loss), 2 * (3 * STEPS * model.timestep + 5), CR_R(1e-13));
  assert_close(run(r, &loss), 2 * (3 * STEPS * model.timestep + 5), CR_R(1e-13));
  cr_rollout_destroy(r);
  cr_cost_destroy(cost);
  cri_model_free(&model);
}

// ---- the quadratic model of one state

// z (+) h along number i
static void move(cr_data* d, const cr_data* from, int i, cr_real h) {
  cr_real step[MOST] = {0};
  cr_copy(d->qpos, from->qpos, model.nq);
  cr_copy(d->qvel, from->qvel, model.nv);
  cr_copy(d->act, from->act, model.na);
  cr_copy(d->ctrl, from->ctrl, model.nu);
  if (i < model.nv) {
    step[i] = 1;
    cri_configuration_move(&model, from->qpos, step, h, d->qpos);
  } else if (i < 2 * model.nv) {
    d->qvel[i - model.nv] += h;
  } else if (i < 2 * model.nv + model.na) {
    d->act[i - 2 * model.nv] += h;
  } else {
    d->ctrl[i - 2 * model.nv - model.na] += h;
  }
}

static cr_real J[64][MOST];

// the residual's Jacobian by differences
static void differences(cri_residual* residual, const cr_data* at, cr_data* d, int nz) {
  const cr_real h = CR_R(1e-4), steps[] = {-2, -1, 1, 2}, weights[] = {1, -8, 8, -1};
  for (int i = 0; i < nz; i++) {
    cr_real sum[64] = {0}, r[64];
    for (int k = 0; k < 4; k++) {
      move(d, at, i, steps[k] * h);
      assert_int_equal(cr_forward(&model, d), CR_OK);
      assert_int_equal(cri_residual_values(residual, &model, d, r), CR_OK);
      for (int j = 0; j < residual->n; j++) {
        sum[j] += weights[k] * r[j] / (12 * h);
      }
    }
    for (int j = 0; j < residual->n; j++) {
      J[j][i] = sum[j];
    }
  }
}

static void check_model(int t) {
  cr_cost* cost = make_cost(t, 1);
  cri_cost_term* term = &cost->terms[0];
  cr_data *d = test_data(&model), *moved = test_data(&model);
  cr_data* bar = test_twin(&model, d, CR_DATA_COTANGENT);
  random_state(&model, d, 5, STATE_FLIGHT);
  for (int i = 0; i < model.nu; i++) {
    d->ctrl[i] = CR_R(0.1) * (cr_real)(i + 1);
  }
  assert_int_equal(cr_forward(&model, d), CR_OK);
  (void)cr_cost_loss(cost, 4, CR_R(0.5));
  int nz = 2 * model.nv + model.na + model.nu;
  assert_true(nz < MOST && term->residual.n <= 64 && model.npluginstate == 0);
  static cr_real gradient[MOST], hessian[MOST * MOST];
  cr_real value, r[64], g[64], diagonal[64], outer;
  long before = allocation_count();
  assert_int_equal(cr_cost_gauss_newton(cost, &model, d, 4, bar, &value, gradient, hessian), CR_OK);
  assert_true(allocation_count() == before);
  cr_real w = CR_R(0.5) * term->weight + term->terminal;
  assert_int_equal(cri_residual_values(&term->residual, &model, d, r), CR_OK);
  assert_close(value, w * cri_norm_value(&term->norm, r, term->residual.n), CR_R(1e-13));
  cri_norm_derivatives(&term->norm, r, term->residual.n, g, diagonal, &outer);
  differences(&term->residual, d, moved, nz);
  for (int i = 0; i < nz; i++) {
    cr_real slope = 0;
    for (int k = 0; k < term->residual.n; k++) {
      slope += w * g[k] * J[k][i];
    }
    assert_close(gradient[i], slope, (cr_real)bound * (1 + cr_abs(slope)));
    for (int j = 0; j < nz; j++) {
      cr_real H = 0, a = 0, b = 0;
      for (int k = 0; k < term->residual.n; k++) {
        H += w * diagonal[k] * J[k][i] * J[k][j];
        a += r[k] * J[k][i];
        b += r[k] * J[k][j];
      }
      H += w * outer * a * b;
      assert_close(hessian[i * nz + j], H, (cr_real)bound * (1 + cr_abs(H)));
    }
  }
  cr_cost_destroy(cost);
}

TEST(quadratic_models_match_differences) {
  for (uint64_t seed = 3; seed < 8; seed += 4) {
    open_model(seed);
    for (int t = 0; t < N_TERM; t++) {
      check_model(t);
    }
    cri_model_free(&model);
    test_release();
  }
}

// ---- mistakes

static void refused(cr_cost_term term, const char* because) {
  cr_cost* cost = NULL;
  cr_error error = {0};
  assert_int_equal(cr_cost_create(&cost, &model, NULL), CR_OK);
  term.size = sizeof term;
  assert_int_not_equal(cr_cost_add(cost, &term, &error), CR_OK);
  if (strstr(error.text, because) == NULL) {
    fail_msg("'%s' does not say '%s'", error.text, because);
  }
  assert_int_equal(cr_cost_count(cost), 0);
  assert_null(cr_cost_name(cost, 0));
  cr_cost_destroy(cost);
}

TEST(mistakes_are_named) {
  open_model(3);
  refused((cr_cost_term){.text = "qvel"}, "cost 'qvel': it has no weight");
  refused((cr_cost_term){.text = "qvel", .weight = -1}, "0 or more is expected");
  refused((cr_cost_term){.text = "qvel", .terminal = (cr_real)NAN}, "0 or more is expected");
  refused((cr_cost_term){.text = "nothing", .weight = 1}, "nothing");
  refused((cr_cost_term){.text = "qvel", .weight = 1, .norm = CR_NORM_L2}, "p above 0");
  cri_model_free(&model);
}

// a residual that does not exist at a state ends the run with its name
TEST(what_is_not_finite_is_said) {
  open_model(3);
  cr_cost* cost = NULL;
  cr_error error = {0};
  const cr_cost_term term = {.size = sizeof term,
                             .name = "speed",
                             .kind = CR_RESIDUAL_EXPRESSION,
                             .text = "log(0 * qvel[0])",
                             .weight = 1};
  assert_int_equal(cr_cost_create(&cost, &model, NULL), CR_OK);
  assert_int_equal(cr_cost_add(cost, &term, NULL), CR_OK);
  cr_loss loss = cr_cost_loss(cost, STEPS, model.timestep);
  cr_rollout* r = start(NULL, 3);
  assert_int_equal(cr_rollout_run(r, &model, STEPS, &loss, &error), CR_ERR_NONFINITE);
  assert_non_null(strstr(error.text, "speed"));
  cr_rollout_destroy(r);
  cr_cost_destroy(cost);
  cri_model_free(&model);
}
