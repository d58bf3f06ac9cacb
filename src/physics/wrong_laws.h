// SPDX-License-Identifier: Apache-2.0
// Ways to learn a tossed cube with a simulator whose law of contact is wrong: its numbers alone are identified; a network inside corrects a named
// quantity of contacts; a network beside the simulator adds to its steps.
#ifndef CR_PHYSICS_WRONG_LAWS_H
#define CR_PHYSICS_WRONG_LAWS_H

#include "physics/contest.h"

/// Fits both wrong laws to every draw of the contest, adds tables and claims to the report, and draws stiff_contact_wrong.png. The table is
/// stiff_contact_wrong.csv; a study that was stopped goes on with its rows.
/// Errors   CR_ERR_INTERRUPTED; those of fits, trainings and files
cr_status cri_wrong_laws(cri_contest* c, cr_error* error);

#endif
