// SPDX-License-Identifier: Apache-2.0
// Steps of the robot against the published equations in a plain loop, and gradients against differences of that loop.
#include "estimates/room.h"

#include <math.h>
#include <stdio.h>

#include "base/real.h"
#include "support/close.h"
#include "support/scratch.h"
#include "support/test.h"

enum { N = 2 * CR_ROOM_STEPS };

static cr_error error;
static cr_model* m;
static cr_motion motion;

static void setup(void) {
  cr_notebook book = {.nclaim = 0};
  (void)snprintf(book.folder, sizeof book.folder, "%s", scratch_path(""));
  must(cri_room_open(&book, &m, &error));
  must(cri_room_motion(&motion, m, &error));
}

static void teardown(void) {
  cri_motion_close(&motion);
  cr_model_destroy(m);
}

AROUND_FILE(setup, teardown)

static bool inside(double x, double y) {
  for (int i = 0; i < CR_ROOM_PILLARS; i++) {
    double cx, cy, radius;
    cri_room_pillar(i, &cx, &cy, &radius);
    if (hypot(x - cx, y - cy) < radius) {
      return true;
    }
  }
  return false;
}

// the loss, with what it is at the start; counts bumps
static double published(const double* u, int* bumps) {
  double x = 0, y = 0, loss = 0;
  bool bump = false;
  *bumps = 0;
  for (int k = 0; k < CR_ROOM_STEPS; k++) {
    const double *now = u + (ptrdiff_t)2 * k, to[2] = {x + 0.01 * now[0], y + 0.01 * now[1]};
    loss += x * x + (y - 4) * (y - 4) + 0.001 * (now[0] * now[0] + now[1] * now[1]);
    bump = inside(to[0], to[1]);
    *bumps += bump;
    x = bump ? x : to[0];
    y = bump ? y : to[1];
  }
  return loss + 10 * (x * x + (y - 4) * (y - 4)) + (bump ? 100 : 0);
}

// ways around the pillars, into one and on, and one that ends in a bump
static void velocities(int way, double* u) {
  for (int k = 0; k < CR_ROOM_STEPS; k++) {
    double* now = u + (ptrdiff_t)2 * k;
    now[0] = way == 0 ? (k < 70 ? 2 : -0.3) : way == 1 ? 0.3 * sin(0.05 * k) - 0.1 : -0.05;
    now[1] = way == 0 ? (k < 60 ? 0 : 2.5) : way == 1 ? 1 + 0.5 * sin(0.1 * k) : 1.5;
  }
}

static double run(const double* u) {
  cr_real x[N];
  for (int i = 0; i < N; i++) {
    x[i] = (cr_real)u[i];
  }
  cr_rollout* rollout = cr_gradient_rollout(motion.gradient);
  must(motion.begin(NULL, &motion, x, &error));
  must(cr_rollout_run(rollout, motion.m, CR_ROOM_STEPS, &motion.loss, &error));
  return (double)cr_rollout_loss(rollout) + CR_ROOM_START_COST;
}

TEST(steps_are_the_published_ones) {
  for (int way = 0; way < 3; way++) {
    double u[N];
    int bumps;
    velocities(way, u);
    double loss = published(u, &bumps);
    assert_true(way == 0 ? bumps == 0 : bumps > 0);
    assert_close(run(u), loss, CR_R(1e-5) * (cr_real)loss);
    if (way == 2) {
      assert_true(cri_room_bumped(motion.m, cr_rollout_data(cr_gradient_rollout(motion.gradient))));
    }
  }
}

TEST(gradients_are_those_of_the_published_steps) {
  for (int way = 0; way < 3; way++) {
    double u[N];
    int bumps;
    velocities(way, u);
    (void)run(u);
    must(cr_gradient_compute(motion.gradient, &motion.loss, &error));
    const cr_real* gradient = cr_gradient_get(motion.gradient, 0);
    for (int i = 0; i < N; i += 17) {
      const double h = 1e-5, at = u[i];
      int above_bumps, below_bumps;
      u[i] = at + h;
      double above = published(u, &above_bumps);
      u[i] = at - h;
      double below = published(u, &below_bumps);
      u[i] = at;
      (void)published(u, &bumps);
      if (above_bumps == bumps && below_bumps == bumps) {  // no jump between
        assert_close(gradient[i], (above - below) / (2 * h), CR_R(1e-4));
      }
    }
  }
}
