// SPDX-License-Identifier: Apache-2.0
// The table, see actuator_laws.h.
#include "actuator/actuator_laws.h"

#include "actuator/affine.h"
#include "actuator/muscle.h"

enum { AFFINE_SLOPES = 1u << 1 | 1u << 2 };

static const cri_actuator_law gains[] = {
    [CR_GAIN_FIXED] = {.curve = cri_fixed_curve, .nprm = 1},
    [CR_GAIN_AFFINE] = {.curve = cri_affine_curve, .nprm = 3, .slopes = AFFINE_SLOPES},
    [CR_GAIN_MUSCLE] = {.curve = cri_muscle_gain,
                        .nprm = 9,
                        .ranged = true,
                        .bends = true,
                        .piece = cri_muscle_gain_piece,
                        .npiece = CR_MUSCLE_GAIN_PIECES},
    [CR_GAIN_DCMOTOR] = {.drive = cri_motor},
    [CR_GAIN_SO3] = {.drive = cri_geodesic},
    [CR_GAIN_PID] = {.drive = cri_pid},
};

// the laws of their gains contain the bias of controllers
static const cri_actuator_law biases[] = {
    [CR_BIAS_NONE] = {.curve = NULL},
    [CR_BIAS_AFFINE] = {.curve = cri_affine_curve, .nprm = 3, .slopes = AFFINE_SLOPES},
    [CR_BIAS_MUSCLE] = {.curve = cri_muscle_bias,
                        .nprm = 9,
                        .ranged = true,
                        .bends = true,
                        .piece = cri_muscle_bias_piece,
                        .npiece = CR_MUSCLE_BIAS_PIECES},
    [CR_BIAS_DCMOTOR] = {.curve = NULL},
    [CR_BIAS_SO3] = {.curve = NULL},
};

cr_status cri_actuator_laws_add(cr_model* m, const cri_actuator_law* laws, int n, cr_error* error) {
  for (int k = 0; k < n; k++) {
    const cri_actuator_law* law = &laws[k];
    bool pieces = (law->piece != NULL) == (law->npiece > 0);
    if (law->curve == NULL || law->drive != NULL || law->nprm < 1 || law->nprm > 10 || !pieces) {
      return cri_fail(error, CR_ERR_ARG, "actuator law %d: no curve of 1 to 10 parameters", k);
    }
  }
  m->added_law = laws;
  m->nadded_law = n;
  return CR_OK;
}

const cri_actuator_law* cri_gain_law(const cr_model* m, int i) {
  int type = m->actuator_gaintype[i];
  return type < CR_GAIN_ADDED ? &gains[type] : &m->added_law[type - CR_GAIN_ADDED];
}

const cri_actuator_law* cri_bias_law(const cr_model* m, int i) {
  int type = m->actuator_biastype[i];
  return type < CR_BIAS_ADDED ? &biases[type] : &m->added_law[type - CR_BIAS_ADDED];
}
