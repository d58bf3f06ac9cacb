// SPDX-License-Identifier: Apache-2.0
// Errors of trained networks beside the oracle: their table, what is published, and the figure.
#ifndef CR_STIFF_STIFF_ERRORS_H
#define CR_STIFF_STIFF_ERRORS_H

#include "carom/learned.h"
#include "notebook/table.h"
#include "stiff/stiff_oracle.h"

/// All trainings of a study. Row ((size nlearner + learner) CRI_N_FLOOR + floor) runs + run of the table, each an index.
typedef struct {
  const int* sizes;  // tosses to learn from, rising
  int nsize;
  const int* learners;
  int nlearner, runs, epochs;
} cri_training_plan;

typedef struct {
  int floor, learner, tosses, run;
} cri_training;

/// stiff_contact_learned.csv. Free with cri_table_free.
/// Errors   CR_ERR_MEMORY
cr_status cri_training_table(cr_table* table, int rows, cr_error* error);

/// A row of it: what was trained, how it ended, and the sums of its errors in slices that were learned and in tosses that were not.
void cri_training_put(const cri_training* training, const cr_learning_end* end,
                      const cri_log_sums* trained, const cri_oracle* tested, cr_real* row);

/// Errors of all trainings, in the units of the published table, with claims and the figure.
/// oracle   log-normal means in the units of cri_oracle: loss, position, rotation
/// Shapes   oracle[CRI_N_FLOOR][3]
/// Errors   CR_ERR_MEMORY, CR_ERR_FILE
cr_status cri_training_conclude(cr_notebook* book, const cri_training_plan* plan,
                                const cri_log_mean* oracle, cr_table* table, cr_error* error);

#endif
