// SPDX-License-Identifier: Apache-2.0
// The controller: when it decides, what torques come of forces, and where a swinging leg is sent.
#include "walk/walker.h"

#include "support/close.h"
#include "walk/robot.h"
#include "walk/space.h"

static const double fixed[CR_LEGS][3] = {{5, -3, 60}, {2, 4, 70}, {-6, 1, 80}, {0, 0, 50}};

static cr_status decide(void* context, const cr_body_view* view, double force[CR_LEGS][3],
                        cr_error* e) {
  (void)view;
  (void)e;
  ++*(int*)context;
  memcpy(force, fixed, sizeof fixed);
  return CR_OK;
}

static void stand_still(const cr_legged* r, cr_measured_body* to) {
  *to = (cr_measured_body){.quat = {1, 0, 0, 0}, .touches = {true, true, true, true}};
  memcpy(to->q, r->stand, sizeof to->q);
}

TEST(forces_become_torques_by_the_jacobians_of_the_model) {
  cr_legged r;
  cr_model* m = open_robot(&r);
  cr_data* d;
  cr_walker w;
  cr_measured_body measured;
  double torque[CR_LEGGED_JOINTS], pushed[18] = {0};
  const double wanted[3] = {0, 0, 0};
  int decisions = 0;
  must(cr_data_create(&d, m, &error));
  must(cri_legged_stand(&r, d, &error));
  // pitched a little: level forces are not those of the trunk
  cr_real* qpos = cr_data_view(m, d, "qpos", NULL, NULL);
  qpos[3] = cos(0.05);
  qpos[5] = sin(0.05);
  assert_int_equal(cr_forward(m, d), CR_OK);
  const cr_walk_options o = cri_walk_options(&r);
  cri_walker_begin(&w, &r, &o, decide, &decisions);
  stand_still(&r, &measured);
  measured.quat[0] = qpos[3];
  measured.quat[2] = qpos[5];
  must(cri_walker_act(&w, &measured, 0.001, 0.001, wanted, torque, &error));
  for (int leg = 0; leg < CR_LEGS; leg++) {
    const cr_real* toe = cr_data_view(m, d, "geom_xpos", NULL, NULL) + 3 * r.toe[leg];
    const double at[3] = {toe[0], toe[1], toe[2] - r.radius};
    const int32_t* body = cr_model_integers(m, "geom_bodyid", NULL, NULL);
    must(cr_apply_ft(m, d, fixed[leg], NULL, at, body[r.toe[leg]], pushed));
  }
  const cr_real* bias = cr_data_view(m, d, "qfrc_bias", NULL, NULL);
  for (int k = 0; k < CR_LEGGED_JOINTS; k++) {
    assert_close(torque[k], bias[r.dof[k]] - pushed[r.dof[k]], 1e-9);
  }
  cr_data_destroy(d);
  cr_model_destroy(m);
}

TEST(it_decides_every_few_steps_and_when_feet_change) {
  cr_legged r;
  cr_model* m = open_robot(&r);
  cr_walker w;
  cr_measured_body measured;
  double torque[CR_LEGGED_JOINTS];
  const double wanted[3] = {0, 0, 0};
  int decisions = 0;
  cr_walk_options o = cri_walk_options(&r);
  o.every = 1000;
  cri_walker_begin(&w, &r, &o, decide, &decisions);
  stand_still(&r, &measured);
  memset(measured.touches, 0, sizeof measured.touches);
  for (int i = 0; i < 500; i++) {
    must(cri_walker_act(&w, &measured, (i + 0.5) * 0.001, 0.001, wanted, torque, &error));
  }
  // the first, then one each time that a pair lifts or lands: 0.05, 0.25, 0.3 s
  assert_int_equal(decisions, 4);
  assert_int_equal(w.decisions, 4);
  o.every = 10;
  decisions = 0;
  cri_walker_begin(&w, &r, &o, decide, &decisions);
  for (int i = 0; i < 500; i++) {
    must(cri_walker_act(&w, &measured, (i + 0.5) * 0.001, 0.001, wanted, torque, &error));
  }
  assert_true(decisions >= 50 && decisions <= 54);
  cr_model_destroy(m);
}

TEST(a_swinging_leg_is_pulled_up_and_a_foot_that_lands_early_stands) {
  cr_legged r;
  cr_model* m = open_robot(&r);
  cr_walker w;
  cr_measured_body measured;
  double torque[CR_LEGGED_JOINTS], carry[3];
  const double wanted[3] = {0, 0, 0}, gravity[3] = {0, 0, -r.gravity};
  int decisions = 0;
  const cr_walk_options o = cri_walk_options(&r);
  cri_walker_begin(&w, &r, &o, decide, &decisions);
  stand_still(&r, &measured);
  memset(measured.touches, 0, sizeof measured.touches);
  must(cri_walker_act(&w, &measured, 0.049, 0.001, wanted, torque, &error));
  must(cri_walker_act(&w, &measured, 0.12, 0.001, wanted, torque, &error));
  assert_false(w.stands[0]);
  assert_true(w.stands[1]);
  cri_leg_carry(&r.leg[0], measured.q, gravity, carry);
  assert_true(torque[2] - carry[2] < -10);  // the knee bends to lift the foot by 0.1 m
  measured.touches[0] = true;               // phase 0.35: too early to land
  must(cri_walker_act(&w, &measured, 0.121, 0.001, wanted, torque, &error));
  assert_false(w.stands[0]);
  must(cri_walker_act(&w, &measured, 0.2, 0.001, wanted, torque, &error));
  assert_true(w.stands[0]);
  assert_false(w.stands[3]);
  cr_model_destroy(m);
}
