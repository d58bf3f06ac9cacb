// SPDX-License-Identifier: Apache-2.0
// Needs: io
// The model of a push against closed forms, and what is learned from made pushes.
#include "support/close.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "carom/carom.h"
#include "recorded/push_fit.h"
#include "recorded/push_make.h"
#include "recorded/push_scene.h"
#include "support/scratch.h"
#include "tools/files.h"

enum { ROWS = 200 };

static const cr_push_shape square = {
    .name = "square",
    .surface = "steel",
    .outline = {4, {{-0.045, -0.045}, {0.045, -0.045}, {0.045, 0.045}, {-0.045, 0.045}}},
    .mass = 0.84,
    .inertia = 1.13e-3};

// the finger goes 30 mm along x with 0.1 m/s, at height y of the left side, from 1 mm before it
static void push_along_x(cr_push* p, double y, double (*finger)[3], double (*body)[4]) {
  *p = (cr_push){.nfinger = ROWS, .finger = finger, .nbody = ROWS, .body = body};
  for (int k = 0; k < ROWS; k++) {
    double t = 0.002 * k, u = fmin(fmax((t - 0.03) / 0.3, 0), 1);
    finger[k][0] = body[k][0] = t;
    finger[k][1] = -0.05075 + 0.03 * u * u * (3 - 2 * u);
    finger[k][2] = y;
    body[k][1] = body[k][2] = body[k][3] = 0;
  }
  p->time = finger[ROWS - 1][0];
}

static void open_square(cr_push_data* data, cr_model** m) {
  *data = (cr_push_data){.radius = 0.00475, .nshape = 1};
  data->shape[0] = square;
  assert_int_equal(cri_push_scene(scratch_path(""), data, 0, m, NULL), CR_OK);
}

// through the centre: as far as the finger from the touch on, and straight
TEST(a_push_through_the_centre_goes_straight) {
  static double finger[ROWS][3], body[ROWS][4], pose[3 * ROWS];
  cr_push_data data;
  cr_push p;
  cr_model* m = NULL;
  double off[2];
  open_square(&data, &m);
  push_along_x(&p, 0, finger, body);
  assert_int_equal(cri_push_predict(m, &p, pose, off, NULL), CR_OK);
  assert_true(fabs(off[0] - 0.029) < 5e-5);
  assert_true(off[1] < 1e-4);
  assert_true(fabs(pose[3 * (ROWS - 1)] - 0.029) < 5e-5);
  // at rest before the touch: not a bit of creep
  assert_true(pose[0] == 0 && fabs(pose[3 * 14]) < 1e-12);
  cr_model_destroy(m);
}

// above the centre: it turns with the clock, and by as much the other way below
TEST(a_push_beside_the_centre_turns) {
  static double finger[ROWS][3], body[ROWS][4], pose[2][3 * ROWS];
  cr_push_data data;
  cr_push p;
  cr_model* m = NULL;
  double off[2];
  open_square(&data, &m);
  for (int k = 0; k < 2; k++) {
    push_along_x(&p, k == 0 ? 0.02 : -0.02, finger, body);
    assert_int_equal(cri_push_predict(m, &p, pose[k], off, NULL), CR_OK);
  }
  double turn = pose[0][3 * (ROWS - 1) + 2];
  assert_true(turn < -0.2 && turn > -0.8);
  assert_true(fabs(turn + pose[1][3 * (ROWS - 1) + 2]) < 1e-6);
  cr_model_destroy(m);
}

