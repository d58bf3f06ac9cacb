// SPDX-License-Identifier: Apache-2.0
#include "scenes/random_actuators.h"

#include "base/random.h"
#include "scenes/random_model.h"

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

// ---- controllers

enum {
  POS = 1,
  VEL = 2,
  FF = 4,
  VOLTAGE = 8,
  SLEW = 16,
  INTEGRAL = 32,
  WARM = 64,
  RUBS = 128,
  CURRENT = 256
};

// what a controller has, as the bits above
static int features_of(cr_random* r, int gain) {
  int inputs = 1 + cr_random_int(r, gain == CR_GAIN_PID ? 7 : 15), rest = 16 * cr_random_int(r, 32);
  if ((inputs & POS) == 0) {
    rest &= ~INTEGRAL;
  }
  if (gain == CR_GAIN_PID) {
    rest &= ~(WARM | RUBS | CURRENT);
  }
  return inputs | rest;
}

static int bits(int x) {
  int n = 0;
  for (; x != 0; x &= x - 1) {
    n++;
  }
  return n;
}

random_controller random_controller_of(uint64_t seed, int i, int ball_joint) {
  static const int gains[] = {CR_GAIN_PID, CR_GAIN_DCMOTOR, CR_GAIN_SO3};
  cr_random r = cr_random_seed(seed, 41 + (uint64_t)i);
  int gain = gains[cr_random_int(&r, 3)];
  bool none = random_chance(&r, CR_R(0.7));
  if (none || (gain == CR_GAIN_SO3 && ball_joint < 0)) {
    return (random_controller){.gain = -1, .nu = 1, .nout = 1};
  }
  if (gain == CR_GAIN_SO3) {
    int chart = 1 + cr_random_int(&r, 2);
    bool stored = chart == 1 && random_chance(&r, CR_R(0.5));
    return (random_controller){
        .gain = gain, .spec = chart, .nu = 2 + chart, .nact = stored ? 3 : 0, .nout = 3};
  }
  int spec = features_of(&r, gain);
  return (random_controller){
      .gain = gain, .spec = spec, .nu = bits(spec & 15), .nact = bits(spec & ~15), .nout = 1};
}

int random_ball_joint(int njnt, const int32_t* types) {
  for (int j = njnt - 1; j >= 0; j--) {
    if (types[j] == CR_JNT_BALL) {
      return j;
    }
  }
  return -1;
}

static void fill_pid(cr_random* r, cr_model* m, int i, int spec) {
  cr_real *dyn = m->actuator_dynprm + 10 * i, *bias = m->actuator_biasprm + 10 * i;
  m->actuator_dyntype[i] = (spec & ~15) != 0 ? CR_DYN_PID : CR_DYN_NONE;
  m->actuator_biastype[i] = CR_BIAS_AFFINE;
  m->actuator_gainprm[10 * i] = (spec & INTEGRAL) != 0 ? cr_random_range(r, CR_R(0.1), 1) : 0;
  dyn[0] = random_chance(r, CR_R(0.6)) ? cr_random_range(r, CR_R(0.3), 1) : 0;
  dyn[1] = (spec & SLEW) != 0 ? cr_random_range(r, CR_R(0.1), 50) : 0;
  bias[0] = cr_random_range(r, CR_R(-0.1), CR_R(0.1));
  bias[1] = cr_random_range(r, -1, CR_R(-0.1));
  bias[2] = cr_random_range(r, CR_R(-0.1), 0);
}

