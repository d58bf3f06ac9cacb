// SPDX-License-Identifier: Apache-2.0
// All errors and rows of a window, as a predictor gives them one sight after the other.
#ifndef CR_TESTS_IO_PREDICTED_H
#define CR_TESTS_IO_PREDICTED_H

#include "predict/predict.h"

enum { PREDICTED_ERRORS = 512, PREDICTED_COLUMNS = 64 };

typedef struct {
  cr_real error[PREDICTED_ERRORS], rows[PREDICTED_ERRORS][PREDICTED_COLUMNS];
  int n, columns;
} predicted;

/// Predicts window 0 at p->x; rows only if asked. Failures fail the test.
void predict_window(cri_predictor* w, cri_problem* p, bool derive, predicted* k);

#endif
