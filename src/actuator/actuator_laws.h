// SPDX-License-Identifier: Apache-2.0
// The table of actuator laws: one row for every type of gain and of bias. A law is written once, in a file
// of its own; forces, their derivatives, implicit integrators and the integrator discrete find it here.
#ifndef CR_ACTUATOR_ACTUATOR_LAWS_H
#define CR_ACTUATOR_ACTUATOR_LAWS_H

#include "actuator/curve.h"
#include "actuator/drive.h"

/// A gain or bias: either a curve of an actuator with one input or, for a gain only, the law of a controller.
typedef struct cri_actuator_law {
  cri_curve_law* curve;  // NULL: 0
  int nprm;              // parameters of the curve: the first ones of actuator_gainprm or biasprm
  bool ranged;           // depends on actuator_lengthrange and actuator_acc0
  bool bends;            // has second derivatives over length and velocity
  unsigned slopes;       // bit k: parameter k is a slope; where it is zero there is no slope
  int (*piece)(const cr_model* m, int i, cr_real l,
               cr_real v);      // which of its pieces is active; NULL: it has one
  int npiece;                   // number of pieces
  void (*drive)(cri_drive* b);  // law of a controller
} cri_actuator_law;

/// Adds n laws of the caller to those of the table, for this model and copies of it: law k is the gain
/// CR_GAIN_ADDED + k and the bias CR_BIAS_ADDED + k. They are curves. The rows stay the caller's, and must outlive
/// the model. A file keeps only the types: a loaded model needs its laws again, and is refused without them.
/// Errors   CR_ERR_ARG: a row is no curve of 1 to 10 parameters
cr_status cri_actuator_laws_add(cr_model* m, const cri_actuator_law* laws, int n, cr_error* error);

/// Laws of the gain and bias of actuator i.
const cri_actuator_law* cri_gain_law(const cr_model* m, int i);
const cri_actuator_law* cri_bias_law(const cr_model* m, int i);

#endif
