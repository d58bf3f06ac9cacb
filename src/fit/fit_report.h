// SPDX-License-Identifier: Apache-2.0
// A fit of runs as files: estimates.csv, correlation.csv, predicted_<run>.csv, and report.html with tables and plots,
// which needs nothing beside it.
#ifndef CR_FIT_REPORT_H
#define CR_FIT_REPORT_H

#include "carom/identify.h"

typedef struct {
  const char *model, *folder, *command;
  const cr_model* m;
  const cr_measurements* measurements;
  cr_identification* identification;
  const cr_real* start;  // of x: the numbers, not what transforms make of them
  const cr_search_end* end;
  double seconds;
} cr_fit_report;

/// Writes all of them, each whole or not at all.
/// Errors   CR_ERR_FILE, CR_ERR_MEMORY
cr_status cr_fit_report_write(const cr_fit_report* report, cr_error* error);

#endif
