// SPDX-License-Identifier: Apache-2.0
// A motion as poses at times, kept while a command runs, and the files that it becomes.
#ifndef CR_COMMAND_POSE_TABLE_H
#define CR_COMMAND_POSE_TABLE_H

#include "carom/carom.h"

/// Empty: all zeros but m. The caller frees it with cr_pose_table_free.
typedef struct {
  const cr_model* m;
  int rows, room;
  double *time, *qpos;  // rows; rows nq
} cr_pose_table;

/// Adds a row: time in s, qpos[nq].
/// Errors   CR_ERR_MEMORY
cr_status cr_pose_table_add(cr_pose_table* table, double time, const cr_real* qpos,
                            cr_error* error);

/// Writes the rows: as a table with a head of names, and as a recording that carom view and carom render show. Paths may be NULL.
/// Errors   CR_ERR_FILE, CR_ERR_MEMORY
cr_status cr_pose_table_write(const cr_pose_table* table, const char* csv, const char* h5,
                              cr_error* error);

void cr_pose_table_free(cr_pose_table* table);

#endif
