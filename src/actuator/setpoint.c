// SPDX-License-Identifier: Apache-2.0
// Setpoints on a circle.
#include "actuator/setpoint.h"

#include "math/vec3.h"

// first of the three numbers of the gear that turn, if actuator i measures only a rotation; else -1
static int turning_gear(const cr_model* m, int i) {
  int type = m->actuator_trntype[i], out = m->actuator_outadr[i];
  const cr_real* gear = m->actuator_gear + 6 * out;
  if (type == CR_TRN_JOINT || type == CR_TRN_JOINTINPARENT) {
    return m->jnt_type[m->actuator_trnid[2 * i]] == CR_JNT_BALL ? 6 * out : -1;
  }
  bool turns = type == CR_TRN_SITE && m->actuator_trnid[2 * i + 1] >= 0 && gear[0] == 0 &&
               gear[1] == 0 && gear[2] == 0;
  return turns ? 6 * out + 3 : -1;
}

cr_real cri_servo_period(const cr_model* m, int i) {
  int gear = turning_gear(m, i);
  bool servo = m->actuator_gaintype[i] == CR_GAIN_FIXED &&
               m->actuator_biastype[i] == CR_BIAS_AFFINE &&
               m->actuator_gainprm[10 * i] == -m->actuator_biasprm[10 * i + 1];
  bool on_circle = gear >= 0 && (servo || m->actuator_gaintype[i] == CR_GAIN_PID);
  return on_circle ? 2 * CR_PI * cr_norm3(m->actuator_gear + gear) : 0;
}

cr_real cri_servo_turns(cr_real x, cr_real about, cr_real period) {
  return period > 0 ? CR_FN(round)((x - about) / period) : 0;
}

// the period is 2 pi |g|: its gradient is 2 pi g / |g| = (2 pi)^2 g / period
cr_real cri_servo_period_jvp(const cr_model* m, int i, cr_real period, const cr_data* tan) {
  if (period == 0) {
    return 0;
  }
  int gear = turning_gear(m, i);
  const cr_real* gear_tan = cri_par_tan(tan->par.actuator_gear, gear / 3, 3);
  return 4 * CR_PI * CR_PI / period * cr_dot3(m->actuator_gear + gear, gear_tan);
}

void cri_servo_period_vjp(const cr_model* m, int i, cr_real period, cr_real period_bar,
                          cr_data* bar) {
  if (period == 0 || bar->par.actuator_gear == NULL) {
    return;
  }
  int adr = turning_gear(m, i);
  cr_real scale = 4 * CR_PI * CR_PI / period * period_bar;
  cr_accscl3(bar->par.actuator_gear + adr, m->actuator_gear + adr, scale);
}

void cri_setpoint_anchor(const cr_real w[3], cr_real next[3], cr_real J[9]) {
  cr_real angle = cr_norm3(w), scale = 1, bend = 0;
  if (angle > CR_PI) {
    cr_real turns = 2 * CR_PI * CR_FN(round)(angle / (2 * CR_PI));
    scale = (angle - turns) / angle;
    // scale' = turns |w|' / |w|^2
    bend = turns / (angle * angle * angle);
  }
  for (int k = 0; k < 9; k++) {
    J[k] = bend * w[k / 3] * w[k % 3] + (k % 4 == 0 ? scale : 0);
  }
  cr_scl3(next, w, scale);
}
