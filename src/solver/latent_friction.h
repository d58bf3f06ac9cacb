// SPDX-License-Identifier: Apache-2.0
// Friction loss of zero. It has no row, so the rows' derivatives do not contain it; but a little of
// it would make a row, and it can only grow.
#ifndef CR_SOLVER_LATENT_FRICTION_H
#define CR_SOLVER_LATENT_FRICTION_H

#include "model/data.h"

/// The derivative to the right, for dofs and tendons whose friction loss is zero, at the acceleration
/// acc_qacc.
/// Map      (acc_qacc, qvel, qfrc_smooth, dof_invweight0, ten_J; dof_frictionloss,
///          tendon_frictionloss) -> force along the dofs
/// Equation a row f = clip(-D e, -loss, loss), e = J a - aref, aref = -b v, is at its end as soon as the
///          loss is below |D e|:  df/dloss = -sign(e), and 0 where e is 0 up to
///          round-off of the largest acceleration and velocity of the tree, and of the
///          acceleration that its forces would make alone, or of a position (of 1 m or rad,
///          times the row's stiffness): any real loss holds so slow a motion            [acceleration.z1]
///          b of solver/reference.h, from solref and solimp; J = 1, or ten_J
/// Shapes   nv numbers
/// Flags    CR_DSBL_FRICTIONLOSS, CR_DSBL_CONSTRAINT: none
/// Memory   none
/// Smooth   except where e changes sign

/// tau_tan += J' df/dloss loss_tan.
void cri_latent_friction_jvp(const cr_model* m, const cr_data* d, const cr_data* tan,
                             cr_real* tau_tan);

/// Adds J tau_bar df/dloss to the cotangents of the losses.
void cri_latent_friction_vjp(const cr_model* m, const cr_data* d, cr_data* bar,
                             const cr_real* tau_bar);

/// True if the loss of dof i, or of tendon i - nv, is zero and its row would creep: e is not 0, but may be
/// round-off. Up to a loss of |D e| there is a slope; the derivative is 0, that of a loss that holds it.
bool cri_latent_friction_creeps(const cr_model* m, const cr_data* d, int i);

#endif
