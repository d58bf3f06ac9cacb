// SPDX-License-Identifier: Apache-2.0
// A recorded run, and what models predict from its first row on, over each other in one page.
#ifndef CR_FIT_FITTED_PAGE_H
#define CR_FIT_FITTED_PAGE_H

#include "base/status.h"
#include "carom/carom.h"

/// What is shown. Everything is borrowed.
typedef struct {
  const cr_recording_info* run;  // its rows are states and controls
  cr_real interval;              // s from row to row
  int every;                     // steps, or intervals of the grid, from row to row
  const cr_adaptive* adaptive;   // NULL: steps of the models' length
  const cr_model* start;         // with the parameters before a fit
  const cr_model* found;         // and after it, whose shapes the recorded run has too
  const char* title;
} cr_fitted_run;

/// Writes the page. A model that cannot be simulated to the end of the run is left out.
/// Errors   CR_ERR_FILE, CR_ERR_MEMORY; those of rows as states
cr_status cr_fitted_page_write(const cr_fitted_run* fitted, const char* path, cr_error* error);

#endif
