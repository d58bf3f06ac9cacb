// SPDX-License-Identifier: Apache-2.0
// The dynamics at one state and one time step, each with its tangent and its cotangents.
#ifndef CAROM_STEP_H
#define CAROM_STEP_H

#include "carom/data.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Computes everything from the state: runs every stage of the pipeline (MuJoCo's mj_forward).
/// Map      (qpos, qvel, act, ctrl, qfrc_applied, xfrc_applied; parameters) -> qacc, act_dot, ...,
///          and measured quantities: sensordata, energy, subtree_linvel, cfrc_int, ...
/// Errors   those of the stages; CR_ERR_NONFINITE if the acceleration is not finite
/// Smooth   except where contacts and limits switch, and at the kinks named at each stage
CR_API cr_status cr_forward(const cr_model* m, cr_data* d);

/// Tangents of all fields, from those of the inputs in `tan`. d is as cr_forward left it.
CR_API cr_status cr_forward_jvp(const cr_model* m, const cr_data* d, cr_data* tan);

/// Takes the cotangents of computed fields in `bar` back to the inputs: adds to bar->qpos (nv numbers), qvel, act,
/// ctrl, qfrc_applied, xfrc_applied and bar->par. Clears the cotangents of computed fields, so that bar is
/// ready for the next sweep.
CR_API cr_status cr_forward_vjp(const cr_model* m, const cr_data* d, cr_data* bar);

/// Numbers of a field (an input or a parameter, "ctrl", "tendon_lengthspring") by which the step has two
/// slopes at this state, one to each side, if both sides can be reached. *n is their number. Sentence i,
/// written into text of `size`, says which number, why, and which slope a derivative has. A joint or
/// tendon exactly at its limit is reported for every field. These are the entries of the list in docs/trust.md
/// that can be detected from a state, the first 64 of them. text may be NULL.
/// Needs    cr_forward at this state
/// Errors   CR_ERR_ARG, CR_ERR_NAME for a field that does not exist
CR_API cr_status cr_two_slopes(const cr_model* m, const cr_data* d, const char* field, int i,
                               char* text, int size, int* n);

/// Computes the state one time step later, in addition to the present one.
/// Map      (qpos, qvel, act; ctrl, qfrc_applied, xfrc_applied; parameters)
///          -> qpos_next, qvel_next, act_next
/// Equation cr_forward without measured quantities, then the integrator of the model: cr_euler
///          (also implicit, implicitfast, discrete) or an explicit Runge-Kutta method (RK4, tsit5 ...)
/// Shapes   qpos_next[nq], qvel_next[nv], act_next[na]
/// Leaves   the inputs as they were
/// Errors   those of cr_forward and of the integrator; CR_ERR_DIVERGED, with a sentence in d->error
///          that names the coordinate, if one of qpos, qvel, qacc, the next qpos, qvel or act is
///          not finite or beyond 1e10. Nothing is ever reset
/// Smooth   where its parts are
CR_API cr_status cr_step(const cr_model* m, cr_data* d);

/// Which derivatives of the last cr_step are undetermined, as a sentence into text of `size`:
/// a constraint row that moves nothing has a derivative that depends on the direction. "" if there is none.
/// Memory   no allocation
/// Errors   CR_ERR_ARG, also unless cr_step has just been called
CR_API cr_status cr_step_doubt(const cr_model* m, cr_data* d, char* text, int size);

/// What the last solve of the constraint problem left of the balance of forces.
/// Equation |M a - qfrc_smooth - J' f| over the largest of these terms, the maximum norm; 0 without constraints
/// Needs    cr_forward or cr_step; 0 before, and of NULL
CR_API cr_real cr_solver_residual(const cr_data* d);

/// Makes the next state the present one: qpos, qvel, act, time, and the warm start of the solver. All other
/// fields then belong to the state before; derivatives need the next cr_step or cr_forward.
/// Errors   CR_ERR_ARG unless cr_step has just computed it
CR_API cr_status cr_advance(const cr_model* m, cr_data* d);

/// Tangents of the next state from those of the inputs and parameters in `tan`. d is as cr_step
/// left it. `work`, a second block from cr_data_create, is needed in two cases: with integrators of several stages
/// (RK4, tsit5 ...); and with discrete if a tendon spring is exactly at its rest length, the one point where
/// MuJoCo's step has no stiffness. Otherwise it may be NULL.
CR_API cr_status cr_step_jvp(const cr_model* m, const cr_data* d, cr_data* work, cr_data* tan);

/// Takes the cotangents of qpos_next (nv numbers), qvel_next and act_next back to the inputs: adds to bar->qpos
/// (nv numbers), qvel, act, ctrl, qfrc_applied, xfrc_applied and bar->par. Clears those three.
/// d is as cr_step left it.
/// m_backward is m, or a model whose dynamics replace those of m in the backward pass (contacts
/// from distance). Wherever the step evaluated the dynamics they are solved again with m_backward,
/// and their vjp is that of this solution. The points and the integrator's map stay those of m.
/// `work`, a second block from cr_data_create, may be NULL with m_backward == m and an integrator of one
/// stage (Euler, implicit, implicitfast; discrete except at rest, see cr_step_jvp). Then d is used as it is,
/// and cotangents of computed fields that bar holds already count too. In all other cases those must be
/// zero.
/// Errors   those of cr_forward with m_backward; CR_ERR_ARG if work is missing, or a block does not
///          belong to the model or the step. The sentence is in cr_data_error(bar)
CR_API cr_status cr_step_vjp(const cr_model* m, const cr_model* m_backward, const cr_data* d,
                             cr_data* work, cr_data* bar);

#ifdef __cplusplus
}
#endif
#endif
