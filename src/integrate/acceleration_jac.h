// SPDX-License-Identifier: Apache-2.0
// The derivative of the acceleration by all inputs, as one matrix: for the Jacobian of a step.
#ifndef CR_INTEGRATE_ACCELERATION_JAC_H
#define CR_INTEGRATE_ACCELERATION_JAC_H

#include "actuator/length_jac.h"
#include "integrate/jacobian_blocks.h"

/// X[nv ld]: columns q, v, force of every actuator's output; with implicit integrators the slope of
/// that force; and, `with_forces`, qfrc_applied. Activations and controls act through the forces
/// (slopes[nactuator]) and their slopes (slope_by_act, slope_by_ctrl). The memory is the
/// caller's: Z as X, L[nC], tan a tangent twin; ld a multiple of eight. Only the blocks of X are set: everything
/// outside is zero and not written.
typedef struct {
  cr_data* tan;
  int ld;
  bool with_forces;
  cr_real *X, *Z, *L;
  cri_actuator_jac* slopes;
  cr_real *slope_by_act, *slope_by_ctrl;
  cri_curvatures curvatures;
  cri_blocks blocks;
} cri_acceleration_jac;

/// First column of qfrc_applied, equal to the number of the other columns.
int cri_acceleration_applied(const cr_model* m);

/// The feature of the dynamics at d that has no columns; NULL if all have.
const char* cri_acceleration_why(const cr_model* m, const cr_data* d);

/// Sets the blocks, in scratch of c->tan that the caller pops after use of X; `whole`: one block for all.
void cri_acceleration_blocks(const cr_model* m, const cr_data* d, cri_acceleration_jac* c,
                             bool whole);

/// Clears the tangents of the inputs in `tan`.
void cri_acceleration_clear(const cr_model* m, cr_data* tan);

/// X = the derivatives of qacc at d, with blocks set, as cr_step or the dynamics alone left it.
/// Equation H X = -dr/d(...), r = M a + c - tau - J' f with a held; derivation:
///          docs/derivations/step_jacobian.md
/// Errors   CR_ERR_SINGULAR, its sentence in c->tan->error
cr_status cri_acceleration_jac_set(const cr_model* m, const cr_data* d, cri_acceleration_jac* c);

/// Converts these to the derivatives of euler_qacc, d as cr_step left it: [euler.e1] of integrate/euler.h, or
/// [implicit.m1] of integrate/implicit.h.
cr_status cri_acceleration_jac_implicit(const cr_model* m, const cr_data* d,
                                        cri_acceleration_jac* c);

#endif
