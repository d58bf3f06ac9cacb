// SPDX-License-Identifier: Apache-2.0
// Needs: io
// Optimisers on a function with a known minimum; and, with parameters, rollouts and their gradients, an
// identification by public calls alone.
#include <stdlib.h>

#include "carom/carom.h"
#include "support/close.h"
#include "support/scratch.h"

static cr_error error;

static void ok(cr_status status) {
  if (status != CR_OK) {
    fail_msg("%s", error.text);
  }
}

// ---- a bowl, its minimum at (1, -2), weights 1 and 100

static cr_status bowl(void* context, int batch, const cr_real* x, cr_real* value, cr_real* gradient,
                      cr_error* why) {
  const cr_real a = x[0] - 1, b = x[1] + 2;
  (void)why, (void)batch;
  *(int*)context += 1;
  *value = a * a + 100 * b * b;
  gradient[0] = 2 * a;
  gradient[1] = 200 * b;
  return CR_OK;
}

TEST(minima) {
  int calls = 0;
  const char* reason = NULL;
  cr_minimise_problem p = {.size = sizeof p, .n = 2, .evaluate = bowl, .context = &calls};
  const cr_lbfgs_options lbfgs = {.size = sizeof lbfgs, .iterations = 50};
  const cr_adam_options adam = {
      .size = sizeof adam, .iterations = 2000, .rate = 0.1, .final_rate = 1e-6};
  cr_real x[2] = {0, 0};
  ok(cr_minimise_lbfgs(&p, &lbfgs, x, &reason, &error));
  assert_close(x[0], 1, 1e-6);
  assert_close(x[1], -2, 1e-6);
  assert_true(calls > 1 && reason[0] != 0);
  cr_real y[2] = {0, 0};
  ok(cr_minimise_adam(&p, &adam, y, &reason, &error));
  assert_close(y[0], 1, 1e-4);
  assert_close(y[1], -2, 1e-4);
  // within bounds: the first number stops at its end
  const cr_real lower[] = {-1, -3}, upper[] = {0.5, 3};
  p.lower = lower;
  p.upper = upper;
  cr_real z[2] = {0, 0};
  ok(cr_minimise_lbfgs(&p, &lbfgs, z, NULL, &error));
  assert_close(z[0], 0.5, 1e-12);
  assert_close(z[1], -2, 1e-6);
}

// decay pulls towards zero; options of before it was there are as long as before
TEST(decay) {
  int calls = 0;
  cr_minimise_problem p = {.size = sizeof p, .n = 2, .evaluate = bowl, .context = &calls};
  cr_adam_options adam = {.size = sizeof adam,
                          .iterations = 2000,
                          .rate = 0.1,
                          .final_rate = 1e-6,
                          .weight_decay = 0.1};
  cr_real x[2] = {0, 0};
  ok(cr_minimise_adam(&p, &adam, x, NULL, &error));
  assert_true(x[0] > 0.5 && x[0] < 0.999);
  adam.weight_decay = 0;
  cr_real y[2] = {0, 0};
  ok(cr_minimise_adam(&p, &adam, y, NULL, &error));
  assert_close(y[0], 1, 1e-4);
  adam.weight_decay = -1;
  assert_int_equal(cr_minimise_adam(&p, &adam, y, NULL, &error), CR_ERR_ARG);
}

static cr_status none(void* context, int batch, const cr_real* x, cr_real* value, cr_real* gradient,
                      cr_error* why) {
  (void)context, (void)batch, (void)x, (void)gradient, (void)why;
  *value = (cr_real)NAN;
  return CR_OK;
}

TEST(refusals) {
  const cr_real lower[] = {1};
  cr_real x = 0;
  const cr_lbfgs_options lbfgs = {.size = sizeof lbfgs, .iterations = 5};
  cr_adam_options adam = {.size = sizeof adam, .iterations = 5, .rate = 0.1};
  cr_minimise_problem p = {.size = sizeof p, .n = 1, .evaluate = none};
  assert_int_equal(cr_minimise_lbfgs(&p, &lbfgs, &x, NULL, &error), CR_ERR_NONFINITE);
  assert_int_equal(cr_minimise_adam(&p, &adam, &x, NULL, &error), CR_ERR_NONFINITE);
  adam.rate = 0;
  assert_int_equal(cr_minimise_adam(&p, &adam, &x, NULL, &error), CR_ERR_ARG);
  p.lower = lower;
  assert_int_equal(cr_minimise_lbfgs(&p, &lbfgs, &x, NULL, &error), CR_ERR_ARG);
  assert_non_null(strstr(error.text, "x[0] is not between its bounds"));
  p.evaluate = NULL;
  assert_int_equal(cr_minimise_lbfgs(&p, &lbfgs, &x, NULL, &error), CR_ERR_ARG);
}

// ---- the mass and the damping of a pendulum with a spring, from its motion

enum { STEPS = 200 };

typedef struct {
  cr_parameters* ps;
  cr_rollout* r;
  cr_real seen[STEPS + 1];
} search;

