// SPDX-License-Identifier: Apache-2.0
// Controllers: the inputs of a law, and products with its small matrix.
#include "actuator/controller.h"

#include "actuator/actuation_parts.h"
#include "actuator/setpoint.h"

// ---- forward

void cri_law_of(const cr_model* m, int i, const cr_real* u, const cr_real* act, const cr_real* l,
                const cr_real* v, cri_law* law) {
  cri_drive b = {.m = m, .i = i, .u = u, .act = act, .l = l, .v = v, .law = law};
  b.dyn = m->actuator_dynprm + 10 * i;
  b.gain = m->actuator_gainprm + 10 * i;
  b.bias = m->actuator_biasprm + 10 * i;
  b.period = cri_servo_period(m, i);
  memset(law, 0, sizeof *law);
  law->nu = m->actuator_ctrlnum[i];
  law->nact = m->actuator_actnum[i];
  law->nout = m->actuator_outnum[i];
  cri_gain_law(m, i)->drive(&b);
}

static void output_of(const cri_controlled* c, cri_output* o) {
  const cri_law* law = &c->law;
  o->nout = law->nout;
  o->nact = law->nact;
  o->free = c->off ? 0 : law->row[CR_LAW_FREE].value;
  for (int k = 0; k < law->nout; k++) {
    o->v[k] = c->v[k];
    o->raw[k] = c->off ? 0 : law->row[CR_LAW_FORCE + k].value;
  }
  for (int k = 0; k < law->nact; k++) {
    o->rate[k] = law->row[CR_LAW_RATE + k].value;
  }
}

void cri_controlled_of(const cr_model* m, const cr_data* d, int i, cri_controlled* c,
                       cri_output* o) {
  cr_real u[CR_LAW_U] = {0};
  c->ctrl = m->actuator_ctrladr[i];
  c->act = m->actuator_actadr[i];
  c->out = m->actuator_outadr[i];
  c->off = cri_actuator_disabled(m, i);
  c->period = cri_servo_period(m, i);
  for (int k = 0; k < m->actuator_ctrlnum[i]; k++) {
    int at = c->ctrl + k;
    u[k] = cri_clip(d->ctrl[at], cri_control_limited(m, at), m->actuator_ctrlrange + 2 * at,
                    &c->side[k]);
  }
  for (int k = 0; k < m->actuator_outnum[i]; k++) {
    c->v[k] = cri_moment_mul(d, d->actuator_moment, c->out + k, d->qvel);
  }
  const cr_real* act = c->act < 0 ? NULL : d->act + c->act;
  cri_law_of(m, i, u, act, d->actuator_length + c->out, c->v, &c->law);
  output_of(c, o);
}

// ---- tangents

void cri_controlled_rows_tan(const cr_model* m, const cr_data* d, const cr_data* tan, int i,
                             const cri_controlled* c, cr_real row_tan[CR_LAW_ROWS],
                             cr_real v_tan[CR_LAW_OUT]) {
  const cri_law* law = &c->law;
  cr_real z[CR_LAW_COLUMNS] = {0}, prm[CR_LAW_PRMS];
  for (int k = 0; k < law->nu; k++) {
    const cr_real* range_tan = cri_par_tan(tan->par.actuator_ctrlrange, c->ctrl + k, 2);
    z[k] = cri_clip_jvp(c->side[k], tan->ctrl[c->ctrl + k], range_tan);
  }
  for (int k = 0; k < law->nact; k++) {
    z[CR_LAW_U + k] = tan->act[c->act + k];
  }
  for (int k = 0; k < law->nout; k++) {
    v_tan[k] = cri_actuator_velocity_tan(d, tan, c->out + k);
    z[CR_LAW_L + k] = tan->actuator_length[c->out + k];
    z[CR_LAW_V + k] = v_tan[k];
  }
  cr_copy(prm + CR_LAW_DYN, cri_par_tan(tan->par.actuator_dynprm, i, 10), 10);
  cr_copy(prm + CR_LAW_GAIN, cri_par_tan(tan->par.actuator_gainprm, i, 10), 10);
  cr_copy(prm + CR_LAW_BIAS, cri_par_tan(tan->par.actuator_biasprm, i, 10), 10);
  cr_copy(prm + CR_LAW_RANGE, cri_par_tan(tan->par.actuator_actrange, i, 2), 2);
  cr_real period_tan = cri_servo_period_jvp(m, i, c->period, tan);
  for (int r = 0; r < CR_LAW_ROWS; r++) {
    const cri_dual* row = &law->row[r];
    row_tan[r] = row->by_period * period_tan;
    for (int k = 0; k < CR_LAW_COLUMNS; k++) {
      row_tan[r] += row->by[k] * z[k];
    }
    for (int k = 0; k < CR_LAW_PRMS; k++) {
      row_tan[r] += row->by_prm[k] * prm[k];
    }
  }
}

