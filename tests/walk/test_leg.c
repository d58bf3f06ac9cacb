// SPDX-License-Identifier: Apache-2.0
// A leg against the model it was found in: feet, Jacobians, weights; angles that reach a point.
#include "walk/leg.h"

#include "base/random.h"
#include "support/close.h"
#include "walk/robot.h"
#include "walk/space.h"

typedef struct {
  cr_legged robot;
  cr_model* m;
  cr_data* d;
  cr_random random;
} scene;

static void begin(scene* s) {
  s->m = open_robot(&s->robot);
  s->random = cr_random_seed(4, 0);
  must(cr_data_create(&s->d, s->m, &error));
}

static void end(scene* s) {
  cr_data_destroy(s->d);
  cr_model_destroy(s->m);
}

// random angles, and a random pose of the trunk, or an upright one
static void pose(scene* s, bool upright) {
  cr_real* qpos = cr_data_view(s->m, s->d, "qpos", NULL, NULL);
  double length = 0;
  for (int k = 0; k < 4; k++) {
    qpos[3 + k] = upright ? k == 0 : cr_random_normal(&s->random);
    length += qpos[3 + k] * qpos[3 + k];
  }
  for (int k = 0; k < 4; k++) {
    qpos[3 + k] /= sqrt(length);
  }
  qpos[2] = 2;
  for (int k = 0; k < CR_LEGGED_JOINTS; k++) {
    qpos[s->robot.qpos[k]] = s->robot.stand[k] + cr_random_range(&s->random, -0.3, 0.3);
  }
  assert_int_equal(cr_forward(s->m, s->d), CR_OK);
}

static void angles(const scene* s, int leg, double q[CR_LEG_JOINTS]) {
  const cr_real* qpos = cr_data_view(s->m, s->d, "qpos", NULL, NULL);
  for (int i = 0; i < CR_LEG_JOINTS; i++) {
    q[i] = qpos[s->robot.qpos[CR_LEG_JOINTS * leg + i]];
  }
}

TEST(a_foot_and_its_jacobian_are_those_of_the_model) {
  scene s;
  begin(&s);
  for (int round = 0; round < 5; round++) {
    pose(&s, false);
    const cr_real* R = cr_data_view(s.m, s.d, "xmat", NULL, NULL) + 9 * s.robot.trunk;
    const cr_real* origin = cr_data_view(s.m, s.d, "xpos", NULL, NULL) + 3 * s.robot.trunk;
    for (int leg = 0; leg < CR_LEGS; leg++) {
      double q[3], foot[3], J[9], world[3], full[3 * 18], column[3], turned[3];
      const double off[3] = {0.01, -0.02, 0.03};
      angles(&s, leg, q);
      cri_leg_foot(&s.robot.leg[leg], q, off, foot, J);
      cri_turn(R, foot, world);
      cri_add(world, origin, 1, world);
      // the centre of the toe, and `off` in the trunk's frame
      double shift[3], centre[3];
      cri_turn(R, off, shift);
      cri_add(world, shift, -1, centre);
      const cr_real* toe = cr_data_view(s.m, s.d, "geom_xpos", NULL, NULL) + 3 * s.robot.toe[leg];
      const int32_t* body = cr_model_integers(s.m, "geom_bodyid", NULL, NULL);
      assert_int_equal(cr_model_count(s.m, "nv"), 18);
      must(cr_jac(s.m, s.d, full, NULL, world, body[s.robot.toe[leg]]));
      for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++) {
          assert_close(centre[k], toe[k], 1e-12);
          column[k] = J[3 * k + i];
        }
        cri_turn(R, column, turned);
        for (int k = 0; k < 3; k++) {
          assert_close(turned[k], full[18 * k + s.robot.dof[CR_LEG_JOINTS * leg + i]], 1e-12);
        }
      }
    }
  }
  end(&s);
}

TEST(torques_that_carry_a_leg_are_its_gravity_forces) {
  scene s;
  begin(&s);
  const double gravity[3] = {0, 0, -9.81};
  double largest = 0;
  for (int round = 0; round < 5; round++) {
    pose(&s, true);
    const cr_real* bias = cr_data_view(s.m, s.d, "qfrc_bias", NULL, NULL);
    for (int leg = 0; leg < CR_LEGS; leg++) {
      double q[3], torque[3];
      angles(&s, leg, q);
      cri_leg_carry(&s.robot.leg[leg], q, gravity, torque);
      for (int i = 0; i < 3; i++) {
        assert_close(torque[i], bias[s.robot.dof[CR_LEG_JOINTS * leg + i]], 1e-12);
        largest = fmax(largest, fabs(torque[i]));
      }
    }
  }
  assert_true(largest > 0.5);
  end(&s);
}

TEST(angles_reach_a_point_where_a_foot_can) {
  scene s;
  begin(&s);
  const double none[3] = {0, 0, 0};
  for (int round = 0; round < 20; round++) {
    pose(&s, true);
    int leg = round % CR_LEGS;
    double q[3], foot[3], start[3], again[3];
    angles(&s, leg, q);
    cri_leg_foot(&s.robot.leg[leg], q, none, foot, NULL);
    memcpy(start, s.robot.stand + CR_LEG_JOINTS * leg, sizeof start);
    assert_true(cri_leg_reach(&s.robot.leg[leg], foot, start) < 1e-9);
    cri_leg_foot(&s.robot.leg[leg], start, none, again, NULL);
    for (int k = 0; k < 3; k++) {
      assert_close(again[k], foot[k], 1e-9);
      assert_close(start[k], q[k], 1e-6);
    }
  }
  // 2 m below the hip: the leg of 0.5 m points there
  double q[3] = {0, 0.5, -1}, below[3];
  memcpy(below, s.robot.leg[0].anchor[1], sizeof below);
  below[2] -= 2;
  double left = cri_leg_reach(&s.robot.leg[0], below, q);
  assert_close(left, 1.5, 0.02);
  assert_true(q[2] <= s.robot.leg[0].upper[2]);
  end(&s);
}
