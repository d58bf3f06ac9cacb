// SPDX-License-Identifier: Apache-2.0
// Needs: io
// Units and quaternions of places, against a table for a model with every kind of joint.
#include "measure/measured_place.h"

#include "scenes/io_arm.h"
#include "support/close.h"

static cr_model* m;

static void setup(void) { m = arm_open(); }
static void teardown(void) { cr_model_destroy(m); }
AROUND_FILE(setup, teardown)

TEST(units_follow_joints_and_sensors) {
  static const struct {
    const char *place, *unit;
  } table[] = {{"qpos[hinge]", "rad"},
               {"qpos[slide]", "m"},
               {"qpos[root].x", "m"},
               {"qpos[root][3]", "1"},
               {"qpos[ball].w", "1"},
               {"qvel[hinge]", "rad/s"},
               {"qvel[slide]", "m/s"},
               {"qvel[root][2]", "m/s"},
               {"qvel[root][3]", "rad/s"},
               {"qacc[ball].x", "rad/s^2"},
               {"encoder", "rad"},
               {"tacho", "rad/s"},
               {"gyro.x", "rad/s"},
               {"acc.z", "m/s^2"},
               {"attitude.w", "1"},
               {"drone_pos.x", "m"},
               {"drone_vel.x", "m/s"},
               {"pull", "N|N m"},
               {"ctrl[drive]", "-"},
               {"site_xpos[tip].z", "m"},
               {"xquat[drone].w", "1"},
               {"qfrc_actuator[slide]", "N"},
               {"qfrc_actuator[hinge]", "N m"}};
  for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
    cr_place place;
    char unit[CRI_UNIT];
    assert_int_equal(cri_measured_place(&place, m, table[i].place, true, NULL), CR_OK);
    cri_number_unit(m, place.field, place.first, unit);
    if (strcmp(unit, table[i].unit) != 0) {
      fail_msg("%s has the unit %s, not %s", table[i].place, unit, table[i].unit);
    }
  }
}

TEST(quaternions_are_found) {
  static const struct {
    const char* place;
    int n, first;
  } table[] = {{"qpos", 2, 2},         {"qpos[root]", 1, 3},     {"qpos[ball]", 1, 0},
               {"qpos[hinge]", 0, 0},  {"attitude", 1, 0},       {"xquat[drone]", 1, 0},
               {"qpos[root].x", 0, 0}, {"qpos[root][5]", -1, 0}, {"attitude.x", -1, 0},
               {"xmat[drone]", 0, 0},  {"xquat[drone].x", -1, 0}};
  for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
    cr_place place;
    int start[8] = {-1};
    assert_int_equal(cri_measured_place(&place, m, table[i].place, true, NULL), CR_OK);
    int n = cri_place_quaternions(m, &place, start);
    if (n != table[i].n || (n > 0 && start[0] != table[i].first)) {
      fail_msg("%s: %d quaternions, first at %d", table[i].place, n, start[0]);
    }
  }
}
