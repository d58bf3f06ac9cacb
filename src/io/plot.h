// SPDX-License-Identifier: Apache-2.0
// Plots by gnuplot: a script beside the data, run once, so that a person can change and rerun it.
#ifndef CR_IO_PLOT_H
#define CR_IO_PLOT_H

#include "base/status.h"

/// A curve over the first column of a CSV file, with a horizontal line (NaN: none).
typedef struct {
  const char* title;
  const char* column;  // its header in the CSV
  bool log_scale;
  double line;
  const char* line_title;
} cr_panel;

/// Writes folder/plot.gp for folder/<csv>, panels below each other, and runs gnuplot on it, which
/// makes folder/plot.png.
/// Errors   CR_ERR_FILE where the script cannot be written, or gnuplot is missing or fails
cr_status cri_plot(const char* folder, const char* csv, const char* title, const cr_panel* panels,
                   int npanel, cr_error* error);

#endif
