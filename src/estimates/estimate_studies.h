// SPDX-License-Identifier: Apache-2.0
// The studies of gradients under noise (docs/estimators.md) and of plans by smoothed models, for the list of all studies.
#ifndef CR_ESTIMATES_ESTIMATE_STUDIES_H
#define CR_ESTIMATES_ESTIMATE_STUDIES_H

#include "notebook/notebook.h"

cr_status cri_study_curling(cr_notebook* book, cr_error* error);
cr_status cri_study_wall(cr_notebook* book, cr_error* error);
cr_status cri_study_pushing(cr_notebook* book, cr_error* error);
cr_status cri_study_pivot(cr_notebook* book, cr_error* error);
cr_status cri_study_heaviside(cr_notebook* book, cr_error* error);
cr_status cri_study_continuity(cr_notebook* book, cr_error* error);
cr_status cri_study_bundles(cr_notebook* book, cr_error* error);
cr_status cri_study_tennis(cr_notebook* book, cr_error* error);
cr_status cri_study_lqr(cr_notebook* book, cr_error* error);
cr_status cri_study_roomba(cr_notebook* book, cr_error* error);
cr_status cri_study_smoothing(cr_notebook* book, cr_error* error);
cr_status cri_study_hands(cr_notebook* book, cr_error* error);

#endif
