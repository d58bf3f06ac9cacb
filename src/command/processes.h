// SPDX-License-Identifier: Apache-2.0
// Jobs in processes of their own, a few at a time: a job that crashes or hangs gives a result like any other.
#ifndef CR_COMMAND_PROCESSES_H
#define CR_COMMAND_PROCESSES_H

#include "base/status.h"

enum { CR_MAX_RESULT = 4096, CR_MAX_PROCESSES = 64 };

/// Results are bytes: no pointers in them.
typedef struct {
  int njob;
  int at_once;   // processes
  int limit;     // seconds a job may take
  size_t nbyte;  // of a result, at most CR_MAX_RESULT
  void* context;
  /// In the process of job i: fills the zeroed result.
  void (*work)(void* context, int i, void* result);
  /// Called here as jobs end: result is NULL if the process ended without one, and why says how.
  void (*done)(void* context, int i, const void* result, const char* why);
} cr_processes;

/// Runs all of them. Errors: CR_ERR_ARG, CR_ERR_FILE (no pipe, no process).
cr_status cr_processes_run(const cr_processes* p, cr_error* error);

#endif
