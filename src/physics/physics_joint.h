// SPDX-License-Identifier: Apache-2.0
// The numbers of a model and the constant errors of sight of each toss, all at once.
// An error of sight is a parameter of the model: a shifted pose sees the floor at another level, a turned pose is a box that sits turned
// in its body. The horizontal shift does not matter.
#ifndef CR_PHYSICS_PHYSICS_JOINT_H
#define CR_PHYSICS_PHYSICS_JOINT_H

#include "physics/unknown.h"
#include "stiff/sighted.h"

/// Windows of `steps` predicted states, one every `stride` rows; iterations of Adam, rates of its first and last one.
typedef struct {
  int steps, stride, iterations;
  cr_real rate, final_rate;
  cr_real reach;  // of contacts from distance, m
} cri_joint_stage;

/// Lowers the mean absolute error over all windows of all tosses. `level` and `turn` of each toss: height of the floor in m, and the quaternion of the box.
/// They begin at what is given. Single-threaded.
/// Shapes   p[u->n], level[tosses->n], turn[tosses->n][4]; *loss may be NULL
/// Errors   CR_ERR_INTERRUPTED, CR_ERR_MEMORY; those of a fit
cr_status cri_joint_run(const cri_joint_stage* stage, const cri_unknown* u,
                        const cri_sighted* tosses, bool (*stop)(void* context), void* context,
                        cr_real* p, cr_real* level, cr_real* turn, cr_real* loss, cr_error* error);

#endif
