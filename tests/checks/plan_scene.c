// SPDX-License-Identifier: Apache-2.0
#include "checks/plan_scene.h"

#include "scenes/chain_model.h"
#include "support/close.h"

static void add(cr_cost* cost, const char* text, cr_real weight, cr_real terminal,
                const cr_real* target) {
  cr_error error = {0};
  const cr_cost_term term = {.size = sizeof term,
                             .kind = CR_RESIDUAL_PLACE,
                             .text = text,
                             .target = target,
                             .norm = CR_NORM_QUADRATIC,
                             .weight = weight,
                             .terminal = terminal};
  if (cr_cost_add(cost, &term, &error) != CR_OK) {
    fail_msg("%s", error.text);
  }
}

void plan_pendulum(cr_model* m, cr_cost** cost) {
  static const cr_real wanted[2] = {CR_R(0.8), CR_R(-0.4)};
  const int32_t types[2] = {CR_JNT_HINGE, CR_JNT_HINGE};
  assert_int_equal(chain_model(m, 2, types, 1, NULL), CR_OK);
  m->timestep = CR_R(0.01);
  m->actuator_ctrllimited[0] = 1;
  m->actuator_ctrlrange[0] = -20;
  m->actuator_ctrlrange[1] = 15;
  assert_int_equal(cr_cost_create(cost, m, NULL), CR_OK);
  add(*cost, "qpos", 1, 2, wanted);
  add(*cost, "qvel", CR_R(0.01), CR_R(0.1), NULL);
  add(*cost, "ctrl", CR_R(1e-4), 0, NULL);
  const cr_cost_term place = {.size = sizeof place,
                              .kind = CR_RESIDUAL_EXPRESSION,
                              .text = "xipos[2].z - 0.2",
                              .norm = CR_NORM_L2,
                              .p = CR_R(0.1),
                              .weight = CR_R(0.3)};
  assert_int_equal(cr_cost_add(*cost, &place, NULL), CR_OK);
}

void plan_slide(cr_model* m, cr_cost** cost) {
  const int32_t types[1] = {CR_JNT_SLIDE};
  assert_int_equal(chain_model(m, 1, types, 1, NULL), CR_OK);
  m->timestep = CR_R(0.02);
  assert_int_equal(cr_cost_create(cost, m, NULL), CR_OK);
  add(*cost, "qpos", 1, 5, NULL);
  add(*cost, "qvel", CR_R(0.1), 1, NULL);
  add(*cost, "ctrl", CR_R(1e-3), 0, NULL);
}

cr_planner* plan_make(const cr_model* m, const cr_cost* cost, const cr_plan_options* options) {
  cr_planner* p = NULL;
  cr_error error = {0};
  cr_plan_options o = *options;
  o.size = sizeof o;
  o.nthread = o.nthread > 0 ? o.nthread : 1;
  if (cr_planner_create(&p, m, cost, &o, &error) != CR_OK) {
    fail_msg("%s", error.text);
  }
  return p;
}

cr_plan_result plan_improve(cr_planner* p) {
  cr_plan_result result = {.size = sizeof result};
  cr_error error = {0};
  if (cr_planner_improve(p, &result, &error) != CR_OK) {
    fail_msg("%s", error.text);
  }
  return result;
}
