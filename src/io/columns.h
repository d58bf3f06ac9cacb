// SPDX-License-Identifier: Apache-2.0
// Columns of tables by name: which column holds which number, never by silent order.
#ifndef CR_IO_COLUMNS_H
#define CR_IO_COLUMNS_H

#include "model/model.h"
#include "tools/hdf5.h"

enum { CR_COLUMN_NAME = 160, CR_COLUMN_TIME = -1 };

/// Name of control i: its actuator's; with several controls "name[k]"; without a name, or with a
/// comma in it, "ctrl[i]".
void cri_control_name(const cr_model* m, int i, char name[CR_COLUMN_NAME]);

/// The names of all controls, "a,b,c"; the caller frees. NULL where there is no memory.
char* cri_control_names(const cr_model* m);

/// Names of columns, in order; text is cut into pieces. Free with cri_columns_free.
typedef struct {
  char* text;
  char** name;
  int n;
} cri_columns;

/// Cuts "a, b, c" at its commas; blanks and quotes around a name do not count. CR_ERR_MEMORY.
cr_status cri_columns_cut(cri_columns* c, const char* text, cr_error* error);
void cri_columns_free(cri_columns* c);

/// The number of controls among the names, "time" included.
int cri_columns_known(const cri_columns* c, const cr_model* m);

/// to[i]: the control that column i holds, or CR_COLUMN_TIME. All controls have to be there, once.
/// Errors   CR_ERR_FORMAT, which begins with `where`, and names what is unknown, twice there or missing
cr_status cri_columns_place(const cri_columns* c, const cr_model* m, const char* where, int* to,
                            cr_error* error);

/// Checks the time of row k of a table: increasing by `interval` from row to row, to a hundredth of it.
/// first[2] holds the first and the last time.
cr_status cri_columns_time(cr_real time, int k, cr_real interval, cr_real first[2],
                           const char* where, cr_error* error);

/// The attribute `columns` of a data set, where it has one: *present. One text with commas, or several.
cr_status cri_columns_of_set(cri_columns* c, const cr_h5* file, const char* set, bool* present,
                             cr_error* error);

/// That a data set without `columns`, or with exactly these ones, was read: other names are refused.
cr_status cri_columns_are(const cr_h5* file, const char* path, const char* set,
                          const char* expected, cr_error* error);

#endif
