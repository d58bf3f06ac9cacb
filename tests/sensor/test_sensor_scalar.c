// SPDX-License-Identifier: Apache-2.0
// Numbers that are there already, and sums of them.
#include "sensor/sensor_scalar.h"

#include "checks/measured.h"
#include "model/sensors.h"
#include "support/close.h"

enum { N_SEED = 24 };

TEST(limits_read_their_first_row) {
  int rows = 0;
  for (int seed = 0; seed < N_SEED; seed++) {
    measured s;
    measured_open(&s, seed, STATE_CONTACT);
    for (int i = s.d->ne + s.d->nf; i < s.d->ne + s.d->nf + s.d->nl; i++) {
      bool tendon = s.d->efc_type[i] == CR_CNSTR_LIMIT_TENDON, again = false;
      int id = s.d->efc_id[i];
      for (int k = s.d->ne + s.d->nf; k < i; k++) {
        again = again || (s.d->efc_type[k] == s.d->efc_type[i] && s.d->efc_id[k] == id);
      }
      cr_real y;
      measured_sensor(&s, tendon ? CR_SENS_TENDONLIMITPOS : CR_SENS_JOINTLIMITPOS, 0, id, 0, -1);
      cri_sensor_scalar(&s.m, s.d, 0, &y);
      assert_true(again || y == s.d->efc_pos[i] - s.d->efc_margin[i]);
      measured_sensor(&s, tendon ? CR_SENS_TENDONLIMITFRC : CR_SENS_JOINTLIMITFRC, 0, id, 0, -1);
      cri_sensor_scalar(&s.m, s.d, 0, &y);
      assert_true(again || y == s.d->efc_force[i]);
      rows += !again;
    }
    // a joint inside its limits, or without
    if (s.d->nl == 0 && s.m.njnt > 0 && s.m.nsensor > 0) {
      cr_real y = 7;
      measured_sensor(&s, CR_SENS_JOINTLIMITFRC, 0, 0, 0, -1);
      cri_sensor_scalar(&s.m, s.d, 0, &y);
      assert_true(y == 0);
    }
    measured_close(&s);
  }
  assert_true(rows > 10);
}

TEST(tendons_add_their_actuators_up) {
  int several = 0;
  for (int seed = 0; seed < N_SEED; seed++) {
    measured s;
    measured_open(&s, seed, STATE_FLIGHT);
    for (int t = 0; t < s.m.ntendon && s.m.nsensor > 0; t++) {
      cr_real y, sum = 0;
      for (int k = 0; k < s.m.nactuator; k++) {
        bool mine = s.m.actuator_trntype[k] == CR_TRN_TENDON && s.m.actuator_trnid[2 * k] == t;
        sum += mine ? s.d->actuator_force[k] : 0;
        several += mine;
      }
      measured_sensor(&s, CR_SENS_TENDONACTFRC, 0, t, 0, -1);
      cri_sensor_scalar(&s.m, s.d, 0, &y);
      assert_true(y == sum);
    }
    measured_close(&s);
  }
  assert_true(several > 0);
}

TEST(runs_of_fields) {
  measured s;
  cr_real y[3];
  measured_open(&s, 0, STATE_FLIGHT);
  int last = s.m.nbody - 1;
  measured_sensor(&s, CR_SENS_SUBTREEANGMOM, CR_OBJ_BODY, last, 0, -1);
  cri_sensor_scalar(&s.m, s.d, 0, y);
  assert_all_close(y, s.d->subtree_angmom + 3 * last, 3, 0);
  measured_sensor(&s, CR_SENS_E_KINETIC, 0, -1, 0, -1);
  cri_sensor_scalar(&s.m, s.d, 0, y);
  assert_true(y[0] == s.d->energy[1]);
  measured_sensor(&s, CR_SENS_CLOCK, 0, -1, 0, -1);
  s.d->time = CR_R(1.25);
  cri_sensor_scalar(&s.m, s.d, 0, y);
  assert_true(y[0] == CR_R(1.25));
  // in a twin a joint's coordinate is where its dof is
  for (int j = 0; j < s.m.njnt; j++) {
    if (s.m.jnt_type[j] >= CR_JNT_SLIDE) {
      measured_sensor(&s, CR_SENS_JOINTPOS, 0, j, 0, -1);
      s.tan->qpos[s.m.jnt_dofadr[j]] = 5;
      cri_sensor_scalar_tan(&s.m, s.d, s.tan, 0, y);
      assert_true(y[0] == 5);
      cri_sensor_scalar(&s.m, s.d, 0, y);
      assert_true(y[0] == s.d->qpos[s.m.jnt_qposadr[j]]);
    }
  }
  measured_close(&s);
}
