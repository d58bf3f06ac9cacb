// SPDX-License-Identifier: Apache-2.0
// Steps of the sliders against the published equations in a plain loop, and gradients against differences of that loop.
#include "estimates/sliders.h"

#include <math.h>
#include <stdio.h>

#include "base/real.h"
#include "support/close.h"
#include "support/scratch.h"
#include "support/test.h"

enum { STEPS = 30 };
static cr_error error;

static const cr_sliders settings[] = {
    {.law = CR_SLIDERS_CONTACT,
     .keep = 0.6,
     .stiffness = 1e5,
     .start = 1,
     .goal = {1, 2},
     .steps = STEPS},
    {.law = CR_SLIDERS_CONTACT,
     .keep = 0.998,
     .stiffness = 10,
     .start = 1,
     .goal = {1, 2},
     .steps = STEPS},
    {.law = CR_SLIDERS_SOFTPLUS,
     .keep = 0.6,
     .stiffness = 1e5,
     .kappa = 1e4,
     .start = 1,
     .goal = {1, 2},
     .steps = STEPS},
    {.law = CR_SLIDERS_FRICTION, .keep = 1, .start = 0, .goal = {2, 2}, .steps = STEPS}};
enum { N_SETTING = (int)(sizeof settings / sizeof settings[0]) };

static double push_of(int step) { return 0.3 * sin(0.7 * step) + 0.25; }

// force on body 2
static double force_of(const cr_sliders* s, const double* x) {
  double far = x[1] - x[0];
  if (s->law == CR_SLIDERS_CONTACT) {
    return s->stiffness * fmax(0, 1 - far);
  }
  if (s->law == CR_SLIDERS_SOFTPLUS) {
    double z = s->kappa * (1 - far);
    return s->stiffness / s->kappa * (z > 0 ? z + log(1 + exp(-z)) : log(1 + exp(z)));
  }
  double friction = 1.8 * (x[3] - x[2]);
  return fabs(far) < 0.1 ? -fmin(fmax(friction, -0.18), 0.18) : 0;
}

static double cost_of(const cr_sliders* s, const double* x) {
  double a = x[0] - s->goal[0], b = x[1] - s->goal[1];
  return 0.1 * a * a + 10 * b * b + 0.1 * (x[2] * x[2] + x[3] * x[3]);
}

// x: places and velocities, at the end; returns the cost
static double published(const cr_sliders* s, const double* u, double* x) {
  const double h = 0.005, m = 0.1;
  double cost = 0;
  x[0] = x[2] = x[3] = 0;
  x[1] = s->start;
  for (int t = 0; t < s->steps; t++) {
    double f = force_of(s, x);
    cost += cost_of(s, x) + u[t] * u[t];
    x[2] = s->keep * x[2] + h / m * (u[t] - f);
    x[3] = s->keep * x[3] + h / m * f;
    x[0] += h * x[2];
    x[1] += h * x[3];
  }
  return cost + cost_of(s, x);
}

static void open_motion(cr_motion* motion, cr_model** m, const cr_sliders* s) {
  cr_notebook book = {.nclaim = 0};
  (void)snprintf(book.folder, sizeof book.folder, "%s", scratch_path(""));
  must(cri_sliders_open(&book, "sliders", s, m, &error));
  must(cri_sliders_motion(motion, *m, s, &error));
}

TEST(steps_are_the_published_ones) {
  for (int k = 0; k < N_SETTING; k++) {
    const cr_sliders* s = &settings[k];
    cr_motion motion;
    cr_model* m = NULL;
    double u[STEPS], end[4];
    cr_real controls[STEPS], qpos[2], qvel[2];
    for (int i = 0; i < STEPS; i++) {
      controls[i] = (cr_real)(u[i] = push_of(i));
    }
    open_motion(&motion, &m, s);
    double cost = published(s, u, end);
    assert_true(fabs(end[1] - s->start) > 1e-4);  // body 2 was moved
    must(motion.begin(motion.context, &motion, controls, &error));
    cr_rollout* rollout = cr_gradient_rollout(motion.gradient);
    must(cr_rollout_run(rollout, motion.m, STEPS, &motion.loss, &error));
    must(cr_rollout_get_states(rollout, motion.m, STEPS, 1, NULL, qpos, qvel, NULL, &error));
    for (int i = 0; i < 2; i++) {
      assert_close(qpos[i], end[i], CR_R(1e-12));
      assert_close(qvel[i], end[2 + i], CR_R(1e-12));
    }
    assert_close(cr_rollout_loss(rollout) + (cr_real)cri_sliders_start_cost(s), cost,
                 CR_R(1e-12) * (cr_real)cost);
    cri_motion_close(&motion);
    cr_model_destroy(m);
  }
}

TEST(gradients_are_those_of_the_published_steps) {
  for (int k = 0; k < N_SETTING; k++) {
    const cr_sliders* s = &settings[k];
    cr_motion motion;
    cr_model* m = NULL;
    cr_real controls[STEPS];
    double u[STEPS], end[4];
    for (int i = 0; i < STEPS; i++) {
      controls[i] = (cr_real)(u[i] = push_of(i));
    }
    open_motion(&motion, &m, s);
    must(motion.begin(motion.context, &motion, controls, &error));
    must(cr_rollout_run(cr_gradient_rollout(motion.gradient), motion.m, STEPS, &motion.loss,
                        &error));
    must(cr_gradient_compute(motion.gradient, &motion.loss, &error));
    const cr_real* gradient = cr_gradient_get(motion.gradient, 0);
    for (int i = 0; i < STEPS; i += 7) {
      const double h = 1e-7, at = u[i];
      u[i] = at + h;
      double above = published(s, u, end);
      u[i] = at - h;
      double below = published(s, u, end);
      u[i] = at;
      double slope = (above - below) / (2 * h);
      assert_close(gradient[i], slope, (cr_real)(1e-5 * (1 + fabs(slope))));
    }
    cri_motion_close(&motion);
    cr_model_destroy(m);
  }
}

// (x - 1)^2 of a body at rest: noise of 0.1 adds 0.01, and descent halves the distance
TEST(descent_reaches_the_least_mean) {
  const cr_sliders s = {.law = CR_SLIDERS_CONTACT,
                        .keep = 0.5,
                        .stiffness = 10,
                        .start = 5,
                        .goal = {0, 5},
                        .steps = 1};
  cr_motion motion;
  cr_model* m = NULL;
  cr_real x = 2, losses[31], alphas[30];
  open_motion(&motion, &m, &s);
  const cr_motion_descent d = {.options = {.kind = CR_ESTIMATOR_ALPHA, .samples = 100, .bias = 10},
                               .sigma = CR_R(0.1),
                               .rate = CR_R(0.25),
                               .steps = 30};
  must(cri_motion_descend(&motion, &d, &x, losses, alphas, &error));
  assert_true(losses[0] > CR_R(3.9) && losses[30] < CR_R(1e-2));
  assert_true(cr_abs(x) < CR_R(0.1) && alphas[0] > CR_R(0.9));
  cri_motion_close(&motion);
  cr_model_destroy(m);
}