void cri_controlled_tan(const cr_model* m, const cr_data* d, const cr_data* tan, int i,
                        const cri_controlled* c, cri_output* o_tan) {
  cr_real row[CR_LAW_ROWS];
  cri_controlled_rows_tan(m, d, tan, i, c, row, o_tan->v);
  cr_copy(o_tan->rate, row + CR_LAW_RATE, CR_LAW_ACT);
  cr_zero(o_tan->raw, CR_LAW_OUT);
  o_tan->free = 0;
  if (!c->off) {
    cr_copy(o_tan->raw, row + CR_LAW_FORCE, CR_LAW_OUT);
    o_tan->free = row[CR_LAW_FREE];
  }
}

// ---- cotangents

void cri_controlled_rows_bar(const cr_model* m, cr_data* bar, int i, const cri_controlled* c,
                             const cr_real row_bar[CR_LAW_ROWS], cr_real v_bar[CR_LAW_OUT]) {
  const cri_law* law = &c->law;
  cr_real z[CR_LAW_COLUMNS] = {0}, prm[CR_LAW_PRMS] = {0}, period_bar = 0;
  for (int r = 0; r < CR_LAW_ROWS; r++) {
    const cri_dual* row = &law->row[r];
    period_bar += row->by_period * row_bar[r];
    for (int k = 0; k < CR_LAW_COLUMNS; k++) {
      z[k] += row->by[k] * row_bar[r];
    }
    for (int k = 0; k < CR_LAW_PRMS; k++) {
      prm[k] += row->by_prm[k] * row_bar[r];
    }
  }
  for (int k = 0; k < law->nu; k++) {
    cr_real* range_bar = cri_par_bar(bar->par.actuator_ctrlrange, c->ctrl + k, 2);
    bar->ctrl[c->ctrl + k] += cri_clip_vjp(c->side[k], z[k], range_bar);
  }
  for (int k = 0; k < law->nact; k++) {
    bar->act[c->act + k] += z[CR_LAW_U + k];
  }
  for (int k = 0; k < law->nout; k++) {
    bar->actuator_length[c->out + k] += z[CR_LAW_L + k];
    v_bar[k] += z[CR_LAW_V + k];
  }
  cri_par_add(bar->par.actuator_dynprm, i, 10, prm + CR_LAW_DYN);
  cri_par_add(bar->par.actuator_gainprm, i, 10, prm + CR_LAW_GAIN);
  cri_par_add(bar->par.actuator_biasprm, i, 10, prm + CR_LAW_BIAS);
  cri_par_add(bar->par.actuator_actrange, i, 2, prm + CR_LAW_RANGE);
  cri_servo_period_vjp(m, i, c->period, period_bar, bar);
}

void cri_controlled_bar(const cr_model* m, cr_data* bar, int i, const cri_controlled* c,
                        cri_output* o_bar) {
  cr_real row[CR_LAW_ROWS] = {0};
  cr_copy(row + CR_LAW_RATE, o_bar->rate, c->law.nact);
  if (!c->off) {
    cr_copy(row + CR_LAW_FORCE, o_bar->raw, c->law.nout);
    row[CR_LAW_FREE] = o_bar->free;
  }
  cri_controlled_rows_bar(m, bar, i, c, row, o_bar->v);
}
