// SPDX-License-Identifier: Apache-2.0
// States as vectors, keyframes, and positions on the configuration manifold.
#ifndef CAROM_STATE_H
#define CAROM_STATE_H

#include "carom/data.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Parts of a state, MuJoCo's mjtState: bit, and what it holds. History, user data, plugins and
/// plasticity have no numbers in Carom; their bits (4, 12, 13, 14) are allowed and empty.
enum {
  CR_STATE_TIME = 1 << 0,          // time
  CR_STATE_QPOS = 1 << 1,          // qpos[nq]
  CR_STATE_QVEL = 1 << 2,          // qvel[nv]
  CR_STATE_ACT = 1 << 3,           // act[na]
  CR_STATE_WARMSTART = 1 << 5,     // qacc_warmstart[nv]
  CR_STATE_CTRL = 1 << 6,          // ctrl[nu]
  CR_STATE_QFRC_APPLIED = 1 << 7,  // qfrc_applied[nv]
  CR_STATE_XFRC_APPLIED = 1 << 8,  // xfrc_applied[6 nbody]
  CR_STATE_EQ_ACTIVE = 1 << 9,     // eq_active[neq]
  CR_STATE_MOCAP_POS = 1 << 10,    // mocap_pos[3 nmocap]
  CR_STATE_MOCAP_QUAT = 1 << 11,   // mocap_quat[4 nmocap]
  CR_STATE_PLUGIN = 1 << 13,       // plugin_state[npluginstate]
  CR_STATE_PHYSICS = 0x401e,       // qpos, qvel, act, history, plasticity
  CR_STATE_FULLPHYSICS = 0x601f,   // that, time and plugins
  CR_STATE_USER = 0x1fc0,          // set by a user: controls, applied forces, mocap bodies, ...
  CR_STATE_INTEGRATION = 0x7fff    // everything on which the next step depends
};

/// Size of a state with these parts; -1 for bits that do not exist, or without a model (mj_stateSize).
CR_API int cr_state_size(const cr_model* m, int parts);

/// The parts, one after the other in the order of their bits (mj_getState, mj_setState).
/// Shapes   state[cr_state_size(m, parts)]
/// Errors   CR_ERR_ARG for bits that do not exist; set: also CR_ERR_NONFINITE, and then the block is
///          unchanged
CR_API cr_status cr_state_get(const cr_model* m, const cr_data* d, cr_real* state, int parts);
CR_API cr_status cr_state_set(const cr_model* m, cr_data* d, const cr_real* state, int parts);

/// Copies the parts from one block to another of the same model (mj_copyState). What else is in `to` then
/// belongs to the state before.
/// Errors   CR_ERR_ARG for bits that do not exist; the sentence is in cr_data_error(to)
CR_API cr_status cr_state_copy(const cr_model* m, const cr_data* from, cr_data* to, int parts);

/// cr_data_reset, then time, qpos, qvel, act, ctrl and the mocap bodies of a keyframe
/// (mj_resetDataKeyframe).
/// Errors   CR_ERR_ARG for a keyframe that does not exist; the block is reset nevertheless
CR_API cr_status cr_data_reset_keyframe(const cr_model* m, cr_data* d, int key);

/// Moves qpos by a velocity for a time: qpos (+) dt qvel (mj_integratePos).
/// Equation p + dt v; q exp(dt w / 2) for orientations                 [runge_kutta.q1]
/// Shapes   qpos[nq], changed in place; qvel[nv]
/// Errors   CR_ERR_ARG for NULL or a time that is not finite
CR_API cr_status cr_integrate_pos(const cr_model* m, cr_real* qpos, const cr_real* qvel, cr_real dt,
                                  cr_error* error);

/// The velocity that moves qpos1 to qpos2 in a time: the inverse of cr_integrate_pos (mj_differentiatePos).
/// Equation (p2 - p1) / dt; log(q1^-1 q2) / dt for orientations, angles up to pi   [runge_kutta.q2]
/// Shapes   qvel[nv]; qpos1[nq], qpos2[nq]
/// Errors   CR_ERR_ARG for NULL, or a time that is zero or not finite
CR_API cr_status cr_differentiate_pos(const cr_model* m, cr_real* qvel, cr_real dt,
                                      const cr_real* qpos1, const cr_real* qpos2, cr_error* error);

#ifdef __cplusplus
}
#endif
#endif
