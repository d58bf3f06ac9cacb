// SPDX-License-Identifier: Apache-2.0
// Constants that MuJoCo derives when it compiles a model, made again after masses, inertias, poses
// or sizes changed, and their derivative: regularisation of the constraints rests on them.
#ifndef CR_ENGINE_CONSTANTS_H
#define CR_ENGINE_CONSTANTS_H

#include "model/data.h"

/// Derives body_invweight0, dof_invweight0, tendon_invweight0, tendon_length0 and geom_rbound in place (m must own these arrays).
/// Map      (all of the model that kinematics, com, tendon and inertia read, at qpos0) -> those
/// Equation body: (tr(Jp M^-1 Jp') / 3, tr(Jr M^-1 Jr') / 3), Jp, Jr the Jacobian of the centre of
///          mass; zero where the body cannot move; (1/mass, 0) where body_simple is 2
///          dof: diag(M^-1), averaged over the 3 of a ball, 3 + 3 of a free joint, 1/mass where
///          body_simple is 2; tendon: J M^-1 J', J its row of ten_J [MuJoCo, mj_setConst]
/// Memory   work is a plain data block, overwritten
/// Errors   CR_ERR_SINGULAR (sentence in work->error)
/// Smooth   everywhere, for a positive definite M
cr_status cr_constants(cr_model* m, cr_data* work);

/// Adds to the parameters in bar->par what the cotangents bar->par.body_invweight0 and
/// dof_invweight0 imply, and clears these two. work is as cr_constants left it, or any block: its
/// fields are computed afresh. Cotangents of the state in bar are left alone.
cr_status cr_constants_vjp(const cr_model* m, cr_data* work, cr_data* bar);

#endif
