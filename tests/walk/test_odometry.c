// SPDX-License-Identifier: Apache-2.0
// Velocity from feet that stand still, and from accelerations where none does.
#include "walk/odometry.h"

#include "support/close.h"
#include "walk/robot.h"
#include "walk/space.h"

// a trunk that moves with this velocity over feet that stand still, at one moment
static void measure(const cr_legged* r, const double velocity[3], cr_measured_body* to) {
  *to = (cr_measured_body){.quat = {1, 0, 0, 0}};
  for (int leg = 0; leg < CR_LEGS; leg++) {
    const double below[3] = {0, 0, -r->radius};
    double foot[3], J[9], back[3];
    memcpy(to->q + 3 * leg, r->stand + 3 * leg, 3 * sizeof(double));
    cri_leg_foot(&r->leg[leg], r->stand + 3 * leg, below, foot, J);
    for (int k = 0; k < 3; k++) {
      back[k] = -velocity[k];
    }
    cri_solve3(J, back, to->v + 3 * leg);
    to->touches[leg] = true;
  }
}

TEST(feet_that_stand_tell_the_velocity_and_the_height) {
  cr_legged r;
  cr_model* m = open_robot(&r);
  const double velocity[3] = {0.5, -0.2, 0.1};
  const bool stands[CR_LEGS] = {true, false, false, true};
  cr_measured_body measured;
  cr_odometry o;
  cri_odometry_begin(&o, &r);
  measure(&r, velocity, &measured);
  cri_odometry_update(&o, &r, &measured, stands, 0.001);
  assert_close(o.velocity[0], 0, 1e-12);  // feet that have just touched down do not count
  for (int i = 0; i < 400; i++) {
    cri_odometry_update(&o, &r, &measured, stands, 0.001);
  }
  for (int k = 0; k < 3; k++) {
    assert_close(o.smooth[k], velocity[k], 1e-3);
  }
  assert_close(o.height, r.height - r.middle[2], 1e-6);
  cr_model_destroy(m);
}

TEST(without_feet_accelerations_count) {
  cr_legged r;
  cr_model* m = open_robot(&r);
  const double none[3] = {0, 0, 0};
  const bool stands[CR_LEGS] = {false, false, false, false};
  cr_measured_body measured;
  cr_odometry o;
  cri_odometry_begin(&o, &r);
  measure(&r, none, &measured);
  measured.acceleration[0] = 2;
  measured.acceleration[2] = -9.81;
  double height = o.height;
  for (int i = 0; i < 100; i++) {
    cri_odometry_update(&o, &r, &measured, stands, 0.001);
  }
  assert_close(o.velocity[0], 0.2, 1e-9);
  assert_close(o.velocity[2], -0.981, 1e-9);
  assert_true(o.height < height - 0.04 && o.height > height - 0.06);
  // means over the last twenty rows lag by half of them
  assert_close(o.smooth[0], 0.2 - 2 * 0.0095, 1e-9);
  cr_model_destroy(m);
}
