// SPDX-License-Identifier: Apache-2.0
// A fit of runs as files: estimates.csv, correlation.csv, predicted_<run>.csv, and report.html with tables and plots,
// which needs nothing beside it.
#ifndef CR_FIT_REPORT_H
#define CR_FIT_REPORT_H

#include "fit/predictions.h"

/// A line of the report.
typedef struct {
  cr_estimate found;  // by cr_identification_get_report, or by cr_identification_profile
  bool profiled;
  cr_real start;
} cr_fit_line;

typedef struct {
  const char *model, *folder, *command;
  const cr_model* m;
  const cr_measurements* measurements;
  cr_identification* identification;
  const cr_fit_line* lines;
  int nline;
  const cr_search_end* end;
  double confidence;  // of intervals; 0: 0.9
  double seconds;
} cr_fit_report;

/// Writes all of them, each whole or not at all.
/// Errors   CR_ERR_FILE, CR_ERR_MEMORY
cr_status cr_fit_report_write(const cr_fit_report* report, cr_error* error);

/// The name of file i that is written; false after the last.
bool cr_fit_report_file(const cr_measurements* measurements, int i, char name[CR_FIT_FILE_NAME]);

#endif
