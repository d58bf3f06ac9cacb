// SPDX-License-Identifier: Apache-2.0
// Transmission at the contacts of a body, as of vacuum grippers and sticky feet: the actuator
// pulls the body and the bodies it touches together. transmission/transmission calls these.
#ifndef CR_TRANSMISSION_TRANSMISSION_BODY_H
#define CR_TRANSMISSION_TRANSMISSION_BODY_H

#include "model/data.h"

/// Length (zero), moment row and structure of actuator i, whose row starts at moment_rowadr[out].
/// Map      (efc_J, contact_pos, contact_frame, cdof, subtree_com) -> actuator_moment
/// Equation row = -(1/n) sum of the normals' rows over the n contacts of the body       [transmission.g1]
///          contacts with constraint rows: their normal row, or the mean of a pyramid's rows [transmission.g2]
///          contacts in the gap: normal . (J_1 - J_0) at the contact point             [transmission.g3]
///          0 where nothing touches; gears do not count
///          [MuJoCo manual, "adhesion"; derivation: docs/derivations/transmission.md]
/// Memory   scratch 2 nv
/// Smooth   except where a contact begins, ends, enters or leaves the gap
void cri_transmission_body(const cr_model* m, cr_data* d, int i);
void cri_transmission_body_jvp(const cr_model* m, const cr_data* d, cr_data* tan, int i);
/// For all pairs of the moment. `first` is the pair of efc_J with the right vector of the first
/// of them.
void cri_transmission_body_vjp(const cr_model* m, const cr_data* d, cr_data* bar, int i, int first);

#endif
