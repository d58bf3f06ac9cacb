// SPDX-License-Identifier: Apache-2.0
// Forces of actuators with one input. Most gains are fixed and most have no bias, which needs no law.
#include "actuator/force_law.h"

static const cr_real* gain_prm(const cr_model* m, int i) { return m->actuator_gainprm + 10 * i; }
static const cr_real* bias_prm(const cr_model* m, int i) { return m->actuator_biasprm + 10 * i; }

// ---- values

cr_real cri_gain_of(const cr_model* m, int i, cri_slope_over over, cr_real l, cr_real v) {
  if (!cri_gain_has_slope(m, i)) {
    return over == CR_AS_IT_IS ? gain_prm(m, i)[0] : 0;
  }
  const cri_actuator_law* law = cri_gain_law(m, i);
  return law->curve == NULL ? 0 : law->curve(m, i, gain_prm(m, i), over, l, v, NULL);
}

cr_real cri_bias_of(const cr_model* m, int i, cri_slope_over over, cr_real l, cr_real v) {
  const cri_actuator_law* law = cri_bias_law(m, i);
  return law->curve == NULL ? 0 : law->curve(m, i, bias_prm(m, i), over, l, v, NULL);
}

cr_real cri_force_of(const cr_model* m, int i, cri_slope_over over, cr_real l, cr_real v,
                     cr_real x) {
  // [actuation.u5], [actuation.u10]
  cr_real bias = cri_bias_of(m, i, over, l, v);
  bool moved = over == CR_AS_IT_IS || cri_gain_has_slope(m, i);
  return moved ? cri_gain_of(m, i, over, l, v) * x + bias : bias;
}

bool cri_force_bends(const cr_model* m, int i) {
  return cri_gain_law(m, i)->bends || cri_bias_law(m, i)->bends;
}

// ---- derivatives

void cri_force_line_of(const cr_model* m, int i, cri_slope_over over, cr_real l, cr_real v,
                       cr_real x, cri_force_line* f) {
  bool moved = over == CR_AS_IT_IS || cri_gain_has_slope(m, i);
  const cri_actuator_law *gain = cri_gain_law(m, i), *bias = cri_bias_law(m, i);
  f->actuator = i;
  f->x = x;
  f->gain_law = moved && gain->curve != NULL ? gain : NULL;
  f->bias_law = bias->curve != NULL ? bias : NULL;
  f->gain = f->bias = 0;
  if (f->gain_law != NULL) {
    f->gain = gain->curve(m, i, gain_prm(m, i), over, l, v, &f->by_gain);
  }
  if (f->bias_law != NULL) {
    f->bias = bias->curve(m, i, bias_prm(m, i), over, l, v, &f->by_bias);
  }
}

static cr_real curve_tan(const cr_model* m, const cr_data* tan, int i, const cri_actuator_law* law,
                         const cri_curve_gradient* g, const cr_real* prm_tan, cr_real l_tan,
                         cr_real v_tan) {
  cr_real sum = g->length * l_tan + g->velocity * v_tan;
  if (law->ranged) {
    int out = m->actuator_outadr[i];
    const cr_real* range_tan = cri_par_tan(tan->par.actuator_lengthrange, out, 2);
    sum += g->range[0] * range_tan[0] + g->range[1] * range_tan[1];
    sum += g->acc0 * cri_par_tan(tan->par.actuator_acc0, out, 1)[0];
  }
  for (int k = 0; k < law->nprm; k++) {
    sum += g->prm[k] * prm_tan[k];
  }
  return sum;
}

static void curve_bar(const cr_model* m, cr_data* bar, int i, const cri_actuator_law* law,
                      const cri_curve_gradient* g, cr_real s, cr_real* prm_bar, cr_real* l_bar,
                      cr_real* v_bar) {
  *l_bar += s * g->length;
  *v_bar += s * g->velocity;
  for (int k = 0; k < law->nprm && prm_bar != NULL; k++) {
    prm_bar[10 * i + k] += s * g->prm[k];
  }
  if (law->ranged) {
    int out = m->actuator_outadr[i];
    const cr_real range_bar[2] = {s * g->range[0], s * g->range[1]};
    cri_par_add(bar->par.actuator_lengthrange, out, 2, range_bar);
    cri_par_add1(bar->par.actuator_acc0, out, s * g->acc0);
  }
}

cr_real cri_force_line_tan(const cr_model* m, const cr_data* tan, const cri_force_line* f,
                           cr_real l_tan, cr_real v_tan, cr_real x_tan) {
  cr_real sum = 0;
  int i = f->actuator;
  if (f->gain_law != NULL) {
    const cr_real* prm_tan = cri_par_tan(tan->par.actuator_gainprm, i, 10);
    sum = curve_tan(m, tan, i, f->gain_law, &f->by_gain, prm_tan, l_tan, v_tan) * f->x +
          f->gain * x_tan;
  }
  if (f->bias_law != NULL) {
    const cr_real* prm_tan = cri_par_tan(tan->par.actuator_biasprm, i, 10);
    sum += curve_tan(m, tan, i, f->bias_law, &f->by_bias, prm_tan, l_tan, v_tan);
  }
  return sum;
}

void cri_force_line_bar(const cr_model* m, cr_data* bar, const cri_force_line* f, cr_real s,
                        cr_real* l_bar, cr_real* v_bar) {
  int i = f->actuator;
  if (f->gain_law != NULL) {
    curve_bar(m, bar, i, f->gain_law, &f->by_gain, s * f->x, bar->par.actuator_gainprm, l_bar,
              v_bar);
  }
  if (f->bias_law != NULL) {
    curve_bar(m, bar, i, f->bias_law, &f->by_bias, s, bar->par.actuator_biasprm, l_bar, v_bar);
  }
}

// ---- where slopes bend

int cri_force_piece(const cr_model* m, int i, cr_real l, cr_real v) {
  const cri_actuator_law *gain = cri_gain_law(m, i), *bias = cri_bias_law(m, i);
  int piece = gain->piece == NULL ? 0 : gain->piece(m, i, l, v);
  return bias->piece == NULL ? piece : piece * bias->npiece + bias->piece(m, i, l, v);
}

static bool is_slope_of_zero(const cri_actuator_law* law, const cr_real* prm, int k) {
  return (law->slopes >> k & 1) != 0 && prm[k] == 0;
}

bool cri_gain_slope_is_zero(const cr_model* m, int i, int k) {
  return is_slope_of_zero(cri_gain_law(m, i), gain_prm(m, i), k);
}

bool cri_bias_qderiv_is_zero(const cr_model* m, int i, int k) {
  return is_slope_of_zero(cri_bias_law(m, i), bias_prm(m, i), k);
}
