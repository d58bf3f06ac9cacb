// SPDX-License-Identifier: Apache-2.0
// Bends of the convex force law, for events.
#ifndef CR_SOLVER_FRICTION_CONE_BENDS_H
#define CR_SOLVER_FRICTION_CONE_BENDS_H

#include "solver/contact_model.h"

/// [event.e3] Numbers whose signs identify the zones of solver/friction_cone.h at acc_jar.
/// Equation friction loss: e + loss / D and e - loss / D;  limit, frictionless contact, edge of a pyramid: e;
///          elliptic cone, its first row: mu (e_0 - T) and mu^2 e_0 + T, T of solver/friction_cone.h.
///          Where the row gives way to a force of its own, that is, within the zone of second degree, the number
///          is divided by 1 - I, I its impedance: its size if the row gave way altogether
void cri_friction_cone_bends(const cr_model* m, const cr_data* d, int row,
                             cr_real bend[CRI_LAW_BENDS]);

/// True for a pyramid, or an elliptic cone whose friction differs in its two directions.
bool cri_friction_cone_has_directions(const cr_model* m, const cr_data* d, int row);

#endif