static bool every(const void* context, int step, int nstep) {
  (void)context, (void)step, (void)nstep;
  return true;
}

static cr_status miss(void* context, const cr_model* m, const cr_data* d, int step, cr_real* loss) {
  const search* s = context;
  cr_real q;
  cr_status status = cr_data_get(m, d, "qpos", &q, 1, NULL);
  *loss += (q - s->seen[step]) * (q - s->seen[step]);
  return status;
}

static cr_status miss_bar(void* context, const cr_model* m, const cr_data* d, int step,
                          cr_data* bar) {
  const search* s = context;
  cr_real q;
  cr_status status = cr_data_get(m, d, "qpos", &q, 1, NULL);
  cr_data_view(m, bar, "qpos", NULL, NULL)[0] += 2 * (q - s->seen[step]);
  return status;
}

static cr_status run(search* s, const cr_loss* loss, cr_error* why) {
  const cr_model* m = cr_parameters_model(s->ps);
  cr_status status = cr_data_reset(m, cr_rollout_data(s->r));
  cr_data_view(m, cr_rollout_data(s->r), "qpos", NULL, NULL)[0] = 1;
  return status == CR_OK ? cr_rollout_run(s->r, m, STEPS, loss, why) : status;
}

static cr_status evaluate(void* context, int batch, const cr_real* x, cr_real* value,
                          cr_real* gradient, cr_error* why) {
  search* s = context;
  const cr_loss loss = {.context = s, .looks_at = every, .value = miss, .bar = miss_bar};
  (void)batch;
  cr_status status = cr_parameters_set(s->ps, x, why);
  status = status == CR_OK ? run(s, &loss, why) : status;
  const cr_model* m = cr_parameters_model(s->ps);
  status = status == CR_OK ? cr_rollout_gradient(s->r, m, m, &loss, why) : status;
  *value = cr_rollout_loss(s->r);
  return status == CR_OK ? cr_parameters_gradient(s->ps, cr_rollout_bar(s->r), x, gradient, why)
                         : status;
}

TEST(a_pendulum_is_identified) {
  cr_model* m;
  ok(cr_model_open(&m,
                   scratch_write("pendulum.xml",
                                 "<mujoco><option timestep='0.005'/><worldbody><body name='rod'>"
                                 "<joint name='a' axis='0 1 0' damping='.02' stiffness='1'/>"
                                 "<geom type='capsule' size='.02' fromto='0 0 0 .3 0 0'/></body>"
                                 "</worldbody></mujoco>"),
                   &error));
  const cr_parameter_info mass = {.size = sizeof mass,
                                  .name = "mass",
                                  .target = "body_mass[rod]",
                                  .transform = CR_TRANSFORM_LOG,
                                  .start = 1,
                                  .lower = 0.01,
                                  .upper = 10};
  const cr_parameter_info damping = {.size = sizeof damping,
                                     .name = "damping",
                                     .target = "dof_damping[a]",
                                     .transform = CR_TRANSFORM_SOFTPLUS,
                                     .start = 0.05,
                                     .lower = 0.0001,
                                     .upper = (cr_real)INFINITY};
  const cr_parameter_info* const items[] = {&mass, &damping};
  search s = {.ps = NULL};
  ok(cr_parameters_create(&s.ps, m, items, 2, &error));
  int nfield = 0;
  const char* const* fields = cr_parameters_fields(s.ps, &nfield);
  ok(cr_rollout_create(&s.r, cr_parameters_model(s.ps), STEPS, fields, nfield, &error));
  // what is seen, with a truth of 0.3 kg and 0.02 N m s/rad
  const cr_real truth[] = {cr_transform_inverse(CR_TRANSFORM_LOG, 0.3),
                           cr_transform_inverse(CR_TRANSFORM_SOFTPLUS, 0.02)};
  ok(cr_parameters_set(s.ps, truth, &error));
  ok(run(&s, NULL, &error));
  ok(cr_rollout_get_states(s.r, m, 0, STEPS + 1, NULL, s.seen, NULL, NULL, &error));
  cr_real x[2], lower[2], upper[2], p[2];
  ok(cr_parameters_get_start(s.ps, x, &error));
  ok(cr_parameters_get_bounds(s.ps, lower, upper, &error));
  const cr_minimise_problem problem = {.size = sizeof problem,
                                       .n = 2,
                                       .evaluate = evaluate,
                                       .context = &s,
                                       .lower = lower,
                                       .upper = upper};
  const cr_lbfgs_options options = {.size = sizeof options, .iterations = 100};
  ok(cr_minimise_lbfgs(&problem, &options, x, NULL, &error));
  ok(cr_parameters_get_values(s.ps, x, p, &error));
  assert_close(p[0], 0.3, 1e-4);
  assert_close(p[1], 0.02, 1e-5);
  cr_rollout_destroy(s.r);
  cr_parameters_destroy(s.ps);
  cr_model_destroy(m);
}