// the servo keeps the finger on its path, also while it pushes
TEST(the_finger_follows_its_path) {
  static double finger[ROWS][3], body[ROWS][4];
  cr_push_data data;
  cr_push p;
  cr_model* m = NULL;
  cr_rollout* r = NULL;
  enum { STEPS = 190 };
  open_square(&data, &m);
  push_along_x(&p, 0.01, finger, body);
  double h = (double)cr_model_timestep(m);
  assert_int_equal(cr_rollout_create(&r, m, STEPS, NULL, 0, NULL), CR_OK);
  cr_real* qpos = cr_data_view(m, cr_rollout_data(r), "qpos", NULL, NULL);
  qpos[0] = (cr_real)finger[0][1];
  qpos[1] = (cr_real)finger[0][2];
  for (int k = 0; k < STEPS; k++) {
    cri_push_control(&p, h, k, cr_rollout_ctrl(r) + (ptrdiff_t)CR_PUSH_NU * k, NULL);
  }
  assert_int_equal(cr_rollout_run(r, m, STEPS, NULL, NULL), CR_OK);
  for (int k = 0; k <= STEPS; k++) {
    cr_real at[CR_PUSH_NQ];
    double path[2];
    assert_int_equal(cr_rollout_get_states(r, m, k, 1, NULL, at, NULL, NULL, NULL), CR_OK);
    cri_push_finger(&p, h * k, path);
    assert_true(hypot((double)at[0] - path[0], (double)at[1] - path[1]) < 2e-5);
  }
  cr_rollout_destroy(r);
  cr_model_destroy(m);
}

// A body that friction has stopped gets slower by a factor a step, until its velocity has no digits left.
TEST(a_body_at_rest_stays_at_rest) {
  cr_push_data data;
  cr_model* m = NULL;
  cr_rollout* r = NULL;
  enum { STEPS = 3000 };
  open_square(&data, &m);
  assert_int_equal(cr_rollout_create(&r, m, STEPS, NULL, 0, NULL), CR_OK);
  cr_data* d = cr_rollout_data(r);
  cr_data_view(m, d, "qpos", NULL, NULL)[0] = 1;
  cr_data_view(m, d, "qvel", NULL, NULL)[CR_PUSH_BODY] = CR_R(0.1);
  for (int k = 0; k < STEPS; k++) {
    cr_rollout_ctrl(r)[(ptrdiff_t)CR_PUSH_NU * k] = 1;
  }
  assert_int_equal(cr_rollout_run(r, m, STEPS, NULL, NULL), CR_OK);
  // the feet carry the weight: m v^2 / 2 = mu m g x, and v_t^2 / (2 mu g) more on the ramp
  assert_close(cr_data_view(m, d, "qpos", NULL, NULL)[CR_PUSH_BODY], CR_R(0.001287), CR_R(1.2e-4));
  cr_rollout_destroy(r);
  cr_model_destroy(m);
}

static void learn(const cr_push_data* data, cr_model** m) {
  int list[64], n = 0;
  for (int i = 0; i < data->n && n < 8; i++) {
    list[n++] = i;
  }
  const cr_push_lesson lesson = {.data = data, .push = list, .n = n};
  const cr_push_training t = {.epochs = 3, .seed = 1};
  cr_real cost[2];
  double before[2], after[2];
  const cr_push* p = &data->push[0];
  assert_int_equal(cri_push_predict(m[p->shape], p, NULL, before, NULL), CR_OK);
  assert_int_equal(cri_push_correct(m, &lesson, &t, cost, NULL), CR_OK);
  assert_int_equal(cri_push_predict(m[p->shape], p, NULL, after, NULL), CR_OK);
  assert_true(cost[1] < CR_R(0.9) * cost[0]);
  assert_true(before[0] != after[0]);
}

TEST(made_pushes_can_be_learned_from) {
  cr_push_data data;
  cr_model* m[CR_PUSH_SHAPES] = {NULL};
  assert_int_equal(cri_push_make(scratch_path(""), 8, scratch_path("made.h5"), NULL, NULL), CR_OK);
  assert_int_equal(cri_push_read(&data, scratch_path("made.h5"), NULL), CR_OK);
  assert_int_equal(data.nshape, 2);
  for (int s = 0; s < data.nshape; s++) {
    assert_int_equal(cri_push_scene(scratch_path(""), &data, s, &m[s], NULL), CR_OK);
  }
  learn(&data, m);
  for (int s = 0; s < data.nshape; s++) {
    cr_model_destroy(m[s]);
  }
  cri_push_free(&data);
}
