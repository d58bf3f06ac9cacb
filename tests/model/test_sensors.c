// SPDX-License-Identifier: Apache-2.0
// The table of sensor types, and what its check refuses.
#include "model/sensors.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "scenes/random_model.h"
#include "support/test.h"

TEST(the_table_is_in_order) {
  assert_string_equal(cri_sensor_info(CR_SENS_TOUCH)->word, "touch");
  assert_string_equal(cri_sensor_info(CR_SENS_USER)->word, "user");
  assert_int_equal(CR_SENS_CLOCK, 45);
  assert_int_equal(CR_N_SENSOR_TYPE, 49);
  for (int i = 0; i < CR_N_SENSOR_TYPE; i++) {
    for (int k = 0; k < i; k++) {
      assert_string_not_equal(cri_sensor_info(i)->word, cri_sensor_info(k)->word);
    }
  }
  assert_true(cri_sensor_known(CR_SENS_GYRO) && cri_sensor_known(CR_SENS_CLOCK));
  assert_false(cri_sensor_known(CR_SENS_RANGEFINDER) || cri_sensor_known(CR_SENS_USER));
}

static cr_model m;

static void refused(const char* because) {
  cr_error error = {0};
  assert_int_equal(cri_sensors_check(&m, &error), CR_ERR_MODEL);
  if (strstr(error.text, because) == NULL) {
    fail_msg("'%s' does not say '%s'", error.text, because);
  }
}

// every way to break one sensor, and the way back
TEST(what_is_broken_is_refused) {
  assert_int_equal(random_model(&m, 0, NULL), CR_OK);
  assert_int_equal(cri_sensors_check(&m, NULL), CR_OK);
  assert_true(m.nsensor > 4);
  for (int i = 0; i < m.nsensor; i++) {
    int type = m.sensor_type[i], id = m.sensor_objid[i], dim = m.sensor_dim[i];
    m.sensor_type[i] = CR_N_SENSOR_TYPE;
    refused("sensor_type is no choice");
    m.sensor_type[i] = CR_SENS_RANGEFINDER;
    refused("not computed");
    m.sensor_skip[i] = 1;
    assert_int_equal(cri_sensors_check(&m, NULL), CR_OK);
    m.sensor_skip[i] = 0;
    m.sensor_type[i] = type;
    bool open = type == CR_SENS_CONTACT && m.sensor_objtype[i] == CR_OBJ_UNKNOWN;
    if (cri_sensor_info(type)->of != CR_OF_NONE && !open) {
      m.sensor_objid[i] = 100000;
      refused("does not exist");
      m.sensor_objid[i] = -1;
      refused("does not exist");
    }
    m.sensor_objid[i] = id;
    m.sensor_dim[i] = 1000;
    refused("do not follow");
    m.sensor_dim[i] = dim;
    m.sensor_adr[i]++;
    refused("do not follow");
    m.sensor_adr[i]--;
  }
  m.nsensordata++;
  refused("nsensordata");
  cri_model_free(&m);
}

// a contact sensor has whole slots of data that exist
TEST(contact_slots) {
  assert_int_equal(random_model(&m, 0, NULL), CR_OK);
  m.nsensor = 1;
  m.sensor_type[0] = CR_SENS_CONTACT;
  m.sensor_objtype[0] = m.sensor_reftype[0] = CR_OBJ_UNKNOWN;
  m.sensor_intprm[0] = 3;  // found, force
  m.sensor_intprm[1] = 0;
  m.nsensordata = m.sensor_dim[0] = 8;
  assert_int_equal(cri_sensors_check(&m, NULL), CR_OK);
  m.nsensordata = m.sensor_dim[0] = 7;
  refused("does not exist");
  m.sensor_intprm[0] = 0;
  refused("does not exist");
  m.sensor_intprm[0] = 1 << 9;
  refused("does not exist");
  m.sensor_intprm[0] = 1;
  m.sensor_intprm[1] = 4;
  refused("does not exist");
  cri_model_free(&m);
}

TEST(references_and_joints) {
  assert_int_equal(random_model(&m, 0, NULL), CR_OK);
  m.nsensor = 1;
  m.nsensordata = m.sensor_dim[0] = 3;
  m.sensor_type[0] = CR_SENS_FRAMEPOS;
  m.sensor_objtype[0] = CR_OBJ_BODY;
  m.sensor_objid[0] = 1;
  m.sensor_refid[0] = -1;
  assert_int_equal(cri_sensors_check(&m, NULL), CR_OK);
  m.sensor_refid[0] = 1;
  m.sensor_reftype[0] = 7;  // a camera
  refused("does not exist");
  m.sensor_refid[0] = -2;
  refused("does not exist");
  m.nsensordata = m.sensor_dim[0] = 4;
  m.sensor_type[0] = CR_SENS_BALLQUAT;
  for (int j = 0; j < m.njnt; j++) {
    m.sensor_objid[0] = j;
    bool ball = m.jnt_type[j] == CR_JNT_BALL;
    assert_int_equal(cri_sensors_check(&m, NULL), ball ? CR_OK : CR_ERR_MODEL);
  }
  cri_model_free(&m);
}

// what a file may hold is what a model may have, wherever it comes from
TEST(too_many_numbers_are_refused) {
  assert_int_equal(random_model(&m, 0, NULL), CR_OK);
  int n = m.nsensordata;
  m.nsensordata = CRI_MOST_SENSORDATA + 1;
  refused("16777216 at most");
  m.nsensordata = n;
  assert_int_equal(cri_sensors_check(&m, NULL), CR_OK);
}
