// SPDX-License-Identifier: Apache-2.0
// Forces of spatial tendons on the bodies along their path.
#ifndef CR_SENSOR_TENDON_WRENCH_H
#define CR_SENSOR_TENDON_WRENCH_H

#include "model/data.h"

/// Force of spatial tendons on every body but the world, added to F.
/// Map      (all inputs of cri_tendon_tension; site_xpos, geom_xpos, geom_xmat, subtree_com, geom_size,
///          wrap_prm) -> F
/// Equation each straight piece of a tendon with tension T and divisor s puts T/s e on the body at its end
///          and -T/s e on the body at its beginning, at these points        [reaction.e4]
///          derivation: docs/derivations/reaction.md
/// Shapes   F[6 nbody]
/// Units    N m, N.  Frames: world axes, about the centre of mass of the tree
/// Memory   scratch 8 ntendon of `work`
/// Smooth   except where a tendon lifts off a geom or changes sides, and where a dead band ends
void cri_tendon_wrench(const cr_model* m, const cr_data* d, cr_real* F, cr_data* work);

/// Adds its tangent.
void cri_tendon_wrench_jvp(const cr_model* m, const cr_data* d, cr_data* tan, cr_real* F_tan);

/// Adds to the cotangents of all inputs, from that of F, a motion u of every body.
void cri_tendon_wrench_vjp(const cr_model* m, const cr_data* d, cr_data* bar, const cr_real* u);

#endif
