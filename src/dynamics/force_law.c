// SPDX-License-Identifier: Apache-2.0
// Gain and bias. What is affine is a product of three parameters with three factors, (1, l, v) for
// the value; muscles have functions of their own.
#include "dynamics/force_law.h"

#include "dynamics/muscle.h"
#include "math/vec3.h"

typedef enum { FORM_NONE, FORM_FIXED, FORM_AFFINE, FORM_MUSCLE } form;

static form form_of(const cr_model* m, int i, cri_curve which) {
  static const form gains[] = {
      [CR_GAIN_FIXED] = FORM_FIXED, [CR_GAIN_AFFINE] = FORM_AFFINE, [CR_GAIN_MUSCLE] = FORM_MUSCLE};
  static const form biases[] = {
      [CR_BIAS_NONE] = FORM_NONE, [CR_BIAS_AFFINE] = FORM_AFFINE, [CR_BIAS_MUSCLE] = FORM_MUSCLE};
  int type = which == CR_GAIN ? m->actuator_gaintype[i] : m->actuator_biastype[i];
  int last = which == CR_GAIN ? CR_GAIN_MUSCLE : CR_BIAS_MUSCLE;
  return type > last ? FORM_NONE : (which == CR_GAIN ? gains : biases)[type];
}

// what multiplies the parameters
static void factors_of(form f, cri_slope_over over, cr_real l, cr_real v, cr_real w[3]) {
  bool affine = f == FORM_AFFINE, value = over == CR_AS_IT_IS;
  w[0] = value && f != FORM_NONE ? 1 : 0;
  w[1] = affine && over != CR_OVER_VELOCITY ? (value ? l : 1) : 0;
  w[2] = affine && over != CR_OVER_LENGTH ? (value ? v : 1) : 0;
}

// the bias of a muscle does not depend on velocity
static cr_real muscle(const cr_model* m, int i, cri_curve which, cri_slope_over over, cr_real l,
                      cr_real v, cri_muscle_gradient* g) {
  if (which == CR_GAIN) {
    return over == CR_AS_IT_IS        ? cri_muscle_gain(m, i, l, v, g)
           : over == CR_OVER_VELOCITY ? cri_muscle_gain_slope(m, i, l, v, g)
                                      : cri_muscle_gain_stiffness(m, i, l, v, g);
  }
  if (over == CR_OVER_VELOCITY) {
    if (g != NULL) {
      *g = (cri_muscle_gradient){0};
    }
    return 0;
  }
  return over == CR_AS_IT_IS ? cri_muscle_bias(m, i, l, g) : cri_muscle_bias_stiffness(m, i, l, g);
}

static const cr_real* parameters(const cr_model* m, int i, cri_curve which) {
  return (which == CR_GAIN ? m->actuator_gainprm : m->actuator_biasprm) + 10 * i;
}

cr_real cri_curve_of(const cr_model* m, int i, cri_curve which, cri_slope_over over, cr_real l,
                     cr_real v) {
  form f = form_of(m, i, which);
  const cr_real* p = parameters(m, i, which);
  if (f == FORM_NONE || f == FORM_FIXED) {
    return f == FORM_FIXED && over == CR_AS_IT_IS ? p[0] : 0;
  }
  if (f == FORM_MUSCLE) {
    return muscle(m, i, which, over, l, v, NULL);
  }
  cr_real w[3];
  factors_of(f, over, l, v, w);
  return cr_dot3(p, w);
}

cr_real cri_curve_tan(const cr_model* m, const cr_data* tan, int i, cri_curve which,
                      cri_slope_over over, cr_real l, cr_real v, cr_real l_tan, cr_real v_tan) {
  const cr_model* par = &tan->par;
  form f = form_of(m, i, which);
  if (f == FORM_NONE) {
    return 0;
  }
  const cr_real* p_tan =
      cri_par_tan(which == CR_GAIN ? par->actuator_gainprm : par->actuator_biasprm, i, 10);
  if (f == FORM_MUSCLE) {
    cri_muscle_gradient g;
    (void)muscle(m, i, which, over, l, v, &g);
    return cri_muscle_tan(m, i, &g, p_tan, tan, l_tan, v_tan);
  }
  const cr_real* p = parameters(m, i, which);
  bool moves = f == FORM_AFFINE && over == CR_AS_IT_IS;
  cr_real w[3];
  factors_of(f, over, l, v, w);
  return cr_dot3(p_tan, w) + (moves ? p[1] * l_tan + p[2] * v_tan : 0);
}

void cri_curve_bar(const cr_model* m, cr_data* bar, int i, cri_curve which, cri_slope_over over,
                   cr_real l, cr_real v, cr_real s, cr_real* l_bar, cr_real* v_bar) {
  form f = form_of(m, i, which);
  cr_real* all = which == CR_GAIN ? bar->par.actuator_gainprm : bar->par.actuator_biasprm;
  if (f == FORM_NONE || (f == FORM_FIXED && all == NULL)) {
    return;
  }
  cr_real* p_bar = all == NULL ? NULL : all + 10 * (size_t)i;
  if (f == FORM_MUSCLE) {
    cri_muscle_gradient g;
    (void)muscle(m, i, which, over, l, v, &g);
    cri_muscle_bar(m, i, &g, s, p_bar, bar, l_bar, v_bar);
    return;
  }
  const cr_real* p = parameters(m, i, which);
  cr_real w[3];
  factors_of(f, over, l, v, w);
  if (f == FORM_AFFINE && over == CR_AS_IT_IS) {
    *l_bar += s * p[1];
    *v_bar += s * p[2];
  }
  if (p_bar != NULL) {
    cr_accscl3(p_bar, w, s);
  }
}
