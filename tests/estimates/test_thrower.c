// SPDX-License-Identifier: Apache-2.0
// The thrown ball against its closed form: loss, gradient, where the loss jumps.
#include "estimates/thrower.h"

#include <math.h>
#include <stdio.h>

#include "base/real.h"
#include "support/close.h"
#include "support/scratch.h"
#include "support/test.h"

static cr_error error;
static cr_model* m;
static cr_motion motion;
static cr_thrower_flight flight;

static void setup(void) {
  cr_notebook book = {.nclaim = 0};
  (void)snprintf(book.folder, sizeof book.folder, "%s", scratch_path(""));
  must(cri_thrower_open(&book, &m, &error));
  must(cri_thrower_motion(&motion, m, &flight, &error));
}

static void teardown(void) {
  cri_motion_close(&motion);
  cr_model_destroy(m);
}

AROUND_FILE(setup, teardown)

static double run(double angle, double* slope) {
  const cr_real x = (cr_real)angle;
  cr_rollout* rollout = cr_gradient_rollout(motion.gradient);
  must(motion.begin(NULL, &motion, &x, &error));
  must(cr_rollout_run(rollout, motion.m, motion.steps, &motion.loss, &error));
  must(cr_gradient_compute(motion.gradient, &motion.loss, &error));
  *slope = (double)cr_gradient_get(motion.gradient, 0)[0];
  return (double)cr_rollout_loss(rollout);
}

TEST(motions_end_where_the_closed_form_says) {
  for (double angle = -0.6; angle < 3.1; angle += 0.0137) {
    const double h = 1e-6;
    double slope, loss = run(angle, &slope);
    double difference = (cri_thrower_loss(angle + h) - cri_thrower_loss(angle - h)) / (2 * h);
    assert_close(loss, cri_thrower_loss(angle), CR_R(1e-12));
    assert_close(slope, difference, CR_R(1e-8));
  }
}

TEST(the_loss_jumps_where_the_ball_just_clears_the_wall) {
  double angles[CR_THROWER_JUMPS], sizes[CR_THROWER_JUMPS], slope;
  cri_thrower_jumps(angles, sizes);
  for (int i = 0; i < CR_THROWER_JUMPS; i++) {
    const double h = 1e-9;
    assert_true(fabs(sizes[i]) > 1e-3);
    assert_close(run(angles[i] + h, &slope) - run(angles[i] - h, &slope), sizes[i], CR_R(1e-8));
  }
}

// the mean's derivative is that of its mean; without jumps nothing is lacking
TEST(quadratures_fit_each_other) {
  double above, below, mean, slope, unused;
  const double h = 5e-3;
  cri_thrower_mean(0.7 + h, 0.1, &above, &unused);
  cri_thrower_mean(0.7 - h, 0.1, &below, &unused);
  cri_thrower_mean(0.7, 0.1, &mean, &slope);
  assert_close(slope, (above - below) / (2 * h), CR_R(1e-4));
  assert_true(fabs(cri_thrower_lack(0.7, 0.1)) > 0.02);
  cri_thrower_mean(0.3, 0.02, &mean, &slope);
  assert_close(cri_thrower_lack(0.3, 0.02), 0, CR_R(1e-12));
  assert_close(mean, cri_thrower_loss(0.3), CR_R(1e-4));
}
