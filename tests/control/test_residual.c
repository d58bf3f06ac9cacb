// SPDX-License-Identifier: Apache-2.0
// Residuals: differences on the group, targets in time, and texts that name nothing.
#include "control/residual.h"

#include "engine/forward.h"
#include "math/quat.h"
#include "scenes/random_model.h"
#include "support/close.h"

static cr_model model;  // loose trees and a plane
static cr_data* data;

static void setup(void) {
  assert_int_equal(random_model(&model, 8, NULL), CR_OK);
  data = test_data(&model);
  random_state(&model, data, 8, STATE_FLIGHT);
  assert_int_equal(cr_forward(&model, data), CR_OK);
}

static void teardown(void) { cri_model_free(&model); }

AROUND_FILE(setup, teardown)

static cri_residual make(const cr_cost_term* term) {
  cri_residual r;
  cr_error error = {0};
  if (cri_residual_make(&r, &model, term, &error) != CR_OK) {
    fail_msg("%s", error.text);
  }
  return r;
}

// the turn from the target to the body is the one that was made
TEST(orientations_differ_by_a_turn) {
  const cr_real turn[3] = {CR_R(0.3), CR_R(-0.5), CR_R(0.2)};
  cr_real target[4], values[3];
  cr_copy(target, data->xquat + 4, 4);
  cr_quat_integrate(target, turn, -1);
  // target exp(turn) is the body, for a turn about an axis that exp(-turn) keeps
  cri_residual r = make(&(cr_cost_term){.size = sizeof(cr_cost_term),
                                        .kind = CR_RESIDUAL_ORIENTATION,
                                        .text = "xquat[1]",
                                        .target = target});
  assert_int_equal(r.n, 3);
  assert_int_equal(cri_residual_values(&r, &model, data, values), CR_OK);
  assert_all_close(values, turn, 3, CR_R(1e-13));
  cri_residual_free(&r);
}

// coordinates: plain ones subtract, orientations turn; without a target they are those of no turn
TEST(all_coordinates) {
  cr_real values[256];
  cri_residual r = make(&(cr_cost_term){.size = sizeof(cr_cost_term),
                                        .kind = CR_RESIDUAL_PLACE,
                                        .text = "qpos",
                                        .target = model.qpos0});
  assert_int_equal(r.n, model.nv);
  assert_int_equal(r.ntarget, model.nq);
  assert_true(cri_residual_is_direct(&r));
  assert_int_equal(cri_residual_values(&r, &model, data, values), CR_OK);
  cr_real log[3];
  int seen = 0;
  for (int j = 0; j < model.njnt; j++) {
    int q = model.jnt_qposadr[j], v = model.jnt_dofadr[j];
    if (model.jnt_type[j] == CR_JNT_BALL) {
      cr_quat_sub(log, data->qpos + q, model.qpos0 + q);
      assert_all_close(values + v, log, 3, 0);
      seen++;
    } else if (model.jnt_type[j] == CR_JNT_HINGE || model.jnt_type[j] == CR_JNT_SLIDE) {
      assert_true(values[v] == data->qpos[q] - model.qpos0[q]);
      seen++;
    }
  }
  assert_true(seen > 1);
  cri_residual_free(&r);
}

TEST(targets_move_in_time) {
  const cr_real target[6] = {0, 0, 1, 10, 3, -10}, times[3] = {1, 2, 4};
  cri_residual r = make(&(cr_cost_term){.size = sizeof(cr_cost_term),
                                        .kind = CR_RESIDUAL_EXPRESSION,
                                        .text = "0 * qvel[0] * gravity - gravity * 0",
                                        .target = NULL});
  cri_residual_free(&r);
  r = make(&(cr_cost_term){.size = sizeof(cr_cost_term),
                           .kind = CR_RESIDUAL_PLACE,
                           .text = "actuator_ctrlrange[0]",
                           .target = target,
                           .times = times,
                           .rows = 3});
  const struct {
    double time, first, second;
  } rows[] = {{0, 0, 0}, {1, 0, 0}, {1.5, 0.5, 5}, {2, 1, 10}, {3, 2, 0}, {4, 3, -10}, {9, 3, -10}};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    cr_real values[2];
    data->time = (cr_real)rows[i].time;
    assert_int_equal(cri_residual_values(&r, &model, data, values), CR_OK);
    assert_close(values[0], model.actuator_ctrlrange[0] - (cr_real)rows[i].first, CR_R(1e-14));
    assert_close(values[1], model.actuator_ctrlrange[1] - (cr_real)rows[i].second, CR_R(1e-14));
  }
  data->time = 0;
  cri_residual_free(&r);
}

// quaternions q and -q are one turn, and targets between two are unit
TEST(turning_targets_go_the_shorter_way) {
  cr_real target[8] = {1, 0, 0, 0, 0, 0, 0, 0};
  const cr_real times[2] = {0, 1}, x[3] = {1, 0, 0};
  cr_quat_axis_angle(target + 4, x, CR_R(0.8));
  for (int k = 4; k < 8; k++) {
    target[k] = -target[k];
  }
  cri_residual r = make(&(cr_cost_term){.size = sizeof(cr_cost_term),
                                        .kind = CR_RESIDUAL_ORIENTATION,
                                        .text = "xquat[1]",
                                        .target = target,
                                        .times = times,
                                        .rows = 2});
  cr_real values[3], middle[4], expected[3];
  data->time = CR_R(0.5);
  cr_quat_axis_angle(middle, x, CR_R(0.4));
  cr_quat_sub(expected, data->xquat + 4, middle);
  assert_int_equal(cri_residual_values(&r, &model, data, values), CR_OK);
  assert_all_close(values, expected, 3, CR_R(1e-13));
  data->time = 0;
  cri_residual_free(&r);
}

static void refused(cr_cost_term term, const char* because) {
  cr_error error = {0};
  cri_residual r;
  term.size = sizeof term;
  term.name = "stand";
  assert_int_not_equal(cri_residual_make(&r, &model, &term, &error), CR_OK);
  cri_residual_free(&r);
  if (strstr(error.text, because) == NULL || strstr(error.text, "cost 'stand': ") == NULL) {
    fail_msg("'%s' does not say '%s'", error.text, because);
  }
}

TEST(mistakes_are_named) {
  const cr_real bad[4] = {1, 1, 0, 0}, nan[4] = {(cr_real)NAN}, times[2] = {1, 1}, zero[512] = {0};
  refused((cr_cost_term){.text = NULL}, "no text");
  refused((cr_cost_term){.text = "qposs"}, "qposs");
  refused((cr_cost_term){.text = "xpos[nobody]"}, "nobody");
  refused((cr_cost_term){.kind = CR_RESIDUAL_EXPRESSION, .text = "1 +"}, "expected");
  refused((cr_cost_term){.kind = CR_RESIDUAL_ORIENTATION, .text = "xpos[1]"}, "not one quaternion");
  refused((cr_cost_term){.kind = CR_RESIDUAL_CALLBACK}, "a callback needs");
  refused((cr_cost_term){.kind = (cr_residual_kind)9, .text = "qvel"}, "does not exist");
  refused((cr_cost_term){.text = "xquat[1]", .target = bad}, "no unit quaternion");
  refused((cr_cost_term){.text = "xpos[1]", .target = nan}, "not finite");
  refused((cr_cost_term){.text = "qvel", .target = zero, .rows = 2}, "need times");
  refused((cr_cost_term){.text = "qvel", .target = zero, .times = times, .rows = 2}, "ascend");
  refused((cr_cost_term){.text = "qvel", .rows = 1}, "need a target");
}
