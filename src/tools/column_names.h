// SPDX-License-Identifier: Apache-2.0
// Names of the columns of a table: lists with commas, and the attribute of an HDF5 data set.
#ifndef CR_TOOLS_COLUMN_NAMES_H
#define CR_TOOLS_COLUMN_NAMES_H

#include "tools/hdf5.h"

/// Names of columns, in order; text is cut into pieces. Free with cri_columns_free.
typedef struct {
  char* text;
  char** name;
  int n;
} cri_columns;

/// Cuts "a, b, c" at its commas; blanks and quotes around a name do not count. CR_ERR_MEMORY.
cr_status cri_columns_cut(cri_columns* c, const char* text, cr_error* error);
void cri_columns_free(cri_columns* c);

/// The attribute `columns` of a data set, where it has one: *present. One text with commas, or several.
cr_status cri_columns_of_set(cri_columns* c, const cr_h5* file, const char* set, bool* present,
                             cr_error* error);

/// That a data set without `columns`, or with exactly these ones, was read: other names are refused.
cr_status cri_columns_are(const cr_h5* file, const char* path, const char* set,
                          const char* expected, cr_error* error);

#endif
