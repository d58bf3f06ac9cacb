// SPDX-License-Identifier: Apache-2.0
// Forces on bodies from outside their joints, body by body: applied forces, contacts, the
// rows of connect and weld, and spatial tendons. As with force/wrench, the cotangent of a force
// is a motion.
#ifndef CR_SENSOR_EXTERNAL_FORCE_H
#define CR_SENSOR_EXTERNAL_FORCE_H

#include "model/data.h"

/// Force on every body from outside.
/// Map      (xfrc_applied, efc_force, contact_friction, contact_adhesion, contact_pos,
///          contact_frame, xipos, subtree_com, poses and eq_data of connects and welds; all that cri_tendon_wrench reads) -> F
/// Equation applied: (n + r x f, f), r = xipos - com of the tree         [reaction.e1]
///          contact: f, n of cri_contact_force turned to world axes, + on the second body and - on
///          the first, r = contact_pos - com of the body's tree          [reaction.e2]
///          connect or weld: the force that does the work of its rows, dF . u = f . rate(u)   [reaction.e3]
///          tendons: sensor/tendon_wrench.h                               [reaction.e4]
///          derivation: docs/derivations/reaction.md
/// Shapes   F[6 nbody]; the world's is zero
/// Units    N m, N.  Frames: world axes, about the centre of mass of the tree
/// Memory   scratch of `work`
/// Smooth   except where tendons are not
void cri_external(const cr_model* m, const cr_data* d, cr_real* F, cr_data* work);

/// Its tangent.
void cri_external_jvp(const cr_model* m, const cr_data* d, cr_data* tan, cr_real* F_tan);

/// Adds to the cotangents of all inputs, from that of F, a motion u of every body.
void cri_external_vjp(const cr_model* m, const cr_data* d, cr_data* bar, const cr_real* u);

#endif
