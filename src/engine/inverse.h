// SPDX-License-Identifier: Apache-2.0
// The last stage of inverse dynamics; carom/inverse.h documents the public functions.
#ifndef CR_ENGINE_INVERSE_H
#define CR_ENGINE_INVERSE_H

#include "carom/inverse.h"
#include "model/data.h"

/// qfrc_inverse from all fields that the dynamics compute before the acceleration.
/// Map      (qacc, M, qfrc_bias, qfrc_passive, efc_J, efc_aref, efc_D, efc_frictionloss, contact_mu,
///          contact_friction, efm_dof, efm_tendon, efm_actuator, qfrc_shift; with
///          invdiscrete and for free bodies the inputs of inertia/qderiv.h) ->
///          qfrc_inverse, efc_force, qfrc_constraint
/// Equation [inverse.i0] to [inverse.i3] of carom/inverse.h
/// Saves    acc_qacc, acc_jar, acc_force, efc_state, efm_free
/// Smooth   within the zones of the force law
cr_status cri_inverse(const cr_model* m, cr_data* d);
cr_status cri_inverse_jvp(const cr_model* m, const cr_data* d, cr_data* tan);
cr_status cri_inverse_vjp(const cr_model* m, const cr_data* d, cr_data* bar);

#endif
