// SPDX-License-Identifier: Apache-2.0
#include "support/random_actuators.h"

#include "base/random.h"
#include "support/random_model.h"

// actuators pull on bodies that do not fly away within a step
static bool heavy(const cr_model* m, int body) {
  return body == 0 || m->body_mass[body] > CR_R(0.3);
}

static void slight_gear(cr_random* r, cr_model* m, int i, int first, int n) {
  cr_real* gear = m->actuator_gear + 6 * m->actuator_outadr[i];
  cr_zero(gear, 6);
  for (int k = first; k < first + n; k++) {
    gear[k] = cr_random_range(r, CR_R(0.05), CR_R(0.2));
  }
}

static void calm_law(cr_model* m, int i) {
  for (int k = 0; k < 3 && m->actuator_gaintype[i] != CR_GAIN_MUSCLE; k++) {
    m->actuator_gainprm[10 * i + k] *= CR_R(0.1);
    m->actuator_biasprm[10 * i + k] *= CR_R(0.1);
  }
}

static void make_crank(cr_random* r, cr_model* m, int i) {
  int site[2];
  for (int k = 0; k < 2; k++) {
    site[k] = cr_random_int(r, m->nsite);
    if (!heavy(m, m->site_bodyid[site[k]])) {
      return;
    }
  }
  m->actuator_trntype[i] = CR_TRN_SLIDERCRANK;
  m->actuator_trnid[2 * i] = site[0];
  m->actuator_trnid[2 * i + 1] = site[1];
  m->actuator_cranklength[i] = cr_random_range(r, CR_R(0.3), CR_R(1.5));
  slight_gear(r, m, i, 0, 1);
  calm_law(m, i);
}

static void make_grip(cr_random* r, cr_model* m, int i) {
  int body = cr_random_int(r, m->nbody);
  if (!heavy(m, body)) {
    return;
  }
  m->actuator_trntype[i] = CR_TRN_BODY;
  m->actuator_trnid[2 * i] = body;
  m->actuator_gaintype[i] = CR_GAIN_FIXED;
  m->actuator_gainprm[10 * i] = cr_random_range(r, CR_R(0.05), CR_R(0.2));
  m->actuator_biastype[i] = CR_BIAS_NONE;
  slight_gear(r, m, i, 0, 1);
  for (int g = 0; g < m->ngeom; g++) {
    if (m->geom_bodyid[g] == body && random_chance(r, CR_R(0.7))) {
      m->geom_gap[g] = cr_random_range(r, 0, CR_R(0.2));
    }
  }
}

// a servo on a ball joint or between sites, whose setpoint lives on a circle
static void make_servo(cr_random* r, cr_model* m, int i) {
  bool sites = m->actuator_trntype[i] == CR_TRN_SITE && m->actuator_trnid[2 * i + 1] >= 0;
  if (sites) {
    slight_gear(r, m, i, 3, 3);
  }
  m->actuator_gaintype[i] = CR_GAIN_FIXED;
  m->actuator_biastype[i] = CR_BIAS_AFFINE;
  m->actuator_gainprm[10 * i] = cr_random_range(r, CR_R(0.1), 1);
  m->actuator_biasprm[10 * i + 1] = -m->actuator_gainprm[10 * i];
}

void random_actuators(cr_model* m, uint64_t seed) {
  cr_random r = cr_random_seed(seed, 31);
  for (int i = 0; i < m->nactuator; i++) {
    bool joint = m->actuator_trntype[i] == CR_TRN_JOINT;
    bool muscle = m->actuator_gaintype[i] == CR_GAIN_MUSCLE;
    if (joint && random_chance(&r, CR_R(0.4))) {
      m->actuator_trntype[i] = CR_TRN_JOINTINPARENT;
    } else if (m->nsite > 1 && random_chance(&r, CR_R(0.2))) {
      make_crank(&r, m, i);
    } else if (!muscle && random_chance(&r, CR_R(0.35))) {
      make_grip(&r, m, i);
    } else if (!muscle && random_chance(&r, CR_R(0.3))) {
      make_servo(&r, m, i);
    }
  }
}
