// SPDX-License-Identifier: Apache-2.0
// The studies of learning stiff contact, for the list of all studies.
#ifndef CR_STIFF_STIFF_STUDIES_H
#define CR_STIFF_STIFF_STUDIES_H

#include "notebook/notebook.h"

cr_status cri_study_bounce1d(cr_notebook* book, cr_error* error);
cr_status cri_study_stiff_contact(cr_notebook* book, cr_error* error);

#endif
