// SPDX-License-Identifier: Apache-2.0
// A tossed cube learned by a simulator that does not know its shape: the corners of its hull are found with all other numbers, and with a correction of
// the contact forces.
#ifndef CR_PHYSICS_LEARNED_SHAPE_H
#define CR_PHYSICS_LEARNED_SHAPE_H

#include "physics/contest.h"
#include "physics/unknown.h"

/// Fits a free hull to every draw of the contest, and adds a table and claims to the report. The table is stiff_contact_shape.csv; a study that was
/// stopped goes on with its rows.
/// box      the unknown box with the true law, from whose best numbers each corner is moved at random
/// Errors   CR_ERR_INTERRUPTED; those of fits and files
cr_status cri_learned_shape(cri_contest* c, const cri_unknown* box, cr_error* error);

#endif
