// SPDX-License-Identifier: Apache-2.0
// The table, see actuator_laws.h.
#include "dynamics/actuator_laws.h"

#include "dynamics/affine.h"
#include "dynamics/muscle.h"

enum { AFFINE_SLOPES = 1u << 1 | 1u << 2 };

static const cri_actuator_law gains[] = {
    [CR_GAIN_FIXED] = {.curve = cri_fixed_curve, .nprm = 1},
    [CR_GAIN_AFFINE] = {.curve = cri_affine_curve, .nprm = 3, .slopes = AFFINE_SLOPES},
    [CR_GAIN_MUSCLE] = {.curve = cri_muscle_gain,
                        .nprm = 9,
                        .ranged = true,
                        .bends = true,
                        .piece = cri_muscle_gain_piece},
    [CR_GAIN_DCMOTOR] = {.drive = cri_motor},
    [CR_GAIN_SO3] = {.drive = cri_geodesic},
    [CR_GAIN_PID] = {.drive = cri_pid},
};

// what controllers have for a bias is in the laws of their gains
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

const cri_actuator_law* cri_gain_law(const cr_model* m, int i) {
  return &gains[m->actuator_gaintype[i]];
}

const cri_actuator_law* cri_bias_law(const cr_model* m, int i) {
  return &biases[m->actuator_biastype[i]];
}
