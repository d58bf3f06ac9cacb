// SPDX-License-Identifier: Apache-2.0
// Constants that MuJoCo derives when it compiles a model: derives them again after masses, inertias, poses
// or sizes changed, with their derivative. The regularisation of the constraints uses them.
#ifndef CR_ENGINE_CONSTANTS_H
#define CR_ENGINE_CONSTANTS_H

#include "model/data.h"
#include "model/fields.h"

/// The derived fields that carry a derivative: a gradient has to ask for them in addition to the fields from
/// which they follow. Only some numbers of the last ones are derived.
enum { CR_N_DERIVED = 7, CR_N_DERIVED_WHOLE = 5 };
extern const cr_field_id cri_derived_fields[CR_N_DERIVED];

/// Pairs of an operator that the derivative collects before the stage that makes the operator consumes them.
enum { CRI_CONSTANTS_PAIRS = 20 };

/// True if all numbers of a field are derived; if number i of a field is, in this model.
bool cri_field_is_derived(cr_field_id id);
bool cri_is_derived(const cr_model* m, cr_field_id id, int i);

/// Derives, in place (m must own these arrays): body_invweight0, dof_invweight0, tendon_invweight0,
/// tendon_length0, actuator_acc0, geom_rbound, the anchors and poses of eq_data that follow from qpos0
/// (assembly.h) and the added masses of geom_fluid (added_mass.h). This is all that mj_setConst
/// makes and Carom reads. actuator_lengthrange is not part of it. MuJoCo finds it when it compiles a model, by
/// pulling on every muscle in a simulation; mj_setConst does not change it, and neither does Carom.
/// Map      (everything in the model that kinematics, com, tendon, transmission and inertia read, at
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

/// The tangents of the derived parameters in tan->par from those of the others; of partly derived fields only the
/// derived numbers are written. work as in cr_constants_vjp. Tangents of the state in tan stay, all that are
/// computed become zero.
cr_status cr_constants_jvp(const cr_model* m, cr_data* work, cr_data* tan);

/// Adds to the parameters in bar->par the contributions of the cotangents of the derived ones (those that the
/// twin has), and clears these; of partly derived fields only the derived numbers. work is as
/// cr_constants left it, or any block: its fields are computed again. Cotangents of the state in
/// bar do not change.
cr_status cr_constants_vjp(const cr_model* m, cr_data* work, cr_data* bar);

#endif
