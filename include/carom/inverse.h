// SPDX-License-Identifier: Apache-2.0
// Inverse dynamics: the forces that make a given acceleration.
#ifndef CAROM_INVERSE_H
#define CAROM_INVERSE_H

#include "carom/data.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The force that would have to act in addition to passive and constraint forces (MuJoCo's mj_inverse).
/// Map      (qpos, qvel, qacc; parameters) -> qfrc_inverse, efc_force, qfrc_constraint
/// Equation f = f(J a - aref), the law of the rows, without a solve              [inverse.i1]
///          qfrc_inverse = M a + qfrc_bias - qfrc_passive - J' f                 [inverse.i2]
///          a = qacc; with the flag invdiscrete qacc is (v+ - v) / h of a step of the model's
///          integrator, and M a = (M - hD) qacc with the D of that integrator    [inverse.i0]
///          with the integrator discrete also + (A - M) a - qfrc_shift, A its implicit
///          inertia, with the gyroscopic block of free bodies that nothing touches       [inverse.i3]
///          derivation: docs/derivations/inverse.md
///          At the qacc of cr_forward this is qfrc_applied + qfrc_actuator + J' xfrc_applied
/// Shapes   qacc[nv] is an input: set it in the block before; qfrc_inverse[nv]
/// Units    N, N m
/// Leaves   the inputs, qacc among them, as they were; runs the dynamics up to the constraint rows,
///          so every field computed before the acceleration belongs to this state; sensors do not
/// Errors   those of cr_forward except the solver's; CR_ERR_UNSUPPORTED where invdiscrete is on and the
///          integrator has several stages (RK4 and the explicit methods); CR_ERR_NONFINITE where
///          qacc is not finite. The sentence is in cr_data_error(d)
/// Smooth   where the force law of the rows is smooth: between its zones and the points that cr_forward names
CR_API cr_status cr_inverse(const cr_model* m, cr_data* d);

/// Tangents of qfrc_inverse, efc_force and qfrc_constraint, and of all fields before, from those of qpos
/// (nv numbers), qvel, qacc and parameters in `tan`. d is as cr_inverse left it.
CR_API cr_status cr_inverse_jvp(const cr_model* m, const cr_data* d, cr_data* tan);

/// Takes the cotangents of qfrc_inverse, efc_force and qfrc_constraint back to the inputs: adds to bar->qpos (nv
/// numbers), qvel, qacc and bar->par. Clears these cotangents and those of all fields computed
/// before the acceleration. The cotangent of qacc stays: clear it before the next sweep.
CR_API cr_status cr_inverse_vjp(const cr_model* m, const cr_data* d, cr_data* bar);

#ifdef __cplusplus
}
#endif
#endif
