// SPDX-License-Identifier: Apache-2.0
// The control callback of a rollout.
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/real.h"
#include "carom/rollout.h"
#include "rollout/trajectory.h"
#include "scenes/chain_model.h"
#include "support/test.h"

enum { STEPS = 20 };

typedef struct {
  int calls, fail_at;
  cr_real gain;
} controller;

// ctrl = - gain velocity + step
static cr_status damp(void* context, const cr_model* m, const cr_data* d, int step, cr_real* ctrl) {
  controller* c = context;
  assert_int_equal(step, c->calls++);
  for (int i = 0; i < m->nu; i++) {
    ctrl[i] = -c->gain * d->qvel[0] + CR_R(0.01) * (cr_real)step;
  }
  return step == c->fail_at ? CR_ERR_ARG : CR_OK;
}

static cr_model model;

static cr_rollout* open_rollout(void) {
  const int32_t types[] = {CR_JNT_HINGE, CR_JNT_HINGE};
  cr_rollout* r;
  assert_int_equal(chain_model(&model, 2, types, 2, NULL), CR_OK);
  assert_int_equal(cr_rollout_create(&r, &model, STEPS, NULL, 0, NULL), CR_OK);
  cr_rollout_data(r)->qvel[0] = 1;
  return r;
}

static void close_rollout(cr_rollout* r) {
  cr_rollout_destroy(r);
  cri_model_free(&model);
}

// what the callback wrote, set beforehand, gives the same bits
TEST(controls_are_kept) {
  cr_rollout* r = open_rollout();
  controller c = {.gain = 2, .fail_at = -1};
  cr_real ctrl[2 * STEPS], q[2];
  cr_rollout_set_control(r, damp, &c);
  assert_int_equal(cr_rollout_run(r, &model, STEPS, NULL, NULL), CR_OK);
  assert_int_equal(c.calls, STEPS);
  cr_copy(ctrl, cr_rollout_ctrl(r), 2 * STEPS);
  cr_copy(q, cr_rollout_data(r)->qpos, 2);
  assert_true(ctrl[0] == -2 && ctrl[2 * STEPS - 1] != -2);
  close_rollout(r);
  r = open_rollout();
  cr_copy(cr_rollout_ctrl(r), ctrl, 2 * STEPS);
  assert_int_equal(cr_rollout_run(r, &model, STEPS, NULL, NULL), CR_OK);
  assert_memory_equal(q, cr_rollout_data(r)->qpos, sizeof q);
  // and without a callback again
  cr_rollout_set_control(r, NULL, NULL);
  assert_int_equal(cr_rollout_run(r, &model, STEPS, NULL, NULL), CR_OK);
  close_rollout(r);
}

TEST(a_controller_can_end_a_run) {
  cr_rollout* r = open_rollout();
  controller c = {.fail_at = 3};
  cr_error error = {0};
  cr_rollout_set_control(r, damp, &c);
  assert_int_equal(cr_rollout_run(r, &model, STEPS, NULL, &error), CR_ERR_ARG);
  assert_non_null(strstr(error.text, "the control of step 4"));
  close_rollout(r);
}

// ---- controls that change linearly

enum { KNOTS = 4 };