static void fill_motor(cr_random* r, cr_model* m, int i, int spec) {
  cr_real *dyn = m->actuator_dynprm + 10 * i, *gain = m->actuator_gainprm + 10 * i;
  cr_real* bias = m->actuator_biasprm + 10 * i;
  m->actuator_dyntype[i] = CR_DYN_DCMOTOR;
  m->actuator_biastype[i] = CR_BIAS_DCMOTOR;
  cr_zero(dyn, 10);
  cr_zero(gain, 10);
  dyn[0] = (spec & CURRENT) != 0 ? cr_random_range(r, CR_R(0.05), CR_R(0.5)) : 0;
  dyn[1] = random_chance(r, CR_R(0.5)) ? cr_random_range(r, 1, 10) : 0;
  dyn[2] = (spec & WARM) != 0 ? cr_random_range(r, CR_R(0.5), 2) : 0;
  dyn[3] = cr_random_range(r, CR_R(0.5), 2);
  dyn[4] = cr_random_range(r, 15, 30);
  dyn[5] = (spec & RUBS) != 0 ? cr_random_range(r, CR_R(0.5), 2) : 0;
  dyn[6] = (spec & RUBS) != 0 ? cr_random_range(r, CR_R(0.01), CR_R(0.1)) : 0;
  dyn[7] = (spec & SLEW) != 0 ? cr_random_range(r, CR_R(0.1), 50) : 0;
  dyn[8] = random_chance(r, CR_R(0.6)) ? cr_random_range(r, CR_R(0.3), 1) : 0;
  gain[0] = cr_random_range(r, 1, 3);
  gain[1] = cr_random_range(r, CR_R(0.1), CR_R(0.5));
  gain[2] = cr_random_range(r, CR_R(0.001), CR_R(0.01));
  gain[3] = cr_random_range(r, 15, 30);
  gain[4] = cr_random_range(r, CR_R(0.1), CR_R(0.5));
  gain[5] = (spec & INTEGRAL) != 0 ? cr_random_range(r, CR_R(0.1), CR_R(0.5)) : 0;
  gain[6] = cr_random_range(r, 0, CR_R(0.1));
  gain[7] = random_chance(r, CR_R(0.5)) ? cr_random_range(r, CR_R(0.2), 5) : 0;
  bias[0] = cr_random_range(r, CR_R(-0.1), CR_R(0.1));
  bias[1] = (cr_real)(1 + cr_random_int(r, 5));
  bias[2] = cr_random_range(r, -1, 1);
  bias[3] = cr_random_range(r, CR_R(0.05), CR_R(0.1));
  bias[4] = cr_random_range(r, CR_R(0.1), CR_R(0.2));
  bias[5] = cr_random_range(r, CR_R(0.5), 1);
}

static void fill_orientation(cr_random* r, cr_model* m, int i) {
  int ball = random_ball_joint(m->njnt, m->jnt_type);
  m->actuator_dyntype[i] = m->actuator_actnum[i] > 0 ? CR_DYN_INTEGRATOR : CR_DYN_NONE;
  m->actuator_biastype[i] = CR_BIAS_SO3;
  m->actuator_trntype[i] = CR_TRN_SO3;
  m->actuator_trnid[2 * i] = ball;
  m->actuator_trnid[2 * i + 1] = -1;
  int a = m->nsite > 0 ? cr_random_int(r, m->nsite) : -1;
  int b = m->nsite > 0 ? cr_random_int(r, m->nsite) : -1;
  if (ball < 0 || (a >= 0 && heavy(m, m->site_bodyid[a]) && heavy(m, m->site_bodyid[b]))) {
    m->actuator_trnid[2 * i] = a;
    m->actuator_trnid[2 * i + 1] = b;
  }
  m->actuator_gainprm[10 * i] = cr_random_range(r, CR_R(0.01), CR_R(0.1));
  m->actuator_biasprm[10 * i + 1] = -m->actuator_gainprm[10 * i];
  m->actuator_biasprm[10 * i] = cr_random_range(r, CR_R(-0.01), CR_R(0.01));
  m->actuator_biasprm[10 * i + 2] = cr_random_range(r, CR_R(-0.01), 0);
  m->actuator_forcerange[2 * i] = 0;
  m->actuator_forcerange[2 * i + 1] = cr_random_range(r, CR_R(0.02), CR_R(0.1));
}

static void fill_controllers(cr_model* m, uint64_t seed) {
  cr_random r = cr_random_seed(seed, 40);
  int ball = random_ball_joint(m->njnt, m->jnt_type);
  for (int k = m->nactuator; k < m->nu; k++) {
    m->actuator_ctrllimited[k] = random_chance(&r, CR_R(0.3));
    m->actuator_ctrlrange[2 * k] = -1;
    m->actuator_ctrlrange[2 * k + 1] = cr_random_range(&r, CR_R(0.5), 1);
  }
  for (int i = 0; i < m->nactuator; i++) {
    random_controller c = random_controller_of(seed, i, ball);
    if (c.gain < 0) {
      continue;
    }
    if (m->actuator_trntype[i] == CR_TRN_BODY) {
      m->actuator_trntype[i] = CR_TRN_JOINT;
      m->actuator_trnid[2 * i] = cr_random_int(&r, m->njnt);
    }
    m->actuator_gaintype[i] = c.gain;
    m->actuator_ctrlspec[i] = c.gain == CR_GAIN_SO3 ? c.spec : c.spec & 15;
    cr_real* gear = m->actuator_gear + 6 * m->actuator_outadr[i];
    for (int k = 0; k < 6; k++) {
      gear[k] *= CR_R(0.3);
    }
    if (c.gain == CR_GAIN_PID) {
      fill_pid(&r, m, i, c.spec);
    } else if (c.gain == CR_GAIN_DCMOTOR) {
      fill_motor(&r, m, i, c.spec);
    } else {
      fill_orientation(&r, m, i);
    }
  }
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
  fill_controllers(m, seed);
}
