// SPDX-License-Identifier: Apache-2.0
// The study of stiff contact with a simulator, for the list of all studies.
#ifndef CR_PHYSICS_PHYSICS_STUDY_H
#define CR_PHYSICS_PHYSICS_STUDY_H

#include "notebook/notebook.h"

cr_status cri_study_stiff_contact_physics(cr_notebook* book, cr_error* error);

#endif