// velocity of a motor's joint without anything else: the integral of the ramps, the last row held
TEST(ramps_are_integrated) {
  const int32_t types[] = {CR_JNT_SLIDE};
  const cr_real u[KNOTS] = {CR_R(0.3), -1, 2, CR_R(0.5)}, grid = CR_R(0.25);
  cr_rollout* r;
  assert_int_equal(chain_model(&model, 1, types, 1, NULL), CR_OK);
  cr_zero(model.gravity, 3);
  cr_zero(model.dof_damping, model.nv);
  cr_zero(model.jnt_stiffness, model.njnt);
  model.integrator = CR_INT_TSIT5;
  assert_int_equal(cr_rollout_create(&r, &model, KNOTS, NULL, 0, NULL), CR_OK);
  cr_real gain[2];
  for (int kind = 0; kind < 2; kind++) {
    const cr_adaptive options = {.size = sizeof options,
                                 .rtol = CR_R(1e-9),
                                 .atol = CR_R(1e-9),
                                 .grid = grid,
                                 .linear = kind == 1};
    assert_int_equal(cr_rollout_set_adaptive(r, &model, &options, NULL), CR_OK);
    cri_data_reset(&model, cr_rollout_data(r));
    cr_copy(cr_rollout_ctrl(r), u, KNOTS);
    assert_int_equal(cr_rollout_run(r, &model, KNOTS, NULL, NULL), CR_OK);
    gain[kind] = cr_rollout_data(r)->qvel[0];
  }
  cr_real held = grid * (u[0] + u[1] + u[2] + u[3]);
  cr_real linear = grid * (u[0] / 2 + u[1] + u[2] + u[3] / 2 + u[3]);
  assert_true(held != 0);
  assert_true(cr_abs(gain[1] / gain[0] - linear / held) < CR_R(1e-12));
  // a callback's are held
  controller c = {.fail_at = -1};
  cr_error error = {0};
  cr_rollout_set_control(r, damp, &c);
  assert_int_equal(cr_rollout_run(r, &model, KNOTS, NULL, &error), CR_ERR_ARG);
  assert_non_null(strstr(error.text, "are held, not linear"));
  close_rollout(r);
}

// the gradient with respect to every row, against differences of the loss
TEST(gradients_of_ramps) {
  const int32_t types[] = {CR_JNT_HINGE, CR_JNT_BALL};
  const cr_adaptive options = {.size = sizeof options,
                               .rtol = CR_R(1e-12),
                               .atol = CR_R(1e-12),
                               .grid = CR_R(0.05),
                               .linear = true,
                               .quaternions = true};
  cr_rollout* r;
  cr_expression* expression;
  assert_int_equal(chain_model(&model, 2, types, 2, NULL), CR_OK);
  model.integrator = CR_INT_DOPRI8;
  assert_int_equal(cr_rollout_create(&r, &model, KNOTS, NULL, 0, NULL), CR_OK);
  assert_int_equal(cr_rollout_set_adaptive(r, &model, &options, NULL), CR_OK);
  assert_int_equal(cr_expression_create(&expression, &model,
                                        "norm(qvel)^2 + sum(ctrl^2) + sum(qacc) + xpos[2].z", NULL),
                   CR_OK);
  cr_loss loss = cr_expression_loss(expression, true);
  cr_real u[2 * KNOTS], gradient[2 * KNOTS], value[2], h = CR_R(1e-4), largest = 0;
  for (int i = 0; i < 2 * KNOTS; i++) {
    u[i] = cr_sin((cr_real)(3 * i));
  }
  for (int k = -1; k < 2 * KNOTS; k++) {
    for (int side = 0; side < (k < 0 ? 1 : 2); side++) {
      cri_data_reset(&model, cr_rollout_data(r));
      cr_rollout_data(r)->qvel[0] = 1;
      cr_copy(cr_rollout_ctrl(r), u, 2 * KNOTS);
      if (k >= 0) {
        cr_rollout_ctrl(r)[k] += side == 0 ? -h : h;
      }
      assert_int_equal(cr_rollout_run(r, &model, KNOTS, &loss, NULL), CR_OK);
      value[side] = cr_rollout_loss(r);
    }
    if (k < 0) {
      assert_int_equal(cr_rollout_gradient(r, &model, &model, &loss, NULL), CR_OK);
      cr_copy(gradient, cr_rollout_ctrl_bar(r), 2 * KNOTS);
    } else {
      cr_real difference = (value[1] - value[0]) / (2 * h);
      assert_true(gradient[k] != 0);
      largest = cr_max(largest, cr_abs(gradient[k]));
      assert_true(cr_abs(gradient[k] - difference) < CR_R(1e-6) * cr_max(1, largest));
    }
  }
  cr_expression_destroy(expression);
  close_rollout(r);
}
