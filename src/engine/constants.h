// SPDX-License-Identifier: Apache-2.0
// Constants that MuJoCo derives when it compiles a model, made again after masses, inertias, poses
// or sizes changed, and their derivative: regularisation of the constraints rests on them.
#ifndef CR_ENGINE_CONSTANTS_H
#define CR_ENGINE_CONSTANTS_H

#include "model/data.h"
#include "model/fields.h"

/// The derived fields that carry a derivative: what a gradient has to ask for besides the fields they
/// follow from. Of the last ones only some numbers are derived.
enum { CR_N_DERIVED = 7, CR_N_DERIVED_WHOLE = 5 };
extern const cr_field_id cri_derived_fields[CR_N_DERIVED];

/// All numbers of a field are derived; number i of a field is, in this model.
bool cri_field_is_derived(cr_field_id id);
bool cri_is_derived(const cr_model* m, cr_field_id id, int i);

/// Derives body_invweight0, dof_invweight0, tendon_invweight0, tendon_length0, actuator_acc0,
/// geom_rbound, the anchors and poses of eq_data that follow from qpos0 (assembly.h) and the added
/// masses of geom_fluid (added_mass.h), in place (m must own these arrays): all that mj_setConst
/// makes and Carom reads. actuator_lengthrange is no part of it: MuJoCo finds it by pulling on
/// every muscle in a simulation when it compiles a model, mj_setConst leaves it, and so does Carom.
/// Map      (all of the model that kinematics, com, tendon, transmission and inertia read, at
///          qpos0) -> those
/// Equation body: (tr(Jp M^-1 Jp') / 3, tr(Jr M^-1 Jr') / 3), Jp, Jr the Jacobian of the centre of
///          mass; zero where the body cannot move; (1/mass, 0) where body_simple is 2
///          dof: diag(M^-1), averaged over the 3 of a ball, 3 + 3 of a free joint, 1/mass where
///          body_simple is 2; tendon: J M^-1 J', J its row of ten_J; actuator: |M^-1 J'|, J the moment
///          of an output [MuJoCo, mj_setConst]
/// Memory   work is a plain data block, overwritten
/// Errors   CR_ERR_SINGULAR (sentence in work->error)
/// Smooth   everywhere, for a positive definite M; actuator_acc0 of an actuator that moves nothing has
///          derivative 0
cr_status cr_constants(cr_model* m, cr_data* work);

/// Adds to the parameters in bar->par what the cotangents of the derived ones (those that the twin has)
/// imply, and clears these; of fields that are derived in part, the derived numbers. work is as
/// cr_constants left it, or any block: its fields are computed afresh. Cotangents of the state in
/// bar are left alone.
cr_status cr_constants_vjp(const cr_model* m, cr_data* work, cr_data* bar);

#endif
