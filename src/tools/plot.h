// SPDX-License-Identifier: Apache-2.0
// Plots by gnuplot: writes a script beside the data and runs it once; a person can change and rerun it.
#ifndef CR_TOOLS_PLOT_H
#define CR_TOOLS_PLOT_H

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

/// A curve of a chart: column y over column x of a CSV file, of the rows where column `only` has the
/// value `value` (`only` NULL: of all rows).
/// A band fills the area between two columns: its y names both, with a comma between. Its place is before the curves on it.
typedef enum {
  CR_CURVE_LINE,
  CR_CURVE_DASHES,
  CR_CURVE_BAND,
  CR_CURVE_POINTS,
  CR_CURVE_BOTH
} cr_curve_style;
typedef struct {
  const char *csv, *x, *y, *title;
  cr_curve_style style;
  const char* only;
  double value;
} cr_curve;

typedef struct {
  const char *xlabel, *ylabel;
  bool log_x, log_y;  // y: of absolute values
  double low, high;   // of y; NaN: from the data
  const cr_curve* curves;
  int ncurve;
} cr_chart;

/// Writes folder/<name>.gp and, by gnuplot, folder/<name>.png: charts in that many columns.
/// Errors   those of cri_plot
cr_status cri_charts(const char* folder, const char* name, const char* title,
                     const cr_chart* charts, int nchart, int columns, cr_error* error);

#endif
