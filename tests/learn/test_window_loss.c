// SPDX-License-Identifier: Apache-2.0
#include "support/close.h"

#include "base/random.h"
#include "learn/window_loss.h"
#include "math/quat.h"
#include "scenes/tossed_cube.h"

enum { NSTEP = 3 };

typedef struct {
  cr_model m;
  cr_data *d, *bar;
  cr_real rows[(NSTEP + 1) * CR_STATE_WIDTH];
  cr_window window;
} scene;

static void random_state(cr_random* r, cr_real* row) {
  for (int i = 0; i < CR_STATE_WIDTH; i++) {
    row[i] = cr_random_normal(r);
  }
  (void)cr_quat_normalize(row + 3);
}

static void open_scene(scene* s) {
  cr_random r = cr_random_seed(3, 0);
  tossed_cube(&s->m, CR_R(0.1));
  s->d = test_data(&s->m);
  assert_int_equal(cri_data_twin(&s->bar, &s->m, s->d, CR_DATA_COTANGENT, cri_no_params, NULL),
                   CR_OK);
  for (int k = 0; k <= NSTEP; k++) {
    random_state(&r, s->rows + k * CR_STATE_WIDTH);
  }
  s->window = (cr_window){
      .state = s->rows, .nstep = NSTEP, .weights = {1, 1, 1, 1}, .norm = {CR_NORM_POWER, 2, 0}};
  cr_window_start(&s->window, &s->m, s->d);
}

static void close_scene(scene* s) {
  cri_data_free(s->bar);
  cri_model_free(&s->m);
}

static cr_real loss_at(scene* s, int step) {
  cr_loss loss = cr_window_loss(&s->window);
  cr_real value = 0;
  assert_int_equal(loss.value(loss.context, &s->m, s->d, step, &value), CR_OK);
  return value;
}

static void put(scene* s, int step) {
  const cr_real* row = s->rows + step * CR_STATE_WIDTH;
  cr_copy(s->d->qpos, row, 7);
  cr_copy(s->d->qvel, row + 7, 6);
}

TEST(start_is_the_first_row) {
  scene s;
  open_scene(&s);
  assert_all_close(s.d->qpos, s.rows, 7, 0);
  assert_all_close(s.d->qvel, s.rows + 7, 6, 0);
  close_scene(&s);
}

TEST(each_group_is_a_mean_square) {
  scene s;
  open_scene(&s);
  cr_real share = 1 / (cr_real)(18 * NSTEP);
  put(&s, 2);
  assert_close(loss_at(&s, 2), 0, 0);
  s.window.weights = (cr_state_weights){2, 3, 5, 7};

  s.d->qpos[1] += CR_R(0.5);
  assert_close(loss_at(&s, 2), share * 2 * CR_R(0.25), 100 * CR_EPS);
  put(&s, 2);
  s.d->qvel[2] += 1;
  assert_close(loss_at(&s, 2), share * 5, 100 * CR_EPS);
  put(&s, 2);
  s.d->qvel[5] -= 1;
  assert_close(loss_at(&s, 2), share * 7, 100 * CR_EPS);
  s.d->qvel[5] -= 1;
  assert_close(loss_at(&s, 2), share * 7 * 4, 100 * CR_EPS);
  s.window.norm.p = 1;
  assert_close(loss_at(&s, 2), share * 7 * 2, 100 * CR_EPS);
  s.window.norm.p = 2;

  // a turn by t: |R - R'|^2 = 4 (1 - cos t), whatever the sign of the quaternion
  put(&s, 2);
  const cr_real turn[] = {0, CR_R(0.3), CR_R(-0.4)};
  cr_quat_integrate(s.d->qpos + 3, turn, 1);
  for (int i = 3; i < 7; i++) {
    s.d->qpos[i] = -s.d->qpos[i];
  }
  assert_close(loss_at(&s, 2), share * 3 * 4 * (1 - cr_cos(CR_R(0.5))), 100 * CR_EPS);
  close_scene(&s);
}

// the state a step h along a direction of the tangent, from row 1
static cr_real loss_along(scene* s, const cr_real* direction, cr_real h) {
  put(s, 1);
  for (int i = 0; i < 3; i++) {
    s->d->qpos[i] += h * direction[i];
  }
  cr_quat_integrate(s->d->qpos + 3, direction + 3, h);
  for (int i = 0; i < 6; i++) {
    s->d->qvel[i] += h * direction[6 + i];
  }
  return loss_at(s, 3);
}

static void cotangents_match(cri_norm norm) {
  scene s;
  open_scene(&s);
  s.window.norm = norm;
  cr_random r = cr_random_seed(4, 0);
  s.window.weights = (cr_state_weights){2, 3, 5, 7};
  cr_loss loss = cr_window_loss(&s.window);
  put(&s, 1);
  assert_int_equal(loss.bar(loss.context, &s.m, s.d, 3, s.bar), CR_OK);
  for (int trial = 0; trial < 10; trial++) {
    cr_real direction[12], product = 0, h = cr_pow(CR_EPS, CR_R(0.2));
    for (int i = 0; i < 12; i++) {
      direction[i] = cr_random_normal(&r);
      product += direction[i] * (i < 6 ? s.bar->qpos[i] : s.bar->qvel[i - 6]);
    }
    cr_real near = loss_along(&s, direction, h) - loss_along(&s, direction, -h);
    cr_real far = loss_along(&s, direction, 2 * h) - loss_along(&s, direction, -2 * h);
    assert_close((8 * near - far) / (12 * h), product, 1000 * cr_pow(CR_EPS, CR_R(0.8)));
  }
  close_scene(&s);
}

TEST(cotangents_match_differences) {
  cotangents_match((cri_norm){CR_NORM_POWER, 2, 0});
  cotangents_match((cri_norm){CR_NORM_POWER, 1, 0});
  cotangents_match((cri_norm){CR_NORM_L2, CR_R(0.1), 0});
  cotangents_match((cri_norm){CR_NORM_SMOOTH_ABS, CR_R(0.1), 0});
}

TEST(a_run_looks_at_every_step_and_counts_rows) {
  scene s;
  cr_rollout* rollout = NULL;
  open_scene(&s);
  assert_int_equal(cri_rollout_create(&rollout, &s.m, NSTEP, cri_no_params, NULL), CR_OK);
  s.rows[2] = 10;  // far above the board
  cr_loss loss = cr_window_loss(&s.window);
  cr_window_start(&s.window, &s.m, rollout->d);
  assert_int_equal(cr_rollout_run(rollout, &s.m, NSTEP, &loss, NULL), CR_OK);
  cr_real sum = 0;
  for (int k = 1; k <= NSTEP; k++) {
    cr_copy(s.d->qpos, cri_rollout_kept(rollout, &s.m, k).state.qpos.x, 7);
    cr_copy(s.d->qvel, cri_rollout_kept(rollout, &s.m, k).state.qvel.x, 6);
    sum += loss_at(&s, k);
  }
  assert_close(rollout->loss, sum, 100 * CR_EPS * sum);
  assert_true(rollout->rows == 0);

  s.rows[2] = CR_R(0.01);  // in the board
  cr_window_start(&s.window, &s.m, rollout->d);
  assert_int_equal(cr_rollout_run(rollout, &s.m, NSTEP, &loss, NULL), CR_OK);
  assert_true(rollout->rows > 0);
  cr_rollout_destroy(rollout);
  close_scene(&s);
}
