// SPDX-License-Identifier: Apache-2.0
// A training as files, as JSON and as text: which inputs the learned terms use, the learning curve, and how well runs are predicted with
// and without what was learned.
#ifndef CR_FIT_TRAIN_REPORT_H
#define CR_FIT_TRAIN_REPORT_H

#include "carom/correction.h"
#include "carom/training.h"
#include "fit/predictions.h"
#include "tools/json.h"

/// A number that was trained beside the weights.
typedef struct {
  char name[192];
  cr_real value, start;
} cr_train_number;

typedef struct {
  const char *model, *folder;
  const cr_model* m;  // with the weights found
  cr_predictions predictions;
  const cr_training_end* end;
  const double* curve;  // of every epoch the cost, and that of the runs held aside
  const cr_train_number* numbers;
  int nepoch, nnumber;
  bool drawn;             // there are learning.png and predictions.png
  const char* plain_why;  // "", or why the uncorrected model cannot be simulated
  const char* saved;      // where the model was written, or NULL
  double seconds;
} cr_train_report;

/// How many times as large errors are without the corrections, of the runs held aside or, where there are none, of those trained on;
/// NaN where the uncorrected model cannot be simulated, 1 where both are exact.
/// Equation sqrt(sum of (errors of the uncorrected model / noise)^2 / sum of (errors / noise)^2)
cr_status cr_train_report_gain(const cr_train_report* report, double* gain, cr_error* error);

/// Writes history.csv, predicted_<run>.csv and report.html, each whole or not at all; learning.png and predictions.png, where gnuplot can
/// draw them: *warning is then "", and `drawn` set.
/// Errors   CR_ERR_FILE, CR_ERR_MEMORY, those of predictions
cr_status cr_train_report_write(cr_train_report* report, cr_error* warning, cr_error* error);

/// The name of file i that is written, beside the weights; false after the last.
bool cr_train_report_file(const cr_train_report* report, int i, char name[CR_FIT_FILE_NAME]);

/// The text of history.csv: its first line, and that of an epoch, counted from 1.
extern const char cr_train_history_head[];
void cr_train_history_row(char text[96], int epoch, double cost, double held);

/// "qvel[*]", "xpos[foot][2]", "constant".
void cr_train_input_name(const cr_correction_usage* usage, char* text, int size);

/// What was found, as one object; as text on standard output.
cr_status cr_train_answer_put(const cr_train_report* report, cr_json* json, cr_error* error);
cr_status cr_train_answer_print(const cr_train_report* report, cr_error* error);

#endif
