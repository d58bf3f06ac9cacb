// SPDX-License-Identifier: Apache-2.0
// Transmission of a whole orientation: three outputs, of a ball joint or of a site against another.
// transmission/transmission calls these.
#ifndef CR_TRANSMISSION_TRANSMISSION_SO3_H
#define CR_TRANSMISSION_TRANSMISSION_SO3_H

#include "model/data.h"

/// Lengths, moment rows and structure of actuator i, whose rows start at moment_rowadr[out].
/// Map      (qpos, site_xmat R, cdof) -> actuator_length, actuator_moment
/// Equation ball:  lengths = log(q), row_k = the joint's dof k           [transmission.o1]
///          sites: lengths = log(R_1' R_0), 1 the reference              [transmission.o2]
///                 row_kj = s_j . F_k over the dofs between the sites, F_k = (R_0 e_k, 0) on the
///                 site's body, minus that on the reference's            [transmission.o3]
///          gears do not count; derivation: docs/derivations/transmission.md
/// Smooth   except at half a turn, where the lengths jump
void cri_transmission_so3(const cr_model* m, cr_data* d, int i);
void cri_transmission_so3_jvp(const cr_model* m, const cr_data* d, cr_data* tan, int i);
/// For the cotangents of the lengths and all pairs of the moment.
void cri_transmission_so3_vjp(const cr_model* m, const cr_data* d, cr_data* bar, int i);

#endif
