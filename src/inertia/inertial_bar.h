// SPDX-License-Identifier: Apache-2.0
// What the equation of motion says of the inertias of bodies and of armatures, all motion held.
#ifndef CR_INERTIA_INERTIAL_BAR_H
#define CR_INERTIA_INERTIAL_BAR_H

#include "model/data.h"

/// Adds to the cotangents of body_mass, body_inertia, body_ipos, body_iquat, and of armatures of dofs: what the vjps of the stages
/// bias, inertia, com and kinematics add to them, without the cotangents of motion, axes and places. It is all of the
/// derivative where these numbers act through M and qfrc_bias alone.
/// Equation [step_jacobian.p1]
/// Uses up  bar->M_pairs, bar->qfrc_bias, bar->cinert, which is added to
/// Memory   12 nbody + nv numbers of bar's scratch
/// Smooth   everywhere
void cri_inertial_bar(const cr_model* m, const cr_data* d, cr_data* bar);

#endif
