// SPDX-License-Identifier: Apache-2.0
// Columns of tables by name: a column is found by its name, never by its order.
#ifndef CR_IO_COLUMNS_H
#define CR_IO_COLUMNS_H

#include "model/model.h"
#include "tools/column_names.h"

enum { CR_COLUMN_TIME = -1 };

/// The names of all controls, "a,b,c"; the caller frees. NULL if there is no memory.
char* cri_control_names(const cr_model* m);

/// The number of controls among the names, "time" included.
int cri_columns_known(const cri_columns* c, const cr_model* m);

/// to[i]: the control in column i, or CR_COLUMN_TIME. Every control has to be there once.
/// Errors   CR_ERR_FORMAT, which begins with `where`, and names unknown, double and missing columns
cr_status cri_columns_place(const cri_columns* c, const cr_model* m, const char* where, int* to,
                            cr_error* error);

/// Checks the time of row k of a table: increasing by `interval` from row to row, to a hundredth of it.
/// first[2] holds the first and the last time.
cr_status cri_columns_time(cr_real time, int k, cr_real interval, cr_real first[2],
                           const char* where, cr_error* error);

#endif
