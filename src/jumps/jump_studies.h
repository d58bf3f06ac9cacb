// SPDX-License-Identifier: Apache-2.0
// The studies of jumps that contact at points makes, and pressure fields do not, for the list of all studies.
#ifndef CR_JUMPS_JUMP_STUDIES_H
#define CR_JUMPS_JUMP_STUDIES_H

#include "notebook/notebook.h"

cr_status cri_study_contact_jumps(cr_notebook* book, cr_error* error);
cr_status cri_study_box_push(cr_notebook* book, cr_error* error);
cr_status cri_study_mating(cr_notebook* book, cr_error* error);

#endif
