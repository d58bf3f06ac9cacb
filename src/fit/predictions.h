// SPDX-License-Identifier: Apache-2.0
// What was measured beside what a model predicts, as files predicted_<run>.csv and as plots of a page. A second model may be shown
// beside it.
#ifndef CR_FIT_PREDICTIONS_H
#define CR_FIT_PREDICTIONS_H

#include "carom/identify.h"
#include "tools/report_page.h"

enum { CR_FIT_FILE_NAME = 160 };

typedef struct {
  const cr_model* m;
  const cr_measurements* measurements;
  cr_identification* identification;  // solved, trained, or taken
  const char* other_name;             // of the model beside it, "uncorrected"; NULL: none
  cr_identification* other;  // of the same measurements, cut alike; NULL: it cannot be simulated
} cr_predictions;

/// The name of the file of a run.
void cr_predictions_name(const cr_measurements* measurements, int run, char name[CR_FIT_FILE_NAME]);

/// Rows place,number,time,seen,predicted. With another model also what that predicts, and `curve`: an index from 0 on for
/// each number of each place.
/// Errors   CR_ERR_FILE, CR_ERR_MEMORY; those of cr_identification_predict
cr_status cr_predictions_write(const cr_predictions* predictions, int run, const char* folder,
                               cr_error* error);

/// True for a run that is held aside.
bool cr_predictions_held(const cr_predictions* predictions, int run);

/// Figures of all runs, of runs held aside first where there is another model; after two dozen a sentence on the files.
cr_status cr_predictions_plot(const cr_predictions* predictions, cr_page* page, cr_error* error);

/// Curves of a run as the file has them: the name of number i, "enc" or "pose[2]"; false: there is none.
bool cr_predictions_curve(const cr_predictions* predictions, int run, int i,
                          char name[CR_FIT_FILE_NAME]);

#endif
