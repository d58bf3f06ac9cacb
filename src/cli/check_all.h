// SPDX-License-Identifier: Apache-2.0
// carom check --all: many models, each in a process of its own, and a table of the results.
#ifndef CR_CLI_CHECK_ALL_H
#define CR_CLI_CHECK_ALL_H

#include "base/status.h"

typedef struct {
  const char* path;            // a folder, or a list of files
  const char *csv, *markdown;  // files to write the table to, or NULL
  int states, seed;
  int jobs;    // processes at once; 0: one a processor
  int limit;   // seconds a model may take; 0: 600
  bool force;  // overwrites these files
} cr_check_all_options;

/// Prints the table. *failed counts the supported models that do not pass.
cr_status cr_check_all(const cr_check_all_options* options, int* failed, cr_error* error);

#endif
