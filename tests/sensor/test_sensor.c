// SPDX-License-Identifier: Apache-2.0
// The layout of sensordata, cutoffs, and skipped sensors. Other files test the values.
#include "sensor/sensor.h"

#include "checks/measured.h"
#include "engine/forward.h"
#include "integrate/step.h"
#include "math/vec3.h"
#include "model/sensors.h"
#include "scenes/chain_model.h"
#include "support/close.h"

// real numbers are clipped on both sides, positive ones from above, quaternions not at all
TEST(cutoffs_clip) {
  static const struct {
    int datatype;
    cr_real low, high;
  } cases[] = {{0, CR_R(-0.1), CR_R(0.1)}, {1, -CR_MAX, CR_R(0.1)}, {2, -CR_MAX, CR_MAX}};
  measured s;
  int clipped = 0;
  measured_open(&s, 0, STATE_FLIGHT);
  measured_sensor(&s, CR_SENS_FRAMELINVEL, CR_OBJ_BODY, s.m.nbody - 1, 0, -1);
  for (int i = 0; i < 3; i++) {
    cr_real free[3], kept[3];
    s.m.sensor_datatype[0] = cases[i].datatype;
    s.m.sensor_cutoff[0] = 0;
    assert_int_equal(cr_sensor(&s.m, s.d), CR_OK);
    cr_copy3(free, s.d->sensordata);
    s.m.sensor_cutoff[0] = CR_R(0.1);
    assert_int_equal(cr_sensor(&s.m, s.d), CR_OK);
    cr_copy3(kept, s.d->sensordata);
    for (int k = 0; k < 3; k++) {
      cr_real expected = cr_clip(free[k], cases[i].low, cases[i].high);
      assert_true(kept[k] == expected);
      clipped += kept[k] != free[k];
      // and what is clipped does not move
      s.tan->cvel[6 * (s.m.nbody - 1) + 3 + k] = 1;
    }
    assert_int_equal(cr_sensor_jvp(&s.m, s.d, s.tan), CR_OK);
    for (int k = 0; k < 3; k++) {
      assert_close(s.tan->sensordata[k], kept[k] == free[k], ROUND_OFF);
    }
  }
  assert_true(clipped > 2);
  measured_close(&s);
}

TEST(what_is_skipped_stays_zero) {
  measured s;
  measured_open(&s, 0, STATE_FLIGHT);
  for (int k = 0; k < 2; k++) {
    measured_sensor(&s, CR_SENS_FRAMEPOS, CR_OBJ_BODY, 1, 0, -1);
    s.m.sensor_skip[0] = k == 0;
    s.m.disableflags |= k == 1 ? CR_DSBL_SENSOR : 0;
    s.d->sensordata[0] = 7;
    assert_int_equal(cr_sensor(&s.m, s.d), CR_OK);
    for (int i = 0; i < s.m.nsensordata; i++) {
      assert_true(s.d->sensordata[i] == 0);
    }
  }
  measured_close(&s);
}

// cr_forward measures, a step does not, and a derivative does what was done last; after a step of
// several stages that is another state, and there is none
TEST(a_step_leaves_them_out) {
  measured s;
  measured_open(&s, 0, STATE_FLIGHT);
  assert_int_equal(s.m.integrator, CR_INT_RK4);
  assert_int_equal(cr_step(&s.m, s.d), CR_OK);
  assert_false(s.d->measured);
  assert_int_equal(cr_forward_jvp(&s.m, s.d, s.tan), CR_ERR_ARG);
  s.m.integrator = CR_INT_EULER;
  assert_int_equal(cr_forward(&s.m, s.d), CR_OK);
  assert_true(s.d->measured);
  for (int i = 0; i < s.m.nsensordata; i++) {
    s.d->sensordata[i] = 7;
  }
  assert_int_equal(cr_step(&s.m, s.d), CR_OK);
  assert_false(s.d->measured);
  for (int i = 0; i < s.m.nsensordata; i++) {
    assert_true(s.d->sensordata[i] == 7);
  }
  s.tan->sensordata[0] = 7;
  assert_int_equal(cr_forward_jvp(&s.m, s.d, s.tan), CR_OK);
  assert_true(s.tan->sensordata[0] == 7);
  assert_int_equal(cr_forward(&s.m, s.d), CR_OK);
  assert_int_equal(cr_forward_jvp(&s.m, s.d, s.tan), CR_OK);
  assert_true(s.tan->sensordata[0] == 0);
  measured_close(&s);
}

// what is measured does not move what is simulated, bit by bit
TEST(sensors_change_nothing) {
  measured s;
  measured_open(&s, 4, STATE_CONTACT);
  cr_data* other = test_data(&s.m);
  random_state(&s.m, other, 4, STATE_CONTACT);
  assert_int_equal(cri_dynamics(&s.m, other), CR_OK);
  assert_memory_equal(other->qacc, s.d->qacc, (size_t)s.m.nv * sizeof(cr_real));
  measured_close(&s);
}
