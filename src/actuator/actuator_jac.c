// SPDX-License-Identifier: Apache-2.0
// The tangent of one actuator, one seed at a time.
#include "actuator/actuator_jac.h"

#include "actuator/controller.h"
#include "actuator/force_limit.h"

bool cri_actuator_alone(const cr_model* m, int i) {
  return !cri_is_controller(m, i) && !cri_pulls_limited(m, i);
}

// force and rate with the seeds that are set in tan, and the tangent of the velocity
static cr_real force_by(const cr_model* m, const cr_data* tan, int i, const cri_actuator* a,
                        const cri_force_limit* limit, cr_real v_tan, cr_real* rate_tan) {
  cri_output o_tan;
  cri_actuator_tan(m, tan, i, a, v_tan, &o_tan);
  *rate_tan = o_tan.rate[0];
  return limit->side == 0 ? o_tan.raw[0] : 0;
}

cri_actuator_jac cri_actuator_jac_of(const cr_model* m, const cr_data* d, cr_data* tan, int i) {
  cri_actuator_jac s = {0};
  if ((m->disableflags & CR_DSBL_ACTUATION) != 0) {
    return s;
  }
  cri_actuator a;
  cri_output o;
  cr_real rate_tan;
  cri_actuator_of(m, d, i, &a, &o);
  cri_force_limit limit = cri_force_limit_of(m, i, d->actuator_raw, NULL, &s.force);
  s.by_velocity = force_by(m, tan, i, &a, &limit, 1, &rate_tan);
  tan->actuator_length[a.out] = 1;
  s.by_length = force_by(m, tan, i, &a, &limit, 0, &rate_tan);
  tan->actuator_length[a.out] = 0;
  tan->ctrl[a.ctrl] = 1;
  s.by_ctrl = force_by(m, tan, i, &a, &limit, 0, &s.rate_by_ctrl);
  tan->ctrl[a.ctrl] = 0;
  if (a.act >= 0) {
    tan->act[a.act] = 1;
    s.by_act = force_by(m, tan, i, &a, &limit, 0, &s.rate_by_act);
    tan->act[a.act] = 0;
  }
  return s;
}
