// SPDX-License-Identifier: Apache-2.0
// The studies: published experiments with hard contact, repeated. Each computes its tables, draws
// them, and checks its claims.
#ifndef CR_STUDY_STUDIES_H
#define CR_STUDY_STUDIES_H

#include "notebook/notebook.h"

cr_status cri_study_toy(cr_notebook* book, cr_error* error);
cr_status cri_study_toss(cr_notebook* book, cr_error* error);
cr_status cri_study_billiard(cr_notebook* book, cr_error* error);
cr_status cri_study_time_toss(cr_notebook* book, cr_error* error);
cr_status cri_study_sysid(cr_notebook* book, cr_error* error);
cr_status cri_study_landscape(cr_notebook* book, cr_error* error);
cr_status cri_study_pendulum(cr_notebook* book, cr_error* error);
cr_status cri_study_robot(cr_notebook* book, cr_error* error);
cr_status cri_study_golf(cr_notebook* book, cr_error* error);
cr_status cri_study_sparse(cr_notebook* book, cr_error* error);
cr_status cri_study_swimmer(cr_notebook* book, cr_error* error);
cr_status cri_study_push(cr_notebook* book, cr_error* error);
cr_status cri_study_quadruped(cr_notebook* book, cr_error* error);
cr_status cri_study_cube(cr_notebook* book, cr_error* error);

typedef struct {
  const char* name;
  const char* summary;
  bool takes_data;
  cr_status (*run)(cr_notebook* book, cr_error* error);
} cr_study;

/// The study of that name, NULL if there is none.
const cr_study* cri_study_find(const char* name);

/// Study i in the order of the list, NULL after the last.
const cr_study* cri_study_at(int i);

#endif
