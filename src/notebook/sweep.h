// SPDX-License-Identifier: Apache-2.0
// The rows of a table, each computed on its own, in parallel; saved as they come.
#ifndef CR_STUDY_SWEEP_H
#define CR_STUDY_SWEEP_H

#include "notebook/notebook.h"
#include "notebook/table.h"

enum { CR_SWEEP_ROUND = 64 };

/// Fills one row. `worker` is the number of the scratch to use. The result depends on the row alone.
typedef cr_status cr_sweep_work(void* context, int row, int worker, cr_real* values,
                                cr_error* error);

/// Fills the table up to its room, `round` rows at a time (at most CR_SWEEP_ROUND). In between it checks whether to
/// stop or to save. A resumed study begins with the rows of the file.
/// Errors   CR_ERR_INTERRUPTED, with the rows so far saved; those of work, naming the row
cr_status cri_sweep(cr_notebook* book, cr_table* table, int round, cr_sweep_work* work,
                    void* context, cr_error* error);

#endif
