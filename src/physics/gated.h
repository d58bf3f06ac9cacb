// SPDX-License-Identifier: Apache-2.0
// A tossed cube learned by a network that is made for motion that jumps, without a simulator.
#ifndef CR_PHYSICS_GATED_H
#define CR_PHYSICS_GATED_H

#include "physics/contest.h"

/// Trains gates of contact on every draw of the contest, adds a table and claims to the report, and draws stiff_contact_gates.png. The table is
/// stiff_contact_gates.csv; a study that was stopped goes on with its rows.
/// Errors   CR_ERR_INTERRUPTED; those of trainings and files
cr_status cri_gated_contest(cri_contest* c, cr_error* error);

#endif
