// SPDX-License-Identifier: Apache-2.0
// A table of numbers: a CSV file with a line of headers, written whole or not at all.
#ifndef CR_STUDY_TABLE_H
#define CR_STUDY_TABLE_H

#include "base/real.h"
#include "base/status.h"

enum { CR_TABLE_WIDTH = 64 };

typedef struct {
  const char* file;          // its name in the folder
  const char* header;        // names of the columns, with commas between
  const char* const* label;  // text of the first column, one a row; NULL: there is none
  int width, rows, room;     // numbers in a row, filled rows, room for rows
  cr_real* value;            // room x width
} cr_table;

/// Room for `room` rows of as many numbers as the header has names (without that of the labels).
/// The texts are borrowed. Free with cri_table_free. Errors: CR_ERR_MEMORY.
cr_status cri_table_create(cr_table* table, const char* file, const char* header,
                           const char* const* label, int room, cr_error* error);

void cri_table_free(cr_table* table);

/// Row i. A row behind the last is added to the table.
cr_real* cri_table_row(cr_table* table, int i);

/// Writes the filled rows. Errors: CR_ERR_FILE, CR_ERR_MEMORY.
cr_status cri_table_save(const cr_table* table, const char* folder, cr_error* error);

/// Fills rows from a saved file, as many as it has; none if there is no file.
/// Errors   CR_ERR_FORMAT naming file and row: another header, a row that is not valid
cr_status cri_table_load(cr_table* table, const char* folder, cr_error* error);

#endif
