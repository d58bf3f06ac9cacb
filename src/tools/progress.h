// SPDX-License-Identifier: Apache-2.0
// One line on standard error that is overwritten again and again, if that is a terminal.
#ifndef CR_TOOLS_PROGRESS_H
#define CR_TOOLS_PROGRESS_H

#include <stdbool.h>

#include "tools/clock.h"

typedef struct {
  bool shown;    // standard error is a terminal
  double start;  // seconds
  double last;   // when the line was last written
  bool dirty;    // there is a line to end
} cr_progress;

cr_progress cri_progress_begin(void);

/// True if the line is due: a terminal, and a tenth of a second since the last.
bool cri_progress_due(const cr_progress* progress);

void cri_progress_line(cr_progress* progress, const char* text);

/// The same with the time that is left, where `spent` seconds did the part `done` of the work: 0 is nothing yet, and then
/// no time is told. `of` follows: "" or " of this round".
void cri_progress_left(cr_progress* progress, const char* text, double spent, double done,
                       const char* of);

/// Ends the line.
void cri_progress_end(cr_progress* progress);

#endif
