// SPDX-License-Identifier: Apache-2.0
// Products with the small matrix of a law.
#include "dynamics/controlled.h"

#include "dynamics/activation.h"
#include "dynamics/limits.h"
#include "math/vec3.h"

void cri_controlled_of(const cr_model* m, const cr_data* d, int i, cri_controlled* c) {
  cr_real u[CR_LAW_U] = {0};
  c->adr = m->actuator_ctrladr[i];
  c->act = m->actuator_actadr[i];
  c->out = m->actuator_outadr[i];
  c->period = cri_servo_period(m, i);
  for (int k = 0; k < m->actuator_ctrlnum[i]; k++) {
    int at = c->adr + k;
    u[k] = cri_clip(d->ctrl[at], cri_control_limited(m, at), m->actuator_ctrlrange + 2 * at,
                    &c->side[k]);
  }
  for (int k = 0; k < m->actuator_outnum[i]; k++) {
    c->v[k] = cri_moment_mul(d, d->actuator_moment, c->out + k, d->qvel);
  }
  const cr_real* act = c->act < 0 ? NULL : d->act + c->act;
  cri_law_of(m, i, u, act, d->actuator_length + c->out, c->v, &c->law);
  c->norm = cr_norm3(c->law.value + CR_LAW_FORCE);
  c->share = 1;
  if (m->actuator_forcelimited[i] != 0 && c->norm > m->actuator_forcerange[2 * i + 1]) {
    c->share = m->actuator_forcerange[2 * i + 1] / c->norm;
  }
}

// ---- tangents

void cri_controlled_tan(const cr_model* m, const cr_data* d, const cr_data* tan, int i,
                        const cri_controlled* c, cr_real row_tan[CR_LAW_ROWS],
                        cr_real v_tan[CR_LAW_OUT]) {
  const cri_law* law = &c->law;
  cr_real z[CR_LAW_COLUMNS] = {0}, prm[CR_LAW_PRMS];
  for (int k = 0; k < law->nu; k++) {
    const cr_real* range_tan = cri_par_tan(tan->par.actuator_ctrlrange, c->adr + k, 2);
    z[k] = cri_clip_jvp(c->side[k], tan->ctrl[c->adr + k], range_tan);
  }
  for (int k = 0; k < law->nact; k++) {
    z[CR_LAW_U + k] = tan->act[c->act + k];
  }
  for (int k = 0; k < law->nout; k++) {
    v_tan[k] = cri_moment_mul(d, tan->actuator_moment, c->out + k, d->qvel) +
               cri_moment_mul(d, d->actuator_moment, c->out + k, tan->qvel);
    z[CR_LAW_L + k] = tan->actuator_length[c->out + k];
    z[CR_LAW_V + k] = v_tan[k];
  }
  cr_copy(prm + CR_LAW_DYN, cri_par_tan(tan->par.actuator_dynprm, i, 10), 10);
  cr_copy(prm + CR_LAW_GAIN, cri_par_tan(tan->par.actuator_gainprm, i, 10), 10);
  cr_copy(prm + CR_LAW_BIAS, cri_par_tan(tan->par.actuator_biasprm, i, 10), 10);
  cr_copy(prm + CR_LAW_RANGE, cri_par_tan(tan->par.actuator_actrange, i, 2), 2);
  cr_real period_tan = cri_servo_period_jvp(m, i, c->period, tan);
  for (int r = 0; r < CR_LAW_ROWS; r++) {
    row_tan[r] = law->by_period[r] * period_tan;
    for (int k = 0; k < CR_LAW_COLUMNS; k++) {
      row_tan[r] += law->by[r][k] * z[k];
    }
    for (int k = 0; k < CR_LAW_PRMS; k++) {
      row_tan[r] += law->by_prm[r][k] * prm[k];
    }
  }
}

void cri_torque_tan(const cr_model* m, const cr_data* tan, int i, const cri_controlled* c,
                    const cr_real raw_tan[3], cr_real f_tan[3]) {
  const cr_real* raw = c->law.value + CR_LAW_FORCE;
  cr_scl3(f_tan, raw_tan, c->share);
  if (c->share < 1) {
    // share' = (range' - share raw . raw' / |raw|) / |raw|
    cr_real most_tan = cri_par_tan(tan->par.actuator_forcerange, i, 2)[1];
    cr_real share_tan = (most_tan - c->share * cr_dot3(raw, raw_tan) / c->norm) / c->norm;
    cr_accscl3(f_tan, raw, share_tan);
  }
  (void)m;
}

// ---- cotangents

static void add_rows(cr_real* to, const cr_real* from, int n) {
  for (int k = 0; to != NULL && k < n; k++) {
    to[k] += from[k];
  }
}

void cri_controlled_bar(const cr_model* m, const cr_data* d, cr_data* bar, int i,
                        const cri_controlled* c, const cr_real row_bar[CR_LAW_ROWS],
                        cr_real v_bar[CR_LAW_OUT]) {
  const cri_law* law = &c->law;
  cr_real z[CR_LAW_COLUMNS] = {0}, prm[CR_LAW_PRMS] = {0}, period_bar = 0;
  for (int r = 0; r < CR_LAW_ROWS; r++) {
    period_bar += law->by_period[r] * row_bar[r];
    for (int k = 0; k < CR_LAW_COLUMNS; k++) {
      z[k] += law->by[r][k] * row_bar[r];
    }
    for (int k = 0; k < CR_LAW_PRMS; k++) {
      prm[k] += law->by_prm[r][k] * row_bar[r];
    }
  }
  for (int k = 0; k < law->nu; k++) {
    cr_real* range_bar = cri_par_bar(bar->par.actuator_ctrlrange, c->adr + k, 2);
    bar->ctrl[c->adr + k] += cri_clip_vjp(c->side[k], z[k], range_bar);
  }
  for (int k = 0; k < law->nact; k++) {
    bar->act[c->act + k] += z[CR_LAW_U + k];
  }
  for (int k = 0; k < law->nout; k++) {
    bar->actuator_length[c->out + k] += z[CR_LAW_L + k];
    v_bar[k] = z[CR_LAW_V + k];
  }
  add_rows(cri_par_bar(bar->par.actuator_dynprm, i, 10), prm + CR_LAW_DYN, 10);
  add_rows(cri_par_bar(bar->par.actuator_gainprm, i, 10), prm + CR_LAW_GAIN, 10);
  add_rows(cri_par_bar(bar->par.actuator_biasprm, i, 10), prm + CR_LAW_BIAS, 10);
  add_rows(cri_par_bar(bar->par.actuator_actrange, i, 2), prm + CR_LAW_RANGE, 2);
  cri_servo_period_vjp(m, i, c->period, period_bar, bar);
  (void)d;
}

void cri_torque_bar(const cri_controlled* c, cr_real f_bar[3], cr_real* range_bar) {
  if (c->share < 1) {
    const cr_real* raw = c->law.value + CR_LAW_FORCE;
    cr_real share_bar = cr_dot3(raw, f_bar) / c->norm;
    cr_scl3(f_bar, f_bar, c->share);
    cr_accscl3(f_bar, raw, -share_bar * c->share / c->norm);
    if (range_bar != NULL) {
      range_bar[1] += share_bar;
    }
  }
}
